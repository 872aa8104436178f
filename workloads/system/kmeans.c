/* k-means: points are assigned to the nearest center, and centers are moved. The
 * coordinates are small integers, so that sums and distances are exact. */
#include "common.h"

enum { K = 5, FEATURES = 4, ROUNDS = 3 };

/* Sums of the points of each center; no two threads share a line. */
struct sums {
	float of[K][FEATURES];
	int count[K];
} __attribute__((aligned(LINE_BYTES)));

static int nearest(const float *points, const float *centers, int n, int i)
{
	float least = 1e30f;
	int best = 0;

	for (int c = 0; c < K; c++) {
		float d = 0;

		for (int f = 0; f < FEATURES; f++) {
			float e = points[f * n + i] - centers[c * FEATURES + f];

			d += e * e;
		}
		if (d < least) {
			least = d;
			best = c;
		}
	}
	return best;
}

static void assign(const float *points, const float *centers, int *member,
		   struct sums *part, int n)
{
#pragma omp parallel
	{
		struct sums mine = { 0 };

#pragma omp for
		for (int i = 0; i < n; i++) {
			int c = nearest(points, centers, n, i);

			member[i] = c;
			mine.count[c]++;
			for (int f = 0; f < FEATURES; f++)
				mine.of[c][f] += points[f * n + i];
		}
		part[omp_get_thread_num()] = mine;
	}
}

static void move_centers(const struct sums *part, float *centers, int threads)
{
	for (int c = 0; c < K; c++)
		for (int f = 0; f < FEATURES; f++) {
			float sum = 0;
			int count = 0;

			for (int t = 0; t < threads; t++) {
				sum += part[t].of[c][f];
				count += part[t].count[c];
			}
			if (count)
				centers[c * FEATURES + f] =
					floorf(sum / (float)count);
		}
}

static void first_centers(const float *points, float *centers, int n)
{
	for (int c = 0; c < K; c++)
		for (int f = 0; f < FEATURES; f++)
			centers[c * FEATURES + f] = points[f * n + c];
}

/* By one thread, in integers. */
static void reference(const float *points, int *member, int n)
{
	float centers[K * FEATURES];

	first_centers(points, centers, n);
	for (int round = 0; round < ROUNDS; round++) {
		int sum[K][FEATURES] = { 0 }, count[K] = { 0 };

		for (int i = 0; i < n; i++) {
			int c = nearest(points, centers, n, i);

			member[i] = c;
			count[c]++;
			for (int f = 0; f < FEATURES; f++)
				sum[c][f] += (int)points[f * n + i];
		}
		for (int c = 0; c < K; c++)
			for (int f = 0; f < FEATURES && count[c]; f++)
				centers[c * FEATURES + f] =
					(float)(sum[c][f] / count[c]);
	}
}

int main(int argc, char **argv)
{
	/* More points would make sums of floats inexact. */
	int n = read_size(argc, argv, "kmeans", 12288, K, 1 << 15, 1);
	float *points = allocate((size_t)n * FEATURES * sizeof(float));
	int *member = allocate((size_t)n * sizeof(int));
	int *want = allocate((size_t)n * sizeof(int));
	float centers[K * FEATURES];
	struct sums part[MOST_THREADS] = { 0 };

	for (int i = 0; i < n * FEATURES; i++)
		points[i] = (float)(random_bits() % 512);
	first_centers(points, centers, n);
	section_begin();
	for (int round = 0; round < ROUNDS; round++) {
		assign(points, centers, member, part, n);
		move_centers(part, centers, omp_get_max_threads());
	}
	section_end();
	reference(points, want, n);
	return compare_ints(member, want, (size_t)n);
}
