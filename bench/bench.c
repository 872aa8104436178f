/*
 * Runs the benchmarks: prints a table, writes a JSON file. See bench/run.
 *
 *	heddle_bench [--list] [--only NAME]... [--json FILE]
 */
#include "bench.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOAD_LINES = 100000 };

static double bench_load(void)
{
	struct heddle_device *dev;
	struct heddle_error err;
	double best = 0;
	size_t size;
	char *text = generate_ptx(LOAD_LINES, &size);

	expect(heddle_device_new(&dev, NULL, &err) == HEDDLE_OK, err.text);
	for (int i = 0; i < 3; i++) {
		struct heddle_module *mod;
		double start = cpu_seconds(), took;
		int code = heddle_module_load(dev, &mod, "generated.ptx", text,
					      size, &err);

		took = cpu_seconds() - start;
		expect(code == HEDDLE_OK, err.text);
		heddle_module_free(dev, mod);
		if (i == 0 || took < best)
			best = took;
	}
	heddle_device_free(dev);
	free(text);
	return best;
}

/* A benchmark with the machine code of its kernel. */
#define MACHINE_CODE(name, suffix, run) \
	static double name(void)        \
	{                               \
		double v;               \
                                        \
		rig_code = suffix;      \
		v = run();              \
		rig_code = ".ptx";      \
		return v;               \
	}
MACHINE_CODE(sass_matmul, ".cubin", bench_matmul_tiled)
MACHINE_CODE(sass_timing_matmul, ".cubin", bench_timing_matmul_h200)
MACHINE_CODE(sass_stream, ".cubin", bench_timing_stream)
MACHINE_CODE(sass_gather, ".cubin", bench_timing_gather)
MACHINE_CODE(sass_engine, ".cubin", bench_engine_compute)
MACHINE_CODE(gcn_matmul, ".hsaco", bench_matmul_tiled)
MACHINE_CODE(gcn_timing_matmul, ".hsaco", bench_timing_matmul_hd7970)
MACHINE_CODE(gcn_stream, ".hsaco", bench_timing_stream_hd7970)
#undef MACHINE_CODE

/* Higher is better for rates and ratios, lower for times. */
static const struct bench {
	const char *name, *unit;
	double (*run)(void);
	const char *what;
} benches[] = {
	{ "functional.matmul_tiled", "warp-inst/s", bench_matmul_tiled,
	  "f32 product of order 512 in 16x16 tiles, one thread" },
	{ "functional.matmul_tiled.threads", "warp-inst/s",
	  bench_matmul_tiled_threads, "the same on all cores" },
	{ "functional.speedup.N", "ratio", bench_speedup,
	  "all cores (N) over one thread, measured in turns" },
	{ "functional.vecadd", "warp-inst/s", bench_vecadd,
	  "c = a + b for 4,194,304 threads" },
	{ "functional.stencil", "warp-inst/s", bench_stencil,
	  "five-point stencil on 1024x1024" },
	{ "functional.reduction", "warp-inst/s", bench_reduction,
	  "sum of 4,194,304 integers: shared memory, shuffles" },
	{ "functional.divergent", "warp-inst/s", bench_divergent,
	  "Mandelbrot set: lanes leave a loop one by one" },
	{ "functional.gather", "warp-inst/s", bench_gather,
	  "loads from 32 random addresses in 4 MiB" },
	{ "functional.atomics", "warp-inst/s", bench_atomics,
	  "histogram of 2,097,152 bytes" },
	{ "functional.calls", "warp-inst/s", bench_calls,
	  "recursive Fibonacci numbers" },
	{ "functional.half2", "warp-inst/s", bench_half2,
	  "pairs of half floats: fma, add, mul" },
	{ "functional.mma", "warp-inst/s", bench_mma,
	  "mma.sync m16n8k16, f16 to f32" },
	{ "functional.wmma", "warp-inst/s", bench_wmma,
	  "wmma product of order 256, f16 to f32" },
	{ "functional.threads_4m", "s", bench_threads_4m,
	  "a launch of 4,194,304 threads on all cores" },
	{ "timing.matmul_tiled.titanx-pascal", "warp-inst/s",
	  bench_timing_matmul_titanx, "the product, timed, whole program" },
	{ "timing.matmul_tiled.h200", "warp-inst/s", bench_timing_matmul_h200,
	  "the same on all 132 SMs of the H200" },
	{ "timing.stream.h200", "warp-inst/s", bench_timing_stream,
	  "c = a + b for 16,777,216 threads, timed, whole program" },
	{ "timing.gather.h200", "warp-inst/s", bench_timing_gather,
	  "sparse matrix times a vector of 128 MiB, timed: misses" },
	{ "timing.growth.h200", "ratio", bench_timing_growth,
	  "cost of an instruction, 16,777,216 threads over 16,384" },
	{ "timing.idle.h200", "cycle/s", bench_timing_idle,
	  "simulated cycles with one warp on one of 132 SMs" },
	{ "timing.sparse.h200", "warp-inst/s", bench_timing_sparse,
	  "16 blocks, a pointer chase in DRAM each, timed" },
	{ "timing.tiny.h200", "warp-inst/s", bench_timing_tiny,
	  "1,000 launches of one block of 128 threads, timed" },
	{ "engine.exact.2.compute", "ratio", bench_engine_compute,
	  "exact on two threads over serial, the product on the H200" },
	{ "engine.exact.2.memory", "ratio", bench_engine_memory,
	  "the same for streams and gathers, the smaller of the two" },
	{ "trace.replay.compute", "ratio", bench_trace_compute,
	  "a replay over the program, a product on the H200, at least 1" },
	{ "trace.replay.memory", "ratio", bench_trace_memory,
	  "the same for c = a + b with 1,048,576 threads" },
	{ "functional.sass.matmul_tiled", "warp-inst/s", sass_matmul,
	  "as functional.matmul_tiled, from machine code" },
	{ "timing.sass.matmul_tiled.h200", "warp-inst/s", sass_timing_matmul,
	  "as timing.matmul_tiled.h200, the same" },
	{ "timing.sass.stream.h200", "warp-inst/s", sass_stream,
	  "as timing.stream.h200, the same" },
	{ "timing.sass.gather.h200", "warp-inst/s", sass_gather,
	  "as timing.gather.h200, the same" },
	{ "engine.sass.exact.2.compute", "ratio", sass_engine,
	  "as engine.exact.2.compute, the same" },
	{ "functional.gcn.matmul", "warp-inst/s", gcn_matmul,
	  "as functional.matmul_tiled, wavefronts of 64 lanes" },
	{ "timing.gcn.matmul.hd7970", "warp-inst/s", gcn_timing_matmul,
	  "the same on the 32 compute units of the HD 7970" },
	{ "timing.gcn.stream.hd7970", "warp-inst/s", gcn_stream,
	  "as timing.stream.h200, wavefronts of 64 lanes" },
#ifdef HEDDLE_ZYDIS
	{ "cpu.functional", "inst/s", bench_cpu_functional,
	  "an x86-64 program: matrices, sorting, hashing" },
	{ "cpu.detailed", "inst/s", bench_cpu_detailed,
	  "the same on an out-of-order core with caches, cycle by cycle" },
	{ "cgm.system", "cycle/s", bench_cgm_system,
	  "four busy cores and a kernel on 8 compute units, cycle by cycle" },
#endif
	{ "functional.launch", "us", bench_launch,
	  "a launch of 4 blocks of 256 threads that do almost nothing" },
	{ "api.call", "us", bench_api_call, "a query function of libcudart" },
	{ "api.launch", "us", bench_api_launch,
	  "a launch of one warp through libcudart, results only" },
	{ "cgm.memory", "request/s", bench_cgm,
	  "memory system of configs/cgm.cfg, four cores at random in 1 MiB" },
	{ "ptx.load_100k_lines", "s", bench_load,
	  "loading a PTX file of 100,000 lines" },
};

enum { COUNT = sizeof(benches) / sizeof(benches[0]) };

/* Replaces the N of "functional.speedup.N" by the number of cores. */
static const char *bench_name(const struct bench *b, char *room, size_t size)
{
	size_t n = strlen(b->name);

	if (strcmp(b->name + n - 2, ".N") != 0)
		return b->name;
	snprintf(room, size, "%.*s%ld", (int)n - 1, b->name,
		 sysconf(_SC_NPROCESSORS_ONLN));
	return room;
}

static void print_list(void)
{
	char room[80];

	for (int i = 0; i < COUNT; i++)
		printf("%-36s%-13s%s\n",
		       bench_name(&benches[i], room, sizeof(room)),
		       benches[i].unit, benches[i].what);
}

/* Selects by a whole name, or by the part before one of its dots. */
static int is_selected(const char *name, char **only, int n)
{
	for (int i = 0; i < n; i++) {
		size_t size = strlen(only[i]);

		if (strncmp(name, only[i], size) == 0 &&
		    (name[size] == 0 || name[size] == '.'))
			return 1;
	}
	return n == 0;
}

struct result {
	double value;  /* NAN: it was not selected */
	double issued; /* rates of timed launches: instructions issued; else 0 */
};

static struct result run_bench(const struct bench *b)
{
	struct result r;

	rig_forget_issued();
	r.value = b->run();
	r.issued = strcmp(b->unit, "warp-inst/s") == 0 ?
			   r.value * rig_issued_part() :
			   0;
	return r;
}

static void print_result(const struct bench *b, const char *name,
			 struct result r)
{
	if (strstr(b->unit, "inst/s"))
		printf("%-36s%10.2f million %s", name, r.value * 1e-6, b->unit);
	else
		printf("%-36s%10.3f %s", name, r.value, b->unit);
	if (r.issued > 0)
		printf(", %.2f issued", r.issued * 1e-6);
	puts("");
	fflush(stdout);
}

static int write_json(const char *path, const struct result *results)
{
	FILE *f = fopen(path, "w");
	const char *before = "[";
	char room[80];

	if (!f) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < COUNT; i++) {
		if (isnan(results[i].value))
			continue;
		fprintf(f,
			"%s\n\t{\"name\": \"%s\", \"value\": %.6g, "
			"\"unit\": \"%s\"",
			before, bench_name(&benches[i], room, sizeof(room)),
			results[i].value, benches[i].unit);
		if (results[i].issued > 0)
			fprintf(f, ", \"issued\": %.6g", results[i].issued);
		fputs("}", f);
		before = ",";
	}
	fputs("\n]\n", f);
	if (fclose(f)) {
		perror(path);
		return 1;
	}
	return 0;
}

static int run_all(char **only, int n, const char *json)
{
	struct result results[COUNT];
	char room[80];
	int ran = 0;

	for (int i = 0; i < COUNT; i++) {
		const struct bench *b = &benches[i];
		const char *name = bench_name(b, room, sizeof(room));

		results[i].value = NAN;
		if (!is_selected(name, only, n))
			continue;
		results[i] = run_bench(b);
		print_result(b, name, results[i]);
		ran++;
	}
	if (!ran) {
		fputs("bench: no benchmark of that name; --list shows them\n",
		      stderr);
		return 2;
	}
	return json ? write_json(json, results) : 0;
}

int main(int argc, char **argv)
{
	char **only = need(calloc((size_t)argc, sizeof(*only)));
	const char *json = NULL;
	int n = 0, code;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--list") == 0) {
			print_list();
			free(only);
			return 0;
		}
		if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
			only[n++] = argv[++i];
		} else if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
			json = argv[++i];
		} else {
			fputs("usage: bench/run [--list] [--only NAME]... "
			      "[--json FILE]\n",
			      stderr);
			free(only);
			return 2;
		}
	}
	code = run_all(only, n, json);
	free(only);
	return code;
}
