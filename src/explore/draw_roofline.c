/* The roofline as a picture: both axes logarithmic, a decade has the same width
 * everywhere. */
#include <math.h>

#include "explore/html.h"
#include "explore/roofline.h"

enum {
	WIDTH = 460,
	HEIGHT = 322,
	LEFT = 52,
	RIGHT = 438,
	TOP = 30,
	BOTTOM = 284,
	LABEL_GAP = 13, /* between labels of ceilings */
};

struct roof_plot {
	const struct roofline *r;
	double x0, x1, y0, y1; /* decades */
};

static double plot_x(const struct roof_plot *p, double v)
{
	return LEFT + (RIGHT - LEFT) * (log10(v) - p->x0) / (p->x1 - p->x0);
}

static double plot_y(const struct roof_plot *p, double v)
{
	return BOTTOM - (BOTTOM - TOP) * (log10(v) - p->y0) / (p->y1 - p->y0);
}

static bool has_point(const struct roofline *r, int unit, int level)
{
	return r->done[unit] > 0 && r->bytes[level] > 0 &&
	       r->bandwidth[level] > 0 && r->seconds > 0;
}

/* FP16 has a ceiling only where it is used. */
static bool has_ceiling(const struct roofline *r, int unit)
{
	return r->peak[unit] > 0 && (unit != ROOF_FP16 || r->done[unit] > 0);
}

/* Extends the plot to a place. */
static void plot_include(struct roof_plot *p, double x, double y)
{
	p->x0 = fmin(p->x0, floor(log10(x)));
	p->x1 = fmax(p->x1, ceil(log10(x)));
	p->y0 = fmin(p->y0, floor(log10(y)));
	p->y1 = fmax(p->y1, ceil(log10(y)));
}

static struct roof_plot plot_of(const struct roofline *r)
{
	struct roof_plot p = { r, -1, 2, INFINITY, -INFINITY };

	for (int u = 0; u < ROOF_UNITS; u++) {
		if (!has_ceiling(r, u))
			continue;
		for (int k = 0; k < ROOF_LEVELS; k++) {
			if (r->bandwidth[k] > 0)
				plot_include(&p, r->peak[u] / r->bandwidth[k],
					     r->peak[u]);
			if (has_point(r, u, k))
				plot_include(&p, r->done[u] / r->bytes[k],
					     r->done[u] / r->seconds);
		}
	}
	p.y0 = fmin(p.y0, p.y1 - 3);
	return p;
}

static void plot_axes(FILE *to, const struct roof_plot *p)
{
	char a[ROOF_TEXT];

	for (double x = p->x0; x <= p->x1; x++)
		html(to,
		     "<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
		     "<text class=\"t2\" x=\"%.1f\" y=\"%d\" font-size=\"11\" "
		     "text-anchor=\"middle\">%g</text>\n",
		     plot_x(p, pow(10, x)), TOP, BOTTOM, plot_x(p, pow(10, x)),
		     BOTTOM + 16, pow(10, x));
	for (double y = p->y0; y <= p->y1; y++)
		html(to,
		     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"11\" "
		     "text-anchor=\"end\">%s</text>\n",
		     LEFT, plot_y(p, pow(10, y)), RIGHT, LEFT - 5,
		     plot_y(p, pow(10, y)) + 4, roof_text(a, pow(10, y)));
	html(to,
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"12\" "
	     "text-anchor=\"end\">operations per byte</text>\n",
	     RIGHT, HEIGHT - 10);
	html(to,
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"12\">operations "
	     "per second</text>\n",
	     4, 14);
}

/* A ceiling, from the first slope that reaches it to the right. y: where the
 * label above has its line; returns that of this one. */
static double plot_ceiling(FILE *to, const struct roof_plot *p, int unit,
			   double label)
{
	double best = 0, y = plot_y(p, p->r->peak[unit]), x;
	char a[ROOF_TEXT];

	for (int k = 0; k < ROOF_LEVELS; k++)
		best = fmax(best, p->r->bandwidth[k]);
	x = fmax(LEFT, plot_x(p, p->r->peak[unit] / best));
	label = fmax(y - 4, label + LABEL_GAP);
	html(to,
	     "<path class=\"ceil\" d=\"M%.1f %.1fH%d\"/>"
	     "<text x=\"%d\" y=\"%.1f\" font-size=\"11\" "
	     "text-anchor=\"end\">%s %s/s</text>\n",
	     x, y, RIGHT, RIGHT, label, p->r->name[unit],
	     roof_text(a, p->r->peak[unit]));
	return label;
}

/* The ceilings from the highest to the lowest, so that labels do not overlap. */
static void plot_ceilings(FILE *to, const struct roof_plot *p)
{
	bool drawn[ROOF_UNITS] = { false };
	double label = 0;

	for (int n = 0; n < ROOF_UNITS; n++) {
		int best = -1;

		for (int u = 0; u < ROOF_UNITS; u++)
			if (!drawn[u] && has_ceiling(p->r, u) &&
			    (best < 0 || p->r->peak[u] > p->r->peak[best]))
				best = u;
		if (best < 0)
			return;
		drawn[best] = true;
		label = plot_ceiling(to, p, best, label);
	}
}

/* The angle at which a slope goes up, in degrees. */
static double plot_angle(const struct roof_plot *p)
{
	double x = (RIGHT - LEFT) / (p->x1 - p->x0);
	double y = (BOTTOM - TOP) / (p->y1 - p->y0);

	return -atan2(y, x) * 180 / 3.14159265358979;
}

/* The slope of a level, up to the highest ceiling. */
static void plot_slope(FILE *to, const struct roof_plot *p, int level)
{
	double bandwidth = p->r->bandwidth[level], top = 0;
	double x0 = pow(10, p->x0), y0 = pow(10, p->y0), x1;
	double from, where;
	char a[ROOF_TEXT];

	for (int u = 0; u < ROOF_UNITS; u++)
		if (has_ceiling(p->r, u))
			top = fmax(top, p->r->peak[u]);
	if (bandwidth <= 0 || top <= 0)
		return;
	from = fmax(x0, y0 / bandwidth);
	x1 = fmin(top / bandwidth, pow(10, p->x1));
	html(to, "<path class=\"roof l%d\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
	     level, plot_x(p, from), plot_y(p, from * bandwidth), plot_x(p, x1),
	     plot_y(p, x1 * bandwidth));
	/* Along the line, where it is on the plot whatever the others do. */
	where = pow(10, log10(from) + 0.1 * (log10(x1) - log10(from)));
	html(to,
	     "<text class=\"t2\" transform=\"translate(%.1f %.1f) "
	     "rotate(%.1f)\" font-size=\"11\">%s %sB/s</text>\n",
	     plot_x(p, where) - 3,
	     plot_y(p, where * bandwidth) + (level == ROOF_DRAM ? 13 : -5),
	     plot_angle(p), roof_level_names[level], roof_text(a, bandwidth));
}

static void plot_points(FILE *to, const struct roof_plot *p)
{
	const struct roofline *r = p->r;
	char a[ROOF_TEXT];

	for (int u = 0; u < ROOF_UNITS; u++)
		for (int k = 0; k < ROOF_LEVELS; k++) {
			double x, y;

			if (!has_point(r, u, k))
				continue;
			x = r->done[u] / r->bytes[k];
			y = r->done[u] / r->seconds;
			html(to,
			     "<circle class=\"dot d%d\" cx=\"%.1f\" "
			     "cy=\"%.1f\" r=\"%.1f\"><title>%s, %s: %.3g "
			     "operations per byte, %s/s</title></circle>\n",
			     k, plot_x(p, x), plot_y(p, y), 7 - 1.5 * k,
			     r->name[u], roof_level_names[k], x,
			     roof_text(a, y));
		}
}

void draw_roofline(FILE *to, const struct roofline *r)
{
	struct roof_plot p = plot_of(r);

	if (!isfinite(p.y0) || !isfinite(p.y1))
		return;
	html(to,
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>Roofline: "
	     "operations per second against operations per byte, with the "
	     "peaks of units and memory</title>\n",
	     WIDTH, HEIGHT);
	plot_axes(to, &p);
	for (int k = 0; k < ROOF_LEVELS; k++)
		plot_slope(to, &p, k);
	plot_ceilings(to, &p);
	plot_points(to, &p);
	html(to, "</svg>\n");
}
