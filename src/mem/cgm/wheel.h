/*
 * Which parts wake next: a wheel of the coming ticks, each with the set of parts
 * that wake in it, and a set of those that wake later.
 *
 * An entry may be out of date: a part that was told to wake earlier has run
 * since. So a part that is due runs only if its own `wake` says so.
 *
 * Owner:   the system; used between windows.
 */
#ifndef HEDDLE_MEM_CGM_WHEEL_H
#define HEDDLE_MEM_CGM_WHEEL_H

#include "mem/cgm/part.h"

enum {
	CGM_WHEEL_SLOTS = 256, /* ticks */
	/* How far the present may move back: a part that is woken from outside
	 * runs in the window that has just ended. The longest window. */
	CGM_WHEEL_BACK = 64,
	CGM_WHEEL_AHEAD = CGM_WHEEL_SLOTS - CGM_WHEEL_BACK
};

struct cgm_wheel {
	struct cgm_part *const *part;
	cycle_t *wake;          /* theirs, side by side */
	uint32_t words;         /* of a set of parts */
	uint64_t *slot;         /* [tick % SLOTS][words] */
	uint64_t *far;          /* parts that wake later than that */
	uint64_t *due;          /* the window's parts */
	_Atomic uint64_t *mail; /* parts that something was sent to */
	uint64_t live[CGM_WHEEL_SLOTS / 64]; /* slots that are not empty */
	cycle_t base;                        /* everything before has run */
	cycle_t far_first; /* the first of `far`, or earlier */
};

static inline void cgm_set_add(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << i % 64;
}

/* For parts [0, count), which are all told that they have mail by way of the
 * wheel from now on. False: out of memory. */
MUST_USE bool cgm_wheel_init(struct cgm_wheel *w, struct arena *a,
			     struct cgm_part *const *part, uint32_t count);
/* The part's `wake` has become earlier. */
void cgm_wheel_wake(struct cgm_wheel *w, const struct cgm_part *p);
/* Takes note of what was sent, and returns when the next part wakes. */
cycle_t cgm_wheel_next(struct cgm_wheel *w);
/* Collects in `due` the parts of the window [now, to); these may run then. */
void cgm_wheel_begin(struct cgm_wheel *w, cycle_t now, cycle_t to);
/* They have run: all of them, or one. */
void cgm_wheel_end(struct cgm_wheel *w);
static inline void cgm_wheel_add(struct cgm_wheel *w, uint32_t i)
{
	cycle_t wake = w->part[i]->wake;
	unsigned slot = wake % CGM_WHEEL_SLOTS;

	w->wake[i] = wake;
	if (wake == CYCLE_NEVER)
		return;
	if (wake >= w->base + CGM_WHEEL_AHEAD) {
		cgm_set_add(w->far, i);
		w->far_first = min_u64(w->far_first, wake);
		return;
	}
	cgm_set_add(w->slot + (size_t)slot * w->words, i);
	w->live[slot / 64] |= UINT64_C(1) << slot % 64;
}

#endif
