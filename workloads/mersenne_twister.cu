/*
 * Random numbers from many Mersenne twisters at once, made normal by the
 * method of Box and Muller: `MersenneTwister` of Lee and Ro's paper on parallel
 * GPU simulation.
 *
 * Every thread has a twister of Matsumoto and Nishimura's kind with a state of
 * 19 words, 607 bits, in place of the usual 624 words. Its matrix decides the
 * period: with one of the four below, found by search, the characteristic
 * polynomial of the recurrence is irreducible over GF(2), and since 2^607 - 1
 * is a prime, the period is that number. Output is tempered as in MT19937.
 *
 * SIZE: numbers; the paper's 24M is 24000000. There are 4096 twisters, and
 * each makes an even number of numbers. The integers are compared exactly with
 * those of the host's twisters, the normal numbers with double precision: the
 * error of float on the angle is 3e-7, times a radius below 6.
 */
#include "common.h"

#define TWISTERS 4096
#define THREADS 128
#define WORDS 19
#define MIDDLE 10
#define MATRICES 4

static struct workload self = { "mersenne_twister", "random numbers", 1 << 16,
				1, 1 << 28 };

#define MATRIX_ROWS                                                \
	{                                                          \
		0xdbe873b7u, 0xd00da84fu, 0xdd23accdu, 0x94198e77u \
	}
__constant__ unsigned device_matrix[MATRICES] = MATRIX_ROWS;
static const unsigned host_matrix[MATRICES] = MATRIX_ROWS;

__host__ __device__ static void seed(unsigned *state, unsigned number)
{
	state[0] = number;
	for (int i = 1; i < WORDS; i++)
		state[i] =
			1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
}

__host__ __device__ static unsigned temper(unsigned x)
{
	x ^= x >> 11;
	x ^= x << 7 & 0x9d2c5680u;
	x ^= x << 15 & 0xefc60000u;
	return x ^ x >> 18;
}

/* Number i of twister t goes to out[i * TWISTERS + t]. */
__global__ void generate(unsigned *out, int each)
{
	int t = blockIdx.x * THREADS + threadIdx.x;
	unsigned matrix = device_matrix[blockIdx.x % MATRICES];
	unsigned state[WORDS];
	int at = 0, middle = MIDDLE;

	seed(state, t + 1);
	for (int i = 0; i < each; i++) {
		int next = at + 1 < WORDS ? at + 1 : 0;
		unsigned x = (state[at] & ~1u) | (state[next] & 1);

		x = state[middle] ^ x >> 1 ^ (x & 1 ? matrix : 0);
		state[at] = x;
		out[i * TWISTERS + t] = temper(x);
		at = next;
		middle = middle + 1 < WORDS ? middle + 1 : 0;
	}
}

/* From 2^-24 to 1 - 2^-24, exact in a float. */
__host__ __device__ static float unit(unsigned x)
{
	return ((x >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

/* Two neighbouring numbers of a twister become two normal ones. */
__global__ void box_muller(const unsigned *in, float *out, int each)
{
	int t = blockIdx.x * THREADS + threadIdx.x;

	for (int i = 0; i < each; i += 2) {
		float radius = sqrtf(-2.0f * logf(unit(in[i * TWISTERS + t])));
		float angle = 6.2831853f * unit(in[(i + 1) * TWISTERS + t]);

		out[i * TWISTERS + t] = radius * cosf(angle);
		out[(i + 1) * TWISTERS + t] = radius * sinf(angle);
	}
}

/* The recurrence as defined, on an unbounded array. */
static void expected(unsigned *out, int each)
{
	unsigned *x = host_alloc<unsigned>(WORDS + each);

	for (int t = 0; t < TWISTERS; t++) {
		unsigned matrix = host_matrix[t / THREADS % MATRICES];

		seed(x, t + 1);
		for (int i = 0; i < each; i++) {
			unsigned y = (x[i] & ~1u) | (x[i + 1] & 1);

			x[WORDS + i] = x[i + MIDDLE] ^ y >> 1;
			if (y & 1)
				x[WORDS + i] ^= matrix;
			out[i * TWISTERS + t] = temper(x[WORDS + i]);
		}
	}
	free(x);
}

static void expected_normal(const unsigned *in, float *out, int each)
{
	for (int i = 0; i < each; i += 2)
		for (int t = 0; t < TWISTERS; t++) {
			double u = unit(in[i * TWISTERS + t]);
			double v = unit(in[(i + 1) * TWISTERS + t]);
			double radius = sqrt(-2 * log(u));
			double angle = 2 * 3.14159265358979323846 * v;

			out[i * TWISTERS + t] = (float)(radius * cos(angle));
			out[(i + 1) * TWISTERS + t] =
				(float)(radius * sin(angle));
		}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	int each = 2 * blocks_of(n, 2 * TWISTERS), count = each * TWISTERS;
	unsigned *got = host_alloc<unsigned>(count);
	unsigned *want = host_alloc<unsigned>(count);
	float *normal = host_alloc<float>(count);
	float *want_normal = host_alloc<float>(count);

	expected(want, each);
	expected_normal(want, want_normal, each);

	unsigned *bits = device_alloc<unsigned>(count);
	float *out = device_alloc<float>(count);

	generate<<<TWISTERS / THREADS, THREADS>>>(bits, each);
	box_muller<<<TWISTERS / THREADS, THREADS>>>(bits, out, each);
	CHECK_LAUNCH();
	from_device(got, bits, count);
	check_exact(&self, got, want, count, "integers");
	from_device(normal, out, count);
	check_close(&self, normal, want_normal, count, 1e-6, 4e-6,
		    "normal numbers");

	cudaFree(bits);
	cudaFree(out);
	free(got);
	free(want);
	free(normal);
	free(want_normal);
	return report(&self);
}
