/*
 * A port: a fixed number of bytes per cycle, one message after the other.
 */
#ifndef HEDDLE_NET_PORT_H
#define HEDDLE_NET_PORT_H

#include <stdint.h>

#include "base/cycle.h"

struct port {
	/* When the port is free again, in units of 1/rate cycles: the next
	 * message uses the rest of a cycle that the last one did not fill. */
	uint64_t free;
	uint64_t rate; /* bytes per cycle */
};

/* Starts to pass `bytes` as soon as the port is free, but not before `now`.
 * Returns the cycle in which the last of them has passed (>= now + 1 unless
 * bytes is 0). */
static inline cycle_t port_pass(struct port *p, cycle_t now, uint64_t bytes)
{
	uint64_t start = now * p->rate;

	if (p->free > start)
		start = p->free;
	p->free = start + bytes;
	return (p->free + p->rate - 1) / p->rate;
}

/* The first cycle in which the port can start another message. */
static inline cycle_t port_free(const struct port *p)
{
	return p->free / p->rate;
}

#endif
