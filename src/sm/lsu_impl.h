/*
 * What an LSU is made of; for lsu*.c only.
 */
#ifndef HEDDLE_SM_LSU_IMPL_H
#define HEDDLE_SM_LSU_IMPL_H

#include "base/fetch.h"
#include "sm/back.h"
#include "sm/coalesce.h"
#include "sm/constcache.h"
#include "sm/l1.h"
#include "sm/lsu.h"

#define LSU_NONE UINT32_MAX

/* What an instruction needs once it is accepted. */
enum path {
	PATH_SHARED,
	PATH_CONST,
	PATH_FIXED, /* a texture without addresses */
	PATH_READ,  /* through a cache */
	PATH_AROUND,
	PATH_WRITE,
	PATH_ATOMIC
};

/* An instruction with a result, from its issue until that is known. */
struct flight {
	uint32_t tag;
	uint32_t waits; /* tokens under way */
	cycle_t ready;  /* of what has come */
	uint32_t bytes; /* of the result */
	uint32_t after; /* from an answer to the result */
	uint32_t span;  /* from its first line's data to its last one's */
	uint32_t next;  /* free ones: a list */
	uint16_t copy;  /* ASYNC: cycles that shared memory needs; 0: no copy */
	bool open;      /* there is more to look up */
};

/* An instruction that waits, or is at work in the common stage. The first line
 * of the host's cache is all that one on shared memory needs. */
struct lsu_entry {
	_Alignas(64) struct lsu_entry *next; /* free ones: a list */
	uint32_t number;                     /* its place among all */
	uint8_t path;                        /* enum path */
	uint8_t kind, flags, subcore;
	bool keep;       /* PATH_WRITE: the L1 has a say */
	uint16_t n, at;  /* units, and those done */
	uint16_t passes; /* cycles of the stage */
	uint32_t tag, flight;
	uint32_t bytes; /* of the result; PATH_ATOMIC: of a lane */
	uint32_t hit;   /* latency of a hit; PATH_SHARED: after the stage */
	uint32_t same;  /* PATH_ATOMIC: lanes on one address, less one */
	uint32_t atomic;
	uint32_t words; /* of local memory */
	struct l1_cache *cache;
	struct unit unit[COALESCE_MAX];
	uint32_t written[COALESCE_MAX][UNIT_PIECES];
	/* Words of local memory that units have no room for. */
	uint32_t word; /* the first left over */
	uint32_t mask, size;
	uint64_t local_base;
	uint64_t offset[WARP_LANES];
};

/* An instruction in a queue, so small that all of a queue are in one line of
 * the host's cache. */
struct waiting {
	uint32_t issued; /* the cycle's lower bits */
	uint32_t what; /* the tag, with LSU_NEAR; else the number of its entry */
};

/* The instructions of a sub-core that wait: in a ring, from head on. */
struct lsu_queue {
	cycle_t next; /* address_interval after the last one taken */
	struct waiting *ring;
	uint32_t last; /* of the ring's places: a power of two, less one */
	uint32_t head, count;
};

/* An answer that passes the in port later than it arrives. */
struct lsu_late {
	cycle_t when;
	uint64_t chunk;
	uint32_t id;
	uint8_t kind, sectors;
};

/* A result that is known, with mem.kind = latency. */
struct known {
	cycle_t ready;
	uint32_t tag;
};

enum { SUBCORES_MAX = 16 };

/* What every instruction on shared memory needs comes first. */
struct lsu {
	_Alignas(64) struct lsu_head head;
	uint32_t room;     /* sub-cores whose queues are not full */
	cycle_t free;      /* when the stage can take another one */
	uint32_t turn;     /* the sub-core that is asked first */
	uint32_t depth;    /* cycles from issue to the stage */
	uint32_t capacity; /* of a queue */
	uint32_t address_interval, accept_interval;
	uint32_t shared_after; /* from the stage to a result */
	uint32_t flight_free;
	bool latency;
	uint8_t subcores;

	/* By sub-core. */
	_Alignas(64) cycle_t due[SUBCORES_MAX]; /* of the first one, or never */

	struct lsu_env env;
	cycle_t freed;          /* an answer has made room; else CYCLE_NEVER */
	struct lsu_entry *work; /* in the common stage, or NULL */
	cycle_t work_at;
	uint32_t late_at, late_count;
	uint32_t lookups, conflict, conflict_latency;
	uint32_t atomic_pass, atomic_latency;
	uint32_t line_latency; /* in 256ths of a cycle */
	uint32_t fill_latency, atomic_return, coalesce_lanes, group;
	enum l1_stall why; /* the stage waits */
	cycle_t since;
	struct bank_shape banks;
	struct l1 *l1;
	const struct tags *tags; /* of the L1; NULL: there is none */
	struct constcache *cc;
	struct lsu_entry *entry, *entry_free;
	/* Instructions with a result. */
	struct flight *flight;
	uint32_t flights, flight_count;
	uint32_t atomics;
	uint32_t *by_atomic;  /* by the view's number: its flight */
	uint32_t fifo, waits; /* latency: the most, and tokens under way */
	cycle_t copy_free;
	struct lsu_late *late;
	uint32_t late_room;
	struct known *known;
	uint32_t known_count;
	_Alignas(64) struct lsu_queue queue[SUBCORES_MAX];
	_Alignas(64) struct back back;
};

/* Too much is under way for any sub-core to issue. */
static inline bool lsu_exhausted(const struct lsu *u)
{
	return u->flight_free == LSU_NONE ||
	       (u->latency && u->waits >= u->fifo);
}

/* Bytes of an entry with one unit, for the host's cache. */
enum { LSU_FETCH_ENTRY = 128 };

/* The line of a unit, so many units before its turn. */
enum { LSU_AHEAD = 4 };
static inline void lsu_fetch_line(const struct lsu_entry *e, unsigned i)
{
	if (i < e->n)
		tags_prefetch_line(e->cache->tags, e->unit[i].set,
				   e->unit[i].number);
}

/* Cycles from issue to the common stage. */
uint32_t lsu_depth(const struct cfg *cfg);

/* Fills in what an instruction needs and touches; one that needs the L1 or the
 * network and has a result gets a flight. */
void lsu_prepare(struct lsu *u, struct lsu_entry *e, const struct lsu_inst *in);
/* Finds the next units, where those before were all there was room for; false:
 * there are none. */
bool lsu_refill(struct lsu *u, struct lsu_entry *e);

uint32_t lsu_count_lanes(uint32_t mask);
/* Mostly all lanes take part. */
static inline uint32_t lsu_lanes(uint32_t mask)
{
	return LIKELY(mask == ~0u) ? WARP_LANES : lsu_count_lanes(mask);
}

static inline bool lsu_more(struct lsu *u, struct lsu_entry *e)
{
	return e->at < e->n || (e->words && lsu_refill(u, e));
}

#endif
