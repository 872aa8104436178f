/* k-means: the device assigns points to centers, the host moves the centers. The
 * coordinates are small integers, so that distances are exact. */
#include "common.h"

enum { K = 5, FEATURES = 4, ROUNDS = 3 };

static int nearest(const float *points, const float *centers, int n, int i)
{
	double least = 1e30;
	int best = 0;

	for (int c = 0; c < K; c++) {
		double d = 0;

		for (int f = 0; f < FEATURES; f++) {
			double e =
				points[f * n + i] - centers[c * FEATURES + f];

			d += e * e;
		}
		if (d < least) {
			least = d;
			best = c;
		}
	}
	return best;
}

static void move_centers(const float *points, float *centers, const int *member,
			 int n)
{
	double sum[K][FEATURES] = { 0 };
	int count[K] = { 0 };

	for (int i = 0; i < n; i++) {
		if (member[i] < 0 || member[i] >= K)
			continue; /* wrong, as the comparison will say */
		count[member[i]]++;
		for (int f = 0; f < FEATURES; f++)
			sum[member[i]][f] += points[f * n + i];
	}
	for (int c = 0; c < K; c++)
		for (int f = 0; f < FEATURES && count[c]; f++)
			centers[c * FEATURES + f] =
				(float)floor(sum[c][f] / count[c]);
}

static void first_centers(const float *points, float *centers, int n)
{
	for (int c = 0; c < K; c++)
		for (int f = 0; f < FEATURES; f++)
			centers[c * FEATURES + f] = points[f * n + c];
}

/* All of it by the host. */
static void reference(const float *points, float *centers, int *member, int n)
{
	first_centers(points, centers, n);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < n; i++)
			member[i] = nearest(points, centers, n, i);
		move_centers(points, centers, member, n);
	}
}

int main(int argc, char **argv)
{
	int n = read_choices(argc, argv, "kmeans", 2000, K, 1 << 20, 1);
	float *points = allocate((size_t)n * FEATURES * 4);
	float centers[K * FEATURES];
	int *member = allocate((size_t)n * 4), *want = allocate((size_t)n * 4);
	const int *found = member;
	cl_mem mp, mc, mm;
	cl_kernel k;

	for (int i = 0; i < n * FEATURES; i++)
		points[i] = (float)(random_bits() % 512);
	first_centers(points, centers, n);
	open_device("");
	mp = buffer((size_t)n * FEATURES * 4, points);
	mc = buffer(sizeof(centers), NULL);
	mm = buffer((size_t)n * 4, NULL);
	k = find_kernel("assign");
	for (int round = 0; round < ROUNDS; round++) {
		const float *p;

		put(mc, sizeof(centers), centers);
		set_args(k, "mmmiii", mp, mc, mm, n, K, FEATURES);
		run_1d(k, ((size_t)n + 63) / 64 * 64, 64);
		found = results(mm, (size_t)n * 4, member);
		p = inputs(mp, (size_t)n * FEATURES * 4, points);
		move_centers(p, centers, found, n);
		if (cl.buffers == MAPPED)
			give_buffer(mp, p);
		if (round < ROUNDS - 1)
			give_buffer(mm, found);
	}
	reference(points, centers, want, n);
	return compare_ints(found, want, n);
}
