/*
 * Histogram of bytes, 256 bins. Every block counts into a histogram of its own
 * in shared memory with shared atomics, then adds it to the global one with
 * global atomics. The input is skewed, as pictures are: lanes of a warp often
 * hit the same bin.
 *
 * SIZE: bytes of input. The counts are compared, exactly, with a loop on the
 * host.
 */
#include "common.h"

#define BINS 256
#define THREADS 256
#define WORDS_PER_THREAD 16

static struct workload self = { "histogram", "bytes of input", 1 << 19, 1,
				1 << 30 };

__device__ void count_word(unsigned *bins, unsigned word)
{
	for (int shift = 0; shift < 32; shift += 8)
		atomicAdd(&bins[word >> shift & 0xff], 1u);
}

/* The first block counts the n % 4 bytes after the last word. */
__global__ void histogram(const unsigned char *data, int n, unsigned *total)
{
	__shared__ unsigned bins[BINS];
	const unsigned *words = (const unsigned *)data;
	int step = gridDim.x * blockDim.x;
	int tail = n / 4 * 4 + threadIdx.x;

	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		bins[b] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4;
	     i += step)
		count_word(bins, words[i]);
	if (blockIdx.x == 0 && tail < n)
		atomicAdd(&bins[data[tail]], 1u);
	__syncthreads();
	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		if (bins[b])
			atomicAdd(&total[b], bins[b]);
}

/* The smaller of two uniform bytes: small values are frequent. */
static void make_input(unsigned char *data, int n)
{
	uint64_t random = 1;

	for (int i = 0; i < n; i++) {
		uint64_t bits = random_bits(&random);
		unsigned char a = bits >> 8, b = bits >> 16;

		data[i] = a < b ? a : b;
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	unsigned char *data = host_alloc<unsigned char>(n);
	unsigned got[BINS], want[BINS] = { 0 };
	int blocks = blocks_of(n, 4 * THREADS * WORDS_PER_THREAD);

	make_input(data, n);
	for (int i = 0; i < n; i++)
		want[data[i]]++;

	unsigned char *ddata = device_copy(data, n);
	unsigned *total = device_alloc<unsigned>(BINS);

	CHECK(cudaMemset(total, 0, BINS * sizeof *total));
	histogram<<<blocks, THREADS>>>(ddata, n, total);
	CHECK_LAUNCH();
	from_device(got, total, BINS);
	check_exact(&self, got, want, BINS);

	cudaFree(ddata);
	cudaFree(total);
	free(data);
	return report(&self);
}
