/* What the recording of warps and of wavefronts share. */
#ifndef HEDDLE_REPLAY_RECORD_H
#define HEDDLE_REPLAY_RECORD_H

#include "replay/tape.h"

/* Notes that what was recorded depends on something that a replay may do
 * differently: enum trace_depends. */
static inline void recording_note(struct recording *r, unsigned on)
{
	atomic_fetch_or_explicit(&r->depends, on, memory_order_relaxed);
}

/* Keeps the first error; nothing is recorded any more. */
void recording_fail(struct recording *r, const struct diag *d);

#endif
