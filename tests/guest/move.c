/*
 * What the GPU moves itself: `move WHAT BYTES` with one of
 *   copy SHIFT   from one buffer to another, from SHIFT bytes further on
 *   fill         a buffer
 *   image        into an image of rows of 256 bytes, to another one, and back
 *   rect         a box of 4 slices out of a buffer
 *   apart        a copy in each of two queues
 * Everything is checked.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue, other;
static unsigned char *host, *back;

static void need(int holds, const char *what)
{
	if (holds)
		return;
	printf("does not hold: %s\n", what);
	exit(1);
}
#define NEED(cond) need(cond, #cond)

/* With the host's numbers: the program moves them. */
static cl_mem buffer(size_t size)
{
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);

	NEED(!clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, size, host, 0, NULL,
				   NULL));
	return m;
}

static void read_back(cl_mem m, size_t size)
{
	NEED(!clEnqueueReadBuffer(queue, m, CL_TRUE, 0, size, back, 0, NULL,
				  NULL));
}

static void copy(size_t size, size_t shift)
{
	cl_mem a = buffer(size + 64), b = buffer(size + 64);

	NEED(!clEnqueueCopyBuffer(queue, a, b, shift, 0, size, 0, NULL, NULL));
	read_back(b, size);
	NEED(!memcmp(back, host + shift, size));
}

static void fill(size_t size)
{
	cl_mem a = buffer(size + 4);
	cl_uint pattern = 0xdeadbeef;

	NEED(!clEnqueueFillBuffer(queue, a, &pattern, 4, 4, size, 0, NULL,
				  NULL));
	read_back(a, size + 4);
	NEED(!memcmp(back, host, 4));
	for (size_t i = 0; i < size; i += 4)
		NEED(!memcmp(back + 4 + i, &pattern, 4));
}

static cl_mem image(size_t rows)
{
	const cl_image_format f = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D,
				  .image_width = 64,
				  .image_height = rows };
	cl_int e;
	cl_mem m = clCreateImage(context, CL_MEM_READ_WRITE, &f, &d, NULL, &e);

	NEED(!e);
	return m;
}

static void images(size_t size)
{
	size_t rows = size / 256, at[3] = { 0, 0, 0 }, all[3] = { 64, rows, 1 };
	cl_mem a = image(rows), b = image(rows), c = buffer(size);

	NEED(!clEnqueueWriteImage(queue, a, CL_FALSE, at, all, 0, 0, host + 128,
				  0, NULL, NULL));
	NEED(!clEnqueueCopyImage(queue, a, b, at, at, all, 0, NULL, NULL));
	NEED(!clEnqueueCopyImageToBuffer(queue, b, c, at, all, 0, 0, NULL,
					 NULL));
	NEED(!clEnqueueReadImage(queue, b, CL_TRUE, at, all, 0, 0, back, 0,
				 NULL, NULL));
	NEED(!memcmp(back, host + 128, size));
	read_back(c, size);
	NEED(!memcmp(back, host + 128, size));
}

/* Rows of 40 bytes out of rows of 100. */
static void rect(size_t size)
{
	size_t rows = size / 400, from[3] = { 10, 1, 0 }, to[3] = { 0, 0, 0 };
	size_t region[3] = { 40, rows - 1, 4 };
	cl_mem a = buffer(size), b = buffer(size);

	NEED(!clEnqueueCopyBufferRect(queue, a, b, from, to, region, 100,
				      100 * rows, 0, 0, 0, NULL, NULL));
	read_back(b, size);
	for (size_t z = 0; z < 4; z++)
		for (size_t y = 0; y < rows - 1; y++)
			NEED(!memcmp(back + 40 * (z * (rows - 1) + y),
				     host + 100 * (z * rows + y + 1) + 10, 40));
}

static void apart(size_t size)
{
	cl_mem a = buffer(size), b = buffer(size), c = buffer(size);

	memset(host, 7, size);
	NEED(!clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, size, host, 0, NULL,
				   NULL));
	NEED(!clEnqueueCopyBuffer(queue, a, b, 0, 0, size, 0, NULL, NULL));
	NEED(!clEnqueueCopyBuffer(other, a, c, 0, 0, size, 0, NULL, NULL));
	NEED(!clFinish(other));
	read_back(c, size);
	NEED(!memcmp(back, host, size));
	read_back(b, size);
	NEED(!memcmp(back, host, size));
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 0) : 4096;
	const char *what = argc > 1 ? argv[1] : "copy";
	cl_platform_id platform;
	cl_device_id device;

	host = malloc(size + 4096);
	back = malloc(size + 4096);
	for (size_t i = 0; i < size + 4096; i++)
		host[i] = (unsigned char)(i * 31 + i / 256);
	NEED(!clGetPlatformIDs(1, &platform, NULL));
	NEED(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	other = clCreateCommandQueue(context, device, 0, NULL);
	if (!strcmp(what, "copy"))
		copy(size, argc > 3 ? strtoul(argv[3], NULL, 0) : 0);
	else if (!strcmp(what, "fill"))
		fill(size);
	else if (!strcmp(what, "image"))
		images(size);
	else if (!strcmp(what, "rect"))
		rect(size);
	else
		apart(size);
	return 0;
}
