/*
 * Speckle-reducing anisotropic diffusion (Yu and Acton): smooths an ultrasound
 * image but keeps its edges. In each iteration one kernel computes the sums
 * from which the host computes the variance of the image, a second one gives
 * each pixel a diffusion coefficient from its differences to four neighbours,
 * a third one changes the pixel by the weighted differences. At the border the
 * neighbour is the pixel itself.
 *
 * SIZE: rows and columns of the image, any from 2 (one pixel does not vary).
 * Check: the same iterations in double precision on the CPU.
 */
#include "common.h"

#define TILE 16
#define THREADS (TILE * TILE)
#define ITERATIONS 2
#define LAMBDA 0.5f

static struct workload self = { "srad", "rows and columns", 128, 2, 8192 };

/* A pixel's differences to its neighbours. */
struct slopes {
	float north, south, west, east;
};

__device__ struct slopes slopes_at(const float *image, int x, int y, int n)
{
	const float *p = image + (size_t)y * n + x;
	struct slopes s = {
		y > 0 ? p[-n] - *p : 0,
		y < n - 1 ? p[n] - *p : 0,
		x > 0 ? p[-1] - *p : 0,
		x < n - 1 ? p[1] - *p : 0,
	};

	return s;
}

/* Each block's sum of pixels and of their squares. */
__global__ void sums(const float *image, float2 *partial, int pixels)
{
	__shared__ float2 part[THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t;
	float v = i < pixels ? image[i] : 0;

	part[t] = make_float2(v, v * v);
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half) {
			part[t].x += part[t + half].x;
			part[t].y += part[t + half].y;
		}
	}
	if (t == 0)
		partial[blockIdx.x] = part[0];
}

/* q0 is the square of the image's coefficient of variation. */
__global__ void coefficients(const float *image, float *c, int n, float q0)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	if (x >= n || y >= n)
		return;
	size_t here = (size_t)y * n + x;
	struct slopes s = slopes_at(image, x, y, n);
	float v = image[here];
	float gradient = (s.north * s.north + s.south * s.south +
			  s.west * s.west + s.east * s.east) /
			 (v * v);
	float laplacian = (s.north + s.south + s.west + s.east) / v;
	float top = 0.5f * gradient - laplacian * laplacian / 16;
	float bottom = 1 + 0.25f * laplacian;
	float q = top / (bottom * bottom);
	float coefficient = 1 / (1 + (q - q0) / (q0 * (1 + q0)));

	c[here] = fminf(fmaxf(coefficient, 0), 1);
}

__global__ void diffuse(const float *in, const float *c, float *out, int n)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

	if (x >= n || y >= n)
		return;
	size_t here = (size_t)y * n + x;
	struct slopes s = slopes_at(in, x, y, n);
	float mine = c[here];
	float south = y < n - 1 ? c[here + n] : mine;
	float east = x < n - 1 ? c[here + 1] : mine;

	out[here] = in[here] + 0.25f * LAMBDA *
				       (mine * (s.north + s.west) +
					south * s.south + east * s.east);
}

static double variation(double sum, double squares, double pixels)
{
	double mean = sum / pixels;

	return (squares / pixels - mean * mean) / (mean * mean);
}

/* One iteration from image to next; c, partial and host are scratch buffers. */
static void iterate(const float *image, float *next, float *c, float2 *partial,
		    float2 *host, int n)
{
	int pixels = n * n, blocks = blocks_of(pixels, THREADS);
	dim3 grid(blocks_of(n, TILE), blocks_of(n, TILE)), block(TILE, TILE);
	double sum = 0, squares = 0;

	sums<<<blocks, THREADS>>>(image, partial, pixels);
	CHECK_LAUNCH();
	from_device(host, partial, blocks);
	for (int i = 0; i < blocks; i++) {
		sum += host[i].x;
		squares += host[i].y;
	}
	coefficients<<<grid, block>>>(image, c, n,
				      (float)variation(sum, squares, pixels));
	CHECK_LAUNCH();
	diffuse<<<grid, block>>>(image, c, next, n);
	CHECK_LAUNCH();
}

/* The pixel at x, y, or the nearest one beyond the border. */
static double pixel_at(const double *image, int x, int y, int n)
{
	x = x < 0 ? 0 : x < n ? x : n - 1;
	y = y < 0 ? 0 : y < n ? y : n - 1;
	return image[(size_t)y * n + x];
}

static double coefficient_cpu(const double *image, int x, int y, int n,
			      double q0)
{
	static const int dx[] = { 0, 0, -1, 1 }, dy[] = { -1, 1, 0, 0 };
	double v = pixel_at(image, x, y, n);
	double gradient = 0, laplacian = 0, q, c;

	for (int k = 0; k < 4; k++) {
		double d = pixel_at(image, x + dx[k], y + dy[k], n) / v - 1;

		gradient += d * d;
		laplacian += d;
	}
	q = (gradient / 2 - pow(laplacian / 4, 2)) / pow(1 + laplacian / 4, 2);
	c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
	return c < 0 ? 0 : c > 1 ? 1 : c;
}

static double moved_cpu(const double *in, const double *c, int x, int y, int n)
{
	double v = pixel_at(in, x, y, n), mine = pixel_at(c, x, y, n);
	double south = pixel_at(c, x, y + 1, n);
	double east = pixel_at(c, x + 1, y, n);
	double flow = mine * (pixel_at(in, x, y - 1, n) - v) +
		      mine * (pixel_at(in, x - 1, y, n) - v) +
		      south * (pixel_at(in, x, y + 1, n) - v) +
		      east * (pixel_at(in, x + 1, y, n) - v);

	return v + LAMBDA / 4 * flow;
}

static void iterate_cpu(const double *in, double *out, double *c, int n)
{
	double sum = 0, squares = 0, q0;

	for (size_t i = 0; i < (size_t)n * n; i++) {
		sum += in[i];
		squares += in[i] * in[i];
	}
	q0 = variation(sum, squares, (double)n * n);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			c[(size_t)y * n + x] = coefficient_cpu(in, x, y, n, q0);
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++)
			out[(size_t)y * n + x] = moved_cpu(in, c, x, y, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t pixels = (size_t)n * n;
	int blocks = blocks_of((int)pixels, THREADS);
	float *x = host_alloc<float>(pixels), *want = host_alloc<float>(pixels);
	float2 *host = host_alloc<float2>(blocks);
	double *cpu[2] = { host_alloc<double>(pixels),
			   host_alloc<double>(pixels) };
	double *cpu_c = host_alloc<double>(pixels);
	float *gpu[2], *c = device_alloc<float>(pixels);
	float2 *partial = device_alloc<float2>(blocks);

	random_floats(x, pixels, 0, 1, 1);
	for (size_t i = 0; i < pixels; i++)
		cpu[0][i] = x[i] = expf(x[i]); /* from 1 to e: never zero */
	gpu[0] = device_copy(x, pixels);
	gpu[1] = device_alloc<float>(pixels);
	for (int i = 0; i < ITERATIONS; i++) {
		iterate(gpu[i % 2], gpu[(i + 1) % 2], c, partial, host, n);
		iterate_cpu(cpu[i % 2], cpu[(i + 1) % 2], cpu_c, n);
	}
	from_device(x, gpu[ITERATIONS % 2], pixels);
	for (size_t i = 0; i < pixels; i++)
		want[i] = (float)cpu[ITERATIONS % 2][i];
	check_close(&self, x, want, pixels, 1e-4);
	CHECK(cudaFree(gpu[0]));
	CHECK(cudaFree(gpu[1]));
	CHECK(cudaFree(c));
	CHECK(cudaFree(partial));

	void *all[] = { x, want, host, cpu[0], cpu[1], cpu_c };

	for (void *p : all)
		free(p);
	return report(&self);
}
