#include "test.h"

#include <string.h>

#include "mem/addrmap.h"

static const uint32_t counts[] = { 1,  2,  3,  6,  7,  8,  10, 12,  16,
				   24, 32, 40, 48, 64, 80, 96, 127, 1024 };
enum { COUNTS = sizeof(counts) / sizeof(*counts) };

static struct addrmap_cfg h200_like(void)
{
	return (struct addrmap_cfg){
		.slices = 96,
		.partitions = 2,
		.interleave = 256,
		.hash = MAP_ROTATE,
		.channels = 96,
		.banks = 16,
		.row_bytes = 1024,
		.bank_bytes = 256,
		.bank_hash = MAP_XOR,
	};
}

static void map_init(struct addrmap *m, const struct addrmap_cfg *c)
{
	struct diag d;

	EQ(ERR_OK, addrmap_init(m, c, &d));
}

/* Numbers that reveal off-by-one errors in a division. */
static uint64_t odd_number(uint64_t i)
{
	static const uint64_t edge[] = {
		0,
		1,
		95,
		96,
		UINT32_MAX,
		UINT64_C(1) << 32,
		UINT64_MAX,
		UINT64_MAX - 1,
		UINT64_MAX / 96 * 96,
		UINT64_MAX / 3,
		UINT64_C(1) << 63,
		UINT64_MAX / 96 * 96 - 1,
	};
	const uint64_t edges = sizeof(edge) / sizeof(*edge);

	if (i < edges)
		return edge[i];
	return (i * UINT64_C(0xd1342543de82ef95) + 1) >> i % 61;
}

TEST(spread, division_by_the_reciprocal_is_exact)
{
	for (int k = 0; k < COUNTS; k++) {
		struct spread s;

		spread_init(&s, counts[k], MAP_NONE);
		for (uint64_t i = 0; i < 20000; i++) {
			uint64_t n = odd_number(i), q;
			uint32_t rest;

			q = spread_divide(&s, n, &rest);
			if (q != n / counts[k] || rest != n % counts[k]) {
				EQ(n / counts[k], q);
				EQ(n % counts[k], rest);
			}
		}
	}
}

TEST(spread, xor_folds_every_group_of_upper_bits_into_the_lower_ones)
{
	for (int bits = 1; bits <= 10; bits++) {
		struct spread s;
		uint64_t round;

		spread_init(&s, 1u << bits, MAP_XOR);
		for (uint64_t i = 0; i < 5000; i++) {
			uint64_t n = odd_number(i);
			uint32_t want = 0;

			for (int at = 0; at < 64; at += bits)
				want ^= (uint32_t)(n >> at) & (s.bins - 1);
			EQ(want, spread_to(&s, n, &round));
			EQ(n >> bits, round);
		}
	}
}

TEST(spread, each_aligned_run_fills_every_bin_once)
{
	for (int k = 0; k < COUNTS; k++) {
		for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
			struct spread s;

			spread_init(&s, counts[k], (enum map_hash)hash);
			for (uint64_t run = 0; run < 50; run++) {
				uint64_t first = run * run * run * s.bins;
				uint8_t seen[1024] = { 0 };

				for (uint64_t i = 0; i < s.bins; i++) {
					uint64_t round;

					seen[spread_to(&s, first + i, &round)]++;
					EQ(run * run * run, round);
				}
				for (uint64_t i = 0; i < s.bins; i++)
					EQ(1, seen[i]);
			}
		}
	}
}

TEST(spread, from_undoes_to)
{
	for (int k = 0; k < COUNTS; k++) {
		for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
			struct spread s;

			spread_init(&s, counts[k], (enum map_hash)hash);
			for (uint64_t i = 0; i < 5000; i++) {
				uint64_t n = odd_number(i), round;
				uint32_t bin = spread_to(&s, n, &round);

				OK(bin < counts[k]);
				EQ(n, spread_from(&s, bin, round));
			}
		}
	}
}

TEST(addrmap, without_hashing_slices_take_turns)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;
	struct slice_place p;

	c.hash = MAP_NONE;
	map_init(&m, &c);
	p = addrmap_slice(&m, 256 * 95 + 17);
	EQ(95, p.slice);
	EQ(17, p.offset);
	p = addrmap_slice(&m, 256 * 96 + 17);
	EQ(0, p.slice);
	EQ(256 + 17, p.offset);
}

/*
 * Proof by counting: the addresses of the first rounds go to distinct places
 * within the first bytes of the slices, which are as many, so each place has
 * one address. The inverse is checked at each.
 */
TEST(addrmap, addresses_and_places_in_slices_are_one_to_one)
{
	enum { ROUNDS = 40, GRANULE = 64 };
	static uint8_t seen[1024 * ROUNDS];

	for (int k = 0; k < COUNTS; k++) {
		for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
			struct addrmap_cfg c = h200_like();
			struct addrmap m;
			uint32_t n = counts[k] * ROUNDS;

			c.slices = c.channels = counts[k];
			c.partitions = 1;
			c.interleave = GRANULE;
			c.hash = (enum map_hash)hash;
			map_init(&m, &c);
			memset(seen, 0, sizeof(seen));
			for (uint64_t a = 7; a < (uint64_t)n * GRANULE;
			     a += GRANULE) {
				struct slice_place p = addrmap_slice(&m, a);

				OK(p.slice < counts[k]);
				OK(p.offset < ROUNDS * GRANULE);
				EQ(7, p.offset % GRANULE);
				EQ(a, addrmap_address(&m, p));
				seen[p.slice * ROUNDS + p.offset / GRANULE]++;
			}
			for (uint32_t i = 0; i < n; i++)
				EQ(1, seen[i]);
		}
	}
}

TEST(addrmap, the_inverse_holds_for_addresses_of_all_64_bits)
{
	struct addrmap_cfg c = h200_like();

	for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
		struct addrmap m;

		c.hash = c.bank_hash = (enum map_hash)hash;
		map_init(&m, &c);
		for (uint64_t i = 0; i < 100000; i++) {
			uint64_t a = odd_number(i);
			struct slice_place p = addrmap_slice(&m, a), q;

			EQ(a, addrmap_address(&m, p));
			q = addrmap_from_dram(&m, addrmap_dram(&m, p));
			EQ(p.slice, q.slice);
			EQ(p.offset, q.offset);
		}
	}
}

/* The most loaded slice relative to the mean, for `rounds` accesses per
 * slice. */
static double imbalance(const struct addrmap *m, uint64_t stride,
			uint32_t rounds)
{
	static uint32_t load[1024];
	uint64_t n = (uint64_t)m->cfg.slices * rounds;
	uint32_t most = 0;

	memset(load, 0, sizeof(load));
	for (uint64_t i = 0; i < n; i++) {
		struct slice_place p = addrmap_slice(m, i * stride);

		if (++load[p.slice] > most)
			most = load[p.slice];
	}
	return (double)most / rounds;
}

TEST(addrmap, strides_of_powers_of_two_spread_evenly_with_hashing)
{
	static const uint32_t slices[] = {
		6, 10, 12, 24, 32, 40, 48, 64, 80, 96
	};

	for (size_t k = 0; k < sizeof(slices) / sizeof(*slices); k++) {
		for (uint32_t granule = 128; granule <= 512; granule *= 2) {
			struct addrmap_cfg c = h200_like();
			struct addrmap m;

			c.slices = c.channels = slices[k];
			c.interleave = granule;
			map_init(&m, &c);
			for (uint64_t s = 128; s <= 1 << 20; s *= 2)
				OK(imbalance(&m, s, 256) < 1.1);
		}
	}
}

TEST(addrmap, other_strides_spread_evenly_too)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	map_init(&m, &c);
	for (uint64_t odd = 3; odd < 16; odd += 2)
		for (uint64_t s = 256; s <= 1 << 20; s *= 2)
			OK(imbalance(&m, odd * s, 1024) < 1.1);
}

TEST(addrmap, xor_is_perfect_for_powers_of_two_and_not_for_other_counts)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	c.hash = MAP_XOR;
	c.slices = c.channels = 64;
	map_init(&m, &c);
	for (uint64_t s = 256; s <= 1 << 20; s *= 2)
		EQ(1.0, imbalance(&m, s, 64));
	c.slices = c.channels = 96;
	map_init(&m, &c);
	OK(imbalance(&m, 4096, 256) > 1.1);
}

TEST(addrmap, without_hashing_a_stride_may_fall_on_few_slices)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	c.hash = MAP_NONE;
	map_init(&m, &c);
	EQ(32.0, imbalance(&m, 256 * 32, 64));
}

TEST(addrmap, neighbouring_slices_share_a_partition)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	map_init(&m, &c);
	EQ(0, addrmap_partition(&m, 0));
	EQ(0, addrmap_partition(&m, 47));
	EQ(1, addrmap_partition(&m, 48));
	EQ(1, addrmap_partition(&m, 95));
}

TEST(addrmap, a_slice_fills_the_banks_in_turn_then_the_rows)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	c.bank_hash = MAP_NONE;
	map_init(&m, &c);
	for (uint64_t offset = 0; offset < 1 << 18; offset += 52) {
		struct dram_place p =
			addrmap_dram(&m, (struct slice_place){ 5, offset });

		EQ(5, p.channel);
		EQ(offset / 256 % 16, p.bank);
		EQ(offset / (1024 * 16), p.row);
		EQ(offset / (256 * 16) % 4 * 256 + offset % 256, p.column);
	}
}

TEST(addrmap, hashed_banks_keep_a_stream_in_open_rows)
{
	struct addrmap_cfg c = h200_like();

	for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
		struct addrmap m;

		c.bank_hash = (enum map_hash)hash;
		map_init(&m, &c);
		for (uint64_t offset = 0; offset < 1 << 18; offset += 64)
			EQ(offset / (1024 * 16),
			   addrmap_dram(&m, (struct slice_place){ 1, offset })
				   .row);
	}
}

/* Without hashing, bytes of a slice that are one row distance apart are in the
 * same bank. */
TEST(addrmap, hashing_sends_neighbouring_rows_to_different_banks)
{
	struct addrmap_cfg c = h200_like();

	for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
		struct addrmap m;
		uint32_t banks = 0;

		c.bank_hash = (enum map_hash)hash;
		map_init(&m, &c);
		for (uint64_t i = 0; i < 64; i++) {
			struct slice_place p = { 0, i * 1024 * 16 };

			banks |= 1u << addrmap_dram(&m, p).bank;
		}
		if (hash == MAP_NONE)
			EQ(1, banks);
		else
			OK(__builtin_popcount(banks) >= 4);
	}
}

/* As many places as addresses, and each hit at most once. */
static void dram_is_one_to_one(const struct addrmap_cfg *c)
{
	enum { MAX = 1 << 18 };
	static uint8_t seen[MAX];
	struct addrmap m;
	uint32_t rows = 24, bytes = c->row_bytes * rows;
	uint32_t places = c->channels * c->banks * bytes / 32;
	uint64_t per_slice = (uint64_t)places * 32 / c->slices;

	map_init(&m, c);
	OK(places <= MAX);
	memset(seen, 0, places);
	for (uint32_t s = 0; s < c->slices; s++) {
		for (uint64_t o = 0; o < per_slice; o += 32) {
			struct dram_place p =
				addrmap_dram(&m, (struct slice_place){ s, o });
			uint32_t i;

			OK(p.channel < c->channels && p.bank < c->banks);
			OK(p.row < rows && p.column < c->row_bytes);
			i = (p.channel * c->banks + p.bank) * bytes +
			    (uint32_t)p.row * c->row_bytes + p.column;
			EQ(0, seen[i / 32]++);
			EQ(o, addrmap_from_dram(&m, p).offset);
			EQ(s, addrmap_from_dram(&m, p).slice);
		}
	}
}

TEST(addrmap, dram_places_are_one_to_one)
{
	static const uint32_t shape[][4] = {
		/* slices, channels, banks, bank_bytes */
		{ 12, 12, 16, 256 }, { 12, 6, 16, 128 }, { 8, 4, 8, 1024 },
		{ 4, 12, 16, 256 },  { 6, 6, 12, 512 },  { 3, 1, 4, 64 },
		{ 1, 3, 5, 1024 },
	};

	for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
		for (int hash = MAP_NONE; hash <= MAP_ROTATE; hash++) {
			struct addrmap_cfg c = h200_like();

			c.partitions = 1;
			c.slices = shape[i][0];
			c.channels = shape[i][1];
			c.banks = shape[i][2];
			c.bank_bytes = shape[i][3];
			c.hash = (enum map_hash)hash;
			c.bank_hash = (enum map_hash)((hash + i) % 3);
			dram_is_one_to_one(&c);
		}
	}
}

TEST(addrmap, slices_that_share_a_channel_lie_side_by_side)
{
	struct addrmap_cfg c = h200_like();
	struct addrmap m;

	c.channels = 48;
	map_init(&m, &c);
	EQ(0, addrmap_dram(&m, (struct slice_place){ 1, 0 }).channel);
	EQ(1, addrmap_dram(&m, (struct slice_place){ 2, 0 }).channel);
	EQ(47, addrmap_dram(&m, (struct slice_place){ 95, 0 }).channel);
}

static const char *refusal(struct addrmap_cfg c)
{
	static struct diag d;
	struct addrmap m;

	EQ(ERR_RANGE, addrmap_init(&m, &c, &d));
	return d.text;
}

TEST(addrmap, an_impossible_map_is_refused_by_name)
{
	struct addrmap_cfg c = h200_like();

	c.slices = 0;
	OK(strstr(refusal(c), "0 L2 slices") != NULL);
	c = h200_like();
	c.partitions = 5;
	OK(strstr(refusal(c), "5 partitions") != NULL);
	c = h200_like();
	c.channels = 80;
	OK(strstr(refusal(c), "80 DRAM channels") != NULL);
	c = h200_like();
	c.banks = 0;
	OK(strstr(refusal(c), "0 DRAM banks") != NULL);
	c = h200_like();
	c.interleave = 96;
	OK(strstr(refusal(c), "96 bytes") != NULL);
	c = h200_like();
	c.bank_bytes = 2048;
	OK(strstr(refusal(c), "2048 bytes") != NULL);
}
