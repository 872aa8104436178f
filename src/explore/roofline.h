/*
 * The roofline of a view: what it computed per second, against the operations per
 * byte that it got out of each level of memory.
 *
 * Peaks follow from the configuration: what the simulated units and connections
 * can do at most. Operations are those of arch/isa.h: a fused multiply-add is two.
 */
#ifndef HEDDLE_EXPLORE_ROOFLINE_H
#define HEDDLE_EXPLORE_ROOFLINE_H

#include <stdio.h>

#include "explore/view.h"

enum roof_level { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_LEVELS };
extern const char *const roof_level_names[ROOF_LEVELS];

enum roof_unit { ROOF_FP32, ROOF_FP64, ROOF_TENSOR, ROOF_FP16, ROOF_UNITS };

struct roofline {
	/* By unit; peak 0: the GPU has none. */
	const char *name[ROOF_UNITS];
	double peak[ROOF_UNITS]; /* operations per second */
	double done[ROOF_UNITS]; /* operations */
	/* By level; bandwidth 0: the GPU does not have it. */
	double bandwidth[ROOF_LEVELS]; /* bytes per second */
	double bytes[ROOF_LEVELS];
	double seconds;
};

/* Operations per second of a unit. largest: operations of a warp-instruction on
 * matrices; 0: those of the usual one, m16n8k16. */
double roof_peak(const struct cfg *c, enum roof_unit unit, uint64_t largest);
/* Bytes per second of a level. */
double roof_bandwidth(const struct cfg *c, enum roof_level level);

struct roofline roofline_of(const struct run_view *v);

/* The most that a unit could do per second with these operations per byte of a
 * level. */
double roof_at(const struct roofline *r, enum roof_unit unit,
	       enum roof_level level, double intensity);

#define ROOF_TEXT 32
/* 6.69e13 as "66.9 T". */
const char *roof_text(char text[ROOF_TEXT], double v);

/* The picture; nothing if there were no operations. */
void draw_roofline(FILE *to, const struct roofline *r);

#endif
