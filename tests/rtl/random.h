/*
 * Random warps and instructions for the SIMD.
 */
#ifndef HEDDLE_TESTS_RTL_RANDOM_H
#define HEDDLE_TESTS_RTL_RANDOM_H

#include "fastlanes/machine.h"

enum { RANDOM_PARAM_BYTES = 64 };

/* What instructions of a kernel read beside registers. */
struct random_launch {
	struct fl_machine machine;
	struct fl_sm sm;
	struct fl_launch launch;
	struct fl_kernel kernel;
	uint8_t params[RANDOM_PARAM_BYTES];
};

uint32_t random_bits(void);
/* How many instructions a test runs. */
uint64_t random_words(void);
void random_launch(struct random_launch *r);
void random_warp(struct fl_warp *w);
/* Any instruction of the SIMD, with any operands. */
struct fl_inst random_inst(void);

/* The word that ldp reads at an offset. */
uint32_t random_param(const struct random_launch *r, uint32_t at);
/* ctaid, ntid and nctaid. */
void random_places(const struct random_launch *r, uint32_t places[9]);
/* The lanes in which the instruction's guard holds. */
uint32_t guarded_lanes(const struct fl_warp *w, const struct fl_inst *in,
		       uint32_t lanes);

#endif
