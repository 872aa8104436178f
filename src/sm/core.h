/*
 * The state of an SM, for the files that make it up:
 *
 *   sm.c        making, starting and ending it; statistics
 *   issue.c     the cycle: arrivals, wake-ups, issue, the next event
 *   account.c   what schedulers' cycles were spent on
 *   resident.c  blocks and warps that come and go, barriers
 *   order.c     memory operations under way, atomics, fences, async copies
 *   bulk.c      bulk copies under way
 */
#ifndef HEDDLE_SM_CORE_H
#define HEDDLE_SM_CORE_H

#include <stddef.h>

#include "simt/block.h"
#include "simt/view.h"
#include "simt/warp.h"
#include "sm/front.h"
#include "sm/lsu.h"
#include "sm/sched.h"
#include "sm/sm.h"

enum {
	SLOTS = 64, /* warps: bits of a mask */
	WHEEL = 64, /* cycles that the time wheel looks ahead */
	PIPES = 4,  /* of a unit in a sub-core */
	SUBCORES = 16,
	SHARED_UNITS = SUBCORES, /* the row of units that sub-cores share */
	BLOCKS = 256,
	NO_WAIT = REASON_COUNT,
	NO_TURN = 0xff,
	ASYNC_GROUPS = 16, /* of a warp, committed and not complete */
	BULKS = 64,        /* bulk copies under way; an instruction has 32 */
	ATOMIC_FILTER = 1024,
	NO_OP = 0xffffffffu
};

/* Bits of slot.hold. */

/* Groups of copies are numbered, [first, open] exist. */
struct groups {
	uint32_t first, open, bound;
	uint32_t left[ASYNC_GROUPS]; /* copies that are under way */
};

/* Bits of slot.hold. */
enum {
	HOLD_ACQUIRE = 1, /* until operation `acquires` is complete */
	HOLD_ASYNC = 2    /* until the groups below their bounds are */
};

/* When the next instruction may issue is known by an event only: PENDING + enum
 * reason. */
#define PENDING (UINT64_C(1) << 62)

/*
 * The scoreboard's entry of a register: readable from so many cycles after
 * sm.origin on, or SCORE_PENDING + enum reason. Half as wide as a cycle, since
 * the scoreboards of all warps fill much of the host's cache; sm_advance moves
 * the origin long before cycles are too many for it.
 */
typedef uint32_t score_t;
#define SCORE_PENDING (UINT32_C(1) << 31)
#define SCORE_LAST (UINT32_C(1) << 30) /* the origin moves */

/* A warp's place. What every issue touches comes first, in two lines of the
 * host's cache. */
struct slot {
	_Alignas(64) struct warp *warp;
	const struct timed_inst *next; /* what it executes next; NULL: blocked */
	const struct inst *in;         /* the same, as it is executed */
	score_t *ready;                /* by register */
	struct sm_heat *heat;
	char *regs;       /* of the frame that it is in */
	cycle_t earliest; /* no issue before it, because of `why` */
	cycle_t wake;     /* if it waits for a cycle, else CYCLE_NEVER */

	cycle_t issued; /* its last issue */
	cycle_t result; /* latest cycle that a memory operation has set */
	cycle_t line_ready;
	uint64_t fence; /* atomics issued before this one must complete */
	uint32_t pc;
	/* So many instructions from this one on have the lines below. */
	uint32_t fetched_from, fetched;
	uint8_t unit, wait, why, sched, sub, block;
	uint8_t result_reason;
	uint8_t hold; /* bits HOLD_*: why it may not go on */
	bool retry; /* it waits for any atomic to complete, then tries again */
	bool in_text;     /* the last issue was of the instruction before */
	uint16_t pending; /* memory operations under way */
	const char *sregs;

	const struct timed_inst *rows; /* of the function that it is in */
	const struct inst *insts;
	uint32_t base;        /* of the function's instructions, in the SM */
	uint32_t line, ahead; /* instruction lines at hand and asked for */
	cycle_t since;        /* it waits; kept if there is somebody to tell */
	cycle_t ahead_ready;
	int splits;        /* of the warp before a branch */
	uint32_t acquires; /* an operation that must complete first, or NO_OP */
	struct groups groups[GROUP_KINDS];
	cycle_t start;
};
_Static_assert(offsetof(struct slot, rows) <= 128, "two lines of the host's");

/* A resident block. */
struct resident {
	struct block *block;
	struct worker *worker;
	uint64_t slots;   /* its warps */
	uint64_t waiting; /* of these, blocked: nothing to execute */
	uint64_t done;    /* executed to the end */
	uint64_t ended;   /* and its memory operations are complete */
	uint32_t grid;
	uint32_t releases; /* of its barriers, seen so far */
	cycle_t start;
};

/* A memory instruction under way. */
struct memop {
	const struct timed_inst *row;
	uint64_t order;        /* of an atomic: numbers in order of issue */
	struct atomic *atomic; /* NULL if it is none, or free */
	union {
		uint32_t group; /* async copy; piece of a bulk copy: of which */
		uint32_t next;  /* free */
	};
	uint8_t slot, reason;
};
_Static_assert((int)SLOTS == (int)VIEW_WARPS, "a call for every warp");
_Static_assert(sizeof(struct memop) <= 32, "two in a line of the host's cache");

/* A lane's bulk copy under way. */
struct sm_bulk {
	struct bulk copy;
	const struct timed_inst *row;
	cycle_t ready;  /* when what has come is all there */
	uint32_t sent;  /* bytes that the LSU has got */
	uint32_t group; /* a copy to global memory: of its warp's */
	uint16_t coming;
	uint8_t slot;
	bool landed;
};

/* Who brought a line into the L1. Lines that share a place forget each other,
 * so a few evictions go unnoticed. */
enum { OWNERS = 4096 };
struct owner {
	uint64_t line; /* plus 1; 0: none */
	uint8_t slot;
};

struct sm_gridstate {
	struct sm_grid grid;
	struct worker *worker;
	struct sm_heat **heat; /* by function */
	uint32_t *base;        /* by function: first instruction */
	score_t *scoreboard;   /* by slot, `stride` registers each */
	uint32_t stride;
	char *owned; /* memory that is not the caller's */
};

struct sm {
	/* Warps, as masks over slots. Every live warp is in `ready` or in one
	 * of `waits`. */
	uint64_t ready, live;
	uint64_t needs[UNIT_COUNT]; /* by the unit of the next instruction */
	uint64_t waits[REASON_COUNT];
	uint64_t occupied; /* places of the wheel in use */
	uint64_t wheel[WHEEL];
	/* Warps due later than the wheel reaches, by the turn of the wheel that
	 * brings them; it begins at place 0, which is in use while there are
	 * any. */
	uint64_t far, turns[WHEEL];
	cycle_t now, next;
	cycle_t until;  /* where sm_advance ends */
	cycle_t origin; /* of the scoreboards */
	struct lsu *lsu;
	struct view *view;
	/* Bulk copies, numbered; in the ring are [first, end), and those before
	 * `sent` are with the LSU as a whole. */
	uint32_t bulk_first, bulk_sent, bulk_end;
	cycle_t bulk_free, bulk_next; /* next piece; next thing to do */

	/* Schedulers and what they share. */
	uint32_t schedulers, subcores, issue_width;
	cycle_t issue_interval;
	uint64_t mine[SUBCORES];
	cycle_t accounted[SUBCORES]; /* reasons are known up to here */
	cycle_t pace[SUBCORES];      /* no issue before it */
	cycle_t operands[SUBCORES];  /* no issue before it: register banks */
	cycle_t retry[SUBCORES];     /* it is no use to try before it */
	uint8_t sub_of[SUBCORES];
	int8_t last[SUBCORES];
	uint32_t woken; /* schedulers with a warp that has become ready */
	uint8_t turn;   /* the one that issues now, or NO_TURN */
	bool telling;   /* the policy wants to know of stalls */
	bool smooth;    /* the last step was: warp_smooth_step */

	/* Units of each sub-core. */
	uint32_t held[SUBCORES + 1]; /* units that may be busy */
	uint32_t throttled; /* schedulers whose policy holds warps back */
	uint32_t lsu_full;  /* sub-cores that found no room in the LSU */
	cycle_t unit_free[SUBCORES + 1][UNIT_COUNT];
	uint8_t pipes[UNIT_COUNT]; /* 0: shared by the sub-cores */
	/* After so many cycles it is free again when the scheduler is. */
	uint8_t shortest_hold[UNIT_COUNT];
	bool exclusive; /* a sub-core issues one instruction a cycle at most */
	cycle_t bank_free[SUBCORES][TIMED_BANKS];
	cycle_t bank_busy[SUBCORES]; /* the latest of these */
	uint8_t collector[SUBCORES]; /* the one that was taken last */
	uint32_t banks, read_ports, read_cycles, collectors;
	bool collect, reuse;

	cycle_t branch_cycles, barrier_cycles, barrier_interval, barrier_free;
	cycle_t alu_cycles, block_latency;
	struct front *front; /* NULL: perfect */
	uint32_t line_shift, buffer;

	uint32_t max_slots;
	uint64_t free_slots;
	struct slot slot[SLOTS]; /* sm_prefetch: all before it is needed */
	struct sched sched[SUBCORES];
	cycle_t pipe_free[SUBCORES + 1][UNIT_COUNT][PIPES];
	cycle_t collector_free[SUBCORES][64];
	struct resident block[BLOCKS];
	uint32_t blocks;

	struct owner *owner; /* ccws: by line; else NULL */
	struct memop *ops;
	uint32_t op_count, op_free, atomics_open;
	uint64_t atomic_order;
	uint16_t atomic_filter[ATOMIC_FILTER];

	struct sm_bulk bulk[BULKS]; /* a ring */

	struct sm_env env;
	struct sm_gridstate *grids[SM_GRIDS];
	uint32_t code_top; /* instructions attached so far */
	uint64_t shared_wanted;
	bool stopped;            /* a launch has ended with a fault */
	bool stop_at_end, ended; /* sm_stop_at_end; a block has */
	uint64_t max_steps;

	struct stat_sm st;
	struct stat_front front_st;
	struct stat_lsu lsu_st;
	struct stat_l1 l1_st;
	uint64_t reason[REASON_COUNT];
	uint64_t unit_count[UNIT_COUNT]; /* instructions issued */
	uint64_t lanes_off;              /* of them, that took no part */
	cycle_t residency_at, start;
	uint32_t resident_warps;
};

/* A call or return changes the frame: operations of the old one that are
 * under way would write to registers that mean something else. */
static inline bool sm_needs_drain(const struct slot *p)
{
	return p->next->kind == KIND_CALL && p->pending;
}

static inline score_t sm_score(const struct sm *s, cycle_t at)
{
	return (score_t)(at - s->origin);
}

/* account.c */
/* Accounts for the cycles of scheduler k before t. To be called before any
 * mask of its warps changes. */
void sm_charge(struct sm *s, unsigned k, cycle_t t); /* for sm_account */
static inline void sm_account(struct sm *s, unsigned k, cycle_t t)
{
	if (s->accounted[k] < t)
		sm_charge(s, k, t);
}

/* issue.c */
/* The warp has issued, started or been released at t, and may not issue
 * before `earliest`, because of `why`: finds what it does next. */
void sm_prepare(struct sm *s, int slot, cycle_t t, cycle_t earliest,
		enum reason why);
/* The same for one that has just issued, in the turn of its scheduler, and may
 * issue again in the next cycle. */
void sm_prepare_issued(struct sm *s, int slot, cycle_t t);
/* Its next instruction is known and nothing holds it but its operands: ready,
 * or what it waits for. */
void sm_settle(struct sm *s, int slot);
/* A load from shared memory has its result at `ready`. */
void sm_near_done(void *ctx, uint32_t tag, cycle_t ready);
/* Its tag: LSU_NEAR, the warp's slot from this bit on, its register below. */
enum { NEAR_SLOT = 16 };
/* The warp waits for an event. */
void sm_wait(struct sm *s, int slot, enum reason why);
void sm_ready(struct sm *s, int slot);

/* resident.c */
void sm_block_arrives(struct sm *s, const struct msg *m);
/* The warp has nothing to execute: it has ended, or waits for others. */
void sm_blocked(struct sm *s, int slot, cycle_t t);
/* It has ended, and so have its memory operations. */
void sm_end_warp(struct sm *s, int slot);
/* If a barrier of the block was completed by what was executed at t: its warps
 * go on at `at`. False: none was. */
bool sm_release(struct sm *s, unsigned block, cycle_t t, cycle_t at);
/* Adds up resident warps and cycles before t. */
void sm_residency(struct sm *s, cycle_t t);

/* order.c */
/* Whether sm_must_wait need be asked before the instruction is executed. */
static inline bool sm_orders(const struct sm *s, const struct timed_inst *r)
{
	return r->order > (s->atomics_open ? ORDER_NONE : ORDER_BLIND);
}
void sm_mem_missed(void *ctx, uint32_t tag, uint64_t line);
void sm_mem_evicted(void *ctx, uint64_t line);
void sm_mem_done(void *ctx, uint32_t tag, cycle_t ready);
/* Whether the instruction must wait for atomics under way, as a fence does or
 * because it touches what they do: then the warp waits. */
bool sm_must_wait(struct sm *s, int slot, const struct timed_inst *r);
void sm_issue_memory(struct sm *s, int slot, const struct timed_inst *r,
		     const struct inst *in, cycle_t t);
void sm_issue_async_wait(struct sm *s, int slot, const struct timed_inst *r,
			 const struct inst *in, cycle_t t);
void sm_commit_group(struct groups *g);
/* A copy joins the open group; a copy of a group is complete. */
void sm_group_add(struct groups *g);
void sm_group_done(struct groups *g, uint32_t group);
/* An operation of the warp is complete: does it go on? */
void sm_reconsider(struct sm *s, int slot, cycle_t when);
/* Warps that wait for atomics, or for room in the ring, try again. */
void sm_wake_retries(struct sm *s);
/* A tag for a piece of a bulk copy; sm_bulk_came is called with `number`. */
uint32_t sm_track_piece(struct sm *s, int slot, const struct timed_inst *r,
			uint32_t number);

/* bulk.c */
bool sm_bulk_full(const struct sm *s);
void sm_issue_bulk(struct sm *s, int slot, const struct timed_inst *r,
		   cycle_t t);
void sm_bulk_came(struct sm *s, uint32_t number, cycle_t ready);
/* Does what is due in cycle t, after the LSU's part of it. */
void sm_bulk_advance(struct sm *s, cycle_t t);
static inline bool sm_bulk_idle(const struct sm *s)
{
	return s->bulk_first == s->bulk_end;
}

#endif
