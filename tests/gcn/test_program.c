/*
 * Do OpenCL kernels, as clang compiles them, give what the same source gives on
 * the host, or what the language says of work-groups? Through the C library, with
 * one thread and with two.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
#include "tests/gcn/programs.h"

static unsigned failures;
static struct heddle_device *dev;
static const char *folder;

static void fail_at(const char *what, size_t at, double got, double want)
{
	if (++failures < 30)
		fprintf(stderr, "%s [%zu]: %.9g, not %.9g\n", what, at, got,
			want);
}

static void must(int code, const struct heddle_error *err)
{
	if (!code)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(2);
}

static struct heddle_module *load(const char *name)
{
	static char bytes[1 << 16];
	struct heddle_module *mod;
	struct heddle_error err;
	char path[512];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(2);
	}
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	must(heddle_module_load(dev, &mod, name, bytes, n, &err), &err);
	return mod;
}

static heddle_ptr put(const void *from, size_t bytes)
{
	struct heddle_error err;
	heddle_ptr p;

	must(heddle_alloc(dev, bytes, &p, &err), &err);
	if (from)
		must(heddle_write(dev, p, from, bytes, &err), &err);
	return p;
}

static void get(void *to, heddle_ptr from, size_t bytes)
{
	struct heddle_error err;

	must(heddle_read(dev, to, from, bytes, &err), &err);
}

/* Launches with arguments of 8 bytes each and, at the end, one of 4. */
static int try_launch(struct heddle_module *mod, struct heddle_launch l,
		      const uint64_t *args, size_t pointers, int number,
		      size_t numbers, struct heddle_result *r,
		      struct heddle_error *err)
{
	char params[64];

	memcpy(params, args, 8 * pointers);
	memcpy(params + 8 * pointers, &number, 4 * numbers);
	l.params = params;
	l.param_bytes = 8 * pointers + 4 * numbers;
	return heddle_launch(dev, mod, &l, r, err);
}

static void run(struct heddle_module *mod, struct heddle_launch l,
		const uint64_t *args, size_t pointers, int number,
		size_t numbers)
{
	struct heddle_result r;
	struct heddle_error err;

	must(try_launch(mod, l, args, pointers, number, numbers, &r, &err),
	     &err);
}

static uint64_t state;

static uint64_t random_bits(void)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return state >> 20;
}

/* ---- kernels that the host executes, too ------------------------------- */

enum { N = 500, GROUPS = 8, ITEMS = 64 };

static const struct heddle_launch lines = { .grid = { GROUPS, 1, 1 },
					    .block = { ITEMS, 1, 1 } };

static struct heddle_launch of(const char *kernel)
{
	struct heddle_launch l = lines;

	l.kernel = kernel;
	return l;
}

#define EACH(call)                                         \
	for (program_id = 0; program_id < N; program_id++) \
	call

#define EXACT(what, got, want, n)                                      \
	for (size_t i_ = 0; i_ < (n); i_++)                            \
		if (memcmp(&(got)[i_], &(want)[i_], sizeof((got)[0]))) \
	fail_at(what, i_, (double)(got)[i_], (double)(want)[i_])

static void test_integers(struct heddle_module *mod)
{
	static int in[N], out[8 * N], want[8 * N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = (int)random_bits() >> (i % 4 * 7);
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("integers"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(integers(want, in, N));
	EXACT("integers", out, want, 8 * N);
}

static void test_longs(struct heddle_module *mod)
{
	static long in[N], out[4 * N], want[4 * N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = (long)(random_bits() << 20 ^ random_bits()) >>
			(i % 3 * 20);
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("longs"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(longs(want, in, N));
	EXACT("longs", out, want, 4 * N);
}

static float number(int i)
{
	return (float)((int)(random_bits() % 20001) - 10000) /
	       (float)(i % 2 ? 16 : 1000);
}

static void test_floats(struct heddle_module *mod)
{
	static float in[N], out[4 * N], want[4 * N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = number(i);
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("floats"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(floats(want, in, N));
	EXACT("floats", out, want, 4 * N);
}

/* The library's functions are right to a few units in the last place. */
static void test_functions(struct heddle_module *mod)
{
	static float in[N], out[8 * N], want[8 * N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = number(1) / 8;
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("functions"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(functions(want, in, N));
	for (size_t i = 0; i < 8 * N; i++) {
		double error = fabs((double)out[i] - (double)want[i]);

		if (!(error <= 16 * 0x1p-24 * fabs((double)want[i]) + 1e-7))
			fail_at("functions", i, (double)out[i],
				(double)want[i]);
	}
}

static void test_doubles(struct heddle_module *mod)
{
	static double in[N], out[4 * N], want[4 * N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = ldexp((double)number(i) + 0.3, i % 50 - 30);
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("doubles"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(doubles(want, in, N));
	for (size_t i = 0; i < 4 * N; i++)
		if (!(fabs(out[i] - want[i]) <= 4 * 0x1p-53 * fabs(want[i])))
			fail_at("doubles", i, out[i], want[i]);
}

static void test_pieces(struct heddle_module *mod)
{
	static unsigned char in[N], out[4 * N], want[4 * N];
	static short shorts[N];
	uint64_t args[3];

	for (int i = 0; i < N; i++) {
		in[i] = (unsigned char)random_bits();
		shorts[i] = (short)random_bits();
	}
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	args[2] = put(shorts, sizeof(shorts));
	run(mod, of("pieces"), args, 3, N, 1);
	get(out, args[0], sizeof(out));
	EACH(pieces(want, in, shorts, N));
	EXACT("pieces", out, want, 4 * N);
}

static void test_paths(struct heddle_module *mod)
{
	static float out[N], want[N];
	static int in[N];
	uint64_t args[2];

	for (int i = 0; i < N; i++)
		in[i] = (int)random_bits();
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, of("paths"), args, 2, N, 1);
	get(out, args[0], sizeof(out));
	EACH(paths(want, in, N));
	EXACT("paths", out, want, N);
}

/* ---- kernels of work-groups -------------------------------------------- */

static void test_scan(struct heddle_module *mod, unsigned items)
{
	static int data[1024 * 4], want;
	unsigned count = items * 4;
	uint64_t args[1];
	struct heddle_launch l = { .kernel = "scan",
				   .grid = { 4, 1, 1 },
				   .block = { items, 1, 1 },
				   .shared_bytes = items * 4 };

	for (unsigned i = 0; i < count; i++)
		data[i] = (int)(i % 13) - 4;
	args[0] = put(data, sizeof(data));
	run(mod, l, args, 1, 0, 1);
	get(data, args[0], sizeof(data));
	for (unsigned i = 0; i < count; i++) {
		want = i % items ? want : 0;
		want += (int)(i % 13) - 4;
		if (data[i] != want)
			fail_at("scan", i, data[i], want);
	}
}

static void test_histogram(struct heddle_module *mod)
{
	static int in[GROUPS * ITEMS], bins[16], want[16], most[2] = { 0, 0 };
	uint64_t args[3];
	int greatest = 0;

	memset(want, 0, sizeof(want));
	for (int i = 0; i < GROUPS * ITEMS; i++) {
		in[i] = (int)(random_bits() % 1000);
		want[in[i] & 15]++;
		greatest = in[i] > greatest ? in[i] : greatest;
	}
	args[0] = put(NULL, sizeof(bins));
	args[1] = put(in, sizeof(in));
	args[2] = put(most, sizeof(most));
	run(mod, of("histogram"), args, 3, 0, 0);
	get(bins, args[0], sizeof(bins));
	get(most, args[2], sizeof(most));
	EXACT("histogram", bins, want, 16);
	if (most[0] != greatest || most[1] < 1 || most[1] > GROUPS)
		fail_at("histogram's maximum", (size_t)most[1], most[0],
			greatest);
}

static int digits(unsigned x, unsigned y, unsigned z)
{
	return (int)(x + 100 * y + 10000 * z);
}

/* What a kernel is told of its place, with a global offset. */
static void test_shape(struct heddle_module *mod)
{
	enum { W = 12, H = 6, D = 4, ALL = W * H * D };
	static int out[8 * ALL];
	uint64_t args[1];
	const struct heddle_launch l = { .kernel = "shape",
					 .grid = { 4, 3, 2 },
					 .block = { 3, 2, 2 },
					 .global_offset = { 5, 7, 0 },
					 .work_dim = 3 };

	args[0] = put(NULL, sizeof(out));
	run(mod, l, args, 1, 0, 0);
	get(out, args[0], sizeof(out));
	for (unsigned i = 0; i < ALL; i++) {
		unsigned x = i % W, y = i / W % H, z = i / W / H;
		const int want[8] = { digits(x % 3, y % 2, z % 2),
				      digits(x / 3, y / 2, z / 2),
				      digits(3, 2, 2),
				      digits(4, 3, 2),
				      (int)x + 5,
				      (int)y + 7,
				      (int)z,
				      3 };

		EXACT("shape", out + 8 * i, want, 8);
	}
}

static void test_matmul(struct heddle_module *mod)
{
	enum { S = 64 };
	static float a[S * S], b[S * S], c[S * S];
	uint64_t args[3];
	const struct heddle_launch l = { .kernel = "matmul",
					 .grid = { S / 16, S / 16, 1 },
					 .block = { 16, 16, 1 } };

	for (int i = 0; i < S * S; i++) {
		a[i] = (float)(i % 17) - 8;
		b[i] = (float)(i % 5);
	}
	args[0] = put(a, sizeof(a));
	args[1] = put(b, sizeof(b));
	args[2] = put(NULL, sizeof(c));
	run(mod, l, args, 3, S, 1);
	get(c, args[2], sizeof(c));
	for (int i = 0; i < S * S; i++) {
		float want = 0;

		for (int k = 0; k < S; k++)
			want += a[i / S * S + k] * b[k * S + i % S];
		if (c[i] != want)
			fail_at("matmul", (size_t)i, (double)c[i],
				(double)want);
	}
}

static void test_calls(struct heddle_module *mod)
{
	static float in[64], out[64];
	uint64_t args[2];
	struct heddle_launch l = { .kernel = "calls",
				   .grid = { 1, 1, 1 },
				   .block = { 64, 1, 1 } };

	for (int i = 0; i < 64; i++)
		in[i] = (float)i;
	args[0] = put(NULL, sizeof(out));
	args[1] = put(in, sizeof(in));
	run(mod, l, args, 2, 0, 0);
	get(out, args[0], sizeof(out));
	for (int i = 0; i < 64; i++) {
		float v = (float)i, x = i & 1 ? 2 * v : v + 1;

		x += i & 2 ? 6 * v : 3 * v + 1;
		if (out[i] != x)
			fail_at("calls", (size_t)i, (double)out[i], (double)x);
	}
}

/* A fault names kernel, group, item, instruction and address. */
static void test_fault(struct heddle_module *mod)
{
	struct heddle_result r;
	struct heddle_error err;
	uint64_t args[1] = { put(NULL, 64) };
	struct heddle_launch l = { .kernel = "wild",
				   .grid = { 3, 1, 1 },
				   .block = { 64, 1, 1 } };
	int code = try_launch(mod, l, args, 1, 1 << 20, 1, &r, &err);

	if (code != HEDDLE_FAULT || r.fault.kind != HEDDLE_FAULT_ADDRESS ||
	    strcmp(r.fault.kernel, "wild") ||
	    strncmp(r.fault.instruction, "buffer_store_dword", 18) ||
	    r.fault.address != args[0] + (4ull << 20) * r.fault.thread.x ||
	    r.fault.lane != r.fault.thread.x || !strstr(r.fault.text, "0x")) {
		failures++;
		fprintf(stderr, "the fault: %s\n", err.text);
	}
}

/* ---- all --------------------------------------------------------------- */

static void test_all(unsigned threads)
{
	const struct heddle_device_options o = { .threads = threads };
	struct heddle_error err;
	struct heddle_module *programs, *groups;

	must(heddle_device_new(&dev, &o, &err), &err);
	state = 1;
	programs = load("programs.o");
	test_integers(programs);
	test_longs(programs);
	test_floats(programs);
	test_functions(programs);
	test_doubles(programs);
	test_pieces(programs);
	test_paths(programs);
	groups = load("groups.o");
	test_scan(groups, 256);
	test_scan(groups, 100);
	test_histogram(groups);
	test_shape(groups);
	test_matmul(groups);
	test_calls(groups);
	test_fault(groups);
	heddle_module_free(dev, programs);
	heddle_module_free(dev, groups);
	heddle_device_free(dev);
}

int main(int argc, char **argv)
{
	folder = argc > 1 ? argv[1] : ".";
	test_all(1);
	test_all(2);
	printf("%u failures\n", failures);
	return failures != 0;
}
