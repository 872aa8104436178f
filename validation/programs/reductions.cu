/*
 * The sum of an array in five ways: shuffles and one atomic for each warp, a tree
 * in shared memory and one atomic for each block, one atomic for each thread, two
 * passes without atomics, and one launch whose last block adds the parts.
 *
 * SIZE: elements of the largest array. They are integers.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "reductions", "elements", 1 << 20, 256,
				1 << 24 };

__global__ void by_shuffle(int n, const int *in, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;

	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_down_sync(ALL, v, d);
	if (threadIdx.x % WARP == 0)
		atomicAdd(sum, v);
}

__device__ static int tree(int v)
{
	__shared__ int s[THREADS];

	s[threadIdx.x] = v;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			s[threadIdx.x] += s[threadIdx.x + half];
	}
	return s[0];
}

__global__ void by_tree(int n, const int *in, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int all = tree(i < n ? in[i] : 0);

	if (threadIdx.x == 0)
		atomicAdd(sum, all);
}

/* 64 sums, so that the compiler cannot join the lanes of a warp. */
__global__ void by_atomics(int n, const int *in, int *sums)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&sums[i % 64], in[i]);
}

__global__ void to_parts(int n, const int4 *in, int *part)
{
	int v = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4;
	     i += gridDim.x * blockDim.x) {
		int4 w = in[i];

		v += w.x + w.y + w.z + w.w;
	}
	int all = tree(v);
	if (threadIdx.x == 0)
		part[blockIdx.x] = all;
}

__global__ void last_block(int n, const int *in, int *part, unsigned *done,
			   int *sum)
{
	__shared__ bool last;
	int v = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x)
		v += in[i];
	int all = tree(v);
	if (threadIdx.x == 0) {
		part[blockIdx.x] = all;
		__threadfence();
		last = atomicAdd(done, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
	v = 0;
	for (int i = threadIdx.x; i < gridDim.x; i += THREADS)
		v += ((volatile int *)part)[i];
	all = tree(v);
	if (threadIdx.x == 0)
		*sum = all;
}

static void run(int n)
{
	int blocks = blocks_of(n, THREADS), few = blocks < 132 ? blocks : 132;
	array<int> in(n), sum(64), part(few);
	array<unsigned> done(1);
	int want = 0;

	n = n / 4 * 4;
	random_ints(in, 1000, n);
	in.upload();
	done.fill(0);
	for (int i = 0; i < n; i++)
		want += in[i];
	for (int way = 0; way < 5; way++) {
		sum.fill(0);
		if (way == 0)
			by_shuffle<<<blocks, THREADS>>>(n, in.device,
							sum.device);
		else if (way == 1)
			by_tree<<<blocks, THREADS>>>(n, in.device, sum.device);
		else if (way == 2)
			by_atomics<<<blocks, THREADS>>>(n, in.device,
							sum.device);
		else if (way == 3)
			to_parts<<<few, THREADS>>>(n, (const int4 *)in.device,
						   part.device);
		else
			last_block<<<few, THREADS>>>(n, in.device, part.device,
						     done.device, sum.device);
		if (way == 3)
			by_tree<<<1, THREADS>>>(few, part.device, sum.device);
		CHECK_LAUNCH();
		sum.download();
		for (int i = 1; i < 64; i++)
			sum[0] += sum[i];
		check_exact(&self, sum.host, &want, 1);
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 1024);
	run(n / 16);
	run(n);
	return report(&self);
}
