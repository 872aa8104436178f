/*
 * Timed instructions of machine code: arch/timed.h.
 *
 * Everything is in the word. The control word has the stall count, the counters
 * that an instruction raises and those that it waits for, and which operands
 * stay in the reuse cache; register numbers say which banks it reads. Nothing is
 * renamed, moved or estimated, as it is for PTX.
 *
 * Models:  stall counts, those that yield and those beyond what compilers use;
 *          counters; DEPBAR; constants as operands (of the first constant
 *          cache; of a constant with an index, its offset); reuse of operands
 *          by slot and bank, for instructions in a row.
 * Does not model: operands in the reuse cache that other warps do not displace.
 */
#ifndef HEDDLE_ISA_SASS_TIME_H
#define HEDDLE_ISA_SASS_TIME_H

#include "arch/timed.h"
#include "isa/sass/inst.h"
#include "simt/program.h"

/* isa.time */
MUST_USE enum err sass_time(struct timed_program **out, struct arena *a,
			    const struct program *p, const struct cfg *cfg,
			    struct diag *d);

/* The timed instruction of `in`, of which `before` instructions precede it in
 * the text; all but what depends on the decoded instruction (fetches) and on
 * what follows (falls_through). False: the SM has no unit for it. */
bool sass_time_inst(struct timed_inst *r, const struct sass_inst *in,
		    uint32_t before, const struct cfg *cfg);

/* time_inst.c and time_banks.c. */

/* The registers that it reads, by bank. */
void sass_set_banks(struct timed_inst *r, const struct sass_inst *in,
		    uint32_t before, const struct cfg *cfg);

/* time_check.c: what the check of hazards needs of `count` instructions. NULL:
 * out of memory. */
const struct timed_checks *
sass_time_checks(struct arena *a, const struct sass_inst *in, uint32_t count);

#endif
