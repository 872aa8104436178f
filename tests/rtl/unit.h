/*
 * The arithmetic units of rtl/, as Verilator makes them, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_UNIT_H
#define HEDDLE_TESTS_RTL_UNIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	UNIT_LATENCY = 6, /* cycles of fl_lane */
	UNIT_QUAD = 4     /* lanes of fl_quad */
};

struct unit_in {
	uint8_t code, mod;
	uint8_t p, r; /* predicates */
	uint32_t a, b, c;
};
struct unit_out {
	uint32_t d;
	uint8_t t;
};

/* A cycle of fl_lane. What comes out went in UNIT_LATENCY cycles before, this
 * one included. */
void unit_lane_cycle(const struct unit_in *in, struct unit_out *out);
/* An instruction of fl_quad, from its start to its end. */
void unit_quad(const struct unit_in in[UNIT_QUAD],
	       struct unit_out out[UNIT_QUAD]);

#ifdef __cplusplus
}
#endif

#endif
