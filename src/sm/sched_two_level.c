/*
 * Two-level scheduling: lrr among sm.active_warps active warps (Gebhart et al.
 * and Narasiman et al., both MICRO 2011).
 *
 * An active warp that begins a long wait leaves the active set. Of the warps
 * that are ready and not active, the one that has waited longest takes its
 * place in the same cycle: the latency of a promotion is not modelled.
 */
#include <string.h>

#include "sm/sched_impl.h"

struct two_level {
	uint64_t active;
	uint64_t stalled; /* neither active nor pending */
	int count;        /* of the active ones */
	/* Ready and not active, in the order of their arrival. */
	int pending;
	int8_t queue[SCHED_SLOTS];
};

static void two_level_promote(struct sched *s)
{
	struct two_level *t = s->state;

	while (t->pending && t->count < s->cfg->sm.active_warps) {
		t->active |= sched_bit(t->queue[0]);
		t->count++;
		t->pending--;
		memmove(t->queue, t->queue + 1, (size_t)t->pending);
	}
}

/* Takes the slot out of the active set or the queue. */
static void two_level_remove(struct sched *s, int slot)
{
	struct two_level *t = s->state;
	int8_t *at;

	if (t->active & sched_bit(slot)) {
		t->active &= ~sched_bit(slot);
		t->count--;
		two_level_promote(s);
		return;
	}
	at = memchr(t->queue, slot, (size_t)t->pending);
	if (!at)
		return;
	t->pending--;
	memmove(at, at + 1, (size_t)(t->queue + t->pending - at));
}

static enum err two_level_init(struct sched *s, struct arena *a, struct diag *d)
{
	s->state = arena_new(a, struct two_level, 1);
	if (!s->state)
		return fail(d, ERR_NOMEM, "no memory for a warp scheduler");
	return ERR_OK;
}

static void two_level_start(struct sched *s)
{
	memset(s->state, 0, sizeof(struct two_level));
}

static int two_level_pick(struct sched *s, uint64_t can, cycle_t now)
{
	const struct two_level *t = s->state;

	(void)now;
	can &= t->active;
	return can ? sched_find_next(s, can) : SCHED_NONE;
}

static void two_level_started(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	CHECK(t->pending < SCHED_SLOTS);
	t->queue[t->pending++] = (int8_t)slot;
	two_level_promote(s);
}

static void two_level_ended(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	t->stalled &= ~sched_bit(slot);
	two_level_remove(s, slot);
}

static void two_level_stalled(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	t->stalled |= sched_bit(slot);
	two_level_remove(s, slot);
}

static void two_level_woken(struct sched *s, int slot)
{
	struct two_level *t = s->state;

	if (!(t->stalled & sched_bit(slot)))
		return;
	t->stalled &= ~sched_bit(slot);
	two_level_started(s, slot);
}

const struct sched_ops sched_two_level = {
	.name = "two_level",
	.pick = two_level_pick,
	.init = two_level_init,
	.start = two_level_start,
	.stalled = two_level_stalled,
	.woken = two_level_woken,
	.started = two_level_started,
	.ended = two_level_ended,
};
