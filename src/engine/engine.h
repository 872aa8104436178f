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

struct engine {
	const char *name;
	const char *doc;
	bool exact;     /* the result is that of serial, to the last bit */
	bool threads;   /* it uses more than one */
	cycle_t cycles; /* of its windows; 0: as many as it is told */
};

extern const struct engine engine_list[]; /* ends with one without a name */

/* ERR_UNKNOWN: no engine has that name; the text lists those that there are. */
MUST_USE enum err engine_find(const struct engine **out, const char *name,
			      struct diag *d);

/* How a run is to be simulated. */
struct engine_plan {
	const struct engine *engine;
	cycle_t window;   /* at most so many cycles; 0: as the wires allow */
	unsigned threads; /* at most */
};

/* What a result says of how it was computed. */
struct engine_report {
	const char *engine;
	unsigned threads;
	cycle_t window; /* longest */
	bool exact;     /* the result does not depend on it */
};

void engine_run(const struct engine_plan *plan, struct gpu *g,
		struct engine_report *out);

/*
 * What engines are made of
 */

/* Windows of `window` cycles on one thread: defines the right answer, whatever
 * the window. */
void engine_serial(struct gpu *g, cycle_t window);
/* The same on up to so many threads, as the host starts them: the same result,
 * to the last bit. Returns how many there were. */
unsigned engine_exact(struct gpu *g, cycle_t window, unsigned threads);

#endif
