/*
 * G = (A B) (C D): PolyBench's 3mm. Plain kernels, a thread for each element, in
 * blocks of 32 x 8; the three products are launched one after the other.
 *
 * SIZE: the longest side; the matrices are not square.
 */
#include "common.h"

static struct workload self = { "three_products", "longest side", 160, 16,
				2048 };

__global__ void multiply(int rows, int columns, int inner, const float *a,
			 const float *b, float *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < rows && j < columns) {
		c[i * columns + j] = 0;
		for (int k = 0; k < inner; k++)
			c[i * columns + j] +=
				a[i * inner + k] * b[k * columns + j];
	}
}

static void launch(int rows, int columns, int inner, const array<float> &a,
		   const array<float> &b, array<float> &c)
{
	dim3 threads(32, 8);
	dim3 blocks(blocks_of(columns, 32), blocks_of(rows, 8));

	multiply<<<blocks, threads>>>(rows, columns, inner, a.device, b.device,
				      c.device);
	CHECK_LAUNCH();
}

static void expect(int rows, int columns, int inner, const array<float> &a,
		   const array<float> &b, array<float> &c)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			double sum = 0;

			for (int k = 0; k < inner; k++)
				sum += (double)a[i * inner + k] *
				       b[k * columns + j];
			c[i * columns + j] = (float)sum;
		}
}

static void chain(int n)
{
	int ni = n, nj = n - n / 8, nk = n / 2 + 3, nl = n / 2, nm = n - n / 4;
	array<float> a((size_t)ni * nk), b((size_t)nk * nj);
	array<float> c((size_t)nj * nm), d((size_t)nm * nl);
	array<float> e((size_t)ni * nj), f((size_t)nj * nl);
	array<float> g((size_t)ni * nl), want(g.n), left(e.n), right(f.n);

	random_floats(a, 0, 1, n);
	random_floats(b, 0, 1, n + 1);
	random_floats(c, 0, 1, n + 2);
	random_floats(d, 0, 1, n + 3);
	a.upload();
	b.upload();
	c.upload();
	d.upload();
	launch(ni, nj, nk, a, b, e);
	launch(nj, nl, nm, c, d, f);
	launch(ni, nl, nj, e, f, g);
	expect(ni, nj, nk, a, b, left);
	expect(nj, nl, nm, c, d, right);
	expect(ni, nl, nj, left, right, want);
	g.download();
	check_close(&self, g.host, want.host, g.n, 1e-4);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	chain(n / 3);
	chain(n);
	return report(&self);
}
