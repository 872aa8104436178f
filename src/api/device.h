/*
 * The implementation of heddle.h: what its files share.
 *
 * A device holds global memory, textures, a heap and settings. With a
 * configuration it also has a GPU (gpu/gpu.h), and launches are timed unless
 * they say otherwise; without one they are executed only. Library code never
 * prints and never exits.
 *
 * Owner: the caller of heddle_device_new.
 */
#ifndef HEDDLE_API_DEVICE_H
#define HEDDLE_API_DEVICE_H

#include "arch/isa.h"
#include "arch/timed.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "engine/engine.h"
#include "gpu/gpu.h"
#include "heddle/heddle.h"
#include "replay/tape.h"
#include "simt/gmem.h"
#include "simt/launch.h"
#include "simt/program.h"
#include "simt/tex.h"
#include "trace/trace.h"

struct heddle_config {
	struct cfg_sheet sheet;
};

/* How often an instruction was issued, and how long warps waited before it. */
struct hot_inst {
	uint32_t kernel, pc;
	const struct function *func;
	uint64_t issued, waited, excess;
};

struct kernel_record {
	char name[256];
	struct heddle_kernel_timing timing;
	struct stats stats; /* gpu_grid.stats */
};

/* The timing of the last launch. */
struct heddle_timing {
	bool filled;
	struct gpu_outcome outcome;
	struct engine_report engine;
	double clock_mhz;
	const char *config; /* the device's */
	struct kernel_record *kernels;
	size_t kernel_count;
	struct hot_inst *hot;
	size_t hot_count, hot_room;
	struct sm_detail *details; /* as many; NULL: not asked for */
	uint64_t *sm_ends;         /* by SM */
	struct gpu *gpu;           /* as the launch left it */
	struct stats *sm_stats;    /* of the SM that was asked for last */
	size_t sms;
	double host_seconds;
	struct gpu_host_time host_time;
	bool cold; /* heddle_timing_options.cold */
};

/* Bytes that were copied from or to the host. */
struct host_copy {
	uint64_t at, size;
};

struct heddle_device {
	struct gmem gmem;
	struct machine machine;
	struct tex_table textures;
	uint64_t launches;
	/* What was warned about, as heddle_launch.warn promises: malloc'ed. */
	char **warned;
	size_t warned_count;

	/* Only with a configuration. */
	struct gpu *gpu; /* NULL: functional */
	bool timeline;
	struct engine_plan plan;
	struct team *team; /* of engine_team */
	char *config;      /* as text */
	/* Copies since the last timed launch, passed to the GPU before the next
	 * one at the latest. */
	struct host_copy copies[64];
	unsigned copy_count;
	struct heddle_timing timing;

	/* While the device is recorded. */
	struct trace_writer *trace;    /* NULL: it is not recorded */
	struct diag trace_failure;     /* why it is not any more; code 0 */
	uint32_t trace_groups;         /* groups of launches so far */
	struct heddle_module *modules; /* those that record */
};

struct heddle_module {
	struct program *program;
	struct heddle_kernel *kernels;
	size_t kernel_count;
	struct timed_program *timed; /* NULL without a configuration */
	struct arena arena;
	/* The text as loaded, if its device was recorded then. */
	char *text;
	size_t text_bytes;
	struct heddle_module *next_traced; /* in device.modules, if recording */
	bool recording;
	uint32_t trace_number;
};

/* A launch on its way through the library. */
struct job {
	struct heddle_module *mod;
	const struct heddle_launch *launch;
	uint32_t stream;
	struct launch run;
	void *params;
	enum err status;
	/* Only with a configuration: the occupancy of an SM, and registers of a
	 * thread. */
	struct occupancy occupancy;
	uint32_t registers;
	/* The source of a replayed launch; the recording of a recorded one. */
	struct block_hooks *replay;
	uint64_t code; /* launch.code of a replayed launch */
	struct recording recording;
	bool recorded;
	/* Only of timed launches. */
	cycle_t cycles;
	bool limited; /* max_cycles ended it */
};

/* Describes the kernels of a module whose program is set, and makes its timed
 * program. */
MUST_USE enum err module_describe(struct heddle_device *dev,
				  struct heddle_module *m, struct diag *d);

/* accelsim.c: heddle_replay of a list of Accel-Sim. */
MUST_USE enum err accelsim_replay(struct heddle_device *dev, const char *path,
				  const struct heddle_replay_options *options,
				  struct diag *d);

/* Makes the profile the launch's watcher; does nothing if p is NULL. */
MUST_USE enum err profile_attach(struct heddle_profile *p, struct launch *run,
				 struct diag *d);

/* Prepares a job; all reasons to refuse a launch are checked here. launch_clear and
 * free(params) afterwards. */
MUST_USE enum err job_open(struct job *j, struct heddle_device *dev,
			   struct diag *d);
/* Describes how it ended. */
void job_close(struct job *j, struct heddle_device *dev,
	       struct heddle_result *r);

/* Runs the jobs on dev->gpu, fills in dev->timing and the jobs' outcomes. On
 * error the jobs have not been run. */
MUST_USE enum err timed_run(struct heddle_device *dev, struct job *jobs,
			    size_t n, struct diag *d);
/* Notes a copy between host and device, for the GPU's L2. */
void timed_note_copy(struct heddle_device *dev, uint64_t at, uint64_t size);
void timing_clear(struct heddle_timing *t);

/*
 * Runs jobs at the same time, those of a stream one after the other. Frees what
 * the jobs own, also on error.
 */
MUST_USE enum err run_jobs(struct heddle_device *dev, struct job *jobs,
			   size_t n, struct heddle_result *results,
			   struct diag *d);

/* Launches that are replayed at the same time. */
struct replayed_jobs {
	size_t n;
	struct job *jobs;
	const struct heddle_replayed_launch *described;
	struct heddle_result *results;
	uint64_t local_bytes; /* of a thread's local memory */
};
/* The same, with that much local memory; then tells the caller of the replay.
 * *over: it wants no more. */
MUST_USE enum err run_replayed(struct heddle_device *dev,
			       const struct replayed_jobs *r,
			       const struct heddle_replay_options *o,
			       bool *over, struct diag *d);

/* record.c. These do nothing if the device is not recorded. A failure ends the
 * recording, not the launch. */
void record_begin(struct heddle_device *dev, struct job *jobs, size_t n);
void record_end(struct heddle_device *dev, struct job *jobs, size_t n,
		const struct heddle_result *results);
void record_copy(struct heddle_device *dev, const struct trace_copy *c);
/* Keeps the text of a module that is being loaded. */
enum err record_keep_text(struct heddle_device *dev, struct heddle_module *m,
			  const char *text, size_t size, struct diag *d);
/* The module is about to be freed. */
void record_drop_module(struct heddle_device *dev, struct heddle_module *m);

/* warn.c. Warns of accesses outside of allocations, and counts them. */
/* Tells of registers that were read too early, and counts them. */
void warn_hazards(struct heddle_device *dev, struct job *j,
		  struct heddle_result *r);
void warn_outside(struct heddle_device *dev, struct job *j,
		  struct heddle_result *r);
void warn_clear(struct heddle_device *dev);

/* Copies a diagnosis to the caller's *err, if any; returns the status. */
int api_result(enum err e, const struct diag *d, struct heddle_error *err);

#endif
