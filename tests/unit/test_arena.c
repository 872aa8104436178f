#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static int all_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return 0;
	return 1;
}

TEST(arena, memory_comes_zeroed)
{
	struct arena a = { 0 };

	for (size_t n = 1; n < 40000; n = n * 3 + 1) {
		unsigned char *p = arena_alloc(&a, n, 1);

		OK(p != NULL);
		EQ(1, all_zero(p, n));
		memset(p, 0xff, n);
	}
	arena_free(&a);
}

TEST(arena, requests_do_not_overlap)
{
	enum { N = 3000 };
	struct arena a = { 0 };
	static unsigned char *p[N];
	static size_t size[N];
	unsigned seed = 1;

	for (int i = 0; i < N; i++) {
		seed = seed * 1664525u + 1013904223u;
		size[i] = 1 + (seed >> 16) % (i % 100 ? 300 : 30000);
		p[i] = arena_new(&a, unsigned char, size[i]);
		OK(p[i] != NULL);
		memset(p[i], i & 0xff, size[i]);
	}
	for (int i = 0; i < N; i++)
		for (size_t j = 0; j < size[i]; j++)
			if (p[i][j] != (i & 0xff))
				EQ(i & 0xff, p[i][j]);
	arena_free(&a);
}

TEST(arena, rooms_come_zeroed_and_do_not_overlap_anything)
{
	enum { N = 40 };
	struct arena a = { 0 };
	unsigned char *p[N];
	size_t size[N], used = 0;

	for (size_t i = 0; i < N; i++) {
		size[i] = (i % 4 ? 9000 : 900000) + 1000 * i;
		p[i] = i % 3 ? arena_room(&a, unsigned char, size[i]) :
			       arena_new(&a, unsigned char, size[i]);
		OK(p[i] != NULL);
		EQ(0, (uintptr_t)p[i] % 64);
		EQ(1, all_zero(p[i], size[i]));
		memset(p[i], 1 + (int)i, size[i]);
		used += size[i];
	}
	EQ(used, a.used);
	for (size_t i = 0; i < N; i++) {
		EQ(1 + i, p[i][0]);
		OK(!memcmp(p[i], p[i] + 1, size[i] - 1));
	}
	arena_free(&a);
}

TEST(arena, a_room_whose_size_overflows_gives_null)
{
	struct arena a = { 0 };

	OK(arena_room(&a, uint64_t, SIZE_MAX / 4) == NULL);
	OK(arena_room(&a, uint64_t, SIZE_MAX / 8) == NULL);
	EQ(0, a.used);
	arena_free(&a);
}

TEST(arena, small_requests_align_to_16_and_large_ones_to_64)
{
	struct arena a = { 0 };

	for (size_t n = 1; n < 70000; n += n / 2 + 1) {
		uintptr_t at = (uintptr_t)arena_alloc(&a, n, 1);

		OK(at != 0);
		EQ(0, at % (n >= 64 ? 64 : 16));
	}
	arena_free(&a);
}

TEST(arena, a_request_for_nothing_gets_a_place_of_its_own)
{
	struct arena a = { 0 };
	void *p = arena_alloc(&a, 0, 8);
	void *q = arena_alloc(&a, 8, 0);

	OK(p != NULL);
	OK(q != NULL);
	OK(p != q);
	arena_free(&a);
}

TEST(arena, a_size_that_overflows_gives_null_and_changes_nothing)
{
	struct arena a = { 0 };

	EQ(NULL, arena_alloc(&a, SIZE_MAX, 2));
	EQ(NULL, arena_alloc(&a, SIZE_MAX / 8 + 1, 8));
	EQ(NULL, arena_alloc(&a, SIZE_MAX, 1));
	EQ(NULL, arena_alloc(&a, SIZE_MAX - 63, 1));
	EQ(0, a.used);
	OK(arena_alloc(&a, 10, 10) != NULL);
	arena_free(&a);
}

TEST(arena, it_counts_the_bytes_handed_out)
{
	struct arena a = { 0 };

	arena_alloc(&a, 3, 100);
	EQ(300, a.used);
	arena_alloc(&a, 1, 1 << 20);
	EQ(300 + (1 << 20), a.used);
	arena_free(&a);
	EQ(0, a.used);
}

TEST(arena, a_large_request_leaves_the_current_block_in_use)
{
	struct arena a = { 0 };
	char *p = arena_alloc(&a, 16, 1);

	arena_alloc(&a, 1 << 20, 1);
	EQ(p + 16, (char *)arena_alloc(&a, 16, 1));
	arena_free(&a);
}

TEST(arena, strndup_copies_n_bytes_and_ends_them)
{
	struct arena a = { 0 };

	STREQ("ab", arena_strndup(&a, "abcdef", 2));
	STREQ("", arena_strndup(&a, "abcdef", 0));
	arena_free(&a);
}

TEST(arena, an_allocation_after_the_seal_is_a_bug)
{
	struct arena a = { 0 };

	OK(arena_alloc(&a, 1, 1) != NULL);
	arena_seal(&a);
	DIES(arena_alloc(&a, 1, 1));
	arena_free(&a);
}

TEST(arena, a_freed_arena_can_be_used_again)
{
	struct arena a = { 0 };

	arena_alloc(&a, 1, 100000);
	arena_seal(&a);
	arena_free(&a);
	EQ(NULL, a.top);
	OK(arena_alloc(&a, 1, 100) != NULL);
	EQ(100, a.used);
	arena_free(&a);
}
