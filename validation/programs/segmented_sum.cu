/*
 * Sums of segments of different lengths: a scan by flags inside of warps with
 * atomics at the borders, and a thread, a warp or a block for each segment.
 *
 * SIZE: elements of the largest array. They are integers.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "segmented_sum", "elements", 1 << 19, 4096,
				1 << 23 };

/* The lane with the last element of a run of one segment adds its sum. */
__global__ void by_flags(int n, const int *in, const int *segment, int *sum)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x,
	    lane = threadIdx.x % WARP;
	int v = i < n ? in[i] : 0, own = i < n ? segment[i] : -1;

	for (int d = 1; d < WARP; d *= 2) {
		int other = __shfl_up_sync(ALL, v, d);
		int its = __shfl_up_sync(ALL, own, d);

		if (lane >= d && its == own)
			v += other;
	}
	int next = __shfl_down_sync(ALL, own, 1);
	if (own >= 0 && (lane == WARP - 1 || next != own))
		atomicAdd(&sum[own], v);
}

__global__ void by_thread(int segments, const int *start, const int *in,
			  int *sum)
{
	int s = blockIdx.x * blockDim.x + threadIdx.x, v = 0;

	if (s >= segments)
		return;
	for (int i = start[s]; i < start[s + 1]; i++)
		v += in[i];
	sum[s] = v;
}

__global__ void by_warp(int segments, const int *start, const int *in, int *sum)
{
	int s = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, v = 0;

	if (s >= segments)
		return;
	for (int i = start[s] + threadIdx.x % WARP; i < start[s + 1]; i += WARP)
		v += in[i];
	v = __reduce_add_sync(ALL, v);
	if (threadIdx.x % WARP == 0)
		sum[s] = v;
}

__global__ void by_block(const int *start, const int *in, int *sum)
{
	__shared__ int part[THREADS / WARP];
	int s = blockIdx.x, v = 0;

	for (int i = start[s] + threadIdx.x; i < start[s + 1]; i += THREADS)
		v += in[i];
	v = __reduce_add_sync(ALL, v);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		sum[s] = part[0] + part[1] + part[2] + part[3];
}

/* Lengths from 0 to twice the mean. */
static void run(int n, int mean)
{
	int segments = 0, room = n / mean * 2 + 2;
	array<int> in(n), segment(n), start(room + 1), sum(room), want(room);
	uint64_t random = n + mean;

	random_ints(in, 100, n);
	for (int i = 0; i < n; segments++) {
		int length = random_below(&random, 2 * mean + 1);

		start[segments] = i;
		if (segments == room - 1)
			length = n - i;
		for (; length > 0 && i < n; length--, i++) {
			segment[i] = segments;
			want[segments] += in[i];
		}
	}
	start[segments] = n;
	in.upload();
	segment.upload();
	start.upload();
	for (int way = 0; way < 4; way++) {
		sum.fill(0);
		if (way == 0)
			by_flags<<<blocks_of(n, THREADS), THREADS>>>(
				n, in.device, segment.device, sum.device);
		else if (way == 1)
			by_thread<<<blocks_of(segments, THREADS), THREADS>>>(
				segments, start.device, in.device, sum.device);
		else if (way == 2)
			by_warp<<<blocks_of(segments, THREADS / WARP), THREADS>>>(
				segments, start.device, in.device, sum.device);
		else
			by_block<<<segments, THREADS>>>(start.device, in.device,
							sum.device);
		CHECK_LAUNCH();
		sum.download();
		check_exact(&self, sum.host, want.host, segments);
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 64, 20);
	run(n / 8, 200);
	run(n, 100);
	return report(&self);
}
