/*
 * The few records nearest to a place, of many records with a latitude and a
 * longitude: one kernel computes all distances, then each launch of a second
 * one finds the smallest distance above those already found, by a tree in
 * shared memory and an atomic minimum.
 *
 * SIZE: records, any.
 * Check: the distances of the records found, computed in double precision on
 * the CPU, against the smallest of all distances; and no record twice.
 */
#include "common.h"

#define THREADS 256
#define NEIGHBOURS 5

static struct workload self = { "nearest_neighbour", "records", 32768, 1,
				1 << 26 };

typedef unsigned long long key;

#define NO_KEY (~(key)0)

/*
 * A distance and its record in one number that sorts by distance: the bits of
 * non-negative floats sort as the floats do.
 */
__device__ key make_key(float distance, unsigned record)
{
	return (key)__float_as_uint(distance) << 32 | record;
}

__global__ void distances(const float2 *place, float *distance, int n,
			  float2 here)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		float dx = place[i].x - here.x, dy = place[i].y - here.y;

		distance[i] = sqrtf(dx * dx + dy * dy);
	}
}

/* found[round] = the smallest key above found[round - 1] */
__global__ void nearest(const float *distance, key *found, int round, int n)
{
	__shared__ key smallest[THREADS];
	int t = threadIdx.x;
	key mine = NO_KEY;

	for (int i = blockIdx.x * THREADS + t; i < n;
	     i += gridDim.x * THREADS) {
		key k = make_key(distance[i], i);

		if (k < mine && (round == 0 || k > found[round - 1]))
			mine = k;
	}
	smallest[t] = mine;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half && smallest[t + half] < smallest[t])
			smallest[t] = smallest[t + half];
	}
	if (t == 0)
		atomicMin(&found[round], smallest[0]);
}

static void search(const float2 *host, int n, float2 here, key *found, int many)
{
	int blocks = blocks_of(n, THREADS), few = blocks_of(n, 4 * THREADS);
	float2 *place = device_copy(host, n);
	float *distance = device_alloc<float>(n);
	key *keys = device_alloc<key>(many);

	CHECK(cudaMemset(keys, 0xff, many * sizeof *keys));
	distances<<<blocks, THREADS>>>(place, distance, n, here);
	CHECK_LAUNCH();
	for (int round = 0; round < many; round++) {
		nearest<<<few, THREADS>>>(distance, keys, round, n);
		CHECK_LAUNCH();
	}
	from_device(found, keys, many);
	CHECK(cudaFree(place));
	CHECK(cudaFree(distance));
	CHECK(cudaFree(keys));
}

static double distance_cpu(float2 a, float2 b)
{
	return hypot((double)a.x - b.x, (double)a.y - b.y);
}

/* The `many` smallest distances in order, by insertion. */
static void search_cpu(const float2 *place, int n, float2 here,
		       double *smallest, int many)
{
	for (int m = 0; m < many; m++)
		smallest[m] = INFINITY;
	for (int i = 0; i < n; i++) {
		double d = distance_cpu(place[i], here);
		int at = many;

		if (d >= smallest[many - 1])
			continue;
		while (at > 0 && smallest[at - 1] > d)
			at--;
		for (int m = many - 1; m > at; m--)
			smallest[m] = smallest[m - 1];
		smallest[at] = d;
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	int many = n < NEIGHBOURS ? n : NEIGHBOURS;
	float2 *place = host_alloc<float2>(n), here = make_float2(30, 90);
	key found[NEIGHBOURS];
	double got[NEIGHBOURS], want[NEIGHBOURS];
	uint64_t seed = 1;

	for (int i = 0; i < n; i++) {
		place[i].x = 180 * random_float(&seed) - 90;
		place[i].y = 360 * random_float(&seed) - 180;
	}
	search(place, n, here, found, many);
	search_cpu(place, n, here, want, many);
	for (int m = 0; m < many; m++) {
		unsigned record = (unsigned)found[m];

		got[m] = record < (unsigned)n ?
				 distance_cpu(place[record], here) :
				 NAN;
		for (int before = 0; before < m; before++)
			if ((unsigned)found[before] == record)
				got[m] = NAN;
	}
	check_close(&self, got, want, many, 1e-5);
	free(place);
	return report(&self);
}
