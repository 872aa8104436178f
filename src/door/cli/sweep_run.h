/*
 * A sweep that is being run: what all ways of running points share.
 *
 *	sweep_load      the file, the GPU, the plan: nothing is written
 *	sweep_prepare   programs are compiled and hashed, the database is opened,
 *	                traces are recorded
 *	sweep_local     points as processes of this machine
 */
#ifndef HEDDLE_CLI_SWEEP_RUN_H
#define HEDDLE_CLI_SWEEP_RUN_H

#include "cfg/cfg.h"
#include "door/cli/sweep_target.h"
#include "explore/store.h"

struct sweep_options {
	uint64_t workers, limit; /* 0: not given */
	const char *out, *on;
	const char *slurm_options;
	uint64_t per_task;
	bool dry_run, fresh, retry, quiet, progress, no_wait;
};

struct sweep_run {
	struct sweep_options o;
	const char *path; /* of the sweep file */
	struct sweep sweep;
	char *text; /* of the file */
	struct cfg_sheet sheet;
	struct plan plan;

	char db[PATH_MAX], work[PATH_MAX], self[PATH_MAX];
	char version[VERSION_SIZE];
	struct store *store;
	struct sweep_target *targets; /* one for each program */
	struct store_todo *todo;
	size_t todo_count;
	uint64_t before; /* points whose result was there */
	uint64_t failed; /* this time */
};

/* These print what is wrong: -1, or an exit code. sweep_end in any case. */
int sweep_load(struct sweep_run *r);
int sweep_prepare(struct sweep_run *r);
int sweep_local(struct sweep_run *r);
/* Traces of the programs that want it and have points to run. */
int sweep_record(struct sweep_run *r);
void sweep_end(struct sweep_run *r);

/* The database's name where none is given: l2.sweep has l2.db. */
MUST_USE enum err sweep_db_path(char out[PATH_MAX], const char *given,
				const char *sweep, struct diag *d);
/* One line on the state of the sweep, and failures; the exit code. */
int sweep_conclude(struct sweep_run *r, double seconds, bool interrupted);

#endif
