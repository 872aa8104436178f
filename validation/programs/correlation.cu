/*
 * The correlation of each pair of columns of a table: means, standard deviations,
 * standardized values, then a thread for each column that walks over all columns
 * behind it, so that the first threads have most to do (PolyBench).
 *
 * SIZE: rows of the table; it has half as many columns.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "correlation", "rows", 128, 32, 2048 };

__global__ void averages(int rows, int columns, const float *data, float *mean)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	if (j < columns) {
		float sum = 0;

		for (int i = 0; i < rows; i++)
			sum += data[i * columns + j];
		mean[j] = sum / rows;
	}
}

__global__ void deviations(int rows, int columns, const float *data,
			   const float *mean, float *deviation)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	if (j < columns) {
		float sum = 0;

		for (int i = 0; i < rows; i++) {
			float d = data[i * columns + j] - mean[j];

			sum += d * d;
		}
		deviation[j] = sqrtf(sum / rows);
		if (deviation[j] <= 0.005f)
			deviation[j] = 1;
	}
}

__global__ void standardize(int rows, int columns, float *data,
			    const float *mean, const float *deviation)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < rows && j < columns)
		data[i * columns + j] = (data[i * columns + j] - mean[j]) /
					(sqrtf((float)rows) * deviation[j]);
}

__global__ void correlate(int rows, int columns, const float *data, float *out)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;

	if (j >= columns)
		return;
	out[j * columns + j] = 1;
	for (int k = j + 1; k < columns; k++) {
		float sum = 0;

		for (int i = 0; i < rows; i++)
			sum += data[i * columns + j] * data[i * columns + k];
		out[j * columns + k] = sum;
		out[k * columns + j] = sum;
	}
}

static void expect(int rows, int columns, const float *data, float *out)
{
	array<double> mean(columns), deviation(columns);

	for (int j = 0; j < columns; j++) {
		for (int i = 0; i < rows; i++)
			mean[j] += data[i * columns + j] / (double)rows;
		for (int i = 0; i < rows; i++)
			deviation[j] += pow(data[i * columns + j] - mean[j], 2);
		deviation[j] = sqrt(deviation[j] / rows);
	}
	for (int j = 0; j < columns; j++)
		for (int k = 0; k < columns; k++) {
			double sum = 0;

			for (int i = 0; i < rows; i++)
				sum += (data[i * columns + j] - mean[j]) *
				       (data[i * columns + k] - mean[k]);
			out[j * columns + k] =
				(float)(sum / rows / deviation[j] /
					deviation[k]);
		}
}

static void table(int rows, int columns)
{
	array<float> data((size_t)rows * columns), mean(columns),
		deviation(columns), out((size_t)columns * columns), want(out.n);
	int blocks = blocks_of(columns, THREADS);

	random_floats(data, -1, 1, rows);
	for (int i = 0; i < rows; i++)
		for (int j = 1; j < columns; j += 3)
			data[i * columns + j] += data[i * columns + j - 1];
	data.upload();
	averages<<<blocks, THREADS>>>(rows, columns, data.device, mean.device);
	deviations<<<blocks, THREADS>>>(rows, columns, data.device, mean.device,
					deviation.device);
	standardize<<<dim3(blocks_of(columns, 32), blocks_of(rows, 8)),
		      dim3(32, 8)>>>(rows, columns, data.device, mean.device,
				     deviation.device);
	correlate<<<blocks, THREADS>>>(rows, columns, data.device, out.device);
	CHECK_LAUNCH();
	expect(rows, columns, data.host, want.host);
	out.download();
	check_close(&self, out.host, want.host, out.n, 1e-4, 1e-5);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	table(n / 4, n / 8);
	table(n, n / 2);
	table(n / 2, n + n / 2);
	return report(&self);
}
