/*
 * How far slack:K and workgroup let a partition advance: their rules on clocks
 * that the test sets, without a GPU and without threads.
 * tests/engine/test_script.c tests the same rules in a run.
 */
#include "test.h"

#include "base/minmax.h"
#include "engine/drift.h"

enum {
	SMS = 4,
	MEM = SMS, /* the first of two */
	DISPATCHER = SMS + 2,
	PARTITIONS,
	REQUEST = 10,
	BLOCK = 5,
	STEP = 32,
	ROOM = 8
};

struct rig {
	struct drift x;
	_Atomic cycle_t clock[PARTITIONS];
	atomic_bool issuable[SMS];
	uint64_t requests;
	cycle_t assigns;
};

/* All clocks are 0, and the dispatcher has no block to send. */
static void rig_init(struct rig *r, const struct drift_rule *rule)
{
	*r = (struct rig){ .x = { .rule = rule,
				  .sms = { 0, SMS },
				  .mems = { MEM, DISPATCHER },
				  .dispatcher = DISPATCHER,
				  .partitions = PARTITIONS,
				  .step = STEP,
				  .request = REQUEST,
				  .block = BLOCK,
				  .meeting = CYCLE_NEVER,
				  .base = CYCLE_NEVER,
				  .room = ROOM } };
	r->x.clock = r->clock;
	r->x.issuable = r->issuable;
	r->assigns = CYCLE_NEVER;
}

static void set_sms(struct rig *r, cycle_t a, cycle_t b, cycle_t c, cycle_t d)
{
	const cycle_t at[SMS] = { a, b, c, d };

	for (uint32_t i = 0; i < SMS; i++)
		atomic_store(&r->clock[i], at[i]);
}

static void set_memory(struct rig *r, cycle_t a, cycle_t b)
{
	atomic_store(&r->clock[MEM], a);
	atomic_store(&r->clock[MEM + 1], b);
}

static struct drift_snapshot observe(const struct rig *r)
{
	struct drift_snapshot s = {
		.sm = drift_min(&r->x, r->x.sms),
		.memory = drift_min(&r->x, r->x.mems),
		.dispatcher = drift_clock(&r->x, DISPATCHER),
		.assigns = r->assigns,
		.requests = r->requests,
	};

	s.slowest = min_u64(s.sm, min_u64(s.memory, s.dispatcher));
	return s;
}

static cycle_t limit(struct rig *r, uint32_t partition)
{
	struct drift_snapshot s = observe(r);

	return r->x.rule->limit(&r->x, partition, &s);
}

static bool may_advance(struct rig *r, uint32_t partition)
{
	return limit(r, partition) > drift_clock(&r->x, partition);
}

/* A block has ended on an SM, at the SM's clock. */
static void end_block(struct rig *r, uint32_t sm)
{
	atomic_store(&r->issuable[sm], true);
}

static bool lead(struct rig *r)
{
	return r->x.rule->lead(&r->x);
}

/* The dispatcher advances as far as it may, and the leading thread does a
 * round: nothing more changes after that. */
static void settle(struct rig *r)
{
	atomic_store(&r->clock[DISPATCHER], limit(r, DISPATCHER));
	OK(lead(r));
	OK(!lead(r));
}

/*
 * slack:K
 */

TEST(drift_rules, slack_is_counted_from_the_slowest_whatever_it_is)
{
	static const uint32_t slow[] = { 0, SMS - 1, MEM, MEM + 1, DISPATCHER };
	struct rig r;

	for (unsigned k = 0; k < sizeof(slow) / sizeof(*slow); k++) {
		rig_init(&r, &drift_slack);
		r.x.slack = 7;
		for (uint32_t i = 0; i < PARTITIONS; i++)
			atomic_store(&r.clock[i], 107);
		atomic_store(&r.clock[slow[k]], 100);
		for (uint32_t i = 0; i < MEM; i++)
			EQ(107, limit(&r, i));
		EQ(107, limit(&r, MEM));
		OK(may_advance(&r, slow[k]));
		atomic_store(&r.clock[slow[k]], 101);
		EQ(108, limit(&r, 1));
	}
}

TEST(drift_rules, slack_lets_the_dispatcher_hear_all_ends)
{
	struct rig r;

	rig_init(&r, &drift_slack);
	r.x.slack = 100;
	set_sms(&r, 40, 30, 20, 25);
	EQ(20 + BLOCK, limit(&r, DISPATCHER));
	r.x.slack = BLOCK - 1;
	atomic_store(&r.clock[DISPATCHER], 20);
	set_memory(&r, 20, 20);
	EQ(20 + BLOCK - 1, limit(&r, DISPATCHER));
}

/*
 * workgroup: base and top synchronisation points
 */

TEST(drift_rules, the_first_end_is_the_base_and_the_last_clock_the_top)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 120, 80, 100, 60);
	OK(!lead(&r));
	EQ(CYCLE_NEVER, r.x.base);
	for (uint32_t i = 0; i < SMS; i++)
		EQ(CYCLE_NEVER, limit(&r, i));
	end_block(&r, 1);
	OK(!may_advance(&r, 1)); /* at once; others are not stopped yet */
	OK(may_advance(&r, 2));
	OK(lead(&r));
	EQ(80, r.x.base);
	EQ(120, r.x.top);
	/* SMs beyond the base stop, the one with the end stops, others catch
	 * up. */
	OK(!may_advance(&r, 0));
	OK(!may_advance(&r, 1));
	OK(!may_advance(&r, 2));
	EQ(80, limit(&r, 3));
	/* Nothing changes until they have. */
	OK(!lead(&r));
	EQ(80, r.x.base);
}

TEST(drift_rules, of_several_ends_the_earliest_is_the_base)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 120, 80, 100, 60);
	end_block(&r, 0);
	end_block(&r, 1);
	end_block(&r, 2);
	OK(lead(&r));
	EQ(80, r.x.base);
	EQ(120, r.x.top);
}

TEST(drift_rules, an_end_before_the_base_is_the_new_base_and_the_top_stays)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 120, 80, 60, 50);
	end_block(&r, 1);
	OK(lead(&r));
	/* One was advancing past the top when that was set. */
	set_sms(&r, 140, 80, 71, 55);
	end_block(&r, 2);
	OK(lead(&r));
	EQ(71, r.x.base);
	EQ(120, r.x.top);
	for (uint32_t i = 0; i < 3; i++)
		OK(!may_advance(&r, i));
	EQ(71, limit(&r, 3));
	/* The one with the minimum clock has its turn at once. */
	set_sms(&r, 140, 80, 71, 64);
	end_block(&r, 3);
	OK(lead(&r));
	EQ(64, r.x.base);
	settle(&r);
	OK(!r.issuable[3]);
	OK(r.issuable[1] && r.issuable[2]);
	EQ(71, r.x.base);
}

TEST(drift_rules, the_base_goes_from_clock_to_clock_until_the_top)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 120, 80, 100, 60);
	end_block(&r, 1);
	OK(lead(&r));
	set_sms(&r, 120, 80, 100, 80);
	settle(&r);
	OK(!r.issuable[1]);
	EQ(100, r.x.base);
	EQ(100, limit(&r, 1));
	EQ(100, limit(&r, 3));
	OK(!may_advance(&r, 0));
	OK(!may_advance(&r, 2));
	set_sms(&r, 120, 100, 100, 100);
	settle(&r);
	EQ(120, r.x.base);
	set_sms(&r, 120, 120, 120, 120);
	settle(&r);
	EQ(CYCLE_NEVER, r.x.base);
	for (uint32_t i = 0; i < SMS; i++)
		EQ(CYCLE_NEVER, limit(&r, i));
	/* The next end sets a new top. */
	set_sms(&r, 150, 140, 170, 130);
	end_block(&r, 0);
	OK(lead(&r));
	EQ(150, r.x.base);
	EQ(170, r.x.top);
}

TEST(drift_rules, an_end_beyond_the_base_waits_for_its_turn)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 120, 80, 100, 80);
	end_block(&r, 0);
	end_block(&r, 1);
	end_block(&r, 3);
	OK(lead(&r));
	settle(&r);
	/* Both that ended in cycle 80 have had their turn. */
	OK(!r.issuable[1] && !r.issuable[3] && r.issuable[0]);
	EQ(100, r.x.base);
	set_sms(&r, 120, 100, 100, 100);
	settle(&r);
	OK(r.issuable[0]);
	EQ(120, r.x.base);
	set_sms(&r, 120, 120, 120, 120);
	settle(&r);
	OK(!r.issuable[0]);
	EQ(CYCLE_NEVER, r.x.base);
}

TEST(drift_rules, no_sm_goes_on_before_the_dispatcher_has_heard_of_the_end)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 80, 80, 90, 80);
	end_block(&r, 1);
	OK(lead(&r));
	EQ(80 + BLOCK, limit(&r, DISPATCHER));
	atomic_store(&r.clock[DISPATCHER], 80 + BLOCK - 1);
	OK(!lead(&r));
	OK(r.issuable[1]);
	atomic_store(&r.clock[DISPATCHER], 80 + BLOCK);
	OK(lead(&r));
	OK(!r.issuable[1]);
}

TEST(drift_rules, before_a_meeting_the_dispatcher_has_no_more_to_hear)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 80, 80, 82, 79);
	r.x.meeting = 83;
	end_block(&r, 1);
	OK(lead(&r));
	atomic_store(&r.clock[DISPATCHER], 82);
	OK(!lead(&r));
	atomic_store(&r.clock[DISPATCHER], 83);
	/* But all must have reached the base. */
	OK(!lead(&r));
	OK(r.issuable[1]);
	set_sms(&r, 80, 80, 82, 80);
	OK(lead(&r));
	OK(!r.issuable[1]);
}

TEST(drift_rules, no_sm_passes_the_cycle_in_which_a_block_may_arrive)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 10, 20, 30, 40);
	r.assigns = 30;
	for (uint32_t i = 0; i < SMS; i++)
		EQ(30, limit(&r, i));
	EQ(10 + REQUEST, limit(&r, MEM));
	end_block(&r, 1);
	OK(lead(&r));
	EQ(20, limit(&r, 0));
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* SMs of any speed, with blocks of any length; stretch: the maximum number of
 * cycles that an SM advances at a time. */
struct race {
	struct rig r;
	cycle_t ends[SMS]; /* of the block that each has */
	cycle_t given;     /* the last end that was followed by a new block */
	uint32_t seed, blocks, stretch;
};

static void race_advance(struct race *k, uint32_t sm)
{
	cycle_t from = drift_clock(&k->r.x, sm);
	cycle_t to = min_u64(limit(&k->r, sm), k->ends[sm]);

	if (to <= from)
		return;
	to = min_u64(to, from + 1 + next_random(&k->seed) % k->stretch);
	atomic_store(&k->r.clock[sm], to);
	if (to == k->ends[sm])
		end_block(&k->r, sm);
}

/* An SM that was issuable and is not any more has got a block. */
static void race_lead(struct race *k)
{
	bool was[SMS];

	for (uint32_t i = 0; i < SMS; i++)
		was[i] = k->r.issuable[i];
	if (!lead(&k->r))
		return;
	for (uint32_t i = 0; i < SMS; i++) {
		if (!was[i] || k->r.issuable[i])
			continue;
		OK(k->ends[i] >= k->given);
		for (uint32_t n = 0; n < SMS; n++)
			OK(drift_clock(&k->r.x, n) >= k->ends[i]);
	}
	for (uint32_t i = 0; i < SMS; i++) {
		if (!was[i] || k->r.issuable[i])
			continue;
		k->given = max_u64(k->given, k->ends[i]);
		k->ends[i] += 1 + next_random(&k->seed) % 300;
		k->blocks++;
	}
}

TEST(drift_rules, blocks_go_out_in_the_order_of_ends_at_any_speed)
{
	for (uint32_t n = 0; n < 200; n++) {
		struct race k = { .seed = n, .stretch = n % 2 ? 400 : 20 };
		uint32_t slow = n % SMS; /* advances only every eighth time */

		rig_init(&k.r, &drift_workgroup);
		for (uint32_t i = 0; i < SMS; i++)
			k.ends[i] = 1 + next_random(&k.seed) % 300;
		for (uint32_t t = 0; t < 20000 && k.blocks < 100; t++) {
			uint32_t sm = next_random(&k.seed) % SMS;

			if (sm != slow || t % 8 == 0)
				race_advance(&k, sm);
			atomic_store(&k.r.clock[DISPATCHER],
				     limit(&k.r, DISPATCHER));
			race_lead(&k);
		}
		OK(k.blocks >= 100); /* it makes progress */
	}
}

/*
 * workgroup: the reorder queue
 */

TEST(drift_rules, memory_waits_for_requests_the_slowest_sm_may_still_send)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 5000, 81, 80, 7000);
	EQ(80 + REQUEST, limit(&r, MEM));
	EQ(80 + REQUEST, limit(&r, MEM + 1));
	/* However many requests wait, and whichever SM waits. */
	r.requests = 100 * ROOM;
	end_block(&r, 1);
	OK(lead(&r));
	EQ(80 + REQUEST, limit(&r, MEM));
	set_sms(&r, 5000, 81, 81, 7000);
	EQ(81 + REQUEST, limit(&r, MEM));
}

TEST(drift_rules, a_full_reorder_queue_stops_sms_ahead_until_it_shrinks)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 100, 100 + STEP - 1, 100 + STEP, 900);
	set_memory(&r, 100 + REQUEST, 100 + REQUEST);
	r.requests = ROOM - 1;
	for (uint32_t i = 0; i < SMS; i++)
		OK(may_advance(&r, i));
	r.requests = ROOM;
	OK(may_advance(&r, 0));
	EQ(100 + STEP, limit(&r, 1));
	OK(!may_advance(&r, 2));
	OK(!may_advance(&r, 3));
	r.requests = 3 * ROOM;
	OK(!may_advance(&r, 3));
	/* The slowest advances, which lets memory take requests. */
	OK(may_advance(&r, 0));
	set_sms(&r, 110, 100 + STEP - 1, 100 + STEP, 900);
	OK(may_advance(&r, MEM));
	r.requests = ROOM - 1;
	EQ(CYCLE_NEVER, limit(&r, 2));
	EQ(CYCLE_NEVER, limit(&r, 3));
}

TEST(drift_rules, a_full_reorder_queue_stops_all_sms_if_memory_is_behind)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 100, 100, 110, 100);
	set_memory(&r, 105, 100 - STEP);
	r.requests = ROOM;
	for (uint32_t i = 0; i < SMS; i++)
		OK(!may_advance(&r, i));
	OK(may_advance(&r, MEM) && may_advance(&r, MEM + 1));
	/* It need not have advanced as far as it may. */
	set_memory(&r, 105, 101 - STEP);
	EQ(101, limit(&r, 0));
	OK(!may_advance(&r, 2));
	set_memory(&r, 105, 100 - STEP);
	r.requests = ROOM - 1;
	for (uint32_t i = 0; i < SMS; i++)
		EQ(CYCLE_NEVER, limit(&r, i));
}

TEST(drift_rules, a_full_reorder_queue_lets_no_sm_pass_the_base)
{
	struct rig r;

	rig_init(&r, &drift_workgroup);
	set_sms(&r, 100, 110, 105, 900);
	set_memory(&r, 100, 100);
	r.requests = ROOM;
	end_block(&r, 1);
	OK(lead(&r));
	EQ(110, limit(&r, 0));
	EQ(110, limit(&r, 2));
	OK(!may_advance(&r, 1));
}
