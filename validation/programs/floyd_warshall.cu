/*
 * Shortest paths between all pairs of nodes: a launch for each node in between
 * (small graph), and by tiles of 32 x 32 in three phases (larger graph).
 *
 * SIZE: nodes of the larger graph, a multiple of 32.
 */
#include "common.h"

#define TILE 32

static struct workload self = { "floyd_warshall", "nodes", 160, 64, 2048 };

__global__ void through(int n, int k, int *d)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < n && y < n)
		d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
}

/* The tile on the diagonal. */
__global__ void phase_1(int n, int k, int *d)
{
	__shared__ int s[TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y;
	int *at = d + (k * TILE + y) * n + k * TILE + x;

	s[y][x] = *at;
	for (int i = 0; i < TILE; i++) {
		__syncthreads();
		int way = s[y][i] + s[i][x];
		__syncthreads();
		s[y][x] = min(s[y][x], way);
	}
	*at = s[y][x];
}

/* The tiles in its row (blockIdx.y 0) and column (1). */
__global__ void phase_2(int n, int k, int *d)
{
	__shared__ int pivot[TILE][TILE + 1], own[TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y, tile = blockIdx.x;

	if (tile == k)
		return;
	bool row = blockIdx.y == 0;
	int ty = row ? k : tile, tx = row ? tile : k;
	int *at = d + (ty * TILE + y) * n + tx * TILE + x;

	pivot[y][x] = d[(k * TILE + y) * n + k * TILE + x];
	own[y][x] = *at;
	for (int i = 0; i < TILE; i++) {
		__syncthreads();
		int way = row ? pivot[y][i] + own[i][x] :
				own[y][i] + pivot[i][x];
		__syncthreads();
		own[y][x] = min(own[y][x], way);
	}
	*at = own[y][x];
}

/* All others. */
__global__ void phase_3(int n, int k, int *d)
{
	__shared__ int left[TILE][TILE + 1], top[TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y;

	if ((int)blockIdx.x == k || (int)blockIdx.y == k)
		return;
	int *at = d + (blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x;
	int best = *at;

	left[y][x] = d[(blockIdx.y * TILE + y) * n + k * TILE + x];
	top[y][x] = d[(k * TILE + y) * n + blockIdx.x * TILE + x];
	__syncthreads();
	for (int i = 0; i < TILE; i++)
		best = min(best, left[y][i] + top[i][x]);
	*at = best;
}

static void paths(int n, bool tiled)
{
	array<int> d(n * n), want(n * n);
	uint64_t random = n;

	for (int i = 0; i < n * n; i++) {
		bool edge = random_below(&random, 8) == 0;

		d[i] = edge ? 1 + random_below(&random, 1000) : 1000000;
		if (i % (n + 1) == 0)
			d[i] = 0;
		want[i] = d[i];
	}
	d.upload();
	int tiles = n / TILE;
	if (tiled)
		for (int k = 0; k < tiles; k++) {
			phase_1<<<1, dim3(TILE, TILE)>>>(n, k, d.device);
			phase_2<<<dim3(tiles, 2), dim3(TILE, TILE)>>>(n, k,
								      d.device);
			phase_3<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(
				n, k, d.device);
		}
	else
		for (int k = 0; k < n; k++)
			through<<<dim3(blocks_of(n, 16), blocks_of(n, 16)),
				  dim3(16, 16)>>>(n, k, d.device);
	CHECK_LAUNCH();
	for (int k = 0; k < n; k++)
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				int way = want[y * n + k] + want[k * n + x];

				if (way < want[y * n + x])
					want[y * n + x] = way;
			}
	d.download();
	check_exact(&self, d.host, want.host, d.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % TILE)
		bad_size(&self, "a multiple of 32");
	paths(n, true);
	paths(12, false);
	return report(&self);
}
