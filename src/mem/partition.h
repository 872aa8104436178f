/*
 * A memory partition: slices of the L2 and the DRAM channels behind them.
 *
 *   SMs ==requests==> [in port] -> slice: [queue | tags, MSHRs] -> controller
 *   SMs <==answers=== [out port] <- slice <------------ fill <---- DRAM
 *
 * A partition is one slice and its DRAM channel where the counts allow it;
 * slices that share a channel of the network (net.channels) or of the DRAM are
 * in one partition.
 *
 * Models:  a port of net.slice_in bytes a cycle for what arrives, queues with
 *          credits (net.queue requests of each SM), l2.lookups requests a
 *          cycle and slice, sectors, write-back and write-through, write
 *          misses with byte masks, MSHRs, atomics performed by the slice
 *          (l2.atomic_interval or _again cycles for each sector, and
 *          l2.atomic_lane for each further lane on one address, other
 *          values for floating point and compare-and-swap), writes that
 *          occupy the slice (l2.write_sector for each sector and
 *          l2.write_masks if one is written in part, l2.write_interval at
 *          least) and are acknowledged when they are taken from its queue
 *          (l2.acknowledge), reads of the same sectors, no more
 *          and no fewer, by SMs of one group that are served as one, up to
 *          l2.combine of them, for l2.combine_cycles after a hit or until the
 *          data of a miss is there, FR-FCFS or FCFS, DRAM timing, answers
 *          through a port of net.slice_out bytes a cycle.
 *          With mem.kind = latency, tags decide between two fixed latencies
 *          and nothing else takes time: a request is answered so that a
 *          load takes mem.l2_latency or mem.dram_latency in total, there
 *          are no credits, and a line is filled at once.
 *          Memory that stays with the host: mem/link.h.
 * Does not model: data. TLBs. Coherence of L1 caches.
 * Owner:   the GPU; its state belongs to one thread at a time.
 *
 * Time. A request of b bytes that arrives at cycle a has passed the in port at
 * a + in, in = ceil(b / net.slice_in), and is looked up then; an answer of c
 * bytes takes out = ceil(c / net.slice_out) in the out port. Without
 * contention, the answer arrives
 *
 *   to a hit      at a + l2.hit_latency + net.reply_latency
 *   to a miss     later by the time in the DRAM from cycle a + in on, and by
 *                 dram.latency, which is on the way back from the DRAM
 *   to an atomic  later by l2.atomic_latency, and far away by l2.far_atomic if
 *                 it has a result
 *   far away      later by l2.far_latency, there and back, by l2.far_miss unless
 *                 it hits, and by l2.far_first if it hits, but the region of
 *                 the SM has no copy of a sector, or less if one is on its way:
 *                 slice i of n is in region i * l2.partitions / n of the chip,
 *                 an SM in that of its group (l2.combine_groups), or as slices
 *
 * A region has copies of the sectors that its SMs have read, and of those fetched
 * with them, or have written as a whole, until they are evicted, an atomic changes
 * them or an SM of the slice's region writes them. They take no room
 * (l2.copy_ways). With l2.far_sector, what a slice sends to a region without a copy,
 * and what an SM there writes, passes a link of the slice, one after the other. It
 * stands for the link between the regions, which is as busy in one direction as in
 * the other if addresses are spread evenly. Reads wait for it on their way back, a
 * write holds the queue when l2.far_queue sectors wait.
 *
 * so passing the ports is part of l2.hit_latency (or in + out, if that is
 * longer). Time spent waiting for a port, for a lookup, for an MSHR or for the
 * DRAM is added. Bytes: net.header, and 32 for each sector of data, or 4 for
 * each lane of an atomic (none in the answer if its result is not used), and
 * net.write_extra for a write that has a sector written in part. A read that is combined with another one takes
 * no lookup and no time in the out port. When
 * net.queue answers wait for an out port, or without an L2 as many as reads may
 * wait for the DRAM, the slice takes no more reads.
 */
#ifndef HEDDLE_MEM_PARTITION_H
#define HEDDLE_MEM_PARTITION_H

#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/addrmap.h"
#include "mem/outside.h"
#include "net/wire.h"
#include "stat/stat.h"

struct dram_config;
struct mem_partition;
struct view;

/* Chunks of memory that stays with the host. */
struct mem_far {
	uint64_t first, end;
};

/* The partitions of a configuration, and which one an address belongs to. */
struct mem_shape {
	struct addrmap map;
	/* In the order of their chunks; the first partition reaches them. They
	 * may change between runs. */
	const struct mem_far *far;
	uint32_t fars;
	uint32_t partitions;       /* memory partitions */
	uint32_t slices, channels; /* of each */
};

/* The DRAM channel of a configuration, without defaults left. ERR_RANGE: no
 * channel is like that. */
MUST_USE enum err mem_dram_config(struct dram_config *out,
				  const struct cfg *cfg, struct diag *d);
/* ERR_RANGE: counts that do not divide, or sizes that do not fit together. */
MUST_USE enum err mem_shape_init(struct mem_shape *s, const struct cfg *cfg,
				 struct diag *d);

bool mem_find_far(const struct mem_shape *s, uint64_t chunk);
static inline bool mem_is_far(const struct mem_shape *s, uint64_t chunk)
{
	return UNLIKELY(s->fars != 0) && mem_find_far(s, chunk);
}

static inline uint32_t mem_partition_of(const struct mem_shape *s,
					uint64_t chunk)
{
	uint32_t slice = addrmap_slice(&s->map, chunk * CHUNK_BYTES).slice;

	if (mem_is_far(s, chunk))
		return 0;
	return s->slices == 1 ? slice : slice / s->slices;
}

struct mem_partition_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t index;            /* among the memory partitions */
	uint32_t self;             /* its number on the wires */
	uint32_t sms;              /* SM i is partition i on the wires */
	struct view *const *views; /* by SM: the views with its atomics */
	const struct mem_partition *first; /* of the others; NULL: none yet */
	/* Simulates it; NULL: the partition itself does. */
	const struct mem_outside *outside;
};

/* The room that it needs on the wires, for windows of up to `window` cycles. */
struct wire_room mem_partition_room(const struct cfg *cfg,
				    const struct mem_shape *shape, uint32_t sms,
				    cycle_t window);

/* The maximum number of cycles that a message of a partition is in flight; add
 * the window to get the wires' horizon. */
cycle_t mem_partition_horizon(const struct cfg *cfg);

/* Lives in *a. */
MUST_USE enum err mem_partition_new(struct mem_partition **out, struct arena *a,
				    const struct mem_partition_env *env,
				    struct diag *d);

/*
 * Simulates [from, to): takes requests that arrive, sends answers that are
 * ready. All messages that arrive before `to` must be in the inbox. Returns the
 * cycle of the next event (messages that are not yet in the inbox do not
 * count), CYCLE_NEVER when the partition is at rest: until then it need not be
 * called.
 */
cycle_t mem_partition_advance(struct mem_partition *m, cycle_t from,
			      cycle_t to);

/* Prefetches state into the host's cache ahead of mem_partition_advance: first
 * what every partition has, then what that points to. */
void mem_partition_prefetch(const struct mem_partition *m);
void mem_partition_prefetch_more(const struct mem_partition *m);

/* Whether atomics have arrived since the last mem_partition_perform. */
bool mem_partition_has_atomics(const struct mem_partition *m);
/* Performs them in the order of arrival. Called at the end of an epoch. */
void mem_partition_perform(struct mem_partition *m);

/* A copy from or to the host, between launches: with l2.host_copies its lines
 * are in the L2 afterwards. Only chunks of this partition count. */
void mem_partition_host_copy(struct mem_partition *m, uint64_t first_chunk,
			     uint64_t chunks);

/* A chunk of this partition that a launch needs before its first block starts is
 * read for a grid: what the L2 does not have comes from the DRAM, and stays. It
 * takes no time, which is part of the launch's latency; nothing may be in
 * flight. A dirty line that has to go is dropped, as for a copy. */
void mem_partition_preload(struct mem_partition *m, uint32_t grid,
			   uint64_t chunk);

/* A launch of so many blocks begins, whose first ones go to SMs 0, 1, 2 ...: with
 * l2.combine, which of them form a group. For all partitions of a GPU, which have
 * the same groups. */
void mem_partition_spread(struct mem_partition *const *all, uint32_t count,
			  uint64_t blocks);

/* Nothing is queued or in flight (lines may be dirty). */
bool mem_partition_idle(const struct mem_partition *m);

/* Before statistics are read while a run goes on: has the DRAM do what is due
 * before a cycle, up to which the partition has been simulated. */
void mem_partition_catch_up(struct mem_partition *m, cycle_t to);
/* The last cycle in which anything happened. */
cycle_t mem_partition_last(const struct mem_partition *m);
/* Adds what was counted since the last mem_partition_clear_stats. */
/* Requests that a slice of the partition has received since its creation. */
uint64_t mem_partition_requests(const struct mem_partition *m, uint32_t slice);
void mem_partition_stats(const struct mem_partition *m, struct stat_l2 *l2,
			 struct stat_dram *dram);
/* Of this, what belongs to one of several grids: of l2 all but queue_most, answers
 * and bytes on the network; of dram bytes_read and bytes_written, of which
 * write-backs belong to the grid whose request made them necessary. */
void mem_partition_own_stats(struct mem_partition *m, uint32_t grid,
			     struct stat_l2 *l2, struct stat_dram *dram);
void mem_partition_clear_stats(struct mem_partition *m);
/* A conservation law that does not hold now, or NULL. */
const char *mem_partition_broken_law(const struct mem_partition *m);

#endif
