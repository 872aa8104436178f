/*
 * Pictures of a run, as SVG inside a page: they use the page's colours, and
 * text keeps its size on a phone.
 */
#ifndef HEDDLE_EXPLORE_DRAW_H
#define HEDDLE_EXPLORE_DRAW_H

#include <stdio.h>

#include "explore/view.h"

/* The memory hierarchy: SMs, L1, network, L2, DRAM, with traffic and hits. */
void draw_memory(FILE *to, const struct run_view *v);

/* The values over time of a launch; nothing if it has no samples. */
void draw_time(FILE *to, const struct run_launch *l, const struct cfg *c);

/* What each SM (or each slice) did over time, as a map of shades; nothing if it
 * did nothing. most: the highest rate of one in a cycle. */
void draw_map(FILE *to, const struct run_maps *m, const struct run_map *map,
	      const char *name, const char *what, double most);

#endif
