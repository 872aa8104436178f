/*
 * The plots of a sweep: for each axis the speed-up by value, a line for each
 * program; of a cross product of two axes one plot for each program, a line
 * for each value of the second; what has too many values for that is sorted.
 * And cost against speed-up, where points have a cost.
 */
#ifndef HEDDLE_EXPLORE_FIGURES_H
#define HEDDLE_EXPLORE_FIGURES_H

#include "explore/plot.h"
#include "explore/swept.h"

struct figure {
	const char *caption;
	size_t plot; /* its number */
};

/* A configuration with its mean over all programs. */
struct mean_point {
	const struct swept_point *point; /* one of them */
	double cost, speedup;            /* geometric mean */
	bool front;
};

struct figures {
	struct figure *at;
	size_t count;
	bool cost;       /* the first is that of costs */
	size_t left_out; /* plots beyond what a page should have */
	/* Of configurations that all programs have a speed-up of; by cost. */
	struct mean_point *means;
	size_t mean_count;
};

/* Adds the plots; what it makes lives in the arena. */
MUST_USE enum err figures_make(struct figures *f, struct plots *p,
			       const struct swept *s, struct arena *a,
			       struct diag *d);

#endif
