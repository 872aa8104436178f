/*
 * The paper's equations 1 to 3 by hand, and the circuit's pace on programs that are
 * small enough to count it.
 */
#include <math.h>

#include "fastlanes/performance.h"
#include "rig.h"
#include "test.h"

static const struct fl_external line_a_cycle = { .latency = 8, .interval = 1 };

static struct fl_rates some_rates(void)
{
	return (struct fl_rates){ .turns = 4,
				  .cycle_fm = 1000,
				  .eta = 0.5,
				  .ipc = 0.25,
				  .beta = 0.75,
				  .p_ls = 0.5,
				  .D = 32,
				  .R = 15,
				  .W = 10,
				  .L = 32 };
}

static bool near(double want, double got)
{
	return fabs(want - got) < 1e-9 * fabs(want);
}

/* 16 rows of 10 warps in two directions are 320 lines; loads and stores leave half
 * of the port; 8 cycles of latency and 6 of fl_switch. A launch takes 2300 cycles
 * to begin, a turn 8 beside its own. */
TEST(fastlanes_performance, an_exchange_that_is_hidden_costs_nothing)
{
	struct fl_rates r = some_rates();
	struct fl_speed s = fl_predict_speed(&r, &line_a_cycle);

	OK(near(654, s.cycle_switch));
	OK(near(1000.0 / 1008, s.lambda));
	OK(near(2300 + 4 * 1008, s.host_cycles));
	OK(near(32 * 0.75 * 0.25 * 0.5 * 1000 / 1008, s.throughput));
}

TEST(fastlanes_performance, a_longer_one_is_waited_for)
{
	struct fl_rates r = some_rates();
	struct fl_external slow = { .latency = 8, .interval = 4 };
	struct fl_speed s = fl_predict_speed(&r, &slow);

	OK(near(2574, s.cycle_switch));
	OK(near(1000.0 / 2574, s.lambda));
	OK(near(2300 + 4 * 2574, s.host_cycles));
}

/* With one or two multiprocessors, or warps that have all ended. */
TEST(fastlanes_performance, without_registers_to_move_there_is_no_exchange)
{
	struct fl_rates r = some_rates();

	r.W = 0;
	OK(near(2300 + 4 * 1008,
		fl_predict_speed(&r, &line_a_cycle).host_cycles));
	EQ(0, (int)fl_predict_speed(&r, &line_a_cycle).cycle_switch);
}

/* Turn by turn some wait, though the mean exchange is shorter than the mean turn. */
TEST(fastlanes_performance, turns_that_are_not_equal_wait_more)
{
	struct fl_rates r = some_rates();

	r.longer = 1300;
	OK(near(2300 + 4 * 1300,
		fl_predict_speed(&r, &line_a_cycle).host_cycles));
	OK(near(1000.0 / 1300, fl_predict_speed(&r, &line_a_cycle).lambda));
}
