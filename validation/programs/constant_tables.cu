/*
 * Constant memory read in all ways: by all lanes at one address, by lanes at
 * different addresses (which the cache serves one after the other), over tables
 * that do and do not fit the small caches, and beside it the same through the
 * read-only data cache.
 *
 * SIZE: threads of the largest launch.
 */
#include "common.h"

#define THREADS 128
#define WORDS 8192

static struct workload self = { "constant_tables", "threads", 32768, 128,
				1 << 20 };

__constant__ int table[WORDS];

/* All lanes read the same word: a polynomial with `terms` coefficients. */
__global__ void polynomial(int n, int terms, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned sum = 0;

	if (i >= n)
		return;
	for (int k = 0; k < terms; k++)
		sum = sum * i + table[k];
	out[i] = sum;
}

__global__ void substitute(int n, unsigned mask, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;

	if (i >= n)
		return;
	for (int k = 0; k < 8; k++)
		v = v * 5 + table[(v >> 3) & mask];
	out[i] = v;
}

__global__ void substitute_global(int n, unsigned mask, const int *from,
				  unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = i;

	if (i >= n)
		return;
	for (int k = 0; k < 8; k++)
		v = v * 5 + __ldg(&from[(v >> 3) & mask]);
	out[i] = v;
}

static void run(int n, int terms, unsigned mask, array<int> &t)
{
	array<unsigned> out(n), want(n);
	int blocks = blocks_of(n, THREADS);

	polynomial<<<blocks, THREADS>>>(n, terms, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		for (int k = 0; k < terms; k++)
			want[i] = want[i] * i + t[k];
	out.download();
	check_exact(&self, out.host, want.host, n, "polynomial");
	for (int i = 0; i < n; i++) {
		want[i] = i;
		for (int k = 0; k < 8; k++)
			want[i] = want[i] * 5 + t[(want[i] >> 3) & mask];
	}
	substitute<<<blocks, THREADS>>>(n, mask, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "constants");
	substitute_global<<<blocks, THREADS>>>(n, mask, t.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "global");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	array<int> t(WORDS);

	random_ints(t, 1 << 30, 1);
	t.upload();
	CHECK(cudaMemcpyToSymbol(table, t.host, WORDS * sizeof(int)));
	run(128, 1000, 255, t);
	run(n / 16, 100, 3, t);
	run(n / 8, 50, WORDS - 1, t);
	run(n, 16, 63, t);
	return report(&self);
}
