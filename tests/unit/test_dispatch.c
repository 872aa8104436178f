/*
 * The dispatcher with mocked SMs: the test holds the SMs' ends of the wires and
 * reports the end of each block after its time.
 */
#include <string.h>

#include "test.h"

#include "gpu/dispatch.h"

enum { LATENCY = 5, MOST_BLOCKS = 512 };

struct arrival {
	cycle_t at;
	uint32_t sm, grid;
	uint64_t block;
};

struct rig {
	struct arena arena;
	struct cfg cfg;
	struct wires *wires;
	struct idle_phases phases;
	struct dispatch *dispatch;
	uint32_t sms;
	cycle_t now, window, duration;
	struct arrival got[MOST_BLOCKS];
	unsigned count, parity;
	unsigned stores; /* bit i: grid i writes to global memory */
};

/* Eight SMs of four blocks each, one block sent per cycle; a test may change
 * r->cfg. */
static void rig_cfg(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	cfg_defaults(&r->cfg);
	r->cfg.sm.count = 8;
	r->cfg.sm.max_blocks = 4;
	r->cfg.dispatch.launch_latency = 0;
	r->cfg.dispatch.block_latency = LATENCY;
	r->window = LATENCY;
	r->duration = 1000;
}

static void rig_build(struct rig *r)
{
	struct wire_room room[65];
	struct dispatch_env env;
	struct diag d;

	r->sms = (uint32_t)r->cfg.sm.count;
	for (uint32_t i = 0; i < r->sms; i++)
		room[i] = (struct wire_room){ .out = 64, .in = 64 };
	room[r->sms] = dispatch_room(&r->cfg, r->sms, LATENCY);
	EQ(ERR_OK, wires_new(&r->wires, &r->arena, r->sms + 1, room, 8192, &d));
	env = (struct dispatch_env){ .cfg = &r->cfg,
				     .wires = r->wires,
				     .self = r->sms,
				     .sms = r->sms,
				     .phases = &r->phases };
	EQ(ERR_OK, dispatch_new(&r->dispatch, &r->arena, &env, &d));
}

static void sm_takes(struct rig *r, uint32_t sm, cycle_t until)
{
	struct msg m;

	while (wire_take(r->wires, sm, until, &m)) {
		EQ(MSG_BLOCK, m.kind);
		OK(r->count < MOST_BLOCKS);
		r->got[r->count++] =
			(struct arrival){ m.time, sm, m.id, m.chunk };
		m.kind = MSG_BLOCK_DONE;
		m.flags = r->stores >> m.id & 1 ? MSG_STORED : 0;
		m.time += r->duration + LATENCY;
		wire_send(r->wires, sm, r->sms, &m);
	}
}

static void rig_run(struct rig *r, cycle_t until)
{
	while (r->now < until && !dispatch_finished(r->dispatch)) {
		cycle_t to = r->now + r->window;

		for (uint32_t i = 0; i <= r->sms; i++)
			wire_open(r->wires, i, r->parity);
		dispatch_advance(r->dispatch, r->now, to);
		for (uint32_t i = 0; i < r->sms; i++)
			sm_takes(r, i, to - 1);
		r->parity ^= 1;
		r->now = to;
	}
}

/* Arrivals are recorded SM by SM within a window. */
static const struct arrival *find(const struct rig *r, uint32_t grid,
				  uint64_t block)
{
	for (unsigned i = 0; i < r->count; i++)
		if (r->got[i].grid == grid && r->got[i].block == block)
			return &r->got[i];
	OK(!"the block has arrived");
	return NULL;
}

static struct dispatch_grid grid_of(uint64_t blocks, uint32_t most)
{
	return (struct dispatch_grid){ .blocks = blocks,
				       .max = most,
				       .share = { .warps = 1 } };
}

TEST(dispatch, breadth_gives_each_sm_one_block_in_turn)
{
	struct rig r;
	struct dispatch_grid g = grid_of(20, 4);

	rig_cfg(&r);
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 100);
	EQ(20, r.count);
	for (unsigned i = 0; i < 20; i++) {
		EQ(i % 8, find(&r, 0, i)->sm);
		EQ(i + LATENCY, find(&r, 0, i)->at);
	}
	arena_free(&r.arena);
}

TEST(dispatch, breadth_takes_one_sm_of_each_cluster_first)
{
	static const uint32_t want[] = { 0, 3, 6, 1, 4, 7, 2, 5 };
	struct rig r;
	struct dispatch_grid g = grid_of(8, 4);

	rig_cfg(&r);
	r.cfg.dispatch.cluster = 3;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 100);
	for (unsigned i = 0; i < 8; i++)
		EQ(want[i], find(&r, 0, i)->sm);
	arena_free(&r.arena);
}

TEST(dispatch, cluster_goes_through_a_cluster_and_then_to_the_next)
{
	struct rig r;
	struct dispatch_grid g = grid_of(16, 4);

	rig_cfg(&r);
	r.cfg.dispatch.order = CFG_ORDER_CLUSTER;
	r.cfg.dispatch.cluster = 2;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 100);
	for (unsigned i = 0; i < 16; i++)
		EQ(i % 8, find(&r, 0, i)->sm);
	arena_free(&r.arena);
}

TEST(dispatch, depth_fills_an_sm_before_the_next_one)
{
	struct rig r;
	struct dispatch_grid g = grid_of(10, 3);

	rig_cfg(&r);
	r.cfg.dispatch.order = CFG_ORDER_DEPTH;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 100);
	for (unsigned i = 0; i < 10; i++)
		EQ(i / 3, find(&r, 0, i)->sm);
	arena_free(&r.arena);
}

TEST(dispatch, blocks_leave_at_the_exact_pace)
{
	struct rig r;
	struct dispatch_grid g = grid_of(300, 64);

	rig_cfg(&r);
	r.cfg.sm.max_blocks = 64;
	r.cfg.dispatch.blocks_per_cycle = 0.87;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 900);
	/* The k-th leaves in the cycle that contains k / 0.87. */
	for (uint64_t i = 0; i < 300; i++)
		EQ(i * 100 / 87 + LATENCY, find(&r, 0, i)->at);
	arena_free(&r.arena);
}

TEST(dispatch, several_blocks_may_leave_in_one_cycle)
{
	struct rig r;
	struct dispatch_grid g = grid_of(30, 4);

	rig_cfg(&r);
	r.cfg.dispatch.blocks_per_cycle = 2.5;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 100);
	for (uint64_t i = 0; i < 30; i++)
		EQ(i * 2 / 5 + LATENCY, find(&r, 0, i)->at);
	arena_free(&r.arena);
}

TEST(dispatch, a_block_goes_where_there_is_room_first)
{
	struct rig r;
	struct dispatch_grid g = grid_of(9, 1);

	rig_cfg(&r);
	r.duration = 50;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 1000);
	EQ(0, find(&r, 0, 8)->sm);
	/* There, 50 cycles, back, and there again. */
	EQ(LATENCY + 50 + LATENCY + LATENCY, find(&r, 0, 8)->at);
	OK(dispatch_finished(r.dispatch));
	EQ(3 * LATENCY + 50 + 50 + LATENCY, dispatch_last_end(r.dispatch));
	EQ(dispatch_last_end(r.dispatch), g.end);
	EQ(9, dispatch_blocks_done(r.dispatch));
	arena_free(&r.arena);
}

/* How many blocks with that share of resources an SM holds. */
static unsigned held(struct occupancy_share share)
{
	struct rig r;
	struct dispatch_grid g = { .blocks = 64, .max = 64, .share = share };

	rig_cfg(&r);
	r.cfg.sm.count = 1;
	r.cfg.sm.max_blocks = 32;
	r.cfg.sm.max_warps = 48;
	r.cfg.sm.max_threads = 1024; /* 32 warps */
	r.cfg.sm.registers = 1000;
	r.cfg.sm.shared = 100;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 500);
	arena_free(&r.arena);
	return r.count;
}

TEST(dispatch, what_an_sm_has_limits_its_blocks)
{
	EQ(32, held((struct occupancy_share){ .warps = 1 }));
	EQ(10, held((struct occupancy_share){ .warps = 3 }));
	EQ(7, held((struct occupancy_share){ .warps = 1, .registers = 140 }));
	EQ(4, held((struct occupancy_share){ .warps = 1, .shared = 25 }));
	EQ(3, held((struct occupancy_share){ .warps = 1, .shared = 26 }));
}

TEST(dispatch, a_stream_runs_one_grid_after_the_other)
{
	struct rig r;
	struct dispatch_grid g[2] = { grid_of(3, 4), grid_of(2, 4) };

	rig_cfg(&r);
	r.duration = 40;
	r.cfg.dispatch.launch_latency = 100;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, g, 2);
	rig_run(&r, 2000);
	OK(dispatch_finished(r.dispatch));
	EQ(0, g[0].start);
	/* The third block leaves in cycle 102. */
	EQ(100 + LATENCY, find(&r, 0, 0)->at);
	EQ(102 + LATENCY + 40 + LATENCY, g[0].end);
	EQ(g[0].end, g[1].start);
	EQ(g[1].start + 100 + LATENCY, find(&r, 1, 0)->at);
	arena_free(&r.arena);
}

TEST(dispatch, a_grid_that_has_stored_ends_after_a_flush)
{
	struct rig r;
	struct dispatch_grid g[3] = { grid_of(3, 4), grid_of(1, 4),
				      grid_of(1, 4) };

	rig_cfg(&r);
	r.duration = 40;
	r.stores = 1;
	r.cfg.dispatch.flush_latency = 70;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, g, 3);
	rig_run(&r, 2000);
	OK(dispatch_finished(r.dispatch));
	/* The third block leaves in cycle 2. */
	EQ(2 + LATENCY + 40 + LATENCY + 70, g[0].end);
	EQ(g[0].end, g[1].start);
	EQ(g[1].start + 2 * LATENCY + 40, g[1].end);
	EQ(g[2].end, dispatch_last_end(r.dispatch));
	arena_free(&r.arena);
}

TEST(dispatch, ends_of_blocks_are_handled_one_after_the_other)
{
	struct rig r;
	struct dispatch_grid g = grid_of(12, 1);

	rig_cfg(&r);
	r.cfg.dispatch.blocks_per_cycle = 8;
	r.cfg.dispatch.end_interval = 2.5;
	r.duration = 40;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, &g, 1);
	rig_run(&r, 2000);
	OK(dispatch_finished(r.dispatch));
	/* Eight blocks end together: their ends are handled 0, 2.5, 5, 7.5 ...
	 * cycles later, in whole cycles 0, 2, 5, 7 ..., and each makes room for
	 * another one. */
	for (unsigned i = 0; i < 12; i++) {
		cycle_t later = i < 8 ? 0 : 40 + 2 * LATENCY + (i - 8) * 5 / 2;

		EQ(LATENCY + later, find(&r, 0, i)->at);
	}
	/* Those of the second four arrive 2.5 cycles apart; the queue of the
	 * first eight is empty by then. */
	EQ(7 + 2 * (40 + 2 * LATENCY), g.end);
	arena_free(&r.arena);
}

TEST(dispatch, streams_run_at_the_same_time)
{
	struct rig r;
	struct dispatch_grid g[2] = { grid_of(2, 4), grid_of(2, 4) };

	g[1].stream = 1;
	rig_cfg(&r);
	rig_build(&r);
	dispatch_start(r.dispatch, 0, g, 2);
	rig_run(&r, 50);
	EQ(4, r.count);
	EQ(LATENCY, find(&r, 0, 0)->at);
	EQ(LATENCY + 2, find(&r, 1, 0)->at);
	arena_free(&r.arena);
}

TEST(dispatch, no_more_kernels_run_at_once_than_the_gpu_allows)
{
	struct rig r;
	struct dispatch_grid g[3] = { grid_of(1, 4), grid_of(1, 4),
				      grid_of(1, 4) };

	g[1].stream = 1;
	g[2].stream = 2;
	rig_cfg(&r);
	r.duration = 30;
	r.cfg.dispatch.kernels = 2;
	rig_build(&r);
	dispatch_start(r.dispatch, 0, g, 3);
	rig_run(&r, 500);
	OK(dispatch_finished(r.dispatch));
	EQ(0, g[1].start);
	EQ(g[0].end, g[2].start);
	arena_free(&r.arena);
}

TEST(dispatch, a_second_grid_gets_the_room_that_the_first_leaves)
{
	struct rig r;
	struct dispatch_grid g[2] = { grid_of(24, 4), grid_of(16, 4) };

	g[1].stream = 1;
	rig_cfg(&r);
	rig_build(&r);
	dispatch_start(r.dispatch, 0, g, 2);
	rig_run(&r, 500);
	/* 8 SMs of 4 blocks: 24 and 8 fit, the rest waits. */
	EQ(32, r.count);
	EQ(24, g[0].sent);
	EQ(8, g[1].sent);
	arena_free(&r.arena);
}

/* Logs everything that happens in a run, with windows of this length. */
static void run_mixed(struct rig *r, cycle_t window)
{
	struct dispatch_grid g[4] = { grid_of(50, 3), grid_of(20, 4),
				      grid_of(30, 2), grid_of(7, 1) };

	g[1].stream = g[3].stream = 1;
	rig_cfg(r);
	r->duration = 37;
	r->window = window;
	r->cfg.dispatch.launch_latency = 11;
	r->cfg.dispatch.blocks_per_cycle = 0.7;
	r->cfg.dispatch.end_interval = 2.3;
	r->cfg.dispatch.flush_latency = 13;
	r->stores = 5;
	rig_build(r);
	dispatch_start(r->dispatch, 0, g, 4);
	rig_run(r, 5000);
	OK(dispatch_finished(r->dispatch));
	EQ(107, r->count);
	arena_free(&r->arena);
}

TEST(dispatch, the_length_of_the_windows_changes_nothing)
{
	static struct rig one, other;

	run_mixed(&one, 1);
	for (cycle_t window = 2; window <= LATENCY; window++) {
		run_mixed(&other, window);
		for (unsigned i = 0; i < one.count; i++) {
			const struct arrival *a = &one.got[i];
			const struct arrival *b =
				find(&other, a->grid, a->block);

			EQ(a->at, b->at);
			EQ(a->sm, b->sm);
		}
	}
}

TEST(dispatch, it_knows_when_the_last_block_of_each_sm_and_of_a_wave_ended)
{
	struct rig r;
	struct waves w;
	struct diag d;
	struct dispatch_grid g = grid_of(12, 1);

	rig_cfg(&r);
	rig_build(&r);
	EQ(ERR_OK, waves_init(&w, 12, 8, &d));
	g.waves = &w;
	r.now = 700;
	dispatch_start(r.dispatch, 700, &g, 1);
	rig_run(&r, 10000);
	OK(dispatch_finished(r.dispatch));
	/* A block a cycle; those of the second wave follow the first ends. */
	for (uint32_t i = 0; i < 8; i++) {
		cycle_t first = i + LATENCY + 1000 + LATENCY;

		EQ(i < 4 ? 2 * first - i : first,
		   dispatch_sm_end(r.dispatch, i));
	}
	EQ(7, waves_sum(&w).gap);
	waves_free(&w);
	/* The next run starts from scratch. */
	g = grid_of(1, 1);
	dispatch_start(r.dispatch, r.now, &g, 1);
	rig_run(&r, r.now + 10000);
	EQ(2 * LATENCY + 1000, dispatch_sm_end(r.dispatch, 0));
	EQ(0, dispatch_sm_end(r.dispatch, 1));
	arena_free(&r.arena);
}
