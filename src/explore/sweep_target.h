/*
 * A program of a sweep as files and command lines: the files give it its
 * identity, the command lines run a point or record a trace.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_TARGET_H
#define HEDDLE_EXPLORE_SWEEP_TARGET_H

#include <limits.h>

#include "base/wordlist.h"
#include "explore/store.h"
#include "explore/sweep_plan.h"

#define VERSION_SIZE 80

/* How programs are found and compiled: supplied by the command line, which
 * knows the options of `heddle run` and where its libraries are. */
struct target_finder {
	void *ctx;
	/* The folder of the CUDA libraries that SWEEP_EXEC programs use; NULL:
	 * there is none. */
	const char *libraries;
	/* Finds the executable file of a SWEEP_EXEC program. */
	enum err (*find)(void *ctx, char path[PATH_MAX], const char *name,
			 struct diag *d);
	/* Compiles the source of a SWEEP_RUN program for a compute capability,
	 * 90 for 9.0. *ptx is malloc'ed, or NULL if it is not a source. */
	enum err (*compile)(void *ctx, char **ptx, size_t *size,
			    const struct sweep_program *p, unsigned sm,
			    struct diag *d);
};

struct sweep_target {
	char path[PATH_MAX];  /* replaces the first word; "": it stays */
	char threads[16];     /* the sweep's, as an option's value */
	char sm[16];          /* the baseline's, as an option's value */
	char trace[PATH_MAX]; /* recorded trace, or "" */
	struct store_program identity;
};

/*
 * Finds the program, compiles a source to a file in `folder`, and hashes what
 * the program is made of: its bytes, its words, the files that these name and
 * the inputs that the sweep names. sm: the compute capability to compile for.
 * An error names the program.
 */
MUST_USE enum err target_prepare(struct sweep_target *t,
				 const struct target_finder *f,
				 const struct sweep *s,
				 const struct sweep_program *p, unsigned sm,
				 const char *folder, struct diag *d);

/*
 * The command line that records the program to t->trace, a file in `folder`;
 * target_command runs that file from then on. config: that of the baseline.
 */
MUST_USE enum err target_record(struct words *argv, struct sweep_target *t,
				const struct sweep_program *p, const char *self,
				const char *config, const char *folder,
				struct diag *d);

/*
 * The command line of a point, ended by NULL. self: the program `heddle`;
 * k: the environment; config: a file; out: where the result goes, a file or, of SWEEP_EXEC, a
 * folder. The words belong to the arguments.
 */
MUST_USE enum err target_command(struct words *argv, const struct sweep *s,
				 const struct sweep_program *p,
				 const struct sweep_target *t,
				 const struct plan_config *k, const char *self,
				 const char *config, const char *out,
				 struct diag *d);

/*
 * The version of Heddle with a hash of what simulates: the running program,
 * whose path goes to `self`, and the files in the folder `libraries`, unless
 * that is NULL.
 */
MUST_USE enum err target_version(char version[VERSION_SIZE],
				 char self[PATH_MAX], const char *libraries,
				 struct diag *d);

#endif
