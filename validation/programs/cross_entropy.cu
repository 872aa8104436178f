/*
 * The loss of a classifier and its gradient: rows of logits in half precision,
 * one label each (some are ignored), label smoothing; a block for each row of a
 * large vocabulary of odd size, a tile of eight lanes for each row of few classes,
 * and the mean of all rows by the last block that is done.
 *
 * SIZE: classes of the large vocabulary.
 */
#include "common.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

#define THREADS 256
#define SMOOTH 0.1f
#define IGNORED (-100)

static struct workload self = { "cross_entropy", "classes", 20001, 100,
				1 << 20 };

struct online {
	float most, sum;
};

__device__ static struct online joined(struct online a, struct online b)
{
	struct online c = { fmaxf(a.most, b.most), 0 };

	c.sum = a.sum * __expf(a.most - c.most) +
		b.sum * __expf(b.most - c.most);
	return c;
}

__global__ void rows_block(int n, const __half *in, const int *label,
			   float *loss, __half *gradient)
{
	__shared__ struct online parts[THREADS / WARP];
	__shared__ float means[THREADS / WARP];
	const __half *row = in + (size_t)blockIdx.x * n;
	__half *to = gradient + (size_t)blockIdx.x * n;
	struct online own = { -1e30f, 0 };
	float mean = 0;
	int wanted = label[blockIdx.x];

	if (wanted == IGNORED) {
		for (int i = threadIdx.x; i < n; i += THREADS)
			to[i] = __float2half(0);
		if (threadIdx.x == 0)
			loss[blockIdx.x] = 0;
		return;
	}
	for (int i = threadIdx.x; i < n; i += THREADS) {
		float v = __half2float(row[i]);
		struct online one = { v, 1 };

		own = joined(own, one);
		mean += v;
	}
	for (int d = WARP / 2; d > 0; d /= 2) {
		struct online other = { __shfl_xor_sync(ALL, own.most, d),
					__shfl_xor_sync(ALL, own.sum, d) };
		own = joined(own, other);
		mean += __shfl_xor_sync(ALL, mean, d);
	}
	if (threadIdx.x % WARP == 0) {
		parts[threadIdx.x / WARP] = own;
		means[threadIdx.x / WARP] = mean;
	}
	__syncthreads();
	own = parts[0];
	mean = means[0];
	for (int w = 1; w < THREADS / WARP; w++) {
		own = joined(own, parts[w]);
		mean += means[w];
	}
	if (threadIdx.x == 0)
		loss[blockIdx.x] = logf(own.sum) + own.most -
				   (1 - SMOOTH) * __half2float(row[wanted]) -
				   SMOOTH / n * mean;
	float scale = 1 / own.sum;
	for (int i = threadIdx.x; i < n; i += THREADS) {
		float p = __expf(__half2float(row[i]) - own.most) * scale;

		to[i] = __float2half(p - SMOOTH / n -
				     (i == wanted ? 1 - SMOOTH : 0));
	}
}

__global__ void rows_tile(int rows, int n, const __half *in, const int *label,
			  float *loss)
{
	cg::thread_block_tile<8> tile =
		cg::tiled_partition<8>(cg::this_thread_block());
	int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
	float most = -1e30f, sum = 0, mean = 0;

	if (row >= rows)
		return;
	in += (size_t)row * n;
	for (int i = tile.thread_rank(); i < n; i += 8)
		most = fmaxf(most, __half2float(in[i]));
	most = cg::reduce(tile, most, cg::greater<float>());
	for (int i = tile.thread_rank(); i < n; i += 8) {
		float v = __half2float(in[i]);

		sum += expf(v - most);
		mean += v;
	}
	sum = cg::reduce(tile, sum, cg::plus<float>());
	mean = cg::reduce(tile, mean, cg::plus<float>());
	if (tile.thread_rank() == 0)
		loss[row] =
			label[row] == IGNORED ?
				0 :
				logf(sum) + most -
					(1 - SMOOTH) *
						__half2float(in[label[row]]) -
					SMOOTH / n * mean;
}

/* Parts in the order of blocks, whichever block is the last. */
__global__ void mean_loss(int rows, const float *loss, const int *label,
			  float2 *parts, unsigned *done, float *mean)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<WARP> warp = cg::tiled_partition<WARP>(block);
	__shared__ float2 own[THREADS / WARP];
	__shared__ bool last;
	int i = blockIdx.x * THREADS + threadIdx.x;
	float sum = i < rows ? loss[i] : 0;
	float count = i < rows && label[i] != IGNORED;

	sum = cg::reduce(warp, sum, cg::plus<float>());
	count = cg::reduce(warp, count, cg::plus<float>());
	if (warp.thread_rank() == 0)
		own[warp.meta_group_rank()] = make_float2(sum, count);
	block.sync();
	if (threadIdx.x > 0)
		return;
	for (int w = 1; w < THREADS / WARP; w++) {
		own[0].x += own[w].x;
		own[0].y += own[w].y;
	}
	parts[blockIdx.x] = own[0];
	__threadfence();
	last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
	if (!last)
		return;
	__threadfence();
	float2 all = make_float2(0, 0);
	for (int b = 0; b < gridDim.x; b++) {
		all.x += ((volatile float2 *)parts)[b].x;
		all.y += ((volatile float2 *)parts)[b].y;
	}
	*mean = all.x / all.y;
}

static void run(int rows, int n)
{
	array<__half> in((size_t)rows * n), gradient(in.n);
	array<float> loss(rows), want(rows), got(in.n), slope(in.n), mean(1);
	array<int> label(rows);
	array<float2> parts(blocks_of(rows, THREADS));
	array<unsigned> done(1);
	uint64_t seed = rows + n;
	double sum = 0, count = 0;
	float expected;

	for (size_t i = 0; i < in.n; i++)
		in[i] = __float2half(random_float(&seed) * 12 - 6);
	for (int r = 0; r < rows; r++) {
		const __half *row = in.host + (size_t)r * n;
		double all = 0, average = 0;

		label[r] = r % 7 == 5 ? IGNORED : (int)random_below(&seed, n);
		if (label[r] == IGNORED)
			continue;
		for (int i = 0; i < n; i++) {
			all += exp(__half2float(row[i]));
			average += __half2float(row[i]) / n;
		}
		want[r] = log(all) - SMOOTH * average -
			  (1 - SMOOTH) * __half2float(row[label[r]]);
		for (int i = 0; i < n; i++)
			slope[(size_t)r * n + i] =
				exp(__half2float(row[i])) / all - SMOOTH / n -
				(i == label[r] ? 1 - SMOOTH : 0);
		sum += want[r];
		count++;
	}
	expected = sum / count;
	in.upload();
	label.upload();
	done.fill(0);
	if (n > 128) {
		rows_block<<<rows, THREADS>>>(n, in.device, label.device,
					      loss.device, gradient.device);
		CHECK_LAUNCH();
		gradient.download();
		for (size_t i = 0; i < in.n; i++)
			got[i] = __half2float(gradient[i]);
		check_close(&self, got.host, slope.host, in.n, 2e-3, 1e-6,
			    "gradient");
	} else {
		rows_tile<<<blocks_of(rows, 16), 128>>>(
			rows, n, in.device, label.device, loss.device);
	}
	mean_loss<<<blocks_of(rows, THREADS), THREADS>>>(
		rows, loss.device, label.device, parts.device, done.device,
		mean.device);
	CHECK_LAUNCH();
	loss.download();
	mean.download();
	check_close(&self, loss.host, want.host, rows, 1e-4, 1e-4, "loss");
	check_close(&self, mean.host, &expected, 1, 1e-4, 0, "mean");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(3, n);
	run(100, n / 9 + 1);
	run(500, 10);
	run(12000, 37);
	return report(&self);
}
