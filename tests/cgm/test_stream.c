/* The prefetcher of a second-level cache: its streams, and the cache with it. */
#include <string.h>

#include "cgm/random.h"
#include "cgm/rig.h"
#include "mem/cgm/cache.h"
#include "test.h"

/* The blocks that are asked for now, until there are no more. */
static unsigned ask(struct cgm_streams *s, uint64_t *blocks)
{
	unsigned n = 0;

	while (cgm_streams_next(s, &blocks[n])) {
		cgm_streams_took(s, blocks[n++]);
		OK(n < 64);
	}
	return n;
}

TEST(stream, neighbours_begin_one_and_it_runs_so_far_ahead)
{
	struct cgm_streams s = { .distance = 3 };
	uint64_t b[64];

	cgm_streams_note(&s, 10);
	EQ(0, ask(&s, b));
	cgm_streams_note(&s, 11);
	EQ(3, ask(&s, b));
	EQ(12, b[0]);
	EQ(14, b[2]);
	cgm_streams_note(&s, 12);
	EQ(1, ask(&s, b));
	EQ(15, b[0]);
}

TEST(stream, it_ends_with_its_page_and_may_go_down)
{
	struct cgm_streams s = { .distance = 8 };
	uint64_t b[64];

	cgm_streams_note(&s, 61);
	cgm_streams_note(&s, 62);
	EQ(1, ask(&s, b));
	EQ(63, b[0]);
	cgm_streams_note(&s, 66);
	cgm_streams_note(&s, 65);
	EQ(1, ask(&s, b));
	EQ(64, b[0]);
}

TEST(stream, what_accesses_have_overtaken_is_not_asked_for)
{
	struct cgm_streams s = { .distance = 2 };
	uint64_t b[64];

	cgm_streams_note(&s, 10);
	cgm_streams_note(&s, 11);
	cgm_streams_note(&s, 20);
	EQ(2, ask(&s, b));
	EQ(21, b[0]);
	EQ(22, b[1]);
}

TEST(stream, the_one_used_least_recently_is_replaced)
{
	struct cgm_streams s = { .distance = 1 };
	uint64_t b[64];

	for (uint64_t p = 0; p <= CGM_STREAMS; p++)
		cgm_streams_note(&s, p * CGM_STREAM_PAGE);
	/* Page 0 is forgotten, page 1 is not. */
	cgm_streams_note(&s, 1);
	EQ(0, ask(&s, b));
	cgm_streams_note(&s, 2 * CGM_STREAM_PAGE + 1);
	EQ(1, ask(&s, b));
	EQ(2 * CGM_STREAM_PAGE + 2, b[0]);
}

/*
 * In a cache
 */

enum { SELF = 3, HOME = CGM_AGENTS };

struct prefetch_rig {
	struct arena a;
	struct rig_pair kid, net;
	struct cgm_cache *c;
};

static void prefetch_rig_init(struct prefetch_rig *r)
{
	struct cgm_cache_config cfg = { .table = &cgm_table,
					.period = 1,
					.sets = 1,
					.ways = 4,
					.latency = 4,
					.mshrs = 4,
					.buffers = 1,
					.coherent = true,
					.self = SELF,
					.homes = { 1, HOME },
					.kids = 1,
					.kid_misses = 4,
					.prefetch = 1 };
	struct cgm_wire *kid[1][2];
	struct diag d;

	memset(r, 0, sizeof(*r));
	r->net = rig_pair_new(&r->a);
	r->kid = rig_pair_new(&r->a);
	memcpy(kid[0], r->kid.wire, sizeof(kid[0]));
	OK(!cgm_cache_new(&r->c, &r->a, &cfg, (struct cgm_wire *const(*)[2])kid,
			  r->net.wire, &d));
}

static void deliver(struct prefetch_rig *r, cycle_t now, uint64_t block)
{
	rig_send(&r->net, now,
		 (struct cgm_packet){ .kind = CGM_DATA_S,
				      .from = HOME,
				      .to = SELF,
				      .requester = SELF,
				      .block = block });
}

static void read_block(struct prefetch_rig *r, cycle_t now, uint64_t block)
{
	struct cgm_packet p;

	rig_send(&r->kid, now, rig_access(CGM_OP_LOAD, block, block));
	EQ(now + 1 + 4 + 1, rig_answer(&r->c->part, &r->net, now, &p));
	EQ(CGM_GETS, p.kind);
	EQ(block, p.block);
	deliver(r, now + 20, block);
}

/* The second miss begins a stream: its neighbour is asked for a cycle later, and
 * nobody is answered for it. An access to it hits, and the stream goes on. */
TEST(stream, a_cache_asks_ahead_and_answers_nobody)
{
	struct prefetch_rig r;
	struct cgm_packet p;

	prefetch_rig_init(&r);
	read_block(&r, 0, 8);
	rig_answer(&r.c->part, &r.net, 20, &p);
	EQ(CGM_UNBLOCK, p.kind);
	rig_answer(&r.c->part, &r.kid, 20, &p);
	rig_send(&r.kid, 100, rig_access(CGM_OP_LOAD, 9, 9));
	EQ(101 + 4 + 1, rig_answer(&r.c->part, &r.net, 100, &p));
	EQ(9, p.block);
	EQ(102 + 4 + 1, rig_answer(&r.c->part, &r.net, 107, &p));
	EQ(CGM_GETS, p.kind);
	EQ(10, p.block);
	deliver(&r, 120, 10);
	EQ(121 + 4 + 1, rig_answer(&r.c->part, &r.net, 120, &p));
	EQ(CGM_UNBLOCK, p.kind);
	EQ(CYCLE_NEVER, rig_answer(&r.c->part, &r.kid, 127, &p));
	EQ(1, r.c->st.prefetches);
	EQ(2, r.c->st.misses);
	arena_free(&r.a);
}

/* Values of a random run with prefetchers, as of those without. */
TEST(stream, prefetching_changes_no_value)
{
	struct random_test t;
	struct random_result r;

	random_tiny(&t, 4000);
	t.cfg.cgm.l2_prefetch = 4;
	OK(random_run(&t, &r));
	OK(r.checks > 1000);
	random_tiny(&t, 20000);
	random_roomy(&t);
	t.cfg.cgm.l2_prefetch = 20;
	t.options.jitter = 9;
	t.options.seed = 7;
	OK(random_run(&t, &r));
	OK(r.checks > 10000);
}
