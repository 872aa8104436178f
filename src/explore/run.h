/*
 * Reads the results of a run: the file of `heddle run --gpu --json`, of a
 * program or of a trace, or the folder of `heddle exec --gpu --out`.
 *
 * Models:  launches with their statistics, configurations, hottest lines and
 *          values over time. Ratios are computed again.
 * Does not model: calls and copies of a program; its other processes, which
 *          have folders of their own, process-2 and so on.
 *
 * Results of another version of Heddle are accepted: unknown statistics and
 * parameters are counted; missing ones have the value 0, or the default.
 */
#ifndef HEDDLE_EXPLORE_RUN_H
#define HEDDLE_EXPLORE_RUN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/jsonread.h"
#include "cfg/cfg.h"
#include "stat/stat.h"

enum { RUN_SAMPLES = 512 }; /* maximum of a launch; neighbours are joined */

/* An instruction of a line. */
struct run_code {
	uint32_t pc;
	const char *text;
	uint64_t issued, waited, lanes;
	uint64_t slots[REASON_COUNT]; /* lost before it */
};

struct run_line {
	const char *file;
	uint32_t line;           /* 0: no line of the file */
	const char *source;      /* NULL: not known */
	const char *instruction; /* before which warps waited most */
	uint64_t issued, waited;
	/* With what was inlined into it. */
	uint64_t total_issued, total_waited;
	uint64_t slots[REASON_COUNT];
	struct run_code *code; /* its own instructions */
	size_t code_count;     /* 0 in results of older versions */
};

struct run_sample {
	uint64_t from, to; /* cycles */
	struct stats stats;
};

/* A finding of advice.h, as it was written. */
struct run_finding {
	const char *rule, *finding, *evidence, *remedy, *file;
	uint32_t line;
	double bound;
};

/* What components of a kind did over time; neighbours may share a row. */
struct run_map {
	size_t components, rows;
	uint64_t *count; /* rows, of run_maps.columns each */
};

enum { RUN_MAP_SIDE = 256 }; /* maximum of rows and of columns */

struct run_maps {
	size_t columns;
	uint64_t *ends;             /* of the columns, in cycles */
	struct run_map sms, slices; /* warp-instructions; requests */
};

/* How much of a kernel fits on an SM. */
struct run_occupancy {
	uint64_t blocks, warps; /* blocks of an SM, warps of a block */
	uint64_t registers;     /* of a thread */
	uint64_t shared;        /* bytes of a block */
	uint64_t most_warps;    /* maximum of an SM */
	const char *limit;
};

/* Issue slots under a reason that this version does not know. */
struct run_slots {
	const char *name; /* as the result names it */
	uint64_t n;
};

struct run_launch {
	uint64_t number;
	const char *kernel;
	const char *isa, *target; /* of its code: "sass", "sm_90"; or NULL */
	uint32_t grid[3], block[3];
	size_t device;         /* index in run_result.devices */
	uint64_t stream;       /* 0: not known */
	bool timed;            /* if not, what follows is 0 */
	bool whole;            /* false: cut short */
	const char *fault;     /* that ended it; NULL: none */
	uint64_t at_once;      /* launches that ran at the same time ... */
	uint64_t place;        /* ... and the number of this one, from 0 */
	uint64_t cycles;       /* of this launch */
	uint64_t group_cycles; /* of all that ran at the same time */
	double seconds, mhz;
	struct stats stats; /* the same */
	/* If several ran at the same time: of this one, without what they
	 * share (stat/together.def). An older version did not write it. */
	struct stats own;
	bool own_known;
	struct run_slots *others;
	size_t other_count;
	struct run_occupancy occupancy;
	struct run_line *lines; /* hottest first */
	size_t line_count;
	/* Floating-point and matrix operations by unit, and the most that one
	 * warp-instruction did. */
	uint64_t operations[UNIT_COUNT], largest[UNIT_COUNT];
	struct run_sample *samples;
	size_t sample_count;
	uint64_t samples_read; /* before they were joined */
	bool advised;          /* the result has advice; findings may be none */
	struct run_finding *findings;
	size_t finding_count;
	const char *advice_about; /* why there are no findings, or NULL */
	struct run_maps maps;
};

struct run_device {
	const char *gpu; /* as given to --gpu */
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
	const char *incomplete; /* why the run is so; NULL: it is complete */
	const char *engine;
	uint64_t threads;
	bool exact;
	struct run_device *devices;
	size_t device_count;
	struct run_launch *launches; /* in order */
	size_t launch_count, timed_count;
	double host_seconds;
	/* The launches of a trace with several. `launches` then has one, their
	 * sum, or the last one if the sums are not known. */
	struct run_traced *traced;
	size_t traced_count;
	bool traced_sums;
	/* Names that this version does not know, and those it misses. */
	uint64_t unknown, missing;
	bool undivided; /* RUN_UNDIVIDED */
};

/* Call run_free in any case. A run without a timed launch is an error. */
MUST_USE enum err run_read_text(struct run_result *r, const char *path,
				const char *text, size_t size, struct diag *d);
/* The same of a file, or of a folder. */
MUST_USE enum err run_read(struct run_result *r, const char *path,
			   struct diag *d);
/* Fails if the run did not complete, and says why: its cycles end where it was
 * cut short, so they must not be taken for those of the program. */
MUST_USE enum err run_check_complete(const struct run_result *r,
				     struct diag *d);
void run_free(struct run_result *r);

/* The name of a statistic; NULL: of a unit that does not exist. */
const char *stat_name(unsigned i);
#define STAT_KEY_SIZE 64
/* "l2.reads"; false: of a unit that does not exist. */
bool stat_key(char text[STAT_KEY_SIZE], unsigned i);
/* The index of "l2.reads" in stat_table, or -1. Names that older versions of
 * Heddle gave to a statistic are known, too. */
int stat_index(const char *key);
/* Slots without a warp: older versions counted them all as "reason.empty", and
 * did not say why there was none. Whether the key is that one; whether a
 * statistic is one of those that took its place. */
bool stat_key_is_undivided(const char *key);
bool stat_is_divided(unsigned i);
/* A sentence about such a run, without its subject. */
#define RUN_UNDIVIDED                                                    \
	"was written by an older version of Heddle, which did not tell " \
	"unfilled, launch, tail and no_block apart: they are left out"
void stat_put(struct stats *s, unsigned i, uint64_t value);

/* Reads a launch from its JSON. For run_read and outcome_read. */
MUST_USE enum err run_launch_read(struct run_result *r, struct run_launch *l,
				  const struct json_node *launch,
				  struct diag *d);
MUST_USE enum err run_folder_read(struct run_result *r, struct diag *d);
/* Reads the launches of a replay from its JSON; nothing if it is not a replay. */
MUST_USE enum err run_trace_read(struct run_result *r,
				 const struct json_node *trace, struct diag *d);
/* Adds slots under a reason that this version does not know. room: of the
 * launch's list, at most. */
MUST_USE enum err run_other_slots(struct run_result *r, struct run_launch *l,
				  const char *name, uint64_t n, size_t room,
				  struct diag *d);
/* Reads all parameters from JSON; *unknown counts those that this version does not
 * know. */
MUST_USE enum err run_config_read(struct cfg *c, const struct json_node *node,
				  const char *path, uint64_t *unknown,
				  struct diag *d);
/* A counter in JSON; 0 if there is none. */
uint64_t run_whole(const struct json_node *n, const char *path);
/* Reads lines and operations from the JSON of a launch's timing. */
MUST_USE enum err run_lines_read(struct run_result *r, struct run_launch *l,
				 const struct json_node *timing,
				 struct diag *d);
/* Reads what components did over time from the same JSON. */
MUST_USE enum err run_maps_read(struct run_result *r, struct run_launch *l,
				const struct json_node *timing, struct diag *d);
/* Copies a text to the run's arena, without control characters; NULL stays
 * NULL. */
MUST_USE enum err run_text(struct run_result *r, const char **out,
			   const char *text, struct diag *d);

#endif
