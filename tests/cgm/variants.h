/* The variants of CGM that are tried at random. */
#ifndef HEDDLE_TESTS_CGM_VARIANTS_H
#define HEDDLE_TESTS_CGM_VARIANTS_H

#include "cgm/random.h"

/* Coherence of the CPU, that of the GPU, where the GPU is connected, and one
 * address space or two: every combination that a configuration can have. */
enum { VARIANTS = 12 };

/* Caches so small that they evict all the time; the same with blocks on so many
 * pages that translations are missing, too; room for everything. */
enum variant_room { ROOM_TINY, ROOM_PAGES, ROOM_ENOUGH };

/* Runs one and prints what came of it; false: something is wrong. Where the seed
 * is odd, messages are late at random. */
bool variant_try(unsigned variant, uint64_t accesses, enum variant_room room,
		 uint64_t seed);

#endif
