/*
 * malloc() and free() on the device. In one launch every thread builds a list
 * of cells of different lengths on the device's heap, in a second one it sums
 * the list up and frees it; in between, blocks share a buffer that one of their
 * threads allocated. This is repeated, so that freed memory is reused.
 *
 * SIZE: threads. Compared, exactly, with sums that the host computes without
 * any lists; an allocation that fails is counted and makes the result wrong.
 */
#include "common.h"

#define THREADS 64
#define CELLS 5    /* of each thread */
#define LONGEST 12 /* words in a cell */
#define ROUNDS 2

static struct workload self = { "device_heap", "threads", 1024, 1, 1 << 18 };

/* The words of the cell follow it. */
struct cell {
	struct cell *next;
	int count;
};

__host__ __device__ static unsigned mix(unsigned a, unsigned b)
{
	a = (a ^ b * 0x85ebca6bu) * 0x9e3779b1u;
	return a ^ a >> 15;
}

__host__ __device__ static int cell_length(int thread, int i)
{
	return 1 + mix(thread, i) % LONGEST;
}

__global__ void build(struct cell **lists, int n, unsigned seed, int *failed)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	struct cell *head = NULL;

	if (t >= n)
		return;
	for (int i = 0; i < CELLS; i++) {
		int count = cell_length(t, i);
		struct cell *c = (struct cell *)malloc(
			sizeof *c + count * sizeof(unsigned));

		if (!c) {
			atomicAdd(failed, 1);
			continue;
		}
		unsigned *word = (unsigned *)(c + 1);
		for (int j = 0; j < count; j++)
			word[j] = mix(seed + t, i * LONGEST + j);
		c->count = count;
		c->next = head;
		head = c;
	}
	lists[t] = head;
}

/* Each thread writes a word of the block's buffer and reads that of another. */
__global__ void share(unsigned *seen, int n, int *failed)
{
	__shared__ unsigned *buffer;
	int t = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		buffer = (unsigned *)malloc(blockDim.x * sizeof *buffer);
	__syncthreads();
	if (!buffer) {
		if (threadIdx.x == 0)
			atomicAdd(failed, 1);
		return;
	}
	buffer[threadIdx.x] = mix(t, 1);
	__syncthreads();
	if (t < n)
		seen[t] = buffer[blockDim.x - 1 - threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0)
		free(buffer);
}

__global__ void sum_and_free(struct cell **lists, int n, unsigned *sums)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	struct cell *next;
	unsigned sum = 0;

	if (t >= n)
		return;
	for (struct cell *c = lists[t]; c; c = next) {
		const unsigned *word = (const unsigned *)(c + 1);

		for (int j = 0; j < c->count; j++)
			sum = sum * 31 + word[j];
		next = c->next;
		free(c);
	}
	sums[t] = sum;
}

/* The lists are last in, first out. */
static unsigned expected_sum(int thread, unsigned seed)
{
	unsigned sum = 0;

	for (int i = CELLS - 1; i >= 0; i--)
		for (int j = 0; j < cell_length(thread, i); j++)
			sum = sum * 31 + mix(seed + thread, i * LONGEST + j);
	return sum;
}

static unsigned expected_seen(int thread)
{
	int first = thread / THREADS * THREADS;

	return mix(first + THREADS - 1 - thread % THREADS, 1);
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	unsigned *got = host_alloc<unsigned>(n);
	unsigned *want = host_alloc<unsigned>(n);
	int failures = 0, none = 0;

	/* Generous: an allocator may round a cell up to 256 bytes. */
	CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize,
				 ((size_t)8 << 20) +
					 (size_t)n * CELLS * 256 * 2));
	struct cell **lists = device_alloc<struct cell *>(n);
	unsigned *result = device_alloc<unsigned>(n);
	int *failed = device_copy(&none, 1);

	for (unsigned round = 0; round < ROUNDS; round++) {
		build<<<blocks, THREADS>>>(lists, n, 1000 * round, failed);
		share<<<blocks, THREADS>>>(result, n, failed);
		CHECK_LAUNCH();
		from_device(got, result, n);
		for (int t = 0; t < n; t++)
			want[t] = expected_seen(t);
		check_exact(&self, got, want, n, "shared buffers");

		sum_and_free<<<blocks, THREADS>>>(lists, n, result);
		CHECK_LAUNCH();
		from_device(got, result, n);
		for (int t = 0; t < n; t++)
			want[t] = expected_sum(t, 1000 * round);
		check_exact(&self, got, want, n, "lists");
	}
	from_device(&failures, failed, 1);
	check_exact(&self, &failures, &none, 1, "failed allocations");

	cudaFree(lists);
	cudaFree(result);
	cudaFree(failed);
	free(got);
	free(want);
	return report(&self);
}
