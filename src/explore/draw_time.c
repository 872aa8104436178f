#include <math.h>

#include "base/human.h"
#include "explore/draw.h"
#include "explore/draw_series.h"
#include "explore/html.h"

enum {
	WIDTH = 340,
	HEIGHT = 132,
	LEFT = 38,
	RIGHT = 334,
	TOP = 12,
	BOTTOM = 108,
};

/* One curve: its value in a sample (NaN: none), and the top of its axis (NULL:
 * the largest value, rounded up). */
struct series {
	const char *name;
	double (*value)(const struct run_sample *s, const struct cfg *c);
	double (*top)(const struct cfg *c);
	const char *suffix;
};

static double sample_cycles(const struct run_sample *s)
{
	return (double)(s->to - s->from);
}

static double sample_ratio(double over, double under)
{
	return under > 0 ? over / under : NAN;
}

static double sample_ipc(const struct run_sample *s, const struct cfg *c)
{
	(void)c;
	return sample_ratio((double)s->stats.sm.instructions,
			    (double)s->stats.sm.cycles);
}

static double sample_warps(const struct run_sample *s, const struct cfg *c)
{
	return sample_ratio((double)s->stats.sm.warp_cycles,
			    sample_cycles(s) * (double)c->sm.count);
}

static double sample_l1_hits(const struct run_sample *s, const struct cfg *c)
{
	(void)c;
	return 100 * sample_ratio((double)s->stats.l1.read_hits,
				  (double)s->stats.l1.reads);
}

static double sample_l2_hits(const struct run_sample *s, const struct cfg *c)
{
	(void)c;
	return 100 * sample_ratio((double)s->stats.l2.read_hits,
				  (double)s->stats.l2.reads);
}

static double sample_dram(const struct run_sample *s, const struct cfg *c)
{
	double bytes = (double)(s->stats.dram.bytes_read +
				s->stats.dram.bytes_written);

	return sample_ratio(bytes * c->gpu.clock * 1e6, sample_cycles(s)) / 1e9;
}

static double top_warps(const struct cfg *c)
{
	return (double)c->sm.max_warps;
}

static double top_percent(const struct cfg *c)
{
	(void)c;
	return 100;
}

static const struct series all[] = {
	{ "IPC per SM", sample_ipc, NULL, "" },
	{ "warps per SM", sample_warps, top_warps, "" },
	{ "L1 hits", sample_l1_hits, top_percent, "%" },
	{ "L2 hits", sample_l2_hits, top_percent, "%" },
	{ "DRAM, GB/s", sample_dram, NULL, "" },
};

struct chart {
	const struct run_launch *l;
	const struct cfg *c;
	const struct series *s;
	double top, first, last; /* of the axes */
};

static double chart_x(const struct chart *k, double cycle)
{
	return LEFT +
	       (RIGHT - LEFT) * (cycle - k->first) / (k->last - k->first);
}

static double chart_y(const struct chart *k, double v)
{
	return BOTTOM - (BOTTOM - TOP) * (v > k->top ? k->top : v) / k->top;
}

/* A step curve: a sample covers the cycles from one to the next. */
static void draw_curve(FILE *to, const struct chart *k, bool fill)
{
	bool open = false;
	double x = 0;

	html(to, "<path class=\"%s\" d=\"", fill ? "fill" : "curve");
	for (size_t i = 0; i < k->l->sample_count; i++) {
		const struct run_sample *s = &k->l->samples[i];
		double v = k->s->value(s, k->c);

		if (isnan(v)) {
			if (open && fill)
				html(to, "V%dz", BOTTOM);
			open = false;
			continue;
		}
		x = chart_x(k, (double)s->to);
		if (!open && fill)
			html(to, "M%.1f %dV%.1f", chart_x(k, (double)s->from),
			     BOTTOM, chart_y(k, v));
		else if (!open)
			html(to, "M%.1f %.1f", chart_x(k, (double)s->from),
			     chart_y(k, v));
		else
			html(to, "V%.1f", chart_y(k, v));
		html(to, "H%.1f", x);
		open = true;
	}
	if (open && fill)
		html(to, "V%dz", BOTTOM);
	html(to, "\"/>\n");
}

static void draw_axes(FILE *to, const struct chart *k)
{
	char a[GROUPED_TEXT];

	for (int i = 0; i <= 2; i++) {
		double v = k->top * i / 2, y = chart_y(k, v);

		html(to,
		     "<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"11\" "
		     "text-anchor=\"end\">%g%s</text>\n",
		     LEFT, y, RIGHT, LEFT - 5, y + 4, v, k->s->suffix);
	}
	html(to,
	     "<path class=\"axis\" d=\"M%d %dH%d\"/>"
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"11\">%s</text>"
	     "<text class=\"t2\" x=\"%d\" y=\"%d\" font-size=\"11\" "
	     "text-anchor=\"end\">%s cycles</text>\n",
	     LEFT, BOTTOM, RIGHT, LEFT, BOTTOM + 16, grouped_real(a, k->first),
	     RIGHT, BOTTOM + 16,
	     grouped_real((char[GROUPED_TEXT]){ 0 }, k->last));
}

static void draw_chart(FILE *to, struct chart *k)
{
	double min = INFINITY, max = -INFINITY;

	for (size_t i = 0; i < k->l->sample_count; i++) {
		double v = k->s->value(&k->l->samples[i], k->c);

		if (isnan(v))
			continue;
		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	if (max < min)
		return;
	k->top = k->s->top ? k->s->top(k->c) : axis_round_up(max);
	html(to,
	     "<figure><figcaption>%s</figcaption>\n"
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s over time: "
	     "from %.3g to %.3g%s</title>\n",
	     k->s->name, WIDTH, HEIGHT, k->s->name, min, max, k->s->suffix);
	draw_axes(to, k);
	draw_curve(to, k, true);
	draw_curve(to, k, false);
	html(to, "</svg></figure>\n");
}

void draw_time(FILE *to, const struct run_launch *l, const struct cfg *c)
{
	struct chart k = { .l = l, .c = c };

	if (!l->sample_count)
		return;
	k.first = (double)l->samples[0].from;
	k.last = (double)l->samples[l->sample_count - 1].to;
	if (k.last <= k.first)
		return;
	html(to, "<div class=\"cols\">\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		k.s = &all[i];
		draw_chart(to, &k);
	}
	html(to, "</div>\n");
}
