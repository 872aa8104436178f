/*
 * Training of a neural network by back-propagation: n inputs, one hidden layer
 * of HIDDEN neurons, one output, sigmoids, one pattern, weights with momentum.
 * Most of the work is the n * HIDDEN products and weights of the first layer.
 *
 * Forward, a block takes ROWS inputs, and a tree in shared memory adds the
 * products to one partial sum for each hidden neuron; a small kernel adds the
 * partial sums, computes the output and the errors of both layers. Backward,
 * each thread adjusts one weight.
 *
 * SIZE: inputs, any.
 * Check: the same training in double precision on the CPU: hidden values and
 * weights after the last step.
 */
#include "common.h"

#define HIDDEN 16
#define ROWS 16
#define STEPS 2
#define RATE 0.3f
#define MOMENTUM 0.3f
#define TARGET 0.1f

static struct workload self = { "backprop", "inputs", 4096, 1, 1 << 22 };

/* Weights of input i to hidden neuron h: [i * HIDDEN + h]. */
__global__ void forward(const float *input, const float *weight, float *partial,
			int n)
{
	__shared__ float product[ROWS][HIDDEN];
	int h = threadIdx.x, r = threadIdx.y, i = blockIdx.x * ROWS + r;

	product[r][h] = i < n ? input[i] * weight[(size_t)i * HIDDEN + h] : 0;
	for (int half = ROWS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (r < half)
			product[r][h] += product[r + half][h];
	}
	if (r == 0)
		partial[blockIdx.x * HIDDEN + h] = product[0][h];
}

__device__ float sigmoid(float x)
{
	return 1 / (1 + expf(-x));
}

/*
 * One block of HIDDEN x ROWS threads: hidden values, output, and the error of
 * each hidden neuron; the weights of the second layer are adjusted here.
 */
__global__ void middle(const float *partial, int parts, float *hidden,
		       float *weight, float *change, float *error)
{
	__shared__ float sum[ROWS][HIDDEN], value[HIDDEN];
	int h = threadIdx.x, r = threadIdx.y;
	float mine = 0, output = 0;

	for (int p = r; p < parts; p += ROWS)
		mine += partial[p * HIDDEN + h];
	sum[r][h] = mine;
	for (int half = ROWS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (r < half)
			sum[r][h] += sum[r + half][h];
	}
	if (r == 0)
		value[h] = sigmoid(sum[0][h]);
	__syncthreads();
	if (r > 0)
		return;
	for (int k = 0; k < HIDDEN; k++)
		output += value[k] * weight[k];
	output = sigmoid(output);

	float delta = output * (1 - output) * (TARGET - output);

	hidden[h] = value[h];
	error[h] = value[h] * (1 - value[h]) * delta * weight[h];
	__syncwarp(0xffff); /* all have read the weights */
	change[h] = RATE * delta * value[h] + MOMENTUM * change[h];
	weight[h] += change[h];
}

__global__ void adjust(const float *input, const float *error, float *weight,
		       float *change, int n)
{
	int h = threadIdx.x, i = blockIdx.x * ROWS + threadIdx.y;
	size_t w = (size_t)i * HIDDEN + h;

	if (i >= n)
		return;
	change[w] = RATE * error[h] * input[i] + MOMENTUM * change[w];
	weight[w] += change[w];
}

/* One training step on the CPU; `change` holds the previous change. */
static void train_cpu(const float *input, int n, double *first, double *change1,
		      double *second, double *change2, double *hidden)
{
	double output = 0, delta;

	for (int h = 0; h < HIDDEN; h++) {
		double sum = 0;

		for (int i = 0; i < n; i++)
			sum += input[i] * first[(size_t)i * HIDDEN + h];
		hidden[h] = 1 / (1 + exp(-sum));
		output += hidden[h] * second[h];
	}
	output = 1 / (1 + exp(-output));
	delta = output * (1 - output) * (TARGET - output);
	for (int h = 0; h < HIDDEN; h++) {
		double error = hidden[h] * (1 - hidden[h]) * delta * second[h];

		change2[h] = RATE * delta * hidden[h] + MOMENTUM * change2[h];
		second[h] += change2[h];
		for (int i = 0; i < n; i++) {
			size_t w = (size_t)i * HIDDEN + h;

			change1[w] =
				RATE * error * input[i] + MOMENTUM * change1[w];
			first[w] += change1[w];
		}
	}
}

/* Trains on the GPU; copies weights and hidden values back. */
static void train(const float *input, int n, float *first, float *second,
		  float *hidden)
{
	size_t weights = (size_t)n * HIDDEN;
	int blocks = blocks_of(n, ROWS);
	dim3 block(HIDDEN, ROWS);
	float *in = device_copy(input, n), *w1 = device_copy(first, weights);
	float *w2 = device_copy(second, HIDDEN);
	float *change1 = device_alloc<float>(weights);
	float *change2 = device_alloc<float>(HIDDEN);
	float *partial = device_alloc<float>((size_t)blocks * HIDDEN);
	float *value = device_alloc<float>(HIDDEN);
	float *error = device_alloc<float>(HIDDEN);

	CHECK(cudaMemset(change1, 0, weights * sizeof *change1));
	CHECK(cudaMemset(change2, 0, HIDDEN * sizeof *change2));
	for (int step = 0; step < STEPS; step++) {
		forward<<<blocks, block>>>(in, w1, partial, n);
		CHECK_LAUNCH();
		middle<<<1, block>>>(partial, blocks, value, w2, change2,
				     error);
		CHECK_LAUNCH();
		adjust<<<blocks, block>>>(in, error, w1, change1, n);
		CHECK_LAUNCH();
	}
	from_device(first, w1, weights);
	from_device(second, w2, HIDDEN);
	from_device(hidden, value, HIDDEN);

	float *all[] = { in, w1, w2, change1, change2, partial, value, error };

	for (float *p : all)
		CHECK(cudaFree(p));
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	size_t weights = (size_t)n * HIDDEN;
	float *input = host_alloc<float>(n);
	float *first = host_alloc<float>(weights);
	double *cpu = host_alloc<double>(weights);
	double *change = host_alloc<double>(weights);
	float *want = host_alloc<float>(weights);
	float second[HIDDEN], hidden[HIDDEN];
	float want_second[HIDDEN], want_hidden[HIDDEN];
	double cpu2[HIDDEN], change2[HIDDEN] = { 0 }, hidden2[HIDDEN];

	/* Sums of n products, and what training adds to them, stay small. */
	random_floats(input, n, 0, 2 / sqrtf((float)n), 1);
	random_floats(first, weights, -1, 1, 2);
	random_floats(second, HIDDEN, -1, 1, 3);
	for (size_t w = 0; w < weights; w++)
		cpu[w] = first[w];
	for (int h = 0; h < HIDDEN; h++)
		cpu2[h] = second[h];

	train(input, n, first, second, hidden);
	for (int step = 0; step < STEPS; step++)
		train_cpu(input, n, cpu, change, cpu2, change2, hidden2);
	for (int h = 0; h < HIDDEN; h++) {
		want_hidden[h] = (float)hidden2[h];
		want_second[h] = (float)cpu2[h];
	}
	for (size_t w = 0; w < weights; w++)
		want[w] = (float)cpu[w];
	check_close(&self, hidden, want_hidden, HIDDEN, 1e-4, 0, "hidden");
	check_close(&self, second, want_second, HIDDEN, 0, 1e-5, "second");
	/* Training changes these weights little: the error is a few roundings.
	 * */
	check_close(&self, first, want, weights, 0, 5e-7, "first");

	void *all[] = { input, first, cpu, change, want };

	for (void *p : all)
		free(p);
	return report(&self);
}
