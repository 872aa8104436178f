/*
 * Transposition of a matrix, twice: element by element, where the writes of a
 * warp go to 32 different lines, and through a tile in shared memory, where
 * reads and writes are both contiguous. The tile is one word wider than
 * necessary, so that reading a column of it uses 32 different banks.
 *
 * SIZE: columns of the matrix; it has SIZE / 2 + 3 rows, so that neither side
 * need be a multiple of the tile's. All elements are different, and the result
 * is compared exactly.
 */
#include "common.h"

#define TILE 32
#define ROWS 8 /* of threads in a block: each moves TILE / ROWS elements */

static struct workload self = { "transpose", "columns of the matrix", 512, 1,
				1 << 15 };

__global__ void transpose_naive(const unsigned *in, unsigned *out, int width,
				int height)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int j = 0; j < TILE; j += ROWS)
		if (x < width && y + j < height)
			out[(size_t)x * height + y + j] =
				in[(size_t)(y + j) * width + x];
}

__global__ void transpose_tiled(const unsigned *in, unsigned *out, int width,
				int height)
{
	__shared__ unsigned tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int j = 0; j < TILE; j += ROWS)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] =
				in[(size_t)(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int j = 0; j < TILE; j += ROWS)
		if (x < height && y + j < width)
			out[(size_t)(y + j) * height + x] =
				tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv)
{
	int width = size_arg(&self, argc, argv), height = width / 2 + 3;
	size_t n = (size_t)width * height;
	unsigned *in = host_alloc<unsigned>(n), *got = host_alloc<unsigned>(n);
	unsigned *want = host_alloc<unsigned>(n);
	dim3 grid(blocks_of(width, TILE), blocks_of(height, TILE));
	dim3 block(TILE, ROWS);

	for (size_t i = 0; i < n; i++)
		in[i] = (unsigned)i * 2654435761u; /* odd: a permutation */
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			want[(size_t)x * height + y] =
				in[(size_t)y * width + x];

	unsigned *din = device_copy(in, n), *dout = device_alloc<unsigned>(n);

	CHECK(cudaMemset(dout, 0, n * sizeof *dout));
	transpose_naive<<<grid, block>>>(din, dout, width, height);
	CHECK_LAUNCH();
	from_device(got, dout, n);
	check_exact(&self, got, want, n, "naive");

	CHECK(cudaMemset(dout, 0, n * sizeof *dout));
	transpose_tiled<<<grid, block>>>(din, dout, width, height);
	CHECK_LAUNCH();
	from_device(got, dout, n);
	check_exact(&self, got, want, n, "tiled");

	cudaFree(din);
	cudaFree(dout);
	free(in);
	free(got);
	free(want);
	return report(&self);
}
