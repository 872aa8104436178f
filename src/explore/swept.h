/*
 * Reads a sweep and its results, as far as there are any, from the database,
 * and computes speed-ups, the effect of each axis and the Pareto front.
 *
 * The speed-up of a point is the time of its program's baseline over its own.
 * The database is only read; a sweep may be writing to it.
 */
#ifndef HEDDLE_EXPLORE_SWEPT_H
#define HEDDLE_EXPLORE_SWEPT_H

#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "explore/compare.h"

enum swept_state { SWEPT_WAITING, SWEPT_OK, SWEPT_FAILED };

struct swept_setting {
	const char *param, *value;
	double number; /* NaN: not a number */
};

struct swept_point {
	int64_t id, ordinal;
	size_t program,
		axis; /* indices in struct swept; axis 0: the baseline */
	int64_t config;
	const char *label;
	bool baseline;
	double cost; /* NaN: none */
	enum swept_state state;
	const char *reason; /* of a failure, else "" */
	double cycles, seconds, host_seconds, instructions; /* NaN: not known */
	struct swept_setting *settings;
	size_t setting_count;
	double speedup; /* NaN: not known */
	bool front;     /* no cheaper point of its program is as fast */
};

struct swept_program {
	const char *name, *command;
	size_t baseline; /* a point, or SIZE_MAX */
};

/* A `vary`, a variant, or a cross product of them. */
struct swept_axis {
	const char *name; /* "" for the baseline's */
	bool numbers;     /* all its values are numbers */
	bool variant;     /* it has one value, with its name */
	size_t points;
	/* By program: the speed-up farthest from 1; NaN: none. */
	double *farthest;
	double effect; /* mean of |farthest - 1| over the programs */
};

struct swept_config {
	int64_t id;
	const char *gpu, *text;
};

struct swept {
	struct arena arena;
	const char *name, *title, *gpu, *cost, *created;
	struct swept_point *points; /* by ordinal */
	struct swept_program *programs;
	struct swept_axis *axes;
	struct swept_config *configs; /* by id */
	size_t point_count, program_count, axis_count, config_count;
	size_t ok, failed, waiting;
	size_t again; /* points whose result is from before --fresh */
	bool costs;   /* points have a cost */
	/* The axes by effect, the largest first; without the baseline's. */
	size_t *ranking, ranked;
};

/* sweep: its name; NULL: the only one. Call swept_free in any case. */
MUST_USE enum err swept_read(struct swept *s, const char *path,
			     const char *sweep, struct diag *d);
void swept_free(struct swept *s);

/* Adds one point as a run, for `heddle compare`. */
MUST_USE enum err swept_compare(struct compare *c, const char *path,
				int64_t point, const char *name,
				struct diag *d);

/* Computes speed-ups, effects and fronts; called by swept_read. */
MUST_USE enum err swept_effects(struct swept *s, struct diag *d);

/* Marks the Pareto front: the items for which no other is as fast at a lower
 * cost, or faster at the same cost. NaN is never on the front. */
struct pareto {
	double cost, speed;
	bool front;
	size_t item; /* the caller's */
};
void pareto_mark(struct pareto *at, size_t n);

/* The configuration with that id, or NULL. */
const struct swept_config *swept_config(const struct swept *s, int64_t id);

#endif
