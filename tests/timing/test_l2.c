/*
 * A slice of the L2, through loads, stores and atomics. Rules: mem/partition.h,
 * mem/tags.h. tiny.cfg: 32 KiB in two slices, lines of 128 bytes, 4 ways, LRU,
 * write-back.
 */
#include <stdio.h>

#include "test.h"

#include "rig.h"

static struct rig r;

enum { L2_HIT = 5 + 10 + 7 + 10 + 3 };

#define QUIET                                                               \
	"unit.lsu.lanes=64 lsu.return_width=1024 l1.mshrs=64 l1.bytes=32K " \
	"net.queue=64 l2.mshrs=64 regs.read_ports=4 "                       \
	"dispatch.blocks_per_cycle=64 "
#define LONE "sm.count=1 " QUIET
#define REST "nanosleep.u32 1000; "
/* One lane, one sector. */
#define LOAD "ld.global.cg.u32 %r8, [%data]; add.u32 %r9, %r8, 1; "

TEST(l2, a_line_that_was_read_stays)
{
	rig_open(&r, KERNEL(LOAD REST CLOCK(0) LOAD CLOCK(1)), LONE);
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(1, rig_stat(&r, "l2.read_misses"));
	EQ(1, rig_stat(&r, "l2.read_hits"));
	EQ(32, rig_stat(&r, "dram.bytes_read"));
	/* It stays from launch to launch. */
	rig_run(&r, 1, 32);
	EQ(0, rig_stat(&r, "l2.read_misses"));
	rig_close(&r);
}

TEST(l2, a_sector_is_fetched_alone)
{
	rig_open(&r,
		 KERNEL(LOAD REST CLOCK(0) "ld.global.cg.u32 %r8, [%data+32]; "
					   "add.u32 %r9, %r8, 1; " CLOCK(1)),
		 LONE);
	rig_run(&r, 1, 32);
	OK(r.c[0][1] - r.c[0][0] > L2_HIT + 2);
	EQ(2, rig_stat(&r, "l2.read_misses"));
	EQ(64, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, a_sector_is_fetched_with_its_neighbours)
{
	/* Of four sectors two and two: the second is there, the third is
	 * not. */
	rig_open(&r,
		 KERNEL(LOAD REST CLOCK(0) "ld.global.cg.u32 %r8, [%data+32]; "
					   "add.u32 %r9, %r8, 1; " CLOCK(
						   1) "ld.global.cg.u32 %r8, "
						      "[%data+64]; add.u32 "
						      "%r9, %r8, 1; " CLOCK(2)),
		 LONE "l2.fetch_sectors=2");
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	OK(r.c[0][2] - r.c[0][1] > L2_HIT + 2);
	EQ(2, rig_stat(&r, "l2.read_misses"));
	EQ(128, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, what_a_write_covers_is_not_fetched_with_its_neighbour)
{
	/* Lane 0 writes a word of sector 0, lanes 8 to 15 all of sector 1. */
	const char *store = SILENT("sub.u32 %r1, %l, 1; setp.ge.u32 %p1, %r1, "
				   "7; @%p1 st.global.u32 [%mine], %l; ");

	rig_open(&r, store, LONE "l2.fetch_sectors=2 l2.write_miss=fetch");
	rig_run(&r, 1, 16);
	EQ(32, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, reads_of_a_sector_in_flight_are_merged)
{
	/* Two SMs read one sector: one read of the DRAM. */
	rig_open(&r, KERNEL("nanosleep.u32 100; " CLOCK(0) LOAD CLOCK(1)),
		 QUIET "net.slice_out=4096");
	rig_run(&r, 2, 32);
	EQ(1, rig_stat(&r, "l2.read_misses"));
	EQ(1, rig_stat(&r, "l2.read_pending"));
	EQ(32, rig_stat(&r, "dram.bytes_read"));
	EQ(r.c[0][1], r.c[1][1]);
	rig_close(&r);
}

TEST(l2, what_was_written_in_full_is_read_without_the_dram)
{
	rig_open(
		&r,
		KERNEL("st.global.u32 [%mine], %l; " REST
			       CLOCK(0) "ld.global.cg.u32 %r8, [%mine]; add.u32 %r9, %r8, 1; " CLOCK(
				       1)),
		LONE);
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(0, rig_stat(&r, "dram.reads"));
	rig_close(&r);
}

TEST(l2, of_what_was_written_in_part_the_rest_is_fetched)
{
	rig_open(&r,
		 KERNEL("st.global.u32 [%data], %l; " REST CLOCK(0)
				LOAD CLOCK(1)),
		 LONE);
	rig_run(&r, 1, 32);
	OK(r.c[0][1] - r.c[0][0] > L2_HIT + 2);
	EQ(32, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
	/* Or at once, when the store comes. */
	rig_open(&r,
		 KERNEL("st.global.u32 [%data], %l; " REST CLOCK(0)
				LOAD CLOCK(1)),
		 LONE "l2.write_miss=fetch");
	rig_run(&r, 1, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	rig_close(&r);
}

/* A warp stores to n lines, one after the other. */
static void store_lines(const char *n, const char *set)
{
	rig_open(&r,
		 rig_text("",
			  "mov.u32 %r1, 0; mov.u64 %rd1, %mine; "
			  "A: st.global.u32 [%rd1], %r1; "
			  "add.u64 %rd1, %rd1, 128; add.u32 %r1, %r1, 1; "
			  "setp.lt.u32 %p1, %r1, ",
			  n, "; @%p1 bra A; ret; ", NULL),
		 set);
	rig_run(&r, 1, 32);
}

TEST(l2, dirty_lines_are_written_back_when_they_are_evicted)
{
	/* 256 lines stay, the others are evicted, 4 sectors each. */
	store_lines("256", LONE);
	EQ(0, rig_stat(&r, "l2.evictions"));
	EQ(0, rig_stat(&r, "dram.bytes_written"));
	rig_close(&r);
	store_lines("300", LONE);
	EQ(44, rig_stat(&r, "l2.evictions"));
	EQ(4 * 44, rig_stat(&r, "l2.write_backs"));
	EQ(44 * 128, rig_stat(&r, "dram.bytes_written"));
	EQ(0, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, copies_of_other_lines_take_their_ways)
{
	/* 64 sets with three ways instead of four. */
	store_lines("192", LONE "l2.copy_ways=1");
	EQ(0, rig_stat(&r, "l2.evictions"));
	rig_close(&r);
	store_lines("193", LONE "l2.copy_ways=1");
	EQ(1, rig_stat(&r, "l2.evictions"));
	rig_close(&r);
}

TEST(l2, lines_beyond_the_dirty_ones_of_a_set_are_written_back)
{
	/* 64 sets: two dirty lines of each stay, the others are written back,
	 * though nothing is evicted. */
	store_lines("128", LONE "l2.dirty_ways=2");
	EQ(0, rig_stat(&r, "dram.bytes_written"));
	rig_close(&r);
	store_lines("200", LONE "l2.dirty_ways=2");
	EQ(0, rig_stat(&r, "l2.evictions"));
	EQ(4 * 72, rig_stat(&r, "l2.write_backs"));
	EQ(72 * 128, rig_stat(&r, "dram.bytes_written"));
	EQ(0, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

/* A thread stores a word to each of n lines. */
static void store_words(const char *n, const char *set)
{
	rig_open(&r,
		 rig_text("",
			  "mov.u32 %r1, 0; mov.u64 %rd1, %data; "
			  "A: st.global.u32 [%rd1], %r1; "
			  "add.u64 %rd1, %rd1, 128; add.u32 %r1, %r1, 1; "
			  "setp.lt.u32 %p1, %r1, ",
			  n, "; @%p1 bra A; ret; ", NULL),
		 set);
	rig_run(&r, 1, 1);
}

TEST(l2, lines_beyond_those_written_in_part_are_completed)
{
	/* 64 sets: three lines of each may lack a part, then the oldest one's
	 * sector is fetched. */
	store_words("192", LONE "l2.partial_ways=3");
	EQ(0, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
	store_words("256", LONE "l2.partial_ways=3");
	EQ(64 * 32, rig_stat(&r, "dram.bytes_read"));
	EQ(64, rig_stat(&r, "l2.sectors_missed"));
	EQ(64 * 32, rig_stat(&r, "dram.bytes_written"));
	EQ(0, rig_stat(&r, "l2.evictions"));
	rig_close(&r);
	/* Not their neighbours. */
	store_words("256", LONE "l2.partial_ways=3 l2.fetch_sectors=2");
	EQ(64 * 32, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
	/* What is written in full lacks nothing. */
	store_lines("256", LONE "l2.partial_ways=3");
	EQ(0, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, a_launch_reads_its_description_and_code)
{
	rig_open(&r, SILENT(""), LONE "dispatch.launch_bytes=300");
	rig_run(&r, 1, 32);
	EQ(384, rig_stat(&r, "dram.bytes_read"));
	EQ(12, rig_stat(&r, "l2.sectors_missed"));
	EQ(0, rig_stat(&r, "l2.sectors_read"));
	/* They are in the L2 then. */
	rig_run(&r, 1, 32);
	EQ(0, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
	/* Of the code, as much as the launch prefetches; 64 instructions are
	 * more than that. */
	rig_open(&r, SILENT(X2(X32("add.u32 %r1, %r1, %r2; "))),
		 LONE "front.launch_prefetch=512");
	rig_run(&r, 1, 32);
	EQ(512, rig_stat(&r, "dram.bytes_read"));
	rig_close(&r);
}

TEST(l2, a_write_through_l2_writes_at_once)
{
	store_lines("16", LONE "l2.write=through");
	EQ(16 * 128, rig_stat(&r, "dram.bytes_written"));
	rig_close(&r);
}

TEST(l2, copies_from_the_host_land_there_or_not)
{
	EQ(L2_HIT + 2, rig_between_warm(KERNEL(CLOCK(0) LOAD CLOCK(1)), LONE));
	OK(rig_between_warm(KERNEL(CLOCK(0) LOAD CLOCK(1)),
			    LONE "l2.host_copies=no") > L2_HIT + 2);
}

TEST(l2, without_it_every_read_goes_to_the_dram)
{
	rig_open(&r, KERNEL(LOAD REST CLOCK(0) LOAD CLOCK(1)), LONE "l2.on=no");
	rig_run(&r, 1, 32);
	EQ(2, rig_stat(&r, "dram.reads"));
	rig_close(&r);
}

#define ONE_LANE "setp.eq.u32 %p1, %l, 0; "
#define ATOM "@%p1 atom.global.add.u32 %r8, [%data], 1; add.u32 %r9, %r8, 1; "

TEST(l2, an_atomic_takes_its_latency_on_top_of_a_hit)
{
	EQ(L2_HIT + 41 + 2,
	   rig_between_warm(KERNEL(ONE_LANE "nanosleep.u32 100; " CLOCK(0)
					   ATOM CLOCK(1)),
			    LONE "l2.atomic_latency=41"));
}

TEST(l2, a_reduction_does_not_hold_up_its_warp)
{
	EQ(2,
	   rig_between_warm(
		   KERNEL(CLOCK(0) "red.global.add.u32 [%data], 1; " CLOCK(1)),
		   LONE));
}

/* Each of two SMs performs an atomic on its own or the same line; returns how
 * much later the second result comes. */
static uint64_t second(const char *stride, const char *set)
{
	char all[512];

	snprintf(all, sizeof(all), QUIET "%s", set);
	rig_open(
		&r,
		rig_text(
			"", ONE_LANE "mul.wide.u32 %rd1, %b, ", stride,
			"; add.u64 %rd1, %rd1, %data; nanosleep.u32 100; " CLOCK(
				0) "@%p1 atom.global.add.u32 %r8, [%rd1], 1; "
				   "add.u32 %r9, %r8, 1; " CLOCK(1),
			NULL),
		all);
	rig_warm(&r, 0, 8192);
	rig_run(&r, 2, 32);
	rig_close(&r);
	EQ(r.c[0][0], r.c[1][0]);
	return r.c[1][1] - r.c[0][1];
}

TEST(l2, atomics_of_a_slice_come_one_after_the_other)
{
	EQ(20, second("0", "l2.atomic_interval=20"));
	EQ(20, second("128", "l2.atomic_interval=20"));
	/* In another slice there is no contention. */
	EQ(0, second("256", "l2.atomic_interval=20"));
}

TEST(l2, a_far_slice_costs_more)
{
	/* Two partitions: SM 0 and slice 0 in one, SM 1 and slice 1 in the
	 * other. The data begins in slice 0. */
	rig_open(&r, KERNEL(CLOCK(0) LOAD CLOCK(1)),
		 QUIET "l2.partitions=2 l2.far_latency=30 net.slice_out=4096 "
		       "l2.lookups=2");
	rig_warm(&r, 0, 4096);
	rig_run(&r, 2, 32);
	EQ(L2_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(L2_HIT + 30 + 2, r.c[1][1] - r.c[1][0]);
	rig_close(&r);
}

/* How long SM i takes for code, one SM after the other: SM 0 is where slice 0
 * is, with the first line of the data. */
static uint64_t far_code(int i, const char *code, const char *set)
{
	rig_open(&r,
		 rig_text("", "setp.ne.u32 %p1, %b, ", i ? "1" : "0",
			  "; @%p1 ret; " CLOCK(0), code, CLOCK(1), NULL),
		 set);
	rig_run(&r, 2, 32);
	rig_close(&r);
	return r.c[i][1] - r.c[i][0];
}

static uint64_t far_load(int i, const char *set)
{
	return far_code(i, LOAD, set);
}

TEST(l2, a_far_miss_costs_more_than_a_near_one)
{
	const char *both = QUIET "l2.partitions=2 l2.far_latency=30 "
				 "l2.far_miss=41";
	uint64_t near = far_load(0, QUIET);

	OK(near > L2_HIT + 2);
	EQ(near, far_load(0, both));
	EQ(near + 30 + 41, far_load(1, both));
	/* With one region, nothing is far. */
	EQ(near, far_load(1, QUIET "l2.far_latency=30 l2.far_miss=41"));
}

TEST(l2, a_fence_waits_longer_for_a_far_write)
{
	static const char store[] = "st.global.u32 [%data], %t; membar.gl; ";
	const char *both = QUIET "l2.partitions=2 l2.far_write=41 "
				 "l2.acknowledge=yes sm.fence_gpu=1 "
				 "sm.fence_written=9";
	uint64_t near = far_code(0, store, both);

	EQ(near + 41, far_code(1, store, both));
	EQ(near, far_code(1, store,
			  QUIET "l2.far_write=41 l2.acknowledge=yes "
				"sm.fence_gpu=1 sm.fence_written=9"));
}
