/*
 * Rows gathered from a large table by random numbers (float4 by float4), sums of
 * bags of rows, and gradients scattered back by atomics.
 *
 * SIZE: rows of the table. Values are multiples of 1/64 and sums exact.
 */
#include "common.h"

#define WIDTH 64
#define BAG 8

static struct workload self = { "embedding", "rows", 65536, 256, 1 << 20 };

/* Sixteen threads for a row. */
__global__ void gather(int count, const int *index, const float4 *table,
		       float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count * (WIDTH / 4))
		out[i] = table[index[i / (WIDTH / 4)] * (WIDTH / 4) +
			       i % (WIDTH / 4)];
}

__global__ void bags(int count, const int *index, const float *table,
		     float *out)
{
	int bag = blockIdx.x * blockDim.y + threadIdx.y, c = threadIdx.x;
	float sum = 0;

	if (bag >= count)
		return;
	for (int k = 0; k < BAG; k++)
		sum += table[(size_t)index[bag * BAG + k] * WIDTH + c];
	out[bag * WIDTH + c] = sum;
}

__global__ void scatter(int count, const int *index, const float *gradient,
			float *table)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count * WIDTH)
		atomicAdd(&table[(size_t)index[i / WIDTH] * WIDTH + i % WIDTH],
			  gradient[i]);
}

static void run(int rows, int count)
{
	array<int> index(count * BAG);
	array<float> table((size_t)rows * WIDTH), out(count * WIDTH);
	array<float> want(count * WIDTH), sums((size_t)rows * WIDTH);

	random_ints(index, rows, count);
	random_exact(table, rows);
	index.upload();
	table.upload();
	gather<<<blocks_of(count * WIDTH / 4, 256), 256>>>(
		count, index.device, (const float4 *)table.device,
		(float4 *)out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < count * WIDTH; i++)
		want[i] = table[(size_t)index[i / WIDTH] * WIDTH + i % WIDTH];
	out.download();
	check_exact(&self, out.host, want.host, out.n, "gather");

	sums.fill(0);
	scatter<<<blocks_of(count * WIDTH, 256), 256>>>(
		count, index.device, out.device, sums.device);
	CHECK_LAUNCH();
	float *want_sums = host_alloc<float>(sums.n);
	for (int i = 0; i < count * WIDTH; i++)
		want_sums[(size_t)index[i / WIDTH] * WIDTH + i % WIDTH] +=
			out[i];
	sums.download();
	check_exact(&self, sums.host, want_sums, sums.n, "scatter");
	free(want_sums);

	bags<<<blocks_of(count, 4), dim3(WIDTH, 4)>>>(count, index.device,
						      table.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < count * WIDTH; i++) {
		want[i] = 0;
		for (int k = 0; k < BAG; k++)
			want[i] +=
				table[(size_t)index[i / WIDTH * BAG + k] * WIDTH +
				      i % WIDTH];
	}
	out.download();
	check_exact(&self, out.host, want.host, out.n, "bags");
}

int main(int argc, char **argv)
{
	int rows = size_arg(&self, argc, argv);

	run(rows / 16, 32);
	run(rows / 4, 1024);
	run(rows, 8192);
	return report(&self);
}
