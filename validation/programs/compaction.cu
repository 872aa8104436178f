/*
 * Elements that satisfy a condition, moved together: in order, by counts of
 * blocks and a scan; and, structures of 16 bytes, in any order, by one atomic for
 * each warp.
 *
 * SIZE: elements of the largest array.
 */
#include "common.h"

#include <algorithm>

#define THREADS 256

static struct workload self = { "compaction", "elements", 1 << 19, 1024,
				1 << 23 };

__host__ __device__ static inline bool wanted(int v, int percent)
{
	return v % 100 < percent;
}

__global__ void count(int n, const int *in, int percent, int *counts)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	int all = __syncthreads_count(i < n && wanted(in[i], percent));

	if (threadIdx.x == 0)
		counts[blockIdx.x] = all;
}

/* One block; 1024 counts at a time. */
__global__ void scan_counts(int n, int *counts)
{
	__shared__ int s[1024];
	int t = threadIdx.x, before = 0;

	for (int first = 0; first < n; first += 1024) {
		int own = first + t < n ? counts[first + t] : 0;

		s[t] = own;
		for (int d = 1; d < 1024; d *= 2) {
			__syncthreads();
			int other = t >= d ? s[t - d] : 0;
			__syncthreads();
			s[t] += other;
		}
		__syncthreads();
		if (first + t < n)
			counts[first + t] = before + s[t] - own;
		before += s[1023];
		__syncthreads();
	}
}

__global__ void move_ordered(int n, const int *in, int percent,
			     const int *places, int *out)
{
	__shared__ int warps[THREADS / WARP];
	int i = blockIdx.x * THREADS + threadIdx.x;
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	int v = i < n ? in[i] : 0;
	bool keep = i < n && wanted(v, percent);
	unsigned kept = __ballot_sync(ALL, keep);

	if (lane == 0)
		warps[warp] = __popc(kept);
	__syncthreads();
	if (!keep)
		return;
	int place = places[blockIdx.x] + __popc(kept & ((1u << lane) - 1));
	for (int w = 0; w < warp; w++)
		place += warps[w];
	out[place] = v;
}

__global__ void move_any(int n, const int4 *in, int percent, int *used,
			 int4 *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % WARP;
	int4 v = i < n ? in[i] : make_int4(0, 0, 0, 0);
	bool keep = i < n && wanted(v.x, percent);
	unsigned kept = __ballot_sync(ALL, keep);
	int place = 0;

	if (lane == 0 && kept)
		place = atomicAdd(used, __popc(kept));
	place = __shfl_sync(ALL, place, 0);
	if (keep)
		out[place + __popc(kept & ((1u << lane) - 1))] = v;
}

static void run_ordered(int n, int percent)
{
	int blocks = blocks_of(n, THREADS), kept = 0;
	array<int> in(n), out(n), counts(blocks);
	int *want = host_alloc<int>(n);

	random_ints(in, 1 << 20, n);
	in.upload();
	for (int i = 0; i < n; i++)
		if (wanted(in[i], percent))
			want[kept++] = in[i];
	count<<<blocks, THREADS>>>(n, in.device, percent, counts.device);
	scan_counts<<<1, 1024>>>(blocks, counts.device);
	move_ordered<<<blocks, THREADS>>>(n, in.device, percent, counts.device,
					  out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want, kept);
	free(want);
}

static void run_any(int n, int percent)
{
	array<int4> in(n), out(n);
	array<int> used(1), got(n), want(n);
	uint64_t random = n;
	int kept = 0;

	for (int i = 0; i < n; i++) {
		in[i].x = random_below(&random, 1 << 20);
		in[i].y = in[i].z = in[i].w = i;
		if (wanted(in[i].x, percent))
			want[kept++] = i;
	}
	in.upload();
	used.fill(0);
	move_any<<<blocks_of(n, THREADS), THREADS>>>(n, in.device, percent,
						     used.device, out.device);
	CHECK_LAUNCH();
	used.download();
	out.download();
	check_exact(&self, used.host, &kept, 1, "count");
	for (int i = 0; i < kept; i++)
		got[i] = out[i].w;
	std::sort(got.host, got.host + kept);
	check_exact(&self, got.host, want.host, kept, "any order");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run_ordered(n / 256, 50);
	run_ordered(n / 8, 10);
	run_ordered(n, 70);
	run_any(n / 256, 50);
	run_any(n / 2, 30);
	return report(&self);
}
