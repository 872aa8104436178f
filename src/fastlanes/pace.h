/*
 * The pace of the circuit: how many of its own cycles ("host cycles") it needs for what
 * the model does. It is told of each cycle of the target that the model looks at, and
 * counts what rtl/ does in it.
 *
 * Models:  the steps of fl_cycle; a warp's next instruction that waits for its last one in
 *          a pipeline; the SIMD while it is not ready; the LD/ST units, one
 *          instruction at a time, and the latency of external memory; jumps from one
 *          result to the next; what a turn waits for at its end; the exchange of
 *          registers beside a turn: those of the turn before it go, those of the one
 *          after it come.
 * Does not model: results that meet in one cycle in other places than the first free
 *          one; lanes of six LD/ST units that wait for the same bank, but on average;
 *          the addresses of a block's lines beyond their number.
 */
#ifndef HEDDLE_FASTLANES_PACE_H
#define HEDDLE_FASTLANES_PACE_H

#include "fastlanes/performance.h"

enum {
	FL_SWITCH_CYCLES = 6, /* of fl_switch, beside the lines */
	FL_TURN_CYCLES = 8    /* of fl_turns between two turns */
};

struct fl_pace;

/* regs: of the kernel. */
struct fl_pace *fl_pace_new(const struct fl_config *c,
			    const struct fl_external *e, uint32_t regs);
void fl_pace_free(struct fl_pace *p);
/* For struct fl_launch. */
const struct fl_watch *fl_pace_watch(const struct fl_pace *p);
void fl_pace_rates(struct fl_rates *out, const struct fl_pace *p,
		   const struct fl_stats *stats);

#endif
