/*
 * What an SM waits for when it accesses a region of global memory whose translation
 * nobody has used: the GPU walks its page tables.
 *
 *   L1 --requests--> [ is the region known? ] --> port, network
 *
 * Regions (tlb.region bytes) become known to all SMs when a launch that has accessed
 * them ends, or the host copies to them or from them (tlb.copies). In the launch, each
 * SM learns for itself.
 *
 * Models:  tlb.walk_latency from the issue of an SM's first instruction whose first
 *          lane accesses a region that is not known, or from the first request of
 *          another lane; the next walk of the SM begins tlb.walk_interval after the one
 *          before. Requests are in order: those behind one that waits wait, too.
 * Does not model: levels and capacities of TLBs: on the H200, no translation is lost
 *          within 96 GiB, and an SM of another GPC finds it at once. That in a launch
 *          one SM's walk helps others that come later: all of them usually begin at
 *          once. That mapping and unmapping memory (cudaMalloc, cudaFree) discards all
 *          translations. Local memory, code and constants. Regions TLB_REGIONS apart
 *          are taken for one. With mem.kind = latency there are no translations.
 * Owner:   the SM's L1. What is known is the GPU's, and does not change during a run.
 */
#ifndef HEDDLE_SM_TLB_H
#define HEDDLE_SM_TLB_H

#include "base/bitmap.h"
#include "base/cycle.h"
#include "cfg/cfg.h"
#include "net/wire.h"

enum { TLB_REGIONS = 4096, TLB_WALKS = 64 };
/* Global memory is below; what is above has no translations. */
#define TLB_LOCAL_MEMORY (UINT64_C(1) << 46)

struct tlb_walk {
	cycle_t ready;
	uint32_t region;
};

struct tlb {
	const bitmap_word *known; /* NULL: nothing waits */
	unsigned shift;           /* log2 of the chunks of a region */
	cycle_t latency, interval;
	uint64_t last;  /* region that was accessed last, and is translated */
	cycle_t next;   /* when the next walk may begin */
	cycle_t busy;   /* when all walks so far are done */
	uint32_t walks; /* in `walk`, in order of time */
	bool used;      /* mine is not empty */
	uint64_t mine[TLB_REGIONS / 64]; /* walked for since tlb_share */
	struct tlb_walk walk[TLB_WALKS];
};

/* known: a bit for each of TLB_REGIONS regions. */
void tlb_init(struct tlb *t, const struct cfg *cfg, const bitmap_word *known);

/* As below, for a region that was not the last one. */
cycle_t tlb_look_up(struct tlb *t, uint64_t region, cycle_t now);

/* From which cycle on a request for the chunk may go; `now` or earlier: it may go
 * now. Call it again in that cycle. */
static inline cycle_t tlb_ready(struct tlb *t, uint64_t chunk, cycle_t now)
{
	uint64_t region = chunk >> t->shift;

	if (region == t->last || chunk >= TLB_LOCAL_MEMORY / CHUNK_BYTES)
		return now;
	return tlb_look_up(t, region, now);
}

/* Between runs: adds what the SM has accessed to what is known. */
void tlb_share(struct tlb *t, bitmap_word *known);

/* The same for the regions of [address, address + bytes). */
void tlb_learn(bitmap_word *known, const struct cfg *cfg, uint64_t address,
	       uint64_t bytes);

#endif
