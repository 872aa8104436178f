/*
 * The SIMD with its registers (fl_exec), as Verilator makes it, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_EXEC_H
#define HEDDLE_TESTS_RTL_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* Cycles from an instruction to one that reads it, beyond those of fl_simd. */
	EXEC_LATENCY = 2
};

struct exec_in {
	bool reset, start, file;
	uint8_t warp, index;
	uint64_t word;
	uint32_t lanes, places[9];

	bool x_start, x_pred;
	uint8_t x_warp, x_reg;
	uint32_t x_lanes, x_data[32];

	bool y_start, y_write, y_pred;
	uint8_t y_warp, y_reg;
	uint32_t y_data[32];

	bool p_we;
	uint16_t p_at;
	uint32_t p_data;
};
struct exec_out {
	bool ready, x_ready, done; /* before the cycle's end */
	uint8_t done_warp;
	uint32_t executes, x_result[32], y_result[32]; /* after it */
	bool m_start;
	uint8_t m_warp;
	uint64_t m_word;
	uint32_t m_lanes, m_a[32], m_c[32];
};

void exec_cycle(const struct exec_in *in, struct exec_out *out);

#ifdef __cplusplus
}
#endif

#endif
