/*
 * The evaluation of FastLanes, repeated: `make fastlanes`.
 *
 * validation/fastlanes/run simulates the ten kernels of the paper's Table III and leaves
 * numbers in a file, "kernel,variant,key,value"; this makes the page of them: the
 * paper's Figures 6 and 7, its performance model beside the circuit, and what the
 * model says of slices, warps, registers, lanes and bandwidth.
 */
#ifndef VALIDATION_FASTLANES_STUDY_H
#define VALIDATION_FASTLANES_STUDY_H

#include <stdbool.h>

#include "base/arena.h"
#include "fastlanes/performance.h"
#include "page.h"

/* The paper's clock of the functional model. Nothing here has measured one. */
#define STUDY_MHZ 50.0

enum { STUDY_KERNELS = 32 };

struct study_value {
	const char *kernel, *variant, *key;
	double value;
};

/* What GPGPU-Sim was measured with, in warp-instructions a second. */
struct study_peer {
	double least, most;
	const char *least_of, *most_of;
};

struct study {
	struct arena arena;
	struct study_value *values;
	size_t count;
	const char *kernels[STUDY_KERNELS]; /* in order */
	size_t kernel_count;
	double h200_ipc[STUDY_KERNELS]; /* NaN: not measured */
	struct study_peer timed, functional; /* GPGPU-Sim */
	bool circuit; /* it has run */
};

struct study_files {
	const char *values, *peer, *profiles;
};

/* study_free in any case. */
MUST_USE enum err study_read(struct study *s, const struct study_files *f,
			     struct diag *d);
void study_free(struct study *s);

/* A number of a kernel; NaN: there is none. */
double study_get(const struct study *s, size_t kernel, const char *variant,
		 const char *key);
/* What the equations need, of a variant on the model. */
struct fl_rates study_rates(const struct study *s, size_t kernel,
			    const char *variant);
/* The external memory of the runs. */
extern const struct fl_external study_external;

extern const struct study_part study_ipc, study_throughput;      /* figures.c */
extern const struct study_part study_prediction, study_tradeoff; /* speed.c */

/* How far the performance model is from the circuit, at most; what is allowed. */
double study_worst_prediction(const struct study *s);
#define STUDY_TOLERANCE 0.10

#endif
