// C = A * B for square matrices of order n, in row-major order.
//
// Each block computes a 16x16 tile of C: it walks along a row of tiles of A
// and a column of tiles of B, holding one of each in shared memory, so that an
// element is read from global memory once for 16 uses.

#define TILE 16

__global__ void matmul(const float *A, const float *B, float *C, int n)
{
	__shared__ float a[TILE][TILE];
	__shared__ float b[TILE][TILE];
	int row = blockIdx.y * TILE + threadIdx.y;
	int column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += TILE) {
		int ka = k + threadIdx.x, kb = k + threadIdx.y;

		a[threadIdx.y][threadIdx.x] =
			row < n && ka < n ? A[row * n + ka] : 0;
		b[threadIdx.y][threadIdx.x] =
			kb < n && column < n ? B[kb * n + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += a[threadIdx.y][i] * b[i][threadIdx.x];
		__syncthreads();
	}
	if (row < n && column < n)
		C[row * n + column] = sum;
}
