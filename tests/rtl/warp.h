/*
 * A warp whose arithmetic is that of the circuit: 32 lanes, one after the other
 * through the one lane that fl_lane and fl_div are.
 */
#ifndef HEDDLE_TESTS_RTL_WARP_H
#define HEDDLE_TESTS_RTL_WARP_H

#include "fastlanes/machine.h"

/* Whether one lane computes the instruction from its registers and predicates. */
bool warp_has(const struct fl_inst *in);
/* Executes such an instruction, for these lanes. */
void warp_execute(struct fl_warp *w, const struct fl_inst *in, uint32_t lanes);

#endif
