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

static cycle_t latest(const struct drift *x)
{
	cycle_t at = 0;

	for (uint32_t i = 0; i < x->partitions; i++)
		at = max_u64(at, drift_clock(x, i));
	return at;
}

static struct drift_sight drift_look(struct drift *x)
{
	bool more = atomic_load_explicit(&x->more, memory_order_acquire);
	struct drift_sight s = {
		.sm = drift_min(x, x->sms),
		.memory = drift_min(x, x->mems),
		.dispatcher = drift_clock(x, x->dispatcher),
	};

	s.slowest = min_u64(s.sm, min_u64(s.memory, s.dispatcher));
	s.answers = s.memory + x->answer;
	s.blocks = more ? s.dispatcher + x->block : CYCLE_NEVER;
	if (x->rule->look)
		x->rule->look(x, &s);
	return s;
}

/* No message that was sent after that look arrives before it. */
static cycle_t safe(const struct drift *x, uint32_t partition,
		    const struct drift_sight *s)
{
	if (partition == x->dispatcher)
		return s->sm + x->block;
	if (partition >= x->mems.first)
		return s->sm + x->request;
	return min_u64(s->answers, s->blocks);
}

static void set_clock(struct drift *x, uint32_t partition, cycle_t to)
{
	atomic_store_explicit(&x->wake[partition], gpu_wakes(x->g, partition),
			      memory_order_relaxed);
	if (partition == x->dispatcher)
		atomic_store_explicit(&x->more, gpu_has_blocks(x->g),
				      memory_order_release);
	atomic_store_explicit(&x->clock[partition], to, memory_order_release);
}

/* Lets a partition go as far as it may; false: it stays where it is. */
static bool drift_move(struct drift *x, uint32_t partition,
		       const struct drift_sight *s)
{
	cycle_t from = drift_clock(x, partition);
	cycle_t to = min_u64(x->rule->limit(x, partition, s),
			     atomic_load_explicit(&x->meeting,
						  memory_order_acquire));

	if (to <= from)
		return false;
	if (gpu_wakes(x->g, partition) >= to) {
		to = min_u64(to, safe(x, partition, s));
		if (to > from)
			set_clock(x, partition, to);
		return to > from;
	}
	to = gpu_step(x->g, partition, from, min_u64(to, from + x->step));
	set_clock(x, partition, to);
	if (x->rule->moved && partition < x->sms.end)
		x->rule->moved(x, partition);
	return true;
}

static struct gpu_side partition_of(struct gpu_side all, unsigned i, unsigned n)
{
	uint64_t count = all.end - all.first;

	return (struct gpu_side){ all.first + (uint32_t)(count * i / n),
				  all.first + (uint32_t)(count * (i + 1) / n) };
}

/* The SMs and the memory partitions of a thread. */
static void drift_share(const struct drift *x, unsigned member,
			struct gpu_side *sms, struct gpu_side *mems)
{
	unsigned m = x->memory_threads;

	*sms = x->sms;
	*mems = x->mems;
	if (x->threads == 1)
		return;
	if (member < m) {
		sms->end = sms->first;
		*mems = partition_of(x->mems, member, m);
	} else {
		*sms = partition_of(x->sms, member - m, x->threads - m);
		mems->end = mems->first;
	}
}

/* Nothing seems to be left, or nobody to do it. */
static bool seems_over(const struct drift *x)
{
	for (uint32_t i = 0; i < x->partitions; i++)
		if (atomic_load_explicit(&x->wake[i], memory_order_relaxed) !=
		    CYCLE_NEVER)
			return false;
	return true;
}

static void end(struct drift *x)
{
	atomic_store(&x->over, true);
	eventcount_notify(&x->news);
}

/* Meetings and the end of the run. */
static bool drift_lead(struct drift *x)
{
	cycle_t meeting =
		atomic_load_explicit(&x->meeting, memory_order_relaxed);
	struct drift_sight s = drift_look(x);

	if (gpu_must_end(x->g, latest(x))) {
		meeting = 0;
	} else if (s.slowest >= meeting) {
		meeting = gpu_meet(x->g, meeting);
	} else {
		cycle_t soon = latest(x) + 1;

		if (soon >= meeting ||
		    !(gpu_wants_meeting(x->g) || seems_over(x)))
			return x->rule->lead && x->rule->lead(x);
		meeting = soon;
	}
	atomic_store_explicit(&x->meeting, meeting, memory_order_release);
	if (gpu_over(x->g))
		end(x);
	return true;
}

/* One round of a thread over its partitions; false: there was nothing to do. */
static bool go_round(struct drift *x, unsigned member, struct gpu_side sms,
		     struct gpu_side mems)
{
	struct drift_sight s = drift_look(x);
	bool moved = false;

	for (uint32_t i = sms.first; i < sms.end; i++)
		moved |= drift_move(x, i, &s);
	for (uint32_t i = mems.first; i < mems.end; i++)
		moved |= drift_move(x, i, &s);
	if (member == 0) {
		moved |= drift_move(x, x->dispatcher, &s);
		moved |= drift_lead(x);
	}
	return moved;
}

static void drift_work(void *ctx, unsigned member)
{
	struct drift *x = ctx;
	struct gpu_side sms, mems;
	double since = clock_seconds(), worked;

	drift_share(x, member, &sms, &mems);
	while (!atomic_load_explicit(&x->over, memory_order_acquire)) {
		unsigned heard = eventcount_key(&x->news);

		if (go_round(x, member, sms, mems)) {
			eventcount_notify(&x->news);
			continue;
		}
		if (x->threads == 1)
			BUG("every partition waits for another");
		worked = clock_seconds() - since;
		eventcount_wait(&x->news, heard,
				x->spins ? eventcount_patience(worked) : 0);
		since = clock_seconds();
	}
}

static bool make_clocks(struct drift *x)
{
	x->clock = calloc(x->partitions, sizeof(*x->clock));
	x->wake = calloc(x->partitions, sizeof(*x->wake));
	x->issuable = calloc(x->sms.end, sizeof(*x->issuable));
	if (!x->clock || !x->wake || !x->issuable || !gpu_drift_begin(x->g))
		return false;
	for (uint32_t i = 0; i < x->partitions; i++) {
		atomic_init(&x->clock[i], gpu_now(x->g));
		atomic_init(&x->wake[i], gpu_wakes(x->g, i));
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
		/* One of four: memory is the lesser part of the work. */
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
		.more = true,
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
	free(x.wake);
	free(x.issuable);
	*step = x.step;
	return good;
}
