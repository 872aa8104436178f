/*
 * The reference model of FastLanes: what the circuit computes, and how many cycles
 * of the simulated GPU it takes. docs/fastlanes.md states every rule; the circuit
 * must give the same memory, cycles and statistics.
 *
 * Models:  multiprocessors that take turns of `slice` cycles each; round-robin
 *          fetch and issue, one instruction a cycle; instruction buffers, a
 *          scoreboard, the SIMT stack, LD/ST units, coalescing, bank conflicts,
 *          tags of L1 and L2, and a latency for each way of a request.
 * Does not model: the cycles of the circuit itself; misses of instruction
 *          fetch; bandwidth beyond the LD/ST units; a hit on a line that is
 *          still on its way, which counts as a hit.
 * Owner:   fl_model_free frees all of it.
 */
#ifndef HEDDLE_FASTLANES_MODEL_H
#define HEDDLE_FASTLANES_MODEL_H

#include "cfg/cfg.h"
#include "isa/fastlanes/code.h"

enum {
	FL_MAX_SMS = 64,
	FL_MAX_WARPS = 32,     /* of a multiprocessor */
	FL_MAX_BLOCKS = 32,    /* of a multiprocessor */
	FL_MAX_THREADS = 1024, /* of a block */
	FL_SEGMENT = 128,      /* bytes of a segment, and of a line */
	FL_BANKS = 32,         /* of shared memory, 4 bytes wide */
	FL_BUFFER = 2,         /* instructions of a warp's buffer */
	FL_POOL = 64,          /* loads of a multiprocessor under way */
	FL_STACK = 64          /* entries of a warp's SIMT stack */
};

/* The ways of a request, each with its latency. */
enum fl_way { FL_WAY_L1, FL_WAY_L2, FL_WAY_SHARED, FL_WAY_GLOBAL, FL_WAYS };

struct fl_config {
	uint32_t sms, warps, blocks; /* of a multiprocessor */
	uint32_t shared;             /* bytes of a multiprocessor */
	uint32_t l1_sets, l1_ways, l2_sets, l2_ways;
	uint32_t lsu_lanes;
	uint32_t latency[FL_UNIT_COUNT], interval[FL_UNIT_COUNT];
	uint32_t way_latency[FL_WAYS];
	uint32_t slice; /* cycles of a multiprocessor's turn */
};

/* Reads the parameters that FastLanes has; slice 0: 100 cycles for each warp. */
MUST_USE enum err fl_config_from(struct fl_config *out, const struct cfg *c,
				 uint32_t slice, struct diag *d);

/* Every statistic, once: name, what it counts. */
#define FL_STATS(X)                                                          \
	X(cycles, "cycles from the first to the last, of the whole GPU")     \
	X(blocks, "blocks that have run")                                    \
	X(instructions, "instructions that were issued")                     \
	X(lane_instructions, "the same, times the lanes that executed them") \
	X(stalled, "cycles in which a multiprocessor had warps and issued "  \
		   "nothing")                                                \
	X(empty, "cycles in which a multiprocessor had no warp")             \
	X(branches, "bra instructions")                                      \
	X(divergent, "those whose lanes went both ways")                     \
	X(barriers, "bar instructions")                                      \
	X(loads, "loads from global and local memory")                       \
	X(stores, "stores to global and local memory")                       \
	X(segments, "segments of both")                                      \
	X(shared_accesses, "loads from and stores to shared memory")         \
	X(shared_segments, "segments of these: 1 without bank conflicts")    \
	X(l1_hits, "segments of loads that hit in the L1")                   \
	X(l1_misses, "segments of loads that missed in the L1")              \
	X(l2_hits, "segments that reached the L2 and hit")                   \
	X(l2_misses, "segments that reached the L2 and missed")

struct fl_stats {
#define X(name, about) uint64_t name;
	FL_STATS(X)
#undef X
};

enum fl_fault_kind {
	FL_FAULT_NONE,
	FL_FAULT_ADDRESS,    /* outside of its space */
	FL_FAULT_MISALIGNED, /* not a multiple of the width */
	FL_FAULT_TRAP,
	FL_FAULT_LIMIT,  /* max_cycles have passed */
	FL_FAULT_STOPPED /* stop() has asked for it */
};

struct fl_fault {
	enum fl_fault_kind kind;
	uint32_t block[3], warp, lane, pc, address;
};

/* An instruction that is issued. */
struct fl_event {
	uint64_t cycle;
	uint32_t sm, warp;  /* place of the warp */
	uint32_t pc, lanes; /* lanes that execute it */
};

/* What happens in a cycle of a multiprocessor with warps that the model looks at. */
struct fl_visit {
	uint64_t cycle;
	uint32_t sm;
	uint32_t began;           /* warps that start, by place */
	const struct fl_inst *in; /* that is issued; NULL: none */
	uint32_t warp, lanes;     /* of it; that execute it */
	uint64_t due;             /* its result; 0: it has none */
	bool shared, load;        /* of memory */
	uint32_t segments;
	uint64_t processed; /* its first segment */
	bool stack, ended;  /* the warp's stack changes; the warp ends */
	uint32_t pops;      /* of its stack */
	uint32_t fetched;   /* instructions, by some warp: 0 or 1 */
};

/* Somebody who is told of all that, and of the end of turns, with the warps that
 * have not ended. */
struct fl_watch {
	void (*visit)(void *ctx, const struct fl_visit *v);
	void (*turn)(void *ctx, uint32_t sm, uint32_t live);
	void *ctx;
};

struct fl_launch {
	const struct fl_code *code;
	const struct fl_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared;
	const uint8_t *params;
	uint8_t *memory;     /* FL_MEMORY_BYTES */
	uint32_t local_base; /* memory from here on is the kernel's */
	uint64_t max_cycles; /* 0: no limit */
	bool (*stop)(void);  /* asked now and then; NULL: never */
	/* Called for each instruction, in the order of execution; NULL: not. */
	void (*event)(void *ctx, const struct fl_event *e);
	void *ctx;
	const struct fl_watch *watch; /* or NULL */
};

/* What a launch needs of a GPU. */
struct fl_needs {
	uint64_t blocks;      /* of the grid */
	uint32_t places;      /* for blocks in a multiprocessor */
	uint32_t warps;       /* of a block */
	uint32_t shared;      /* bytes of a block */
	uint32_t local_words; /* of a thread */
};
/* Fails if the launch cannot be: its shape, its needs. */
MUST_USE enum err fl_launch_needs(struct fl_needs *out,
				  const struct fl_config *c,
				  const struct fl_launch *l, struct diag *d);

/* Bytes of local memory of all threads that a GPU may hold. */
uint64_t fl_local_bytes(const struct fl_config *c, const struct fl_kernel *k);

/*
 * Runs a kernel. Fails if the launch cannot be. A fault of the program is no
 * failure: *fault says what happened.
 */
MUST_USE enum err fl_model_run(const struct fl_config *c,
			       const struct fl_launch *l,
			       struct fl_stats *stats, struct fl_fault *fault,
			       struct diag *d);

#endif
