/*
 * k-means clustering (Lloyd's algorithm), as in data mining suites: points of
 * FEATURES numbers, CLUSTERS centres, a fixed number of rounds. One kernel
 * assigns each point to its nearest centre, a second one sums the points of
 * each centre, with atomics in shared and then in global memory, a third
 * divides.
 *
 * SIZE: points, at least as many as centres.
 * Check: the CPU follows round by round. No centre may be nearer to a point
 * than its own, and each centre must be the mean of its points (both in double
 * precision, from the centres of the GPU).
 */
#include "common.h"

#define THREADS 256
#define FEATURES 8
#define CLUSTERS 8
#define ROUNDS 4
#define VALUES (CLUSTERS * FEATURES)

static struct workload self = { "kmeans", "points", 8192, CLUSTERS, 1 << 22 };

/* Features are n apart, so that neighbouring threads read neighbouring words.
 * */
__global__ void assign(const float *point, const float *centre, int *owner,
		       int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
	float smallest = INFINITY;

	if (i >= n)
		return;
	for (int c = 0; c < CLUSTERS; c++) {
		float distance = 0;

		for (int f = 0; f < FEATURES; f++) {
			float d = point[(size_t)f * n + i] -
				  centre[c * FEATURES + f];

			distance += d * d;
		}
		if (distance < smallest) {
			smallest = distance;
			best = c;
		}
	}
	owner[i] = best;
}

__global__ void accumulate(const float *point, const int *owner, float *sum,
			   int *count, int n)
{
	__shared__ float part[VALUES];
	__shared__ int members[CLUSTERS];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

	if (t < VALUES)
		part[t] = 0;
	if (t < CLUSTERS)
		members[t] = 0;
	__syncthreads();
	if (i < n) {
		int c = owner[i];

		atomicAdd(&members[c], 1);
		for (int f = 0; f < FEATURES; f++)
			atomicAdd(&part[c * FEATURES + f],
				  point[(size_t)f * n + i]);
	}
	__syncthreads();
	if (t < VALUES)
		atomicAdd(&sum[t], part[t]);
	if (t < CLUSTERS)
		atomicAdd(&count[t], members[t]);
}

/* One block of VALUES threads. A centre without points stays where it is. */
__global__ void divide(const float *sum, const int *count, float *centre)
{
	int t = threadIdx.x, members = count[t / FEATURES];

	if (members > 0)
		centre[t] = sum[t] / members;
}

static double distance_cpu(const float *point, const float *centre, int n)
{
	double distance = 0;

	for (int f = 0; f < FEATURES; f++) {
		double d = (double)point[(size_t)f * n] - centre[f];

		distance += d * d;
	}
	return distance;
}

/* Is each point with the nearest centre, up to rounding? */
static void check_owners(const float *point, const float *centre,
			 const int *owner, int n)
{
	for (int i = 0; i < n; i++) {
		double smallest = INFINITY, mine = INFINITY;

		for (int c = 0; c < CLUSTERS; c++) {
			double d = distance_cpu(point + i,
						centre + c * FEATURES, n);

			smallest = d < smallest ? d : smallest;
			if (c == owner[i])
				mine = d;
		}
		if (!(mine <= smallest * (1 + 1e-5) + 1e-10))
			note_wrong(&self, i, mine, smallest, "distances");
	}
}

/* The mean of each centre's points; `centre` has the old ones. */
static void means_cpu(const float *point, const int *owner, float *centre,
		      int n)
{
	double sum[VALUES] = { 0 };
	int count[CLUSTERS] = { 0 };

	for (int i = 0; i < n; i++) {
		count[owner[i]]++;
		for (int f = 0; f < FEATURES; f++)
			sum[owner[i] * FEATURES + f] +=
				point[(size_t)f * n + i];
	}
	for (int v = 0; v < VALUES; v++)
		if (count[v / FEATURES] > 0)
			centre[v] = (float)(sum[v] / count[v / FEATURES]);
}

/* Points around CLUSTERS places; the first points are the first centres. */
static void random_points(float *point, float *centre, int n)
{
	float place[VALUES];
	uint64_t seed = 1;

	random_floats(place, VALUES, 0, 1, 2);
	for (int i = 0; i < n; i++) {
		int c = random_below(&seed, CLUSTERS);

		for (int f = 0; f < FEATURES; f++) {
			float noise = random_float(&seed) - 0.5f;

			point[(size_t)f * n + i] =
				place[c * FEATURES + f] + 0.6f * noise;
		}
	}
	for (int v = 0; v < VALUES; v++)
		centre[v] = point[(size_t)(v % FEATURES) * n + v / FEATURES];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	float *point = host_alloc<float>((size_t)FEATURES * n);
	int *owner = host_alloc<int>(n);
	float centre[VALUES], got[VALUES];

	random_points(point, centre, n);
	float *d_point = device_copy(point, (size_t)FEATURES * n);
	float *d_centre = device_copy(centre, VALUES);
	float *d_sum = device_alloc<float>(VALUES);
	int *d_owner = device_alloc<int>(n);
	int *d_count = device_alloc<int>(CLUSTERS);

	for (int round = 0; round < ROUNDS; round++) {
		assign<<<blocks, THREADS>>>(d_point, d_centre, d_owner, n);
		CHECK_LAUNCH();
		CHECK(cudaMemset(d_sum, 0, VALUES * sizeof *d_sum));
		CHECK(cudaMemset(d_count, 0, CLUSTERS * sizeof *d_count));
		accumulate<<<blocks, THREADS>>>(d_point, d_owner, d_sum,
						d_count, n);
		CHECK_LAUNCH();
		divide<<<1, VALUES>>>(d_sum, d_count, d_centre);
		CHECK_LAUNCH();
		from_device(owner, d_owner, n);
		from_device(got, d_centre, VALUES);
		check_owners(point, centre, owner, n);
		if (self.wrong)
			break;
		means_cpu(point, owner, centre, n);
		check_close(&self, got, centre, VALUES, 1e-4, 1e-5, "centres");
		memcpy(centre, got, sizeof got);
	}
	CHECK(cudaFree(d_point));
	CHECK(cudaFree(d_centre));
	CHECK(cudaFree(d_sum));
	CHECK(cudaFree(d_owner));
	CHECK(cudaFree(d_count));
	free(point);
	free(owner);
	return report(&self);
}
