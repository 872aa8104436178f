/*
 * Atomics of a warp that a compiler makes one of.
 *
 * Where all lanes of a warp access one address, ptxas lets one lane add for all:
 *
 *	VOTEU.ANY UR4, UPT, PT        the lanes that take part
 *	UFLO.U32 UR5, UR4             one of them
 *	UPOPC UR4, UR4                how many
 *	ISETP.EQ.U32.AND P0, PT, R0, UR5, PT
 *	IMAD R5, R5, UR4, RZ
 *	@P0 REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5
 *
 * behind it, if the result is used, a SHFL of it and the sum of the lanes before.
 * Values that differ are summed by REDUX, or if the result is used by five SHFL.UP,
 * which is done only if no lane of the warp is missing.
 *
 * Here the atomic stays one instruction, and all lanes perform it, so that results
 * are what they were; for timing one lane does. In the cycles that the other
 * instructions would take to issue the warp issues nothing.
 *
 *                           32 bits        64 bits
 *	same value added       combined       combined
 *	  result used          combined       combined
 *	other values added     combined       -
 *	  result used          if no lane is missing
 *	min max and or xor     combined       -
 *	  result used          -              -
 *
 * Everything else stays: exch, cas, inc, dec, floats; and what only one lane executes
 * (uniform.h). All of this is what ptxas 13.0 does for sm_80 and later, as far as
 * small kernels show it, in shared as in global memory and for all scopes. Of the
 * scan for earlier GPUs, which have no REDUX, only that of sums is done here.
 * On shared memory an increment of u32 by one without result is ATOMS.POPC.INC of
 * all lanes, wherever they add: those on one word share a pass.
 *
 * Does not model: the latency of the other instructions where nothing else hides it.
 */
#ifndef HEDDLE_ISA_PTX_COMBINE_H
#define HEDDLE_ISA_PTX_COMBINE_H

#include "isa/ptx/fold.h"

/* Marks in fold, by instruction, the atomics that are combined. False: out of
 * memory. */
MUST_USE bool combine_atomics(uint8_t *fold, const struct ptx_func *f,
			      const struct ptx_flow *flow,
			      const struct ptx_live *live,
			      const struct time_live *l, const struct cfg *cfg,
			      struct arena *scratch);

/* The instructions that machine code has beside the atomic. */
unsigned combine_issues(const struct ptx_inst *in, enum ptx_fold fold);

#endif
