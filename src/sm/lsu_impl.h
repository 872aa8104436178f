/*
 * What an LSU is made of; for lsu.c, lsu_inst.c and lsu_new.c only.
 */
#ifndef HEDDLE_SM_LSU_IMPL_H
#define HEDDLE_SM_LSU_IMPL_H

#include "sm/coalesce.h"
#include "sm/constcache.h"
#include "sm/l1.h"
#include "sm/lsu.h"

#define LSU_NONE UINT32_MAX

/* What an instruction needs once it is accepted. */
enum path {
	PATH_NEAR, /* lsu_issue_near: all is known of it */
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
struct entry {
	_Alignas(64) cycle_t issued;
	struct entry *after; /* in the ring */
	uint8_t path;        /* enum path */
	uint8_t kind, flags, subcore;
	bool keep;       /* PATH_WRITE: the L1 has a say */
	uint16_t n, at;  /* units, and those done */
	uint16_t passes; /* cycles of the stage */
	uint32_t tag, flight;
	uint32_t bytes; /* of the result; PATH_ATOMIC: of a lane */
	uint32_t hit;   /* latency of a hit; PATH_SHARED: after the stage */
	uint32_t same;  /* PATH_ATOMIC: lanes on one address, less one */
	uint32_t atomic;
	struct l1_cache *cache;
	/* Words of local memory that units have no room for. */
	uint32_t words, word; /* all, and the first left over */
	uint32_t mask, size;
	uint64_t local_base;
	struct unit unit[COALESCE_MAX];
	uint32_t written[COALESCE_MAX][UNIT_PIECES];
	uint64_t offset[WARP_LANES];
};

/* A ring of entries; from head on `count` are waiting. */
struct queue {
	struct entry *head, *tail, *ring;
	uint32_t count;
	cycle_t next; /* address_interval after the last one taken */
};

/* An answer that passes the in port later than it arrives. */
struct late {
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

/*
 * The path to the registers in the cycles to come: how many bytes of each are
 * free. Results are known in another order than they come in, so a later one
 * may use what an earlier one has left free. Beyond the cells, results queue.
 */
enum { BACK_CELLS = 1024, BACK_PAST = 64, BACK_FREE = 128 };

struct cell {
	uint32_t time; /* lower bits; another: all is free */
	uint32_t left; /* bytes */
};

enum { SUBCORES_MAX = 16 };

struct lsu {
	_Alignas(64) struct lsu_head head;
	uint32_t room;      /* sub-cores whose queues are not full */
	cycle_t freed;      /* an answer has made room; else CYCLE_NEVER */
	struct entry *work; /* in the common stage, or NULL */
	cycle_t work_at;
	cycle_t free;     /* when the stage can take another one */
	uint32_t waiting; /* sub-cores with instructions */
	uint32_t turn;    /* the sub-core that is asked first */

	uint32_t depth;    /* cycles from issue to the stage */
	uint32_t capacity; /* of a queue */
	uint32_t address_interval, accept_interval;
	uint32_t shared_after; /* from the stage to a result */
	uint32_t late_at, late_count;
	uint32_t width, back_first;
	cycle_t full_from, full_to; /* cells with no bytes left */
	cycle_t back_at;            /* the last cell used */

	struct lsu_env env;
	cycle_t over_from, over; /* results beyond the cells */
	uint32_t lookups, conflict, conflict_latency;
	uint32_t atomic_pass, atomic_latency;
	uint32_t line_latency; /* in 256ths of a cycle */
	uint32_t fill_latency, atomic_return, coalesce_lanes, group;
	bool latency;
	enum l1_stall why; /* the stage waits */
	cycle_t since;
	struct bank_shape banks;
	struct l1 *l1;
	struct constcache *cc;
	/* Instructions with a result. */
	struct flight *flight;
	uint32_t flights, flight_free, flight_count;
	uint32_t atomics;
	uint32_t *by_atomic;  /* by the view's number: its flight */
	uint32_t fifo, waits; /* latency: the most, and tokens under way */
	cycle_t copy_free;
	struct late *late;
	uint32_t late_room;
	struct known *known;
	uint32_t known_count, subcores;
	/* By sub-core. */
	_Alignas(64) cycle_t due[SUBCORES_MAX]; /* of the first one, or never */
	_Alignas(64) struct queue queue[SUBCORES_MAX];
	_Alignas(64) struct cell cell[BACK_CELLS];
};

/* Too much is under way for any sub-core to issue. */
static inline bool lsu_exhausted(const struct lsu *u)
{
	return u->flight_free == LSU_NONE ||
	       (u->latency && u->waits >= u->fifo);
}

/* Cycles from issue to the common stage. */
uint32_t lsu_depth(const struct cfg *cfg);

/* Fills in what an instruction needs and touches; one that needs the L1 or the
 * network and has a result gets a flight. */
void lsu_prepare(struct lsu *u, struct entry *e, cycle_t now,
		 const struct lsu_inst *in);
/* Finds the next units, where those before were all there was room for; false:
 * there are none. */
bool lsu_refill(struct lsu *u, struct entry *e);

uint32_t lsu_count_lanes(uint32_t mask);
/* Mostly all lanes take part. */
static inline uint32_t lsu_lanes(uint32_t mask)
{
	return LIKELY(mask == ~0u) ? WARP_LANES : lsu_count_lanes(mask);
}

static inline bool lsu_more(struct lsu *u, struct entry *e)
{
	return e->at < e->n || lsu_refill(u, e);
}

#endif
