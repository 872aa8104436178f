/*
 * SArcs' five memory micro-kernels: each thread makes four accesses to global
 * memory, R reads and then W writes, R:W = 0:4, 1:3, 2:2, 3:1 and 4:0, all of
 * them coalesced. In the last one, a write depends on flags that the host
 * never sets and that are compared with the sum, so that the compiler can
 * neither drop the reads nor move them after the test.
 *
 * SIZE: threads, that is accesses of each kind; any. OPTION: the number of
 * reads, to run one of the five; without it all run, one after the other.
 * Check: what the CPU would have written, exactly (integers); memory that a
 * kernel must not write is unchanged.
 */
#include "common.h"

#define ACCESSES 4
#define THREADS 256
#define UNTOUCHED 0xdeadbeefu

static struct workload self = {
	"memory_ratio", "threads", 65536, 1, 1 << 26,
	"reads of four accesses, all five by default", -1, 0, ACCESSES
};

/* in and out are ACCESSES arrays of n elements each, one after the other. */
template <int READS>
__global__ void memory_ratio(const unsigned *in, unsigned *out, size_t n,
			     unsigned flags)
{
	size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
	unsigned sum = i;

	if (i >= n)
		return;
#pragma unroll
	for (int r = 0; r < READS; r++)
		sum += in[r * n + i];
#pragma unroll
	for (int w = 0; w < ACCESSES - READS; w++)
		out[w * n + i] = sum + w;
	if (READS == ACCESSES && (sum & flags))
		out[i] = sum;
}

static void launch(int reads, const unsigned *in, unsigned *out, int n,
		   unsigned flags)
{
	int blocks = blocks_of(n, THREADS);

	switch (reads) {
	case 0:
		memory_ratio<0><<<blocks, THREADS>>>(in, out, n, flags);
		break;
	case 1:
		memory_ratio<1><<<blocks, THREADS>>>(in, out, n, flags);
		break;
	case 2:
		memory_ratio<2><<<blocks, THREADS>>>(in, out, n, flags);
		break;
	case 3:
		memory_ratio<3><<<blocks, THREADS>>>(in, out, n, flags);
		break;
	case 4:
		memory_ratio<4><<<blocks, THREADS>>>(in, out, n, flags);
		break;
	}
	CHECK_LAUNCH();
}

static void expect(int reads, const unsigned *in, unsigned *want, size_t n)
{
	for (size_t i = 0; i < ACCESSES * n; i++) {
		unsigned place = i / n, column = i % n, sum = column + place;

		for (int r = 0; r < reads; r++)
			sum += in[r * n + column];
		want[i] = (int)place < ACCESSES - reads ? sum : UNTOUCHED;
	}
}

int main(int argc, char **argv)
{
	static const char *const part[] = { "0:4", "1:3", "2:2", "3:1", "4:0" };
	int n = size_arg(&self, argc, argv), only = self.choice;
	unsigned flags = only > ACCESSES; /* 0: size_arg refuses such a one */
	size_t count = (size_t)ACCESSES * n;
	unsigned *x = host_alloc<unsigned>(count);
	unsigned *got = host_alloc<unsigned>(count);
	unsigned *want = host_alloc<unsigned>(count);
	unsigned *in, *out = device_alloc<unsigned>(count);
	uint64_t seed = 1;

	for (size_t i = 0; i < count; i++)
		x[i] = (unsigned)random_bits(&seed);
	in = device_copy(x, count);
	for (int reads = 0; reads <= ACCESSES; reads++) {
		if (only >= 0 && only != reads)
			continue;
		for (size_t i = 0; i < count; i++)
			got[i] = UNTOUCHED;
		to_device(out, got, count);
		launch(reads, in, out, n, flags);
		from_device(got, out, count);
		expect(reads, x, want, n);
		check_exact(&self, got, want, count, part[reads]);
	}
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	free(x);
	free(got);
	free(want);
	return report(&self);
}
