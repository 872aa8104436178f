/*
 * The simulator's side of OpenCL for guests: what the library of lib/opencl.c asks
 * for by its system call is done by door/opencl, on a GPU of rt.h.
 *
 *   program -> lib/opencl.c -> system call -> call.c -> door/opencl -> rt*.c -> GPU
 *
 * Handles are numbers of this file's own, the same in every run; any other number
 * is a wrong handle. An address is checked before it is used: one that the program
 * may not access is an error of the call.
 * Does not model: several GPUs of one program; interrupts: functions of the
 * program that wait for an event are called when it calls OpenCL again.
 * Owner:   the command; there is one at a time in a process.
 */
#ifndef HEDDLE_GUEST_GUEST_H
#define HEDDLE_GUEST_GUEST_H

#include "base/diag.h"
#include "base/spans.h"
#include "heddle/heddle.h"
#include "isa/x86/process.h"
#include "stat/cgm.h"
#include "stat/stat.h"

struct system;

/* Which GPU guests have, with parameters "key=value"; NULL: hd7970. It is opened by
 * their first call. */
MUST_USE enum err gcl_set_gpu(const char *name, const char *const *set,
			      size_t count, struct diag *d);
/* Kernels run on the units beside the system's cores, and take their time. The
 * system's configuration must be that of gcl_set_gpu. If it has no units, the
 * program's first call of OpenCL ends it. */
void gcl_attach(struct system *system);
/* For x86_options. */
struct x86_service gcl_service(void);
/* Frees all; before the system and the process are. */
void gcl_close(void);

/*
 * What OpenCL took on a system, in nanoseconds. The region lasts from the creation of
 * the first buffer to the end of the last copy to the host.
 */
struct gcl_kernel_time {
	char name[64];
	double start, end; /* fences included */
	double fence;      /* of these */
	uint64_t cycles, requests, fences;
	struct stats stats; /* of its units or multiprocessors */
};
/* Kinds of gcl_times.spans. */
enum gcl_span { GCL_SPAN_CALL, GCL_SPAN_COPY };
struct gcl_times {
	bool used; /* a buffer was made */
	double region, kernel, call, copy;
	/* What the GPU moved. */
	struct {
		double ns;
		uint64_t count, bytes, requests;
	} gpu_copies;
	uint64_t calls, copied;  /* copied: bytes, by the program */
	struct cgm_stats memory; /* of the region */
	const struct gcl_kernel_time *kernels;
	size_t kernel_count;
	double begin;              /* of the region */
	const struct spans *spans; /* calls and copies, in nanoseconds */
};
void gcl_times(struct gcl_times *out);

#endif
