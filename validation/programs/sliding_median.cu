/*
 * Statistics of windows that slide along signals: the median of 15 samples by
 * ranks that are kept while samples come and go, the maximum by van Herk's blocks,
 * the mean and deviation from prefix sums; a block for each signal or part of it.
 *
 * SIZE: samples of the longer signals.
 */
#include "common.h"

#include <algorithm>

#define WINDOW 15
#define THREADS 128
#define EACH 8 /* medians of a thread, one after the other */

static struct workload self = { "sliding_median", "samples", 6000, 256,
				1 << 20 };

__global__ void medians(int n, const short *in, short *out)
{
	const short *signal = in + (size_t)blockIdx.y * (n + WINDOW - 1);
	int first = (blockIdx.x * THREADS + threadIdx.x) * EACH;
	short sorted[WINDOW];

	if (first >= n)
		return;
	for (int i = 0; i < WINDOW; i++) {
		short v = signal[first + i];
		int at = i;

		while (at > 0 && sorted[at - 1] > v) {
			sorted[at] = sorted[at - 1];
			at--;
		}
		sorted[at] = v;
	}
	for (int i = 0; i < EACH && first + i < n; i++) {
		if (i > 0) {
			short gone = signal[first + i - 1];
			short come = signal[first + i + WINDOW - 1];
			int at = 0;

			while (sorted[at] != gone)
				at++;
			for (; at < WINDOW - 1 && sorted[at + 1] < come; at++)
				sorted[at] = sorted[at + 1];
			for (; at > 0 && sorted[at - 1] > come; at--)
				sorted[at] = sorted[at - 1];
			sorted[at] = come;
		}
		out[(size_t)blockIdx.y * n + first + i] = sorted[WINDOW / 2];
	}
}

/* Maxima of blocks of WINDOW from the left and from the right. */
__global__ void maxima(int n, const short *in, short *out)
{
	__shared__ short s[THREADS * WINDOW + WINDOW],
		left[THREADS * WINDOW + WINDOW],
		right[THREADS * WINDOW + WINDOW];
	const short *signal = in + (size_t)blockIdx.y * (n + WINDOW - 1);
	int first = blockIdx.x * THREADS * WINDOW;
	int all = min((THREADS + 1) * WINDOW, n + WINDOW - 1 - first);

	for (int i = threadIdx.x; i < (THREADS + 1) * WINDOW; i += THREADS)
		s[i] = i < all ? signal[first + i] : -32768;
	__syncthreads();
	for (int b = threadIdx.x; b <= THREADS; b += THREADS) {
		short most = -32768;

		for (int i = b * WINDOW; i < (b + 1) * WINDOW; i++)
			left[i] = most = max(most, s[i]);
		most = -32768;
		for (int i = (b + 1) * WINDOW - 1; i >= b * WINDOW; i--)
			right[i] = most = max(most, s[i]);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < min(THREADS * WINDOW, n - first);
	     i += THREADS)
		out[(size_t)blockIdx.y * n + first + i] =
			max(right[i], left[i + WINDOW - 1]);
}

/* A warp walks along a signal with prefix sums of values and squares. */
__global__ void deviations(int n, const short *in, float2 *out)
{
	__shared__ longlong2 ring[4][2 * WARP];
	int lane = threadIdx.x, w = threadIdx.y;
	int row = blockIdx.x * blockDim.y + w;
	const short *signal = in + (size_t)row * (n + WINDOW - 1);
	long long sum = 0, square = 0;

	for (int first = 0; first < n + WINDOW - 1; first += WARP) {
		int i = first + lane;
		long long v = i < n + WINDOW - 1 ? signal[i] : 0, q = v * v;

		for (int d = 1; d < WARP; d *= 2) {
			long long a = __shfl_up_sync(ALL, v, d);
			long long b = __shfl_up_sync(ALL, q, d);

			if (lane >= d) {
				v += a;
				q += b;
			}
		}
		v += sum;
		q += square;
		__syncwarp();
		ring[w][i % (2 * WARP)] = make_longlong2(v, q);
		__syncwarp();
		int from = i - WINDOW;
		if (from + 1 >= 0 && from + 1 < n) {
			longlong2 old = from < 0 ? make_longlong2(0, 0) :
						   ring[w][from % (2 * WARP)];
			float mean = (float)(v - old.x) / WINDOW;
			float var = (float)(q - old.y) / WINDOW - mean * mean;

			out[(size_t)row * n + from + 1] =
				make_float2(mean, sqrtf(fmaxf(var, 0)));
		}
		sum = __shfl_sync(ALL, v, WARP - 1);
		square = __shfl_sync(ALL, q, WARP - 1);
	}
}

static void run(int signals, int n)
{
	array<short> in((size_t)signals * (n + WINDOW - 1));
	array<short> middle((size_t)signals * n), most(middle.n);
	array<short> want_middle(middle.n), want_most(middle.n);
	array<float2> out(middle.n);
	array<float> got(2 * middle.n), want(2 * middle.n);

	random_ints(in, 2000, n);
	in.upload();
	for (int r = 0; r < signals; r++)
		for (int i = 0; i < n; i++) {
			const short *p = in.host + r * (n + WINDOW - 1) + i;
			short v[WINDOW];
			double sum = 0, square = 0;

			std::copy(p, p + WINDOW, v);
			std::sort(v, v + WINDOW);
			for (int k = 0; k < WINDOW; k++) {
				sum += v[k];
				square += v[k] * v[k];
			}
			want_middle[r * n + i] = v[WINDOW / 2];
			want_most[r * n + i] = v[WINDOW - 1];
			want[2 * (r * n + i)] = sum / WINDOW;
			want[2 * (r * n + i) + 1] = sqrt(
				square / WINDOW - sum / WINDOW * sum / WINDOW);
		}
	medians<<<dim3(blocks_of(n, THREADS * EACH), signals), THREADS>>>(
		n, in.device, middle.device);
	maxima<<<dim3(blocks_of(n, THREADS * WINDOW), signals), THREADS>>>(
		n, in.device, most.device);
	deviations<<<signals / 4, dim3(WARP, 4)>>>(n, in.device, out.device);
	CHECK_LAUNCH();
	middle.download();
	most.download();
	from_device((float2 *)got.host, out.device, out.n);
	check_exact(&self, middle.host, want_middle.host, middle.n, "medians");
	check_exact(&self, most.host, want_most.host, most.n, "maxima");
	check_close(&self, got.host, want.host, got.n, 1e-3, 1e-2,
		    "deviations");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(4, n / 4);
	run(160, 377);
	run(12, n);
	return report(&self);
}
