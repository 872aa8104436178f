/*
 * What one memory instruction of a warp costs before any cache: the sectors
 * that its lanes touch, and the passes that shared memory needs for them.
 *
 * Models:  coalescing of lanes into aligned units of memory and their sectors,
 *          in the order of the first lane that touches each; the bytes that a
 *          store writes; banks of shared memory, lanes that read the same word
 *          served together, wide accesses by parts of a warp.
 * Does not model: time, caches.
 */
#ifndef HEDDLE_SM_COALESCE_H
#define HEDDLE_SM_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

enum { WARP_LANES = 32, SHARED_BANKS = 32, BANK_BYTES = 4 };

enum {
	/* A lane touches two units at most: 128 bytes, whatever their
	 * alignment. */
	COALESCE_MAX = 2 * WARP_LANES,
	COALESCE_BYTES = 128, /* the most of a lane, and the least unit */
	PIECE_SHIFT = 5,
	PIECE_BYTES = 1 << PIECE_SHIFT,
	UNIT_SHIFT = 7,                  /* of the least unit */
	UNIT_PIECES = 4,                 /* of the least unit */
	UNIT_SHIFT_MAX = PIECE_SHIFT + 5 /* pieces are 32 bits */
};

/* An aligned piece of memory of 1 << shift bytes that lanes touch. */
struct unit {
	uint64_t number; /* address >> shift */
	uint32_t pieces; /* of 32 bytes: those touched */
	union {
		uint32_t lanes; /* how many lanes touch it */
		uint32_t set;   /* of a cache that it is to be read from */
	};
};

/*
 * The units that the lanes in mask touch with `bytes` (up to 128) at addr[l];
 * returns their number. UNIT_SHIFT <= shift <= UNIT_SHIFT_MAX. If `written` is
 * not NULL, shift must be UNIT_SHIFT: the bytes of each piece come there;
 * those of pieces that are not touched are undefined.
 */
unsigned coalesce(struct unit out[COALESCE_MAX],
		  uint32_t (*written)[UNIT_PIECES],
		  const uint64_t addr[WARP_LANES], uint32_t mask,
		  uint32_t bytes, unsigned shift);

/* The same of words of 4 bytes, of all lanes, those of each half of the warp in
 * a row from half[] on. */
unsigned coalesce_halves(struct unit out[COALESCE_MAX],
			 uint32_t (*written)[UNIT_PIECES],
			 const uint64_t half[2], unsigned shift);

/*
 * The same of words of 4 bytes in local memory, which lies lane by lane: word
 * w of lane l at base + w * 128 + l * 4. offset[l] is the lane's own address;
 * bytes <= 4, and the access is aligned.
 */
unsigned coalesce_local(struct unit out[COALESCE_MAX],
			uint32_t (*written)[UNIT_PIECES], uint64_t base,
			const uint64_t offset[WARP_LANES], uint32_t mask,
			uint32_t bytes, unsigned shift);

/* Bits in which an address of the lanes in mask (at least one) differs from
 * the first lane's. */
uint64_t coalesce_spread(const uint64_t addr[WARP_LANES], uint32_t mask);

/* The most lanes of mask (at least one) that have the same address. */
unsigned coalesce_same(const uint64_t addr[WARP_LANES], uint32_t mask);

/* How many there are. Counting bits is slow on some hosts, and of most units
 * there are few. */
static inline uint32_t pieces_count(uint32_t pieces)
{
	static const uint8_t few[16] = { 0, 1, 1, 2, 1, 2, 2, 3,
					 1, 2, 2, 3, 2, 3, 3, 4 };

	if (pieces < sizeof(few))
		return few[pieces];
	return (uint32_t)__builtin_popcount(pieces);
}

/* The pieces, and those that share an aligned group of `group` pieces (a power
 * of two) with one of them. */
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
 * Distinct aligned pieces of `sector` bytes (a power of two) that the lanes in
 * mask touch with `bytes` at addr[l].
 */
unsigned coalesce_sectors(const uint64_t addr[WARP_LANES], uint32_t mask,
			  uint32_t bytes, uint32_t sector);
/* The fewest sectors that could hold as many different bytes. */
unsigned coalesce_ideal(uint32_t mask, uint32_t bytes, uint32_t sector);

/* Shared memory. A lane of more than bank_bytes takes the place of several. */
struct bank_shape {
	uint32_t banks;      /* a power of two, up to 128 */
	uint32_t bank_bytes; /* a power of two */
	uint32_t lanes;      /* that are served together, up to WARP_LANES */
	/* One word of a pass reaches all lanes that want it, another only one
	 * (GT200); else every word does. */
	bool broadcast_one;
};

/* Passes through the banks; 0: no lane. */
unsigned bank_count(const struct bank_shape *s, const uint64_t addr[WARP_LANES],
		    uint32_t mask, uint32_t bytes);
/* The same when lanes that want the same word are served one by one. */
unsigned bank_count_atomic(const struct bank_shape *s,
			   const uint64_t addr[WARP_LANES], uint32_t mask,
			   uint32_t bytes);
/* Without conflicts. */
unsigned bank_min(const struct bank_shape *s, uint32_t mask, uint32_t bytes);

/* Of 32 banks of 4 bytes: 1 without conflicts for up to 4 bytes a lane, 2 for
 * 8, 4 for 16. */
unsigned bank_passes(const uint64_t addr[WARP_LANES], uint32_t mask,
		     uint32_t bytes);
unsigned bank_ideal(uint32_t mask, uint32_t bytes);

#endif
