/*
 * The exhaustive check of CGM's protocol: every state that a small system can
 * reach, by every order of messages, accesses, evictions and flushes, executed
 * by the functions of mem/cgm/proto.h.
 *
 * Checked in every state:
 *  - no cache may write while another has a copy;
 *  - every coherent copy holds the value written last (a copy is fresh or stale:
 *    a write makes every other value in the system stale);
 *  - while no cache may write and nothing is in flight, the L3, or memory, has
 *    that value: no write is lost;
 *  - no event meets a state without a row;
 *  - messages alone lead back to rest: no deadlock, and every transient state
 *    and every waiting access is resolved;
 *  - first-level caches are told before what they have may be written elsewhere.
 *
 * Caches are alike, and so are blocks: states that differ only in their names
 * count once. Every state is kept in full.
 */
#ifndef HEDDLE_TESTS_CGM_EXPLORE_H
#define HEDDLE_TESTS_CGM_EXPLORE_H

#include "cgm/moves.h"

struct explore {
	struct moves system;
	uint64_t limit; /* states; more is a failure */

	/* Results; system.failure says what is wrong */
	uint64_t states, steps;
	unsigned longest; /* steps from a state to rest, at most */
};

/* Explores everything; true if no check failed. */
bool explore_run(struct explore *x);

#endif
