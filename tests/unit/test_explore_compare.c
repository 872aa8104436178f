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

TEST(explore_compare, the_change_that_costs_most_cycles_comes_first)
{
	struct compare_options all = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	/* 80 SMs, 64 slices, 32 channels. */
	b[stat("sm.cycles")] = 10 + 80 * 50;
	b[stat("l2.reads")] = 10 + 64 * 40;
	b[stat("unit.fp32")] = 10 + 80 * 2 * 30;
	a[stat("dram.reads")] = 0;
	b[stat("dram.reads")] = 32 * 20;
	b[stat("l1.evictions")] = 1000;
	b[stat("gpu.cycles")] = 19;
	EQ(ERR_OK, compare_rows(&c, &all, &d));
	EQ(6, c.row_count);
	STREQ("sm.cycles", row(&c, 0));
	STREQ("l2.reads", row(&c, 1));
	STREQ("unit.fp32", row(&c, 2));
	STREQ("dram.reads", row(&c, 3));
	STREQ("l1.evictions", row(&c, 4));
	STREQ("gpu.cycles", row(&c, 5));
	EQ(true, fabs(c.rows[1].effect - 40) < 1e-9);
	EQ(true, fabs(c.rows[3].effect - 20) < 1e-9);
	EQ(0, c.rows_folded);
	compare_free(&c);
}

/* A rate counts by what it means for its numerator: l1.hit_rate and
 * l1.read_hits have the same effect if the reads are the same. */
TEST(explore_compare, a_rate_has_the_effect_of_its_numerator)
{
	struct compare_options all = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	for (int k = 0; k < 2; k++) {
		c.runs[k].counts.l1.reads = 8000;
		c.runs[k].counts.l1.read_hits = k ? 4000 : 2000;
		(k ? b : a)[stat("l1.read_hits")] = k ? 4000 : 2000;
		(k ? b : a)[stat("l1.hit_rate")] = k ? 0.5 : 0.25;
	}
	EQ(ERR_OK, compare_rows(&c, &all, &d));
	EQ(2, c.row_count);
	for (int i = 0; i < 2; i++)
		EQ(true, fabs(c.rows[i].effect - 2000 / 80.0) < 1e-9);
	compare_free(&c);
}

TEST(explore_compare, noise_is_folded_unless_it_is_asked_for)
{
	struct compare_options o = { 0 };
	const char *only[] = { "l1.*" };
	struct compare c;
	double *a, *b;
	struct diag d;

	for (int k = 0; k < 3; k++) {
		two(&c, &a, &b);
		c.runs[0].cycles = c.runs[1].cycles = 10000;
		b[stat("gpu.cycles")] = 10 + 51;
		b[stat("l1.reads")] = 10 + 80 * 49;
		o.all = k == 1;
		o.only = only;
		o.only_count = k == 2;
		EQ(ERR_OK, compare_rows(&c, &o, &d));
		EQ(k == 0, c.rows_folded);
		EQ(k == 0, c.rows[c.row_count - 1].folded);
		EQ(false, c.rows[0].folded);
		compare_free(&c);
	}
}

TEST(explore_compare, no_more_statistics_are_shown_than_people_read)
{
	struct compare_options o = { 0 };
	size_t shown = 0;
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	for (unsigned i = 0; i < stat_count; i++)
		b[i] = 1e9;
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	for (size_t i = 0; i < c.row_count; i++)
		shown += !c.rows[i].folded;
	EQ(COMPARE_SHOWN, shown);
	EQ(c.row_count - shown, c.rows_folded);
	compare_free(&c);
}

/* ---- slots ---- */

static const struct compare_slots *slots(const struct compare *c,
					 const char *name)
{
	static const struct compare_slots none;

	for (size_t i = 0; i < c->slot_count; i++)
		if (!strcmp(c->slots[i].name, name))
			return &c->slots[i];
	STREQ(name, "found");
	return &none;
}

/* The second run has half the SMs: as many slots, but twice the cycles. */
TEST(explore_compare, cycles_of_reasons_add_up_to_those_of_the_run)
{
	struct compare_options o = { 0 };
	struct compare c;
	double *a, *b, moved = 0;
	struct diag d;

	two(&c, &a, &b);
	c.runs[0].cycles = 1000;
	c.runs[1].cycles = 2000;
	c.runs[0].counts.reason[REASON_ISSUED] = 5000;
	c.runs[0].counts.reason[REASON_MEMORY] = 4980;
	c.runs[0].counts.reason[REASON_FETCH] = 20;
	c.runs[1].counts.reason[REASON_ISSUED] = 5000;
	c.runs[1].counts.reason[REASON_BARRIER] = 4980;
	c.runs[1].counts.reason[REASON_FETCH] = 20;
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	EQ(4, c.slot_count);
	STREQ("barrier", c.slots[0].name);
	EQ(REASON_BARRIER, c.slots[0].reason);
	EQ(0, c.slots[0].slots[0]);
	EQ(true, fabs(c.slots[0].moved - 996) < 1e-9);
	STREQ("issued", c.slots[1].name);
	EQ(true, fabs(c.slots[1].moved - 500) < 1e-9);
	EQ(true, fabs(slots(&c, "memory")->cycles[0] - 498) < 1e-9);
	for (size_t i = 0; i < c.slot_count; i++)
		moved += c.slots[i].cycles[1] - c.slots[i].cycles[0];
	EQ(true, fabs(moved - 1000) < 1e-9);
	EQ(1, c.slots_folded);
	EQ(true, slots(&c, "fetch")->folded);
	compare_free(&c);
}

/* An old run has one reason where a new one has four: all are compared as one. */
TEST(explore_compare, reasons_that_an_old_run_does_not_tell_apart_are_joined)
{
	struct compare_options o = { 0 };
	struct compare c;
	double *a, *b;
	struct diag d;
	char text[400];

	two(&c, &a, &b);
	c.runs[0].cycles = c.runs[1].cycles = 1000;
	c.runs[0].undivided = true;
	c.runs[0].counts.reason[REASON_ISSUED] = 50;
	EQ(ERR_OK, compare_add_slots(&c, &c.runs[0], "empty", 50, &d));
	c.runs[1].counts.reason[REASON_ISSUED] = 50;
	c.runs[1].counts.reason[REASON_LAUNCH] = 30;
	c.runs[1].counts.reason[REASON_UNFILLED] = 20;
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	EQ(2, c.slot_count);
	EQ(50, slots(&c, "empty")->slots[0]);
	EQ(50, slots(&c, "empty")->slots[1]);
	EQ(2, c.slots_folded);
	EQ(false, compare_others_text(text, sizeof(text), &c));
	STREQ("no warp: unfilled, launch, tail and no_block together",
	      compare_slots_doc(&c, slots(&c, "empty")));
	compare_free(&c);
}

TEST(explore_compare, reasons_of_another_version_keep_their_names)
{
	struct compare_options o = { 0 };
	char text[400];
	struct compare c;
	double *a, *b;
	struct diag d;

	two(&c, &a, &b);
	c.runs[0].cycles = c.runs[1].cycles = 1000;
	c.runs[0].counts.reason[REASON_ISSUED] = 50;
	c.runs[1].counts.reason[REASON_ISSUED] = 100;
	EQ(ERR_OK, compare_add_slots(&c, &c.runs[0], "vacant", 30, &d));
	EQ(ERR_OK, compare_add_slots(&c, &c.runs[0], "vacant", 20, &d));
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	EQ(2, c.slot_count);
	EQ(-1, slots(&c, "vacant")->reason);
	EQ(50, slots(&c, "vacant")->slots[0]);
	EQ(0, slots(&c, "vacant")->slots[1]);
	EQ(true, slots(&c, "vacant")->cycles[0] == 500);
	EQ(true, compare_others_text(text, sizeof(text), &c));
	STREQ("'vacant' is a reason not known to this version of Heddle, and "
	      "shown as the results name it: another version may divide the "
	      "slots differently.",
	      text);
	compare_free(&c);
	two(&c, &a, &b);
	EQ(ERR_OK, compare_rows(&c, &o, &d));
	EQ(0, c.slot_count);
	EQ(false, compare_others_text(text, sizeof(text), &c));
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
