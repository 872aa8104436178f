/*
 * Executors of a replay: each takes the warp's next record, sets the lanes that
 * take part and the instruction that follows, and describes the access.
 */
#include "accelsim/exec.h"

#include "replay/tape.h"
#include "simt/mem.h"

static const struct asim_play *play_of(const struct warp *w)
{
	return (const struct asim_play *)(const void *)w->block->launch->hooks;
}

static const struct asim_block *block_of(const struct warp *w)
{
	const struct asim_tape *t = w->block->tape;

	return &t->held->block;
}

static const struct asim_record *record_at(const struct warp *w, uint32_t n)
{
	const struct asim_block *b = block_of(w);

	return &b->record[b->warp[w->id].first + n];
}

/* Takes the next record. The lanes of the split are those that have not exited;
 * those of the record take part. */
static const struct asim_record *take(struct warp *w)
{
	struct asim_tape *t = w->block->tape;
	const struct asim_block *b = block_of(w);
	uint32_t n = t->warp[w->id].next++;
	const struct asim_record *r = record_at(w, n);

	w->off += warp_off(r->mask) - warp_off(w->mask);
	w->mask = r->mask;
	w->pc = n + 1 < b->warp[w->id].count ?
			r[1].inst :
			w->block->launch->kernel->count - 1;
	return r;
}

/* ---- memory -------------------------------------------------------------- */

/* Turns an address of a window, or an offset, into an offset. */
static uint64_t offset_in(uint64_t address, uint64_t base)
{
	return address - base < ASIM_WINDOW ? address - base : address;
}

static enum space asim_space(const struct asim_header *h, uint64_t address)
{
	if (h->shared_base && address - h->shared_base < ASIM_WINDOW)
		return SPACE_SHARED;
	if (h->local_base && address - h->local_base < ASIM_WINDOW)
		return SPACE_LOCAL;
	return address < ASIM_WINDOW ? SPACE_SHARED : SPACE_GLOBAL;
}

/* Resolves the addresses of an access. The space of a generic one is that of
 * its first lane; lanes with addresses in another one take no part. */
static lanes_t resolve(const struct warp *w, const struct inst *in,
		       enum space *space, uint64_t addr[LANES])
{
	const struct asim_play *p = play_of(w);
	const struct asim_header *h = &p->code->header;
	uint64_t first = addr[lanes_first(w->mask)];
	lanes_t mask = w->mask;

	*space = (enum space)in->space;
	if (*space == SPACE_GENERIC) {
		*space = asim_space(h, first);
		for (int l = 0; l < LANES; l++)
			if (asim_space(h, addr[l]) != *space) {
				mask &= ~(UINT64_C(1) << l);
				addr[l] = first;
			}
	}
	for (int l = 0; l < LANES && *space != SPACE_GLOBAL; l++)
		addr[l] = *space == SPACE_SHARED ?
				  offset_in(addr[l], h->shared_base) :
				  offset_in(addr[l], h->local_base) -
					  p->local_low;
	return mask;
}

/* A load of words that a shorter description fits, as of programs that are
 * executed. */
static bool set_words(struct warp *w, const struct inst *in,
		      const struct asim_record *r, enum timing_kind kind)
{
	const uint64_t *from = &block_of(w)->address[r->at & ~ASIM_STRIDED];
	struct effect *e = w->effect;

	if (kind == KIND_ATOMIC || in->width != EFFECT_WORD ||
	    !(r->at & ASIM_STRIDED) || !lanes_are_all(w->mask) ||
	    from[1] != EFFECT_WORD)
		return false;
	if (in->space == SPACE_SHARED && kind == KIND_LOAD &&
	    LANES * EFFECT_WORD <= e->near_bytes) {
		effect_set_pattern(e, kind, EFFECT_NEAR, EFFECT_WORD);
		return true;
	}
	if (in->space != SPACE_GLOBAL || !e->takes_halves)
		return false;
	effect_set_pattern(e, kind, EFFECT_HALVES, EFFECT_WORD);
	e->half[0] = from[0];
	e->half[1] = from[0] + LANES / 2 * EFFECT_WORD;
	return true;
}

static bool describe(struct warp *w, const struct inst *in,
		     enum timing_kind kind)
{
	const struct asim_record *r = take(w);
	struct effect *e = w->effect;
	enum space space;
	lanes_t mask;

	if (!w->mask || set_words(w, in, r, kind))
		return false;
	asim_addresses(block_of(w), r, e->addr);
	mask = resolve(w, in, &space, e->addr);
	effect_set(e, kind, space, mask, in->width);
	if (in->k) /* matrices: rows of some lanes */
		e->mask = e->distinct &= lanes_below(8u * in->k);
	return true;
}

static void play_load(struct warp *w, const struct inst *in)
{
	(void)describe(w, in, KIND_LOAD);
}

static void play_store(struct warp *w, const struct inst *in)
{
	(void)describe(w, in, KIND_STORE);
}

static void play_atomic(struct warp *w, const struct inst *in)
{
	if (describe(w, in, KIND_ATOMIC) && w->effect->space == SPACE_GLOBAL)
		replay_start_atomic(w, in, w->effect->mask, in->width);
}

/* Where it goes in shared memory is not in the trace. */
static void play_async(struct warp *w, const struct inst *in)
{
	const struct asim_record *r = take(w);
	struct effect *e = w->effect;

	if (!w->mask)
		return;
	effect_set(e, KIND_ASYNC, SPACE_SHARED, w->mask, in->width);
	e->source_mask = w->mask;
	asim_addresses(block_of(w), r, e->source);
	for (uint64_t l = 0; l < LANES; l++)
		e->addr[l] = l * in->width;
}

bool asim_peek(struct warp *w, const struct inst *in, uint64_t addr[LANES])
{
	const struct asim_tape *t = w->block->tape;
	const struct asim_record *r = record_at(w, t->warp[w->id].next);

	(void)in;
	w->mask = r->mask;
	if (w->mask)
		asim_addresses(block_of(w), r, addr);
	return true;
}

/* ---- control ------------------------------------------------------------- */

static void play_plain(struct warp *w, const struct inst *in)
{
	(void)in;
	(void)take(w);
}

static void play_sleep(struct warp *w, const struct inst *in)
{
	(void)in;
	(void)take(w);
	w->effect->sleep_ns = 0;
}

static void play_exit(struct warp *w, const struct inst *in)
{
	(void)in;
	(void)take(w);
	if (w->mask)
		warp_exit(w, w->mask);
}

void asim_finish(struct warp *w, const struct inst *in)
{
	(void)in;
	warp_exit(w, warp_live(w));
}

/* Whether other lanes of the warp execute a barrier before `here` go on. */
static exec_fn play_barrier;

static bool others_follow(const struct warp *w, uint32_t here)
{
	const struct asim_tape *t = w->block->tape;
	uint32_t count = block_of(w)->warp[w->id].count;

	for (uint32_t n = t->warp[w->id].next; n < count; n++) {
		const struct asim_record *r = record_at(w, n);

		if (r->mask & here)
			return false;
		if (r->mask && w->insts[r->inst].exec == play_barrier)
			return true;
	}
	return false;
}

/* A barrier of the whole warp; counts of some threads were refused. */
static bool arrive(struct warp *w, const struct inst *in, uint8_t *id)
{
	const lanes_t mask = w->mask;
	bool complete;

	*id = in->offset < BARRIERS ? (uint8_t)in->offset : 0;
	w->mask = warp_live(w);
	complete = block_arrive(w->block, w, *id, 0);
	w->mask = mask;
	if (complete)
		block_release(w->block, *id);
	return complete;
}

static void play_barrier(struct warp *w, const struct inst *in)
{
	struct asim_tape *t = w->block->tape;
	uint32_t *arrived = &t->warp[w->id].arrived;
	uint8_t id;

	(void)take(w);
	if (!w->mask)
		return;
	*arrived |= (uint32_t)w->mask;
	if (others_follow(w, *arrived))
		return;
	*arrived = 0;
	if (!arrive(w, in, &id))
		warp_wait_barrier(w, id);
}

static void play_arrive(struct warp *w, const struct inst *in)
{
	uint8_t id;

	(void)take(w);
	if (w->mask)
		(void)arrive(w, in, &id);
}

exec_fn *asim_executor(enum timing_kind kind)
{
	switch (kind) {
	case KIND_LOAD:
		return play_load;
	case KIND_STORE:
		return play_store;
	case KIND_ATOMIC:
		return play_atomic;
	case KIND_ASYNC:
		return play_async;
	case KIND_SLEEP:
		return play_sleep;
	case KIND_EXIT:
		return play_exit;
	case KIND_BARRIER:
		return play_barrier;
	case KIND_ARRIVE:
		return play_arrive;
	default:
		return play_plain;
	}
}
