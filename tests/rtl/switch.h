/*
 * The exchange of registers (fl_switch), as Verilator makes it, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_SWITCH_H
#define HEDDLE_TESTS_RTL_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SWITCH_WORDS = 32 /* of a row, and of a line */ };

struct switch_in {
	bool reset;
	uint8_t regs;

	bool start, save, load;
	uint8_t save_sm, load_sm;
	uint32_t save_warps, load_warps;

	uint32_t y_result[SWITCH_WORDS]; /* of the row read in the last cycle */
	bool req_ready, resp_valid;
	uint32_t resp_data[SWITCH_WORDS];
};
/* All before the cycle's end. */
struct switch_out {
	bool busy;
	bool y_start, y_write, y_pred;
	uint8_t y_warp, y_reg;
	uint32_t y_data[SWITCH_WORDS];
	bool req_valid, req_write, req_whole; /* all bytes of the line */
	uint32_t req_line;
	uint32_t req_data[SWITCH_WORDS];
};

void switch_cycle(const struct switch_in *in, struct switch_out *out);

#ifdef __cplusplus
}
#endif

#endif
