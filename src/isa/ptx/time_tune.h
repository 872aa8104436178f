/*
 * Latencies that depend on the basic block around an instruction.
 *
 * Models:  regs.cross, the additional latency of a result that another unit
 *          reads; sm.branch_guard, from a predicate to the branch that it
 *          guards; with sm.compiled, copies cost a cycle of issue and no
 *          latency.
 */
#ifndef HEDDLE_ISA_PTX_TIME_TUNE_H
#define HEDDLE_ISA_PTX_TIME_TUNE_H

#include "arch/timed.h"
#include "isa/ptx/time_live.h"

/* Adjusts the cycles and intervals of f's func instructions. Fails with
 * ERR_NOMEM only. */
MUST_USE enum err tune_latencies(const struct timed_func *func,
				 const struct ptx_func *f,
				 const struct time_live *live,
				 const struct cfg *cfg, struct arena *scratch,
				 struct diag *d);

#endif
