/*
 * Pictures of a run, as SVG inside of a page: colours are the page's, text
 * keeps its size on a phone.
 */
#ifndef HEDDLE_EXPLORE_DRAW_H
#define HEDDLE_EXPLORE_DRAW_H

#include <stdio.h>

#include "explore/view.h"

/* The path of the data: SMs, L1, network, L2, DRAM, with traffic and hits. */
void draw_memory(FILE *to, const struct run_view *v);

/* Values over time of a launch that has samples. */
void draw_time(FILE *to, const struct run_launch *l, const struct cfg *c);

#endif
