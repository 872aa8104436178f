/*
 * Scalar products of many pairs of vectors: `scalarProd` of Lee and Ro's paper
 * on parallel GPU simulation. Blocks take the pairs in turn; each thread sums
 * up a strided part in a register, then the block adds the parts in a tree
 * whose last five levels are shuffles within one warp.
 *
 * SIZE: pairs of vectors; OPTION: elements of a vector. The paper has 256 and
 * 4096. Compared with a sum in double precision: all terms are positive, and a
 * term passes fewer than elements / 128 + 10 additions.
 */
#include "common.h"

#define THREADS 128
#define WARP 32
#define MOST_BLOCKS 128

static struct workload self = { "scalar_prod", "pairs of vectors", 256, 1,
				1 << 16, "elements of a vector", 4096, 1,
				1 << 24 };

/* The sum over the block, valid in thread 0. */
__device__ float block_sum(float x)
{
	__shared__ float part[THREADS];
	int t = threadIdx.x;

	__syncthreads();
	part[t] = x;
	for (int d = THREADS / 2; d >= WARP; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] += part[t + d];
	}
	if (t >= WARP)
		return 0;
	x = part[t];
	for (int d = WARP / 2; d > 0; d /= 2)
		x += __shfl_down_sync(0xffffffff, x, d);
	return x;
}

__global__ void scalar_products(const float *a, const float *b, float *out,
				int pairs, int n)
{
	for (int p = blockIdx.x; p < pairs; p += gridDim.x) {
		const float *x = a + (size_t)p * n, *y = b + (size_t)p * n;
		float sum = 0;

		for (int i = threadIdx.x; i < n; i += THREADS)
			sum += x[i] * y[i];
		sum = block_sum(sum);
		if (threadIdx.x == 0)
			out[p] = sum;
	}
}

int main(int argc, char **argv)
{
	int pairs = size_arg(&self, argc, argv), n = self.choice;
	size_t all = (size_t)pairs * n;
	float *a = host_alloc<float>(all), *b = host_alloc<float>(all);
	float *got = host_alloc<float>(pairs), *want = host_alloc<float>(pairs);
	int blocks = pairs < MOST_BLOCKS ? pairs : MOST_BLOCKS;

	random_floats(a, all, 0, 1, 1);
	random_floats(b, all, 0, 1, 2);
	for (int p = 0; p < pairs; p++) {
		double sum = 0;

		for (size_t i = (size_t)p * n; i < (size_t)(p + 1) * n; i++)
			sum += (double)a[i] * b[i];
		want[p] = (float)sum;
	}

	float *da = device_copy(a, all), *db = device_copy(b, all);
	float *out = device_alloc<float>(pairs);

	scalar_products<<<blocks, THREADS>>>(da, db, out, pairs, n);
	CHECK_LAUNCH();
	from_device(got, out, pairs);
	check_close(&self, got, want, pairs, 6e-8 * (n / THREADS + 10));

	cudaFree(da);
	cudaFree(db);
	cudaFree(out);
	free(a);
	free(b);
	free(got);
	free(want);
	return report(&self);
}
