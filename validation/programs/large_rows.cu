/*
 * Many rows of a wide matrix: normalized to unit length, softmax with the row in
 * registers, and a weighted sum of all rows, with 16 bytes for each access.
 *
 * SIZE: rows.
 */
#include "common.h"

#define WIDTH 1024
#define THREADS 256

static struct workload self = { "large_rows", "rows", 8192, 16, 1 << 17 };

__device__ static float block_sum(float v)
{
	__shared__ float part[THREADS / WARP];

	for (int d = WARP / 2; d > 0; d /= 2)
		v += __shfl_xor_sync(ALL, v, d);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = v;
	__syncthreads();
	v = 0;
	for (int w = 0; w < THREADS / WARP; w++)
		v += part[w];
	return v;
}

__global__ void unit_length(const float4 *in, float4 *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	float4 v = in[i];
	float scale = rsqrtf(
		block_sum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w));

	out[i] =
		make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

/* Values are small: no maximum is needed. */
__global__ void softmax(const float4 *in, float4 *out)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	float4 v = in[i];

	v = make_float4(__expf(v.x), __expf(v.y), __expf(v.z), __expf(v.w));
	float scale = 1 / block_sum(v.x + v.y + v.z + v.w);
	out[i] =
		make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}

/* A block sums PART rows; the sums of blocks are written, not added. */
#define PART 32
__global__ void weighted(int rows, const float4 *in, const float *weight,
			 float4 *out)
{
	float4 sum = make_float4(0, 0, 0, 0);
	int first = blockIdx.x * PART, last = min(first + PART, rows);

	for (int r = first; r < last; r++) {
		float4 v = in[(size_t)r * THREADS + threadIdx.x];
		float w = weight[r];

		sum.x += w * v.x;
		sum.y += w * v.y;
		sum.z += w * v.z;
		sum.w += w * v.w;
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv), parts = blocks_of(rows, PART);
	array<float> in((size_t)rows * WIDTH), out(in.n), want(in.n);
	array<float> weight(rows), sums(parts * WIDTH),
		want_sums(parts * WIDTH);

	random_floats(in, -2, 2, rows);
	random_floats(weight, 0, 1, 1);
	in.upload();
	weight.upload();
	for (int r = 0; r < rows; r++) {
		const float *v = in.host + (size_t)r * WIDTH;
		double square = 0;

		for (int i = 0; i < WIDTH; i++)
			square += (double)v[i] * v[i];
		for (int i = 0; i < WIDTH; i++) {
			want[(size_t)r * WIDTH + i] = v[i] / sqrt(square);
			want_sums[r / PART * WIDTH + i] += weight[r] * v[i];
		}
	}
	unit_length<<<rows, THREADS>>>((const float4 *)in.device,
				       (float4 *)out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-5, 1e-8, "length");

	softmax<<<rows, THREADS>>>((const float4 *)in.device,
				   (float4 *)out.device);
	CHECK_LAUNCH();
	for (int r = 0; r < rows; r++) {
		const float *v = in.host + (size_t)r * WIDTH;
		double sum = 0;

		for (int i = 0; i < WIDTH; i++)
			sum += exp((double)v[i]);
		for (int i = 0; i < WIDTH; i++)
			want[(size_t)r * WIDTH + i] = exp((double)v[i]) / sum;
	}
	out.download();
	check_close(&self, out.host, want.host, in.n, 1e-4, 0, "softmax");

	weighted<<<parts, THREADS>>>(rows, (const float4 *)in.device,
				     weight.device, (float4 *)sums.device);
	CHECK_LAUNCH();
	sums.download();
	check_close(&self, sums.host, want_sums.host, sums.n, 1e-4, 1e-4,
		    "sums");
	return report(&self);
}
