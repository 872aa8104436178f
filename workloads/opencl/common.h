/*
 * What the OpenCL workloads share: opening a device, building NAME.cl, launching,
 * numbers that are the same in every run, and the line that says whether the
 * results are right. A failed call is reported on stderr and ends the program with
 * status 1; an invalid size prints the usage, with status 2.
 *
 * The kernels are read from the folder $WORKLOADS, else OPENCL_KERNELS, which the
 * build may define, else the current folder. $BUFFERS chooses among enum buffers.
 */
#ifndef WORKLOADS_OPENCL_COMMON_H
#define WORKLOADS_OPENCL_COMMON_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef OPENCL_KERNELS
#define OPENCL_KERNELS "."
#endif

#define CHECK(call) check_call(call, #call, __LINE__)

/* How the program and the device exchange what is in buffers, if the program has the
 * choice: $BUFFERS. */
enum buffers {
	COPIED, /* each has its own, the default */
	MAPPED, /* the program's memory, which it maps when it needs it */
	SHARED /* the same without maps: fine-grained shared memory of the system */
};

static struct {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
	const char *name;
	int size;
	enum buffers buffers;
} cl;

static inline void check_call(cl_int e, const char *call, int line)
{
	if (!e)
		return;
	fprintf(stderr, "%s: line %d: %s: error %d\n", cl.name, line, call, e);
	exit(1);
}

/* The size is the first argument. */
static inline int read_size(int argc, char **argv, const char *name, int normal,
			    int least, int most, int multiple)
{
	char *end = NULL;
	long n = argc > 1 ? strtol(argv[1], &end, 10) : normal;

	cl.name = name;
	if (argc > 2 || (end && *end) || n < least || n > most ||
	    n % multiple) {
		fprintf(stderr,
			"usage: %s [SIZE]: %d to %d, a multiple of %d (%d)\n",
			name, least, most, multiple, normal);
		exit(2);
	}
	cl.size = (int)n;
	return cl.size;
}

static inline void choose_buffers(void)
{
	static const char *const names[] = { "copied", "mapped", "shared" };
	const char *name = getenv("BUFFERS");

	while (name && strcmp(names[cl.buffers], name))
		if (++cl.buffers > SHARED) {
			fprintf(stderr,
				"%s: BUFFERS=%s: copied, mapped or shared\n",
				cl.name, name);
			exit(2);
		}
}

/* The same as read_size, for programs that have the choice. */
static inline int read_choices(int argc, char **argv, const char *name,
			       int normal, int least, int most, int multiple)
{
	int n = read_size(argc, argv, name, normal, least, most, multiple);

	choose_buffers();
	return n;
}

static inline char *read_source(const char *file)
{
	const char *folder = getenv("WORKLOADS");
	char path[4096];
	static char text[1 << 16];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : OPENCL_KERNELS,
		 file);
	f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "%s: cannot read %s\n", cl.name, path);
		exit(1);
	}
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static inline void build(const char *source, const char *options)
{
	static char log[1 << 16];
	cl_int e;

	cl.program =
		clCreateProgramWithSource(cl.context, 1, &source, NULL, &e);
	CHECK(e);
	e = clBuildProgram(cl.program, 1, &cl.device, options, NULL, NULL);
	if (e) {
		clGetProgramBuildInfo(cl.program, cl.device,
				      CL_PROGRAM_BUILD_LOG, sizeof(log), log,
				      NULL);
		fprintf(stderr, "%s", log);
	}
	CHECK(e);
}

/* CL_DEVICE_SVM_CAPABILITIES and one of them, of OpenCL 2.0. */
enum { SVM_CAPABILITIES = 0x1053, SVM_FINE_GRAIN_SYSTEM = 1 << 2 };

static inline void check_shared(void)
{
	cl_bitfield can = 0;

	if (cl.buffers != SHARED)
		return;
	clGetDeviceInfo(cl.device, SVM_CAPABILITIES, sizeof(can), &can, NULL);
	if (can & SVM_FINE_GRAIN_SYSTEM)
		return;
	fprintf(stderr,
		"%s: BUFFERS=shared: the device does not share all memory of "
		"the system\n",
		cl.name);
	exit(1);
}

/* Opens the first device and builds NAME.cl. */
static inline void open_device(const char *options)
{
	cl_platform_id platform;
	char file[256];
	cl_int e;

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device,
			     NULL));
	check_shared();
	cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &e);
	CHECK(e);
	cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &e);
	CHECK(e);
	snprintf(file, sizeof(file), "%s.cl", cl.name);
	build(read_source(file), options);
}

static inline cl_kernel find_kernel(const char *name)
{
	cl_int e;
	cl_kernel k = clCreateKernel(cl.program, name, &e);

	CHECK(e);
	return k;
}

/* Buffers that are not copied begin with a block of the caches. */
static inline void *allocate(size_t size)
{
	size_t blocks = (size + 63) / 64 * 64;
	void *p = cl.buffers == COPIED ? calloc(1, size) :
					 aligned_alloc(64, blocks);

	if (!p) {
		fprintf(stderr, "%s: out of memory\n", cl.name);
		exit(1);
	}
	return cl.buffers == COPIED ? p : memset(p, 0, blocks);
}

/* A buffer, with the contents of host if that is not NULL. Unless buffers are copied,
 * it is the program's memory. */
static inline cl_mem buffer(size_t size, const void *host)
{
	cl_mem_flags from = cl.buffers != COPIED ? CL_MEM_USE_HOST_PTR :
			    host                 ? CL_MEM_COPY_HOST_PTR :
						   0;
	cl_int e;
	cl_mem m;

	if (cl.buffers != COPIED && !host)
		host = allocate(size);
	m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | from, size,
			   (void *)(uintptr_t)host, &e);

	CHECK(e);
	return m;
}

/* Sets all arguments: 'm' a memory object, 's' a sampler, 'i' an int, 'f' a float
 * (passed as double), 'l' bytes of local memory. */
static inline void set_args(cl_kernel k, const char *kinds, ...)
{
	va_list ap;

	va_start(ap, kinds);
	for (cl_uint i = 0; kinds[i]; i++) {
		if (kinds[i] == 'm') {
			cl_mem m = va_arg(ap, cl_mem);

			CHECK(clSetKernelArg(k, i, sizeof(m), &m));
		} else if (kinds[i] == 's') {
			cl_sampler s = va_arg(ap, cl_sampler);

			CHECK(clSetKernelArg(k, i, sizeof(s), &s));
		} else if (kinds[i] == 'i') {
			cl_int v = va_arg(ap, int);

			CHECK(clSetKernelArg(k, i, sizeof(v), &v));
		} else if (kinds[i] == 'f') {
			cl_float v = (cl_float)va_arg(ap, double);

			CHECK(clSetKernelArg(k, i, sizeof(v), &v));
		} else {
			CHECK(clSetKernelArg(k, i, va_arg(ap, size_t), NULL));
		}
	}
	va_end(ap);
}

static inline void run_1d(cl_kernel k, size_t global, size_t local)
{
	CHECK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, &local, 0,
				     NULL, NULL));
}

static inline void run_2d(cl_kernel k, size_t x, size_t y, size_t lx, size_t ly)
{
	size_t global[2] = { x, y }, local[2] = { lx, ly };

	CHECK(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, global, local, 0,
				     NULL, NULL));
}

static inline void read_back(cl_mem m, size_t size, void *to)
{
	CHECK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, size, to, 0, NULL,
				  NULL));
}

static inline void write_to(cl_mem m, size_t size, const void *from)
{
	CHECK(clEnqueueWriteBuffer(cl.queue, m, CL_TRUE, 0, size, from, 0, NULL,
				   NULL));
}

/*
 * For programs that have the choice of enum buffers
 */

/* The program's memory that a buffer is, when the device has done what it shall. */
static inline void *take_buffer(cl_mem m, size_t size, cl_map_flags flags)
{
	void *p = NULL;
	cl_int e;

	if (cl.buffers == SHARED) {
		CHECK(clFinish(cl.queue));
		CHECK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof(p), &p,
					 NULL));
		return p;
	}
	p = clEnqueueMapBuffer(cl.queue, m, CL_TRUE, flags, 0, size, 0, NULL,
			       NULL, &e);
	CHECK(e);
	return p;
}

/* The device may use it again. p: what take_buffer or results gave. */
static inline void give_buffer(cl_mem m, const void *p)
{
	if (cl.buffers == MAPPED)
		CHECK(clEnqueueUnmapMemObject(cl.queue, m, (void *)(uintptr_t)p,
					      0, NULL, NULL));
}

/* What the device has written: copied to `to`, or where it is. */
static inline const void *results(cl_mem m, size_t size, void *to)
{
	if (cl.buffers != COPIED)
		return take_buffer(m, size, CL_MAP_READ);
	read_back(m, size, to);
	return to;
}

/* What the device only reads, for the program to read: it has it, or maps it. */
static inline const void *inputs(cl_mem m, size_t size, const void *own)
{
	return cl.buffers == MAPPED ? take_buffer(m, size, CL_MAP_READ) : own;
}

/* A few numbers for the device. */
static inline void put(cl_mem m, size_t size, const void *from)
{
	void *p;

	if (cl.buffers == COPIED) {
		write_to(m, size, from);
		return;
	}
	p = take_buffer(m, size, CL_MAP_WRITE);
	memcpy(p, from, size);
	give_buffer(m, p);
}

/* What the device will change, for the reference: before the buffer is made. */
static inline void *keep(void *p, size_t size)
{
	return cl.buffers == COPIED ? p : memcpy(allocate(size), p, size);
}

/* Numbers that are the same in every run. */
static inline uint32_t random_bits(void)
{
	static uint64_t state = 0x2545f4914f6cdd1dull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

static inline float random_float(float from, float to)
{
	return from + (to - from) * (float)(random_bits() >> 8) / 16777216.0f;
}

static inline int finish(void)
{
	CHECK(clFinish(cl.queue));
	clReleaseProgram(cl.program);
	clReleaseCommandQueue(cl.queue);
	clReleaseContext(cl.context);
	printf("%s %d: ok\n", cl.name, cl.size);
	return 0;
}

static inline int wrong(size_t at, double got, double expected)
{
	printf("%s %d: WRONG at %zu: got %g expected %g\n", cl.name, cl.size,
	       at, got, expected);
	return 1;
}

static inline int compare_ints(const int *got, const int *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			return wrong(i, got[i], want[i]);
	return finish();
}

/* tolerance: of the larger of 1 and the expected value. */
static inline int compare_floats(const float *got, const float *want, size_t n,
				 double tolerance)
{
	for (size_t i = 0; i < n; i++) {
		double w = fabs((double)want[i]);

		if (!(fabs((double)got[i] - want[i]) <=
		      tolerance * (w > 1 ? w : 1)))
			return wrong(i, got[i], want[i]);
	}
	return finish();
}

#endif
