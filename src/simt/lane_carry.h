/* Addition and subtraction with the carry flag, and single functions that fit
 * nowhere else. */
#ifndef HEDDLE_SIMT_LANE_CARRY_H
#define HEDDLE_SIMT_LANE_CARRY_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/lane.h"

/*
 * One flag for both. After a subtraction it is the carry out of a + ~b + in:
 * set when nothing was borrowed. The PTX ISA calls it a borrow; chains cannot
 * tell, but addc after sub.cc can, and nvcc's 128-bit division does that.
 */
#define CARRY_FAMILY(W)                                                     \
	static inline uint##W##_t u##W##_addc(uint##W##_t a, uint##W##_t b, \
					      bool in, bool *out)           \
	{                                                                   \
		uint##W##_t t = a + b, s = t + in;                          \
                                                                            \
		*out = t < a || s < t;                                      \
		return s;                                                   \
	}                                                                   \
	static inline uint##W##_t u##W##_subc(uint##W##_t a, uint##W##_t b, \
					      bool in, bool *out)           \
	{                                                                   \
		return u##W##_addc(a, ~b, in, out);                         \
	}
CARRY_FAMILY(32)
CARRY_FAMILY(64)
#undef CARRY_FAMILY

/* slct takes its first operand when c >= 0; -0.0 counts, NaN does not. */
static inline bool f32_slct(float c, unsigned m)
{
	return f32_ftz(c, m) >= 0.0f;
}

#endif
