/*
 * From decoded instructions to what executes: struct wave_op.
 */
#ifndef HEDDLE_ISA_GCN_LOWER_H
#define HEDDLE_ISA_GCN_LOWER_H

#include "isa/gcn/inst.h"
#include "simt/wave.h"

/*
 * Fills in *out but for jump, at, index and func. Raises *vectors to the number of
 * vector registers that the instruction needs. Returns NULL, or why the instruction
 * is refused.
 */
const char *gcn_lower(struct wave_op *out, const struct gcn_inst *in,
		      uint32_t *vectors);

/* Whether it is a branch by its constant; *words: how far behind the next one. */
bool gcn_is_branch(const struct gcn_inst *in, int32_t *words);

/* The op behind the last one of a function: it faults. */
void gcn_lower_end(struct wave_op *out);

#endif
