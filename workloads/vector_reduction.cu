/*
 * The sum of a vector, as SArcs' kernel "vector reduction": a tree in shared
 * memory in each block, and launch after launch until one value is left.
 *
 * SIZE: elements of the vector, any.
 * Check: the sum in double precision on the CPU. The tree adds every element
 * about log2(n) times, so its error is far below the tolerance.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "vector_reduction", "elements", 262144, 1,
				1 << 28 };

/* Each block reduces 2 * THREADS elements to one: out[blockIdx.x]. */
__global__ void reduce(const float *in, float *out, int n)
{
	__shared__ float part[THREADS];
	int t = threadIdx.x;
	int i = blockIdx.x * 2 * THREADS + t;
	float sum = 0;

	if (i < n)
		sum = in[i];
	if (i + THREADS < n)
		sum += in[i + THREADS];
	part[t] = sum;
	__syncthreads();
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = part[0];
}

/* The host's loop of launches: each reads what the one before wrote. */
static float reduce_all(const float *host, int n)
{
	int blocks = blocks_of(n, 2 * THREADS);
	float *vector = device_copy(host, n);
	float *from = vector;
	float *part[2] = { device_alloc<float>(blocks),
			   device_alloc<float>(blocks) };
	float sum;

	for (int pass = 0; pass == 0 || n > 1; pass++) {
		blocks = blocks_of(n, 2 * THREADS);
		reduce<<<blocks, THREADS>>>(from, part[pass % 2], n);
		CHECK_LAUNCH();
		from = part[pass % 2];
		n = blocks;
	}
	from_device(&sum, from, 1);
	CHECK(cudaFree(vector));
	CHECK(cudaFree(part[0]));
	CHECK(cudaFree(part[1]));
	return sum;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	float *x = host_alloc<float>(n);
	double want = 0, got;

	random_floats(x, n, 0, 1, 1);
	for (int i = 0; i < n; i++)
		want += x[i];
	got = reduce_all(x, n);
	check_close(&self, &got, &want, 1, 1e-5);
	free(x);
	return report(&self);
}
