/*
 * A warp whose arithmetic is that of the circuit: 32 lanes, one after the other
 * through the one lane that fl_lane is, and by four through fl_quad.
 */
#ifndef HEDDLE_TESTS_RTL_WARP_H
#define HEDDLE_TESTS_RTL_WARP_H

#include "fastlanes/machine.h"

/* Whether lanes share the unit of the instruction: fl_quad has it. */
bool warp_quad(int op);
/* Cycles of fl_simd until the instruction's result is there, and in which it takes no
 * other. */
unsigned warp_cycles(int op);
unsigned warp_waits(int op);
/* Whether one lane computes the instruction from its registers and predicates. */
bool warp_has(const struct fl_inst *in);
/* Executes such an instruction, for these lanes. */
void warp_execute(struct fl_warp *w, const struct fl_inst *in, uint32_t lanes);

#endif
