/* Blocks: shared memory and barriers. */
#include <stdlib.h>
#include <string.h>

#include "prog.h"

void check_reduce_shared(struct prog *p)
{
	enum { N = 5000 };
	const int n = N;
	int in[N], want[4] = { 0 };

	for (int i = 0; i < N; i++) {
		in[i] = (int)(prog_random(p) % 2001) - 1000;
		want[i / 256 % 4] += in[i];
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "reduce_shared", D1(4), D1(256), 0, ARG(from), ARG(n), ARG(to));
	SAME(p, want, to);
}

void check_scan_block(struct prog *p)
{
	uint32_t in[4 * 256], want[4 * 256], sum = 0;

	for (size_t i = 0; i < COUNT(in); i++) {
		in[i] = prog_random(p) % 100;
		want[i] = sum += in[i];
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want)),
		   total = prog_room(p, 4 * sizeof(uint32_t));

	RUN(p, "scan_block", D1(4), D1(256), 0, ARG(from), ARG(to), ARG(total));
	RUN(p, "scan_add", D1(4), D1(256), 0, ARG(to), ARG(total));
	SAME(p, want, to);
}

static int by_float(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

void check_bitonic_sort(struct prog *p)
{
	enum { N = 512 };
	const int n = N;
	float want[2 * N];

	for (int i = 0; i < 2 * N; i++)
		want[i] = ((int)(prog_random(p) % 4001) - 2000) / 8.0f;
	heddle_ptr keys = PUT(p, want);

	qsort(want, N, sizeof(float), by_float);
	qsort(want + N, N, sizeof(float), by_float);
	RUN(p, "bitonic_sort", D1(2), D1(128), N * sizeof(float), ARG(keys),
	    ARG(n));
	SAME(p, want, keys);
}

struct item {
	uint32_t key, value;
};

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->value < y->value ? -1 : 1;
}

void check_radix_step(struct prog *p)
{
	struct item items[256];
	const struct item *got;

	/* Keys repeat; the values show whether the sort is stable. */
	for (uint32_t i = 0; i < 256; i++)
		items[i] = (struct item){ prog_random(p) % 150, i };
	heddle_ptr a = PUT(p, items), b = prog_room(p, sizeof(items));

	for (int shift = 0; shift < 8; shift += 8) {
		const int next = shift + 4;

		RUN(p, "radix_step", D1(1), D1(256), 0, ARG(a), ARG(b),
		    ARG(shift));
		RUN(p, "radix_step", D1(1), D1(256), 0, ARG(b), ARG(a),
		    ARG(next));
	}
	qsort(items, 256, sizeof(items[0]), by_key);
	got = prog_get(p, a, sizeof(items));
	for (int i = 0; i < 256; i++) {
		EQ(items[i].key, got[i].key);
		EQ(items[i].value, got[i].value);
	}
}

void check_transpose(struct prog *p)
{
	enum { WIDTH = 45, HEIGHT = 34 };
	const int width = WIDTH, height = HEIGHT;
	double in[WIDTH * HEIGHT], want[WIDTH * HEIGHT];

	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		in[i] = i + 0.125;
		want[i % WIDTH * HEIGHT + i / WIDTH] = in[i];
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "transpose", D2(3, 3), D2(16, 4), 0, ARG(from), ARG(to),
	    ARG(width), ARG(height));
	SAME(p, want, to);
}

void check_matmul_tile(struct prog *p)
{
	enum { N = 24 };
	const int n = N;
	float a[N * N], b[N * N], want[N * N];

	/* Small whole numbers: exact in every order of the sum. */
	for (int i = 0; i < N * N; i++) {
		a[i] = (int)(prog_random(p) % 21) - 10;
		b[i] = (int)(prog_random(p) % 21) - 10;
	}
	for (int i = 0; i < N * N; i++) {
		want[i] = 0;
		for (int k = 0; k < N; k++)
			want[i] += a[i / N * N + k] * b[k * N + i % N];
	}
	heddle_ptr da = PUT(p, a), db = PUT(p, b), dc = prog_room(p, sizeof(a));

	RUN(p, "matmul_tile", D2(3, 3), D2(8, 8), 0, ARG(da), ARG(db), ARG(dc),
	    ARG(n));
	SAME(p, want, dc);
}

/* Where a lane of the kernel stores or loads. */
static int pattern_place(int kind, int lane)
{
	const int places[] = { lane,      lane * 3,
			       7,         lane % 16 + lane / 16 * 64,
			       31 - lane, lane / 16 * 5,
			       lane * 4 };

	return places[kind];
}

/* What the lanes of a block store to one place must be one value. */
static int pattern_value(int kind, int lane, const int lanes[32], int one)
{
	return kind == 2 ? one : kind == 5 ? lanes[lane / 16] : lanes[lane];
}

static void patterns_of_block(int block, int rounds, const int *in, int sum[32])
{
	static const int halves[2] = { 0, 1 };
	int first[256], second[256];
	const int to = block % 7, from = block / 7;

	for (int i = 0; i < 256; i++)
		first[i] = second[i] = i;
	for (int r = 0; r < rounds; r++) {
		for (int l = 0; l < 32; l++)
			if (r || block % 2 == 0 || l % 2)
				first[pattern_place(to, l)] = pattern_value(
					to, l, in + 32 * r, in[32 * r]);
		for (int l = 0; l < 32; l++)
			sum[l] = (int)((unsigned)sum[l] * 5u +
				       (unsigned)first[pattern_place(from, l)] +
				       (unsigned)second[pattern_place(from, l) +
							16]);
		for (int l = 0; l < 32; l++)
			second[pattern_place(to, l) + 16] =
				pattern_value(to, l, to == 5 ? halves : sum, r);
	}
}

void check_shared_patterns(struct prog *p)
{
	enum { ROUNDS = 6, BLOCKS = 49 };
	const int rounds = ROUNDS;
	int in[32 * ROUNDS], want[32 * BLOCKS] = { 0 };

	for (int i = 0; i < 32 * ROUNDS; i++)
		in[i] = (int)(prog_random(p) % 1000);
	for (int b = 0; b < BLOCKS; b++)
		patterns_of_block(b, ROUNDS, in, want + 32 * b);
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "shared_patterns", D1(BLOCKS), D1(32), 0, ARG(from), ARG(to),
	    ARG(rounds));
	SAME(p, want, to);
}

void check_barrier_vote(struct prog *p)
{
	enum { BLOCK = 96, BLOCKS = 4 };
	int in[BLOCK * BLOCKS], want[3 * BLOCK * BLOCKS];

	for (int b = 0; b < BLOCKS; b++) {
		int positive = 0, all = 1, any = 0;

		for (int i = b * BLOCK; i < (b + 1) * BLOCK; i++) {
			in[i] = (int)(prog_random(p) % 161) - 80;
			if (i == b * BLOCK + 70 && b >= 2)
				in[i] = b == 2 ? -95 : 99;
			positive += in[i] > 0;
			all &= in[i] > -90;
			any |= in[i] > 95;
		}
		for (int i = b * BLOCK; i < (b + 1) * BLOCK; i++) {
			want[3 * i] = positive;
			want[3 * i + 1] = all;
			want[3 * i + 2] = any;
		}
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "barrier_vote", D1(BLOCKS), D1(BLOCK), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_named_barrier(struct prog *p)
{
	enum { ROUNDS = 9 };
	const int rounds = ROUNDS;
	int in[ROUNDS * 64], want[ROUNDS * 64];

	for (int i = 0; i < ROUNDS * 64; i++)
		in[i] = prog_random(p) % 1000;
	for (int i = 0; i < ROUNDS * 64; i++)
		want[i] = 3 * in[i / 64 * 64 + 63 - i % 64] + i / 64;
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "named_barrier", D1(1), D1(128), 0, ARG(from), ARG(to),
	    ARG(rounds));
	SAME(p, want, to);
}

void check_warp_flag(struct prog *p)
{
	int want[2 * 256];

	for (int w = 7; w >= 0; w--)
		for (int l = 0; l < 32; l++)
			want[w * 32 + l] =
				w == 7 ? l :
					 2 * want[(w + 1) * 32 + (l + 1) % 32] +
						 w;
	memcpy(want + 256, want, 256 * sizeof(int));
	heddle_ptr to = prog_room(p, sizeof(want));

	RUN(p, "warp_flag", D1(2), D1(256), 0, ARG(to));
	SAME(p, want, to);
}
