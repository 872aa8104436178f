/*
 * The timing model of the circuit (fl_time), as Verilator makes it, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_TIMING_H
#define HEDDLE_TESTS_RTL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timing_in {
	bool reset;
	uint8_t lsu_cycles, latency[5], interval[5];
	uint16_t way_latency[4];
	uint8_t l1_sets_log2, l1_ways, l2_sets_log2, l2_ways;

	bool clear, load_sm;
	uint8_t sm;
	uint64_t now;
	bool new_warp;
	uint8_t new_warp_id;

	bool put, put_reg_valid, put_pred_valid, put_mem, put_load, put_shared;
	uint8_t put_unit, put_warp, put_reg, put_pred;

	bool seg_valid, seg_end;
	uint32_t seg_line;
	uint8_t seg_shared_count;

	bool comp_take;
};
/* All before the cycle's end. */
struct timing_out {
	bool cleared, loaded, seg_ready;
	bool simd_is_free, lsu_is_free, pool_has_room, resolved;
	uint64_t hold_at, next_event;
	bool comp_valid, comp_reg_valid, comp_pred_valid, comp_none;
	uint8_t comp_warp, comp_reg, comp_pred;
	uint64_t loads, stores, segments, shared_accesses, shared_segments;
	uint64_t l1_hits, l1_misses, l2_hits, l2_misses;
};

void timing_cycle(const struct timing_in *in, struct timing_out *out);

#ifdef __cplusplus
}
#endif

#endif
