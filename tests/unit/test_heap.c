/* Device-side malloc against a naive list of allocated blocks. */
#include "simt/heap.h"
#include "test.h"

enum { BASE = 0x1000, BYTES = 1 << 16, MOST = 300, UNIT = 16 };

struct taken {
	uint64_t at, size;
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static int overlaps(const struct taken *t, unsigned n, uint64_t at,
		    uint64_t size)
{
	for (unsigned i = 0; i < n; i++)
		if (at < t[i].at + t[i].size && t[i].at < at + size)
			return 1;
	return 0;
}

TEST(heap, blocks_never_overlap_and_all_memory_is_freed)
{
	struct heap *h = heap_new(BASE, BYTES);
	struct taken t[MOST];
	unsigned n = 0;
	uint32_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		uint64_t size = next_random(&seed) % 700 + 1, at;

		if (n == MOST || (n && next_random(&seed) % 2)) {
			unsigned k = next_random(&seed) % n;

			OK(heap_give(h, t[k].at));
			OK(!heap_give(h, t[k].at));
			t[k] = t[--n];
			continue;
		}
		at = heap_take(h, size);
		if (!at)
			continue;
		EQ(0, at % UNIT);
		OK(at >= BASE && at + size <= BASE + BYTES);
		OK(!overlaps(t, n, at, size));
		t[n++] = (struct taken){ at, size };
	}
	while (n)
		OK(heap_give(h, t[--n].at));
	EQ(BASE, heap_take(h, BYTES)); /* one block again */
	heap_free(h);
}

TEST(heap, refuses_what_it_cannot_do)
{
	struct heap *h = heap_new(BASE, BYTES);
	uint64_t at = heap_take(h, 1);

	EQ(BASE, at);
	EQ(0, heap_take(h, 0));
	EQ(0, heap_take(h, BYTES));
	EQ(0, heap_take(h, UINT64_MAX));
	EQ(BASE + UNIT, heap_take(h, BYTES - UNIT));
	EQ(0, heap_take(h, 1));
	OK(!heap_give(h, at + 1));
	OK(!heap_give(h, at - UNIT));
	OK(!heap_give(h, BASE + BYTES));
	OK(heap_give(h, at));
	EQ(BASE, heap_take(h, UNIT));
	heap_free(h);
}

TEST(heap, the_last_fit_is_found_in_its_own_list)
{
	struct heap *h = heap_new(BASE, 7 * UNIT);

	EQ(BASE, heap_take(h, 7 * UNIT));
	OK(heap_give(h, BASE));
	EQ(BASE, heap_take(h, 6 * UNIT));
	EQ(BASE + 6 * UNIT, heap_take(h, UNIT));
	heap_free(h);
}
