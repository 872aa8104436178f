/*
 * A channel of DRAM alone on the bench: the test pushes, time runs, and what
 * is done comes back as a list.
 */
#ifndef HEDDLE_TESTS_UNIT_DRAM_RIG_H
#define HEDDLE_TESTS_UNIT_DRAM_RIG_H

#include "mem/dram.h"

enum { RIG_MAX = 40000 };

struct rig {
	struct arena arena;
	struct dram *m;
	cycle_t now;
	uint64_t pushed; /* requests; also the next tag, from 0 */
	struct dram_done done[RIG_MAX];
	int count;
	cycle_t at[RIG_MAX];  /* cycle of completion by tag */
	struct dram_stats st; /* as of rig_laws */
};

/* One cycle is one clock, and rows are not refreshed. */
struct dram_config rig_config(enum dram_std standard);
void rig_init(struct rig *r, const struct dram_config *cfg);
void rig_free(struct rig *r);

/* Push in the current cycle, 32 bytes at the row's start; the tag. */
uint64_t rig_read(struct rig *r, uint32_t bank, uint64_t row);
uint64_t rig_write(struct rig *r, uint32_t bank, uint64_t row);
/* The same for any request; false if there is no room. */
bool rig_push(struct rig *r, struct dram_request q);
void rig_until(struct rig *r, cycle_t cycle);
/* Event by event until nothing is left. */
void rig_drain(struct rig *r);

/* The laws between the counters; nothing may be under way. */
void rig_laws(struct rig *r);

#endif
