/*
 * A kernel that times itself: every block reads clock(), finds the minimum of
 * its numbers by a tree in shared memory, and reads clock() again. `clock` of
 * Lee and Ro's paper on parallel GPU simulation.
 *
 * SIZE: blocks, of 256 threads and 512 numbers each; the paper's 64 is the
 * default. Only the minima are checked, exactly: times differ from GPU to
 * GPU.
 */
#include "common.h"

#include <time.h>

#define THREADS 256

static struct workload self = { "clock", "blocks", 64, 1, 65535 };

/* times: when each block began, then when each ended. */
__global__ void timed_minimum(const float *in, float *out, clock_t *times)
{
	extern __shared__ float part[];
	int t = threadIdx.x, count = blockDim.x;

	in += 2 * count * blockIdx.x;
	if (t == 0)
		times[blockIdx.x] = clock();
	part[t] = in[t];
	part[t + count] = in[t + count];
	for (int d = count; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] = fminf(part[t], part[t + d]);
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
	__syncthreads();
	if (t == 0)
		times[gridDim.x + blockIdx.x] = clock();
}

int main(int argc, char **argv)
{
	int blocks = size_arg(&self, argc, argv), n = 2 * THREADS * blocks;
	float *in = host_alloc<float>(n), *got = host_alloc<float>(blocks);
	float *want = host_alloc<float>(blocks);
	clock_t *times = host_alloc<clock_t>(2 * blocks);

	random_floats(in, n, -1, 1, 1);
	for (int i = 0; i < n; i++) {
		float *smallest = &want[i / (2 * THREADS)];

		if (i % (2 * THREADS) == 0 || in[i] < *smallest)
			*smallest = in[i];
	}

	float *din = device_copy(in, n), *out = device_alloc<float>(blocks);
	clock_t *dtimes = device_copy(times, 2 * blocks);

	timed_minimum<<<blocks, THREADS, 2 * THREADS * sizeof(float)>>>(
		din, out, dtimes);
	CHECK_LAUNCH();
	from_device(got, out, blocks);
	from_device(times, dtimes, 2 * blocks);
	check_exact(&self, got, want, blocks);

	cudaFree(din);
	cudaFree(out);
	cudaFree(dtimes);
	free(in);
	free(got);
	free(want);
	free(times);
	return report(&self);
}
