/* Warps: what lanes exchange without memory. */
#include "prog.h"

/* The lanes of i's warp, as bits, for which cond holds; v is lane's value. */
#define LANES(bits, in, i, cond)                                  \
	do {                                                      \
		bits = 0;                                         \
		for (int lane = 0; lane < 32; lane++) {           \
			const int v = (in)[(i) / 32 * 32 + lane]; \
                                                                  \
			if (cond)                                 \
				bits |= 1u << lane;               \
		}                                                 \
	} while (0)

static uint32_t ones(uint32_t x)
{
	uint32_t n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

void check_warp_vote(struct prog *p)
{
	int in[128];
	uint32_t want[5 * 128], any, all, odd, low, high, third;

	for (int i = 0; i < 128; i++)
		in[i] = prog_random(p) % (i < 64 ? 98 : 100);
	for (int i = 0; i < 128; i++) {
		uint32_t *w = want + 5 * i;

		LANES(any, in, i, v == 50);
		LANES(all, in, i, v < 98);
		LANES(odd, in, i, v % 2);
		LANES(low, in, i, v % 2 && v <= 10);
		LANES(third, in, i, v % 2 && v % 3 == 0);
		LANES(high, in, i, v > (lane < 16 ? 30 : 60));
		w[0] = odd;
		w[1] = 2 * (any != 0) + (all == 0xffffffff);
		w[2] = high & (i % 32 < 16 ? 0xffff : 0xffff0000);
		w[3] = in[i] % 2 ? (low ? 2 : 1) : 0;
		w[4] = in[i] % 2 ? ones(third) : 0;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "warp_vote", D1(2), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

static void expect_match(const int *in, int i, uint32_t *w)
{
	const int *warp = in + i / 32 * 32;
	uint32_t equal = 0;
	int least = warp[0], most = warp[0];

	w[3] = w[7] = w[8] = 0;
	w[6] = 0xffffffff;
	for (int l = 0; l < 32; l++) {
		equal |= (uint32_t)(warp[l] == in[i]) << l;
		least = warp[l] < least ? warp[l] : least;
		most = warp[l] > most ? warp[l] : most;
		w[3] += warp[l];
		w[6] &= warp[l] | 16;
		w[7] |= warp[l];
		w[8] ^= warp[l] * 77;
	}
	w[0] = w[1] = equal;
	w[2] = least / 64 == most / 64 ? 0xffffffff + 1u : 0;
	w[4] = least - 8;
	w[5] = most - 8;
}

void check_warp_match(struct prog *p)
{
	int in[128];
	uint32_t want[9 * 128];

	for (int i = 0; i < 128; i++)
		in[i] = prog_random(p) % (i < 64 ? 16 : 128);
	for (int i = 0; i < 128; i++)
		expect_match(in, i, want + 9 * i);
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "warp_match", D1(2), D1(64), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_shuffle(struct prog *p)
{
	uint32_t in[64], want[8 * 64];

	for (int i = 0; i < 64; i++)
		in[i] = prog_random(p) % 100000;
	for (int i = 0; i < 64; i++) {
		const uint32_t *warp = in + i / 32 * 32;
		const int l = i % 32;
		uint32_t *w = want + 8 * i, sum = 0;

		for (int k = 0; k < 32; k++)
			sum += warp[k];
		w[0] = warp[in[i] % 32];
		w[1] = warp[l / 8 * 8 + 3];
		w[2] = warp[l < 5 ? l : l - 5];
		w[3] = warp[l % 16 < 3 ? l : l - 3];
		w[4] = warp[l % 16 + 9 > 15 ? l : l + 9];
		w[5] = warp[l ^ 21];
		w[6] = warp[l ^ 1] + (i ^ 1);
		w[7] = sum;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "shuffle", D1(2), D1(32), 0, ARG(from), ARG(to));
	SAME(p, want, to);
}

void check_tiles(struct prog *p)
{
	enum { N = 128 };
	int in[N], want[3 * N], used = 0, values[100] = { 0 };

	for (int i = 0; i < N; i++)
		in[i] = prog_random(p) % 100;
	for (int i = 0; i < N; i++) {
		want[3 * i] = 0;
		for (int k = 0; k < 8; k++)
			want[3 * i] += in[i / 8 * 8 + k];
		want[3 * i + 1] = in[i ^ 7];
		want[3 * i + 2] = in[i] % 3 == 0;
		used += in[i] % 3 == 0;
		values[in[i]] += in[i] % 3 == 0;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want)),
		   packed = prog_room(p, sizeof(in)),
		   count = prog_room(p, sizeof(int));

	RUN(p, "tiles", D1(2), D1(64), 0, ARG(from), ARG(to), ARG(packed),
	    ARG(count));
	SAME(p, want, to);
	EQ(used, *(const int *)prog_get(p, count, sizeof(int)));
	/* Warps pack in any order: only the values matter. */
	const int *got = prog_get(p, packed, sizeof(in));

	for (int i = 0; i < used; i++)
		values[got[i]]--;
	for (int i = 0; i < 100; i++)
		EQ(0, values[i]);
}
