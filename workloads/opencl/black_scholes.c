/* Prices of options: exp, log and sqrt. The reference has erfc. */
#include "common.h"

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "black_scholes", 2048, 64, 1 << 22, 64);
	size_t bytes = (size_t)n * 4;
	float *in[3], *got = allocate(2 * bytes), *want = allocate(2 * bytes);
	const double rate = 0.02f, volatility = 0.3f;
	cl_mem m[5];
	cl_kernel k;

	for (int a = 0; a < 3; a++)
		in[a] = allocate(bytes);
	for (int i = 0; i < n; i++) {
		in[0][i] = random_float(5, 30);
		in[1][i] = random_float(1, 100);
		in[2][i] = random_float(0.25f, 10);
	}
	open_device("");
	for (int a = 0; a < 5; a++)
		m[a] = buffer(bytes, a < 3 ? in[a] : NULL);
	k = find_kernel("black_scholes");
	set_args(k, "mmmmmff", m[0], m[1], m[2], m[3], m[4], rate, volatility);
	run_1d(k, n, 64);
	read_back(m[3], bytes, got);
	read_back(m[4], bytes, got + n);
	for (int i = 0; i < n; i++) {
		double s = in[0][i], x = in[1][i], t = in[2][i];
		double v = volatility * sqrt(t), r = exp(-rate * t);
		double d1 = (log(s / x) + rate * t + v * v / 2) / v;
		double d2 = d1 - v, root = sqrt(0.5);

		want[i] = (float)(s * erfc(-d1 * root) / 2 -
				  x * r * erfc(-d2 * root) / 2);
		want[n + i] = (float)(x * r * erfc(d2 * root) / 2 -
				      s * erfc(d1 * root) / 2);
	}
	return compare_floats(got, want, (size_t)2 * n, 1e-4);
}
