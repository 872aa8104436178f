/* Atomics, locks, and blocks and lanes that wait for each other. */
#include <string.h>

#include "prog.h"

void check_histogram(struct prog *p)
{
	enum { N = 4000 };
	const int n = N;
	uint8_t in[N];
	uint32_t want[256] = { 0 };

	for (int i = 0; i < N; i++) {
		in[i] = prog_random(p) & prog_random(p);
		want[in[i]]++;
	}
	heddle_ptr from = PUT(p, in), to = prog_room(p, sizeof(want));

	RUN(p, "histogram", D1(6), D1(128), 0, ARG(from), ARG(n), ARG(to));
	SAME(p, want, to);
}

void check_float_max(struct prog *p)
{
	enum { N = 500 };
	const int n = N;
	float in[N], want[2] = { -1e30f, -1e30f };
	double product[1] = { 1 };

	for (int i = 0; i < N; i++)
		in[i] = ((int)(prog_random(p) % 20001) - 10000) * 0.37f;
	heddle_ptr from = PUT(p, in), top = PUT(p, want), to = PUT(p, product);

	for (int i = 0; i < N; i++) {
		want[0] = in[i] > want[0] ? in[i] : want[0];
		want[1] = -in[i] > want[1] ? -in[i] : want[1];
		if (i % 16 == 0)
			product[0] *= i % 32 ? 2 : -2;
	}
	RUN(p, "float_max", D1(4), D1(128), 0, ARG(from), ARG(n), ARG(top),
	    ARG(to));
	SAME(p, want, top);
	SAME(p, product, to);
}

struct node {
	heddle_ptr next;
	int value;
};

/* Marks the nodes of a list; each must occur once. */
static int walk(const struct node *nodes, heddle_ptr base, heddle_ptr at,
		char *seen)
{
	int count = 0;

	for (; at; count++) {
		const uint64_t i = (at - base) / sizeof(struct node);

		OK(i < 200 && !seen[i]);
		EQ(3 * i, nodes[i].value);
		seen[i] = 1;
		at = nodes[i].next;
	}
	return count;
}

void check_list_push(struct prog *p)
{
	const int n = 100;
	char seen[200] = { 0 };
	heddle_ptr base = prog_room(p, 200 * sizeof(struct node)),
		   head = prog_room(p, 8), buckets = prog_room(p, 64);

	RUN(p, "list_push", D1(4), D1(64), 0, ARG(base), ARG(n), ARG(head),
	    ARG(buckets));
	const struct node *nodes = prog_get(p, base, 200 * sizeof(struct node));
	const heddle_ptr *first = prog_get(p, head, 8),
			 *bucket = prog_get(p, buckets, 64);
	int in_buckets = 0;

	EQ(100, walk(nodes, base, *first, seen));
	for (int b = 0; b < 8; b++)
		in_buckets += walk(nodes, base, bucket[b], seen);
	EQ(100, in_buckets);
}

void check_spin_lock(struct prog *p)
{
	enum { N = 3 * 64 };
	char seen[N] = { 0 };
	heddle_ptr lock = prog_room(p, 4), count = prog_room(p, 4),
		   order = prog_room(p, N * sizeof(int));

	RUN(p, "spin_lock", D1(3), D1(64), 0, ARG(lock), ARG(count),
	    ARG(order));
	EQ(N, *(const int *)prog_get(p, count, 4));
	EQ(0, *(const int *)prog_get(p, lock, 4));
	const uint32_t *got = prog_get(p, order, N * sizeof(int));

	for (int i = 0; i < N; i++) {
		OK(got[i] < N && !seen[got[i]]);
		seen[got[i]] = 1;
	}
}

void check_done_lock(struct prog *p)
{
	const int n = 2 * 96;
	int sum = 0;
	heddle_ptr lock = prog_room(p, 4), count = prog_room(p, 4),
		   to = prog_room(p, 4);

	/* The same for every order of the threads. */
	for (int i = 1; i <= n; i++)
		sum = sum * 3 % 1009 + i;
	RUN(p, "done_lock", D1(2), D1(96), 0, ARG(lock), ARG(count), ARG(to));
	EQ(n, *(const int *)prog_get(p, count, 4));
	EQ(sum, *(const int *)prog_get(p, to, 4));
}

void check_lane_message(struct prog *p)
{
	int want[32];

	for (int i = 0; i < 32; i++)
		want[i] = 7 + i * (i + 1) / 2;
	heddle_ptr box = prog_room(p, sizeof(want));

	RUN(p, "lane_message", D1(1), D1(32), 0, ARG(box));
	SAME(p, want, box);
}

void check_last_block(struct prog *p)
{
	enum { BLOCKS = 12, N = BLOCKS * 128 };
	float in[N], want[1] = { 0 };

	for (int i = 0; i < N; i++) {
		in[i] = (prog_random(p) % 64) * 0.5f;
		want[0] += in[i];
	}
	heddle_ptr from = PUT(p, in), part = prog_room(p, BLOCKS * 4),
		   to = prog_room(p, 4);

	/* The ticket wraps around, so that a second launch works too. */
	for (int launch = 0; launch < 2; launch++) {
		RUN(p, "last_block", D1(BLOCKS), D1(128), 0, ARG(from),
		    ARG(part), ARG(to));
		SAME(p, want, to);
		OK(heddle_set(p->dev, to, 0, 4, &p->err) == HEDDLE_OK);
	}
}

void check_block_flag(struct prog *p)
{
	enum { BLOCKS = 3, BLOCK = 64 };
	int want[BLOCKS * BLOCK];

	for (int i = BLOCKS * BLOCK - 1; i >= 0; i--) {
		const int before =
			i + BLOCK < BLOCKS * BLOCK ? want[i + BLOCK] : 0;

		want[i] = 2 * before + i % BLOCK + 1;
	}
	heddle_ptr flag = prog_room(p, BLOCKS * 4),
		   value = prog_room(p, sizeof(want));

	RUN(p, "block_flag", D1(BLOCKS), D1(BLOCK), 0, ARG(flag), ARG(value));
	SAME(p, want, value);
}

void check_grid_sync(struct prog *p)
{
	enum { BLOCKS = 6, BLOCK = 48, N = BLOCKS * BLOCK, ROUNDS = 5 };
	uint32_t want[N], rounds = ROUNDS;

	for (int i = 0; i < N; i++)
		want[i] = prog_random(p);
	heddle_ptr number = PUT(p, want);

	p->cooperative = 1;
	for (int launch = 0; launch < 2; launch++) {
		for (int r = 0; r < ROUNDS; r++) {
			const uint32_t first = want[0];

			for (int i = 0; i < N; i++)
				want[i] += i + 1 < N ? want[i + 1] : first;
		}
		RUN(p, "grid_sync", D2(2, BLOCKS / 2), D2(16, BLOCK / 16), 0,
		    ARG(number), ARG(rounds));
		SAME(p, want, number);
	}
}

void check_atomic_ops(struct prog *p)
{
	enum { N = 256 };
	int in[N], i32[5] = { 0 };
	uint32_t u32[8 + 2 * N] = { [0] = ~0u, [2] = ~0u, [6] = 13 };
	uint64_t u64[3] = { 0 };
	int64_t s64[2] = { 0 };
	float f32[1] = { 0 };
	double f64[1] = { 0 };

	for (int i = 0; i < N; i++)
		in[i] = (int)(prog_random(p) % 100001) - 50000;
	heddle_ptr from = PUT(p, in), di32 = PUT(p, i32), du32 = PUT(p, u32),
		   du64 = PUT(p, u64), ds64 = PUT(p, s64), df32 = PUT(p, f32),
		   df64 = PUT(p, f64);

	for (int i = 0; i < N; i++) {
		const int v = in[i];
		const uint32_t u = (uint32_t)v;
		const uint64_t shifted = (uint64_t)(u & 0xffff) << 33;
		const int64_t wide = v * (1ll << 30);

		i32[0] += v;
		i32[1] -= v;
		i32[2] = v < i32[2] ? v : i32[2];
		i32[3] = v > i32[3] ? v : i32[3];
		i32[4]++;
		u32[0] = u < u32[0] ? u : u32[0];
		u32[1] = u > u32[1] ? u : u32[1];
		u32[2] &= u | 0xf0;
		u32[3] |= 1u << u % 32;
		u32[4] ^= u;
		u32[5] = (u32[5] + 1) % 100;
		u32[6] = (u32[6] + 77) % 78;
		u32[7] = 5;
		u32[8 + i] = i;
		u32[8 + N + i] = 1;
		u64[0] += (uint64_t)(v * (1ll << 20));
		u64[1] = shifted > u64[1] ? shifted : u64[1];
		u64[2] |= 1ull << u % 64;
		s64[0] = wide < s64[0] ? wide : s64[0];
		s64[1] = wide > s64[1] ? wide : s64[1];
		f32[0] += v % 64 * 0.25f;
		f64[0] += v * 0.5;
	}
	RUN(p, "atomic_ops", D1(4), D1(64), 0, ARG(from), ARG(di32), ARG(du32),
	    ARG(du64), ARG(ds64), ARG(df32), ARG(df64));
	SAME(p, i32, di32);
	SAME(p, u32, du32);
	SAME(p, u64, du64);
	SAME(p, s64, ds64);
	SAME(p, f32, df32);
	SAME(p, f64, df64);
}
