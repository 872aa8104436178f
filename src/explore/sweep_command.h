/* A command line in the words that a shell would make of it. */
#ifndef HEDDLE_EXPLORE_SWEEP_COMMAND_H
#define HEDDLE_EXPLORE_SWEEP_COMMAND_H

#include "explore/sweep.h"

/*
 * Splits p->command at blanks; '...', "..." and \ keep them, nothing else is
 * special. Refuses options that are the sweep's own affair.
 */
MUST_USE enum err sweep_command_split(struct sweep_program *p, struct arena *a,
				      struct diag *d);

#endif
