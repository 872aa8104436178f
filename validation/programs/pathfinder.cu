/*
 * The cheapest path through a grid, row by row: each step goes to one of three
 * cells below. A block of 256 threads makes several rows at once in shared memory;
 * the part of it that is valid shrinks from both ends (Rodinia's pathfinder).
 *
 * SIZE: columns of the widest grid.
 */
#include "common.h"

#define BLOCK 256
#define ROWS 41
#define AT_ONCE 20

static struct workload self = { "pathfinder", "columns", 100000, 256, 1 << 22 };

__global__ void walk(int rows, int columns, const int *wall, const int *from,
		     int *to)
{
	__shared__ int before[BLOCK], after[BLOCK];
	int t = threadIdx.x, small = BLOCK - 2 * rows;
	int x = (int)blockIdx.x * small - rows + t;
	bool inside = x >= 0 && x < columns, valid = false;
	int west = x > 0 ? t - 1 : t, east = x < columns - 1 ? t + 1 : t;

	if (inside)
		before[t] = from[x];
	__syncthreads();
	for (int r = 0; r < rows; r++) {
		valid = false;
		if (t > r && t < BLOCK - 1 - r && inside) {
			valid = true;
			after[t] =
				wall[r * columns + x] +
				min(before[t], min(before[west], before[east]));
		}
		__syncthreads();
		if (r == rows - 1)
			break;
		if (valid)
			before[t] = after[t];
		__syncthreads();
	}
	if (valid && t >= rows && t < BLOCK - rows)
		to[x] = after[t];
}

static void find(int columns)
{
	array<int> wall((size_t)ROWS * columns), a(columns), b(columns);

	random_ints(wall, 10, columns);
	wall.upload();
	memcpy(a.host, wall.host, columns * sizeof(int));
	a.upload();
	int *from = a.device, *to = b.device;
	for (int r = 1; r < ROWS; r += AT_ONCE) {
		int rows = ROWS - r < AT_ONCE ? ROWS - r : AT_ONCE;

		walk<<<blocks_of(columns, BLOCK - 2 * rows), BLOCK>>>(
			rows, columns, wall.device + r * columns, from, to);
		CHECK_LAUNCH();
		int *other = from;
		from = to;
		to = other;
	}
	int *now = a.host, *next = b.host;
	for (int r = 1; r < ROWS; r++) {
		for (int x = 0; x < columns; x++) {
			int best = now[x];

			if (x > 0 && now[x - 1] < best)
				best = now[x - 1];
			if (x < columns - 1 && now[x + 1] < best)
				best = now[x + 1];
			next[x] = best + wall[r * columns + x];
		}
		int *other = now;
		now = next;
		next = other;
	}
	from_device(next, from, columns);
	check_exact(&self, next, now, columns);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	find(n / 200 + 1);
	find(n / 10);
	find(n);
	return report(&self);
}
