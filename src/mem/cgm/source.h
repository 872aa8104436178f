/*
 * A source: drives a port for a program that is no part of the memory system: a
 * trace, a test, a user of the library. It asks for the next request when the
 * port can take one, and hands over the answers.
 *
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_SOURCE_H
#define HEDDLE_MEM_CGM_SOURCE_H

#include "mem/cgm/port.h"
#include "stat/cgm.h"

enum { CGM_SOURCE_DEPTH = 64 };

struct cgm_driver {
	/*
	 * Fills *r to be sent at `now` and returns `now`; or returns when to
	 * ask again, CYCLE_NEVER: after the next answer.
	 */
	cycle_t (*next)(void *ctx, cycle_t now, struct cgm_request *r);
	void (*answer)(void *ctx, cycle_t now, const struct cgm_answer *a);
	void *ctx;
};

struct cgm_flight {
	uint64_t tag;
	cycle_t since;
	bool used;
};

struct cgm_source {
	struct cgm_part part; /* first */
	struct cgm_port port;
	struct cgm_driver driver; /* next == NULL: none */
	struct cgm_flight flight[CGM_SOURCE_DEPTH];
	uint32_t in_flight;
	struct cgm_stat_port st;
};

void cgm_source_init(struct cgm_source *s, cycle_t period,
		     const struct cgm_port *port);

#endif
