/*
 * Memory that is simulated elsewhere: a memory partition that hands its requests
 * over, and sends the answers when they are known.
 *
 *   SMs ==requests==> partition --request--> outside
 *   SMs <==answers=== partition <---next---- outside
 *
 * The caller simulates the outside between windows, so an answer can arrive in the
 * next one at the earliest.
 */
#ifndef HEDDLE_MEM_OUTSIDE_H
#define HEDDLE_MEM_OUTSIDE_H

#include <stdbool.h>

#include "net/wire.h"

struct mem_outside_event {
	bool credit;    /* a request has left the queue of its SM */
	struct msg msg; /* the request */
	cycle_t at;     /* when the answer arrives */
};

struct mem_outside {
	void *ctx;
	/* A request arrives at m->time. Of atomics the time matters here: what
	 * they do is the partition's. */
	void (*request)(void *ctx, const struct msg *m);
	/* What has happened since; false: nothing more. */
	bool (*next)(void *ctx, struct mem_outside_event *e);
	/* Requests are in flight. */
	bool (*busy)(void *ctx);
};

#endif
