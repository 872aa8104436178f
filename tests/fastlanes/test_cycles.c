/*
 * Exact cycles. Programs are written in instructions of FastLanes; the cycles are
 * counted by hand, by the rules of docs/fastlanes.md. Unless a test says otherwise
 * the machine is that of configs/fastlanes.cfg: results of the ALU after 4 cycles,
 * 6 LD/ST units, so 6 cycles of addresses; latencies 20 (shared), 30 (L1), 150 (L2)
 * and 400 (global).
 */
#include <string.h>

#include "rig.h"
#include "test.h"

enum { MOST = 128, DATA = 0x100000 };

/* A program in the making. */
struct program {
	struct rig rig;
	struct fl_code code;
	struct fl_kernel kernel;
	uint64_t words[MOST];
};

static void start(struct program *p, const char *const *settings)
{
	memset(p, 0, sizeof(*p));
	rig_config(&p->rig, settings);
	p->kernel = (struct fl_kernel){ .name = "k",
					.regs = FL_REGS,
					.preds = FL_PREDS };
	p->code.kernels = &p->kernel;
	p->code.kernel_count = 1;
	p->code.words = p->words;
	p->rig.code = &p->code;
}

static void add(struct program *p, struct fl_inst in)
{
	struct fl_inst again;

	OK(p->kernel.count < MOST);
	p->words[p->kernel.count] = fl_encode(&in);
	STREQ(NULL, fl_decode(&again, p->words[p->kernel.count]));
	p->kernel.count++;
	p->code.word_count++;
}

#define ALWAYS .guard = FL_PT

static void add_mov(struct program *p, uint8_t d, uint32_t v)
{
	add(p, (struct fl_inst){
		       .op = FL_MOV, ALWAYS, .d = d, .imm = true, .b = v });
}

/* d = a + v */
static void add_add(struct program *p, uint8_t d, uint8_t a, uint32_t v)
{
	add(p, (struct fl_inst){ .op = FL_IADD,
				 ALWAYS,
				 .d = d,
				 .a = a,
				 .imm = true,
				 .b = v });
}

static void add_exit(struct program *p)
{
	add(p, (struct fl_inst){ .op = FL_EXIT, ALWAYS });
}

static void add_bra(struct program *p, uint8_t guard, uint32_t to,
		    uint32_t join)
{
	add(p, (struct fl_inst){ .op = FL_BRA,
				 .guard = guard,
				 .imm = true,
				 .b = to | join << 16 });
}

/* d = word at a + offset */
static void add_load(struct program *p, enum fl_op op, uint8_t d, uint8_t a,
		     uint32_t offset)
{
	add(p, (struct fl_inst){ .op = (uint8_t)op,
				 ALWAYS,
				 .d = d,
				 .a = a,
				 .imm = true,
				 .b = offset });
}

/* r1 = DATA + tid.x * stride, in one instruction; it takes until cycle 5. */
static void add_address(struct program *p, uint32_t base, uint32_t stride)
{
	add_mov(p, 2, base);
	add(p, (struct fl_inst){ .op = FL_IMAD,
				 ALWAYS,
				 .d = 1,
				 .a = 0,
				 .c = 2,
				 .imm = true,
				 .b = stride });
}

static uint64_t run(struct program *p, uint32_t blocks, uint32_t threads)
{
	rig_run(&p->rig, blocks, threads);
	EQ(FL_FAULT_NONE, p->rig.fault.kind);
	return p->rig.stats.cycles;
}

/* ---- front end --------------------------------------------------------- */

/* Fetched in cycle 0, issued in cycle 1. */
TEST(fastlanes_cycles, a_kernel_that_only_ends_takes_two)
{
	struct program p;

	start(&p, NULL);
	add_exit(&p);
	EQ(2u, run(&p, 1, 32));
	EQ(1u, p.rig.stats.instructions);
	EQ(1u, p.rig.stats.stalled);
	EQ(2u * 15, p.rig.stats.empty);
}

TEST(fastlanes_cycles, independent_instructions_issue_one_a_cycle)
{
	struct program p;

	start(&p, NULL);
	for (uint8_t i = 0; i < 10; i++)
		add_mov(&p, i, i);
	add_exit(&p);
	EQ(1u + 11, run(&p, 1, 32));
}

/* Issued in 1, 5, 9; exit in 10. */
TEST(fastlanes_cycles, a_result_can_be_used_after_its_latency)
{
	struct program p;

	start(&p, NULL);
	add_mov(&p, 1, 1);
	add_add(&p, 1, 1, 1);
	add_add(&p, 1, 1, 1);
	add_exit(&p);
	EQ(11u, run(&p, 1, 32));
	EQ(7u, p.rig.stats.stalled);
}

/* The second write waits for the first: 1, 5, 6. */
TEST(fastlanes_cycles, a_register_has_one_writer_at_a_time)
{
	struct program p;

	start(&p, NULL);
	add_mov(&p, 1, 1);
	add_mov(&p, 1, 2);
	add_exit(&p);
	EQ(7u, run(&p, 1, 32));
}

/* Branch in 1, its target fetched in 2 and issued in 3. */
TEST(fastlanes_cycles, a_branch_takes_two)
{
	struct program p;

	start(&p, NULL);
	add_bra(&p, FL_PT, 1, 1);
	add_exit(&p);
	EQ(4u, run(&p, 1, 32));
	EQ(1u, p.rig.stats.branches);
	EQ(0u, p.rig.stats.divergent);
}

/* Two warps share the fetch and the issue: eight instructions, from 1 on. */
TEST(fastlanes_cycles, warps_take_turns)
{
	struct program p;

	start(&p, NULL);
	for (uint8_t i = 0; i < 3; i++)
		add_mov(&p, i, i);
	add_exit(&p);
	EQ(1u + 8, run(&p, 1, 64));
}

/* Two warps hide half of the latency: 1 and 2, 5 and 6, 9 and 10, then 11, 12. */
TEST(fastlanes_cycles, a_second_warp_fills_the_gaps_of_the_first)
{
	struct program p;

	start(&p, NULL);
	add_mov(&p, 1, 1);
	add_add(&p, 1, 1, 1);
	add_add(&p, 1, 1, 1);
	add_exit(&p);
	EQ(13u, run(&p, 1, 64));
}

/* isetp 1, bra 5; the 8 lanes that take it: mov in 7. They reconverge at 5, and the
 * other lanes have their turn: mov would be in 9, but r1 has a writer until 11; bra
 * 12, and exit, with all lanes, in 14. */
TEST(fastlanes_cycles, divergent_lanes_take_both_paths)
{
	struct program p;

	start(&p, NULL);
	add(&p, (struct fl_inst){ .op = FL_ISETP,
				  ALWAYS,
				  .d = 0,
				  .a = 0,
				  .mod = FL_LT,
				  .imm = true,
				  .b = 8 });
	add_bra(&p, 0, 4, 5);
	add_mov(&p, 1, 1);
	add_bra(&p, FL_PT, 5, 5);
	add_mov(&p, 1, 2);
	add_exit(&p);
	EQ(15u, run(&p, 1, 32));
	EQ(1u, p.rig.stats.divergent);
	EQ(2u, p.rig.stats.branches);
	EQ(32u + 8 + 8 + 24 + 24 + 32, p.rig.stats.lane_instructions);
}

/* 8 of 32 lanes wide: four cycles for each instruction: 1, 5, 9; exit is none
 * of theirs: 10. */
TEST(fastlanes_cycles, a_narrow_simd_issues_every_fourth_cycle)
{
	static const char *const narrow[] = { "sm.simd_width=8", NULL };
	struct program p;

	start(&p, narrow);
	for (uint8_t i = 0; i < 3; i++)
		add_mov(&p, i, i);
	add_exit(&p);
	EQ(11u, run(&p, 1, 32));
}

/* Warp 0 comes to the barrier first, in cycle 1, warp 1 in cycle 2; both have
 * their exit in the buffer: 3 and 4. */
TEST(fastlanes_cycles, a_barrier_opens_when_the_last_warp_comes)
{
	struct program p;

	start(&p, NULL);
	add(&p, (struct fl_inst){ .op = FL_BAR, ALWAYS });
	add_exit(&p);
	EQ(5u, run(&p, 1, 64));
	EQ(2u, p.rig.stats.barriers);
}

/* Warp 1 ends instead: the barrier does not wait for it. isetp 1 and 2 (p0 after
 * 5 and 6), exit or not in 5 and 6, barrier of warp 0 in 7, exit in 8. */
TEST(fastlanes_cycles, a_barrier_does_not_wait_for_a_warp_that_has_ended)
{
	struct program p;

	start(&p, NULL);
	add(&p, (struct fl_inst){ .op = FL_ISETP,
				  ALWAYS,
				  .d = 0,
				  .a = 0,
				  .mod = FL_GE,
				  .imm = true,
				  .b = 32 });
	add(&p, (struct fl_inst){ .op = FL_EXIT, .guard = 0 });
	add(&p, (struct fl_inst){ .op = FL_BAR, ALWAYS });
	add_exit(&p);
	EQ(9u, run(&p, 1, 64));
}

/* ---- memory ------------------------------------------------------------ */

/* mov 1, imad 5, ldg 9; addresses until 15, one segment, 400 cycles: 415; the
 * addition that needs it in 415, exit in 416. */
TEST(fastlanes_cycles, a_load_from_global_memory_takes_its_latency)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 4);
	add_load(&p, FL_LDG, 3, 1, 0);
	add_add(&p, 4, 3, 1);
	add_exit(&p);
	EQ(417u, run(&p, 1, 32));
	EQ(1u, p.rig.stats.segments);
	EQ(1u, p.rig.stats.l1_misses);
	EQ(1u, p.rig.stats.l2_misses);
}

/* The same line again: the second load enters the LD/ST units when the first one
 * leaves them, in 15, and hits after its 6 and 30 cycles: 51. */
TEST(fastlanes_cycles, a_second_load_of_the_line_hits_in_the_l1)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 4);
	add_load(&p, FL_LDG, 3, 1, 0);
	add_load(&p, FL_LDG, 4, 1, 0);
	add_add(&p, 5, 4, 1);
	add_exit(&p);
	EQ(51u + 2, run(&p, 1, 32));
	EQ(1u, p.rig.stats.l1_hits);
}

/* One segment for each lane: the last one enters in 15 + 31. */
TEST(fastlanes_cycles, lanes_in_different_lines_are_segments)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 128);
	add_load(&p, FL_LDG, 3, 1, 0);
	add_add(&p, 4, 3, 1);
	add_exit(&p);
	EQ(15u + 31 + 400 + 2, run(&p, 1, 32));
	EQ(32u, p.rig.stats.segments);
}

/* The segments of the first load, 15 to 46, keep the second one from its own,
 * which would be in 21: 47, and 30 cycles for a hit. */
TEST(fastlanes_cycles, segments_keep_the_next_access_waiting)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 128);
	add_load(&p, FL_LDG, 3, 1, 0);
	add(&p, (struct fl_inst){ .op = FL_LDG,
				  ALWAYS,
				  .d = 4,
				  .mod = FL_MOD_ABS,
				  .imm = true,
				  .b = DATA });
	add_add(&p, 5, 4, 1);
	add_exit(&p);
	EQ(47u + 30 + 2, run(&p, 1, 32));
}

/* Words 0, 2, 4, ..: two in each even bank. Segments in 15 and 16. */
TEST(fastlanes_cycles, conflicts_of_banks_are_segments)
{
	struct program p;

	for (uint32_t stride = 0; stride <= 128; stride += 4) {
		/* Lanes in one bank: the words that are different there. */
		uint32_t ways = stride ? 32 : 1;

		while (stride && ways > 1 && stride / 4 * ways / 2 % 32 == 0)
			ways /= 2;
		ways = stride ? 32 / ways : 1;
		start(&p, NULL);
		p.kernel.shared = 8192;
		add_address(&p, 0, stride);
		add_load(&p, FL_LDS, 3, 1, 0);
		add_add(&p, 4, 3, 1);
		add_exit(&p);
		EQ(15u + ways - 1 + 20 + 2, run(&p, 1, 32));
		EQ(ways, p.rig.stats.shared_segments);
	}
}

/* A store is done when it is issued, in 9: exit in 10. A load behind it waits for
 * the units. */
TEST(fastlanes_cycles, a_store_is_not_waited_for)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 4);
	add(&p, (struct fl_inst){
			.op = FL_STG, ALWAYS, .a = 1, .c = 2, .imm = true });
	add_exit(&p);
	EQ(11u, run(&p, 1, 32));
	EQ(1u, p.rig.stats.stores);
	/* It allocates in the L2 only. */
	EQ(0u, p.rig.stats.l1_misses);
	EQ(1u, p.rig.stats.l2_misses);
}

/* Local memory of 32 lanes is one segment. mov 1, stl 5, ldl in 11, when the units
 * are free; it misses in the L1, to which a store brings nothing, and hits in the
 * L2: 11 + 6 + 150. */
TEST(fastlanes_cycles, local_memory_of_a_warp_is_one_segment)
{
	struct program p;

	start(&p, NULL);
	p.kernel.local = 16;
	add_mov(&p, 1, 7);
	add(&p, (struct fl_inst){ .op = FL_STL,
				  ALWAYS,
				  .c = 1,
				  .mod = FL_MOD_ABS,
				  .imm = true,
				  .b = 8 });
	add(&p, (struct fl_inst){ .op = FL_LDL,
				  ALWAYS,
				  .d = 2,
				  .mod = FL_MOD_ABS,
				  .imm = true,
				  .b = 8 });
	add_add(&p, 3, 2, 1);
	add_exit(&p);
	EQ(11u + 6 + 150 + 2, run(&p, 1, 32));
	EQ(2u, p.rig.stats.segments);
	EQ(1u, p.rig.stats.l2_hits);
}

/* Two multiprocessors load the same line in the same cycle: the first one has its
 * turn first, so the second hits in the L2. The last cycle is the first's. */
TEST(fastlanes_cycles, multiprocessors_share_the_l2)
{
	struct program p;

	start(&p, NULL);
	add_address(&p, DATA, 4);
	add_load(&p, FL_LDG, 3, 1, 0);
	add_add(&p, 4, 3, 1);
	add_exit(&p);
	EQ(417u, run(&p, 2, 32));
	EQ(1u, p.rig.stats.l2_hits);
	EQ(1u, p.rig.stats.l2_misses);
}

/* With one LD/ST unit for each lane a load issues every cycle, each to a line of
 * its own, until 64 are under way: in cycle 64. The first one, of cycle 1, is back
 * in 402. 90 loads and three exits: 29 more, until 430. */
TEST(fastlanes_cycles, sixty_four_loads_are_under_way_at_most)
{
	static const char *const wide[] = { "unit.lsu.lanes=32", NULL };
	struct program p;

	start(&p, wide);
	for (uint8_t i = 1; i <= 30; i++)
		add(&p, (struct fl_inst){ .op = FL_LDL,
					  ALWAYS,
					  .d = i,
					  .mod = FL_MOD_ABS,
					  .imm = true,
					  .b = 4u * i });
	p.kernel.local = 256;
	add_exit(&p);
	EQ(431u, run(&p, 1, 96));
	EQ(90u, p.rig.stats.l2_misses);
}

/* ---- blocks and turns -------------------------------------------------- */

/* One block at a time: the next one starts in the cycle after the last warp has
 * ended: 0 to 1, 2 to 3, 4 to 5. */
TEST(fastlanes_cycles, a_block_takes_the_place_of_one_that_has_ended)
{
	static const char *const one[] = { "sm.count=1", "sm.max_blocks=1",
					   NULL };
	struct program p;

	start(&p, one);
	add_exit(&p);
	EQ(6u, run(&p, 3, 32));
	EQ(3u, p.rig.stats.blocks);
}

/* 16 KiB hold one block of 9 KiB, or two of 8. */
TEST(fastlanes_cycles, shared_memory_limits_the_blocks)
{
	static const char *const one[] = { "sm.count=1", NULL };
	struct program p;

	start(&p, one);
	add_exit(&p);
	p.kernel.shared = 9 << 10;
	EQ(4u, run(&p, 2, 32));
	p.kernel.shared = 5 << 10;
	p.rig.launch.dynamic_shared = 3 << 10;
	EQ(3u, run(&p, 2, 32));
}

/* Warps of a block have their places until all have ended: 32 places hold two
 * blocks of 11 warps. Two blocks: 22 exits from 1 on; the third starts when the
 * first has ended, in 12, and is fetched behind the second: its exits end in 33. */
TEST(fastlanes_cycles, places_of_warps_are_freed_with_their_block)
{
	static const char *const one[] = { "sm.count=1", NULL };
	struct program p;

	start(&p, one);
	add_exit(&p);
	EQ(34u, run(&p, 3, 11 * 32));
}

/* A block for each multiprocessor before one has two. */
TEST(fastlanes_cycles, blocks_are_spread_over_the_multiprocessors)
{
	struct program p;

	start(&p, NULL);
	add_exit(&p);
	EQ(2u, run(&p, 16, 32));
	EQ(3u, run(&p, 32, 32));
}

/* The order of turns decides who finds a line in the L2, not the cycles of a
 * single multiprocessor. */
TEST(fastlanes_cycles, one_multiprocessor_does_not_depend_on_the_slice)
{
	static const char *const one[] = { "sm.count=1", NULL };
	struct program p;
	struct fl_stats want;

	start(&p, one);
	add_address(&p, DATA, 36);
	for (uint8_t i = 3; i < 20; i++) {
		add_load(&p, FL_LDG, i, 1, i * 256u);
		add_add(&p, i, (uint8_t)(i - 1), 1);
	}
	add_exit(&p);
	run(&p, 40, 128);
	want = p.rig.stats;
	for (uint32_t slice = 1; slice < 100; slice += 7) {
		p.rig.config.slice = slice;
		run(&p, 40, 128);
		EQ(0, memcmp(&want, &p.rig.stats, sizeof(want)));
	}
}

/* ---- faults ------------------------------------------------------------ */

static enum fl_fault_kind fault_of(enum fl_op op, uint32_t address, uint8_t mod)
{
	struct program p;

	start(&p, NULL);
	p.kernel.shared = 64;
	p.kernel.local = 12;
	add(&p, (struct fl_inst){ .op = (uint8_t)op,
				  ALWAYS,
				  .mod = (uint8_t)(mod | FL_MOD_ABS),
				  .imm = true,
				  .b = address });
	add_exit(&p);
	rig_run(&p.rig, 1, 32);
	return p.rig.fault.kind;
}

TEST(fastlanes_cycles, an_access_outside_of_its_space_faults)
{
	EQ(FL_FAULT_NONE, fault_of(FL_LDG, 0x10000, FL_B32));
	EQ(FL_FAULT_ADDRESS, fault_of(FL_LDG, 0xfffc, FL_B32));
	EQ(FL_FAULT_ADDRESS, fault_of(FL_LDG, 0x20000000, FL_U8));
	EQ(FL_FAULT_NONE, fault_of(FL_LDG, 0x1fffffff, FL_U8));
	EQ(FL_FAULT_MISALIGNED, fault_of(FL_LDG, 0x10002, FL_B32));
	EQ(FL_FAULT_NONE, fault_of(FL_LDG, 0x10002, FL_U16));
	EQ(FL_FAULT_MISALIGNED, fault_of(FL_LDG, 0x10001, FL_S16));
	EQ(FL_FAULT_NONE, fault_of(FL_LDS, 60, FL_B32));
	EQ(FL_FAULT_ADDRESS, fault_of(FL_LDS, 64, FL_B32));
	EQ(FL_FAULT_NONE, fault_of(FL_LDL, 8, FL_B32));
	EQ(FL_FAULT_ADDRESS, fault_of(FL_LDL, 12, FL_B32));
	EQ(FL_FAULT_NONE, fault_of(FL_STL, 11, FL_U8));
}

TEST(fastlanes_cycles, an_endless_loop_ends_at_the_limit)
{
	struct program p;

	start(&p, NULL);
	add_bra(&p, FL_PT, 0, FL_NO_JOIN);
	p.rig.launch.max_cycles = 5000;
	rig_run(&p.rig, 1, 32);
	EQ(FL_FAULT_LIMIT, p.rig.fault.kind);
	EQ(5000u, p.rig.stats.cycles);
}
