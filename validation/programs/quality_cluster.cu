/*
 * Clusters of points none of which is wider than a threshold, after SHOC's QTC: a
 * block for each seed grows the cluster around it by the nearest point again and
 * again, with minima by shuffles; the largest one is the result, its points are taken
 * out, and the next round begins.
 *
 * SIZE: points.
 */
#include <algorithm>

#include "common.h"

#define THREADS 64
#define WIDEST 40 /* diameter, squared */
#define ROUNDS 3

static struct workload self = { "quality_cluster", "points", 192, 32, 2048 };

/* Distances are of integers: the same everywhere. */
__host__ __device__ static inline int apart(short2 a, short2 b)
{
	int x = a.x - b.x, y = a.y - b.y;

	return x * x + y * y;
}

/* far[i] is the largest distance of i from a member. A key is distance, index. */
__global__ void grow(int n, const short2 *points, const char *taken, int *far,
		     int *size, char *members)
{
	__shared__ unsigned best[THREADS / WARP];
	int t = threadIdx.x, seed = blockIdx.x, count = 0;

	far += seed * n;
	members += seed * n;
	for (int i = t; i < n; i += THREADS) {
		far[i] = 0;
		members[i] = 0;
	}
	__syncthreads();
	for (int newest = taken[seed] ? -1 : seed; newest >= 0; count++) {
		unsigned key = UINT_MAX;

		if (t == newest % THREADS)
			members[newest] = 1;
		for (int i = t; i < n; i += THREADS) {
			far[i] = max(far[i], apart(points[i], points[newest]));
			if (!members[i] && !taken[i] && far[i] <= WIDEST)
				key = min(key, (unsigned)far[i] << 16 | i);
		}
		for (int step = WARP / 2; step > 0; step /= 2)
			key = min(key, __shfl_xor_sync(ALL, key, step));
		if (t % WARP == 0)
			best[t / WARP] = key;
		__syncthreads();
		for (int w = 0; w < THREADS / WARP; w++)
			key = min(key, best[w]);
		__syncthreads();
		newest = key == UINT_MAX ? -1 : (int)(key & 0xffff);
	}
	if (t == 0)
		size[seed] = count;
}

/* The same on the host, for one seed; returns its size. */
static int grown(int n, const short2 *points, const char *taken, int seed,
		 char *members)
{
	int count = 0, newest = taken[seed] ? -1 : seed;

	memset(members, 0, n);
	while (newest >= 0) {
		int best = INT_MAX;

		members[newest] = 1;
		count++;
		newest = -1;
		for (int i = 0; i < n; i++) {
			int far = 0;

			if (members[i] || taken[i])
				continue;
			for (int k = 0; k < n; k++)
				if (members[k])
					far = std::max(far, apart(points[i],
								  points[k]));
			if (far <= WIDEST && far < best) {
				best = far;
				newest = i;
			}
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	array<short2> points(n);
	array<char> taken(n), members((size_t)n * n), want(n);
	array<int> far(members.n), size(n), sizes(n);
	uint64_t seed = n;

	for (int i = 0; i < n; i++) {
		points[i].x = (short)random_below(&seed, 64);
		points[i].y = (short)random_below(&seed, 64);
	}
	points.upload();
	for (int round = 0; round < ROUNDS; round++) {
		int largest = 0;

		taken.upload();
		grow<<<n, THREADS>>>(n, points.device, taken.device, far.device,
				     size.device, members.device);
		CHECK_LAUNCH();
		size.download();
		members.download();
		for (int s = 0; s < n; s++) {
			sizes[s] =
				grown(n, points.host, taken.host, s, want.host);
			check_exact(&self, members.host + s * n, want.host, n,
				    "members");
			if (sizes[s] > sizes[largest])
				largest = s;
		}
		check_exact(&self, size.host, sizes.host, n, "sizes");
		for (int i = 0; i < n; i++)
			taken[i] |= members[largest * n + i];
	}
	return report(&self);
}
