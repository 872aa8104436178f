/*
 * A slice of the L3 with the directory of its blocks: the home side of the
 * protocol (mem/cgm/proto.def). The L3 holds every block that a coherent cache
 * has; to evict one it takes the copies back.
 *
 *   network <--> [ tags, directory | data | waiting requests ]
 *
 * In a cycle it takes one reply, else one request: those that waited first.
 * Requests for a block with a transaction in flight wait in a buffer, in order;
 * when that is full, those behind them wait in the network.
 *
 * Models:  ways and sets, least recently used; the latency; the buffer.
 * Does not model: banks, replacement by other policies.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_SLICE_H
#define HEDDLE_MEM_CGM_SLICE_H

#include "mem/cgm/hot.h"
#include "mem/cgm/part.h"
#include "stat/cgm.h"

struct cgm_slice_config {
	const struct cgm_table *table;
	cycle_t period;
	uint32_t sets, ways, latency;
	uint32_t pending; /* requests that wait */
	uint32_t agents;  /* caches that may have copies */
	uint32_t slices;  /* of the L3; blocks are dealt out in turn */
	uint16_t self, memory;
};

struct cgm_slice {
	struct cgm_part part; /* first */
	struct cgm_slice_config cfg;
	struct cgm_wire *from_net;
	struct cgm_out to_net;
	char *dir; /* sets * ways of struct cgm_dir */
	size_t dir_bytes;
	struct cgm_packets pending;
	uint32_t waiting;
	uint32_t flushing; /* blocks on their way to memory */
	bool changed;      /* what waits may go on */
	bool tried;        /* what waits was tried in this cycle */
	uint64_t stalled;  /* requests that had to wait in the last cycle */
	uint64_t clock;
	cycle_t now;
	struct cgm_hot *hot; /* NULL: not asked for */
	struct cgm_stat_slice st;
};

MUST_USE enum err cgm_slice_new(struct cgm_slice **out, struct arena *a,
				const struct cgm_slice_config *cfg,
				struct cgm_wire *const net[2], struct diag *d);
bool cgm_slice_is_idle(const struct cgm_slice *s);

#endif
