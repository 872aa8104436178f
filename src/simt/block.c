#include "simt/block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "base/minmax.h"
#include "base/pages.h"
#include "simt/converge.h"

/* If a warp executes SPINS operations that could be part of a spin loop within about
 * SPIN_STEPS instructions, its block of a cooperative launch is assumed to wait for
 * others. Code for debuggers takes tens of instructions for a round of such a loop. */
enum { SPINS = 8, SPIN_STEPS = 1024 };

/*
 * A block's memory is one slab, so that what every step touches, warps and
 * registers, is close together.
 */
struct slab {
	size_t warps, frames, regs, sregs, shared, splits, tape; /* offsets */
	size_t bytes;
};

static size_t reg_stride(const struct launch *l)
{
	return round_up(l->kernel->reg_bytes, 64);
}

static size_t sreg_stride(const struct launch *l)
{
	return round_up(l->program->sreg_bytes, 64);
}

static struct slab slab_of(const struct launch *l)
{
	size_t n = l->warps_per_block, at = 0;
	struct slab s;

	s.warps = at;
	at += round_up(n * sizeof(struct warp), 64);
	s.frames = at;
	at += round_up(n * sizeof(struct frame), 64);
	s.sregs = at;
	at += n * sreg_stride(l);
	s.regs = at;
	at += n * reg_stride(l);
	s.shared = at;
	at += round_up(l->shared_bytes + 16, 64);
	s.splits = at;
	at += round_up(n * LANES * sizeof(struct split), 64);
	s.tape = at;
	s.bytes = at + (l->hooks ? n * l->hooks->warp_bytes : 0);
	return s;
}

size_t block_bytes(const struct launch *l)
{
	return slab_of(l).bytes;
}

size_t block_local_bytes(const struct launch *l)
{
	return l->machine->local_bytes * LANES * l->warps_per_block;
}

/* From the worker's pool while it lasts. */
static char *take_slab(struct block *b, size_t bytes)
{
	struct worker *wk = b->worker;
	char *p = wk->pool;

	if (wk->pool_bytes >= bytes) {
		wk->pool += bytes;
		wk->pool_bytes -= bytes;
		return p;
	}
	b->slab_bytes = bytes;
	return pages_map(bytes);
}

static char *take_local(struct block *b)
{
	struct worker *wk = b->worker;
	char *p = wk->local;

	/* Each lane has pages of its own: huge ones would be nearly empty. */
	if (wk->local_bytes < b->local_bytes)
		return pages_map_small(b->local_bytes);
	wk->local += b->local_bytes;
	wk->local_bytes -= b->local_bytes;
	b->local_lent = true;
	return p;
}

struct block *block_new(struct worker *wk)
{
	struct launch *l = wk->launch;
	struct slab s = slab_of(l);
	struct block *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->launch = l;
	b->worker = wk;
	b->warp_count = l->warps_per_block;
	b->shared_bytes = l->shared_bytes;
	b->local_bytes = block_local_bytes(l);
	b->slab = take_slab(b, s.bytes);
	b->local = take_local(b);
	if (!b->slab || !b->local) {
		block_free(b);
		return NULL;
	}
	if (wk->used && !b->slab_bytes) {
		memset(b->slab + s.warps, 0, s.regs - s.warps);
		/* Splits are written when they are made. */
		memset(b->slab + s.shared, 0, s.splits - s.shared);
	}
	b->warps = (struct warp *)(b->slab + s.warps);
	for (uint32_t i = 0; i < b->warp_count; i++)
		b->warps[i].splits =
			(struct split *)(b->slab + s.splits) + i * LANES;
	b->frames = (struct frame *)(b->slab + s.frames);
	b->regs = b->slab + s.regs;
	b->sregs = b->slab + s.sregs;
	b->shared = b->slab + s.shared;
	b->tape_room = b->slab + s.tape;
	return b;
}

void block_free(struct block *b)
{
	for (uint32_t i = 0; b->warps && i < b->warp_count; i++)
		free(b->warps[i].joins);
	if (b->slab_bytes)
		pages_unmap(b->slab, b->slab_bytes);
	if (!b->local_lent)
		pages_unmap(b->local, b->local_bytes);
	if (b->tape)
		b->launch->hooks->drop(b);
	free(b->text);
	free(b);
}

static void block_start_warp(struct block *b, uint32_t i, bool fresh)
{
	struct launch *l = b->launch;
	struct warp *w = &b->warps[i];
	struct frame *f = &b->frames[i];
	char *regs = b->regs + reg_stride(l) * i;
	char *sregs = b->sregs + sreg_stride(l) * i;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	uint32_t rest = threads - i * LANES;

	if (fresh)
		l->program->isa->start_launch(sregs, l, i);
	l->program->isa->start_block(sregs, b);
	*f = (struct frame){ .code = l->kernel,
			     .regs = regs,
			     .join = NO_JOIN,
			     .local_top = l->kernel->local_bytes };
	w->block = b;
	w->worker = b->worker;
	w->effect = &b->worker->effect;
	w->id = i;
	w->base[SLOT_CONST] = (char *)(uintptr_t)l->pool;
	w->base[SLOT_SREG] = sregs;
	w->local_size = l->machine->local_bytes;
	w->local = b->local + w->local_size * LANES * i;
	w->frame = f;
	f->live = lanes_below(rest < LANES ? rest : LANES);
	warp_start(w, f, f->live);
}

void block_start(struct block *b, uint64_t index)
{
	const uint32_t *grid = b->launch->grid;
	bool fresh = !b->warps[0].block;

	b->index = index;
	b->ctaid[0] = (uint32_t)(index % grid[0]);
	b->ctaid[1] = (uint32_t)(index / grid[0] % grid[1]);
	b->ctaid[2] = (uint32_t)(index / grid[0] / grid[1]);
	b->next_warp = 0;
	b->live_warps = b->warp_count;
	memset(b->bar, 0, sizeof(b->bar));
	for (uint32_t i = 0; i < b->warp_count; i++)
		block_start_warp(b, i, fresh);
}

struct frame *block_frame_new(struct block *b, const struct code *c)
{
	struct frame **head = &b->worker->free_frames[c->func->index];
	struct frame *f = *head;
	size_t regs = round_up(c->reg_bytes, 64);

	if (f) {
		*head = f->next_free;
	} else {
		/* The registers follow their frame, from the next cache line
		 * on. */
		size_t header = round_up(sizeof(*f), 64);

		f = aligned_alloc(64, header + regs);
		CHECK(f);
		memset(f, 0, header + regs);
		f->regs = (char *)f + header;
		f->code = c;
		f->next_all = b->worker->all_frames;
		b->worker->all_frames = f;
	}
	f->since = f->syncs = 0;
	return f;
}

void block_frame_free(struct block *b, struct frame *f)
{
	struct frame **head = &b->worker->free_frames[f->code->func->index];

	f->next_free = *head;
	*head = f;
}

/* Threads that complete the barrier. */
static uint32_t expected(const struct block *b, const struct barrier *bar)
{
	return bar->count ? bar->count : LANES * b->live_warps;
}

/* Threads that have arrived: a warp counts for all its lanes when all that have
 * not exited are there. */
static uint32_t arrived(const struct block *b, int id)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->warp_count; i++) {
		const struct warp *w = &b->warps[i];
		lanes_t here = w->bar_arrived[id], live = warp_live(w);

		if (!here)
			continue;
		/* Without independent lanes, one lane counts for its warp. */
		if (!b->launch->independent || (live & ~here) == 0)
			n += LANES;
		else
			n += lanes_count(here);
	}
	return n;
}

static bool block_complete(const struct block *b, int id)
{
	const struct barrier *bar = &b->bar[id];
	uint32_t want = expected(b, bar);

	/* Usually some warp has yet to arrive: skips counting the lanes. */
	return bar->busy && LANES * bar->warps >= want &&
	       arrived(b, id) >= want;
}

bool block_arrive(struct block *b, struct warp *w, uint8_t id, uint32_t count)
{
	struct barrier *bar = &b->bar[id];

	if (!bar->busy) {
		*bar = (struct barrier){ .count = count,
					 .all = true,
					 .busy = true };
	}
	bar->warps += !w->bar_arrived[id];
	w->bar_arrived[id] |= w->mask;
	w->met_barrier = true;
	return block_complete(b, id);
}

void block_release(struct block *b, uint8_t id)
{
	barrier_results(b, id);
	b->releases++;
	b->bar[id].busy = false;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		b->warps[i].bar_arrived[id] = 0;
		warp_release_barrier(&b->warps[i], id);
	}
}

void block_lanes_exited(struct block *b, struct warp *w)
{
	b->live_warps -= warp_done(w);
	for (uint8_t id = 0; id < BARRIERS; id++)
		if (b->bar[id].busy && block_complete(b, id))
			block_release(b, id);
}

void block_print(struct block *b, const char *text, size_t size)
{
	if (!size)
		return;
	if (b->text_room - b->text_size < size) {
		size_t room = 2 * (b->text_room + size);
		char *more = realloc(b->text, room);

		if (!more)
			return; /* printing is not worth a crash */
		b->text = more;
		b->text_room = room;
	}
	memcpy(b->text + b->text_size, text, size);
	b->text_size += size;
}

/* The message says what the lanes wait for. */
void block_deadlock(struct block *b)
{
	struct warp *stuck = NULL;
	char why[200] = "";
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct warp *w = &b->warps[i];

		if (warp_done(w))
			continue;
		waiting++;
		if (stuck || !w->split_count)
			continue;
		stuck = w;
		w->frame = w->splits[0].frame;
		if (w->splits[0].state == SPLIT_BARRIER) {
			int id = w->splits[0].barrier;

			snprintf(why, sizeof(why),
				 "barrier %d has %u of %u threads", id,
				 arrived(b, id), expected(b, &b->bar[id]));
		} else {
			lanes_t needs = w->splits[0].state == SPLIT_CONVERGE ?
						converge_needs(w, w->splits) :
						w->splits[0].needs;

			snprintf(why, sizeof(why),
				 "lanes 0x%0*" PRIx64
				 " wait for lanes 0x%0*" PRIx64
				 " at a .sync instruction",
				 LANES / 4, w->splits[0].mask, LANES / 4,
				 needs & ~w->splits[0].mask);
		}
	}
	CHECK(stuck);
	/* The pc of a split at a barrier is after the barrier instruction. */
	warp_fault(stuck,
		   &stuck->frame->code
			    ->insts[stuck->splits[0].pc -
				    (stuck->splits[0].state != SPLIT_SYNC)],
		   FAULT_BARRIER, stuck->splits[0].mask, 0,
		   "%u warps of the block wait for ever; %s", waiting, why);
}

/* Whether a warp of a cooperative launch seems to wait for other blocks. Counts anew
 * where it does, and where it works instead. */
static bool seems_to_spin(const struct block *b, struct warp *w)
{
	bool spins = w->syncs - w->spin_syncs >= SPINS;

	if (!b->launch->workspace)
		return false;
	if (spins || w->steps - w->spin_steps >= SPIN_STEPS) {
		w->spin_syncs = w->syncs;
		w->spin_steps = w->steps;
	}
	return spins;
}

/* Gives each warp a turn. Returns the number of instructions executed. */
static uint64_t round_robin(struct block *b, bool *all_done, bool *yielded)
{
	uint64_t steps = 0, max = b->launch->machine->max_steps;
	uint64_t turn = b->worker->turn;

	*all_done = true;
	*yielded = false;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct warp *w = &b->warps[i];
		uint64_t before = w->steps;

		if (warp_done(w))
			continue;
		warp_run(w, max - before < turn ? max - before : turn);
		steps += w->steps - before;
		if (w->event & EVENT_FAULT)
			return steps;
		*yielded |= (w->event & EVENT_YIELD) != 0 ||
			    seems_to_spin(b, w);
		if (warp_done(w))
			continue;
		*all_done = false;
		if (w->steps >= max && warp_ready(w)) {
			warp_endless(w);
			return steps;
		}
	}
	return steps;
}

bool block_unblock(struct block *b)
{
	bool any = false;

	for (uint32_t i = 0; i < b->warp_count; i++)
		if (!warp_done(&b->warps[i]))
			any |= warp_release_joins(&b->warps[i]);
	return any;
}

static bool any_ready(const struct block *b)
{
	for (uint32_t i = 0; i < b->warp_count; i++)
		if (warp_ready(&b->warps[i]))
			return true;
	return false;
}

enum block_state block_run(struct block *b, uint64_t budget)
{
	uint64_t used = 0;
	bool done, yielded;

	do {
		used += round_robin(b, &done, &yielded);
		if (atomic_load_explicit(&b->launch->ended,
					 memory_order_relaxed))
			return BLOCK_FAULT;
		if (done)
			return BLOCK_DONE;
		if (!any_ready(b) && !block_unblock(b)) {
			block_deadlock(b);
			return BLOCK_FAULT;
		}
	} while (used < budget && !yielded);
	return BLOCK_PARKED;
}
