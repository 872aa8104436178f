/* The variants of CGM that are tried at random. */
#ifndef HEDDLE_TESTS_CGM_VARIANTS_H
#define HEDDLE_TESTS_CGM_VARIANTS_H

#include "cgm/random.h"

enum { VARIANTS = 8 };

/* Runs one and prints what came of it; returns NULL, or what is wrong. */
const char *variant_try(unsigned variant, uint64_t accesses, bool roomy,
			uint64_t seed);

#endif
