/*
 * A convolution of 3 x 3 over several channels by three methods: Winograd's
 * F(2 x 2, 3 x 3), which transforms input and weights, multiplies sixteen batches
 * of matrices, and transforms back; unfolded to one matrix (im2col) and
 * multiplied by tiles; and straight.
 *
 * SIZE: rows and columns of the image, even.
 */
#include "common.h"

#define T 16

static struct workload self = { "winograd", "rows", 32, 8, 256 };

/* Padded by one; tiles of 4 x 4 at steps of 2. v[16][channels][tiles] */
__global__ void transform_input(int size, int channels, const float *in,
				float *v)
{
	int half = size / 2, tiles = half * half;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float d[4][4], e[4][4];

	if (i >= tiles * channels)
		return;
	int c = i / tiles, y0 = i % tiles / half * 2 - 1, x0 = i % half * 2 - 1;
#pragma unroll
	for (int y = 0; y < 4; y++)
#pragma unroll
		for (int x = 0; x < 4; x++) {
			bool inside = y0 + y >= 0 && y0 + y < size &&
				      x0 + x >= 0 && x0 + x < size;

			d[y][x] =
				inside ?
					in[(c * size + y0 + y) * size + x0 + x] :
					0;
		}
#pragma unroll
	for (int x = 0; x < 4; x++) {
		e[0][x] = d[0][x] - d[2][x];
		e[1][x] = d[1][x] + d[2][x];
		e[2][x] = d[2][x] - d[1][x];
		e[3][x] = d[1][x] - d[3][x];
	}
#pragma unroll
	for (int y = 0; y < 4; y++) {
		float *to = v + (size_t)y * 4 * channels * tiles + i;

		to[0] = e[y][0] - e[y][2];
		to[channels * tiles] = e[y][1] + e[y][2];
		to[2 * channels * tiles] = e[y][2] - e[y][1];
		to[3 * channels * tiles] = e[y][1] - e[y][3];
	}
}

/* u[16][out][in] */
__global__ void transform_weights(int n, const float *w, float *u)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float e[4][3];

	if (i >= n)
		return;
#pragma unroll
	for (int x = 0; x < 3; x++) {
		float a = w[i * 9 + x], b = w[i * 9 + 3 + x],
		      c = w[i * 9 + 6 + x];

		e[0][x] = a;
		e[1][x] = (a + b + c) / 2;
		e[2][x] = (a - b + c) / 2;
		e[3][x] = c;
	}
#pragma unroll
	for (int y = 0; y < 4; y++) {
		u[(y * 4) * n + i] = e[y][0];
		u[(y * 4 + 1) * n + i] = (e[y][0] + e[y][1] + e[y][2]) / 2;
		u[(y * 4 + 2) * n + i] = (e[y][0] - e[y][1] + e[y][2]) / 2;
		u[(y * 4 + 3) * n + i] = e[y][2];
	}
}

/* c[z] = a[z] b[z]; m x k times k x n, any sizes */
__global__ void multiply(int m, int n, int k, const float *a, const float *b,
			 float *c)
{
	__shared__ float as[T][T + 1], bs[T][T];
	int row = blockIdx.y * T + threadIdx.y,
	    x = blockIdx.x * T + threadIdx.x;
	float sum = 0;

	a += (size_t)blockIdx.z * m * k;
	b += (size_t)blockIdx.z * k * n;
	for (int d = 0; d < k; d += T) {
		int da = d + threadIdx.x, db = d + threadIdx.y;

		as[threadIdx.y][threadIdx.x] =
			row < m && da < k ? a[row * k + da] : 0;
		bs[threadIdx.y][threadIdx.x] = db < k && x < n ? b[db * n + x] :
								 0;
		__syncthreads();
#pragma unroll
		for (int i = 0; i < T; i++)
			sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	if (row < m && x < n)
		c[((size_t)blockIdx.z * m + row) * n + x] = sum;
}

__global__ void transform_output(int size, int channels, const float *m,
				 float *out)
{
	int half = size / 2, tiles = half * half;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float e[2][4];

	if (i >= tiles * channels)
		return;
#pragma unroll
	for (int x = 0; x < 4; x++) {
		float v[4];

		for (int y = 0; y < 4; y++)
			v[y] = m[(size_t)(y * 4 + x) * channels * tiles + i];
		e[0][x] = v[0] + v[1] + v[2];
		e[1][x] = v[1] - v[2] - v[3];
	}
	float2 *to =
		(float2 *)&out[(i / tiles * size + i % tiles / half * 2) * size +
			       i % half * 2];
	to[0] = make_float2(e[0][0] + e[0][1] + e[0][2],
			    e[0][1] - e[0][2] - e[0][3]);
	to[size / 2] = make_float2(e[1][0] + e[1][1] + e[1][2],
				   e[1][1] - e[1][2] - e[1][3]);
}

/* columns[channel * 9 + tap][pixel] */
__global__ void unfold(int size, const float *in, float *columns)
{
	int pixel = blockIdx.x * blockDim.x + threadIdx.x;
	int tap = threadIdx.y, c = blockIdx.y;

	if (pixel >= size * size)
		return;
	int y = pixel / size + tap / 3 - 1, x = pixel % size + tap % 3 - 1;
	bool inside = y >= 0 && y < size && x >= 0 && x < size;

	columns[(size_t)(c * 9 + tap) * size * size + pixel] =
		inside ? in[(c * size + y) * size + x] : 0;
}

__global__ void straight(int size, int channels, const float *in,
			 const float *w, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
	float sum = 0;

	if (x >= size || y >= size)
		return;
	for (int c = 0; c < channels; c++)
		for (int dy = 0; dy < 3; dy++)
			for (int dx = 0; dx < 3; dx++) {
				int v = y + dy - 1, u = x + dx - 1;

				if (v >= 0 && v < size && u >= 0 && u < size)
					sum += in[(c * size + v) * size + u] *
					       w[((o * channels + c) * 3 + dy) *
							 3 +
						 dx];
			}
	out[(o * size + y) * size + x] = sum;
}

static void run(int size, int ins, int outs)
{
	int pixels = size * size, tiles = pixels / 4;
	array<float> in(ins * pixels), w(outs * ins * 9), out(outs * pixels),
		want(out.n), u(16 * outs * ins), v(16 * ins * tiles),
		m(16 * outs * tiles), columns((size_t)ins * 9 * pixels);

	random_exact(in, size);
	random_exact(w, ins);
	in.upload();
	w.upload();
	for (int o = 0; o < outs; o++)
		for (int c = 0; c < ins; c++)
			for (int i = 0; i < 9 * pixels; i++) {
				int p = i / 9, t = i % 9;
				int y = p / size + t / 3 - 1;
				int x = p % size + t % 3 - 1;

				if (y >= 0 && y < size && x >= 0 && x < size)
					want[o * pixels + p] +=
						w[(o * ins + c) * 9 + t] *
						in[c * pixels + y * size + x];
			}
	transform_weights<<<blocks_of(outs * ins, 64), 64>>>(
		outs * ins, w.device, u.device);
	transform_input<<<blocks_of(ins * tiles, 128), 128>>>(
		size, ins, in.device, v.device);
	multiply<<<dim3(blocks_of(tiles, T), blocks_of(outs, T), 16),
		   dim3(T, T)>>>(outs, tiles, ins, u.device, v.device,
				 m.device);
	transform_output<<<blocks_of(outs * tiles, 128), 128>>>(
		size, outs, m.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-5, 1e-4, "Winograd");
	unfold<<<dim3(blocks_of(pixels, 32), ins), dim3(32, 9)>>>(
		size, in.device, columns.device);
	multiply<<<dim3(blocks_of(pixels, T), blocks_of(outs, T)), dim3(T, T)>>>(
		outs, pixels, ins * 9, w.device, columns.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, out.n, "unfolded");
	straight<<<dim3(blocks_of(size, 32), blocks_of(size, 4), outs),
		   dim3(32, 4)>>>(size, ins, in.device, w.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, out.n, "straight");
}

int main(int argc, char **argv)
{
	int size = size_arg(&self, argc, argv);

	if (size % 2)
		bad_size(&self, "even");
	run(size / 4 * 2, 3, 16);
	run(size, 12, 24);
	run(size - 18, 32, 64);
	return report(&self);
}
