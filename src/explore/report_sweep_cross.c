/* Cross products on a sweep's page: the effect of each parameter, and a heat map
 * of the two that matter most. */
#include <math.h>
#include <string.h>

#include "explore/cross.h"
#include "explore/html.h"
#include "explore/report_sweep.h"

static size_t cross_programs(const struct cross *x)
{
	return x->s->program_count < PROGRAMS_SHOWN ? x->s->program_count :
						      PROGRAMS_SHOWN;
}

/* Decimals that tell values apart between which there is this much. */
static int cross_decimals(double low, double high)
{
	return high - low < 0.01 ? 4 : high - low < 0.1 ? 3 : 2;
}

/* ---- effects ---- */

static void cross_mean_cell(FILE *to, const struct cross_mean *m, int decimals)
{
	if (!m->n)
		html(to, "<td class=\"n\">-</td>");
	else
		html(to,
		     "<td class=\"n\">%.*f×<br><small>%.*f to %.*f</small>"
		     "</td>",
		     decimals, m->mean, decimals, m->low, decimals, m->high);
}

/* Of the cells of one program: all have the same. */
static int cross_effect_decimals(const struct cross_effect *e, size_t values)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t v = 0; v < values; v++)
		if (e->at[v].n) {
			low = fmin(low, e->at[v].low);
			high = fmax(high, e->at[v].high);
		}
	return cross_decimals(low, high);
}

static void cross_effect_rows(FILE *to, const struct cross *x, size_t param)
{
	const struct cross_param *p = &x->param[param];
	struct cross_effect e[PROGRAMS_SHOWN];
	size_t programs = cross_programs(x);

	for (size_t k = 0; k < programs; k++)
		e[k] = cross_effect(x, k, param);
	html(to, "<tr class=\"all\"><th scope=\"row\" class=\"m\">%s</th>",
	     p->name);
	for (size_t k = 0; k < programs; k++)
		if (isnan(e[k].effect))
			html(to, "<td class=\"n\">-</td>");
		else
			html(to, "<td class=\"n\">%.1f%%</td>",
			     100 * e[k].effect);
	html(to, "</tr>\n");
	for (size_t v = 0; v < p->count; v++) {
		html(to, "<tr><th scope=\"row\">%s</th>", p->values[v]);
		for (size_t k = 0; k < programs; k++)
			cross_mean_cell(to, &e[k].at[v],
					cross_effect_decimals(&e[k], p->count));
		html(to, "</tr>\n");
	}
}

static void cross_effect_table(FILE *to, const struct cross *x)
{
	html(to, "<div class=\"scroll pin\"><table class=\"cross\"><thead><tr>"
		 "<th scope=\"col\">parameter and its values</th>");
	for (size_t k = 0; k < cross_programs(x); k++)
		html(to, "<th scope=\"col\" class=\"n\">%s</th>",
		     x->s->programs[k].name);
	html(to, "</tr></thead><tbody>\n");
	for (size_t k = 0; k < x->param_count; k++)
		cross_effect_rows(to, x, k);
	html(to, "</tbody></table></div>\n");
	if (cross_programs(x) < x->s->program_count)
		html(to,
		     "<p class=\"about\">The first %zu of %zu programs.</p>\n",
		     cross_programs(x), x->s->program_count);
}

static void cross_cell_name(FILE *to, const struct cross *x, size_t cell)
{
	for (size_t k = 0; k < x->param_count; k++)
		html(to, "%s<span class=\"m\">%s</span> %s",
		     !k                     ? "" :
		     k + 1 < x->param_count ? ", " :
					      " and ",
		     x->param[k].name,
		     x->param[k].values[cross_value(x, cell, k)]);
}

static void cross_interaction_text(FILE *to, const struct cross *x,
				   size_t program)
{
	struct cross_interaction in = cross_interaction(x, program);

	html(to, "<li>%s: ", x->s->programs[program].name);
	if (!in.known) {
		html(to, "not all combinations have a result, so that it is "
			 "not known whether the parameters interact.</li>\n");
		return;
	}
	if (fabs(in.by) < CROSS_STRONG) {
		html(to,
		     "the parameters act independently: every point is within "
		     "%.1f%% of what their single effects give together.</li>\n",
		     100 * fabs(in.by));
		return;
	}
	html(to, "<strong>the parameters interact</strong>: with ");
	cross_cell_name(to, x, in.cell);
	html(to,
	     " it is %.0f%% %s than the single effects give together.</li>\n",
	     100 * fabs(in.by), in.by > 0 ? "faster" : "slower");
}

/* A row of the ranking: the mean effect over the programs, then each. */
static void cross_rank_row(FILE *to, const struct cross *x, size_t param,
			   size_t programs, double most)
{
	double effect[PROGRAMS_SHOWN], sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < programs; k++) {
		effect[k] = cross_effect(x, k, param).effect;
		if (!isnan(effect[k])) {
			sum += effect[k];
			n++;
		}
	}
	sum = n ? sum / (double)n : 0;
	html(to,
	     "<tr class=\"of\"><th scope=\"row\" class=\"m\">%s</th>"
	     "<td class=\"track\"><div><i style=\"width:%.1f%%\"></i></div>"
	     "</td><td class=\"n\">%.1f%%</td>",
	     x->param[param].name, most > 0 ? 100 * fmin(1, sum / most) : 0,
	     100 * sum);
	for (size_t k = 0; k < programs; k++)
		if (isnan(effect[k]))
			html(to, "<td class=\"n\">-</td>");
		else
			html(to, "<td class=\"n\">%.2f×</td>", 1 + effect[k]);
	html(to, "<td></td></tr>\n");
}

enum err sweep_rank_params(FILE *to, const struct swept *s, size_t axis,
			   size_t programs, double most, struct diag *d)
{
	struct arena a = { 0 };
	struct cross x;
	enum err e = cross_make(&x, s, axis, &a, d);

	for (size_t k = 0; !e && k < x.param_count; k++)
		cross_rank_row(to, &x, k, programs, most);
	arena_free(&a);
	return e;
}

/* ---- heat map ---- */

/* What colours mean: from `near`, pale, to `far`, strong; distances of the
 * logarithm from 0, the baseline. */
struct heat_scale {
	double near, far;
	bool faster, slower; /* sides of the baseline that occur */
	int decimals;
};

struct heat_map {
	const struct cross *x;
	size_t program, param[2]; /* of the rows, of the columns */
	struct cross_pairs pairs;
	struct heat_scale scale;
};

static void heat_find_scale(struct heat_map *h)
{
	const struct cross_param *rows = &h->x->param[h->param[0]],
				 *columns = &h->x->param[h->param[1]];
	struct heat_scale *s = &h->scale;

	*s = (struct heat_scale){ .near = INFINITY };
	for (size_t i = 0; i < rows->count; i++)
		for (size_t k = 0; k < columns->count; k++) {
			double v = log(h->pairs.speed[i][k]);

			if (!isfinite(v))
				continue;
			s->faster |= v >= 0;
			s->slower |= v < 0;
			s->near = fmin(s->near, fabs(v));
			s->far = fmax(s->far, fabs(v));
		}
	if (s->faster && s->slower)
		s->near = 0;
	s->decimals = cross_decimals(exp(s->near), exp(s->far));
}

static void heat_cell(FILE *to, const struct heat_scale *s, double v,
		      const char *tag)
{
	double at = fabs(log(v));
	double share = s->far > s->near ? (at - s->near) / (s->far - s->near) :
					  0.5;

	html(to,
	     "<%s class=\"n\" style=\"background:color-mix(in srgb,var(--%s) "
	     "%.0f%%,var(--bg))\">%.*f</%s>",
	     tag, v >= 1 ? "c1" : "c2", 4 + 56 * share, s->decimals, v, tag);
}

/* From the slowest to the fastest colour. */
static void heat_legend(FILE *to, const struct heat_scale *s)
{
	enum { STEPS = 4 };

	html(to, "<p class=\"legend\">speed-up ");
	for (int i = STEPS; s->slower && i >= (s->faster ? 1 : 0); i--)
		heat_cell(to, s, exp(-s->near - (s->far - s->near) * i / STEPS),
			  "span");
	for (int i = 0; s->faster && i <= STEPS; i++)
		heat_cell(to, s, exp(s->near + (s->far - s->near) * i / STEPS),
			  "span");
	html(to, "</p>\n");
}

static void heat_rows(FILE *to, const struct heat_map *h)
{
	const struct cross_param *rows = &h->x->param[h->param[0]],
				 *columns = &h->x->param[h->param[1]];

	for (size_t i = 0; i < rows->count; i++) {
		html(to, "<tr><th scope=\"row\" class=\"n\">%s</th>",
		     rows->values[i]);
		for (size_t k = 0; k < columns->count; k++) {
			double v = h->pairs.speed[i][k];

			if (!isnan(v))
				heat_cell(to, &h->scale, v, "td");
			else
				html(to, "<td class=\"n\">%s</td>",
				     h->pairs.failed[i][k] ? "failed" : "-");
		}
		html(to, "</tr>\n");
	}
}

static void heat_map(FILE *to, struct heat_map *h)
{
	const struct cross *x = h->x;
	const struct cross_param *columns = &x->param[h->param[1]];

	cross_pairs(&h->pairs, x, h->program, h->param);
	heat_find_scale(h);
	/* Without a result there is nothing to colour. */
	if (!h->scale.faster && !h->scale.slower)
		return;
	html(to, "<figure><figcaption>%s: ", x->s->programs[h->program].name);
	html(to,
	     "rows <span class=\"m\">%s</span>, columns "
	     "<span class=\"m\">%s</span>%s</figcaption>\n",
	     x->param[h->param[0]].name, columns->name,
	     x->param_count > 2 ? "; means over the other parameters" : "");
	html(to, "<div class=\"scroll pin\"><table class=\"heat\"><thead><tr>"
		 "<th scope=\"col\"><span class=\"hide\">value</span></th>");
	for (size_t k = 0; k < columns->count; k++)
		html(to, "<th scope=\"col\" class=\"n\">%s</th>",
		     columns->values[k]);
	html(to, "</tr></thead><tbody>\n");
	heat_rows(to, h);
	html(to, "</tbody></table></div>\n");
	heat_legend(to, &h->scale);
	html(to, "</figure>\n");
}

/* The two parameters with the largest mean effect, in their order. */
static void cross_main_params(const struct cross *x, size_t out[2])
{
	double effect[CROSS_PARAMS] = { 0 };
	size_t first = 0, second = SIZE_MAX;

	for (size_t k = 0; k < x->param_count; k++)
		for (size_t i = 0; i < cross_programs(x); i++) {
			double e = cross_effect(x, i, k).effect;

			effect[k] += isnan(e) ? 0 : e;
		}
	for (size_t k = 1; k < x->param_count; k++)
		if (effect[k] > effect[first])
			first = k;
	for (size_t k = 0; k < x->param_count; k++)
		if (k != first &&
		    (second == SIZE_MAX || effect[k] > effect[second]))
			second = k;
	out[0] = first < second ? first : second;
	out[1] = first < second ? second : first;
}

/* ---- the section ---- */

static void cross_section(FILE *to, const struct cross *x)
{
	struct heat_map h = { .x = x };
	char heading[300];

	snprintf(heading, sizeof(heading), "Cross product: %.200s", x->name);
	html_section(to, heading,
		     "For each value of a parameter, the mean speed-up over "
		     "all values of the others, and its range. Beside a "
		     "parameter's name: the largest of its means over the "
		     "smallest, as a change.");
	cross_effect_table(to, x);
	html(to, "<ul>\n");
	for (size_t k = 0; k < cross_programs(x); k++)
		cross_interaction_text(to, x, k);
	html(to, "</ul>\n<div class=\"cols wide\">\n");
	cross_main_params(x, h.param);
	for (h.program = 0; h.program < cross_programs(x); h.program++)
		heat_map(to, &h);
	html(to, "</div>\n");
	html_section_end(to);
}

enum err sweep_crosses(FILE *to, const struct swept *s, struct diag *d)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->ranked && !e; i++) {
		struct arena a = { 0 };
		struct cross x;

		e = cross_make(&x, s, s->ranking[i], &a, d);
		/* Without an effect there is nothing to show. */
		if (!e && x.param_count &&
		    !isnan(s->axes[s->ranking[i]].effect))
			cross_section(to, &x);
		arena_free(&a);
	}
	return e;
}
