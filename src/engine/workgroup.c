/*
 * Work-group parallel simulation (Lee and Ro): SMs run freely until a block
 * ends on one of them; then those that are behind catch up, so that new blocks
 * are handed out in the order in which old ones have ended.
 *
 * base: the cycle at which SMs wait; top: from there they run freely again. An
 * SM on which a block has ended is `issuable`: it stops until all other SMs
 * have reached its clock and the dispatcher has heard from them.
 *
 * As long as the dispatcher can place a block, SMs wait for it: so at the start
 * all SMs are filled before any of them runs.
 *
 * Memory is never ahead of a request that the slowest SM may still send
 * (delayed dequeuing), so requests are never late; answers to SMs that are
 * ahead are. When too many requests wait, only the slowest SMs advance, and
 * only if memory is not slower still (overload prevention). docs/engines.md
 * lists the rules one by one.
 */
#include "engine/drift.h"

#include "base/minmax.h"

/* Maximum cycles of a step. Between two steps an SM checks for messages and for
 * a new base point. */
enum { QUANTUM_CYCLES = 32 };

static cycle_t base_point(const struct drift *x)
{
	return atomic_load_explicit(&x->base, memory_order_acquire);
}

static bool is_issuable(const struct drift *x, uint32_t sm)
{
	return atomic_load_explicit(&x->issuable[sm], memory_order_acquire);
}

static void workgroup_begin(struct drift *x)
{
	gpu_stop_at_block_ends(x->g);
	x->step = min_u64(x->step, QUANTUM_CYCLES);
	x->room = 2 * gpu_requests_a_cycle(x->g);
}

static void workgroup_observe(struct drift *x, struct drift_snapshot *s)
{
	cycle_t sends = atomic_load_explicit(&x->next_event[x->dispatcher],
					     memory_order_relaxed);

	s->assigns = sends == CYCLE_NEVER ? CYCLE_NEVER :
					    s->dispatcher + x->block;
	s->requests = gpu_requests_waiting(x->g);
}

static cycle_t workgroup_limit(struct drift *x, uint32_t partition,
			       const struct drift_snapshot *s)
{
	cycle_t to;

	if (partition == x->dispatcher)
		return s->sm + x->block;
	if (partition >= x->mems.first)
		return s->sm + x->request;
	if (is_issuable(x, partition))
		return 0;
	to = min_u64(base_point(x), s->assigns);
	if (s->requests < x->room)
		return to;
	return min_u64(to, min_u64(s->sm, s->memory) + x->step);
}

/* An SM becomes issuable when a block ends on it and there are more to come. */
static void workgroup_advanced(struct drift *x, uint32_t sm)
{
	if (gpu_block_ended(x->g, sm) &&
	    atomic_load_explicit(&x->more_blocks, memory_order_acquire))
		atomic_store_explicit(&x->issuable[sm], true,
				      memory_order_release);
}

/* The minimum clock of the issuable SMs; CYCLE_NEVER: there are none. */
static cycle_t first_block_end(const struct drift *x)
{
	cycle_t at = CYCLE_NEVER;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (is_issuable(x, i))
			at = min_u64(at, drift_clock(x, i));
	return at;
}

/* The minimum clock of an SM past that cycle. */
static cycle_t next_sm_clock(const struct drift *x, cycle_t after)
{
	cycle_t at = CYCLE_NEVER;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (drift_clock(x, i) > after)
			at = min_u64(at, drift_clock(x, i));
	return at;
}

static cycle_t latest_sm_clock(const struct drift *x)
{
	cycle_t at = 0;

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		at = max_u64(at, drift_clock(x, i));
	return at;
}

static void set_base_point(struct drift *x, cycle_t base)
{
	atomic_store_explicit(&x->base, base, memory_order_release);
}

/* Whether the dispatcher has heard of all ends up to the base point. If there
 * is a meeting before that, no SM gets a block before the meeting either. */
static bool dispatcher_caught_up(const struct drift *x, cycle_t base)
{
	cycle_t meeting =
		atomic_load_explicit(&x->meeting, memory_order_relaxed);

	return drift_clock(x, x->dispatcher) >=
	       min_u64(base + x->block, meeting);
}

/* All SMs have reached the base point: those where a block ended there go
 * on. */
static void release_issuable(struct drift *x, cycle_t base)
{
	cycle_t next = next_sm_clock(x, base);

	for (uint32_t i = x->sms.first; i < x->sms.end; i++)
		if (is_issuable(x, i) && drift_clock(x, i) <= base)
			atomic_store_explicit(&x->issuable[i], false,
					      memory_order_release);
	set_base_point(x, base < x->top ? min_u64(next, x->top) : CYCLE_NEVER);
}

static bool workgroup_lead(struct drift *x)
{
	cycle_t base = base_point(x), end = first_block_end(x);

	if (end < base) {
		if (base == CYCLE_NEVER)
			x->top = latest_sm_clock(x);
		set_base_point(x, end);
		return true;
	}
	if (base == CYCLE_NEVER || drift_min(x, x->sms) < base ||
	    !dispatcher_caught_up(x, base))
		return false;
	release_issuable(x, base);
	return true;
}

const struct drift_rule drift_workgroup = {
	.begin = workgroup_begin,
	.observe = workgroup_observe,
	.limit = workgroup_limit,
	.advanced = workgroup_advanced,
	.lead = workgroup_lead,
};
