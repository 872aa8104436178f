/*
 * Work-group parallel simulation (Lee and Ro): SMs run freely until a block
 * ends on one of them; then those that are behind catch up, so that new blocks
 * are given out in the order in which old ones have ended.
 *
 * base: the cycle that SMs wait at; top: where they are free again. An SM on
 * which a block has ended is `issuable`: it stands still until everybody else
 * has come as far, and the dispatcher has had its say.
 *
 * As long as the dispatcher has room for a block somewhere, SMs wait for it:
 * so at the start all are filled before any of them runs.
 *
 * Memory is never ahead of what the slowest SM may still ask for (delayed
 * dequeuing), so requests are never late; answers are, for SMs that are ahead.
 * When too many requests wait, only the slowest SMs go on, and only if memory is
 * not what is slow (overload prevention). docs/engines.md has the rules, one by
 * one.
 */
#include "engine/drift.h"

#include "base/minmax.h"

/* Cycles that an SM is simulated at a time: it looks for mail and for a new
 * base point between two. */
enum { QUANTUM = 32 };

static cycle_t base_of(const struct drift *x)
{
	return atomic_load_explicit(&x->base, memory_order_acquire);
}

static bool is_issuable(const struct drift *x, uint32_t sm)
{
	return atomic_load_explicit(&x->issuable[sm], memory_order_acquire);
}

static void begin(struct drift *x)
{
	gpu_stop_at_ends(x->g);
	x->step = min_u64(x->step, QUANTUM);
	x->room = 2 * gpu_requests_a_cycle(x->g);
}

static void workgroup_look(struct drift *x, struct drift_sight *s)
{
	cycle_t sends = atomic_load_explicit(&x->wake[x->dispatcher],
					     memory_order_relaxed);

	s->assigns = sends == CYCLE_NEVER ? CYCLE_NEVER :
					    s->dispatcher + x->block;
	s->requests = gpu_requests_waiting(x->g);
}

static cycle_t workgroup_limit(struct drift *x, uint32_t partition,
			       const struct drift_sight *s)
{
	cycle_t to;

	if (partition == x->dispatcher)
		return s->sm + x->block;
	if (partition >= x->mems.first)
		return s->sm + x->request;
	if (is_issuable(x, partition))
		return 0;
	to = min_u64(base_of(x), s->assigns);
	if (s->requests < x->room)
		return to;
	return min_u64(to, min_u64(s->sm, s->memory) + x->step);
}

/* A block that ends makes the SM issuable, if there are others to come. */
static void moved(struct drift *x, uint32_t sm)
{
	if (gpu_block_ended(x->g, sm) &&
	    atomic_load_explicit(&x->more, memory_order_acquire))
		atomic_store_explicit(&x->issuable[sm], true,
				      memory_order_release);
}

/* Of the SMs that are issuable, the least clock; CYCLE_NEVER: there is none. */
static cycle_t first_end(const struct drift *x)
{
	cycle_t at = CYCLE_NEVER;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (is_issuable(x, i))
			at = min_u64(at, drift_clock(x, i));
	return at;
}

/* The least clock beyond that cycle. */
static cycle_t next_clock(const struct drift *x, cycle_t after)
{
	cycle_t at = CYCLE_NEVER;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (drift_clock(x, i) > after)
			at = min_u64(at, drift_clock(x, i));
	return at;
}

static cycle_t last_clock(const struct drift *x)
{
	cycle_t at = 0;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		at = max_u64(at, drift_clock(x, i));
	return at;
}

static void set_base(struct drift *x, cycle_t base)
{
	atomic_store_explicit(&x->base, base, memory_order_release);
}

/* The dispatcher has heard what SMs had to say up to the base point. Where all
 * meet before that, nobody gets a block before the meeting either. */
static bool has_heard(const struct drift *x, cycle_t base)
{
	cycle_t meeting =
		atomic_load_explicit(&x->meeting, memory_order_relaxed);

	return drift_clock(x, x->dispatcher) >=
	       min_u64(base + x->block, meeting);
}

/* All SMs have come to the base point: those that ended a block there go on. */
static void reassign(struct drift *x, cycle_t base)
{
	cycle_t next = next_clock(x, base);

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (is_issuable(x, i) && drift_clock(x, i) <= base)
			atomic_store_explicit(&x->issuable[i], false,
					      memory_order_release);
	set_base(x, base < x->top ? min_u64(next, x->top) : CYCLE_NEVER);
}

static bool workgroup_lead(struct drift *x)
{
	cycle_t base = base_of(x), end = first_end(x);

	if (end < base) {
		if (base == CYCLE_NEVER)
			x->top = last_clock(x);
		set_base(x, end);
		return true;
	}
	if (base == CYCLE_NEVER || drift_min(x, x->sms) < base ||
	    !has_heard(x, base))
		return false;
	reassign(x, base);
	return true;
}

const struct drift_rule drift_workgroup = {
	.begin = begin,
	.look = workgroup_look,
	.limit = workgroup_limit,
	.moved = moved,
	.lead = workgroup_lead,
};
