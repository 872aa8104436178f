/*
 * The largest of many values and its place: by comparing pairs in trees, and by
 * one 64-bit atomic maximum of value and place together. And the row-wise form,
 * one block for each row.
 *
 * SIZE: values of the largest array.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "argmax", "values", 1 << 20, 1024, 1 << 24 };

struct best {
	float value;
	int at;
};

__device__ static void keep(struct best *a, float value, int at)
{
	if (value > a->value || (value == a->value && at < a->at)) {
		a->value = value;
		a->at = at;
	}
}

/* blockIdx.y is the row. */
__global__ void by_tree(int n, const float *in, struct best *out)
{
	__shared__ struct best s[THREADS / WARP];
	const float *row = in + (size_t)blockIdx.y * n;
	struct best b = { -INFINITY, INT_MAX };

	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS)
		keep(&b, row[i], i);
	for (int d = WARP / 2; d > 0; d /= 2) {
		float value = __shfl_down_sync(ALL, b.value, d);
		int at = __shfl_down_sync(ALL, b.at, d);

		keep(&b, value, at);
	}
	if (threadIdx.x % WARP == 0)
		s[threadIdx.x / WARP] = b;
	__syncthreads();
	if (threadIdx.x > 0)
		return;
	for (int w = 1; w < THREADS / WARP; w++)
		keep(&b, s[w].value, s[w].at);
	out[blockIdx.y * gridDim.x + blockIdx.x] = b;
}

/* Positive floats are ordered as their bits are; a small place wins. */
__global__ void by_atomic(int n, const float *in, unsigned long long *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned long long key = (unsigned long long)__float_as_uint(in[i])
					 << 32 |
				 (0xffffffffu - i);
	if (key > *out)
		atomicMax(out, key);
}

static int largest(const float *v, int n)
{
	int at = 0;

	for (int i = 1; i < n; i++)
		if (v[i] > v[at])
			at = i;
	return at;
}

static void find(int n)
{
	int blocks = blocks_of(n, THREADS * 4);
	array<float> in(n);
	array<struct best> part(blocks);
	array<unsigned long long> key(1);

	random_floats(in, 0, 1, n);
	in.upload();
	key.fill(0);
	by_tree<<<blocks, THREADS>>>(n, in.device, part.device);
	by_atomic<<<blocks_of(n, THREADS), THREADS>>>(n, in.device, key.device);
	CHECK_LAUNCH();
	part.download();
	key.download();
	int want = largest(in.host, n), got = INT_MAX;
	float value = -1;
	for (int b = 0; b < blocks; b++)
		if (part[b].value > value) {
			value = part[b].value;
			got = part[b].at;
		}
	check_exact(&self, &got, &want, 1, "tree");
	got = 0xffffffffu - (unsigned)key[0];
	check_exact(&self, &got, &want, 1, "atomic");
}

static void find_rows(int rows, int n)
{
	array<float> in(rows * n);
	array<struct best> out(rows);
	array<int> got(rows), want(rows);

	random_floats(in, -1, 1, rows);
	in.upload();
	by_tree<<<dim3(1, rows), THREADS>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	for (int r = 0; r < rows; r++) {
		want[r] = largest(&in[r * n], n);
		got[r] = out[r].at;
	}
	check_exact(&self, got.host, want.host, rows, "rows");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	find(n / 512);
	find(n / 8);
	find(n);
	find_rows(16, 1000);
	find_rows(1500, 600);
	return report(&self);
}
