/*
 * A multiprocessor (SM): warps, schedulers, units and the LSU, in time.
 *
 *   dispatcher ==block==> [slots: warps] -> schedulers -> units
 *              <==done===        ^              \-> LSU ==requests==> memory
 *                                \---- results, barriers ----/<==answers==
 *
 * Function runs at issue: when a scheduler issues an instruction of a warp,
 * func/ executes it there and then, with the addresses that timing needs; so
 * timing decides the interleaving. When an instruction may issue is decided by
 * the scoreboard (every register has a cycle from which on it can be read),
 * the unit it needs, the ports of the register file, and the instruction
 * supply. With sm.dependence = none the scoreboard knows the results of atomics
 * alone, which come only when they have been performed.
 *
 * Nothing is polled. A warp is in one of three states: ready (a bit of a mask),
 * waiting for a known cycle (a bit in a time wheel), or waiting for an event.
 * Cycles in which nothing can happen are skipped. What became of the cycles of
 * a scheduler is a function of the masks, so it is accounted for just before a
 * mask changes, exactly, however many cycles were skipped.
 *
 * Models:  sub-cores and schedulers, issue of one to four instructions of a
 *          warp, scoreboard, pipes with initiation intervals, register banks
 *          with reuse cache or operand collectors, barriers, fences, atomics,
 *          bulk copies, divergence, instruction supply, residency of blocks.
 * Does not model: control bits (sm.dependence = control, for machine code),
 *          write ports of the register file, uniform datapath.
 * Owner:   the GPU; its state belongs to one thread at a time.
 */
#ifndef HEDDLE_SM_SM_H
#define HEDDLE_SM_SM_H

#include "arch/timed.h"
#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/partition.h"
#include "net/wire.h"
#include "simt/launch.h"
#include "sm/occupancy.h"
#include "stat/stat.h"

struct sm;
struct view;

enum { SM_GRIDS = 128 }; /* kernels that may have blocks on an SM at once */

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
	uint64_t block;
	cycle_t from, to;
};

struct sm_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t self;            /* on the wires, and %smid */
	uint32_t first_partition; /* memory partition 0 on the wires */
	uint32_t dispatcher;      /* on the wires */
	cycle_t epoch;            /* length: how long stores stay in the log */
	/* Told of every event, or NULL; costs speed. Called by the thread that
	 * simulates the SM. */
	void (*event)(void *ctx, const struct sm_event *e);
	void *event_ctx;
};

/* A kernel, as its blocks need it. The same on every SM. */
struct sm_grid {
	struct launch *launch;
	const struct timed_program *book;
	struct occupancy occupancy;
	/* Memory of sm_grid_bytes for this SM, which outlives the grid. One
	 * piece for all SMs can be in huge pages; NULL: each its own. */
	char *pool;
	bool used; /* the pool is not all zeros */
	/* The same for the local memory of the grid's blocks; NULL: each block
	 * its own. */
	char *local;
};

/* What an SM needs for the blocks of a grid; launch_begin has been called. */
size_t sm_grid_bytes(const struct sm_grid *g);
size_t sm_grid_local_bytes(const struct sm_grid *g);

/* Per instruction of a grid's functions, for the list of hot lines. */
struct sm_heat {
	uint64_t issued; /* warp-instructions */
	uint64_t waited; /* cycles of warps from their last issue to this one */
};

struct wire_room sm_room(const struct cfg *cfg, const struct mem_shape *shape,
			 cycle_t window);

/* Lives in *a. */
MUST_USE enum err sm_new(struct sm **out, struct arena *a,
			 const struct sm_env *env, struct diag *d);
void sm_free(struct sm *s); /* what is not in the arena */

/*
 * Before a run, at cycle `now`: statistics cleared. Then a grid for each number
 * that MSG_BLOCK may name: empties the caches, makes what its blocks need.
 */
void sm_start(struct sm *s, cycle_t now);
MUST_USE enum err sm_attach(struct sm *s, uint32_t id, const struct sm_grid *g,
			    struct diag *d);
/* Gives that back; adds up steps and what the blocks printed. */
void sm_detach(struct sm *s, uint32_t id);

/*
 * Simulates [from, to). Returns the next cycle in which there is something to
 * do, arrivals that are not yet pulled excepted; CYCLE_NEVER when it can only
 * be woken by a message. After a fault the launch has `ended` set and nothing
 * more is executed.
 */
cycle_t sm_advance(struct sm *s, cycle_t from, cycle_t to);

/*
 * Until the next sm_start: sm_advance comes back after a cycle in which a block
 * has ended. Then sm_ended says so, and that cycle was sm_last.
 */
void sm_stop_at_end(struct sm *s);
bool sm_ended(const struct sm *s);

/*
 * Many SMs take turns in the host's caches. What one touches in a window is
 * asked for while others are simulated: its own state, then, when that has
 * come, its warps and its LSU, then what these will touch.
 */
void sm_prefetch(const struct sm *s);
void sm_prefetch_slots(const struct sm *s);
void sm_prefetch_warps(const struct sm *s);
/* The same for its mail of cycles before `to`, once that is pulled. */
void sm_prefetch_mail(const struct sm *s, cycle_t to);
void sm_prefetch_mail_more(const struct sm *s, cycle_t to);

/* What it stored in this epoch, and its atomics under way. */
struct view *sm_view(struct sm *s);

/* Nothing resident, nothing under way. */
bool sm_idle(const struct sm *s);

/* The run ends at that cycle: accounts up to it. */
void sm_finish(struct sm *s, cycle_t end);
/* Adds what was counted since sm_start (also in the middle of a run: accounts
 * up to `now` first). */
void sm_stats(struct sm *s, cycle_t now, struct stats *to);
/* By index in the code of function `func`; NULL if the grid has none. */
/* The last cycle in which anything happened. */
cycle_t sm_last(const struct sm *s);
const struct sm_heat *sm_heat(const struct sm *s, uint32_t grid, uint32_t func);
const char *sm_broken_law(const struct sm *s);

#endif
