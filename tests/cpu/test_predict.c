/* Predictors of branches, counter by counter. */
#include "cpu/predict.h"
#include "test.h"

struct predicting {
	struct arena arena;
	struct cpu_predict p;
	struct guest_inst branch;
	struct cfg cfg;
};

static void predicting_init(struct predicting *x, enum cfg_predictor which)
{
	*x = (struct predicting){ .branch = { .uops = 1,
					      .length = 4,
					      .branch = GUEST_BRANCH_COND } };
	cfg_defaults(&x->cfg);
	x->cfg.cpu.predictor = which;
}

static void predicting_start(struct predicting *x)
{
	OK(cpu_predict_init(&x->p, &x->arena, &x->cfg.cpu));
}

/* Whether the prediction of a branch at `at` that is taken or not was right. */
static bool predicting_right(struct predicting *x, uint64_t at, bool taken)
{
	struct cpu_guess g = cpu_predict_look(&x->p, 0, at, &x->branch);

	cpu_predict_learn(&x->p, 0, at, &x->branch, taken ? 0x9000 : at + 4);
	return g.taken == taken;
}

/* How many of 100 branches with a repeated pattern are predicted. */
static unsigned predicting_pattern(struct predicting *x, uint64_t at,
				   const char *pattern)
{
	const char *p = pattern;
	unsigned right = 0;

	for (unsigned i = 0; i < 100; i++) {
		right += predicting_right(x, at, *p == 'T');
		if (!*++p)
			p = pattern;
	}
	return right;
}

TEST(predict, taken_and_not_taken_never_learn)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_TAKEN);
	predicting_start(&x);
	EQ(50, predicting_pattern(&x, 0x1000, "TN"));
	EQ(0, predicting_pattern(&x, 0x1000, "N"));
	arena_free(&x.arena);
	predicting_init(&x, CFG_PREDICTOR_NOT_TAKEN);
	predicting_start(&x);
	EQ(25, predicting_pattern(&x, 0x1000, "TTTN"));
	arena_free(&x.arena);
}

TEST(predict, bimodal_needs_two_errors_to_change_its_mind)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_BIMODAL);
	predicting_start(&x);
	/* Weakly taken, then strongly. */
	OK(predicting_right(&x, 0x1000, true));
	OK(!predicting_right(&x, 0x1000, false));
	OK(!predicting_right(&x, 0x1000, false));
	OK(predicting_right(&x, 0x1000, false));
	OK(predicting_right(&x, 0x1000, false));
	OK(!predicting_right(&x, 0x1000, true));
	OK(predicting_right(&x, 0x1000, false));
	/* A loop of ten: one error a round. */
	EQ(90, predicting_pattern(&x, 0x2004, "TTTTTTTTTN"));
	arena_free(&x.arena);
}

TEST(predict, counters_are_shared_by_addresses_modulo_the_table)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_BIMODAL);
	x.cfg.cpu.bimodal_entries = 16;
	predicting_start(&x);
	for (unsigned i = 0; i < 3; i++)
		predicting_right(&x, 0x1000, false);
	OK(!cpu_predict_look(&x.p, 0, 0x1010, &x.branch).taken);
	OK(cpu_predict_look(&x.p, 0, 0x1008, &x.branch).taken);
	arena_free(&x.arena);
}

TEST(predict, two_levels_learn_a_pattern)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_TWO_LEVEL);
	predicting_start(&x);
	predicting_pattern(&x, 0x1000, "TN");
	EQ(100, predicting_pattern(&x, 0x1000, "TN"));
	predicting_pattern(&x, 0x2000, "TTNTN");
	EQ(100, predicting_pattern(&x, 0x2000, "TTNTN"));
	arena_free(&x.arena);
}

TEST(predict, a_pattern_longer_than_the_history_is_not_learnt)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_TWO_LEVEL);
	x.cfg.cpu.history_bits = 2;
	predicting_start(&x);
	predicting_pattern(&x, 0x1000, "TTTTN");
	/* After TT comes T three times of four. */
	EQ(80, predicting_pattern(&x, 0x1000, "TTTTN"));
	arena_free(&x.arena);
}

TEST(predict, combined_chooses_for_each_branch)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_COMBINED);
	predicting_start(&x);
	predicting_pattern(&x, 0x1000, "TN");
	EQ(100, predicting_pattern(&x, 0x1000, "TN"));
	predicting_pattern(&x, 0x2004, "N");
	EQ(100, predicting_pattern(&x, 0x2004, "N"));
	arena_free(&x.arena);
}

TEST(predict, the_btb_forgets_the_least_recently_used)
{
	struct predicting x;

	predicting_init(&x, CFG_PREDICTOR_TAKEN);
	x.cfg.cpu.btb_entries = 2;
	x.cfg.cpu.btb_ways = 2;
	predicting_start(&x);
	x.branch.branch = GUEST_BRANCH_JUMP;
	cpu_predict_learn(&x.p, 0, 0x10, &x.branch, 0x100);
	cpu_predict_learn(&x.p, 0, 0x20, &x.branch, 0x200);
	cpu_predict_learn(&x.p, 0, 0x10, &x.branch, 0x110);
	cpu_predict_learn(&x.p, 0, 0x30, &x.branch, 0x300);
	EQ(0x110, cpu_predict_look(&x.p, 0, 0x10, &x.branch).to);
	EQ(0x300, cpu_predict_look(&x.p, 0, 0x30, &x.branch).to);
	OK(!cpu_predict_look(&x.p, 0, 0x20, &x.branch).known);
	arena_free(&x.arena);
}

TEST(predict, each_thread_has_its_return_stack)
{
	struct predicting x;
	struct guest_inst ret = { .uops = 1,
				  .length = 1,
				  .branch = GUEST_BRANCH_RETURN };

	predicting_init(&x, CFG_PREDICTOR_TAKEN);
	x.cfg.cpu.threads = 2;
	predicting_start(&x);
	x.branch.branch = GUEST_BRANCH_CALL;
	cpu_predict_learn(&x.p, 0, 0x10, &x.branch, 0x100);
	cpu_predict_learn(&x.p, 1, 0x20, &x.branch, 0x100);
	cpu_predict_learn(&x.p, 0, 0x30, &x.branch, 0x100);
	EQ(0x34, cpu_predict_look(&x.p, 0, 0x100, &ret).to);
	EQ(0x24, cpu_predict_look(&x.p, 1, 0x100, &ret).to);
	cpu_predict_learn(&x.p, 0, 0x100, &ret, 0x34);
	EQ(0x14, cpu_predict_look(&x.p, 0, 0x100, &ret).to);
	cpu_predict_learn(&x.p, 0, 0x100, &ret, 0x14);
	OK(!cpu_predict_look(&x.p, 0, 0x100, &ret).known);
	arena_free(&x.arena);
}
