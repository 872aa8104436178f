/*
 * A long array in tiles that pass through shared memory by cp.async in four
 * stages, each block with its own part: moving averages over 8 elements, in
 * copies of 4 and of 16 bytes; beside it the same with plain loads.
 *
 * SIZE: elements of the largest array.
 */
#include "common.h"

#include <cuda_pipeline.h>

#define THREADS 128
#define STAGES 4
#define WIDTH 8
#define TILE (4 * THREADS) /* elements of a stage */

static struct workload self = { "async_stream", "elements", 1 << 19, 8192,
				1 << 23 };

template <int BYTES> __device__ static void copy_tile(int *to, const int *from)
{
	const int each = BYTES / 4;

	for (int i = threadIdx.x; i < TILE / each; i += THREADS)
		__pipeline_memcpy_async(to + i * each, from + i * each, BYTES);
}

/* The input has WIDTH elements more than the output; a tile overlaps the next. */
template <int BYTES>
__global__ void averages(int tiles, const int *in, int *out)
{
	alignas(16) __shared__ int s[STAGES][TILE];
	int first = blockIdx.x, step = gridDim.x;

	for (int k = 0; k < STAGES - 1; k++) {
		if (first + k * step < tiles)
			copy_tile<BYTES>(s[k], in + (size_t)(first + k * step) *
							       (TILE - WIDTH));
		__pipeline_commit();
	}
	for (int tile = first, k = 0; tile < tiles; tile += step, k++) {
		int ahead = tile + (STAGES - 1) * step;

		__pipeline_wait_prior(STAGES - 2);
		__syncthreads();
		if (ahead < tiles)
			copy_tile<BYTES>(s[(k + STAGES - 1) % STAGES],
					 in + (size_t)ahead * (TILE - WIDTH));
		__pipeline_commit();
		const int *now = s[k % STAGES];
		for (int i = threadIdx.x; i < TILE - WIDTH; i += THREADS) {
			int sum = 0;

			for (int w = 0; w < WIDTH; w++)
				sum += now[i + w];
			out[(size_t)tile * (TILE - WIDTH) + i] = sum / WIDTH;
		}
	}
}

__global__ void averages_plain(int n, const int *in, int *out)
{
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n;
	     i += gridDim.x * THREADS) {
		int sum = 0;

		for (int w = 0; w < WIDTH; w++)
			sum += in[i + w];
		out[i] = sum / WIDTH;
	}
}

static void run(int n, int blocks)
{
	int tiles = n / (TILE - WIDTH);

	n = tiles * (TILE - WIDTH);
	array<int> in(n + WIDTH), out(n), want(n);
	random_ints(in, 100000, n);
	in.upload();
	for (int i = 0; i < n; i++) {
		for (int w = 0; w < WIDTH; w++)
			want[i] += in[i + w];
		want[i] /= WIDTH;
	}
	averages<4><<<blocks, THREADS>>>(tiles, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "4 bytes");
	out.fill(0);
	averages<16><<<blocks, THREADS>>>(tiles, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "16 bytes");
	out.fill(0);
	averages_plain<<<blocks, THREADS>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n, "plain");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 64, 1);
	run(n / 16, 16);
	run(n, 264);
	return report(&self);
}
