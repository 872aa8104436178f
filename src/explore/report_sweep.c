#include "explore/report_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "explore/html.h"

enum { MEANS_SHOWN = 25 };

/* ---- head ---- */

static void card_count(FILE *to, const char *name, size_t n, const char *about)
{
	char a[GROUPED_TEXT];

	html_card(to, name, grouped(a, n), about);
}

static const struct swept_point *fastest_point(const struct swept *s)
{
	const struct swept_point *best = NULL;

	for (size_t i = 0; i < s->point_count; i++)
		if (!isnan(s->points[i].speedup) &&
		    (!best || s->points[i].speedup > best->speedup))
			best = &s->points[i];
	return best;
}

static void sweep_cards(FILE *to, const struct swept *s)
{
	const struct swept_point *best = fastest_point(s);
	char text[64], about[160];
	double host = 0;

	for (size_t i = 0; i < s->point_count; i++)
		if (!isnan(s->points[i].host_seconds))
			host += s->points[i].host_seconds;
	html(to, "<dl class=\"cards\">\n");
	snprintf(about, sizeof(about), "%zu configurations, %zu program%s",
		 s->config_count, s->program_count,
		 s->program_count == 1 ? "" : "s");
	card_count(to, "Points", s->point_count, about);
	snprintf(about, sizeof(about), "%zu failed, %zu not run yet", s->failed,
		 s->waiting);
	card_count(to, "Results", s->ok, about);
	if (best) {
		snprintf(text, sizeof(text), "%.2f×", best->speedup);
		snprintf(about, sizeof(about), "%.60s: %.40s %.40s",
			 s->programs[best->program].name,
			 best->baseline ? "baseline" : s->axes[best->axis].name,
			 best->label);
		html_card(to, "Largest speed-up", text, about);
	}
	html_card(to, "Simulated in", duration(text, host),
		  "host time of all points");
	html(to, "</dl>\n");
}

static void sweep_warnings(FILE *to, const struct swept *s)
{
	if (s->again)
		html(to,
		     "<p class=\"warn\">%zu results are from before: their "
		     "points are to be run again, which has not happened "
		     "yet.</p>\n",
		     s->again);
	for (size_t i = 0; i < s->program_count; i++) {
		size_t base = s->programs[i].baseline;

		if (base == SIZE_MAX || s->points[base].state != SWEPT_OK)
			html(to,
			     "<p class=\"warn\">The baseline of %s has no "
			     "result, so the program has no speed-ups.</p>\n",
			     s->programs[i].name);
	}
}

/* ---- ranking ---- */

static void farthest_cell(FILE *to, double v)
{
	if (isnan(v))
		html(to, "<td class=\"n\">-</td>");
	else
		html(to, "<td class=\"n %s\">%.2f×</td>",
		     v > 1.005 ? "good" :
		     v < 0.995 ? "bad" :
				 "",
		     v);
}

static void ranking_row(FILE *to, const struct swept_axis *a, size_t programs,
			double most)
{
	double share = most > 0 && !isnan(a->effect) ? a->effect / most : 0;

	html(to,
	     "<tr><th scope=\"row\" class=\"m\">%s</th>"
	     "<td class=\"track\"><div><i style=\"width:%.1f%%\"></i></div>"
	     "</td>",
	     a->name, 100 * share);
	if (isnan(a->effect))
		html(to, "<td class=\"n\">-</td>");
	else
		html(to, "<td class=\"n\">%.1f%%</td>", 100 * a->effect);
	for (size_t k = 0; k < programs; k++)
		farthest_cell(to, a->farthest[k]);
	html(to, "<td class=\"n\">%zu</td></tr>\n", a->points);
}

static enum err ranking_section(FILE *to, const struct swept *s, struct diag *d)
{
	enum err e = ERR_OK;
	size_t programs = s->program_count < PROGRAMS_SHOWN ? s->program_count :
							      PROGRAMS_SHOWN;
	double most = s->ranked ? s->axes[s->ranking[0]].effect : 0;

	html_section(to, "What matters",
		     "For each axis and program, the speed-up farthest from 1. "
		     "Ranked by the mean distance from 1. Below a cross "
		     "product, each of its parameters: the largest of its mean "
		     "speed-ups over the smallest.");
	html(to, "<div class=\"scroll pin\"><table class=\"rank\"><thead><tr>"
		 "<th scope=\"col\">axis</th><th scope=\"col\"><span "
		 "class=\"hide\">bar</span></th>"
		 "<th scope=\"col\" class=\"n\">effect</th>");
	for (size_t k = 0; k < programs; k++)
		html(to, "<th scope=\"col\" class=\"n\">%s</th>",
		     s->programs[k].name);
	html(to, "<th scope=\"col\" class=\"n\">points</th></tr></thead>"
		 "<tbody>\n");
	for (size_t i = 0; i < s->ranked && !e; i++) {
		ranking_row(to, &s->axes[s->ranking[i]], programs, most);
		e = sweep_rank_params(to, s, s->ranking[i], programs, most, d);
	}
	html(to, "</tbody></table></div>\n");
	if (programs < s->program_count)
		html(to,
		     "<p class=\"about\">The first %zu of %zu programs.</p>\n",
		     programs, s->program_count);
	html_section_end(to);
	return e;
}

/* ---- plots ---- */

static enum err figure_inline(FILE *to, const struct figure *f,
			      const struct plots *p, struct diag *d)
{
	enum err e;

	html(to, "<figure class=\"plot\"><figcaption>%s</figcaption>\n",
	     f->caption);
	e = plots_inline(p, f->plot, to, f->caption, d);
	html(to, "</figure>\n");
	return e;
}

static enum err figures_section(FILE *to, const struct figures *f,
				const struct plots *p, struct diag *d)
{
	enum err e = ERR_OK;

	html_section(
		to, "Speed-up by axis",
		"Relative to the baseline of the same program, the "
		"dashed line. The axis with the largest effect comes "
		"first. Where all values are within 10%, the vertical axis "
		"does not begin at 0: it has the mark of a break, and its "
		"label says where it begins.");
	html(to, "<div class=\"cols wide\">\n");
	for (size_t i = f->cost; !e && i < f->count; i++)
		e = figure_inline(to, &f->at[i], p, d);
	html(to, "</div>\n");
	if (f->left_out)
		html(to,
		     "<p class=\"about\">%zu more plots are left out; the CSV "
		     "has all points.</p>\n",
		     f->left_out);
	html_section_end(to);
	return e;
}

static void settings_name(FILE *to, const struct swept *s,
			  const struct swept_point *p)
{
	if (p->baseline) {
		html(to, "baseline");
		return;
	}
	html(to, "<span class=\"m\">%s</span>", s->axes[p->axis].name);
	if (strcmp(p->label, s->axes[p->axis].name) != 0)
		html(to, " %s", p->label);
}

static enum err front_section(FILE *to, const struct swept *s,
			      const struct figures *f, const struct plots *p,
			      struct diag *d)
{
	size_t shown = 0, all = 0;
	enum err e;

	html_section(to, "Cost and speed-up",
		     s->program_count > 1 ?
			     "Configurations by their cost and their speed-up, "
			     "the geometric mean over all programs. On the "
			     "Pareto front, no cheaper configuration is as "
			     "fast." :
			     "Configurations by their cost and their "
			     "speed-up. On the Pareto front, no cheaper "
			     "configuration is as fast.");
	if (s->cost[0])
		html(to, "<p class=\"about\">cost = <code>%s</code></p>\n",
		     s->cost);
	html(to, "<div class=\"cols wide\">\n");
	e = figure_inline(to, &f->at[0], p, d);
	html(to,
	     "<div class=\"scroll pin\"><table><thead><tr><th scope=\"col\">"
	     "on the front</th><th scope=\"col\" class=\"n\">cost</th>"
	     "<th scope=\"col\" class=\"n\">speed-up</th></tr></thead>"
	     "<tbody>\n");
	for (size_t i = 0; i < f->mean_count; i++) {
		const struct mean_point *m = &f->means[i];

		if (!m->front || all++ >= MEANS_SHOWN)
			continue;
		shown++;
		html(to, "<tr><th scope=\"row\">");
		settings_name(to, s, m->point);
		html(to,
		     "</th><td class=\"n\">%.6g</td><td class=\"n\">%.3f</td>"
		     "</tr>\n",
		     m->cost, m->speedup);
	}
	html(to, "</tbody></table>");
	if (shown < all)
		html(to, "<p class=\"about\">The first %zu of %zu.</p>", shown,
		     all);
	html(to, "</div>\n</div>\n");
	html_section_end(to);
	return e;
}

enum err report_sweep(FILE *to, const struct swept *s, const struct figures *f,
		      const struct plots *p, struct diag *d)
{
	char title[512], sub[512];
	struct html_page page = { .title = title,
				  .subtitle = sub,
				  .script = sweep_script,
				  .script_hash = sweep_script_hash };
	enum err e = ERR_OK;

	snprintf(title, sizeof(title), "%s", s->title[0] ? s->title : s->name);
	snprintf(sub, sizeof(sub), "sweep %.100s on %.100s%s%.100s", s->name,
		 s->gpu, s->created[0] ? ", started " : "", s->created);
	html_open(to, &page);
	sweep_warnings(to, s);
	sweep_cards(to, s);
	if (s->ranked)
		e = ranking_section(to, s, d);
	if (!e && f->cost)
		e = front_section(to, s, f, p, d);
	if (!e && f->count > f->cost)
		e = figures_section(to, f, p, d);
	if (!e)
		e = sweep_crosses(to, s, d);
	if (s->failed || s->waiting)
		sweep_failures(to, s);
	sweep_points(to, s);
	sweep_configs(to, s);
	html_close(to, &page);
	return e;
}
