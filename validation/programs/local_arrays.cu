/*
 * Arrays of a thread that do not fit into registers: a stack for a walk over a
 * binary tree without recursion, counts in a table indexed by data, and
 * insertion sort of 24 values.
 *
 * SIZE: threads of the largest launch.
 */
#include "common.h"

#include <algorithm>

#define THREADS 64

static struct workload self = { "local_arrays", "threads", 8192, 64, 1 << 20 };

/* The tree is implicit: node i has children 2i + 1 and 2i + 2. Counts nodes
 * whose key is in a range, without looking below a key that is too large. */
__host__ __device__ static inline int walk(const int *key, int nodes, int root,
					   int low, int high)
{
	int stack[32], top = 0, found = 0;

	stack[top++] = root;
	while (top > 0) {
		int i = stack[--top];

		if (i >= nodes || key[i] >= high)
			continue;
		found += key[i] >= low;
		stack[top++] = 2 * i + 1;
		stack[top++] = 2 * i + 2;
	}
	return found;
}

__global__ void walks(int n, const int *key, int nodes, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = walk(key, nodes, i % 63, i % 500, 500 + i % 300);
}

/* How often the most frequent of 64 values occurs in 48 random ones. */
__host__ __device__ static inline int mode(unsigned seed)
{
	unsigned char count[64];
	int most = 0;

	for (int k = 0; k < 64; k++)
		count[k] = 0;
	for (int k = 0; k < 48; k++) {
		seed = seed * 1664525u + 1013904223u;
		int c = ++count[seed >> 26];

		most = c > most ? c : most;
	}
	return most;
}

__global__ void modes(int n, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = mode(i);
}

__global__ void sorts(int n, const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v[24];

	if (i >= n)
		return;
	for (int k = 0; k < 24; k++) {
		int x = in[k * n + i], j = k;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
	for (int k = 0; k < 24; k++)
		out[k * n + i] = v[k];
}

static void run(int n)
{
	const int nodes = 255;
	array<int> key(nodes), out(n), want(n), in(24 * n), sorted(24 * n);

	random_ints(key, 1000, n);
	key.upload();
	walks<<<blocks_of(n, THREADS), THREADS>>>(n, key.device, nodes,
						  out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n; i++)
		want[i] = walk(key.host, nodes, i % 63, i % 500, 500 + i % 300);
	check_exact(&self, out.host, want.host, n, "walks");

	modes<<<blocks_of(n, THREADS), THREADS>>>(n, out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n; i++)
		want[i] = mode(i);
	check_exact(&self, out.host, want.host, n, "modes");

	random_ints(in, 1000, n);
	in.upload();
	sorts<<<blocks_of(n, THREADS), THREADS>>>(n, in.device, sorted.device);
	CHECK_LAUNCH();
	sorted.download();
	for (int i = 0; i < n; i++) {
		int v[24], got[24];

		for (int k = 0; k < 24; k++) {
			v[k] = in[k * n + i];
			got[k] = sorted[k * n + i];
		}
		std::sort(v, v + 24);
		check_exact(&self, got, v, 24, "sorts");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(64);
	run(n / 8);
	run(n);
	return report(&self);
}
