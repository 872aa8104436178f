#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "explore/swept.h"

/* ---- speed-ups ---- */

static void swept_find_baselines(struct swept *s)
{
	for (size_t i = 0; i < s->program_count; i++)
		s->programs[i].baseline = SIZE_MAX;
	for (size_t i = 0; i < s->point_count; i++) {
		struct swept_program *p = &s->programs[s->points[i].program];

		if (s->points[i].baseline && p->baseline == SIZE_MAX)
			p->baseline = i;
	}
}

static double point_speedup(const struct swept *s, const struct swept_point *p)
{
	size_t base = s->programs[p->program].baseline;
	const struct swept_point *b;
	double speed;

	if (base == SIZE_MAX)
		return NAN;
	b = &s->points[base];
	if (p->state != SWEPT_OK || b->state != SWEPT_OK || !(p->seconds > 0) ||
	    !(b->seconds > 0))
		return NAN;
	speed = b->seconds / p->seconds;
	return isfinite(speed) ? speed : (double)NAN;
}

/* ---- effects ---- */

static enum err swept_find_effects(struct swept *s, struct diag *d)
{
	for (size_t a = 0; a < s->axis_count; a++) {
		s->axes[a].farthest =
			arena_new(&s->arena, double, s->program_count + 1);
		if (!s->axes[a].farthest)
			return fail(d, ERR_NOMEM, "out of memory");
		for (size_t i = 0; i < s->program_count; i++)
			s->axes[a].farthest[i] = NAN;
	}
	for (size_t i = 0; i < s->point_count; i++) {
		const struct swept_point *p = &s->points[i];
		double *far = &s->axes[p->axis].farthest[p->program];

		if (isnan(p->speedup))
			continue;
		if (isnan(*far) || fabs(p->speedup - 1) > fabs(*far - 1))
			*far = p->speedup;
	}
	for (size_t a = 0; a < s->axis_count; a++) {
		double sum = 0;
		size_t n = 0;

		for (size_t i = 0; i < s->program_count; i++) {
			double far = s->axes[a].farthest[i];

			if (isnan(far))
				continue;
			sum += fabs(far - 1);
			n++;
		}
		s->axes[a].effect = n ? sum / (double)n : NAN;
	}
	return ERR_OK;
}

struct ranked {
	double effect;
	size_t axis;
};

static int axes_by_effect(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	double p = isnan(x->effect) ? -1 : x->effect;
	double q = isnan(y->effect) ? -1 : y->effect;

	if (p != q)
		return p > q ? -1 : 1;
	return x->axis < y->axis ? -1 : 1;
}

static enum err rank_axes(struct swept *s, struct diag *d)
{
	struct ranked *at = arena_new(&s->arena, struct ranked, s->axis_count);

	s->ranking = arena_new(&s->arena, size_t, s->axis_count);
	if (!at || !s->ranking)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t a = 1; a < s->axis_count; a++)
		at[s->ranked++] = (struct ranked){ s->axes[a].effect, a };
	if (s->ranked)
		qsort(at, s->ranked, sizeof(*at), axes_by_effect);
	for (size_t i = 0; i < s->ranked; i++)
		s->ranking[i] = at[i].axis;
	return ERR_OK;
}

/* ---- the front ---- */

/* The cheapest first; of those with the same cost, the fastest. */
static int pareto_by_cost(const void *a, const void *b)
{
	const struct pareto *x = a, *y = b;

	if (isnan(x->cost) != isnan(y->cost))
		return isnan(x->cost) ? 1 : -1;
	if (x->cost < y->cost || x->cost > y->cost)
		return x->cost < y->cost ? -1 : 1;
	if (x->speed > y->speed || x->speed < y->speed)
		return x->speed > y->speed ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

void pareto_mark(struct pareto *at, size_t n)
{
	double best = -INFINITY;

	if (!n)
		return;
	qsort(at, n, sizeof(*at), pareto_by_cost);
	for (size_t i = 0; i < n; i++) {
		at[i].front = !isnan(at[i].cost) && at[i].speed > best;
		if (at[i].front)
			best = at[i].speed;
	}
}

static enum err swept_find_fronts(struct swept *s, struct diag *d)
{
	struct pareto *at = calloc(s->point_count + 1, sizeof(*at));

	if (!at)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t k = 0; k < s->program_count; k++) {
		size_t n = 0;

		for (size_t i = 0; i < s->point_count; i++)
			if (s->points[i].program == k &&
			    !isnan(s->points[i].speedup))
				at[n++] = (struct pareto){
					.cost = s->points[i].cost,
					.speed = s->points[i].speedup,
					.item = i
				};
		pareto_mark(at, n);
		for (size_t i = 0; i < n; i++)
			s->points[at[i].item].front = at[i].front;
	}
	free(at);
	return ERR_OK;
}

enum err swept_effects(struct swept *s, struct diag *d)
{
	swept_find_baselines(s);
	for (size_t i = 0; i < s->point_count; i++) {
		struct swept_point *p = &s->points[i];

		p->speedup = point_speedup(s, p);
		s->ok += p->state == SWEPT_OK;
		s->failed += p->state == SWEPT_FAILED;
		s->waiting += p->state == SWEPT_WAITING;
		s->costs |= !isnan(p->cost);
	}
	if (swept_find_effects(s, d) || rank_axes(s, d))
		return d->code;
	return s->costs ? swept_find_fronts(s, d) : ERR_OK;
}

const struct swept_config *swept_config(const struct swept *s, int64_t id)
{
	size_t i;

	SEARCH_FIRST(i, s->config_count, s->configs[i].id < id);
	return i < s->config_count && s->configs[i].id == id ? &s->configs[i] :
							       NULL;
}

void swept_free(struct swept *s)
{
	arena_free(&s->arena);
}
