/*
 * Bitmaps that several threads may write to. Each bit is written by one thread
 * at a time, but 64 of them share a word: so with several threads a change is an
 * atomic operation, which takes the host longer than a plain one.
 */
#ifndef HEDDLE_BASE_BITMAP_H
#define HEDDLE_BASE_BITMAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef atomic_uint_least64_t bitmap_word;

static inline uint32_t bitmap_words(uint32_t bits)
{
	return (bits + 63) / 64;
}

static inline uint64_t bitmap_word_at(const bitmap_word *map, uint32_t word)
{
	return atomic_load_explicit(&map[word], memory_order_relaxed);
}

static inline bool bitmap_has(const bitmap_word *map, uint32_t i)
{
	return bitmap_word_at(map, i / 64) >> i % 64 & 1;
}

/* Sets bit i to a value that is often another one than before, so that the host
 * cannot predict it. alone: no other thread writes to the map. */
static inline void bitmap_put(bitmap_word *map, uint32_t i, bool value,
			      bool alone)
{
	bitmap_word *word = &map[i / 64];
	uint64_t bit = UINT64_C(1) << i % 64;
	uint64_t old = atomic_load_explicit(word, memory_order_relaxed);

	if (alone)
		atomic_store_explicit(word,
				      (old & ~bit) | (uint64_t)value << i % 64,
				      memory_order_relaxed);
	else if (!(old & bit) == !value)
		return;
	else if (value)
		atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
}

/* Sets some bits of a word. No other thread writes to the map. */
static inline void bitmap_add(bitmap_word *map, uint32_t word, uint64_t bits)
{
	uint64_t old = bitmap_word_at(map, word);

	atomic_store_explicit(&map[word], old | bits, memory_order_relaxed);
}

/* Clears some. */
static inline void bitmap_remove(bitmap_word *map, uint32_t word, uint64_t bits)
{
	uint64_t old = bitmap_word_at(map, word);

	atomic_store_explicit(&map[word], old & ~bits, memory_order_relaxed);
}

/* Sets bit i to a value that it usually has already. */
static inline void bitmap_set(bitmap_word *map, uint32_t i, bool value,
			      bool alone)
{
	bitmap_word *word = &map[i / 64];
	uint64_t bit = UINT64_C(1) << i % 64;
	uint64_t old = atomic_load_explicit(word, memory_order_relaxed);

	if (!(old & bit) == !value)
		return;
	if (alone)
		atomic_store_explicit(word, old ^ bit, memory_order_relaxed);
	else if (value)
		atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
	else
		atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed);
}

static inline void bitmap_clear(bitmap_word *map, uint32_t bits)
{
	for (uint32_t i = 0; i < bitmap_words(bits); i++)
		atomic_store_explicit(&map[i], 0, memory_order_relaxed);
}

static inline bool bitmap_any(const bitmap_word *map, uint32_t bits)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < bitmap_words(bits); i++)
		all |= bitmap_word_at(map, i);
	return all;
}

/* Of the bits [first, end), those in a word. */
static inline uint64_t bitmap_mask(uint32_t word, uint32_t first, uint32_t end)
{
	uint64_t mask = UINT64_MAX;

	if (first > word * 64)
		mask = first < (word + 1) * 64 ? mask << first % 64 : 0;
	if (end < (word + 1) * 64)
		mask &= end > word * 64 ? UINT64_MAX >> (64 - end % 64) : 0;
	return mask;
}

#endif
