/*
 * LU decomposition in place, without pivoting, by tiles: A = L * U, L with
 * ones on its diagonal. For each tile on the diagonal one kernel decomposes
 * it, a second one solves for the tiles to its right (rows of U) and below it
 * (columns of L), a third subtracts their products from the rest.
 *
 * The matrix is dominated by its diagonal, so that no pivots are needed.
 *
 * SIZE: rows and columns, any; filled up to whole tiles with the identity.
 * Check: the decomposition in double precision on the CPU, row by row.
 */
#include "common.h"

#define TILE 16

static struct workload self = { "lud", "rows and columns", 128, 1, 4096 };

/* A tile in shared memory; the odd width keeps columns in different banks. */
typedef float tile[TILE][TILE + 1];

/* The tile in row r and column c of tiles; n is that of the whole matrix. */
__device__ float *tile_at(float *a, int n, int r, int c)
{
	return a + (size_t)r * TILE * n + c * TILE;
}

__device__ void load_tile(tile to, const float *from, int n)
{
	for (int i = 0; i < TILE; i++)
		to[i][threadIdx.x] = from[(size_t)i * n + threadIdx.x];
}

__device__ void store_tile(float *to, const tile from, int n)
{
	for (int i = 0; i < TILE; i++)
		to[(size_t)i * n + threadIdx.x] = from[i][threadIdx.x];
}

/* One block of TILE threads; thread t works on row t. */
__global__ void diagonal(float *a, int n, int k)
{
	__shared__ tile d;
	int t = threadIdx.x;

	load_tile(d, tile_at(a, n, k, k), n);
	for (int i = 0; i < TILE - 1; i++) {
		__syncthreads();
		if (t > i) {
			d[t][i] /= d[i][i];
			for (int j = i + 1; j < TILE; j++)
				d[t][j] -= d[t][i] * d[i][j];
		}
	}
	__syncthreads();
	store_tile(tile_at(a, n, k, k), d, n);
}

/* Blocks of TILE threads: y = 0 for the tiles to the right, 1 for below. */
__global__ void perimeter(float *a, int n, int k)
{
	__shared__ tile d, p;
	int t = threadIdx.x, other = k + 1 + blockIdx.x;
	bool below = blockIdx.y == 1;
	float *at = below ? tile_at(a, n, other, k) : tile_at(a, n, k, other);

	load_tile(d, tile_at(a, n, k, k), n);
	load_tile(p, at, n);
	__syncthreads();
	if (below) { /* x * U = p, thread t has row t */
		for (int i = 0; i < TILE; i++) {
			for (int j = 0; j < i; j++)
				p[t][i] -= p[t][j] * d[j][i];
			p[t][i] /= d[i][i];
		}
	} else { /* L * x = p, thread t has column t */
		for (int i = 1; i < TILE; i++)
			for (int j = 0; j < i; j++)
				p[i][t] -= d[i][j] * p[j][t];
	}
	__syncthreads();
	store_tile(at, p, n);
}

/* Blocks of TILE x TILE threads, one for each tile right of and below k. */
__global__ void internal(float *a, int n, int k)
{
	__shared__ tile left, top;
	int x = threadIdx.x, y = threadIdx.y;
	int row = k + 1 + blockIdx.y, column = k + 1 + blockIdx.x;
	size_t here = (size_t)y * n + x;
	float sum = 0;

	left[y][x] = tile_at(a, n, row, k)[here];
	top[y][x] = tile_at(a, n, k, column)[here];
	__syncthreads();
	for (int i = 0; i < TILE; i++)
		sum += left[y][i] * top[i][x];
	tile_at(a, n, row, column)[here] -= sum;
}

static void decompose(float *a, int n)
{
	int tiles = n / TILE;

	for (int k = 0; k < tiles; k++) {
		int rest = tiles - k - 1;

		diagonal<<<1, TILE>>>(a, n, k);
		CHECK_LAUNCH();
		if (rest == 0)
			break;
		perimeter<<<dim3(rest, 2), TILE>>>(a, n, k);
		CHECK_LAUNCH();
		internal<<<dim3(rest, rest), dim3(TILE, TILE)>>>(a, n, k);
		CHECK_LAUNCH();
	}
}

/* Row by row: each row is reduced by all rows before it. */
static void decompose_cpu(double *a, int n)
{
	for (int i = 0; i < n; i++) {
		double *row = a + (size_t)i * n;

		for (int k = 0; k < i; k++) {
			const double *pivot = a + (size_t)k * n;

			row[k] /= pivot[k];
			for (int j = k + 1; j < n; j++)
				row[j] -= row[k] * pivot[j];
		}
	}
}

int main(int argc, char **argv)
{
	int size = size_arg(&self, argc, argv);
	int n = blocks_of(size, TILE) * TILE;
	size_t count = (size_t)n * n;
	float *a = host_alloc<float>(count), *want = host_alloc<float>(count);
	double *cpu = host_alloc<double>(count);
	uint64_t seed = 1;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float v = 2 * random_float(&seed) - 1;
			bool filler = i >= size || j >= size;

			if (filler)
				v = i == j;
			else if (i == j)
				v += size;
			a[(size_t)i * n + j] = v;
			cpu[(size_t)i * n + j] = v;
		}
	float *matrix = device_copy(a, count);
	decompose(matrix, n);
	from_device(a, matrix, count);
	CHECK(cudaFree(matrix));

	decompose_cpu(cpu, n);
	for (size_t i = 0; i < count; i++)
		want[i] = (float)cpu[i];
	check_close(&self, a, want, count, 1e-4, 1e-5);
	free(a);
	free(want);
	free(cpu);
	return report(&self);
}
