/*
 * The speed of cycle-level timing: kernels on the simulated GPUs, one thread.
 * Warp-instructions over the time of the whole program, which includes building
 * the GPU, copying the input and reading the result back, unless said
 * otherwise. The best of three runs: other load on the host only makes a run
 * slower.
 */
#include "bench.h"

#include <stdlib.h>

static double best_of_three(double (*rate)(void))
{
	double best = 0;

	for (int i = 0; i < 3; i++) {
		double r = rate();

		best = r > best ? r : best;
	}
	return best;
}

static double matmul_timed_rate(const char *gpu)
{
	double start = cpu_seconds();
	struct matmul m;
	struct rig_took t;

	rig_init_timed(&m.rig, gpu);
	matmul_prepare(&m);
	t = rig_launch(&m.rig, &m.run);
	start = cpu_seconds() - start;
	matmul_finish(&m);
	return t.warp_instructions / start;
}

static double matmul_titanx(void)
{
	return matmul_timed_rate("titanx-pascal");
}

double bench_timing_matmul_titanx(void)
{
	return best_of_three(matmul_titanx);
}

static double matmul_h200(void)
{
	return matmul_timed_rate("h200");
}

double bench_timing_matmul_h200(void)
{
	return best_of_three(matmul_h200);
}

static double matmul_hd7970(void)
{
	return matmul_timed_rate("hd7970");
}

double bench_timing_matmul_hd7970(void)
{
	return best_of_three(matmul_hd7970);
}

/* Vector addition. */

enum { VECTOR = 16 << 20 };

/* Seconds of a launch per warp-instruction. */
static double vecadd_cost(int threads)
{
	struct rig r;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = threads };
	struct rig_run run = { .kernel = "vecadd",
			       .grid = { (uint32_t)threads / 256, 1, 1 },
			       .block = { 256, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	struct rig_took t;

	rig_init_timed(&r, "h200");
	params.a = rig_array(&r, NULL, sizeof(float) * (size_t)threads);
	params.b = rig_array(&r, NULL, sizeof(float) * (size_t)threads);
	params.c = rig_array(&r, NULL, sizeof(float) * (size_t)threads);
	t = rig_launch(&r, &run);
	rig_free(&r);
	return t.seconds / t.warp_instructions;
}

/* The small launch fills the GPU once, the large one a thousand times. */
double bench_timing_growth(void)
{
	return vecadd_cost(VECTOR) / vecadd_cost(VECTOR / 1024);
}

/* One block follows a chain of dependent loads; 131 SMs are idle. */
double bench_timing_idle(void)
{
	enum { WORDS = 1 << 20, THREADS = 32 };
	struct rig r;
	struct {
		heddle_ptr in, index, out;
		int32_t n;
	} params = { .n = THREADS };
	struct rig_run run = { .kernel = "gather",
			       .grid = { 1, 1, 1 },
			       .block = { THREADS, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	double cycles = 0, seconds = 0;

	rig_init_timed(&r, "h200");
	params.in = rig_array(&r, NULL, sizeof(uint32_t) * WORDS);
	params.index = rig_array(&r, NULL, sizeof(uint32_t) * THREADS);
	params.out = rig_array(&r, NULL, sizeof(uint32_t) * THREADS);
	for (int i = 0; i < 100; i++) {
		struct rig_took t = rig_launch(&r, &run);

		cycles += t.cycles;
		seconds += t.seconds;
	}
	rig_free(&r);
	return cycles / seconds;
}

/* The vectors repeat a period, so the host needs no copy of them. */
enum { PERIOD = 1 << 16 };

static double stream_rate_of(const char *gpu)
{
	const uint64_t period = sizeof(float) * PERIOD;
	const uint64_t size = sizeof(float) * VECTOR;
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
	float v[PERIOD];
	double start;
	struct rig_took t;

	for (int i = 0; i < PERIOD; i++)
		v[i] = (float)i;
	start = cpu_seconds();
	rig_init_timed(&r, gpu);
	params.a = rig_repeat(&r, v, period, size);
	params.b = rig_repeat(&r, v, period, size);
	params.c = rig_array(&r, NULL, size);
	t = rig_launch(&r, &run);
	for (uint64_t at = 0; at < size; at += period)
		rig_read(&r, v, params.c + at, period);
	start = cpu_seconds() - start;
	for (uint64_t at = 0; at < size; at += period) {
		rig_read(&r, v, params.c + at, period);
		for (int i = 0; i < PERIOD; i++)
			expect(v[i] == 2.0f * (float)i, "vecadd: a wrong sum");
	}
	rig_free(&r);
	return t.warp_instructions / start;
}

static double stream_h200(void)
{
	return stream_rate_of("h200");
}

double bench_timing_stream(void)
{
	return best_of_three(stream_h200);
}

static double stream_hd7970(void)
{
	return stream_rate_of("hd7970");
}

double bench_timing_stream_hd7970(void)
{
	return best_of_three(stream_hd7970);
}

/*
 * A sparse matrix times a vector that is larger than the L2: nearly every
 * element is a miss, and lanes leave the loop one by one.
 */

enum { ROWS = 1 << 17, ELEMENTS = 32 << 20 };

struct sparse {
	uint32_t start[ROWS + 1];
	uint32_t *column;
	float *value;
};

/* Elements of the vector repeat, so the host needs no copy of it. */
enum { CYCLE = 977, REPEATED = 268 * CYCLE };

static float element_at(uint32_t i)
{
	return (float)(i % CYCLE);
}

static struct sparse *make_sparse(void)
{
	struct sparse *m = need(malloc(sizeof(*m)));
	uint32_t seed = 1, n;

	m->start[0] = 0;
	for (int i = 0; i < ROWS; i++) {
		n = 1 + next_random(&seed) % 8;
		if (next_random(&seed) % 16 == 0)
			n += next_random(&seed) % 24;
		m->start[i + 1] = m->start[i] + n;
	}
	n = m->start[ROWS];
	m->column = need(malloc(sizeof(*m->column) * n));
	m->value = need(malloc(sizeof(*m->value) * n));
	for (uint32_t i = 0; i < n; i++) {
		m->column[i] = next_random(&seed) * 2u % ELEMENTS;
		m->value[i] = (float)(next_random(&seed) % 8);
	}
	return m;
}

static void check_sparse(struct rig *r, heddle_ptr out, struct sparse *m)
{
	float *got = need(malloc(sizeof(*got) * ROWS));

	rig_read(r, got, out, sizeof(*got) * ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		float sum = 0;

		for (uint32_t k = m->start[i]; k < m->start[i + 1]; k++)
			sum += m->value[k] * element_at(m->column[k]);
		expect(got[i] == sum, "sparse: a wrong sum");
	}
	free(got);
	free(m->column);
	free(m->value);
	free(m);
}

static double gather_rate(void)
{
	struct sparse *m = make_sparse();
	struct rig r;
	struct {
		heddle_ptr start, column, value, vector, out;
		int32_t n;
	} params = { .n = ROWS };
	struct rig_run run = { .kernel = "sparse",
			       .grid = { ROWS / 128, 1, 1 },
			       .block = { 128, 1, 1 },
			       .params = &params,
			       .param_bytes = 44 };
	uint64_t n = m->start[ROWS];
	float elements[REPEATED];
	double began;
	struct rig_took t;

	for (uint32_t i = 0; i < REPEATED; i++)
		elements[i] = element_at(i);
	began = cpu_seconds();
	rig_init_timed(&r, "h200");
	params.start = rig_array(&r, m->start, sizeof(m->start));
	params.column = rig_array(&r, m->column, n * sizeof(uint32_t));
	params.value = rig_array(&r, m->value, n * sizeof(float));
	params.vector = rig_repeat(&r, elements, sizeof(elements),
				   sizeof(float) * ELEMENTS);
	params.out = rig_array(&r, NULL, sizeof(float) * ROWS);
	t = rig_launch(&r, &run);
	began = cpu_seconds() - began;
	check_sparse(&r, params.out, m);
	rig_free(&r);
	return t.warp_instructions / began;
}

double bench_timing_gather(void)
{
	return best_of_three(gather_rate);
}

/*
 * Where little runs: what counts is what each cycle and each launch costs by
 * itself, so the time is that of the launches alone.
 */

/* Places that each hold the address of another one. Their number is a prime, so
 * that a chain visits all of them before it comes back. */
enum { PLACES = 180001, JUMP = 71993, PLACE_BYTES = 128 };

/* The L2 is empty afterwards: the launch is not timed. */
static heddle_ptr make_places(struct rig *r)
{
	struct {
		heddle_ptr place;
		uint32_t n, jump;
	} params = { .n = PLACES, .jump = JUMP };
	struct heddle_launch launch = { .kernel = "link_places",
					.grid = { PLACES / 256 + 1, 1, 1 },
					.block = { 256, 1, 1 },
					.params = &params,
					.param_bytes = sizeof(params),
					.functional = 1 };
	struct heddle_result result;
	struct heddle_error err;

	expect(heddle_alloc(r->device, (uint64_t)PLACES * PLACE_BYTES,
			    &params.place, &err) == HEDDLE_OK,
	       err.text);
	expect(heddle_launch(r->device, r->module, &launch, &result, &err) ==
		       HEDDLE_OK,
	       err.text);
	return params.place;
}

/* Where a chain that starts at the first place is after some steps. */
static heddle_ptr place_after(heddle_ptr first, uint64_t steps)
{
	return first + PLACE_BYTES * (steps * JUMP % PLACES);
}

/* Every load misses the L2: each launch continues the chains of the one
 * before. */
double bench_timing_sparse(void)
{
	enum { CHAINS = 16, STEPS = 2048, TIMES = 5 };
	struct rig r;
	struct {
		heddle_ptr at;
		int32_t steps;
	} params = { .steps = STEPS };
	struct rig_run run = { .kernel = "chase",
			       .grid = { CHAINS, 1, 1 },
			       .block = { 32, 1, 1 },
			       .params = &params,
			       .param_bytes = 12 };
	heddle_ptr base, at[CHAINS];
	double rate;

	_Static_assert((int)CHAINS * STEPS * TIMES < PLACES, "no place twice");
	rig_init_timed(&r, "h200");
	base = make_places(&r);
	for (uint32_t i = 0; i < CHAINS; i++)
		at[i] = place_after(base, i * STEPS * TIMES);
	params.at = rig_array(&r, at, sizeof(at));
	rate = rig_rate(&r, &run, TIMES);
	rig_read(&r, at, params.at, sizeof(at));
	for (uint32_t i = 0; i < CHAINS; i++)
		expect(at[i] == place_after(base, (i + 1) * STEPS * TIMES),
		       "chase: a wrong place");
	rig_free(&r);
	return rate;
}

/* Many launches of one small block. */
static double tiny_rate(void)
{
	enum { LAUNCHES = 1000, THREADS = 128 };
	struct rig r;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params = { .n = THREADS };
	struct rig_run run = { .kernel = "vecadd",
			       .grid = { 1, 1, 1 },
			       .block = { THREADS, 1, 1 },
			       .params = &params,
			       .param_bytes = 28 };
	struct rig_took all = { 0 };
	float v[THREADS];

	for (int i = 0; i < THREADS; i++)
		v[i] = (float)i;
	rig_init_timed(&r, "h200");
	params.a = rig_array(&r, v, sizeof(v));
	params.b = rig_array(&r, v, sizeof(v));
	params.c = rig_array(&r, NULL, sizeof(v));
	for (int i = 0; i < LAUNCHES; i++) {
		struct rig_took t = rig_launch(&r, &run);

		all.warp_instructions += t.warp_instructions;
		all.seconds += t.seconds;
	}
	rig_read(&r, v, params.c, sizeof(v));
	for (int i = 0; i < THREADS; i++)
		expect(v[i] == 2.0f * (float)i, "vecadd: a wrong sum");
	rig_free(&r);
	return all.warp_instructions / all.seconds;
}

double bench_timing_tiny(void)
{
	return best_of_three(tiny_rate);
}
