/*
 * The SIMD of rtl/, as Verilator makes it, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_SIMD_H
#define HEDDLE_TESTS_RTL_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct simd_in {
	bool reset, start;
	uint64_t word;
	uint32_t lanes;
	uint32_t a[32], b[32], c[32]; /* registers of the lanes */
	uint32_t preds[8];
	uint32_t param;
	uint32_t places[9]; /* ctaid, ntid, nctaid */
	uint8_t warp, owner;
};
struct simd_out {
	bool ready;        /* before the cycle's end */
	uint32_t executes; /* the same */
	bool slow;         /* the same */
	bool valid;
	uint8_t done_owner;
	uint32_t d_lanes, p_lanes;
	uint8_t d_reg, p_reg;
	uint32_t d[32], p;
};

/* A cycle. warp_cycles says when the result is valid. */
void simd_cycle(const struct simd_in *in, struct simd_out *out);

#ifdef __cplusplus
}
#endif

#endif
