/*
 * PageRank of a graph with few popular nodes: every node gathers the ranks of
 * those that link to it (a thread for each node, then a warp for each), after a
 * kernel that divides ranks by the number of links.
 *
 * SIZE: nodes. Compared with the same sums in double precision.
 */
#include "common.h"

#define THREADS 128
#define DEGREE 8
#define DAMPING 0.85f

static struct workload self = { "pagerank", "nodes", 8192, 64, 1 << 20 };

__global__ void share_rank(int n, const float *rank, const int *links,
			   float *share)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		share[i] = rank[i] / links[i];
}

__global__ void gather_thread(int n, const int *start, const int *source,
			      const float *share, float *rank)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float sum = 0;
	for (int e = start[i]; e < start[i + 1]; e++)
		sum += share[source[e]];
	rank[i] = (1 - DAMPING) / n + DAMPING * sum;
}

__global__ void gather_warp(int n, const int *start, const int *source,
			    const float *share, float *rank)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;

	if (i >= n)
		return;
	float sum = 0;
	for (int e = start[i] + lane; e < start[i + 1]; e += WARP)
		sum += share[source[e]];
	for (int d = WARP / 2; d > 0; d /= 2)
		sum += __shfl_xor_sync(ALL, sum, d);
	if (lane == 0)
		rank[i] = (1 - DAMPING) / n + DAMPING * sum;
}

/* Node i has DEGREE links, more of them to nodes with small numbers; `start`
 * and `source` list the links to each node. */
static void make_graph(int n, array<int> &start, array<int> &source)
{
	int *to = host_alloc<int>(source.n), *place = host_alloc<int>(n);
	uint64_t random = 1;

	for (size_t e = 0; e < source.n; e++) {
		float u = random_float(&random);

		to[e] = (int)(u * u * u * n);
		start[to[e] + 1]++;
	}
	for (int i = 0; i < n; i++) {
		start[i + 1] += start[i];
		place[i] = start[i];
	}
	for (size_t e = 0; e < source.n; e++)
		source[place[to[e]]++] = e / DEGREE;
	free(to);
	free(place);
}

static void expected_step(int n, const array<int> &start,
			  const array<int> &source, double *rank, double *next)
{
	for (int i = 0; i < n; i++) {
		double sum = 0;

		for (int e = start[i]; e < start[i + 1]; e++)
			sum += rank[source[e]] / DEGREE;
		next[i] = (1 - (double)DAMPING) / n + DAMPING * sum;
	}
	memcpy(rank, next, n * sizeof(double));
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), steps = 6;
	array<int> start(n + 1), source(n * DEGREE), links(n);
	array<float> rank(n), share(n), want(n);
	double *exact = host_alloc<double>(n), *next = host_alloc<double>(n);

	make_graph(n, start, source);
	for (int i = 0; i < n; i++) {
		links[i] = DEGREE;
		rank[i] = exact[i] = 1.0f / n;
	}
	start.upload();
	source.upload();
	links.upload();
	rank.upload();
	for (int s = 0; s < steps; s++) {
		share_rank<<<blocks_of(n, THREADS), THREADS>>>(
			n, rank.device, links.device, share.device);
		if (s % 2)
			gather_warp<<<blocks_of(n, THREADS / WARP), THREADS>>>(
				n, start.device, source.device, share.device,
				rank.device);
		else
			gather_thread<<<blocks_of(n, THREADS), THREADS>>>(
				n, start.device, source.device, share.device,
				rank.device);
		CHECK_LAUNCH();
		expected_step(n, start, source, exact, next);
	}
	rank.download();
	for (int i = 0; i < n; i++)
		want[i] = (float)exact[i];
	check_close(&self, rank.host, want.host, n, 1e-4);
	free(exact);
	free(next);
	return report(&self);
}
