/*
 * American options by binomial trees: a block for each option that goes back
 * through the tree in shared memory, a warp for each with values in registers and
 * shuffles between neighbours; and Greeks by finite differences of the closed
 * formula, in double precision.
 *
 * SIZE: options of the largest launch.
 */
#include "common.h"

#define STEPS 255 /* one node for each thread of a block */
#define SHORT 127 /* four nodes for each lane */

static struct workload self = { "american_option", "options", 300, 1, 65536 };

struct option {
	float price, strike, years, rate, volatility;
};

__global__ void tree_block(const struct option *options, float *value)
{
	__shared__ float v[2][STEPS + 2];
	struct option o = options[blockIdx.x];
	float dt = o.years / STEPS, up = expf(o.volatility * sqrtf(dt));
	float down = 1 / up, grow = expf(o.rate * dt);
	float p = (grow - down) / (up - down) / grow, q = 1 / grow - p;
	int i = threadIdx.x, from = 0;
	float price =
		o.price * expf(o.volatility * sqrtf(dt) * (2 * i - STEPS));

	v[0][i] = fmaxf(o.strike - price, 0);
	__syncthreads();
	for (int step = STEPS - 1; step >= 0; step--) {
		price *= up;
		if (i <= step)
			v[!from][i] = fmaxf(p * v[from][i + 1] + q * v[from][i],
					    o.strike - price);
		from = !from;
		__syncthreads();
	}
	if (i == 0)
		value[blockIdx.x] = v[from][0];
}

__global__ void tree_warp(int n, const struct option *options, float *value)
{
	int k = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	float v[4], price[4];

	if (k >= n)
		return;
	struct option o = options[k];
	float dt = o.years / SHORT, s = o.volatility * sqrtf(dt), up = expf(s);
	float down = 1 / up, grow = expf(o.rate * dt);
	float p = (grow - down) / (up - down) / grow, q = 1 / grow - p;
#pragma unroll
	for (int j = 0; j < 4; j++) {
		price[j] = o.price * expf(s * (2 * (lane * 4 + j) - SHORT));
		v[j] = fmaxf(o.strike - price[j], 0);
	}
#pragma unroll 1
	for (int step = SHORT - 1; step >= 0; step--) {
		float next = __shfl_down_sync(ALL, v[0], 1);

#pragma unroll
		for (int j = 0; j < 4; j++) {
			float above = j < 3 ? v[j + 1] : next;

			price[j] *= up;
			if (lane * 4 + j <= step)
				v[j] = fmaxf(p * above + q * v[j],
					     o.strike - price[j]);
		}
	}
	if (lane == 0)
		value[k] = v[0];
}

__host__ __device__ static double european(double s, double k, double t,
					   double r, double sigma)
{
	double d =
		(log(s / k) + (r + sigma * sigma / 2) * t) / (sigma * sqrt(t));
	double e = d - sigma * sqrt(t);

	return k * exp(-r * t) * erfc(e * 0.7071067811865476) / 2 -
	       s * erfc(d * 0.7071067811865476) / 2;
}

/* Delta, gamma, vega of put options. */
__global__ void greeks(int n, const struct option *options, double *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const double h = 1e-3;

	if (i >= n)
		return;
	struct option o = options[i];
	double middle =
		european(o.price, o.strike, o.years, o.rate, o.volatility);
	double high =
		european(o.price + h, o.strike, o.years, o.rate, o.volatility);
	double low =
		european(o.price - h, o.strike, o.years, o.rate, o.volatility);
	double wild =
		european(o.price, o.strike, o.years, o.rate, o.volatility + h);
	out[i] = (high - low) / (2 * h);
	out[n + i] = (high - 2 * middle + low) / (h * h);
	out[2 * n + i] = (wild - middle) / h;
}

static double tree(const struct option *o, int steps)
{
	double v[STEPS + 1], dt = (double)o->years / steps;
	double s = o->volatility * sqrt(dt), up = exp(s),
	       grow = exp(o->rate * dt);
	double p = (grow - 1 / up) / (up - 1 / up);

	for (int i = 0; i <= steps; i++)
		v[i] = fmax(o->strike - o->price * exp(s * (2 * i - steps)), 0);
	for (int step = steps - 1; step >= 0; step--)
		for (int i = 0; i <= step; i++)
			v[i] = fmax((p * v[i + 1] + (1 - p) * v[i]) / grow,
				    o->strike -
					    o->price * exp(s * (2 * i - step)));
	return v[0];
}

static void run(int n)
{
	array<struct option> options(n);
	array<float> value(n), want(n), want_short(n);
	array<double> out(3 * n), want_out(3 * n);
	uint64_t seed = n;

	for (int i = 0; i < n; i++) {
		struct option *o = &options[i];

		o->price = 80 + 40 * random_float(&seed);
		o->strike = 80 + 40 * random_float(&seed);
		o->years = 0.2f + 2 * random_float(&seed);
		o->rate = 0.01f + 0.05f * random_float(&seed);
		o->volatility = 0.15f + 0.3f * random_float(&seed);
		want[i] = tree(o, STEPS);
		want_short[i] = tree(o, SHORT);
		double s = o->price, k = o->strike, t = o->years, r = o->rate;
		double root = o->volatility * sqrt(t);
		double d = (log(s / k) + r * t) / root + root / 2;
		double density = exp(-d * d / 2) / sqrt(2 * M_PI);
		want_out[i] = -erfc(d / sqrt(2)) / 2;
		want_out[n + i] = density / (s * root);
		want_out[2 * n + i] = s * density * sqrt(t);
	}
	options.upload();
	tree_block<<<n, STEPS + 1>>>(options.device, value.device);
	CHECK_LAUNCH();
	value.download();
	check_close(&self, value.host, want.host, n, 1e-3, 1e-3, "blocks");
	tree_warp<<<blocks_of(n, 4), 4 * WARP>>>(n, options.device,
						 value.device);
	greeks<<<blocks_of(n, 64), 64>>>(n, options.device, out.device);
	CHECK_LAUNCH();
	value.download();
	out.download();
	check_close(&self, value.host, want_short.host, n, 1e-3, 1e-3, "warps");
	check_close(&self, out.host, want_out.host, 3 * n, 1e-2, 1e-2,
		    "Greeks");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 100 + 1);
	run(n);
	return report(&self);
}
