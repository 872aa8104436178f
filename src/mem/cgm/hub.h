/*
 * The hub-iommu: joins the GPU's second-level banks to the rest of the system,
 * and translates between the GPU's addresses and the system's, both ways.
 *
 *   bank 0 --\                      /--> ring, or system agent
 *   bank 1 ---+--> [ TLB, walker ]-+
 *   bank n --/                      \--> walks, which read memory
 *
 * A request waits for its page's translation; a miss walks the page table in
 * memory, one read after the other, while other requests wait. What belongs to
 * a transaction in flight never waits for memory: its page was translated when
 * the transaction began, and a page that has left the TLB since costs a fixed
 * latency.
 *
 * Models:  one message of each direction a cycle, banks in turn; the latency;
 *          the TLB and its walks.
 * Does not model: page faults; a page table other than a fixed distance.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_HUB_H
#define HEDDLE_MEM_CGM_HUB_H

#include "mem/cgm/cache.h"
#include "mem/cgm/tlb.h"

enum { CGM_BANKS = 64 };

struct cgm_hub_config {
	cycle_t period;
	uint32_t latency, reverse_latency;
	uint32_t tlb_sets, tlb_ways, walk_levels, page;
	uint64_t distance; /* blocks from the GPU's address to the system's, which
			    * wraps around at the end of all addresses */
	struct cgm_homes homes;
	uint16_t self;
	uint16_t first_bank; /* number of bank 0 in the system */
	uint32_t banks;
	uint32_t room; /* of its queues */
};

struct cgm_hub {
	struct cgm_part part; /* first */
	struct cgm_hub_config cfg;
	struct cgm_wire *from_bank[CGM_BANKS], *from_net;
	struct cgm_out to_bank[CGM_BANKS], to_net;
	struct cgm_tlb tlb;
	unsigned turn;
	bool walking, walk_sent;
	uint32_t level;
	uint64_t walk_page;
	struct cgm_stat_hub st;
};

/* The home of a bank's blocks, before the hub knows their address. */
enum { CGM_HUB_HOME = UINT16_MAX };

MUST_USE enum err cgm_hub_new(struct cgm_hub **out, struct arena *a,
			      const struct cgm_hub_config *cfg,
			      struct cgm_wire *const (*bank)[2],
			      struct cgm_wire *const net[2], struct diag *d);
bool cgm_hub_is_idle(const struct cgm_hub *h);

#endif
