/*
 * Haar's wavelet transform of a signal: a level halves the sums and writes the
 * differences, one launch each while the signal is long, the last ten levels in
 * one block. Then the inverse of the first level as a check of its own.
 *
 * SIZE: samples, a power of two. Samples are small integers and sums stay exact
 * without the usual factor.
 */
#include "common.h"

#define THREADS 256
#define LAST 1024

static struct workload self = { "haar_wavelet", "samples", 1 << 20, 4096,
				1 << 22 };

__global__ void level(int pairs, const int2 *in, int *sums, int *differences)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= pairs)
		return;
	int2 v = in[i];
	sums[i] = v.x + v.y;
	differences[i] = v.x - v.y;
}

__global__ void last_levels(const int *in, int *out)
{
	__shared__ int s[LAST];
	int t = threadIdx.x;

	s[t] = in[t];
	s[t + LAST / 2] = in[t + LAST / 2];
	for (int pairs = LAST / 2; pairs > 0; pairs /= 2) {
		int a = 0, b = 0;

		__syncthreads();
		if (t < pairs) {
			a = s[2 * t];
			b = s[2 * t + 1];
		}
		__syncthreads();
		if (t < pairs) {
			s[t] = a + b;
			out[pairs + t] = a - b;
		}
	}
	if (t == 0)
		out[0] = s[0];
}

__global__ void inverse(int pairs, const int *sums, const int *differences,
			int2 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < pairs)
		out[i] = make_int2((sums[i] + differences[i]) / 2,
				   (sums[i] - differences[i]) / 2);
}

/* All levels, in place; `work` has room for half of the signal. */
static void expected(int n, int *signal, int *work)
{
	for (int pairs = n / 2; pairs > 0; pairs /= 2) {
		for (int i = 0; i < pairs; i++) {
			int a = signal[2 * i], b = signal[2 * i + 1];

			signal[i] = a + b;
			work[i] = a - b;
		}
		memcpy(signal + pairs, work, pairs * sizeof(int));
	}
}

static void run(int n)
{
	array<int> in(n), out(n), sums(n), want(n), back(n);

	random_ints(in, 256, n);
	in.upload();
	memcpy(want.host, in.host, n * sizeof(int));
	expected(n, want.host, back.host);
	const int *from = in.device;
	int *to = sums.device;
	for (int m = n; m > LAST; m /= 2) {
		level<<<blocks_of(m / 2, THREADS), THREADS>>>(
			m / 2, (const int2 *)from, to, out.device + m / 2);
		if (m == n)
			inverse<<<blocks_of(m / 2, THREADS), THREADS>>>(
				m / 2, to, out.device + m / 2,
				(int2 *)back.device);
		from = to;
		to += m / 2;
	}
	last_levels<<<1, LAST / 2>>>(from, out.device);
	CHECK_LAUNCH();
	out.download();
	back.download();
	check_exact(&self, out.host, want.host, n);
	check_exact(&self, back.host, in.host, n, "inverse");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n & (n - 1))
		bad_size(&self, "a power of two");
	run(n / 64);
	run(n);
	return report(&self);
}
