/* Needleman-Wunsch: the alignment of two sequences, in tiles along diagonals. */
#include "common.h"

enum { TILE = 16, PENALTY = 10 };

int main(int argc, char **argv)
{
	int n = read_choices(argc, argv, "needleman_wunsch", 64, 16, 2048, 16);
	int width = n + 1, tiles = n / TILE;
	size_t count = (size_t)width * width;
	int *similar = allocate(count * 4), *score = allocate(count * 4);
	int *to = allocate(count * 4), *want;
	const int *got;
	cl_mem mm, ms;
	cl_kernel k;

	for (size_t i = 0; i < count; i++)
		similar[i] = (int)(random_bits() % 21) - 8;
	for (int i = 0; i < width; i++)
		score[i] = score[i * width] = -i * PENALTY;
	want = keep(score, count * 4);
	open_device("");
	mm = buffer(count * 4, similar);
	ms = buffer(count * 4, score);
	k = find_kernel("align");
	for (int d = 0; d < 2 * tiles - 1; d++) {
		int x = d < tiles ? 0 : d - tiles + 1;
		int y = d < tiles ? d : tiles - 1;
		int groups = y - x + 1;

		set_args(k, "mmiiii", mm, ms, width, PENALTY, x, y);
		run_1d(k, (size_t)groups * TILE, TILE);
	}
	got = results(ms, count * 4, to);
	(void)inputs(mm, count * 4, similar);
	for (int y = 1; y < width; y++)
		for (int x = 1; x < width; x++) {
			int *s = want + y * width + x;
			int gap = s[-1] > s[-width] ? s[-1] : s[-width];
			int match = s[-width - 1] + similar[y * width + x];

			*s = match > gap - PENALTY ? match : gap - PENALTY;
		}
	return compare_ints(got, want, count);
}
