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

struct cgm_l1_config {
	cycle_t period;
	uint32_t sets, ways;
	uint32_t latency; /* cycles from a request to its answer */
	uint32_t ports;   /* accesses that it takes in a cycle; 0: 1 */
	uint32_t mshrs;   /* accesses in flight to the second level */
	uint32_t waiters; /* loads that wait for blocks in flight */
	bool coherent;    /* else a fence drops everything */
	bool translates;  /* has a TLB */
	uint32_t tlb_sets, tlb_ways, walk_levels, page;
	uint16_t kid; /* its number among the caches of its second level */
};

struct cgm_l1_line {
	uint64_t block, used;
	bool valid;
	_Alignas(8) uint8_t data[CGM_BLOCK];
};

/* An access that the second level performs. */
struct cgm_l1_miss {
	struct cgm_packet access; /* of what is not a load */
	uint64_t block;
	uint32_t first, last;   /* of the loads that wait */
	bool used, load, stale; /* stale: not kept when it arrives */
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
	char *line; /* sets * ways of them */
	size_t line_bytes;
	struct cgm_l1_miss *miss;
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
