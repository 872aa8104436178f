#include "simt/launch.h"

#include <stdlib.h>
#include <string.h>

#include "arch/isa.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "simt/block.h"
#include "simt/crew.h"
#include "simt/hazard.h"
#include "simt/outside.h"
#include "simt/tex.h"
#include "simt/wave.h"

/*
 * BLOCK_TURN: instructions before a block is suspended for another one on its
 * thread. WARP_TURN: instructions of a warp before the next warp of its block
 * has its turn. SHORT_TURN: the same while the thread is alone, to find out
 * soon whether the launch is long (HELP instructions), and in a cooperative
 * launch, to tell a block that spins from one that works. PARKED_MAX: maximum
 * number of suspended blocks of a thread.
 */
enum {
	BLOCK_TURN = 1 << 20,
	WARP_TURN = 1 << 14,
	SHORT_TURN = 128,
	HELP = 4096,
	PARKED_MAX = 4096
};

const struct tex_table *warp_textures(const struct warp *w)
{
	return w->block->launch->machine->textures;
}

static void keep_text(struct launch *l, struct block *b)
{
	struct launch_text *t;

	if (!b->text_size)
		return;
	t = malloc(sizeof(*t));
	if (!t)
		return; /* printing is not worth a crash */
	*t = (struct launch_text){ b->index, b->text, b->text_size, NULL };
	b->text = NULL;
	b->text_size = b->text_room = 0;
	pthread_mutex_lock(&l->lock);
	t->next = l->texts;
	l->texts = t;
	pthread_mutex_unlock(&l->lock);
}

void worker_retire(struct worker *wk, struct block *b)
{
	struct launch *l = wk->launch;
	uint64_t steps = 0, lanes = 0;
	bool done = true;

	for (uint32_t i = 0; i < b->warp_count; i++) {
		steps += b->warps[i].steps;
		lanes += warp_lane_steps(&b->warps[i]);
		done &= warp_done(&b->warps[i]);
	}
	atomic_fetch_add_explicit(&l->steps, steps, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->lane_steps, lanes, memory_order_relaxed);
	atomic_fetch_add_explicit(&l->blocks_done, done ? 1 : 0,
				  memory_order_relaxed);
	keep_text(l, b);
	if (l->hooks)
		l->hooks->end(l->hooks, b, done);
	b->next = wk->free_blocks;
	wk->free_blocks = b;
}

static void park(struct worker *wk, struct block *b)
{
	b->next = NULL;
	if (wk->parked_last)
		wk->parked_last->next = b;
	else
		wk->parked = b;
	wk->parked_last = b;
	wk->parked_count++;
}

static struct block *unpark(struct worker *wk)
{
	struct block *b = wk->parked;

	if (b) {
		wk->parked = b->next;
		if (!wk->parked)
			wk->parked_last = NULL;
		wk->parked_count--;
	}
	return b;
}

static struct block *try_block(struct worker *wk, uint64_t index)
{
	struct block *b = wk->free_blocks;

	if (b)
		wk->free_blocks = b->next;
	else
		b = block_new(wk);
	if (b)
		block_start(b, index);
	if (b && wk->launch->hooks)
		wk->launch->hooks->start(wk->launch->hooks, b);
	return b;
}

struct block *worker_block(struct worker *wk, uint64_t index)
{
	struct block *b = try_block(wk, index);

	CHECK(b);
	return b;
}

static struct block *next_block(struct worker *wk)
{
	struct launch *l = wk->launch;
	struct block *b;
	uint64_t index;

	if (wk->parked_count >= PARKED_MAX && !l->workspace)
		return NULL;
	index = atomic_fetch_add_explicit(&l->next_block, 1,
					  memory_order_relaxed);
	if (index >= l->block_count)
		return NULL;
	b = try_block(wk, index);
	if (!b) {
		atomic_store(&l->no_memory, true);
		atomic_store(&l->ended, true);
	}
	return b;
}

static void report_progress(struct launch *l, double *next)
{
	double t;

	if (!l->progress)
		return;
	t = clock_seconds();
	if (t < *next)
		return;
	*next = t + 0.1;
	l->progress(l->ctx, atomic_load(&l->blocks_done), l->block_count,
		    atomic_load(&l->steps));
}

static void set_turn(struct worker *wk, bool alone)
{
	wk->turn = alone || wk->launch->workspace ? SHORT_TURN : WARP_TURN;
}

/* Opens the launch to helpers once it is known to be long. True: the thread is
 * still alone. */
static bool stay_alone(struct worker *wk, bool suspended)
{
	struct launch *l = wk->launch;
	uint64_t next =
		atomic_load_explicit(&l->next_block, memory_order_relaxed);

	if (!suspended &&
	    atomic_load_explicit(&l->steps, memory_order_relaxed) < HELP)
		return true;
	if (next < l->block_count)
		crew_open(l->machine->crew, l,
			  (uint32_t)min_u64(l->block_count - next, UINT32_MAX));
	set_turn(wk, false);
	return false;
}

static void launch_work(struct worker *wk)
{
	struct launch *l = wk->launch;
	double next = l->progress ? clock_seconds() + 0.1 : 0;
	bool alone = wk->index == 0 && l->machine->threads > 1 &&
		     l->block_count > 1;
	struct block *b;

	set_turn(wk, alone);
	while ((b = next_block(wk)) || (b = unpark(wk))) {
		enum block_state state =
			block_run(b, alone ? HELP : BLOCK_TURN);

		switch (state) {
		case BLOCK_DONE:
			worker_retire(wk, b);
			break;
		case BLOCK_PARKED:
			park(wk, b);
			break;
		case BLOCK_FAULT:
			worker_retire(wk, b);
			return;
		}
		if (alone)
			alone = stay_alone(wk, state == BLOCK_PARKED);
		if (wk->index == 0)
			report_progress(l, &next);
		if (atomic_load_explicit(&l->machine->stop,
					 memory_order_relaxed))
			atomic_store(&l->ended, true);
		if (atomic_load_explicit(&l->ended, memory_order_relaxed))
			return;
	}
}

struct worker *worker_new(struct launch *l, int index)
{
	struct worker *wk = aligned_alloc(_Alignof(struct worker), sizeof(*wk));

	if (!wk)
		return NULL;
	/* Launches may be short: the arrays of the effect need no clearing. */
	memset(wk, 0, offsetof(struct worker, effect.addr));
	wk->launch = l;
	wk->index = index;
	wk->effect.reader = l->watch ? READER_WATCH : READER_NONE;
	wk->effect.near_bytes = l->watch ? 0 : UINT32_MAX;
	wk->free_frames =
		calloc(l->program->func_count, sizeof(struct frame *));
	if (!wk->free_frames) {
		free(wk);
		return NULL;
	}
	return wk;
}

void worker_free(struct worker *wk)
{
	struct block *b;

	if (!wk)
		return;
	while ((b = unpark(wk)))
		worker_retire(wk, b);
	while ((b = wk->free_blocks)) {
		wk->free_blocks = b->next;
		block_free(b);
	}
	while (wk->all_frames) {
		struct frame *f = wk->all_frames;

		wk->all_frames = f->next_all;
		free(f);
	}
	free(wk->free_frames);
	free(wk);
}

/* Uses the memory that the thread has kept from earlier launches. */
static void use_kept_memory(struct worker *wk)
{
	const struct launch *l = wk->launch;
	const struct store *s = crew_store(l->machine->crew,
					   (uint32_t)wk->index, block_bytes(l),
					   block_local_bytes(l));

	wk->pool = s->slab;
	wk->pool_bytes = s->slab_bytes;
	wk->local = s->local;
	wk->local_bytes = s->local_bytes;
	wk->used = true;
}

/* Runs blocks of the launch on this thread. False: out of memory. */
static bool launch_join(struct launch *l, uint32_t index)
{
	struct worker *wk;

	if (l->program->isa->waves)
		return wave_join(l, index);
	wk = worker_new(l, (int)index);
	if (!wk)
		return false;
	use_kept_memory(wk);
	launch_work(wk);
	worker_free(wk);
	return true;
}

/* Fewer threads give the same results. */
static void launch_help(struct launch *l, uint32_t index)
{
	(void)launch_join(l, index);
}

enum err launch_begin(struct launch *l, struct diag *d)
{
	const struct isa *isa = l->program->isa;

	l->block_count = launch_blocks(l);
	l->warps_per_block =
		(l->block[0] * l->block[1] * l->block[2] + isa->lanes - 1) /
		isa->lanes;
	l->independent = l->machine->independent;
	l->pool = l->program->pool;
	pthread_mutex_init(&l->lock, NULL);
	return isa->begin_launch ? isa->begin_launch(l, d) : ERR_OK;
}

enum err launch_end(struct launch *l, struct diag *d)
{
	if (l->program->isa->end_launch)
		l->program->isa->end_launch(l);
	pthread_mutex_destroy(&l->lock);
	if (!atomic_load(&l->ended))
		return ERR_OK;
	if (l->fault.kind == FAULT_NONE)
		l->fault.kind = FAULT_STOPPED;
	return fail(d, ERR_FAULT, "%s", fault_text(l->fault.kind));
}

enum err launch_run(struct launch *l, struct diag *d)
{
	struct machine *m = l->machine;
	bool ok = !launch_begin(l, d);
	enum err e;

	if (!m->crew)
		m->crew = crew_new(m->threads, launch_help);
	ok = ok && m->crew && launch_join(l, 0);
	if (m->crew)
		crew_close(m->crew);
	e = launch_end(l, d);
	if (!ok || atomic_load(&l->no_memory))
		return fail(d, ERR_NOMEM,
			    "the host has no memory for the blocks");
	return e;
}

static int by_block(const void *a, const void *b)
{
	const struct launch_text *x = *(struct launch_text *const *)a;
	const struct launch_text *y = *(struct launch_text *const *)b;

	return x->block < y->block ? -1 : x->block > y->block;
}

void launch_sort_texts(struct launch *l)
{
	struct launch_text **all, *t, **end = &l->texts;
	size_t n = 0, i = 0;

	for (t = l->texts; t; t = t->next)
		n++;
	all = malloc((n + 1) * sizeof(*all));
	if (!all)
		return;
	for (t = l->texts; t; t = t->next)
		all[i++] = t;
	qsort(all, n, sizeof(*all), by_block);
	for (i = 0; i < n; i++) {
		*end = all[i];
		end = &all[i]->next;
	}
	*end = NULL;
	free(all);
}

void launch_clear(struct launch *l)
{
	while (l->texts) {
		struct launch_text *t = l->texts;

		l->texts = t->next;
		free(t->text);
		free(t);
	}
	outside_clear(l);
	hazard_clear(l);
}
