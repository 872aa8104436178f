/*
 * Latencies that depend on the basic block around an instruction.
 *
 * Models:  regs.cross, what a result takes longer to a reader in another unit;
 *          sm.branch_guard, from a predicate to the branch that it guards; and
 *          with sm.compiled what ptxas leaves of PTX: copies cost a cycle of
 *          issue and no latency, and what a branch waits for is computed
 *          early, so that the other instructions of the block hide it.
 * Does not model: the order of machine instructions. Rows stay in the order of
 *          the text; only their latencies say that ptxas would have moved one.
 */
#ifndef HEDDLE_ISA_PTX_TIME_TUNE_H
#define HEDDLE_ISA_PTX_TIME_TUNE_H

#include "arch/timed.h"
#include "isa/ptx/time_live.h"

/* Changes cycles and interval of the rows of f. Fails with ERR_NOMEM. */
MUST_USE enum err tune_latencies(const struct timed_func *rows,
				 const struct ptx_func *f,
				 const struct time_live *live,
				 const struct cfg *cfg, struct arena *scratch,
				 struct diag *d);

#endif
