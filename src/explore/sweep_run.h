/*
 * Executes a sweep: every point that has no result in the database runs once,
 * as a process of its own.
 *
 *	sweep_run_load      reads the sweep file and makes the plan; writes
 *	                    nothing
 *	sweep_run_prepare   opens the database, finds or compiles the programs,
 *	                    hashes them, records traces
 *	sweep_run_local     runs the points on this machine
 *	sweep_run_slurm     runs them on a cluster: explore/sweep_slurm.h
 *	sweep_run_count     says how far the sweep is
 *	sweep_run_free      closes the database, in any case
 *
 * Nothing here prints: errors are returned, progress is reported through struct
 * sweep_host.
 *
 * Points are command lines of `heddle run` and `heddle exec`, run by the program
 * that this code is part of.
 *
 * Owner:   one process, one sweep at a time: from sweep_run_prepare on SIGCHLD,
 *          SIGINT, SIGTERM and SIGHUP are blocked (explore/sweep_pool.h). One of
 *          the last three ends the execution early; r->interrupted says so.
 * Does not model: what happens on a cluster once a job is submitted.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_RUN_H
#define HEDDLE_EXPLORE_SWEEP_RUN_H

#include "cfg/cfg.h"
#include "explore/store.h"
#include "explore/sweep_target.h"

/* How points are run. A member that is 0, NULL or false is not given. */
struct sweep_options {
	const char *database; /* a file; else sweep_database_path names it */
	uint64_t workers;     /* points at a time; else one for each core */
	uint64_t limit;       /* points of this execution; else all */
	bool retry;           /* also run points again that failed */
	bool fresh;           /* run all points again */
	/* On a cluster. */
	const char *slurm_options; /* more options of sbatch, for a shell */
	uint64_t per_task;         /* points of a task */
	bool no_wait;              /* submit, do not wait for results */
};

/* How far an execution is: points that had a result before do not count. */
struct sweep_progress {
	const char *job; /* of Slurm; NULL: the points run on this machine */
	size_t done, points;
	uint64_t failed;
	double seconds; /* since the first point was started */
};

/* What a sweep needs of its caller, and what it tells it. */
struct sweep_host {
	void *ctx;
	struct target_finder finder;
	/* The program is about to be recorded. */
	void (*recording)(void *ctx, const char *program);
	/* A job was submitted. */
	void (*submitted)(void *ctx, const char *job, size_t tasks,
			  size_t points);
	/* Called whenever a point has ended, and a few times a second. */
	void (*progress)(void *ctx, const struct sweep_progress *p);
};

struct sweep_run {
	/* The caller's, set before sweep_run_load. */
	struct sweep_options o;
	struct sweep_host host;
	const char *path; /* of the sweep file */

	struct sweep sweep;
	char *text; /* of the file */
	struct cfg_sheet sheet;
	struct sweep_plan plan;

	char db[PATH_MAX], work[PATH_MAX], self[PATH_MAX];
	char version[VERSION_SIZE];
	struct result_store *store;
	struct sweep_target *targets; /* one for each program */
	struct store_todo *todo;      /* the points to run */
	size_t todo_count;
	uint64_t before; /* points that had a result */
	uint64_t failed; /* points of this execution that failed */
	double seconds;  /* of this execution */
	int interrupted; /* the signal; 0: none */
};

MUST_USE enum err sweep_run_load(struct sweep_run *r, struct diag *d);
MUST_USE enum err sweep_run_prepare(struct sweep_run *r, struct diag *d);
MUST_USE enum err sweep_run_local(struct sweep_run *r, struct diag *d);
/* What the database has of the sweep. */
MUST_USE enum err sweep_run_count(struct sweep_run *r, struct store_counts *c,
				  struct diag *d);
void sweep_run_free(struct sweep_run *r);

/* The file of the database: `given`, or l2.db for path/l2.sweep. */
MUST_USE enum err sweep_database_path(char out[PATH_MAX], const char *given,
				      const char *sweep, struct diag *d);

/* For sweep_run_prepare: records the programs that want it and have points to
 * run. An interruption is ERR_FAULT with r->interrupted. */
MUST_USE enum err sweep_run_record(struct sweep_run *r, struct diag *d);

#endif
