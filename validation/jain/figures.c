/* Figures 3 to 14, in the paper's order. */
#include <math.h>

#include "explore/correlate_draw.h"
#include "explore/html.h"
#include "jain.h"

/* clang-format off */
static const char *const class_names[JAIN_CLASSES] = {
#define CLASS(id, abbreviation, name, ptx, plus, programs) [JAIN_##id] = name,
#include "paper.def"
};
/* clang-format on */

/* A figure of points, a panel for each class or one for all. */
struct figure_points {
	const char *heading, *about;
	int metric;
	bool by_class;
};

/* A figure of bars; what has none is one of points. */
struct figure {
	struct figure_points points;
	const char *heading, *about;
	const struct jain_bars *bars;
};

/* ---- points ---- */

static void panel(const struct study_out *o, const struct jain *j, int metric,
		  int class)
{
	struct correlate_filter f = CORRELATE_ALL;

	f.group = class;
	html(o->page, "<figure><h3>%s</h3>",
	     class < 0 ? "all programs" : class_names[class]);
	if (!draw_scatter(o->page, &j->c, &f, metric, DRAW_SET))
		html(o->page, "<p>There is no launch with this metric.</p>");
	html(o->page, "</figure>\n");
}

static enum err points_row(const struct study_out *o, const struct jain *j,
			   int metric, int class, struct diag *d)
{
	struct correlate_filter f = CORRELATE_ALL;
	struct correlate_sum s;
	char text[CORRELATE_ERROR_TEXT];

	f.group = class;
	out_row(o, class < 0 ? "all" : class_names[class]);
	for (int i = 0; i < JAIN_SETS; i++) {
		f.set = jain_set_names[i];
		if (correlate_summarise(&s, &j->c, &f, metric, d))
			return d->code;
		if (!i)
			out_cell(o, "%zu", s.launches);
		out_cell(o, "%s",
			 correlate_size_text(text, metric,
					     s.launches ? s.mean : NAN));
		out_ratio(o, s.launches ? s.ratio : NAN);
		out_percent(o, s.launches ? s.pearson : NAN);
		out_percent(o, s.launches ? s.log_pearson : NAN);
	}
	out_row_end(o);
	return ERR_OK;
}

static enum err write_points(const struct study_out *o, const struct jain *j,
			     const struct figure_points *f, struct diag *d)
{
	static const char *const heads[] = { "launches of class",
					     "launches",
					     "PTX: error",
					     "sim / hw",
					     "correlation",
					     "of logs",
					     "machine code: error",
					     "sim / hw",
					     "correlation",
					     "of logs",
					     NULL };

	out_section(o, f->heading, f->about);
	html(o->page,
	     "<p class=\"about\"><span class=\"key k1\"></span>PTX &nbsp; "
	     "<span class=\"key k2\"></span>machine code</p>"
	     "<div class=\"cols wide\">\n");
	for (int i = f->by_class ? 0 : -1; i < (f->by_class ? JAIN_CLASSES : 0);
	     i++)
		panel(o, j, f->metric, i);
	html(o->page, "</div>\n");
	out_table(o, heads);
	for (int i = -1; i < JAIN_CLASSES; i++)
		if (points_row(o, j, f->metric, i, d))
			return d->code;
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

/* ---- bars ---- */

static void write_bars(const struct study_out *o, const struct jain *j,
		       const struct figure *f)
{
	out_section(o, f->heading, f->about);
	draw_bars_legend(o->page, f->bars);
	for (int i = 0; i < JAIN_CLASSES; i++) {
		html(o->page, "<figure><h3>%s</h3>", class_names[i]);
		draw_bars(o->page, j, f->bars, i);
		html(o->page, "</figure>\n");
	}
	jain_bars_table(o, j, f->bars);
	out_section_end(o);
}

/* ---- the list ---- */

static const struct figure figures[] = {
	{ .points = { "Figure 3: cycles, hardware and simulation",
		      "A point is a launch; on the line, simulation and "
		      "hardware agree. Point at one to see which it is.",
		      CORRELATE_CYCLES, true } },
	{ .heading = "Figure 4: where the cycles go",
	  .about = "Cycles of all launches of a program, relative to PTX, by "
		   "what the issue slots were used for: an instruction was "
		   "issued; one was ready, and a unit was busy (pipeline); all "
		   "waited for results (scoreboard) or for something else, "
		   "such as a barrier or instructions (idle); or there was no "
		   "warp: before the first block and after the last, SMs "
		   "without a block. The paper counts that as idle, too.",
	  .bars = &jain_slots },
	{ .points = { "Figure 5: warp-instructions, hardware and simulation",
		      "The paper: PTX about 20% off in every class, PTXPlus "
		      "4.2% (compute-intensive) to 41.6% (compute-balanced).",
		      CORRELATE_INSTRUCTIONS, true } },
	{ .heading = "Figure 6: warp-instructions by kind",
	  .about = "Relative to PTX, by the unit that executes them.",
	  .bars = &jain_mix },
	{ .points = { "Figure 7: lane occupancy",
		      "Active lanes of a warp-instruction, of 32, without those "
		      "whose guard is false.",
		      CORRELATE_LANES, false } },
	{ .heading = "Figure 8: instruction cache",
	  .about = "Lines of instructions that warps requested, relative to "
		   "PTX. The paper: all programs hit above 95%.",
	  .bars = &jain_fetches },
	{ .points = { "Figure 8, beside hardware: hit rate of the L1 "
		      "instruction cache",
		      "Of the requests that the schedulers' own caches missed.",
		      CORRELATE_ICACHE_HITS, false } },
	{ .heading = "Figure 9: memory instructions by region",
	  .about = "Relative to PTX. The paper: PTX loads parameters, PTXPlus "
		   "does not. Here parameters of PTX are operands, which no "
		   "memory instruction loads, and machine code loads them from "
		   "constant memory.",
	  .bars = &jain_regions },
	{ .points = { "Figure 10: divergence of stores",
		      "Sectors of 32 bytes that a store of a warp touches, 1 "
		      "to 32. The paper: on the lines y = x and y = 0.25 x, for "
		      "its simulator made requests of 128 bytes where hardware "
		      "makes four of 32.",
		      CORRELATE_STORE_DIVERGENCE, false } },
	{ .points = { "Figure 10, loads", "The same of loads.",
		      CORRELATE_LOAD_DIVERGENCE, false } },
	{ .points = { "Figure 11: global memory requests",
		      "Sectors that loads and stores request after coalescing.",
		      CORRELATE_L1_GLOBAL, false } },
	{ .points = { "Figure 12: L2 accesses",
		      "Sectors read, written and updated by SMs.",
		      CORRELATE_L2_SECTORS, false } },
	{ .points = { "Figure 13: L2 hit rate", "By sector.",
		      CORRELATE_L2_HITS, false } },
	{ .points = { "Figure 14: DRAM reads",
		      "Bytes. The paper: correlation of 37% for cache-sensitive "
		      "programs, highest for memory-sensitive ones.",
		      CORRELATE_DRAM_READ, true } },
};

enum err jain_write_figures(const struct study_out *o, const struct jain *j,
			    struct diag *d)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (figures[i].bars)
			write_bars(o, j, &figures[i]);
		else if (write_points(o, j, &figures[i].points, d))
			return d->code;
	}
	return ERR_OK;
}
