/*
 * A matrix that does not fit the caches, transposed by tiles of 32 x 32 in shared
 * memory (with and without padding against bank conflicts), copied by tiles, and
 * with its rows in reverse order.
 *
 * SIZE: rows and columns, a multiple of 32.
 */
#include "common.h"

#define TILE 32
#define ROWS 8 /* of threads */

static struct workload self = { "large_transpose", "rows and columns", 2048, 64,
				8192 };

template <int PAD> __global__ void transpose(int n, const int *in, int *out)
{
	__shared__ int s[TILE][TILE + PAD];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int k = 0; k < TILE; k += ROWS)
		s[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int k = 0; k < TILE; k += ROWS)
		out[(y + k) * n + x] = s[threadIdx.x][threadIdx.y + k];
}

__global__ void copy(int n, const int *in, int *out)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	for (int k = 0; k < TILE; k += ROWS)
		out[(y + k) * n + x] = in[(y + k) * n + x];
}

__global__ void reverse(int n, const int4 *in, int4 *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;

	if (x >= n / 4)
		return;
	int4 v = in[y * (n / 4) + x];
	out[y * (n / 4) + n / 4 - 1 - x] = make_int4(v.w, v.z, v.y, v.x);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	dim3 blocks(n / TILE, n / TILE), threads(TILE, ROWS);

	if (n % TILE)
		bad_size(&self, "a multiple of 32");
	array<int> in((size_t)n * n), out(in.n), want(in.n);

	random_ints(in, 1 << 30, n);
	in.upload();
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			want[x * n + y] = in[y * n + x];
	transpose<1><<<blocks, threads>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, in.n, "padded");
	out.fill(0);
	transpose<0><<<blocks, threads>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, in.n, "not padded");

	copy<<<blocks, threads>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, in.host, in.n, "copy");
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			want[y * n + n - 1 - x] = in[y * n + x];
	reverse<<<dim3(blocks_of(n / 4, 128), n), 128>>>(
		n, (const int4 *)in.device, (int4 *)out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, in.n, "reverse");
	return report(&self);
}
