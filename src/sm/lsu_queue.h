/*
 * When an LSU has something to do: the instructions that are due at the heads of
 * its queues, and the next event. For lsu*.c; in a header so that the compiler can
 * inline it.
 */
#ifndef HEDDLE_SM_LSU_QUEUE_H
#define HEDDLE_SM_LSU_QUEUE_H

#include "base/minmax.h"
#include "sm/lsu_impl.h"

/* Updates which sub-cores may issue. */
static inline void lsu_update_can_issue(struct lsu *u)
{
	u->head.can_issue = UNLIKELY(lsu_exhausted(u)) ? 0 : u->room;
}

/* The same where mem.kind is not latency. */
static inline void lsu_update_by_flights(struct lsu *u)
{
	u->head.can_issue = UNLIKELY(u->flight_free == LSU_NONE) ? 0 : u->room;
}

/* Sub-cores are examined four at a time, which is all that most SMs have,
 * without a loop. Sub-cores that the SM does not have are never due. */
enum { LSU_FOUR = 4 };

static inline cycle_t lsu_earliest_of_four(const cycle_t *due)
{
	return min_u64(min_u64(due[0], due[1]), min_u64(due[2], due[3]));
}

static __attribute__((noinline)) cycle_t
lsu_earliest_of_more(const cycle_t *due, uint32_t subcores)
{
	cycle_t first = CYCLE_NEVER;

	for (uint32_t i = LSU_FOUR; i < subcores; i += LSU_FOUR)
		first = min_u64(first, lsu_earliest_of_four(&due[i]));
	return first;
}

/* When the first of the queues with these heads is due. */
static inline cycle_t lsu_earliest(const struct lsu *u, const cycle_t *due)
{
	cycle_t first = lsu_earliest_of_four(due);

	_Static_assert(SUBCORES_MAX % LSU_FOUR == 0, "whole groups");
	if (UNLIKELY(u->subcores > LSU_FOUR))
		first = min_u64(first, lsu_earliest_of_more(due, u->subcores));
	return first;
}

static inline cycle_t lsu_first_due(const struct lsu *u)
{
	return lsu_earliest(u, u->due);
}

/* The sub-cores with an instruction that is due. */
static inline uint32_t lsu_due_of_four(const cycle_t *due, cycle_t now)
{
	return (uint32_t)(due[0] <= now) | (uint32_t)(due[1] <= now) << 1 |
	       (uint32_t)(due[2] <= now) << 2 | (uint32_t)(due[3] <= now) << 3;
}

static __attribute__((noinline)) uint32_t
lsu_due_of_more(const cycle_t *due, uint32_t subcores, cycle_t now)
{
	uint32_t all = 0;

	for (uint32_t i = LSU_FOUR; i < subcores; i += LSU_FOUR)
		all |= lsu_due_of_four(&due[i], now) << i;
	return all;
}

/* The same of these heads of queues. */
static inline uint32_t lsu_all_due(const struct lsu *u, const cycle_t *due,
				   cycle_t now)
{
	uint32_t all = lsu_due_of_four(due, now);

	if (UNLIKELY(u->subcores > LSU_FOUR))
		all |= lsu_due_of_more(due, u->subcores, now);
	return all;
}

static inline uint32_t lsu_due_now(const struct lsu *u, cycle_t now)
{
	return lsu_all_due(u, u->due, now);
}

/* The next event is no later than `when`. */
static inline void lsu_wake_by(struct lsu *u, cycle_t when)
{
	u->head.next = u->head.next < when ? u->head.next : when;
}

/* Sets the next cycle in which there is something to do. */
static inline void lsu_set_next(struct lsu *u)
{
	cycle_t next;

	if (u->work) {
		next = u->work_at;
	} else {
		next = max_u64(lsu_first_due(u), u->free);
	}
	if (UNLIKELY(u->late_count) && u->late[u->late_at].when < next)
		next = u->late[u->late_at].when;
	if (UNLIKELY(u->constants))
		next = min_u64(next, u->const_next);
	if (UNLIKELY(u->l1->merge_next < next))
		next = u->l1->merge_next;
	u->head.next = next < u->freed ? next : u->freed;
}

static inline void lsu_set_const_next(struct lsu *u)
{
	u->const_next =
		max_u64(lsu_earliest(u, u->constant->due), u->const_free);
}

/* Updates whether there is nothing to do but to accept from the queues. */
static inline void lsu_update_only_queued(struct lsu *u)
{
	u->head.only_queued = !u->work && !u->late_count && !u->constants &&
			      !u->l1->merge_count && u->freed == CYCLE_NEVER &&
			      !u->latency;
}

/* The first of the sub-cores in `due`, from *turn on. */
static inline uint32_t lsu_first_in_turn(uint32_t due, uint32_t *turn)
{
	uint32_t i;

	/* Doubled, so that the search can start at *turn and wrap. */
	due = (due << SUBCORES_MAX | due) >> *turn;
	i = ((uint32_t)__builtin_ctz(due) + *turn) % SUBCORES_MAX;
	*turn = (i + 1) % SUBCORES_MAX;
	return i;
}

/* Takes the first instruction from a queue, and sets when the next one is due. */
static inline struct waiting lsu_take_first(const struct lsu *u, cycle_t now,
					    struct lsu_queue *q, cycle_t *due)
{
	struct waiting w = q->ring[q->head], next;
	cycle_t at;

	q->head = (q->head + 1) & q->last;
	q->next = now + u->address_interval;
	q->count--;
	/* If there is one, it was issued no later than `now`; next.issued holds
	 * the lower bits of that cycle. Without a branch: whether there is one is
	 * unpredictable. */
	next = q->ring[q->head];
	at = max_u64(now - (uint32_t)((uint32_t)now - next.issued) + u->depth,
		     q->next);
	*due = at | -(cycle_t)!q->count;
	return w;
}

#endif
