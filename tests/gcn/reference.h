/*
 * What instructions of GFX6 do to the values of one lane, stated a second time:
 * in plain C, from the public manual, and without anything of src/isa/gcn but the
 * names of rows.
 */
#ifndef TESTS_GCN_REFERENCE_H
#define TESTS_GCN_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct reference {
	/* Sources, with their modifiers applied; `old`: the destination before;
	 * carry: the lane's bit of the mask that it reads; m0 and so on are not
	 * here. */
	uint64_t a, b, c, old;
	bool carry, scc;
	uint32_t mode;
	unsigned lane;
	int32_t k; /* a scalar instruction's constant */
	/* Results. */
	uint64_t d;
	bool bit;     /* of the mask that it writes */
	bool scc_out; /* equal to scc if it does not write it */
	/* How far a float may be from d, in units of its last place, or as an
	 * absolute difference. */
	double ulps, away;
};

/* False: the row is not stated here. */
bool reference_scalar(unsigned op, struct reference *r);
bool reference_vector(unsigned op, struct reference *r);

#endif
