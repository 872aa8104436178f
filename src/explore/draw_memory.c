#include <stdlib.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/draw.h"
#include "explore/html.h"

/*
 *	y0  +----------------------------+
 *	    | SMs  [shared] [L1] [const] |
 *	    +----------------------------+
 *	         | out         ^ in
 *	y1  +----------------------------+
 *	    | L2                         |
 *	    +----------------------------+
 *	         | written     ^ read
 *	y2  +----------------------------+
 *	    | DRAM                       |
 *	    +----------------------------+
 */
enum {
	WIDTH = 400,
	EDGE = 6,
	SM_TOP = 6,
	SM_HEIGHT = 136,
	GAP = 84,
	L2_TOP = SM_TOP + SM_HEIGHT + GAP,
	LEVEL_HEIGHT = 74,
	DRAM_TOP = L2_TOP + LEVEL_HEIGHT + GAP,
	HEIGHT = DRAM_TOP + LEVEL_HEIGHT + 6,
	DOWN = 164,
	UP = 236,
};

static void draw_box(FILE *to, int x, int y, int width, int height)
{
	html(to,
	     "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" "
	     "height=\"%d\" rx=\"6\"/>\n",
	     x, y, width, height);
}

static void draw_label(FILE *to, int x, int y, const char *class, int size,
		       const char *anchor, const char *text)
{
	html(to,
	     "<text class=\"%s\" x=\"%d\" y=\"%d\" font-size=\"%d\" "
	     "text-anchor=\"%s\">%s</text>\n",
	     class, x, y, size, anchor, text);
}

/* An arrow between two levels, as thick as its share of the peak, with the
 * bytes that went that way and their rate. */
static void draw_arrow(FILE *to, int y, bool down, double bytes, double seconds,
		       double share, const char *what)
{
	int x = down ? DOWN : UP, tip = down ? y + GAP - 4 : y + 4;
	int tail = down ? y + 4 : y + GAP - 4, head = down ? -9 : 9;
	int side = down ? x - 16 : x + 16;
	const char *anchor = down ? "end" : "start";
	const char *class = down ? "down" : "up";
	double width = 1.5 + 10 * (share > 1 ? 1 : share);
	char a[GROUPED_TEXT], b[GROUPED_TEXT], text[80];

	html(to,
	     "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
	     "stroke-width=\"%.1f\"/>\n",
	     class, x, tail, x, tip + head, width);
	html(to, "<polygon class=\"%sh\" points=\"%d,%d %d,%d %d,%d\"/>\n",
	     class, x, tip, x - 8, tip + head, x + 8, tip + head);
	draw_label(to, side, y + 24, "t2", 12, anchor, what);
	draw_label(to, side, y + 43, "t", 15, anchor, bytes_text(a, bytes));
	snprintf(text, sizeof(text), "%s/s, %.1f%%",
		 bytes_text(b, ratio_of(bytes, seconds)), 100 * share);
	draw_label(to, side, y + 61, "t2", 12, anchor, text);
}

static void draw_heading(FILE *to, int y, const char *name, const char *about)
{
	draw_label(to, EDGE + 14, y, "t", 15, "start", name);
	draw_label(to, WIDTH - EDGE - 14, y, "t2", 12, "end", about);
}

/* A box inside that of the SMs: a name, a number and a remark. */
static void draw_sm_part(FILE *to, int place, const char *name,
			 const char *number, const char *about)
{
	const int width = 118, x = EDGE + 9 + place * (width + 8);
	const int y = SM_TOP + 52;

	draw_box(to, x, y, width, 74);
	draw_label(to, x + width / 2, y + 19, "t", 13, "middle", name);
	draw_label(to, x + width / 2, y + 43, "t", 18, "middle", number);
	draw_label(to, x + width / 2, y + 62, "t2", 11, "middle", about);
}

static void format_hits(char *number, size_t size, char *about, size_t room,
			uint64_t hit, uint64_t reads)
{
	char a[GROUPED_TEXT];

	if (reads) {
		snprintf(number, size, "%.1f%%",
			 100 * ratio_of((double)hit, (double)reads));
		snprintf(about, room, "of %s reads hit",
			 counted(a, (double)reads));
	} else {
		snprintf(number, size, "-");
		snprintf(about, room, "no reads");
	}
}

static void draw_sm_level(FILE *to, const struct run_view *v)
{
	const struct stats *s = &v->s;
	const struct cfg *c = &v->device->cfg;
	uint64_t constants = s->lsu.const_l0_hits + s->lsu.const_l1_hits +
			     s->lsu.const_misses;
	char name[64], number[32], about[64], a[GROUPED_TEXT];

	draw_box(to, EDGE, SM_TOP, WIDTH - 2 * EDGE, SM_HEIGHT);
	snprintf(name, sizeof(name), "%d SM%s", (int)c->sm.count,
		 c->sm.count == 1 ? "" : "s");
	snprintf(about, sizeof(about), "%s warp-instructions",
		 counted(a, (double)s->sm.instructions));
	draw_heading(to, SM_TOP + 30, name, about);
	if (s->lsu.shared_passes) {
		snprintf(number, sizeof(number), "%s",
			 counted(a, (double)s->lsu.shared_passes));
		snprintf(about, sizeof(about), "passes, %.1f%% conflicts",
			 100 * ratio_of((double)s->lsu.shared_conflicts,
					(double)s->lsu.shared_passes));
	} else {
		snprintf(number, sizeof(number), "-");
		snprintf(about, sizeof(about), "not used");
	}
	draw_sm_part(to, 0, "shared memory", number, about);
	format_hits(number, sizeof(number), about, sizeof(about),
		    s->l1.read_hits, s->l1.reads);
	draw_sm_part(to, 1, c->l1.on ? "L1" : "L1, off", number, about);
	format_hits(number, sizeof(number), about, sizeof(about),
		    s->lsu.const_l0_hits, constants);
	draw_sm_part(to, 2, "constant L0", number, about);
}

static void draw_l2(FILE *to, const struct run_view *v)
{
	const struct stats *s = &v->s;
	const struct cfg *c = &v->device->cfg;
	char about[160], number[32], text[256], size[CFG_VALUE_SIZE];
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	draw_box(to, EDGE, L2_TOP, WIDTH - 2 * EDGE, LEVEL_HEIGHT);
	cfg_bytes_print(size, c->l2.bytes);
	snprintf(about, sizeof(about), "%s, %d slices", size,
		 (int)c->l2.slices);
	draw_heading(to, L2_TOP + 28, c->l2.on ? "L2" : "L2, off", about);
	format_hits(number, sizeof(number), about, sizeof(about),
		    s->l2.read_hits, s->l2.reads);
	snprintf(text, sizeof(text), "%s %s", number, about);
	draw_label(to, EDGE + 14, L2_TOP + 54, "t", 13, "start", text);
	snprintf(text, sizeof(text), "%s writes, %s atomics",
		 counted(a, (double)s->l2.writes),
		 counted(b, (double)s->l2.atomics));
	draw_label(to, WIDTH - EDGE - 14, L2_TOP + 54, "t2", 12, "end", text);
}

static void draw_dram(FILE *to, const struct run_view *v)
{
	const struct stats *s = &v->s;
	const struct cfg *c = &v->device->cfg;
	uint64_t served = s->dram.reads + s->dram.writes;
	char about[160], text[160], standard[CFG_VALUE_SIZE], a[GROUPED_TEXT];

	draw_box(to, EDGE, DRAM_TOP, WIDTH - 2 * EDGE, LEVEL_HEIGHT);
	cfg_value_print(standard, c, CFG_ID_dram_standard);
	snprintf(about, sizeof(about), "%s, %d channels, %sB/s", standard,
		 (int)c->dram.channels, scaled(a, c->dram.bandwidth * 1e9));
	draw_heading(to, DRAM_TOP + 28, "DRAM", about);
	if (served)
		snprintf(text, sizeof(text),
			 "%.1f%% of %s requests hit an open row",
			 100 * ratio_of((double)s->dram.row_hits,
					(double)served),
			 counted(a, (double)served));
	else
		snprintf(text, sizeof(text), "not used");
	draw_label(to, EDGE + 14, DRAM_TOP + 54, "t", 13, "start", text);
}

void draw_memory(FILE *to, const struct run_view *v)
{
	const struct stats *s = &v->s;
	const struct cfg *c = &v->device->cfg;
	double cycles = (double)s->sm.cycles;
	double peak = v->seconds * c->dram.bandwidth * 1e9;
	double out = (double)s->lsu.bytes_out, in = (double)s->lsu.bytes_in;
	double written = (double)s->dram.bytes_written;
	double read = (double)s->dram.bytes_read;

	html(to,
	     "<svg class=\"memory\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
	     "<title>The memory hierarchy: traffic between SMs, L2 and "
	     "DRAM</title>\n",
	     WIDTH, HEIGHT);
	draw_sm_level(to, v);
	draw_arrow(to, SM_TOP + SM_HEIGHT, true, out, v->seconds,
		   ratio_of(out, cycles * (double)c->net.sm_out),
		   "requests and stores");
	draw_arrow(to, SM_TOP + SM_HEIGHT, false, in, v->seconds,
		   ratio_of(in, cycles * (double)c->net.sm_in), "replies");
	draw_l2(to, v);
	draw_arrow(to, L2_TOP + LEVEL_HEIGHT, true, written, v->seconds,
		   ratio_of(written, peak), "written");
	draw_arrow(to, L2_TOP + LEVEL_HEIGHT, false, read, v->seconds,
		   ratio_of(read, peak), "read");
	draw_dram(to, v);
	html(to, "</svg>\n");
}
