/*
 * Would another centre of a clustering pay? Each point compares its distance to a
 * candidate with that to its centre and adds what it gains, to itself or to the sum
 * of its centre's points (Rodinia's streamcluster). The coordinates lie dimension
 * by dimension, those of the candidate in shared memory.
 *
 * SIZE: points.
 */
#include "common.h"

#define DIMENSIONS 32
#define CENTRES 16
#define CANDIDATES 3
#define THREADS 512

static struct workload self = { "stream_cluster", "points", 16384, 64,
				1 << 20 };

struct point {
	float weight;
	int assigned; /* to which centre */
	float cost;
};

__global__ void gain(int n, const point *points, const float *coordinates,
		     int candidate, const int *centre_of, int *lower,
		     unsigned char *switches)
{
	__shared__ float middle[DIMENSIONS];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int d = threadIdx.x; d < DIMENSIONS; d += blockDim.x)
		middle[d] = coordinates[d * n + candidate];
	__syncthreads();
	if (i >= n)
		return;
	float distance = 0;
	for (int d = 0; d < DIMENSIONS; d++) {
		float x = coordinates[d * n + i] - middle[d];

		distance += x * x;
	}
	float change = distance * points[i].weight - points[i].cost;
	switches[i] = change < 0;
	if (change < 0)
		atomicAdd(&lower[CENTRES], (int)change);
	else
		atomicAdd(&lower[centre_of[points[i].assigned]], 1);
}

static float distance(int n, const float *c, int a, int b)
{
	float sum = 0;

	for (int d = 0; d < DIMENSIONS; d++)
		sum += (c[d * n + a] - c[d * n + b]) *
		       (c[d * n + a] - c[d * n + b]);
	return sum;
}

static void cluster(int n)
{
	array<point> points(n);
	array<float> c((size_t)DIMENSIONS * n);
	array<int> centre_of(n), lower(CENTRES + 1), want(CENTRES + 1);
	array<unsigned char> switches(n), would(n);

	/* Multiples of 1/8 from 0 to 8: all sums are exact. */
	random_ints(c, 65, n);
	for (size_t i = 0; i < c.n; i++)
		c[i] /= 8;
	for (int i = 0; i < n; i++) {
		points[i].weight = 1 + i % 3;
		points[i].assigned = i % CENTRES;
		points[i].cost =
			points[i].weight * distance(n, c.host, i, i % CENTRES);
		centre_of[i] = i % CENTRES;
	}
	points.upload();
	c.upload();
	centre_of.upload();
	for (int k = 1; k <= CANDIDATES; k++) {
		int candidate = k * (n - 1) / CANDIDATES;

		lower.fill(0);
		gain<<<blocks_of(n, THREADS), THREADS>>>(
			n, points.device, c.device, candidate, centre_of.device,
			lower.device, switches.device);
		CHECK_LAUNCH();
		memset(want.host, 0, want.n * sizeof(int));
		for (int i = 0; i < n; i++) {
			float change = points[i].weight * distance(n, c.host, i,
								   candidate) -
				       points[i].cost;

			would[i] = change < 0;
			if (change < 0)
				want[CENTRES] += (int)change;
			else
				want[points[i].assigned]++;
		}
		lower.download();
		switches.download();
		check_exact(&self, lower.host, want.host, want.n, "sums");
		for (int i = 0; i < n; i++)
			if (switches[i] != would[i])
				note_wrong(&self, i, (int)switches[i],
					   (int)would[i], "switches");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	cluster(n / 16);
	cluster(n);
	return report(&self);
}
