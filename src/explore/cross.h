/*
 * The parameters of a cross product, taken apart: what each of them does to the
 * speed-up, and whether they act independently.
 *
 * The effect of a parameter is found at equal values of all others: its mean at
 * a value is the geometric mean of the speed-ups over the combinations of the
 * others' values. Only combinations count in which every value of the parameter
 * has a result, because a mean over other points would compare unlike things. A
 * value without any result is left out.
 */
#ifndef HEDDLE_EXPLORE_CROSS_H
#define HEDDLE_EXPLORE_CROSS_H

#include "explore/swept.h"

enum {
	CROSS_PARAMS = 8,
	CROSS_VALUES = 64, /* of a parameter */
};
/* Deviations from independence that are worth a remark. */
#define CROSS_STRONG 0.05

struct cross_param {
	const char *name;
	const char *values[CROSS_VALUES];
	size_t count, stride; /* between two values, in cells */
};

struct cross {
	const struct swept *s;
	const char *name; /* of the axis */
	struct cross_param param[CROSS_PARAMS];
	size_t param_count; /* 0: the axis is not a cross product */
	size_t cells;       /* combinations of all values */
	double *speed;      /* by program and cell; NaN: no result */
	bool *failed;       /* the same */
};

struct cross_mean {
	double mean, low, high; /* NaN: none */
	size_t n;               /* combinations of the others' values */
};

struct cross_effect {
	double effect;           /* largest mean over the smallest, minus 1 */
	size_t fastest, slowest; /* values */
	struct cross_mean at[CROSS_VALUES];
};

/* How far a point is from what the single effects give together. */
struct cross_interaction {
	bool known; /* every combination has a result */
	double by;  /* 0.1: 10% faster; the one farthest from 0 */
	size_t cell;
};

/* Takes an axis of a sweep apart. It lives in the arena. */
MUST_USE enum err cross_make(struct cross *x, const struct swept *s,
			     size_t axis, struct arena *a, struct diag *d);
/* The value of a parameter in a cell. */
size_t cross_value(const struct cross *x, size_t cell, size_t param);
double cross_speed(const struct cross *x, size_t program, size_t cell);
struct cross_effect cross_effect(const struct cross *x, size_t program,
				 size_t param);
struct cross_interaction cross_interaction(const struct cross *x,
					   size_t program);
/* By the values of two parameters. */
struct cross_pairs {
	/* The mean over all other parameters; NaN if one of their points has
	 * no result. */
	double speed[CROSS_VALUES][CROSS_VALUES];
	bool failed[CROSS_VALUES][CROSS_VALUES]; /* one of them has */
};
void cross_pairs(struct cross_pairs *out, const struct cross *x, size_t program,
		 const size_t param[2]);

#endif
