/*
 * Vector and scalar memory instructions of a compute unit, and its caches. All cycles
 * are derived by hand. On the machine below a request takes 42 cycles from its lookup to
 * the network (l1.miss_latency less lat.mem.cycles), 40 to the L2, 60 there, 40 back, and
 * 40 until its data can be used: 222 from the lookup on.
 */
#include <stdio.h>
#include <string.h>

#include "cu_rig.h"
#include "test.h"

static struct cu_rig r;

enum { ANY = WAVE_ANY };

#define LATENCIES                                                     \
	"lat.mem.cycles=8 l1.miss_latency=50 net.request_latency=40 " \
	"l2.hit_latency=60 net.reply_latency=40 l1.fill_latency=40 "  \
	"l1.hit_latency=114 cu.scalar_latency=40 "

static cycle_t between(uint32_t a, uint32_t b)
{
	return cu_at(&r, 0, b) - cu_at(&r, 0, a);
}

static void open_warm(const char *more)
{
	char set[512];

	snprintf(set, sizeof(set), LATENCIES "%s", more);
	cu_open(&r, set);
	gpu_host_copy(r.gpu, r.data, 64 << 10);
}

static void run_one(void)
{
	cu_end(&r);
	cu_run(&r, 1, 64);
	cu_close(&r);
}

static const struct cu_access row = { .stride = 4, .bytes = 4 };

TEST(cu_memory, a_load_that_misses_takes_the_way_to_the_l2_and_back)
{
	open_warm("");
	cu_memory(&r, WAVE_VMEM, row);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	/* Lookups of 4 lines in cycles 8 to 11; the last has its data at
	 * 11 + 222 = 233, and the next turn is 236. */
	EQ(236, between(0, 1));
	EQ(4, r.out.stats.l1.read_misses);
	EQ(4, r.out.stats.l2.read_hits);
}

TEST(cu_memory, a_load_that_hits_takes_the_latency_of_the_l1)
{
	open_warm("");
	cu_memory(&r, WAVE_VMEM, row);
	cu_wait(&r, 0, ANY, ANY);
	cu_memory(&r, WAVE_VMEM, row);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	/* The last of 4 lookups is 3 cycles after the first: 117. */
	EQ(120, between(2, 3));
	EQ(4, r.out.stats.l1.read_hits);
}

/* Loads so that a hit returns from the second on; how long it takes. */
static cycle_t hit_takes(struct cu_access a)
{
	open_warm("");
	cu_memory(&r, WAVE_VMEM, a);
	cu_wait(&r, 0, ANY, ANY);
	cu_memory(&r, WAVE_VMEM, a);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	EQ(r.out.stats.l1.reads, 2 * r.out.stats.l1.read_hits);
	return between(2, 3);
}

TEST(cu_memory, sixteen_lanes_share_the_lookup_of_a_line)
{
	/* One line for all, looked up for each sixteen lanes: 117. */
	EQ(120, hit_takes((struct cu_access){ .bytes = 4 }));
	/* A line for each lane: 64 lookups, 114 + 63. */
	EQ(180, hit_takes((struct cu_access){ .stride = 64, .bytes = 4 }));
	/* Four lanes: one lookup. */
	EQ(116, hit_takes((struct cu_access){
			.lanes = 15, .stride = 4, .bytes = 4 }));
	/* Sixteen bytes of each lane: 4 lines for 16 lanes, 114 + 15. */
	EQ(132, hit_takes((struct cu_access){ .stride = 16, .bytes = 16 }));
	/* Each sixteen lanes touch two lines: 8 lookups, 114 + 7. */
	EQ(124,
	   hit_takes((struct cu_access){ .at = 60, .stride = 4, .bytes = 4 }));
}

TEST(cu_memory, vector_memory_returns_in_order)
{
	open_warm("");
	cu_memory(&r, WAVE_VMEM, row);
	cu_wait(&r, 0, ANY, ANY);
	cu_memory(&r, WAVE_VMEM,
		  (struct cu_access){ .at = 4096, .stride = 4, .bytes = 4 });
	cu_memory(&r, WAVE_VMEM, row);
	cu_wait(&r, 1, ANY, ANY);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	/* The hit has its data long before the miss. */
	EQ(236, between(2, 4));
	EQ(4, between(4, 5));
}

TEST(cu_memory,
     a_store_is_read_when_its_lines_are_and_complete_when_the_l2_has_it)
{
	open_warm("");
	cu_memory(&r, WAVE_VMEM,
		  (struct cu_access){ .stride = 4, .bytes = 4, .write = true });
	cu_wait(&r, ANY, ANY, 0);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	/* Read after 4 lookups from cycle 8 on: 12. The last one arrives at
	 * 11 + 42 + 40 and is acknowledged 60 + 40 later: 193. */
	EQ(12, between(0, 1));
	EQ(196, between(0, 2));
	EQ(4, r.out.stats.l2.writes);
	EQ(256 / 32, r.out.stats.l2.sectors_written);
}

TEST(cu_memory, a_coherent_load_goes_around_the_l1)
{
	struct cu_access a = row;

	a.coherent = true;
	open_warm("");
	cu_memory(&r, WAVE_VMEM, a);
	cu_wait(&r, 0, ANY, ANY);
	cu_memory(&r, WAVE_VMEM, a);
	cu_wait(&r, 0, ANY, ANY);
	run_one();
	EQ(236, between(0, 1));
	EQ(236, between(2, 3));
	EQ(0, r.out.stats.l1.reads);
	EQ(8, r.out.stats.l1.bypassed);
}

TEST(cu_memory, a_scalar_load_misses_once_and_then_hits)
{
	open_warm("");
	cu_memory(&r, WAVE_SMEM, (struct cu_access){ .bytes = 16 });
	cu_wait(&r, ANY, 0, ANY);
	cu_memory(&r, WAVE_SMEM, (struct cu_access){ .at = 32, .bytes = 4 });
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	/* 222 from the lookup on, which is the issue. */
	EQ(224, between(0, 1));
	EQ(40, between(2, 3));
	EQ(1, r.out.stats.lsu.const_misses);
	EQ(1, r.out.stats.lsu.const_l0_hits);
}

TEST(cu_memory, a_scalar_load_of_two_lines_waits_for_both)
{
	open_warm("");
	cu_memory(&r, WAVE_SMEM, (struct cu_access){ .at = 32, .bytes = 64 });
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	/* The data of the second line pass the port after those of the first. */
	EQ(224, between(0, 1));
	EQ(2, r.out.stats.lsu.const_misses);
}

TEST(cu_memory, the_scalar_cache_reads_so_many_bytes_a_cycle)
{
	open_warm("cu.scalar_width=16");
	for (unsigned i = 0; i < 4; i++)
		cu_memory(&r, WAVE_SMEM, (struct cu_access){ .bytes = 64 });
	cu_wait(&r, ANY, 0, ANY);
	for (unsigned i = 0; i < 4; i++)
		cu_memory(&r, WAVE_SMEM, (struct cu_access){ .bytes = 64 });
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	/* 64 bytes take 4 cycles, as long as a turn. */
	EQ(12 + 40, between(5, 9));
	/* Eight wavefronts of different SIMDs and units compete for it; the laws
	 * of their turns hold. */
	open_warm("cu.scalar_width=2 sm.count=4 cu.cluster=4");
	for (unsigned i = 0; i < 8; i++)
		cu_memory(&r, WAVE_SMEM, (struct cu_access){ .bytes = 64 });
	cu_wait(&r, ANY, 0, ANY);
	cu_loop(&r, 0, 4);
	cu_end(&r);
	cu_run(&r, 64, 64);
	OK(r.out.cycles > 64 * 8 * 5 * 32);
	cu_close(&r);
}

TEST(cu_memory, units_of_a_cluster_share_the_scalar_cache)
{
	for (unsigned cluster = 1; cluster <= 4; cluster += 3) {
		char more[128];

		snprintf(more, sizeof(more), "sm.count=4 cu.cluster=%u",
			 cluster);
		open_warm(more);
		cu_memory(&r, WAVE_SMEM, (struct cu_access){ .bytes = 4 });
		cu_wait(&r, ANY, 0, ANY);
		cu_end(&r);
		cu_run(&r, 4, 64);
		cu_close(&r);
		/* One request of the cluster, or one of each unit. */
		EQ(4 / cluster, r.out.stats.l2.reads);
	}
}

TEST(cu_memory, atomics_are_performed_once_for_each_lane)
{
	uint32_t sum, i;
	const struct range *at;

	open_warm("");
	i = cu_memory(&r, WAVE_VMEM,
		      (struct cu_access){ .bytes = 4, .adds = true });
	cu_wait(&r, 0, ANY, ANY);
	cu_end(&r);
	cu_run(&r, 40, 256);
	at = gmem_find(&r.gmem, r.access[i].at, 4);
	memcpy(&sum, at->host + (r.access[i].at - at->base), 4);
	EQ(40 * 256, sum);
	EQ(40 * 4 * 2, r.out.stats.l2.atomics);
	EQ(40 * 256, r.out.stats.l2.atomic_lanes);
	cu_close(&r);
}

TEST(cu_memory, code_is_fetched_before_it_issues)
{
	open_warm("front.perfect=no cu.fetch_cycles=5");
	for (unsigned i = 0; i < 24; i++)
		cu_op(&r, WAVE_SALU);
	cu_loop(&r, 0, 1);
	run_one();
	EQ(r.out.stats.front.fetches, r.out.stats.front.l0_hits +
					      r.out.stats.front.l0_pending +
					      r.out.stats.front.l0_misses);
	/* 100 bytes of code in lines of 64, and no more than one line ahead. */
	OK(r.out.stats.front.l0_misses >= 2);
	OK(r.out.stats.front.l0_misses <= 3);
	/* In the second round the loop is in the cache: fetched after the branch,
	 * from a block of 32 bytes with 8 instructions. */
	EQ(4 * 7, between(0, 7));
}
