/* Figure 15: cache-conscious scheduling, under both instruction sets. */
#include <math.h>

#include "explore/html.h"
#include "jain.h"

enum {
	WIDTH = 460,
	LEFT = 110,
	RIGHT = 430,
	TOP = 22,
	ROW = 30,
	THICK = 10,
};

/* Longer bars are cut. */
#define LONGEST 1.5

typedef const struct jain_variant_run study_runs[JAIN_VARIANTS];

/* How many times as fast ccws is as gto. */
static double study_gain(study_runs v, bool own, enum jain_set set)
{
	return v[jain_scheduled(own, set, false)].cycles /
	       v[jain_scheduled(own, set, true)].cycles;
}

static void miss_rates(const struct study_out *o, study_runs v, bool own,
		       enum jain_set set)
{
	for (int ccws = 0; ccws < 2; ccws++) {
		const struct jain_variant_run *r =
			&v[jain_scheduled(own, set, ccws)];

		out_percent(o, r->l1_sectors > 0 ?
				       r->l1_missed / r->l1_sectors :
				       NAN);
	}
}

static void study_row(const struct study_out *o, const char *name, study_runs v,
		      const char *says, bool own)
{
	out_row(o, name);
	for (int i = 0; i < JAIN_SETS; i++) {
		out_ratio(o, study_gain(v, own, i));
		miss_rates(o, v, own, i);
	}
	/* Under gto. */
	out_ratio(o, v[jain_scheduled(own, JAIN_PTX, false)].cycles /
			     v[jain_scheduled(own, JAIN_SASS, false)].cycles);
	out_words(o, own ? "" : says);
	out_row_end(o);
}

/* ---- the picture ---- */

static double bar_x(double gain)
{
	return LEFT + (RIGHT - LEFT) * fmin(gain, LONGEST) / LONGEST;
}

static void draw_gains(FILE *to, const char *name, study_runs v, bool own,
		       double y)
{
	html(to,
	     "<text x=\"%d\" y=\"%.1f\" font-size=\"12\" "
	     "text-anchor=\"end\">%s</text>",
	     LEFT - 8, y + THICK + 4, name);
	for (int i = 0; i < JAIN_SETS; i++) {
		double gain = study_gain(v, own, i);

		if (isnan(gain))
			continue;
		html(to,
		     "<rect class=\"p%d\" x=\"%d\" y=\"%.1f\" "
		     "width=\"%.1f\" height=\"%d\"><title>%s, %s: %.3f"
		     "</title></rect>\n",
		     i + 1, LEFT, y + (THICK + 2) * i, bar_x(gain) - LEFT,
		     THICK, name, jain_set_names[i], gain);
	}
}

static void draw_study(FILE *to, const struct jain *j, bool own)
{
	int height = TOP + ROW * JAIN_STUDIED;

	html(to,
	     "<figure><h3>%s</h3><svg viewBox=\"0 0 %d %d\" role=\"img\">"
	     "<title>Speed of ccws over gto</title>\n",
	     own ? "the H200's L1" : "an L1 of 48 KB", WIDTH, height + 4);
	for (int i = 0; i < JAIN_STUDIED; i++)
		draw_gains(to, jain_study_info[i].name, j->studied[i], own,
			   TOP + ROW * i + 3);
	for (int i = 0; i <= 3; i++)
		html(to,
		     "<path class=\"%s\" d=\"M%.1f %dV%d\"/><text "
		     "class=\"t2\" x=\"%.1f\" y=\"14\" font-size=\"11\" "
		     "text-anchor=\"middle\">%.1f</text>\n",
		     i == 2 ? "axis" : "grid", bar_x(0.5 * i), TOP, height,
		     bar_x(0.5 * i), 0.5 * i);
	html(to, "</svg></figure>\n");
}

/* ---- the numbers ---- */

static void study_table(const struct study_out *o, const struct jain *j,
			bool own)
{
	const char *const heads[] = { own ? "H200's L1" : "L1 of 48 KB",
				      "PTX: ccws over gto",
				      "misses, gto",
				      "ccws",
				      "machine code: ccws over gto",
				      "misses, gto",
				      "ccws",
				      "gto: machine code over PTX, speed",
				      own ? "" : "the paper",
				      NULL };

	out_table(o, heads);
	for (int i = 0; i < JAIN_STUDIED; i++)
		study_row(o, jain_study_info[i].name, j->studied[i],
			  jain_study_info[i].says, own);
	out_table_end(o);
}

void jain_write_study(const struct study_out *o, const struct jain *j)
{
	out_section(o, "Figure 15: cache-conscious scheduling",
		    "How many times as fast cache-conscious wavefront "
		    "scheduling (ccws) makes a program as greedy, then oldest "
		    "(gto), and which share of the sectors misses the L1. Four "
		    "SMs of an H200, which the programs fill, with an L2 of 384 "
		    "KB and a DRAM of 160 GB/s; first with the L1 of the paper's "
		    "GPU, then with the H200's. black_scholes was compiled for "
		    "24 registers, so that it spills some; hotspot needs no "
		    "more than 24.");
	html(o->page,
	     "<p class=\"about\"><span class=\"key k1\"></span>PTX &nbsp; "
	     "<span class=\"key k2\"></span>machine code</p>"
	     "<div class=\"cols wide\">\n");
	draw_study(o->page, j, false);
	draw_study(o->page, j, true);
	html(o->page, "</div>\n");
	study_table(o, j, false);
	study_table(o, j, true);
	out_section_end(o);
}
