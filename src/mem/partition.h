/*
 * A memory partition: slices of the L2 and the DRAM channels behind them.
 *
 *   SMs ==requests==> [in port] -> slice: [queue | tags, MSHRs] -> controller
 *   SMs <==answers=== [out port] <- slice <------------ fill <---- DRAM
 *
 * One slice and its channel where the counts allow it; slices that share a
 * channel of the network (net.channels) or of the DRAM live in one partition.
 *
 * Models:  a port of net.slice_in bytes a cycle for what arrives, queues with
 *          credits (net.queue requests of each SM), l2.lookups requests a
 *          cycle and slice, sectors, write-back and write-through, write
 *          misses with byte masks, MSHRs, atomics performed by the slice
 *          (l2.atomic_interval or _again cycles for each sector, and
 *          l2.atomic_lane for each further lane on one address), FR-FCFS or
 *          FCFS, DRAM timing, answers through a port of net.slice_out bytes a
 *          cycle.
 *          With mem.kind = latency, tags decide between the two fixed
 *          latencies and nothing else takes time: a request is answered
 *          so that a load takes mem.l2_latency or mem.dram_latency in all,
 *          there are no credits, and a line is there at once.
 * Does not model: data. TLBs. Coherence of L1 caches.
 * Owner:   the GPU; its state belongs to one thread at a time.
 *
 * Time. A request of b bytes that arrives at cycle a has passed the in port at
 * a + in, in = ceil(b / net.slice_in), and is looked up then; an answer of c
 * bytes takes out = ceil(c / net.slice_out) in the out port. When nothing else
 * is there, the answer arrives
 *
 *   to a hit      at a + l2.hit_latency + net.reply_latency
 *   to a miss     later by what the DRAM takes from cycle a + in on, and by
 *                 dram.latency, which lies on the way back from the DRAM
 *   to an atomic  later by l2.atomic_latency
 *   far away      later by l2.far_latency, there and back: SM i of n and slice
 *                 i of n are in part i * l2.partitions / n of the chip
 *
 * so passing the ports is part of l2.hit_latency (where that is less than
 * in + out, it is in + out). What waits for a port, for its turn, for an MSHR
 * or for the DRAM arrives later by that. Bytes: net.header, and 32 for each
 * sector of data, or 4 for each lane of an atomic (none back if nobody wants
 * the result). net.queue answers wait for an out port, without an L2 as many as
 * reads may wait for the DRAM; then the slice takes no more reads.
 */
#ifndef HEDDLE_MEM_PARTITION_H
#define HEDDLE_MEM_PARTITION_H

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/addrmap.h"
#include "net/wire.h"
#include "stat/stat.h"

struct mem_partition;
struct view;

/* The partitions of a configuration, and which one an address belongs to. */
struct mem_shape {
	struct addrmap map;
	uint32_t partitions;       /* memory partitions */
	uint32_t slices, channels; /* of each */
};

/* ERR_RANGE: counts that do not divide, sizes that do not fit each other. */
MUST_USE enum err mem_shape_init(struct mem_shape *s, const struct cfg *cfg,
				 struct diag *d);

static inline uint32_t mem_partition_of(const struct mem_shape *s,
					uint64_t chunk)
{
	uint32_t slice = addrmap_slice(&s->map, chunk * CHUNK_BYTES).slice;

	return s->slices == 1 ? slice : slice / s->slices;
}

struct mem_partition_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t index;            /* among the memory partitions */
	uint32_t self;             /* its number on the wires */
	uint32_t sms;              /* SM i is partition i on the wires */
	struct view *const *views; /* by SM: whose atomics are performed */
};

/* What it needs of the wires, for windows of up to `window` cycles. */
struct wire_room mem_partition_room(const struct cfg *cfg,
				    const struct mem_shape *shape, uint32_t sms,
				    cycle_t window);

/* No message of a partition is longer under way than so many cycles, from the
 * cycle in which it is sent; add the window for the wires' horizon. */
cycle_t mem_partition_horizon(const struct cfg *cfg);

/* Lives in *a. */
MUST_USE enum err mem_partition_new(struct mem_partition **out, struct arena *a,
				    const struct mem_partition_env *env,
				    struct diag *d);

/*
 * Simulates [from, to): takes what arrives, sends what is ready. Everything
 * that arrives before `to` must have been pulled. Returns the next cycle in
 * which there is something to do (arrivals that are not yet pulled excepted),
 * CYCLE_NEVER when it is at rest: until then it need not be called.
 */
cycle_t mem_partition_advance(struct mem_partition *m, cycle_t from,
			      cycle_t to);

/* Brings state into the host's cache ahead of mempart_advance: first what
 * every partition has, then what that leads to. */
void mem_partition_prefetch(const struct mem_partition *m);
void mem_partition_prefetch_more(const struct mem_partition *m);

/* Whether atomics have arrived since the last mempart_perform. */
bool mem_partition_has_atomics(const struct mem_partition *m);
/* At the end of an epoch: performs them, in the order of arrival. */
void mem_partition_perform(struct mem_partition *m);

/* A copy from or to the host, between launches: with l2.host_copies its lines
 * are in the L2 afterwards. Only chunks of this partition count. */
void mem_partition_host_copy(struct mem_partition *m, uint64_t first_chunk,
			     uint64_t chunks);

/* Nothing is queued or under way (dirty lines may be there). */
bool mem_partition_idle(const struct mem_partition *m);

/* Adds what was counted since the last mempart_clear_stats. */
/* The last cycle in which anything happened. */
cycle_t mem_partition_last(const struct mem_partition *m);
void mem_partition_stats(const struct mem_partition *m, struct stat_l2 *l2,
			 struct stat_dram *dram);
void mem_partition_clear_stats(struct mem_partition *m);
/* A conservation law that does not hold now, or NULL. */
const char *mem_partition_broken_law(const struct mem_partition *m);

#endif
