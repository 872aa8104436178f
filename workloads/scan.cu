/*
 * Prefix sums of a large array, twice: the inclusive scan by the naive
 * algorithm (Hillis and Steele: log2 steps that each add to nearly all
 * elements) and the exclusive scan by the work-efficient one (Blelloch: up a
 * tree and down again). Blocks scan their parts, the sums of the parts are
 * scanned in turn, and a third kernel adds them: the three scan kernels of
 * FastLanes, and "scan" of Lee and Ro.
 *
 * SIZE: elements, any. OPTION: 1 the naive scan alone, 2 the efficient one.
 * Check: a running sum on the CPU, exactly (integers modulo 2^32).
 */
#include "common.h"

#define THREADS 256
#define PART (2 * THREADS) /* elements per block of the efficient scan */

enum { BOTH, NAIVE, EFFICIENT };

static struct workload self = {
	"scan", "elements", 65536, 1, 1 << 26,
	"1 naive, 2 efficient, both by default", BOTH, NAIVE, EFFICIENT
};

/* out[i] = in[0] + ... + in[i] within a block; its sum goes to sums. */
__global__ void scan_naive(const unsigned *in, unsigned *out, unsigned *sums,
			   int n)
{
	__shared__ unsigned x[2][THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t, now = 0;

	x[0][t] = i < n ? in[i] : 0;
	__syncthreads();
	for (int reach = 1; reach < THREADS; reach *= 2) {
		unsigned v = x[now][t];

		if (t >= reach)
			v += x[now][t - reach];
		now = !now;
		x[now][t] = v;
		__syncthreads();
	}
	if (i < n)
		out[i] = x[now][t];
	if (t == THREADS - 1)
		sums[blockIdx.x] = x[now][t];
}

/* out[i] = in[0] + ... + in[i - 1] within a block; its sum goes to sums. */
__global__ void scan_efficient(const unsigned *in, unsigned *out,
			       unsigned *sums, int n)
{
	__shared__ unsigned x[PART];
	int t = threadIdx.x, base = blockIdx.x * PART;
	int stride = 1;

	for (int i = t; i < PART; i += THREADS)
		x[i] = base + i < n ? in[base + i] : 0;
	for (int nodes = PART / 2; nodes > 0; nodes /= 2) {
		__syncthreads();
		if (t < nodes) {
			int right = 2 * stride * (t + 1) - 1;

			x[right] += x[right - stride];
		}
		stride *= 2;
	}
	if (t == 0) {
		sums[blockIdx.x] = x[PART - 1];
		x[PART - 1] = 0;
	}
	for (int nodes = 1; nodes < PART; nodes *= 2) {
		stride /= 2;
		__syncthreads();
		if (t < nodes) {
			int right = 2 * stride * (t + 1) - 1;
			unsigned left = x[right - stride];

			x[right - stride] = x[right];
			x[right] += left;
		}
	}
	__syncthreads();
	for (int i = t; i < PART; i += THREADS)
		if (base + i < n)
			out[base + i] = x[i];
}

/* Adds to each part of the array the sum of all parts before it. */
__global__ void add_offsets(unsigned *x, const unsigned *offset, int part,
			    int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] += offset[i / part];
}

/*
 * Scans in to out; they may be the same array. The sums of the parts are always
 * scanned exclusively: they become offsets.
 */
static void scan(const unsigned *in, unsigned *out, int n, int kind)
{
	int part = kind == NAIVE ? THREADS : PART;
	int parts = blocks_of(n, part);
	unsigned *sums = device_alloc<unsigned>(parts);

	if (kind == NAIVE)
		scan_naive<<<parts, THREADS>>>(in, out, sums, n);
	else
		scan_efficient<<<parts, THREADS>>>(in, out, sums, n);
	CHECK_LAUNCH();
	if (parts > 1) {
		scan(sums, sums, parts, EFFICIENT);
		add_offsets<<<blocks_of(n, THREADS), THREADS>>>(out, sums, part,
								n);
		CHECK_LAUNCH();
	}
	CHECK(cudaFree(sums));
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	unsigned *x = host_alloc<unsigned>(n), *got = host_alloc<unsigned>(n);
	unsigned *sum = host_alloc<unsigned>(n + 1);
	uint64_t seed = 1;

	for (int i = 0; i < n; i++)
		x[i] = (unsigned)random_bits(&seed);
	for (int i = 0; i < n; i++)
		sum[i + 1] = sum[i] + x[i];
	unsigned *in = device_copy(x, n), *out = device_alloc<unsigned>(n);

	if (self.choice != EFFICIENT) {
		scan(in, out, n, NAIVE);
		from_device(got, out, n);
		check_exact(&self, got, sum + 1, n, "naive");
	}
	if (self.choice != NAIVE) {
		scan(in, out, n, EFFICIENT);
		from_device(got, out, n);
		check_exact(&self, got, sum, n, "efficient");
	}
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	free(x);
	free(got);
	free(sum);
	return report(&self);
}
