/*
 * Low-discrepancy points after Sobol, then made normal through the inverse of
 * the cumulative normal distribution: `quasirandomGenerator` of Lee and Ro's
 * paper on parallel GPU simulation.
 *
 * Point i of a dimension is the exclusive or of the direction numbers of i's
 * set bits. Dimension 0 is van der Corput's sequence; the others take their
 * direction numbers from the primitive polynomials over GF(2) in order, which
 * the program finds, and initial numbers of its own (any odd ones do).
 *
 * SIZE: numbers in all three dimensions; the paper's 1M is 1048576. Checked:
 * the points, exactly, against the recurrence in the order of Gray's code; that
 * each dimension has one point in each of 2^k equal intervals; the normal
 * numbers against an inverse found by bisection in double precision.
 */
#include "common.h"

#define DIMENSIONS 3
#define BITS 32
#define THREADS 128
#define EACH 8 /* points per thread, about */

static struct workload self = { "quasirandom_generator", "numbers", 24576, 3,
				1 << 24 };

__constant__ unsigned direction[DIMENSIONS][BITS];

/* Dimension by blockIdx.y: its points, one after the other. */
__global__ void sobol(unsigned *out, int points)
{
	int step = gridDim.x * blockDim.x;
	unsigned *to = out + (size_t)blockIdx.y * points;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points;
	     i += step) {
		unsigned x = 0;

		for (int bit = 0; i >> bit; bit++)
			if (i >> bit & 1)
				x ^= direction[blockIdx.y][bit];
		to[i] = x;
	}
}

/* From 2^-24 to 1 - 2^-24, exact in a float. */
__host__ __device__ static float unit(unsigned x)
{
	return ((x >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

/*
 * z with a probability of p above it, p at most 1/2: a start that is good to
 * 5e-4 (Abramowitz and Stegun, 26.2.23), then one step of Halley's method on
 * the tail's area erfc(z / sqrt 2) / 2.
 */
__device__ float upper_quantile(float p)
{
	float t = sqrtf(-2.0f * logf(p));
	float above = 2.515517f + t * (0.802853f + t * 0.010328f);
	float below = 1.0f + t * (1.432788f + t * (0.189269f + t * 0.001308f));
	float z = t - above / below;
	float density = 0.39894228f * expf(-0.5f * z * z);
	float step = (0.5f * erfcf(0.70710678f * z) - p) / density;

	return z + step / (1.0f - 0.5f * z * step);
}

__global__ void to_normal(const unsigned *in, float *out, int n)
{
	int step = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		float u = unit(in[i]);

		out[i] = u < 0.5f ? -upper_quantile(u) :
				    upper_quantile(1.0f - u);
	}
}

/* Is the order of x modulo the polynomial 2^degree - 1, the maximum? */
static int primitive(unsigned polynomial, int degree)
{
	unsigned x = 2, order = 1;

	if (degree == 1)
		return polynomial == 3;
	for (; x != 1; order++) {
		x <<= 1;
		if (x >> degree)
			x ^= polynomial;
		if (order >> degree || x == 0)
			return 0;
	}
	return order == (1u << degree) - 1;
}

static unsigned next_primitive(unsigned polynomial, int *degree)
{
	do {
		polynomial += 2;
		while (polynomial >> (*degree + 1))
			++*degree;
	} while (!primitive(polynomial, *degree));
	return polynomial;
}

/* v[k] is an odd number below 2^(k + 1), shifted to the top. */
static void make_directions(unsigned v[DIMENSIONS][BITS])
{
	unsigned polynomial = 1;
	int degree = 0;
	uint64_t random = 1;

	for (int k = 0; k < BITS; k++)
		v[0][k] = 1u << (BITS - 1 - k);
	for (int d = 1; d < DIMENSIONS; d++) {
		polynomial = next_primitive(polynomial, &degree);
		for (int k = 0; k < BITS; k++) {
			if (k < degree) {
				unsigned m = random_below(&random, 2u << k);

				v[d][k] = (m | 1) << (BITS - 1 - k);
				continue;
			}
			v[d][k] = v[d][k - degree] ^ v[d][k - degree] >> degree;
			for (int i = 1; i < degree; i++)
				if (polynomial >> (degree - i) & 1)
					v[d][k] ^= v[d][k - i];
		}
	}
}

/* In the order of Gray's code neighbours differ by one direction number. */
static void expected(const unsigned *v, unsigned *out, int points)
{
	unsigned x = 0, gray = 0;

	for (long long i = 1; i < 2LL * points; i++) {
		int bit = __builtin_ctzll(i);

		if (gray < (unsigned)points)
			out[gray] = x;
		gray ^= 1u << bit;
		x ^= v[bit];
	}
}

/* The first 2^k points: one in each interval of 2^-k. */
static void check_intervals(const unsigned *x, int points, int k)
{
	unsigned char *hit = host_alloc<unsigned char>((size_t)1 << k);

	for (int i = 0; i < 1 << k && i < points; i++)
		if (hit[k ? x[i] >> (BITS - k) : 0]++)
			note_wrong(&self, i, x[i], 0u, "intervals");
	free(hit);
}

static float expected_normal(double u)
{
	double low = -6, high = 6;

	for (int i = 0; i < 48; i++) {
		double z = 0.5 * (low + high);

		if (0.5 * erfc(-z * 0.70710678118654752440) < u)
			low = z;
		else
			high = z;
	}
	return (float)low;
}

int main(int argc, char **argv)
{
	int points = blocks_of(size_arg(&self, argc, argv), DIMENSIONS);
	int n = DIMENSIONS * points, k = 0;
	unsigned *got = host_alloc<unsigned>(n),
		 *want = host_alloc<unsigned>(n);
	float *normal = host_alloc<float>(n);
	float *want_normal = host_alloc<float>(n);
	unsigned v[DIMENSIONS][BITS];
	dim3 grid(blocks_of(points, THREADS * EACH), DIMENSIONS);

	make_directions(v);
	for (int d = 0; d < DIMENSIONS; d++)
		expected(v[d], want + (size_t)d * points, points);
	for (int i = 0; i < n; i++)
		want_normal[i] = expected_normal(unit(want[i]));

	unsigned *bits = device_alloc<unsigned>(n);
	float *out = device_alloc<float>(n);

	CHECK(cudaMemcpyToSymbol(direction, v, sizeof v));
	sobol<<<grid, THREADS>>>(bits, points);
	to_normal<<<blocks_of(n, THREADS * EACH), THREADS>>>(bits, out, n);
	CHECK_LAUNCH();
	from_device(got, bits, n);
	check_exact(&self, got, want, n, "points");
	while (2LL << k <= points)
		k++;
	for (int d = 0; d < DIMENSIONS; d++)
		check_intervals(got + (size_t)d * points, points, k);
	from_device(normal, out, n);
	check_close(&self, normal, want_normal, n, 4e-6, 1e-6,
		    "normal numbers");

	cudaFree(bits);
	cudaFree(out);
	free(got);
	free(want);
	free(normal);
	free(want_normal);
	return report(&self);
}
