/*
 * Runs in which the test controls the speed of a partition.
 *
 * A script wraps the rule of an engine with drifting partitions: it holds a
 * partition back, as a slow thread of the host would, and records how far the
 * others advance meanwhile. Everything else is the engine itself. The program
 * runs on two SMs, stores all the time and never waits for memory; its blocks
 * differ in length.
 */
#ifndef HEDDLE_TESTS_ENGINE_SCRIPT_H
#define HEDDLE_TESTS_ENGINE_SCRIPT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "net/post.h"

enum { FAST, SLOW, SCRIPT_SMS };
enum { SCRIPT_FAR = 16 }; /* steps by which FAST is ahead of the held one */

enum script_held { HOLD_SM, HOLD_MEMORY, HOLD_DISPATCHER }; /* HOLD_SM: SLOW */

/* All clocks at some time. */
struct mark {
	bool set;
	cycle_t fast, slow, dispatcher;
	cycle_t memory;    /* the latest clock of a memory partition */
	uint64_t requests; /* that wait there */
};

struct script {
	/* What to do. */
	unsigned blocks; /* up to 8 fit at once */
	bool no_bound;   /* the reorder queues have no limit */
	enum script_held target;
	cycle_t from; /* its clock when it is held back */
	/* For this many rounds of the leading thread; 0: until FAST is stopped
	 * by its rule or far ahead. */
	unsigned rounds;
	cycle_t every; /* again after this many cycles; 0: only once */

	/* Results. */
	struct mark stopped;   /* the first time the rule stopped FAST */
	struct mark far;       /* the first time FAST was far ahead */
	struct mark end;       /* the last time the held one was released */
	atomic_bool went_on;   /* FAST advanced after that */
	_Atomic uint64_t peak; /* maximum number of waiting requests */
	uint64_t room;         /* the rule's limit for them */
	cycle_t step, request, block; /* of the engine: struct drift */
	cycle_t cycles;
	struct post_late late_memory, late_sms;
	double late; /* late messages, according to the statistics */
	bool right;  /* the program has stored the right values */

	/* Internal. */
	_Atomic cycle_t hold; /* from that cycle on */
	unsigned held_rounds;
	atomic_uint rounds_seen;
};

/* Runs a script and fills in its results. False: there was no run, or it did
 * not complete. One script at a time. */
bool script_play(struct script *s, const char *engine, unsigned threads);

#endif
