#include "explore/report_run.h"

#include <inttypes.h>
#include <string.h>

#include "base/human.h"
#include "explore/draw.h"
#include "explore/files.h"
#include "explore/html.h"
#include "explore/report_parts.h"

enum { LAUNCHES_SHOWN = 500, KERNELS_SHOWN = 40 };

/* ---- warnings ---- */

static void run_warnings(FILE *to, const struct run_result *r)
{
	uint64_t untimed = r->launch_count - r->timed_count;

	if (r->incomplete)
		html(to, "<p class=\"warn\">The run is incomplete: %s</p>\n",
		     r->incomplete);
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct run_launch *l = &r->launches[i];

		if (l->fault)
			html(to,
			     "<p class=\"warn\">Launch %" PRIu64
			     " was cut short: %s</p>\n",
			     l->number, l->fault);
		else if (l->timed && !l->whole)
			html(to,
			     "<p class=\"warn\">Launch %" PRIu64
			     " was cut short: its numbers end there."
			     "</p>\n",
			     l->number);
	}
	if (r->traced_count && !r->traced_sums)
		html(to,
		     "<p class=\"warn\">The trace has %zu launches. This page "
		     "shows the last one.</p>\n",
		     r->traced_count);
	if (untimed)
		html(to,
		     "<p class=\"warn\">%" PRIu64 " of %zu launches were not "
		     "timed; the numbers on this page do not include them.</p>\n",
		     untimed, r->launch_count);
	if (!r->exact)
		html(to,
		     "<p class=\"warn\">The engine %s is not exact: another "
		     "run may give slightly different numbers.</p>\n",
		     r->engine);
	if (r->undivided)
		html(to, "<p class=\"warn\">This run %s.</p>\n", RUN_UNDIVIDED);
	if (r->unknown || r->missing)
		html(to,
		     "<p class=\"warn\">Heddle %s wrote this run: %" PRIu64
		     " of its names are unknown to this version, %" PRIu64
		     " statistics are missing and count as 0.</p>\n",
		     r->version, r->unknown, r->missing);
}

/* ---- launches ---- */

static void run_launch_row(FILE *to, const struct run_launch *l)
{
	char a[GROUPED_TEXT], b[GROUPED_TEXT];
	const struct stats *s = l->at_once > 1 ? &l->own : &l->stats;

	html(to,
	     "<tr><td class=\"n\">%" PRIu64 "</td><td class=\"name\">%s</td>"
	     "<td class=\"nw\">%" PRIu32 "×%" PRIu32 "×%" PRIu32
	     "</td><td class=\"nw\">%" PRIu32 "×%" PRIu32 "×%" PRIu32 "</td>",
	     l->number, l->kernel, l->grid[0], l->grid[1], l->grid[2],
	     l->block[0], l->block[1], l->block[2]);
	if (!l->timed) {
		html(to,
		     "<td class=\"why\" colspan=\"5\">not timed</td></tr>\n");
		return;
	}
	html(to, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
	     grouped(a, l->cycles), duration(b, l->seconds));
	if (l->at_once > 1 && !l->own_known)
		html(to,
		     "<td class=\"why\" colspan=\"3\">with %" PRIu64
		     " others at the same time</td></tr>\n",
		     l->at_once - 1);
	else
		html(to,
		     "<td class=\"n\">%.2f</td><td class=\"n\">%.0f%%</td>"
		     "<td class=\"n\">%.1f%%</td></tr>\n",
		     ratio_of((double)s->sm.instructions, (double)s->sm.cycles),
		     100 * ratio_of((double)s->sm.warp_cycles,
				    (double)s->sm.active_cycles *
					    (double)l->occupancy.most_warps),
		     100 * ratio_of((double)(s->sm.instructions - s->sm.served -
					     s->sm.dual),
				    (double)s->sm.slots));
}

static void launches_section(FILE *to, const struct run_result *r,
			     size_t device)
{
	size_t shown = 0, all = 0;

	html_section(to, "Launches", NULL);
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\" class=\"n\">#</th>"
		 "<th scope=\"col\">kernel</th><th scope=\"col\">grid</th>"
		 "<th scope=\"col\">block</th>"
		 "<th scope=\"col\" class=\"n\">cycles</th>"
		 "<th scope=\"col\" class=\"n\">time</th>"
		 "<th scope=\"col\" class=\"n\">IPC per SM</th>"
		 "<th scope=\"col\" class=\"n\">occupancy</th>"
		 "<th scope=\"col\" class=\"n\">slots issued</th></tr></thead>"
		 "<tbody>\n");
	for (size_t i = 0; i < r->launch_count; i++) {
		if (r->launches[i].device != device)
			continue;
		if (all++ < LAUNCHES_SHOWN) {
			run_launch_row(to, &r->launches[i]);
			shown++;
		}
	}
	html(to, "</tbody></table></div>\n");
	if (shown < all)
		html(to,
		     "<p class=\"about\">The first %zu of %zu; the folder "
		     "has a file for each launch.</p>\n",
		     shown, all);
	html_section_end(to);
}

static void traced_section(FILE *to, const struct run_result *r)
{
	size_t shown = r->traced_count < LAUNCHES_SHOWN ? r->traced_count :
							  LAUNCHES_SHOWN;
	char a[GROUPED_TEXT], b[GROUPED_TEXT], c[GROUPED_TEXT];

	html_section(to, "Launches",
		     "The launches of the trace. 'heddle run TRACE --launch N' "
		     "shows source lines and values over time of one.");
	html(to, "<div class=\"scroll\"><table><thead><tr>"
		 "<th scope=\"col\" class=\"n\">#</th>"
		 "<th scope=\"col\">kernel</th>"
		 "<th scope=\"col\" class=\"n\">cycles</th>"
		 "<th scope=\"col\" class=\"n\">time</th>"
		 "<th scope=\"col\" class=\"n\">warp-instructions</th></tr>"
		 "</thead><tbody>\n");
	for (size_t i = 0; i < shown; i++) {
		const struct run_traced *l = &r->traced[i];

		html(to,
		     "<tr><td class=\"n\">%" PRIu64 "</td><td>%s</td>"
		     "<td class=\"n\">%s</td><td class=\"n\">%s</td>"
		     "<td class=\"n\">%s</td></tr>\n",
		     l->number, l->kernel, grouped(a, l->cycles),
		     duration(b, l->seconds), grouped(c, l->instructions));
	}
	html(to, "</tbody></table></div>\n");
	if (shown < r->traced_count)
		html(to,
		     "<p class=\"about\">The first %zu of %zu; the run's JSON "
		     "has all of them.</p>\n",
		     shown, r->traced_count);
	html_section_end(to);
}

/* ---- kernels ---- */

static void kernel_details(FILE *to, const struct run_view *v, double cycles)
{
	char a[GROUPED_TEXT];

	html(to,
	     "<details><summary>%s <small>%.1f%% of the cycles, %" PRIu64
	     " launch%s, %s</small></summary>\n",
	     v->name, 100 * ratio_of(v->cycles, cycles), v->launches,
	     v->launches == 1 ? "" : "es", duration(a, v->seconds));
	if (v->together)
		html(to,
		     "<p class=\"warn\">%" PRIu64 " of the launches ran at the "
		     "same time as others; only the numbers of the whole "
		     "program include them.</p>\n",
		     v->together);
	if (v->together < v->launches) {
		part_cards(to, v);
		part_peaks(to, v);
		part_slots(to, v);
		part_memory(to, v);
		part_roofline(to, v);
		part_mix(to, v);
	}
	part_lines(to, v);
	if (v->together < v->launches)
		part_statistics(to, &v->s);
	html(to, "</details>\n");
}

static void kernels_section(FILE *to, const struct view_list *k, double cycles)
{
	size_t shown = k->count < KERNELS_SHOWN ? k->count : KERNELS_SHOWN;

	html_section(to, "Kernels",
		     "Each with all its launches, the longest first. Unfold "
		     "one to see its numbers.");
	for (size_t i = 0; i < shown; i++)
		kernel_details(to, &k->at[i], cycles);
	if (shown < k->count)
		html(to,
		     "<p class=\"about\">%zu more kernels took less "
		     "time.</p>\n",
		     k->count - shown);
	html_section_end(to);
}

/* ---- one device ---- */

static void over_time_section(FILE *to, const struct run_view *v)
{
	const struct run_launch *l = v->longest;
	char about[160];

	if (!l->sample_count)
		return;
	if (l->samples_read > l->sample_count)
		snprintf(about, sizeof(about),
			 "%" PRIu64 " intervals, joined to %zu.",
			 l->samples_read, l->sample_count);
	else
		snprintf(about, sizeof(about), "Values of %zu intervals.",
			 l->sample_count);
	html_section(to, "Over time", about);
	draw_time(to, l, &v->device->cfg);
	html_section_end(to);
}

/* Each SM and each slice over time. */
static void maps_section(FILE *to, const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	const struct run_maps *m = &v->longest->maps;
	double issue = (double)(c->sm.schedulers * c->sm.issue_width) /
		       (double)c->sm.issue_interval;

	if (!m->columns)
		return;
	html_section(to, "SMs and slices over time",
		     "Time runs from left to right; a row is an SM, or a slice "
		     "of the L2. Uneven rows are work, or addresses, that are "
		     "unevenly spread; a pale right edge is a tail.");
	html(to, "<div class=\"cols wide\">\n");
	draw_map(to, m, &m->sms, "SM", "warp-instructions", issue);
	draw_map(to, m, &m->slices, "L2 slice", "requests",
		 (double)c->l2.lookups);
	html(to, "</div>\n");
	html_section_end(to);
}

static enum err device_page(FILE *to, struct arena *a,
			    const struct run_result *r, size_t number,
			    struct diag *d)
{
	struct view_list k;
	struct run_view all;

	if (view_of(&all, a, r, number, NULL, d) ||
	    view_kernels(&k, a, r, number, d))
		return d->code;
	if (!all.launches)
		return ERR_OK;
	if (r->device_count > 1)
		html(to, "<h2>Device %zu: %s</h2>\n", number,
		     all.device->cfg.gpu.name);
	part_advice(to, r, number, &k);
	part_cards(to, &all);
	part_peaks(to, &all);
	part_slots(to, &all);
	part_memory(to, &all);
	part_roofline(to, &all);
	over_time_section(to, &all);
	maps_section(to, &all);
	part_mix(to, &all);
	part_lines(to, &all);
	if (k.count > 1)
		kernels_section(to, &k, all.cycles);
	if (all.launches > 1)
		launches_section(to, r, number);
	if (r->traced_count)
		traced_section(to, r);
	html_section(to, "Everything",
		     "Every statistic and every parameter, with its meaning.");
	part_statistics(to, &all.s);
	part_config(to, all.device);
	html_section_end(to);
	return ERR_OK;
}

static void run_headline(char *title, size_t size, char *sub, size_t room,
			 const struct run_result *r)
{
	const struct run_launch *l = &r->launches[0];
	const char *gpu = r->devices[l->device].cfg.gpu.name;
	bool machine = l->isa && !strcmp(l->isa, "sass");
	char a[GROUPED_TEXT], what[128];

	if (r->traced_sums) {
		snprintf(title, size, "%s on %s", file_base_name(r->program),
			 gpu);
		snprintf(what, sizeof(what), "%zu launches", r->traced_count);
	} else if (r->launch_count == 1) {
		snprintf(title, size, "%s on %s", l->kernel, gpu);
		snprintf(what, sizeof(what),
			 "grid %" PRIu32 "×%" PRIu32 "×%" PRIu32
			 ", block %" PRIu32 "×%" PRIu32 "×%" PRIu32,
			 l->grid[0], l->grid[1], l->grid[2], l->block[0],
			 l->block[1], l->block[2]);
	} else {
		snprintf(title, size, "%s on %s", file_base_name(r->program),
			 gpu);
		snprintf(what, sizeof(what), "%zu launches", r->launch_count);
	}
	snprintf(sub, room, "%s; %s%s%s; Heddle %s, engine %s, %s of host time",
		 r->program, what, machine ? ", machine code for " : "",
		 machine && l->target ? l->target : "", r->version, r->engine,
		 duration(a, r->host_seconds));
}

enum err report_run(FILE *to, const struct run_result *r, struct diag *d)
{
	char title[512], sub[1024];
	struct html_page page = { .title = title, .subtitle = sub };
	struct arena a = { 0 };
	enum err e = ERR_OK;

	run_headline(title, sizeof(title), sub, sizeof(sub), r);
	html_open(to, &page);
	run_warnings(to, r);
	for (size_t i = 0; !e && i < r->device_count; i++)
		e = device_page(to, &a, r, i, d);
	html_close(to, &page);
	arena_free(&a);
	return e;
}
