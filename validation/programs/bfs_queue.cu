/*
 * Breadth-first search with a queue: each launch takes the nodes of one level
 * and appends their new neighbours to the queue of the next, at places from
 * atomic counters, one for each node, then one for each warp.
 *
 * SIZE: nodes. The order in the queue varies, levels do not.
 */
#include "common.h"

#define THREADS 128
#define DEGREE 6

static struct workload self = { "bfs_queue", "nodes", 16384, 64, 1 << 20 };

__global__ void expand(int count, const int *queue, const int *neighbour,
		       int *level, int depth, int *next, int *next_count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= count)
		return;
	const int *edge = neighbour + queue[i] * DEGREE;
	for (int e = 0; e < DEGREE; e++) {
		int node = edge[e];

		if (level[node] < 0 && atomicCAS(&level[node], -1, depth) < 0)
			next[atomicAdd(next_count, 1)] = node;
	}
}

/* A warp looks at its edges together and takes places for all of them. */
__global__ void expand_warp(int count, const int *queue, const int *neighbour,
			    int *level, int depth, int *next, int *next_count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x,
	    lane = threadIdx.x % WARP;
	const int *edge = neighbour + (i < count ? queue[i] * DEGREE : 0);

	for (int e = 0; e < DEGREE; e++) {
		int node = edge[e];
		bool found = i < count && level[node] < 0 &&
			     atomicCAS(&level[node], -1, depth) < 0;
		unsigned finders = __ballot_sync(ALL, found);
		int place = 0;

		if (lane == 0 && finders)
			place = atomicAdd(next_count, __popc(finders));
		place = __shfl_sync(ALL, place, 0);
		if (found)
			next[place + __popc(finders & ((1u << lane) - 1))] =
				node;
	}
}

static void expected(int n, const int *neighbour, int *level, int *queue)
{
	int head = 0, tail = 1;

	for (int i = 0; i < n; i++)
		level[i] = i ? -1 : 0;
	queue[0] = 0;
	while (head < tail) {
		int node = queue[head++];

		for (int e = 0; e < DEGREE; e++) {
			int to = neighbour[node * DEGREE + e];

			if (level[to] < 0) {
				level[to] = level[node] + 1;
				queue[tail++] = to;
			}
		}
	}
}

static void search(int n, bool warps, uint64_t seed)
{
	array<int> neighbour(n * DEGREE), level(n), want(n);
	array<int> queue(n), next(n), counter(1);
	int *from = queue.device, *to = next.device;

	random_ints(neighbour, n, seed);
	neighbour.upload();
	level.fill(-1);
	int zero = 0, count = 1;
	to_device(level.device, &zero, 1);
	to_device(from, &zero, 1);
	for (int depth = 1; count > 0; depth++) {
		int blocks = blocks_of(count, THREADS);

		counter.fill(0);
		if (warps)
			expand_warp<<<blocks, THREADS>>>(count, from,
							 neighbour.device,
							 level.device, depth,
							 to, counter.device);
		else
			expand<<<blocks, THREADS>>>(count, from,
						    neighbour.device,
						    level.device, depth, to,
						    counter.device);
		CHECK_LAUNCH();
		from_device(&count, counter.device, 1);
		int *other = from;
		from = to;
		to = other;
	}
	expected(n, neighbour.host, want.host, queue.host);
	level.download();
	check_exact(&self, level.host, want.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	search(n / 8, false, 1);
	search(n, false, 2);
	search(n, true, 3);
	return report(&self);
}
