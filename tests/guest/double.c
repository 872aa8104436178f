/*
 * Doubles so many numbers on the GPU, and adds them up: `double 1000`. With a second
 * argument, in memory that is mapped.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] =
	"kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }";

static cl_command_queue queue;

static long sum_of(const int *p, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

static cl_kernel make_kernel(cl_context context, cl_device_id device)
{
	const char *text = source;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, NULL);

	if (clBuildProgram(p, 1, &device, NULL, NULL, NULL))
		exit(2);
	return clCreateKernel(p, "twice", NULL);
}

static long run(cl_context context, cl_kernel k, int n, int maps)
{
	size_t size = (size_t)n * sizeof(int), global = (size_t)n;
	int *host = malloc(size), *p = host;
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);

	if (maps)
		p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, size,
				       0, NULL, NULL, NULL);
	for (int i = 0; i < n; i++)
		p[i] = i;
	if (maps)
		clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL);
	else
		clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, size, host, 0, NULL,
				     NULL);
	clSetKernelArg(k, 0, sizeof(m), &m);
	if (clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL,
				   NULL))
		exit(3);
	if (maps)
		p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, size,
				       0, NULL, NULL, NULL);
	else
		clEnqueueReadBuffer(queue, m, CL_TRUE, 0, size, host, 0, NULL,
				    NULL);
	return sum_of(p, n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1024;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;

	if (clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	return run(context, make_kernel(context, device), n, argc > 2) !=
	       (long)n * (n - 1);
}
