/*
 * A program whose kernels come as code: `foreign FILE` runs saxpy (tests/cli/saxpy.ptx)
 * or reverse (reverse.ptx) of a cubin or PTX text. `foreign FILE refused`: it is no
 * code for the device.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, GROUP = 100 };

static cl_context context;
static cl_command_queue queue;

static unsigned char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes = malloc(1 << 20);

	if (!f || !bytes)
		exit(2);
	*size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static int wrong(const char *what, cl_int e)
{
	printf("%s: %d\n", what, (int)e);
	return 1;
}

static int run_saxpy(cl_kernel k)
{
	static float x[COUNT], y[COUNT];
	const size_t global = COUNT + GROUP, local = GROUP;
	const cl_int n = COUNT;
	const float a = 2.5f;
	const cl_int times = 2;
	cl_uint args = 0;
	cl_mem mx, my;
	cl_int e;

	for (int i = 0; i < COUNT; i++) {
		x[i] = (float)i;
		y[i] = (float)(3 * i);
	}
	if (clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof(args), &args, NULL) ||
	    args != 5)
		return wrong("arguments", (cl_int)args);
	mx = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(x), x, &e);
	my = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(y), y, &e);
	if (!clSetKernelArg(k, 0, 8, &global))
		return wrong("8 bytes for 4", 0);
	if (clSetKernelArg(k, 0, sizeof(n), &n) ||
	    clSetKernelArg(k, 1, sizeof(a), &a) ||
	    clSetKernelArg(k, 2, sizeof(mx), &mx) ||
	    clSetKernelArg(k, 3, sizeof(my), &my) ||
	    clSetKernelArg(k, 4, sizeof(times), &times))
		return wrong("clSetKernelArg", 0);
	e = clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL,
				   NULL);
	if (!e)
		e = clEnqueueReadBuffer(queue, my, CL_TRUE, 0, sizeof(y), y, 0,
					NULL, NULL);
	if (e)
		return wrong("launch", e);
	for (int i = 0; i < COUNT; i++)
		if (y[i] != 8 * (float)i)
			return wrong("y", i);
	return 0;
}

static int run_reverse(cl_kernel k)
{
	int v[GROUP];
	const size_t size = GROUP;
	cl_int e;
	cl_mem m;

	for (int i = 0; i < GROUP; i++)
		v[i] = i * i;
	m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(v), v, &e);
	if (clSetKernelArg(k, 0, sizeof(m), &m) ||
	    clSetKernelArg(k, 1, sizeof(v), NULL))
		return wrong("arguments of reverse", 0);
	e = clEnqueueNDRangeKernel(queue, k, 1, NULL, &size, &size, 0, NULL,
				   NULL);
	if (!e)
		e = clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof(v), v, 0,
					NULL, NULL);
	for (int i = 0; !e && i < GROUP; i++)
		if (v[i] != (GROUP - 1 - i) * (GROUP - 1 - i))
			return wrong("v", i);
	return e ? wrong("reverse", e) : 0;
}

static int run_kernels(cl_program p)
{
	cl_kernel saxpy = clCreateKernel(p, "saxpy", NULL);
	cl_kernel reverse = clCreateKernel(p, "reverse", NULL);

	if (!saxpy && !reverse)
		return wrong("kernels", 0);
	return (saxpy && run_saxpy(saxpy)) || (reverse && run_reverse(reverse));
}

int main(int argc, char **argv)
{
	cl_int e, status = 0;
	cl_platform_id platform;
	cl_device_id device;
	const unsigned char *bytes;
	cl_program p;
	size_t size;

	if (argc < 2 || clGetPlatformIDs(1, &platform, NULL) ||
	    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 2;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	bytes = read_file(argv[1], &size);
	p = clCreateProgramWithBinary(context, 1, &device, &size, &bytes,
				      &status, &e);
	if (argc > 2)
		return e != CL_INVALID_BINARY || status != CL_INVALID_BINARY;
	if (e || status)
		return wrong("clCreateProgramWithBinary", e);
	if (clCreateKernel(p, "saxpy", &e) ||
	    e != CL_INVALID_PROGRAM_EXECUTABLE)
		return wrong("a kernel before the build", e);
	e = clBuildProgram(p, 1, &device, NULL, NULL, NULL);
	return e ? wrong("clBuildProgram", e) : run_kernels(p);
}
