/* What `heddle engines` makes of its runs, and how it takes programs apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "explore/engines.h"

static void split(struct words *w, char **text, const char *line)
{
	struct diag d = { 0 };

	*w = (struct words){ 0 };
	EQ(ERR_OK, words_split(w, text, line, &d));
}

TEST(engines_words, spaces_quotes_and_backslashes_are_those_of_a_shell)
{
	struct words w;
	char *text;

	split(&w, &text, "  ./scan   512 ");
	EQ(2, w.count);
	STREQ("./scan", w.at[0]);
	STREQ("512", w.at[1]);
	words_free(&w);
	free(text);
	split(&w, &text, "'a b'\"c d\" e\\ f \"x\\\"y\" '\\' ''");
	EQ(5, w.count);
	STREQ("a bc d", w.at[0]);
	STREQ("e f", w.at[1]);
	STREQ("x\"y", w.at[2]);
	STREQ("\\", w.at[3]);
	STREQ("", w.at[4]);
	words_free(&w);
	free(text);
}

TEST(engines_words, an_open_quote_and_an_empty_line_are_refused)
{
	static const char *const bad[] = { "a 'b", "\"", "", " \t" };

	for (unsigned i = 0; i < 4; i++) {
		struct words w = { 0 };
		struct diag d = { 0 };
		char *text;

		EQ(ERR_SYNTAX, words_split(&w, &text, bad[i], &d));
		words_free(&w);
		free(text);
	}
}

enum { RUNS = 3, SMS = 2, ENGINES = 2 };

/* One program, serial and another engine, three runs of each. */
struct rig {
	struct engines e;
	struct engines_program program;
	struct engines_engine engine[ENGINES];
	struct engines_run run[(ENGINES + 1) * RUNS];
	double ends[ENGINES * RUNS][SMS];
};

static void rig_init(struct rig *r)
{
	static const double seconds[] = { 4, 9, 5, 2, 1, 3 };

	memset(r, 0, sizeof(*r));
	r->e.runs = RUNS;
	r->e.engine = r->engine;
	r->e.engine_count = ENGINES;
	r->e.program = &r->program;
	r->e.program_count = 1;
	r->engine[0].exact = true;
	strcpy(r->engine[1].name, "other");
	r->program.run = r->run;
	for (int i = 0; i < ENGINES * RUNS; i++) {
		struct engines_run *x = &r->run[i];

		x->tried = x->done = true;
		x->seconds = seconds[i];
		x->cycles = 1000;
		x->instructions = 5000;
		x->ends = r->ends[i];
		x->sms = SMS;
		r->ends[i][0] = 1000;
	}
}

TEST(engines_sum, speed_is_by_the_median)
{
	struct rig r;
	struct engines_sum s;

	rig_init(&r);
	s = engines_sum(&r.e, 0, 0);
	EQ(5.0, s.seconds);
	EQ(1000.0, s.rate);
	EQ(1.0, s.speedup);
	s = engines_sum(&r.e, 0, 1);
	EQ(2.0, s.seconds);
	EQ(2.5, s.speedup);
}

TEST(engines_sum, equal_runs_have_no_error)
{
	struct rig r;
	struct engines_sum s;

	rig_init(&r);
	s = engines_sum(&r.e, 0, 1);
	EQ(0.0, s.error);
	EQ(0.0, s.variation);
	EQ(0.0, s.sm_error);
	EQ(100.0, s.sm_accuracy);
	EQ(0.0, s.sm_variation);
	STREQ(NULL, engines_mismatch(&r.e, 0));
}

TEST(engines_sum, errors_have_no_sign_and_are_those_of_each_run)
{
	struct rig r;
	struct engines_sum s;

	rig_init(&r);
	r.run[3].cycles = 900;
	r.run[4].cycles = 1100;
	s = engines_sum(&r.e, 0, 1);
	EQ(1000.0, s.cycles);
	OK(fabs(s.error - 20 / 3.0) < 1e-12);
	OK(fabs(s.variation - 10) < 1e-12);
}

/* The second SM has no block with serial: what it has elsewhere is wrong. */
TEST(engines_sum, an_sm_counts_if_it_had_a_block_anywhere)
{
	struct rig r;
	struct engines_sum s;

	rig_init(&r);
	r.ends[3][0] = 1300;
	s = engines_sum(&r.e, 0, 1);
	OK(fabs(s.sm_error - 10) < 1e-12);
	OK(fabs(s.sm_accuracy - 90) < 1e-12);
	r.ends[4][1] = 7;
	s = engines_sum(&r.e, 0, 1);
	OK(fabs(s.sm_error - (10 + 100 / 3.0) / 2) < 1e-12);
	OK(fabs(s.sm_worst - 100 / 3.0) < 1e-12);
}

TEST(engines_sum, a_run_that_failed_leaves_no_number)
{
	struct rig r;

	rig_init(&r);
	r.run[5].done = false;
	EQ(0, engines_complete(&r.e, 0, 1));
	OK(isnan(engines_sum(&r.e, 0, 1).speedup));
	OK(isnan(engines_sum(&r.e, 0, 1).sm_variation));
	EQ(1.0, engines_sum(&r.e, 0, 0).speedup);
	r.run[0].done = false;
	OK(isnan(engines_sum(&r.e, 0, 0).error));
}

TEST(engines_sum, an_exact_engine_with_another_result_is_found)
{
	struct rig r;

	rig_init(&r);
	r.engine[1].exact = true;
	STREQ(NULL, engines_mismatch(&r.e, 0));
	r.ends[5][1] = 1;
	STREQ("other", engines_mismatch(&r.e, 0));
	r.engine[1].exact = false;
	STREQ(NULL, engines_mismatch(&r.e, 0));
}

TEST(engines_sum, of_the_runs_with_the_host_s_time_the_fastest_counts)
{
	struct rig r;
	struct engines_run *watch = &r.run[ENGINES * RUNS];

	rig_init(&r);
	OK(!engines_host_timed(&r.e, 0));
	for (int i = 0; i < RUNS; i++)
		watch[i].seconds = 3 - i;
	watch[0].done = watch[1].done = true;
	OK(engines_host_timed(&r.e, 0) == &watch[1]);
}

TEST(engines_sum, shares_add_up)
{
	const double part[] = { 1, 2, 5 }, none[] = { 0, 0 };

	EQ(12.5, engines_share(part, 3, 0));
	EQ(62.5, engines_share(part, 3, 2));
	EQ(0.0, engines_share(none, 2, 1));
}
