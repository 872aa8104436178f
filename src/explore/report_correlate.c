/* The page of a comparison with hardware: `heddle correlate --html`. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/human.h"
#include "explore/correlate_draw.h"
#include "explore/html.h"

struct correlate_page {
	FILE *to;
	const struct correlate *c;
	bool halves;
	size_t worst;
	int headline;
	struct diag *d;
};

static void real_cell(FILE *to, double v, int digits)
{
	char text[CORRELATE_ERROR_TEXT] = "-";

	if (!isnan(v))
		snprintf(text, sizeof(text), "%.*f", digits, v);
	html(to, "<td class=\"n\">%s</td>", text);
}

static void error_cell(FILE *to, int metric, double error, double tolerance)
{
	char text[CORRELATE_ERROR_TEXT];

	html(to, "<td class=\"n %s\">%s</td>",
	     isnan(tolerance) || isnan(error) ? "" :
	     error <= tolerance               ? "good" :
						"bad",
	     correlate_size_text(text, metric, error));
}

/* ---- summaries ---- */

static void sum_heads(FILE *to, const char *first)
{
	static const char *const heads[] = {
		"launches",  "programs", "error by program", "by launch",
		"median",    "90%",      "sim / hw",         "r",
		"r of logs", "slope",
	};

	html(to,
	     "<div class=\"scroll pin\"><table><thead><tr>"
	     "<th scope=\"col\">%s</th>",
	     first);
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		html(to, "<th scope=\"col\" class=\"n\">%s</th>", heads[i]);
	html(to, "</tr></thead><tbody>\n");
}

static void sum_cells(FILE *to, int metric, const struct correlate_sum *s,
		      double tolerance)
{
	html(to, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td>",
	     s->launches, s->programs);
	error_cell(to, metric, s->program_mean, tolerance);
	error_cell(to, metric, s->mean, tolerance);
	error_cell(to, metric, s->median, NAN);
	error_cell(to, metric, s->p90, NAN);
	real_cell(to, s->ratio, 2);
	real_cell(to, s->pearson, 3);
	real_cell(to, s->log_pearson, 3);
	real_cell(to, s->slope, 2);
}

/* A row of the table; nothing if no launch is selected. */
static enum err sum_row(const struct correlate_page *p, const char *name,
			const struct correlate_filter *f, int metric)
{
	struct correlate_sum s;

	if (correlate_summarise(&s, p->c, f, metric, p->d))
		return p->d->code;
	if (!s.launches)
		return ERR_OK;
	html(p->to, "<tr><th scope=\"row\" class=\"nw\">%s</th>", name);
	sum_cells(p->to, metric, &s, correlate_info[metric].tolerance);
	html(p->to, "</tr>\n");
	return ERR_OK;
}

/* All launches of a set, then by half and by class. */
static enum err class_rows(const struct correlate_page *p, const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	char name[120];

	f.set = set;
	if (sum_row(p, "all launches", &f, p->headline))
		return p->d->code;
	for (int i = 0; i < CORRELATE_HALVES && p->halves; i++) {
		f.half = i;
		snprintf(name, sizeof(name), "programs %s",
			 correlate_half_names[i]);
		if (sum_row(p, name, &f, p->headline))
			return p->d->code;
	}
	for (int h = p->halves ? 0 : -1; h < (p->halves ? CORRELATE_HALVES : 0);
	     h++) {
		const char *half = h < 0 ? "" : correlate_half_names[h];
		const char *comma = h < 0 ? "" : ", ";

		f = CORRELATE_ALL;
		f.set = set;
		f.half = h;
		for (f.size = 0; f.size < CORRELATE_SIZES; f.size++) {
			snprintf(name, sizeof(name), "%s%s%s", half, comma,
				 correlate_size_names[f.size]);
			if (sum_row(p, name, &f, p->headline))
				return p->d->code;
		}
		f.size = -1;
		for (f.limit = 0; f.limit < CORRELATE_LIMITS; f.limit++) {
			snprintf(name, sizeof(name), "%s%s%s", half, comma,
				 correlate_limit_names[f.limit]);
			if (sum_row(p, name, &f, p->headline))
				return p->d->code;
		}
	}
	return ERR_OK;
}

/* ---- pictures ---- */

static void legend(FILE *to, const char *const *names, int count)
{
	html(to, "<figcaption>");
	for (int i = 0; i < count; i++)
		html(to,
		     "<span class=\"nw\"><span class=\"key k%d\"></span>%s"
		     "</span> &nbsp; ",
		     i == 3 ? 8 : i + 1, names[i]);
	html(to, "</figcaption>");
}

static enum err pictures(const struct correlate_page *p, const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	enum err e;

	f.set = set;
	html(p->to, "<div class=\"cols\"><figure>");
	draw_scatter(p->to, p->c, &f, p->headline, DRAW_SIZE);
	legend(p->to, correlate_size_names, CORRELATE_SIZES);
	html(p->to, "</figure><figure>");
	draw_scatter(p->to, p->c, &f, p->headline, DRAW_LIMIT);
	legend(p->to, correlate_limit_names, CORRELATE_LIMITS);
	html(p->to, "</figure></div><div class=\"cols\"><figure>");
	e = draw_errors(p->to, p->c, &f, p->headline, p->d);
	html(p->to,
	     "<figcaption>Errors of all launches, smallest first: at 50%% "
	     "is the median. The axis ends at 200%%.</figcaption>"
	     "</figure><figure>");
	draw_histogram(p->to, p->c, &f, p->headline);
	html(p->to, "<figcaption>Launches by error: too fast on the left, too "
		    "slow on the right.</figcaption></figure></div>\n");
	return e;
}

static enum err headline_section(const struct correlate_page *p,
				 const char *set)
{
	char heading[160];

	snprintf(heading, sizeof(heading), "%.100s%s%s", set, *set ? ": " : "",
		 correlate_info[p->headline].name);
	html_section(
		p->to, heading,
		"A point is a launch; on the line, simulation and hardware "
		"agree. Point at one to see which it is. Below 35% of the "
		"DRAM's peak and 1.5 instructions per cycle and SM, "
		"hardware counts as bound by latency. In the table, errors are "
		"means of absolute errors, over programs (of their means) "
		"and over launches; sim / hw is a geometric mean, r the "
		"correlation after Pearson.");
	if (pictures(p, set))
		return p->d->code;
	sum_heads(p->to, "launches");
	if (class_rows(p, set))
		return p->d->code;
	html(p->to, "</tbody></table></div>\n");
	html_section_end(p->to);
	return ERR_OK;
}

/* ---- metrics ---- */

static enum err metric_rows(const struct correlate_page *p,
			    const struct correlate_filter *f)
{
	for (int i = 0; i < CORRELATE_METRICS; i++)
		if (sum_row(p, correlate_info[i].name, f, i))
			return p->d->code;
	return ERR_OK;
}

static enum err metric_pictures(const struct correlate_page *p,
				const struct correlate_filter *f)
{
	html(p->to, "<details><summary>Each metric as a picture</summary>"
		    "<div class=\"cols\">\n");
	for (int i = 0; i < CORRELATE_METRICS; i++) {
		struct correlate_sum s;

		if (i == p->headline)
			continue;
		if (correlate_summarise(&s, p->c, f, i, p->d))
			return p->d->code;
		if (!s.launches)
			continue;
		html(p->to, "<figure><h3>%s</h3>", correlate_info[i].name);
		if (!draw_scatter(p->to, p->c, f, i, DRAW_LIMIT))
			html(p->to, "<p>All values are 0.</p>");
		html(p->to, "</figure>\n");
	}
	html(p->to, "</div></details>\n");
	return ERR_OK;
}

static enum err metrics_section(const struct correlate_page *p, const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	char heading[160];

	f.set = set;
	snprintf(heading, sizeof(heading), "%.100s%smetrics", set,
		 *set ? ": " : "");
	html_section(p->to, heading,
		     "What the profiles and the runs both have. The error of a "
		     "rate is in percentage points. Green is within the "
		     "tolerance of the metric, which stands at the end of the "
		     "page.");
	sum_heads(p->to, "metric");
	if (metric_rows(p, &f))
		return p->d->code;
	html(p->to, "</tbody></table></div>\n");
	if (metric_pictures(p, &f))
		return p->d->code;
	html_section_end(p->to);
	return ERR_OK;
}

/* ---- the worst, and programs ---- */

static void worst_row(const struct correlate_page *p,
		      const struct correlate_point *point)
{
	char a[CORRELATE_VALUE], b[CORRELATE_VALUE], why[CORRELATE_WHY];
	char error[CORRELATE_ERROR_TEXT];
	int m = p->headline;

	html(p->to,
	     "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"n\">%llu</td>"
	     "<td class=\"nw\">%ux%ux%u, %ux%ux%u</td><td class=\"n\">%s</td>"
	     "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
	     "<td class=\"why\">%s</td></tr>\n",
	     p->c->pairs[point->pair].program, point->kernel,
	     (unsigned long long)point->launch, point->grid[0], point->grid[1],
	     point->grid[2], point->block[0], point->block[1], point->block[2],
	     correlate_value_text(a, m, point->simulated[m]),
	     correlate_value_text(b, m, point->hardware[m]),
	     correlate_error_text(error, m, correlate_error(point, m)),
	     correlate_why(why, point));
}

static enum err worst_section(const struct correlate_page *p, const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	size_t *list, count;
	char heading[160];

	f.set = set;
	if (correlate_worst(&list, &count, p->c, &f, p->worst, p->d)) {
		free(list);
		return p->d->code;
	}
	snprintf(heading, sizeof(heading), "%.100s%sfarthest off", set,
		 *set ? ": " : "");
	html_section(
		p->to, heading,
		"The launches with the largest errors, one of each kernel, and what else is "
		"beyond its tolerance. If nothing is, the counts are "
		"right and the time that they take is not.");
	html(p->to,
	     "<div class=\"scroll pin\"><table><thead><tr>"
	     "<th scope=\"col\">program</th><th scope=\"col\">kernel</th>"
	     "<th scope=\"col\" class=\"n\">launch</th>"
	     "<th scope=\"col\">grid, block</th>"
	     "<th scope=\"col\" class=\"n\">simulated</th>"
	     "<th scope=\"col\" class=\"n\">hardware</th>"
	     "<th scope=\"col\" class=\"n\">error</th>"
	     "<th scope=\"col\">what else is off</th></tr></thead>"
	     "<tbody>\n");
	for (size_t i = 0; i < count; i++)
		worst_row(p, &p->c->points[list[i]]);
	html(p->to, "</tbody></table></div>\n");
	html_section_end(p->to);
	free(list);
	return ERR_OK;
}

static enum err programs_section(const struct correlate_page *p,
				 const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	char heading[160], name[200];

	snprintf(heading, sizeof(heading), "%.100s%sprograms", set,
		 *set ? ": " : "");
	html_section(p->to, heading, NULL);
	sum_heads(p->to, "program");
	f.set = set;
	for (size_t i = 0; i < p->c->pair_count; i++) {
		const struct correlate_pair *pair = &p->c->pairs[i];

		f.pair = (long)i;
		snprintf(name, sizeof(name), "%.150s%s%s", pair->program,
			 p->halves ? ", " : "",
			 p->halves ? correlate_half_names[pair->half] : "");
		if (sum_row(p, name, &f, p->headline))
			return p->d->code;
	}
	html(p->to, "</tbody></table></div>\n");
	html_section_end(p->to);
	return ERR_OK;
}

/* ---- the rest ---- */

static void lone_section(const struct correlate_page *p)
{
	const struct correlate *c = p->c;

	if (!c->lone_count)
		return;
	html_section(p->to, "Without a partner",
		     "Launches that only the profile or only the run has. They "
		     "count nowhere.");
	html(p->to,
	     "<div class=\"scroll pin\"><table><thead><tr>"
	     "<th scope=\"col\">program</th><th scope=\"col\">only in</th>"
	     "<th scope=\"col\">kernel</th>"
	     "<th scope=\"col\" class=\"n\">launches</th>"
	     "<th scope=\"col\">why</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < c->lone_count; i++) {
		const struct correlate_lone *l = &c->lone[i];
		const struct correlate_pair *pair = &c->pairs[l->pair];

		html(p->to,
		     "<tr><th scope=\"row\">%s%s%s</th><td>%s</td><td>%s</td>"
		     "<td class=\"n\">%llu</td><td class=\"why\">%s</td></tr>\n",
		     pair->program, *pair->set ? ", " : "", pair->set,
		     l->hardware ? "the profile" : "the run", l->kernel,
		     (unsigned long long)l->count, l->why);
	}
	html(p->to, "</tbody></table></div>\n");
	html_section_end(p->to);
}

static void about_section(FILE *to)
{
	char text[CORRELATE_ERROR_TEXT];

	html_section(to, "What is compared",
		     "The names are alternatives: the first that a profile has "
		     "counts.");
	html(to, "<div class=\"scroll pin\"><table><thead><tr>"
		 "<th scope=\"col\">metric</th><th scope=\"col\">unit</th>"
		 "<th scope=\"col\" class=\"n\">tolerance</th>"
		 "<th scope=\"col\">Nsight Compute</th>"
		 "<th scope=\"col\">nvprof</th><th scope=\"col\">remark</th>"
		 "</tr></thead><tbody>\n");
	for (int i = 0; i < CORRELATE_METRICS; i++) {
		const struct correlate_info *m = &correlate_info[i];

		html(to,
		     "<tr><th scope=\"row\">%s</th><td>%s</td>"
		     "<td class=\"n\">%s</td><td class=\"m\">%s</td>"
		     "<td class=\"m\">%s</td><td class=\"why\">%s</td></tr>\n",
		     m->name, m->unit,
		     correlate_size_text(text, i, m->tolerance), m->ncu,
		     m->nvprof, m->note);
	}
	html(to, "</tbody></table></div>\n");
	html_section_end(to);
}

static enum err cards(const struct correlate_page *p, const char *set)
{
	struct correlate_filter f = CORRELATE_ALL;
	struct correlate_sum s;
	char text[80], about[80];

	f.set = set;
	if (correlate_summarise(&s, p->c, &f, p->headline, p->d))
		return p->d->code;
	if (*set)
		html(p->to, "<h3>%s</h3>\n", set);
	html(p->to, "<dl class=\"cards\">\n");
	snprintf(about, sizeof(about), "%zu programs, of their means",
		 s.programs);
	html_card(p->to, "mean error over programs",
		  correlate_size_text(text, p->headline, s.program_mean),
		  about);
	snprintf(about, sizeof(about), "%zu launches", s.launches);
	html_card(p->to, "mean error over launches",
		  correlate_size_text(text, p->headline, s.mean), about);
	html_card(p->to, "median error",
		  correlate_size_text(text, p->headline, s.median),
		  "half of the launches are nearer");
	snprintf(text, sizeof(text), "%.3f", s.pearson);
	snprintf(about, sizeof(about), "%.3f of logarithms", s.log_pearson);
	html_card(p->to, "correlation", isnan(s.pearson) ? "-" : text,
		  isnan(s.log_pearson) ? NULL : about);
	snprintf(text, sizeof(text), "%.2f", s.ratio);
	html_card(p->to, "simulated / hardware", isnan(s.ratio) ? "-" : text,
		  "geometric mean");
	html(p->to, "</dl>\n");
	return ERR_OK;
}

static enum err set_sections(const struct correlate_page *p, const char *set)
{
	if (headline_section(p, set) || metrics_section(p, set) ||
	    worst_section(p, set) || programs_section(p, set))
		return p->d->code;
	return ERR_OK;
}

enum err report_correlate(FILE *to, const struct correlate *c, bool halves,
			  size_t worst, struct diag *d)
{
	struct html_page page = { .title = "Simulation beside hardware" };
	struct correlate_page p = { .to = to,
				    .c = c,
				    .halves = halves,
				    .worst = worst,
				    .headline = correlate_headline(c),
				    .d = d };
	char subtitle[200];

	snprintf(subtitle, sizeof(subtitle), "%s; %zu launches of %zu runs",
		 c->pair_count ? c->pairs[0].gpu : "", c->point_count,
		 c->pair_count);
	page.subtitle = subtitle;
	html_open(to, &page);
	for (size_t i = 0; i < c->set_count; i++)
		if (cards(&p, c->sets[i]))
			return d->code;
	for (size_t i = 0; i < c->set_count; i++)
		if (set_sections(&p, c->sets[i]))
			return d->code;
	lone_section(&p);
	about_section(to);
	html_close(to, &page);
	return ERR_OK;
}
