/* The section with the roofline: the picture, and its points as a table. */
#include "explore/html.h"
#include "explore/report_parts.h"
#include "explore/roofline.h"

static void roof_row(FILE *to, const struct roofline *r, int unit, int level)
{
	double x = ratio_of(r->done[unit], r->bytes[level]);
	double y = ratio_of(r->done[unit], r->seconds);
	double roof =
		roof_at(r, (enum roof_unit)unit, (enum roof_level)level, x);
	char a[ROOF_TEXT], b[ROOF_TEXT];

	if (!r->done[unit] || !r->bytes[level] || !r->bandwidth[level])
		return;
	html(to,
	     "<tr><th scope=\"row\"><span class=\"key l%dk\"></span>%s, %s</th>"
	     "<td class=\"n\">%.3g</td><td class=\"n\">%s/s</td>"
	     "<td class=\"n\">%s/s</td><td class=\"n\">%.1f%%</td></tr>\n",
	     level, r->name[unit], roof_level_names[level], x, roof_text(a, y),
	     roof_text(b, roof), 100 * ratio_of(y, roof));
}

static void roof_table(FILE *to, const struct roofline *r)
{
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">unit, level</th>"
		 "<th scope=\"col\" class=\"n\">per byte</th>"
		 "<th scope=\"col\" class=\"n\">done</th>"
		 "<th scope=\"col\" class=\"n\">roof</th>"
		 "<th scope=\"col\" class=\"n\">of it</th></tr></thead>"
		 "<tbody>\n");
	for (int u = 0; u < ROOF_UNITS; u++)
		for (int k = 0; k < ROOF_LEVELS; k++)
			roof_row(to, r, u, k);
	html(to, "</tbody></table></div>\n");
}

void part_roofline(FILE *to, const struct run_view *v)
{
	struct roofline r = roofline_of(v);
	double all = 0;

	for (int u = 0; u < ROOF_UNITS; u++)
		all += r.done[u];
	/* Integer programs have no place on it, nor have older results. */
	if (!(all > 0) || !(r.seconds > 0))
		return;
	html_section(to, "Roofline",
		     "What was computed per second, against the operations per "
		     "byte that each level of memory had to deliver. A point "
		     "below its slope and its ceiling has room to move up; on "
		     "a slope, that level's bandwidth is the limit.");
	html(to, "<div class=\"cols wide\">\n<figure>\n");
	draw_roofline(to, &r);
	html(to, "</figure>\n<div>\n");
	roof_table(to, &r);
	html(to, "</div>\n</div>\n");
	html_section_end(to);
}
