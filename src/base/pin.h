/*
 * Pins the threads of a team to cores: thread i runs on the i-th core that the
 * process may use. With more threads than cores, they wrap around.
 */
#ifndef HEDDLE_BASE_PIN_H
#define HEDDLE_BASE_PIN_H

#include <stdint.h>

#include "base/diag.h"

struct team;

enum { PIN_CORES = 1024 };

struct pins {
	uint64_t cores[PIN_CORES / 64]; /* the calling thread's before */
	unsigned count;
};

/* Pins the members of a team; called by the thread that leads it. ERR_UNSUPP:
 * the host does not allow it; the text says what failed. */
MUST_USE enum err pins_set(struct pins *p, struct team *t, struct diag *d);
/* Gives the calling thread its cores back. */
void pins_undo(const struct pins *p);

#endif
