/*
 * Shared virtual memory on a system: `svm can` prints what the device can, `svm
 * refused` checks a system without it, `svm atomics` lets the program and a kernel
 * work at the same time, `svm system N` sums N numbers of ordinary memory.
 */
#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"kernel void talk(volatile global int *m) {\n"
	"  while (!atomic_add(&m[0], 0));\n" /* the program says go on */
	"  m[1] = m[2] + 1;\n"
	"  atomic_xchg(&m[16], 1);\n" /* and hears the answer */
	"  while (atomic_add(&m[0], 0) != 2);\n"
	"  m[3] = m[2] + 2; }\n"
	"#if __OPENCL_C_VERSION__ >= 200\n"
	"kernel void talk2(global atomic_int *m) {\n"
	"  int none = 0;\n"
	"  while (atomic_load_explicit(&m[0], memory_order_acquire,\n"
	"    memory_scope_all_svm_devices) != 1);\n"
	"  atomic_store_explicit(&m[1], 6, memory_order_relaxed);\n"
	"  atomic_fetch_add(&m[1], 1);\n"
	"  atomic_compare_exchange_strong(&m[2], &none, 9);\n"
	"  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,\n"
	"    memory_scope_all_svm_devices);\n"
	"  atomic_store_explicit(&m[16], atomic_exchange(&m[3], 5) + 1,\n"
	"    memory_order_release, memory_scope_all_svm_devices); }\n"
	"#endif\n"
	"kernel void count(volatile global int *m) {\n"
	"  for (int i = 0; i < 400; i++) atomic_inc(m); }\n"
	"kernel void sum(global const int *p, int n, global int *out) {\n"
	"  int s = 0;\n"
	"  for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
	"    s += p[i];\n"
	"  atomic_add(out, s); }\n";

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void need(int holds, const char *what)
{
	if (holds)
		return;
	printf("does not hold: %s\n", what);
	exit(1);
}
#define NEED(cond) need(cond, #cond)

static cl_kernel kernel_of(const char *name, const char *options)
{
	const char *text = source;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, NULL);

	NEED(!clBuildProgram(p, 1, &device, options, NULL, NULL));
	return clCreateKernel(p, name, NULL);
}

static void start(cl_kernel k, size_t global)
{
	NEED(!clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL,
				     NULL));
	clFlush(queue);
}

static int *fine(size_t count)
{
	int *p = clSVMAlloc(context,
			    CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
			    count * sizeof(int), 0);

	NEED(p != NULL);
	memset(p, 0, count * sizeof(int));
	return p;
}

static void talk(void)
{
	volatile int *m = fine(32);
	cl_kernel k = kernel_of("talk", NULL);

	NEED(!clSetKernelArgSVMPointer(k, 0, (void *)m));
	start(k, 1);
	m[2] = 41;
	__atomic_store_n(&m[0], 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&m[16], __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	NEED(m[1] == 42);
	m[2] = 50;
	__atomic_store_n(&m[0], 2, __ATOMIC_RELEASE);
	clFinish(queue);
	NEED(m[3] == 52);
}

/* The same in later versions of the language. */
static void talk2(const char *options)
{
	int *m = fine(32);
	cl_kernel k = kernel_of("talk2", options);

	m[3] = 70;
	NEED(!clSetKernelArgSVMPointer(k, 0, m));
	start(k, 1);
	__atomic_store_n(&m[0], 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&m[16], __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	NEED(m[1] == 7 && m[2] == 9 && m[3] == 5 && m[16] == 71);
	clFinish(queue);
}

static void count(void)
{
	int *m = fine(1), mine = 0;
	cl_kernel k = kernel_of("count", NULL);

	NEED(!clSetKernelArgSVMPointer(k, 0, m));
	start(k, 256);
	while (__atomic_load_n(m, __ATOMIC_RELAXED) < 256 * 300)
		mine += __atomic_fetch_add(m, 1, __ATOMIC_RELAXED) >= 0;
	clFinish(queue);
	printf("%s\n",
	       mine > 0 && mine < 256 * 300 ? "at the same time" : "alone");
	NEED(*m == 256 * 400 + mine);
}

static void sum(int n)
{
	int *p = malloc((size_t)n * sizeof(int)), out = 0;
	cl_kernel k = kernel_of("sum", NULL);
	long want = 0;

	for (int i = 0; i < n; i++)
		want += p[i] = i % 100;
	NEED(!clSetKernelArgSVMPointer(k, 0, p));
	NEED(!clSetKernelArg(k, 1, sizeof(n), &n));
	NEED(!clSetKernelArgSVMPointer(k, 2, &out));
	start(k, 256);
	clFinish(queue);
	NEED(out == want);
}

static void refused(void)
{
	int here = 0;
	cl_kernel k = kernel_of("count", NULL);

	NEED(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
	NEED(clSetKernelArgSVMPointer(k, 0, &here) == CL_INVALID_OPERATION);
	NEED(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, &here, 4, 0, NULL,
			     NULL) == CL_INVALID_OPERATION);
	NEED(clEnqueueSVMMemcpy(queue, CL_TRUE, &here, &here, 4, 0, NULL,
				NULL) == CL_INVALID_OPERATION);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "can";
	cl_device_svm_capabilities can = 99;
	cl_platform_id platform;

	NEED(!clGetPlatformIDs(1, &platform, NULL));
	NEED(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	NEED(!clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(can),
			      &can, NULL));
	if (!strcmp(what, "can"))
		printf("%d\n", (int)can);
	else if (!strcmp(what, "refused"))
		refused();
	else if (!strcmp(what, "system"))
		sum(atoi(argv[2]));
	else {
		talk();
		talk2("-cl-std=CL2.0");
		talk2("-cl-std=CL3.0");
		count();
	}
	return 0;
}
