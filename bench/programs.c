/*
 * The benchmarks that run a kernel. Inputs are small integers, so that the
 * results are known exactly.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Matrix multiplication: the two operands hold 0 to 6 and 0 to 4. */

enum { ORDER = 512 };

static float a_at(int i, int k)
{
	return (float)((3 * i + k) % 7);
}

static float b_at(int k, int j)
{
	return (float)((k + 2 * j) % 5);
}

static heddle_ptr make_matrix(struct rig *r, float (*at)(int, int))
{
	float *m = need(malloc(sizeof(*m) * ORDER * ORDER));
	heddle_ptr p;

	for (int i = 0; i < ORDER; i++)
		for (int j = 0; j < ORDER; j++)
			m[i * ORDER + j] = at(i, j);
	p = rig_array(r, m, sizeof(*m) * ORDER * ORDER);
	free(m);
	return p;
}

void matmul_prepare(struct matmul *m)
{
	m->params.a = make_matrix(&m->rig, a_at);
	m->params.b = make_matrix(&m->rig, b_at);
	m->params.c = rig_array(&m->rig, NULL, sizeof(float) * ORDER * ORDER);
	m->params.n = ORDER;
	m->run = (struct rig_run){ .kernel = "matmul_tiled",
				   .grid = { ORDER / 16, ORDER / 16, 1 },
				   .block = { 16, 16, 1 },
				   .params = &m->params,
				   .param_bytes = 28 };
}

/* Every 37th element: enough to find a wrong tile, lane or step. */
void matmul_finish(struct matmul *m)
{
	size_t bytes = sizeof(float) * ORDER * ORDER;
	float *c = need(malloc(bytes));

	rig_read(&m->rig, c, m->params.c, bytes);
	for (int i = 0; i < ORDER * ORDER; i += 37) {
		float sum = 0;

		for (int k = 0; k < ORDER; k++)
			sum += a_at(i / ORDER, k) * b_at(k, i % ORDER);
		expect(c[i] == sum, "matmul_tiled: a wrong product");
	}
	free(c);
	rig_free(&m->rig);
}

static double matmul_rate(unsigned threads)
{
	struct matmul m;
	double rate;

	rig_init(&m.rig, threads);
	matmul_prepare(&m);
	rate = rig_rate(&m.rig, &m.run, 3);
	matmul_finish(&m);
	return rate;
}

double bench_matmul_tiled(void)
{
	return matmul_rate(1);
}

double bench_matmul_tiled_threads(void)
{
	return matmul_rate(0);
}

/* The two take turns, so that other load on the machine disturbs both alike;
 * both in wall-clock time. */
double bench_speedup(void)
{
	struct matmul one, all;
	double best_one = 0, best_all = 0;

	rig_init(&one.rig, 1);
	matmul_prepare(&one);
	rig_init(&all.rig, 0);
	matmul_prepare(&all);
	for (int i = 0; i < 3; i++) {
		double start = wall_seconds(), middle, end;

		rig_launch(&one.rig, &one.run);
		middle = wall_seconds();
		rig_launch(&all.rig, &all.run);
		end = wall_seconds();
		if (i == 0 || middle - start < best_one)
			best_one = middle - start;
		if (i == 0 || end - middle < best_all)
			best_all = end - middle;
	}
	matmul_finish(&one);
	matmul_finish(&all);
	return best_one / best_all;
}

/* Vector addition. */

enum { VECTOR = 4 << 20 };

static struct rig_took run_vecadd(unsigned threads, int times)
{
	struct rig r;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = VECTOR };
	struct rig_run run = { .kernel = "vecadd",
			       .grid = { VECTOR / 256, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	float *v = need(malloc(sizeof(*v) * VECTOR));
	struct rig_took best = { 0 };

	rig_init(&r, threads);
	for (int i = 0; i < VECTOR; i++)
		v[i] = (float)i;
	params.a = rig_array(&r, v, sizeof(*v) * VECTOR);
	params.b = rig_array(&r, v, sizeof(*v) * VECTOR);
	params.c = rig_array(&r, NULL, sizeof(*v) * VECTOR);
	for (int i = 0; i < times; i++) {
		struct rig_took t = rig_launch(&r, &run);

		if (i == 0 || t.seconds < best.seconds)
			best = t;
	}
	rig_read(&r, v, params.c, sizeof(*v) * VECTOR);
	for (int i = 0; i < VECTOR; i++)
		expect(v[i] == 2.0f * (float)i, "vecadd: a wrong sum");
	free(v);
	rig_free(&r);
	return best;
}

double bench_vecadd(void)
{
	struct rig_took t = run_vecadd(1, 3);

	return t.warp_instructions / t.seconds;
}

double bench_threads_4m(void)
{
	return run_vecadd(0, 3).seconds;
}

/* Stencil: 0.5 and 0.125 times small integers are exact. */

enum { SIDE = 1024 };

static float plane_at(int x, int y)
{
	return (float)((x * 7 + y * 13) % 32);
}

static float stencil_at(int x, int y)
{
	if (x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1)
		return plane_at(x, y);
	return 0.5f * plane_at(x, y) +
	       0.125f * (plane_at(x - 1, y) + plane_at(x + 1, y) +
			 plane_at(x, y - 1) + plane_at(x, y + 1));
}

double bench_stencil(void)
{
	struct rig r;
	struct {
		heddle_ptr in, out;
		int32_t width, height;
	} params = { .width = SIDE, .height = SIDE };
	struct rig_run run = { .kernel = "stencil",
			       .grid = { SIDE / 32, SIDE / 8, 1 },
			       .block = { 32, 8, 1 },
			       .params = &params,
			       .param_bytes = sizeof(params) };
	float *v = need(malloc(sizeof(*v) * SIDE * SIDE));
	double rate;

	rig_init(&r, 1);
	for (int i = 0; i < SIDE * SIDE; i++)
		v[i] = plane_at(i % SIDE, i / SIDE);
	params.in = rig_array(&r, v, sizeof(*v) * SIDE * SIDE);
	params.out = rig_array(&r, NULL, sizeof(*v) * SIDE * SIDE);
	rate = rig_rate(&r, &run, 5);
	rig_read(&r, v, params.out, sizeof(*v) * SIDE * SIDE);
	for (int i = 0; i < SIDE * SIDE; i++)
		expect(v[i] == stencil_at(i % SIDE, i / SIDE),
		       "stencil: a wrong value");
	free(v);
	rig_free(&r);
	return rate;
}

double bench_reduction(void)
{
	struct rig r;
	struct {
		heddle_ptr in, out;
		int32_t n;
	} params = { .n = VECTOR };
	struct rig_run run = { .kernel = "reduction",
			       .grid = { 2048, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 20 };
	uint32_t *v = need(malloc(sizeof(*v) * VECTOR)), sum = 0, got, seed = 1;
	double rate;

	rig_init(&r, 1);
	for (int i = 0; i < VECTOR; i++)
		sum += v[i] = next_random(&seed);
	params.in = rig_array(&r, v, sizeof(*v) * VECTOR);
	params.out = rig_array(&r, NULL, sizeof(sum));
	rate = rig_rate(&r, &run, 5);
	rig_read(&r, &got, params.out, sizeof(got));
	expect(got == 5 * sum, "reduction: a wrong sum");
	free(v);
	rig_free(&r);
	return rate;
}

/* Mandelbrot. The compiler contracts x * x + y * y, so a pixel on the edge
 * may differ from C; the middle of the set and the far corner do not. */

enum { WIDTH = 512, HEIGHT = 256, MAX_COUNT = 256 };

double bench_divergent(void)
{
	struct rig r;
	struct {
		heddle_ptr out;
		int32_t width, height, max_count;
	} params = { .width = WIDTH, .height = HEIGHT, .max_count = MAX_COUNT };
	struct rig_run run = { .kernel = "divergent",
			       .grid = { WIDTH / 16, HEIGHT / 16, 1 },
			       .block = { 16, 16, 1 },
			       .params = &params,
			       .param_bytes = 20 };
	int32_t *v = need(malloc(sizeof(*v) * WIDTH * HEIGHT));
	double rate;

	rig_init(&r, 1);
	params.out = rig_array(&r, NULL, sizeof(*v) * WIDTH * HEIGHT);
	rate = rig_rate(&r, &run, 3);
	rig_read(&r, v, params.out, sizeof(*v) * WIDTH * HEIGHT);
	expect(v[HEIGHT / 2 * WIDTH + WIDTH / 2] == MAX_COUNT && v[0] == 1,
	       "divergent: a wrong count");
	free(v);
	rig_free(&r);
	return rate;
}

/* `in` is a permutation, so each element leads to another one. */

enum { PLACES = 1 << 20, GATHERS = 1 << 18 };

double bench_gather(void)
{
	struct rig r;
	struct {
		heddle_ptr in, index, out;
		int32_t n;
	} params = { .n = GATHERS };
	struct rig_run run = { .kernel = "gather",
			       .grid = { GATHERS / 256, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	uint32_t *in = need(malloc(sizeof(*in) * PLACES)), seed = 1;
	uint32_t *index = need(malloc(sizeof(*index) * GATHERS));
	uint32_t *out = need(malloc(sizeof(*out) * GATHERS));
	double rate;

	rig_init(&r, 1);
	for (uint32_t i = 0; i < PLACES; i++)
		in[i] = (i * 362437u + 12345u) % PLACES;
	for (int i = 0; i < GATHERS; i++)
		index[i] = next_random(&seed) % PLACES;
	params.in = rig_array(&r, in, sizeof(*in) * PLACES);
	params.index = rig_array(&r, index, sizeof(*index) * GATHERS);
	params.out = rig_array(&r, NULL, sizeof(*out) * GATHERS);
	rate = rig_rate(&r, &run, 5);
	rig_read(&r, out, params.out, sizeof(*out) * GATHERS);
	for (int i = 0; i < GATHERS; i++) {
		uint32_t at = index[i], sum = 0;

		for (int k = 0; k < 8; k++)
			sum += at = in[at];
		expect(out[i] == sum, "gather: a wrong sum");
	}
	free(in);
	free(index);
	free(out);
	rig_free(&r);
	return rate;
}

enum { BYTES = 2 << 20 };

double bench_atomics(void)
{
	struct rig r;
	struct {
		heddle_ptr in, bins;
		int32_t n;
	} params = { .n = BYTES };
	struct rig_run run = { .kernel = "atomics",
			       .grid = { 512, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 20 };
	uint8_t *v = need(malloc(BYTES));
	uint32_t want[256] = { 0 }, got[256], seed = 1;
	double rate;

	rig_init(&r, 1);
	for (int i = 0; i < BYTES; i++)
		want[v[i] = (uint8_t)next_random(&seed)] += 5;
	params.in = rig_array(&r, v, BYTES);
	params.bins = rig_array(&r, NULL, sizeof(got));
	rate = rig_rate(&r, &run, 5);
	rig_read(&r, got, params.bins, sizeof(got));
	expect(memcmp(want, got, sizeof(want)) == 0, "atomics: a wrong count");
	free(v);
	rig_free(&r);
	return rate;
}

double bench_calls(void)
{
	struct rig r;
	struct {
		heddle_ptr out;
		int32_t n;
	} params = { .n = 16 };
	struct rig_run run = { .kernel = "calls",
			       .grid = { 8, 1, 1 },
			       .block = { 64, 1, 1 },
			       .params = &params,
			       .param_bytes = 12 };
	int32_t v[512];
	double rate;

	rig_init(&r, 1);
	params.out = rig_array(&r, NULL, sizeof(v));
	rate = rig_rate(&r, &run, 3);
	rig_read(&r, v, params.out, sizeof(v));
	for (int i = 0; i < 512; i++)
		expect(v[i] == (i % 2 ? 610 : 987), "calls: a wrong number");
	rig_free(&r);
	return rate;
}

static const uint16_t small_halves[8] = { 0,      0x3c00, 0x4000, 0x4200,
					  0x4400, 0x4500, 0x4600, 0x4700 };

double bench_half2(void)
{
	struct rig r;
	struct {
		heddle_ptr out;
		int32_t rounds;
	} params = { .rounds = 64 };
	struct rig_run run = { .kernel = "half2_fma",
			       .grid = { 64, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 12 };
	static uint16_t v[2 * 64 * 256];
	double rate;

	rig_init(&r, 1);
	params.out = rig_array(&r, NULL, sizeof(v));
	rate = rig_rate(&r, &run, 3);
	rig_read(&r, v, params.out, sizeof(v));
	for (int i = 0; i < 64 * 256; i++)
		expect(v[2 * i] == small_halves[i % 8] &&
			       v[2 * i + 1] == 0x3c00,
		       "half2: a wrong value");
	rig_free(&r);
	return rate;
}

double bench_mma(void)
{
	struct rig r;
	struct {
		heddle_ptr out;
		int32_t rounds;
	} params = { .rounds = 1000 };
	struct rig_run run = { .kernel = "mma_sync16816",
			       .grid = { 16, 1, 1 },
			       .block = { 128, 1, 1 },
			       .params = &params,
			       .param_bytes = 12 };
	static float v[16 * 128];
	double rate;

	rig_init(&r, 1);
	params.out = rig_array(&r, NULL, sizeof(v));
	rate = rig_rate(&r, &run, 3);
	rig_read(&r, v, params.out, sizeof(v));
	for (int i = 0; i < 16 * 128; i++)
		expect(v[i] == 4 * 16 * 1000, "mma: a wrong sum");
	rig_free(&r);
	return rate;
}

/* Order 256; A holds 0 to 6 and B 0 to 4, as halves. */
double bench_wmma(void)
{
	enum { N = 256 };
	struct rig r;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = N };
	struct rig_run run = { .kernel = "tensor",
			       .grid = { N / 16, N / 16, 1 },
			       .block = { 32, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	static uint16_t a[N * N], b[N * N];
	static float c[N * N];
	double rate;

	rig_init(&r, 1);
	for (int i = 0; i < N * N; i++) {
		a[i] = small_halves[(int)a_at(i / N, i % N)];
		b[i] = small_halves[(int)b_at(i / N, i % N)];
	}
	params.a = rig_array(&r, a, sizeof(a));
	params.b = rig_array(&r, b, sizeof(b));
	params.c = rig_array(&r, NULL, sizeof(c));
	rate = rig_rate(&r, &run, 3);
	rig_read(&r, c, params.c, sizeof(c));
	for (int i = 0; i < N * N; i += 7) {
		float sum = 0;

		for (int k = 0; k < N; k++)
			sum += a_at(i / N, k) * b_at(k, i % N);
		expect(c[i] == sum, "wmma: a wrong product");
	}
	rig_free(&r);
	return rate;
}
