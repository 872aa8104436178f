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
	int n = read_choices(argc, argv, "backprop", 512, 16, 1 << 16, 16);
	size_t count = (size_t)n * HIDDEN, bytes = count * 4;
	float *input = allocate((size_t)n * 4), *weight = allocate(bytes);
	float *momentum = allocate(bytes), *to = allocate(bytes);
	float unit[HIDDEN], delta[HIDDEN], *weights, *momenta;
	cl_mem mi, mw, mm, mp, md;
	const float *got;
	cl_kernel k;

	for (int i = 0; i < n; i++)
		input[i] = random_float(0, 1);
	for (size_t i = 0; i < count; i++) {
		weight[i] = random_float(-0.1f, 0.1f);
		momentum[i] = random_float(-0.01f, 0.01f);
	}
	weights = keep(weight, bytes);
	momenta = keep(momentum, bytes);
	open_device("");
	mi = buffer((size_t)n * 4, input);
	mw = buffer(bytes, weight);
	mm = buffer(bytes, momentum);
	mp = buffer(bytes / SIDE, NULL);
	md = buffer(sizeof(delta), NULL);
	k = find_kernel("forward");
	set_args(k, "mmmi", mi, mw, mp, HIDDEN);
	run_2d(k, HIDDEN, n, SIDE, SIDE);
	got = results(mp, bytes / SIDE, to);
	hidden_units(unit, got, n);
	give_buffer(mp, got);
	for (int h = 0; h < HIDDEN; h++)
		delta[h] = unit[h] * (1 - unit[h]) * (0.5f - unit[h]);
	put(md, sizeof(delta), delta);
	k = find_kernel("adjust");
	set_args(k, "mmmmi", mi, md, mw, mm, HIDDEN);
	run_2d(k, HIDDEN, n, SIDE, SIDE);
	got = results(mw, bytes, to);
	if (check_units(unit, inputs(mi, (size_t)n * 4, input), weights, n))
		return 1;
	for (size_t i = 0; i < count; i++)
		weights[i] += 0.3f * delta[i % HIDDEN] * input[i / HIDDEN] +
			      0.3f * momenta[i];
	return compare_floats(got, weights, count, 1e-6);
}
