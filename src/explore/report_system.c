#include "explore/report_system.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "explore/draw_series.h"
#include "explore/files.h"
#include "explore/html.h"
#include "explore/system_verdict.h"
#include "explore/view.h"

enum { CORES_SHOWN = 64 };

const struct cpu_stat_row *system_use(unsigned use)
{
	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot && !use--)
			return &cpu_stat_rows[i];
	BUG("no such use of slots");
}

/* clang-format off */
const char *system_use_colour(unsigned use)
{
	static const char *const class[CPU_SLOT_USES] = {
#define SLOT_USE(name, doc) "u-" #name,
#include "stat/cpu.def"
	};

	CHECK(use < CPU_SLOT_USES);
	return class[use];
}
/* clang-format on */

/*
 * The head
 */

static void system_warnings(FILE *to, const struct system_run *r)
{
	if (r->incomplete)
		html(to, "<p class=\"warn\">The run is incomplete: %s</p>\n",
		     r->incomplete);
	if (r->alone)
		system_requests_warning(to, r);
	else if (strcmp(r->end, "exited") != 0 && !r->incomplete)
		html(to,
		     "<p class=\"warn\">The program did not end by itself "
		     "(%s): %s</p>\n",
		     r->end, json_get_text(r->json, "text", ""));
	if (r->unknown)
		html(to,
		     "<p class=\"warn\">Heddle %s wrote this run: %" PRIu64
		     " of its parameters are unknown to this version.</p>\n",
		     r->version, r->unknown);
}

static void system_core_cards(FILE *to, const struct system_run *r)
{
	const struct cpu_stats *st = &r->cpu;
	char a[GROUPED_TEXT], text[64], about[120];

	snprintf(about, sizeof(about), "%.0f thread%s on %zu core%s",
		 r->threads, r->threads == 1 ? "" : "s", r->cores,
		 r->cores == 1 ? "" : "s");
	html_card(to, "Instructions", counted(a, r->instructions), about);
	snprintf(text, sizeof(text), "%.2f",
		 ratio_of(r->instructions, r->cycles));
	snprintf(about, sizeof(about), "of all cores; %.2f of a busy one",
		 ratio_of(r->instructions, (double)st->busy));
	html_card(to, "IPC", text, about);
	snprintf(text, sizeof(text), "%.1f%%",
		 100 * ratio_of((double)st->committed, (double)st->slots));
	snprintf(about, sizeof(about), "%.1f%% without a thread",
		 100 * ratio_of((double)st->idle, (double)st->slots));
	html_card(to, "Slots committed", text, about);
}

static void system_cards(FILE *to, const struct system_run *r)
{
	const struct cgm_stats *m = &r->cgm;
	char a[GROUPED_TEXT], text[64], about[120];
	double bytes = (double)(m->memory.reads + m->memory.writes) * 64;

	html(to, "<dl class=\"cards\">\n");
	snprintf(about, sizeof(about), "%s; simulated in %s",
		 r->alone ? "of the trace" : "of the system",
		 duration(a, r->host_seconds));
	html_card(to, "Time", duration(text, r->ns * 1e-9), about);
	if (r->cycles < 1e7)
		snprintf(about, sizeof(about), "at %.0f MHz", r->clock);
	else
		snprintf(about, sizeof(about), "%s at %.0f MHz",
			 grouped_real(text, r->cycles), r->clock);
	html_card(to, "Cycles",
		  r->cycles < 1e7 ? grouped_real(a, r->cycles) :
				    counted(a, r->cycles),
		  about);
	if (r->alone)
		system_request_cards(to, r);
	else
		system_core_cards(to, r);
	snprintf(text, sizeof(text), "%s/s",
		 bytes_text(a, ratio_of(bytes, r->ns * 1e-9)));
	snprintf(about, sizeof(about), "of %.1f GB/s", r->cfg.dram.bandwidth);
	html_card(to, "DRAM", text, about);
	html(to, "</dl>\n");
}

static void system_bounds(FILE *to, struct system_run *r)
{
	struct system_verdict v[SYSTEM_VERDICTS];
	size_t n = system_verdicts(v, r);

	html_section(to, "What bounds this run",
		     r->alone ? "Shares of the time, the largest first." :
				"The largest share first: of all commit slots, "
				"or of the time. What one reason gives back "
				"another one may take.");
	if (!n)
		html(to, "<p>Nothing stands out.</p>\n");
	else
		html(to, "<ol class=\"advice\">\n");
	for (size_t i = 0; i < n; i++)
		html(to,
		     "<li><b>%s.</b> <span class=\"gain\">%.0f%%</span> "
		     "<small>(%s)</small><br><small>%s</small></li>\n",
		     v[i].text, 100 * v[i].share, v[i].rule, v[i].evidence);
	if (n)
		html(to, "</ol>\n");
	html_section_end(to);
}

/*
 * Commit slots
 */

/* The uses of slots, the most frequent first. */
static void system_order(unsigned order[CPU_SLOT_USES],
			 const uint64_t slot[CPU_SLOT_USES])
{
	for (unsigned i = 0; i < CPU_SLOT_USES; i++) {
		unsigned k = i;

		for (; k && slot[order[k - 1]] < slot[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

void system_slot_bar(FILE *to, const uint64_t slot[CPU_SLOT_USES],
		     const char *class)
{
	double whole = 0;

	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		whole += (double)slot[i];
	html(to, "<div class=\"%s\">", class);
	for (unsigned i = 0; i < CPU_SLOT_USES; i++) {
		double share = ratio_of((double)slot[i], whole);

		if (share >= 5e-4)
			html(to,
			     "<i class=\"%s\" style=\"flex:%.3f\" "
			     "title=\"%s %.1f%%\"></i>",
			     system_use_colour(i), 1000 * share,
			     system_use(i)->name, 100 * share);
	}
	html(to, "</div>");
}

static void system_slot_table(FILE *to, const uint64_t slot[CPU_SLOT_USES],
			      double whole)
{
	unsigned order[CPU_SLOT_USES];
	char a[GROUPED_TEXT];

	system_order(order, slot);
	html(to, "<table class=\"docs\"><thead><tr><th scope=\"col\">what</th>"
		 "<th scope=\"col\" class=\"n\">share</th>"
		 "<th scope=\"col\" class=\"n\">slots</th>"
		 "<th scope=\"col\" class=\"doc\">what it means</th></tr>"
		 "</thead><tbody>\n");
	for (unsigned i = 0; i < CPU_SLOT_USES; i++) {
		unsigned u = order[i];

		if (slot[u])
			html(to,
			     "<tr><th scope=\"row\" class=\"nw\"><span "
			     "class=\"key %s\"></span>%s</th>"
			     "<td class=\"n\">%.1f%%</td><td class=\"n\">%s</td>"
			     "<td class=\"why doc\">%s</td></tr>\n",
			     system_use_colour(u), system_use(u)->name,
			     100 * ratio_of((double)slot[u], whole),
			     grouped(a, slot[u]), system_use(u)->doc);
	}
	html(to, "</tbody></table>\n");
}

static void system_uses(uint64_t slot[CPU_SLOT_USES],
			const struct cpu_stats *st)
{
	struct cpu_stats one = *st;

	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		slot[i] = *cpu_stat_slot(&one, (enum cpu_slot_use)i);
}

/* Each core as a bar, with its instructions. */
static void system_core_bars(FILE *to, const struct system_run *r)
{
	uint64_t slot[CPU_SLOT_USES];
	size_t shown = r->cores < CORES_SHOWN ? r->cores : CORES_SHOWN;
	char a[GROUPED_TEXT];

	if (r->cores < 2)
		return;
	html(to, "<h3>Each core</h3>\n<div class=\"sides\">\n");
	for (size_t i = 0; i < shown; i++) {
		system_uses(slot, &r->core[i]);
		html(to, "<span class=\"nw\">core %zu</span>", i);
		system_slot_bar(to, slot, "stack");
		html(to, "<span class=\"n why\">%s instructions</span>\n",
		     counted(a, (double)r->core[i].instructions));
	}
	html(to, "</div>\n");
	if (shown < r->cores)
		html(to, "<p class=\"about\">The first %zu of %zu.</p>\n",
		     shown, r->cores);
}

static void system_slots(FILE *to, const struct system_run *r)
{
	uint64_t slot[CPU_SLOT_USES];
	char a[GROUPED_TEXT], about[240];

	system_uses(slot, &r->cpu);
	snprintf(about, sizeof(about),
		 "Each core can commit %d micro-operations a cycle, %s slots "
		 "in all: either one was committed, or this is the reason why "
		 "not, that of the oldest one.",
		 (int)r->cfg.cpu.commit_width, grouped(a, r->cpu.slots));
	html_section(to, "Where the commit slots went", about);
	system_slot_bar(to, slot, "stack");
	system_slot_table(to, slot, (double)r->cpu.slots);
	system_core_bars(to, r);
	html_section_end(to);
}

/*
 * The page
 */

static void system_headline(char *title, size_t size, char *sub, size_t room,
			    const struct system_run *r)
{
	size_t cores = r->alone ? (size_t)r->cfg.cgm.cores : r->cores;

	snprintf(title, size, "%.200s on %.100s", file_base_name(r->program),
		 file_base_name(r->config));
	snprintf(sub, room,
		 "%.300s%s%.300s%s%.200s; %zu core%s%s; Heddle %.40s, engine "
		 "%.40s",
		 r->program, r->arguments[0] ? " " : "", r->arguments,
		 r->environment[0] ? "; " : "", r->environment, cores,
		 cores == 1 ? "" : "s", r->cfg.cgm.cus ? " and a GPU" : "",
		 r->version, r->engine);
}

enum err report_system(FILE *to, struct system_run *r, struct diag *d)
{
	char title[400], sub[1200];
	struct html_page page = { .title = title,
				  .subtitle = sub,
				  .script = series_script,
				  .script_hash = series_script_hash };
	enum err e;

	system_headline(title, sizeof(title), sub, sizeof(sub), r);
	html_open(to, &page);
	system_warnings(to, r);
	system_cards(to, r);
	system_bounds(to, r);
	if (r->alone)
		system_part_requests(to, r);
	else
		system_slots(to, r);
	e = system_part_time(to, r, d);
	system_part_functions(to, r);
	system_part_regions(to, r);
	if (!e)
		e = system_part_opencl(to, r, d);
	system_part_caches(to, r);
	if (!e)
		e = system_part_traffic(to, r, d);
	if (!e)
		e = system_part_queues(to, r, d);
	system_part_everything(to, r);
	html_close(to, &page);
	return e;
}

enum err report_system_of(FILE *to, const char *path, struct diag *d)
{
	struct system_run r;
	enum err e = system_run_read(&r, path, d);

	if (!e)
		e = report_system(to, &r, d);
	system_run_free(&r);
	return e;
}
