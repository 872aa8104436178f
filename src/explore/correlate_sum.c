/* Errors and correlation over launches and programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/correlate.h"

bool correlate_selects(const struct correlate *c,
		       const struct correlate_filter *f,
		       const struct correlate_point *p)
{
	const struct correlate_pair *pair = &c->pairs[p->pair];

	return (!f->set || !strcmp(f->set, pair->set)) &&
	       (f->half < 0 || (int)pair->half == f->half) &&
	       (f->size < 0 || (int)p->size == f->size) &&
	       (f->limit < 0 || (int)p->limit == f->limit) &&
	       (f->group < 0 || pair->group == f->group) &&
	       (f->pair < 0 || p->pair == (size_t)f->pair);
}

/* The value of hardware's runs that is nearest to the simulated one. */
static double nearest_run(const struct correlate_point *p, double h, double s)
{
	double low = fmin(p->low, h), high = fmax(p->high, h);

	return p->high > 0 ? fmax(low, fmin(high, s)) : h;
}

double correlate_error(const struct correlate_point *p, int metric)
{
	const struct correlate_info *i = &correlate_info[metric];
	double h = p->hardware[metric], s = p->simulated[metric], under;

	if (metric == CORRELATE_INSTRUCTIONS && !isnan(h) && !isnan(s))
		h = nearest_run(p, h, s);

	if (isnan(h) || isnan(s) || i->scale == CORRELATE_POINTS)
		return s - h;
	under = fmax(fabs(h), i->floor);
	/* Hardware counted none: all of it is too much. */
	return under > 0 ? (s - h) / under : s > 0 ? 1 : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* A quantile of sorted values, between the two nearest. */
static double quantile(const double *v, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? v[i] + (at - (double)i) * (v[i + 1] - v[i]) : v[i];
}

/* Sums of pairs, shifted by the first so that large values keep their digits. */
struct moments {
	double n, x0, y0, x, y, xx, yy, xy;
};

static void moments_add(struct moments *m, double x, double y)
{
	if (!m->n) {
		m->x0 = x;
		m->y0 = y;
	}
	x -= m->x0;
	y -= m->y0;
	m->n++;
	m->x += x;
	m->y += y;
	m->xx += x * x;
	m->yy += y * y;
	m->xy += x * y;
}

static double moments_pearson(const struct moments *m)
{
	double xx = m->n * m->xx - m->x * m->x;
	double yy = m->n * m->yy - m->y * m->y;

	return m->n > 1 && xx > 0 && yy > 0 ?
		       (m->n * m->xy - m->x * m->y) / sqrt(xx) / sqrt(yy) :
		       NAN;
}

static double moments_slope(const struct moments *m)
{
	double xx = m->n * m->xx - m->x * m->x;

	return m->n > 1 && xx > 0 ? (m->n * m->xy - m->x * m->y) / xx : NAN;
}

/* Points of a program follow each other: sums of the one that is being read. */
struct program_sum {
	size_t pair, n;
	double sum;
};

static void program_end(struct correlate_sum *out, struct program_sum *p)
{
	if (p->n) {
		out->programs++;
		out->program_mean += p->sum / (double)p->n;
	}
	*p = (struct program_sum){ 0 };
}

static void finish(struct correlate_sum *out, double *errors,
		   const struct moments *plain, const struct moments *log)
{
	size_t n = out->launches;

	qsort(errors, n, sizeof(*errors), by_value);
	for (size_t i = 0; i < n; i++)
		out->mean += errors[i] / (double)n;
	out->program_mean /= (double)out->programs;
	out->median = quantile(errors, n, 0.5);
	out->p90 = quantile(errors, n, 0.9);
	out->most = errors[n - 1];
	out->pearson = moments_pearson(plain);
	out->slope = moments_slope(plain);
	out->log_pearson = moments_pearson(log);
	out->ratio =
		log->n ? exp((log->y - log->x) / log->n + log->y0 - log->x0) :
			 NAN;
}

enum err correlate_summarise(struct correlate_sum *out,
			     const struct correlate *c,
			     const struct correlate_filter *f, int metric,
			     struct diag *d)
{
	double *errors = calloc(c->point_count + 1, sizeof(*errors));
	struct moments plain = { 0 }, log_of = { 0 };
	struct program_sum program = { 0 };

	*out = (struct correlate_sum){ 0 };
	if (!errors)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < c->point_count; i++) {
		const struct correlate_point *p = &c->points[i];
		double h = p->hardware[metric], s = p->simulated[metric];
		double error = fabs(correlate_error(p, metric));

		if (isnan(error) || !correlate_selects(c, f, p))
			continue;
		if (program.n && program.pair != p->pair)
			program_end(out, &program);
		program.pair = p->pair;
		program.n++;
		program.sum += error;
		errors[out->launches++] = error;
		moments_add(&plain, h, s);
		if (h > 0 && s > 0)
			moments_add(&log_of, log(h), log(s));
	}
	program_end(out, &program);
	if (out->launches)
		finish(out, errors, &plain, &log_of);
	free(errors);
	return ERR_OK;
}

int correlate_headline(const struct correlate *c)
{
	for (size_t i = 0; i < c->point_count; i++)
		if (!isnan(c->points[i].hardware[CORRELATE_CYCLES]))
			return CORRELATE_CYCLES;
	return CORRELATE_TIME;
}

/* ---- the worst ---- */

struct correlate_rank {
	double error;
	size_t at;
};

static int by_error(const void *a, const void *b)
{
	const struct correlate_rank *x = a, *y = b;

	if (x->error != y->error)
		return x->error > y->error ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Whether a launch of the same kernel of the same program is in the list. */
static bool worst_has(const struct correlate *c, const size_t *list,
		      size_t count, size_t at)
{
	const struct correlate_point *p = &c->points[at];

	for (size_t i = 0; i < count; i++)
		if (c->points[list[i]].pair == p->pair &&
		    !strcmp(c->points[list[i]].kernel, p->kernel))
			return true;
	return false;
}

enum err correlate_worst(size_t **out, size_t *count, const struct correlate *c,
			 const struct correlate_filter *f, size_t most,
			 struct diag *d)
{
	struct correlate_rank *list = calloc(c->point_count + 1, sizeof(*list));
	int metric = correlate_headline(c);
	size_t n = 0;

	*count = 0;
	*out = calloc(c->point_count + 1, sizeof(**out));
	if (!list || !*out) {
		free(list);
		return fail(d, ERR_NOMEM, "out of memory");
	}
	for (size_t i = 0; i < c->point_count; i++) {
		double error = fabs(correlate_error(&c->points[i], metric));

		if (!isnan(error) && correlate_selects(c, f, &c->points[i]))
			list[n++] = (struct correlate_rank){ error, i };
	}
	qsort(list, n, sizeof(*list), by_error);
	for (size_t i = 0; i < n && *count < most; i++)
		if (!worst_has(c, *out, *count, list[i].at))
			(*out)[(*count)++] = list[i].at;
	free(list);
	return ERR_OK;
}

/* ---- reasons ---- */

const char *correlate_size_text(char text[CORRELATE_ERROR_TEXT], int metric,
				double error)
{
	if (isnan(error))
		snprintf(text, CORRELATE_ERROR_TEXT, "-");
	else if (correlate_info[metric].scale == CORRELATE_POINTS)
		snprintf(text, CORRELATE_ERROR_TEXT, "%.1f points",
			 100 * error);
	else if (fabs(error) >= 10)
		snprintf(text, CORRELATE_ERROR_TEXT, "%.3g%%", 100 * error);
	else
		snprintf(text, CORRELATE_ERROR_TEXT, "%.1f%%", 100 * error);
	return text;
}

const char *correlate_error_text(char text[CORRELATE_ERROR_TEXT], int metric,
				 double error)
{
	char plain[CORRELATE_ERROR_TEXT];

	correlate_size_text(plain, metric, error);
	snprintf(text, CORRELATE_ERROR_TEXT, "%s%.30s", error >= 0 ? "+" : "",
		 plain);
	return text;
}

const char *correlate_value_text(char text[CORRELATE_VALUE], int metric,
				 double v)
{
	const struct correlate_info *i = &correlate_info[metric];
	char part[GROUPED_TEXT];

	if (isnan(v))
		snprintf(text, CORRELATE_VALUE, "-");
	else if (i->scale == CORRELATE_POINTS)
		snprintf(text, CORRELATE_VALUE, "%.1f%%", 100 * v);
	else if (metric == CORRELATE_TIME)
		snprintf(text, CORRELATE_VALUE, "%s", duration(part, v));
	else if (fabs(v) < 100 && v != floor(v))
		snprintf(text, CORRELATE_VALUE, "%.3g", v);
	else
		snprintf(text, CORRELATE_VALUE, "%s", grouped_real(part, v));
	return text;
}

/* The metrics that can explain a time, and not only repeat it. */
static bool explains(int metric)
{
	return metric != CORRELATE_CYCLES && metric != CORRELATE_TIME &&
	       metric != CORRELATE_IPC && metric != CORRELATE_ACTIVE_IPC &&
	       metric != CORRELATE_DRAM_USE && metric != CORRELATE_REGISTERS;
}

/* Appends "; " and a text. */
static void why_add(char text[CORRELATE_WHY], const char *more)
{
	size_t n = strlen(text);

	if (n + strlen(more) + 3 < CORRELATE_WHY)
		snprintf(text + n, CORRELATE_WHY - n, "%s%s", n ? "; " : "",
			 more);
}

/* Metrics out of their tolerance, the one most times beyond it first. */
static size_t why_metrics(char text[CORRELATE_WHY],
			  const struct correlate_point *p)
{
	bool told[CORRELATE_METRICS] = { false };
	size_t n = 0;

	for (; n < 4; n++) {
		char one[CORRELATE_ERROR_TEXT], line[120];
		double most = 1;
		int best = -1;

		for (int i = 0; i < CORRELATE_METRICS; i++) {
			double beyond = fabs(correlate_error(p, i)) /
					fmax(correlate_info[i].tolerance, 0.01);

			if (told[i] || !explains(i) || !(beyond > most))
				continue;
			most = beyond;
			best = i;
		}
		if (best < 0)
			break;
		told[best] = true;
		correlate_error_text(one, best, correlate_error(p, best));
		snprintf(line, sizeof(line), "%s %s", correlate_info[best].name,
			 one);
		why_add(text, line);
	}
	return n;
}

/* The two warp states whose shares differ most, if by five points. */
static void why_states(char text[CORRELATE_WHY],
		       const struct correlate_point *p)
{
	bool told[CORRELATE_STATES_MAX] = { false };

	for (int n = 0; n < 2; n++) {
		size_t best = CORRELATE_STATES_MAX;
		double most = 0.05;
		char line[160];

		for (size_t i = 0; i < correlate_state_count(); i++) {
			double by = fabs(p->simulated_state[i] -
					 p->hardware_state[i]);

			if (told[i] || !(by > most))
				continue;
			most = by;
			best = i;
		}
		if (best == CORRELATE_STATES_MAX)
			return;
		told[best] = true;
		snprintf(line, sizeof(line),
			 "warps wait for %s %.0f%% of the time, on hardware "
			 "%.0f%%",
			 correlate_state_name(best),
			 100 * p->simulated_state[best],
			 100 * p->hardware_state[best]);
		why_add(text, line);
	}
}

const char *correlate_why(char text[CORRELATE_WHY],
			  const struct correlate_point *p)
{
	size_t known = 0;

	text[0] = '\0';
	for (int i = 0; i < CORRELATE_METRICS; i++)
		known += explains(i) && !isnan(correlate_error(p, i));
	if (!known)
		snprintf(text, CORRELATE_WHY,
			 "the profile has no other metric");
	else if (!why_metrics(text, p))
		snprintf(text, CORRELATE_WHY,
			 "only the time is off: %zu other metric%s agree%s",
			 known, known == 1 ? "" : "s", known == 1 ? "s" : "");
	why_states(text, p);
	return text;
}
