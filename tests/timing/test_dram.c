/*
 * The DRAM behind a slice, through loads. Rules: mem/dram.h, mem/dram.def and,
 * for a miss, mem/partition.h.
 *
 * tiny.cfg: HBM2 at the clock of the SMs, two channels of 32 bytes a clock.
 * tRCD 12, tRP 14, CL 18, a burst of 32 bytes takes 2 clocks. A request that is
 * pushed at cycle p is seen at p + 1. dram.latency = 10.
 */
#include <stdio.h>

#include "test.h"

#include "rig.h"

static struct rig r;

enum {
	L2_HIT = 5 + 10 + 7 + 10 + 3,
	BACK = 10,
	SEEN = 1,
	RCD = 12,
	RP = 14,
	CL = 18,
	BURST = 2,
	ROW_HIT = L2_HIT + SEEN + CL + BURST + BACK,
	ROW_MISS = ROW_HIT + RCD,
	ROW_CONFLICT = ROW_MISS + RP
};

#define LONE "sm.count=1 unit.lsu.lanes=64 regs.read_ports=4 "
#define REST "nanosleep.u32 1000; "
/* One sector at an offset of the data. */
#define LOAD(at) "ld.global.cg.u32 %r8, [%data+" at "]; add.u32 %r9, %r8, 1; "

TEST(dram, a_closed_row_is_opened_first)
{
	EQ(ROW_MISS + 2,
	   rig_between(KERNEL(CLOCK(0) LOAD("0") CLOCK(1)), LONE));
	EQ(ROW_MISS - BACK + 77 + 2,
	   rig_between(KERNEL(CLOCK(0) LOAD("0") CLOCK(1)),
		       LONE "dram.latency=77"));
}

TEST(dram, an_open_row_is_read_at_once)
{
	rig_open(&r, KERNEL(LOAD("0") REST CLOCK(0) LOAD("32") CLOCK(1)), LONE);
	rig_run(&r, 1, 32);
	EQ(ROW_HIT + 2, r.c[0][1] - r.c[0][0]);
	EQ(1, rig_stat(&r, "dram.row_hits"));
	EQ(1, rig_stat(&r, "dram.row_misses"));
	rig_close(&r);
	/* A row has four pieces of 256 bytes, each 32 banks of two slices after
	 * the previous one. */
	EQ(ROW_HIT + 2,
	   rig_between(KERNEL(LOAD("0") REST CLOCK(0) LOAD("32768") CLOCK(1)),
		       LONE "dram.row=4K"));
}

TEST(dram, another_row_is_closed_first)
{
	/* 2 slices, 32 banks of 256 bytes, 4 pieces of a row: then the next
	 * row of the same bank. */
	rig_open(&r, KERNEL(LOAD("0") REST CLOCK(0) LOAD("65536") CLOCK(1)),
		 LONE);
	rig_run(&r, 1, 32);
	EQ(ROW_CONFLICT + 2, r.c[0][1] - r.c[0][0]);
	EQ(1, rig_stat(&r, "dram.row_conflicts"));
	rig_close(&r);
}

TEST(dram, with_closed_pages_every_access_opens_its_row)
{
	EQ(ROW_MISS + 2,
	   rig_between(KERNEL(LOAD("0") REST CLOCK(0) LOAD("32") CLOCK(1)),
		       LONE "dram.page=close"));
	EQ(ROW_MISS + 2,
	   rig_between(KERNEL(LOAD("0") REST CLOCK(0) LOAD("65536") CLOCK(1)),
		       LONE "dram.page=close"));
}

TEST(dram, a_slower_clock_takes_longer)
{
	/* At half the clock, times that are constant in nanoseconds are half
	 * as many clocks: as many cycles. A burst has twice the cycles. The
	 * request is seen at the next clock, one or two cycles later. */
	uint64_t took = rig_between(KERNEL(CLOCK(0) LOAD("0") CLOCK(1)),
				    LONE "dram.clock=500 dram.bandwidth=32");

	OK(took >= ROW_MISS + BURST + 2 && took <= ROW_MISS + BURST + 4);
}

/* A stream of loads that only the DRAM limits. */
#define STREAM                                                             \
	"sm.count=4 sm.max_warps=64 sm.max_blocks=16 sm.max_threads=2048 " \
	"sm.registers=65536 unit.lsu.lanes=128 regs.read_ports=4 "         \
	"lsu.queue=16 lsu.return_width=1024 l1.mshrs=256 l1.bytes=64K "    \
	"l2.mshrs=256 l2.merges=16 net.queue=256 net.sm_in=256 "           \
	"net.sm_out=256 net.slice_in=256 net.slice_out=256 dram.queue=64 "

/* Each thread reads 16 bytes of the data's 512 KiB. */
#define READ_ALL                                                          \
	SILENT("mad.lo.u32 %r1, %b, %n, %t; mul.wide.u32 %rd1, %r1, 16; " \
	       "add.u64 %rd1, %rd1, %data; "                              \
	       "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; "          \
	       "add.u32 %r6, %r2, %r5; ")
enum { ALL = 512 << 10, THREADS = ALL / 16 };

static double bandwidth(const char *set)
{
	char all[1024];
	double bytes;

	snprintf(all, sizeof(all), STREAM "%s", set);
	rig_open(&r, READ_ALL, all);
	rig_run(&r, THREADS / 256, 256);
	bytes = (double)rig_stat(&r, "dram.bytes_read");
	EQ(ALL, bytes);
	rig_close(&r);
	return bytes / (double)r.result.cycles;
}

TEST(dram, a_stream_comes_close_to_the_peak_and_never_above)
{
	double got = bandwidth("dram.hash=xor");

	OK(got <= 64);
	OK(got >= 0.85 * 64);
	got = bandwidth("dram.hash=xor dram.bandwidth=32");
	OK(got <= 32);
	OK(got >= 0.85 * 32);
}

/* A bandwidth between two that make a burst take whole clocks, and one above
 * the standard's at this clock. */
TEST(dram, a_stream_comes_close_to_any_bandwidth)
{
	static const struct {
		const char *set;
		double peak;
	} k[] = {
		{ "dram.hash=xor dram.bandwidth=20", 20 },
		{ "dram.hash=xor dram.bandwidth=54", 54 },
		{ "dram.hash=xor dram.bandwidth=80", 80 },
		{ "dram.hash=xor dram.bandwidth=128", 128 },
		{ "dram.hash=xor dram.bandwidth=192", 192 },
	};

	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++) {
		double got = bandwidth(k[i].set);

		OK(got <= k[i].peak);
		OK(got >= 0.8 * k[i].peak);
	}
}

TEST(dram, more_bandwidth_leaves_the_latency)
{
	/* 640 bytes a cycle: a burst takes a fifth of one. */
	uint64_t took = rig_between(KERNEL(CLOCK(0) LOAD("0") CLOCK(1)),
				    LONE "dram.bandwidth=640");

	OK(took >= ROW_MISS && took <= ROW_MISS + 2);
}

TEST(dram, open_rows_first_is_faster_than_first_come)
{
	double first = bandwidth("dram.policy=fcfs"), open = bandwidth("");

	OK(open > first);
}

/* Loads of one lane that hit two rows of a bank in turn, all at once. */
#define TWO_ROWS                                                           \
	SILENT("and.b32 %r1, %l, 1; mul.wide.u32 %rd1, %r1, 65536; "       \
	       "shr.u32 %r2, %l, 1; and.b32 %r2, %r2, 3; "                 \
	       "mul.wide.u32 %rd2, %r2, 16384; add.u64 %rd1, %rd1, %rd2; " \
	       "add.u64 %rd1, %rd1, %data; ld.global.cg.u32 %r3, [%rd1]; " \
	       "add.u32 %r4, %r3, 1; ")

TEST(dram, requests_for_an_open_row_overtake_others)
{
	/* Eight requests for two rows in turn. In order, every one but the
	 * first closes the other's row. */
	rig_open(&r, TWO_ROWS, STREAM "dram.policy=fcfs l2.ways=16 sm.count=1");
	rig_run(&r, 1, 32);
	EQ(8, rig_stat(&r, "dram.reads"));
	EQ(7, rig_stat(&r, "dram.row_conflicts"));
	rig_close(&r);
	/* The first request opens a row; when the other row is opened, all hits
	 * of the first have been served, and the rest hit the second. */
	rig_open(&r, TWO_ROWS,
		 STREAM "dram.policy=frfcfs l2.ways=16 sm.count=1");
	rig_run(&r, 1, 32);
	EQ(1, rig_stat(&r, "dram.row_misses"));
	EQ(1, rig_stat(&r, "dram.row_conflicts"));
	EQ(6, rig_stat(&r, "dram.row_hits"));
	rig_close(&r);
}

TEST(dram, rows_are_refreshed_at_their_interval)
{
	/* tREFI is 3900 clocks; a load at the end keeps the DRAM awake until
	 * then. Two channels of two pseudo channels, or two of one. */
	static const char text[] =
		SILENT(LOAD("0") "nanosleep.u32 39100; " LOAD("512"));
	uint64_t n;

	rig_open(&r, text, LONE "dram.refresh=yes");
	rig_run(&r, 1, 32);
	n = rig_stat(&r, "dram.refreshes");
	OK(n >= 9 && n <= 10 * 2 * 2);
	rig_close(&r);
	rig_open(&r, text, LONE);
	rig_run(&r, 1, 32);
	EQ(0, rig_stat(&r, "dram.refreshes"));
	rig_close(&r);
}

TEST(dram, a_refresh_closes_the_rows)
{
	/* The row that the first load has opened is closed again when the
	 * second one comes, 3900 clocks later. */
	EQ(ROW_MISS + 2,
	   rig_between(KERNEL(LOAD("0") "nanosleep.u32 6000; " CLOCK(0)
				      LOAD("32") CLOCK(1)),
		       LONE "dram.refresh=yes"));
	EQ(ROW_HIT + 2,
	   rig_between(KERNEL(LOAD("0") "nanosleep.u32 6000; " CLOCK(0)
				      LOAD("32") CLOCK(1)),
		       LONE));
}
