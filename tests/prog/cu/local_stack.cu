/* Solutions of the queens problem by first two rows: a search with explicit
 * stacks in local memory. */
extern "C" __global__ void local_stack(int n, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int column[12], count = 0, row = 2;
	unsigned char next[12];

	if (i >= n * n)
		return;
	column[0] = i / n;
	column[1] = i % n;
	if (abs(column[0] - column[1]) <= 1) {
		out[i] = 0;
		return;
	}
	next[row] = 0;
	while (row >= 2) {
		if (row == n) {
			count++;
			row--;
			continue;
		}
		int c = next[row]++;
		if (c >= n) {
			row--;
			continue;
		}
		bool safe = true;
		for (int r = 0; r < row && safe; r++)
			safe = column[r] != c && abs(column[r] - c) != row - r;
		if (!safe)
			continue;
		column[row++] = c;
		next[row] = 0;
	}
	out[i] = count;
}
