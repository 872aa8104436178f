/*
 * What a run has left, read back: the file of `heddle run --gpu --json`, of a
 * program or of a trace, or the folder of `heddle exec --gpu --out`.
 *
 * Models:  launches with their statistics, configurations, hottest lines and
 *          values over time. Ratios are computed afresh.
 * Does not model: calls and copies of a program; other processes of it, which
 *          have folders of their own, process-2 and so on.
 *
 * Another version of Heddle may have written it: statistics and parameters that
 * this one does not know are counted, not refused; those that are missing have
 * the value 0, or the default.
 */
#ifndef HEDDLE_EXPLORE_RUN_H
#define HEDDLE_EXPLORE_RUN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/jsonread.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

enum { RUN_SAMPLES = 512 }; /* kept of a launch; neighbours are joined */

struct run_line {
	const char *file;
	uint32_t line;           /* 0: belongs to none */
	const char *source;      /* NULL: it could not be read */
	const char *instruction; /* where it waited most */
	uint64_t issued, waited;
};

struct run_sample {
	uint64_t from, to; /* cycles */
	struct stats stats;
};

/* What an SM holds of a kernel. */
struct run_occupancy {
	uint64_t blocks, warps; /* blocks of an SM, warps of a block */
	uint64_t registers;     /* of a thread */
	uint64_t shared;        /* bytes of a block */
	uint64_t most_warps;    /* of an SM */
	const char *limit;
};

struct run_launch {
	uint64_t number;
	const char *kernel;
	uint32_t grid[3], block[3];
	size_t device;     /* in run.devices */
	uint64_t stream;   /* 0: not known */
	bool timed;        /* the rest is 0 otherwise */
	bool whole;        /* false: cut short */
	const char *fault; /* what it ended with; NULL: nothing */
	uint64_t at_once;  /* launches that ran at the same time ... */
	uint64_t place;    /* ... and which of them this is */
	uint64_t cycles;   /* of the launch itself */
	uint64_t group_cycles;
	double seconds, mhz;
	struct stats stats; /* of all that ran at the same time */
	struct run_occupancy occupancy;
	struct run_line *lines; /* hottest first */
	size_t line_count;
	struct run_sample *samples;
	size_t sample_count;
	uint64_t samples_read; /* before they were joined */
};

struct run_device {
	const char *gpu; /* as it was asked for */
	struct cfg cfg;
};

/* A launch of a trace that was replayed. */
struct run_traced {
	uint64_t number, cycles, instructions;
	const char *kernel;
	double seconds;
};

struct run_result {
	struct arena arena;
	const char *path, *program, *version;
	const char *incomplete; /* why the folder is; NULL: it is not */
	const char *engine;
	uint64_t threads;
	bool exact;
	struct run_device *devices;
	size_t device_count;
	struct run_launch *launches; /* in order */
	size_t launch_count, timed_count;
	double host_seconds;
	/* Of a trace with several launches: `launches` has one, which is the
	 * sum of them all, or the last if the sums are not known. */
	struct run_traced *traced;
	size_t traced_count;
	bool traced_sums;
	/* Names that this version does not know, or does not find. */
	uint64_t unknown, missing;
};

/* run_free in any case. A run without a timed launch is an error. */
MUST_USE enum err run_read(struct run_result *r, const char *path,
			   struct diag *d);
void run_free(struct run_result *r);

/* The name of a statistic; NULL: there is no such unit. */
const char *stat_name(unsigned i);
#define STAT_KEY_SIZE 64
/* "l2.reads"; false: there is no such unit. */
bool stat_key(char text[STAT_KEY_SIZE], unsigned i);
/* The number of "l2.reads" in the table, or -1. */
int stat_index(const char *key);
void stat_put(struct stats *s, unsigned i, uint64_t value);

/* A launch from its JSON; `timing` is NULL if it was not timed. For run_read
 * and what reads folders. */
MUST_USE enum err run_launch_read(struct run_result *r, struct run_launch *l,
				  const struct json_node *launch,
				  struct diag *d);
MUST_USE enum err run_folder_read(struct run_result *r, struct diag *d);
/* What the file of a replay says of all launches; nothing if it is none. */
MUST_USE enum err run_trace_read(struct run_result *r,
				 const struct json_node *trace, struct diag *d);
/* A counter of JSON; 0 if there is none. */
uint64_t run_whole(const struct json_node *n, const char *path);
/* A copy that lives as long as the run; NULL stays NULL. */
MUST_USE enum err run_text(struct run_result *r, const char **out,
			   const char *text, struct diag *d);

#endif
