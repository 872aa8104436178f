/*
 * The results of sweeps in one SQLite file. docs/sweeps.md describes its
 * tables.
 *
 * A result belongs to a key, which names all that it depends on: the program
 * with its arguments and inputs, the resolved configuration, who simulates and
 * the version of that. Points of several sweeps may share one.
 *
 * One process at a time writes, by a lock on FILE.lock that ends with it;
 * others may read meanwhile. What store_result has taken is kept, however the
 * process ends.
 *
 * Does not model: several writers, which file systems of a network do not
 * support: there, results go through files.
 */
#ifndef HEDDLE_EXPLORE_STORE_H
#define HEDDLE_EXPLORE_STORE_H

#include <stdint.h>

#include "explore/outcome.h"
#include "explore/sweep_plan.h"

#define STORE_KEY_SIZE 33 /* hexadecimal digits, and a NUL */

/* What makes the tables of an empty database. Only with SQLite. */
extern const char store_schema[];

struct result_store;

enum store_mode {
	STORE_WRITE, /* makes the file if there is none */
	STORE_READ
};

struct store_program {
	const char *name, *command;
	char hash[STORE_KEY_SIZE]; /* of its bytes, arguments and inputs */
};

/* What has to be run. */
struct store_todo {
	char key[STORE_KEY_SIZE];
	size_t program, config; /* in the plan */
};

struct store_counts {
	uint64_t points, ok, failed, left;
};

/* ERR_UNSUPP: built without SQLite. store_close takes NULL. */
MUST_USE enum err store_open(struct result_store **out, const char *path,
			     enum store_mode mode, struct diag *d);
void store_close(struct result_store *s);

/*
 * Writes the sweep with all points, in place of an earlier one of its name;
 * results stay. version: of what simulates.
 */
MUST_USE enum err store_plan(struct result_store *s, const struct sweep_plan *p,
			     const char *text,
			     const struct store_program *programs,
			     const char *version, struct diag *d);
/* The points of the sweep that have no result, each key once, in order.
 * *out is malloc'ed. */
MUST_USE enum err store_todo(struct result_store *s, const struct sweep_plan *p,
			     struct store_todo **out, size_t *count,
			     struct diag *d);
/* Forgets results of the sweep's points: all, or those that failed. */
MUST_USE enum err store_forget(struct result_store *s, const char *sweep,
			       bool only_failed, struct diag *d);
MUST_USE enum err store_result(struct result_store *s, const char *key,
			       const struct sweep_outcome *o, struct diag *d);
/* Of the sweep with that name, ERR_UNKNOWN: there is none. */
MUST_USE enum err store_count(struct result_store *s, const char *sweep,
			      struct store_counts *out, struct diag *d);
/* Calls back for each sweep, by name. */
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

/* Names for contents: 32 hexadecimal digits of their SHA-256. */
void store_hash(char out[STORE_KEY_SIZE], const void *bytes, size_t n);
void store_key(char out[STORE_KEY_SIZE], const char *program,
	       const char *config, const struct sweep *sweep,
	       const char *version);

#endif
