/*
 * The core's stages, to the cycle, one by one.
 *
 * With the rig's defaults an instruction that is fetched in cycle 0 is renamed in
 * cycle 10 (cpu.front_latency; its block came in cycle 4), issued in 11, and a
 * micro-operation of one cycle completes and commits in 12.
 */
#include "rig.h"
#include "test.h"

enum { A = UREG_INT, B, C, D, E, F };

TEST(core, an_instruction_takes_front_end_issue_and_unit)
{
	struct rig r;

	rig_init(&r);
	rig_add(&r, 0, A, 0, 0);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(12, r.program[0].first);
	EQ(1, r.core->st.instructions);
	EQ(1, r.core->st.committed);
	EQ(1, r.core->st.fetch_blocks);
	rig_free(&r);
}

TEST(core, four_instructions_pass_in_a_cycle)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 12; n++)
		rig_add(&r, n, A, 0, 0);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	for (unsigned n = 0; n < 12; n++)
		EQ(12 + n / 4, r.program[n].first);
	rig_free(&r);
}

TEST(core, dependent_instructions_follow_each_other)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 8; n++)
		rig_add(&r, n, A, A, 0);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	for (unsigned n = 0; n < 8; n++)
		EQ(12 + n, r.program[n].first);
	rig_free(&r);
}

TEST(core, renaming_removes_dependences_of_names)
{
	struct rig r;

	rig_init(&r);
	/* B = slow A; A = new; C = A: only the first is slow. */
	rig_compute(&r, 0, UOP_UNIT_DIV, UOP_LAT_DIV, B, A, 0);
	rig_add(&r, 1, A, 0, 0);
	rig_add(&r, 2, C, A, 0);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Issued in 11, 26 cycles; the rest waits to commit in order. */
	EQ(11 + 26, r.program[0].first);
	EQ(11 + 26, r.program[2].first);
	/* All slots of cycles 12 to 36. */
	EQ(4 * 25, r.core->st.execute);
	rig_free(&r);
}

TEST(core, a_unit_takes_the_next_after_its_interval)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 3; n++)
		rig_compute(&r, n, UOP_UNIT_DIV, UOP_LAT_DIV, A, 0, 0);
	for (unsigned n = 3; n < 6; n++)
		rig_compute(&r, n, UOP_UNIT_MUL, UOP_LAT_MUL, B, 0, 0);
	r.cfg.cpu.div_latency = 20;
	r.cfg.cpu.div_interval = 7;
	r.cfg.cpu.commit_width = 16;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Issued in 11, 18, 25. */
	EQ(31, r.program[0].first);
	EQ(38, r.program[1].first);
	EQ(45, r.program[2].first);
	EQ(45, r.program[5].first);
	rig_free(&r);
}

TEST(core, more_units_of_a_class_work_side_by_side)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 4; n++)
		rig_compute(&r, n, UOP_UNIT_DIV, UOP_LAT_DIV, A, 0, 0);
	r.cfg.cpu.div_latency = r.cfg.cpu.div_interval = 20;
	r.cfg.cpu.div_units = 2;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(31, r.program[1].first);
	EQ(51, r.program[3].first);
	rig_free(&r);
}

TEST(core, a_load_takes_its_address_and_the_cache)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	rig_add(&r, 1, B, A, 0);
	r.data.latency = 30;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Issued in 11, asks in 12. */
	EQ(12 + 30, r.program[0].first);
	EQ(12 + 30 + 1, r.program[1].first);
	EQ(1, r.data.loads);
	EQ(1, r.data.st.reads);
	EQ(30, r.data.st.read_ticks);
	rig_free(&r);
}

TEST(core, loads_that_miss_overlap)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 4; n++)
		rig_load(&r, n, A, 0, 0x1000 + 64 * n, 8);
	r.data.latency = 50;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Two units for addresses, one request a cycle: asked in 12 to 15. */
	for (unsigned n = 0; n < 4; n++)
		EQ(12 + 50 + n, r.program[n].first);
	rig_free(&r);
}

TEST(core, a_load_that_crosses_a_block_asks_twice)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x103c, 8);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(12 + 4 + 1, r.program[0].first);
	EQ(2, r.data.loads);
	EQ(1, r.core->st.split);
	rig_free(&r);
}

TEST(core, a_store_forwards_to_a_younger_load)
{
	struct rig r;

	rig_init(&r);
	rig_store(&r, 0, 0, 0x1000, 8);
	rig_load(&r, 1, A, 0, 0x1004, 4);
	r.data.latency = 90;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The load has its address in 12, and the store is ready: 4 cycles. */
	EQ(12, r.program[0].first);
	EQ(12 + 4, r.program[1].first);
	EQ(1, r.core->st.forwarded);
	EQ(0, r.data.loads);
	EQ(1, r.data.stores);
	rig_free(&r);
}

TEST(core, forwarding_waits_for_the_value_of_the_store)
{
	struct rig r;

	rig_init(&r);
	rig_compute(&r, 0, UOP_UNIT_DIV, UOP_LAT_DIV, B, 0, 0);
	rig_store(&r, 1, B, 0x1000, 8);
	rig_load(&r, 2, A, 0, 0x1000, 8);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The value in 37, the store done in 38. */
	EQ(37, r.program[0].first);
	EQ(38, r.program[1].first);
	EQ(38 + 4, r.program[2].first);
	rig_free(&r);
}

TEST(core, a_load_of_more_than_a_store_wrote_waits_until_that_is_performed)
{
	struct rig r;

	rig_init(&r);
	rig_store(&r, 0, 0, 0x1004, 4);
	rig_load(&r, 1, A, 0, 0x1000, 8);
	r.data.latency = 20;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The store commits and is sent in 12, performed in 32; then the load. */
	EQ(12, r.program[0].first);
	EQ(32 + 20, r.program[1].first);
	EQ(0, r.core->st.forwarded);
	rig_free(&r);
}

TEST(core, a_store_elsewhere_holds_no_load)
{
	struct rig r;

	rig_init(&r);
	rig_compute(&r, 0, UOP_UNIT_DIV, UOP_LAT_DIV, B, 0, 0);
	rig_store(&r, 1, B, 0x1000, 8);
	rig_load(&r, 2, A, 0, 0x1008, 8);
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* It has long been answered when the store commits. */
	EQ(38, r.program[2].first);
	rig_free(&r);
}

TEST(core, a_full_store_buffer_holds_commit)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 3; n++)
		rig_store(&r, n, 0, 0x1000 + 64 * n, 8);
	r.cfg.cpu.store_buffer = 1;
	r.data.latency = 20;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(12, r.program[0].first);
	EQ(32, r.program[1].first);
	EQ(52, r.program[2].first);
	/* All slots of 13 to 31 and of 33 to 51, and three of 32. */
	EQ(2 * 4 * 19 + 3, r.core->st.store);
	rig_free(&r);
}

TEST(core, stores_to_one_block_that_wait_share_a_request)
{
	struct rig r;

	rig_init(&r);
	rig_store(&r, 0, 0, 0x2000, 8);
	for (unsigned n = 1; n < 4; n++)
		rig_store(&r, n, 0, 0x1000 + 8 * n, 8);
	rig_store(&r, 4, 0, 0x1038, 16);
	r.cfg.cpu.store_flights = 1;
	r.data.latency = 20;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Sent in 12; three together in 32; the two halves of the one
	 * that crosses a block in 52 and 72. */
	EQ(2, r.core->st.joined);
	EQ(4, r.data.stores);
	/* The last one is performed in 92; the thread finds its end in 93. */
	EQ(92 + 2, r.stopped_at);
	rig_free(&r);
}

TEST(core, a_full_rob_ends_rename)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	for (unsigned n = 1; n < 8; n++)
		rig_add(&r, n, B, 0, 0);
	r.cfg.cpu.rob = 5;
	r.data.latency = 40;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Four leave in 52; the last three are renamed then, issued in 53. */
	EQ(52, r.program[3].first);
	EQ(53, r.program[4].first);
	EQ(54, r.program[7].first);
	OK(r.core->st.stall_rob > 0);
	EQ(0, r.core->st.stall_iq);
	rig_free(&r);
}

TEST(core, a_full_issue_queue_ends_rename)
{
	struct rig r;

	rig_init(&r);
	rig_compute(&r, 0, UOP_UNIT_DIV, UOP_LAT_DIV, A, 0, 0);
	rig_add(&r, 1, B, A, 0);
	rig_add(&r, 2, C, A, 0);
	rig_add(&r, 3, D, 0, 0);
	r.cfg.cpu.iq = 2;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* 0 and 1 in cycle 10, 2 when 0 has been issued, 3 when 1 and 2 have:
	 * in 37; it is issued in 38. */
	EQ(37, r.program[0].first);
	EQ(38, r.program[2].first);
	EQ(39, r.program[3].first);
	OK(r.core->st.stall_iq > 0);
	rig_free(&r);
}

TEST(core, a_full_load_store_queue_ends_rename)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	rig_load(&r, 1, B, 0, 0x1040, 8);
	r.cfg.cpu.lsq = 1;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The first commits in 16; the second is renamed then: 17, 18, 22. */
	EQ(16, r.program[0].first);
	EQ(22, r.program[1].first);
	OK(r.core->st.stall_lsq > 0);
	rig_free(&r);
}

TEST(core, physical_registers_run_out)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	for (unsigned n = 1; n < 9; n++)
		rig_add(&r, n, B, 0, 0);
	r.cfg.cpu.int_regs = 8;
	r.data.latency = 60;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Eight of the nine find one; the last when the load commits in 72. */
	EQ(73, r.program[7].first);
	EQ(74, r.program[8].first);
	OK(r.core->st.stall_regs > 0);
	rig_free(&r);
}

TEST(core, a_value_and_flags_share_a_physical_register)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	for (unsigned n = 1; n < 8; n++)
		rig_add(&r, n, B, 0, 0)->uop[0].dst[1] = C;
	r.cfg.cpu.int_regs = 8;
	r.data.latency = 60;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(0, r.core->st.stall_regs);
	rig_free(&r);
}

TEST(core, a_wrong_prediction_costs_the_way_from_fetch_to_the_branch)
{
	struct rig r;

	rig_init(&r);
	rig_branch(&r, 0, GUEST_BRANCH_COND, 8, 1);
	for (unsigned n = 1; n < 8; n++)
		rig_add(&r, n, A, 0, 0);
	rig_add(&r, 8, B, 0, 0);
	r.cfg.cpu.predictor = CFG_PREDICTOR_NOT_TAKEN;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The branch completes in 12; fetch goes on in 13. */
	EQ(12, r.program[0].first);
	EQ(13 + 12, r.program[8].first);
	EQ(0, r.program[1].first);
	EQ(1, r.core->st.mispredicted);
	EQ(0, r.core->st.wrong_target);
	/* Eight more of the wrong path were fetched in cycles 0 to 2, and 3 in
	 * cycle 0, seven of them renamed in 10 and 11 and the eighth in 12. */
	EQ(8, r.core->st.wrong);
	EQ(2, r.core->st.instructions);
	rig_free(&r);
}

TEST(core, nothing_of_a_wrong_path_is_left)
{
	struct rig r;

	rig_init(&r);
	rig_compute(&r, 0, UOP_UNIT_DIV, UOP_LAT_DIV, A, 0, 0);
	rig_branch(&r, 1, GUEST_BRANCH_COND, 10, 1)->uop[0].src[0] = A;
	rig_load(&r, 2, A, 0, 0x2000, 8);
	rig_store(&r, 3, A, 0x3000, 8);
	rig_load(&r, 4, B, 0, 0x3000, 8);
	rig_add(&r, 5, A, B, A);
	for (unsigned n = 6; n < 10; n++)
		rig_add(&r, n, A, A, B);
	rig_add(&r, 10, C, A, 0);
	rig_load(&r, 11, D, 0, 0x3000, 8);
	r.cfg.cpu.predictor = CFG_PREDICTOR_NOT_TAKEN;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The branch completes in 38. */
	EQ(38, r.program[1].first);
	EQ(39 + 12, r.program[10].first);
	EQ(39 + 12 + 4, r.program[11].first);
	EQ(0, r.program[2].first);
	/* The caches have seen its load, not its store. */
	EQ(2, r.data.loads);
	EQ(0, r.data.stores);
	EQ(0, r.core->rob);
	EQ(0, r.core->iq);
	EQ(0, r.core->lsq);
	EQ(0, r.core->context[0].stores);
	rig_free(&r);
}

TEST(core, a_direct_jump_that_is_not_in_the_btb_is_decoded)
{
	struct rig r;

	rig_init(&r);
	rig_branch(&r, 0, GUEST_BRANCH_JUMP, 4, 1);
	rig_add(&r, 4, A, 0, 0);
	r.cfg.cpu.predictor = CFG_PREDICTOR_TAKEN;
	r.cfg.cpu.btb_miss = 6;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Fetched in 0, decoded until 7. */
	EQ(7 + 12, r.program[4].first);
	EQ(1, r.core->st.btb_misses);
	EQ(0, r.core->st.mispredicted);
	rig_free(&r);
}

TEST(core, a_jump_in_the_btb_costs_the_rest_of_its_cycle)
{
	struct rig r;

	rig_init(&r);
	/* 0 goes to itself twice, then on to 1. */
	rig_branch(&r, 0, GUEST_BRANCH_COND, 0, 3);
	rig_add(&r, 1, A, 0, 0);
	r.cfg.cpu.predictor = CFG_PREDICTOR_TAKEN;
	r.cfg.cpu.btb_miss = 6;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* Fetched in 0, 7, 8 and 9; the last one is wrong and completes in 21,
	 * so that its fall-through is fetched in 22. */
	EQ(1, r.core->st.btb_misses);
	EQ(12, r.program[0].first);
	EQ(21, r.program[0].last);
	EQ(1, r.core->st.mispredicted);
	EQ(22 + 12, r.program[1].first);
	rig_free(&r);
}

TEST(core, returns_go_back_to_their_calls)
{
	struct rig r;

	rig_init(&r);
	rig_branch(&r, 0, GUEST_BRANCH_CALL, 8, 1);
	rig_add(&r, 1, A, 0, 0);
	rig_branch(&r, 8, GUEST_BRANCH_RETURN, 1, 1);
	r.cfg.cpu.predictor = CFG_PREDICTOR_TAKEN;
	r.cfg.cpu.btb_miss = 0;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(0, r.core->st.mispredicted);
	EQ(2, r.core->st.branches);
	/* Fetched in 0, 1 and 2. */
	EQ(14, r.program[1].first);
	rig_free(&r);
}

TEST(core, a_return_stack_that_is_too_small_forgets_the_oldest)
{
	struct rig r;

	rig_init(&r);
	rig_branch(&r, 0, GUEST_BRANCH_CALL, 8, 1);
	rig_add(&r, 1, A, 0, 0);
	rig_branch(&r, 8, GUEST_BRANCH_CALL, 16, 1);
	rig_branch(&r, 9, GUEST_BRANCH_RETURN, 1, 1);
	rig_branch(&r, 16, GUEST_BRANCH_RETURN, 9, 1);
	r.cfg.cpu.predictor = CFG_PREDICTOR_TAKEN;
	r.cfg.cpu.return_stack = 1;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(1, r.core->st.mispredicted);
	EQ(1, r.core->st.wrong_target);
	rig_free(&r);
}

TEST(core, an_indirect_jump_goes_where_it_went)
{
	struct rig r;

	rig_init(&r);
	/* 0 jumps to 4 four times, with a jump back behind it, then to 8. */
	rig_branch(&r, 0, GUEST_BRANCH_INDIRECT, 4, 5)->to[4] = 8;
	rig_branch(&r, 4, GUEST_BRANCH_JUMP, 0, 5);
	rig_add(&r, 8, A, 0, 0);
	r.cfg.cpu.predictor = CFG_PREDICTOR_TAKEN;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The first and the last one. */
	EQ(2, r.core->st.mispredicted);
	EQ(2, r.core->st.wrong_target);
	rig_free(&r);
}

TEST(core, an_atomic_waits_for_all_before_and_holds_all_after)
{
	struct rig r;

	rig_init(&r);
	rig_store(&r, 0, 0, 0x1000, 8);
	rig_store(&r, 1, 0, 0x2000, 8)->uop[0].kind = UOP_ATOMIC;
	r.program[1].inst.order = GUEST_ATOMIC;
	rig_load(&r, 2, A, 0, 0x3000, 8);
	r.data.latency = 20;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* The store is sent in 12 and performed in 32; in 33 the atomic is
	 * fetched, in 45 sent, in 65 performed; then the load is sent. */
	EQ(12, r.program[0].first);
	EQ(65, r.program[1].first);
	EQ(65 + 20, r.program[2].first);
	EQ(1, r.data.others);
	EQ(1, r.core->st.atomics);
	rig_free(&r);
}

TEST(core, a_pause_stops_fetch)
{
	struct rig r;

	rig_init(&r);
	rig_add(&r, 0, A, 0, 0)->inst.order = GUEST_PAUSE;
	rig_add(&r, 1, A, 0, 0);
	r.cfg.cpu.pause = 30;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	EQ(12, r.program[0].first);
	EQ(42, r.program[1].first);
	rig_free(&r);
}

TEST(core, instructions_wait_for_their_block)
{
	struct rig r;

	rig_init(&r);
	rig_add(&r, 0, A, 0, 0);
	rig_add(&r, 1, A, 0, 0);
	r.stride = 64;
	r.program[0].inst.length = r.program[1].inst.length = 64;
	r.code.latency = 50;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_run(&r);
	/* One block a cycle is asked for: answers in 50 and 51, renamed then. */
	EQ(52, r.program[0].first);
	EQ(53, r.program[1].first);
	EQ(2, r.core->st.fetch_blocks);
	OK(r.core->st.fetch > 4 * 40);
	rig_free(&r);
}

TEST(core, two_threads_share_a_core)
{
	struct rig r;

	rig_init(&r);
	for (unsigned n = 0; n < 8; n++) {
		rig_add(&r, n, A, A, 0);
		rig_add(&r, 16 + n, A, A, 0);
	}
	r.cfg.cpu.threads = 2;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_thread(&r, 1, 16);
	rig_run(&r);
	/* Chains of eight, one a cycle each: the second thread is fetched a
	 * cycle later, and slowed by nothing. */
	EQ(12, r.program[0].first);
	EQ(19, r.program[7].first);
	EQ(13, r.program[16].first);
	EQ(20, r.program[23].first);
	EQ(16, r.core->st.instructions);
	rig_free(&r);
}

TEST(core, a_thread_that_waits_leaves_the_slots_to_the_other)
{
	struct rig r;

	rig_init(&r);
	rig_load(&r, 0, A, 0, 0x1000, 8);
	rig_add(&r, 1, B, A, 0);
	for (unsigned n = 0; n < 40; n++)
		rig_add(&r, 16 + n, A, 0, 0);
	r.cfg.cpu.threads = 2;
	r.data.latency = 200;
	rig_start(&r);
	rig_thread(&r, 0, 0);
	rig_thread(&r, 1, 16);
	rig_run(&r);
	EQ(213, r.program[1].first);
	/* Four a cycle once both have been fetched in turns. */
	OK(r.program[16 + 39].first < 40);
	rig_free(&r);
}
