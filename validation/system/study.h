/*
 * The results of the paper on M2S-CGM, repeated: `make cgm`.
 *
 * validation/system/run simulates the six programs and leaves a file of `heddle
 * system --json` for each run; this makes the page of them, beside what
 * measure.sh measured.
 */
#ifndef VALIDATION_SYSTEM_STUDY_H
#define VALIDATION_SYSTEM_STUDY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/jsonread.h"
#include "page.h"

enum { STUDY_PROGRAMS = 16, STUDY_SLOTS = 24, STUDY_SAMPLES = 256 };

/* Numbers of threads: the simulated system has four cores. */
enum { ONE, TWO, FOUR, STUDY_THREADS };
extern const int study_threads[STUDY_THREADS];

/* The systems that are simulated: the paper's; the machine that was measured
 * (hardware.txt); the paper's without coherence. */
enum { PAPER, HARDWARE, INCOHERENT, STUDY_SYSTEMS };

/* The parallel section of a run. */
struct study_run {
	bool ran;
	double ns, cycles, instructions;
	double slot[STUDY_SLOTS]; /* commit slots by reason */
	double upgrades, forwards, invalidations;
};

/* How the GPU and its memory are connected for the OpenCL programs. */
struct study_variant {
	const char *name;  /* in the names of files */
	const char *title; /* on the page */
};
/* Those of the comparison of address spaces; then that of Figure 3 with the calls that
 * were measured, and with multiprocessors, too. */
enum { STUDY_SPACES = 5, CALLS = STUDY_SPACES, SMS, STUDY_VARIANTS };
extern const struct study_variant study_variants[STUDY_VARIANTS];

/* The parallel section of an OpenCL program, in nanoseconds. */
struct study_opencl {
	bool ran;
	double section, kernel, call, copy;
	double fence; /* of the kernels: caches that are written back */
	double reads; /* blocks that memory was read for */
};

/* Times of a program on hardware, in nanoseconds. */
struct study_times {
	double sample[STUDY_SAMPLES];
	double pace[STUDY_SAMPLES]; /* how fast its processors were, if known */
	size_t count, all;          /* all: with those of another pace */
};

enum { STUDY_RUNS = STUDY_SYSTEMS * STUDY_THREADS + STUDY_VARIANTS };

struct study_program {
	const char *name;
	struct study_run run[STUDY_SYSTEMS][STUDY_THREADS];
	struct study_times measured[STUDY_THREADS];
	struct study_opencl opencl[STUDY_VARIANTS];
	/* On hardware: sections, and the shares of their kernels. */
	struct study_times sections, shares;
};

struct study {
	struct arena arena;
	struct study_program program[STUDY_PROGRAMS];
	size_t programs;
	const char *slot[STUDY_SLOTS]; /* names, as the first run has them */
	size_t slots;
	double mhz; /* of the hardware, while it was measured */
	/* Runs that are not there, by name. */
	const char *missing[STUDY_PROGRAMS * STUDY_RUNS];
	size_t missing_count;
};

/* runs: a folder. measured: that of measure.sh. study_free in any case. */
MUST_USE enum err study_read(struct study *s, const char *runs,
			     const char *measured, struct diag *d);
void study_free(struct study *s);

/* NaN: there is none. */
double study_median(const struct study_times *t);
double study_least(const struct study_times *t);
/* q: 0 to 1. */
double study_quantile(const struct study_times *t, double q);
/* The speed-up of a program; t is ONE, TWO or FOUR. */
double study_simulated(const struct study_program *p, int system, int t);
double study_measured(const struct study_program *p, int t);
/* The mean of the relative differences; NaN: nothing compares. */
double study_difference(const struct study *s, int system, int t);

extern const struct study_part study_missing;              /* missing.c */
extern const struct study_part study_speedup;              /* openmp.c */
extern const struct study_part study_time, study_traffic;  /* time.c */
extern const struct study_part study_shares, study_spaces; /* opencl.c */

#endif
