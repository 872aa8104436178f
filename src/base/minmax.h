/*
 * Minimum, maximum and next multiple of sizes, counts and cycles.
 */
#ifndef HEDDLE_BASE_MINMAX_H
#define HEDDLE_BASE_MINMAX_H

#include <stdint.h>

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The smallest multiple of `to` that is at least n; `to` is not 0. */
static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

#endif
