/*
 * Windows on several threads, with the results of one.
 *
 * Each thread has a range of neighbouring partitions of a side, the same one in
 * each window, so that their state stays in that core's cache. Of these, it
 * simulates those that are due; a thread that is done with its range claims
 * partitions of the others'. Partitions of one side share no state, so the
 * result does not depend on which thread simulates which. If a side had little
 * to do in the last window, one thread starts alone and calls the others when
 * there is more.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/team.h"
#include "engine/engine.h"
#include "gpu/partition.h"

/* Maximum number of partitions claimed at a time: what the next ones need is
 * prefetched meanwhile. The last ones of a list are claimed one by one: each
 * may be a quarter of a millisecond of work, for which all others would
 * wait. */
enum { MAX_BATCH = 4 };

/* Seconds of work that one thread finishes about as fast as all threads can
 * meet. */
static const double LITTLE_WORK = 20e-6;

/* A thread's share of the work, and its result. */
struct exact_share {
	_Alignas(64) atomic_uint_fast32_t claimed; /* of those on its list */
	struct gpu_due due;                        /* those of its range */
	cycle_t next;
	double worked; /* seconds */
};

/* One half of a window, in which the partitions of one side advance. */
struct exact_half {
	struct gpu_side side;
	bool little; /* there was little work in the last window */
};

struct exact {
	struct gpu *g;
	struct team *team;
	unsigned threads;
	struct exact_share *share; /* by thread */
	cycle_t from, to;
};

static struct gpu_due part_of(const struct gpu_due *all, uint32_t first,
			      uint32_t count)
{
	return (struct gpu_due){ .entry = all->entry + first,
				 .count = count,
				 .many = all->many };
}

/* Divides what is due on a side by the ranges of the threads. */
static void divide_among_threads(struct exact *x, struct gpu_side side,
				 const struct gpu_due *due)
{
	uint64_t n = side.end - side.first;
	uint32_t at = 0;

	for (unsigned i = 0; i < x->threads; i++) {
		uint32_t end =
			side.first + (uint32_t)(n * (i + 1) / x->threads);
		uint32_t first = at;

		while (at < due->count &&
		       gpu_due_partition(due->entry[at]) < end)
			at++;
		x->share[i].due = part_of(due, first, at - first);
	}
}

/* Claims partitions of thread i's list; empty: all are claimed. */
static struct gpu_due claim_some(struct exact *x, unsigned i, uint32_t batch)
{
	const struct gpu_due *all = &x->share[i].due;
	uint_fast32_t at = atomic_load_explicit(&x->share[i].claimed,
						memory_order_relaxed);
	uint32_t n, left;

	do {
		left = all->count - (uint32_t)at;
		n = (uint32_t)min_u64(max_u64(left / 4, 1),
				      min_u64(batch, left));
	} while (n && !atomic_compare_exchange_weak_explicit(
			      &x->share[i].claimed, &at, at + n,
			      memory_order_relaxed, memory_order_relaxed));
	return part_of(all, (uint32_t)at, n);
}

/* Advances what is left of the list of thread i. */
static cycle_t advance_range(struct exact *x, struct exact_share *mine,
			     unsigned i, uint32_t batch)
{
	struct gpu_due some;
	cycle_t next = CYCLE_NEVER;

	while (some = claim_some(x, i, batch), some.count) {
		double start = clock_seconds();

		next = min_u64(next, gpu_advance(x->g, some, x->from, x->to));
		mine->worked += clock_seconds() - start;
	}
	return next;
}

static void advance_member(void *ctx, unsigned member)
{
	struct exact *x = ctx;
	struct exact_share *mine = &x->share[member];
	cycle_t next = advance_range(x, mine, member, MAX_BATCH);

	for (unsigned i = 1; i < x->threads; i++)
		next = min_u64(next,
			       advance_range(x, mine, (member + i) % x->threads,
					     1));
	mine->next = next;
}

/* Advances partitions of *left on this thread until LITTLE_WORK is exceeded;
 * the rest stays in *left. */
static cycle_t advance_alone(struct exact *x, struct gpu_due *left,
			     cycle_t from, cycle_t to, double *worked)
{
	double start = clock_seconds();
	cycle_t next = CYCLE_NEVER;

	while (left->count && *worked < LITTLE_WORK) {
		uint32_t n = (uint32_t)min_u64(MAX_BATCH, left->count);

		next = min_u64(next, gpu_advance(x->g, part_of(left, 0, n),
						 from, to));
		*left = part_of(left, n, left->count - n);
		*worked = clock_seconds() - start;
	}
	return next;
}

static cycle_t advance_together(struct exact *x, struct gpu_side side,
				const struct gpu_due *due, cycle_t from,
				cycle_t to, double *worked)
{
	cycle_t next = CYCLE_NEVER;

	divide_among_threads(x, side, due);
	x->from = from;
	x->to = to;
	for (unsigned i = 0; i < x->threads; i++) {
		atomic_store_explicit(&x->share[i].claimed, 0,
				      memory_order_relaxed);
		x->share[i].next = CYCLE_NEVER;
		x->share[i].worked = 0;
	}
	team_help(x->team, advance_member, x);
	for (unsigned i = 0; i < x->threads; i++) {
		next = min_u64(next, x->share[i].next);
		*worked += x->share[i].worked;
	}
	return next;
}

static cycle_t exact_advance(struct exact *x, struct exact_half *h,
			     cycle_t from, cycle_t to)
{
	struct gpu_due left = gpu_find_due(x->g, h->side, from, to);
	cycle_t next = left.next;
	double worked = 0;

	if (h->little)
		next = min_u64(next,
			       advance_alone(x, &left, from, to, &worked));
	if (left.count)
		next = min_u64(next, advance_together(x, h->side, &left, from,
						      to, &worked));
	h->little = worked < LITTLE_WORK;
	return next;
}

static void exact_run(struct exact *x, cycle_t window)
{
	struct gpu *g = x->g;
	struct exact_half memory = { .side = gpu_memory_side(g) };
	struct exact_half sms = { .side = gpu_sm_side(g) };
	cycle_t from = gpu_now(g);

	while (!gpu_over(g)) {
		cycle_t to = gpu_window_end(g, from, window);
		cycle_t next = exact_advance(x, &memory, from, to);

		if (gpu_memory_done(g, from))
			gpu_merge(g);
		if (gpu_over(g))
			break;
		next = min_u64(next, exact_advance(x, &sms, from, to));
		gpu_window_done(g, to, next);
		from = max_u64(next, to);
	}
}

bool engine_exact(struct gpu *g, cycle_t window, struct team *team)
{
	struct exact x = { .g = g,
			   .team = team,
			   .threads = team_members(team) };

	x.share = aligned_alloc(64, x.threads * sizeof(*x.share));
	if (!x.share)
		return false;
	exact_run(&x, window);
	free(x.share);
	return true;
}
