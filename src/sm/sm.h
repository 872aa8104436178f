/*
 * A streaming multiprocessor (SM): warps, schedulers, units and the LSU, cycle
 * by cycle.
 *
 *   dispatcher ==block==> [slots: warps] -> schedulers -> units
 *              <==done===        ^              \-> LSU ==requests==> memory
 *                                \---- results, barriers ----/<==answers==
 *
 * Function runs at issue: when a scheduler issues an instruction of a warp,
 * simt/ executes it at once and reports the addresses that timing needs. Timing
 * therefore decides the interleaving. An instruction may issue when the
 * scoreboard (the cycle from which each register can be read), the unit that it
 * needs, the ports of the register file and the instruction supply allow it.
 * With sm.dependence = none the scoreboard tracks only the results of atomics,
 * which are not known before the atomics have been performed. Instructions with
 * control bits wait for their stall count and for counters instead of registers
 * (arch/timed.h, sm/counters.h).
 *
 * Nothing is polled. A warp is in one of three states: ready (a bit of a mask),
 * waiting for a known cycle (a bit in a time wheel), or waiting for an event.
 * Cycles in which nothing can happen are skipped. The reason that a cycle of a
 * scheduler is charged to is a function of the masks, so cycles are charged
 * just before a mask changes: exactly, however many were skipped.
 *
 * Models:  sub-cores and schedulers, issue of one to four instructions of a
 *          warp, scoreboard, control bits, constant operands, pipes with
 *          initiation intervals, register banks
 *          with reuse cache or operand collectors, barriers, fences, atomics,
 *          bulk copies, divergence, instruction supply, residency of blocks.
 * Does not model: write ports of the register file.
 * Owner:   the GPU; its state belongs to one thread at a time.
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "arch/timed.h"
#include "base/arena.h"
#include "base/bitmap.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/partition.h"
#include "net/wire.h"
#include "simt/launch.h"
#include "sm/idle.h"
#include "sm/occupancy.h"
#include "stat/stat.h"

struct sm;
struct service_cost;
struct view;

enum { SM_GRIDS = 128 }; /* maximum number of kernels on an SM at once */

enum sm_event_kind {
	SM_EVENT_BLOCK, /* a block was resident from `from` to `to` */
	SM_EVENT_WARP,  /* a warp lived from `from` to `to` */
	SM_EVENT_STALL  /* a warp waited, for `reason` */
};

struct sm_event {
	uint8_t kind;      /* enum sm_event_kind */
	uint8_t reason;    /* enum reason */
	uint16_t sm, slot; /* slot: of the warp, of the block's first warp */
	uint32_t grid;
	uint32_t func, pc; /* of a stall: before which instruction, or after it
			    * if the warp has none to issue */
	uint64_t block;
	cycle_t from, to;
};

struct sm_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t self;                    /* on the wires, and %smid */
	uint32_t first_partition;         /* memory partition 0 on the wires */
	uint32_t dispatcher;              /* on the wires */
	const struct idle_phases *phases; /* the dispatcher's */
	const bitmap_word *regions; /* of memory that are translated: sm/tlb.h */
	cycle_t epoch;              /* its length in cycles: simt/view.h */
	/* The memory is simulated elsewhere (mem/outside.h). A compute unit's L1
	 * for vectors is, too: each line that an instruction accesses is a
	 * request. An SM's misses of constants and code are requests. */
	bool outside;
	/* Its caches are not coherent: they perform fences (MSG_FENCE). */
	bool fences;
	/* Called for every event, or NULL; costs speed. Called by the thread
	 * that simulates the SM. */
	void (*event)(void *ctx, const struct sm_event *e);
	void *event_ctx;
};

/* A kernel, as the SMs need it to run its blocks; the same on every SM. */
struct sm_grid {
	struct launch *launch;
	const struct timed_program *timed;
	struct occupancy occupancy;
	uint32_t sms; /* that get blocks of it */
	/* Memory of sm_grid_bytes for this SM, which outlives the grid. The
	 * caller can allocate it for all SMs at once, in huge pages. NULL: the
	 * SM allocates its own. */
	char *pool;
	bool used; /* the pool is not all zeros */
	/* The same for the local memory of the grid's blocks. NULL: each block
	 * allocates its own. */
	char *local;
	bool details; /* for sm_detail; costs a little speed */
};

/* Bytes that an SM needs for the blocks of a grid. launch_begin must have been
 * called. */
size_t sm_grid_bytes(const struct sm_grid *g);
size_t sm_grid_local_bytes(const struct sm_grid *g);

/* Heat of an instruction, for the list of the hottest lines. */
struct sm_heat {
	uint64_t issued; /* how often it was issued */
	uint64_t waited; /* cycles from the warps' previous issue to this one */
};

/* More about an instruction, if sm_grid.details asks for it. */
struct sm_detail {
	/* Slots in which its scheduler issued nothing, because warps whose next
	 * instruction it is (of a barrier, whose last one) waited for that
	 * reason. Warps that wait for the same
	 * reason share the slots: each gets every n-th. */
	uint64_t slots[REASON_COUNT];
	uint64_t lanes_off; /* lanes that took no part, summed over its issues */
};

struct wire_room sm_room(const struct cfg *cfg, const struct mem_shape *shape,
			 cycle_t window);

/* Lives in *a. */
MUST_USE enum err sm_new(struct sm **out, struct arena *a,
			 const struct sm_env *env, struct diag *d);
void sm_free(struct sm *s); /* what is not in the arena */

/*
 * sm_start: before a run, at cycle `now`; clears the statistics. sm_attach:
 * then, for each grid number that MSG_BLOCK may name; empties the caches and
 * allocates what its blocks need.
 */
void sm_start(struct sm *s, cycle_t now);
MUST_USE enum err sm_attach(struct sm *s, uint32_t id, const struct sm_grid *g,
			    struct diag *d);
/* Frees that; adds the steps and the printed text of its blocks to the
 * launch. */
void sm_detach(struct sm *s, uint32_t id);

/*
 * Simulates [from, to). Returns the next cycle in which there is something to
 * do, not counting messages that are not yet pulled; CYCLE_NEVER if only a
 * message can wake it. After a fault the launch has `ended` set, and nothing
 * more is executed.
 */
cycle_t sm_advance(struct sm *s, cycle_t from, cycle_t to);

/*
 * Until the next sm_start, sm_advance returns after a cycle in which a block
 * has ended: then sm_ended is true, and that cycle is sm_last.
 */
void sm_stop_at_end(struct sm *s);
bool sm_ended(const struct sm *s);

/*
 * SMs take turns in the host's caches. What one will touch in a window is
 * prefetched while others are simulated: its own state; then, when that has
 * arrived, its warps and its LSU; then what these will touch.
 */
void sm_prefetch(const struct sm *s);
void sm_prefetch_slots(const struct sm *s);
void sm_prefetch_warps(const struct sm *s);
/* The same for its messages of cycles before `to`, once they are pulled. */
void sm_prefetch_mail(const struct sm *s, cycle_t to);
void sm_prefetch_mail_more(const struct sm *s, cycle_t to);

/* What a call of the system takes, of the epoch that has ended. */
void sm_return(struct sm *s, uint32_t slot, const struct service_cost *cost);

/* Its view of memory: the stores of this epoch, the atomics in flight. */
struct view *sm_view(struct sm *s);

/* Nothing is resident or in flight. */
bool sm_idle(const struct sm *s);

/* The run ends at cycle `end`: accounts for the cycles before it. */
void sm_finish(struct sm *s, cycle_t end);
/* After a run: adds the regions of memory that the SM has accessed. */
void sm_share_regions(struct sm *s, bitmap_word *known);
/* Accounts for the cycles before `now`, and sets the groups of an SM in *out to
 * what was counted since sm_start. May be called in the middle of a run. */
void sm_stats(struct sm *s, cycle_t now, struct stats *out);
/* Adds what a grid did since sm_start, up to the last sm_stats or sm_finish:
 * the groups sm (without cycles and slots), lsu, l1 and unit. */
void sm_own_stats(struct sm *s, uint32_t grid, struct stats *to);
/* The last cycle in which anything happened. */
cycle_t sm_last(const struct sm *s);
/* By index in the text of function `func`; NULL if the grid is not attached. */
const struct sm_heat *sm_heat(const struct sm *s, uint32_t grid, uint32_t func);
/* The same for what an instruction cost beyond its need: a load or store of
 * global memory the sectors of lsu.global_excess, one of shared memory the passes
 * of lsu.shared_conflicts, a branch the times it went both ways. */
const uint64_t *sm_excess(const struct sm *s, uint32_t grid, uint32_t func);
/* Warp-instructions issued so far, as of the last sm_stats. */
uint64_t sm_issued(const struct sm *s);
/* NULL: not asked for. */
const struct sm_detail *sm_detail(const struct sm *s, uint32_t grid,
				  uint32_t func);
/* The text of a law that does not hold, or NULL. */
const char *sm_broken_law(const struct sm *s);

#endif
