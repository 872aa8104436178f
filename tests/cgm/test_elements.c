/* Each element of CGM alone, between wires that the test holds: exact ticks. */
#include <string.h>

#include "cgm/rig.h"
#include "mem/cgm/agent.h"
#include "mem/cgm/cache.h"
#include "mem/cgm/hub.h"
#include "mem/cgm/l1.h"
#include "mem/cgm/memory.h"
#include "mem/cgm/slice.h"
#include "mem/cgm/switch.h"
#include "test.h"

/*
 * Wires
 */

TEST(wire, a_message_takes_its_bytes_and_the_latency)
{
	struct arena a = { 0 };
	struct cgm_wire_config cfg = {
		.latency = 5, .beat = 2, .width = 16, .room = 2
	};
	struct cgm_wire *w = cgm_wire_new(&a, &cfg);
	struct cgm_packet p = { .kind = CGM_DATA_S };

	/* 72 bytes: 5 beats of 2 ticks. */
	cgm_wire_send(w, CGM_LANE_REPLY, 10, &p);
	EQ(false, cgm_wire_is_free(w, 19));
	EQ(true, cgm_wire_is_free(w, 20));
	EQ(10 + 5 + 4 * 2, cgm_wire_next(w));
	OK(!cgm_wire_peek(w, CGM_LANE_REPLY, 22));
	OK(cgm_wire_peek(w, CGM_LANE_REPLY, 23));
	arena_free(&a);
}

TEST(wire, messages_pass_side_by_side)
{
	struct arena a = { 0 };
	struct cgm_wire_config cfg = {
		.latency = 5, .beat = 2, .width = 128, .room = 4, .burst = 2
	};
	struct cgm_wire *w = cgm_wire_new(&a, &cfg);
	struct cgm_packet p = { .kind = CGM_GETS };

	cgm_wire_send(w, CGM_LANE_REQUEST, 10, &p);
	EQ(true, cgm_wire_is_free(w, 10));
	cgm_wire_send(w, CGM_LANE_REQUEST, 10, &p);
	EQ(false, cgm_wire_is_free(w, 11));
	EQ(true, cgm_wire_is_free(w, 12));
	cgm_wire_send(w, CGM_LANE_REQUEST, 12, &p);
	EQ(true, cgm_wire_is_free(w, 12));
	cgm_wire_pop(w, CGM_LANE_REQUEST, 15);
	OK(cgm_wire_peek(w, CGM_LANE_REQUEST, 15));
	cgm_wire_pop(w, CGM_LANE_REQUEST, 15);
	OK(!cgm_wire_peek(w, CGM_LANE_REQUEST, 16));
	OK(cgm_wire_peek(w, CGM_LANE_REQUEST, 17));
	arena_free(&a);
}

TEST(wire, a_credit_returns_after_the_latency)
{
	struct arena a = { 0 };
	struct cgm_wire_config cfg = {
		.latency = 5, .beat = 1, .width = 128, .room = 1
	};
	struct cgm_wire *w = cgm_wire_new(&a, &cfg);
	struct cgm_packet p = { .kind = CGM_GETS };

	cgm_wire_send(w, CGM_LANE_REQUEST, 0, &p);
	OK(!cgm_wire_has_room(w, CGM_LANE_REQUEST, 1, 7));
	cgm_wire_pop(w, CGM_LANE_REQUEST, 7);
	OK(!cgm_wire_has_room(w, CGM_LANE_REQUEST, 1, 11));
	OK(cgm_wire_has_room(w, CGM_LANE_REQUEST, 1, 12));
	OK(!cgm_wire_has_room(w, CGM_LANE_REQUEST, 2, 12));
	/* Other lanes have buffers of their own. */
	OK(cgm_wire_has_room(w, CGM_LANE_REPLY, 1, 0));
	arena_free(&a);
}

TEST(wire, it_counts_messages_by_kind_and_how_long_they_lie_behind_it)
{
	struct arena a = { 0 };
	struct cgm_wire_config cfg = {
		.latency = 5, .beat = 1, .width = 128, .room = 2
	};
	struct cgm_wire *w = cgm_wire_new(&a, &cfg);
	struct cgm_packet gets = { .kind = CGM_GETS };
	struct cgm_packet getx = { .kind = CGM_GETX };

	cgm_wire_send(w, CGM_LANE_REQUEST, 0, &gets);
	cgm_wire_send(w, CGM_LANE_REQUEST, 1, &getx);
	EQ(1, w->messages[CGM_GETS]);
	EQ(2, cgm_wire_messages(w, CGM_LANE_REQUEST));
	EQ(0, cgm_wire_messages(w, CGM_LANE_REPLY));
	/* They arrive at 5 and 6. */
	cgm_wire_pop(w, CGM_LANE_REQUEST, 9);
	EQ(4, w->held);
	cgm_wire_pop(w, CGM_LANE_REQUEST, 10);
	EQ(8, w->held);
	arena_free(&a);
}

TEST(wire, what_waits_to_be_sent_is_counted)
{
	struct arena a = { 0 };
	struct cgm_wire_config cfg = {
		.latency = 5, .beat = 4, .width = 8, .room = 2
	};
	struct cgm_wire *w = cgm_wire_new(&a, &cfg);
	struct cgm_packet p = { .kind = CGM_GETS };
	struct cgm_part part;
	struct cgm_out out = { 0 };

	cgm_part_init(&part, NULL, 1);
	OK(cgm_out_init(&out, &a, &part, w, 4));
	cgm_out_push(&out, 0, &p);
	cgm_out_push(&out, 0, &p);
	/* The link is busy with the first one until 4. */
	for (cycle_t now = 0; now <= 4; now++)
		cgm_out_send(&out, now);
	EQ(4, w->waited);
	arena_free(&a);
}

/*
 * Hot blocks
 */

TEST(hot, a_block_that_has_most_is_never_missing)
{
	static struct cgm_hot h;
	const struct cgm_hot_block *most = NULL;
	uint64_t all = 0;

	/* Every third event is of block 7, the rest of blocks that come once. */
	for (unsigned i = 0; i < 30000; i++) {
		cgm_hot_add(&h, i % 3 ? 1000 + i : 7, i % 3 == 0, i % 3 != 0,
			    0);
		all++;
	}
	for (unsigned i = 0; i < CGM_HOT_BLOCKS; i++)
		if (!most || h.at[i].count > most->count)
			most = &h.at[i];
	EQ(7, most->block);
	EQ(10000, most->forwards);
	EQ(0, most->invalidations);
	OK(most->count >= 10000 && most->count - most->over <= 10000);
	OK(most->over <= all / CGM_HOT_BLOCKS);
}

/*
 * First-level caches
 */

struct l1_rig {
	struct arena a;
	struct rig_pair up, below;
	struct cgm_l1 *l;
};

static void l1_rig_init(struct l1_rig *r, bool translates)
{
	struct cgm_l1_config cfg = { .period = 1,
				     .sets = 4,
				     .ways = 1,
				     .latency = 3,
				     .mshrs = 2,
				     .waiters = 4,
				     .coherent = true,
				     .translates = translates,
				     .tlb_sets = 1,
				     .tlb_ways = 1,
				     .walk_levels = 2,
				     .page = 4096 };
	struct diag d;

	memset(r, 0, sizeof(*r));
	r->up = rig_pair_new(&r->a);
	r->below = rig_pair_new(&r->a);
	OK(!cgm_l1_new(&r->l, &r->a, &cfg, r->up.wire, r->below.wire, &d));
}

static void l1_fill(struct l1_rig *r, cycle_t now,
		    const struct cgm_packet *asked, uint8_t value)
{
	struct cgm_packet p = *asked;

	p.kind = CGM_ANSWER;
	memset(p.data, value, sizeof(p.data));
	rig_send(&r->below, now, p);
}

TEST(l1, a_miss_asks_below_and_a_hit_takes_the_latency)
{
	struct l1_rig r;
	struct cgm_packet p;

	l1_rig_init(&r, false);
	rig_send(&r.up, 0, rig_access(CGM_OP_LOAD, 7, 1));
	/* In at 1, out at 2, a tick on the wire. */
	EQ(3, rig_answer(&r.l->part, &r.below, 0, &p));
	EQ(7, p.block);
	l1_fill(&r, 20, &p, 9);
	EQ(21 + 3 + 1, rig_answer(&r.l->part, &r.up, 20, &p));
	EQ(1, p.tag);
	EQ(9, p.data[0]);
	rig_send(&r.up, 40, rig_access(CGM_OP_LOAD, 7, 2));
	EQ(41 + 3 + 1, rig_answer(&r.l->part, &r.up, 40, &p));
	EQ(1, r.l->st.hits);
	EQ(1, r.l->st.misses);
	OK(cgm_l1_is_idle(r.l));
	arena_free(&r.a);
}

/* Three accesses in a cycle: two ports take two, and their answers leave side by
 * side. A third and a fourth come a cycle later. */
TEST(l1, ports_take_accesses_side_by_side)
{
	struct l1_rig r;
	struct cgm_packet p;

	l1_rig_init(&r, false);
	r.l->cfg.ports = 2;
	r.up.wire[0]->cfg.burst = 3;
	r.up.wire[1]->cfg.burst = 2;
	rig_send(&r.up, 0, rig_access(CGM_OP_LOAD, 7, 0));
	rig_answer(&r.l->part, &r.below, 0, &p);
	l1_fill(&r, 10, &p, 9);
	rig_answer(&r.l->part, &r.up, 10, &p);
	for (uint64_t tag = 1; tag <= 3; tag++)
		rig_send(&r.up, 40, rig_access(CGM_OP_LOAD, 7, tag));
	for (uint64_t tag = 1; tag <= 3; tag++) {
		EQ(41 + 3 + 1 + tag / 3,
		   rig_answer(&r.l->part, &r.up, 40 + tag / 3, &p));
		EQ(tag, p.tag);
	}
	EQ(4, r.l->st.accesses);
	arena_free(&r.a);
}

TEST(l1, loads_of_a_block_in_flight_join)
{
	struct l1_rig r;
	struct cgm_packet p, q;

	l1_rig_init(&r, false);
	rig_send(&r.up, 0, rig_access(CGM_OP_LOAD, 7, 1));
	rig_send(&r.up, 1, rig_access(CGM_OP_LOAD, 7, 2));
	rig_answer(&r.l->part, &r.below, 0, &p);
	EQ(CYCLE_NEVER, rig_answer(&r.l->part, &r.below, 4, &q));
	EQ(1, r.l->st.joins);
	l1_fill(&r, 200000, &p, 5);
	rig_answer(&r.l->part, &r.up, 200000, &p);
	EQ(1, p.tag);
	rig_answer(&r.l->part, &r.up, 200001, &p);
	EQ(2, p.tag);
	arena_free(&r.a);
}

TEST(l1, an_invalidation_drops_the_block)
{
	struct l1_rig r;
	struct cgm_packet p;

	l1_rig_init(&r, false);
	rig_send(&r.up, 0, rig_access(CGM_OP_LOAD, 7, 1));
	rig_answer(&r.l->part, &r.below, 0, &p);
	l1_fill(&r, 10, &p, 1);
	rig_answer(&r.l->part, &r.up, 10, &p);
	rig_send(&r.below, 20,
		 (struct cgm_packet){ .kind = CGM_L1_INVAL, .block = 7 });
	rig_send(&r.up, 21, rig_access(CGM_OP_LOAD, 7, 2));
	EQ(24, rig_answer(&r.l->part, &r.below, 20, &p));
	EQ(2, r.l->st.misses);
	arena_free(&r.a);
}

TEST(l1, a_new_page_is_walked_first)
{
	struct l1_rig r;
	struct cgm_packet p;

	l1_rig_init(&r, true);
	rig_send(&r.up, 0, rig_access(CGM_OP_LOAD, 7, 1));
	EQ(3, rig_answer(&r.l->part, &r.below, 0, &p));
	EQ(cgm_walk_block(0, 0, 2), p.block);
	l1_fill(&r, 10, &p, 0);
	rig_answer(&r.l->part, &r.below, 10, &p);
	EQ(cgm_walk_block(0, 1, 2), p.block);
	l1_fill(&r, 20, &p, 0);
	rig_answer(&r.l->part, &r.below, 20, &p);
	EQ(7, p.block);
	EQ(2, r.l->st.walk_reads);
	arena_free(&r.a);
}

/*
 * TLB
 */

TEST(tlb, the_page_used_least_recently_is_replaced)
{
	struct arena a = { 0 };
	struct cgm_tlb t;

	OK(cgm_tlb_init(&t, &a, 1, 2, 4096));
	OK(!cgm_tlb_lookup(&t, 1));
	cgm_tlb_fill(&t, 1);
	cgm_tlb_fill(&t, 2);
	OK(cgm_tlb_lookup(&t, 1));
	cgm_tlb_fill(&t, 3);
	OK(cgm_tlb_lookup(&t, 1));
	OK(!cgm_tlb_lookup(&t, 2));
	EQ(3, t.misses);
	arena_free(&a);
}

/*
 * Second-level caches
 */

struct cache_rig {
	struct arena a;
	struct rig_pair kid[2], net;
	struct cgm_cache *c;
};

enum { SELF = 3, RIG_HOME = CGM_AGENTS };

static void cache_rig_init_snoop(struct cache_rig *r, bool coherent,
				 uint32_t snoop)
{
	struct cgm_cache_config cfg = { .table = &cgm_table,
					.period = 1,
					.sets = 1,
					.ways = 2,
					.latency = 4,
					.snoop = snoop,
					.mshrs = 2,
					.buffers = 1,
					.coherent = coherent,
					.self = SELF,
					.homes = { 1, RIG_HOME },
					.kids = 2,
					.kid_misses = 4 };
	struct cgm_wire *kid[2][2];
	struct diag d;

	memset(r, 0, sizeof(*r));
	r->net = rig_pair_new(&r->a);
	for (unsigned i = 0; i < 2; i++) {
		r->kid[i] = rig_pair_new(&r->a);
		memcpy(kid[i], r->kid[i].wire, sizeof(kid[i]));
	}
	OK(!cgm_cache_new(&r->c, &r->a, &cfg, (struct cgm_wire *const(*)[2])kid,
			  r->net.wire, &d));
}

static void cache_rig_init(struct cache_rig *r, bool coherent)
{
	cache_rig_init_snoop(r, coherent, 0);
}

static void from_home(struct cache_rig *r, cycle_t now, enum cgm_msg kind,
		      uint64_t block, uint16_t requester)
{
	rig_send(&r->net, now,
		 (struct cgm_packet){ .kind = (uint8_t)kind,
				      .from = RIG_HOME,
				      .to = SELF,
				      .requester = requester,
				      .block = block });
}

/* A block that the cache owns, and has written. */
static void own(struct cache_rig *r, cycle_t now, uint64_t block)
{
	struct cgm_packet p;

	rig_send(&r->kid[0], now, rig_access(CGM_OP_STORE, block, 0));
	rig_answer(&r->c->part, &r->net, now, &p);
	EQ(CGM_GETX, p.kind);
	from_home(r, now + 20, CGM_DATA_X, block, SELF);
	rig_answer(&r->c->part, &r->net, now + 20, &p);
	EQ(CGM_UNBLOCK, p.kind);
	rig_answer(&r->c->part, &r->kid[0], now + 20, &p);
	EQ(CGM_ANSWER, p.kind);
}

TEST(cache, a_miss_asks_the_home_and_its_answer_unblocks_it)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init(&r, true);
	rig_send(&r.kid[1], 0, rig_access(CGM_OP_LOAD, 8, 5));
	EQ(1 + 4 + 1, rig_answer(&r.c->part, &r.net, 0, &p));
	EQ(CGM_GETS, p.kind);
	EQ(RIG_HOME, p.to);
	from_home(&r, 10, CGM_DATA_S, 8, SELF);
	EQ(11 + 4 + 1, rig_answer(&r.c->part, &r.net, 10, &p));
	EQ(CGM_UNBLOCK, p.kind);
	EQ(11 + 4 + 1, rig_answer(&r.c->part, &r.kid[1], 16, &p));
	EQ(5, p.tag);
	/* From the access's arrival to the block's. */
	EQ(11 - 1, r.c->st.mshr_ticks);
	OK(cgm_cache_is_idle(r.c));
	arena_free(&r.a);
}

TEST(cache, a_forward_is_answered_to_the_requester_and_the_home)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init(&r, true);
	own(&r, 0, 8);
	from_home(&r, 100, CGM_FWD_GETS, 8, 9);
	EQ(101 + 4 + 1, rig_answer(&r.c->part, &r.net, 100, &p));
	EQ(CGM_DOWNGRADE, p.kind);
	EQ(true, p.dirty);
	EQ(101 + 4 + 2, rig_answer(&r.c->part, &r.net, 107, &p));
	EQ(CGM_DATA_S, p.kind);
	EQ(9, p.to);
	arena_free(&r.a);
}

/* An invalidation 7 cycles and the latency; what the cache sends for itself
 * meanwhile does not wait for it. */
TEST(cache, a_snoop_takes_longer_than_what_the_cache_does_for_itself)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init_snoop(&r, true, 7);
	rig_send(&r.kid[0], 0, rig_access(CGM_OP_LOAD, 8, 5));
	EQ(1 + 4 + 1, rig_answer(&r.c->part, &r.net, 0, &p));
	EQ(CGM_GETS, p.kind);
	from_home(&r, 10, CGM_DATA_S, 8, SELF);
	EQ(11 + 4 + 1, rig_answer(&r.c->part, &r.net, 10, &p));
	EQ(CGM_UNBLOCK, p.kind);
	from_home(&r, 100, CGM_INVAL, 8, 9);
	rig_send(&r.kid[0], 101, rig_access(CGM_OP_LOAD, 9, 6));
	EQ(102 + 4 + 1, rig_answer(&r.c->part, &r.net, 100, &p));
	EQ(CGM_GETS, p.kind);
	OK(!cgm_cache_is_idle(r.c));
	EQ(101 + 4 + 7 + 1, rig_answer(&r.c->part, &r.net, 107, &p));
	EQ(CGM_INV_ACK, p.kind);
	EQ(9, p.to);
	arena_free(&r.a);
}

/* A store that comes before the cache looks at a forward is in what it sends. */
TEST(cache, a_store_before_the_snoop_is_performed_first)
{
	struct cache_rig r;
	struct cgm_packet p, store = rig_access(CGM_OP_STORE, 8, 6);

	cache_rig_init_snoop(&r, true, 7);
	own(&r, 0, 8);
	from_home(&r, 100, CGM_FWD_GETX, 8, 9);
	memset(store.data, 5, sizeof(store.data));
	rig_send(&r.kid[0], 106, store);
	EQ(107 + 4 + 1, rig_answer(&r.c->part, &r.kid[0], 100, &p));
	EQ(CGM_ANSWER, p.kind);
	EQ(108 + 4 + 1, rig_answer(&r.c->part, &r.net, 113, &p));
	EQ(CGM_DATA_X, p.kind);
	EQ(5, p.data[0]);
	arena_free(&r.a);
}

TEST(cache, a_migratory_block_leaves_with_the_right_to_write_if_it_was_written)
{
	struct cache_rig r;
	struct cgm_table t;
	struct cgm_packet p;

	cgm_table_migratory(&t);
	cache_rig_init(&r, true);
	r.c->cfg.table = &t;
	own(&r, 0, 8);
	from_home(&r, 100, CGM_FWD_GETS, 8, 9);
	EQ(101 + 4 + 1, rig_answer(&r.c->part, &r.net, 100, &p));
	EQ(CGM_MOVED, p.kind);
	EQ(true, p.dirty);
	EQ(101 + 4 + 2, rig_answer(&r.c->part, &r.net, 107, &p));
	EQ(CGM_DATA_E, p.kind);
	EQ(9, p.to);
	/* It comes back to be read, not written: then it is shared. */
	rig_send(&r.kid[0], 200, rig_access(CGM_OP_LOAD, 8, 1));
	rig_answer(&r.c->part, &r.net, 200, &p);
	from_home(&r, 220, CGM_DATA_E, 8, SELF);
	rig_answer(&r.c->part, &r.net, 220, &p);
	EQ(CGM_UNBLOCK, p.kind);
	from_home(&r, 300, CGM_FWD_GETS, 8, 9);
	rig_answer(&r.c->part, &r.net, 300, &p);
	EQ(CGM_DOWNGRADE, p.kind);
	rig_answer(&r.c->part, &r.net, 307, &p);
	EQ(CGM_DATA_S, p.kind);
	arena_free(&r.a);
}

TEST(cache, an_evicted_block_answers_until_the_home_has_it)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init(&r, true);
	own(&r, 0, 8);
	own(&r, 100, 9);
	rig_send(&r.kid[0], 200, rig_access(CGM_OP_LOAD, 10, 1));
	rig_answer(&r.c->part, &r.net, 200, &p);
	EQ(CGM_PUTX, p.kind);
	EQ(8, p.block);
	rig_answer(&r.c->part, &r.net, 207, &p);
	EQ(CGM_GETS, p.kind);
	from_home(&r, 220, CGM_FWD_GETX, 8, 9);
	rig_answer(&r.c->part, &r.net, 220, &p);
	EQ(CGM_DATA_X, p.kind);
	EQ(9, p.to);
	/* Not before the home has answered may it be asked for again. */
	rig_send(&r.kid[0], 240, rig_access(CGM_OP_LOAD, 8, 2));
	EQ(CYCLE_NEVER, rig_answer(&r.c->part, &r.net, 240, &p));
	OK(r.c->st.stall_leaving > 0);
	arena_free(&r.a);
}

TEST(cache, a_store_invalidates_the_other_first_level_cache)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init(&r, true);
	own(&r, 0, 8);
	rig_send(&r.kid[1], 100, rig_access(CGM_OP_LOAD, 8, 1));
	rig_answer(&r.c->part, &r.kid[1], 100, &p);
	rig_send(&r.kid[0], 120, rig_access(CGM_OP_STORE, 8, 2));
	rig_answer(&r.c->part, &r.kid[1], 120, &p);
	EQ(CGM_L1_INVAL, p.kind);
	arena_free(&r.a);
}

TEST(cache, a_fence_writes_back_what_is_not_coherent)
{
	struct cache_rig r;
	struct cgm_packet p;

	cache_rig_init(&r, false);
	rig_send(&r.kid[0], 0, rig_access(CGM_OP_STORE, 8, 1));
	rig_answer(&r.c->part, &r.net, 0, &p);
	EQ(CGM_NC_GET, p.kind);
	from_home(&r, 20, CGM_NC_DATA, 8, SELF);
	rig_answer(&r.c->part, &r.kid[0], 20, &p);
	rig_send(&r.kid[0], 40, rig_access(CGM_OP_FENCE, 0, 2));
	rig_answer(&r.c->part, &r.net, 40, &p);
	EQ(CGM_NC_PUT, p.kind);
	EQ(0xff, p.mask);
	from_home(&r, 60, CGM_NC_ACK, 8, SELF);
	rig_answer(&r.c->part, &r.kid[0], 60, &p);
	EQ(2, p.tag);
	OK(cgm_cache_is_idle(r.c));
	arena_free(&r.a);
}

/*
 * Slices
 */

struct slice_rig {
	struct arena a;
	struct rig_pair net;
	struct cgm_slice *s;
};

static void slice_rig_init(struct slice_rig *r)
{
	struct cgm_slice_config cfg = { .table = &cgm_table,
					.period = 1,
					.sets = 1,
					.ways = 1,
					.latency = 6,
					.pending = 2,
					.agents = 4,
					.slices = 1,
					.self = RIG_HOME,
					.memory = RIG_HOME + 1 };
	struct diag d;

	memset(r, 0, sizeof(*r));
	r->net = rig_pair_new(&r->a);
	OK(!cgm_slice_new(&r->s, &r->a, &cfg, r->net.wire, &d));
}

static void to_home(struct slice_rig *r, cycle_t now, enum cgm_msg kind,
		    uint64_t block, uint16_t from)
{
	rig_send(&r->net, now,
		 (struct cgm_packet){ .kind = (uint8_t)kind,
				      .from = from,
				      .to = RIG_HOME,
				      .requester = from,
				      .block = block });
}

TEST(slice, a_miss_reads_memory_and_gives_the_block_alone)
{
	struct slice_rig r;
	struct cgm_packet p;

	slice_rig_init(&r);
	to_home(&r, 0, CGM_GETS, 5, 2);
	EQ(1 + 6 + 1, rig_answer(&r.s->part, &r.net, 0, &p));
	EQ(CGM_MC_LOAD, p.kind);
	to_home(&r, 20, CGM_MC_DATA, 5, RIG_HOME + 1);
	/* It arrives, then the request that waited is served. */
	EQ(21 + 1 + 6 + 1, rig_answer(&r.s->part, &r.net, 20, &p));
	EQ(CGM_DATA_E, p.kind);
	EQ(2, p.to);
	arena_free(&r.a);
}

TEST(slice, a_second_request_waits_for_unblock_and_is_forwarded)
{
	struct slice_rig r;
	struct cgm_packet p;

	slice_rig_init(&r);
	to_home(&r, 0, CGM_GETS, 5, 2);
	rig_answer(&r.s->part, &r.net, 0, &p);
	to_home(&r, 20, CGM_MC_DATA, 5, RIG_HOME + 1);
	rig_answer(&r.s->part, &r.net, 20, &p);
	to_home(&r, 40, CGM_GETX, 5, 1);
	EQ(CYCLE_NEVER, rig_answer(&r.s->part, &r.net, 40, &p));
	to_home(&r, 200000, CGM_UNBLOCK, 5, 2);
	rig_answer(&r.s->part, &r.net, 200000, &p);
	/* Both waited, each until a cycle after what it waited for. */
	EQ(22 - 1 + 200002 - 41, r.s->st.waiting_ticks);
	EQ(CGM_FWD_GETX, p.kind);
	EQ(2, p.to);
	EQ(1, p.requester);
	arena_free(&r.a);
}

TEST(slice, to_evict_a_block_it_takes_it_back)
{
	struct slice_rig r;
	struct cgm_packet p;

	slice_rig_init(&r);
	to_home(&r, 0, CGM_GETX, 5, 2);
	rig_answer(&r.s->part, &r.net, 0, &p);
	to_home(&r, 20, CGM_MC_DATA, 5, RIG_HOME + 1);
	rig_answer(&r.s->part, &r.net, 20, &p);
	to_home(&r, 40, CGM_UNBLOCK, 5, 2);
	to_home(&r, 50, CGM_GETS, 6, 1);
	rig_answer(&r.s->part, &r.net, 50, &p);
	EQ(CGM_RECALL, p.kind);
	EQ(2, p.to);
	rig_send(&r.net, 70,
		 (struct cgm_packet){ .kind = CGM_RECALLED,
				      .block = 5,
				      .dirty = true,
				      .from = 2,
				      .to = RIG_HOME,
				      .mask = UINT64_MAX });
	rig_answer(&r.s->part, &r.net, 70, &p);
	EQ(CGM_MC_PUT, p.kind);
	rig_answer(&r.s->part, &r.net, 80, &p);
	EQ(CGM_MC_LOAD, p.kind);
	EQ(6, p.block);
	arena_free(&r.a);
}

/*
 * Switches
 */

struct switch_rig {
	struct arena a;
	struct rig_pair side[CGM_SIDES];
	struct cgm_switch *s;
};

static void switch_rig_init(struct switch_rig *r, uint32_t latency,
			    const uint8_t *route)
{
	struct cgm_switch_config cfg = { .period = 1,
					 .latency = latency,
					 .route = route };
	struct cgm_wire *wire[CGM_SIDES][2];
	struct diag d;

	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < CGM_SIDES; i++) {
		r->side[i] = rig_pair_new(&r->a);
		memcpy(wire[i], r->side[i].wire, sizeof(wire[i]));
	}
	OK(!cgm_switch_new(&r->s, &r->a, &cfg,
			   (struct cgm_wire *const(*)[2])wire, &d));
}

TEST(switches, inputs_take_turns_for_an_output)
{
	static const uint8_t route[] = { CGM_NORTH, CGM_SOUTH };
	struct switch_rig r;
	struct cgm_packet p;

	switch_rig_init(&r, 2, route);
	for (unsigned i = CGM_SOUTH; i < CGM_SIDES; i++)
		rig_send(&r.side[i], 0,
			 (struct cgm_packet){
				 .kind = CGM_GETS, .to = 0, .tag = i });
	/* In at 1, through at 3, out at 4; then one a tick. */
	EQ(4, rig_answer(&r.s->part, &r.side[CGM_NORTH], 0, &p));
	EQ(CGM_SOUTH, p.tag);
	EQ(5, rig_answer(&r.s->part, &r.side[CGM_NORTH], 5, &p));
	EQ(CGM_EAST, p.tag);
	EQ(6, rig_answer(&r.s->part, &r.side[CGM_NORTH], 6, &p));
	EQ(CGM_WEST, p.tag);
	EQ(1 + 2, r.s->st.waited);
	EQ(1 + 2, r.side[CGM_NORTH].wire[1]->waited);
	arena_free(&r.a);
}

static const uint8_t all_east[] = { CGM_EAST };

/* Four messages that enter the ring, where nobody takes what leaves eastwards:
 * there is room for four. */
static void fill_east(struct switch_rig *r)
{
	switch_rig_init(r, 0, all_east);
	for (unsigned i = 0; i < 4; i++)
		rig_send(&r->side[CGM_NORTH], i,
			 (struct cgm_packet){ .kind = CGM_GETS });
	r->s->part.wake = 1;
	cgm_part_run(&r->s->part, 50);
}

TEST(switches, nothing_enters_the_ring_for_its_last_place)
{
	struct switch_rig r;

	fill_east(&r);
	EQ(3, r.s->st.messages);
	/* But what is on the ring already may have it. */
	rig_send(&r.side[CGM_WEST], 50,
		 (struct cgm_packet){ .kind = CGM_GETS });
	r.s->part.wake = 51;
	cgm_part_run(&r.s->part, 60);
	EQ(4, r.s->st.messages);
	arena_free(&r.a);
}

TEST(switches, one_that_is_blocked_rests_until_a_place_is_free)
{
	struct switch_rig r;
	cycle_t mail;

	fill_east(&r);
	/* It has stopped looking, and counts as if it did. */
	EQ(CYCLE_NEVER, r.s->part.wake);
	EQ(50 - 4,
	   r.s->st.blocked + cgm_part_rested(&r.s->part, 50) * r.s->blocked);
	atomic_store(&r.s->part.mail, CYCLE_NEVER);
	cgm_wire_pop(r.side[CGM_EAST].wire[1], CGM_LANE_REQUEST, 60);
	mail = atomic_load(&r.s->part.mail);
	EQ(61, mail);
	r.s->part.wake = mail;
	cgm_part_run(&r.s->part, 70);
	EQ(4, r.s->st.messages);
	/* From tick 4 to 60. */
	EQ(61 - 4, r.s->st.blocked);
	arena_free(&r.a);
}

/*
 * The hub-iommu
 */

TEST(hub, a_request_is_walked_for_and_translated_and_its_answer_back)
{
	struct cgm_hub_config cfg = { .period = 1,
				      .latency = 3,
				      .reverse_latency = 7,
				      .tlb_sets = 1,
				      .tlb_ways = 1,
				      .walk_levels = 1,
				      .page = 4096,
				      .distance = 0x1000,
				      .homes = { 0, RIG_HOME },
				      .self = CGM_AGENTS + 65,
				      .first_bank = 4,
				      .banks = 1,
				      .room = 8 };
	struct arena a = { 0 };
	struct rig_pair bank = rig_pair_new(&a), net = rig_pair_new(&a);
	struct cgm_wire *banks[1][2] = { { bank.wire[0], bank.wire[1] } };
	struct cgm_packet p;
	struct cgm_hub *h;
	struct diag d;

	OK(!cgm_hub_new(&h, &a, &cfg, (struct cgm_wire *const(*)[2])banks,
			net.wire, &d));
	rig_send(&bank, 0,
		 (struct cgm_packet){ .kind = CGM_GETS,
				      .block = 5,
				      .from = 4,
				      .requester = 4,
				      .to = CGM_HUB_HOME });
	EQ(3, rig_answer(&h->part, &net, 0, &p));
	EQ(CGM_NC_GET, p.kind);
	EQ(cgm_walk_block(0, 0, 1), p.block);
	p.kind = CGM_NC_DATA;
	p.to = cfg.self;
	rig_send(&net, 10, p);
	EQ(11 + 3 + 1, rig_answer(&h->part, &net, 10, &p));
	EQ(CGM_GETS, p.kind);
	EQ(0x1005, p.block);
	EQ(RIG_HOME, p.to);
	p.kind = CGM_DATA_E;
	p.to = 4;
	rig_send(&net, 20, p);
	EQ(21 + 3 + 1, rig_answer(&h->part, &bank, 20, &p));
	EQ(5, p.block);
	/* A page that is not at hand any more: the fixed latency. */
	p.block = 0x1000 + 64;
	rig_send(&net, 40, p);
	EQ(41 + 3 + 7 + 1, rig_answer(&h->part, &bank, 40, &p));
	arena_free(&a);
}

/*
 * Agent and memory
 */

TEST(agent, ring_and_gpu_take_turns_and_answers_find_back)
{
	struct cgm_agent_config cfg = { .period = 1,
					.latency = 2,
					.room = 8,
					.gpu_first = 4,
					.gpu_end = 6,
					.hub = 99 };
	struct arena a = { 0 };
	struct rig_pair ring = rig_pair_new(&a), gpu = rig_pair_new(&a),
			memory = rig_pair_new(&a);
	struct cgm_wire *wire[CGM_AGENT_PORTS][2] = {
		{ ring.wire[0], ring.wire[1] },
		{ gpu.wire[0], gpu.wire[1] },
		{ memory.wire[0], memory.wire[1] },
	};
	struct cgm_packet p;
	struct cgm_agent *g;
	struct diag d;

	OK(!cgm_agent_new(&g, &a, &cfg, (struct cgm_wire *const(*)[2])wire,
			  &d));
	rig_send(&ring, 0,
		 (struct cgm_packet){ .kind = CGM_MC_LOAD, .tag = 1 });
	rig_send(&gpu, 0, (struct cgm_packet){ .kind = CGM_NC_GET, .tag = 2 });
	EQ(4, rig_answer(&g->part, &memory, 0, &p));
	EQ(1, p.tag);
	EQ(5, rig_answer(&g->part, &memory, 5, &p));
	EQ(2, p.tag);
	p.kind = CGM_NC_DATA;
	p.to = 5;
	rig_send(&memory, 10, p);
	EQ(14, rig_answer(&g->part, &gpu, 10, &p));
	p.to = RIG_HOME;
	rig_send(&memory, 20, p);
	EQ(24, rig_answer(&g->part, &ring, 20, &p));
	arena_free(&a);
}

TEST(memory, what_is_written_is_read_and_the_dram_takes_its_time)
{
	struct cgm_memory_config cfg = { .period = 1,
					 .latency = 5,
					 .queue = 4,
					 .channels = 1,
					 .dram = dram_defaults(DRAM_STD_DDR3),
					 .self = RIG_HOME + 1 };
	struct cgm_store *store = cgm_store_new();
	struct arena a = { 0 };
	struct rig_pair net = rig_pair_new(&a);
	const struct dram_standard *s = &dram_standards[DRAM_STD_DDR3];
	struct cgm_packet p = { .kind = CGM_MC_STORE,
				.block = 3,
				.requester = RIG_HOME,
				.mask = UINT64_MAX };
	struct cgm_memory *m;
	struct diag d;
	cycle_t took;

	cfg.dram.refresh = false;
	OK(!cgm_memory_new(&m, &a, &cfg, store, net.wire, &d));
	p.data[0] = 42;
	rig_send(&net, 0, p);
	rig_answer(&m->part, &net, 0, &p);
	EQ(CGM_MC_ACK, p.kind);
	EQ(RIG_HOME, p.to);
	p = (struct cgm_packet){ .kind = CGM_MC_LOAD,
				 .block = 3,
				 .requester = RIG_HOME };
	rig_send(&net, 1000, p);
	/* An open row: column latency and burst, the controller, the wires. */
	took = rig_answer(&m->part, &net, 1000, &p) - 1000;
	EQ(CGM_MC_DATA, p.kind);
	EQ(42, p.data[0]);
	OK(took >= s->clocks[DRAM_T_CL] + s->burst_clocks + 5 + 2);
	OK(took <= s->clocks[DRAM_T_CL] + s->burst_clocks + 5 + 2 + 3);
	EQ(1, dram_stats(m->dram[0])->row_hits);
	OK(cgm_memory_is_idle(m));
	cgm_store_free(store);
	arena_free(&a);
}

/* Sends loads as the wire has room, and takes answers; returns how many came. */
static unsigned load_all(struct cgm_memory *m, struct rig_pair *net,
			 unsigned loads)
{
	unsigned lane = cgm_messages[CGM_MC_LOAD].lane, sent = 0, came = 0;

	for (cycle_t t = 0; t < 40000; t++) {
		if (sent < loads && cgm_wire_is_free(net->wire[0], t) &&
		    cgm_wire_has_room(net->wire[0], lane, 1, t))
			rig_send(net, t,
				 (struct cgm_packet){ .kind = CGM_MC_LOAD,
						      .block = sent++,
						      .requester = RIG_HOME });
		rig_run(&m->part, t);
		if (!cgm_wire_peek(net->wire[1], CGM_LANE_REPLY, t))
			continue;
		cgm_wire_pop(net->wire[1], CGM_LANE_REPLY, t);
		came++;
	}
	return came;
}

/* The DRAM is done with more than the queue holds before the first answer leaves. */
TEST(memory, answers_that_wait_hold_requests_back)
{
	struct cgm_memory_config cfg = { .period = 1,
					 .latency = 1000,
					 .queue = 2,
					 .channels = 1,
					 .dram = dram_defaults(DRAM_STD_DDR3),
					 .self = RIG_HOME + 1 };
	struct cgm_store *store = cgm_store_new();
	struct arena a = { 0 };
	struct rig_pair net = rig_pair_new(&a);
	struct cgm_memory *m;
	struct diag d;

	OK(!cgm_memory_new(&m, &a, &cfg, store, net.wire, &d));
	EQ(64, load_all(m, &net, 64));
	OK(cgm_memory_is_idle(m));
	OK(m->st.stalls > 0);
	cgm_store_free(store);
	arena_free(&a);
}
