/*
 * The link to the host's memory: accesses of kernels to memory that stays there.
 *
 *   SMs ==requests==> [ port ] -> [ its line is free? ] -> [ the way there and back ]
 *   SMs <==answers==  one a cycle  <--------------------------------'
 *
 * One memory partition has it, for all chunks of such memory (mem_is_far), so that
 * its bandwidth is that of the whole GPU.
 *
 * Models:  host.access_width bytes a cycle in each direction: sectors that are read or
 *          written; host.access_latency for the way there and back. A line
 *          that is loaded can be loaded again host.line_interval later; by an atomic,
 *          or a load around the L1, it is held until that is done, and others for
 *          it wait in their order. An atomic goes there and back once for every lane
 *          on one address, and for every 128 bytes of operands. A request keeps its
 *          credit until it goes for the last time.
 *          Atomics are performed in the order in which they arrive.
 * Does not model: an L2 that keeps such lines: none was seen to. The host's own
 *          accesses. More than LINK_LINES lines at once: some then do not wait.
 * Owner:   the memory partition.
 */
#ifndef HEDDLE_MEM_LINK_H
#define HEDDLE_MEM_LINK_H

#include "mem/slice.h"

enum { LINK_LINES = 1024 };

struct link_entry {
	cycle_t due;  /* when it goes for the last time; then `done` */
	cycle_t done; /* when it is answered */
	struct request request;
	uint32_t before, after; /* in the order of `due` */
	bool gone;              /* for the last time */
};

struct link_line {
	uint64_t chunk;
	cycle_t free;
};

struct link {
	cycle_t next; /* event, or CYCLE_NEVER */
	cycle_t latency, interval, reply;
	struct port in, out; /* to the host, and from it */
	struct link_entry *entry;
	uint32_t room, first, last, unused, count, answers;
	struct link_line line[LINK_LINES];
};

/* Requests that can be under way at once. */
uint32_t link_room(const struct cfg *cfg, uint32_t sms);
/* Lives in *a. */
MUST_USE enum err link_new(struct link **out, struct arena *a,
			   const struct cfg *cfg, uint32_t sms, struct diag *d);
/* A request arrives at cycle r->ready. */
void link_accept(struct link *l, const struct request *r);
/* What is due in this cycle: at most one event. */
void link_step(struct mem_partition *m, struct link *l, cycle_t now);

#endif
