/*
 * A DRAM channel by itself: the test pushes requests, time advances, and
 * completions are collected by tag.
 */
#ifndef HEDDLE_TESTS_UNIT_DRAM_RIG_H
#define HEDDLE_TESTS_UNIT_DRAM_RIG_H

#include "mem/dram.h"

enum { RIG_MAX = 40000 };

struct rig {
	struct arena arena;
	struct dram *m;
	cycle_t now;
	uint64_t pushed; /* requests so far; also the next tag */
	struct dram_done done[RIG_MAX];
	int count;
	cycle_t at[RIG_MAX];  /* cycle of completion, by tag */
	struct dram_stats st; /* filled in by rig_laws */
};

/* One cycle is one clock, and rows are not refreshed. */
struct dram_config rig_config(enum dram_std standard);
void rig_init(struct rig *r, const struct dram_config *cfg);
void rig_free(struct rig *r);

/* Push 32 bytes at the row's start in the current cycle; return the tag. */
uint64_t rig_read(struct rig *r, uint32_t bank, uint64_t row);
uint64_t rig_write(struct rig *r, uint32_t bank, uint64_t row);
/* Pushes any request; false: no room. */
bool rig_push(struct rig *r, struct dram_request q);
void rig_until(struct rig *r, cycle_t cycle);
/* Advances from event to event until nothing is left. */
void rig_drain(struct rig *r);

/* Checks the laws between the counters; nothing may be in flight. */
void rig_laws(struct rig *r);

#endif
