/*
 * Shared by the benchmarks: a device with the kernels of kernels.cu, memory on
 * it, timed launches.
 *
 * A benchmark is a row of the table in bench.c. It prepares its input, runs
 * its kernel, checks the result (a wrong result has no speed) and returns one
 * number. Any error ends the program with a message.
 */
#ifndef HEDDLE_BENCH_H
#define HEDDLE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

struct rig {
	struct heddle_device *device;
	struct heddle_module *module;
	unsigned threads;
};

/* What rigs run: ".ptx", or machine code in ".cubin" or ".hsaco". */
extern const char *rig_code;

/* threads: as in heddle_device_options, 0 for all cores. */
void rig_init(struct rig *r, unsigned threads);
/* The same, timed on a GPU of configs/ by an engine with that many threads. */
void rig_init_engine(struct rig *r, const char *gpu, const char *engine,
		     unsigned threads);
/* The same on one thread. */
void rig_init_timed(struct rig *r, const char *gpu);
void rig_free(struct rig *r);

/* Allocates memory on the device with a copy of `from` (NULL: zeros). */
heddle_ptr rig_array(struct rig *r, const void *from, uint64_t size);
/* Allocates size bytes and fills them with repetitions of the `bytes` at
 * `period`. */
heddle_ptr rig_repeat(struct rig *r, const void *period, uint64_t bytes,
		      uint64_t size);
void rig_read(struct rig *r, void *to, heddle_ptr from, uint64_t size);
void rig_zero(struct rig *r, heddle_ptr at, uint64_t size);

struct rig_run {
	const char *kernel;
	struct heddle_dim3 grid, block;
	const void *params;
	size_t param_bytes;
};

struct rig_took {
	/* One thread: processor time, which other programs on the machine
	 * disturb less than wall-clock time. More threads: wall-clock time. */
	double seconds;
	double warp_instructions;
	double cycles; /* of the simulated GPU, if it is timed */
};

struct rig_took rig_launch(struct rig *r, const struct rig_run *run);
/* The part of the last launch's warp-instructions that took an issue slot: those
 * that are folded into others (arch/timed.h) are executed, too. 0 if the launch was
 * not timed, or none was since rig_forget_issued. */
double rig_issued_part(void);
void rig_forget_issued(void);
/* The fastest of `times` launches, in warp-instructions per second. */
double rig_rate(struct rig *r, const struct rig_run *run, int times);

double wall_seconds(void);
double cpu_seconds(void);
void *need(void *allocated); /* ends the program if it is NULL */
void expect(int condition, const char *what);

/* The next number of a sequence that is the same on every host. */
uint32_t next_random(uint32_t *state);

/* A product of two matrices whose elements are small integers. */
struct matmul {
	struct rig rig;
	struct {
		heddle_ptr a, b, c;
		int32_t n;
	} params;
	struct rig_run run;
};

/* Copies the operands and describes the launch; m->rig must be initialized. */
void matmul_prepare(struct matmul *m);
/* Checks the product and frees the rig. */
void matmul_finish(struct matmul *m);

/* A PTX text of that many lines, the same every time; malloc'ed. */
char *generate_ptx(unsigned lines, size_t *size);

/* api.c */
double bench_launch(void);

/* cpu.c */
double bench_cpu_functional(void);
double bench_cpu_detailed(void);

/* system.c */
double bench_cgm_system(void);

/* cgm.c */
double bench_cgm(void);

/* cuda.c */
double bench_api_call(void);
double bench_api_launch(void);

/* engine.c */
double bench_engine_compute(void);
double bench_engine_memory(void);

/* programs.c */
double bench_matmul_tiled(void);
double bench_matmul_tiled_threads(void);
double bench_speedup(void);
double bench_vecadd(void);
double bench_stencil(void);
double bench_reduction(void);
double bench_divergent(void);
double bench_gather(void);
double bench_atomics(void);
double bench_calls(void);
double bench_half2(void);
double bench_mma(void);
double bench_wmma(void);
double bench_threads_4m(void);

/* timing.c */
double bench_timing_matmul_titanx(void);
double bench_timing_matmul_h200(void);
double bench_timing_stream(void);
double bench_timing_stream_hd7970(void);
double bench_timing_matmul_hd7970(void);
double bench_timing_gather(void);
double bench_timing_growth(void);
double bench_timing_idle(void);
double bench_timing_sparse(void);
double bench_timing_tiny(void);

/* trace.c */
double bench_trace_compute(void);
double bench_trace_memory(void);

#endif
