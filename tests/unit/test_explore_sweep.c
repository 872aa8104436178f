#include "test.h"

#include <math.h>
#include <string.h>

#include "explore/swept.h"

/* ---- the front ---- */

enum { MOST = 8 };

/* Pairs of cost and speed; a bit for each that is on the front. */
static int front(const double (*pair)[2], size_t n)
{
	struct pareto at[MOST];
	int bits = 0;

	for (size_t i = 0; i < n; i++)
		at[i] = (struct pareto){ .cost = pair[i][0],
					 .speed = pair[i][1],
					 .item = i };
	pareto_mark(at, n);
	for (size_t i = 0; i < n; i++)
		bits |= at[i].front << at[i].item;
	return bits;
}

#define FRONT(...)                                \
	front((const double[][2]){ __VA_ARGS__ }, \
	      sizeof((const double[][2]){ __VA_ARGS__ }) / sizeof(double[2]))

TEST(explore_pareto, what_something_cheaper_equals_is_not_on_the_front)
{
	EQ(1, FRONT({ 1, 1 }));
	EQ(3, FRONT({ 1, 1 }, { 2, 2 }));
	EQ(1, FRONT({ 1, 2 }, { 2, 1 }));
	EQ(1, FRONT({ 1, 2 }, { 2, 2 }));
	EQ(2, FRONT({ 1, 1 }, { 1, 2 }));
	/* Of equals the first. */
	EQ(1, FRONT({ 1, 1 }, { 1, 1 }));
	EQ(13, FRONT({ 3, 3 }, { 3, 2 }, { 1, 1 }, { 2, 2 }));
}

TEST(explore_pareto, what_has_no_value_is_never_on_it)
{
	EQ(2, FRONT({ NAN, 9 }, { 1, 1 }));
	EQ(2, FRONT({ 0, NAN }, { 1, 1 }));
	EQ(0, FRONT({ NAN, 1 }));
	pareto_mark(NULL, 0);
}

/* ---- speed-ups and ranking ---- */

enum { PROGRAMS = 2, AXES = 4 };

static struct swept_point point(size_t program, size_t axis, double seconds)
{
	return (struct swept_point){ .program = program,
				     .axis = axis,
				     .baseline = axis == 0,
				     .state = seconds > 0 ? SWEPT_OK :
							    SWEPT_FAILED,
				     .seconds = seconds,
				     .cost = NAN,
				     .label = "",
				     .reason = "" };
}

static void analyse(struct swept *s, struct swept_point *points, size_t n)
{
	static struct swept_program programs[PROGRAMS];
	static struct swept_axis axes[AXES];
	struct diag d;

	memset(axes, 0, sizeof(axes));
	*s = (struct swept){ .points = points,
			     .point_count = n,
			     .programs = programs,
			     .program_count = PROGRAMS,
			     .axes = axes,
			     .axis_count = AXES };
	EQ(ERR_OK, swept_effects(s, &d));
}

TEST(explore_sweep, a_speed_up_is_the_time_of_the_programs_own_baseline)
{
	struct swept_point p[] = { point(0, 0, 2), point(1, 0, 8),
				   point(0, 1, 1), point(1, 1, 1),
				   point(0, 1, 0) };
	struct swept s;

	analyse(&s, p, 5);
	EQ(true, p[0].speedup == 1);
	EQ(true, p[2].speedup == 2);
	EQ(true, p[3].speedup == 8);
	EQ(true, isnan(p[4].speedup));
	EQ(4, s.ok);
	EQ(1, s.failed);
	swept_free(&s);
}

/* A database may hold anything. */
TEST(explore_sweep, a_speed_up_beyond_all_numbers_is_none)
{
	struct swept_point points[] = { point(0, 0, 1e300),
					point(0, 1, 1e-300) };
	struct swept s;

	analyse(&s, points, 2);
	EQ(true, isnan(points[1].speedup));
	swept_free(&s);
}

TEST(explore_sweep, without_a_baseline_there_is_no_speed_up)
{
	struct swept_point p[] = { point(0, 0, 0), point(0, 1, 1),
				   point(1, 1, 1) };
	struct swept s;

	analyse(&s, p, 3);
	EQ(true, isnan(p[1].speedup));
	EQ(true, isnan(p[2].speedup));
	EQ(true, isnan(s.axes[1].effect));
	swept_free(&s);
}

TEST(explore_sweep, axes_are_ranked_by_the_mean_of_their_farthest_speed_ups)
{
	/* Axis 1: 1.5 and 1; axis 2: nothing; axis 3: 0.25, which is farther
	 * from 1 than 1.5, and 1. */
	struct swept_point p[] = {
		point(0, 0, 3),  point(1, 0, 3), point(0, 1, 2), point(1, 1, 3),
		point(0, 3, 12), point(0, 3, 2), point(1, 3, 3), point(0, 2, 0),
	};
	struct swept s;

	analyse(&s, p, 8);
	EQ(3, s.ranked);
	EQ(3, s.ranking[0]);
	EQ(1, s.ranking[1]);
	EQ(2, s.ranking[2]);
	EQ(true, s.axes[3].farthest[0] == 0.25);
	EQ(true, s.axes[3].effect == 0.375);
	EQ(true, s.axes[1].effect == 0.25);
	swept_free(&s);
}

TEST(explore_sweep, each_program_has_a_front_of_its_own)
{
	struct swept_point p[] = { point(0, 0, 2), point(1, 0, 2),
				   point(0, 1, 1), point(1, 1, 4) };
	struct swept s;

	for (int i = 0; i < 4; i++)
		p[i].cost = i < 2 ? 1 : 2;
	analyse(&s, p, 4);
	EQ(true, s.costs);
	EQ(true, p[0].front && p[1].front && p[2].front);
	EQ(false, p[3].front);
	swept_free(&s);
}
