/*
 * The state of an SM, shared by the files that implement it:
 *
 *   own.c       counts of each grid
 *   sm.c        construction, start and end of a run, statistics
 *   issue.c     the cycle: messages, wake-ups, issue, the next event
 *   account.c   accounting of issue slots to reasons
 *   resident.c  resident blocks and warps, barriers
 *   order.c     memory operations in flight, atomics, fences, async copies
 *   bulk.c      bulk copies in flight
 *   hazards.c   the check of results that are read too early
 *
 * sm.h says what an SM models.
 *
 * Owner:   those files; nothing else may include this header.
 */
#ifndef HEDDLE_SM_CORE_H
#define HEDDLE_SM_CORE_H

#include <stddef.h>

#include "simt/block.h"
#include "simt/view.h"
#include "simt/warp.h"
#include "sm/front.h"
#include "sm/lsu.h"
#include "sm/own.h"
#include "sm/sched.h"
#include "sm/sm.h"

enum {
	SLOTS = 64, /* warp slots: bits of a mask */
	WHEEL = 64, /* cycles that the time wheel looks ahead */
	PIPES = 4,  /* maximum pipes of a unit in a sub-core */
	UNITS = (UNIT_COUNT + 3) / 4 * 4, /* in whole vectors of the host */
	SUBCORES = 16,
	COMMON_SCHEDULERS = 4,
	BLOCKS = 256,
	NO_WAIT = REASON_COUNT,
	NO_TURN = 0xff,
	NO_UNIT = UNIT_COUNT,
	NO_SLOT = SLOTS,   /* no warp slot */
	ASYNC_GROUPS = 16, /* of a warp, committed and not complete */
	BULKS = 64, /* bulk copies in flight; an instruction has up to 32 */
	ATOMIC_FILTER = 1024,
	NO_OP = 0xffffffffu
};

/* Groups of asynchronous copies of a warp, by number: those in [first, open]
 * exist, and copies that are issued join `open`. The warp waits for the groups
 * below `bound`. */
struct groups {
	uint32_t first, open, bound;
	uint32_t left[ASYNC_GROUPS]; /* copies in flight */
	/* Control bits: the counter that the commit raised plus 1, or 0. */
	uint8_t counter[ASYNC_GROUPS];
};

/* Bits of slot.hold. */
enum {
	HOLD_ACQUIRE = 1, /* until operation `acquires` is complete */
	HOLD_ASYNC = 2,   /* until the copy groups below `bound` are */
	HOLD_COUNT = 4,   /* until counter `bounded` is at most `bound` */
	HOLD_CALL = 8     /* until a call of the system returns: sm_return */
};

/* The warp cannot issue before an event: PENDING + enum reason. */
#define PENDING (UINT64_C(1) << 62)

/* Four signed numbers, which any host can compare in a vector. */
typedef int64_t numbers_t __attribute__((vector_size(32)));

/* A cycle for each unit, or for the banks of a register file. All are looked at
 * together. */
union by_unit {
	cycle_t of[UNITS];
	numbers_t four[UNITS / 4];
};
union by_bank {
	cycle_t of[TIMED_BANKS];
	numbers_t all;
};

/* The cycle of a unit that is not free before an event. */
#define UNIT_NEVER INT64_MAX

/*
 * The scoreboard entry of a register: the cycle from which it can be read, as
 * cycles after sm.origin; or SCORE_PENDING + enum reason. It is half as wide as
 * a cycle, because the scoreboards of all warps fill much of the host's cache.
 * sm_advance moves the origin long before an entry overflows.
 */
typedef uint32_t score_t;
#define SCORE_PENDING (UINT32_C(1) << 31)
#define SCORE_LAST (UINT32_C(1) << 30) /* then the origin moves */

/* A warp slot. What every issue touches comes first, in two lines of the host's
 * cache. */
struct slot {
	_Alignas(64) struct warp *warp;
	const struct timed_inst *next; /* next instruction; NULL: blocked */
	const struct inst *in;         /* the same, decoded */
	score_t *ready;                /* scoreboard, by register */
	struct sm_heat *heat;
	char *regs;       /* registers of the current frame */
	cycle_t earliest; /* no issue before this cycle, for reason `why` */
	cycle_t wake;     /* the cycle that it waits for, or CYCLE_NEVER */

	cycle_t issued;     /* its last issue */
	cycle_t result;     /* ready cycle of its last memory result */
	cycle_t line_ready; /* when `line` can issue */
	/* It waits for atomics numbered below this (memop.order); 0: none. */
	uint64_t fence;
	uint32_t pc;
	/* Instructions [fetched_from, fetched_from + fetched) need no lines
	 * but `line` and `ahead`. */
	uint32_t fetched_from, fetched;
	/* wait: what it waits for, or NO_WAIT, also if it dozes (issue.c). */
	uint8_t unit, wait, why, sched, sub, block;
	uint8_t result_reason; /* the reason of a wait for `result` */
	uint8_t hold;          /* bits HOLD_*: it may not continue */
	/* sm_must_wait has refused its issue: sm_wake_deferred lets it try
	 * again. */
	bool deferred;
	bool sequential;  /* `next` follows the last issued one in the text */
	uint16_t pending; /* memory operations in flight */
	bool control;     /* of its grid: timed_program.control */

	const struct timed_inst *timed; /* of the current function */
	const struct inst *insts;       /* of the current function */
	uint32_t base;        /* number of its first instruction in the SM */
	uint32_t line, ahead; /* instruction lines: current, last requested */
	/* Begin of its wait and where it is, if events are reported. */
	cycle_t since;
	uint32_t since_func, since_pc;
	/* Its last barrier. */
	uint32_t barrier_func, barrier_pc;
	cycle_t ahead_ready; /* when `ahead` can issue */
	uint32_t func;       /* number of the current function */
	int splits;          /* of the warp before a branch */
	uint32_t acquires;   /* operation that must complete first, or NO_OP */
	struct groups groups[GROUP_KINDS];
	cycle_t start;
	uint16_t bounded, bound; /* what a KIND_COUNT_WAIT waits for */
	/* The constant operand of its next instruction has been looked up since
	 * its last issue, which was in this cycle plus 1. */
	cycle_t constant;
	/* The same of the fence before its next instruction, a release. */
	cycle_t released;
	/* Of a fence that has tried to issue: how many writes must have been
	 * taken, and one; and since when it has waited for them. */
	uint64_t writes;
	cycle_t writes_since;
};
_Static_assert(offsetof(struct slot, timed) <= 128,
	       "two lines of the host's cache");

/* A resident block. */
struct resident {
	struct block *block;
	struct worker *worker;
	uint64_t slots;   /* its warps */
	uint64_t waiting; /* warps that are blocked: nothing to execute */
	uint64_t done;    /* warps that have executed to the end */
	uint64_t ended;   /* warps whose memory operations are complete, too */
	uint32_t grid;
	uint32_t releases; /* value of block.releases that was handled last */
	bool stored;       /* it has written to global memory */
	cycle_t start;
};

/* A memory instruction in flight. */
struct memop {
	const struct timed_inst *timed;
	uint64_t order;        /* atomics: sequence number, by issue */
	struct atomic *atomic; /* NULL: no atomic, or a free entry */
	union {
		uint32_t group; /* of an async copy; bulk: which copy */
		uint32_t next;  /* free entries: a list */
	};
	uint8_t slot, reason;
};
_Static_assert((int)SLOTS == (int)VIEW_WARPS, "one heap call per warp");
_Static_assert((int)SLOTS == (int)LSU_WARPS, "lsu_inst.warp is a slot");
_Static_assert(sizeof(struct memop) <= 32, "two in a line of the host's cache");

/* A lane's bulk copy in flight. */
struct sm_bulk {
	struct bulk copy;
	const struct timed_inst *timed;
	cycle_t ready;   /* when the pieces that have returned are complete */
	uint32_t sent;   /* bytes handed to the LSU */
	uint32_t group;  /* copy to global memory: its warp's copy group */
	uint16_t coming; /* pieces in flight */
	uint8_t slot;
	bool landed; /* complete */
};

/* The warp that brought a line into the L1. Lines that share an entry overwrite
 * each other, so a few evictions go unnoticed. */
enum { OWNERS = 4096 };
struct owner {
	uint64_t line; /* plus 1; 0: empty */
	uint8_t slot;
};

/* A call of the system in flight: what is executed for it, evenly until it returns,
 * and how much of that has been counted. */
struct sm_call {
	struct service_cost cost;
	cycle_t since;
	uint64_t instructions, lanes;
	uint32_t place; /* of the calling instruction, in sm_gridstate.pool */
};

struct sm_gridstate {
	struct sm_grid grid;
	struct worker *worker;
	struct sm_heat **heat; /* by function */
	struct sm_heat *pool;  /* where the first function's heat is */
	uint64_t *excess;      /* in the order of that pool: see sm_excess */
	struct sm_detail *details; /* in the same order, or NULL */
	uint32_t *base;      /* by function: number of its first instruction */
	score_t *scoreboard; /* by slot, `stride` registers each */
	uint32_t stride;
	char *owned; /* memory that the SM allocated itself, or NULL */
	struct hazards *checks; /* NULL: hazards are not looked for */
	struct sm_own own;      /* if several grids are attached */
};

/* What every cycle touches comes first; tables that are used here and there
 * follow. */
struct sm {
	/* Warps, as masks over slots. Every live warp is in `ready` or in one
	 * of `waits`. */
	uint64_t ready, live;
	uint64_t occupied; /* entries of the wheel in use, as bits */
	/* Warps due later than the wheel reaches. */
	uint64_t far;
	cycle_t now, next;
	cycle_t until;      /* where sm_advance stops */
	cycle_t origin;     /* cycle 0 of the scoreboards */
	cycle_t origin_end; /* when it moves */

	struct lsu *lsu;
	struct view *view;
	uint32_t schedulers, subcores, issue_width;
	uint32_t woken;     /* schedulers that have their turn in this cycle */
	uint32_t throttled; /* schedulers whose policy holds warps back */
	/* Sub-cores whose LSU queue was found full. Until it has room, their
	 * UNIT_LSU and UNIT_TEX count as busy; when they would be free:
	 * lsu_free, tex_free. */
	uint32_t lsu_full;
	uint64_t full_warps; /* of these sub-cores */
	uint32_t blocks, atomics_open;
	/* Warps that have called the system, and when the first may return. */
	uint64_t calling;
	cycle_t call_next;
	/* Bulk copies, by number: the ring holds [first, end), and those before
	 * `sent` have been handed to the LSU completely. */
	uint32_t bulk_first, bulk_sent, bulk_end;
	uint8_t turn;    /* the scheduler that issues now, or NO_TURN */
	bool uneventful; /* what warp_execute returned last */
	bool stopped;    /* a launch has ended with a fault */
	bool ended;      /* sm_ended */
	bool aside;      /* there are held writes, bulk copies or calls */

	cycle_t issue_interval;
	uint8_t sub_of[SUBCORES]; /* by scheduler: its sub-core */
	uint8_t sched_of[SLOTS];
	uint8_t pipes[UNIT_COUNT]; /* 0: shared by the sub-cores */
	/* An initiation interval up to this delays nobody: the pipe is free
	 * again when its sub-core can issue the next instruction. */
	uint8_t hidden_interval[UNIT_COUNT];
	bool acknowledged; /* l2.acknowledge: fences wait for writes */
	bool fences;       /* the memory must perform them */
	cycle_t fence_written;
	bool held; /* it has no block, and writes on their way */
	/* Deferred warps wait until so many have been taken; 0: none does. */
	uint64_t awaited;
	bool collect, reuse;
	bool exclusive; /* a sub-core issues at most one instruction a cycle */
	/* As most SMs are: COMMON_SCHEDULERS with a sub-core each, which may
	 * issue one instruction in every cycle. */
	bool common;
	bool details; /* sm_grid.details of any grid */
	bool checks;  /* sm_gridstate.checks of any grid */
	bool many;    /* several grids are attached: see sm/own.h */
	bool watched; /* checks or many */
	bool reports; /* waits: as events, or to its scheduling policy */
	uint32_t line_shift, buffer;
	struct front *front; /* NULL: perfect */

	/* Of the grid that started last, to be fetched ahead; or NULL. */
	const struct effect *effect;
	cycle_t bulk_free; /* when the next piece may go to the LSU */
	cycle_t bulk_next; /* next event of bulk copies */
	uint32_t banks, read_ports, read_cycles, collectors;

	uint64_t sub_warps[SUBCORES]; /* by sub-core: its warp slots */
	/* By scheduler. */
	uint64_t mine[SUBCORES];     /* its warp slots */
	cycle_t accounted[SUBCORES]; /* cycles before this have a reason */
	cycle_t pace[SUBCORES];      /* no issue before: sm.issue_interval */
	cycle_t operands[SUBCORES];  /* no issue before: register banks */
	cycle_t next_try[SUBCORES];  /* it cannot issue before this cycle */

	/* By the unit of the next instruction. */
	uint64_t needs[UNIT_COUNT + 1];
	uint64_t waits[REASON_COUNT];
	uint64_t wheel[WHEEL];
	/* Warps in `far`, by the round of the wheel in which they are due. A
	 * round begins at entry 0, which counts as occupied while there are
	 * any. */
	uint64_t rounds[WHEEL];

	/* Units of each sub-core. Those that sub-cores share are held in all of
	 * them. */
	cycle_t lsu_free[SUBCORES], tex_free[SUBCORES]; /* see lsu_full */
	union by_unit unit_free[SUBCORES];
	union by_bank bank_free[SUBCORES];
	cycle_t bank_busy[SUBCORES]; /* maximum over the banks: collectors */
	uint8_t collector[SUBCORES]; /* the one that was used last */

	cycle_t branch_cycles, barrier_cycles, barrier_interval, barrier_free;
	cycle_t alu_cycles, queue_cycles, block_latency;
	cycle_t meet_cycles, part_cycles, indirect_cycles;

	uint32_t max_slots;
	uint64_t free_slots;

	struct sm_env env;
	struct stat_sm st;
	struct stat_front front_st;
	struct stat_lsu lsu_st;
	struct stat_l1 l1_st;
	uint64_t reason[REASON_COUNT];
	uint64_t unit_count[UNIT_COUNT]; /* instructions issued */
	uint64_t lanes_off;              /* their lanes that took no part */
	uint64_t max_steps;

	struct slot slot[SLOTS];
	struct sched sched[SUBCORES];
	cycle_t pipe_free[SUBCORES][UNIT_COUNT][PIPES];
	cycle_t collector_free[SUBCORES][64];
	struct resident block[BLOCKS];

	struct owner *owner; /* ccws: by line; else NULL */
	struct memop *ops;
	uint32_t op_count, op_free;
	uint64_t atomic_order;
	uint16_t atomic_filter[ATOMIC_FILTER];

	struct sm_bulk bulk[BULKS]; /* a ring */

	struct sm_gridstate *grids[SM_GRIDS];
	uint32_t code_top; /* instructions attached so far */
	uint64_t shared_wanted;
	bool stop_at_end;      /* sm_stop_at_end */
	uint32_t counting;     /* the grid that the counts belong to ... */
	struct sm_counts mark; /* ... since they were these */
	cycle_t residency_at, start;
	struct idle_time idle;
	uint32_t resident_warps;
	struct sm_call call[SLOTS]; /* valid for those in `calling` */
};

/* A warp slot, a scheduler, by number. Not &s->slot[n]: a compiler may fold that
 * into every access, and compute the address again for each of them. */
#define SM_SLOT(s, n) ((s)->slot + (n))
#define SM_SCHED(s, k) ((s)->sched + (k))

/* A call or return changes the frame. Operations in flight would write to
 * scoreboard entries that stand for other registers by then. */
static inline bool sm_needs_drain(const struct slot *p)
{
	return p->next->kind == KIND_CALL && p->pending;
}

static inline void sm_set_origin(struct sm *s, cycle_t to)
{
	s->origin = to;
	s->origin_end = to + SCORE_LAST;
}

static inline score_t sm_score(const struct sm *s, cycle_t at)
{
	return (score_t)(at - s->origin);
}

/* A memory result comes at `ready`: a warp that waits until then does so for
 * this reason. */
static inline void sm_set_result(struct slot *p, cycle_t ready, unsigned why)
{
	p->result = ready;
	p->result_reason = (uint8_t)why;
}

/* account.c */
void sm_charge(struct sm *s, unsigned k, cycle_t t); /* for sm_account */
/* Charges the cycles of scheduler k before t to their reasons. Must be called
 * before any mask of its warps changes, and for all schedulers before the SM
 * gets its first block or loses its last one. */
static inline void sm_account(struct sm *s, unsigned k, cycle_t t)
{
	if (s->accounted[k] < t)
		sm_charge(s, k, t);
}

/* The instruction that it has issued is a barrier. */
static inline void sm_at_barrier(struct slot *p)
{
	p->barrier_func = p->func;
	p->barrier_pc = p->pc;
}

/* The place of the slot's next instruction among all of its grid. */
static inline uint32_t sm_place_of(const struct sm_gridstate *g,
				   const struct slot *p)
{
	return (uint32_t)(p->heat - g->pool) + p->pc;
}

/* The details of the slot's next instruction; NULL: not asked for. */
static inline struct sm_detail *sm_detail_of(const struct sm *s,
					     const struct slot *p)
{
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];

	return g->details ? &g->details[sm_place_of(g, p)] : NULL;
}

/* issue.c */
/* Finds the next instruction of a warp that has issued, started or been
 * released at t, and makes the warp ready or lets it wait. It may not issue
 * before `earliest`, for reason `why`. */
void sm_prepare(struct sm *s, int slot, cycle_t t, cycle_t earliest,
		enum reason why);
/* The same for a warp that has just issued, in the turn of its scheduler, and
 * may issue again in the next cycle. */
void sm_prepare_issued(struct sm *s, int slot, cycle_t t);
/* Makes the warp ready, or lets it wait for the operands of its next
 * instruction: nothing else holds it. */
void sm_wait_for_operands(struct sm *s, int slot);
/* lsu_env.near: a conflict-free load from shared memory has its result at
 * `ready`. */
void sm_near_done(void *ctx, uint32_t tag, cycle_t ready);
/* Its tag: LSU_NEAR, the warp's slot from this bit on, the register below. */
enum {
	NEAR_SLOT = 16,
	/* The register is timed_inst.counters instead. Only then may it be a
	 * vector. */
	NEAR_COUNTED = 1 << 22
};
/*
 * Light loads: those that write one register and order nothing need no struct
 * memop, because their tags hold slot, register and reason. Conflict-free loads
 * of words in shared memory have tags with LSU_NEAR and a path of their own
 * through the LSU.
 */
enum { LIGHT = 1u << 30, LIGHT_REASON = 22, LIGHT_BITS = 0x7f };
_Static_assert((int)SLOTS <= 1 << (LIGHT_REASON - NEAR_SLOT), "room for slots");
_Static_assert((int)REASON_COUNT <= LIGHT_BITS, "room for reasons");

/* The same for loads with control bits: instead of the register, the tag holds
 * timed_write_counter. */
enum { COUNTED = 1u << 29 };

static inline int light_slot(uint32_t tag)
{
	return (int)(tag >> NEAR_SLOT) % SLOTS;
}

static inline enum reason light_reason(uint32_t tag)
{
	return (enum reason)(tag >> LIGHT_REASON & LIGHT_BITS);
}

/* sm_mem_done of a light load. And the end of that for any load whose tag holds what
 * light_slot and light_reason return, once its result is noted. */
void sm_light_done(struct sm *s, uint32_t tag, cycle_t ready);
void sm_load_came(struct sm *s, int slot, uint32_t tag, cycle_t ready);
/* Lets the warp wait for an event, for reason `why`. */
void sm_wait(struct sm *s, int slot, enum reason why);
/* The same until cycle `at`, after s->now. */
void sm_wait_until(struct sm *s, int slot, enum reason why, cycle_t at);
void sm_ready(struct sm *s, int slot);

/* Adds to the excess of the instruction that the warp is issuing. */
void sm_count_excess(struct sm *s, const struct slot *p, uint64_t n);

/* calls.c */
/* The warp has called the system: lets it wait. */
void sm_await_service(struct sm *s, int slot, const struct timed_inst *ti,
		      cycle_t t);
/* Warps whose calls have returned at t go on. */
void sm_return_calls(struct sm *s, cycle_t t);
/* Counts what is executed before t for the calls in flight. */
void sm_count_calls(struct sm *s, cycle_t t);

/* resident.c */
void sm_block_arrives(struct sm *s, const struct msg *m);
/* Handles a warp that has nothing to execute: it has ended, or waits for
 * others. */
void sm_blocked(struct sm *s, int slot, cycle_t t);
/* Removes a warp that has ended, with all its memory operations complete. */
void sm_end_warp(struct sm *s, int slot);
/* Reports the wait of a warp until cycle `to`; events must be wanted. */
/* What the SM held when its last block ended has been taken. */
void sm_report_written(struct sm *s);
void sm_report_stall(struct sm *s, int slot, cycle_t to);
/* The run was cut short: reports the waits, warps and blocks that have not
 * ended, until cycle `end`. */
void sm_report_rest(struct sm *s, cycle_t end);
/* If what was executed at t has completed a barrier of the block, lets its
 * warps continue at `at`. False: no barrier was completed. */
bool sm_release(struct sm *s, unsigned block, cycle_t t, cycle_t at);
/* Updates the statistics of residency for the cycles before t. */
void sm_residency(struct sm *s, cycle_t t);

/* order.c */
/* Whether sm_must_wait must be called before the instruction is executed. */
static inline bool sm_orders(const struct sm *s, const struct timed_inst *ti)
{
	return ti->order > (s->atomics_open ? ORDER_NONE : ORDER_BLIND);
}
void sm_mem_missed(void *ctx, uint32_t tag, uint64_t line);
void sm_mem_evicted(void *ctx, uint64_t line);
void sm_mem_done(void *ctx, uint32_t tag, cycle_t ready);
/* Whether the instruction must wait before it issues: for atomics in flight
 * (fences, accesses to the same sectors), or for room in the ring of bulk
 * copies. If so, the warp waits. */
bool sm_must_wait(struct sm *s, int slot, const struct timed_inst *ti);
void sm_issue_memory(struct sm *s, int slot, const struct timed_inst *ti,
		     const struct inst *in, cycle_t t);
void sm_issue_async_wait(struct sm *s, int slot, const struct timed_inst *ti,
			 const struct inst *in, cycle_t t);
/* KIND_COUNT_WAIT has issued at t. */
void sm_issue_count_wait(struct sm *s, int slot, const struct timed_inst *ti,
			 cycle_t t);
/* lsu_env.read */
void sm_mem_read(void *ctx, uint32_t reader, cycle_t when);
/* Closes the open group of copies; ti is the KIND_COMMIT. */
void sm_commit_group(struct slot *p, const struct timed_inst *ti);
/* A copy joins the open group. A copy of `group` is complete at `when`. */
void sm_group_add(struct groups *g);
void sm_group_done(struct sm *s, struct slot *p, enum copy_group kind,
		   uint32_t group, cycle_t when);
/* An operation of the warp has completed: lets the warp continue if nothing
 * else holds it. */
void sm_reconsider(struct sm *s, int slot, cycle_t when);
/* Makes deferred warps ready: an atomic has completed, or the ring of bulk
 * copies has room. */
void sm_wake_deferred(struct sm *s);
/* With sm.fences: asks the memory for the fence of an instruction, at cycle t. The warp
 * issues nothing until it has been performed. */
void sm_fence_memory(struct sm *s, int slot, const struct timed_inst *ti,
		     cycle_t t);
/* A tag for a piece of bulk copy `number`; sm_bulk_came is called when it
 * returns. */
uint32_t sm_track_piece(struct sm *s, int slot, const struct timed_inst *ti,
			uint32_t number);

/* ask.c: with sm_env.outside. */
front_miss sm_ask_code;
/* lsu_env.came */
void sm_asked_came(void *ctx, cycle_t now, bool operand, uint32_t subcore,
		   uint64_t address);

/* hazards.c: finds registers that are read before they are written. One for
 * each grid whose program has checks. */
struct hazards *sm_hazards_new(const struct timed_program *timed);
void sm_hazards_free(struct hazards *h);
/* A warp starts in the slot. */
void sm_hazards_start(struct hazards *h, int slot);
/* The warp in the slot executes its next instruction at t. */
void sm_hazards_check(const struct sm *s, int slot, cycle_t t);

/* bulk.c */
bool sm_bulk_full(const struct sm *s);
void sm_issue_bulk(struct sm *s, int slot, const struct timed_inst *ti,
		   cycle_t t);
void sm_bulk_came(struct sm *s, uint32_t number, cycle_t ready);
/* Does what is due in cycle t; called after lsu_advance. */
void sm_bulk_advance(struct sm *s, cycle_t t);
static inline bool sm_bulk_idle(const struct sm *s)
{
	return s->bulk_first == s->bulk_end;
}

#endif
