/*
 * A port: a fixed number of bytes per cycle, one message after the other.
 */
#ifndef HEDDLE_NET_PORT_H
#define HEDDLE_NET_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "base/divide.h"

struct port {
	/* When the port is free again, in units of 1/rate cycles: the next
	 * message uses the rest of a cycle that the last one did not fill. */
	uint64_t free;
	struct divisor rate; /* bytes per cycle */
};

/* A port that is free. */
static inline struct port port_of(uint64_t rate)
{
	return (struct port){ .rate = divisor_of(rate) };
}

/* The cycles that a port which is free takes to pass `bytes`. */
static inline cycle_t port_cycles(const struct port *p, uint64_t bytes)
{
	return divide_up(&p->rate, bytes);
}

/* Starts to pass `bytes` as soon as the port is free, but not before `now`.
 * Returns the cycle in which the last of them has passed (>= now + 1 unless
 * bytes is 0). */
static inline cycle_t port_pass(struct port *p, cycle_t now, uint64_t bytes)
{
	uint64_t start = now * p->rate.by;

	if (p->free > start)
		start = p->free;
	p->free = start + bytes;
	return divide_up(&p->rate, p->free);
}

/* Whether what comes at `now` passes without delay. */
static inline bool port_is_idle(const struct port *p, cycle_t now)
{
	return p->free <= now * p->rate.by;
}

/* The same as port_pass for a port that is idle then. When the last of the bytes
 * has passed is what port_cycles says. */
static inline void port_start(struct port *p, cycle_t now, uint64_t bytes)
{
	p->free = now * p->rate.by + bytes;
}

/* The first cycle in which the port can start another message. */
static inline cycle_t port_free(const struct port *p)
{
	return divide(&p->rate, p->free);
}

/* Whether that cycle has come. */
static inline bool port_is_free(const struct port *p, cycle_t now)
{
	return p->free < (now + 1) * p->rate.by;
}

#endif
