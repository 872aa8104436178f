/*
 * The memory controller, with the channels of DRAM (mem/dram.h) behind it and
 * what memory holds. For a GPU that is connected here and not to the L3, it is
 * also the home of its blocks.
 *
 *   system agent <--> [ queue ] <--> DRAM channels
 *
 * Data is read or written in the order in which requests arrive; the DRAM says
 * when. What was never written reads as 0 and takes no room.
 *
 * Models:  the latency, a bounded number of requests in flight, channels.
 * Does not model: error correction, priorities.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_MEMORY_H
#define HEDDLE_MEM_CGM_MEMORY_H

#include "mem/cgm/part.h"
#include "mem/dram.h"
#include "stat/cgm.h"

enum { CGM_CHANNELS = 64 };

/* What memory holds: pages that were written. */
struct cgm_store;
struct cgm_store *cgm_store_new(void);    /* NULL: out of memory */
void cgm_store_free(struct cgm_store *s); /* s may be NULL */
void cgm_store_read(const struct cgm_store *s, uint64_t block, uint8_t *data);
/* False: out of memory. */
MUST_USE bool cgm_store_write(struct cgm_store *s, uint64_t block,
			      const uint8_t *data, uint64_t mask);
uint64_t cgm_store_bytes(const struct cgm_store *s);

struct cgm_memory_config {
	cycle_t period;
	uint32_t latency;
	uint32_t queue; /* requests in flight */
	uint32_t channels;
	struct dram_config dram; /* core_khz: of a tick */
	uint16_t self;
};

struct cgm_memory {
	struct cgm_part part; /* first */
	struct cgm_memory_config cfg;
	struct cgm_wire *from_net;
	struct cgm_out to_net;
	struct dram *dram[CGM_CHANNELS];
	struct cgm_store *store;   /* not its own */
	struct cgm_packets answer; /* of requests in flight, by tag */
	bool *used;
	cycle_t *since;
	uint32_t in_flight;
	bool lost; /* out of memory */
	struct cgm_stat_memory st;
};

MUST_USE enum err cgm_memory_new(struct cgm_memory **out, struct arena *a,
				 const struct cgm_memory_config *cfg,
				 struct cgm_store *store,
				 struct cgm_wire *const net[2], struct diag *d);
bool cgm_memory_is_idle(const struct cgm_memory *m);

#endif
