/* Pictures of a comparison with hardware, as SVG inside a page. */
#ifndef HEDDLE_EXPLORE_CORRELATE_DRAW_H
#define HEDDLE_EXPLORE_CORRELATE_DRAW_H

#include <stdio.h>

#include "explore/correlate.h"

/* What the colour of a point tells: 1 + enum correlate_size, correlate_limit, or
 * the place in correlate.sets. */
enum draw_colour { DRAW_SIZE, DRAW_LIMIT, DRAW_SET };

/* Simulated against hardware, a point for each launch, both axes logarithmic
 * (of rates: linear). False: there is nothing to draw. */
bool draw_scatter(FILE *to, const struct correlate *c,
		  const struct correlate_filter *f, int metric,
		  enum draw_colour by);
/* The errors in order: which share of the launches is how near. */
MUST_USE enum err draw_errors(FILE *to, const struct correlate *c,
			      const struct correlate_filter *f, int metric,
			      struct diag *d);

/* How many launches are off by how much, with their signs. */
void draw_histogram(FILE *to, const struct correlate *c,
		    const struct correlate_filter *f, int metric);

#endif
