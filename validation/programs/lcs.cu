/*
 * Longest common subsequence of two strings: one launch for each antidiagonal of
 * blocks of 64 x 64 cells, inside of which a block walks over its own
 * antidiagonals in shared memory.
 *
 * SIZE: length of the longer pair of strings, a multiple of 64.
 */
#include "common.h"

#define TILE 64

static struct workload self = { "lcs", "length", 512, 64, 16384 };

/* table has a row and a column of zeros first. */
__global__ void tiles(int n, const char *a, const char *b, int *table,
		      int diagonal, int first)
{
	__shared__ int s[TILE + 1][TILE + 1];
	int t = threadIdx.x, ty = first + blockIdx.x, tx = diagonal - ty;
	int pitch = n + 1;
	int *corner = table + ty * TILE * pitch + tx * TILE;

	s[0][t + 1] = corner[t + 1];
	s[t + 1][0] = corner[(t + 1) * pitch];
	if (t == 0)
		s[0][0] = corner[0];
	char mine = a[ty * TILE + t];
	__syncthreads();
	for (int d = 0; d < 2 * TILE - 1; d++) {
		int x = d - t;

		if (x >= 0 && x < TILE)
			s[t + 1][x + 1] = mine == b[tx * TILE + x] ?
						  s[t][x] + 1 :
						  max(s[t][x + 1], s[t + 1][x]);
		__syncthreads();
	}
	for (int y = 1; y <= TILE; y++)
		corner[y * pitch + t + 1] = s[y][t + 1];
}

static void compare(int n)
{
	array<char> a(n), b(n);
	array<int> table((size_t)(n + 1) * (n + 1)), want(table.n);
	int side = n / TILE;

	random_ints(a, 4, n);
	random_ints(b, 4, n + 1);
	a.upload();
	b.upload();
	table.fill(0);
	for (int d = 0; d < 2 * side - 1; d++) {
		int first = d < side ? 0 : d - side + 1;
		int last = d < side ? d : side - 1;

		tiles<<<last - first + 1, TILE>>>(n, a.device, b.device,
						  table.device, d, first);
	}
	CHECK_LAUNCH();
	for (int y = 1; y <= n; y++)
		for (int x = 1; x <= n; x++) {
			int *w = want.host + y * (n + 1) + x;
			int up = w[-n - 1], left = w[-1];

			*w = a[y - 1] == b[x - 1] ? w[-n - 2] + 1 :
						    (up > left ? up : left);
		}
	table.download();
	check_exact(&self, table.host, want.host, table.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % TILE)
		bad_size(&self, "a multiple of 64");
	compare(TILE);
	compare(n);
	return report(&self);
}
