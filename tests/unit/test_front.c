#include "test.h"

#include <string.h>

#include "sm/front.h"

/* Two sub-cores; L0: 2 sets of 2 ways, L1: 4 sets of 2 ways, eight
 * instructions a line; L1 10 cycles, L2 100 more, decoding 3. */
struct rig {
	struct arena arena;
	struct cfg cfg;
	struct stat_front st;
	struct front *f;
};

static void rig_cfg(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	cfg_defaults(&r->cfg);
	r->cfg.sm.subcores = 2;
	r->cfg.front.l0 = 512;
	r->cfg.front.l0_ways = 2;
	r->cfg.front.l1 = 1024;
	r->cfg.front.l1_ways = 2;
	r->cfg.front.l1_cycles = 10;
	r->cfg.front.l2_cycles = 100;
	r->cfg.front.decode_cycles = 3;
	r->cfg.front.prefetch = CFG_PREFETCH_NONE;
	r->cfg.front.prefetch_lines = 3;
}

static void rig_make(struct rig *r)
{
	struct diag d;

	EQ(ERR_OK, front_new(&r->f, &r->arena, &r->cfg, &r->st, &d));
	arena_seal(&r->arena);
}

static void rig_init(struct rig *r)
{
	rig_cfg(r);
	rig_make(r);
}

static void rig_end(struct rig *r)
{
	const struct stat_front *s = &r->st;

	EQ(s->fetches, s->l0_hits + s->l0_pending + s->l0_misses);
	EQ(s->l0_misses + s->prefetches, s->l1_hits + s->l1_misses);
	arena_free(&r->arena);
}

static cycle_t fetch(struct rig *r, uint32_t sub, uint32_t line, cycle_t now)
{
	return front_fetch(r->f, sub, line, now);
}

TEST(front, a_cold_line_takes_both_levels_and_decoding)
{
	struct rig r;

	rig_init(&r);
	EQ(3, front_shift(r.f));
	EQ(1000 + 10 + 100 + 3, fetch(&r, 0, 5, 1000));
	EQ(1, r.st.l0_misses);
	EQ(1, r.st.l1_misses);
	rig_end(&r);
}

TEST(front, a_hit_issues_at_once)
{
	struct rig r;

	rig_init(&r);
	fetch(&r, 0, 5, 1000);
	EQ(1110, fetch(&r, 0, 5, 1110));
	EQ(2000, fetch(&r, 0, 5, 2000));
	EQ(2, r.st.l0_hits);
	rig_end(&r);
}

TEST(front, a_line_in_flight_arrives_once_for_all)
{
	struct rig r;

	rig_init(&r);
	EQ(1113, fetch(&r, 0, 5, 1000));
	EQ(1113, fetch(&r, 0, 5, 1001));
	EQ(1113, fetch(&r, 0, 5, 1109));
	EQ(2, r.st.l0_pending);
	/* The other sub-core waits for the same line of the L1, */
	EQ(1113, fetch(&r, 1, 5, 1050));
	EQ(2, r.st.l1_misses);
	rig_end(&r);
}

TEST(front, a_line_that_another_subcore_fetched_is_in_the_l1)
{
	struct rig r;

	rig_init(&r);
	fetch(&r, 0, 5, 1000);
	EQ(1105 + 10 + 3,
	   fetch(&r, 1, 5, 1105)); /* there when it is looked up */
	EQ(1, r.st.l1_hits);
	EQ(2000 + 110 + 3, fetch(&r, 1, 6, 2000));
	EQ(3000 + 10 + 3, fetch(&r, 0, 6, 3000));
	EQ(2, r.st.l1_hits);
	rig_end(&r);
}

TEST(front, both_levels_replace_the_least_recently_used)
{
	struct rig r;

	rig_init(&r);
	fetch(&r, 0, 0, 1000); /* set 0 of the L0: 0, 2, 4... */
	fetch(&r, 0, 2, 2000);
	EQ(3000, fetch(&r, 0, 0, 3000));
	fetch(&r, 0, 4, 4000); /* over 2 */
	EQ(5000, fetch(&r, 0, 0, 5000));
	EQ(6013, fetch(&r, 0, 2, 6000)); /* the L1 has it; over 4 */
	EQ(7000, fetch(&r, 0, 0, 7000));
	/* Set 0 of the L1: 0 and 4, used at 1000 and 4000. */
	fetch(&r, 1, 8, 8000); /* over 0 */
	EQ(9013, fetch(&r, 1, 4, 9000));
	EQ(10113, fetch(&r, 1, 0, 10000));
	EQ(11000, fetch(&r, 0, 0, 11000)); /* an L0 keeps its own */
	rig_end(&r);
}

TEST(front, starting_empties_everything)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	fetch(&r, 0, 5, 1000);
	front_start(r.f);
	EQ(2113, fetch(&r, 0, 6, 2000));
	EQ(2113, fetch(&r, 0, 6, 2000));
	EQ(3113, fetch(&r, 0, 5, 3000));
	rig_end(&r);
}

TEST(front, a_perfect_supply_never_waits)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.perfect = true;
	r.cfg.front.inst = 3; /* no rule applies without caches */
	rig_make(&r);
	EQ(0, front_line(5, 1000000, front_shift(r.f)));
	EQ(7, fetch(&r, 1, 12345, 7));
	EQ(0, r.st.fetches);
	front_start(r.f);
	rig_end(&r);
}

TEST(front, without_an_l0_the_l1_takes_its_place)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.l0 = 0;
	r.cfg.front.l1_line = 64;
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	EQ(2, front_shift(r.f));
	EQ(1103, fetch(&r, 0, 5, 1000));
	EQ(1103, fetch(&r, 1, 5, 1001));
	EQ(1103, fetch(&r, 1, 5, 1099));
	EQ(1100, fetch(&r, 1, 5, 1100));
	EQ(2103, fetch(&r, 1, 6, 2000));
	EQ(0, r.st.prefetches);
	EQ(5, r.st.l0_misses);
	EQ(1, r.st.l1_hits);
	rig_end(&r);
}

TEST(front, without_an_l1_a_miss_goes_to_the_l2)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.l1 = 0;
	rig_make(&r);
	EQ(1103, fetch(&r, 0, 5, 1000));
	EQ(1100, fetch(&r, 0, 5, 1100));
	EQ(2103, fetch(&r, 1, 5, 2000));
	EQ(2, r.st.l1_misses);
	rig_end(&r);
}

TEST(front, a_line_of_the_l1_may_hold_several_of_the_l0)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.l1_line = 256;
	rig_make(&r);
	EQ(1113, fetch(&r, 0, 4, 1000));
	EQ(1113, fetch(&r, 0, 5, 1001));
	EQ(2013, fetch(&r, 1, 5, 2000));
	EQ(3113, fetch(&r, 1, 6, 3000));
	rig_end(&r);
}

TEST(front, a_miss_starts_a_stream)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.l1 = 64 * 1024;
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	for (uint32_t line = 0; line < 8; line++)
		fetch(&r, 1, line, 1); /* into the L1, by the other sub-core */
	memset(&r.st, 0, sizeof(r.st));

	EQ(1013, fetch(&r, 0, 0, 1000)); /* and 1, 2, 3 at 1011, 1012, 1013 */
	EQ(3, r.st.prefetches);
	EQ(1014, fetch(&r, 0, 1, 1000)); /* and 4, requested at 1004 */
	EQ(4, r.st.prefetches);
	EQ(1, r.st.l0_pending);
	EQ(1012, fetch(&r, 0, 2, 1012)); /* has arrived; 5 requested at 1013 */
	EQ(1, r.st.l0_hits);
	EQ(1017, fetch(&r, 0, 4, 1012)); /* drops 3; 6 and 7 at 1014, 1015 */
	EQ(7, r.st.prefetches);
	EQ(1026, fetch(&r, 0, 5, 1012));
	EQ(1028, fetch(&r, 0, 7, 1014));
	EQ(1, r.st.l0_misses);
	EQ(1043, fetch(&r, 0, 3, 1030)); /* dropped: a miss */
	EQ(2, r.st.l0_misses);
	rig_end(&r);
}

TEST(front, a_miss_elsewhere_restarts_the_stream_at_once)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	EQ(1113, fetch(&r, 0, 0, 1000)); /* 1, 2, 3 at 1001, 1002, 1003 */
	EQ(1114, fetch(&r, 0, 20, 1001));
	EQ(1115, fetch(&r, 0, 21, 1001));
	EQ(2, r.st.l0_misses);
	EQ(7, r.st.prefetches);
	rig_end(&r);
}

TEST(front, a_stream_hides_the_l2_from_straight_code)
{
	struct rig r;
	cycle_t now = 0;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	for (uint32_t line = 0; line < 100; line++) {
		now = fetch(&r, 0, line, now);
		now += 40;
	}
	/* Three lines ahead at 40 cycles a line cover what is left of 110;
	 * only the first line is waited for. */
	EQ(1, r.st.l0_misses);
	EQ(0, r.st.l0_pending);
	EQ(113 + 100 * 40, now);
	EQ(102, r.st.prefetches);
	rig_end(&r);
}

TEST(front, a_stream_skips_what_the_l0_has)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	r.cfg.front.prefetch_lines = 1;
	rig_make(&r);
	fetch(&r, 0, 7, 1000); /* and 8 to the buffer */
	EQ(1, r.st.prefetches);
	fetch(&r, 0, 6, 2000); /* 7 is there */
	EQ(1, r.st.prefetches);
	EQ(3000, fetch(&r, 0, 7, 3000));
	EQ(2, r.st.l0_misses);
	rig_end(&r);
}

TEST(front, streams_belong_to_subcores)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	EQ(1113, fetch(&r, 0, 0, 1000));
	EQ(2013, fetch(&r, 1, 1, 2000)); /* in the L1, not in its stream */
	EQ(2, r.st.l0_misses);
	EQ(2500, fetch(&r, 0, 1, 2500));
	rig_end(&r);
}

static void refused(struct rig *r, const char *text)
{
	struct diag d;

	EQ(ERR_RANGE, front_new(&r->f, &r->arena, &r->cfg, &r->st, &d));
	OK(strstr(d.text, text) != NULL);
	arena_free(&r->arena);
}

TEST(front, what_it_cannot_model_is_refused)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.inst = 12;
	refused(&r, "front.l0_line = 128");
	rig_cfg(&r);
	r.cfg.front.l0 = 0;
	r.cfg.front.l1_line = 8;
	refused(&r, "front.l1_line = 8");
	rig_cfg(&r);
	r.cfg.front.l1_line = 64;
	refused(&r, "front.l1_line = 64");
	rig_cfg(&r);
	r.cfg.front.l0 = r.cfg.front.l1 = 0;
	refused(&r, "need a cache");
}

/* ---- the oracle: caches as lists, the last used first ---- */

enum { LIST = 2, LINES = 24 };

struct line {
	uint32_t line;
	cycle_t ready;
};

/* One set. */
struct list {
	struct line at[LIST];
	int used, room;
};

static struct line *list_find(struct list *l, uint32_t line)
{
	for (int i = 0; i < l->used; i++)
		if (l->at[i].line == line)
			return &l->at[i];
	return NULL;
}

static void list_front(struct list *l, struct line x)
{
	struct line *old = list_find(l, x.line);
	int i = old               ? (int)(old - l->at) :
		l->used < l->room ? l->used++ :
				    l->room - 1;

	for (; i; i--)
		l->at[i] = l->at[i - 1];
	l->at[0] = x;
}

struct naive {
	struct list l0[2][2], l1[4];
};

static cycle_t naive_l1(struct naive *n, uint32_t line, cycle_t t)
{
	struct list *set = &n->l1[line % 4];
	const struct line *w = list_find(set, line);
	struct line x = { line, w ? w->ready : t + 110 };

	list_front(set, x);
	return x.ready > t + 10 ? x.ready : t + 10;
}

static cycle_t naive_fetch(struct naive *n, uint32_t sub, uint32_t line,
			   cycle_t now)
{
	struct list *set = &n->l0[sub][line % 2];
	const struct line *w = list_find(set, line);
	struct line x = { line, w ? w->ready : naive_l1(n, line, now) };

	list_front(set, x);
	return x.ready > now ? x.ready + 3 : now;
}

TEST(front, random_fetches_equal_an_oracle)
{
	struct naive n = { 0 };
	uint32_t seed = 1;
	cycle_t now = 0;
	struct rig r;

	rig_init(&r);
	for (int i = 0; i < 8; i++)
		(i < 4 ? &n.l0[i / 2][i % 2] : &n.l1[i - 4])->room = 2;
	for (int i = 0; i < 100000; i++) {
		uint32_t sub, line;

		seed = seed * 1664525u + 1013904223u;
		sub = seed >> 31;
		line = (seed >> 8) % (seed >> 20 & 1 ? LINES : 4);
		now += (seed >> 16) % 16;
		EQ(naive_fetch(&n, sub, line, now), fetch(&r, sub, line, now));
	}
	OK(r.st.l0_hits > 1000);
	OK(r.st.l0_pending > 1000);
	OK(r.st.l1_hits > 1000);
	OK(r.st.l1_misses > 1000);
	rig_end(&r);
}

TEST(front, the_first_line_of_a_launch_is_later_the_more_sms_start)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_RUN;
	r.cfg.front.prefetch_lines = 2;
	r.cfg.front.l0 = 2048;
	r.cfg.front.launch_prefetch = 1024;
	r.cfg.front.start_cycles = 1.5;
	rig_make(&r);
	front_launch(r.f, 0, 100, 20);
	/* For every sub-core, and whatever it fetches. */
	EQ(1000 + 10 + 30 + 3, fetch(&r, 0, 0, 1000));
	EQ(1000 + 10 + 30 + 3, fetch(&r, 1, 5, 1004));
	EQ(1040 + 10 + 3, fetch(&r, 1, 0, 1040));
	/* The next launch starts again. */
	front_start(r.f);
	front_launch(r.f, 0, 100, 2);
	EQ(2000 + 10 + 3 + 3, fetch(&r, 0, 0, 2000));
	rig_end(&r);
}

TEST(front, the_first_line_of_a_launch_is_late_in_every_sm)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_RUN;
	r.cfg.front.prefetch_lines = 2;
	r.cfg.front.l0 = 2048;
	r.cfg.front.launch_prefetch = 1024;
	r.cfg.front.start_latency = 70;
	r.cfg.front.start_cycles = 1.5;
	rig_make(&r);
	front_launch(r.f, 0, 100, 20);
	EQ(1000 + 10 + 70 + 30 + 3, fetch(&r, 0, 0, 1000));
	rig_end(&r);
}

TEST(front, a_run_of_lines_comes_at_once_and_fetches_the_next)
{
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_RUN;
	r.cfg.front.prefetch_lines = 2;
	r.cfg.front.l0 = 2048;
	r.cfg.front.launch_prefetch = 1024;
	rig_make(&r);
	front_launch(r.f, 0, 100, 1);
	/* Lines 0, 1, 2; then 3, 4, 5 by the first request for line 1. */
	EQ(1000 + 10 + 3, fetch(&r, 0, 0, 1000));
	EQ(1010 + 3, fetch(&r, 0, 1, 1008));
	EQ(1016, fetch(&r, 0, 2, 1016));
	EQ(1018, fetch(&r, 0, 3, 1018));
	EQ(1019, fetch(&r, 0, 5, 1019));
	EQ(6, r.st.l1_hits);
	/* Line 6 is a miss that fetches 6, 7, 8; only 8 lines were in the L1
	 * at the launch. */
	EQ(1100 + 10 + 3, fetch(&r, 0, 6, 1100));
	EQ(1110 + 100 + 3, fetch(&r, 0, 8, 1110));
	EQ(1, r.st.l1_misses);
	rig_end(&r);
}

/*
 * Lines that are requested from elsewhere
 */

struct requests {
	uint32_t line[16];
	unsigned count;
};

static void note_request(void *ctx, uint32_t line)
{
	struct requests *q = ctx;

	q->line[q->count++ % 16] = line;
}

TEST(front, a_line_that_is_asked_for_comes_when_it_arrives)
{
	struct requests q = { .count = 0 };
	struct rig r;

	rig_init(&r);
	front_ask(r.f, note_request, &q);
	OK(fetch(&r, 0, 5, 100) >= FRONT_COMING);
	OK(fetch(&r, 1, 5, 105) >= FRONT_COMING);
	EQ(1u, q.count);
	EQ(5u, q.line[0]);
	front_arrived(r.f, 5, 150);
	EQ(150u, fetch(&r, 0, 5, 150));
	EQ(150u, fetch(&r, 1, 5, 150));
	/* Later it is in the L1. */
	front_start(r.f);
	OK(fetch(&r, 0, 5, 200) >= FRONT_COMING);
	front_arrived(r.f, 5, 210);
	EQ(220u + 3, fetch(&r, 1, 5, 210));
	EQ(2u, q.count);
	rig_end(&r);
}

TEST(front, the_lines_of_a_stream_are_asked_for_and_arrive_in_any_order)
{
	struct requests q = { .count = 0 };
	struct rig r;

	rig_cfg(&r);
	r.cfg.front.prefetch = CFG_PREFETCH_STREAM;
	rig_make(&r);
	front_ask(r.f, note_request, &q);
	OK(fetch(&r, 0, 8, 100) >= FRONT_COMING);
	EQ(4u, q.count);
	for (unsigned i = 0; i < 4; i++)
		EQ(8 + i, q.line[i]);
	front_arrived(r.f, 10, 140);
	OK(fetch(&r, 0, 9, 150) >= FRONT_COMING);
	EQ(150u, fetch(&r, 0, 10, 150));
	front_arrived(r.f, 9, 160);
	EQ(160u, fetch(&r, 0, 9, 160));
	rig_end(&r);
}
