/*
 * A task of a job array: runs its share of the points in a folder that
 * sweep_run_slurm has written, one after the other, each in a process of its
 * own, and writes a result file for each.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_WORK_H
#define HEDDLE_EXPLORE_SWEEP_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * Runs the points task, task + tasks, task + 2 * tasks and so on that have no
 * result yet. Blocks the signals of explore/sweep_pool.h; *interrupted: one of
 * them ended the work early.
 */
MUST_USE enum err sweep_work(const char *folder, uint64_t task, uint64_t tasks,
			     int *interrupted, struct diag *d);

#endif
