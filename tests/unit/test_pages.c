/* Memory of the host in pages: base/pages.h. */
#include "test.h"

#include "base/pages.h"

TEST(pages, what_is_committed_is_zero_each_time)
{
	char *p = pages_reserve(2 * PAGES_UNIT);

	OK(p != NULL);
	EQ(0, (uintptr_t)p % PAGES_UNIT);
	for (int i = 0; i < 2; i++) {
		OK(pages_commit(p + PAGES_UNIT, PAGES_UNIT, i));
		for (int k = 0; k < PAGES_UNIT; k += 4096) {
			EQ(0, p[PAGES_UNIT + k]);
			p[PAGES_UNIT + k] = 7;
		}
		pages_decommit(p + PAGES_UNIT, PAGES_UNIT);
	}
	pages_unmap(p, 2 * PAGES_UNIT);
}

TEST(pages, addresses_that_are_not_reserved_cannot_be_committed)
{
	char *p = pages_reserve(PAGES_UNIT);

	OK(p != NULL);
	pages_unmap(p, PAGES_UNIT);
	OK(!pages_commit(p, PAGES_UNIT, false));
}

TEST(pages, an_address_in_use_is_not_mapped_again)
{
	size_t bytes = 1 << 16;
	char *p = pages_map(bytes);

	OK(p != NULL);
	*p = 1;
	EQ(NULL, pages_map_at(p, bytes));
	EQ(1, *p);
	pages_unmap(p, bytes);
	EQ(p, pages_map_at(p, bytes));
	EQ(0, *p);
	pages_unmap(p, bytes);
}

TEST(pages, clearing_reaches_every_byte_whatever_the_size)
{
	static const size_t sizes[] = { 1, 4096, 4 << 20, (9 << 20) + 5 };

	for (int i = 0; i < 4; i++) {
		char *p = pages_map(sizes[i] + 2);

		OK(p != NULL);
		for (size_t k = 0; k < sizes[i] + 2; k++)
			p[k] = 1;
		pages_clear(p + 1, sizes[i]);
		EQ(1, p[0]);
		for (size_t k = 0; k < sizes[i]; k++)
			if (p[1 + k])
				EQ(0, p[1 + k]);
		EQ(1, p[1 + sizes[i]]);
		pages_unmap(p, sizes[i] + 2);
	}
}
