/*
 * Programs of instructions that a tracer has listed: arch/listing.h.
 *
 * A name and its modifiers choose the row of sass.def; of the row's encodings,
 * which differ in their operands, the first one with as many registers as the
 * tracer has named is taken. The registers then give the operands, and the
 * operands how many registers each of them is: a 64-bit address is two, of which
 * a tracer names the first.
 *
 * Models:  unit, latency, registers with their banks, kind, what the modifiers
 *          say of caches and scopes; an architecture's own rows, and for names
 *          that it does not have, those of the nearest one that does.
 * Does not model: predicates, uniform registers and constants, which tracers
 *          leave out: nothing waits for them, and constants are in the first
 *          cache; reuse of operands, stall counts and counters.
 */
#ifndef HEDDLE_ISA_SASS_LISTED_H
#define HEDDLE_ISA_SASS_LISTED_H

#include "arch/isa.h"
#include "arch/listing.h"
#include "isa/sass/inst.h"

/* isa.listed */
MUST_USE enum err sass_listed(struct program **out, const struct listing *l,
			      struct gmem *g, uint32_t *which, struct diag *d);

/* The instruction of sm_`sm` that is listed; the control word says nothing. */
MUST_USE enum err sass_listed_inst(struct sass_inst *out, unsigned sm,
				   const struct listed_inst *from,
				   struct diag *d);

#endif
