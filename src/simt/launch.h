/*
 * A kernel launch in functional mode: blocks distributed over host threads.
 *
 * Models:  every block runs to its end, all warps of a block on one host
 *          thread, blocks in parallel. Blocks that take long are suspended so
 *          that others can run; therefore a block may wait for another one. All
 *          blocks of a cooperative launch are suspended and resumed in turn.
 * Does not model: time, caches, a limit on resident blocks.
 * Owner:   the caller of launch_run; workers update it under its lock.
 */
#ifndef HEDDLE_SIMT_LAUNCH_H
#define HEDDLE_SIMT_LAUNCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/effect.h"
#include "simt/fault.h"
#include "simt/program.h"

struct tex_table;
struct heap;
struct crew;
struct block;
struct hazard;
struct outside;
struct workgroup;

/* The device as a launch sees it. */
struct machine {
	struct gmem *gmem;
	struct tex_table *textures;
	struct heap *heap;     /* device-side malloc */
	struct crew *crew;     /* NULL until a launch needs it; crew_free */
	uint32_t threads;      /* host threads */
	uint32_t sm_count, sm; /* sm: 90 of sm_90 */
	uint64_t local_bytes;
	uint64_t max_steps; /* of one warp */
	bool independent;
	atomic_bool stop;
};

/*
 * %envreg1 (high half) and %envreg2 hold the address of the workspace. Code for
 * cooperative groups reads two words there, the size in bytes and the barrier,
 * and uses the barrier if the address is not 0.
 */
enum { LAUNCH_WORKSPACE = 256 };

enum { LAUNCH_WARP_IDS = 2048 / LANES }; /* %nwarpid */

/*
 * Callbacks when blocks start and end, by the host thread that runs them:
 * recording and replay of a launch (replay/tape.h).
 */
struct block_hooks {
	void (*start)(struct block_hooks *hooks, struct block *b);
	/* done: all warps have ended. */
	void (*end)(struct block_hooks *hooks, struct block *b, bool done);
	void (*drop)(struct block *b); /* frees b->tape, if there is any */
	/* Replay: host addresses of mbarriers in shared memory, at the effect's
	 * addresses. False: the launch has faulted. */
	bool (*locate_shared)(struct warp *w, const struct inst *in,
			      uint64_t *host[LANES]);
	/* malloc and free: bytes that each lane asks for, or gives back.
	 * Recording notes them, replay finds them. False: the launch has
	 * faulted. May be NULL. */
	bool (*sizes)(struct warp *w, const struct inst *in,
		      uint64_t bytes[LANES]);
	/* Replay: the addresses that the warp's next instruction will access,
	 * before it executes; lanes outside of w->mask repeat one of an active
	 * lane. False: the launch has faulted. */
	bool (*peek)(struct warp *w, const struct inst *in,
		     uint64_t addr[LANES]);
	/* Bytes of block.tape_room for each warp. */
	size_t warp_bytes;
	bool replays; /* nothing is computed: memory has no values */
	/* start, end and drop of wavefronts (simt/wave.h). */
	void (*start_group)(struct block_hooks *hooks, struct workgroup *g);
	void (*end_group)(struct block_hooks *hooks, struct workgroup *g,
			  bool done);
	void (*drop_group)(struct workgroup *g); /* frees g->tape */
};

struct launch_text {
	uint64_t block;
	char *text;
	size_t size;
	struct launch_text *next;
};

struct launch {
	struct machine *machine;
	const struct program *program;
	const struct code *kernel;
	uint32_t grid[3], block[3];
	uint64_t dynamic_shared;
	const void *params;
	uint32_t param_bytes;
	uint64_t id; /* %gridid */
	/* Of OpenCL: the first global id, and get_work_dim; 0: as many as the
	 * shape has. */
	uint32_t offset[3], dimensions;
	/* Cooperative launch, whose blocks are all resident: guest address of
	 * LAUNCH_WORKSPACE zeroed bytes where grids synchronise; else 0. */
	uint64_t workspace;
	bool independent;
	void (*progress)(void *ctx, uint64_t done, uint64_t all,
			 uint64_t steps);
	void *ctx;
	/* Called for every instruction, or NULL; costs speed. */
	step_fn *watch;
	void *watch_ctx;
	struct block_hooks *hooks; /* of recording or replay, or NULL */
	/* Of wavefronts that are replayed: where the code was in global memory
	 * when they were recorded. 0: where the program has it. */
	uint64_t code;

	/* Filled while it runs. */
	const char *pool; /* constants, one value for each lane */
	void *state;      /* of the instruction set: isa.begin_launch */
	uint64_t block_count;
	uint32_t shared_bytes, warps_per_block;
	atomic_uint_fast64_t next_block, blocks_done, steps, lane_steps;
	atomic_bool ended;     /* a fault, or the machine was stopped */
	atomic_bool no_memory; /* the host had none for a block; ended is set */
	pthread_mutex_t lock;
	struct fault fault;        /* under lock; the first one stays */
	struct launch_text *texts; /* under lock */
	struct outside *outside;   /* under lock: simt/outside.h */
	struct hazard *hazards;    /* under lock: simt/hazard.h */
};

/* Whether nothing is computed: memory has no values. */
static inline bool launch_replays(const struct launch *l)
{
	return UNLIKELY(l->hooks != NULL) && l->hooks->replays;
}

static inline uint32_t launch_dimensions(const struct launch *l)
{
	if (l->dimensions)
		return l->dimensions;
	return l->grid[2] * l->block[2] > 1 ? 3 :
	       l->grid[1] * l->block[1] > 1 ? 2 :
					      1;
}

static inline uint64_t launch_blocks(const struct launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

/*
 * Runs the launch to its end. ERR_FAULT: l->fault says why. ERR_NOMEM: the host
 * has no memory for its blocks; some may have run. l->texts is what the program
 * printed, in no particular order; launch_clear frees it, l->outside and
 * l->hazards.
 */
MUST_USE enum err launch_run(struct launch *l, struct diag *d);
/*
 * The begin and the end of launch_run, for callers that run the blocks with
 * workers of their own (simt/block.h). launch_begin fills in the fields below
 * "filled while it runs"; launch_end returns how the launch ended, and must be
 * called also if launch_begin has failed.
 */
MUST_USE enum err launch_begin(struct launch *l, struct diag *d);
MUST_USE enum err launch_end(struct launch *l, struct diag *d);
/* Sorts l->texts by block. */
void launch_sort_texts(struct launch *l);
void launch_clear(struct launch *l);

#endif
