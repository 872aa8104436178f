/*
 * A random test of the whole memory system: cores and compute units read, write
 * and update words of a few blocks, and every value that comes back is checked.
 *
 * Every word has one writer, which writes its words in turn, with numbers that
 * grow, one after the other. So a number says what was written before it: who
 * has seen number k of a writer must afterwards find in each word at least what
 * the writer had written there before k. Words of several writers, and counters
 * that all update, lie in one block. The other first-level caches, a core's for
 * instructions and a compute unit's for scalars, only read.
 *
 * Caches that are not coherent promise less: a writer finds its own words, and
 * nobody finds an older number in a word than before. Fences in between, and at
 * the end, everything.
 */
#ifndef HEDDLE_TESTS_CGM_RANDOM_H
#define HEDDLE_TESTS_CGM_RANDOM_H

#include "cfg/cfg.h"
#include "mem/cgm/system.h"

struct random_test {
	struct cfg cfg;
	struct cgm_options options;
	uint64_t accesses; /* in all */
	unsigned words;    /* of each writer */
	unsigned depth;    /* accesses of a requester in flight: 1 to this */
	unsigned stride;   /* bytes from one block to the next */
	bool flushes;
};

struct random_result {
	char failure[200]; /* what is wrong; empty: nothing */
	cycle_t ticks;     /* until everything was answered but the reads at
			    * the end */
	/* Accesses that were answered; the values among the answers, of loads
	 * and updates, each compared with what it may be. A store's value is
	 * compared by whoever reads it. */
	uint64_t accesses, checks;
	struct cgm_stats stats;
};

/* Caches so small that they evict all the time; 16 cores and a GPU. */
void random_tiny(struct random_test *t, uint64_t accesses);
/* Room for everything. */
void random_roomy(struct random_test *t);
/* Runs it; false: a check failed. */
bool random_run(const struct random_test *t, struct random_result *r);

#endif
