/*
 * A GPU: SMs, memory partitions and a dispatcher, joined by wires.
 *
 *	gpu_new(&g, cfg, &d);
 *	gpu_host_copy(g, address, bytes);
 *	gpu_begin(g, grids, n, &options, &d);
 *	engine_run(&plan, g, team, &report, &d);   (engine/engine.h)
 *	gpu_end(g, &outcome);
 *
 * Partitions on the wires: SMs 0..n-1, then the memory partitions, the
 * dispatcher last.
 *
 * The contents of the L2 and the state of the DRAM survive from run to run, and
 * time goes on; L1s are emptied. A run that was cut short (fault, stop, limit)
 * leaves messages in flight: gpu_broken is then true, and the GPU can only be
 * freed.
 *
 * Models:  one GPU as a whole; sm/sm.h, mem/partition.h, net/wire.h and
 *          gpu/dispatch.h say what its components model.
 * Does not model: the host, and the time of copies between host and device.
 * Owner:   the caller of gpu_new. gpu/partition.h and gpu/drift.h say what
 *          several threads may do at the same time during a run.
 */
#ifndef HEDDLE_GPU_GPU_H
#define HEDDLE_GPU_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/timed.h"
#include "base/cycle.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "gpu/dispatch.h"
#include "gpu/partition.h"
#include "simt/launch.h"
#include "sm/occupancy.h"
#include "sm/sm.h"
#include "stat/stat.h"

struct team;

enum { GPU_GRIDS = DISPATCH_GRIDS }; /* of one run */

/* A kernel of a run. */
struct gpu_grid {
	struct launch *launch; /* the GPU calls launch_begin, launch_end */
	const struct timed_program *timed;
	uint32_t stream; /* grids of one stream run one after the other */
	struct occupancy occupancy;
	/* By function, then by instruction: gpu_end adds to it. NULL, or NULL
	 * for a function: not wanted. */
	struct sm_heat **heat;
	uint64_t **excess; /* the same: sm_excess; NULL together with `heat` */
	/* The same for details, which cost a little speed. */
	struct sm_detail **details;

	/* Filled by gpu_end. */
	cycle_t start, end; /* since the run began; end = 0: not ended */
	uint64_t blocks_done;
	struct waves_sum waves;
	/* What it did, of several grids that ran at once: without what they
	 * share (stat/together.def). Of one grid: the run's. */
	struct stats stats;
	enum err status; /* of launch_end */
};

/* What each SM and each slice did. */
struct gpu_parts {
	uint32_t sms, slices;
	const uint64_t *issued;   /* warp-instructions, by SM */
	const uint64_t *requests; /* by slice; all 0 if mem.kind = latency */
};

struct gpu_options {
	cycle_t max_cycles; /* of the run; 0: no limit */
	cycle_t interval;   /* between two samples; 0: none */
	/* What was counted in [from, to), cycles since the run began. */
	void (*sample)(void *ctx, cycle_t from, cycle_t to,
		       const struct stats *s);
	/* Together with `sample`: what each component did in that time. */
	void (*parts)(void *ctx, cycle_t from, cycle_t to,
		      const struct gpu_parts *p);
	/* About ten times a second. */
	void (*progress)(void *ctx, cycle_t cycles, uint64_t blocks_done,
			 const struct stats *s);
	bool host_time;    /* for gpu_host_time; costs a little speed */
	struct team *team; /* shares large pieces of work; or NULL */
	/* Only if gpu_new was called with `events`. Called after each window,
	 * SM by SM. */
	void (*event)(void *ctx, const struct sm_event *e);
	void *ctx;
};

enum gpu_end {
	GPU_DONE,
	GPU_FAULT,   /* of a launch; deadlock too */
	GPU_STOPPED, /* machine.stop */
	GPU_LIMIT    /* max_cycles */
};

struct gpu_outcome {
	enum gpu_end end;
	cycle_t cycles;     /* from the launch to the end of the last block */
	struct stats stats; /* of the run; also when it was cut short */
	/* A conservation law that does not hold after a complete run: a bug of
	 * ours. ERR_OK: all laws hold. */
	struct diag law;
};

/*
 * ERR_RANGE: no machine can be built from the configuration. events:
 * gpu_options.event may be used, which costs speed.
 */
MUST_USE enum err gpu_new(struct gpu **out, const struct cfg *cfg, bool events,
			  struct diag *d);
/* The same, for memory that is simulated elsewhere; then there must be one memory
 * partition, and compute units in clusters of one. */
MUST_USE enum err gpu_new_on(struct gpu **out, const struct cfg *cfg,
			     bool events, const struct mem_outside *outside,
			     struct diag *d);
void gpu_free(struct gpu *g);
/* By SM: what it has stored in this epoch, and its atomics in flight. */
struct view *const *gpu_views(const struct gpu *g);
const struct cfg *gpu_cfg(const struct gpu *g);
/* What mem.epoch = 0 means on this GPU; credits take as long as requests. */
cycle_t gpu_default_epoch(const struct cfg *c);

/* Call between runs: bytes were copied from or to the host. */
void gpu_host_copy(struct gpu *g, uint64_t address, uint64_t bytes);
/* The chunks of memory that stays with the host, in order; n may be 0. The GPU keeps a
 * copy. ERR_NOMEM. */
MUST_USE enum err gpu_set_far(struct gpu *g, const struct mem_far *far,
			      uint32_t n, struct diag *d);
/* g takes the place of another GPU: counts what was copied since the last run of
 * that one for the next run of g, without placing it in the L2; the heap holds
 * what it held, and regions of memory are translated that were. */
void gpu_inherit(struct gpu *g, const struct gpu *from);

/*
 * How many blocks of the kernel an SM can hold. `registers` is per thread; 0
 * takes the number from the timed program, or fewer if not even one block would
 * fit. *used: the number taken.
 */
MUST_USE enum err gpu_occupancy(struct occupancy *out, uint32_t *used,
				const struct cfg *cfg,
				const struct timed_program *timed,
				const struct launch *l, uint32_t registers,
				struct diag *d);

/* The caller keeps the grids. After a failure, do not call gpu_end. */
MUST_USE enum err gpu_begin(struct gpu *g, struct gpu_grid *grids, uint32_t n,
			    const struct gpu_options *options, struct diag *d);
void gpu_end(struct gpu *g, struct gpu_outcome *out);
bool gpu_broken(const struct gpu *g);

/*
 * After a run, until the next one
 */

uint32_t gpu_sms(const struct gpu *g);
/* When the last block of an SM ended, since the run began; 0: it had none. */
cycle_t gpu_sm_end(const struct gpu *g, uint32_t sm);

/* What one SM counted; memory partitions are not included. */
void gpu_sm_stats(struct gpu *g, uint32_t sm, struct stats *out);

/* How the host's threads spent a run with `host_time`, in seconds. */
struct gpu_host_time {
	double sms;      /* the SMs: sm_advance */
	double network;  /* messages put in order for their receivers */
	double memory;   /* the memory partitions: L2 and DRAM */
	double dispatch; /* the dispatcher */
};
struct gpu_host_time gpu_host_time(const struct gpu *g);

#endif
