/* Sectors and bank passes of one memory instruction. */
#include "sm/coalesce.h"
#include "test.h"

enum { ALL = -1 };

/* Lane l at base + l * stride. */
static void strided(uint64_t addr[WARP_LANES], uint64_t base, uint64_t stride)
{
	for (int l = 0; l < WARP_LANES; l++)
		addr[l] = base + (uint64_t)l * stride;
}

TEST(coalesce, consecutive_words_fill_four_sectors)
{
	uint64_t a[WARP_LANES];

	strided(a, 0x1000, 4);
	EQ(4, coalesce_sectors(a, (uint32_t)ALL, 4, 32));
	EQ(1, coalesce_sectors(a, (uint32_t)ALL, 4, 128));
	EQ(4, coalesce_ideal((uint32_t)ALL, 4, 32));
}

TEST(coalesce, a_row_that_starts_inside_of_a_sector_needs_one_more)
{
	uint64_t a[WARP_LANES];

	strided(a, 0x1010, 4);
	EQ(5, coalesce_sectors(a, (uint32_t)ALL, 4, 32));
}

TEST(coalesce, a_stride_of_a_sector_or_more_needs_one_for_each_lane)
{
	uint64_t a[WARP_LANES];

	strided(a, 0, 32);
	EQ(32, coalesce_sectors(a, (uint32_t)ALL, 4, 32));
	strided(a, 0, 4096);
	EQ(32, coalesce_sectors(a, (uint32_t)ALL, 4, 32));
	EQ(3, coalesce_sectors(a, 0x80010001u, 4, 32));
}

TEST(coalesce, lanes_at_one_address_share_a_sector)
{
	uint64_t a[WARP_LANES];

	strided(a, 0x40, 0);
	EQ(1, coalesce_sectors(a, (uint32_t)ALL, 4, 32));
	EQ(0, coalesce_sectors(a, 0, 4, 32));
}

TEST(coalesce, wide_accesses_span_sectors)
{
	uint64_t a[WARP_LANES];

	strided(a, 0, 16);
	EQ(16, coalesce_sectors(a, (uint32_t)ALL, 16, 32));
	strided(a, 0, 128);
	EQ(128, coalesce_sectors(a, (uint32_t)ALL, 128, 32));
}

TEST(coalesce, consecutive_words_pass_the_banks_at_once)
{
	uint64_t a[WARP_LANES];

	strided(a, 0, 4);
	EQ(1, bank_passes(a, (uint32_t)ALL, 4));
	strided(a, 64, 0);
	EQ(1, bank_passes(a, (uint32_t)ALL, 4));
	strided(a, 1, 1); /* bytes of nine words */
	EQ(1, bank_passes(a, (uint32_t)ALL, 1));
	EQ(0, bank_passes(a, 0, 4));
}

TEST(coalesce, a_stride_of_two_to_the_n_words_conflicts_that_often)
{
	static const unsigned words[] = { 1, 2, 4, 8, 16, 32, 64 };
	static const unsigned want[] = { 1, 2, 4, 8, 16, 32, 32 };
	uint64_t a[WARP_LANES];

	for (int i = 0; i < 7; i++) {
		strided(a, 0, 4 * words[i]);
		EQ(want[i], bank_passes(a, (uint32_t)ALL, 4));
	}
	strided(a, 0, 4 * 33);
	EQ(1, bank_passes(a, (uint32_t)ALL, 4));
}

TEST(coalesce, eight_and_sixteen_bytes_go_by_half_and_quarter_warps)
{
	uint64_t a[WARP_LANES];

	strided(a, 0, 8);
	EQ(2, bank_passes(a, (uint32_t)ALL, 8));
	EQ(2, bank_ideal((uint32_t)ALL, 8));
	strided(a, 0, 16);
	EQ(4, bank_passes(a, (uint32_t)ALL, 16));
	EQ(1, bank_ideal(0xff, 16));
	strided(a, 0, 32);
	EQ(8, bank_passes(a, (uint32_t)ALL, 16));
}
