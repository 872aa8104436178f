/* The page of a sweep, and its points as CSV: `heddle sweep report`. */
#ifndef HEDDLE_EXPLORE_REPORT_SWEEP_H
#define HEDDLE_EXPLORE_REPORT_SWEEP_H

#include <stdio.h>

#include "explore/figures.h"
#include "explore/swept.h"

/* Columns of tables that have one for each program. */
enum { PROGRAMS_SHOWN = 8 };

/* Writes the page. The plots must have been drawn. */
MUST_USE enum err report_sweep(FILE *to, const struct swept *s,
			       const struct figures *f, const struct plots *p,
			       struct diag *d);
/* Writes one row for each point: what it is, its result, its settings. */
MUST_USE enum err report_sweep_csv(FILE *to, const struct swept *s,
				   struct diag *d);

/* Sections of the page, in report_sweep_tables.c. */
void sweep_failures(FILE *to, const struct swept *s);
void sweep_points(FILE *to, const struct swept *s);
void sweep_configs(FILE *to, const struct swept *s);

/* In report_sweep_cross.c: rows of the ranking for the parameters of an axis, if
 * it is a cross product, and a section for each that is. most: the effect with
 * the longest bar. */
MUST_USE enum err sweep_rank_params(FILE *to, const struct swept *s,
				    size_t axis, size_t programs, double most,
				    struct diag *d);
MUST_USE enum err sweep_crosses(FILE *to, const struct swept *s,
				struct diag *d);

/* The script that sorts the table of points, which also works without it. The
 * hash allows the page to run this script and no other. */
extern const char sweep_script[], sweep_script_hash[];

#endif
