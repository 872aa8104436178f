/*
 * A first-level cache: a core's for instructions or data, a compute unit's for
 * vectors or scalars.
 *
 *   processor --> [ TLB | tags ] --> second level
 *   processor <-- [ data       ] <-- answers and invalidations, in one order
 *
 * Stores and atomics are performed in the second level; a store's answer then
 * updates the block here. What comes from the second level arrives in the order
 * in which that sent it, so the content is always what the second level had at
 * one moment, not long ago: a processor never sees newer data first and older
 * data later, and never misses what preceded an answer that it has seen.
 *
 * Models:  an access a cycle for each port, its latency; loads of one block that join; a
 *          bounded number in flight; page walks, which read memory through the
 *          second level, one at a time, while other accesses wait.
 * Does not model: banks, prefetching.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_L1_H
#define HEDDLE_MEM_CGM_L1_H

#include "mem/cgm/part.h"
#include "mem/cgm/tlb.h"
#include "stat/cgm.h"

enum { CGM_L1_MSHRS = 64 };

struct cgm_l1_config {
	cycle_t period;
	uint32_t sets, ways;
	uint32_t latency; /* cycles from a request to its answer */
	uint32_t ports;   /* accesses that it takes in a cycle; 0: 1 */
	uint32_t mshrs; /* accesses in flight to the second level; at most 64 */
	uint32_t waiters; /* loads that wait for blocks in flight */
	bool coherent;    /* else a fence drops everything */
	bool translates;  /* has a TLB */
	uint32_t tlb_sets, tlb_ways, walk_levels, page;
	uint16_t kid; /* its number among the caches of its second level */
};

/* An access that the second level performs. */
struct cgm_l1_miss {
	uint32_t first, last;     /* of the loads that wait */
	struct cgm_packet access; /* of what is not a load */
};

struct cgm_l1_waiter {
	struct cgm_packet access;
	uint32_t next;
};

struct cgm_l1 {
	struct cgm_part part; /* first */
	struct cgm_l1_config cfg;
	struct cgm_wire *from_processor, *from_below;
	struct cgm_out to_processor, to_below;
	struct cgm_tlb tlb;
	/* Of sets * ways lines: the block, plus 1, 0: none; when it was used;
	 * what it holds, NULL: a system without values. */
	uint64_t *tag, *used_at;
	uint8_t (*data)[CGM_BLOCK];
	struct cgm_l1_miss *miss;
	/* The misses in use; those that are loads; those of loads that are kept
	 * when they arrive. */
	uint64_t used, loads, kept;
	uint64_t miss_block[CGM_L1_MSHRS];
	struct cgm_l1_waiter *waiter;
	uint32_t free_waiter, misses, waiting;
	bool walking;
	uint32_t level; /* of the walk */
	uint64_t clock;
	struct cgm_stat_l1 st;
};

/* processor[2], below[2]: the wires to this cache, and from it. */
MUST_USE enum err cgm_l1_new(struct cgm_l1 **out, struct arena *a,
			     const struct cgm_l1_config *cfg,
			     struct cgm_wire *const processor[2],
			     struct cgm_wire *const below[2], struct diag *d);
bool cgm_l1_is_idle(const struct cgm_l1 *l);

#endif
