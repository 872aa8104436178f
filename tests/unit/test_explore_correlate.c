#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/correlate.h"

enum { LAUNCHES = 8 };

/* A profile and a run with launches that a test fills in. */
static struct measured m;
static struct measured_launch measured[LAUNCHES];
static struct measured_value values[LAUNCHES][4];
static struct run_result r;
static struct run_launch launches[LAUNCHES];
static struct run_device device;
static struct correlate c;
static struct diag d;

static void begin(void)
{
	memset(measured, 0, sizeof(measured));
	memset(launches, 0, sizeof(launches));
	cfg_defaults(&device.cfg);
	device.cfg.sm.count = 4;
	m = (struct measured){ .path = "p.csv",
			       .launches = measured,
			       .decimal = '.' };
	r = (struct run_result){ .path = "run",
				 .devices = &device,
				 .device_count = 1,
				 .launches = launches };
	c = (struct correlate){ 0 };
}

static struct measured_launch *hardware(const char *kernel, uint32_t grid,
					const char *cycles)
{
	size_t i = m.count++;
	struct measured_launch *l = &measured[i];

	*l = (struct measured_launch){ .kernel = kernel,
				       .id = i,
				       .sized = true,
				       .grid = { grid, 1, 1 },
				       .block = { 32, 1, 1 },
				       .invocations = 1,
				       .values = values[i],
				       .value_count = 1 };
	EQ(ERR_OK, kernel_name_read(&l->name, &m.arena, kernel, &d));
	values[i][0] = (struct measured_value){ "gpc__cycles_elapsed.max",
						"cycle", cycles, 5 };
	return l;
}

static struct run_launch *simulated(const char *kernel, uint32_t grid,
				    uint64_t cycles)
{
	struct run_launch *l = &launches[r.launch_count++];

	*l = (struct run_launch){ .number = r.launch_count,
				  .kernel = kernel,
				  .grid = { grid, 1, 1 },
				  .block = { 32, 1, 1 },
				  .timed = true,
				  .whole = true,
				  .at_once = 1,
				  .cycles = cycles,
				  .seconds = 1e-6 };
	return l;
}

static enum err join(void)
{
	struct correlate_source from = { "program", "", "p.csv", "run" };

	return correlate_join(&c, &from, &m, &r, &d);
}

static void end(void)
{
	correlate_free(&c);
	arena_free(&m.arena);
}

/* "HARDWARE:SIMULATED" of a point, in cycles. */
static const char *point(size_t i)
{
	static char text[60];

	if (i >= c.point_count)
		return "";
	snprintf(text, sizeof(text), "%g:%g",
		 c.points[i].hardware[CORRELATE_CYCLES],
		 c.points[i].simulated[CORRELATE_CYCLES]);
	return text;
}

TEST(explore_correlate, launches_of_a_kernel_and_size_are_joined_in_order)
{
	begin();
	hardware("a(int)", 1, "10");
	hardware("b(int)", 1, "20");
	hardware("a(int)", 2, "30");
	hardware("a(int)", 1, "40");
	simulated("b", 1, 21);
	simulated("a", 2, 31);
	simulated("a", 1, 11);
	simulated("a", 1, 41);
	EQ(ERR_OK, join());
	EQ(4, c.point_count);
	EQ(0, c.lone_count);
	STREQ("10:11", point(0));
	STREQ("20:21", point(1));
	STREQ("30:31", point(2));
	STREQ("40:41", point(3));
	end();
}

TEST(explore_correlate, what_has_no_partner_says_why)
{
	begin();
	hardware("a", 1, "10");
	hardware("a", 1, "20");
	hardware("a", 9, "30");
	hardware("b", 1, "40");
	hardware("t<1>", 1, "50");
	simulated("a", 1, 11);
	simulated("c", 1, 12);
	simulated("t<2>", 1, 13);
	simulated("t<1>", 2, 14);
	EQ(ERR_OK, join());
	EQ(1, c.point_count);
	EQ(7, c.lone_count);
	STREQ("the run has fewer launches of this kernel and size",
	      c.lone[0].why);
	STREQ("the run has this kernel only with other sizes of grid or block",
	      c.lone[1].why);
	STREQ("the run has no launch of this kernel", c.lone[2].why);
	STREQ("the run has this kernel only with other sizes of grid or block",
	      c.lone[3].why);
	EQ(true, c.lone[3].hardware);
	EQ(false, c.lone[4].hardware);
	STREQ("the profile has no launch of this kernel", c.lone[4].why);
	STREQ("the profile has this kernel only with other template arguments",
	      c.lone[5].why);
	end();
}

TEST(explore_correlate, launches_that_were_not_timed_keep_their_places)
{
	begin();
	hardware("a", 1, "10");
	hardware("a", 1, "20");
	hardware("a", 1, "30");
	simulated("a", 1, 11)->timed = false;
	simulated("a", 1, 21);
	simulated("a", 1, 31)->timed = false;
	EQ(ERR_OK, join());
	EQ(1, c.point_count);
	STREQ("20:21", point(0));
	EQ(1, c.lone_count);
	EQ(2, c.lone[0].count);
	STREQ("the run did not time it (--kernels)", c.lone[0].why);
	end();
}

TEST(explore_correlate, as_many_timed_launches_as_measured_ones_belong_together)
{
	begin();
	hardware("a", 1, "10");
	hardware("a", 1, "20");
	simulated("a", 1, 9)->timed = false;
	simulated("a", 1, 11);
	simulated("a", 1, 21);
	EQ(ERR_OK, join());
	EQ(2, c.point_count);
	EQ(0, c.lone_count);
	STREQ("10:11", point(0));
	STREQ("20:21", point(1));
	end();
}

TEST(explore_correlate, template_arguments_tell_kernels_apart)
{
	begin();
	hardware("void t<(int)2>(T1 *)", 1, "20");
	hardware("void t<(int)1>(T1 *)", 1, "10");
	simulated("t<1>", 1, 11);
	simulated("t<2>", 1, 21);
	EQ(ERR_OK, join());
	STREQ("20:21", point(0));
	STREQ("10:11", point(1));
	end();
	/* Spelt in another way: by order, if nothing else is left. */
	begin();
	hardware("t<Alpha>", 1, "20");
	hardware("t<1>", 1, "10");
	simulated("t<1>", 1, 11);
	simulated("t<ns::Alpha>", 1, 21);
	EQ(ERR_OK, join());
	STREQ("20:21", point(0));
	STREQ("10:11", point(1));
	end();
	/* Not known on one side. */
	begin();
	hardware("t", 1, "10");
	hardware("t", 1, "20");
	simulated("t<1>", 1, 11);
	simulated("t<2>", 1, 21);
	EQ(ERR_OK, join());
	STREQ("20:21", point(1));
	end();
}

TEST(explore_correlate, a_mean_is_compared_with_the_mean_of_as_many)
{
	begin();
	m.tool = MEASURED_NVPROF;
	hardware("a", 0, "10");
	measured[0].sized = false;
	measured[0].invocations = 2;
	values[0][0] = (struct measured_value){ "inst_executed", "", "100", 1 };
	simulated("a", 1, 11)->stats.sm.instructions = 90;
	simulated("a", 2, 11)->stats.sm.instructions = 120;
	EQ(ERR_OK, join());
	EQ(1, c.point_count);
	EQ(2, c.points[0].launches);
	EQ(105, c.points[0].simulated[CORRELATE_INSTRUCTIONS]);
	EQ(100, c.points[0].hardware[CORRELATE_INSTRUCTIONS]);
	end();
	begin();
	m.tool = MEASURED_NVPROF;
	hardware("a", 0, "10");
	measured[0].sized = false;
	measured[0].invocations = 3;
	hardware("b", 1, "1");
	simulated("a", 1, 11);
	simulated("b", 1, 11);
	EQ(ERR_OK, join());
	STREQ("a mean over 3 launches; the run has 1", c.lone[0].why);
	end();
}

TEST(explore_correlate, a_launch_beside_others_is_compared_by_its_own_counts)
{
	struct run_launch *l;

	begin();
	hardware("a", 1, "10");
	hardware("b", 1, "10");
	l = simulated("a", 1, 11);
	l->at_once = 2;
	l->own_known = true;
	l->stats.sm.instructions = 70;
	l->own.sm.instructions = 30;
	l = simulated("b", 1, 12);
	l->at_once = 2;
	l->stats.sm.instructions = 70;
	EQ(ERR_OK, join());
	EQ(30, c.points[0].simulated[CORRELATE_INSTRUCTIONS]);
	EQ(11, c.points[0].simulated[CORRELATE_CYCLES]);
	EQ(true, isnan(c.points[1].simulated[CORRELATE_INSTRUCTIONS]));
	EQ(12, c.points[1].simulated[CORRELATE_CYCLES]);
	end();
}

/* A launch that hardware counts differently in each run. */
TEST(explore_correlate, what_is_within_the_range_of_hardware_has_no_error)
{
	struct correlate_point p = { .low = 90, .high = 120 };
	const int metric = CORRELATE_INSTRUCTIONS;

	p.hardware[metric] = 100;
	p.simulated[metric] = 91;
	EQ(0, correlate_error(&p, metric));
	p.simulated[metric] = 120;
	EQ(0, correlate_error(&p, metric));
	p.simulated[metric] = 150;
	EQ(30.0 / 120, correlate_error(&p, metric));
	p.simulated[metric] = 45;
	EQ(-0.5, correlate_error(&p, metric));
	/* The profile's own count belongs to it, other metrics have none. */
	p.hardware[metric] = 40;
	EQ(0, correlate_error(&p, metric));
	p.hardware[CORRELATE_CYCLES] = 100;
	p.simulated[CORRELATE_CYCLES] = 110;
	EQ(0.1, correlate_error(&p, CORRELATE_CYCLES));
	p.low = p.high = 0;
	EQ(5.0 / 40, correlate_error(&p, metric));
}

static void write_spread(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	OK(f && fputs(text, f) >= 0 && !fclose(f));
}

TEST(explore_correlate, ranges_are_read_by_program_and_launch)
{
	static const char path[] = "test_explore_correlate.spread";
	struct diag why;

	begin();
	hardware("a", 1, "10");
	simulated("a", 1, 11);
	EQ(ERR_OK, join());
	c.points[0].id = 7;
	write_spread(path, "program,launch,kernel,runs,minimum,median,maximum\n"
			   "other,7,a,3,1,2,3\np,7,a,3,5,6,8\np,8,a,3,1,1,1\n");
	c.pairs[0].program = "p";
	EQ(ERR_OK, correlate_spread(&c, path, &why));
	EQ(5, c.points[0].low);
	EQ(8, c.points[0].high);
	write_spread(path, "program,launch,minimum,maximum\np,7,9,8\n");
	EQ(ERR_SYNTAX, correlate_spread(&c, path, &why));
	OK(strstr(why.text, ":2: the minimum is above"));
	write_spread(path, "program,launch,minimum,maximum\np,7,many,8\n");
	EQ(ERR_SYNTAX, correlate_spread(&c, path, &why));
	write_spread(path, "program,launch,minimum,maximum\np,7\n");
	EQ(ERR_SYNTAX, correlate_spread(&c, path, &why));
	write_spread(path, "program,launch,maximum\n");
	EQ(ERR_SYNTAX, correlate_spread(&c, path, &why));
	remove(path);
	EQ(ERR_IO, correlate_spread(&c, path, &why));
	end();
}

TEST(explore_correlate, nothing_in_common_is_an_error_and_leaves_nothing)
{
	begin();
	hardware("a", 1, "10");
	simulated("b", 1, 11);
	EQ(ERR_MISMATCH, join());
	EQ(true, strstr(d.text, "'p.csv' and 'run' have no launch in common") !=
			 NULL);
	EQ(true,
	   strstr(d.text, "the run has no launch of this kernel") != NULL);
	EQ(0, c.pair_count);
	EQ(0, c.point_count);
	EQ(0, c.lone_count);
	end();
}

TEST(explore_correlate, a_number_that_is_wrong_is_an_error_with_its_line)
{
	begin();
	hardware("a", 1, "ten");
	simulated("a", 1, 11);
	EQ(ERR_SYNTAX, join());
	STREQ("p.csv:5: gpc__cycles_elapsed.max is 'ten'; expected a number",
	      d.text);
	end();
}

TEST(explore_correlate, classes_are_those_of_the_hardware)
{
	begin();
	hardware("a", 3, "1000");
	hardware("a", 4, "1000");
	hardware("a", 1001, "1000");
	hardware("b", 4, "1000");
	for (int i = 0; i < 4; i++) {
		measured[i].value_count = 3;
		values[i][1] = (struct measured_value){
			"dram__throughput.avg.pct_of_peak_sustained_elapsed",
			"%", i == 1 ? "36" : "34", 1
		};
		values[i][2] = (struct measured_value){
			"sm__inst_executed.avg.per_cycle_elapsed", "inst/cycle",
			i == 2 ? "1.6" : "1.4", 1
		};
	}
	measured[3].value_count = 1;
	simulated("a", 3, 1000);
	simulated("a", 4, 1000);
	simulated("a", 1001, 1000);
	simulated("b", 4, 1000);
	EQ(ERR_OK, join());
	EQ(CORRELATE_FEW, c.points[0].size);
	EQ(CORRELATE_SOME, c.points[1].size);
	EQ(CORRELATE_MANY, c.points[2].size);
	EQ(CORRELATE_LATENCY, c.points[0].limit);
	EQ(CORRELATE_DRAM, c.points[1].limit);
	EQ(CORRELATE_ISSUE, c.points[2].limit);
	EQ(CORRELATE_UNKNOWN, c.points[3].limit);
	end();
}

TEST(explore_correlate, errors_are_relative_or_in_points)
{
	struct correlate_point p = { 0 };

	p.hardware[CORRELATE_CYCLES] = 200;
	p.simulated[CORRELATE_CYCLES] = 150;
	EQ(-0.25, correlate_error(&p, CORRELATE_CYCLES));
	p.hardware[CORRELATE_L1_HITS] = 0.25;
	p.simulated[CORRELATE_L1_HITS] = 0.75;
	EQ(0.5, correlate_error(&p, CORRELATE_L1_HITS));
	/* What a kernel that does nothing has, too. */
	p.hardware[CORRELATE_DRAM_READ] = 2000;
	EQ(-2000.0 / 32000, correlate_error(&p, CORRELATE_DRAM_READ));
	/* Hardware counted nothing. */
	EQ(0, correlate_error(&p, CORRELATE_CONFLICTS));
	p.simulated[CORRELATE_CONFLICTS] = 7;
	EQ(1, correlate_error(&p, CORRELATE_CONFLICTS));
	p.hardware[CORRELATE_CONFLICTS] = NAN;
	EQ(true, isnan(correlate_error(&p, CORRELATE_CONFLICTS)));
}

TEST(explore_correlate, sums_are_over_launches_and_over_programs)
{
	struct correlate_filter f = CORRELATE_ALL;
	struct correlate_source two = { "other", "", "p.csv", "run" };
	struct correlate_sum s;

	begin();
	hardware("a", 1, "100");
	hardware("a", 1, "200");
	hardware("a", 1, "400");
	simulated("a", 1, 110);
	simulated("a", 1, 220);
	simulated("a", 1, 440);
	EQ(ERR_OK, join());
	r.launch_count = m.count = 0;
	hardware("a", 1, "1000");
	simulated("a", 1, 500);
	EQ(ERR_OK, correlate_join(&c, &two, &m, &r, &d));
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_CYCLES, &d));
	EQ(4, s.launches);
	EQ(2, s.programs);
	EQ(true, fabs(s.mean - 0.2) < 1e-12);
	EQ(true, fabs(s.program_mean - 0.3) < 1e-12);
	EQ(true, fabs(s.median - 0.1) < 1e-12);
	EQ(true, fabs(s.p90 - 0.38) < 1e-12);
	EQ(true, fabs(s.most - 0.5) < 1e-12);
	EQ(true, fabs(s.ratio - pow(1.1 * 1.1 * 1.1 * 0.5, 0.25)) < 1e-12);
	/* Of the first program alone: a line through the origin. */
	f.pair = 0;
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_CYCLES, &d));
	EQ(true, fabs(s.pearson - 1) < 1e-12);
	EQ(true, fabs(s.log_pearson - 1) < 1e-12);
	EQ(true, fabs(s.slope - 1.1) < 1e-12);
	/* Of nothing. */
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_L1_HITS, &d));
	EQ(0, s.launches);
	end();
}

TEST(explore_correlate, programs_of_a_group_are_summed_up_apart)
{
	struct correlate_filter f = CORRELATE_ALL;
	struct correlate_source two = { "other", "", "p.csv", "run" };
	struct correlate_sum s;

	begin();
	hardware("a", 1, "100");
	hardware("a", 1, "200");
	simulated("a", 1, 110);
	simulated("a", 1, 220);
	EQ(ERR_OK, join());
	r.launch_count = m.count = 0;
	hardware("a", 1, "1000");
	simulated("a", 1, 500);
	EQ(ERR_OK, correlate_join(&c, &two, &m, &r, &d));
	c.pairs[1].group = 3;
	f.group = 3;
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_CYCLES, &d));
	EQ(1, s.launches);
	EQ(0.5, s.mean);
	f.group = 0;
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_CYCLES, &d));
	EQ(2, s.launches);
	f.group = 1;
	EQ(ERR_OK, correlate_summarise(&s, &c, &f, CORRELATE_CYCLES, &d));
	EQ(0, s.launches);
	end();
}

TEST(explore_correlate, what_a_profiler_does_not_count_is_unknown)
{
	double v = 1;

	begin();
	hardware("a", 1, "10");
	EQ(ERR_OK,
	   correlate_evaluate(&v, "", &m, &measured[0], &device.cfg, &d));
	EQ(true, isnan(v));
	end();
}

TEST(explore_correlate, every_metric_finds_its_names)
{
	double v;

	begin();
	hardware("a", 1, "10");
	for (int i = 0; i < CORRELATE_METRICS; i++) {
		measured[0].value_count = 0;
		/* A name that is not known would stop the process. */
		EQ(ERR_OK, correlate_evaluate(&v, correlate_info[i].ncu, &m,
					      &measured[0], &device.cfg, &d));
		EQ(true, isnan(v));
		EQ(ERR_OK, correlate_evaluate(&v, correlate_info[i].nvprof, &m,
					      &measured[0], &device.cfg, &d));
		EQ(i, correlate_find(correlate_info[i].name));
	}
	EQ(-1, correlate_find("cycle"));
	end();
}

static double evaluates(const char *text)
{
	double v = -1;

	EQ(ERR_OK,
	   correlate_evaluate(&v, text, &m, &measured[0], &device.cfg, &d));
	return v;
}

TEST(explore_correlate, expressions_have_alternatives_and_arithmetic)
{
	begin();
	hardware("a", 1, "12");
	measured[0].value_count = 3;
	values[0][1] = (struct measured_value){ "A B/C", "", "3", 1 };
	values[0][2] = (struct measured_value){ "zero", "", "0", 1 };
	EQ(12, evaluates("@gpu.cycles"));
	EQ(12, evaluates("none | gpc__cycles_elapsed.max | zero"));
	EQ(18, evaluates("@gpu.cycles + 'A B/C' * 2"));
	EQ(30, evaluates("(@gpu.cycles + 'A B/C') * 2"));
	EQ(3, evaluates("@gpu.cycles / sms"));
	EQ(9, evaluates("@gpu.cycles - 'A B/C'"));
	EQ(3, evaluates("@gpu.cycles + none | 'A B/C'"));
	EQ(true, isnan(evaluates("'A B/C' / zero")));
	end();
}

TEST(explore_correlate, the_reason_names_what_else_is_off)
{
	char why[CORRELATE_WHY];
	struct correlate_point p = { 0 };

	for (int i = 0; i < CORRELATE_METRICS; i++)
		p.hardware[i] = p.simulated[i] = NAN;
	p.hardware[CORRELATE_CYCLES] = 100;
	p.simulated[CORRELATE_CYCLES] = 200;
	for (int i = 0; i < CORRELATE_STATES_MAX; i++)
		p.hardware_state[i] = p.simulated_state[i] = NAN;
	STREQ("the profile has no other metric", correlate_why(why, &p));
	p.hardware[CORRELATE_INSTRUCTIONS] = 100;
	p.simulated[CORRELATE_INSTRUCTIONS] = 100;
	STREQ("only the time is off: 1 other metric agrees",
	      correlate_why(why, &p));
	p.simulated[CORRELATE_INSTRUCTIONS] = 150;
	p.hardware[CORRELATE_L2_HITS] = 0.9;
	p.simulated[CORRELATE_L2_HITS] = 0.7;
	p.hardware_state[0] = 0.25;
	p.simulated_state[0] = 0.5;
	STREQ("instructions +50.0%; l2_hit_rate -20.0 points; warps wait for "
	      "math_pipe_throttle 50% of the time, on hardware 25%",
	      correlate_why(why, &p));
}

TEST(explore_correlate, programs_stay_in_their_halves)
{
	/* The first byte of the SHA-256 of the name: even, or odd. */
	EQ(CORRELATE_LOOK, correlate_half_of("hotspot"));
	EQ(CORRELATE_HIDDEN, correlate_half_of("srad"));
}
