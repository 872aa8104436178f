/*
 * Keeps the results of sweeps in one SQLite file. docs/sweeps.md describes its
 * tables.
 *
 * A result belongs to a key, a hash of everything that it depends on: the
 * program with its arguments and inputs, the resolved configuration, engine,
 * threads and the version of Heddle. Points of several sweeps may share one.
 *
 * One process at a time writes: it holds a lock on FILE.lock until it ends.
 * Others may read meanwhile. A result that store_result has taken is durable,
 * however the process ends.
 *
 * Does not model: several writers, which is not safe on network file systems;
 * workers on other machines write result files instead (sweep_file.h).
 */
#ifndef HEDDLE_EXPLORE_STORE_H
#define HEDDLE_EXPLORE_STORE_H

#include <stdint.h>

#include "explore/outcome.h"
#include "explore/sweep_plan.h"

#define STORE_KEY_SIZE 33 /* hexadecimal digits, and a NUL */

/* The SQL that creates the tables. Only with SQLite. */
extern const char store_schema[];

struct result_store;

enum store_mode {
	STORE_WRITE, /* creates the file if there is none */
	STORE_READ
};

struct store_program {
	const char *name, *command;
	char hash[STORE_KEY_SIZE]; /* of its bytes, arguments and inputs */
};

/* A point that has to be run. */
struct store_todo {
	char key[STORE_KEY_SIZE];
	size_t program, config; /* indices in the plan */
};

struct store_counts {
	uint64_t points, ok, failed, left;
	uint64_t again; /* of those with a result: to be run again */
};

/* ERR_UNSUPP: built without SQLite. store_close accepts NULL. */
MUST_USE enum err store_open(struct result_store **out, const char *path,
			     enum store_mode mode, struct diag *d);
void store_close(struct result_store *s);

/*
 * Writes the sweep with all its points, in place of an earlier one of that
 * name; results are kept. version: that of Heddle.
 */
MUST_USE enum err store_plan(struct result_store *s, const struct sweep_plan *p,
			     const char *text,
			     const struct store_program *programs,
			     const char *version, struct diag *d);
/* Lists the points of the sweep that have no result, or are to be run again,
 * each key once, in order. *out is malloc'ed. */
MUST_USE enum err store_todo(struct result_store *s, const struct sweep_plan *p,
			     struct store_todo **out, size_t *count,
			     struct diag *d);
/* Notes that points of the sweep are to be run again: all, or those that failed.
 * Their results stay until store_result replaces them. */
MUST_USE enum err store_again(struct result_store *s, const char *sweep,
			      bool only_failed, struct diag *d);
MUST_USE enum err store_result(struct result_store *s, const char *key,
			       const struct sweep_outcome *o, struct diag *d);
/* Counts the points of a sweep. ERR_UNKNOWN: there is no such sweep. */
MUST_USE enum err store_count(struct result_store *s, const char *sweep,
			      struct store_counts *out, struct diag *d);
/* Calls back for each sweep, sorted by name. */
MUST_USE enum err store_sweeps(struct result_store *s,
			       void (*each)(void *ctx, const char *name,
					    const char *title,
					    const struct store_counts *c),
			       void *ctx, struct diag *d);
/* Calls back for each failed point of the sweep, in order. */
MUST_USE enum err store_failed(struct result_store *s, const char *sweep,
			       void (*each)(void *ctx, const char *program,
					    const char *axis, const char *label,
					    const char *reason),
			       void *ctx, struct diag *d);

/* Names bytes by 32 hexadecimal digits of their SHA-256. */
void store_hash(char out[STORE_KEY_SIZE], const void *bytes, size_t n);
/* Makes of a configuration's hash that of it with an environment; without one it
 * stays. */
void store_hash_env(char hash[STORE_KEY_SIZE], const char *const *env,
		    size_t count);
/* The key of a point; program, config: their hashes. */
void store_key(char out[STORE_KEY_SIZE], const char *program,
	       const char *config, const struct sweep *sweep,
	       const char *version);

#endif
