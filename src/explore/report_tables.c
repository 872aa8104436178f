/* The folded tables at the end of a page: all statistics and parameters. */
#include <inttypes.h>
#include <math.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/html.h"
#include "explore/report_parts.h"

const char *stat_text(char text[STAT_TEXT_SIZE], unsigned i,
		      const struct stats *s)
{
	const struct stat_info *t = &stat_table[i];

	if (t->kind != STAT_RATE)
		return grouped(text, stat_value(t, s));
	if (isnan(stat_real(t, s)))
		snprintf(text, STAT_TEXT_SIZE, "-");
	else
		snprintf(text, STAT_TEXT_SIZE, "%.4g", stat_real(t, s));
	return text;
}

void part_nsight(FILE *to, const struct nsight_name *n)
{
	if (n && n->name[0])
		html(to,
		     "<small class=\"nv\" title=\"Nsight Compute%s%s\">%s"
		     "</small>",
		     n->note[0] ? ": " : "", n->note, n->name);
}

static void table_head(FILE *to, const char *name)
{
	html(to,
	     "<table class=\"docs\"><thead><tr><th scope=\"col\">%s</th>"
	     "<th scope=\"col\" class=\"n\">value</th>"
	     "<th scope=\"col\">unit</th><th scope=\"col\" class=\"doc\">"
	     "what it is</th></tr></thead><tbody>\n",
	     name);
}

static void table_row(FILE *to, const char *name, const char *value,
		      const char *unit, const char *doc,
		      const struct nsight_name *nsight)
{
	html(to,
	     "<tr><th scope=\"row\" class=\"m\">%s</th><td class=\"n\">%s</td>"
	     "<td>%s</td><td class=\"why doc\">%s",
	     name, value, unit, doc);
	part_nsight(to, nsight);
	html(to, "</td></tr>\n");
}

void part_statistics(FILE *to, const struct stats *s)
{
	char text[STAT_TEXT_SIZE], key[STAT_KEY_SIZE];
	int group = -1;

	html(to, "<details><summary>All statistics</summary>\n");
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];

		if (!stat_key(key, i))
			continue;
		if (group != (int)t->group) {
			if (group >= 0)
				html(to, "</tbody></table>\n");
			html(to, "<h3>%s</h3>\n", stat_groups[t->group].title);
			table_head(to, "statistic");
		}
		group = (int)t->group;
		table_row(to, key, stat_text(text, i, s), t->unit, t->doc,
			  nsight_of(i));
	}
	html(to, "</tbody></table>\n</details>\n");
}

void part_config(FILE *to, const struct run_device *dev)
{
	char value[CFG_VALUE_SIZE];
	int section = -1;

	html(to,
	     "<details><summary>All parameters of the GPU "
	     "<small>%s</small></summary>\n",
	     dev->gpu);
	for (int i = 0; i < CFG_COUNT; i++) {
		const struct cfg_param *p = &cfg_params[i];

		if (section != (int)p->section) {
			if (section >= 0)
				html(to, "</tbody></table>\n");
			html(to, "<h3>%s</h3>\n",
			     cfg_sections[p->section].title);
			table_head(to, "parameter");
		}
		section = (int)p->section;
		cfg_value_print(value, &dev->cfg, (enum cfg_id)i);
		table_row(to, p->key, value, p->unit, p->doc, NULL);
	}
	html(to, "</tbody></table>\n</details>\n");
}
