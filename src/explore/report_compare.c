/* The page of a comparison: `heddle compare --html`. */
#include <math.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/compare.h"
#include "explore/html.h"
#include "explore/style.h"

static void compare_column_heads(FILE *to, const struct compare *c)
{
	for (size_t i = 0; i < c->count; i++)
		html(to, "<th scope=\"col\" class=\"n\">%c</th>",
		     compare_letter(i));
}

/* The change from a to b, coloured as good or bad. better: 1 if more is
 * better, -1 if less is, 0: no colour. */
static void compare_change_cell(FILE *to, double a, double b, int better)
{
	double change = compare_change(a, b) * better;
	char text[CHANGE_TEXT];

	html(to, "<td class=\"n %s\">%s</td>",
	     change > 0 ? "good" :
	     change < 0 ? "bad" :
			  "",
	     change_text(text, a, b));
}

static void compare_runs_table(FILE *to, const struct compare *c)
{
	const struct compare_run *first = &c->runs[0];
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	html(to,
	     "<div class=\"scroll pin\"><table><thead><tr><th scope=\"col\">"
	     "</th><th scope=\"col\">run</th><th scope=\"col\">program</th>"
	     "<th scope=\"col\">GPU</th>"
	     "<th scope=\"col\" class=\"n\">launches</th>"
	     "<th scope=\"col\" class=\"n\">cycles</th>"
	     "<th scope=\"col\" class=\"n\">time</th>"
	     "<th scope=\"col\" class=\"n\">change from A</th>"
	     "<th scope=\"col\" class=\"n\">speed-up</th></tr></thead>"
	     "<tbody>\n");
	for (size_t i = 0; i < c->count; i++) {
		const struct compare_run *r = &c->runs[i];

		html(to,
		     "<tr><th scope=\"row\">%c</th><td>%s</td><td>%s</td>"
		     "<td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>"
		     "<td class=\"n\">%s</td>",
		     compare_letter(i), r->name, r->program, r->cfg.gpu.name,
		     grouped((char[GROUPED_TEXT]){ 0 }, r->launches),
		     grouped_real(a, r->cycles), duration(b, r->seconds));
		compare_change_cell(to, first->seconds, r->seconds, -1);
		html(to, "<td class=\"n\">%.2f</td></tr>\n",
		     r->seconds > 0 ? first->seconds / r->seconds : 0);
	}
	html(to, "</tbody></table></div>\n");
}

static void compare_config_section(FILE *to, const struct compare *c)
{
	char value[CFG_VALUE_SIZE];

	html_section(to, "Configuration",
		     c->param_count ? "Parameters that differ." :
				      "All parameters are the same.");
	if (c->param_count) {
		html(to, "<div class=\"scroll pin\"><table><thead><tr>"
			 "<th scope=\"col\">parameter</th>");
		compare_column_heads(to, c);
		html(to, "<th scope=\"col\">what it is</th></tr></thead>"
			 "<tbody>\n");
	}
	for (size_t i = 0; i < c->param_count; i++) {
		const struct cfg_param *p = &cfg_params[c->params[i]];

		html(to, "<tr><th scope=\"row\" class=\"m\">%s</th>", p->key);
		for (size_t k = 0; k < c->count; k++) {
			cfg_value_print(value, &c->runs[k].cfg, c->params[i]);
			html(to, "<td class=\"n\">%s</td>", value);
		}
		html(to, "<td class=\"why\">%s</td></tr>\n", p->doc);
	}
	if (c->param_count)
		html(to, "</tbody></table></div>\n");
	html_section_end(to);
}

/* ---- slots ---- */

static const char *compare_slots_class(const struct compare_slots *s)
{
	return s->reason < 0 ? "k8" : style_reason(s->reason);
}

/* A bar for each run, as long as its cycles; the same order in each. */
static void compare_bars(FILE *to, const struct compare *c)
{
	char n[GROUPED_TEXT], m[GROUPED_TEXT];
	double most = 0;

	for (size_t k = 0; k < c->count; k++)
		most = c->runs[k].cycles > most ? c->runs[k].cycles : most;
	html(to, "<div class=\"sides\" role=\"img\" aria-label=\"the cycles of "
		 "each run by reason, as in the table below\">\n");
	for (size_t k = 0; k < c->count; k++) {
		html(to,
		     "<strong>%c</strong><div class=\"stack\" style=\"width:%.2f%%\">",
		     compare_letter(k),
		     most > 0 ? 100 * c->runs[k].cycles / most : 0);
		for (size_t i = 0; i < c->slot_count; i++) {
			const struct compare_slots *s = &c->slots[i];

			if (s->cycles[k] >= 5e-4 * most)
				html(to,
				     "<i class=\"%s\" style=\"flex:%.4f\" "
				     "title=\"%s: %s cycles\"></i>",
				     compare_slots_class(s),
				     1000 * s->cycles[k] / most, s->name,
				     grouped_real(m, s->cycles[k]));
		}
		html(to, "</div><small>%s cycles</small>\n",
		     grouped_real(n, c->runs[k].cycles));
	}
	html(to, "</div>\n");
}

static void compare_slots_row(FILE *to, const struct compare *c,
			      const struct compare_slots *s)
{
	char text[GROUPED_TEXT], moved[CHANGE_TEXT];

	html(to,
	     "<tr><th scope=\"row\" class=\"nw\"><span class=\"key %s\"></span>"
	     "%s</th>",
	     compare_slots_class(s), s->name);
	for (size_t k = 0; k < c->count; k++) {
		html(to, "<td class=\"n\">%s</td>",
		     grouped_real(text, s->slots[k]));
		if (!k)
			continue;
		html(to, "<td class=\"n\">%s</td>",
		     moved_text(moved, s->slots[0], s->slots[k]));
		html(to, "<td class=\"n %s\">%s</td>",
		     s->reason == REASON_ISSUED  ? "" :
		     s->cycles[k] > s->cycles[0] ? "bad" :
						   "good",
		     moved_text(moved, s->cycles[0], s->cycles[k]));
	}
	html(to, "<td class=\"why\">%s</td></tr>\n", compare_slots_doc(c, s));
}

static void compare_slots_table(FILE *to, const struct compare *c, bool folded)
{
	html(to, "<div class=\"scroll pin\"><table><thead><tr>"
		 "<th scope=\"col\">reason</th>");
	for (size_t k = 0; k < c->count; k++) {
		html(to, "<th scope=\"col\" class=\"n\">slots of %c</th>",
		     compare_letter(k));
		if (k)
			html(to,
			     "<th scope=\"col\" class=\"n\">A to %c</th>"
			     "<th scope=\"col\" class=\"n\">in cycles</th>",
			     compare_letter(k));
	}
	html(to, "<th scope=\"col\">what it is</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < c->slot_count; i++)
		if (c->slots[i].folded == folded)
			compare_slots_row(to, c, &c->slots[i]);
	html(to, "</tbody></table></div>\n");
}

static void compare_slots_section(FILE *to, const struct compare *c)
{
	char text[800], verdict[VERDICT_TEXT];

	html_section(
		to, "What moved",
		"Every cycle of every scheduler is a slot: either an "
		"instruction was issued, or this is the reason why not. A "
		"reason's cycles are its share of the slots, so that they "
		"add up to the cycles of the run, and their changes to its "
		"change. The largest comes first.");
	for (size_t k = 1; k < c->count; k++)
		html(to, "<p>%s</p>\n", compare_verdict(verdict, c, k));
	compare_bars(to, c);
	if (compare_others_text(text, sizeof(text), c))
		html(to, "<p class=\"warn\">%s</p>\n", text);
	if (c->slots_folded < c->slot_count)
		compare_slots_table(to, c, false);
	if (c->slots_folded) {
		html(to,
		     "<details><summary>%zu reason%s moved less than %g%% of "
		     "the cycles</summary>\n",
		     c->slots_folded, c->slots_folded == 1 ? "" : "s",
		     100 * COMPARE_NOISE);
		compare_slots_table(to, c, true);
		html(to, "</details>\n");
	}
	html_section_end(to);
}

/* ---- statistics ---- */

static void compare_stat_row(FILE *to, const struct compare *c, unsigned stat)
{
	const struct stat_info *t = &stat_table[stat];
	char key[STAT_KEY_SIZE] = "", text[40], moved[CHANGE_TEXT];

	stat_key(key, stat);
	html(to, "<tr><th scope=\"row\" class=\"m\">%s</th>", key);
	for (size_t k = 0; k < c->count; k++) {
		html(to, "<td class=\"n\">%s</td>",
		     compare_text(text, stat, c->runs[k].values[stat]));
		if (!k)
			continue;
		compare_change_cell(to, c->runs[0].values[stat],
				    c->runs[k].values[stat], 0);
		html(to, "<td class=\"n\">%s</td>",
		     moved_text(moved, 0,
				compare_effect(&c->runs[0], &c->runs[k],
					       stat)));
	}
	html(to, "<td>%s</td><td class=\"why\">%s</td></tr>\n", t->unit,
	     t->doc);
}

static void compare_stats_table(FILE *to, const struct compare *c, bool folded)
{
	html(to, "<div class=\"scroll pin\"><table><thead><tr>"
		 "<th scope=\"col\">statistic</th>");
	for (size_t i = 0; i < c->count; i++) {
		html(to, "<th scope=\"col\" class=\"n\">%c</th>",
		     compare_letter(i));
		if (i)
			html(to,
			     "<th scope=\"col\" class=\"n\">A to %c</th>"
			     "<th scope=\"col\" class=\"n\">in cycles</th>",
			     compare_letter(i));
	}
	html(to, "<th scope=\"col\">unit</th><th scope=\"col\">what it is</th>"
		 "</tr></thead><tbody>\n");
	for (size_t i = 0; i < c->row_count; i++)
		if (c->rows[i].folded == folded)
			compare_stat_row(to, c, c->rows[i].stat);
	html(to, "</tbody></table></div>\n");
}

static void compare_stats_section(FILE *to, const struct compare *c)
{
	char about[400];
	size_t folded = 0;

	snprintf(
		about, sizeof(about),
		"By effect: the cycles that the component which counts it "
		"needs for the change, at its peak rate. %zu more %s the same, "
		"%zu changed by less than --min-change.",
		c->same, c->same == 1 ? "is" : "are", c->small);
	html_section(to, "Statistics", about);
	for (size_t i = 0; i < c->row_count; i++)
		folded += c->rows[i].folded;
	if (folded < c->row_count)
		compare_stats_table(to, c, false);
	if (folded) {
		html(to,
		     "<details><summary>%zu statistics with less effect, or "
		     "shown above as reasons</summary>\n",
		     folded);
		compare_stats_table(to, c, true);
		html(to, "</details>\n");
	}
	html_section_end(to);
}

void report_compare(FILE *to, const struct compare *c)
{
	struct html_page page = { .title = "Runs side by side" };

	html_open(to, &page);
	for (size_t i = 0; i < c->count; i++)
		if (c->runs[i].undivided)
			html(to, "<p class=\"warn\">%c %s.</p>\n",
			     compare_letter(i), COMPARE_UNDIVIDED);
	compare_runs_table(to, c);
	if (c->slot_count)
		compare_slots_section(to, c);
	compare_config_section(to, c);
	compare_stats_section(to, c);
	html_close(to, &page);
}
