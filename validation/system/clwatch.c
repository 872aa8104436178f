/*
 * Where an OpenCL program spends its parallel section, which goes from the first
 * buffer to the last copy to the host: a library to be put before the loader.
 *
 *	cc -O2 -shared -fPIC -o clwatch.so clwatch.c -ldl
 *	LD_PRELOAD=./clwatch.so ./bfs 32768
 *
 * prints on stderr, at clFinish, the device and one line in nanoseconds:
 *
 *	device NAME
 *	section TOTAL, calls CALLS, kernels KERNELS, launches COUNT
 *
 * CALLS is the time inside of OpenCL's functions, which wait for the device, too.
 * KERNELS is the sum of all launches by the device's clock. The commands must be in
 * one queue, in order.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1 << 16 };

static struct {
	long long start, calls, total, calls_then;
	unsigned launches, launches_then;
	cl_event kernel[MOST];
} watch;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f) {
		fprintf(stderr, "clwatch: no %s\n", name);
		exit(1);
	}
	return f;
}

/* Calls the function of the same name and adds its time, once the section has
 * begun. */
#define PASS(type, name, ...)                  \
	static type (*call)();                 \
	long long from;                        \
	type result;                           \
	if (!call)                             \
		call = (type(*)())next(#name); \
	from = now();                          \
	result = call(__VA_ARGS__);            \
	if (watch.start)                       \
		watch.calls += now() - from;

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
		      void *host, cl_int *e)
{
	if (!watch.start)
		watch.start = now();
	PASS(cl_mem, clCreateBuffer, context, flags, size, host, e)
	return result;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *e)
{
	PASS(cl_kernel, clCreateKernel, program, name, e)
	return result;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size,
		      const void *value)
{
	PASS(cl_int, clSetKernelArg, kernel, index, size, value)
	return result;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
				      cl_command_queue_properties properties,
				      cl_int *e)
{
	char name[256] = "";

	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	fprintf(stderr, "device %s\n", name);
	PASS(cl_command_queue, clCreateCommandQueue, context, device,
	     properties | CL_QUEUE_PROFILING_ENABLE, e)
	return result;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
			      cl_uint dimensions, const size_t *offset,
			      const size_t *global, const size_t *local,
			      cl_uint waits, const cl_event *wait,
			      cl_event *event)
{
	cl_event *mine = &watch.kernel[watch.launches];

	if (watch.launches == MOST || event) {
		fprintf(stderr, "clwatch: too many launches, or an event\n");
		exit(1);
	}
	PASS(cl_int, clEnqueueNDRangeKernel, queue, kernel, dimensions, offset,
	     global, local, waits, wait, mine)
	if (!result)
		watch.launches++;
	return result;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer,
			    cl_bool blocking, size_t offset, size_t size,
			    const void *from_host, cl_uint waits,
			    const cl_event *wait, cl_event *event)
{
	PASS(cl_int, clEnqueueWriteBuffer, queue, buffer, blocking, offset,
	     size, from_host, waits, wait, event)
	return result;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer,
			   cl_bool blocking, size_t offset, size_t size,
			   void *host, cl_uint waits, const cl_event *wait,
			   cl_event *event)
{
	PASS(cl_int, clEnqueueReadBuffer, queue, buffer, blocking, offset, size,
	     host, waits, wait, event)
	watch.total = now() - watch.start;
	watch.calls_then = watch.calls;
	watch.launches_then = watch.launches;
	return result;
}

static long long duration(cl_event e)
{
	cl_ulong from = 0, to = 0;

	if (clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof(from),
				    &from, NULL) ||
	    clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(to),
				    &to, NULL)) {
		fprintf(stderr, "clwatch: no times of a kernel\n");
		exit(1);
	}
	return (long long)(to - from);
}

cl_int clFinish(cl_command_queue queue)
{
	long long kernels = 0;

	PASS(cl_int, clFinish, queue)
	for (unsigned i = 0; i < watch.launches_then; i++)
		kernels += duration(watch.kernel[i]);
	fprintf(stderr, "section %lld, calls %lld, kernels %lld, launches %u\n",
		watch.total, watch.calls_then, kernels, watch.launches_then);
	return result;
}
