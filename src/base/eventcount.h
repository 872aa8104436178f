/*
 * A bell: who has nothing to do waits until it is rung.
 *
 *	seen = bell_heard(&b);
 *	if there is nothing to do: bell_await(&b, seen, patience);
 *
 * A ring between the two calls is not missed. Waiting spins for a moment, then
 * sleeps, so that more threads than the host has cores do no harm.
 */
#ifndef HEDDLE_BASE_EVENTCOUNT_H
#define HEDDLE_BASE_EVENTCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>

struct eventcount {
	_Alignas(64) atomic_uint value; /* changes with every ring */
	atomic_uint sleepers;
};

static inline unsigned eventcount_key(struct eventcount *b)
{
	return atomic_load_explicit(&b->value, memory_order_acquire);
}

/* Adds 1, wakes who sleeps; returns what it was. */
unsigned eventcount_notify(struct eventcount *b);
/* Wakes who sleeps; the value has been changed already. */
void eventcount_wake(struct eventcount *b);
/* Until it is no longer `old`; returns what it is. Spins for so many seconds
 * before it sleeps. */
unsigned eventcount_wait(struct eventcount *b, unsigned old, double patience);
/* For whom has worked for so many seconds, and waits for others that have as
 * much to do: who spins for longer takes too much from a host with other work,
 * and who sleeps earlier is woken too late. */
double eventcount_patience(double worked);
/* Whether so many threads should spin at all: not if the host has fewer cores,
 * because that takes one from who is waited for. */
bool eventcount_spins(unsigned threads);

#endif
