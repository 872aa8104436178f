#define TILE 16

/* One tile of the matrix of scores, diagonal by diagonal. `from` is the first tile
 * of this diagonal of tiles. */
kernel void align(global const int *similar, global int *score, int width,
		  int penalty, int from_x, int from_y)
{
	local int t[TILE + 1][TILE + 1];
	int i = get_local_id(0), g = get_group_id(0);
	int at = ((from_y - g) * TILE + 1) * width + (from_x + g) * TILE + 1;

	if (i == 0)
		t[0][0] = score[at - width - 1];
	t[0][i + 1] = score[at - width + i];
	t[i + 1][0] = score[at + i * width - 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int d = 0; d < 2 * TILE - 1; d++) {
		int x = i, y = d - i;

		if (y >= 0 && y < TILE) {
			int match = t[y][x] + similar[at + y * width + x];
			int gap = max(t[y][x + 1], t[y + 1][x]) - penalty;

			t[y + 1][x + 1] = max(match, gap);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (int y = 0; y < TILE; y++)
		score[at + y * width + i] = t[y + 1][i + 1];
}
