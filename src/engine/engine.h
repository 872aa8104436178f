/*
 * Who advances which partition when. An engine runs what gpu_begin has set up
 * until gpu_over; gpu_end then says what came of it. docs/engines.md compares
 * them.
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
	char name[32]; /* of one with a number: "slack:K" in the list */
	const char *doc;
	bool exact;     /* the result is that of serial, to the last bit */
	bool threads;   /* it uses more than one */
	cycle_t cycles; /* of its windows; 0: as many as it is told */
	const struct drift_rule *drift; /* how its partitions drift, or NULL */
	cycle_t slack;                  /* the number in its name */
};

extern const struct engine engine_list[]; /* ends with one without a name */

/* "slack:10" is the engine "slack:K" with that number in name and slack.
 * ERR_UNKNOWN: no engine has that name; the text lists those that there are.
 * ERR_RANGE: not that number. */
MUST_USE enum err engine_find(struct engine *out, const char *name,
			      struct diag *d);

/* How a run is to be simulated. */
struct engine_plan {
	struct engine engine;
	cycle_t window;   /* at most so many cycles; 0: as the wires allow */
	unsigned threads; /* at most */
	bool pin;         /* each thread stays on a core of its own */
};

/* What a result says of how it was computed. */
struct engine_report {
	const char *engine; /* lives as long as the plan */
	unsigned threads;
	cycle_t window; /* longest */
	bool exact;     /* the result does not depend on it */
};

/* The threads of a plan; NULL: out of memory. They are kept in *kept from run to
 * run, because starting them takes as long as a small run: NULL before the first
 * one, team_free after the last. */
struct team *engine_team(const struct engine_plan *plan, struct team **kept);

/* ERR_NOMEM, ERR_UNSUPP (pinning): nothing was simulated. */
MUST_USE enum err engine_run(const struct engine_plan *plan, struct gpu *g,
			     struct team *team, struct engine_report *out,
			     struct diag *d);

/*
 * What engines are made of; those that drift: engine/drift.h
 */

/* Windows of `window` cycles on one thread: defines the right answer, whatever
 * the window. */
void engine_serial(struct gpu *g, cycle_t window);
/* The same by the members of a team: the same result, to the last bit. False:
 * out of memory. */
bool engine_exact(struct gpu *g, cycle_t window, struct team *team);

#endif
