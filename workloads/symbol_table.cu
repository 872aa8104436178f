/*
 * Variables of the device seen from the host, and pointers to device functions:
 * a small interpreter whose program and operands lie in constant memory and
 * whose operations are called through a table of function pointers in global
 * memory. The host copies to and from these symbols, patches one instruction
 * at an offset, clears counters through a symbol's address, exchanges two
 * function pointers of the table, and passes one to a kernel.
 *
 * SIZE: values that the program runs on, each by a thread. Compared, exactly,
 * with the host's own interpreter and counts.
 */
#include "common.h"

#define THREADS 128
#define LENGTH 12 /* instructions of the program */
#define OPERATIONS 4

static struct workload self = { "symbol_table", "values", 8192, 1, 1 << 26 };

typedef unsigned (*operation)(unsigned, unsigned);

__host__ __device__ static unsigned add(unsigned x, unsigned y)
{
	return x + y;
}

__host__ __device__ static unsigned exclusive_or(unsigned x, unsigned y)
{
	return x ^ y;
}

__host__ __device__ static unsigned rotate(unsigned x, unsigned y)
{
	return x << (y & 31) | x >> (-y & 31);
}

__host__ __device__ static unsigned multiply(unsigned x, unsigned y)
{
	return x * (y | 1);
}

static const operation on_host[OPERATIONS] = { add, exclusive_or, rotate,
					       multiply };
__device__ operation table[OPERATIONS] = { add, exclusive_or, rotate,
					   multiply };
__constant__ unsigned char program[LENGTH];
__constant__ unsigned operand[LENGTH] = { 1, 2, 3 }; /* overwritten */
__device__ unsigned executed[OPERATIONS];

/* Instructions differ between odd and even values: the calls diverge. */
__global__ void interpret(unsigned *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned v = x[i];
	for (int pc = 0; pc < LENGTH; pc++) {
		int op = (program[pc] + i % 2) % OPERATIONS;

		v = table[op](v, operand[pc]);
	}
	x[i] = v;
	atomicAdd(&executed[program[i % LENGTH]], 1u);
}

__global__ void apply(operation f, unsigned *x, int n, unsigned y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = f(x[i], y);
}

/* The operations with two exchanged, as in the table on the device. */
static operation exchanged(int op)
{
	return on_host[op == 0 ? 3 : op == 3 ? 0 : op];
}

static void expected(unsigned *x, int n, const unsigned char *code,
		     const unsigned *with, int swapped)
{
	for (int i = 0; i < n; i++)
		for (int pc = 0; pc < LENGTH; pc++) {
			int op = (code[pc] + i % 2) % OPERATIONS;
			operation f = swapped ? exchanged(op) : on_host[op];

			x[i] = f(x[i], with[pc]);
		}
}

static void check_counts(int n, const unsigned char *code, const char *part)
{
	unsigned got[OPERATIONS], want[OPERATIONS] = { 0 };

	for (int i = 0; i < n; i++)
		want[code[i % LENGTH]]++;
	CHECK(cudaMemcpyFromSymbol(got, executed, sizeof got));
	check_exact(&self, got, want, OPERATIONS, part);
}

/* Exchanges the first and the last pointer; returns the new first one. */
static operation exchange_pointers(void)
{
	operation pointer[OPERATIONS], first;

	CHECK(cudaMemcpyFromSymbol(pointer, table, sizeof pointer));
	first = pointer[0];
	pointer[0] = pointer[OPERATIONS - 1];
	pointer[OPERATIONS - 1] = first;
	CHECK(cudaMemcpyToSymbol(table, pointer, sizeof pointer));
	return pointer[0];
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), blocks = blocks_of(n, THREADS);
	unsigned *got = host_alloc<unsigned>(n), *x = host_alloc<unsigned>(n);
	unsigned char code[LENGTH], patch;
	unsigned with[LENGTH];
	uint64_t random = 1;
	size_t size;
	void *counts;

	for (int i = 0; i < LENGTH; i++) {
		code[i] = random_below(&random, OPERATIONS);
		with[i] = (unsigned)random_bits(&random);
	}
	for (int i = 0; i < n; i++)
		x[i] = (unsigned)random_bits(&random);
	unsigned *dx = device_copy(x, n);

	CHECK(cudaMemcpyToSymbol(program, code, sizeof code));
	CHECK(cudaMemcpyToSymbol(operand, with, sizeof with));
	interpret<<<blocks, THREADS>>>(dx, n);
	CHECK_LAUNCH();
	expected(x, n, code, with, 0);
	from_device(got, dx, n);
	check_exact(&self, got, x, n, "first run");
	check_counts(n, code, "counts of the first run");

	CHECK(cudaGetSymbolAddress(&counts, executed));
	CHECK(cudaGetSymbolSize(&size, executed));
	if (size != OPERATIONS * sizeof(unsigned))
		note_wrong(&self, 0, (int)size, 16, "size of a symbol");
	CHECK(cudaMemset(counts, 0, size));
	patch = code[5] = (code[5] + 1) % OPERATIONS;
	CHECK(cudaMemcpyToSymbol(program, &patch, 1, 5));
	operation f = exchange_pointers();
	interpret<<<blocks, THREADS>>>(dx, n);
	apply<<<blocks, THREADS>>>(f, dx, n, 77);
	CHECK_LAUNCH();
	expected(x, n, code, with, 1);
	for (int i = 0; i < n; i++)
		x[i] = exchanged(0)(x[i], 77);
	from_device(got, dx, n);
	check_exact(&self, got, x, n, "second run");
	check_counts(n, code, "counts of the second run");

	cudaFree(dx);
	free(got);
	free(x);
	return report(&self);
}
