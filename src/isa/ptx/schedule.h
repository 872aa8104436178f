/*
 * The order in which a compiler would leave the instructions of a PTX function.
 *
 * ptxas reorders the instructions of a basic block, so that results are there
 * when they are needed; above all, loads come early. With sm.compiled the same
 * happens here, before a function is lowered: its instructions are executed,
 * and timed, in the new order. The text keeps its order, for printing and for
 * traces (ptx_func.text).
 *
 * A block is cut into regions at *walls*, which stay where they are: branches,
 * calls, barriers, fences, mbarriers, copies in flight, clocks, and divisions and
 * square roots, whose sequence has a branch in it. In a region,
 * list scheduling chooses, cycle by cycle, the instruction with the longest way
 * to the region's end among those whose operands are there. If the registers
 * that the function is estimated to need are all in use, only instructions that
 * need no more of them are chosen.
 *
 * Results do not change, by construction:
 *   - an instruction follows those that write what it reads or writes, and
 *     those that read what it writes;
 *   - stores, atomics and strong accesses keep their order; a load passes a
 *     store only if both cannot meet: they are in different spaces, or at
 *     different offsets from one register, or the load is of read-only memory;
 *   - what lanes exchange, and memory accesses with a guard of the text, keep
 *     their order among themselves, among accesses and among comparisons.
 *
 * Before that, blocks are put in the order of execution (layout.h), short branches
 * become guards (predicate.h), and small loops are unrolled (unroll.h).
 *
 * Models:  latencies of the configuration; registers live at each point.
 * Does not model: moves between blocks, instruction selection.
 */
#ifndef HEDDLE_ISA_PTX_SCHEDULE_H
#define HEDDLE_ISA_PTX_SCHEDULE_H

#include "cfg/cfg.h"
#include "isa/ptx/module.h"

/* Schedules all functions of a module, if cfg->sm.compiled is set. Fails with
 * ERR_NOMEM only. */
MUST_USE enum err ptx_schedule(struct ptx_module *m, const struct cfg *cfg,
			       struct diag *d);

/* The largest number of instructions with facts (arch/site.h) that are
 * reordered among themselves. */
enum { SCHEDULE_FACTS = 64 };

#endif
