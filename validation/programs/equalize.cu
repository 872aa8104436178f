/*
 * Histogram equalization of an image of bytes: a histogram with privatized bins
 * (sixteen bytes of a thread at a time), a prefix sum of 256 bins by one block,
 * and a mapping through a table.
 *
 * SIZE: pixels of the largest image, a multiple of 16.
 */
#include "common.h"

#define BINS 256
#define THREADS 256

static struct workload self = { "equalize", "pixels", 1 << 21, 4096, 1 << 24 };

typedef unsigned char pixel;

__global__ void histogram(int groups, const uint4 *image, unsigned *bins)
{
	__shared__ unsigned s[BINS];

	s[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < groups;
	     i += gridDim.x * THREADS) {
		uint4 v = image[i];
		unsigned word[4] = { v.x, v.y, v.z, v.w };

		for (int k = 0; k < 16; k++)
			atomicAdd(&s[word[k / 4] >> k % 4 * 8 & 255], 1);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void make_table(const unsigned *bins, int pixels, pixel *table)
{
	__shared__ unsigned s[BINS];
	int t = threadIdx.x;

	s[t] = bins[t];
	for (int d = 1; d < BINS; d *= 2) {
		__syncthreads();
		unsigned other = t >= d ? s[t - d] : 0;
		__syncthreads();
		s[t] += other;
	}
	table[t] = (unsigned long long)s[t] * 255 / pixels;
}

__global__ void map(int words, const unsigned *in, const pixel *table,
		    unsigned *out)
{
	__shared__ pixel s[BINS];
	int i = blockIdx.x * THREADS + threadIdx.x;

	s[threadIdx.x] = table[threadIdx.x];
	__syncthreads();
	if (i >= words)
		return;
	unsigned v = in[i];
	out[i] = s[v & 255] | s[v >> 8 & 255] << 8 | s[v >> 16 & 255] << 16 |
		 (unsigned)s[v >> 24] << 24;
}

static void run(int n, int blocks)
{
	array<pixel> in(n), out(n), want(n), table(BINS);
	array<unsigned> bins(BINS);
	uint64_t random = n;
	unsigned long long below = 0;

	for (int i = 0; i < n; i++) {
		in[i] = (random_below(&random, 100) +
			 random_below(&random, 100)) /
				2 +
			40;
		bins[in[i]]++;
	}
	for (int i = 0; i < BINS; i++) {
		below += bins[i];
		table[i] = below * 255 / n;
	}
	for (int i = 0; i < n; i++)
		want[i] = table[in[i]];
	in.upload();
	bins.fill(0);
	histogram<<<blocks, THREADS>>>(n / 16, (const uint4 *)in.device,
				       bins.device);
	make_table<<<1, BINS>>>(bins.device, n, table.device);
	map<<<blocks_of(n / 4, THREADS), THREADS>>>(n / 4,
						    (const unsigned *)in.device,
						    table.device,
						    (unsigned *)out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, n);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 16 * 16;

	run(4096, 1);
	run(n / 16 / 16 * 16, 66);
	run(n, 264);
	return report(&self);
}
