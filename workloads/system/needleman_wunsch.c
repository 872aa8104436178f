/* Needleman-Wunsch: the alignment of two sequences, in tiles along diagonals. */
#include "common.h"

enum { TILE = 16, PENALTY = 10 };

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static void align(int *score, const int *similar, int width, int at)
{
	int gap = larger(score[at - 1], score[at - width]) - PENALTY;

	score[at] = larger(score[at - width - 1] + similar[at], gap);
}

static void tile(int *score, const int *similar, int width, int tx, int ty)
{
	for (int y = ty * TILE + 1; y <= (ty + 1) * TILE; y++)
		for (int x = tx * TILE + 1; x <= (tx + 1) * TILE; x++)
			align(score, similar, width, y * width + x);
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "needleman_wunsch", 512, TILE, 4096,
			  TILE);
	int width = n + 1, tiles = n / TILE;
	size_t count = (size_t)width * width;
	int *similar = allocate(count * sizeof(int));
	int *score = allocate(count * sizeof(int));
	int *want = allocate(count * sizeof(int));

	for (size_t i = 0; i < count; i++)
		similar[i] = (int)(random_bits() >> 27) - 12;
	for (int i = 0; i < width; i++) {
		score[i] = score[i * width] = -i * PENALTY;
		want[i] = want[i * width] = -i * PENALTY;
	}
	section_begin();
	for (int d = 0; d < 2 * tiles - 1; d++) {
		int first = d < tiles ? 0 : d - tiles + 1;
		int last = d < tiles ? d : tiles - 1;

#pragma omp parallel for
		for (int x = first; x <= last; x++)
			tile(score, similar, width, x, d - x);
	}
	section_end();
	for (int y = 1; y < width; y++)
		for (int x = 1; x < width; x++)
			align(want, similar, width, y * width + x);
	return compare_ints(score, want, count);
}
