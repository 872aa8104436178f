/*
 * Loads, stores and atomics of one SM: from the issue of an instruction to
 * the cycle in which its results can be read.
 *
 *   issue --> [queue of the sub-core] --> coalescer --> shared memory
 *                                             |-------> L1 --> network
 *                                             \-------> constant caches
 *   done  <-- ready time, as soon as it is known     <-- answers
 *
 * Models:  queues, address and accept intervals, coalescing into sectors,
 *          bank conflicts, the L1 (sectors, MSHRs, hit on miss, write
 *          policies, what it keeps by space and cache operator, adaptive
 *          split), constant caches of two levels, a texture cache, the SM's
 *          ports to the network with credits, the width of the path back to
 *          the registers, atomics on shared memory (shared.atomic) and those
 *          sent to the L2, loads that go around the L1, mem.kind = latency.
 * Does not model: data (func/ has moved it already), TLBs, a buffer for
 *          stores (lsu.store_buffer), constants in the network or the L2
 *          (ccache.l2_cycles is fixed), the cycles that asynchronous copies
 *          take from other accesses of shared memory.
 * Owner:   the SM.
 *
 * A load of an idle SM that is issued at cycle t and hits is readable at
 * t + l1.hit_latency; from shared memory at t + shared.latency; from constant
 * memory at t + ccache.l0_cycles, l1_cycles or l2_cycles; a hit in the L2
 * takes l1.miss_latency + net.request_latency + l2.hit_latency +
 * net.reply_latency + l1.fill_latency.
 *
 * An instruction reaches the head of its sub-core's queue of lsu.queue + 1
 * not before lat.mem.cycles after its issue (less where a latency is
 * shorter), and lsu.address_interval after the one before it. The SM takes one
 * in lsu.accept_interval cycles, from the sub-cores in turn; that frees its
 * place. It then holds the stage that shared memory, L1 and constant caches
 * have in common: for each pass of shared memory (the first 1 cycle, others
 * shared.conflict, of an atomic shared.atomic each), for each constant line
 * (lanes with addresses in different lines are served one after the other),
 * or for a cycle per l1.lookups lines. What it cannot send or look up stops
 * all that follow. Results with more than 128 bytes come later by the rest
 * over lsu.return_width, and results share that width.
 *
 * Latency alone, which holds nothing up: shared.conflict_latency for each other
 * pass, shared.atomic_latency for an atomic on shared memory, l1.line_latency
 * for each further line (the first lines' data come back meanwhile). What an
 * atomic brings from the L2 can be used after l1.atomic_return cycles.
 *
 * An asynchronous copy writes to shared memory when its last sector has come,
 * for as many cycles as the passes need, one copy at a time. A texture read
 * without addresses (mask 0) takes tex.latency and no bandwidth.
 *
 * With mem.kind = latency nothing has a width, and there are no credits. A
 * request still arrives l1.miss_latency + net.request_latency after the issue,
 * and its result can be used l1.fill_latency after the answer: the partition
 * makes up the rest of mem.l2_latency or mem.dram_latency.
 */
#ifndef HEDDLE_SM_LSU_H
#define HEDDLE_SM_LSU_H

#include "arch/inst.h"
#include "arch/timed.h"
#include "base/arena.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/partition.h"
#include "net/wire.h"
#include "stat/stat.h"

struct lsu;
struct atomic;

/* What the SM asks for in every cycle: the head of a struct lsu. */
struct lsu_head {
	cycle_t next; /* lsu_next */
	uint32_t can; /* lsu_can_issue, by sub-core */
	bool calm;    /* lsu_calm */
};

struct lsu_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t self;            /* number of the SM on the wires */
	uint32_t first_partition; /* memory partition 0 on the wires */
	struct stat_lsu *st;      /* what it counts */
	struct stat_l1 *l1;
	/*
	 * Called once for each lsu_inst with a result (loads, atomics, async
	 * copies, textures; stores never): its registers can be read from
	 * cycle `ready` on, which may lie in the future. For an atomic on
	 * global memory that is when its effect is part of memory, too.
	 */
	void (*done)(void *ctx, uint32_t tag, cycle_t ready);
	/* The same for lsu_issue_near. */
	void (*near)(void *ctx, uint32_t tag, cycle_t ready);
	/* A load asks the L2 for something of this line of the L1 (address /
	 * l1.line, or tex.line). For schedulers; may be NULL. */
	void (*missed)(void *ctx, uint32_t tag, uint64_t line);
	/* A line of the L1 has made room for another that a load missed. */
	void (*evicted)(void *ctx, uint64_t line);
	void *ctx;
};

/* A memory instruction, all lanes in one space. */
struct lsu_inst {
	uint8_t kind;  /* enum timing_kind: LOAD STORE ATOMIC ASYNC TEX */
	uint8_t space; /* enum space, resolved: never GENERIC */
	uint8_t flags; /* of the row */
	uint8_t subcore;
	uint32_t tag;
	uint32_t mask, bytes; /* lanes, and bytes of each */
	/* Of the lanes, in its space. NULL: shared memory, words that are
	 * known to lie in different banks or to be the same; or, global memory,
	 * the words of each half of the warp are a row: here it begins. */
	const uint64_t *addr, *half;
	/* Number of the view's record, for MSG_ATOMIC; below lsu_atomics. */
	uint32_t atomic;
	uint64_t local_base; /* LOCAL: where the warp's local memory begins */
	/* ASYNC: the lanes' addresses in shared memory; addr is the source */
	const uint64_t *shared;
};

/* A message starts to pass the SM's port at most so many cycles later than it
 * could if the port were free. */
enum { LSU_BACKLOG = 8 };

/* What the LSU needs of the wires, for windows of up to `window` cycles. */
struct wire_room lsu_room(const struct cfg *cfg, const struct mem_shape *shape,
			  cycle_t window);
/* A message arrives at least and at most so many cycles after the cycle in
 * which it is sent. */
cycle_t lsu_lookahead(const struct cfg *cfg);
cycle_t lsu_horizon(const struct cfg *cfg);
/* The most lines of 128 bytes that stores issued in `cycles` cycles can touch,
 * counted once for each instruction. */
uint32_t lsu_store_bound(const struct cfg *cfg, cycle_t cycles);
/* Whether it takes lsu_inst.half: it does where it coalesces whole warps. */
bool lsu_takes_halves(const struct cfg *cfg);
/* Numbers of atomics on global memory are below this. */
uint32_t lsu_atomics(const struct cfg *cfg);

/* Lives in *a. */
MUST_USE enum err lsu_new(struct lsu **out, struct arena *a,
			  const struct lsu_env *env, struct diag *d);

/* Whether a sub-core may issue another one now. If not, it may not before
 * lsu_advance has returned true. */
static inline bool lsu_can_issue(const struct lsu *u, uint32_t subcore)
{
	return ((const struct lsu_head *)(const void *)u)->can >> subcore & 1;
}
/* In a cycle in which lsu_advance has been called or need not be. Calls done
 * for nothing: that is left to lsu_advance and lsu_answer. */
void lsu_issue(struct lsu *u, cycle_t now, const struct lsu_inst *in);
/* The same for what many a program does most: all lanes load a word of shared
 * memory each, without conflicts. Such tags, and only these, have LSU_NEAR. */
#define LSU_NEAR (UINT32_C(1) << 31)
void lsu_issue_near(struct lsu *u, cycle_t now, uint32_t subcore, uint32_t tag);

/* The next cycle in which lsu_advance has something to do, or CYCLE_NEVER:
 * it may be called for every cycle, need be for none before that. */
static inline cycle_t lsu_next(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->next;
}
/* Does what is due in that cycle; to be called after the cycle's answers and
 * before issuing in it. Returns whether a sub-core may issue that could not. */
bool lsu_advance(struct lsu *u, cycle_t now);
/* Nothing but its queues has anything to do. */
static inline bool lsu_calm(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->calm;
}
/*
 * Does what is due in cycles before `to`, as long as nobody else notices: units
 * of an instruction are looked up. For a caller who has nothing for the LSU
 * before that cycle. Returns the last cycle in which something was done, or 0.
 */
cycle_t lsu_ahead(struct lsu *u, cycle_t to);
/* An answer or credit from memory that arrives now. */
void lsu_answer(struct lsu *u, cycle_t now, const struct msg *m);

/* Brings its state into the host's cache, then, when that has come, what it
 * leads to. */
void lsu_prefetch(const struct lsu *u);
void lsu_prefetch_queues(const struct lsu *u);
/* The same for what the answers of cycles before `to` lead to, in two steps
 * with something else between them. */
void lsu_prefetch_mshrs(const struct lsu *u, cycle_t to);
void lsu_prefetch_fills(const struct lsu *u, cycle_t to);

/* Nothing is queued or under way, credits aside. */
bool lsu_idle(const struct lsu *u);
/* Before a launch: the L1 and constant caches are emptied; shared memory of
 * that size is taken out of an adaptive L1. The LSU must be idle. */
void lsu_start(struct lsu *u, uint64_t shared_bytes);
const char *lsu_broken_law(const struct lsu *u);

#endif
