/*
 * A port: so many bytes a cycle, one message after the other.
 */
#ifndef HEDDLE_NET_PORT_H
#define HEDDLE_NET_PORT_H

#include <stdint.h>

#include "base/cycle.h"

struct port {
	/* In units of 1/rate cycles, so that a message that does not fill its
	 * last cycle leaves the rest to the next one. */
	uint64_t free; /* when the port is free again */
	uint64_t rate; /* bytes a cycle */
};

/* Starts to pass `bytes` as soon as the port is free and not before `now`;
 * returns the cycle in which the last of them has passed (>= now + 1 unless
 * bytes is 0). */
static inline cycle_t port_pass(struct port *p, cycle_t now, uint64_t bytes)
{
	uint64_t start = now * p->rate;

	if (p->free > start)
		start = p->free;
	p->free = start + bytes;
	return (p->free + p->rate - 1) / p->rate;
}

/* The first cycle in which the port could start with another message. */
static inline cycle_t port_free(const struct port *p)
{
	return p->free / p->rate;
}

#endif
