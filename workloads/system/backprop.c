/* Backpropagation: the layer from the inputs to 16 hidden units, forward and
 * back. */
#include "common.h"

enum { HIDDEN = 16 };
static const float rate = 0.3f, inertia = 0.3f;

/* A line of the cache, or several: no two threads share one. */
struct sums {
	float of[HIDDEN];
} __attribute__((aligned(LINE_BYTES)));

static float squash(double v)
{
	return (float)(1 / (1 + exp(-v)));
}

static void forward(const float *input, const float *weight, float *hidden,
		    int n)
{
	struct sums part[MOST_THREADS] = { 0 };
	double total[HIDDEN] = { 0 };

#pragma omp parallel
	{
		struct sums mine = { 0 };

#pragma omp for
		for (int i = 0; i < n; i++)
			for (int h = 0; h < HIDDEN; h++)
				mine.of[h] += input[i] * weight[i * HIDDEN + h];
		part[omp_get_thread_num()] = mine;
	}
	for (int t = 0; t < MOST_THREADS; t++)
		for (int h = 0; h < HIDDEN; h++)
			total[h] += part[t].of[h];
	for (int h = 0; h < HIDDEN; h++)
		hidden[h] = squash(total[h]);
}

static void adjust(const float *input, const float *delta, float *weight,
		   float *momentum, int n)
{
#pragma omp parallel for
	for (int i = 0; i < n; i++)
		for (int h = 0; h < HIDDEN; h++) {
			int at = i * HIDDEN + h;
			float change = rate * delta[h] * input[i] +
				       inertia * momentum[at];

			weight[at] += change;
			momentum[at] = change;
		}
}

static void error_of(float *delta, const float *hidden)
{
	for (int h = 0; h < HIDDEN; h++)
		delta[h] = hidden[h] * (1 - hidden[h]) * (0.5f - hidden[h]);
}

static float weight_before(int at)
{
	return (float)(at * 13 & 0xfff) * 0x1p-15f - 0x1p-4f;
}

static float momentum_before(int at)
{
	return (float)(at * 29 & 0xfff) * 0x1p-18f - 0x1p-7f;
}

/* By columns, in double precision. */
static int check(const float *input, const float *hidden, const float *weight,
		 int n)
{
	float delta[HIDDEN];

	for (int h = 0; h < HIDDEN; h++) {
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += (double)input[i] * weight_before(i * HIDDEN + h);
		if (far(hidden[h], squash(sum), 1e-4))
			return wrong((size_t)h, hidden[h], squash(sum));
	}
	error_of(delta, hidden);
	for (int at = 0; at < n * HIDDEN; at++) {
		float want = weight_before(at) +
			     rate * delta[at % HIDDEN] * input[at / HIDDEN] +
			     inertia * momentum_before(at);

		if (far(weight[at], want, 1e-6))
			return wrong((size_t)at, weight[at], want);
	}
	return finish();
}

int main(int argc, char **argv)
{
	int n = read_size(argc, argv, "backprop", 12288, 16, 1 << 20, 16);
	size_t bytes = (size_t)n * HIDDEN * sizeof(float);
	float *input = allocate((size_t)n * sizeof(float));
	float *weight = allocate(bytes), *momentum = allocate(bytes);
	float hidden[HIDDEN], delta[HIDDEN];

	for (int i = 0; i < n; i++)
		input[i] = random_float(0, 1);
	for (int at = 0; at < n * HIDDEN; at++) {
		weight[at] = weight_before(at);
		momentum[at] = momentum_before(at);
	}
	section_begin();
	forward(input, weight, hidden, n);
	error_of(delta, hidden);
	adjust(input, delta, weight, momentum, n);
	section_end();
	return check(input, hidden, weight, n);
}
