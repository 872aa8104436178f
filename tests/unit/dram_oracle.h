/*
 * A simple, slow memory controller: every clock it checks every request against
 * every rule of mem/dram.def. mem/dram.c must agree with it.
 */
#ifndef HEDDLE_TESTS_UNIT_DRAM_ORACLE_H
#define HEDDLE_TESTS_UNIT_DRAM_ORACLE_H

#include "mem/dram.h"

enum { ORACLE_MAX = 8192 };

struct oracle_request {
	struct dram_request r;
	uint64_t arrival;
	uint32_t bursts;
	bool closed_for, opened_for;
};

struct oracle_done {
	uint64_t tag, clock;
	bool write;
};

struct oracle {
	const struct dram_config *cfg; /* resolved */
	uint64_t clock;                /* the last clock simulated */
	uint64_t ref_due;
	bool draining;
	bool open[DRAM_MAX_BANKS];
	uint64_t row[DRAM_MAX_BANKS];
	/* Clock of the last command of each kind; -1: never. */
	int64_t last[5][DRAM_MAX_BANKS];
	int64_t last_ref;
	int64_t activates[DRAM_MAX_PSEUDO][ORACLE_MAX];
	int activate_count[DRAM_MAX_PSEUDO];
	/* In the order of arrival: reads, writes. */
	struct oracle_request queue[2][DRAM_MAX_QUEUE];
	uint32_t count[2], passed[2];
	struct oracle_done done[ORACLE_MAX];
	int done_count;
	struct dram_stats st;
};

void oracle_init(struct oracle *o, const struct dram_config *resolved);
bool oracle_push(struct oracle *o, cycle_t now, const struct dram_request *r);
void oracle_advance(struct oracle *o, cycle_t until);
/* The i-th completion in order of time, after the last advance. */
struct dram_done oracle_result(const struct oracle *o, int i);
void oracle_sort(struct oracle *o);

#endif
