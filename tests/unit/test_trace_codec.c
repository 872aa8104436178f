#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "trace/codec.h"
#include "trace/number.h"

#define FULL 0xffffffffu

/* One fact, to be written and to be read. */
struct fact {
	enum { MASK, LANES_OF, VALUE } kind;
	uint32_t site, active, mask;
	uint64_t value;
	uint64_t lane[TRACE_LANES];
};

static struct trace_writer_stream out;
static struct trace_reader_stream in;

static void start(void)
{
	trace_stream_start(&out);
}

static void put(const struct fact *f)
{
	switch (f->kind) {
	case MASK:
		trace_put_mask(&out, f->site, f->active, f->mask);
		break;
	case LANES_OF:
		trace_put_lanes(&out, f->site, f->mask, f->lane);
		break;
	default:
		trace_put_value(&out, f->site, f->value);
	}
}

static void finish(void)
{
	EQ(ERR_OK, trace_stream_end(&out));
	trace_read_start(&in, out.bytes, out.size);
}

static void expect(const struct fact *f)
{
	uint64_t lane[TRACE_LANES], value;
	uint32_t mask;

	switch (f->kind) {
	case MASK:
		OK(trace_get_mask(&in, f->site, f->active, &mask));
		EQ(f->mask, mask);
		break;
	case LANES_OF:
		OK(trace_get_lanes(&in, f->site, f->mask, lane));
		for (int l = 0; l < TRACE_LANES; l++)
			if (f->mask >> l & 1)
				EQ(f->lane[l], lane[l]);
		break;
	default:
		OK(trace_get_value(&in, f->site, &value));
		EQ(f->value, value);
	}
}

/* Writes all facts and reads them back; returns the bytes they took. */
static size_t there_and_back(const struct fact *f, size_t n)
{
	size_t size;

	start();
	for (size_t i = 0; i < n; i++)
		put(&f[i]);
	finish();
	for (size_t i = 0; i < n; i++)
		expect(&f[i]);
	OK(trace_read_done(&in));
	size = out.size;
	trace_stream_free(&out);
	return size;
}

static struct fact lanes(uint32_t site, uint32_t mask, uint64_t base,
			 int64_t stride)
{
	struct fact f = { .kind = LANES_OF, .site = site, .mask = mask };

	for (int l = 0; l < TRACE_LANES; l++)
		f.lane[l] = base + (uint64_t)l * (uint64_t)stride;
	return f;
}

/* SplitMix64. */
static uint64_t draw(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

TEST(trace_codec, numbers_of_every_length_come_back)
{
	uint8_t bytes[NUMBER_MAX];

	for (unsigned i = 0; i <= 64; i++)
		for (int k = -1; k <= 1; k++) {
			uint64_t v =
				(i < 64 ? (uint64_t)1 << i : 0) + (uint64_t)k;
			const uint8_t *end = number_put(bytes, v), *at = bytes;
			uint64_t got = 0;

			OK(end - bytes <= NUMBER_MAX);
			OK(number_get(&at, end, &got));
			EQ(v, got);
			EQ((const void *)end, (const void *)at);
			EQ(v, number_unfold(number_fold(v)));
			at = bytes;
			OK(!number_get(&at, end - 1, &got));
		}
}

TEST(trace_codec, a_number_of_more_than_64_bits_is_refused)
{
	const uint8_t bytes[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				  0xff, 0xff, 0xff, 0x02, 0x00 };
	const uint8_t *at = bytes;
	uint64_t got = 0;

	OK(!number_get(&at, bytes + sizeof(bytes), &got));
}

TEST(trace_codec, a_stream_without_facts_has_no_bytes)
{
	EQ(0, there_and_back(NULL, 0));
}

TEST(trace_codec, a_loop_over_arrays_costs_no_more_when_it_is_longer)
{
	static struct fact f[4 * 10000];
	size_t n = 0, small, large;

	for (int i = 0; i < 10000; i++) {
		f[n++] = lanes(1, FULL, 0x200000000000u + i * 128, 4);
		f[n++] = lanes(2, FULL, 0x200000100000u + i * 512, 16);
		f[n++] = lanes(3, FULL, 0x200000200000u + i * 64, 0);
		f[n++] = (struct fact){
			.kind = MASK, .site = 4, .active = FULL, .mask = FULL
		};
	}
	small = there_and_back(f, 4 * 100);
	large = there_and_back(f, n);
	OK(small < 60);
	OK(large <= small + 2);
}

TEST(trace_codec, the_end_of_an_inner_loop_costs_little)
{
	static struct fact f[2 * 16 * 1000];
	size_t n = 0;

	for (int i = 0; i < 1000; i++)
		for (int k = 0; k < 16; k++) {
			f[n++] = lanes(9, FULL, 0x4000 + i * 4096 + k * 128, 4);
			f[n++] = (struct fact){ .kind = MASK,
						.site = 5,
						.active = FULL,
						.mask = k < 15 ? FULL : 0 };
		}
	/* A jump to the next row, and a branch that is not taken: each a
	 * count and a record. */
	OK(there_and_back(f, n) < 1000 * 7);
}

TEST(trace_codec, rows_of_a_tile_are_runs_and_are_remembered)
{
	static struct fact f[512];

	for (int i = 0; i < 512; i++) {
		f[i] = lanes(3, FULL, 0, 4);
		for (int l = 0; l < TRACE_LANES; l++)
			f[i].lane[l] =
				0x10000u + i * 64 + l % 16 * 4 + l / 16 * 8192;
	}
	OK(there_and_back(f, 1) < 16);
	OK(there_and_back(f, 512) < 30);
}

TEST(trace_codec, patterns_of_several_sites_are_shared)
{
	struct fact f[24];
	uint64_t seed = 7, offset[3][TRACE_LANES];

	for (int p = 0; p < 3; p++)
		for (int l = 0; l < TRACE_LANES; l++)
			offset[p][l] = draw(&seed) % 100000;
	for (int i = 0; i < 24; i++) {
		f[i] = lanes(i, FULL, 0, 0);
		for (int l = 0; l < TRACE_LANES; l++)
			f[i].lane[l] =
				0x700000000u + 77u * i + offset[i % 3][l];
	}
	OK(there_and_back(f, 24) < 3 * 110 + 21 * 8);
}

TEST(trace_codec, inactive_lanes_do_not_disturb_a_stride)
{
	struct fact f[32];

	for (int i = 0; i < 32; i++)
		f[i] = lanes(1, FULL << i, 0x1000 + 128 * i, 4);
	OK(there_and_back(f, 32) < 12);
}

TEST(trace_codec, addresses_at_the_edges_of_64_bits_come_back)
{
	const uint64_t edge[] = { 0, 1, INT64_MAX, (uint64_t)1 << 63,
				  UINT64_MAX };
	struct fact f[5 * 5 * 5];
	size_t n = 0;

	for (int a = 0; a < 5; a++)
		for (int b = 0; b < 5; b++)
			for (int c = 0; c < 5; c++) {
				f[n] = lanes(n % 3, 0x80000111u, 0, 0);
				f[n].lane[0] = edge[a];
				f[n].lane[4] = edge[b];
				f[n].lane[8] = edge[c];
				f[n++].lane[31] = edge[(a + b + c) % 5];
			}
	there_and_back(f, n);
}

static struct fact some_lanes(uint64_t *seed)
{
	uint64_t r = draw(seed);
	struct fact f = lanes((uint32_t)(r % 90), (uint32_t)draw(seed),
			      draw(seed) >> r % 64,
			      (int64_t)draw(seed) >> (r >> 8) % 64);

	if (r >> 16 & 1)
		f.mask = FULL;
	if (r >> 17 & 1)
		f.lane[r >> 20 & 31] += draw(seed) >> (r >> 32) % 64;
	for (int l = 0; (r >> 40) % 4 == 0 && l < TRACE_LANES; l++)
		f.lane[l] = draw(seed) >> (r >> 48) % 64;
	for (int l = 1; (r >> 42) % 4 == 0 && l < TRACE_LANES; l++)
		f.lane[l] = f.lane[l % (2 + (r >> 56) % 6)] + 100;
	return f;
}

static struct fact some_fact(uint64_t *seed)
{
	uint64_t r = draw(seed);
	struct fact f = { .site = (uint32_t)(r >> 8) % 90 };

	if (r % 3 == 0)
		return some_lanes(seed);
	if (r % 3 == 1) {
		f.kind = VALUE;
		f.value = draw(seed) >> (r >> 16) % 64;
		return f;
	}
	f.kind = MASK;
	f.active = (uint32_t)draw(seed) | 1;
	f.mask = (r >> 20) % 3 == 0 ? f.active :
		 (r >> 20) % 3 == 1 ? 0 :
				      f.active & (uint32_t)draw(seed);
	return f;
}

TEST(trace_codec, random_facts_come_back)
{
	static struct fact f[600];

	for (uint64_t round = 0; round < 60; round++) {
		uint64_t seed = round;
		size_t n = 1 + draw(&seed) % 600;

		for (size_t i = 0; i < n; i++)
			/* Some of them are repeated. */
			f[i] = i > 3 && draw(&seed) % 3 == 0 ?
				       f[i - 1 - draw(&seed) % 3] :
				       some_fact(&seed);
		there_and_back(f, n);
	}
}

/* Reads facts until the stream fails, as it must. */
static unsigned drain(uint64_t *seed, unsigned most)
{
	uint64_t lane[TRACE_LANES], value;
	uint32_t mask;
	unsigned n = 0;

	while (n < most) {
		struct fact f = some_fact(seed);
		bool ok;

		if (f.kind == MASK) {
			ok = trace_get_mask(&in, f.site, f.active, &mask);
			EQ(0, mask & ~f.active);
		} else if (f.kind == VALUE) {
			ok = trace_get_value(&in, f.site, &value);
		} else {
			f.mask |= 1;
			ok = trace_get_lanes(&in, f.site, f.mask, lane);
		}
		if (!ok)
			break;
		n++;
	}
	return n;
}

TEST(trace_codec, reading_random_bytes_ends_and_stays_ended)
{
	uint8_t bytes[300];

	for (uint64_t round = 0; round < 20000; round++) {
		uint64_t seed = round;
		size_t n = draw(&seed) % sizeof(bytes);
		/* Allocated, so that a sanitizer sees reads beyond the end. */
		uint8_t *copy = malloc(n + 1);

		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)(draw(&seed) >> draw(&seed) % 8);
		memcpy(copy, bytes, n);
		trace_read_start(&in, copy, n);
		if (drain(&seed, 1000) < 1000) {
			OK(!trace_read_done(&in));
			EQ(0, drain(&seed, 10));
		}
		free(copy);
	}
}

TEST(trace_codec, a_truncated_stream_is_never_complete)
{
	struct fact f[40];
	uint64_t seed = 3;

	start();
	for (int i = 0; i < 40; i++) {
		f[i] = some_fact(&seed);
		put(&f[i]);
	}
	EQ(ERR_OK, trace_stream_end(&out));
	for (size_t n = 1; n < out.size; n++) {
		uint64_t again = 3;

		trace_read_start(&in, out.bytes, n);
		OK(drain(&again, 41) < 41);
		OK(!trace_read_done(&in));
	}
	trace_stream_free(&out);
}

TEST(trace_codec, a_mask_outside_the_active_lanes_is_refused)
{
	/* Nothing predicted, some lanes, the mask, nothing predicted. */
	const uint8_t bytes[] = { 0, 2, 0xff, 0, 0, 0, 0 };
	uint32_t mask;

	trace_read_start(&in, bytes, sizeof(bytes));
	OK(trace_get_mask(&in, 0, 0xffff, &mask));
	EQ(0xff, mask);
	OK(trace_read_done(&in));
	trace_read_start(&in, bytes, sizeof(bytes));
	OK(!trace_get_mask(&in, 0, 0x7f, &mask));
	EQ(0, mask);
}

TEST(trace_codec, an_unknown_shape_is_refused)
{
	/* Nothing predicted, shape number 3, base 0, nothing predicted. */
	const uint8_t bytes[] = { 0, 2 | 3 << 3, 0, 0 };
	uint64_t lane[TRACE_LANES];

	trace_read_start(&in, bytes, sizeof(bytes));
	OK(!trace_get_lanes(&in, 0, FULL, lane));
}

TEST(trace_codec, a_restarted_writer_has_forgotten_everything)
{
	struct fact f = lanes(1, FULL, 0x123456789abcu, 4);
	size_t first = there_and_back(&f, 1);

	start();
	put(&f);
	put(&f);
	finish();
	start();
	put(&f);
	finish();
	EQ(first, out.size);
	expect(&f);
	OK(trace_read_done(&in));
	trace_stream_free(&out);
}
