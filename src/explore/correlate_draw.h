/* Pictures of a comparison with hardware, as SVG inside a page. */
#ifndef HEDDLE_EXPLORE_CORRELATE_DRAW_H
#define HEDDLE_EXPLORE_CORRELATE_DRAW_H

#include <stdio.h>

#include "explore/correlate.h"

/* Simulated against hardware, a point for each launch, both axes logarithmic
 * (of rates: linear). The colour is that of the size of the grid, or of what
 * limits the launch. False: there is nothing to draw. */
bool draw_scatter(FILE *to, const struct correlate *c,
		  const struct correlate_filter *f, int metric, bool by_limit);
/* The errors in order: which share of the launches is how near. */
MUST_USE enum err draw_errors(FILE *to, const struct correlate *c,
			      const struct correlate_filter *f, int metric,
			      struct diag *d);

/* How many launches are off by how much, with their signs. */
void draw_histogram(FILE *to, const struct correlate *c,
		    const struct correlate_filter *f, int metric);

#endif
