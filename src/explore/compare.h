/*
 * Compares two or more runs. First the issue slots by reason: what moved, and
 * how many of the run's cycles that is. Then every statistic that differs, by
 * effect. Changes are relative to the first run.
 *
 * The cycles of a reason are its share of the slots times the cycles of the
 * run: they add up to the run's cycles, and their changes to its change,
 * whatever the number of SMs.
 *
 * The effect of a statistic is the change of the cycles that its component needs
 * for what it counts, at its peak rate: 1,000 bytes count for little in a wide
 * memory and for more in a narrow one. It orders statistics of any unit.
 *
 * Rows are folded if they are noise, which moved less than COMPARE_NOISE of the
 * cycles, and statistics also if more than COMPARE_SHOWN others have a larger
 * effect.
 *
 * A run is the sum of its timed launches. If a program used several devices,
 * the configuration is that of the first.
 */
#ifndef HEDDLE_EXPLORE_COMPARE_H
#define HEDDLE_EXPLORE_COMPARE_H

#include <stdio.h>

#include "explore/run.h"

enum { COMPARE_RUNS = 26 }; /* they are called A to Z */

static inline char compare_letter(size_t run)
{
	return (char)('A' + run);
}

#define COMPARE_NOISE 0.005  /* of the cycles of the longest run */
enum { COMPARE_SHOWN = 20 }; /* statistics that are not folded */

/* A sentence about a run without its subject: struct run_result, undivided. */
#define COMPARE_UNDIVIDED                                                \
	"was written by an older version of Heddle, which did not tell " \
	"unfilled, launch, tail and no_block apart: they are shown "     \
	"together, as empty"

struct compare_run {
	const char *name;    /* as it was given */
	const char *program; /* what ran */
	const char *gpu;
	struct cfg cfg;
	double cycles, seconds;
	struct stats counts;
	double *values; /* by number of the statistic; NaN: it has none */
	/* Reasons that this build does not know; their names do not repeat. */
	struct run_slots *others;
	size_t other_count;
	uint64_t launches;
	bool undivided; /* COMPARE_UNDIVIDED */
};

/* The issue slots under one reason. */
struct compare_slots {
	const char *name; /* as the results name it */
	int reason;       /* enum reason; -1: this build does not know it */
	double slots[COMPARE_RUNS];
	double cycles[COMPARE_RUNS]; /* of the run: see above */
	double moved; /* maximum of |cycles - those of the first run| */
	bool folded;
};

struct compare_row {
	unsigned stat;
	double effect; /* in cycles, the largest over the runs; not negative */
	double size;   /* of the largest change: |ln(b / a)|; INFINITY from 0 */
	bool folded;
};

struct compare_options {
	double min_change;       /* 0.01: leave out smaller changes */
	const char *const *only; /* patterns such as "l2.*"; none: all */
	size_t only_count;
	bool all; /* fold nothing */
};

struct compare {
	struct arena arena;
	struct compare_run runs[COMPARE_RUNS];
	size_t count;
	struct compare_slots *slots; /* those that moved most first */
	size_t slot_count, slots_folded;
	struct compare_row *rows; /* largest effect first */
	size_t row_count;
	size_t rows_folded;  /* reasons are not counted: see `slots` */
	size_t same, small;  /* statistics left out: equal, or changed less */
	bool undivided;      /* one of the runs is: the reasons are joined */
	enum cfg_id *params; /* those that differ, in the table's order */
	size_t param_count;
};

/* Adds a run; its texts are copied. */
MUST_USE enum err compare_add(struct compare *c, const struct run_result *r,
			      const char *name, struct diag *d);
/* Adds a run whose values are all NaN; the caller fills it in. NULL: see *d. */
struct compare_run *compare_add_empty(struct compare *c, const char *name,
				      struct diag *d);
/* Adds slots under a reason that this build does not know. */
MUST_USE enum err compare_add_slots(struct compare *c, struct compare_run *to,
				    const char *name, uint64_t n,
				    struct diag *d);
/* Makes the rows, after all runs were added. A pattern that matches no
 * statistic is an error. */
MUST_USE enum err compare_rows(struct compare *c,
			       const struct compare_options *o, struct diag *d);
void compare_free(struct compare *c);

/* By how many cycles the time changes that the component of a statistic needs
 * for it at its peak rate; of a ratio, for what the change adds to its
 * numerator. In compare_effect.c. */
double compare_effect(const struct compare_run *a, const struct compare_run *b,
		      unsigned stat);
/* What a reason is, in words. */
const char *compare_slots_doc(const struct compare *c,
			      const struct compare_slots *s);
/* "B takes 5,694 cycles more than A (+22.6%)." */
#define VERDICT_TEXT 120
const char *compare_verdict(char text[VERDICT_TEXT], const struct compare *c,
			    size_t run);
/* A sentence about reasons that this build does not know; false: there are
 * none. */
bool compare_others_text(char *text, size_t size, const struct compare *c);

/* b / a - 1; 0 if both are 0 or missing, INFINITY if only a is. */
double compare_change(double a, double b);
/* "+12.3%", "-4%", "x 14.2", "new", "gone"; "" if nothing changed. */
#define CHANGE_TEXT 24
const char *change_text(char text[CHANGE_TEXT], double a, double b);
/* "+1,234", "-5"; "" if nothing changed. */
const char *moved_text(char text[CHANGE_TEXT], double a, double b);
/* A value as people read it. */
const char *compare_text(char text[40], unsigned stat, double v);

/* Writes the page of a comparison. */
void report_compare(FILE *to, const struct compare *c);

#endif
