/*
 * Runs the kernels of language.cl and prints a hash of what each wrote, in the order of
 * their names: language.sh compares it with language.txt. A kernel has two buffers, and
 * local memory for its third argument if there is one.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ITEMS = 256,
	GROUP = 64,
	WORDS = 16384,
	LOCAL_BYTES = 4096,
	KERNELS = 256
};

struct named {
	cl_kernel kernel;
	char name[64];
};

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_uint in[WORDS], out[WORDS];

static void check(cl_int e, const char *what)
{
	if (!e)
		return;
	printf("%s: error %d\n", what, (int)e);
	exit(1);
}

static cl_program build(const char *path, const char *options)
{
	static char text[1 << 20], log[1 << 16];
	const char *source = text;
	FILE *f = fopen(path, "r");
	cl_program p;
	cl_int e;

	check(f ? 0 : -1, path);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	p = clCreateProgramWithSource(context, 1, &source, NULL, &e);
	check(e, "clCreateProgramWithSource");
	e = clBuildProgram(p, 1, &device, options, NULL, NULL);
	if (e) {
		clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG,
				      sizeof(log), log, NULL);
		fputs(log, stderr);
	}
	check(e, "clBuildProgram");
	return p;
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static cl_uint list(cl_program p, struct named *to)
{
	cl_kernel all[KERNELS];
	cl_uint n;

	check(clCreateKernelsInProgram(p, KERNELS, all, &n),
	      "clCreateKernelsInProgram");
	for (cl_uint i = 0; i < n; i++) {
		to[i].kernel = all[i];
		check(clGetKernelInfo(all[i], CL_KERNEL_FUNCTION_NAME,
				      sizeof(to[i].name), to[i].name, NULL),
		      "clGetKernelInfo");
	}
	qsort(to, n, sizeof(*to), by_name);
	return n;
}

static cl_mem buffer_with(const void *bytes)
{
	cl_int e;
	cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR,
				  WORDS * sizeof(cl_uint), (void *)bytes, &e);

	check(e, "clCreateBuffer");
	return m;
}

static void run(const struct named *k)
{
	size_t items = ITEMS, group = GROUP;
	cl_mem from = buffer_with(in), to;
	cl_uint count, hash = 2166136261u;

	memset(out, 0, sizeof(out));
	to = buffer_with(out);
	check(clGetKernelInfo(k->kernel, CL_KERNEL_NUM_ARGS, sizeof(count),
			      &count, NULL),
	      k->name);
	check(clSetKernelArg(k->kernel, 0, sizeof(to), &to), k->name);
	check(clSetKernelArg(k->kernel, 1, sizeof(from), &from), k->name);
	if (count > 2)
		check(clSetKernelArg(k->kernel, 2, LOCAL_BYTES, NULL), k->name);
	check(clEnqueueNDRangeKernel(queue, k->kernel, 1, NULL, &items, &group,
				     0, NULL, NULL),
	      k->name);
	check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof(out), out, 0,
				  NULL, NULL),
	      k->name);
	for (size_t i = 0; i < WORDS; i++)
		hash = (hash ^ out[i]) * 16777619u;
	printf("%s %08x\n", k->name, (unsigned)hash);
	clReleaseMemObject(from);
	clReleaseMemObject(to);
}

int main(int argc, char **argv)
{
	static struct named kernels[KERNELS];
	cl_uint n, random = 12345;
	cl_platform_id platform;
	cl_int e;

	if (argc < 2)
		return 1;
	for (size_t i = 0; i < WORDS; i++) {
		random = random * 1664525u + 1013904223u;
		in[i] = random ^ random >> 13;
	}
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL),
	      "clGetDeviceIDs");
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	check(e, "clCreateContext");
	queue = clCreateCommandQueue(context, device, 0, &e);
	check(e, "clCreateCommandQueue");
	n = list(build(argv[1], argc > 2 ? argv[2] : ""), kernels);
	for (cl_uint i = 0; i < n; i++)
		run(&kernels[i]);
	return 0;
}
