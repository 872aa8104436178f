/*
 * Compares two or more runs, statistic by statistic, and sorts what differs by
 * relative change, the biggest first. Changes are relative to the first run.
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

struct compare_run {
	const char *name;    /* as it was given */
	const char *program; /* what ran */
	const char *gpu;
	struct cfg cfg;
	double cycles, seconds;
	double *values; /* by number of the statistic; NaN: it has none */
	uint64_t launches;
	bool undivided; /* RUN_UNDIVIDED */
};

struct compare_row {
	unsigned stat;
	double size; /* of the largest change: |ln(b / a)|; INFINITY from 0 */
	double most; /* maximum over the runs: orders changes from 0 */
};

struct compare_options {
	double min_change;       /* 0.01: leave out smaller changes */
	const char *const *only; /* patterns such as "l2.*"; none: all */
	size_t only_count;
};

struct compare {
	struct arena arena;
	struct compare_run runs[COMPARE_RUNS];
	size_t count;
	struct compare_row *rows; /* biggest change first */
	size_t row_count;
	size_t same, small;  /* statistics left out: equal, or changed less */
	bool undivided;      /* one of the runs is: the reasons are left out */
	enum cfg_id *params; /* those that differ, in the table's order */
	size_t param_count;
};

/* Adds a run; its texts are copied. */
MUST_USE enum err compare_add(struct compare *c, const struct run_result *r,
			      const char *name, struct diag *d);
/* Adds a run whose values are all NaN; the caller fills it in. NULL: see *d. */
struct compare_run *compare_add_empty(struct compare *c, const char *name,
				      struct diag *d);
/* Makes the rows, after all runs were added. A pattern that matches no
 * statistic is an error. */
MUST_USE enum err compare_rows(struct compare *c,
			       const struct compare_options *o, struct diag *d);
void compare_free(struct compare *c);

/* b / a - 1; 0 if both are 0 or missing, INFINITY if only a is. */
double compare_change(double a, double b);
/* "+12.3%", "-4%", "x 14.2", "new", "gone"; "" if nothing changed. */
#define CHANGE_TEXT 24
const char *change_text(char text[CHANGE_TEXT], double a, double b);
/* A value as people read it. */
const char *compare_text(char text[40], unsigned stat, double v);

/* Writes the page of a comparison. */
void report_compare(FILE *to, const struct compare *c);

#endif
