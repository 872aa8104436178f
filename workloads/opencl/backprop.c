/* Backpropagation: the layer from the inputs to 16 hidden units, forward and
 * back. */
#include "common.h"

enum { HIDDEN = 16, SIDE = 16 };

static float squash(double v)
{
	return (float)(1 / (1 + exp(-v)));
}

/* Adds the partial sums of the device. */
static void hidden_units(float *out, const float *partial, int n)
{
	for (int h = 0; h < HIDDEN; h++) {
		double sum = 0;

		for (int g = 0; g < n / SIDE; g++)
			sum += partial[g * HIDDEN + h];
		out[h] = squash(sum);
	}
}

/* Compares them with sums in double. */
static int check_units(const float *unit, const float *input,
		       const float *weight, int n)
{
	for (int h = 0; h < HIDDEN; h++) {
		double want = 0;

		for (int i = 0; i < n; i++)
			want += (double)input[i] * weight[i * HIDDEN + h];
		if (!(fabs(unit[h] - squash(want)) <= 1e-4))
			return wrong((size_t)h, unit[h], squash(want));
	}
	return 0;
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "backprop", 512, 16, 1 << 16, 16);
	size_t count = (size_t)n * HIDDEN, bytes = count * 4;
	float *input = allocate((size_t)n * 4), *weight = allocate(bytes);
	float *momentum = allocate(bytes), *got = allocate(bytes);
	float *partial = allocate(bytes / SIDE), unit[HIDDEN], delta[HIDDEN];
	cl_mem mi, mw, mm, mp, md;
	cl_kernel k;

	for (int i = 0; i < n; i++)
		input[i] = random_float(0, 1);
	for (size_t i = 0; i < count; i++) {
		weight[i] = random_float(-0.1f, 0.1f);
		momentum[i] = random_float(-0.01f, 0.01f);
	}
	open_device("");
	mi = buffer((size_t)n * 4, input);
	mw = buffer(bytes, weight);
	mm = buffer(bytes, momentum);
	mp = buffer(bytes / SIDE, NULL);
	md = buffer(sizeof(delta), NULL);
	k = find_kernel("forward");
	set_args(k, "mmmi", mi, mw, mp, HIDDEN);
	run_2d(k, HIDDEN, n, SIDE, SIDE);
	read_back(mp, bytes / SIDE, partial);
	hidden_units(unit, partial, n);
	for (int h = 0; h < HIDDEN; h++)
		delta[h] = unit[h] * (1 - unit[h]) * (0.5f - unit[h]);
	write_to(md, sizeof(delta), delta);
	k = find_kernel("adjust");
	set_args(k, "mmmmi", mi, md, mw, mm, HIDDEN);
	run_2d(k, HIDDEN, n, SIDE, SIDE);
	read_back(mw, bytes, got);
	if (check_units(unit, input, weight, n))
		return 1;
	for (size_t i = 0; i < count; i++)
		weight[i] += 0.3f * delta[i % HIDDEN] * input[i / HIDDEN] +
			     0.3f * momentum[i];
	return compare_floats(got, weight, count, 1e-6);
}
