/*
 * Why an SM without a resident block has none.
 *
 * The dispatcher notes when blocks are on their way: a phase begins when a grid
 * starts and ends when the last block that can be sent has arrived. A cycle of
 * an idle SM is then one of three things:
 *
 *   launch     it is in a phase
 *   tail       it is in none, and the SM had a block of the last one
 *   no_block   it is in none, and the SM had no block of the last one
 *
 * This depends only on the cycle and on what came before it, so statistics of
 * intervals add up, and nothing depends on when cycles are counted.
 *
 * Models:  one table of phases for the GPU, and the idle time of an SM.
 * Does not model: SMs with a resident block; account.c charges their cycles.
 * Owner:   the GPU owns the table. The dispatcher writes to it during a run.
 *          Phases are appended, and only the last one's end may change, so an SM
 *          may read phases up to the one that MSG_BLOCK names, except that
 *          one's end. At rest, everybody may read all of it.
 */
#ifndef HEDDLE_SM_IDLE_H
#define HEDDLE_SM_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "stat/stat.h"

enum { IDLE_PHASES = 128 }; /* maximum: the grids of a run */

struct idle_phase {
	cycle_t start;
	cycle_t end; /* CYCLE_NEVER: there are blocks left to send */
};

struct idle_phases {
	uint32_t count;
	struct idle_phase at[IDLE_PHASES];
};

void idle_clear(struct idle_phases *p);
/* A grid starts. */
void idle_grid_starts(struct idle_phases *p, cycle_t at);
/* Every block of the grids that have started is sent; the last one arrives in
 * that cycle. */
void idle_all_sent(struct idle_phases *p, cycle_t arrival);
/* The phase that has not ended: what MSG_BLOCK names. */
uint32_t idle_last(const struct idle_phases *p);

/* What an SM knows of its idle time. */
struct idle_time {
	cycle_t since;  /* its last block ended, or the run began */
	bool had_block; /* in this run */
	uint32_t known; /* phases that it may read */
	bool end_known; /* and whether that includes the end of the last */
};

/* Charges the idle cycles [from, to) of one scheduler to reason[]. */
void idle_charge(const struct idle_phases *p, const struct idle_time *t,
		 cycle_t from, cycle_t to, uint64_t reason[REASON_COUNT]);

#endif
