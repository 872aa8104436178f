/*
 * The queues of a memory controller and the order in which they are served. For
 * mem/dram*.c only; mem/dram.h is the interface.
 *
 * A request keeps its entry; its position, 0 for the oldest, moves down when an
 * older one leaves. Masks over positions say which requests want which command,
 * so that the oldest of them is the lowest bit. In each bank at most one
 * request wants a command: the oldest of the bank, or the oldest for the open
 * row, as the policy decides. A queue's information on open rows and wanted
 * commands is up to date only while the queue is being served.
 */
#ifndef HEDDLE_MEM_DRAM_SCHED_H
#define HEDDLE_MEM_DRAM_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/dram.h"

enum { DRAM_NONE = 0xff };

/* What a request has needed so far, ordered by cost. */
enum dram_row_result { DRAM_HIT, DRAM_MISS, DRAM_CONFLICT };

/* What a bank must do for a request: transfer data, close its row, open one. */
enum dram_want { WANT_COLUMN, WANT_CLOSE, WANT_OPEN, WANT_COUNT };

struct dram_entry {
	uint64_t tag, row;
	uint32_t arrival; /* clock */
	uint32_t bytes;
	uint16_t bursts; /* still to transfer */
	uint8_t bank, row_result;
	uint8_t prev, next; /* older and younger in the same bank */
};

struct dram_queue {
	uint64_t ready[WANT_COUNT]; /* positions whose bank allows it */
	uint64_t free;              /* entries */
	uint64_t waiting;           /* banks with requests */
	uint64_t hits;              /* banks with requests for their open row */
	uint64_t of_pseudo[DRAM_MAX_PSEUDO]; /* positions, by pseudo channel */
	uint32_t count;
	uint32_t passed; /* served since the oldest became the oldest */
	uint32_t starve;
	uint32_t pseudo_mask;
	uint8_t position[DRAM_MAX_QUEUE];    /* by entry */
	uint8_t bank_at[DRAM_MAX_QUEUE + 1]; /* by position */
	/* Per bank: the ends of its list and the oldest for the open row. */
	uint8_t first[DRAM_MAX_BANKS], last[DRAM_MAX_BANKS];
	uint8_t hit[DRAM_MAX_BANKS];
	struct dram_entry entry[DRAM_MAX_QUEUE];
};

struct dram_policy {
	const char *name;
	/* FCFS: data are transferred in the order of arrival, though rows are
	 * opened ahead of time. Otherwise requests for open rows go first,
	 * until too many have passed the oldest request. */
	bool in_order;
};
extern const struct dram_policy dram_frfcfs, dram_fcfs;

void dram_queue_init(struct dram_queue *q, uint32_t limit, uint32_t starve,
		     uint32_t pseudo);
/* Adds a request of the bank. There must be room. */
struct dram_entry *dram_queue_add(struct dram_queue *q, uint32_t bank);
/* Removes the request hit[bank], which is served; the next one for its row
 * takes its place. */
void dram_queue_remove_hit(struct dram_queue *q, uint32_t bank);
/* Removes the only request. */
void dram_queue_remove_last(struct dram_queue *q);
/* Finds hit[bank] for the row that is now open. */
void dram_queue_open(struct dram_queue *q, uint32_t bank, uint64_t row);

static inline void dram_queue_close(struct dram_queue *q, uint32_t bank)
{
	q->hits &= ~(UINT64_C(1) << bank);
}

/* Replaces every 0 in *cfg by the standard's value, and checks the result.
 * ERR_RANGE. */
MUST_USE enum err dram_resolve(struct dram_config *cfg, struct diag *diag);

#endif
