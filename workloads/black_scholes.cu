/*
 * European options priced by the formula of Black and Scholes, calls and puts:
 * `BlackScholes` of Lee and Ro's paper on parallel GPU simulation. Nearly all
 * of it is arithmetic. The cumulative normal distribution is the polynomial of
 * Hastings (Abramowitz and Stegun, 26.2.17), good to 7.5e-8.
 *
 * SIZE: options; the paper's 4M is 4000000. Compared with the formula in
 * double precision and the C library's erfc(). Prices are differences of
 * numbers up to 100, each with an error of about 1e-5 from the polynomial and
 * from float; the tolerance is 1e-4.
 */
#include "common.h"

#define THREADS 128
#define EACH 4 /* options per thread, about */
#define RATE 0.02f
#define VOLATILITY 0.30f

static struct workload self = { "black_scholes", "options", 1 << 16, 1,
				1 << 27 };

/* The probability that a normal number is below d. */
__device__ float below(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float tail = 1.330274429f;

	tail = tail * k - 1.821255978f;
	tail = tail * k + 1.781477937f;
	tail = tail * k - 0.356563782f;
	tail = tail * k + 0.319381530f;
	tail *= k * 0.39894228f * expf(-0.5f * d * d);
	return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float *price, const float *strike,
			      const float *years, float *call, float *put,
			      int n)
{
	int step = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		float s = price[i], x = strike[i], t = years[i];
		float spread = VOLATILITY * sqrtf(t);
		float d1 = (logf(s / x) +
			    (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) /
			   spread;
		float n1 = below(d1), n2 = below(d1 - spread);
		float later = x * expf(-RATE * t);

		call[i] = s * n1 - later * n2;
		put[i] = later * (1.0f - n2) - s * (1.0f - n1);
	}
}

static double expected_below(double d)
{
	return 0.5 * erfc(-d * 0.70710678118654752440);
}

static void expected(double s, double x, double t, float *call, float *put)
{
	double spread = VOLATILITY * sqrt(t);
	double d1 = (log(s / x) +
		     ((double)RATE + 0.5 * VOLATILITY * VOLATILITY) * t) /
		    spread;
	double d2 = d1 - spread, later = x * exp(-(double)RATE * t);

	*call = (float)(s * expected_below(d1) - later * expected_below(d2));
	*put = (float)(later * expected_below(-d2) - s * expected_below(-d1));
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	float *price = host_alloc<float>(n), *strike = host_alloc<float>(n);
	float *years = host_alloc<float>(n), *got = host_alloc<float>(n);
	float *call = host_alloc<float>(n), *put = host_alloc<float>(n);

	random_floats(price, n, 5, 30, 1);
	random_floats(strike, n, 1, 100, 2);
	random_floats(years, n, 0.25f, 10, 3);
	for (int i = 0; i < n; i++)
		expected(price[i], strike[i], years[i], &call[i], &put[i]);

	float *dprice = device_copy(price, n);
	float *dstrike = device_copy(strike, n);
	float *dyears = device_copy(years, n);
	float *dcall = device_alloc<float>(n), *dput = device_alloc<float>(n);

	black_scholes<<<blocks_of(n, THREADS * EACH), THREADS>>>(
		dprice, dstrike, dyears, dcall, dput, n);
	CHECK_LAUNCH();
	from_device(got, dcall, n);
	check_close(&self, got, call, n, 0, 1e-4, "calls");
	from_device(got, dput, n);
	check_close(&self, got, put, n, 0, 1e-4, "puts");

	cudaFree(dprice);
	cudaFree(dstrike);
	cudaFree(dyears);
	cudaFree(dcall);
	cudaFree(dput);
	free(price);
	free(strike);
	free(years);
	free(got);
	free(call);
	free(put);
	return report(&self);
}
