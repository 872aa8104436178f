/*
 * Who advances which partition when. An engine runs what gpu_begin has set up
 * until gpu_over; gpu_end then says what came of it.
 */
#ifndef HEDDLE_ENGINE_ENGINE_H
#define HEDDLE_ENGINE_ENGINE_H

#include <stdbool.h>

#include "base/cycle.h"

struct gpu;

/* What a result says of how it was computed. */
struct engine_report {
	const char *engine;
	unsigned threads;
	cycle_t window; /* longest */
	bool exact;     /* the result does not depend on it */
};

/* Windows of at most `window` cycles (0: as long as the wires allow) on one
 * thread: defines the right answer, whatever the window. */
void engine_serial(struct gpu *g, cycle_t window, struct engine_report *out);
/* The same on up to so many threads, as the host starts them: the same result,
 * to the last bit. */
void engine_exact(struct gpu *g, cycle_t window, unsigned threads,
		  struct engine_report *out);

#endif
