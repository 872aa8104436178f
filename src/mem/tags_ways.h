/*
 * Arrays of one byte for each way of a set, compared and updated as vectors:
 * partial tags, and ranks, which order the ways. For tags*.c only.
 *
 * An array is padded to whole vectors; `padded` is its size. Its padding holds
 * values that no way has.
 */
#ifndef HEDDLE_MEM_TAGS_WAYS_H
#define HEDDLE_MEM_TAGS_WAYS_H

#include <stdint.h>

/* Bytes of a vector; vectors whose comparisons fit the bits of one word;
 * the ways of these, a group. */
enum { WAYS_STEP = 16, WAYS_STEPS = 4, WAYS_GROUP = WAYS_STEP * WAYS_STEPS };

typedef uint8_t ways_t __attribute__((vector_size(WAYS_STEP), may_alias));
/* Two steps at a time. */
typedef uint8_t ways_wide_t __attribute__((vector_size(2 * WAYS_STEP),
					   aligned(WAYS_STEP), may_alias));

#ifdef __AVX2__ /* an instruction takes a bit of each byte */

typedef char ways_sign_t __attribute__((vector_size(WAYS_STEP)));
typedef char ways_signs_t __attribute__((vector_size(2 * WAYS_STEP)));

/* Compares up to four vectors. */
static inline uint64_t ways_compare(const uint8_t *ways, uint32_t padded,
				    uint8_t byte)
{
	uint64_t all = 0;
	uint32_t i = 0;

	for (; i + 2 * WAYS_STEP <= padded; i += 2 * WAYS_STEP) {
		ways_wide_t w = *(const ways_wide_t *)(const void *)(ways + i);
		ways_signs_t equal = (ways_signs_t)(w == byte);

		all |= (uint64_t)(uint32_t)__builtin_ia32_pmovmskb256(equal)
		       << i;
	}
	if (i < padded) {
		ways_t w = *(const ways_t *)(const void *)(ways + i);
		ways_sign_t equal = (ways_sign_t)(w == byte);

		all |= (uint64_t)(uint32_t)__builtin_ia32_pmovmskb128(equal)
		       << i;
	}
	return all;
}

/* Returns the way of the lowest bit, relative to the group. */
static inline uint32_t ways_first(uint64_t equal)
{
	return (uint32_t)__builtin_ctzll(equal);
}

#else

typedef uint64_t ways_bits_t __attribute__((vector_size(WAYS_STEP)));

/* Bit i of a byte is the result of vector i. */
static inline uint64_t ways_compare(const uint8_t *ways, uint32_t padded,
				    uint8_t byte)
{
	ways_t all = { 0 }, bit = all + 1;
	ways_bits_t halves;

	for (uint32_t i = 0; i < padded; i += WAYS_STEP) {
		ways_t w = *(const ways_t *)(const void *)(ways + i);

		all |= (ways_t)(w == byte) & bit;
		bit += bit;
	}
	halves = (ways_bits_t)all;
	return halves[0] | halves[1] << WAYS_STEPS;
}

static inline uint32_t ways_first(uint64_t equal)
{
	uint32_t bit = (uint32_t)__builtin_ctzll(equal);
	uint32_t step = bit % WAYS_STEPS;

	return step * WAYS_STEP + bit % 8 / WAYS_STEPS * 8 + bit / 8;
}

#endif

/*
 * Returns the ways of the group at `from` whose byte equals `byte`: a bit for
 * each, to be decoded by ways_first. All are compared even if the first is
 * equal: the host cannot predict which one it is, and a misprediction costs
 * more than the comparisons.
 */
static inline uint64_t ways_equal(const uint8_t *ways, uint32_t padded,
				  uint32_t from, uint8_t byte)
{
	uint32_t rest = padded - from;

	/* Loops of constant length for the sizes that most caches have. */
	if (rest == 2 * WAYS_STEP)
		return ways_compare(ways + from, 2 * WAYS_STEP, byte);
	if (rest >= WAYS_GROUP)
		return ways_compare(ways + from, WAYS_GROUP, byte);
	if (rest == WAYS_STEP)
		return ways_compare(ways + from, WAYS_STEP, byte);
	return ways_compare(ways + from, 3 * WAYS_STEP, byte);
}

/* Returns the way of this rank, which must exist. */
static inline uint32_t ways_of_rank(const uint8_t *rank, uint32_t padded,
				    uint8_t wanted)
{
	for (uint32_t from = 0;; from += WAYS_GROUP) {
		uint64_t equal = ways_equal(rank, padded, from, wanted);

		if (equal)
			return from + ways_first(equal);
	}
}

/* Gives rank 0 to the way of rank `old`; those below `old` move up by one. */
static inline void ways_rotate(uint8_t *rank, uint32_t padded, uint8_t old)
{
	uint32_t i = 0;

	/* A comparison that holds gives -1. The way's own rank, which no other
	 * has, is cleared here too: a store of one byte would delay the next
	 * load of the vector. */
	for (; i + 2 * WAYS_STEP <= padded; i += 2 * WAYS_STEP) {
		ways_wide_t *r = (ways_wide_t *)(void *)(rank + i), was = *r;

		*r = (was - (ways_wide_t)(was < old)) &
		     ~(ways_wide_t)(was == old);
	}
	if (i < padded) {
		ways_t *r = (ways_t *)(void *)(rank + i), was = *r;

		*r = (was - (ways_t)(was < old)) & ~(ways_t)(was == old);
	}
}

/* Makes the way the newest of its set. */
static inline void ways_renew(uint8_t *rank, uint32_t padded, uint32_t way)
{
	if (padded == 2 * WAYS_STEP)
		ways_rotate(rank, 2 * WAYS_STEP, rank[way]);
	else if (padded == WAYS_GROUP)
		ways_rotate(rank, WAYS_GROUP, rank[way]);
	else if (padded == WAYS_STEP)
		ways_rotate(rank, WAYS_STEP, rank[way]);
	else
		ways_rotate(rank, padded, rank[way]);
}

#endif
