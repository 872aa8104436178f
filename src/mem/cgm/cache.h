/*
 * A second-level cache: a core's, below its first-level caches for instructions
 * and data, or a bank of the GPU's, below those of its compute units. It is one
 * side of the protocol (mem/cgm/proto.def), coherent or not.
 *
 *   L1s --> [ tags | data | MSHRs ] <--> network
 *           [ write-back buffers  ]
 *
 * In a cycle it takes one message from the network, replies first, and one
 * access, from the L1s in turn. What is evicted leaves its place for a
 * write-back buffer at once, and still answers forwards from there.
 *
 * Models:  ways and sets, least recently used; MSHRs with joined accesses; a
 *          bounded number of write-backs; the latency of an access and of an
 *          answer to another cache, which may begin later.
 *          a prefetcher (mem/cgm/stream.h), which asks for blocks to read in cycles
 *          without an access, while half of the MSHRs are free.
 * Does not model: banks, replacement by other policies.
 * Owner:   the system.
 */
#ifndef HEDDLE_MEM_CGM_CACHE_H
#define HEDDLE_MEM_CGM_CACHE_H

#include "mem/cgm/part.h"
#include "mem/cgm/stream.h"
#include "stat/cgm.h"

enum { CGM_KIDS = 16, CGM_SNOOPS = 32 };

/* Where a request for a block goes: its home's number. */
struct cgm_homes {
	uint32_t slices; /* 0: always `first` */
	uint16_t first;
};
static inline uint16_t cgm_home_of(const struct cgm_homes *h, uint64_t block)
{
	return (uint16_t)(h->first + (h->slices ? block % h->slices : 0));
}

struct cgm_cache_config {
	const struct cgm_table *table;
	cycle_t period;
	uint32_t sets, ways;
	uint32_t latency; /* cycles from an access or message to its answer */
	uint32_t snoop; /* cycles until it looks at what another cache asks for */
	uint32_t mshrs, buffers;
	bool coherent;
	uint16_t self; /* its number in the system */
	struct cgm_homes homes;
	uint32_t kids;
	uint32_t kid_misses; /* accesses in flight of each first-level cache */
	uint32_t prefetch;   /* blocks ahead of a stream; 0: none */
};

struct cgm_waiter {
	struct cgm_packet access;
	uint32_t next;
};

struct cgm_mshr {
	struct cgm_copy *copy; /* NULL: free */
	cycle_t since;         /* in use */
	uint32_t first, last;
};

struct cgm_cache {
	struct cgm_part part; /* first */
	struct cgm_cache_config cfg;
	struct cgm_wire *from_kid[CGM_KIDS], *from_net;
	struct cgm_out to_kid[CGM_KIDS], to_net;
	uint32_t at_kid[CGM_KIDS]; /* accesses of it that are not answered */
	char *copy; /* sets * ways of struct cgm_copy, then the buffers */
	size_t copy_bytes;
	struct cgm_mshr *mshr;
	struct cgm_waiter *waiter;
	uint32_t free_waiter, mshrs, buffers; /* the last two: in use */
	unsigned turn;                        /* the next kid to serve */
	uint64_t clock;
	struct cgm_streams streams;
	/* What other caches ask for, until it looks at that; time: when. */
	struct cgm_packet snoop[CGM_SNOOPS];
	uint32_t first_snoop, snoops;
	/* A fence writes back what was written, then drops the rest. */
	bool fencing;
	uint32_t fence_at;
	struct cgm_packet fence;
	cycle_t now;
	/* Why accesses had to wait in the last cycle. */
	struct cgm_cache_stalls {
		uint32_t mshr, buffer, way, leaving, room;
	} stall;
	struct cgm_stat_cache st;
};

/* kid[i]: the wires from and to first-level cache i; net[2]: likewise. */
MUST_USE enum err cgm_cache_new(struct cgm_cache **out, struct arena *a,
				const struct cgm_cache_config *cfg,
				struct cgm_wire *const (*kid)[2],
				struct cgm_wire *const net[2], struct diag *d);
bool cgm_cache_is_idle(const struct cgm_cache *c);
/* What it has counted before `now`. */
struct cgm_stat_cache cgm_cache_stats(const struct cgm_cache *c, cycle_t now);

#endif
