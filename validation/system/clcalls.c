/* What OpenCL's calls cost the program, as CSV: what,count,q1_ns,median_ns,q3_ns
 *
 *	cc -O2 -o clcalls clcalls.c -lOpenCL && ./clcalls
 *
 * Times are those of the host from before a call to after it, of the first platform's
 * first device. "launch" enqueues an empty kernel on an idle queue; "launch_finish" is
 * the same with clFinish. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 301, SMALL = 4, LARGE = 4 << 20 };

static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;
static cl_mem buffer;
static char *host;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void need(cl_int e, const char *what)
{
	if (e) {
		fprintf(stderr, "clcalls: %s: %d\n", what, e);
		exit(1);
	}
}

static void set_arg(void)
{
	need(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "argument");
}

static void launch(void)
{
	size_t global = 64, local = 64;

	need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0,
				    NULL, NULL),
	     "launch");
}

static void finish(void)
{
	need(clFinish(queue), "finish");
}

static void launch_finish(void)
{
	launch();
	finish();
}

static void ten_launches_finish(void)
{
	for (int i = 0; i < 10; i++)
		launch();
	finish();
}

static void hundred_launches_finish(void)
{
	for (int i = 0; i < 100; i++) {
		set_arg();
		launch();
	}
	finish();
}

static void write_size(size_t bytes, cl_bool blocking)
{
	need(clEnqueueWriteBuffer(queue, buffer, blocking, 0, bytes, host, 0,
				  NULL, NULL),
	     "write");
}

static void read_size(size_t bytes)
{
	need(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, host, 0,
				 NULL, NULL),
	     "read");
}

static void write_small(void)
{
	write_size(SMALL, CL_TRUE);
}

static void write_64k(void)
{
	write_size(1 << 16, CL_TRUE);
}

static void write_large(void)
{
	write_size(LARGE, CL_TRUE);
}

static void write_queued(void)
{
	write_size(SMALL, CL_FALSE);
}

static void read_small(void)
{
	read_size(SMALL);
}

static void read_64k(void)
{
	read_size(1 << 16);
}

static void read_large(void)
{
	read_size(LARGE);
}

static void create_buffer(void)
{
	cl_int e;
	cl_mem m =
		clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 20, NULL, &e);

	need(e, "buffer");
	clReleaseMemObject(m);
}

static void copy_buffer(void)
{
	cl_int e;
	cl_mem m = clCreateBuffer(context,
				  CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
				  1 << 20, host, &e);

	need(e, "buffer");
	clReleaseMemObject(m);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, void call(void))
{
	double ns[RUNS];

	for (int i = 0; i < 10; i++)
		call();
	for (int i = 0; i < RUNS; i++) {
		finish();
		ns[i] = now();
		call();
		ns[i] = now() - ns[i];
	}
	qsort(ns, RUNS, sizeof(ns[0]), compare);
	printf("%s,%d,%.0f,%.0f,%.0f\n", name, RUNS, ns[RUNS / 4], ns[RUNS / 2],
	       ns[RUNS * 3 / 4]);
}

/* Between the ends of an empty kernel, by the device's clock. */
static void device_time(void)
{
	size_t global = 64, local = 64;
	double ns[RUNS], wait[RUNS];

	for (int i = 0; i < RUNS; i++) {
		cl_ulong queued, from, to;
		cl_event e;

		need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
					    &local, 0, NULL, &e),
		     "launch");
		finish();
		need(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START,
					     sizeof(from), &from, NULL),
		     "start");
		need(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END,
					     sizeof(to), &to, NULL),
		     "end");
		need(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED,
					     sizeof(queued), &queued, NULL),
		     "queued");
		ns[i] = (double)(to - from);
		wait[i] = (double)(from - queued);
		clReleaseEvent(e);
	}
	qsort(ns, RUNS, sizeof(ns[0]), compare);
	qsort(wait, RUNS, sizeof(wait[0]), compare);
	printf("empty_kernel_device,%d,%.0f,%.0f,%.0f\n", RUNS, ns[RUNS / 4],
	       ns[RUNS / 2], ns[RUNS * 3 / 4]);
	printf("queued_to_start,%d,%.0f,%.0f,%.0f\n", RUNS, wait[RUNS / 4],
	       wait[RUNS / 2], wait[RUNS * 3 / 4]);
}

int main(void)
{
	static const char *source = "kernel void nothing(global int *a) {}";
	cl_platform_id platform;
	cl_device_id device;
	cl_program program;
	char name[256] = "";
	cl_int e;

	need(clGetPlatformIDs(1, &platform, NULL), "platform");
	need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	     "device");
	clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(name) - 1, name, NULL);
	fprintf(stderr, "device %s\n", name);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	need(e, "context");
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE,
				     &e);
	need(e, "queue");
	program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
	need(e, "program");
	need(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	kernel = clCreateKernel(program, "nothing", &e);
	need(e, "kernel");
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, LARGE, NULL, &e);
	need(e, "buffer");
	host = calloc(LARGE, 1);
	if (!host)
		return 1;
	set_arg();
	printf("what,count,q1_ns,median_ns,q3_ns\n");
	measure("set_arg", set_arg);
	measure("finish", finish);
	measure("launch", launch);
	measure("launch_finish", launch_finish);
	measure("ten_launches_finish", ten_launches_finish);
	measure("hundred_launches_finish", hundred_launches_finish);
	measure("write_4", write_small);
	measure("write_4_queued", write_queued);
	measure("write_64K", write_64k);
	measure("write_4M", write_large);
	measure("read_4", read_small);
	measure("read_64K", read_64k);
	measure("read_4M", read_large);
	measure("create_release_1M", create_buffer);
	measure("create_copy_release_1M", copy_buffer);
	device_time();
	return 0;
}
