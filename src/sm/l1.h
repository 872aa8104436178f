/*
 * The L1 of an SM, its texture cache if it has one, and its end of the
 * network. For lsu.c, which decides the cycles.
 *
 *   lookup --> tags, MSHRs --> queue of messages --port, credits--> wires
 *   tokens <-- tags, MSHRs <------------- in port <----------------- wires
 *
 * A lookup succeeds, or changes nothing (no MSHR, no way, no merge left). Its
 * messages wait in a short queue. The LSU does not look up anything before that
 * is empty, so a missing credit or a busy port stops everything behind it.
 *
 * With lsu.merge, stores wait apart from the queue, in their order; others to the
 * same line join them. The oldest is sent when lsu.merge_cycles have passed since
 * the last one joined it, as far as the port and credits let it. It joins the
 * queue, and so stops what is behind it, if there is no room for another store,
 * or before a read or an atomic of its line.
 *
 * Models:  what lsu.h says of the L1 and the network.
 * Does not model: which warp evicts which line. Sectors of less than 32 bytes
 *          count as 32. Dirty lines (l1.write = back) that are present when a
 *          launch ends or an atomic accesses their line are dropped, not
 *          written back: data is not modelled here, and the traffic is small.
 *          The same holds for fences (l1.fence_empties), which take lines of
 *          local memory, too. With l1.local_claim, that other lanes have not
 *          written their words of a sector yet.
 * Owner:   the LSU.
 */
#ifndef HEDDLE_SM_L1_H
#define HEDDLE_SM_L1_H

#include "mem/tags.h"
#include "net/port.h"
#include "sm/coalesce.h"
#include "sm/lsu.h"
#include "sm/tlb.h"

/* msg.id of requests: which cache the answer is for, and a number. */
#define L1_ID_SCALAR (UINT32_C(1) << 31) /* of constants or code: lsu_ask.c */
enum {
	L1_ID_DATA = 0,         /* an MSHR of the L1 */
	L1_ID_TEX = 1 << 29,    /* an MSHR of the texture cache */
	L1_ID_AROUND = 1 << 30, /* no cache: the token itself */
	L1_ID_NUMBER = L1_ID_TEX - 1
};

enum l1_stall {
	L1_GO,
	L1_STALL_MSHR,
	L1_STALL_CREDIT,
	L1_STALL_PORT,
	L1_STALL_TLB
};

struct l1_cache {
	struct tags *tags; /* NULL: there is none */
	unsigned shift;    /* log2 of the line size */
	unsigned per;      /* pieces per sector */
	uint32_t id;       /* L1_ID_ */
	/* For sectors larger than a chunk: the pieces that have arrived, by
	 * MSHR. */
	uint32_t *arrived;
};

struct l1_out {
	struct msg m;
	uint32_t partition, bytes;
	bool counted; /* when it came, for its own grid */
};

/* Stores to a line that wait for further ones. */
struct l1_merge {
	uint64_t chunk;
	cycle_t last; /* when the last of them came */
	uint32_t bytes[CHUNK_SECTORS];
	uint8_t sectors, flags;
};

enum { L1_MERGES = 32 }; /* of lsu.merge, at most; a power of two */

/* Requests for a line of 1 KiB, the write-back of another one, a store, and
 * those that waited. */
enum { L1_OUT_MAX = 8 + 8 + 1 + L1_MERGES };

/* What a read that misses needs comes first. */
struct l1 {
	const struct lsu_env *env;
	struct l1_cache data;
	uint32_t *tokens;
	unsigned out_at, out_count;
	uint32_t *credit; /* by memory partition */

	struct port port_out, port_in;
	/* From a lookup to the entry of its request into the network. */
	cycle_t lead;
	cycle_t request_latency;
	/* Requests in flight that will be answered, and their maximum. */
	uint32_t outstanding, outstanding_max;
	uint32_t header, write_extra;
	cycle_t header_cycles; /* in the port */
	uint32_t no_credit;    /* partition that the head has no credit for */
	/* Writes, with l2.acknowledge: sent, and taken by a slice. */
	uint64_t writes_sent, writes_taken;
	/* When the last one of another region is written, and l2.far_write. */
	cycle_t far_written, far_write;
	bool latency; /* mem.kind = latency */
	bool claims;  /* l1.local_claim */
	bool fence_empties;
	bool acknowledged; /* l2.acknowledge */
	/* The oldest of the stores that wait, their number and maximum, and when
	 * there is something to do for them. */
	uint8_t merge_at, merge_count, merge_max;
	cycle_t merge_cycles, merge_next;
	cycle_t now;      /* of the lookup */
	uint64_t emptied; /* accesses until the last l1_empty */
	uint8_t flags;    /* of all messages: the grid that they belong to */
	struct l1_out out[L1_OUT_MAX];
	struct l1_merge merge[L1_MERGES]; /* a ring */
	struct l1_cache tex;
	struct tlb tlb;
};

/* Lives in *a, as does *env. depth: cycles from issue to a lookup. */
MUST_USE enum err l1_new(struct l1 **out, struct arena *a,
			 const struct lsu_env *env, cycle_t depth,
			 struct diag *d);
void l1_start(struct l1 *u, uint64_t shared_bytes);
/* Sends stores that have waited long enough, as far as port and credits let
 * it, and sets merge_next. */
void l1_send_merged(struct l1 *u, cycle_t now);
/* Discards what the L1 of data holds, with l1.fence_empties. What is in flight
 * still arrives and stays. */
void l1_empty(struct l1 *u);

/* Maximum number of requests in flight that will be answered. */
uint32_t l1_outstanding_max(const struct cfg *cfg);
/* Maximum number of messages that one lookup sends. */
uint32_t l1_sends_max(const struct cfg *cfg);
/* log2 of the bytes that one lookup of a load covers. */
static inline unsigned l1_unit_shift(const struct l1_cache *c)
{
	return c->tags && c->shift > UNIT_SHIFT ? c->shift : UNIT_SHIFT;
}

/* Ahead of a lookup: finds the unit's set and prefetches its tags into the
 * host's cache. */
static inline void l1_find_set(const struct l1_cache *c, struct unit *p)
{
	p->set = tags_set(c->tags, p->number);
	tags_prefetch_lookup(c->tags, p->set);
}

/*
 * Looks up a unit (of l1_unit_shift bits), or the part of it that is in one
 * line; removes the pieces that were looked up from p. Unless it hits, l1_fill
 * returns the token later.
 */
enum tags_result l1_read(struct l1 *u, struct l1_cache *c, struct unit *p,
			 uint32_t token, uint32_t tag);
/* The same of a whole unit that is in one line of the L1: of l1.line bytes, or less.
 * Unless it is stalled, it is looked up completely. */
enum tags_result l1_read_line(struct l1 *u, uint64_t number, uint32_t pieces,
			      uint32_t token, uint32_t tag);
/* Reads a chunk around the L1. */
void l1_read_around(struct l1 *u, const struct unit *p, uint32_t token);
/* Reads bytes of constants, which are in one chunk. */
void l1_read_scalar(struct l1 *u, uint64_t address, uint32_t bytes,
		    uint32_t id);
/* The same at once, without the queue, or a fence; if it cannot be sent, as
 * l1_drain. */
enum l1_stall l1_send_scalar(struct l1 *u, cycle_t now, bool fence,
			     uint64_t address, uint32_t bytes, uint32_t id,
			     cycle_t *when);
/* Stores to a chunk; keep: through the L1; local: to local memory. False: try
 * again after a fill. */
bool l1_write(struct l1 *u, struct unit *p, const uint32_t written[UNIT_PIECES],
	      bool keep, bool local);
/* Sends an atomic. same: the maximum number of lanes on one address, less
 * one; sectors: that it counts. */
void l1_atomic(struct l1 *u, const struct unit *p, uint32_t id, uint32_t same,
	       uint32_t sectors, uint8_t flags, enum msg_sort sort);

/* Sends the queued messages in order. If any is left, returns why; *when is the
 * cycle for the next try (CYCLE_NEVER: after an answer). */
enum l1_stall l1_drain(struct l1 *u, cycle_t now, cycle_t *when);

/* An answer arrives: returns the cycle in which it starts to pass the port. */
cycle_t l1_arrive(struct l1 *u, cycle_t now, uint32_t bytes);
/* The same if it starts at once. False: nothing was done, the port is busy. */
static inline bool l1_arrive_at_once(struct l1 *u, cycle_t now, uint32_t bytes)
{
	if (!port_is_idle(&u->port_in, now))
		return false;
	port_start(&u->port_in, now, bytes);
	u->env->st->bytes_in += bytes;
	return true;
}
/* Prefetching ahead of l1_fill: first the MSHR, then what it points to. Returns
 * the first token that waits, or TAGS_NO_TOKEN if there is none any more. */
void l1_prefetch_mshr(const struct l1 *u, uint32_t id);
uint32_t l1_prefetch_fill(const struct l1 *u, uint32_t id);
/* The answer of a read has passed the port: returns the number of tokens that
 * are ready; they are in u->tokens. */
uint32_t l1_fill(struct l1 *u, uint32_t id, uint64_t chunk, unsigned sectors);

#endif
