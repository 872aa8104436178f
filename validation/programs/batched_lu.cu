/*
 * LU decomposition with partial pivoting of many small matrices: a thread for
 * each 6 x 6 matrix, all in local arrays and interleaved in memory, and a block
 * for each 32 x 32 matrix in shared memory.
 *
 * SIZE: matrices of the largest launch. Checked by the products P A = L U.
 */
#include "common.h"

#define SMALL 6
#define LARGE 32

static struct workload self = { "batched_lu", "matrices", 16384, 256, 1 << 18 };

/* Element e of matrix i is at [e * count + i]. */
__global__ void lu_thread(int count, float *a, int *pivot)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float m[SMALL][SMALL];

	if (i >= count)
		return;
	for (int e = 0; e < SMALL * SMALL; e++)
		m[e / SMALL][e % SMALL] = a[e * count + i];
	for (int k = 0; k < SMALL; k++) {
		int p = k;

		for (int r = k + 1; r < SMALL; r++)
			if (fabsf(m[r][k]) > fabsf(m[p][k]))
				p = r;
		pivot[k * count + i] = p;
		for (int c = 0; c < SMALL; c++) {
			float other = m[k][c];

			m[k][c] = m[p][c];
			m[p][c] = other;
		}
		for (int r = k + 1; r < SMALL; r++) {
			float factor = m[r][k] / m[k][k];

			m[r][k] = factor;
			for (int c = k + 1; c < SMALL; c++)
				m[r][c] -= factor * m[k][c];
		}
	}
	for (int e = 0; e < SMALL * SMALL; e++)
		a[e * count + i] = m[e / SMALL][e % SMALL];
}

/* A warp for each row of its matrix while loading; then thread (x, y). */
__global__ void lu_block(float *a, int *pivot)
{
	__shared__ float m[LARGE][LARGE + 1];
	__shared__ int best;
	int x = threadIdx.x, y = threadIdx.y;
	float *own = a + blockIdx.x * LARGE * LARGE;

	for (int r = y; r < LARGE; r += blockDim.y)
		m[r][x] = own[r * LARGE + x];
	__syncthreads();
	for (int k = 0; k < LARGE; k++) {
		if (y == 0) {
			float v = x >= k ? fabsf(m[x][k]) : -1;
			int at = x;

			for (int d = WARP / 2; d > 0; d /= 2) {
				float w = __shfl_down_sync(ALL, v, d);
				int wat = __shfl_down_sync(ALL, at, d);

				if (w > v || (w == v && wat < at)) {
					v = w;
					at = wat;
				}
			}
			if (x == 0) {
				best = at;
				pivot[blockIdx.x * LARGE + k] = at;
			}
		}
		__syncthreads();
		if (y == 0 && best != k) {
			float other = m[k][x];

			m[k][x] = m[best][x];
			m[best][x] = other;
		}
		__syncthreads();
		if (y == 0 && x > k)
			m[x][k] /= m[k][k];
		__syncthreads();
		for (int r = k + 1 + y; r < LARGE; r += blockDim.y)
			if (x > k)
				m[r][x] -= m[r][k] * m[k][x];
		__syncthreads();
	}
	for (int r = y; r < LARGE; r += blockDim.y)
		own[r * LARGE + x] = m[r][x];
}

/* Element (r, c) of L U, with row swaps undone by the caller. */
static double product(const float *m, int n, int r, int c)
{
	double sum = 0;

	for (int k = 0; k <= r && k <= c; k++)
		sum += (k == r ? 1.0 : m[r * n + k]) * m[k * n + c];
	return sum;
}

static void check(const float *lu, const int *pivot, const float *before, int n)
{
	float got[LARGE * LARGE];

	for (int i = 0; i < n * n; i++)
		got[i] = product(lu, n, i / n, i % n);
	for (int k = n - 1; k >= 0; k--)
		for (int c = 0; c < n; c++) {
			float other = got[k * n + c];

			got[k * n + c] = got[pivot[k] * n + c];
			got[pivot[k] * n + c] = other;
		}
	check_close(&self, got, before, n * n, 0, 1e-4);
}

static void run_threads(int count)
{
	const int size = SMALL * SMALL;
	array<float> a(count * size);
	array<int> pivot(count * SMALL);
	float *before = host_alloc<float>(a.n);

	random_floats(a, -1, 1, count);
	memcpy(before, a.host, a.n * sizeof(float));
	a.upload();
	lu_thread<<<blocks_of(count, 64), 64>>>(count, a.device, pivot.device);
	CHECK_LAUNCH();
	a.download();
	pivot.download();
	for (int i = 0; i < count; i++) {
		float lu[size], original[size];
		int p[SMALL];

		for (int e = 0; e < size; e++) {
			lu[e] = a[e * count + i];
			original[e] = before[e * count + i];
		}
		for (int k = 0; k < SMALL; k++)
			p[k] = pivot[k * count + i];
		/* A tiny pivot would make large factors and errors. */
		bool tame = true;
		for (int k = 0; k < SMALL; k++)
			tame = tame && fabsf(lu[k * SMALL + k]) > 1e-3f;
		if (tame)
			check(lu, p, original, SMALL);
	}
	free(before);
}

static void run_blocks(int count)
{
	array<float> a(count * LARGE * LARGE);
	array<int> pivot(count * LARGE);
	float *before = host_alloc<float>(a.n);

	random_floats(a, -1, 1, count);
	memcpy(before, a.host, a.n * sizeof(float));
	a.upload();
	lu_block<<<count, dim3(LARGE, 4)>>>(a.device, pivot.device);
	CHECK_LAUNCH();
	a.download();
	pivot.download();
	for (int i = 0; i < count; i++)
		check(&a[i * LARGE * LARGE], &pivot[i * LARGE],
		      before + i * LARGE * LARGE, LARGE);
	free(before);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run_threads(n / 64);
	run_threads(n);
	run_blocks(1);
	run_blocks(n / 128);
	return report(&self);
}
