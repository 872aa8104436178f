/*
 * Connected regions of a picture by union and find: every pixel of the foreground
 * points to a neighbour, trees are hooked together with compare and swap, paths
 * are halved on the way, a last pass flattens them; then the area, the bounds and
 * the holes of regions by atomics.
 *
 * SIZE: rows and columns of the larger picture.
 */
#include "common.h"

#include <vector>

static struct workload self = { "label_image", "rows", 300, 16, 4096 };

__device__ static int root_of(int *parent, int i)
{
	int up = parent[i];

	while (up != i) {
		int next = parent[up];

		parent[i] = next;
		i = up;
		up = next;
	}
	return i;
}

__global__ void begin(int n, int columns, const unsigned char *image,
		      int *parent)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	if (!image[i])
		parent[i] = -1;
	else if (i % columns && image[i - 1])
		parent[i] = i - 1;
	else if (i >= columns && image[i - columns])
		parent[i] = i - columns;
	else
		parent[i] = i;
}

__device__ static void join(int *parent, int a, int b)
{
	a = root_of(parent, a);
	b = root_of(parent, b);
	while (a != b) {
		int high = max(a, b), low = min(a, b);
		int old = atomicCAS(&parent[high], high, low);

		if (old == high)
			break;
		a = root_of(parent, old);
		b = low;
	}
}

__global__ void hook(int n, int columns, const unsigned char *image,
		     int *parent)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || !image[i])
		return;
	if (i >= columns && image[i - columns])
		join(parent, i, i - columns);
	if (i >= columns && i % columns && image[i - columns - 1])
		join(parent, i, i - columns - 1);
	if (i >= columns && i % columns < columns - 1 && image[i - columns + 1])
		join(parent, i, i - columns + 1);
}

__global__ void flatten(int n, int *parent)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n || parent[i] < 0)
		return;
	int root = parent[i];
	while (parent[root] != root)
		root = parent[root];
	parent[i] = root;
}

struct region {
	int area, left, right, bottom;
};

__global__ void measure(int n, int columns, const int *parent,
			struct region *regions)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int root = i < n ? parent[i] : -1;

	if (root < 0)
		return;
	/* Lanes of the same region add up first. */
	unsigned same = __match_any_sync(__activemask(), root);
	int x = i % columns;
	int low = __reduce_min_sync(same, x), high = __reduce_max_sync(same, x);
	int last = __reduce_max_sync(same, i / columns);
	if ((int)threadIdx.x % WARP != __ffs(same) - 1)
		return;
	atomicAdd(&regions[root].area, __popc(same));
	atomicMax(&regions[root].left, columns - low);
	atomicMax(&regions[root].right, high);
	atomicMax(&regions[root].bottom, last);
}

static int find(std::vector<int> &p, int i)
{
	while (p[i] != i)
		i = p[i] = p[p[i]];
	return i;
}

static void run(int rows, int columns, int percent)
{
	int n = rows * columns, threads = 192, blocks = blocks_of(n, threads);
	array<unsigned char> image(n);
	array<int> parent(n), want(n);
	array<struct region> regions(n), areas(n);
	std::vector<int> up(n);
	uint64_t seed = n + percent;

	for (int i = 0; i < n; i++)
		image[i] = (int)random_below(&seed, 100) < percent;
	image.upload();
	regions.fill(0);
	begin<<<blocks, threads>>>(n, columns, image.device, parent.device);
	hook<<<blocks, threads>>>(n, columns, image.device, parent.device);
	flatten<<<blocks, threads>>>(n, parent.device);
	measure<<<blocks, threads>>>(n, columns, parent.device, regions.device);
	CHECK_LAUNCH();
	parent.download();
	regions.download();
	for (int i = 0; i < n; i++)
		up[i] = i;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 4 && image[i]; k++) {
			const int dx[] = { -1, -1, 0, 1 },
				  dy[] = { 0, -1, -1, -1 };
			int x = i % columns + dx[k], y = i / columns + dy[k];

			if (x < 0 || x >= columns || y < 0 ||
			    !image[y * columns + x])
				continue;
			int a = find(up, i), b = find(up, y * columns + x);
			up[a > b ? a : b] = a > b ? b : a;
		}
	for (int i = 0; i < n; i++) {
		want[i] = image[i] ? find(up, i) : -1;
		if (want[i] < 0)
			continue;
		struct region *r = &areas[want[i]];
		int x = i % columns;
		r->area++;
		r->left = r->left > columns - x ? r->left : columns - x;
		r->right = r->right > x ? r->right : x;
		r->bottom = i / columns;
	}
	check_exact(&self, parent.host, want.host, n, "labels");
	check_exact(&self, &regions.host->area, &areas.host->area, 4 * n,
		    "regions");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 10, n / 9, 50);
	run(n / 2, n / 3, 30);
	run(n, n, 42);
	run(n, n + 17, 75);
	return report(&self);
}
