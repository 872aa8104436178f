/*
 * Steps of Collatz' sequence until 1, a thread for each number: loops whose
 * lengths differ within a warp. Numbers one after the other, and far apart.
 *
 * SIZE: numbers of the largest launch.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "collatz", "numbers", 16384, 64, 1 << 20 };

__host__ __device__ static inline int steps_of(unsigned long long v)
{
	int steps = 0;

	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		steps++;
	}
	return steps;
}

__global__ void steps(int n, unsigned first, unsigned stride, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = steps_of(first + (unsigned long long)i * stride);
}

static void run(int n, unsigned first, unsigned stride)
{
	array<int> out(n), want(n);

	steps<<<blocks_of(n, THREADS), THREADS>>>(n, first, stride, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = steps_of(first + (unsigned long long)i * stride);
	out.download();
	check_exact(&self, out.host, want.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(32, 27, 1);
	run(n / 16, 1, 1);
	run(n / 16, 1, 104729);
	run(n, 1, 1);
	return report(&self);
}
