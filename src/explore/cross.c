#include "explore/cross.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CROSS " x "

/* ---- names and cells ---- */

/* Splits "A x B x C" into copies of its parts; 0: there are too many. */
static size_t cross_split(struct arena *a, const char *text,
			  const char *part[CROSS_PARAMS])
{
	for (size_t n = 0; n < CROSS_PARAMS; n++) {
		const char *end = strstr(text, CROSS);

		part[n] = arena_strndup(
			a, text, end ? (size_t)(end - text) : strlen(text));
		if (!part[n])
			return 0;
		if (!end)
			return n + 1;
		text = end + strlen(CROSS);
	}
	return 0;
}

/* The number of a value, which is added if it is new; SIZE_MAX: no room. */
static size_t cross_find_value(struct cross_param *p, const char *text)
{
	size_t i = 0;

	while (i < p->count && strcmp(p->values[i], text) != 0)
		i++;
	if (i == CROSS_VALUES)
		return SIZE_MAX;
	if (i == p->count)
		p->values[p->count++] = text;
	return i;
}

/* False: the labels of the points do not fit the name of the axis. */
static bool cross_find_values(struct cross *x, size_t axis, struct arena *a)
{
	const struct swept *s = x->s;
	const char *part[CROSS_PARAMS];

	for (size_t i = 0; i < s->point_count; i++) {
		if (s->points[i].axis != axis)
			continue;
		if (cross_split(a, s->points[i].label, part) != x->param_count)
			return false;
		for (size_t k = 0; k < x->param_count; k++)
			if (cross_find_value(&x->param[k], part[k]) == SIZE_MAX)
				return false;
	}
	return true;
}

/* Numbers the cells, the last parameter fastest. False: the points are far from
 * all combinations. */
static bool cross_number_cells(struct cross *x, size_t axis)
{
	size_t most = 4 * x->s->axes[axis].points + CROSS_VALUES;

	x->cells = 1;
	for (size_t k = x->param_count; k-- > 0;) {
		x->param[k].stride = x->cells;
		x->cells *= x->param[k].count;
		if (x->cells > most)
			return false;
	}
	return true;
}

static void cross_fill(struct cross *x, size_t axis, struct arena *a)
{
	const struct swept *s = x->s;
	const char *part[CROSS_PARAMS];

	for (size_t i = 0; i < x->cells * s->program_count; i++)
		x->speed[i] = NAN;
	for (size_t i = 0; i < s->point_count; i++) {
		const struct swept_point *p = &s->points[i];
		size_t cell = p->program * x->cells;

		if (p->axis != axis ||
		    cross_split(a, p->label, part) != x->param_count)
			continue;
		for (size_t k = 0; k < x->param_count; k++)
			cell += x->param[k].stride *
				cross_find_value(&x->param[k], part[k]);
		x->speed[cell] = p->speedup;
		x->failed[cell] = p->state == SWEPT_FAILED;
	}
}

enum err cross_make(struct cross *x, const struct swept *s, size_t axis,
		    struct arena *a, struct diag *d)
{
	const char *part[CROSS_PARAMS];
	size_t n = cross_split(a, s->axes[axis].name, part);

	*x = (struct cross){ .s = s, .name = s->axes[axis].name };
	if (n < 2)
		return ERR_OK;
	x->param_count = n;
	for (size_t k = 0; k < n; k++)
		x->param[k].name = part[k];
	if (!cross_find_values(x, axis, a) || !cross_number_cells(x, axis)) {
		x->param_count = 0;
		return ERR_OK;
	}
	x->speed = arena_new(a, double, x->cells * s->program_count + 1);
	x->failed = arena_new(a, bool, x->cells * s->program_count + 1);
	if (!x->speed || !x->failed)
		return fail(d, ERR_NOMEM, "out of memory");
	cross_fill(x, axis, a);
	return ERR_OK;
}

size_t cross_value(const struct cross *x, size_t cell, size_t param)
{
	return cell / x->param[param].stride % x->param[param].count;
}

double cross_speed(const struct cross *x, size_t program, size_t cell)
{
	return x->speed[program * x->cells + cell];
}

/* ---- effects ---- */

/* Marks the values of a parameter that have a result; returns how many. */
static size_t cross_live(const struct cross *x, size_t program, size_t param,
			 bool live[CROSS_VALUES])
{
	size_t n = 0;

	memset(live, 0, CROSS_VALUES * sizeof(*live));
	for (size_t i = 0; i < x->cells; i++)
		if (!isnan(cross_speed(x, program, i)))
			live[cross_value(x, i, param)] = true;
	for (size_t i = 0; i < CROSS_VALUES; i++)
		n += live[i];
	return n;
}

/* Whether all live values have a result, at the others' values of a cell. */
static bool cross_is_complete(const struct cross *x, size_t program,
			      const struct cross_param *p, size_t cell,
			      const bool *live)
{
	for (size_t v = 0; v < p->count; v++)
		if (live[v] &&
		    isnan(cross_speed(x, program, cell + v * p->stride)))
			return false;
	return true;
}

static void cross_add(struct cross_mean *m, double speed)
{
	if (!m->n || speed < m->low)
		m->low = speed;
	if (!m->n || speed > m->high)
		m->high = speed;
	m->mean += log(speed);
	m->n++;
}

struct cross_effect cross_effect(const struct cross *x, size_t program,
				 size_t param)
{
	const struct cross_param *p = &x->param[param];
	struct cross_effect e = { .effect = NAN };
	bool live[CROSS_VALUES], any = false;

	cross_live(x, program, param, live);
	for (size_t i = 0; i < x->cells; i++) {
		if (cross_value(x, i, param) ||
		    !cross_is_complete(x, program, p, i, live))
			continue;
		for (size_t v = 0; v < p->count; v++)
			if (live[v])
				cross_add(&e.at[v],
					  cross_speed(x, program,
						      i + v * p->stride));
	}
	for (size_t v = 0; v < p->count; v++) {
		struct cross_mean *m = &e.at[v];

		if (!m->n) {
			m->mean = m->low = m->high = NAN;
			continue;
		}
		m->mean = exp(m->mean / (double)m->n);
		if (!any || m->mean > e.at[e.fastest].mean)
			e.fastest = v;
		if (!any || m->mean < e.at[e.slowest].mean)
			e.slowest = v;
		any = true;
	}
	if (any)
		e.effect = e.at[e.fastest].mean / e.at[e.slowest].mean - 1;
	return e;
}

/* The logarithm of the mean of all points; NaN: not all have a result. */
static double cross_grand_mean(const struct cross *x, size_t program)
{
	double sum = 0;

	for (size_t i = 0; i < x->cells; i++)
		sum += log(cross_speed(x, program, i));
	return sum / (double)x->cells;
}

struct cross_interaction cross_interaction(const struct cross *x,
					   size_t program)
{
	struct cross_interaction out = { 0 };
	double grand = cross_grand_mean(x, program), farthest = 0;
	struct cross_effect effects[CROSS_PARAMS];

	if (isnan(grand))
		return out;
	out.known = true;
	for (size_t k = 0; k < x->param_count; k++)
		effects[k] = cross_effect(x, program, k);
	for (size_t i = 0; i < x->cells; i++) {
		double off = log(cross_speed(x, program, i)) - grand;

		for (size_t k = 0; k < x->param_count; k++)
			off -= log(effects[k].at[cross_value(x, i, k)].mean) -
			       grand;
		if (fabs(off) > fabs(farthest)) {
			farthest = off;
			out.cell = i;
		}
	}
	out.by = expm1(farthest);
	return out;
}

void cross_pairs(struct cross_pairs *out, const struct cross *x, size_t program,
		 const size_t param[2])
{
	size_t rows = x->param[param[0]].count;
	size_t columns = x->param[param[1]].count;
	double each = (double)x->cells / (double)(rows * columns);

	*out = (struct cross_pairs){ 0 };
	for (size_t i = 0; i < x->cells; i++) {
		size_t row = cross_value(x, i, param[0]);
		size_t column = cross_value(x, i, param[1]);

		out->speed[row][column] += log(cross_speed(x, program, i));
		out->failed[row][column] |= x->failed[program * x->cells + i];
	}
	for (size_t i = 0; i < rows; i++)
		for (size_t k = 0; k < columns; k++)
			out->speed[i][k] = exp(out->speed[i][k] / each);
}
