/* Sectors and bank passes of one memory instruction. */
#include "sm/coalesce.h"

#include <string.h>

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

TEST(coalesce, words_that_start_inside_of_a_sector_need_one_more)
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

TEST(coalesce, halves_of_a_warp_pass_the_banks_as_their_lanes_do)
{
	uint64_t a[WARP_LANES];

	for (uint64_t at = 0; at < 200; at++) {
		const uint64_t half[2] = { 4 * 100, 4 * at };

		for (unsigned l = 0; l < WARP_LANES; l++)
			a[l] = half[l / 16] + 4 * (l % 16);
		EQ(bank_passes(a, (uint32_t)ALL, 4),
		   bank_passes_of_halves(half));
	}
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

static uint32_t random_below(uint64_t *state, uint32_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 32) * n >> 32);
}

TEST(coalesce, units_of_consecutive_words_come_in_order_with_their_sectors)
{
	struct unit u[COALESCE_MAX];
	uint64_t a[WARP_LANES];

	strided(a, 0x1000, 4);
	EQ(1, coalesce(u, NULL, a, (uint32_t)ALL, 4, 7));
	EQ(0x20u, u[0].number);
	EQ(15u, u[0].pieces);
	EQ(32u, u[0].lanes);
	strided(a, 0x1070, 8);
	EQ(3, coalesce(u, NULL, a, (uint32_t)ALL, 8, 7));
	EQ(8u, u[0].pieces);
	EQ(2u, u[0].lanes);
	EQ(0x21u, u[1].number);
	EQ(15u, u[1].pieces);
	EQ(16u, u[1].lanes);
	EQ(15u, u[2].pieces);
	EQ(14u, u[2].lanes);
	EQ(1, coalesce(u, NULL, a, (uint32_t)ALL, 8, 10));
	EQ(4u, u[0].number);
	EQ(0xff8u, u[0].pieces);
}

TEST(coalesce, units_are_in_the_order_of_their_first_lane)
{
	struct unit u[COALESCE_MAX];
	uint64_t a[WARP_LANES];

	for (int l = 0; l < WARP_LANES; l++)
		a[l] = (uint64_t)(3 - l % 4) * 128 + 64;
	EQ(4, coalesce(u, NULL, a, (uint32_t)ALL, 4, 7));
	for (unsigned i = 0; i < 4; i++) {
		EQ(3 - i, u[i].number);
		EQ(4u, u[i].pieces);
		EQ(8u, u[i].lanes);
	}
	EQ(0, coalesce(u, NULL, a, 0, 4, 7));
}

TEST(coalesce, an_access_may_span_two_units)
{
	struct unit u[COALESCE_MAX];
	uint64_t a[WARP_LANES];

	strided(a, 112, 4096);
	EQ(64, coalesce(u, NULL, a, (uint32_t)ALL, 64, 7));
	EQ(8u, u[0].pieces);
	EQ(3u, u[1].pieces);
}

/* Every byte of every lane is in the units' masks, and nothing else is. */
static void check_bytes(const uint64_t a[WARP_LANES], uint32_t mask,
			uint32_t bytes)
{
	static struct unit u[COALESCE_MAX];
	static uint32_t written[COALESCE_MAX][UNIT_PIECES];
	uint32_t want[UNIT_PIECES], n, lanes, units = 0;

	n = coalesce(u, written, a, mask, bytes, 7);
	for (uint32_t i = 0; i < n; i++) {
		memset(want, 0, sizeof(want));
		lanes = 0;
		for (int l = 0; l < WARP_LANES; l++) {
			bool here = false;

			for (uint32_t b = 0; b < bytes && mask >> l & 1; b++)
				if ((a[l] + b) / 128 == u[i].number) {
					want[(a[l] + b) / 32 % 4] |=
						1u << (a[l] + b) % 32;
					here = true;
				}
			lanes += here;
		}
		EQ(lanes, u[i].lanes);
		OK(lanes > 0);
		for (unsigned p = 0; p < UNIT_PIECES; p++) {
			EQ(want[p] != 0, u[i].pieces >> p & 1);
			if (want[p])
				EQ(want[p], written[i][p]);
		}
		for (uint32_t k = 0; k < i; k++)
			OK(u[k].number != u[i].number);
		units += (uint32_t)__builtin_popcount(u[i].pieces);
	}
	EQ(coalesce_sectors(a, mask, bytes, 32), units);
}

TEST(coalesce, byte_masks_hold_what_lanes_write)
{
	uint64_t seed = 88172645463325252u, a[WARP_LANES];

	for (int round = 0; round < 3000; round++) {
		uint32_t bytes = 1u << random_below(&seed, 6);
		uint32_t mask = (uint32_t)ALL, how = random_below(&seed, 4);
		uint64_t base = random_below(&seed, 64) * bytes;

		if (random_below(&seed, 2))
			mask = random_below(&seed, UINT32_MAX);
		if (random_below(&seed, 4) == 0)
			mask = 0xffffu << random_below(&seed, 17);
		for (uint32_t l = 0; l < WARP_LANES; l++)
			a[l] = how == 3 ?
				       base + random_below(&seed, 600) * bytes :
				       base + l * how * bytes;
		check_bytes(a, mask, bytes);
		if (round % 8 == 0)
			check_bytes(a, mask, 48); /* any size, any place */
	}
}

/* Consecutive words of each half are coalesced as their 32 addresses are. */
static void check_halves(const uint64_t half[2], bool write, unsigned shift)
{
	static struct unit want[COALESCE_MAX], got[COALESCE_MAX];
	static uint32_t w[COALESCE_MAX][UNIT_PIECES], g[COALESCE_MAX][4];
	uint64_t a[WARP_LANES];
	unsigned n;

	for (unsigned l = 0; l < WARP_LANES; l++)
		a[l] = half[l / 16] + l % 16 * 4;
	n = coalesce(want, write ? w : NULL, a, (uint32_t)ALL, 4, shift);
	EQ(n, coalesce_halves(got, write ? g : NULL, half, shift));
	for (unsigned i = 0; i < n; i++) {
		EQ(want[i].number, got[i].number);
		EQ(want[i].pieces, got[i].pieces);
		EQ(want[i].lanes, got[i].lanes);
		for (unsigned p = 0; write && p < UNIT_PIECES; p++)
			if (want[i].pieces >> p & 1)
				EQ(w[i][p], g[i][p]);
	}
}

TEST(coalesce, halves_of_a_warp_are_coalesced_as_their_lanes_are)
{
	uint64_t seed = 88172645463325252u;

	for (int round = 0; round < 3000; round++) {
		uint64_t half[2] = { random_below(&seed, 128) * 4,
				     random_below(&seed, 128) * 4 };

		if (round % 3 == 0) /* all consecutive */
			half[1] = half[0] + 64;
		check_halves(half, true, 7);
		check_halves(half, false, 7 + random_below(&seed, 4));
	}
}

TEST(coalesce, words_of_local_memory_lie_lane_by_lane)
{
	struct unit u[COALESCE_MAX];
	uint32_t written[COALESCE_MAX][UNIT_PIECES];
	uint64_t a[WARP_LANES];

	strided(a, 10, 0);
	EQ(1, coalesce_local(u, written, 0x8000, a, 0xff00ffffu, 2, 7));
	EQ(0x8000u / 128 + 2, u[0].number);
	EQ(11u, u[0].pieces);
	EQ(0xccccccccu, written[0][0]);
	EQ(0xccccccccu, written[0][3]);
	a[3] = 14; /* the next word */
	EQ(2, coalesce_local(u, written, 0x8000, a, (uint32_t)ALL, 2, 7));
	EQ(0xccccccccu & ~0xf000u, written[0][0]);
	EQ(0x8000u / 128 + 3, u[1].number);
	EQ(0xc000u, written[1][0]);
	EQ(1, coalesce_local(u, NULL, 0x8000, a, 8, 4, 8));
	EQ(0x10u, u[0].pieces);
}

TEST(coalesce, pieces_are_rounded_to_their_group)
{
	EQ(0x21u, pieces_round(0x21, 1));
	EQ(0x33u, pieces_round(0x21, 2));
	EQ(0xffu, pieces_round(0x21, 4));
	EQ(0xf0u, pieces_round(0x80, 4));
	EQ(0xff0000ffu, pieces_round(0x80000001u, 8));
	EQ(0xffff0000u, pieces_round(0x80000000u, 16));
	EQ(~0u, pieces_round(2, 32));
	EQ(0u, pieces_round(0, 32));
}

TEST(coalesce, an_old_gpu_broadcasts_one_word_of_sixteen_banks)
{
	static const struct bank_shape old = { 16, 4, 16, true, false };
	uint64_t a[WARP_LANES];

	strided(a, 0, 4);
	EQ(2, bank_count(&old, a, (uint32_t)ALL, 4));
	EQ(2, bank_min(&old, (uint32_t)ALL, 4));
	strided(a, 8, 0);
	EQ(2, bank_count(&old, a, (uint32_t)ALL, 4));
	/* First one pair and a lane of each other one, then the rest. */
	for (int l = 0; l < WARP_LANES; l++)
		a[l] = (uint64_t)(l / 2) * 4;
	EQ(2, bank_count(&old, a, 0xffff, 4));
	strided(a, 0, 8);
	EQ(2, bank_count(&old, a, 0xffff, 4));
}

TEST(coalesce, two_groups_without_conflict_share_a_pass)
{
	static const struct bank_shape s = { 32, 4, 32, false, true };
	uint64_t a[WARP_LANES];

	strided(a, 64, 0);
	EQ(1, bank_count_load(&s, a, (uint32_t)ALL, 8)); /* one vector */
	EQ(2, bank_count_load(&s, a, (uint32_t)ALL, 16));
	EQ(4, bank_count(&s, a, (uint32_t)ALL, 16)); /* a store */
	EQ(1, bank_count_load(&s, a, (uint32_t)ALL, 4));
	strided(a, 0, 8); /* the halves need two words of each bank */
	EQ(2, bank_count_load(&s, a, (uint32_t)ALL, 8));
	strided(a, 0, 16);
	EQ(4, bank_count_load(&s, a, (uint32_t)ALL, 16));
	for (int l = 0; l < WARP_LANES; l++)
		a[l] = (uint64_t)(l / 16) * 136; /* other banks */
	EQ(1, bank_count_load(&s, a, (uint32_t)ALL, 8));
	EQ(2, bank_count_load(&s, a, (uint32_t)ALL, 16));
	for (int l = 0; l < WARP_LANES; l++)
		a[l] = (uint64_t)(l / 16) * 128; /* the same banks */
	EQ(2, bank_count_load(&s, a, (uint32_t)ALL, 8));
	EQ(1, bank_count_load(&s, a, 0xffff, 8));
	EQ(0, bank_count_load(&s, a, 0, 8));
}

TEST(coalesce, two_lanes_that_want_one_bank_take_two_passes)
{
	static const struct bank_shape s = { 32, 4, 32, false, false };
	uint64_t a[WARP_LANES];

	for (uint64_t far = 32; far <= 32 * 64; far += 32) {
		a[0] = 0;
		a[1] = far * 4;
		EQ(2, bank_count(&s, a, 3, 4));
		a[1] = far * 4 + 4;
		EQ(1, bank_count(&s, a, 3, 4));
		a[0] = 31 * 4;
		EQ(1, bank_count(&s, a, 3, 4));
		a[1] = far * 4 + 31 * 4;
		EQ(2, bank_count(&s, a, 3, 4));
	}
}

TEST(coalesce, a_lane_that_is_wider_than_a_pass_takes_one_of_its_own)
{
	static const struct bank_shape narrow = { 32, 4, 2, false, false };
	uint64_t a[WARP_LANES];

	strided(a, 0, 16);
	EQ(32, bank_min(&narrow, (uint32_t)ALL, 16));
	EQ(3, bank_min(&narrow, 7, 16));
	EQ(32, bank_count(&narrow, a, (uint32_t)ALL, 16));
}

TEST(coalesce, atomics_on_one_word_pass_one_by_one)
{
	static const struct bank_shape s = { 32, 4, 32, false, false };
	uint64_t a[WARP_LANES];

	strided(a, 0, 0);
	EQ(32, bank_count_atomic(&s, a, (uint32_t)ALL, 4));
	EQ(32, bank_count_atomic(&s, a, (uint32_t)ALL, 8));
	strided(a, 0, 4);
	EQ(1, bank_count_atomic(&s, a, (uint32_t)ALL, 4));
	strided(a, 0, 8);
	EQ(2, bank_count_atomic(&s, a, (uint32_t)ALL, 4));
}

/* The maximum number of distinct words of one bank, counted the slow way. */
static unsigned naive_passes(const uint64_t a[WARP_LANES], uint32_t mask)
{
	unsigned most = 0;

	for (unsigned bank = 0; bank < 32; bank++) {
		unsigned words = 0;

		for (int l = 0; l < WARP_LANES; l++) {
			bool fresh = mask >> l & 1 && a[l] / 4 % 32 == bank;

			for (int k = 0; k < l; k++)
				if (mask >> k & 1 && a[k] / 4 == a[l] / 4)
					fresh = false;
			words += fresh;
		}
		most = words > most ? words : most;
	}
	return most;
}

TEST(coalesce, passes_are_those_of_a_naive_count)
{
	uint64_t seed = 2463534242u, a[WARP_LANES];

	for (int round = 0; round < 2000; round++) {
		uint32_t mask = (uint32_t)ALL, how = random_below(&seed, 4);
		uint32_t span = 1u << random_below(&seed, 10);

		if (random_below(&seed, 2))
			mask = random_below(&seed, UINT32_MAX);
		for (uint32_t l = 0; l < WARP_LANES; l++)
			a[l] = 4 * (how == 3 ? random_below(&seed, span) :
					       span + l * how * (span % 5));
		EQ(naive_passes(a, mask), bank_passes(a, mask, 4));
	}
}

/* What atomics of all lanes at these addresses count, in their one unit. */
static uint32_t counted(const uint64_t a[WARP_LANES])
{
	struct unit u[COALESCE_MAX];
	uint32_t n[COALESCE_MAX];

	EQ(1, coalesce(u, NULL, a, (uint32_t)ALL, 4, UNIT_SHIFT));
	coalesce_atomics(n, u, 1, a, (uint32_t)ALL,
			 coalesce_same(a, (uint32_t)ALL));
	return n[0];
}

TEST(coalesce, atomics_count_a_sector_for_each_lane_on_an_address)
{
	/* As measured on an H200, a warp that adds: words in order 4 sectors,
	 * one word 32; each of 16 words in a line twice 8; each of 4 words in a
	 * sector, or in as many sectors, 8 times 8 and 32. */
	uint64_t a[WARP_LANES];

	strided(a, 0x1000, 4);
	EQ(4, counted(a));
	strided(a, 0x1000, 0);
	EQ(32, counted(a));
	for (unsigned l = 0; l < WARP_LANES; l++)
		a[l] = 0x1000 + l / 2 * 8;
	EQ(8, counted(a));
	for (unsigned l = 0; l < WARP_LANES; l++)
		a[l] = 0x1000 + l / 8 * 8;
	EQ(8, counted(a));
	for (unsigned l = 0; l < WARP_LANES; l++)
		a[l] = 0x1000 + l / 8 * 32;
	EQ(32, counted(a));
	/* One word has 3 lanes, another one of its sector 2, all others 1. */
	strided(a, 0x1000, 4);
	a[1] = a[2] = a[0];
	a[5] = a[4];
	EQ(4 + 2, counted(a));
}
