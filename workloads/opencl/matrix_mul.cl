#define TILE 16

kernel void matrix_mul(global const float *a, global const float *b,
		       global float *c, int n)
{
	local float ta[TILE][TILE], tb[TILE][TILE];
	int x = get_local_id(0), y = get_local_id(1);
	int column = get_global_id(0), row = get_global_id(1);
	float sum = 0;

	for (int t = 0; t < n; t += TILE) {
		ta[y][x] = a[row * n + t + x];
		tb[y][x] = b[(t + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
