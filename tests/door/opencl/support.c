#include "support.h"

#include <stdio.h>
#include <stdlib.h>

/* The loader reads the environment at the first call. */
__attribute__((constructor)) static void choose_platform(void)
{
	setenv("OCL_ICD_VENDORS", PLATFORM, 1);
	setenv("OCL_ICD_FILENAMES", PLATFORM, 1);
	setenv("HEDDLE_QUIET", "1", 1);
	setenv(VARIABLE, VALUE, 1);
}

struct world world_open(void)
{
	struct world w;
	cl_int e;

	EQ(CL_SUCCESS, clGetPlatformIDs(1, &w.platform, NULL));
	EQ(CL_SUCCESS, clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_GPU, 4,
				      w.devices, &w.device_count));
	w.context = clCreateContext(NULL, w.device_count, w.devices, NULL, NULL,
				    &e);
	EQ(CL_SUCCESS, e);
	w.queue = clCreateCommandQueue(w.context, w.devices[0],
				       CL_QUEUE_PROFILING_ENABLE, &e);
	EQ(CL_SUCCESS, e);
	return w;
}

void world_close(struct world *w)
{
	cl_uint refs;

	EQ(CL_SUCCESS, clFinish(w->queue));
	EQ(CL_SUCCESS, clReleaseCommandQueue(w->queue));
	EQ(CL_SUCCESS, clGetContextInfo(w->context, CL_CONTEXT_REFERENCE_COUNT,
					sizeof(refs), &refs, NULL));
	EQ(1, refs);
	EQ(CL_SUCCESS, clReleaseContext(w->context));
}

cl_program program_of(struct world *w, const char *source, const char *options)
{
	static char log[1 << 16];
	cl_int e;
	cl_program p =
		clCreateProgramWithSource(w->context, 1, &source, NULL, &e);

	EQ(CL_SUCCESS, e);
	e = clBuildProgram(p, 0, NULL, options, NULL, NULL);
	if (e) {
		clGetProgramBuildInfo(p, w->devices[0], CL_PROGRAM_BUILD_LOG,
				      sizeof(log), log, NULL);
		fputs(log, stderr);
	}
	EQ(CL_SUCCESS, e);
	return p;
}

cl_kernel kernel_of(cl_program p, const char *name)
{
	cl_int e;
	cl_kernel k = clCreateKernel(p, name, &e);

	EQ(CL_SUCCESS, e);
	return k;
}

cl_mem buffer_of(struct world *w, size_t size, const void *host)
{
	cl_int e;
	cl_mem m = clCreateBuffer(w->context, host ? CL_MEM_COPY_HOST_PTR : 0,
				  size, (void *)(uintptr_t)host, &e);

	EQ(CL_SUCCESS, e);
	return m;
}

void run_on(cl_command_queue q, cl_kernel k, size_t global, size_t local,
	    cl_event *event)
{
	EQ(CL_SUCCESS,
	   clEnqueueNDRangeKernel(q, k, 1, NULL, &global, local ? &local : NULL,
				  0, NULL, event));
}

int int_at(struct world *w, cl_mem m, size_t index)
{
	int v;

	EQ(CL_SUCCESS, clEnqueueReadBuffer(w->queue, m, CL_TRUE, index * 4, 4,
					   &v, 0, NULL, NULL));
	return v;
}

cl_int status_of(cl_event e)
{
	cl_int v;

	EQ(CL_SUCCESS, clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS,
				      sizeof(v), &v, NULL));
	return v;
}
