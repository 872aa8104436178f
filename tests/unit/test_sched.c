#include "test.h"

#include <string.h>

#include "cfg/param.h"
#include "sm/sched.h"

struct rig {
	struct arena arena;
	struct cfg cfg;
	struct sched s;
};

static void rig_init(struct rig *r, enum cfg_scheduler policy, uint64_t mine)
{
	struct diag d;

	memset(r, 0, sizeof(*r));
	cfg_defaults(&r->cfg);
	r->cfg.sm.scheduler = policy;
	r->cfg.sm.active_warps = 2;
	EQ(ERR_OK, sched_init(&r->s, &r->arena, &r->cfg, mine, &d));
}

/* Picks and issues. */
static int issue(struct rig *r, uint64_t can, cycle_t now)
{
	int slot = sched_pick(&r->s, can, now);

	if (slot != SCHED_NONE)
		sched_issued(&r->s, slot);
	return slot;
}

TEST(sched, the_list_of_policies_is_that_of_the_parameter)
{
	const struct cfg_choice *c = cfg_params[CFG_ID_sm_scheduler].choices;
	int i;

	for (i = 0; c[i].word; i++)
		STREQ(c[i].word, sched_all[i]->name);
	EQ(NULL, (const void *)sched_all[i]);
}

TEST(sched, no_policy_picks_from_nothing)
{
	for (int p = 0; sched_all[p]; p++) {
		struct rig r;

		rig_init(&r, (enum cfg_scheduler)p, 0xf0);
		EQ(SCHED_NONE, issue(&r, 0, 0));
		sched_started(&r.s, 5);
		EQ(SCHED_NONE, issue(&r, 0, 1));
		EQ(5, issue(&r, 1 << 5, 2));
		EQ(5, issue(&r, 1 << 5, 3));
		arena_free(&r.arena);
	}
}

TEST(sched, lrr_goes_round)
{
	struct rig r;
	uint64_t ends = UINT64_C(1) << 63 | 1;

	rig_init(&r, CFG_SCHEDULER_LRR, UINT64_MAX);
	for (int slot = 0; slot < 64; slot++)
		sched_started(&r.s, slot);
	EQ(0, issue(&r, 0x7, 0));
	EQ(1, issue(&r, 0x7, 1));
	EQ(2, issue(&r, 0x7, 2));
	EQ(0, issue(&r, 0x7, 3));
	EQ(2, issue(&r, 0x5, 4));
	EQ(63, issue(&r, ends, 5));
	EQ(0, issue(&r, ends, 6));
	EQ(63, issue(&r, ends, 7));
	EQ(63, issue(&r, UINT64_C(1) << 63, 8));
	arena_free(&r.arena);
}

TEST(sched, gto_stays_with_a_warp_then_takes_the_oldest)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_GTO, 0xf);
	sched_started(&r.s, 2);
	sched_started(&r.s, 0);
	sched_started(&r.s, 3);
	sched_started(&r.s, 1);
	EQ(2, issue(&r, 0xf, 0));
	EQ(0, issue(&r, 0xb, 1));
	EQ(0, issue(&r, 0xf, 2)); /* greedy, though 2 is older */
	EQ(3, issue(&r, 0xa, 3));
	EQ(2, issue(&r, 0x6, 4));
	sched_ended(&r.s, 2);
	sched_started(&r.s, 2);
	EQ(0, issue(&r, 0xf, 5)); /* another warp, the youngest now */
	sched_ended(&r.s, 0);
	sched_issued(&r.s, 0); /* its exit, reported late */
	sched_started(&r.s, 0);
	EQ(3, issue(&r, 0xf, 6));
	arena_free(&r.arena);
}

TEST(sched, cggty_stays_with_a_warp_then_takes_the_youngest)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_CGGTY, 0xf);
	sched_started(&r.s, 2);
	sched_started(&r.s, 0);
	sched_started(&r.s, 3);
	sched_started(&r.s, 1);
	EQ(1, issue(&r, 0xf, 0));
	EQ(3, issue(&r, 0xd, 1));
	EQ(3, issue(&r, 0xf, 2));
	EQ(0, issue(&r, 0x5, 3));
	EQ(1, issue(&r, 0x6, 4));
	sched_ended(&r.s, 2);
	sched_started(&r.s, 2);
	EQ(1, issue(&r, 0xf, 5));
	EQ(2, issue(&r, 0xd, 6));
	arena_free(&r.arena);
}

enum { MIXED_SLOTS = 16, MIXED_STEPS = 4000 };

/* Of these slots, the one whose warp has started first, or last. */
static int first_started(const unsigned *since, uint64_t can, bool last)
{
	int found = SCHED_NONE;

	for (int i = 0; i < MIXED_SLOTS; i++)
		if (can >> i & 1 &&
		    (found == SCHED_NONE || (since[i] < since[found]) != last))
			found = i;
	return found;
}

static uint32_t mixed_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Warps start in free slots: mostly in the next one, going round, or in a random
 * one, which is out of the order of slots. */
static void check_mixed(enum cfg_scheduler policy, uint32_t often)
{
	struct rig r;
	unsigned since[MIXED_SLOTS] = { 0 }, started = 0, next = 0;
	uint64_t live = 0, can;
	uint32_t seed = often;

	rig_init(&r, policy, (1 << MIXED_SLOTS) - 1);
	for (int i = 0; i < MIXED_STEPS; i++) {
		unsigned slot = mixed_random(&seed) % MIXED_SLOTS;

		if (live >> slot & 1) {
			sched_ended(&r.s, (int)slot);
			live &= ~(UINT64_C(1) << slot);
		}
		if (mixed_random(&seed) % often)
			slot = next;
		if (!(live >> slot & 1)) {
			sched_started(&r.s, (int)slot);
			live |= UINT64_C(1) << slot;
			since[slot] = ++started;
			next = (slot + 1) % MIXED_SLOTS;
		}
		can = live & mixed_random(&seed);
		EQ(first_started(since, can, policy == CFG_SCHEDULER_CGGTY),
		   sched_pick(&r.s, can, (cycle_t)i));
	}
	arena_free(&r.arena);
}

TEST(sched, age_is_by_start_whatever_slots_warps_start_in)
{
	for (uint32_t often = 1; often < 1000; often *= 4) {
		check_mixed(CFG_SCHEDULER_GTO, often);
		check_mixed(CFG_SCHEDULER_CGGTY, often);
	}
}

TEST(sched, two_level_goes_round_in_the_active_set)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_TWO_LEVEL, 0xf);
	for (int slot = 0; slot < 4; slot++)
		sched_started(&r.s, slot);
	EQ(0, issue(&r, 0xf, 0));
	EQ(1, issue(&r, 0xf, 1));
	EQ(0, issue(&r, 0xf, 2));
	EQ(SCHED_NONE, issue(&r, 0xc, 3)); /* ready, but pending */
	EQ(CYCLE_NEVER, r.s.wake);
	sched_stalled(&r.s, 0);
	EQ(1, issue(&r, 0xe, 4)); /* 2 is active now */
	EQ(2, issue(&r, 0xe, 5));
	sched_woken(&r.s, 0); /* after 3 in the queue */
	sched_stalled(&r.s, 2);
	EQ(3, issue(&r, 0xb, 6));
	EQ(1, issue(&r, 0xb, 7));
	sched_ended(&r.s, 1);
	EQ(3, issue(&r, 0x9, 8));
	EQ(0, issue(&r, 0x9, 9));
	arena_free(&r.arena);
}

TEST(sched, two_level_ignores_repeated_notifications)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_TWO_LEVEL, 0xf);
	for (int slot = 0; slot < 3; slot++)
		sched_started(&r.s, slot);
	sched_woken(&r.s, 2);
	sched_stalled(&r.s, 0);
	sched_stalled(&r.s, 0);
	sched_woken(&r.s, 0);
	sched_woken(&r.s, 0);
	sched_ended(&r.s, 1);
	sched_ended(&r.s, 0);
	EQ(2, issue(&r, 0x4, 0));
	EQ(SCHED_NONE, issue(&r, 0x3, 1));
	arena_free(&r.arena);
}

/* Four warps of 100 points: a cutoff of 400. One of them loses a hit after
 * 17 instructions: 1 / 17 * 17 * 400 points, so the others must wait. */
static void lose_a_hit(struct rig *r, int slot, cycle_t now)
{
	rig_init(r, CFG_SCHEDULER_CCWS, 0xf);
	for (int i = 0; i < 4; i++)
		sched_started(&r->s, i);
	for (int i = 0; i < 16; i++)
		EQ(0, issue(r, 0xf, now));
	sched_evicted(&r->s, slot, 77);
	sched_missed(&r->s, (slot + 1) % 4, 77, now); /* not its line */
	sched_missed(&r->s, slot, 78, now);
	EQ(1, issue(r, 0x2, now));
	r->cfg.sm.ccws_throttle = 17;
	sched_missed(&r->s, slot, 77, now);
}

TEST(sched, ccws_is_gto_while_no_locality_is_lost)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_CCWS, 0xf);
	for (int i = 3; i >= 0; i--)
		sched_started(&r.s, i);
	EQ(3, issue(&r, 0xf, 0));
	EQ(2, issue(&r, 0x7, 1));
	EQ(2, issue(&r, 0xf, 2));
	EQ(CYCLE_NEVER, r.s.wake);
	arena_free(&r.arena);
}

TEST(sched, ccws_throttles_until_the_score_has_come_down)
{
	struct rig r;

	lose_a_hit(&r, 2, 1000);
	EQ(SCHED_NONE, sched_pick(&r.s, 0xb, 1000));
	/* 2 at 400; 0 fits on top of it when that is 300, after 100. */
	EQ(1100, r.s.wake);
	EQ(2, sched_pick(&r.s, 0xf, 1000));
	EQ(SCHED_NONE, sched_pick(&r.s, 0xb, 1099));
	EQ(0, sched_pick(&r.s, 0xb, 1100));
	EQ(SCHED_NONE, sched_pick(&r.s, 0xa, 1100));
	EQ(1200, r.s.wake);
	EQ(1, sched_pick(&r.s, 0xa, 1200));
	EQ(SCHED_NONE, sched_pick(&r.s, 0x8, 1299));
	EQ(1300, r.s.wake);
	EQ(3, sched_pick(&r.s, 0x8, 1300));
	EQ(CYCLE_NEVER, r.s.wake);
	arena_free(&r.arena);
}

TEST(sched, ccws_forgets_a_victim_tag_that_was_hit)
{
	struct rig r;

	lose_a_hit(&r, 2, 1000);
	EQ(3, sched_pick(&r.s, 0x8, 1300));
	sched_missed(&r.s, 2, 77, 1300);
	EQ(3, sched_pick(&r.s, 0x8, 1300));
	arena_free(&r.arena);
}

TEST(sched, ccws_always_lets_the_first_of_the_stack_issue)
{
	struct rig r;

	lose_a_hit(&r, 2, 1000);
	sched_ended(&r.s, 0);
	sched_ended(&r.s, 1);
	EQ(2, sched_pick(&r.s, 0xc, 1000));
	EQ(SCHED_NONE, sched_pick(&r.s, 0x8, 1299));
	EQ(3, sched_pick(&r.s, 0x8, 1300));
	arena_free(&r.arena);
}

TEST(sched, ccws_victim_tags_are_lru_sets)
{
	struct rig r;

	rig_init(&r, CFG_SCHEDULER_CCWS, 0x3);
	r.cfg.sm.ccws_throttle = 1000;
	sched_started(&r.s, 0);
	sched_started(&r.s, 1);
	/* Two sets of eight: even lines fill one of them. */
	for (uint64_t line = 0; line < 16; line += 2)
		sched_evicted(&r.s, 0, line);
	sched_evicted(&r.s, 0, 1);
	sched_evicted(&r.s, 0, 0);  /* again: the last used now */
	sched_evicted(&r.s, 0, 16); /* over line 2 */
	sched_missed(&r.s, 0, 2, 0);
	EQ(1, sched_pick(&r.s, 0x2, 0));
	sched_missed(&r.s, 0, 0, 0);
	EQ(SCHED_NONE, sched_pick(&r.s, 0x2, 0));
	arena_free(&r.arena);
}

TEST(sched, a_restart_forgets_everything)
{
	struct rig r;

	lose_a_hit(&r, 2, 1000);
	for (int i = 0; i < 4; i++)
		sched_ended(&r.s, i);
	sched_start(&r.s);
	for (int i = 3; i >= 0; i--)
		sched_started(&r.s, i);
	EQ(3, issue(&r, 0xf, 0));
	EQ(2, issue(&r, 0x7, 0));
	arena_free(&r.arena);
}

/*
 * The oracle: every policy again, with linear searches of lists and scores
 * that are counted down cycle by cycle.
 */
enum { N = 64, LINES = 24 };

struct naive_warp {
	bool live, active, stalled;
	uint64_t start;  /* ordinal number */
	uint64_t queued; /* two_level: ordinal number of its wait */
	int64_t score;
	cycle_t down; /* when the score came back to the base */
	int victims;  /* in the order of their loss */
	uint64_t victim[LINES];
};

struct naive {
	const struct cfg *cfg;
	struct naive_warp w[N];
	uint64_t number;
	int last;
	uint64_t last_start; /* of the warp that issued last */
	cycle_t now;
	uint64_t hits, issued;
};

static int naive_count(const struct naive *n)
{
	int count = 0;

	for (int i = 0; i < N; i++)
		count += n->w[i].live;
	return count;
}

static void naive_fill(struct naive *n)
{
	for (;;) {
		int active = 0, best = -1;

		for (int i = 0; i < N; i++) {
			const struct naive_warp *w = &n->w[i];

			active += w->live && w->active;
			if (w->live && !w->active && !w->stalled &&
			    (best < 0 || w->queued < n->w[best].queued))
				best = i;
		}
		if (best < 0 || active >= n->cfg->sm.active_warps)
			return;
		n->w[best].active = true;
	}
}

/* Does a precede b in the stack of ccws? */
static bool naive_before(const struct naive_warp *a, const struct naive_warp *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	if (a->down != b->down)
		return a->down > b->down;
	return a->start < b->start;
}

static bool naive_throttled(const struct naive *n, int slot)
{
	int64_t sum = n->w[slot].score;
	bool first = true;

	for (int i = 0; i < N; i++)
		if (i != slot && n->w[i].live &&
		    naive_before(&n->w[i], &n->w[slot])) {
			sum += n->w[i].score;
			first = false;
		}
	return !first && sum > naive_count(n) * n->cfg->sm.ccws_score;
}

static int naive_age(const struct naive *n, uint64_t can, bool young)
{
	int best = -1;

	for (int i = 0; i < N; i++)
		if (can >> i & 1 &&
		    (best < 0 || (n->w[i].start > n->w[best].start) == young))
			best = i;
	return best;
}

static int naive_pick(const struct naive *n, uint64_t can)
{
	enum cfg_scheduler p = n->cfg->sm.scheduler;

	for (int i = 0; i < N; i++)
		if ((p == CFG_SCHEDULER_TWO_LEVEL && !n->w[i].active) ||
		    (p == CFG_SCHEDULER_CCWS && can >> i & 1 &&
		     naive_throttled(n, i)))
			can &= ~(UINT64_C(1) << i);
	if (p == CFG_SCHEDULER_LRR || p == CFG_SCHEDULER_TWO_LEVEL) {
		for (int i = 1; i <= N; i++)
			if (can >> (n->last + i + N) % N & 1)
				return (n->last + i + N) % N;
		return -1;
	}
	if (n->last >= 0 && can >> n->last & 1 &&
	    n->w[n->last].start == n->last_start)
		return n->last;
	return naive_age(n, can, p == CFG_SCHEDULER_CGGTY);
}

static void naive_tick(struct naive *n)
{
	n->now++;
	for (int i = 0; i < N; i++)
		if (n->w[i].score > n->cfg->sm.ccws_score) {
			n->w[i].score--;
			n->w[i].down = n->now;
		}
}

/* Returns the index of a line among a warp's victims, or -1. */
static int naive_victim(const struct naive_warp *w, uint64_t line)
{
	for (int i = 0; i < w->victims; i++)
		if (w->victim[i] == line)
			return i;
	return -1;
}

static void naive_drop(struct naive_warp *w, int at)
{
	w->victims--;
	for (int i = at; i < w->victims; i++)
		w->victim[i] = w->victim[i + 1];
}

static void naive_evicted(struct naive *n, int slot, uint64_t line)
{
	struct naive_warp *w = &n->w[slot];
	uint64_t sets = (uint64_t)(n->cfg->sm.ccws_tags / n->cfg->sm.ccws_ways);
	int at = naive_victim(w, line), same = 0, first = -1;

	if (at >= 0)
		naive_drop(w, at);
	for (int i = 0; i < w->victims; i++)
		if (w->victim[i] % sets == line % sets) {
			same++;
			first = first < 0 ? i : first;
		}
	if (same == n->cfg->sm.ccws_ways)
		naive_drop(w, first);
	w->victim[w->victims++] = line;
}

static void naive_missed(struct naive *n, int slot, uint64_t line)
{
	struct naive_warp *w = &n->w[slot];
	int64_t cutoff = naive_count(n) * n->cfg->sm.ccws_score;
	int at = naive_victim(w, line);
	int64_t points;

	if (at < 0 || !w->live)
		return;
	naive_drop(w, at);
	n->hits++;
	points = (int64_t)(n->hits * (uint64_t)n->cfg->sm.ccws_throttle *
			   (uint64_t)cutoff / (n->issued ? n->issued : 1));
	points = points > cutoff ? cutoff : points;
	if (points < n->cfg->sm.ccws_score)
		points = n->cfg->sm.ccws_score;
	w->score = points;
	w->down = n->now;
}

static void naive_started(struct naive *n, int slot)
{
	n->number++;
	n->w[slot] = (struct naive_warp){ .live = true,
					  .start = n->number,
					  .queued = n->number,
					  .score = n->cfg->sm.ccws_score };
}

static unsigned roll(uint64_t *seed, unsigned below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % below;
}

/* Sends a start, end, wait or cache event of one slot to both. */
static void event(struct rig *r, struct naive *n, int slot, uint64_t *seed)
{
	struct naive_warp *w = &n->w[slot];
	uint64_t line = roll(seed, LINES);
	unsigned what = roll(seed, 16);

	if (!w->live) {
		if (what < 6) {
			naive_started(n, slot);
			sched_started(&r->s, slot);
		}
	} else if (what == 0) {
		*w = (struct naive_warp){ 0 };
		sched_ended(&r->s, slot);
	} else if (what < 5 && !w->stalled) {
		w->stalled = true;
		w->active = false;
		sched_stalled(&r->s, slot);
	} else if (what < 8 && w->stalled) {
		w->stalled = false;
		w->queued = ++n->number;
		sched_woken(&r->s, slot);
	} else if (what < 12) {
		naive_evicted(n, slot, line);
		sched_evicted(&r->s, slot, line);
	} else {
		naive_missed(n, slot, line);
		sched_missed(&r->s, slot, line, n->now);
	}
}

static uint64_t some_ready(const struct naive *n, uint64_t *seed)
{
	unsigned one_in = 1 + roll(seed, 20);
	uint64_t can = 0;

	for (int i = 0; i < N; i++)
		if (n->w[i].live && !n->w[i].stalled && !roll(seed, one_in))
			can |= UINT64_C(1) << i;
	return can;
}

static int naive_held(const struct naive *n)
{
	int held = 0;

	for (int i = 0; i < N; i++)
		held += n->w[i].live && naive_throttled(n, i);
	return held;
}

/* Nothing was picked. Check that nothing would be picked before s.wake, and
 * that ccws then stops throttling some warp. */
static void check_wake(struct rig *r, struct naive *n, uint64_t can)
{
	cycle_t wake = r->s.wake;
	int held = naive_held(n);

	for (int i = 0; i < 40; i++) {
		naive_tick(n);
		if (naive_pick(n, can) >= 0)
			OK(n->now >= wake);
		if (n->cfg->sm.scheduler == CFG_SCHEDULER_CCWS)
			EQ(n->now >= wake, naive_held(n) < held);
		if (n->now >= wake)
			return;
	}
}

/* Returns how often the policy held back all ready warps. */
static int compare(enum cfg_scheduler policy, uint64_t mine, uint64_t seed)
{
	struct naive n = { .last = -1 };
	struct rig r;
	int none = 0;

	rig_init(&r, policy, mine);
	r.cfg.sm.active_warps = 1 + roll(&seed, 8);
	r.cfg.sm.ccws_score = 1 + roll(&seed, 50);
	r.cfg.sm.ccws_throttle = 1 + roll(&seed, 32);
	n.cfg = &r.cfg;
	for (int i = 0; i < 1200; i++) {
		int slot;
		uint64_t can;

		for (int e = 0; e < 4; e++) {
			slot = (int)roll(&seed, N);
			if (mine >> slot & 1)
				event(&r, &n, slot, &seed);
			naive_fill(&n);
		}
		can = some_ready(&n, &seed);
		slot = naive_pick(&n, can);
		EQ(slot, sched_pick(&r.s, can, n.now));
		if (slot >= 0) {
			sched_issued(&r.s, slot);
			n.last = slot;
			n.last_start = n.w[slot].start;
			n.issued++;
		} else if (can) {
			none++;
			check_wake(&r, &n, can);
		}
		if (roll(&seed, 2))
			naive_tick(&n);
	}
	arena_free(&r.arena);
	return none;
}

TEST(sched, every_policy_equals_its_oracle)
{
	static const uint64_t mine[] = { 0x1111111111111111, 0xffff, UINT64_MAX,
					 0xfff0 };

	for (int p = 0; sched_all[p]; p++) {
		bool holds = p == CFG_SCHEDULER_TWO_LEVEL ||
			     p == CFG_SCHEDULER_CCWS;
		int none = 0;

		for (int m = 0; m < 4; m++)
			for (uint64_t seed = 1; seed <= 3; seed++)
				none += compare((enum cfg_scheduler)p, mine[m],
						seed);
		OK(holds ? none > 1000 : !none);
	}
}

TEST(sched, warps_that_yield_take_turns_under_greedy_policies)
{
	static const struct {
		enum cfg_scheduler policy;
		int order[6];
	} cases[] = {
		{ CFG_SCHEDULER_CGGTY, { 3, 2, 1, 3, 2, 1 } },
		{ CFG_SCHEDULER_GTO, { 1, 2, 3, 1, 2, 3 } },
		{ CFG_SCHEDULER_CCWS, { 1, 2, 3, 1, 2, 3 } },
	};

	for (int p = 0; p < 3; p++) {
		struct rig r;

		rig_init(&r, cases[p].policy, 0xf);
		for (int slot = 1; slot < 4; slot++)
			sched_started(&r.s, slot);
		for (cycle_t t = 0; t < 6; t++) {
			EQ(cases[p].order[t], issue(&r, 0xe, t));
			sched_yields(&r.s);
		}
		/* One that stays has its turn until it cannot issue. */
		EQ(cases[p].order[0], issue(&r, 0xe, 6));
		EQ(cases[p].order[0], issue(&r, 0xe, 7));
		arena_free(&r.arena);
	}
}
