/*
 * A TLB: which pages' translations are at hand. The translation itself is a
 * fixed function (mem/cgm/system.h), so an entry is a page number.
 *
 * Models:  sets, ways, replacement of the least recently used.
 * Does not model: several page sizes, address space numbers, permissions.
 * Owner:   a first-level cache or the hub-iommu.
 */
#ifndef HEDDLE_MEM_CGM_TLB_H
#define HEDDLE_MEM_CGM_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "mem/cgm/proto.h"

struct cgm_tlb_entry {
	uint64_t page; /* plus 1; 0: empty */
	uint64_t used;
};

struct cgm_tlb {
	struct cgm_tlb_entry *entry;
	uint32_t sets, ways;
	uint64_t page;  /* bytes */
	unsigned shift; /* of a block's number to its page's; 0: divides */
	uint64_t clock;
	uint64_t hits, misses;
};

/* sets is a power of two. False: out of memory. */
MUST_USE bool cgm_tlb_init(struct cgm_tlb *t, struct arena *a, uint32_t sets,
			   uint32_t ways, uint64_t page);
/* The page of a block. */
static inline uint64_t cgm_tlb_page(const struct cgm_tlb *t, uint64_t block)
{
	return t->shift ? block >> t->shift : block * CGM_BLOCK / t->page;
}
/* Whether the page is there; counts hits. */
bool cgm_tlb_lookup(struct cgm_tlb *t, uint64_t page);
/* Counts a miss. */
void cgm_tlb_fill(struct cgm_tlb *t, uint64_t page);

/* The block that step `level` of a walk for a page reads, 0 for the root. */
uint64_t cgm_walk_block(uint64_t page, unsigned level, unsigned levels);

#endif
