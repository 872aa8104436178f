/* The page of one run: `heddle report`. */
#ifndef HEDDLE_EXPLORE_REPORT_RUN_H
#define HEDDLE_EXPLORE_REPORT_RUN_H

#include <stdio.h>

#include "explore/run.h"

/* Whether all of it has reached the file is the caller's to check. */
MUST_USE enum err report_run(FILE *to, const struct run_result *r,
			     struct diag *d);

#endif
