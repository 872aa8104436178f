/* What the files behind heddle.h share. */
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

/* An instruction that was issued. */
struct hot_row {
	uint32_t kernel, pc;
	const struct function *func;
	uint64_t issued, waited;
};

struct kernel_row {
	char name[256];
	struct heddle_kernel_timing timing;
};

/* The last launch, timed. */
struct heddle_timing {
	bool filled;
	struct gpu_outcome outcome;
	struct engine_report engine;
	double clock_mhz;
	const char *config; /* the device's */
	struct kernel_row *kernels;
	size_t kernel_count;
	struct hot_row *hot;
	size_t hot_count, hot_room;
	uint64_t *sm_ends; /* by SM */
	size_t sms;
	double host_seconds;
	struct gpu_host_time host_time;
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

	/* Of a device with a configuration. */
	struct gpu *gpu; /* NULL: functional */
	bool timeline;
	struct engine_plan plan;
	struct team *team; /* engine_run */
	char *config;      /* as text */
	/* Since the last timed launch: the GPU hears of them when it must. */
	struct host_copy copies[64];
	unsigned copy_count;
	struct heddle_timing timing;

	/* While it is recorded. */
	struct trace_writer *trace;    /* NULL: it is not */
	uint32_t trace_groups;         /* of launches so far */
	struct heddle_module *modules; /* those that record */
};

struct heddle_module {
	struct program *program;
	struct heddle_kernel *kernels;
	size_t kernel_count;
	struct timed_program *book; /* of a device with a configuration */
	struct arena arena;
	/* Loaded while its device is recorded: as it was given. */
	char *text;
	size_t text_bytes;
	struct heddle_module *next_traced; /* on device.modules, if recording */
	bool recording;
	uint32_t trace_number;
};

/* One launch on its way through the library. */
struct job {
	struct heddle_module *mod;
	const struct heddle_launch *launch;
	uint32_t stream;
	struct launch run;
	void *params;
	enum err status;
	/* What an SM holds, and registers of a thread: of a device with a
	 * configuration. */
	struct occupancy occupancy;
	uint32_t registers;
	/* Of one that comes from a trace; of one that goes to a trace. */
	struct block_hooks *replay;
	struct recording recording;
	bool records;
	/* Of a timed launch. */
	cycle_t cycles;
	bool limited; /* max_cycles ended it */
};

/* Makes the profile the launch's watcher; NULL is fine. */
MUST_USE enum err profile_attach(struct heddle_profile *p, struct launch *run,
				 struct diag *d);

/* Runs the jobs on dev->gpu, fills dev->timing and the jobs' outcomes. An
 * error: they have not been run. */
MUST_USE enum err timed_run(struct heddle_device *dev, struct job *jobs,
			    size_t n, struct diag *d);
/* Copied between host and device. */
void timed_copy(struct heddle_device *dev, uint64_t at, uint64_t size);
void timing_clear(struct heddle_timing *t);

/*
 * Runs jobs at the same time, those of a stream one after the other. Everything
 * that a job has by itself is freed, whatever happens.
 */
MUST_USE enum err run_jobs(struct heddle_device *dev, struct job *jobs,
			   size_t n, struct heddle_result *results,
			   struct diag *d);

/* record.c: nothing happens where the device is not recorded. */
enum err record_begin(struct heddle_device *dev, struct job *jobs, size_t n,
		      struct diag *d);
enum err record_end(struct heddle_device *dev, struct job *jobs, size_t n,
		    const struct heddle_result *results, struct diag *d);
void record_copy(struct heddle_device *dev, const struct trace_copy *c);
/* Keeps the text of a module that is loaded. */
enum err record_text(struct heddle_device *dev, struct heddle_module *m,
		     const char *text, size_t size, struct diag *d);
void record_forget(struct heddle_device *dev, struct heddle_module *m);

/* Passes a diagnosis on to the caller. */
int api_result(enum err e, const struct diag *d, struct heddle_error *err);

#endif
