/*
 * Reads the results of a system: program.json of `heddle system --out`, or of its
 * memory alone, `heddle cgm --out`.
 *
 * Results of another version of Heddle are accepted: what this version does not
 * know is left out, what is missing is 0.
 */
#ifndef HEDDLE_EXPLORE_SYSTEM_RUN_H
#define HEDDLE_EXPLORE_SYSTEM_RUN_H

#include "base/arena.h"
#include "base/jsonread.h"
#include "cfg/cfg.h"
#include "stat/cgm.h"
#include "stat/cpu.h"

/* A function of the program, a line of its source, or an instruction. */
struct system_part {
	const char *name; /* of the function, or the place of an instruction */
	const char *text; /* of a line, of an instruction */
	const char *file; /* of a line; NULL: not known */
	uint64_t line;
	uint64_t at, slots;
	uint64_t pauses; /* committed */
	uint64_t slot[CPU_SLOT_USES];
};

struct system_link {
	const char *name;
	bool ring;
	double messages, bytes, busy, waited, held, peak, room; /* ticks */
};

/* A marked region, a call, a copy or a kernel, in nanoseconds. */
struct system_bar {
	const char *name; /* of a kernel */
	uint64_t number;  /* of a region */
	double begin, end, count;
};

struct system_bars {
	struct system_bar *at;
	size_t count;
};

struct system_region_row {
	uint64_t number, times;
	double ns, cycles;
	struct cpu_stats cpu;
	struct cgm_stats cgm;
};

/* A block of memory that caches take from each other. */
struct system_block {
	const char *what;
	uint64_t at;
	double count, over, forwards, invalidations, recalls;
};

/* Who sent requests to a memory system alone, by one port, and what one of them
 * was. */
struct system_requester {
	const char *who, *port;
	uint64_t number;
	struct cgm_stat_port st;
};
struct system_request {
	const char *who, *what;
	uint64_t number, line, address, size;
	double sent, latency; /* ns */
};

struct system_messages {
	const char *name;
	double count;
};

/* What OpenCL took, in nanoseconds; region 0: the program did not use it. */
struct system_opencl {
	double begin, region, kernel, call, copy, rest, calls, copied;
	struct system_bars kernels, call_spans, copy_spans;
};

struct system_run {
	struct arena arena;
	const char *path;
	const struct json_node *json;
	bool alone; /* the memory system; `program` is a trace */
	const char *program, *arguments, *environment, *config, *engine;
	const char *version, *end, *incomplete; /* NULL: it is complete */
	struct cfg cfg;
	uint64_t unknown; /* parameters */
	double clock;     /* of `cycles`, in MHz */
	double cycles, ns, khz, host_seconds, instructions, threads;
	struct cpu_stats cpu, *core;
	size_t cores;
	struct cgm_stats cgm;
	struct system_link *links;
	size_t link_count;
	struct system_messages *messages;
	size_t message_count;
	struct system_part *functions, *lines, *hot;
	size_t function_count, line_count, hot_count;
	struct system_block *blocks;
	size_t block_count;
	struct system_requester *requesters;
	size_t requester_count;
	struct system_request *slowest;
	size_t slowest_count;
	struct system_bars regions; /* alone: what lies between barriers */
	struct system_region_row *region_rows;
	size_t region_count;
	struct system_opencl opencl;
	/* Samples: their ends, in cycles. */
	double *ends;
	size_t samples;
	const double **core_idle; /* slots without a thread, of each core */
};

/* Whether it is a result of a system, or of its memory, and not of kernels: a file, or a
 * folder. */
bool system_run_is(const char *path);
/* Call system_run_free in any case. */
MUST_USE enum err system_run_read(struct system_run *r, const char *path,
				  struct diag *d);
void system_run_free(struct system_run *r);

/* What each sample counted: "memory.l1d.hits" or "core.3.idle". Zeros if the
 * result has no such values; NULL: out of memory. */
const double *system_run_series(struct system_run *r, const char *path);

#endif
