/* Points as the job array of a Slurm cluster. */
#ifndef HEDDLE_CLI_SWEEP_SLURM_H
#define HEDDLE_CLI_SWEEP_SLURM_H

#include "door/cli/sweep_run.h"

/*
 * Takes in the results that workers have left, submits the points that are
 * still to be run unless a job is at it, and waits. Prints what is wrong; the
 * exit code.
 */
int sweep_slurm(struct sweep_run *r);
/* Takes in what is there, and that is all. */
int sweep_collect(struct sweep_run *r);

#endif
