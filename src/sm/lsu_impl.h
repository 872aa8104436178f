/*
 * The state of an LSU; for lsu*.c only. lsu.h says what it models.
 */
#ifndef HEDDLE_SM_LSU_IMPL_H
#define HEDDLE_SM_LSU_IMPL_H

#include "base/fetch.h"
#include "sm/back.h"
#include "sm/coalesce.h"
#include "sm/constcache.h"
#include "sm/l1.h"
#include "sm/lsu.h"
#include "sm/own.h"

#define LSU_NONE UINT32_MAX

/* The path of an instruction once it is accepted. */
enum path {
	PATH_SHARED,
	PATH_CONST,
	PATH_ASK,    /* the same with lsu_env.came */
	PATH_FIXED,  /* a texture without addresses */
	PATH_READ,   /* through the L1 or the texture cache */
	PATH_AROUND, /* a read that goes around the L1 */
	PATH_WRITE,
	PATH_ATOMIC
};

/* An instruction in flight that has a result, from its issue until the cycle of
 * its result is known. */
struct flight {
	uint32_t tag;
	uint32_t tokens; /* that it waits for: lookups that did not hit */
	cycle_t ready;   /* of the data that has arrived */
	uint32_t bytes;  /* of the result */
	uint32_t result_latency; /* from an answer to the result */
	uint32_t span;   /* cycles from its first line's data to its last */
	uint32_t next;   /* free ones, or those of a warp in order: a list */
	uint16_t copy;   /* ASYNC: cycles in shared memory; 0: no copy */
	uint8_t order;   /* a load that returns in order: its warp, plus 1 */
	bool open;       /* not all units are looked up yet */
	bool missed;     /* one was not in the L1 */
	uint8_t subcore; /* PATH_ASK */
};

/* The loads of a warp that have missed and not returned, in their order. */
struct lsu_order {
	uint32_t first, last; /* flights; first: LSU_NONE if there are none */
};

/* An instruction in a queue or in the common stage. For one on shared memory
 * the first line of the host's cache is all that is used. */
struct lsu_entry {
	_Alignas(64) struct lsu_entry *next; /* free ones: a list */
	uint32_t number;                     /* its index in lsu.entry */
	uint8_t path;                        /* enum path */
	uint8_t kind, flags, subcore;
	bool keep;       /* PATH_WRITE: goes through the L1 */
	uint8_t grid;    /* for which it counts */
	uint16_t n, at;  /* number of units; the next one to look up */
	uint16_t passes; /* cycles in the stage */
	uint16_t pace;   /* units that are looked up in a cycle */
	uint16_t apart;  /* what the sub-core's next one waits longer */
	uint32_t tag, flight;
	uint32_t reader; /* for lsu_env.read, or 0 */
	uint32_t bytes;  /* of the result; PATH_ATOMIC: of a lane */
	uint32_t hit;    /* latency of a hit; PATH_SHARED: after the stage */
	uint32_t same;   /* PATH_ATOMIC: lanes on one address, less one */
	uint32_t atomic;
	uint32_t words; /* of each lane, on local memory; else 0 */
	struct l1_cache *cache;
	struct unit unit[COALESCE_MAX];
	union {
		uint32_t written[COALESCE_MAX][UNIT_PIECES];
		uint32_t counted[COALESCE_MAX]; /* PATH_ATOMIC: sectors */
	};
	/* Local memory: words that unit[] has no room for yet. */
	uint32_t word; /* the first of them */
	uint32_t mask, size;
	uint64_t local_base;
	uint64_t offset[WARP_LANES];
};

/* lsu_head.lone: what describes the load. */
enum lsu_lone_kind {
	LONE_PLACE = 1, /* lsu.lone: from one address, in one unit of the L1 */
	LONE_ENTRY      /* lsu.lone_entry */
};

/* Such a load from one address: it needs no entry unless something else comes, and
 * its flight is filled in when it is accepted. */
struct lsu_lone {
	uint64_t number; /* of its unit */
	uint32_t pieces;
	uint32_t flight; /* that has been taken for it */
	/* The rest as in lsu_inst and lsu_entry. */
	uint32_t tag, reader, bytes;
	uint8_t subcore, warp, grid;
};

/* A queued instruction; so small that a queue fits one line of the host's
 * cache. */
struct waiting {
	uint32_t issued; /* lower bits of the cycle */
	/* A tag with LSU_NEAR; LSU_NEAR_STORE and its reader; or else the number
	 * of its entry. */
	uint32_t what;
};

/* The queue of a sub-core: a ring, from head on. */
struct lsu_queue {
	cycle_t next; /* address_interval after the last one accepted */
	struct waiting *ring;
	uint32_t last; /* size of the ring, a power of two, less one */
	uint32_t head, count;
};

/* An answer that waits for the port into the SM. */
struct lsu_late {
	cycle_t when;
	uint64_t chunk;
	uint32_t id;
	uint8_t kind, sectors;
};

/* With mem.kind = latency: a result to be reported in the next cycle. */
struct known {
	cycle_t ready;
	uint32_t tag;
};

enum { SUBCORES_MAX = 16, TAG_BANKS_MAX = 32 };

/* Queues by sub-core. */
struct lsu_queues {
	/* When the head of the queue may be accepted, or CYCLE_NEVER. */
	_Alignas(64) cycle_t due[SUBCORES_MAX];
	struct lsu_queue queue[SUBCORES_MAX];
};

/* A request for an operand or code that waits for credit or port. */
struct lsu_asked {
	uint64_t address;
	uint32_t bytes, id;
};

/* With lsu_env.came: a ring. While there are any, lsu.freed says when they try
 * again. */
struct lsu_asking {
	uint32_t at, count, room;
	struct lsu_asked *ring;
};

/* What a load of lsu_issue_near takes; by LSU_NEAR_WIDTH of its tag. */
struct lsu_near {
	uint32_t passes; /* through shared memory */
	uint32_t busy;   /* cycles until the stage accepts another one */
	uint32_t after;  /* cycles from the stage to its result */
	uint32_t bytes;  /* that return to the registers */
	uint32_t lane_bytes;
};

/* What every instruction on shared memory needs comes first. */
struct lsu {
	_Alignas(64) struct lsu_head head;
	uint32_t room;       /* sub-cores whose queues are not full */
	cycle_t free;        /* when the stage can accept another one */
	uint32_t turn;       /* the sub-core that comes first */
	uint32_t constants;  /* queued for a stage of their own */
	uint32_t const_full; /* sub-cores whose queue of these is full */
	uint32_t depth;      /* cycles from issue to the stage */
	uint32_t capacity;   /* of a queue */
	uint32_t address_interval, accept_interval;
	uint32_t flight_free; /* list of free flights, or LSU_NONE */
	bool latency;         /* mem.kind = latency */
	uint8_t subcores;
	struct lsu_near near[LSU_NEAR_WIDTHS];

	cycle_t lone_issued; /* if head.lone */
	/* Neither mem.kind = latency nor lsu_env.came: loads may be lone, and
	 * answers take the short way. */
	bool usual;
	bool lone_places; /* loads may be LONE_PLACE */
	struct lsu_entry *lone_entry;

	/* By sub-core: when the head of its queue may be accepted, or
	 * CYCLE_NEVER. */
	_Alignas(64) cycle_t due[SUBCORES_MAX];
	struct lsu_lone lone;

	/* What every instruction on global memory needs. */
	/* When an answer made room, or `asking` tries again; or CYCLE_NEVER. */
	cycle_t freed;
	struct lsu_entry *work; /* in the common stage, or NULL */
	cycle_t work_at;        /* its next lookup */
	struct l1 *l1;
	struct lsu_entry *entry, *entry_free;
	struct flight *flight; /* instructions with a result */
	uint32_t flight_count;
	uint32_t tokens; /* that all flights wait for */
	uint32_t late_at, late_count;
	uint32_t lookups, fill_latency, hit_latency;
	uint32_t tag_banks; /* 0: any l1.lookups lines are looked up at once */
	enum l1_stall why;  /* the reason that the stage waits, or L1_GO */
	uint8_t grid; /* that its counts belong to, since they were `mark` */
	/* Loads of one address go through the L1, whose units have so many bits,
	 * and that many pieces less one; they request `unit_group` at once. */
	bool plain_loads;
	uint8_t unit_shift, unit_last, unit_group;
	struct lsu_env env;

	cycle_t since;         /* that the stage waits */
	uint32_t shared_after; /* cycles from the stage to a result */
	uint32_t conflict, conflict_latency;
	uint32_t atomic_pass, atomic_latency, atomic_again;
	uint32_t cas_pass, cas_again, cas_latency;
	uint32_t line_latency; /* in 256ths of a cycle */
	uint32_t pass_latency, shared_cas_latency, store_interval;
	uint32_t atomic_return, reduction_return, coalesce_lanes, group;
	struct bank_shape banks;
	const struct tags *tags; /* of the L1; NULL: there is none */
	struct constcache *cc;
	struct lsu_asking *asking; /* NULL: nothing is asked for */
	/* Loads of constants, if these have a stage of their own, or NULL; when
	 * the stage can accept another one, and does; the sub-core that comes
	 * first. */
	struct lsu_queues *constant;
	cycle_t const_free, const_next;
	uint32_t const_turn;
	struct lsu_order *order; /* by warp; NULL: loads return in any order */
	uint32_t flights;
	uint32_t atomics;
	uint32_t *by_atomic; /* flight, by index of the view's record */
	uint32_t fifo;       /* mem.kind = latency: maximum of tokens */
	cycle_t copy_free;   /* when the next async copy may be written */
	struct lsu_late *late;
	uint32_t late_room;
	struct known *known;
	uint32_t known_count;
	struct lsu_counts mark;
	struct lsu_counts *own[LSU_GRIDS];
	_Alignas(64) struct lsu_queue queue[SUBCORES_MAX];
	_Alignas(64) struct back back;
};

/* Bytes that a load of `bytes` in so many passes of shared memory returns to the
 * registers: what lanes that share a pass have in common passes once. */
static inline uint32_t lsu_returned(const struct lsu *u, unsigned passes,
				    uint32_t bytes)
{
	uint32_t read = passes * u->banks.banks * u->banks.bank_bytes;

	return u->banks.pairs && read < bytes ? read : bytes;
}

/* Whether what waits has an entry, by waiting.what. */
static inline bool lsu_has_entry(uint32_t what)
{
	return !(what & (LSU_NEAR | LSU_NEAR_STORE));
}

/* Too much is in flight for any sub-core to issue. */
static inline bool lsu_exhausted(const struct lsu *u)
{
	return u->flight_free == LSU_NONE ||
	       (u->latency && u->tokens >= u->fifo);
}

/* Bytes of an entry with one unit, for prefetching. */
enum { LSU_FETCH_ENTRY = 128 };

/* The line of a unit is prefetched so many units ahead of its lookup. */
enum { LSU_AHEAD = 4 };
static inline void lsu_fetch_line(const struct lsu_entry *e, unsigned i)
{
	if (i < e->n)
		tags_prefetch_line(e->cache->tags, e->unit[i].set,
				   e->unit[i].number);
}

/* Cycles from issue to the common stage. */
uint32_t lsu_depth(const struct cfg *cfg);

/* Load-to-use latency of a texture fetch that hits. */
static inline uint32_t lsu_tex_latency(const struct lsu *u, unsigned flags)
{
	const struct cfg_tex *k = &u->env.cfg->tex;

	return (uint32_t)(k->latency +
			  (flags & TIMED_PLANE ? k->plane_latency : 0));
}

/* What a near load takes, by its tag. */
static inline const struct lsu_near *lsu_near_of(const struct lsu *u,
						 uint32_t tag)
{
	return &u->near[(tag & ~LSU_NEAR) >> LSU_NEAR_WIDTH];
}

static inline void lsu_free_entry(struct lsu *u, struct lsu_entry *e)
{
	e->next = u->entry_free;
	u->entry_free = e;
}

static inline void lsu_free_flight(struct lsu *u, uint32_t i)
{
	u->flight[i].next = u->flight_free;
	u->flight_free = i;
	u->flight_count--;
}

/* lsu_answer.c */
/* Reports a result. Its data start to return `span` cycles before the last of
 * them is there. */
void lsu_deliver(struct lsu *u, cycle_t now, uint32_t tag, cycle_t ready,
		 uint32_t bytes, uint32_t span);
/* All data of an instruction have arrived, or will have at flight.ready. */
void lsu_complete(struct lsu *u, cycle_t now, uint32_t i);
/* The same for a load that has missed: it returns behind those of its warp that
 * missed before it, and then come those that have waited for it. */
void lsu_complete_in_order(struct lsu *u, cycle_t now, uint32_t i);
/* Handles answers whose turn to pass the port has come. */
void lsu_take_late(struct lsu *u, cycle_t now);

/* Whether a load that has missed is the only one of its warp that has; it leaves
 * their order then. */
static inline bool lsu_leave_order(struct lsu *u, uint32_t i)
{
	const struct flight *f = &u->flight[i];
	struct lsu_order *o = &u->order[f->order - 1];

	if (o->first != i || f->next != LSU_NONE)
		return false;
	o->first = LSU_NONE;
	return true;
}

/* Nothing of a flight is outstanding any more. */
static inline void lsu_end_flight(struct lsu *u, cycle_t now, uint32_t i)
{
	const struct flight *f = &u->flight[i];

	if (f->order && f->missed && !lsu_leave_order(u, i))
		lsu_complete_in_order(u, now, i);
	else
		lsu_complete(u, now, i);
}

/* lsu.c */
/* An instruction issues with mem.kind = latency. */
void lsu_issue_at_once(struct lsu *u, cycle_t now, const struct lsu_inst *in);

/* lsu_issue.c */
/* What lsu.lone describes becomes an instruction like others: returns its entry. */
struct lsu_entry *lsu_entry_of_place(struct lsu *u);
/* Something else comes: the load that was alone moves to its queue, to the
 * front. */
void lsu_end_lone(struct lsu *u);

/* lsu_ask.c */
bool lsu_make_asking(struct lsu *u, struct arena *a);
/* Requests the line of a constant operand. */
void lsu_ask_operand(struct lsu *u, cycle_t now, uint32_t subcore,
		     uint64_t access);
/* Sends what waits, as far as it can. */
void lsu_send_asked(struct lsu *u, cycle_t now);
/* Looks up the next constant of a load. False: its token waits. */
bool lsu_ask_constant(struct lsu *u, const struct lsu_entry *e, cycle_t issued);
/* The answer to a request of L1_ID_SCALAR. Returns the flight that waits for it, or
 * LSU_NONE. */
uint32_t lsu_asked_came(struct lsu *u, cycle_t now, uint32_t id, uint64_t chunk,
			unsigned sectors);
static inline bool lsu_is_asking(const struct lsu *u)
{
	return UNLIKELY(u->asking != NULL) && u->asking->count;
}

/* Fills in the path and units of an instruction. One that needs the L1 or the
 * network and has a result gets a flight. */
void lsu_prepare(struct lsu *u, struct lsu_entry *e, const struct lsu_inst *in);
/* Finds the next units of an instruction that had more than unit[] has room
 * for. False: there are none. */
bool lsu_refill(struct lsu *u, struct lsu_entry *e);

uint32_t lsu_count_lanes(uint32_t mask);
/* The number of lanes; usually all take part. */
static inline uint32_t lsu_lanes(uint32_t mask)
{
	return LIKELY(mask == ~0u) ? WARP_LANES : lsu_count_lanes(mask);
}

/* Whether there are units left to look up. */
static inline bool lsu_has_units(struct lsu *u, struct lsu_entry *e)
{
	return e->at < e->n || (e->words && lsu_refill(u, e));
}

#endif
