#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explore/cross.h"
#include "explore/plot.h"

/* A sweep with one program and a cross product of 3, 2 and 2 values. */
enum { A = 3, B = 2, C = 2, POINTS = A * B * C };

struct rig {
	struct swept s;
	struct swept_point points[POINTS];
	struct swept_program program;
	struct swept_axis axes[2];
	char labels[POINTS][32];
	struct cross x;
	struct arena arena;
};

static double speed(size_t a, size_t b, size_t c)
{
	return 0.5 * (double)(1 << a) * (b ? 1.25 : 1) * (c ? 0.8 : 1);
}

static void rig_open(struct rig *r)
{
	*r = (struct rig){ 0 };
	r->s = (struct swept){ .points = r->points,
			       .point_count = POINTS,
			       .programs = &r->program,
			       .program_count = 1,
			       .axes = r->axes,
			       .axis_count = 2 };
	r->axes[1].name = "a x b x c";
	r->axes[1].points = POINTS;
	for (size_t i = 0; i < POINTS; i++) {
		size_t a = i / 4, b = i / 2 % 2, c = i % 2;

		/* A factor has an x of its own. */
		snprintf(r->labels[i], sizeof(r->labels[i]), "%zu x x%zu x %s",
			 a, b, c ? "off" : "on");
		r->points[i] =
			(struct swept_point){ .axis = 1,
					      .label = r->labels[i],
					      .state = SWEPT_OK,
					      .speedup = speed(a, b, c) };
	}
}

static void take_apart(struct rig *r)
{
	struct diag d;

	EQ(ERR_OK, cross_make(&r->x, &r->s, 1, &r->arena, &d));
}

static void near(double want, double got)
{
	EQ(true, fabs(want - got) < 1e-9);
}

TEST(explore_cross, the_effect_of_a_parameter_is_at_equal_values_of_the_others)
{
	struct cross_effect e;
	struct rig r;

	rig_open(&r);
	take_apart(&r);
	EQ(3, r.x.param_count);
	EQ(POINTS, r.x.cells);
	STREQ("b", r.x.param[1].name);
	STREQ("x1", r.x.param[1].values[1]);
	STREQ("off", r.x.param[2].values[1]);
	e = cross_effect(&r.x, 0, 0);
	near(3, e.effect);
	EQ(2, e.fastest);
	EQ(0, e.slowest);
	near(0.5, e.at[0].mean); /* sqrt(1.25 * 0.8) is 1 */
	near(0.4, e.at[0].low);
	near(0.625, e.at[0].high);
	EQ(4, e.at[0].n);
	near(0.25, cross_effect(&r.x, 0, 1).effect);
	e = cross_effect(&r.x, 0, 2);
	near(0.25, e.effect);
	EQ(0, e.fastest);
	arena_free(&r.arena);
}

/* A point that is missing must not make its value look faster. */
TEST(explore_cross, combinations_with_a_missing_point_do_not_count)
{
	struct cross_effect e;
	struct rig r;

	rig_open(&r);
	r.points[0].speedup = NAN;
	r.points[0].state = SWEPT_FAILED;
	take_apart(&r);
	e = cross_effect(&r.x, 0, 0);
	near(3, e.effect);
	EQ(3, e.at[0].n);
	EQ(3, e.at[2].n);
	EQ(false, cross_interaction(&r.x, 0).known);
	arena_free(&r.arena);
	/* A value that always fails is left out. */
	rig_open(&r);
	for (size_t i = 0; i < 4; i++)
		r.points[i].speedup = NAN;
	take_apart(&r);
	e = cross_effect(&r.x, 0, 0);
	near(1, e.effect);
	EQ(0, e.at[0].n);
	EQ(true, isnan(e.at[0].mean));
	near(0.25, cross_effect(&r.x, 0, 1).effect);
	arena_free(&r.arena);
}

TEST(explore_cross, an_interaction_is_what_single_effects_do_not_give)
{
	struct cross_interaction in;
	struct rig r;

	rig_open(&r);
	take_apart(&r);
	in = cross_interaction(&r.x, 0);
	EQ(true, in.known);
	near(0, in.by);
	arena_free(&r.arena);
	rig_open(&r);
	r.points[11].speedup *= 2;
	take_apart(&r);
	in = cross_interaction(&r.x, 0);
	EQ(11, in.cell);
	EQ(true, in.by > CROSS_STRONG);
	arena_free(&r.arena);
}

TEST(explore_cross, a_pair_is_the_mean_over_the_others)
{
	static struct cross_pairs pairs;
	struct rig r;

	rig_open(&r);
	r.points[7].state = SWEPT_FAILED;
	r.points[7].speedup = NAN;
	take_apart(&r);
	cross_pairs(&pairs, &r.x, 0, (const size_t[2]){ 0, 2 });
	near(0.5 * sqrt(1.25), pairs.speed[0][0]);
	near(0.5 * 0.8 * sqrt(1.25), pairs.speed[0][1]);
	EQ(true, isnan(pairs.speed[1][1]));
	EQ(true, pairs.failed[1][1]);
	EQ(false, pairs.failed[1][0]);
	arena_free(&r.arena);
}

TEST(explore_cross, what_does_not_fit_is_not_taken_apart)
{
	struct rig r;

	rig_open(&r);
	r.points[3].label = "1 x 2";
	take_apart(&r);
	EQ(0, r.x.param_count);
	arena_free(&r.arena);
	rig_open(&r);
	r.axes[1].name = "a";
	take_apart(&r);
	EQ(0, r.x.param_count);
	arena_free(&r.arena);
	rig_open(&r);
	r.axes[1].name = "a x b x c x d x e x f x g x h x i";
	take_apart(&r);
	EQ(0, r.x.param_count);
	arena_free(&r.arena);
}

/* ---- the axis of a plot ---- */

static bool cuts(const double *y, size_t n, double *from, double *to)
{
	struct plot p = { .kind = PLOT_LINES,
			  .tick_count = n,
			  .from_one = true,
			  .series = { { .y = y } },
			  .series_count = 1 };

	return plot_cuts_axis(&p, from, to);
}

TEST(explore_plot, an_axis_begins_at_0_unless_all_values_are_close)
{
	double from, to;

	EQ(true, cuts((double[]){ 0.98, 1.013, NAN }, 3, &from, &to));
	near(0.975, from);
	near(1.015, to);
	/* The baseline, 1, counts. */
	EQ(false, cuts((double[]){ 2, 2.01 }, 2, &from, &to));
	EQ(false, cuts((double[]){ 0.5, 1 }, 2, &from, &to));
	EQ(false, cuts((double[]){ 0, 1 }, 2, &from, &to));
	EQ(true, cuts((double[]){ 1, 1 }, 2, &from, &to));
	EQ(true, from < 1 && from > 0.99 && to > 1 && to < 1.01);
}
