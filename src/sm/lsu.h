/*
 * Loads, stores and atomics of one SM: from the issue of an instruction to
 * the cycle in which its results can be read.
 *
 *   issue --> [queue of the sub-core] --> coalescer --> shared memory
 *                                             |-------> L1 --> network
 *                                             \-------> constant caches
 *   done  <-- ready cycle, as soon as it is known    <-- answers
 *
 * Models:  queues, address and accept intervals, coalescing into sectors,
 *          bank conflicts, groups of lanes that share a pass
 *          (shared.pairs), the L1 (sectors, MSHRs, hit under miss,
 *          write policies, which spaces and cache operators it caches,
 *          adaptive split), two levels of constant caches, a texture cache,
 *          the SM's ports to the network with credits, the width of the
 *          return path to the registers, atomics on shared memory
 *          (shared.atomic; those of a loop that tries again serve one lane
 *          of a bank) and atomics sent to the L2, loads that go around
 *          the L1, stores that join those to the same line which wait for
 *          their turn (lsu.merge), mem.kind = latency.
 * Does not model: data (simt/ has moved it already), TLBs, constants in the
 *          network or the L2 (ccache.l2_cycles is fixed, but for
 *          lsu_env.came), the cycles that
 *          asynchronous copies take from other accesses of shared memory.
 *          Fences do not wait for stores that wait for others.
 * Owner:   the SM.
 *
 * Latencies. In an idle SM, a load that is issued at cycle t and hits can be
 * read at t + l1.hit_latency; from shared memory at t + shared.latency; from
 * constant memory at t + ccache.l0_cycles, l1_cycles or l2_cycles. A hit in the
 * L2 takes l1.miss_latency + net.request_latency + l2.hit_latency +
 * net.reply_latency + l1.fill_latency.
 *
 * Queues. Each sub-core has a queue of lsu.queue + 1 instructions. An
 * instruction leaves it no earlier than lat.mem.cycles after its issue (less
 * where a latency is shorter) and lsu.address_interval after the one before it.
 * The SM accepts one instruction in lsu.accept_interval cycles, from the
 * sub-cores in turn; that frees its entry.
 *
 * The common stage. An accepted instruction occupies the stage that shared
 * memory, L1 and constant caches have in common: for each pass of shared memory
 * (the first takes 1 cycle, others shared.conflict, those of an atomic
 * shared.atomic or shared.cas each), for each constant line (lanes with addresses in
 * different lines are served one after the other), or for a cycle per
 * l1.lookups lines. With l1.tag_banks a load of several lines occupies it for the
 * passes that its words need of the banks of shared memory, or its lines of the
 * banks of the tags, whichever are more; its sub-core's next instruction comes later by
 * l1.pass_latency for each pass of the former, if there are several. A store to global or
 * local memory occupies it for lsu.store_interval at least. A request that cannot be sent or looked
 * up stops everything behind it. Results share the return path; one of more than
 * 128 bytes takes longer by the rest over lsu.return_width. With ccache.own_stage,
 * loads of constants have queues of the same length, and a stage, of their own, and
 * do not take the return path; a sub-core issues while both of its queues have room.
 *
 * Latency alone, which delays nothing else: shared.conflict_latency for each
 * further pass, shared.atomic_latency for an atomic on shared memory and
 * shared.atomic_again or shared.cas_again for each further pass of it,
 * shared.cas_latency for a compare-and-swap there,
 * l1.line_latency for each further line (the data of the first lines return
 * meanwhile), or with l1.tag_banks l1.pass_latency for each further pass of a load. The result of an atomic in the L2 can be used l1.atomic_return
 * cycles after its answer, that of a compare-and-swap l1.cas_latency later.
 *
 * With l1.in_order the loads of a warp that miss the L1, or go around it, return in
 * the order of their issue: one whose data come earlier waits for those before it,
 * in the memory of the L1. Hits, and loads of other warps, do not wait.
 *
 * An asynchronous copy writes to shared memory when its last sector has
 * arrived, for as many cycles as the passes need, one copy at a time. A texture
 * read is a load whose hits take tex.latency and, from more than one dimension,
 * tex.plane_latency; one that misses takes longer than a load by as much as a
 * hit does. Without addresses (mask 0) it hits and takes no bandwidth.
 *
 * With lsu_env.came, lines that no constant cache has are requested from the memory, as
 * loads of global memory are: they take what they take there, instead of
 * ccache.l2_cycles, and loads of constants share the common stage.
 *
 * With mem.kind = latency bandwidth is unlimited and there are no credits. A
 * request still arrives l1.miss_latency + net.request_latency after the issue,
 * and its result can be used l1.fill_latency after the answer: the memory
 * partition adds the rest of mem.l2_latency or mem.dram_latency.
 */
#ifndef HEDDLE_SM_LSU_H
#define HEDDLE_SM_LSU_H

#include "arch/inst.h"
#include "arch/timed.h"
#include "base/arena.h"
#include "base/bitmap.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "mem/partition.h"
#include "net/wire.h"
#include "stat/stat.h"

struct lsu;
struct atomic;
struct lsu_counts;

enum { LSU_GRIDS = 128 };

/* What the SM reads in every cycle: the first member of struct lsu. */
struct lsu_head {
	cycle_t next;       /* lsu_next */
	uint32_t can_issue; /* lsu_can_issue, by sub-core */
	bool only_queued;   /* lsu_only_queued */
	/* A load that is all there is to do goes past its queue, and is accepted
	 * at `next`: enum lsu_lone_kind, or 0. */
	uint8_t lone;
};

struct lsu_env {
	const struct cfg *cfg;
	const struct mem_shape *shape;
	struct wires *wires;
	uint32_t self;              /* number of the SM on the wires */
	uint32_t first_partition;   /* memory partition 0 on the wires */
	const bitmap_word *regions; /* that are translated: tlb_init */
	struct stat_lsu *st;        /* what it counts */
	struct stat_l1 *l1;
	/*
	 * Called once for each lsu_inst with a result (loads, atomics, async
	 * copies, textures; never for stores): its registers can be read from
	 * cycle `ready` on, which may lie in the future. For an atomic on
	 * global memory, its effect is part of memory by then, too.
	 */
	void (*done)(void *ctx, uint32_t tag, cycle_t ready);
	/* The same for lsu_issue_near. */
	void (*near)(void *ctx, uint32_t tag, cycle_t ready);
	/* For a lsu_inst with a reader: its operands have been read at cycle
	 * `when`, which is when it leaves its queue. */
	void (*read)(void *ctx, uint32_t reader, cycle_t when);
	/* A load requests sectors of this line of the L1 (address / l1.line, or
	 * tex.line) from the L2. For schedulers; may be NULL. */
	void (*missed)(void *ctx, uint32_t tag, uint64_t line);
	/* A line of the L1 was evicted for one that a load missed. */
	void (*evicted)(void *ctx, uint64_t line);
	/*
	 * NULL, or: lines of constants that no constant cache has are requested
	 * from the memory, and what lsu_ask_code requests. Called when the code
	 * at that address has arrived, or, `operand`, the constant operand at
	 * that address for a sub-core.
	 */
	void (*came)(void *ctx, cycle_t now, bool operand, uint32_t subcore,
		     uint64_t address);
	void *ctx;
};

enum { LSU_WARPS = 64 };

/* A memory instruction, all lanes in one space. */
struct lsu_inst {
	uint8_t kind;  /* enum timing_kind: LOAD STORE ATOMIC ASYNC TEX */
	uint8_t space; /* enum space, resolved: never GENERIC */
	uint8_t flags; /* of the timed instruction */
	uint8_t subcore;
	uint8_t warp; /* below LSU_WARPS */
	uint32_t tag;
	uint32_t reader;      /* for lsu_env.read; 0: need not be called */
	uint32_t mask, bytes; /* lanes, and bytes of each */
	/* NULL for shared memory below: groups of lanes share passes in
	 * pairs. */
	bool paired;
	/* Addresses of the lanes, in `space`. NULL for shared memory: all lanes
	 * take part and do not conflict. NULL for global memory: the words of
	 * each half of the warp are consecutive, from half[] on. NULL for
	 * constant memory: all lanes read at half[0]. */
	const uint64_t *addr, *half;
	/* Index of the view's atomic record, for MSG_ATOMIC; below
	 * lsu_atomics. */
	uint32_t atomic;
	uint64_t local_base; /* LOCAL: where the warp's local memory begins */
	/* ASYNC: the lanes' addresses in shared memory; addr is the source */
	const uint64_t *shared;
};

/* Maximum number of cycles that a message waits for the SM's port. If it would
 * wait longer, it is not sent yet. */
enum { LSU_BACKLOG = 8 };

/* Maximum number of lines that are looked up in a cycle. */
uint64_t lsu_lookups(const struct cfg *cfg);

/* Room that the LSU needs on the wires, for windows of up to `window`
 * cycles. */
struct wire_room lsu_room(const struct cfg *cfg, const struct mem_shape *shape,
			  cycle_t window);
/* Minimum and maximum number of cycles from the cycle in which a message is
 * sent to its arrival. */
cycle_t lsu_lookahead(const struct cfg *cfg);
cycle_t lsu_horizon(const struct cfg *cfg);
/* Maximum number of lines of 128 bytes that the stores issued in `cycles`
 * cycles can touch; a line counts once for each instruction. */
uint32_t lsu_store_bound(const struct cfg *cfg, cycle_t cycles);
/* Whether it accepts lsu_inst.half: it does if it coalesces whole warps. */
bool lsu_takes_halves(const struct cfg *cfg);
/* Whether a request is for constants or code. */
bool lsu_is_scalar(const struct msg *m);
/* lsu_inst.atomic is below this. */
uint32_t lsu_atomics(const struct cfg *cfg);

/* Lives in *a. */
MUST_USE enum err lsu_new(struct lsu **out, struct arena *a,
			  const struct lsu_env *env, struct diag *d);

/* Counts for each grid of a run, if there are several (sm/own.h). Forgets what was
 * counted. */
void lsu_start_counts(struct lsu *u);
/* What is counted for a grid is added there; NULL: nowhere. */
void lsu_count_for(struct lsu *u, uint32_t grid, struct lsu_counts *to);
/* From now on, instructions that are issued belong to this grid. */
void lsu_switch_grid(struct lsu *u, uint8_t grid);
/* Adds what was counted up to now. */
void lsu_settle(struct lsu *u);

/* The sub-cores that may issue another instruction now, as bits. */
static inline uint32_t lsu_ready(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->can_issue;
}
/* Whether a sub-core may issue another instruction now. If not, that changes
 * only when lsu_advance returns true. */
static inline bool lsu_can_issue(const struct lsu *u, uint32_t subcore)
{
	return lsu_ready(u) >> subcore & 1;
}
/* Issues an instruction, in a cycle in which lsu_advance has been called or
 * need not be. It never calls lsu_env.done: lsu_advance and lsu_answer do. */
void lsu_issue(struct lsu *u, cycle_t now, const struct lsu_inst *in);
/* The same for a very common load: every lane loads a word of shared memory, or
 * a vector of two or four words, without conflicts. The tags of these loads, and
 * only these, have LSU_NEAR; from bit LSU_NEAR_WIDTH on, log2 of the words,
 * plus LSU_NEAR_PAIRED if groups of lanes share passes in pairs. */
#define LSU_NEAR (UINT32_C(1) << 31)
enum { LSU_NEAR_WIDTH = 28, LSU_NEAR_PAIRED = 4, LSU_NEAR_WIDTHS = 7 };
void lsu_issue_near(struct lsu *u, cycle_t now, uint32_t subcore, uint32_t tag);
/* The same for a store of such words. reader: as in lsu_inst, below
 * LSU_NEAR_STORE. */
#define LSU_NEAR_STORE (UINT32_C(1) << 30)
void lsu_issue_near_store(struct lsu *u, cycle_t now, uint32_t subcore,
			  uint32_t reader);

/* The same for a load by lanes that all read at one address: of constants, or of
 * global memory, which all lanes do. */
struct lsu_place {
	uint64_t address;
	uint32_t tag, reader, mask; /* as in lsu_inst */
	uint8_t bytes;              /* of each lane */
	uint8_t flags, subcore;
	uint8_t warp; /* global memory: as in lsu_inst */
};
void lsu_issue_constant(struct lsu *u, cycle_t now, const struct lsu_place *in);
void lsu_issue_place(struct lsu *u, cycle_t now, const struct lsu_place *in);

/* When a sub-core can use an operand of an instruction that wants to issue now,
 * from `address` in constant memory; at once if it is in the first constant
 * cache. CYCLE_NEVER: lsu_env.came will be called for its line. */
cycle_t lsu_constant(struct lsu *u, uint32_t subcore, uint64_t address,
		     bool parameter, cycle_t now);

/* With lsu_env.came: requests `bytes` of code, of one chunk of memory. */
void lsu_ask_code(struct lsu *u, cycle_t now, uint64_t address, uint32_t bytes);
/* The same for a fence of the memory: calls lsu_env.done with the tag when it has been
 * performed. What the SM has written before must have been taken. */
void lsu_ask_fence(struct lsu *u, cycle_t now, uint32_t tag);
/* Whether two constants are in one line of the first cache. */
bool lsu_same_constants(const struct lsu *u, uint64_t a, uint64_t b);

/* The next cycle in which lsu_advance has something to do, or CYCLE_NEVER. It
 * may be called for earlier cycles, but need not be. */
static inline cycle_t lsu_next(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->next;
}
/* Does what is due in cycle `now`. Must be called after the answers of the
 * cycle and before issue in it. Returns whether a sub-core may issue now that
 * could not before. */
bool lsu_advance(struct lsu *u, cycle_t now);
/* Whether there is nothing to do but to accept instructions from the queues. */
static inline bool lsu_only_queued(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->only_queued;
}
/* Whether all there is to do is to accept a single load, at lsu_next. */
static inline bool lsu_has_lone(const struct lsu *u)
{
	return ((const struct lsu_head *)(const void *)u)->lone;
}
/*
 * Looks up the units of the current instruction in cycles before `to`, as long
 * as that has no effect outside of the LSU. The caller must have nothing for
 * the LSU before that cycle. Returns the last cycle in which something was
 * done, or 0.
 */
cycle_t lsu_run_ahead(struct lsu *u, cycle_t to);
/* Takes an answer or credit from memory that arrives in cycle `now`. */
void lsu_answer(struct lsu *u, cycle_t now, const struct msg *m);

/* Brings the LSU's state into the host's cache; then, when that has arrived,
 * what it points to. */
void lsu_prefetch(const struct lsu *u);
void lsu_prefetch_queues(const struct lsu *u);
/* The same for what the answers of cycles before `to` will touch, in two steps:
 * the second reads what the first has fetched. */
void lsu_prefetch_mshrs(const struct lsu *u, cycle_t to);
void lsu_prefetch_fills(const struct lsu *u, cycle_t to);

/* l2.acknowledge, where every store goes to an L2 that takes time. */
static inline bool lsu_acknowledged(const struct cfg *cfg)
{
	return cfg->l2.acknowledge && cfg->l1.write == CFG_WRITE_THROUGH &&
	       cfg->mem.kind != CFG_MEM_LATENCY;
}
/* With l2.acknowledge, of an SM without warps: whether there are writes that no
 * slice has taken yet. */
bool lsu_holds_writes(const struct lsu *u);
/* With l2.acknowledge: how many writes of this SM will have been taken when all
 * that are queued or on their way now have been, or more, since some join others.
 * Whether so many have been, or all. */
uint64_t lsu_writes_due(const struct lsu *u);
bool lsu_writes_taken(const struct lsu *u, uint64_t due);
/* `now`, or when a fence may take all that has been taken to be written
 * (l2.far_write). */
cycle_t lsu_written(const struct lsu *u, cycle_t now);

/* Nothing is queued or in flight, except credits. */
bool lsu_idle(const struct lsu *u);
/* Before a launch: empties the L1 and the constant caches, and takes
 * shared_bytes of shared memory out of an adaptive L1. The LSU must be idle. */
void lsu_start(struct lsu *u, uint64_t shared_bytes);
/* Between runs: tlb_share. */
void lsu_share_regions(struct lsu *u, bitmap_word *known);
/* What a fence does to the L1 (l1.fence_empties), at once: accesses that are
 * queued do not find their lines either. */
void lsu_empty_l1(struct lsu *u);
const char *lsu_broken_law(const struct lsu *u);

#endif
