/*
 * The lanes of a warp, and masks over them.
 *
 * The number of lanes is a property of the instruction set (isa.lanes).
 * Functional execution spends its time in loops over lanes, so the number is a
 * compile-time constant: the sources of simt/ are compiled for one width,
 * LANES, and can be compiled again for another (tests/simt64 does). Masks are
 * wide enough for every width, so that records and calls that carry them are
 * the same for all widths.
 */
#ifndef HEDDLE_ARCH_LANES_H
#define HEDDLE_ARCH_LANES_H

#include <stdbool.h>
#include <stdint.h>

#ifndef LANES
#define LANES 32
#endif

enum { LANES_MAX = 64 };
_Static_assert(LANES >= 2 && LANES <= LANES_MAX && !(LANES & (LANES - 1)),
	       "a warp has a power of two of lanes, at most LANES_MAX");

/* Bit l is lane l. */
typedef uint64_t lanes_t;

/* A predicate of all lanes, as registers hold it. */
#if LANES > 32
typedef uint64_t pred_t;
#else
typedef uint32_t pred_t;
#endif

/* Every lane of a warp. */
#define LANES_ALL (~(lanes_t)0 >> (LANES_MAX - LANES))

/* Whether a mask of a warp's lanes has all of them. Its upper bits are zero, so
 * they need not be looked at. */
static inline bool lanes_are_all(lanes_t mask)
{
	return (pred_t)mask == (pred_t)LANES_ALL;
}

/* The mask of one lane, and of those below it. */
static inline lanes_t lane_bit(unsigned lane)
{
	return (lanes_t)1 << lane;
}
static inline lanes_t lanes_below(unsigned lane)
{
	return lane < LANES_MAX ? lane_bit(lane) - 1 : ~(lanes_t)0;
}

/* The first and the last lane of a mask that is not empty. */
static inline unsigned lanes_first(lanes_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}
static inline unsigned lanes_last(lanes_t mask)
{
	return LANES_MAX - 1 - (unsigned)__builtin_clzll(mask);
}

static inline unsigned lanes_count(lanes_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

#endif
