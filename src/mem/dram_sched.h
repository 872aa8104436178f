/*
 * The queues of a memory controller and the order in which they are served.
 * For mem/dram*.c alone; mem/dram.h is the interface.
 *
 * A request keeps its entry; its position, 0 for the oldest, moves down when
 * an older one leaves. Masks over positions say which requests want which
 * command, so that the oldest of them is the lowest bit. Per bank at most one
 * request wants something: the first of the bank's list, or the first for the
 * row that is open, as the policy decides. What a queue knows of open rows and
 * of commands is kept up only while it is the one being served.
 */
#ifndef HEDDLE_MEM_DRAM_SCHED_H
#define HEDDLE_MEM_DRAM_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram.h"

enum { DRAM_NONE = 0xff };

/* What a request needed so far; ordered by cost. */
enum dram_how { DRAM_HIT, DRAM_MISS, DRAM_CONFLICT };

/* What a bank is to do for a request: move data, close its row, open one. */
enum dram_want { WANT_COLUMN, WANT_CLOSE, WANT_OPEN, WANT_COUNT };

struct dram_entry {
	uint64_t tag, row;
	uint32_t arrival; /* clock */
	uint32_t bytes;
	uint16_t bursts; /* still to transfer */
	uint8_t bank, how;
	uint8_t prev, next; /* older and younger in the same bank */
};

struct dram_queue {
	uint64_t ready[WANT_COUNT];   /* positions: their bank allows it */
	uint64_t free;                /* entries */
	uint64_t waiting;             /* banks with requests */
	uint64_t hits;                /* banks with requests for the open row */
	uint64_t of[DRAM_MAX_PSEUDO]; /* positions, by pseudo channel */
	uint32_t count;
	uint32_t passed; /* served since the oldest became the oldest */
	uint32_t starve;
	uint32_t pseudo_mask;
	uint8_t position[DRAM_MAX_QUEUE];    /* by entry */
	uint8_t bank_at[DRAM_MAX_QUEUE + 1]; /* by position */
	/* Per bank: the ends of its list and the oldest for the open row. */
	uint8_t first[DRAM_MAX_BANKS], last[DRAM_MAX_BANKS];
	uint8_t hit[DRAM_MAX_BANKS];
	struct dram_entry at[DRAM_MAX_QUEUE];
};

struct dram_policy {
	const char *name;
	/* First come first served: data flow in the order of arrival, though
	 * rows are opened ahead of time. Else those whose row is open go
	 * first, until too many have passed the oldest request. */
	bool in_order;
};
extern const struct dram_policy dram_frfcfs, dram_fcfs;

void dram_queue_init(struct dram_queue *q, uint32_t limit, uint32_t starve,
		     uint32_t pseudo);
/* There must be room. */
struct dram_entry *dram_queue_add(struct dram_queue *q, uint32_t bank);
/* The request hit[bank] is served; the next one for its row takes its place. */
void dram_queue_remove_hit(struct dram_queue *q, uint32_t bank);
/* Finds hit[bank] anew, now that this row is open. */
void dram_queue_open(struct dram_queue *q, uint32_t bank, uint64_t row);

static inline void dram_queue_close(struct dram_queue *q, uint32_t bank)
{
	q->hits &= ~(UINT64_C(1) << bank);
}

/* Takes from *cfg and its standard what is simulated, or says why not. */
MUST_USE enum err dram_resolve(struct dram_config *cfg, struct diag *diag);

#endif
