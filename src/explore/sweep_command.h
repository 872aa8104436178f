/* Splits a program's command line into words. */
#ifndef HEDDLE_EXPLORE_SWEEP_COMMAND_H
#define HEDDLE_EXPLORE_SWEEP_COMMAND_H

#include "explore/sweep.h"

/*
 * Splits p->command as words_split does. Refuses options that the sweep itself
 * sets for every point.
 */
MUST_USE enum err sweep_command_split(struct sweep_program *p, struct arena *a,
				      struct diag *d);

#endif
