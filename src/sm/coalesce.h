/*
 * What one memory instruction of a warp costs ahead of any cache: the sectors
 * that its lanes touch, and the passes that it needs through shared memory.
 *
 * Models:  coalescing of lanes into aligned units of memory and their sectors,
 *          in the order of the first lane that touches each; the bytes that a
 *          store writes; banks of shared memory, lanes that read the same word
 *          are served together, wide accesses in groups of lanes, two of
 *          which may share a pass.
 * Does not model: time, caches.
 * Owner:   none; functions without state.
 */
#ifndef HEDDLE_SM_COALESCE_H
#define HEDDLE_SM_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32, SHARED_BANKS = 32, BANK_BYTES = 4 };

enum {
	/* A lane touches at most two units: 128 bytes, whatever their
	 * alignment. */
	COALESCE_MAX = 2 * WARP_LANES,
	COALESCE_BYTES = 128, /* maximum of a lane, and the smallest unit */
	PIECE_SHIFT = 5,
	PIECE_BYTES = 1 << PIECE_SHIFT,
	UNIT_SHIFT = 7,                  /* of the smallest unit */
	UNIT_PIECES = 4,                 /* of the smallest unit */
	UNIT_SHIFT_MAX = PIECE_SHIFT + 5 /* pieces are 32 bits */
};

/* A unit: an aligned block of 1 << shift bytes that lanes touch. */
struct unit {
	uint64_t number; /* address >> shift */
	uint32_t pieces; /* pieces of 32 bytes that are touched, as bits */
	union {
		uint32_t lanes; /* how many lanes touch it */
		uint32_t set;   /* of the cache that it is looked up in */
	};
};

/*
 * Finds the units that the lanes in mask touch with `bytes` (up to 128) at
 * addr[l]; returns their number. UNIT_SHIFT <= shift <= UNIT_SHIFT_MAX. If
 * `written` is not NULL, shift must be UNIT_SHIFT, and it receives a byte mask
 * for each piece; masks of pieces that are not touched are undefined.
 */
unsigned coalesce(struct unit out[COALESCE_MAX],
		  uint32_t (*written)[UNIT_PIECES],
		  const uint64_t addr[WARP_LANES], uint32_t mask,
		  uint32_t bytes, unsigned shift);

/* The same for words of 4 bytes, of all lanes; those of each half of the warp
 * are consecutive, from half[] on. */
unsigned coalesce_halves(struct unit out[COALESCE_MAX],
			 uint32_t (*written)[UNIT_PIECES],
			 const uint64_t half[2], unsigned shift);

/*
 * The same for words of 4 bytes in local memory, which is interleaved by lane:
 * word w of lane l is at base + w * 128 + l * 4. offset[l] is the lane's own
 * address;
 * bytes <= 4, and the access is aligned.
 */
unsigned coalesce_local(struct unit out[COALESCE_MAX],
			uint32_t (*written)[UNIT_PIECES], uint64_t base,
			const uint64_t offset[WARP_LANES], uint32_t mask,
			uint32_t bytes, unsigned shift);

/* The bits in which any address of the lanes in mask (at least one) differs
 * from the first lane's. */
uint64_t coalesce_spread(const uint64_t addr[WARP_LANES], uint32_t mask);

/* The maximum number of lanes of mask (at least one) with the same address. */
unsigned coalesce_same(const uint64_t addr[WARP_LANES], uint32_t mask);

/*
 * The sectors of atomics that an L2 counts, by unit (of UNIT_SHIFT bits): it
 * serves the lanes on one address one after the other, so that a sector counts
 * as often as the address in it that most lanes have. `same` is coalesce_same of
 * the lanes.
 */
void coalesce_atomics(uint32_t sectors[COALESCE_MAX],
		      const struct unit unit[COALESCE_MAX], unsigned n,
		      const uint64_t addr[WARP_LANES], uint32_t mask,
		      unsigned same);

/* The number of pieces. Counting bits is slow on hosts without an instruction for
 * it, and most units have few pieces. */
static inline uint32_t pieces_count(uint32_t pieces)
{
#ifndef __POPCNT__
	static const uint8_t few[16] = { 0, 1, 1, 2, 1, 2, 2, 3,
					 1, 2, 2, 3, 2, 3, 3, 4 };

	if (pieces < sizeof(few))
		return few[pieces];
#endif
	return (uint32_t)__builtin_popcount(pieces);
}

/* The pieces, rounded up to aligned groups of `group` pieces (a power of
 * two). */
static inline uint32_t pieces_round(uint32_t pieces, unsigned group)
{
	uint32_t first = ~0u, all = pieces;

	if (group == 1)
		return pieces;
	if (group >= 32)
		return pieces ? ~0u : 0;
	for (unsigned s = 1; s < group; s *= 2)
		all |= all >> s;
	/* One bit for each group: its lowest. */
	first /= (1u << group) - 1;
	return (all & first) * ((1u << group) - 1);
}

/*
 * The number of distinct sectors of `sector` bytes (a power of two) that the
 * lanes in mask touch with `bytes` at addr[l].
 */
unsigned coalesce_sectors(const uint64_t addr[WARP_LANES], uint32_t mask,
			  uint32_t bytes, uint32_t sector);
/* The minimum number of sectors that could hold as many bytes. */
unsigned coalesce_ideal(uint32_t mask, uint32_t bytes, uint32_t sector);

/* The banks of shared memory. A lane that accesses more than bank_bytes counts
 * as several. */
struct bank_shape {
	uint32_t banks;      /* a power of two, up to 128 */
	uint32_t bank_bytes; /* a power of two */
	uint32_t lanes;      /* served together, up to WARP_LANES */
	/* One word of a pass is broadcast to all lanes that need it, every
	 * other word reaches one lane (GT200). False: every word is
	 * broadcast. */
	bool broadcast_one;
	/* Two groups of lanes of a load that follow each other share a pass if
	 * together they need one word of each bank at most. A group: the lanes
	 * of a vector load that one pass can serve. */
	bool pairs;
};

/* The number of passes through the banks; 0: no lane. */
unsigned bank_count(const struct bank_shape *s, const uint64_t addr[WARP_LANES],
		    uint32_t mask, uint32_t bytes);
/* The same for a load. */
unsigned bank_count_load(const struct bank_shape *s,
			 const uint64_t addr[WARP_LANES], uint32_t mask,
			 uint32_t bytes);
/* The same if lanes that need the same word are served one by one. */
unsigned bank_count_atomic(const struct bank_shape *s,
			   const uint64_t addr[WARP_LANES], uint32_t mask,
			   uint32_t bytes);
/* The number of passes without conflicts. */
unsigned bank_min(const struct bank_shape *s, uint32_t mask, uint32_t bytes);

/* The same for 32 banks of 4 bytes. Without conflicts: 1 for up to 4 bytes a
 * lane, 2 for 8, 4 for 16. */
unsigned bank_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
		     uint32_t bytes);
/* The same for all lanes, with words of 4 bytes; those of each half of the warp
 * are consecutive, from half[] on. */
unsigned bank_passes_of_halves(const uint64_t half[2]);
unsigned bank_ideal(uint32_t mask, uint32_t bytes);

#endif
