/*
 * European call options priced by simulation of the stock's final price:
 * `MonteCarlo` of Lee and Ro's paper on parallel GPU simulation. One kernel
 * makes normal numbers, one for each path, by hashing the path's number and
 * the method of Box and Muller; a second one has a block for each option and
 * reduces the payoffs and their squares. All options use the same numbers.
 *
 * SIZE: options; OPTION: paths of each. The paper has 256 and 256K: 256 262144.
 * Compared with the same simulation in double precision, and with the formula
 * of Black and Scholes, from which it may be off by six standard errors.
 */
#include "common.h"

#define THREADS 128
#define RATE 0.03f
#define VOLATILITY 0.25f

static struct workload self = { "monte_carlo", "options", 24, 1, 65535,
				"paths of each option", 4096, 256, 1 << 24 };

struct contract {
	float price, strike, years;
};

/* Two words of a bijective hash of the number. */
__host__ __device__ static uint64_t hash(uint64_t x)
{
	x = (x + 1) * 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

/* From 2^-24 to 1 - 2^-24, exact in a float. */
__host__ __device__ static float unit(unsigned x)
{
	return ((x >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

__global__ void make_normal(float *out, int n)
{
	int step = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		uint64_t bits = hash(i);
		float radius = sqrtf(-2.0f * logf(unit((unsigned)bits)));

		out[i] = radius *
			 cosf(6.2831853f * unit((unsigned)(bits >> 32)));
	}
}

/* The sum over the block, valid in thread 0. */
__device__ float block_sum(float x)
{
	__shared__ float part[THREADS];
	int t = threadIdx.x;

	__syncthreads();
	part[t] = x;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] += part[t + d];
	}
	return part[0];
}

/* sums: of the payoffs and of their squares, for each option. */
__global__ void simulate(const struct contract *contracts, const float *normal,
			 int paths, float2 *sums)
{
	struct contract c = contracts[blockIdx.x];
	float drift = (RATE - 0.5f * VOLATILITY * VOLATILITY) * c.years;
	float spread = VOLATILITY * sqrtf(c.years);
	float sum = 0, squares = 0;

	for (int i = threadIdx.x; i < paths; i += THREADS) {
		float last = c.price * expf(drift + spread * normal[i]);
		float payoff = fmaxf(last - c.strike, 0);

		sum += payoff;
		squares += payoff * payoff;
	}
	sum = block_sum(sum);
	squares = block_sum(squares);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = make_float2(sum, squares);
}

static void make_contracts(struct contract *c, int n)
{
	uint64_t random = 1;

	for (int i = 0; i < n; i++) {
		c[i].price = 5 + 45 * random_float(&random);
		c[i].strike =
			c[i].price * (0.8f + 0.4f * random_float(&random));
		c[i].years = 0.25f + 2 * random_float(&random);
	}
}

static void expected_normal(double *z, int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t bits = hash(i);
		double u = unit((unsigned)bits), v = unit(bits >> 32);

		z[i] = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
	}
}

/* The discounted mean of the payoffs. */
static float expected(const struct contract *c, const double *z, int n)
{
	double drift = (RATE - 0.5 * VOLATILITY * VOLATILITY) * c->years;
	double spread = VOLATILITY * sqrt(c->years), sum = 0;

	for (int i = 0; i < n; i++)
		sum += fmax(c->price * exp(drift + spread * z[i]) - c->strike,
			    0);
	return (float)(sum / n * exp(-(double)RATE * c->years));
}

static double below(double z)
{
	return 0.5 * erfc(-z * 0.70710678118654752440);
}

static double formula(const struct contract *c)
{
	double spread = VOLATILITY * sqrt(c->years);
	double d = log((double)c->price / c->strike) / spread +
		   RATE * c->years / spread + 0.5 * spread;

	return c->price * below(d) -
	       c->strike * exp(-(double)RATE * c->years) * below(d - spread);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), paths = self.choice;
	struct contract *contracts = host_alloc<struct contract>(n);
	double *z = host_alloc<double>(paths);
	float2 *sums = host_alloc<float2>(n);

	make_contracts(contracts, n);
	expected_normal(z, paths);

	struct contract *dcontracts = device_copy(contracts, n);
	float *normal = device_alloc<float>(paths);
	float2 *dsums = device_alloc<float2>(n);

	make_normal<<<blocks_of(paths, 4 * THREADS), THREADS>>>(normal, paths);
	simulate<<<n, THREADS>>>(dcontracts, normal, paths, dsums);
	CHECK_LAUNCH();
	from_device(sums, dsums, n);
	note_bits(&self, sums, n * sizeof sums[0]);
	for (int i = 0; i < n; i++) {
		double discount = exp(-(double)RATE * contracts[i].years);
		double mean = sums[i].x / paths;
		double square = sums[i].y / paths - mean * mean;
		double error = discount * sqrt(fmax(square, 0) / paths);
		float got = (float)(discount * mean);
		float want = expected(&contracts[i], z, paths);
		float exact = (float)formula(&contracts[i]);

		if (!(fabs(got - want) <= 1e-4 * want + 1e-4))
			note_wrong(&self, i, got, want, "prices");
		if (!(fabs(got - exact) <= 6 * error + 1e-4))
			note_wrong(&self, i, got, exact, "formula");
	}

	cudaFree(dcontracts);
	cudaFree(normal);
	cudaFree(dsums);
	free(contracts);
	free(z);
	free(sums);
	return report(&self);
}
