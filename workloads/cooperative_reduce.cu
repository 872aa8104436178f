/*
 * Standardisation of a vector, x -> (x - mean) / deviation, in one cooperative
 * launch: two reductions over the whole grid, each followed by a barrier of
 * the whole grid (cooperative groups, grid.sync()), then the element-wise
 * step. Without such barriers it takes five kernels.
 *
 * SIZE: elements. The mean, the deviation and the elements are compared with
 * double precision results; sums are trees of positive terms, so that float
 * is off by a few units in the last place.
 */
#include "common.h"

#include <cooperative_groups.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
#error "no barrier of a grid before sm_60: compile with -arch=sm_60 or later"
#endif

namespace cg = cooperative_groups;

#define THREADS 256
#define MOST_BLOCKS 64

static struct workload self = { "cooperative_reduce", "elements", 1 << 15, 2,
				1 << 27 };

/* The sum over the block, for all its threads. */
__device__ float block_sum(float x)
{
	__shared__ float part[THREADS];
	int t = threadIdx.x;

	__syncthreads(); /* threads may still read the previous sum */
	part[t] = x;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] += part[t + d];
	}
	__syncthreads();
	return part[0];
}

/* Every block writes its part; after the barrier each adds up all parts. */
__device__ float grid_sum(cg::grid_group grid, float x, float *parts)
{
	float sum = block_sum(x);

	if (threadIdx.x == 0)
		parts[blockIdx.x] = sum;
	grid.sync();
	return block_sum(threadIdx.x < gridDim.x ? parts[threadIdx.x] : 0);
}

/* parts: one for each block, for each of the two sums. */
__global__ void standardise(float *x, int n, float *parts, float *result)
{
	cg::grid_group grid = cg::this_grid();
	int first = grid.thread_rank(), step = grid.size();
	float sum = 0, squares = 0;

	for (int i = first; i < n; i += step)
		sum += x[i];
	float mean = grid_sum(grid, sum, parts) / n;

	for (int i = first; i < n; i += step)
		squares += (x[i] - mean) * (x[i] - mean);
	squares = grid_sum(grid, squares, parts + gridDim.x);
	float deviation = sqrtf(squares / (n - 1));

	for (int i = first; i < n; i += step)
		x[i] = (x[i] - mean) / deviation;
	if (grid.thread_rank() == 0) {
		result[0] = mean;
		result[1] = deviation;
	}
}

/* As many blocks as the work needs and the device holds at once. */
static int grid_size(int n)
{
	int device, sms, cooperative, per_sm, blocks = blocks_of(n, THREADS);

	CHECK(cudaGetDevice(&device));
	CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch,
				     device));
	if (!cooperative) {
		fprintf(stderr, "%s: device %d has no cooperative launches\n",
			self.name, device);
		exit(1);
	}
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount,
				     device));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		&per_sm, standardise, THREADS, 0));
	if (blocks > sms * per_sm)
		blocks = sms * per_sm;
	return blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS;
}

static void expected(const float *x, int n, float *want, float *result)
{
	double mean = 0, squares = 0;

	for (int i = 0; i < n; i++)
		mean += x[i];
	mean /= n;
	for (int i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	double deviation = sqrt(squares / (n - 1));
	for (int i = 0; i < n; i++)
		want[i] = (float)((x[i] - mean) / deviation);
	result[0] = (float)mean;
	result[1] = (float)deviation;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = grid_size(n);
	float *x = host_alloc<float>(n), *want = host_alloc<float>(n);
	float got_result[2], want_result[2];

	random_floats(x, n, 1, 3, 1);
	expected(x, n, want, want_result);

	float *dx = device_copy(x, n);
	float *parts = device_alloc<float>(2 * blocks);
	float *result = device_alloc<float>(2);
	void *args[] = { &dx, &n, &parts, &result };

	CHECK(cudaLaunchCooperativeKernel(standardise, dim3(blocks),
					  dim3(THREADS), args, 0, 0));
	from_device(got_result, result, 2);
	check_close(&self, got_result, want_result, 2, 1e-5, 0,
		    "mean and deviation");
	from_device(x, dx, n);
	check_close(&self, x, want, n, 1e-5, 1e-5);

	cudaFree(dx);
	cudaFree(parts);
	cudaFree(result);
	free(x);
	free(want);
	return report(&self);
}
