/*
 * Arithmetic beyond addition and multiplication: divisions and square roots,
 * trigonometric functions of small and of large arguments, logarithms and powers,
 * error functions, and integer division and remainder in 32 and 64 bits.
 *
 * SIZE: threads of the largest launch. The GPU's functions are within a few units
 * of the last place of the host's in double precision.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "math_functions", "threads", 32768, 128,
				1 << 20 };

struct division {
	template <class T> __host__ __device__ static T at(T x)
	{
		T s = 0;

		for (int k = 1; k <= 4; k++)
			s += x / (k + sqrt(x * k)) + 1 / (x + k);
		return s;
	}
};

struct small_angles {
	template <class T> __host__ __device__ static T at(T x)
	{
		return sin(x) * cos(x + 1) + tan(x / 8) + atan2(x, (T)3);
	}
};

struct large_angles {
	template <class T> __host__ __device__ static T at(T x)
	{
		return sin(x * 100000) + cos(x * 300000);
	}
};

struct powers {
	template <class T> __host__ __device__ static T at(T x)
	{
		return log(x + 1) + exp(-x) + pow(x, (T)1.5) + cbrt(x) +
		       exp2(x / 4);
	}
};

struct errors {
	template <class T> __host__ __device__ static T at(T x)
	{
		return erf(x / 2) + erfc(x) + tgamma(x + 1) / 100;
	}
};

template <class F, class T> __global__ void each(int n, const T *x, T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = F::at(x[i]);
}

template <class F, class T>
static void run(int n, double relative, double absolute, const char *part)
{
	array<T> x(n), out(n), want(n);
	uint64_t random = n;

	for (int i = 0; i < n; i++)
		x[i] = random_below(&random, 4096) / 1024.0f;
	x.upload();
	each<F, T><<<blocks_of(n, THREADS), THREADS>>>(n, x.device, out.device);
	CHECK_LAUNCH();
	out.download();
	for (int i = 0; i < n; i++)
		want[i] = (T)F::at((double)x[i]);
	check_close(&self, out.host, want.host, n, relative, absolute, part);
}

template <class T> __global__ void integers(int n, const T *x, T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	T v = x[i], d = v % 1000 + 1, s = 0;
	for (int k = 0; k < 4; k++)
		s += v / (d + k) + v % (d + 3 * k);
	out[i] = s;
}

template <class T> static void run_integers(int n, const char *part)
{
	array<T> x(n), out(n), want(n);
	uint64_t random = n;

	for (int i = 0; i < n; i++) {
		x[i] = (T)(random_bits(&random) >> 2);
		x[i] = x[i] < 0 ? ~x[i] : x[i];
	}
	x.upload();
	integers<T>
		<<<blocks_of(n, THREADS), THREADS>>>(n, x.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 4; k++)
			want[i] += x[i] / (x[i] % 1000 + 1 + k) +
				   x[i] % (x[i] % 1000 + 1 + 3 * k);
	out.download();
	check_exact(&self, out.host, want.host, n, part);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	for (int m = n / 256; m <= n; m *= 256) {
		run<division, float>(m, 1e-5, 0, "division");
		run<small_angles, float>(m, 1e-4, 1e-5, "small angles");
		run<large_angles, float>(m, 1e-4, 0.1, "large angles");
		run<powers, float>(m, 1e-5, 1e-5, "powers");
		run<errors, float>(m, 1e-4, 1e-5, "errors");
		run_integers<int>(m, "32 bits");
		run_integers<long long>(m, "64 bits");
	}
	run<division, double>(n / 16, 1e-12, 0, "division, fp64");
	run<small_angles, double>(n / 16, 1e-10, 1e-12, "angles, fp64");
	run<powers, double>(n / 16, 1e-12, 0, "powers, fp64");
	return report(&self);
}
