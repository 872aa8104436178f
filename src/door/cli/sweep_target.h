/*
 * What a program of a sweep comes down to: the files that it is made of, which
 * give it its identity, and the command line of a point.
 */
#ifndef HEDDLE_CLI_SWEEP_TARGET_H
#define HEDDLE_CLI_SWEEP_TARGET_H

#include <limits.h>

#include "door/cli/opt.h"
#include "explore/store.h"

#define VERSION_SIZE 80

struct sweep_target {
	char path[PATH_MAX];  /* in place of the first word; "": that itself */
	char threads[16];     /* the sweep's, as an option has it */
	char trace[PATH_MAX]; /* what was recorded of it, or "" */
	struct store_program identity;
};

/*
 * Finds the program, compiles one that is a source to a file in `folder`, and
 * hashes what it is made of: its bytes, its words, files that these name and
 * the inputs that the sweep names. sm: what it is compiled for. Says what is
 * wrong itself: -1, or an exit code.
 */
int target_prepare(struct sweep_target *t, const struct sweep *s,
		   const struct sweep_program *p, unsigned sm,
		   const char *folder);

/*
 * Of one that is recorded: the command line that records it to t->trace,
 * which is run from then on. config: that of the baseline.
 */
MUST_USE enum err target_record(struct words *argv, struct sweep_target *t,
				const struct sweep_program *p, const char *self,
				const char *config, const char *folder,
				struct diag *d);

/*
 * The command line of a point. self: this program; config: a file; out: where
 * the result goes, a file or, of SWEEP_EXEC, a folder. Words belong to the
 * others. NULL ends it.
 */
MUST_USE enum err target_command(struct words *argv, const struct sweep *s,
				 const struct sweep_program *p,
				 const struct sweep_target *t, const char *self,
				 const char *config, const char *out,
				 struct diag *d);

/* The version with a hash of what simulates: this program and its libraries.
 * self receives its path. */
MUST_USE enum err target_version(char version[VERSION_SIZE],
				 char self[PATH_MAX], struct diag *d);

#endif
