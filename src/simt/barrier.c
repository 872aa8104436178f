/* Barriers of a block, with counts and reductions. */
#include "simt/barrier.h"

#include "simt/block.h"

static uint32_t first_lane(const struct warp *w, slot_t s)
{
	return ((const uint32_t *)slot_at(w, s))[lanes_first(w->mask)];
}

/* The number and the count of a barrier instruction. False: a fault. */
static bool barrier_of(struct warp *w, const struct inst *in, uint8_t *id,
		       uint32_t *count)
{
	uint32_t n = first_lane(w, in->a);

	*count = in->k == BAR_COUNTED ? first_lane(w, in->b) : 0;
	if (in->k == BAR_PACKED) {
		*count = n >> 16;
		n &= 0xffff;
	}
	if (n >= BARRIERS) {
		warp_fault(w, in, FAULT_ILLEGAL, w->mask, n,
			   "barrier %u: a block has barriers 0 to %d", n,
			   BARRIERS - 1);
		return false;
	}
	if ((in->k == BAR_COUNTED && *count == 0) || *count % LANES) {
		warp_fault(w, in, FAULT_ILLEGAL, w->mask, *count,
			   "a barrier of %u threads: the count must be a "
			   "multiple of %d",
			   *count, LANES);
		return false;
	}
	*id = (uint8_t)n;
	return true;
}

void bar_sync(struct warp *w, const struct inst *in)
{
	uint32_t count;
	uint8_t id;

	if (!barrier_of(w, in, &id, &count))
		return;
	warp_part(w);
	if (block_arrive(w->block, w, id, count))
		block_release(w->block, id);
	else
		warp_wait_barrier(w, id);
}

void bar_arrive(struct warp *w, const struct inst *in)
{
	uint32_t count;
	uint8_t id;

	if (!barrier_of(w, in, &id, &count))
		return;
	if (block_arrive(w->block, w, id, count))
		block_release(w->block, id);
}

/* The reduction's result for the lanes in w->mask. */
static void bar_put_result(struct warp *w, const struct inst *in,
			   const struct barrier *bar)
{
	uint32_t out[LANES];

	if (in->count == BAR_POPC) {
		for (int l = 0; l < LANES; l++)
			out[l] = bar->popc;
		put32(w, in->d, out);
		return;
	}
	pred_put(w, in->d,
		 (in->count == BAR_AND ? bar->all : bar->any) ? ~0u : 0);
}

void barrier_results(struct block *b, uint8_t id)
{
	if (!b->bar[id].reduces)
		return;
	for (uint32_t i = 0; i < b->warp_count; i++) {
		struct warp *w = &b->warps[i];
		char *regs = w->base[SLOT_REG];
		lanes_t mask = w->mask;

		for (int k = 0; k < w->split_count; k++) {
			const struct split *s = &w->splits[k];
			const struct inst *in;

			if (s->state != SPLIT_BARRIER || s->barrier != id)
				continue;
			in = &s->frame->code->insts[s->pc - 1];
			if (in->count == BAR_PLAIN)
				continue;
			w->base[SLOT_REG] = s->frame->regs;
			w->mask = s->mask;
			bar_put_result(w, in, &b->bar[id]);
		}
		w->base[SLOT_REG] = regs;
		w->mask = mask;
	}
}

/* d, a: number, b: count, c: predicate. */
void bar_red(struct warp *w, const struct inst *in)
{
	struct barrier *bar;
	uint32_t count;
	lanes_t v;
	bool done;
	uint8_t id;

	if (!barrier_of(w, in, &id, &count))
		return;
	warp_part(w);
	done = block_arrive(w->block, w, id, count);
	bar = &w->block->bar[id];
	bar->reduces = true;
	v = pred_src(w, in, in->c, 0) & w->mask;
	bar->popc += lanes_count(v);
	bar->all &= v == w->mask;
	bar->any |= v != 0;
	if (!done) {
		warp_wait_barrier(w, id);
		return;
	}
	bar_put_result(w, in, bar);
	block_release(w->block, id);
}
