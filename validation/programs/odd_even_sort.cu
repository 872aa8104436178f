/*
 * Many short rows, each sorted by odd-even transposition: in shared memory by a
 * block for rows of 256, and in registers by a warp for rows of 32, where
 * neighbours exchange keys by shuffles.
 *
 * SIZE: rows of the largest launches.
 */
#include "common.h"

#include <algorithm>

#define WIDE 256

static struct workload self = { "odd_even_sort", "rows", 264, 8, 65536 };

__global__ void sort_wide(int *rows)
{
	__shared__ int s[WIDE];
	int t = threadIdx.x, *row = rows + blockIdx.x * WIDE;

	s[t] = row[t];
	s[t + WIDE / 2] = row[t + WIDE / 2];
	for (int step = 0; step < WIDE; step++) {
		int i = 2 * t + step % 2;

		__syncthreads();
		if (i + 1 < WIDE && s[i] > s[i + 1]) {
			int key = s[i];

			s[i] = s[i + 1];
			s[i + 1] = key;
		}
	}
	__syncthreads();
	row[t] = s[t];
	row[t + WIDE / 2] = s[t + WIDE / 2];
}

__global__ void sort_warps(int *rows, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int lane = threadIdx.x % WARP;

	if (i / WARP >= count)
		return;
	int key = rows[i];
	for (int step = 0; step < WARP; step++) {
		bool low = lane % 2 == step % 2;
		int other = low ? lane + 1 : lane - 1;
		int its = __shfl_sync(ALL, key, other & (WARP - 1));

		if (other >= 0 && other < WARP)
			key = low ? min(key, its) : max(key, its);
	}
	rows[i] = key;
}

static void sort(int rows, int width, uint64_t seed)
{
	array<int> keys(rows * width);
	int *want = host_alloc<int>(keys.n);

	random_ints(keys, 1 << 20, seed);
	memcpy(want, keys.host, keys.n * sizeof(int));
	keys.upload();
	if (width == WIDE)
		sort_wide<<<rows, WIDE / 2>>>(keys.device);
	else
		sort_warps<<<blocks_of(rows, 4), 128>>>(keys.device, rows);
	CHECK_LAUNCH();
	for (int r = 0; r < rows; r++)
		std::sort(want + r * width, want + (r + 1) * width);
	keys.download();
	check_exact(&self, keys.host, want, keys.n);
	free(want);
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	sort(1, WIDE, 1);
	sort(rows / 8, WIDE, 2);
	sort(rows, WIDE, 3);
	sort(rows / 8, WARP, 4);
	sort(rows * 20, WARP, 5);
	return report(&self);
}
