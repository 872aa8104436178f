/*
 * Breadth-first search that changes its direction: while few nodes are reached,
 * they push to their neighbours; then nodes that are not reached pull from theirs,
 * with the frontier as bits. The host decides from a count in mapped memory. Also
 * the k-core: nodes with few neighbours are peeled off round by round.
 *
 * SIZE: nodes of the graph; a few have many neighbours.
 */
#include "common.h"

#include <algorithm>
#include <vector>

#define THREADS 128

static struct workload self = { "bfs_direction", "nodes", 20000, 256, 1 << 20 };

struct graph {
	int nodes;
	const int *first, *next;
};

__global__ void push(struct graph g, const unsigned *front, unsigned *reached,
		     int *level, int depth, volatile int *count)
{
	int node = (blockIdx.x * THREADS + threadIdx.x) / 8,
	    sub = threadIdx.x % 8;

	if (node >= g.nodes || !(front[node / 32] >> node % 32 & 1))
		return;
	for (int e = g.first[node] + sub; e < g.first[node + 1]; e += 8) {
		int to = g.next[e];

		if (level[to] < 0 && atomicCAS(&level[to], -1, depth) == -1) {
			atomicOr(&reached[to / 32], 1u << to % 32);
			atomicAdd((int *)count, 1);
		}
	}
}

__global__ void pull(struct graph g, const unsigned *front, unsigned *reached,
		     int *level, int depth, volatile int *count)
{
	int node = blockIdx.x * THREADS + threadIdx.x;
	bool found = false;

	if (node < g.nodes && level[node] < 0)
		for (int e = g.first[node]; e < g.first[node + 1]; e++) {
			int from = g.next[e];

			if (front[from / 32] >> from % 32 & 1) {
				found = true;
				break;
			}
		}
	if (found)
		level[node] = depth;
	unsigned bits = __ballot_sync(ALL, found);
	if (threadIdx.x % WARP == 0 && node < g.nodes) {
		reached[node / 32] = bits;
		if (bits)
			atomicAdd((int *)count, __popc(bits));
	}
}

/* core[node] < 0: still there. The nodes that go are marked first, so that rounds
 * do not depend on the order of threads. */
__global__ void mark(int nodes, int k, const int *degree, int *core, int round,
		     int *gone, int *changed)
{
	int node = blockIdx.x * THREADS + threadIdx.x;
	bool goes = node < nodes && core[node] < 0 && degree[node] < k;

	if (goes) {
		core[node] = k - 1;
		gone[node] = round;
	}
	if (__syncthreads_or(goes) && threadIdx.x == 0)
		*changed = 1;
}

__global__ void peel(struct graph g, int round, const int *gone, int *degree)
{
	int node = blockIdx.x * THREADS + threadIdx.x;

	if (node < g.nodes && gone[node] == round)
		for (int e = g.first[node]; e < g.first[node + 1]; e++)
			atomicSub(&degree[g.next[e]], 1);
}

struct host_graph {
	std::vector<std::vector<int>> of;
	std::vector<int> first, next;

	explicit host_graph(int n) : of(n), first(n + 1)
	{
		uint64_t seed = n;

		for (int i = 0; i < n * 5; i++) { /* low numbers are popular */
			double u = random_float(&seed);
			int a = random_below(&seed, n),
			    b = (int)(n * u * u * u);

			if (a == b)
				continue;
			of[a].push_back(b);
			of[b].push_back(a);
		}
		for (int i = 0; i < n; i++) {
			next.insert(next.end(), of[i].begin(), of[i].end());
			first[i + 1] = next.size();
		}
	}
};

static void search(const struct host_graph &h, const struct graph &g, int start)
{
	int n = g.nodes, words = (n + 31) / 32;
	array<unsigned> a(words), b(words);
	array<int> level(n), want(n);
	std::vector<int> queue(1, start);
	int *count, *seen;

	CHECK(cudaHostAlloc((void **)&count, sizeof(int), cudaHostAllocMapped));
	CHECK(cudaHostGetDevicePointer((void **)&seen, count, 0));
	for (int i = 0; i < n; i++)
		level[i] = want[i] = -1;
	level[start] = want[start] = 0;
	a[start / 32] = 1u << start % 32;
	level.upload();
	a.upload();
	unsigned *front = a.device, *reached = b.device;
	*count = 1;
	for (int depth = 1; *count; depth++) {
		bool few = *count < n / 20;

		*count = 0;
		CHECK(cudaMemset(reached, 0, words * sizeof(unsigned)));
		if (few)
			push<<<blocks_of(n * 8, THREADS), THREADS>>>(
				g, front, reached, level.device, depth, seen);
		else
			pull<<<blocks_of(n, THREADS), THREADS>>>(
				g, front, reached, level.device, depth, seen);
		CHECK_LAUNCH();
		CHECK(cudaDeviceSynchronize());
		std::swap(front, reached);
	}
	level.download();
	for (size_t i = 0; i < queue.size(); i++)
		for (int to : h.of[queue[i]])
			if (want[to] < 0) {
				want[to] = want[queue[i]] + 1;
				queue.push_back(to);
			}
	check_exact(&self, level.host, want.host, n, "levels");
	CHECK(cudaFreeHost(count));
}

static void cores(const struct host_graph &h, const struct graph &g, int most)
{
	int n = g.nodes;
	array<int> degree(n), core(n), want(n), gone(n), changed(1);
	std::vector<int> left(n);

	for (int i = 0; i < n; i++)
		left[i] = degree[i] = h.of[i].size();
	degree.upload();
	core.fill(0xff);
	gone.fill(0);
	for (int k = 4, round = 1; k <= most; k += 4)
		do {
			changed.fill(0);
			mark<<<blocks_of(n, THREADS), THREADS>>>(
				n, k, degree.device, core.device, round,
				gone.device, changed.device);
			peel<<<blocks_of(n, THREADS), THREADS>>>(
				g, round++, gone.device, degree.device);
			CHECK_LAUNCH();
			changed.download();
		} while (changed[0]);
	core.download();
	for (int i = 0; i < n; i++)
		want[i] = -1;
	for (int k = 4; k <= most; k += 4)
		for (bool again = true; again;) {
			again = false;
			for (int i = 0; i < n; i++) {
				if (want[i] >= 0 || left[i] >= k)
					continue;
				want[i] = k - 1;
				again = true;
				for (int to : h.of[i])
					left[to]--;
			}
		}
	check_exact(&self, core.host, want.host, n, "cores");
}

static void run(int n)
{
	struct host_graph h(n);
	array<int> first(n + 1), next(h.next.size());
	struct graph g = { n, first.device, next.device };

	std::copy(h.first.begin(), h.first.end(), first.host);
	std::copy(h.next.begin(), h.next.end(), next.host);
	first.upload();
	next.upload();
	search(h, g, n / 2);
	cores(h, g, 8);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 16);
	run(n);
	return report(&self);
}
