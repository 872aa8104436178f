/*
 * A whole GPU of compute units: what fits into a unit, the peaks of the data sheets,
 * the reasons of its turns, and engines that agree.
 */
#include <stdio.h>
#include <string.h>

#include "cu_rig.h"
#include "test.h"

static struct cu_rig r;

enum { ANY = WAVE_ANY, UNROLLED = 32 };

/* ---- residency ----------------------------------------------------------- */

static uint32_t groups_of(uint32_t threads, struct wave_demand need)
{
	struct occupancy o;
	uint32_t used;
	struct diag d;

	cu_open(&r, "");
	r.demand = need;
	r.launch = (struct launch){ .program = &r.program,
				    .kernel = &r.code,
				    .block = { threads, 1, 1 } };
	EQ(ERR_OK,
	   gpu_occupancy(&o, &used, &r.cfg, &r.timed, &r.launch, 0, &d));
	EQ(need.vectors, used);
	cu_close(&r);
	return o.blocks;
}

TEST(cu_machine, registers_and_lds_bound_the_groups_of_a_unit)
{
	/* 256 vector registers of a lane for each SIMD: 10 wavefronts of 24. */
	EQ(40, groups_of(64, (struct wave_demand){ .vectors = 24 }));
	EQ(36, groups_of(64, (struct wave_demand){ .vectors = 28 }));
	EQ(8, groups_of(64, (struct wave_demand){ .vectors = 128 }));
	EQ(4, groups_of(64, (struct wave_demand){ .vectors = 256 }));
	/* 512 scalar registers for each SIMD. */
	EQ(40,
	   groups_of(64, (struct wave_demand){ .vectors = 4, .scalars = 48 }));
	EQ(16,
	   groups_of(64, (struct wave_demand){ .vectors = 4, .scalars = 104 }));
	/* 64 KiB. */
	EQ(4, groups_of(64, (struct wave_demand){ .vectors = 4,
						  .lds_bytes = 16 << 10 }));
	/* Groups of several wavefronts need one of 16 barriers. */
	EQ(16, groups_of(128, (struct wave_demand){ .vectors = 4 }));
	EQ(10, groups_of(256, (struct wave_demand){ .vectors = 4 }));
}

TEST(cu_machine, no_more_groups_are_resident_than_fit)
{
	cu_open(&r, "");
	r.demand.vectors = 128;
	for (unsigned i = 0; i < 8; i++)
		cu_special(&r, WAVE_SLEEP, 10);
	cu_end(&r);
	cu_run(&r, 24, 64);
	/* Eight at a time, each of which sleeps 5120 cycles. */
	OK(r.out.cycles > 3 * 5120);
	OK(r.out.cycles < 3 * 5120 + 1000);
	EQ(24, r.out.stats.sm.blocks_done);
	cu_close(&r);
}

/* ---- peaks --------------------------------------------------------------- */

/* Runs what was added, `times` times over, by every unit's 40 wavefronts. */
static void run_loop(uint32_t times, uint32_t groups)
{
	cu_loop(&r, 0, times);
	cu_end(&r);
	cu_run(&r, groups, 64);
}

/* Within 5% of what it should be. */
static void near(double want, double got)
{
	if (got < 0.95 * want || got > 1.0001 * want)
		printf("want %g, got %g\n", want, got);
	OK(got >= 0.95 * want && got <= 1.0001 * want);
}

static const char whole[] = HEDDLE_SOURCE_DIR "/configs/hd7970.cfg";
static const char quick[] = "dispatch.launch_latency=0";

TEST(cu_machine, vector_instructions_reach_the_peak_of_hd7970)
{
	cu_open_on(&r, whole, quick);
	for (unsigned i = 0; i < UNROLLED; i++)
		cu_op(&r, WAVE_VALU);
	run_loop(100, 32 * 40);
	/* 2 * 64 operations a unit and cycle: 3.79 TFLOP/s of multiply-adds. */
	near(3788.8, 2 * (double)r.out.stats.unit[UNIT_FP32] * 64 /
			     (double)r.out.cycles * 0.925);
	cu_close(&r);
}

TEST(cu_machine, double_precision_reaches_the_peaks_of_both)
{
	cu_open_on(&r, whole, quick);
	for (unsigned i = 0; i < UNROLLED; i++)
		cu_rate(&r, WAVE_F64_MUL);
	run_loop(40, 32 * 40);
	near(947.2, 2 * (double)r.out.stats.unit[UNIT_FP64] * 64 /
			    (double)r.out.cycles * 0.925);
	cu_close(&r);
	cu_open_on(&r, HEDDLE_SOURCE_DIR "/configs/hd7870.cfg", quick);
	for (unsigned i = 0; i < UNROLLED; i++)
		cu_rate(&r, WAVE_F64_MUL);
	run_loop(10, 20 * 40);
	near(160, 2 * (double)r.out.stats.unit[UNIT_FP64] * 64 /
			  (double)r.out.cycles);
	cu_close(&r);
}

TEST(cu_machine, the_lds_reaches_its_bandwidth)
{
	cu_open_on(&r, whole, quick);
	r.demand.lds_bytes = 1024;
	for (unsigned i = 0; i < 8; i++)
		cu_memory(&r, WAVE_LDS,
			  (struct cu_access){ .stride = 4, .bytes = 4 });
	cu_wait(&r, ANY, 0, ANY);
	run_loop(25, 32 * 160);
	/* 128 bytes a unit and cycle: 3789 GB/s. */
	near(3788.8, (double)r.out.stats.lsu.shared_loads * 256 /
			     (double)r.out.cycles * 0.925);
	cu_close(&r);
}

/* GB/s of loads of the whole GPU. */
static double loads_per_second(void)
{
	return (double)r.out.stats.lsu.global_loads * 256 /
	       (double)r.out.cycles * 0.925;
}

TEST(cu_machine, the_l1_reaches_its_bandwidth)
{
	cu_open_on(&r, whole, quick);
	for (unsigned i = 0; i < 8; i++)
		cu_memory(&r, WAVE_VMEM,
			  (struct cu_access){
				  .at = 256 * i, .stride = 4, .bytes = 4 });
	cu_wait(&r, 0, ANY, ANY);
	run_loop(15, 32 * 160);
	/* 64 bytes a unit and cycle: 1894 GB/s. */
	near(1894.4, loads_per_second());
	cu_close(&r);
}

TEST(cu_machine, the_l2_reaches_its_bandwidth)
{
	cu_open_on(&r, whole, quick);
	gpu_host_copy(r.gpu, r.data, 512 << 10);
	/* Every load reads other lines of the first 512 KiB, around the L1. */
	for (unsigned i = 0; i < 8; i++)
		cu_memory(&r, WAVE_VMEM,
			  (struct cu_access){ .at = 32768 * i,
					      .stride = 4,
					      .wave = 256,
					      .bytes = 4,
					      .coherent = true });
	cu_wait(&r, 0, ANY, ANY);
	run_loop(5, 32 * 128);
	/* 64 bytes of 12 slices: 710 GB/s. */
	near(710.4, loads_per_second());
	cu_close(&r);
}

TEST(cu_machine, the_memory_reaches_most_of_its_bandwidth)
{
	cu_open_on(&r, whole, quick);
	for (unsigned i = 0; i < 8; i++)
		cu_memory(&r, WAVE_VMEM,
			  (struct cu_access){ .at = 256 * i,
					      .stride = 4,
					      .wave = 2048,
					      .bytes = 4 });
	cu_wait(&r, 0, ANY, ANY);
	cu_end(&r);
	cu_run(&r, 64 * 512, 64);
	near(264, loads_per_second());
	cu_close(&r);
}

/* ---- reasons ------------------------------------------------------------- */

TEST(cu_machine, every_turn_has_one_reason)
{
	uint64_t sum = 0;

	cu_open_on(&r, whole, quick);
	cu_memory(&r, WAVE_VMEM,
		  (struct cu_access){ .stride = 4, .wave = 256, .bytes = 4 });
	cu_wait(&r, 0, ANY, ANY);
	cu_rate(&r, WAVE_QUARTER);
	cu_special(&r, WAVE_BARRIER, 0);
	cu_memory(&r, WAVE_LDS, (struct cu_access){ .stride = 8, .bytes = 4 });
	cu_wait(&r, ANY, 0, ANY);
	cu_memory(
		&r, WAVE_VMEM,
		(struct cu_access){
			.stride = 4, .wave = 256, .bytes = 4, .write = true });
	cu_end(&r);
	cu_run(&r, 100, 256);
	for (unsigned i = 0; i < REASON_COUNT; i++)
		sum += r.out.stats.reason[i];
	EQ(sum, r.out.stats.sm.slots);
	EQ(32 * r.out.cycles, r.out.stats.sm.slots);
	OK(r.out.stats.reason[REASON_MEMORY] > 0);
	OK(r.out.stats.reason[REASON_SHARED] > 0);
	OK(r.out.stats.reason[REASON_DRAIN] > 0);
	OK(r.out.stats.reason[REASON_FETCH] > 0);
	cu_close(&r);
}

/* ---- engines ------------------------------------------------------------- */

static void mixed_program(void)
{
	cu_memory(&r, WAVE_SMEM, (struct cu_access){ .wave = 16, .bytes = 8 });
	cu_memory(&r, WAVE_VMEM,
		  (struct cu_access){ .stride = 4, .wave = 128, .bytes = 4 });
	cu_wait(&r, 0, 0, ANY);
	cu_memory(&r, WAVE_VMEM,
		  (struct cu_access){
			  .stride = 4, .wave = 64, .bytes = 4, .write = true });
	cu_memory(&r, WAVE_LDS, (struct cu_access){ .stride = 12, .bytes = 4 });
	cu_special(&r, WAVE_BARRIER, 0);
	cu_memory(
		&r, WAVE_VMEM,
		(struct cu_access){
			.at = 1 << 20, .stride = 4, .bytes = 4, .adds = true });
	cu_rate(&r, WAVE_F64_ADD);
	cu_loop(&r, 0, 5);
	cu_end(&r);
	cu_run(&r, 300, 192);
}

static struct stats of_engine(const char *engine, unsigned threads,
			      cycle_t *cycles)
{
	struct stats s;

	cu_open_on(&r, whole, quick);
	r.engine = engine;
	r.threads = threads;
	mixed_program();
	s = r.out.stats;
	*cycles = r.out.cycles;
	cu_close(&r);
	return s;
}

LABEL(cu_machine, threads);

TEST(cu_machine, exact_engines_agree_to_the_last_digit)
{
	static const struct {
		const char *name;
		unsigned threads;
	} engines[] = { { "exact", 2 }, { "exact", 3 }, { "cycle", 2 } };
	cycle_t want, got;
	struct stats serial = of_engine("serial", 1, &want);

	OK(want > 1000);
	for (unsigned i = 0; i < 3; i++) {
		struct stats s =
			of_engine(engines[i].name, engines[i].threads, &got);

		EQ(want, got);
		EQ(0, memcmp(&serial, &s, sizeof(s)));
	}
}
