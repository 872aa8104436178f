#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explore/compare.h"

static void changes(const char *want, double a, double b)
{
	char text[CHANGE_TEXT];

	STREQ(want, change_text(text, a, b));
}

TEST(explore_compare, a_change_reads_as_people_say_it)
{
	changes("", 5, 5);
	changes("", 0, 0);
	changes("", NAN, NAN);
	changes("+50.0%", 2, 3);
	changes("-50.0%", 4, 2);
	changes("+100.0%", 1, 2);
	changes("x 12", 1, 12);
	changes("new", 0, 3);
	changes("new", NAN, 3);
	changes("gone", 3, 0);
	changes("gone", 3, NAN);
}

/* Two runs that differ in what the caller sets. */
static void two(struct compare *c, double **a, double **b)
{
	struct compare_run *run;
	struct diag d;

	*c = (struct compare){ 0 };
	run = compare_add_empty(c, "a", &d);
	*a = run->values;
	run = compare_add_empty(c, "b", &d);
	*b = run->values;
	for (unsigned i = 0; i < stat_count; i++)
		(*a)[i] = (*b)[i] = 10;
}

static unsigned stat(const char *key)
{
	int i = stat_index(key);

	EQ(true, i >= 0);
	return (unsigned)i;
}

static const char *row(const struct compare *c, size_t i)
{
	static char key[STAT_KEY_SIZE];

	if (i >= c->row_count)
		return "";
	stat_key(key, c->rows[i].stat);
	return key;
}

TEST(explore_compare, reasons_that_an_old_run_does_not_have_are_left_out)
{
	struct compare_options all = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	a[stat("reason.launch")] = a[stat("reason.no_block")] = 0;
	b[stat("reason.memory")] = 11;
	c.runs[0].undivided = true;
	EQ(ERR_OK, compare_rows(&c, &all, &d));
	EQ(1, c.row_count);
	STREQ("reason.memory", row(&c, 0));
	compare_free(&c);
}

TEST(explore_compare, the_biggest_change_comes_first_halving_as_doubling)
{
	struct compare_options all = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	b[stat("l2.reads")] = 15;
	b[stat("l1.reads")] = 4;
	b[stat("sm.lanes")] = 20;
	a[stat("dram.reads")] = 0;
	a[stat("unit.fp32")] = 0;
	b[stat("unit.fp32")] = 99;
	b[stat("gpu.cycles")] = 9.999;
	EQ(ERR_OK, compare_rows(&c, &all, &d));
	EQ(6, c.row_count);
	STREQ("unit.fp32", row(&c, 0));
	STREQ("dram.reads", row(&c, 1));
	STREQ("l1.reads", row(&c, 2));
	STREQ("sm.lanes", row(&c, 3));
	STREQ("l2.reads", row(&c, 4));
	STREQ("gpu.cycles", row(&c, 5));
	compare_free(&c);
}

TEST(explore_compare, small_changes_and_other_names_are_left_out)
{
	const char *only[] = { "l2.*", "l1.reads" };
	struct compare_options o = { .min_change = 0.01,
				     .only = only,
				     .only_count = 2 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	b[stat("l2.reads")] = 10.05;
	b[stat("l2.writes")] = 11;
	b[stat("sm.lanes")] = 20;
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	EQ(1, c.row_count);
	STREQ("l2.writes", row(&c, 0));
	EQ(1, c.small);
	compare_free(&c);
	two(&c, &a, &b);
	only[1] = "l3.reads";
	EQ(ERR_UNKNOWN, compare_rows(&c, &o, &d));
	STREQ("--only l3.reads: no statistic matches; names are GROUP.NAME, "
	      "such as l2.reads",
	      d.text);
	compare_free(&c);
}

TEST(explore_compare, parameters_that_differ_are_found)
{
	struct compare_options all = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	c.runs[1].cfg.l2.ways = 8;
	c.runs[1].cfg.l1.on = !c.runs[0].cfg.l1.on;
	strcpy(c.runs[1].cfg.gpu.name, "another");
	EQ(ERR_OK, compare_rows(&c, &all, &d));
	EQ(2, c.param_count);
	EQ(CFG_ID_l1_on, c.params[0]);
	EQ(CFG_ID_l2_ways, c.params[1]);
	EQ(0, c.row_count);
	compare_free(&c);
}

TEST(explore_compare, there_are_as_many_runs_as_letters)
{
	struct compare c = { 0 };
	struct diag d;

	for (int i = 0; i < COMPARE_RUNS; i++)
		EQ(true, compare_add_empty(&c, "x", &d) != NULL);
	EQ(true, compare_add_empty(&c, "x", &d) == NULL);
	STREQ("at most 26 runs can be compared", d.text);
	compare_free(&c);
}
