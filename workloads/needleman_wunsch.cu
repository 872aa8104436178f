/*
 * The global alignment of two sequences, after Needleman and Wunsch: a table
 * of best scores in which each cell needs its neighbours above, to the left
 * and above left. Tiles on one diagonal of the table are independent: a launch
 * for each diagonal of tiles, a block (of one warp) for each tile, and inside
 * the tile a wavefront over its own diagonals.
 *
 * SIZE: length of both sequences, any.
 * Check: the whole table filled row by row on the CPU, exactly.
 */
#include "common.h"

#define TILE 32
#define LETTERS 20
#define GAP 8

static struct workload self = { "needleman_wunsch", "length of the sequences",
				512, 1, 16384 };

__constant__ int likeness[LETTERS * LETTERS];

/*
 * Fills the tiles of one diagonal. score has n + 1 rows and columns, its row 0
 * and column 0 are given. Tiles have row first_row - blockIdx.x and column
 * first_column + blockIdx.x.
 */
__global__ void align(const char *a, const char *b, int *score, int n,
		      int first_row, int first_column)
{
	__shared__ int s[TILE + 1][TILE + 1];
	int t = threadIdx.x;
	int top = (first_row - (int)blockIdx.x) * TILE;
	int left = (first_column + (int)blockIdx.x) * TILE;
	size_t pitch = n + 1;
	int rows = n - top < TILE ? n - top : TILE;
	int columns = n - left < TILE ? n - left : TILE;

	if (t == 0)
		s[0][0] = score[top * pitch + left];
	if (t < columns)
		s[0][t + 1] = score[top * pitch + left + t + 1];
	if (t < rows)
		s[t + 1][0] = score[(top + t + 1) * pitch + left];

	/* Thread t has column t + 1; in wave w it is at row w - t + 1. */
	int letter = t < columns ? b[left + t] : 0;

	for (int w = 0; w < 2 * TILE - 1; w++) {
		int i = w - t + 1, j = t + 1;

		__syncthreads();
		if (i < 1 || i > rows || j > columns)
			continue;
		int match = s[i - 1][j - 1] +
			    likeness[a[top + i - 1] * LETTERS + letter];
		int gap = max(s[i - 1][j], s[i][j - 1]) - GAP;

		s[i][j] = max(match, gap);
	}
	__syncthreads();
	if (t < columns)
		for (int i = 1; i <= rows; i++)
			score[(top + i) * pitch + left + t + 1] = s[i][t + 1];
}

static void fill(const char *a, const char *b, int *score, int n)
{
	int tiles = blocks_of(n, TILE);

	for (int d = 0; d < 2 * tiles - 1; d++) {
		int row = d < tiles ? d : tiles - 1, column = d - row;

		align<<<row - column + 1, TILE>>>(a, b, score, n, row, column);
		CHECK_LAUNCH();
	}
}

static void fill_cpu(const char *a, const char *b, const int *like, int *score,
		     int n)
{
	size_t pitch = n + 1;

	for (int i = 1; i <= n; i++) {
		for (int j = 1; j <= n; j++) {
			int *at = score + i * pitch + j;
			int up = at[-(ptrdiff_t)pitch] - GAP;
			int best = at[-1] - GAP;
			int match = at[-(ptrdiff_t)pitch - 1] +
				    like[a[i - 1] * LETTERS + b[j - 1]];

			best = up > best ? up : best;
			*at = match > best ? match : best;
		}
	}
}

/* Equal letters score 4 to 9, others -4 to 3; b is a, a third of it changed. */
static void random_input(char *a, char *b, int *like, int n)
{
	uint64_t seed = 1;

	for (int i = 0; i < LETTERS; i++)
		for (int j = 0; j <= i; j++) {
			int v = i == j ? 4 + (int)random_below(&seed, 6) :
					 (int)random_below(&seed, 8) - 4;

			like[i * LETTERS + j] = like[j * LETTERS + i] = v;
		}
	for (int i = 0; i < n; i++) {
		a[i] = (char)random_below(&seed, LETTERS);
		b[i] = random_below(&seed, 3) ?
			       a[i] :
			       (char)random_below(&seed, LETTERS);
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t cells = (size_t)(n + 1) * (n + 1);
	int like[LETTERS * LETTERS];
	char *a = host_alloc<char>(n), *b = host_alloc<char>(n);
	int *got = host_alloc<int>(cells), *want = host_alloc<int>(cells);

	random_input(a, b, like, n);
	for (int i = 0; i <= n; i++)
		want[i] = want[(size_t)i * (n + 1)] = -i * GAP;
	CHECK(cudaMemcpyToSymbol(likeness, like, sizeof like));
	char *d_a = device_copy(a, n), *d_b = device_copy(b, n);
	int *score = device_copy(want, cells);

	fill(d_a, d_b, score, n);
	from_device(got, score, cells);
	fill_cpu(a, b, like, want, n);
	check_exact(&self, got, want, cells);
	CHECK(cudaFree(d_a));
	CHECK(cudaFree(d_b));
	CHECK(cudaFree(score));
	free(a);
	free(b);
	free(got);
	free(want);
	return report(&self);
}
