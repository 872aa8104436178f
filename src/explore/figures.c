#include "explore/figures.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIGURES = 64,   /* maximum of a page */
	POSITIONS = 64, /* values of an axis with a tick for each */
	SORTED = 1000,  /* points of a sorted curve */
	CROWD = 4000,   /* points of a plot of costs */
};

#define CROSS " x "

struct figure_maker {
	struct figures *f;
	struct plots *plots;
	const struct swept *s;
	struct arena *a;
	struct diag *d;
	size_t batch; /* the first program of the plot; one shows PLOT_SERIES */
};

/* ---- names ---- */

/* plot-NN-WHAT, with no character that a shell or file system treats
 * specially. */
static void figure_file_name(char out[64], size_t number, const char *what)
{
	size_t used = (size_t)snprintf(out, 64, "plot-%02zu-", number + 1);

	for (; *what && used < 60; what++) {
		bool plain = (*what >= 'a' && *what <= 'z') ||
			     (*what >= 'A' && *what <= 'Z') ||
			     (*what >= '0' && *what <= '9') || *what == '.' ||
			     *what == '_';

		if (plain || out[used - 1] != '-')
			out[used++] = plain ? *what : '-';
	}
	out[used] = '\0';
}

static enum err figure_add(struct figure_maker *m, struct plot *p,
			   const char *caption)
{
	struct figure *f = &m->f->at[m->f->count];
	char name[64];

	if (m->f->count == FIGURES) {
		m->f->left_out++;
		return ERR_OK;
	}
	figure_file_name(name, m->plots->count, caption);
	p->name = name;
	*f = (struct figure){
		.caption = arena_strndup(m->a, caption, strlen(caption)),
		.plot = m->plots->count,
	};
	if (!f->caption)
		return fail(m->d, ERR_NOMEM, "out of memory");
	m->f->count++;
	return plots_add(m->plots, p, m->d);
}

/* ---- values of an axis ---- */

struct labels {
	const char *at[POSITIONS];
	size_t count;
	bool full;
};

static size_t label_index(struct labels *l, const char *text)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcmp(l->at[i], text))
			return i;
	if (l->count == POSITIONS) {
		l->full = true;
		return 0;
	}
	l->at[l->count] = text;
	return l->count++;
}

static double *nan_values(struct arena *a, size_t n)
{
	double *y = arena_new(a, double, n + 1);

	for (size_t i = 0; y && i < n; i++)
		y[i] = NAN;
	return y;
}

static int by_value_down(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* For an axis with too many values: the speed-ups of a program, the best
 * first. */
static enum err sorted_series(struct figure_maker *m, struct plot_series *to,
			      size_t axis, size_t program)
{
	const struct swept *s = m->s;
	double *y = arena_new(m->a, double, s->axes[axis].points + 1);
	double *x = arena_new(m->a, double, SORTED + 1);
	size_t n = 0;

	if (!x || !y)
		return fail(m->d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < s->point_count; i++)
		if (s->points[i].axis == axis &&
		    s->points[i].program == program &&
		    !isnan(s->points[i].speedup))
			y[n++] = s->points[i].speedup;
	if (n)
		qsort(y, n, sizeof(*y), by_value_down);
	to->x = x;
	to->y = y;
	to->joined = true;
	to->count = n < SORTED ? n : SORTED;
	for (size_t i = 0; i < to->count; i++) {
		size_t from = n <= SORTED ? i : i * (n - 1) / (SORTED - 1);

		x[i] = (double)(from + 1);
		y[i] = y[from];
	}
	return ERR_OK;
}

static enum err sorted_plot(struct figure_maker *m, size_t axis)
{
	struct plot p = { .kind = PLOT_POINTS,
			  .x_label = "points, the fastest first",
			  .y_label = "speed-up",
			  .from_one = true };

	for (size_t k = m->batch;
	     k < m->s->program_count && k < m->batch + PLOT_SERIES; k++) {
		struct plot_series *to = &p.series[p.series_count++];

		to->title = m->s->programs[k].name;
		if (sorted_series(m, to, axis, k))
			return m->d->code;
	}
	return figure_add(m, &p, m->s->axes[axis].name);
}

/* ---- an axis: a line or bar for each program ---- */

static enum err axis_plot(struct figure_maker *m, size_t axis)
{
	const struct swept *s = m->s;
	struct labels labels = { 0 };
	double *y[PLOT_SERIES];
	struct plot p = { .kind = s->axes[axis].numbers ? PLOT_LINES :
							  PLOT_BARS,
			  .x_label = s->axes[axis].name,
			  .y_label = "speed-up",
			  .from_one = true };

	for (size_t i = 0; i < s->point_count && !labels.full; i++)
		if (s->points[i].axis == axis)
			label_index(&labels, s->points[i].label);
	if (labels.full)
		return sorted_plot(m, axis);
	for (size_t k = m->batch;
	     k < s->program_count && k < m->batch + PLOT_SERIES; k++) {
		y[k - m->batch] = nan_values(m->a, labels.count);
		if (!y[k - m->batch])
			return fail(m->d, ERR_NOMEM, "out of memory");
		p.series[p.series_count++] =
			(struct plot_series){ .title = s->programs[k].name,
					      .y = y[k - m->batch] };
	}
	for (size_t i = 0; i < s->point_count; i++) {
		const struct swept_point *q = &s->points[i];

		if (q->axis == axis && q->program >= m->batch &&
		    q->program < m->batch + PLOT_SERIES)
			y[q->program - m->batch]
			 [label_index(&labels, q->label)] = q->speedup;
	}
	p.ticks = labels.at;
	p.tick_count = labels.count;
	/* Without an effect there is nothing to draw. */
	if (isnan(s->axes[axis].effect))
		return ERR_OK;
	return figure_add(m, &p, s->axes[axis].name);
}

/* ---- variants: all of them in one plot ---- */

static enum err variants_plot(struct figure_maker *m)
{
	const struct swept *s = m->s;
	const char *names[POSITIONS];
	double *y;
	struct plot p = { .kind = PLOT_BARS,
			  .x_label = "variant",
			  .y_label = "speed-up",
			  .from_one = true,
			  .ticks = names };

	for (size_t a = 1; a < s->axis_count && p.tick_count < POSITIONS; a++)
		if (s->axes[a].variant)
			names[p.tick_count++] = s->axes[a].name;
	if (!p.tick_count)
		return ERR_OK;
	for (size_t k = m->batch;
	     k < s->program_count && k < m->batch + PLOT_SERIES; k++) {
		size_t n = 0;

		y = nan_values(m->a, p.tick_count);
		if (!y)
			return fail(m->d, ERR_NOMEM, "out of memory");
		for (size_t a = 1; a < s->axis_count && n < p.tick_count; a++)
			if (s->axes[a].variant)
				y[n++] = s->axes[a].farthest[k];
		p.series[p.series_count++] =
			(struct plot_series){ .title = s->programs[k].name,
					      .y = y };
	}
	return figure_add(m, &p, "Variants");
}

/* ---- a cross product of two axes ---- */

/* Splits "A x B" into its two parts; false: there are more, or fewer. */
static bool split_label(struct figure_maker *m, const char *text,
			const char *half[2])
{
	const char *cross = strstr(text, CROSS);

	if (!cross || strstr(cross + strlen(CROSS), CROSS))
		return false;
	half[0] = arena_strndup(m->a, text, (size_t)(cross - text));
	half[1] = cross + strlen(CROSS);
	return half[0] != NULL;
}

/* x: which part of the labels is on the x axis; the other has a line for each
 * value. */
static enum err cross_program(struct figure_maker *m, size_t axis,
			      size_t program, struct labels labels[2], int x)
{
	const struct swept *s = m->s;
	const char *half[2], *names[2];
	double *y[PLOT_SERIES];
	char caption[256];
	struct plot p = { .kind = PLOT_LINES,
			  .y_label = "speed-up",
			  .from_one = true,
			  .ticks = labels[x].at,
			  .tick_count = labels[x].count };

	if (!split_label(m, s->axes[axis].name, names))
		return fail(m->d, ERR_NOMEM, "out of memory");
	p.x_label = names[x];
	for (size_t k = 0; k < labels[!x].count; k++) {
		y[k] = nan_values(m->a, labels[x].count);
		if (!y[k])
			return fail(m->d, ERR_NOMEM, "out of memory");
		p.series[p.series_count++] =
			(struct plot_series){ .title = labels[!x].at[k],
					      .y = y[k] };
	}
	for (size_t i = 0; i < s->point_count; i++) {
		const struct swept_point *q = &s->points[i];

		if (q->axis == axis && q->program == program &&
		    split_label(m, q->label, half))
			y[label_index(&labels[!x], half[!x])]
			 [label_index(&labels[x], half[x])] = q->speedup;
	}
	snprintf(caption, sizeof(caption), "%s: %s, lines: %s",
		 s->programs[program].name, names[x], names[!x]);
	return figure_add(m, &p, caption);
}

static enum err cross_plots(struct figure_maker *m, size_t axis)
{
	const struct swept *s = m->s;
	struct labels labels[2] = { 0 };
	const char *half[2];
	bool two = true;
	int x;

	for (size_t i = 0; i < s->point_count && two; i++) {
		if (s->points[i].axis != axis)
			continue;
		two = split_label(m, s->points[i].label, half);
		for (int k = 0; two && k < 2; k++)
			label_index(&labels[k], half[k]);
		two = two && !labels[0].full && !labels[1].full;
	}
	x = labels[1].count <= PLOT_SERIES ? 0 : 1;
	if (!two || labels[!x].count > PLOT_SERIES)
		return sorted_plot(m, axis);
	for (size_t k = m->batch;
	     k < s->program_count && k < m->batch + PLOT_SERIES; k++)
		if (cross_program(m, axis, k, labels, x))
			return m->d->code;
	return ERR_OK;
}

/* ---- cost ---- */

static int points_by_config(const void *a, const void *b)
{
	const struct swept_point *x = *(const struct swept_point *const *)a;
	const struct swept_point *y = *(const struct swept_point *const *)b;

	if (x->config != y->config)
		return x->config < y->config ? -1 : 1;
	return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

/* The mean of the points of one configuration, if every program has one. */
static void add_mean(struct figures *f, const struct swept *s,
		     const struct swept_point *const *at, size_t n, bool *seen)
{
	const struct swept_point *shown = NULL;
	double sum = 0;
	size_t programs = 0;

	memset(seen, 0, s->program_count * sizeof(*seen));
	for (size_t i = 0; i < n; i++) {
		if (isnan(at[i]->speedup) || isnan(at[i]->cost) ||
		    seen[at[i]->program])
			continue;
		seen[at[i]->program] = true;
		sum += log(at[i]->speedup);
		programs++;
		shown = shown ? shown : at[i];
	}
	if (programs && programs == s->program_count)
		f->means[f->mean_count++] = (struct mean_point){
			.point = shown,
			.cost = shown->cost,
			.speedup = exp(sum / (double)programs)
		};
}

static enum err find_means(struct figure_maker *m)
{
	const struct swept *s = m->s;
	size_t n = s->point_count, end;
	const struct swept_point **at =
		arena_new(m->a, const struct swept_point *, n + 1);
	bool *seen = arena_new(m->a, bool, s->program_count + 1);
	struct pareto *front = arena_new(m->a, struct pareto, n + 1);

	m->f->means = arena_new(m->a, struct mean_point, n + 1);
	if (!at || !seen || !front || !m->f->means)
		return fail(m->d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		at[i] = &s->points[i];
	if (n)
		qsort(at, n, sizeof(*at), points_by_config);
	for (size_t i = 0; i < n; i = end) {
		for (end = i; end < n && at[end]->config == at[i]->config;)
			end++;
		add_mean(m->f, s, at + i, end - i, seen);
	}
	for (size_t i = 0; i < m->f->mean_count; i++)
		front[i] = (struct pareto){ .cost = m->f->means[i].cost,
					    .speed = m->f->means[i].speedup,
					    .item = i };
	pareto_mark(front, m->f->mean_count);
	for (size_t i = 0; i < m->f->mean_count; i++)
		m->f->means[front[i].item].front = front[i].front;
	return ERR_OK;
}

static int means_by_cost(const void *a, const void *b)
{
	const struct mean_point *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->speedup > y->speedup ? -1 : x->speedup < y->speedup;
}

static enum err cost_plot(struct figure_maker *m)
{
	const struct figures *f = m->f;
	double *xy[4];
	size_t all = 0, front = 0;
	size_t stride = f->mean_count / CROWD + 1;
	struct plot p = { .kind = PLOT_POINTS,
			  .x_label = "cost",
			  .y_label = m->s->program_count > 1 ? "mean speed-up" :
							       "speed-up" };

	for (int i = 0; i < 4; i++) {
		xy[i] = arena_new(m->a, double, f->mean_count + 1);
		if (!xy[i])
			return fail(m->d, ERR_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < f->mean_count; i++) {
		const struct mean_point *q = &f->means[i];

		if (q->front) {
			xy[2][front] = q->cost;
			xy[3][front++] = q->speedup;
		} else if (i % stride == 0) {
			xy[0][all] = q->cost;
			xy[1][all++] = q->speedup;
		}
	}
	/* The series drawn last is on top. */
	p.series[0] = (struct plot_series){ .title = "other points",
					    .x = xy[0],
					    .y = xy[1],
					    .count = all,
					    .faint = true };
	p.series[1] = (struct plot_series){ .title = "Pareto front",
					    .x = xy[2],
					    .y = xy[3],
					    .count = front,
					    .joined = true };
	p.series_count = 2;
	return figure_add(m, &p, "Cost and speed-up");
}

enum err figures_make(struct figures *f, struct plots *p, const struct swept *s,
		      struct arena *a, struct diag *d)
{
	struct figure_maker m = { .f = f, .plots = p, .s = s, .a = a, .d = d };

	*f = (struct figures){ .at = arena_new(a, struct figure, FIGURES + 1) };
	if (!f->at)
		return fail(d, ERR_NOMEM, "out of memory");
	if (s->costs) {
		if (find_means(&m))
			return d->code;
		if (f->mean_count)
			qsort(f->means, f->mean_count, sizeof(*f->means),
			      means_by_cost);
		f->cost = f->mean_count > 0;
		if (f->cost && cost_plot(&m))
			return d->code;
	}
	for (size_t i = 0; i < s->ranked; i++) {
		size_t axis = s->ranking[i];
		bool cross = strstr(s->axes[axis].name, CROSS) != NULL;

		if (s->axes[axis].variant)
			continue;
		for (m.batch = 0; m.batch < s->program_count;
		     m.batch += PLOT_SERIES)
			if (cross ? cross_plots(&m, axis) : axis_plot(&m, axis))
				return d->code;
	}
	for (m.batch = 0; m.batch < s->program_count; m.batch += PLOT_SERIES)
		if (variants_plot(&m))
			return d->code;
	return ERR_OK;
}
