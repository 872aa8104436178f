/*
 * a = b + s c on long vectors (SHOC's triad), with a grid that strides, of float,
 * of structs of three values, and of every eighth element; 1024 threads in a block.
 *
 * SIZE: elements of the longest vector.
 */
#include "common.h"

#define SCALE 1.75f

static struct workload self = { "stream_triad", "elements", 1 << 20, 1024,
				1 << 26 };

struct colour {
	float red, green, blue;
};

__global__ void triad(int n, const float *b, const float *c, float *a)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x)
		a[i] = b[i] + SCALE * c[i];
}

__global__ void mix(int n, const colour *b, const colour *c, colour *a)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		a[i].red = b[i].red + SCALE * c[i].red;
		a[i].green = b[i].green + SCALE * c[i].green;
		a[i].blue = b[i].blue + SCALE * c[i].blue;
	}
}

__global__ void apart(int n, const float *b, const float *c, float *a)
{
	int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		a[i] = b[i] + SCALE * c[i];
}

static void run(int n, int blocks, int threads)
{
	array<float> a(n), b(n), c(n), want(n);

	random_exact(b, n);
	random_exact(c, n + 1);
	b.upload();
	c.upload();
	for (int i = 0; i < n; i++)
		want[i] = b[i] + SCALE * c[i];
	triad<<<blocks, threads>>>(n, b.device, c.device, a.device);
	CHECK_LAUNCH();
	a.download();
	check_exact(&self, a.host, want.host, n, "triad");
	a.fill(0);
	mix<<<blocks_of(n / 3, threads), threads>>>(n / 3, (colour *)b.device,
						    (colour *)c.device,
						    (colour *)a.device);
	CHECK_LAUNCH();
	a.download();
	check_exact(&self, a.host, want.host, n / 3 * 3, "structs");
	a.fill(0);
	apart<<<blocks_of(n / 8, threads), threads>>>(n, b.device, c.device,
						      a.device);
	CHECK_LAUNCH();
	a.download();
	for (int i = 0; i < n; i++)
		if (i % 8)
			want[i] = 0;
	check_exact(&self, a.host, want.host, n, "strided");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 64, 8, 1024);
	run(n / 4, 264, 1024);
	run(n, 10000, 96);
	return report(&self);
}
