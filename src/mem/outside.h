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

enum mem_outside_kind {
	MEM_OUTSIDE_ANSWER, /* arrives at the SM at `at` */
	MEM_OUTSIDE_CREDIT, /* a request has left the queue of its SM */
	MEM_OUTSIDE_WRITTEN /* a write has been performed: with l2.acknowledge,
			     * the SM hears of it */
};

struct mem_outside_event {
	enum mem_outside_kind kind;
	struct msg msg; /* the request */
	cycle_t at;
};

struct mem_outside {
	void *ctx;
	/* Caches there are not coherent: fences are requests, too. */
	bool fences;
	/* A request arrives at m->time. Of atomics the time matters here: what
	 * they do is the partition's. */
	void (*request)(void *ctx, const struct msg *m);
	/* What has happened since; false: nothing more. */
	bool (*next)(void *ctx, struct mem_outside_event *e);
	/* Requests are in flight. */
	bool (*busy)(void *ctx);
};

#endif
