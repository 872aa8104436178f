/*
 * Dense linear algebra as textbooks begin it: products of matrices and vectors
 * with one thread for each element of the result and no shared memory, A x and
 * A^T x, a rank-one update, A A^T, and two products in a row.
 *
 * SIZE: rows and columns of the vectors' matrix; products have a quarter.
 */
#include "common.h"

static struct workload self = { "matrix_chain", "rows and columns", 1024, 64,
				4096 };

__global__ void multiply(int n, const float *a, const float *b, float *c)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (x >= n || y >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += a[y * n + k] * b[k * n + x];
	c[y * n + x] = sum;
}

__global__ void times_own(int n, const float *a, float *c)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (x >= n || y >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += a[y * n + k] * a[x * n + k];
	c[y * n + x] = sum;
}

__global__ void times_vector(int n, const float *a, const float *x, float *y)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (r >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += a[r * n + k] * x[k];
	y[r] = sum;
}

__global__ void transposed_times_vector(int n, const float *a, const float *x,
					float *y)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;

	if (c >= n)
		return;
	for (int k = 0; k < n; k++)
		sum += a[k * n + c] * x[k];
	y[c] = sum;
}

__global__ void update(int n, float *a, const float *u, const float *v)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < n && y < n)
		a[y * n + x] += u[y] * v[x];
}

static void vectors(int n)
{
	array<float> a((size_t)n * n), x(n), y(n), z(n), want(n), want_z(n);

	random_exact(a, n);
	random_exact(x, 1);
	a.upload();
	x.upload();
	times_vector<<<blocks_of(n, 256), 256>>>(n, a.device, x.device,
						 y.device);
	transposed_times_vector<<<blocks_of(n, 256), 256>>>(n, a.device,
							    x.device, z.device);
	update<<<dim3(blocks_of(n, 32), blocks_of(n, 8)), dim3(32, 8)>>>(
		n, a.device, x.device, x.device);
	CHECK_LAUNCH();
	for (int r = 0; r < n; r++)
		for (int c = 0; c < n; c++) {
			want[r] += a[r * n + c] * x[c];
			want_z[c] += a[r * n + c] * x[r];
			a[r * n + c] += x[r] * x[c];
		}
	y.download();
	z.download();
	check_exact(&self, y.host, want.host, n, "A x");
	check_exact(&self, z.host, want_z.host, n, "transposed");
	float *updated = host_alloc<float>(a.n);
	from_device(updated, a.device, a.n);
	check_exact(&self, updated, a.host, a.n, "update");
	free(updated);
}

/* Exact where sums are; the second product of a chain is rounded. */
static void products(int n)
{
	array<float> a(n * n), b(n * n), c(n * n), d(n * n), want(n * n);
	array<float> want_d(n * n);
	dim3 blocks(blocks_of(n, 16), blocks_of(n, 16)), threads(16, 16);

	random_exact(a, n);
	random_exact(b, n + 1);
	a.upload();
	b.upload();
	multiply<<<blocks, threads>>>(n, a.device, b.device, c.device);
	multiply<<<blocks, threads>>>(n, c.device, b.device, d.device);
	CHECK_LAUNCH();
	c.download();
	d.download();
	for (int y = 0; y < n; y++)
		for (int k = 0; k < n; k++)
			for (int x = 0; x < n; x++)
				want[y * n + x] += a[y * n + k] * b[k * n + x];
	check_exact(&self, c.host, want.host, c.n, "product");
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += (double)c[y * n + k] * b[k * n + x];
			want_d[y * n + x] = sum;
		}
	check_close(&self, d.host, want_d.host, d.n, 1e-4, 1e-2, "chain");
	times_own<<<blocks, threads>>>(n, a.device, c.device);
	CHECK_LAUNCH();
	c.download();
	for (int i = 0; i < n * n; i++) {
		want[i] = 0;
		for (int k = 0; k < n; k++)
			want[i] += a[i / n * n + k] * a[i % n * n + k];
	}
	check_exact(&self, c.host, want.host, c.n, "A A^T");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	vectors(n / 8);
	vectors(n);
	products(n / 16);
	products(n / 4);
	return report(&self);
}
