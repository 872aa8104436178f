/*
 * The k largest values of each row with their columns, as inference of language
 * models samples them: a warp whose lanes keep sorted lists in registers and
 * choose the best head k times, and a block that finds the k-th value digit by
 * digit with histograms of eight bits in shared memory.
 *
 * SIZE: columns of the wide rows.
 */
#include "common.h"

#include <algorithm>
#include <vector>

#define K 8
#define THREADS 256

static struct workload self = { "top_k", "columns", 16384, 256, 1 << 17 };

struct best {
	float value;
	int column;
};

/* Larger values first; of equal ones the lower column. */
__host__ __device__ static bool before(float a, int i, float b, int j)
{
	return a > b || (a == b && i < j);
}

__global__ void top_of_warp(int rows, int n, const float *in, struct best *out)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	float value[K];
	int column[K];

	if (row >= rows)
		return;
#pragma unroll
	for (int k = 0; k < K; k++) {
		value[k] = -INFINITY;
		column[k] = n;
	}
	for (int i = lane; i < n; i += WARP) {
		float v = in[(size_t)row * n + i];
		int c = i;

#pragma unroll
		for (int k = 0; k < K; k++)
			if (before(v, c, value[k], column[k])) {
				float old = value[k];
				int place = column[k];

				value[k] = v;
				column[k] = c;
				v = old;
				c = place;
			}
	}
	for (int k = 0; k < K; k++) {
		float v = value[0];
		int c = column[0];

#pragma unroll
		for (int d = WARP / 2; d > 0; d /= 2) {
			float other = __shfl_xor_sync(ALL, v, d);
			int at = __shfl_xor_sync(ALL, c, d);

			if (before(other, at, v, c)) {
				v = other;
				c = at;
			}
		}
		if (c == column[0]) {
#pragma unroll
			for (int i = 0; i < K - 1; i++) {
				value[i] = value[i + 1];
				column[i] = column[i + 1];
			}
			value[K - 1] = -INFINITY;
			column[K - 1] = n;
		}
		if (lane == 0)
			out[row * K + k] = best{ v, c };
	}
}

/* Floats as unsigned numbers in the same order. */
__device__ static unsigned ordered(float v)
{
	unsigned bits = __float_as_uint(v);

	return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

/* The k-th largest value of each row, and how many are larger. */
__global__ void radix_select(int n, int k, const float *in, unsigned *kth,
			     int *larger)
{
	__shared__ unsigned bins[256], prefix_of, left_of;
	const float *row = in + (size_t)blockIdx.x * n;
	unsigned prefix = 0, left = k;

	for (int shift = 24; shift >= 0; shift -= 8) {
		bins[threadIdx.x] = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += THREADS) {
			unsigned v = ordered(row[i]);

			if (shift == 24 || (v ^ prefix) >> (shift + 8) == 0)
				atomicAdd(&bins[v >> shift & 255], 1);
		}
		__syncthreads();
		unsigned above = 0;
		for (int b = threadIdx.x + 1; b < 256; b++)
			above += bins[b];
		if (above < left && above + bins[threadIdx.x] >= left) {
			prefix_of = prefix | (unsigned)threadIdx.x << shift;
			left_of = left - above;
		}
		__syncthreads();
		prefix = prefix_of;
		left = left_of;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		kth[blockIdx.x] = prefix;
		larger[blockIdx.x] = k - left;
	}
}

static void run(int rows, int n, int k)
{
	array<float> in((size_t)rows * n);
	array<struct best> out(rows * K);
	array<float> got(rows * K), want(rows * K);
	array<int> at(rows * K), want_at(rows * K);
	array<unsigned> kth(rows), want_kth(rows);
	array<int> larger(rows), want_larger(rows);
	std::vector<int> order(n);

	random_floats(in, -10, 10, n + rows);
	in.upload();
	for (int r = 0; r < rows; r++) {
		const float *row = in.host + (size_t)r * n;

		for (int i = 0; i < n; i++)
			order[i] = i;
		std::sort(order.begin(), order.end(), [=](int i, int j) {
			return before(row[i], i, row[j], j);
		});
		for (int i = 0; i < K; i++) {
			want[r * K + i] = row[order[i]];
			want_at[r * K + i] = order[i];
		}
		float v = row[order[k - 1]];
		unsigned bits;
		memcpy(&bits, &v, sizeof bits);
		want_kth[r] = bits & 0x80000000 ? ~bits : bits | 0x80000000;
		while (row[order[want_larger[r]]] > v)
			want_larger[r]++;
	}
	top_of_warp<<<blocks_of(rows, 2), 2 * WARP>>>(rows, n, in.device,
						      out.device);
	radix_select<<<rows, THREADS>>>(n, k, in.device, kth.device,
					larger.device);
	CHECK_LAUNCH();
	out.download();
	kth.download();
	larger.download();
	for (int i = 0; i < rows * K; i++) {
		got[i] = out[i].value;
		at[i] = out[i].column;
	}
	check_exact(&self, got.host, want.host, rows * K, "values");
	check_exact(&self, at.host, want_at.host, rows * K, "columns");
	check_exact(&self, kth.host, want_kth.host, rows, "k-th");
	check_exact(&self, larger.host, want_larger.host, rows, "larger");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(1, n, 50);
	run(9, n / 3 + 1, 200);
	run(300, 257, 40);
	run(40, n / 8, 10);
	return report(&self);
}
