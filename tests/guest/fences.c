/*
 * A kernel that reads a word again and again and writes another one, with a fence each
 * time: `fences OPTIONS` builds it with these, among them -DFENCE=..., `fences FILE` loads
 * PTX. Words are what they must be in any case.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 40, WORDS = 64 };

static const char source[] = "kernel void again(global volatile int *p) {\n"
			     "  int sum = 0;\n"
			     "  for (int i = 0; i < 40; i++) {\n"
			     "    sum += p[0];\n"
			     "    p[32] = i;\n"
			     "    FENCE;\n"
			     "  }\n"
			     "  p[48] = sum; }\n";

static void need(int holds, const char *what)
{
	if (holds)
		return;
	printf("does not hold: %s\n", what);
	exit(1);
}
#define NEED(cond) need(cond, #cond)

static cl_program load(cl_context c, cl_device_id d, const char *what)
{
	static unsigned char text[65536];
	const unsigned char *binary = text;
	const char *lines = source;
	FILE *f = fopen(what, "r");
	size_t n;

	if (!f)
		return clCreateProgramWithSource(c, 1, &lines, NULL, NULL);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return clCreateProgramWithBinary(c, 1, &d, &n, &binary, NULL, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int words[WORDS] = { 3 };
	size_t one = 1;
	cl_platform_id platform;
	cl_device_id device;
	cl_command_queue queue;
	cl_context context;
	cl_program p;
	cl_kernel k;
	cl_mem m;

	NEED(!clGetPlatformIDs(1, &platform, NULL));
	NEED(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	p = load(context, device, what);
	NEED(!clBuildProgram(p, 1, &device, what[0] == '-' ? what : "", NULL,
			     NULL));
	k = clCreateKernel(p, "again", NULL);
	m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(words), words,
			   NULL);
	NEED(!clSetKernelArg(k, 0, sizeof(m), &m));
	NEED(!clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, &one, 0, NULL,
				     NULL));
	NEED(!clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof(words), words, 0,
				  NULL, NULL));
	NEED(words[0] == 3 && words[32] == TIMES - 1 && words[48] == 3 * TIMES);
	return 0;
}
