/*
 * An eventcount: a thread with nothing to do waits until another notifies it.
 *
 *	key = eventcount_key(&b);
 *	if there is nothing to do: eventcount_wait(&b, key, patience);
 *
 * A notification between the two calls is not missed. A waiting thread spins
 * for a moment and then sleeps, so that having more threads than cores does no
 * harm.
 */
#ifndef HEDDLE_BASE_EVENTCOUNT_H
#define HEDDLE_BASE_EVENTCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

struct eventcount {
	_Alignas(64) atomic_uint value; /* changes with every notification */
	atomic_uint sleepers;
};

/* The present value, to be passed to eventcount_wait. */
static inline unsigned eventcount_key(struct eventcount *b)
{
	return atomic_load_explicit(&b->value, memory_order_acquire);
}

/* Adds 1 to the value and wakes all sleepers; returns the value before. */
unsigned eventcount_notify(struct eventcount *b);
/* Wakes all sleepers; the caller has already changed the value. */
void eventcount_wake(struct eventcount *b);
/* Waits until the value differs from `old` and returns it. Spins for `patience`
 * seconds before it sleeps. */
unsigned eventcount_wait(struct eventcount *b, unsigned old, double patience);
/* How long a thread should spin that has worked for `worked` seconds and now
 * waits for others with as much to do. Spinning longer takes too much from a
 * host with other work; sleeping earlier means being woken too late. */
double eventcount_patience(double worked);
/* Whether this many threads should spin at all. False if the host has fewer
 * cores: spinning would take a core from the thread that is waited for. */
bool eventcount_spins(unsigned threads);

#endif
