/*
 * Product of two sparse matrices, row by row: a warp adds the products of a row
 * in a hash table in shared memory, then the sums are written as a dense row.
 *
 * SIZE: rows and columns. Elements are small integers, sums exact.
 */
#include "common.h"

#define WARPS 4
#define TABLE 256
#define LENGTH 8 /* elements of a row of either matrix */

static struct workload self = { "spgemm", "rows and columns", 1024, 64, 8192 };

__global__ void multiply(int n, const int *a_column, const int *a_value,
			 const int *b_column, const int *b_value, int *c)
{
	__shared__ int keys[WARPS][TABLE], sums[WARPS][TABLE];
	int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	int row = blockIdx.x * WARPS + warp;
	int *key = keys[warp], *sum = sums[warp];

	for (int i = lane; i < TABLE; i += WARP) {
		key[i] = -1;
		sum[i] = 0;
	}
	__syncwarp();
	if (row >= n)
		return;
	/* 32 products at a time: four elements of A with eight of B's row. */
	for (int i = 0; i < LENGTH; i += WARP / LENGTH) {
		int a = row * LENGTH + i + lane / LENGTH;
		int b = a_column[a] * LENGTH + lane % LENGTH;
		int column = b_column[b], at = column * 61 % TABLE;

		for (;;) {
			int old = atomicCAS(&key[at], -1, column);

			if (old == -1 || old == column)
				break;
			at = (at + 1) % TABLE;
		}
		atomicAdd(&sum[at], a_value[a] * b_value[b]);
	}
	__syncwarp();
	for (int i = lane; i < TABLE; i += WARP)
		if (key[i] >= 0)
			c[(size_t)row * n + key[i]] = sum[i];
}

static void product(int n, uint64_t seed)
{
	array<int> ac(n * LENGTH), av(n * LENGTH), bc(n * LENGTH);
	array<int> bv(n * LENGTH), c((size_t)n * n), want((size_t)n * n);

	random_ints(ac, n, seed);
	random_ints(av, 100, seed + 1);
	random_ints(bc, n, seed + 2);
	random_ints(bv, 100, seed + 3);
	ac.upload();
	av.upload();
	bc.upload();
	bv.upload();
	c.fill(0);
	multiply<<<blocks_of(n, WARPS), WARPS * WARP>>>(
		n, ac.device, av.device, bc.device, bv.device, c.device);
	CHECK_LAUNCH();
	for (int a = 0; a < n * LENGTH; a++)
		for (int j = 0; j < LENGTH; j++) {
			int b = ac[a] * LENGTH + j;

			want[(size_t)(a / LENGTH) * n + bc[b]] += av[a] * bv[b];
		}
	c.download();
	check_exact(&self, c.host, want.host, c.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	product(n / 16, 1);
	product(n / 4, 11);
	product(n, 21);
	product(n * 3, 31);
	return report(&self);
}
