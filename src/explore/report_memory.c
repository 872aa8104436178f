/* The section on memory: a picture, and the same numbers as tables. */
#include "base/human.h"
#include "explore/draw.h"
#include "explore/html.h"
#include "explore/report_parts.h"

static void cache_row(FILE *to, const char *name, uint64_t hits,
		      uint64_t pending, uint64_t missed)
{
	double all = (double)(hits + pending + missed);
	char a[GROUPED_TEXT];

	if (all == 0)
		return;
	html(to,
	     "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td>"
	     "<td class=\"n\">%.1f%%</td><td class=\"n\">%.1f%%</td>"
	     "<td class=\"n\">%.1f%%</td></tr>\n",
	     name, grouped(a, hits + pending + missed),
	     100 * (double)hits / all, 100 * (double)pending / all,
	     100 * (double)missed / all);
}

static void caches_table(FILE *to, const struct stats *s)
{
	html(to, "<h3>Caches</h3>\n<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\">cache</th><th scope=\"col\" class=\"n\">"
		 "reads</th><th scope=\"col\" class=\"n\">hit</th>"
		 "<th scope=\"col\" class=\"n\">in flight</th>"
		 "<th scope=\"col\" class=\"n\">missed</th></tr></thead>"
		 "<tbody>\n");
	cache_row(to, "L1", s->l1.read_hits, s->l1.read_pending,
		  s->l1.read_misses);
	cache_row(to, "L2", s->l2.read_hits, s->l2.read_pending,
		  s->l2.read_misses);
	cache_row(to, "constant L0", s->lsu.const_l0_hits, 0,
		  s->lsu.const_l1_hits + s->lsu.const_misses);
	cache_row(to, "constant L1", s->lsu.const_l1_hits, 0,
		  s->lsu.const_misses);
	cache_row(to, "instruction L0", s->front.l0_hits, s->front.l0_pending,
		  s->front.l0_misses);
	cache_row(to, "instruction L1", s->front.l1_hits, 0,
		  s->front.l1_misses);
	html(to, "</tbody></table></div>\n");
}

/* The count of an access that a space does not have. */
#define NONE UINT64_MAX

static void count_cell(FILE *to, uint64_t n)
{
	char a[GROUPED_TEXT];

	html(to, "<td class=\"n\">%s</td>", n == NONE ? "" : grouped(a, n));
}

static void space_row(FILE *to, const char *name, uint64_t loads,
		      uint64_t stores, uint64_t atomics, uint64_t sectors)
{
	uint64_t asked = loads + (stores == NONE ? 0 : stores);

	if (!asked && (!atomics || atomics == NONE))
		return;
	html(to, "<tr><th scope=\"row\">%s</th>", name);
	count_cell(to, loads);
	count_cell(to, stores);
	count_cell(to, atomics);
	if (sectors != NONE && asked)
		html(to, "<td class=\"n\">%.1f</td></tr>\n",
		     ratio_of((double)sectors, (double)asked));
	else
		html(to, "<td></td></tr>\n");
}

static void spaces_table(FILE *to, const struct stats *s)
{
	html(to, "<h3>Memory instructions</h3>\n<div class=\"scroll\"><table>"
		 "<thead><tr><th scope=\"col\">memory</th>"
		 "<th scope=\"col\" class=\"n\">loads</th>"
		 "<th scope=\"col\" class=\"n\">stores</th>"
		 "<th scope=\"col\" class=\"n\">atomics</th>"
		 "<th scope=\"col\" class=\"n\">sectors each</th></tr></thead>"
		 "<tbody>\n");
	space_row(to, "global", s->lsu.global_loads, s->lsu.global_stores,
		  s->lsu.global_atomics, s->lsu.global_sectors);
	space_row(to, "local", s->lsu.local_loads, s->lsu.local_stores, NONE,
		  s->lsu.local_sectors);
	space_row(to, "shared", s->lsu.shared_loads, s->lsu.shared_stores,
		  s->lsu.shared_atomics, NONE);
	space_row(to, "constant", s->lsu.const_loads, NONE, NONE, NONE);
	space_row(to, "texture", s->lsu.textures, NONE, NONE, NONE);
	space_row(to, "async copy", s->lsu.async_copies, NONE, NONE, NONE);
	html(to, "</tbody></table></div>\n");
}

void part_memory(FILE *to, const struct run_view *v)
{
	html_section(to, "Memory",
		     "Traffic between the levels. An arrow is as thick as "
		     "its share of the connection's bandwidth, which is the "
		     "percentage beside it.");
	html(to, "<div class=\"cols\">\n<figure>\n");
	draw_memory(to, v);
	html(to, "</figure>\n<div>\n");
	caches_table(to, &v->s);
	spaces_table(to, &v->s);
	html(to, "</div>\n</div>\n");
	html_section_end(to);
}
