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

/* Bytes of a vector; the ways whose comparisons fit the bits of one word. */
enum { WAYS_STEP = 32, WAYS_GROUP = 2 * WAYS_STEP };

/* Values are at most 127: hosts have no comparison of unsigned bytes. */
typedef int8_t ways_t
	__attribute__((vector_size(WAYS_STEP), aligned(16), may_alias));

#ifdef __AVX2__ /* an instruction takes a bit of each byte */

typedef char ways_signs_t __attribute__((vector_size(WAYS_STEP)));

static inline uint64_t ways_bits(const uint8_t *ways, uint8_t byte)
{
	typedef uint8_t bytes_t
		__attribute__((vector_size(WAYS_STEP), aligned(16), may_alias));
	bytes_t w = *(const bytes_t *)(const void *)ways;

	return (uint32_t)__builtin_ia32_pmovmskb256((ways_signs_t)(w == byte));
}

/* Compares one vector, or two. */
static inline uint64_t ways_compare(const uint8_t *ways, uint32_t padded,
				    uint8_t byte)
{
	uint64_t all = ways_bits(ways, byte);

	if (padded > WAYS_STEP)
		all |= ways_bits(ways + WAYS_STEP, byte) << WAYS_STEP;
	return all;
}

/* Returns the way of the lowest bit, relative to the group. */
static inline uint32_t ways_first(uint64_t equal)
{
	return (uint32_t)__builtin_ctzll(equal);
}

#else

/* Half a vector, of which a group has so many. */
enum { WAYS_HALF = WAYS_STEP / 2, WAYS_HALVES = WAYS_GROUP / WAYS_HALF };

typedef uint8_t ways_half_t __attribute__((vector_size(WAYS_HALF), may_alias));
typedef uint64_t ways_words_t __attribute__((vector_size(WAYS_HALF)));

/* Bit i of a byte is the result of half i. */
static inline uint64_t ways_compare(const uint8_t *ways, uint32_t padded,
				    uint8_t byte)
{
	const ways_half_t *w = (const ways_half_t *)(const void *)ways;
	ways_half_t all = (ways_half_t)(w[0] == byte) & 1;
	ways_words_t words;

	all |= (ways_half_t)(w[1] == byte) & 2;
	if (padded > WAYS_STEP) {
		all |= (ways_half_t)(w[2] == byte) & 4;
		all |= (ways_half_t)(w[3] == byte) & 8;
	}
	words = (ways_words_t)all;
	return words[0] | words[1] << WAYS_HALVES;
}

static inline uint32_t ways_first(uint64_t equal)
{
	uint32_t bit = (uint32_t)__builtin_ctzll(equal);
	uint32_t half = bit % WAYS_HALVES;

	return half * WAYS_HALF + bit % 8 / WAYS_HALVES * 8 + bit / 8;
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
	return ways_compare(ways + from, padded - from, byte);
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

/* Adds one to the ranks below `old`. A comparison that holds gives -1. The way's own
 * rank, which no other has, is cleared here too: a store of one byte would delay
 * the next load of the vector. */
static inline void ways_rotate_step(uint8_t *rank, uint8_t old)
{
	ways_t *r = (ways_t *)(void *)rank, was = *r;

	*r = (was - (ways_t)(was < (int8_t)old)) &
	     ~(ways_t)(was == (int8_t)old);
}

/* Gives rank 0 to the way of rank `old`; those below `old` move up by one. */
static inline void ways_rotate(uint8_t *rank, uint32_t padded, uint8_t old)
{
	ways_rotate_step(rank, old);
	for (uint32_t i = WAYS_STEP; i < padded; i += WAYS_STEP)
		ways_rotate_step(rank + i, old);
}

/* Makes the way the newest of its set. */
static inline void ways_renew(uint8_t *rank, uint32_t padded, uint32_t way)
{
	ways_rotate(rank, padded, rank[way]);
}

#endif
