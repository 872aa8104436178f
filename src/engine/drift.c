#include "engine/drift.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/team.h"

cycle_t drift_min(const struct drift *x, struct gpu_side side)
{
	cycle_t at = CYCLE_NEVER;

	for (uint32_t i = side.first; i < side.end; i++)
		at = min_u64(at, drift_clock(x, i));
	return at;
}

static cycle_t latest_clock(const struct drift *x)
{
	cycle_t at = 0;

	for (uint32_t i = 0; i < x->partitions; i++)
		at = max_u64(at, drift_clock(x, i));
	return at;
}

static struct drift_snapshot drift_observe(struct drift *x)
{
	bool more = atomic_load_explicit(&x->more_blocks, memory_order_acquire);
	struct drift_snapshot s = {
		.sm = drift_min(x, x->sms),
		.memory = drift_min(x, x->mems),
		.dispatcher = drift_clock(x, x->dispatcher),
	};

	s.slowest = min_u64(s.sm, min_u64(s.memory, s.dispatcher));
	s.answers = s.memory + x->answer;
	s.blocks = more ? s.dispatcher + x->block : CYCLE_NEVER;
	if (x->rule->observe)
		x->rule->observe(x, &s);
	return s;
}

/* No message that is sent after the snapshot arrives before this cycle. */
static cycle_t safe_until(const struct drift *x, uint32_t partition,
			  const struct drift_snapshot *s)
{
	if (partition == x->dispatcher)
		return s->sm + x->block;
	if (partition >= x->mems.first)
		return s->sm + x->request;
	return min_u64(s->answers, s->blocks);
}

static void publish_clock(struct drift *x, uint32_t partition, cycle_t to)
{
	atomic_store_explicit(&x->next_event[partition],
			      gpu_next_event(x->g, partition),
			      memory_order_relaxed);
	if (partition == x->dispatcher)
		atomic_store_explicit(&x->more_blocks,
				      gpu_has_more_blocks(x->g),
				      memory_order_release);
	atomic_store_explicit(&x->clock[partition], to, memory_order_release);
}

/* Advances a partition up to its limit; false: it may not advance. */
static bool drift_advance(struct drift *x, uint32_t partition,
			  const struct drift_snapshot *s)
{
	cycle_t from = drift_clock(x, partition);
	cycle_t to = min_u64(x->rule->limit(x, partition, s),
			     atomic_load_explicit(&x->meeting,
						  memory_order_acquire));

	if (to <= from)
		return false;
	if (gpu_next_event(x->g, partition) >= to) {
		to = min_u64(to, safe_until(x, partition, s));
		if (to > from)
			publish_clock(x, partition, to);
		return to > from;
	}
	to = gpu_step(x->g, partition, from, min_u64(to, from + x->step));
	publish_clock(x, partition, to);
	if (x->rule->advanced && partition < x->sms.end)
		x->rule->advanced(x, partition);
	return true;
}

static struct gpu_side share_of(struct gpu_side all, unsigned i, unsigned n)
{
	uint64_t count = all.end - all.first;

	return (struct gpu_side){ all.first + (uint32_t)(count * i / n),
				  all.first + (uint32_t)(count * (i + 1) / n) };
}

/* The SMs and the memory partitions that a thread simulates. */
static void drift_partitions_of(const struct drift *x, unsigned member,
				struct gpu_side *sms, struct gpu_side *mems)
{
	unsigned m = x->memory_threads;

	*sms = x->sms;
	*mems = x->mems;
	if (x->threads == 1)
		return;
	if (member < m) {
		sms->end = sms->first;
		*mems = share_of(x->mems, member, m);
	} else {
		*sms = share_of(x->sms, member - m, x->threads - m);
		mems->end = mems->first;
	}
}

/* No partition has an event, as far as is known. */
static bool seems_over(const struct drift *x)
{
	for (uint32_t i = 0; i < x->partitions; i++)
		if (atomic_load_explicit(&x->next_event[i],
					 memory_order_relaxed) != CYCLE_NEVER)
			return false;
	return true;
}

static void drift_end_run(struct drift *x)
{
	atomic_store(&x->over, true);
	eventcount_notify(&x->changed);
}

/* Holds meetings and ends the run; true if something has changed. */
static bool drift_lead(struct drift *x)
{
	cycle_t meeting =
		atomic_load_explicit(&x->meeting, memory_order_relaxed);
	struct drift_snapshot s = drift_observe(x);

	if (gpu_must_end(x->g, latest_clock(x))) {
		meeting = 0;
	} else if (s.slowest >= meeting) {
		meeting = gpu_meet(x->g, meeting);
	} else {
		cycle_t soon = latest_clock(x) + 1;

		if (soon >= meeting ||
		    !(gpu_wants_meeting(x->g) || seems_over(x)))
			return x->rule->lead && x->rule->lead(x);
		meeting = soon;
	}
	atomic_store_explicit(&x->meeting, meeting, memory_order_release);
	if (gpu_over(x->g))
		drift_end_run(x);
	return true;
}

/* One round of a thread over its partitions; false: nothing has changed. */
static bool drift_round(struct drift *x, unsigned member, struct gpu_side sms,
			struct gpu_side mems)
{
	struct drift_snapshot s = drift_observe(x);
	bool progress = false;

	for (uint32_t i = sms.first; i < sms.end; i++)
		progress |= drift_advance(x, i, &s);
	for (uint32_t i = mems.first; i < mems.end; i++)
		progress |= drift_advance(x, i, &s);
	if (member == 0) {
		progress |= drift_advance(x, x->dispatcher, &s);
		progress |= drift_lead(x);
	}
	return progress;
}

static void drift_work(void *ctx, unsigned member)
{
	struct drift *x = ctx;
	struct gpu_side sms, mems;
	double since = clock_seconds(), worked;

	drift_partitions_of(x, member, &sms, &mems);
	while (!atomic_load_explicit(&x->over, memory_order_acquire)) {
		unsigned key = eventcount_key(&x->changed);

		if (drift_round(x, member, sms, mems)) {
			eventcount_notify(&x->changed);
			continue;
		}
		if (x->threads == 1)
			BUG("deadlock: every partition waits for another");
		worked = clock_seconds() - since;
		eventcount_wait(&x->changed, key,
				x->spins ? eventcount_patience(worked) : 0);
		since = clock_seconds();
	}
}

static bool make_clocks(struct drift *x)
{
	x->clock = calloc(x->partitions, sizeof(*x->clock));
	x->next_event = calloc(x->partitions, sizeof(*x->next_event));
	x->issuable = calloc(x->sms.end, sizeof(*x->issuable));
	if (!x->clock || !x->next_event || !x->issuable ||
	    !gpu_drift_begin(x->g))
		return false;
	for (uint32_t i = 0; i < x->partitions; i++) {
		atomic_init(&x->clock[i], gpu_now(x->g));
		atomic_init(&x->next_event[i], gpu_next_event(x->g, i));
	}
	return true;
}

bool drift_run(struct gpu *g, const struct drift_rule *rule, cycle_t slack,
	       struct team *team, cycle_t *step)
{
	struct gpu_side mems = gpu_memory_side(g);
	unsigned threads = team_members(team);
	struct drift x = {
		.g = g,
		.rule = rule,
		.threads = threads,
		/* A quarter: memory is the smaller part of the work. */
		.memory_threads = threads < 8 ? 1 : threads / 4,
		.spins = eventcount_spins(threads),
		.sms = gpu_sm_side(g),
		.mems = { mems.first, mems.end - 1 },
		.dispatcher = gpu_dispatcher(g),
		.partitions = mems.end,
		.step = *step,
		.slack = slack,
		.request = gpu_request_time(g),
		.answer = gpu_answer_time(g),
		.block = gpu_block_time(g),
		.meeting = gpu_next_meeting(g, gpu_now(g)),
		.more_blocks = true,
		.base = CYCLE_NEVER,
	};
	bool good = make_clocks(&x);

	if (good) {
		if (rule->begin)
			rule->begin(&x);
		team_do(team, drift_work, &x);
		gpu_drift_end(g);
	}
	free(x.clock);
	free(x.next_event);
	free(x.issuable);
	*step = x.step;
	return good;
}
