/* The paper's tables of programs and errors: 1, 5, 6, 7 and 8. */
#include <math.h>
#include <string.h>

#include "jain.h"

/* ---- the paper's numbers ---- */

#define HIGH -1
#define NONE -2

/* In percent, or one of the two. */
static void theirs(const struct study_out *o, double percent)
{
	if (percent == HIGH)
		out_cell(o, "High");
	else if (percent == NONE)
		out_cell(o, "-");
	else
		out_cell(o, "%.1f%%", percent);
}

struct paper_class {
	const char *name;
	double error[JAIN_SETS];
	const char *programs;
};

/* clang-format off */
static const struct paper_class paper_class[JAIN_CLASSES] = {
#define CLASS(id, abbreviation, name, ptx, plus, programs) \
	[JAIN_##id] = { name " (" abbreviation ")", { ptx, plus }, programs },
#include "paper.def"
};

struct paper_row {
	int metric;
	const char *name;
	/* By GPU: the Titan X, the GTX 480. */
	double error[2][JAIN_SETS], correlation[2][JAIN_SETS];
};

static const struct paper_row paper_rows[] = {
#define ROW(metric, name, ep, em, cp, cm, fep, fem, fcp, fcm) \
	{ CORRELATE_##metric, name, { { ep, em }, { fep, fem } }, \
	  { { cp, cm }, { fcp, fcm } } },
#include "paper.def"
};
/* clang-format on */

enum { PAPER_ROWS = sizeof(paper_rows) / sizeof(*paper_rows) };

/* ---- classes ---- */

static void traits_row(const struct study_out *o, const struct jain_program *p)
{
	out_row(o, p->name);
	out_words(o, paper_class[p->class].name);
	out_ratio(o, p->traits.cache_gain);
	out_ratio(o, p->traits.bandwidth_gain);
	out_ratio(o, p->traits.ipc);
	out_percent(o, p->traits.l1_misses);
	out_percent(o, p->traits.l2_misses);
	out_percent(o, p->traits.dram_use);
	out_row_end(o);
}

static void traits_table(const struct study_out *o, const struct jain *j)
{
	static const char *const heads[] = {
		"program",	 "class", "gain by caches", "by bandwidth",
		"IPC",		 "L1 miss rate", "L2 miss rate",
		"DRAM use",	 NULL
	};

	out_details(o, "What the classes are found by, program by program");
	out_table(o, heads);
	for (int i = 0; i < JAIN_CLASSES; i++)
		for (size_t k = 0; k < j->count; k++)
			if ((int)j->programs[k].class == i)
				traits_row(o, &j->programs[k]);
	out_table_end(o);
	out_details_end(o);
}

/* The names of a class, as a list. */
static void class_names(const struct study_out *o, const struct jain *j,
			enum jain_class class)
{
	char text[4096] = "";
	size_t n = 0;

	for (size_t i = 0; i < j->count; i++)
		if (j->programs[i].class == class && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%s%s", n ? ", " : "",
					      j->programs[i].name);
	out_words(o, n ? text : "none");
}

static void classes(const struct study_out *o, const struct jain *j)
{
	static const char *const heads[] = { "class", "programs", "ours",
					     "the paper's", NULL };

	out_section(o, "Tables 5 and 6: the classes of programs",
		    "Cache-sensitive: at least 1.10 times as fast with the "
		    "H200's caches (an L1 of 256 KB, an L2 of 60 MB) as with "
		    "those that the paper's GPU has by default (no L1, an L2 "
		    "of 3 MB). Memory-sensitive: at least "
		    "1.10 times as fast with the H200's bandwidth as with half "
		    "of it. Both gains are simulated, of machine code; the "
		    "larger decides. Compute-intensive: at least 1.5 "
		    "warp-instructions per SM and cycle with a block, on "
		    "hardware. Compute-balanced: none of these.");
	out_table(o, heads);
	for (int i = 0; i < JAIN_CLASSES; i++) {
		size_t n = 0;

		for (size_t k = 0; k < j->count; k++)
			n += (int)j->programs[k].class == i;
		out_row(o, paper_class[i].name);
		out_cell(o, "%zu", n);
		class_names(o, j, i);
		out_words(o, paper_class[i].programs);
		out_row_end(o);
	}
	out_table_end(o);
	traits_table(o, j);
	out_section_end(o);
}

/* ---- Table 1 ---- */

static enum err sums_of(struct correlate_sum s[JAIN_SETS],
			const struct correlate *c, int group, int metric,
			struct diag *d)
{
	for (int i = 0; i < JAIN_SETS; i++) {
		struct correlate_filter f = CORRELATE_ALL;

		f.set = jain_set_names[i];
		f.group = group;
		if (correlate_summarise(&s[i], c, &f, metric, d))
			return d->code;
	}
	return ERR_OK;
}

/* error: the paper's, or NULL. */
static enum err class_row(const struct study_out *o, const struct jain *j,
			  int class, const char *name, const double *error,
			  struct diag *d)
{
	struct correlate_sum s[JAIN_SETS];

	if (sums_of(s, &j->c, class, CORRELATE_CYCLES, d))
		return d->code;
	out_row(o, name);
	out_cell(o, "%zu", s[JAIN_SASS].launches);
	for (int i = 0; i < JAIN_SETS; i++)
		out_percent(o, s[i].launches ? s[i].mean : NAN);
	for (int i = 0; i < JAIN_SETS; i++)
		out_percent(o, s[i].launches ? s[i].program_mean : NAN);
	for (int i = 0; i < JAIN_SETS; i++)
		theirs(o, error ? error[i] : NONE);
	out_row_end(o);
	return ERR_OK;
}

static enum err table_1(const struct study_out *o, const struct jain *j,
			struct diag *d)
{
	static const char *const heads[] = {
		"class",	     "launches",
		"PTX, by launch",    "machine code",
		"PTX, by program",   "machine code",
		"paper: PTX",	     "paper: machine code",
		NULL
	};
	/* The paper has this one in Table 7. */
	static const double all[JAIN_SETS] = { 65.5, 71.9 };

	out_section(o, "Table 1: error of cycles by class",
		    "The mean of absolute errors over launches, as in the "
		    "paper, and over programs, of their means.");
	out_table(o, heads);
	for (int i = 0; i < JAIN_CLASSES; i++)
		if (class_row(o, j, i, paper_class[i].name,
			      paper_class[i].error, d))
			return d->code;
	if (class_row(o, j, -1, "all", all, d))
		return d->code;
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

/* ---- Tables 7 and 8 ---- */

static void error_text(const struct study_out *o, int metric,
		       const struct correlate_sum *s)
{
	char text[CORRELATE_ERROR_TEXT];

	out_cell(o, "%s",
		 correlate_size_text(text, metric,
				     s->launches ? s->mean : NAN));
}

/* gpu: 0, the Titan X, or 1, the GTX 480. */
static enum err summary_row(const struct study_out *o, const struct jain *j,
			    const struct paper_row *r, int gpu, struct diag *d)
{
	struct correlate_sum s[JAIN_SETS];

	if (sums_of(s, &j->c, -1, r->metric, d))
		return d->code;
	out_row(o, r->name);
	out_cell(o, "%zu", s[JAIN_SASS].launches);
	for (int i = 0; i < JAIN_SETS; i++)
		error_text(o, r->metric, &s[i]);
	for (int i = 0; i < JAIN_SETS; i++)
		out_percent(o, s[i].launches ? s[i].pearson : NAN);
	for (int i = 0; i < JAIN_SETS; i++)
		theirs(o, r->error[gpu][i]);
	for (int i = 0; i < JAIN_SETS; i++)
		theirs(o, r->correlation[gpu][i]);
	out_row_end(o);
	return ERR_OK;
}

static enum err summary(const struct study_out *o, const struct jain *j, int gpu,
			struct diag *d)
{
	static const char *const heads[] = {
		"statistic",	       "launches",
		"H200: error, PTX",    "machine code",
		"correlation, PTX",    "machine code",
		"paper: error, PTX",   "PTXPlus",
		"correlation, PTX",    "PTXPlus",
		NULL
	};

	out_table(o, heads);
	for (size_t i = 0; i < PAPER_ROWS; i++)
		if (paper_rows[i].error[gpu][0] != NONE &&
		    summary_row(o, j, &paper_rows[i], gpu, d))
			return d->code;
	out_table_end(o);
	out_section_end(o);
	return ERR_OK;
}

static enum err tables_7_and_8(const struct study_out *o, const struct jain *j,
			       struct diag *d)
{
	out_section(o, "Table 7: error and correlation of all statistics",
		    "Ours on the H200, the paper's on a Pascal Titan X. Errors "
		    "are means over launches; of hit ratios, where the paper "
		    "has no number, in percentage points. Requests are sectors "
		    "of 32 bytes, divergence is sectors of a warp-instruction. "
		    "Of the L2 and the DRAM, what a kernel that does nothing "
		    "causes as well is not held against the simulation.");
	if (summary(o, j, 0, d))
		return d->code;
	out_section(o, "Table 8: the same, on a GTX 480",
		    "Ours are those of the H200 again, the paper's those of its "
		    "appendix.");
	return summary(o, j, 1, d);
}

enum err jain_write_tables(const struct study_out *o, const struct jain *j,
			   struct diag *d)
{
	if (table_1(o, j, d))
		return d->code;
	classes(o, j);
	return tables_7_and_8(o, j, d);
}
