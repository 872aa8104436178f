/* Hardware against simulation, one point for each launch; and errors in order. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/correlate_draw.h"
#include "explore/html.h"

enum {
	WIDTH = 460,
	HEIGHT = 420,
	LEFT = 52,
	RIGHT = 440,
	TOP = 24,
	BOTTOM = 376,
	CURVE_HEIGHT = 260,
	CURVE_BOTTOM = 216,
};

/* Both axes have the same ends: decades, or 0 to 1 of rates. */
struct scatter {
	const struct correlate *c;
	const struct correlate_filter *f;
	int metric;
	bool linear;
	double low, high;
};

static double scatter_at(const struct scatter *s, double v)
{
	double at = s->linear ? v : log10(v);

	/* What has no logarithm lies on the edge. */
	if (!(s->linear || v > 0) || at < s->low)
		at = s->low;
	return (at - s->low) / (s->high - s->low);
}

static double scatter_x(const struct scatter *s, double v)
{
	return LEFT + (RIGHT - LEFT) * scatter_at(s, v);
}

static double scatter_y(const struct scatter *s, double v)
{
	return BOTTOM - (BOTTOM - TOP) * scatter_at(s, v);
}

static bool scatter_has(const struct scatter *s,
			const struct correlate_point *p)
{
	return !isnan(correlate_error(p, s->metric)) &&
	       correlate_selects(s->c, s->f, p);
}

/* Sets the ends of the axes; false: there is nothing to draw. */
static bool scatter_extent(struct scatter *s)
{
	double low = INFINITY, high = -INFINITY;
	bool any = false;

	for (size_t i = 0; i < s->c->point_count; i++) {
		const struct correlate_point *p = &s->c->points[i];
		double v[2] = { p->hardware[s->metric],
				p->simulated[s->metric] };

		if (!scatter_has(s, p))
			continue;
		any = true;
		for (int k = 0; k < 2; k++)
			if (s->linear || v[k] > 0) {
				low = fmin(low, v[k]);
				high = fmax(high, v[k]);
			}
	}
	if (s->linear) {
		s->low = 0;
		s->high = high > 0.5 ? fmax(1, high) : high > 0.1 ? 0.5 : 0.1;
		return any;
	}
	if (!(low <= high))
		return false;
	s->low = floor(log10(low));
	s->high = ceil(log10(high));
	if (s->high <= s->low)
		s->high = s->low + 1;
	return any;
}

/* 1000 as "1k", 0.00001 as "10u". */
static const char *decade_text(char text[GROUPED_TEXT], double exponent)
{
	static const char *const names[] = { "n", "u", "m", "", "k",
					     "M", "G", "T", "P" };
	int third = (int)floor(exponent / 3);

	if (third < -3 || third > 5)
		snprintf(text, GROUPED_TEXT, "%g", pow(10, exponent));
	else
		snprintf(text, GROUPED_TEXT, "%g%s",
			 pow(10, exponent - 3 * third), names[third + 3]);
	return text;
}

static void scatter_tick(FILE *to, const struct scatter *s, double v,
			 const char *label)
{
	html(to,
	     "<path class=\"grid\" d=\"M%.1f %dV%dM%d %.1fH%d\"/>"
	     "<text class=\"t2\" x=\"%.1f\" y=\"%d\" font-size=\"11\" "
	     "text-anchor=\"middle\">%s</text>"
	     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"11\" "
	     "text-anchor=\"end\">%s</text>\n",
	     scatter_x(s, v), TOP, BOTTOM, LEFT, scatter_y(s, v), RIGHT,
	     scatter_x(s, v), BOTTOM + 16, label, LEFT - 5, scatter_y(s, v) + 4,
	     label);
}

static void scatter_axes(FILE *to, const struct scatter *s)
{
	char text[GROUPED_TEXT];

	for (int i = 0; i <= 5 && s->linear; i++) {
		snprintf(text, sizeof(text), "%.0f%%", 20 * i * s->high);
		scatter_tick(to, s, s->high * i / 5, text);
	}
	for (double e = s->low; e <= s->high && !s->linear; e++)
		scatter_tick(to, s, pow(10, e), decade_text(text, e));
	html(to,
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"12\" "
	     "text-anchor=\"end\">hardware</text><text class=\"t2\" "
	     "x=\"4\" y=\"14\" font-size=\"12\">simulated</text>\n"
	     "<path class=\"axis\" d=\"M%d %dL%d %d\"/>\n",
	     RIGHT, HEIGHT - 8, LEFT, BOTTOM, RIGHT, TOP);
}

/* What a reader sees who points at a launch. */
static void scatter_title(FILE *to, const struct scatter *s,
			  const struct correlate_point *p)
{
	char error[CORRELATE_ERROR_TEXT], a[CORRELATE_VALUE],
		b[CORRELATE_VALUE];
	const struct correlate_pair *pair = &s->c->pairs[p->pair];

	html(to, "<title>%s%s%s, %s, ", pair->program, *pair->set ? ", " : "",
	     pair->set, p->kernel);
	if (p->launches > 1)
		html(to, "mean of %llu launches",
		     (unsigned long long)p->launches);
	else
		html(to, "launch %llu", (unsigned long long)p->launch);
	html(to,
	     ", grid %ux%ux%u, block %ux%ux%u, %s, %s: %s %s, hardware %s, "
	     "%s</title>",
	     p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1],
	     p->block[2], correlate_size_names[p->size],
	     correlate_limit_names[p->limit], correlate_info[s->metric].name,
	     correlate_value_text(a, s->metric, p->simulated[s->metric]),
	     correlate_value_text(b, s->metric, p->hardware[s->metric]),
	     correlate_error_text(error, s->metric,
				  correlate_error(p, s->metric)));
}

static size_t scatter_colour(const struct correlate *c,
			     const struct correlate_point *p,
			     enum draw_colour by)
{
	size_t set = 0;

	if (by != DRAW_SET)
		return 1 +
		       (by == DRAW_LIMIT ? (size_t)p->limit : (size_t)p->size);
	while (set < c->set_count &&
	       strcmp(c->sets[set], c->pairs[p->pair].set) != 0)
		set++;
	return 1 + set;
}

bool draw_scatter(FILE *to, const struct correlate *c,
		  const struct correlate_filter *f, int metric,
		  enum draw_colour by)
{
	struct scatter s = { .c = c, .f = f, .metric = metric };

	s.linear = correlate_info[metric].scale == CORRELATE_POINTS;
	if (!scatter_extent(&s))
		return false;
	html(to,
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s, simulated "
	     "against hardware, a point for each launch</title>\n",
	     WIDTH, HEIGHT, correlate_info[metric].name);
	scatter_axes(to, &s);
	for (size_t i = 0; i < c->point_count; i++) {
		const struct correlate_point *p = &c->points[i];

		if (!scatter_has(&s, p))
			continue;
		html(to,
		     "<circle class=\"pt p%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">",
		     scatter_colour(c, p, by),
		     scatter_x(&s, p->hardware[metric]),
		     scatter_y(&s, p->simulated[metric]));
		scatter_title(to, &s, p);
		html(to, "</circle>\n");
	}
	html(to, "</svg>\n");
	return true;
}

/* ---- errors in order ---- */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void curve_axes(FILE *to, double most, const char *unit)
{
	for (int i = 0; i <= 5; i++)
		html(to,
		     "<path class=\"grid\" d=\"M%d %.1fH%dM%.1f %dV%d\"/>"
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"11\" "
		     "text-anchor=\"end\">%g%s</text><text class=\"t2\" "
		     "x=\"%.1f\" y=\"%d\" font-size=\"11\" "
		     "text-anchor=\"middle\">%d%%</text>\n",
		     LEFT, CURVE_BOTTOM - (CURVE_BOTTOM - TOP) * i / 5.0, RIGHT,
		     LEFT + (RIGHT - LEFT) * i / 5.0, TOP, CURVE_BOTTOM,
		     LEFT - 5,
		     CURVE_BOTTOM - (CURVE_BOTTOM - TOP) * i / 5.0 + 4,
		     100 * most * i / 5, unit, LEFT + (RIGHT - LEFT) * i / 5.0,
		     CURVE_BOTTOM + 16, 20 * i);
	html(to,
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"12\" "
	     "text-anchor=\"end\">share of the launches</text>"
	     "<text class=\"t2\" x=\"4\" y=\"14\" font-size=\"12\">error at "
	     "most</text>\n",
	     RIGHT, CURVE_HEIGHT - 8);
}

static void curve_draw(FILE *to, const double *v, size_t n, bool points)
{
	/* Beyond this, only that it is off matters. */
	double most = fmin(v[n - 1], 2);

	most = most > 1 ? 2 : most > 0.5 ? 1 : most > 0.2 ? 0.5 : 0.2;
	html(to,
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Errors of "
	     "launches, smallest first</title>\n",
	     WIDTH, CURVE_HEIGHT);
	curve_axes(to, most, points ? "" : "%");
	html(to, "<path class=\"curve\" d=\"");
	for (size_t i = 0; i < n; i++)
		html(to, "%s%.1f %.1f", i ? "L" : "M",
		     LEFT + (RIGHT - LEFT) * (double)(i + 1) / (double)n,
		     CURVE_BOTTOM -
			     (CURVE_BOTTOM - TOP) * fmin(v[i], most) / most);
	html(to, "\"/></svg>\n");
}

enum err draw_errors(FILE *to, const struct correlate *c,
		     const struct correlate_filter *f, int metric,
		     struct diag *d)
{
	double *v = calloc(c->point_count + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < c->point_count; i++) {
		double error = fabs(correlate_error(&c->points[i], metric));

		if (!isnan(error) && correlate_selects(c, f, &c->points[i]))
			v[n++] = error;
	}
	qsort(v, n, sizeof(*v), by_size);
	if (n)
		curve_draw(to, v, n,
			   correlate_info[metric].scale == CORRELATE_POINTS);
	free(v);
	return ERR_OK;
}

/* ---- errors with their signs ---- */

enum { BINS = 12 }; /* of ten per cent; the first and the last are open */

static int bin_of(double error)
{
	double at = floor(error * 10) + BINS / 2;

	return at < 0 ? 0 : at >= BINS ? BINS - 1 : (int)at;
}

static void histogram_bar(FILE *to, int bin, size_t n, size_t most)
{
	double width = (double)(RIGHT - LEFT) / BINS;
	double x = LEFT + width * bin;
	double height = (CURVE_BOTTOM - TOP - 14) * (double)n / (double)most;

	if (n)
		html(to,
		     "<rect class=\"p%d\" x=\"%.1f\" y=\"%.1f\" "
		     "width=\"%.1f\" height=\"%.1f\"/>"
		     "<text class=\"t2\" x=\"%.1f\" y=\"%.1f\" "
		     "font-size=\"11\" text-anchor=\"middle\">%zu</text>\n",
		     bin < BINS / 2 ? 1 : 2, x + 1, CURVE_BOTTOM - height,
		     width - 2, height, x + width / 2,
		     CURVE_BOTTOM - height - 4, n);
	if (bin)
		html(to,
		     "<text class=\"t2\" x=\"%.1f\" y=\"%d\" "
		     "font-size=\"11\" text-anchor=\"middle\">%d</text>\n",
		     x, CURVE_BOTTOM + 16, 10 * (bin - BINS / 2));
}

void draw_histogram(FILE *to, const struct correlate *c,
		    const struct correlate_filter *f, int metric)
{
	bool points = correlate_info[metric].scale == CORRELATE_POINTS;
	size_t bins[BINS] = { 0 }, most = 1;

	for (size_t i = 0; i < c->point_count; i++) {
		double error = correlate_error(&c->points[i], metric);

		if (!isnan(error) && correlate_selects(c, f, &c->points[i]))
			bins[bin_of(error)]++;
	}
	for (int i = 0; i < BINS; i++)
		most = bins[i] > most ? bins[i] : most;
	html(to,
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Launches by "
	     "error</title>\n<path class=\"axis\" d=\"M%d %dH%d\"/>\n",
	     WIDTH, CURVE_HEIGHT, LEFT, CURVE_BOTTOM, RIGHT);
	for (int i = 0; i < BINS; i++)
		histogram_bar(to, i, bins[i], most);
	html(to,
	     "<text class=\"t2\" x=\"4\" y=\"14\" font-size=\"12\">launches"
	     "</text><text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"12\" "
	     "text-anchor=\"end\">error in %s</text></svg>\n",
	     RIGHT, CURVE_HEIGHT - 8, points ? "points" : "per cent");
}
