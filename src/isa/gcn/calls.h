/*
 * Which functions of a code object a function may call, itself or through others.
 *
 * Functions are called by address. Where an address is made, its function is known:
 * s_getpc_b64 and an addition, directly or by way of the table of addresses. Where
 * that cannot be followed, the function may call all; a function whose address is in
 * data may be called by all that call by address.
 *
 * Does not model: addresses that one kernel leaves in memory for another.
 */
#ifndef HEDDLE_ISA_GCN_CALLS_H
#define HEDDLE_ISA_GCN_CALLS_H

#include "isa/gcn/image.h"
#include "isa/gcn/program.h"

/* What the calls are found in. p: its instructions and functions are complete. */
struct gcn_calls_in {
	const struct gcn_program *p;
	const struct gcn_image *image;
	const struct gcn_object *object;
	struct arena *arena;
};

struct gcn_calls;

/* NULL: out of memory. */
struct gcn_calls *gcn_calls_find(const struct gcn_calls_in *in);
/* Sets by[f] to `mark` for function `to` and each that may call it, where it is 0.
 * Room for two more than there are functions. */
void gcn_calls_mark(struct gcn_calls *c, uint32_t to, uint32_t mark,
		    uint32_t *by);

#endif
