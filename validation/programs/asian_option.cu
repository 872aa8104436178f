/*
 * Asian options by Monte Carlo: each thread follows one path of a price, with
 * normal numbers by Box and Muller from a counter-based generator (four rounds of
 * Philox), and averages it; a block sums its payoffs by a tree.
 *
 * SIZE: paths of the largest launch. Compared with the same paths in double
 * precision.
 */
#include "common.h"

#define THREADS 128
#define STEPS 16

static struct workload self = { "asian_option", "paths", 65536, 1024, 1 << 22 };

__host__ __device__ static inline void philox(unsigned c[2], unsigned key)
{
	for (int round = 0; round < 4; round++) {
		unsigned long long p = (unsigned long long)c[0] * 0xd256d193u;

		c[0] = (unsigned)(p >> 32) ^ key ^ c[1];
		c[1] = (unsigned)p;
		key += 0x9e3779b9u;
	}
}

__global__ void paths(float price, float strike, float drift, float volatility,
		      unsigned key, float *payoff)
{
	__shared__ float sums[THREADS];
	int t = threadIdx.x, path = blockIdx.x * THREADS + t;
	float s = price, total = 0;

	for (int i = 0; i < STEPS; i += 2) {
		unsigned c[2] = { (unsigned)path, (unsigned)i };
		float sine, cosine;

		philox(c, key);
		float u = ((c[0] >> 8) + 0.5f) * (1.0f / 16777216);
		float v = (c[1] >> 8) * (1.0f / 8388608);
		float radius = sqrtf(-2 * logf(u));
		sincospif(v, &sine, &cosine);
		s *= expf(drift + volatility * radius * cosine);
		total += s;
		s *= expf(drift + volatility * radius * sine);
		total += s;
	}
	sums[t] = fmaxf(total / STEPS - strike, 0);
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			sums[t] += sums[t + half];
	}
	if (t == 0)
		payoff[blockIdx.x] = sums[0];
}

static double path_payoff(int path, double price, double strike, double drift,
			  double volatility, unsigned key)
{
	double s = price, total = 0;

	for (int i = 0; i < STEPS; i += 2) {
		unsigned c[2] = { (unsigned)path, (unsigned)i };

		philox(c, key);
		double u = ((c[0] >> 8) + 0.5) / 16777216;
		double angle = (c[1] >> 8) / 8388608.0 * 3.14159265358979323846;
		double radius = sqrt(-2 * log(u));
		s *= exp(drift + volatility * radius * cos(angle));
		total += s;
		s *= exp(drift + volatility * radius * sin(angle));
		total += s;
	}
	return total / STEPS > strike ? total / STEPS - strike : 0;
}

static void price(int count, float strike, unsigned key)
{
	int blocks = blocks_of(count, THREADS);
	const float drift = 0.001f, volatility = 0.05f;
	array<float> payoff(blocks), want(blocks);

	paths<<<blocks, THREADS>>>(100, strike, drift, volatility, key,
				   payoff.device);
	CHECK_LAUNCH();
	for (int b = 0; b < blocks; b++) {
		double sum = 0;

		for (int t = 0; t < THREADS; t++)
			sum += path_payoff(b * THREADS + t, 100, strike, drift,
					   volatility, key);
		want[b] = sum;
	}
	payoff.download();
	check_close(&self, payoff.host, want.host, blocks, 1e-4, 1e-2);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	price(n / 64, 100, 1);
	price(n / 8, 95, 2);
	price(n, 105, 3);
	return report(&self);
}
