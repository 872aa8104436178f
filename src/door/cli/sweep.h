/* What the files of `heddle sweep` share. */
#ifndef HEDDLE_CLI_SWEEP_H
#define HEDDLE_CLI_SWEEP_H

#include "explore/sweep_slurm.h"

/* One `heddle sweep FILE`. */
struct sweep_session {
	struct sweep_run run; /* with its options, run.o */
	const char *on;       /* NULL: this machine */
	bool dry_run, quiet, progress;

	char libraries[PATH_MAX];
	/* Exit code for an invalid command line of a program; -1: none. */
	int usage;
	/* The line of progress. */
	struct sweep_progress last;
	double shown; /* time of the last output, in seconds; 0: none */
};

/* Prints one line for each point. */
void sweep_print_points(const struct sweep_session *s);
/* Makes run.host print progress; the second removes its line at the end. */
void sweep_begin_progress(struct sweep_session *s);
void sweep_end_progress(struct sweep_session *s);
/* Prints the state of the sweep and its failures; returns the exit code. */
int sweep_conclude(struct sweep_session *s);
/* The same of a sweep on a cluster. */
int sweep_conclude_slurm(struct sweep_session *s, const struct slurm_state *on);

#endif
