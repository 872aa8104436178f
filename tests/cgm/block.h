/*
 * All that can happen to one block: every state that a system with a single
 * block can reach, under every name, and every step between them.
 *
 * A step of the protocol sees one block. Blocks meet only where they take places,
 * buffers and MSHRs from each other (sys_uses), which can delay a step but not
 * change it. So whatever a system with many blocks does, each of its blocks goes
 * through states of this graph, along its steps: what holds in all of them holds
 * for any number of blocks. block_explore checks
 *  - in every state, what sys_check says;
 *  - that messages alone end, in whatever order they arrive, and at rest
 *    (sys_check_rest);
 *  - that a message takes nothing that blocks share, but for a place at the home;
 *  - that a block at rest leaves the home by evictions and messages alone.
 * The last two are why blocks cannot wait for each other in a circle: those that
 * have a place at the home come to rest by themselves, then one of them makes
 * room.
 */
#ifndef HEDDLE_TESTS_CGM_BLOCK_H
#define HEDDLE_TESTS_CGM_BLOCK_H

#include "cgm/moves.h"

struct block_step {
	uint32_t to;
	uint16_t needs; /* bits of sys_uses that it takes */
	uint16_t step;  /* enum sys_step */
};

/* States are numbered so that those of the same use follow each other. */
struct block_graph {
	struct moves system; /* failure: what is wrong */
	uint32_t states, first;
	uint64_t steps;
	unsigned longest; /* messages from a state to rest, at most */
	uint16_t *uses;   /* by state */
	bool *rest;
	uint64_t *start; /* of a state's steps; start[states]: the end */
	struct block_step *step;
	uint32_t (*renamed)[SYS_ORDERS]; /* by state and order */
	uint64_t bytes;
};

/* Makes the graph of a system with one block; false: a check failed, and
 * g->system.failure says which. block_free in either case. */
bool block_explore(struct block_graph *g, const struct moves *system);
void block_free(struct block_graph *g);
/* States that differ in more than names. */
uint32_t block_distinct(const struct block_graph *g);

#endif
