/* The page of a comparison: `heddle compare --html`. */
#include <math.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/compare.h"
#include "explore/html.h"

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

	html(to, "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">"
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
		     grouped(a, (uint64_t)r->cycles), duration(b, r->seconds));
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
		html(to, "<div class=\"scroll\"><table><thead><tr>"
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

static void compare_stat_row(FILE *to, const struct compare *c, unsigned stat)
{
	const struct stat_info *t = &stat_table[stat];
	char key[STAT_KEY_SIZE] = "", text[40];

	stat_key(key, stat);
	html(to, "<tr><th scope=\"row\" class=\"m\">%s</th>", key);
	for (size_t k = 0; k < c->count; k++) {
		html(to, "<td class=\"n\">%s</td>",
		     compare_text(text, stat, c->runs[k].values[stat]));
		if (k)
			compare_change_cell(to, c->runs[0].values[stat],
					    c->runs[k].values[stat], 0);
	}
	html(to, "<td>%s</td><td class=\"why\">%s</td></tr>\n", t->unit,
	     t->doc);
}

static void compare_stats_section(FILE *to, const struct compare *c)
{
	char about[160];

	snprintf(about, sizeof(about),
		 "The biggest relative change first. %zu more are the same, "
		 "%zu changed by less than --min-change.",
		 c->same, c->small);
	html_section(to, "Statistics", about);
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">statistic</th>");
	for (size_t i = 0; i < c->count; i++) {
		html(to, "<th scope=\"col\" class=\"n\">%c</th>",
		     compare_letter(i));
		if (i)
			html(to, "<th scope=\"col\" class=\"n\">A to %c</th>",
			     compare_letter(i));
	}
	html(to, "<th scope=\"col\">unit</th><th scope=\"col\">what it is</th>"
		 "</tr></thead><tbody>\n");
	for (size_t i = 0; i < c->row_count; i++)
		compare_stat_row(to, c, c->rows[i].stat);
	html(to, "</tbody></table></div>\n");
	html_section_end(to);
}

void report_compare(FILE *to, const struct compare *c)
{
	struct html_page page = { .title = "Runs side by side" };

	html_open(to, &page);
	for (size_t i = 0; i < c->count; i++)
		if (c->runs[i].undivided)
			html(to, "<p class=\"warn\">%c %s.</p>\n",
			     compare_letter(i), RUN_UNDIVIDED);
	compare_runs_table(to, c);
	compare_config_section(to, c);
	compare_stats_section(to, c);
	html_close(to, &page);
}
