/*
 * What one memory instruction of a warp costs before any cache: the sectors
 * that its lanes touch, and the passes that shared memory needs for them.
 *
 * Models:  coalescing of all lanes into aligned sectors; 32 banks of 4 bytes,
 *          lanes that read the same word served together, 8- and 16-byte
 *          accesses in half and quarter warps.
 * Does not model: time, caches, the order of the sectors.
 */
#ifndef HEDDLE_SM_COALESCE_H
#define HEDDLE_SM_COALESCE_H

#include <stdint.h>

enum { WARP_LANES = 32, SHARED_BANKS = 32, BANK_BYTES = 4 };

/*
 * Distinct aligned pieces of `sector` bytes (a power of two) that the lanes in
 * mask touch with `bytes` at addr[l].
 */
unsigned coalesce_sectors(const uint64_t addr[WARP_LANES], uint32_t mask,
			  uint32_t bytes, uint32_t sector);
/* The fewest sectors that could hold as many different bytes. */
unsigned coalesce_ideal(uint32_t mask, uint32_t bytes, uint32_t sector);

/* Passes through the banks of shared memory; 1 without conflicts for up to 4
 * bytes a lane, 2 for 8, 4 for 16. 0: no lane. */
unsigned bank_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
		     uint32_t bytes);
unsigned bank_ideal(uint32_t mask, uint32_t bytes);

#endif
