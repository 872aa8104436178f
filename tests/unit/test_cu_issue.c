/*
 * When the wavefronts of a compute unit issue. All cycles are derived by hand: a SIMD
 * has every fourth cycle, so times are multiples of 4 from one issue on.
 */
#include "cu_rig.h"
#include "test.h"

static struct cu_rig r;

enum { ANY = WAVE_ANY };

/* Cycles between two ops of the first wave. */
static cycle_t between(uint32_t a, uint32_t b)
{
	return cu_at(&r, 0, b) - cu_at(&r, 0, a);
}

/* Runs one wave of what was added, and closes. */
static void run_one(void)
{
	cu_end(&r);
	cu_run(&r, 1, 64);
	cu_close(&r);
}

TEST(cu, a_wavefront_issues_a_simple_vector_instruction_in_every_turn)
{
	cu_open(&r, "");
	for (unsigned i = 0; i < 8; i++)
		cu_op(&r, WAVE_VALU);
	run_one();
	for (uint32_t i = 1; i < 8; i++)
		EQ(4, between(i - 1, i));
}

static void rate_takes(enum wave_rate rate, const char *set, cycle_t cycles)
{
	cu_open(&r, set);
	cu_rate(&r, rate);
	cu_rate(&r, rate);
	run_one();
	EQ(cycles, between(0, 1));
}

TEST(cu, vector_instructions_take_the_passes_of_their_rate)
{
	rate_takes(WAVE_QUARTER, "", 16);
	rate_takes(WAVE_F64_ADD, "", 8);
	rate_takes(WAVE_F64_MUL, "", 16);
	rate_takes(WAVE_F64_MUL, "cu.f64_mul=16", 64);
	rate_takes(WAVE_QUARTER, "cu.quarter=3", 12);
}

TEST(cu, scalar_instructions_follow_each_other_by_turns)
{
	cu_open(&r, "");
	cu_op(&r, WAVE_SALU);
	cu_op(&r, WAVE_SALU);
	cu_op(&r, WAVE_VALU);
	run_one();
	EQ(4, between(0, 1));
	EQ(4, between(1, 2));
	cu_open(&r, "cu.scalar_cycles=5");
	cu_op(&r, WAVE_SALU);
	cu_op(&r, WAVE_SALU);
	run_one();
	EQ(8, between(0, 1));
}

TEST(cu, a_branch_is_followed_by_what_it_leads_to_after_its_latency)
{
	cu_open(&r, "lat.branch.cycles=16");
	cu_op(&r, WAVE_SALU);
	cu_loop(&r, 0, 1);
	cu_op(&r, WAVE_SALU);
	run_one();
	/* The second round: 0, 4 (branch), 20, 24 (branch), 40. */
	EQ(4, between(0, 1));
	EQ(16, between(1, 2));
}

TEST(cu, nops_and_sleep_take_their_time)
{
	cu_open(&r, "");
	cu_special(&r, WAVE_NOP, 3);
	cu_special(&r, WAVE_SLEEP, 2);
	cu_op(&r, WAVE_SALU);
	run_one();
	EQ(12, between(0, 1));
	EQ(128, between(1, 2));
}

/* Five groups: the first and the fifth share SIMD 0. */
static void run_five(void)
{
	cu_end(&r);
	cu_run(&r, 5, 64);
	cu_close(&r);
}

TEST(cu, of_two_wavefronts_with_the_same_kind_the_older_one_issues)
{
	cu_open(&r, "");
	for (unsigned i = 0; i < 10; i++)
		cu_op(&r, WAVE_VALU);
	run_five();
	EQ(36, between(0, 9));
	EQ(cu_at(&r, 0, 9) + 4, cu_at(&r, 4, 0));
	EQ(cu_at(&r, 0, 0) + 1, cu_at(&r, 1, 0));
}

TEST(cu, wavefronts_of_a_simd_issue_different_kinds_in_one_turn)
{
	cu_open(&r, "");
	cu_op(&r, WAVE_VALU);
	cu_op(&r, WAVE_SALU);
	cu_op(&r, WAVE_VALU);
	cu_op(&r, WAVE_SALU);
	run_five();
	/* While the first one is at its scalar instruction, the other one issues
	 * a vector instruction. */
	EQ(cu_at(&r, 0, 1), cu_at(&r, 4, 0));
	EQ(cu_at(&r, 0, 2), cu_at(&r, 4, 1));
	OK(r.out.stats.sm.dual >= 3);
}

TEST(cu, the_issue_width_bounds_the_instructions_of_a_turn)
{
	cu_open(&r, "sm.issue_width=1");
	cu_op(&r, WAVE_VALU);
	cu_op(&r, WAVE_SALU);
	cu_op(&r, WAVE_VALU);
	cu_op(&r, WAVE_SALU);
	run_five();
	OK(cu_at(&r, 4, 0) > cu_at(&r, 0, 3));
}

TEST(cu, a_higher_priority_comes_before_age)
{
	cu_open(&r, "");
	cu_special(&r, WAVE_SLEEP, 1);
	cu_op(&r, WAVE_VALU);
	cu_special(&r, WAVE_PRIORITY, 3);
	for (unsigned i = 0; i < 8; i++)
		cu_op(&r, WAVE_VALU);
	run_five();
	/* Both get their priority; then age decides again. */
	OK(cu_at(&r, 4, 10) > cu_at(&r, 0, 10));
}

TEST(cu, a_barrier_opens_when_the_last_wavefront_of_the_group_arrives)
{
	cu_open(&r, "lat.bar.cycles=8");
	cu_special(&r, WAVE_BARRIER, 0);
	cu_op(&r, WAVE_SALU);
	cu_end(&r);
	cu_run(&r, 1, 128);
	cu_close(&r);
	/* The waves are on SIMDs 0 and 1. The turn of 1 comes first, 3 cycles
	 * before that of 0, which opens the barrier. */
	EQ(3, cu_at(&r, 0, 0) - cu_at(&r, 1, 0));
	EQ(8, cu_at(&r, 0, 1) - cu_at(&r, 0, 0));
	EQ(9, cu_at(&r, 1, 1) - cu_at(&r, 0, 0));
	EQ(2, r.out.stats.sm.barriers);
}

TEST(cu, a_load_of_the_lds_takes_its_latency)
{
	cu_open(&r, "shared.latency=64");
	cu_memory(&r, WAVE_LDS, (struct cu_access){ .stride = 4, .bytes = 4 });
	cu_wait(&r, ANY, 0, ANY);
	cu_op(&r, WAVE_SALU);
	run_one();
	EQ(64, between(0, 1));
	EQ(68, between(0, 2));
	EQ(2, r.out.stats.lsu.shared_passes);
	EQ(0, r.out.stats.lsu.shared_conflicts);
}

static void lds_takes(struct cu_access a, cycle_t cycles, uint64_t conflicts)
{
	cu_open(&r, "shared.latency=64");
	cu_memory(&r, WAVE_LDS, a);
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	EQ(cycles, between(0, 1));
	EQ(conflicts, r.out.stats.lsu.shared_conflicts);
}

TEST(cu, lanes_in_one_bank_are_served_one_after_the_other)
{
	/* Two words of each bank for each half of the lanes: 2 more passes. */
	lds_takes((struct cu_access){ .stride = 8, .bytes = 4 }, 68, 2);
	/* 32 words of one bank for each half: 62 more. */
	lds_takes((struct cu_access){ .stride = 128, .bytes = 4 }, 128, 62);
	/* One word for all lanes. */
	lds_takes((struct cu_access){ .stride = 0, .bytes = 4 }, 64, 0);
	/* Eight bytes of each lane need 4 passes, whatever the addresses. */
	lds_takes((struct cu_access){ .stride = 8, .bytes = 8 }, 64, 0);
	/* Atomics on one word: 64 passes. */
	lds_takes((struct cu_access){ .bytes = 4, .adds = true }, 128, 62);
}

TEST(cu, the_lds_serves_one_instruction_after_the_other)
{
	cu_open(&r, "shared.latency=64");
	for (unsigned i = 0; i < 2; i++)
		cu_memory(&r, WAVE_LDS,
			  (struct cu_access){ .stride = 32, .bytes = 4 });
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	/* Eight words of each bank: 8 passes for each half. The second starts at
	 * 16 and has its result at 16 + 64 + 14. */
	EQ(4, between(0, 1));
	EQ(96, between(0, 2));
}

TEST(cu, lgkm_of_one_waits_for_the_first_of_two_loads)
{
	cu_open(&r, "shared.latency=64");
	cu_memory(&r, WAVE_LDS, (struct cu_access){ .stride = 4, .bytes = 4 });
	cu_memory(&r, WAVE_LDS, (struct cu_access){ .stride = 4, .bytes = 4 });
	cu_wait(&r, ANY, 1, ANY);
	cu_wait(&r, ANY, 0, ANY);
	run_one();
	EQ(64, between(0, 2));
	EQ(68, between(0, 3));
}

TEST(cu, a_counter_that_is_full_holds_the_next_load)
{
	cu_open(&r, "shared.latency=200 lsu.queue=64");
	for (unsigned i = 0; i < 16; i++)
		cu_memory(&r, WAVE_LDS,
			  (struct cu_access){ .stride = 4, .bytes = 4 });
	run_one();
	/* lgkm counts to 15, and a scalar load would raise it by two: 13 + 1
	 * instructions are in flight at most. */
	EQ(52, between(0, 13));
	EQ(200, between(0, 14));
}
