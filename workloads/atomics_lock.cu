/*
 * Three ways to synchronize the threads of a grid:
 * - spin locks of atomicCAS and atomicExch around records of several words,
 *   taken by every lane of a warp, which needs independent progress of lanes or
 *   a loop written as below;
 * - a reduction in one launch, where the block that draws the last ticket adds
 *   up what the others left before their __threadfence();
 * - an operation that the hardware lacks, the maximum of floats, as a loop
 *   around atomicCAS.
 *
 * SIZE: threads, each with one transaction. Compared, exactly, with the host's
 * sums, counts and maximum; every transaction also checks that the record it
 * got is consistent.
 */
#include "common.h"

#define THREADS 64
#define ACCOUNTS 48

static struct workload self = { "atomics_lock", "threads", 1024, 1, 1 << 20 };

struct account {
	int lock;
	unsigned count, sum, check; /* check: sum ^ count, always */
};

__host__ __device__ static int account_of(int i)
{
	return (i * 7 + i / 32) % ACCOUNTS;
}

__device__ void transact(struct account *a, unsigned amount, int *torn)
{
	volatile struct account *v = a;

	for (bool done = false; !done;) {
		if (atomicCAS(&a->lock, 0, 1) != 0)
			continue;
		__threadfence();
		if (v->check != (v->sum ^ v->count))
			atomicAdd(torn, 1);
		v->count = v->count + 1;
		v->sum = v->sum + amount;
		v->check = v->sum ^ v->count;
		__threadfence();
		atomicExch(&a->lock, 0);
		done = true;
	}
}

__global__ void transactions(const unsigned *amount, int n,
			     struct account *accounts, int *torn)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		transact(&accounts[account_of(i)], amount[i], torn);
}

/* The sum over the block, valid in thread 0. */
__device__ unsigned block_sum(unsigned x)
{
	__shared__ unsigned part[THREADS];
	int t = threadIdx.x;

	__syncthreads();
	part[t] = x;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			part[t] += part[t + d];
	}
	return part[0];
}

/* *tickets is 0 before the launch, and again after it. */
__global__ void reduce(const unsigned *x, int n, volatile unsigned *parts,
		       unsigned *tickets, unsigned *sum)
{
	__shared__ bool last;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned mine = block_sum(i < n ? x[i] : 0);

	if (threadIdx.x == 0) {
		parts[blockIdx.x] = mine;
		__threadfence();
		last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
	mine = 0;
	for (int b = threadIdx.x; b < (int)gridDim.x; b += THREADS)
		mine += parts[b];
	mine = block_sum(mine);
	if (threadIdx.x == 0)
		*sum = mine;
}

__device__ void atomic_max(float *at, float x)
{
	unsigned *word = (unsigned *)at, old = *word, seen;

	while (__uint_as_float(old) < x) {
		seen = atomicCAS(word, old, __float_as_uint(x));
		if (seen == old)
			break;
		old = seen;
	}
}

__global__ void maximum(const unsigned *x, int n, float *result)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomic_max(result, (float)x[i] - 1000.0f);
}

static void check_accounts(const struct account *got, const unsigned *amount,
			   int n)
{
	struct account want[ACCOUNTS] = {};

	for (int i = 0; i < n; i++) {
		want[account_of(i)].count++;
		want[account_of(i)].sum += amount[i];
	}
	for (int a = 0; a < ACCOUNTS; a++) {
		if (got[a].count != want[a].count)
			note_wrong(&self, a, got[a].count, want[a].count,
				   "counts of accounts");
		if (got[a].sum != want[a].sum)
			note_wrong(&self, a, got[a].sum, want[a].sum,
				   "sums of accounts");
		if (got[a].lock)
			note_wrong(&self, a, got[a].lock, 0, "locks");
	}
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	unsigned *amount = host_alloc<unsigned>(n), sum = 0, got_sum;
	struct account accounts[ACCOUNTS] = {};
	float largest = -1000, got_largest = largest;
	int torn = 0, none = 0;
	uint64_t random = 1;

	for (int i = 0; i < n; i++) {
		amount[i] = random_below(&random, 1 << 20);
		sum += amount[i];
		if ((float)amount[i] - 1000.0f > largest)
			largest = (float)amount[i] - 1000.0f;
	}
	unsigned *damount = device_copy(amount, n);
	struct account *daccounts = device_copy(accounts, ACCOUNTS);
	unsigned *parts = device_alloc<unsigned>(blocks);
	unsigned *tickets = device_alloc<unsigned>(1);
	unsigned *dsum = device_alloc<unsigned>(1);
	float *dlargest = device_copy(&got_largest, 1);
	int *dtorn = device_copy(&none, 1);

	transactions<<<blocks, THREADS>>>(damount, n, daccounts, dtorn);
	CHECK_LAUNCH();
	from_device(accounts, daccounts, ACCOUNTS);
	check_accounts(accounts, amount, n);
	from_device(&torn, dtorn, 1);
	check_exact(&self, &torn, &none, 1, "torn records");

	CHECK(cudaMemset(tickets, 0, sizeof *tickets));
	for (int again = 0; again < 2; again++) {
		CHECK(cudaMemset(dsum, 0xff, sizeof *dsum));
		reduce<<<blocks, THREADS>>>(damount, n, parts, tickets, dsum);
		CHECK_LAUNCH();
		from_device(&got_sum, dsum, 1);
		check_exact(&self, &got_sum, &sum, 1, "reduction");
	}

	maximum<<<blocks, THREADS>>>(damount, n, dlargest);
	CHECK_LAUNCH();
	from_device(&got_largest, dlargest, 1);
	check_exact(&self, &got_largest, &largest, 1, "maximum");

	cudaFree(damount);
	cudaFree(daccounts);
	cudaFree(parts);
	cudaFree(tickets);
	cudaFree(dsum);
	cudaFree(dlargest);
	cudaFree(dtorn);
	free(amount);
	return report(&self);
}
