/* Bars of programs, stacked from parts: PTX above machine code. */
#include <math.h>
#include <string.h>

#include "explore/html.h"
#include "jain.h"

enum {
	WIDTH = 920,
	LEFT = 170,
	RIGHT = 880,
	TOP = 22,
	ROW = 26,
	THICK = 9,
};

/* Longer bars are cut, and say how long they are. */
#define LONGEST 2.5

static double sum_parts(double part[JAIN_PARTS], const struct jain_bars *b,
			const struct jain_side *s)
{
	double sum = 0;

	memset(part, 0, JAIN_PARTS * sizeof(*part));
	b->split(part, s);
	for (int i = 0; i < JAIN_PARTS; i++)
		sum += part[i];
	return sum;
}

/* ---- what the parts are ---- */

/* The paper's kinds of cycles (its Section 4.1.1). */
enum {
	SLOT_UNKNOWN,
	SLOT_ISSUED,
	SLOT_PIPELINE,
	SLOT_SCOREBOARD,
	SLOT_IDLE,
	SLOT_EMPTY, /* idle as well, for the paper */
};

static const unsigned char slot_of[REASON_COUNT] = {
	[REASON_ISSUED] = SLOT_ISSUED,
	[REASON_INT] = SLOT_PIPELINE,
	[REASON_FP32] = SLOT_PIPELINE,
	[REASON_FP64] = SLOT_PIPELINE,
	[REASON_FP16] = SLOT_PIPELINE,
	[REASON_SFU] = SLOT_PIPELINE,
	[REASON_TENSOR] = SLOT_PIPELINE,
	[REASON_LSU] = SLOT_PIPELINE,
	[REASON_TEX] = SLOT_PIPELINE,
	[REASON_BRANCH] = SLOT_PIPELINE,
	[REASON_UNIFORM] = SLOT_PIPELINE,
	[REASON_REGISTERS] = SLOT_PIPELINE,
	[REASON_PACE] = SLOT_PIPELINE,
	[REASON_THROTTLED] = SLOT_PIPELINE,
	[REASON_DEPENDENCE] = SLOT_SCOREBOARD,
	[REASON_SHARED] = SLOT_SCOREBOARD,
	[REASON_CONSTANT] = SLOT_SCOREBOARD,
	[REASON_MEMORY] = SLOT_SCOREBOARD,
	[REASON_ATOMIC] = SLOT_SCOREBOARD,
	[REASON_REDIRECT] = SLOT_IDLE,
	[REASON_FETCH] = SLOT_IDLE,
	[REASON_FENCE] = SLOT_IDLE,
	[REASON_BARRIER] = SLOT_IDLE,
	[REASON_CONVERGE] = SLOT_IDLE,
	[REASON_SLEEP] = SLOT_IDLE,
	[REASON_DRAIN] = SLOT_IDLE,
	[REASON_UNFILLED] = SLOT_EMPTY,
	[REASON_LAUNCH] = SLOT_EMPTY,
	[REASON_TAIL] = SLOT_EMPTY,
	[REASON_NO_BLOCK] = SLOT_EMPTY,
};

static void split_slots(double part[JAIN_PARTS], const struct jain_side *s)
{
	double slots = (double)s->stats.sm.slots;

	for (int i = 0; i < REASON_COUNT; i++) {
		CHECK(slot_of[i] != SLOT_UNKNOWN);
		part[slot_of[i] - SLOT_ISSUED] +=
			s->cycles * (double)s->stats.reason[i] / slots;
	}
}

static double hardware_cycles(const struct jain_program *p)
{
	return p->hardware_cycles;
}

static double hardware_instructions(const struct jain_program *p)
{
	return p->hardware_instructions;
}

static void split_mix(double part[JAIN_PARTS], const struct jain_side *s)
{
	static const unsigned char kind[UNIT_COUNT] = {
		[UNIT_INT] = 0,	   [UNIT_FP32] = 1, [UNIT_FP64] = 2,
		[UNIT_FP16] = 2,   [UNIT_SFU] = 3,  [UNIT_TENSOR] = 2,
		[UNIT_LSU] = 4,	   [UNIT_TEX] = 4,  [UNIT_BRANCH] = 5,
		[UNIT_UNIFORM] = 6
	};

	for (int i = 0; i < UNIT_COUNT; i++)
		part[kind[i]] += (double)s->stats.unit[i];
}

static void split_fetches(double part[JAIN_PARTS], const struct jain_side *s)
{
	const struct stat_front *f = &s->stats.front;
	/* Misses of the L0 and prefetches look the L1 up together. */
	double looked_up = (double)(f->l1_hits + f->l1_misses);
	double missed =
		looked_up > 0 ?
			(double)f->l0_misses * (double)f->l1_misses / looked_up :
			0;

	part[0] = (double)f->l0_hits;
	part[1] = (double)f->l0_pending;
	part[2] = (double)f->l0_misses - missed;
	part[3] = missed;
}

static void split_regions(double part[JAIN_PARTS], const struct jain_side *s)
{
	const struct stat_lsu *l = &s->stats.lsu;

	part[0] = (double)(l->global_loads + l->global_stores +
			   l->global_atomics);
	part[1] = (double)(l->shared_loads + l->shared_stores +
			   l->shared_atomics);
	part[2] = (double)l->const_loads;
	part[3] = (double)(l->local_loads + l->local_stores);
	part[4] = (double)l->textures;
	part[5] = (double)l->async_copies;
}

const struct jain_bars jain_slots = {
	"cycles",
	{ "issued", "pipeline stall", "scoreboard stall", "idle", "no warp" },
	split_slots,
	hardware_cycles,
};
const struct jain_bars jain_mix = {
	"warp-instructions",
	{ "integer", "FP32", "FP64, FP16, tensor", "special function", "memory",
	  "control", "uniform" },
	split_mix,
	hardware_instructions,
};
const struct jain_bars jain_fetches = {
	"instruction lines requested",
	{ "hit in the L0", "in flight to the L0", "hit in the L1",
	  "missed the L1" },
	split_fetches,
	NULL,
};
const struct jain_bars jain_regions = {
	"memory instructions",
	{ "global", "shared", "constant", "local", "texture",
	  "asynchronous copy" },
	split_regions,
	NULL,
};

/* ---- the picture ---- */

static double bar_x(double v)
{
	return LEFT + (RIGHT - LEFT) * fmin(v, LONGEST) / LONGEST;
}

static void draw_bar(FILE *to, const struct jain_bars *b,
		     const struct jain_program *p, enum jain_set set, double y,
		     double unit)
{
	double part[JAIN_PARTS], from = 0;
	double sum = sum_parts(part, b, &p->side[set]);

	html(to, "<g><title>%s, %s: %.2f of PTX", p->name, jain_set_names[set],
	     sum / unit);
	for (int i = 0; i < JAIN_PARTS && b->parts[i]; i++)
		html(to, ", %s %.1f%%", b->parts[i],
		     sum > 0 ? 100 * part[i] / sum : 0);
	html(to, "</title>");
	for (int i = 0; i < JAIN_PARTS && b->parts[i]; i++) {
		double end = from + part[i] / unit;

		if (bar_x(end) > bar_x(from))
			html(to,
			     "<rect style=\"fill:var(--c%d)\" x=\"%.1f\" "
			     "y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
			     i + 1, bar_x(from), y, bar_x(end) - bar_x(from),
			     THICK);
		from = end;
	}
	if (from > LONGEST)
		html(to,
		     "<text class=\"t2\" x=\"%d\" y=\"%.1f\" font-size=\"10\">"
		     "%.1f</text>",
		     RIGHT + 4, y + THICK - 1, from);
	html(to, "</g>\n");
}

static void draw_row(FILE *to, const struct jain_bars *b,
		     const struct jain_program *p, double y)
{
	double part[JAIN_PARTS];
	double unit = sum_parts(part, b, &p->side[JAIN_PTX]);
	double hardware = b->hardware ? b->hardware(p) / unit : NAN;

	html(to,
	     "<text x=\"%d\" y=\"%.1f\" font-size=\"12\" "
	     "text-anchor=\"end\">%s</text>",
	     LEFT - 8, y + THICK + 4, p->name);
	if (!(unit > 0))
		return;
	draw_bar(to, b, p, JAIN_PTX, y, unit);
	draw_bar(to, b, p, JAIN_SASS, y + THICK + 2, unit);
	if (isnan(hardware))
		return;
	html(to,
	     "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" "
	     "style=\"fill:var(--bg);stroke:var(--ink);stroke-width:1.5\">"
	     "<title>%s on hardware: %.2f of PTX</title></circle>\n",
	     bar_x(hardware), y + THICK + 1, p->name, hardware);
}

static void draw_grid(FILE *to, int height)
{
	for (int i = 0; i <= 5; i++)
		html(to,
		     "<path class=\"%s\" d=\"M%.1f %dV%d\"/><text class=\"t2\" "
		     "x=\"%.1f\" y=\"14\" font-size=\"11\" "
		     "text-anchor=\"middle\">%.1f</text>\n",
		     i == 2 ? "axis" : "grid", bar_x(0.5 * i), TOP, height,
		     bar_x(0.5 * i), 0.5 * i);
}

void draw_bars(FILE *to, const struct jain *j, const struct jain_bars *b,
	       enum jain_class class)
{
	int rows = 0;

	for (size_t i = 0; i < j->count; i++)
		rows += j->programs[i].class == class;
	if (!rows)
		return;
	html(to,
	     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s of programs, "
	     "relative to PTX</title>\n",
	     WIDTH, TOP + ROW * rows + 4, b->name);
	draw_grid(to, TOP + ROW * rows);
	rows = 0;
	for (size_t i = 0; i < j->count; i++)
		if (j->programs[i].class == class)
			draw_row(to, b, &j->programs[i],
				 TOP + ROW * rows++ + 3);
	html(to, "</svg>\n");
}

void draw_bars_legend(FILE *to, const struct jain_bars *b)
{
	html(to, "<p class=\"about\">");
	for (int i = 0; i < JAIN_PARTS && b->parts[i]; i++)
		html(to,
		     "<span class=\"nw\"><span class=\"key k%d\"></span>%s"
		     "</span> &nbsp; ",
		     i + 1, b->parts[i]);
	html(to, "above PTX, below machine code%s</p>\n",
	     b->hardware ? "; the circle is hardware" : "");
}

/* ---- shares ---- */

static void shares_row(const struct study_out *o, const struct jain *j,
		       const struct jain_bars *b, int class, enum jain_set set,
		       const char *name)
{
	double share[JAIN_PARTS] = { 0 }, part[JAIN_PARTS], ratio = 0, n = 0;

	for (size_t i = 0; i < j->count; i++) {
		const struct jain_program *p = &j->programs[i];
		double ptx = sum_parts(part, b, &p->side[JAIN_PTX]);
		double sum = sum_parts(part, b, &p->side[set]);

		if ((int)p->class != class || !(ptx > 0) || !(sum > 0))
			continue;
		n++;
		ratio += log(sum / ptx);
		for (int k = 0; k < JAIN_PARTS; k++)
			share[k] += part[k] / sum;
	}
	if (!(n > 0))
		return;
	out_row(o, name);
	out_ratio(o, exp(ratio / n));
	for (int k = 0; k < JAIN_PARTS && b->parts[k]; k++)
		out_percent(o, share[k] / n);
	out_row_end(o);
}

void jain_bars_table(const struct study_out *o, const struct jain *j,
		     const struct jain_bars *b)
{
	/* clang-format off */
	static const char *const classes[] = {
#define CLASS(id, abbreviation, name, ptx, plus, programs) name,
#include "paper.def"
	};
	/* clang-format on */
	const char *heads[JAIN_PARTS + 3] = { "means over programs",
					      "relative to PTX" };
	char name[80];

	for (int i = 0; i < JAIN_PARTS && b->parts[i]; i++)
		heads[i + 2] = b->parts[i];
	out_table(o, heads);
	for (int i = 0; i < JAIN_CLASSES; i++)
		for (int k = 0; k < JAIN_SETS; k++) {
			snprintf(name, sizeof(name), "%s, %s", classes[i],
				 jain_set_names[k]);
			shares_row(o, j, b, i, k, name);
		}
	out_table_end(o);
}
