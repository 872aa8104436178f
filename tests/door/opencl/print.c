/* printf of kernels: print.sh compares what it writes. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
	"kernel void say(global int *p) {\n"
	"  int i = get_global_id(0);\n"
	"  if (i == 2) {\n"
	"    printf(\"%d|%5d|%-5d|%05d|%+d|%u|%x|%#X|%o\\n\", -3, 42, 42, 42, 7,\n"
	"           4000000000u, 255, 255, 8);\n"
	"    printf(\"%ld %lu %hd %hhd %c%c\\n\", 1L << 40, ~0UL, (short)-1,\n"
	"           (char)-2, 'o', 'k');\n"
	"    printf(\"%f|%.2f|%e|%g|%10.3f\\n\", 1.5f, 3.14159, 1e10, 0.1f, -2.5);\n"
	"    printf(\"%v4d|%v2f|%v3hd|%v4hlx\\n\", (int4)(1, 2, 3, 4),\n"
	"           (float2)(0.5f, 1.5f), (short3)(-1, 0, 1),\n"
	"           (uint4)(10, 11, 12, 13));\n"
	"    printf(\"%s %5s %% done\\n\", \"text\", \"ab\");\n"
	"    printf(\"plain\\n\");\n"
	"  }\n"
	"  barrier(CLK_GLOBAL_MEM_FENCE);\n"
	"  if (i == 3) printf(\"item %d of %d\\n\", i, (int)get_global_size(0));\n"
	"}\n";

int main(void)
{
	size_t n = 4;
	cl_platform_id platform;
	cl_device_id d;
	cl_int e = clGetPlatformIDs(1, &platform, NULL);
	cl_context c;
	cl_command_queue q;
	cl_program p;
	cl_kernel k;
	cl_mem m;

	if (e || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &d, NULL))
		return 1;
	c = clCreateContext(NULL, 1, &d, NULL, NULL, &e);
	q = clCreateCommandQueue(c, d, 0, &e);
	p = clCreateProgramWithSource(c, 1, &source, NULL, &e);
	if (clBuildProgram(p, 1, &d, "", NULL, NULL))
		return 1;
	k = clCreateKernel(p, "say", &e);
	m = clCreateBuffer(c, 0, 4, NULL, &e);
	if (clSetKernelArg(k, 0, sizeof(m), &m) ||
	    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &n, 0, NULL, NULL) ||
	    clFinish(q))
		return 1;
	return 0;
}
