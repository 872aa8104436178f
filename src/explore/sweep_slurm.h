/*
 * Runs the points of a sweep as a job array of Slurm.
 *
 * Workers on other machines leave results as files in FILE.db.slurm
 * (explore/sweep_file.h), which the cluster must see; only this process writes
 * to the database.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_SLURM_H
#define HEDDLE_EXPLORE_SWEEP_SLURM_H

#include "explore/sweep_run.h"

#define SLURM_JOB 40

/* What is left on the cluster at the end. */
struct slurm_state {
	char job[SLURM_JOB];   /* its number; "": none was submitted */
	char folder[PATH_MAX]; /* absolute; logs are task-*.log */
	size_t left;           /* points of the execution without a result */
	bool running;          /* there are such, and the job still runs */
};

/*
 * Takes in the results that workers have left, submits the points that have
 * none unless a job is running, and waits for it unless r->o.no_wait is set.
 * An interruption ends the waiting, not the job.
 */
MUST_USE enum err sweep_run_slurm(struct sweep_run *r,
				  struct slurm_state *state, struct diag *d);
/* Takes in the results that are there, and submits nothing. */
MUST_USE enum err sweep_run_collect(struct sweep_run *r,
				    struct slurm_state *state, struct diag *d);

#endif
