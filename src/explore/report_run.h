/* The page of one run: `heddle report`. */
#ifndef HEDDLE_EXPLORE_REPORT_RUN_H
#define HEDDLE_EXPLORE_REPORT_RUN_H

#include <stdio.h>

#include "explore/run.h"

/* The caller checks whether the file could be written. */
MUST_USE enum err report_run(FILE *to, const struct run_result *r,
			     struct diag *d);

#endif
