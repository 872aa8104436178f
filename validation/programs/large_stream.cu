/*
 * Arrays that are larger than the caches, once through: a copy by 16 bytes, a sum
 * of two arrays by 4 bytes, a copy of every eighth element, a gather of single
 * elements from everywhere, and an array that is only written.
 *
 * SIZE: elements of the largest arrays, a multiple of 32.
 */
#include "common.h"

#define THREADS 256

static struct workload self = { "large_stream", "elements", 1 << 24, 4096,
				1 << 26 };

__global__ void copy(int n, const uint4 *in, uint4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i];
}

__global__ void add(int n, const unsigned *a, const unsigned *b, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = a[i] + b[i];
}

__global__ void thin(int n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[8 * i];
}

__host__ __device__ static inline unsigned place(unsigned i, unsigned n)
{
	return (i * 2654435761u ^ i << 7) % n;
}

__global__ void gather(int count, unsigned n, const unsigned *in, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = in[place(i, n)];
}

/* Each thread writes four elements, a warp's apart. */
__global__ void fill(int n, unsigned value, unsigned *out)
{
	int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;

	for (int k = 0; k < 4; k++, i += blockDim.x)
		if (i < n)
			out[i] = value ^ i;
}

static void run(int n)
{
	array<unsigned> a(n), b(n), out(n), want(n);
	int some = n / 8;

	random_ints(a, 1u << 31, n);
	random_ints(b, 1u << 31, n + 1);
	a.upload();
	b.upload();
	copy<<<blocks_of(n / 4, THREADS), THREADS>>>(
		n / 4, (const uint4 *)a.device, (uint4 *)out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, a.host, n, "copy");

	add<<<blocks_of(n / 2, THREADS), THREADS>>>(n / 2, a.device, b.device,
						    out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n / 2; i++)
		want[i] = a[i] + b[i];
	out.download();
	check_exact(&self, out.host, want.host, n / 2, "add");

	thin<<<blocks_of(some, THREADS), THREADS>>>(some, a.device, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < some; i++)
		want[i] = a[8 * i];
	out.download();
	check_exact(&self, out.host, want.host, some, "thin");

	gather<<<blocks_of(some / 4, THREADS), THREADS>>>(some / 4, n, a.device,
							  out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < some / 4; i++)
		want[i] = a[place(i, n)];
	out.download();
	check_exact(&self, out.host, want.host, some / 4, "gather");

	fill<<<blocks_of(n, 4 * THREADS), THREADS>>>(n, 12345, out.device);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		want[i] = 12345 ^ i;
	out.download();
	check_exact(&self, out.host, want.host, n, "fill");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv) / 32 * 32;

	run(n / 8 / 32 * 32);
	run(n);
	return report(&self);
}
