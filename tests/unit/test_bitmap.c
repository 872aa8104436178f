/* Bitmaps that threads share. */
#include <stddef.h>

#include "test.h"

#include "base/bitmap.h"

TEST(bitmap, a_bit_is_set_and_cleared_and_no_other)
{
	for (int alone = 0; alone < 2; alone++) {
		bitmap_word map[3] = { 0 };

		for (uint32_t i = 0; i < 192; i++) {
			bitmap_set(map, i, true, alone);
			for (uint32_t k = 0; k < 192; k++)
				EQ(k == i, bitmap_has(map, k));
			bitmap_set(map, i, true, alone);
			OK(bitmap_has(map, i));
			bitmap_set(map, i, false, alone);
			bitmap_set(map, i, false, alone);
			OK(!bitmap_has(map, i));
		}
	}
}

TEST(bitmap, a_bit_that_often_changes_is_put_and_no_other)
{
	for (int alone = 0; alone < 2; alone++) {
		bitmap_word map[2] = { 0x5555, 0x5555 };

		for (uint32_t i = 0; i < 128; i++) {
			bool was = bitmap_has(map, i);

			bitmap_put(map, i, was, alone);
			EQ(was, bitmap_has(map, i));
			bitmap_put(map, i, !was, alone);
			EQ(!was, bitmap_has(map, i));
			bitmap_put(map, i, was, alone);
		}
		EQ(0x5555, bitmap_word_at(map, 0));
		EQ(0x5555, bitmap_word_at(map, 1));
	}
}

TEST(bitmap, bits_are_added_to_a_word)
{
	bitmap_word map[2] = { 3, 3 };

	bitmap_add(map, 1, 6);
	EQ(3, bitmap_word_at(map, 0));
	EQ(7, bitmap_word_at(map, 1));
}

TEST(bitmap, as_many_words_as_needed_are_cleared)
{
	bitmap_word map[3] = { ~0u, ~0u, ~0u };

	EQ(0, bitmap_words(0));
	EQ(1, bitmap_words(1));
	EQ(1, bitmap_words(64));
	EQ(2, bitmap_words(65));
	bitmap_clear(map, 65);
	EQ(0, bitmap_word_at(map, 0));
	EQ(0, bitmap_word_at(map, 1));
	OK(bitmap_word_at(map, 2));
	OK(!bitmap_any(map, 128));
	OK(bitmap_any(map, 129));
}

TEST(bitmap, a_mask_has_the_bits_of_a_range_in_a_word)
{
	const uint32_t ends[] = { 0, 1, 63, 64, 65, 100, 127, 128, 129, 192 };
	const size_t n = sizeof(ends) / sizeof(ends[0]);

	for (size_t a = 0; a < n; a++)
		for (size_t b = a; b < n; b++)
			for (uint32_t i = 0; i < 192; i++) {
				uint64_t mask =
					bitmap_mask(i / 64, ends[a], ends[b]);

				EQ(i >= ends[a] && i < ends[b],
				   mask >> i % 64 & 1);
			}
}
