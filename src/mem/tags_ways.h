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
typedef uint64_t ways_bits_t __attribute__((vector_size(WAYS_STEP)));

/* Compares up to four vectors. Bit i of a byte is the result of vector i. */
static inline ways_bits_t ways_compare(const uint8_t *ways, uint32_t padded,
				       uint8_t byte)
{
	ways_t all = { 0 }, bit = all + 1;

	for (uint32_t i = 0; i < padded; i += WAYS_STEP) {
		ways_t w = *(const ways_t *)(const void *)(ways + i);

		all |= (ways_t)(w == byte) & bit;
		bit += bit;
	}
	return (ways_bits_t)all;
}

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
	ways_bits_t halves;

	/* Loops of constant length for the sizes that most caches have. */
	if (rest >= WAYS_GROUP)
		halves = ways_compare(ways + from, WAYS_GROUP, byte);
	else if (rest == WAYS_STEP)
		halves = ways_compare(ways + from, WAYS_STEP, byte);
	else if (rest == 2 * WAYS_STEP)
		halves = ways_compare(ways + from, 2 * WAYS_STEP, byte);
	else
		halves = ways_compare(ways + from, rest, byte);
	return halves[0] | halves[1] << WAYS_STEPS;
}

/* Returns the way of the lowest bit, relative to the group. */
static inline uint32_t ways_first(uint64_t equal)
{
	uint32_t bit = (uint32_t)__builtin_ctzll(equal);
	uint32_t step = bit % WAYS_STEPS;

	return step * WAYS_STEP + bit % 8 / WAYS_STEPS * 8 + bit / 8;
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
	for (uint32_t i = 0; i < padded; i += WAYS_STEP) {
		ways_t *r = (ways_t *)(void *)(rank + i), was = *r;

		/* A comparison that holds gives -1. The way's own rank, which
		 * no other has, is cleared here too: a store of one byte would
		 * delay the next load of the vector. */
		*r = (was - (ways_t)(was < old)) & ~(ways_t)(was == old);
	}
}

/* Makes the way the newest of its set. */
static inline void ways_renew(uint8_t *rank, uint32_t padded, uint32_t way)
{
	if (padded == WAYS_GROUP)
		ways_rotate(rank, WAYS_GROUP, rank[way]);
	else if (padded == WAYS_STEP)
		ways_rotate(rank, WAYS_STEP, rank[way]);
	else if (padded == 2 * WAYS_STEP)
		ways_rotate(rank, 2 * WAYS_STEP, rank[way]);
	else
		ways_rotate(rank, padded, rank[way]);
}

#endif
