/*
 * Inverses of 4 x 4 matrices by cofactors, one thread for each matrix, which is
 * read as four float4 (an array of structures) or from sixteen arrays (a
 * structure of arrays).
 *
 * SIZE: matrices of the largest launch. Checked by A inverse(A) = 1.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "inverse_4x4", "matrices", 1 << 17, 1024,
				1 << 22 };

__device__ static void invert(const float m[16], float r[16])
{
	float s0 = m[0] * m[5] - m[4] * m[1], s1 = m[0] * m[6] - m[4] * m[2];
	float s2 = m[0] * m[7] - m[4] * m[3], s3 = m[1] * m[6] - m[5] * m[2];
	float s4 = m[1] * m[7] - m[5] * m[3], s5 = m[2] * m[7] - m[6] * m[3];
	float c5 = m[10] * m[15] - m[14] * m[11];
	float c4 = m[9] * m[15] - m[13] * m[11];
	float c3 = m[9] * m[14] - m[13] * m[10];
	float c2 = m[8] * m[15] - m[12] * m[11];
	float c1 = m[8] * m[14] - m[12] * m[10];
	float c0 = m[8] * m[13] - m[12] * m[9];
	float d = 1.0f /
		  (s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0);

	r[0] = (m[5] * c5 - m[6] * c4 + m[7] * c3) * d;
	r[1] = (-m[1] * c5 + m[2] * c4 - m[3] * c3) * d;
	r[2] = (m[13] * s5 - m[14] * s4 + m[15] * s3) * d;
	r[3] = (-m[9] * s5 + m[10] * s4 - m[11] * s3) * d;
	r[4] = (-m[4] * c5 + m[6] * c2 - m[7] * c1) * d;
	r[5] = (m[0] * c5 - m[2] * c2 + m[3] * c1) * d;
	r[6] = (-m[12] * s5 + m[14] * s2 - m[15] * s1) * d;
	r[7] = (m[8] * s5 - m[10] * s2 + m[11] * s1) * d;
	r[8] = (m[4] * c4 - m[5] * c2 + m[7] * c0) * d;
	r[9] = (-m[0] * c4 + m[1] * c2 - m[3] * c0) * d;
	r[10] = (m[12] * s4 - m[13] * s2 + m[15] * s0) * d;
	r[11] = (-m[8] * s4 + m[9] * s2 - m[11] * s0) * d;
	r[12] = (-m[4] * c3 + m[5] * c1 - m[6] * c0) * d;
	r[13] = (m[0] * c3 - m[1] * c1 + m[2] * c0) * d;
	r[14] = (-m[12] * s3 + m[13] * s1 - m[14] * s0) * d;
	r[15] = (m[8] * s3 - m[9] * s1 + m[10] * s0) * d;
}

__global__ void structures(int n, const float4 *in, float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float m[16], r[16];

	if (i >= n)
		return;
	for (int k = 0; k < 4; k++)
		((float4 *)m)[k] = in[i * 4 + k];
	invert(m, r);
	for (int k = 0; k < 4; k++)
		out[i * 4 + k] = ((float4 *)r)[k];
}

__global__ void arrays(int n, const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float m[16], r[16];

	if (i >= n)
		return;
	for (int k = 0; k < 16; k++)
		m[k] = in[k * n + i];
	invert(m, r);
	for (int k = 0; k < 16; k++)
		out[k * n + i] = r[k];
}

static void check_product(int n, const array<float> &a, const array<float> &r,
			  int matrix_step, int element_step)
{
	float got[16], want[16];

	for (int i = 0; i < n; i++) {
		for (int e = 0; e < 16; e++) {
			double sum = 0;

			for (int k = 0; k < 4; k++) {
				int x = e / 4 * 4 + k, y = k * 4 + e % 4;

				sum += (double)a[i * matrix_step +
						 x * element_step] *
				       r[i * matrix_step + y * element_step];
			}
			got[e] = sum;
			want[e] = e / 4 == e % 4;
		}
		check_close(&self, got, want, 16, 0, 1e-4);
	}
}

static void run(int n)
{
	array<float> a(n * 16), r(n * 16);

	/* A strong diagonal, wherever the matrix lies. */
	random_floats(a, -0.5f, 0.5f, n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 4; k++)
			a[i * 16 + k * 5] += 3;
	a.upload();
	structures<<<blocks_of(n, THREADS), THREADS>>>(
		n, (const float4 *)a.device, (float4 *)r.device);
	CHECK_LAUNCH();
	r.download();
	check_product(n, a, r, 16, 1);

	random_floats(a, -0.5f, 0.5f, n + 1);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < n; i++)
			a[k * 5 * n + i] += 3;
	a.upload();
	arrays<<<blocks_of(n, THREADS), THREADS>>>(n, a.device, r.device);
	CHECK_LAUNCH();
	r.download();
	check_product(n, a, r, 1, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 1024);
	run(n / 16);
	run(n);
	return report(&self);
}
