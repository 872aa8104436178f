/*
 * Edges of a grey image: box blur in two passes (running sums along rows, then
 * along columns), Sobel's gradients with the magnitude as a square root, and a
 * threshold with hysteresis in the neighbourhood.
 *
 * SIZE: rows and columns of the largest image.
 */
#include "common.h"

static struct workload self = { "edge_detect", "rows and columns", 768, 32,
				4096 };

#define RADIUS 4
#define PART 64 /* pixels of a running sum */

/* A thread has PART pixels of a row (step 1) or a column (step n). */
__global__ void box(int n, const int *in, int *out, int step, int across)
{
	int line = blockIdx.x * blockDim.x + threadIdx.x;
	int first = blockIdx.y * PART, last = min(first + PART, n);

	if (line >= n)
		return;
	const int *row = in + line * across;
	int sum = 0;
	for (int i = first - RADIUS; i < first + RADIUS; i++)
		if (i >= 0 && i < n)
			sum += row[i * step];
	for (int i = first; i < last; i++) {
		if (i + RADIUS < n)
			sum += row[(i + RADIUS) * step];
		out[line * across + i * step] = sum;
		if (i >= RADIUS)
			sum -= row[(i - RADIUS) * step];
	}
}

__global__ void sobel(int n, const int *in, float *magnitude)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n || y >= n)
		return;
	float m = 0;
	if (x > 0 && y > 0 && x < n - 1 && y < n - 1) {
		const int *p = in + y * n + x;
		int dx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] -
			 2 * p[-1] - p[-1 + n];
		int dy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] -
			 2 * p[-n] - p[-n + 1];

		m = sqrtf((float)(dx * dx + dy * dy));
	}
	magnitude[y * n + x] = m;
}

/* An edge is strong, or weak beside a strong one. */
__global__ void edges(int n, const float *m, float low, float high,
		      unsigned char *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n || y >= n)
		return;
	bool edge = m[y * n + x] >= high;
	if (!edge && m[y * n + x] >= low)
		for (int d = 0; d < 9 && !edge; d++) {
			int cx = x + d % 3 - 1, cy = y + d / 3 - 1;

			edge = cx >= 0 && cy >= 0 && cx < n && cy < n &&
			       m[cy * n + cx] >= high;
		}
	out[y * n + x] = edge;
}

static void box_expected(int n, const int *in, int *out, int step, int across)
{
	for (int line = 0; line < n; line++)
		for (int i = 0; i < n; i++) {
			int sum = 0;

			for (int k = i - RADIUS; k <= i + RADIUS; k++)
				if (k >= 0 && k < n)
					sum += in[line * across + k * step];
			out[line * across + i * step] = sum;
		}
}

static void sobel_expected(int n, const int *p, float *m)
{
	for (int y = 1; y < n - 1; y++)
		for (int x = 1; x < n - 1; x++) {
			int dx = 0, dy = 0;

			for (int k = -1; k <= 1; k++) {
				int w = k ? 1 : 2;

				dx += w * (p[(y + k) * n + x + 1] -
					   p[(y + k) * n + x - 1]);
				dy += w * (p[(y + 1) * n + x + k] -
					   p[(y - 1) * n + x + k]);
			}
			m[y * n + x] = sqrtf((float)(dx * dx + dy * dy));
		}
}

static void edges_expected(int n, const float *m, float low, float high,
			   unsigned char *out)
{
	for (int i = 0; i < n * n; i++) {
		bool strong = false;

		for (int d = 0; d < 9; d++) {
			int x = i % n + d % 3 - 1, y = i / n + d / 3 - 1;

			if (x >= 0 && y >= 0 && x < n && y < n)
				strong |= m[y * n + x] >= high;
		}
		out[i] = m[i] >= high || (m[i] >= low && strong);
	}
}

static void run(int n)
{
	array<int> in(n * n), rows(n * n), both(n * n);
	array<float> m(n * n);
	array<unsigned char> out(n * n), want(n * n);
	dim3 lines(blocks_of(n, 64), blocks_of(n, PART));
	dim3 blocks(blocks_of(n, 16), blocks_of(n, 16)), threads(16, 16);
	const float low = 600, high = 1200;

	random_ints(in, 256, n);
	in.upload();
	box<<<lines, 64>>>(n, in.device, rows.device, 1, n);
	box<<<lines, 64>>>(n, rows.device, both.device, n, 1);
	sobel<<<blocks, threads>>>(n, both.device, m.device);
	edges<<<blocks, threads>>>(n, m.device, low, high, out.device);
	CHECK_LAUNCH();
	box_expected(n, in.host, rows.host, 1, n);
	box_expected(n, rows.host, both.host, n, 1);
	sobel_expected(n, both.host, m.host);
	edges_expected(n, m.host, low, high, want.host);
	out.download();
	check_exact(&self, out.host, want.host, out.n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 12);
	run(n / 3);
	run(n);
	return report(&self);
}
