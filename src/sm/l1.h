/*
 * The L1 of an SM, its texture cache if it has one, and its end of the
 * network. For lsu.c, which says when.
 *
 *   lookup --> tags, MSHRs --> messages that wait --port, credits--> wires
 *   tokens <-- tags, MSHRs <------------- in port <------------------ wires
 *
 * A lookup always succeeds or changes nothing (no MSHR, no way, no merge).
 * What it has to send waits in a short queue: the LSU looks nothing up before
 * that is empty, so a missing credit or a busy port stops all that follows.
 *
 * Models:  what lsu.h says of the L1 and the network.
 * Does not model: who evicts whom by warp. Sectors of less than 32 bytes are
 *          taken to have 32. Dirty lines (l1.write = back) that are there when
 *          a launch ends or an atomic goes to their line are dropped, not
 *          written: data is not our affair, and the traffic is small.
 * Owner:   the LSU.
 */
#ifndef HEDDLE_SM_L1_H
#define HEDDLE_SM_L1_H

#include "mem/tags.h"
#include "net/port.h"
#include "sm/coalesce.h"
#include "sm/lsu.h"

/* Numbers of requests, by whom they are for. */
enum {
	L1_ID_DATA = 0,         /* an MSHR of the L1 */
	L1_ID_TEX = 1 << 29,    /* an MSHR of the texture cache */
	L1_ID_AROUND = 1 << 30, /* no cache: the token itself */
	L1_ID_NUMBER = L1_ID_TEX - 1
};

enum l1_stall { L1_GO, L1_STALL_MSHR, L1_STALL_CREDIT, L1_STALL_PORT };

struct l1_cache {
	struct tags *tags; /* NULL: there is none */
	unsigned shift;    /* bits of an address inside of a line */
	unsigned per;      /* pieces of a sector */
	uint32_t id;       /* L1_ID_ */
	/* Of sectors larger than a chunk: what has come of them, by MSHR. */
	uint32_t *arrived;
};

struct l1_out {
	struct msg m;
	uint32_t partition, bytes;
};

/* A line of 1 KiB that replaces a dirty one, and a store. */
enum { L1_OUT_MAX = 8 + 8 + 1 };

struct l1 {
	const struct lsu_env *env;
	struct l1_cache data, tex;
	unsigned out_at, out_count;
	struct port port_out, port_in;
	uint32_t *credit; /* by memory partition */
	uint32_t dry;     /* the partition without a credit for the head */
	/* Requests that will be answered: under way, and the most. */
	uint32_t asked, asked_max;
	uint32_t header;
	cycle_t lead; /* from a lookup to its request's entry into the network */
	cycle_t request_latency;
	bool latency; /* mem.kind = latency */
	uint32_t *tokens;
	struct l1_out out[L1_OUT_MAX];
};

/* Lives in *a, as does *env. depth: cycles from issue to a lookup. */
MUST_USE enum err l1_new(struct l1 **out, struct arena *a,
			 const struct lsu_env *env, cycle_t depth,
			 struct diag *d);
void l1_start(struct l1 *u, uint64_t shared_bytes);

/* Most requests under way that are to be answered. */
uint32_t l1_asked_max(const struct cfg *cfg);
/* Most messages that one lookup sends. */
uint32_t l1_sends_max(const struct cfg *cfg);
/* Bits of an address inside of what one lookup of a load covers. */
static inline unsigned l1_unit_shift(const struct l1_cache *c)
{
	return c->tags && c->shift > UNIT_SHIFT ? c->shift : UNIT_SHIFT;
}

/* Ahead of a lookup: finds the unit's set and brings its rows into the host's
 * cache. */
static inline void l1_find_set(const struct l1_cache *c, struct unit *p)
{
	p->set = tags_set(c->tags, p->number);
	tags_prefetch_lookup(c->tags, p->set);
}

/*
 * Looks up a unit (of l1_unit_shift bits), or that part of it which is in one
 * line: pieces looked up are taken out of p. Unless it hits, the token comes
 * back from l1_fill.
 */
enum tags_result l1_read(struct l1 *u, struct l1_cache *c, struct unit *p,
			 uint32_t token, uint32_t tag);
/* Reads a chunk around the L1. */
void l1_around(struct l1 *u, const struct unit *p, uint32_t token);
/* Stores to a chunk; keep: the L1 has a say. False: try again after a fill. */
bool l1_write(struct l1 *u, struct unit *p, const uint32_t written[UNIT_PIECES],
	      bool keep);
/* same: so many lanes, less one, have the same address as another. */
void l1_atomic(struct l1 *u, const struct unit *p, uint32_t id, uint32_t same,
	       uint8_t flags);

/* Sends what waits, in order. If something is left, says why and from which
 * cycle on it is worth another try (CYCLE_NEVER: after an answer). */
enum l1_stall l1_drain(struct l1 *u, cycle_t now, cycle_t *when);

/* An answer arrives: the cycle from which on it passes the port. */
cycle_t l1_arrive(struct l1 *u, cycle_t now, uint32_t bytes);
/* Ahead of l1_fill, for the host's cache: first the MSHR, then what it leads
 * to. Returns the first token that waits, TAGS_NO_TOKEN if that has gone. */
void l1_prefetch_mshr(const struct l1 *u, uint32_t id);
uint32_t l1_prefetch_fill(const struct l1 *u, uint32_t id);
/* A read's answer has come: returns the number of tokens that are ready, which
 * lie in u->tokens. */
uint32_t l1_fill(struct l1 *u, uint32_t id, uint64_t chunk, unsigned sectors);

#endif
