/*
 * Fast Fourier transforms of rows of complex numbers in shared memory, radix 2
 * by Stockham's method (no reordering of bits), forward and back again. A block
 * has one row; rows of 64, 256 and 1024.
 *
 * SIZE: rows of the largest launches. A forward transform is compared with the
 * definition for a few frequencies, the way back with the input.
 */
#include "common.h"

#include <utility>

static struct workload self = { "fft", "rows", 264, 8, 1 << 16 };

template <int N>
__global__ void transform(const float2 *in, float2 *out, float sign)
{
	__shared__ float2 s[2][N];
	int t = threadIdx.x;
	float2 *from = s[0], *to = s[1];

	from[t] = in[blockIdx.x * N + t];
	from[t + N / 2] = in[blockIdx.x * N + t + N / 2];
	for (int half = 1; half < N; half *= 2) {
		int k = t & (half - 1);
		float sine, cosine;

		sincospif(sign * k / half, &sine, &cosine);
		__syncthreads();
		float2 a = from[t], b = from[t + N / 2];
		float2 w = make_float2(b.x * cosine - b.y * sine,
				       b.x * sine + b.y * cosine);
		int place = 2 * t - k;
		to[place] = make_float2(a.x + w.x, a.y + w.y);
		to[place + half] = make_float2(a.x - w.x, a.y - w.y);
		float2 *other = from;
		from = to;
		to = other;
	}
	__syncthreads();
	out[blockIdx.x * N + t] = from[t];
	out[blockIdx.x * N + t + N / 2] = from[t + N / 2];
}

/* One frequency of a row, by definition. */
static void frequency(const float2 *row, int n, int k, double *re, double *im)
{
	const double turn = 2 * 3.14159265358979323846;

	*re = *im = 0;
	for (int i = 0; i < n; i++) {
		double angle = -turn * ((long long)i * k % n) / n;

		*re += row[i].x * cos(angle) - row[i].y * sin(angle);
		*im += row[i].x * sin(angle) + row[i].y * cos(angle);
	}
}

template <int N> static void run(int rows)
{
	array<float2> in(rows * N), out(rows * N), back(rows * N);
	array<float> got(8 * rows), want(8 * rows);

	random_floats((float *)in.host, 2 * in.n, -1, 1, N + rows);
	in.upload();
	transform<N><<<rows, N / 2>>>(in.device, out.device, -1);
	transform<N><<<rows, N / 2>>>(out.device, back.device, 1);
	CHECK_LAUNCH();
	out.download();
	back.download();
	for (int i = 0; i < 4 * rows; i++) {
		int row = i / 4, k = i * 37 % N;
		double re, im;

		frequency(&in[row * N], N, k, &re, &im);
		want[2 * i] = re;
		want[2 * i + 1] = im;
		got[2 * i] = out[row * N + k].x;
		got[2 * i + 1] = out[row * N + k].y;
	}
	check_close(&self, got.host, want.host, got.n, 1e-4, 1e-3, "forward");
	for (size_t i = 0; i < in.n; i++) {
		back[i].x /= N;
		back[i].y /= N;
	}
	check_close(&self, (float *)back.host, (float *)in.host, 2 * in.n, 1e-4,
		    1e-5, "back");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	run<64>(1);
	run<256>(rows / 8);
	run<1024>(1);
	run<1024>(rows / 4);
	run<64>(rows * 4);
	run<256>(rows);
	return report(&self);
}
