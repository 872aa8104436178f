/*
 * The plots of a sweep.
 *
 *   an axis                   speed-up over its values, a line for each program
 *   a cross product of two    one plot for each program, a line for each value
 *                             of one axis
 *   more values than fit      speed-ups in descending order
 *   variants                  all of them as bars in one plot
 *   points with a cost        speed-up over cost, with the Pareto front
 */
#ifndef HEDDLE_EXPLORE_FIGURES_H
#define HEDDLE_EXPLORE_FIGURES_H

#include "explore/plot.h"
#include "explore/swept.h"

struct figure {
	const char *caption;
	size_t plot; /* its number in struct plots */
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
	bool cost;       /* the first figure is that of costs */
	size_t left_out; /* plots beyond the limit of a page */
	/* Configurations for which all programs have a speed-up, by cost. */
	struct mean_point *means;
	size_t mean_count;
};

/* Adds the plots of a sweep to *p. What it makes lives in the arena. */
MUST_USE enum err figures_make(struct figures *f, struct plots *p,
			       const struct swept *s, struct arena *a,
			       struct diag *d);

#endif
