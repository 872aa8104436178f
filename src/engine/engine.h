/*
 * Engines decide when each partition advances, and on which thread. An engine
 * runs what gpu_begin has set up until gpu_over; gpu_end then returns the
 * outcome. docs/engines.md compares the engines.
 */
#ifndef HEDDLE_ENGINE_ENGINE_H
#define HEDDLE_ENGINE_ENGINE_H

#include <stdbool.h>

#include "base/cycle.h"
#include "base/diag.h"

struct gpu;
struct team;
struct drift_rule;

struct engine {
	char name[32]; /* with K for a number in the list: "slack:K" */
	const char *doc;
	bool exact;     /* same result as serial, to the last bit */
	bool threads;   /* it can use more than one */
	cycle_t cycles; /* of its windows; 0: those of the plan */
	const struct drift_rule *drift; /* how its partitions drift, or NULL */
	cycle_t slack;                  /* the number in its name */
};

extern const struct engine engine_list[]; /* ends with an empty name */

/* Finds an engine by name. "slack:10" is the engine "slack:K" with 10 in its
 * name and in slack. ERR_UNKNOWN: no engine has that name; the text lists all
 * names. ERR_RANGE: the number is missing or out of range. */
MUST_USE enum err engine_find(struct engine *out, const char *name,
			      struct diag *d);

/* How to simulate a run. */
struct engine_plan {
	struct engine engine;
	cycle_t window;   /* maximum cycles; 0: gpu_lookahead */
	unsigned threads; /* maximum */
	bool pin;         /* keep each thread on its own core */
};

/* A plan by an exact engine for a simulation that is no launch on a GPU. NULL:
 * "exact" if `threads` is more than 1, else "serial"; an engine that is named gets
 * all of the host's cores if `threads` is 0. ERR_UNKNOWN, ERR_RANGE as above;
 * ERR_UNSUPP: the engine is not exact. */
MUST_USE enum err engine_plan_exact(struct engine_plan *out, const char *name,
				    unsigned threads, struct diag *d);

/* How a result was computed; part of the result. */
struct engine_report {
	const char *engine; /* lives as long as the plan */
	unsigned threads;
	cycle_t window; /* the longest */
	bool exact;     /* the result does not depend on the engine */
};

/* Returns the threads of a plan; NULL: out of memory. They are kept in *kept
 * from run to run, because starting them takes as long as a small run. *kept is
 * NULL before the first run; call team_free after the last. */
struct team *engine_team(const struct engine_plan *plan, struct team **kept);

/* ERR_NOMEM, ERR_UNSUPP (pinning): nothing was simulated, and the run is
 * over. */
MUST_USE enum err engine_run(const struct engine_plan *plan, struct gpu *g,
			     struct team *team, struct engine_report *out,
			     struct diag *d);

/*
 * The loops of the exact engines; engine/drift.h has that of the others.
 */

/* Simulates in windows of up to `window` cycles on one thread. This defines the
 * right answer, which does not depend on the window. */
void engine_serial(struct gpu *g, cycle_t window);
/* Does the same on the threads of a team, with the same result to the last bit.
 * False: out of memory. */
bool engine_exact(struct gpu *g, cycle_t window, struct team *team);

#endif
