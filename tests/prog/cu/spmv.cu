/* Sparse matrix times vector, rows in CSR: one thread per row, and one warp per
 * row. */
extern "C" __global__ void spmv_scalar(const int *first, const int *col,
				       const float *value, const float *x,
				       float *y, int rows)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rows)
		return;
	float sum = 0;
	for (int k = first[r]; k < first[r + 1]; k++)
		sum += value[k] * x[col[k]];
	y[r] = sum;
}

extern "C" __global__ void spmv_warp(const int *first, const int *col,
				     const float *value, const float *x,
				     float *y, int rows)
{
	int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (r >= rows)
		return;
	float sum = 0;
	for (int k = first[r] + lane; k < first[r + 1]; k += 32)
		sum += value[k] * x[col[k]];
	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (lane == 0)
		y[r] = sum;
}
