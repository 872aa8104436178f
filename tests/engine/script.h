/*
 * A run at a pace that the test sets.
 *
 * A script stands between an engine whose parts drift and its rule: it holds a
 * part back, as a slow thread of the host would, and notes how far the others
 * come meanwhile. All else is the engine's own. The program has two SMs, stores
 * all the time and never waits for memory; its blocks differ in length.
 */
#ifndef HEDDLE_TESTS_ENGINE_SCRIPT_H
#define HEDDLE_TESTS_ENGINE_SCRIPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "net/post.h"

enum { FAST, SLOW, SCRIPT_SMS };
enum { SCRIPT_FAR = 16 }; /* steps that FAST is ahead of whom is held back */

enum script_held { HOLD_SM, HOLD_MEMORY, HOLD_DISPATCHER }; /* HOLD_SM: SLOW */

/* Where everybody was at some time. */
struct mark {
	bool set;
	cycle_t fast, slow, dispatcher;
	cycle_t memory;    /* the partition that is furthest */
	uint64_t requests; /* that wait there */
};

struct script {
	/* What to do. */
	unsigned blocks; /* up to 8 fit at once */
	bool no_bound;   /* the reorder queues have no limit */
	enum script_held who;
	cycle_t from; /* its clock, when it is held back */
	/* For so many rounds of the thread that leads; 0: until FAST is stopped
	 * by its rule or far ahead. */
	unsigned rounds;
	cycle_t every; /* so many cycles later again; 0: only once */

	/* What came of it. */
	struct mark stopped;   /* the first time that FAST was, by its rule */
	struct mark far;       /* the same: it was far ahead */
	struct mark end;       /* the last time that who is held was let go */
	atomic_bool went_on;   /* FAST, after that */
	_Atomic uint64_t peak; /* most requests that have waited */
	uint64_t room;         /* that the rule has for them */
	cycle_t step, request, block; /* of the engine: struct drift */
	cycle_t cycles;
	struct post_late late_memory, late_sms;
	double late; /* messages, as the statistics have it */
	bool right;  /* what the program has stored */

	/* Its own. */
	_Atomic cycle_t hold; /* from that cycle on */
	unsigned held;        /* rounds */
	atomic_uint looks;
};

/* Fills in what came of it. False: there was no run, or it did not come to its
 * end. One at a time. */
bool script_play(struct script *s, const char *engine, unsigned threads);

#endif
