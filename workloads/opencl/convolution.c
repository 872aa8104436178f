/* A 5x5 convolution of an image with four channels, read by a sampler. */
#include "common.h"

enum { RADIUS = 2, SIDE = 2 * RADIUS + 1 };

static cl_mem image(int n, const float *host)
{
	cl_image_format format = { CL_RGBA, CL_FLOAT };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = (size_t)n,
			       .image_height = (size_t)n };
	cl_int e;
	cl_mem m = clCreateImage(cl.context,
				 host ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR :
					CL_MEM_WRITE_ONLY,
				 &format, &desc, (void *)(uintptr_t)host, &e);

	CHECK(e);
	return m;
}

static int clamp(int v, int most)
{
	return v < 0 ? 0 : v > most ? most : v;
}

static float reference(const float *in, const float *mask, int n, int i)
{
	int x = i / 4 % n, y = i / 4 / n;
	double sum = 0;

	for (int k = 0; k < SIDE * SIDE; k++) {
		int px = clamp(x + k % SIDE - RADIUS, n - 1);
		int py = clamp(y + k / SIDE - RADIUS, n - 1);

		sum += (double)mask[k] * in[(py * n + px) * 4 + i % 4];
	}
	return (float)sum;
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "convolution", 32, 8, 1024, 8);
	size_t count = (size_t)n * n * 4;
	size_t origin[3] = { 0 }, region[3] = { n, n, 1 };
	float *in = allocate(count * 4), *got = allocate(count * 4);
	float *want = allocate(count * 4), mask[SIDE * SIDE];
	cl_mem mi, mo, mm;
	cl_kernel k;

	for (int i = 0; i < SIDE * SIDE; i++)
		mask[i] = random_float(0, 0.1f);
	for (size_t i = 0; i < count; i++)
		in[i] = random_float(0, 1);
	open_device("");
	mi = image(n, in);
	mo = image(n, NULL);
	mm = buffer(sizeof(mask), mask);
	k = find_kernel("convolution");
	set_args(k, "mmm", mi, mo, mm);
	run_2d(k, n, n, 8, 8);
	CHECK(clEnqueueReadImage(cl.queue, mo, CL_TRUE, origin, region, 0, 0,
				 got, 0, NULL, NULL));
	for (size_t i = 0; i < count; i++)
		want[i] = reference(in, mask, n, (int)i);
	return compare_floats(got, want, count, 1e-5);
}
