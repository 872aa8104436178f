#include "explore/report_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cfg/cfg.h"
#include "cfg/param.h"
#include "explore/draw.h"
#include "explore/html.h"
#include "explore/style.h"

/* ---- cards ---- */

static void card_ipc(FILE *to, const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	double most = (double)(c->sm.schedulers * c->sm.issue_width) /
		      (double)c->sm.issue_interval;
	double n = (double)v->s.sm.instructions;
	char text[64], about[96];

	snprintf(text, sizeof(text), "%.2f",
		 ratio_of(n, (double)v->s.sm.cycles));
	snprintf(about, sizeof(about), "of %.3g per SM; %.1f on %d SMs", most,
		 ratio_of(n, v->cycles), (int)c->sm.count);
	html_card(to, "IPC", text, about);
}

static void card_occupancy(FILE *to, const struct run_view *v)
{
	const struct run_occupancy *o = &v->longest->occupancy;
	double warps = ratio_of((double)v->s.sm.warp_cycles,
				(double)v->s.sm.active_cycles);
	char text[64], about[160];

	snprintf(text, sizeof(text), "%.0f%%",
		 100 * ratio_of(warps, (double)o->most_warps));
	snprintf(about, sizeof(about),
		 "%.1f of %" PRIu64 " warps; %" PRIu64 " would fit, "
		 "limited by %s",
		 warps, o->most_warps, o->blocks * o->warps,
		 o->limit[0] ? o->limit : "nothing");
	html_card(to, "Occupancy", text, about);
}

void part_cards(FILE *to, const struct run_view *v)
{
	const struct cfg *c = &v->device->cfg;
	const struct stats *s = &v->s;
	char a[GROUPED_TEXT], text[64], about[96];
	double dram = (double)(s->dram.bytes_read + s->dram.bytes_written);

	html(to, "<dl class=\"cards\">\n");
	snprintf(about, sizeof(about), "at %.0f MHz", c->gpu.clock);
	html_card(to, "Time on the GPU", duration(a, v->seconds), about);
	snprintf(about, sizeof(about), "SMs had work in %.0f%% of them",
		 100 * ratio_of((double)s->sm.active_cycles,
				(double)s->sm.cycles));
	html_card(to, "Cycles", grouped_real(a, v->cycles), about);
	card_ipc(to, v);
	card_occupancy(to, v);
	snprintf(about, sizeof(about), "%.1f of %d lanes active",
		 ratio_of((double)s->sm.lanes, (double)s->sm.instructions),
		 (int)c->sm.warp_size);
	html_card(to, "Warp-instructions",
		  counted(a, (double)s->sm.instructions), about);
	snprintf(text, sizeof(text), "%s/s",
		 bytes_text(a, ratio_of(dram, v->seconds)));
	snprintf(about, sizeof(about), "%.1f%% of %.0f GB/s",
		 100 * ratio_of(dram, v->seconds * c->dram.bandwidth * 1e9),
		 c->dram.bandwidth);
	html_card(to, "DRAM", text, about);
	html(to, "</dl>\n");
}

/* ---- shares of the peak ---- */

static void peak_bars(FILE *to, const struct peak_shares *s, const char *name,
		      const char *fill)
{
	char about[64];

	html(to, "<table class=\"bars\"><tbody>\n");
	html(to, "<tr class=\"all\"><th scope=\"row\">%s</th>", name);
	snprintf(about, sizeof(about), "the busiest part: %s", s->of);
	html(to,
	     "<td class=\"track\"><div><i class=\"%s\" "
	     "style=\"width:%.2f%%\"></i></div></td><td class=\"n\">%.1f%%</td>"
	     "<td class=\"why\">%s</td></tr>\n",
	     fill, 100 * (s->most > 1 ? 1 : s->most), 100 * s->most, about);
	for (size_t i = 0; i < s->count; i++)
		html_bar(to, s->at[i].name, s->at[i].share, fill,
			 s->at[i].about);
	html(to, "</tbody></table>\n");
}

void part_peaks(FILE *to, const struct run_view *v)
{
	struct peak_shares sm = view_sm_shares(v),
			   memory = view_memory_shares(v);

	html_section(to, "Share of the peak",
		     "What each part of the GPU did, relative to what it "
		     "could have done in that time. A part near 100% is the "
		     "bottleneck; if there is none, latency or too few warps "
		     "are the limit.");
	peak_bars(to, &sm, "SM", "sm");
	peak_bars(to, &memory, "Memory", "mem");
	html_section_end(to);
}

/* ---- shares that add up ---- */

struct stat_slice {
	const char *name, *doc;
	const struct nsight_name *nsight;
	int id;
	uint64_t n;
};

static int slices_by_size(const void *a, const void *b)
{
	const struct stat_slice *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->id - y->id;
}

/* The statistics of a group that are not 0, largest first. */
static size_t stat_slices(struct stat_slice *out, const struct stats *s,
			  enum stat_group group, uint64_t *whole)
{
	size_t n = 0;
	int id = 0;

	*whole = 0;
	for (unsigned i = 0; i < stat_count; i++) {
		uint64_t count;

		if (stat_table[i].group != group)
			continue;
		count = stat_value(&stat_table[i], s);
		if (count && stat_name(i)) {
			out[n++] =
				(struct stat_slice){ .name = stat_name(i),
						     .doc = stat_table[i].doc,
						     .nsight = nsight_of(i),
						     .id = id,
						     .n = count };
			*whole += count;
		}
		id++;
	}
	if (n)
		qsort(out, n, sizeof(*out), slices_by_size);
	return n;
}

static void stack_bar(FILE *to, const struct stat_slice *at, size_t n,
		      uint64_t whole, const char *(*class)(int id))
{
	html(to, "<div class=\"stack\" role=\"img\" aria-label=\"the table "
		 "below as one bar\">");
	for (size_t i = 0; i < n; i++) {
		double share = ratio_of((double)at[i].n, (double)whole);

		if (share >= 5e-4)
			html(to,
			     "<i class=\"%s\" style=\"flex:%.3f\" "
			     "title=\"%s %.1f%%\"></i>",
			     class(at[i].id), 1000 * share, at[i].name,
			     100 * share);
	}
	html(to, "</div>\n");
}

static void slice_rows(FILE *to, const struct stat_slice *at, size_t n,
		       uint64_t whole, const char *(*class)(int id),
		       const char *unit)
{
	char a[GROUPED_TEXT];

	html(to,
	     "<table class=\"docs\"><thead><tr><th scope=\"col\">%s</th>"
	     "<th scope=\"col\" class=\"n\">share</th>"
	     "<th scope=\"col\" class=\"n\">%s</th>"
	     "<th scope=\"col\" class=\"doc\">what it means</th></tr></thead>"
	     "<tbody>\n",
	     "what", unit);
	for (size_t i = 0; i < n; i++) {
		html(to,
		     "<tr><th scope=\"row\" class=\"nw\"><span class=\"key "
		     "%s\"></span>%s</th><td class=\"n\">%.1f%%</td>"
		     "<td class=\"n\">%s</td><td class=\"why doc\">%s",
		     class(at[i].id), at[i].name,
		     100 * ratio_of((double)at[i].n, (double)whole),
		     grouped(a, at[i].n), at[i].doc);
		part_nsight(to, at[i].nsight);
		html(to, "</td></tr>\n");
	}
	html(to, "</tbody></table>\n");
}

void part_slots(FILE *to, const struct run_view *v)
{
	struct stat_slice at[REASON_COUNT];
	uint64_t whole;
	size_t n = stat_slices(at, &v->s, STAT_GROUP_reason, &whole);
	char a[GROUPED_TEXT], about[200];

	if (!n)
		return;
	/* Results of older versions have slots that no reason is known for. */
	if (whole < v->s.sm.slots)
		whole = v->s.sm.slots;
	snprintf(about, sizeof(about),
		 "Every cycle of every scheduler is one slot, %s in all: "
		 "either an instruction was issued, or this is the reason why "
		 "not.",
		 grouped(a, whole));
	html_section(to, "Where the issue slots went", about);
	stack_bar(to, at, n, whole, style_reason);
	slice_rows(to, at, n, whole, style_reason, "slots");
	html_section_end(to);
}

static const char *unit_class(int id)
{
	static const char *const class[] = {
		[UNIT_INT] = "k1",     [UNIT_FP32] = "k3", [UNIT_FP64] = "k7",
		[UNIT_FP16] = "k5",    [UNIT_SFU] = "k6",  [UNIT_TENSOR] = "k4",
		[UNIT_LSU] = "k2",     [UNIT_TEX] = "k6",  [UNIT_BRANCH] = "k8",
		[UNIT_UNIFORM] = "k1",
	};

	return (size_t)id < sizeof(class) / sizeof(class[0]) ? class[id] : "k8";
}

void part_mix(FILE *to, const struct run_view *v)
{
	struct stat_slice at[STAT_UNITS];
	const struct stats *s = &v->s;
	uint64_t whole;
	size_t n = stat_slices(at, s, STAT_GROUP_unit, &whole);
	char a[GROUPED_TEXT], about[200];

	if (!n)
		return;
	/* The table of statistics has the same text for all units. */
	for (size_t i = 0; i < n; i++)
		if (at[i].id < UNIT_COUNT)
			at[i].doc =
				cfg_params[CFG_ID_unit_INT_lanes + at[i].id].doc;
	snprintf(about, sizeof(about),
		 "Warp-instructions by functional unit, %s in all; %.1f%% of "
		 "the branches went both ways.",
		 grouped(a, whole),
		 100 * ratio_of((double)s->sm.diverged,
				(double)s->sm.branches));
	html_section(to, "Instruction mix", about);
	stack_bar(to, at, n, whole, unit_class);
	slice_rows(to, at, n, whole, unit_class, "issued");
	html_section_end(to);
}
