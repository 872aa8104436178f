/*
 * Runs beside hardware: the launches of a run joined with those that a profiler
 * measured, metric by metric (explore/correlate.def), with errors, correlation
 * and the launches that are farthest off.
 *
 * A launch of a run and one of a profile are partners if their kernels have the
 * same name, template arguments (where both are known) and sizes of grid and
 * block (where the profile has them); the n-th of such launches is the partner
 * of the n-th. What has no partner is kept, with the reason.
 *
 * Does not know: which launches a profile has left out, unless a size or name
 * tells; a profile should begin with a kernel's first launch.
 */
#ifndef HEDDLE_EXPLORE_CORRELATE_H
#define HEDDLE_EXPLORE_CORRELATE_H

#include <stdio.h>

#include "explore/measured.h"
#include "explore/run.h"

/* clang-format off */
enum correlate_metric {
#define METRIC(id, name, unit, scale, floor, tolerance, simulated, ncu, nvprof, note) \
	CORRELATE_##id,
#include "explore/correlate.def"
	CORRELATE_METRICS
};
/* clang-format on */

enum correlate_scale { CORRELATE_RELATIVE, CORRELATE_POINTS };

struct correlate_info {
	const char *name, *unit;
	enum correlate_scale scale;
	double floor, tolerance;
	const char *simulated;    /* the expression, as text */
	const char *ncu, *nvprof; /* alternatives */
	const char *note;
};
extern const struct correlate_info correlate_info[CORRELATE_METRICS];
/* The metric with this name, or -1. */
int correlate_find(const char *name);

/* ---- classes ---- */

enum correlate_size {
	CORRELATE_FEW,  /* fewer blocks than SMs */
	CORRELATE_SOME, /* up to CORRELATE_SOME_BLOCKS */
	CORRELATE_MANY,
	CORRELATE_SIZES
};
enum { CORRELATE_SOME_BLOCKS = 1000 };

/* What limits a launch on hardware. */
enum correlate_limit {
	CORRELATE_DRAM,    /* more than CORRELATE_DRAM_SHARE of its peak */
	CORRELATE_ISSUE,   /* more than CORRELATE_ISSUE_IPC */
	CORRELATE_LATENCY, /* neither */
	CORRELATE_UNKNOWN, /* the profile does not tell */
	CORRELATE_LIMITS
};
#define CORRELATE_DRAM_SHARE 0.35
#define CORRELATE_ISSUE_IPC 1.5

extern const char *const correlate_size_names[CORRELATE_SIZES];
extern const char *const correlate_limit_names[CORRELATE_LIMITS];

/* Programs fall into two halves by their names, once and for all: one to look at
 * while a model is made, and one that is only measured. */
enum correlate_half { CORRELATE_LOOK, CORRELATE_HIDDEN, CORRELATE_HALVES };
extern const char *const correlate_half_names[CORRELATE_HALVES];
enum correlate_half correlate_half_of(const char *program);

/* ---- warp states ---- */

enum { CORRELATE_STATES_MAX = 24 };
/* Those of explore/nsight.def that hardware and simulation both have. */
size_t correlate_state_count(void);
const char *correlate_state_name(size_t i);

/* ---- what is compared ---- */

struct correlate_pair {
	const char *program, *set; /* set: "" if there is only one */
	const char *profile, *run; /* paths */
	const char *gpu;
	enum correlate_half half;
	int group; /* of programs, as the caller numbers them; at first 0 */
	size_t first, count; /* its launches in correlate.points */
};

/* A launch on both sides. */
struct correlate_point {
	size_t pair;
	const char *kernel; /* as the run names it */
	uint64_t id, launch;
	uint64_t launches; /* 1, or those whose mean it is */
	uint32_t grid[3], block[3];
	enum correlate_size size;
	enum correlate_limit limit;
	/* NaN: not known on this side. */
	double hardware[CORRELATE_METRICS], simulated[CORRELATE_METRICS];
	/* Hardware's instructions in several runs: the fewest and the most; 0 and
	 * 0: not known. */
	double low, high;
	/* Shares of the time in which warps wait; NaN: not known. */
	double hardware_state[CORRELATE_STATES_MAX];
	double simulated_state[CORRELATE_STATES_MAX];
};

/* A launch, or several of the same kind, that only one side has. */
struct correlate_lone {
	size_t pair;
	bool hardware; /* the profile has it, not the run */
	const char *kernel;
	uint64_t number, count;
	char why[160];
};

struct correlate {
	struct arena arena;
	struct correlate_pair *pairs;
	size_t pair_count;
	struct correlate_point *points;
	size_t point_count;
	struct correlate_lone *lone;
	size_t lone_count;
	const char **sets; /* in the order in which they came */
	size_t set_count;
};

struct correlate_source {
	const char *program, *set, *profile, *run;
};

/* Reads a profile and a run and joins them. Call correlate_free in any case. A
 * pair without a single partner is an error. */
MUST_USE enum err correlate_add(struct correlate *c,
				const struct correlate_source *from,
				struct diag *d);
/* The same of what has been read; program and set must outlive *c. */
MUST_USE enum err correlate_join(struct correlate *c,
				 const struct correlate_source *from,
				 const struct measured *m,
				 const struct run_result *r, struct diag *d);
/* Reads how much the instructions of launches differ from run to run on hardware:
 * CSV with columns program, launch (the profile's ID), minimum and maximum. Applies
 * to the pairs that are there. */
MUST_USE enum err correlate_spread(struct correlate *c, const char *path,
				   struct diag *d);
void correlate_free(struct correlate *c);

/* Joins the pair that was added last; for correlate_join. */
MUST_USE enum err correlate_join_pair(struct correlate *c, size_t pair,
				      const struct measured *m,
				      const struct run_result *r,
				      struct diag *d);

/* ---- summaries ---- */

/* Which points; -1 and NULL: all. */
struct correlate_filter {
	const char *set;
	int half, size, limit;
	long pair;
	int group;
};
#define CORRELATE_ALL                    \
	(struct correlate_filter)        \
	{                                \
		NULL, -1, -1, -1, -1, -1 \
	}
bool correlate_selects(const struct correlate *c,
		       const struct correlate_filter *f,
		       const struct correlate_point *p);

struct correlate_sum {
	size_t launches, programs; /* with the metric on both sides */
	double mean;               /* of absolute errors, over launches */
	double program_mean;       /* over programs, of their means */
	double median, p90, most;  /* over launches */
	double ratio;              /* simulated / hardware, geometric mean */
	double pearson, log_pearson;
	double slope; /* of simulated over hardware, least squares */
};

/* The error of a point: signed, as the metric's scale says; NaN: unknown. What is
 * within the range of hardware's own runs has none, what is not has that to the
 * nearest end of it. */
double correlate_error(const struct correlate_point *p, int metric);
/* Numbers without a meaning (a correlation of one point) are NaN. */
MUST_USE enum err correlate_summarise(struct correlate_sum *out,
				      const struct correlate *c,
				      const struct correlate_filter *f,
				      int metric, struct diag *d);
/* CORRELATE_CYCLES, or CORRELATE_TIME if no profile has cycles. */
int correlate_headline(const struct correlate *c);
/* The indices of at most `most` points, the largest error of the headline first,
 * one of each kernel of a program; malloc'ed. *count is their number. */
MUST_USE enum err correlate_worst(size_t **out, size_t *count,
				  const struct correlate *c,
				  const struct correlate_filter *f, size_t most,
				  struct diag *d);

/* Why a launch is off: the metrics that are off with it, largest first, and the
 * warp states that differ most. */
#define CORRELATE_WHY 480
const char *correlate_why(char text[CORRELATE_WHY],
			  const struct correlate_point *p);

/* "+12.3%", or of rates "+4.1 points"; "-" if it is unknown. */
#define CORRELATE_ERROR_TEXT 32
const char *correlate_error_text(char text[CORRELATE_ERROR_TEXT], int metric,
				 double error);
/* The same without a sign. */
const char *correlate_size_text(char text[CORRELATE_ERROR_TEXT], int metric,
				double error);

/* A value of a metric for people: 12,345 or 35.2%; "-" if it is unknown. */
#define CORRELATE_VALUE 40
const char *correlate_value_text(char text[CORRELATE_VALUE], int metric,
				 double v);

/* Writes the page. */
MUST_USE enum err report_correlate(FILE *to, const struct correlate *c,
				   bool halves, size_t worst, struct diag *d);

/* Evaluates the alternatives of a profiler for one launch; NaN if it has none
 * of them, or if there are none. r: for the names of the simulated GPU. */
MUST_USE enum err correlate_evaluate(double *out, const char *alternatives,
				     const struct measured *m,
				     const struct measured_launch *l,
				     const struct cfg *c, struct diag *d);
/* Fills in one side of a point. */
MUST_USE enum err correlate_hardware(struct correlate_point *p,
				     const struct measured *m,
				     const struct measured_launch *l,
				     const struct cfg *c, struct diag *d);
void correlate_simulated(struct correlate_point *p, const struct run_launch *l,
			 const struct cfg *c);

#endif
