/*
 * The LD/ST units (fl_lsu), as Verilator makes them, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_LSU_H
#define HEDDLE_TESTS_RTL_LSU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lsu_in {
	bool reset, clear, zero;
	uint8_t cfg_warps;
	uint16_t cfg_block_shared, cfg_local_words;
	uint32_t cfg_local_base;
	uint8_t sm;
	uint16_t shared_base;

	bool start;
	uint8_t warp;
	uint64_t word;
	uint32_t lanes, a[32], c[32];

	bool seg_ready, req_ready, x_ready;
	bool resp_valid;
	uint32_t resp_data[32];
};
/* All before the cycle's end. */
struct lsu_out {
	bool ready, done;
	uint8_t done_warp;
	bool fault_valid;
	uint8_t fault_kind, fault_lane;
	uint32_t fault_address;

	bool seg_valid, seg_end;
	uint32_t seg_line;
	uint8_t seg_shared_count;

	bool req_valid, req_write;
	uint32_t req_line, req_bytes[4], req_data[32];

	bool x_start;
	uint8_t x_warp, x_reg;
	uint32_t x_lanes, x_data[32];
};

void lsu_cycle(const struct lsu_in *in, struct lsu_out *out);

#ifdef __cplusplus
}
#endif

#endif
