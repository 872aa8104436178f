/*
 * What the tests of OpenCL share. They are programs like any other: linked with the
 * system's loader, which finds the library of this build by OCL_ICD_VENDORS.
 */
#ifndef HEDDLE_TESTS_OPENCL_SUPPORT_H
#define HEDDLE_TESTS_OPENCL_SUPPORT_H

#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "test.h"

struct world {
	cl_platform_id platform;
	cl_device_id devices[4];
	cl_uint device_count;
	cl_context context;
	cl_command_queue
		queue; /* in order, with profiling, of the first device */
};

struct world world_open(void);
/* Fails unless nothing of the context is left. */
void world_close(struct world *w);

/* A program that builds; the test fails with its log if it does not. */
cl_program program_of(struct world *w, const char *source, const char *options);
cl_kernel kernel_of(cl_program p, const char *name);
cl_mem buffer_of(struct world *w, size_t size, const void *host);
void run_on(cl_command_queue q, cl_kernel k, size_t global, size_t local,
	    cl_event *event);
/* Reads one int. */
int int_at(struct world *w, cl_mem m, size_t index);
cl_int status_of(cl_event e);

#endif
