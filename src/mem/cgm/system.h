/*
 * CGM: the memory system of CPUs and a GPU, built from a configuration.
 *
 *   core:  L1I, L1D -- L2 --\                     /-- L3 slice, directory
 *   core:  L1I, L1D -- L2 ---+-- ring of switches+--- L3 slice, directory
 *   CUs:   L1s -- L2 bank --\|                    \-- system agent
 *   CUs:   L1s -- L2 bank -- hub-iommu                 memory controller, DRAM
 *
 * Every element is a part (mem/cgm/part.h); wires (mem/cgm/wire.h) of at least
 * a cycle are all that connects them. A window as long as the shortest wire is
 * simulated part by part, in any order or on several threads: the result is the
 * same to the last bit.
 *
 * Models:  see docs/cgm.md.
 * Owner:   whoever made it. The caller's drivers are called from the threads
 *          that simulate their parts; different ports' may be called at the same
 *          time.
 */
#ifndef HEDDLE_MEM_CGM_SYSTEM_H
#define HEDDLE_MEM_CGM_SYSTEM_H

#include "cfg/cfg.h"
#include "mem/cgm/hot.h"
#include "mem/cgm/source.h"

enum cgm_port_kind {
	CGM_PORT_FETCH,
	CGM_PORT_DATA,
	CGM_PORT_VECTOR,
	CGM_PORT_SCALAR
};

struct cgm_options {
	unsigned threads;              /* 0: 1 */
	cycle_t window;                /* ticks at most; 0: the maximum */
	uint32_t jitter;               /* tests: random ticks on links */
	uint64_t seed;                 /* of these */
	const struct cgm_table *table; /* tests; NULL: cgm_table */
	bool bare; /* no values: requests and answers have none, only times */
	bool (*stop)(void); /* true: a run ends with ERR_IO; NULL: none does */
};

struct cgm_system;

/* ERR_RANGE, ERR_NOMEM. cfg must have passed cfg_check. */
MUST_USE enum err cgm_system_new(struct cgm_system **out, const struct cfg *cfg,
				 const struct cgm_options *options,
				 struct diag *d);
void cgm_system_free(struct cgm_system *s); /* s may be NULL */

/* The source at a port of core or compute unit `index`; NULL: there is none. */
struct cgm_source *cgm_system_source(struct cgm_system *s,
				     enum cgm_port_kind kind, unsigned index);
/* Lets a driver be asked for requests again, from the present on. */
void cgm_system_wake(struct cgm_system *s, struct cgm_source *source);

/*
 * For processors that are simulated themselves: they use a source's port and
 * count in its statistics (cgm_port_count), take its place at the end of
 * port.from, and are parts like all others, with the source's period. At most
 * CGM_ATTACHED of them, before the first cgm_system_run.
 */
enum { CGM_ATTACHED = 256 };
void cgm_system_attach(struct cgm_system *s, struct cgm_part *part);
/* Is called by one thread before each window [now, to), while nothing else
 * runs. A window is at most a cycle of any processor. */
void cgm_system_lead(struct cgm_system *s,
		     void (*before)(void *ctx, cycle_t now, cycle_t to),
		     void *ctx);

/* Simulates until nothing is left to do, or up to tick `until`. ERR_NOMEM. */
MUST_USE enum err cgm_system_run(struct cgm_system *s, cycle_t until,
				 struct diag *d);
cycle_t cgm_system_now(const struct cgm_system *s);
/* Everything before has been simulated: later than now by part of a window, if
 * the last run had no end. */
cycle_t cgm_system_end(const struct cgm_system *s);
/* Nothing is in flight anywhere. */
bool cgm_system_is_idle(const struct cgm_system *s);
/* Ticks in a second, and in a cycle of the memory system's clock. */
uint64_t cgm_system_khz(const struct cgm_system *s);
cycle_t cgm_system_cycle(const struct cgm_system *s);
/* How it is simulated: threads, and ticks of a window. */
unsigned cgm_system_threads(const struct cgm_system *s);
cycle_t cgm_system_window(const struct cgm_system *s);

void cgm_system_stats(const struct cgm_system *s, struct cgm_stats *out);
/*
 * The links: those of the ring first, then the rest, down to those between a
 * processor and its first-level cache.
 */
struct cgm_link {
	const char *name; /* "L2 3 to switch 3" */
	uint64_t messages, bytes;
	uint64_t busy;       /* ticks */
	uint64_t waited;     /* for the link: ticks, summed over messages */
	uint64_t held;       /* in the buffer behind it: likewise */
	uint32_t peak, room; /* messages of a lane in that buffer */
	bool ring;
};
unsigned cgm_system_links(const struct cgm_system *s);
void cgm_system_link(const struct cgm_system *s, unsigned n,
		     struct cgm_link *out);
/* Counts coherence by block from now on. ERR_NOMEM. */
MUST_USE enum err cgm_system_watch_blocks(struct cgm_system *s, struct diag *d);
/* Block n of those with the most, of all slices; false: there are no more. */
bool cgm_system_hot_block(const struct cgm_system *s, unsigned n,
			  struct cgm_hot_block *out);
/* Messages that entered the ring, or came to the GPU's hub or from it, by kind:
 * each is counted once. */
void cgm_system_messages(const struct cgm_system *s,
			 uint64_t count[CGM_MESSAGES]);
/* Bytes that the simulation takes: of elements, and of what memory holds. */
uint64_t cgm_system_bytes(const struct cgm_system *s);

/* Reads or writes memory itself, at the system's addresses, while nothing is
 * cached: before the first access. Not for a bare system. */
void cgm_system_peek(const struct cgm_system *s, uint64_t block, uint8_t *data);
MUST_USE bool cgm_system_poke(struct cgm_system *s, uint64_t block,
			      const uint8_t *data);

#endif
