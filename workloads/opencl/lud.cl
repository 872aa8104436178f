/* Column k of L, and with it the rest of the matrix, one step of elimination. */
kernel void column(global float *a, int n, int k)
{
	int row = k + 1 + get_global_id(0);

	if (row < n)
		a[row * n + k] /= a[k * n + k];
}

kernel void eliminate(global float *a, int n, int k)
{
	int x = k + 1 + get_global_id(0), y = k + 1 + get_global_id(1);

	if (x < n && y < n)
		a[y * n + x] -= a[y * n + k] * a[k * n + x];
}
