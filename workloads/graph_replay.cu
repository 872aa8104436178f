/*
 * A small data flow recorded once and replayed: copies, a memset and four
 * kernels on two streams that fork and join are captured into a graph, which
 * is instantiated and then launched again and again with new input in the same
 * pinned buffer.
 *
 *	copy in -> scramble ----------> gather -> add up -> copy sum out
 *	      \--> clear, then rotate ->/
 *
 * SIZE: elements. `gather` adds to the result of earlier replays, so a replay
 * that is lost, repeated or out of order shows. All values are integers,
 * compared exactly with the host's after every replay.
 */
#include "common.h"

#define THREADS 128
#define REPLAYS 6

static struct workload self = { "graph_replay", "elements", 8192, 1, 1 << 26 };

__host__ __device__ static unsigned scrambled(unsigned x)
{
	x ^= x >> 15;
	x *= 0x2c1b3c6du;
	return x ^ x >> 12;
}

__global__ void scramble(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = scrambled(in[i]);
}

/* Adds to a cleared buffer: a lost memset shows. */
__global__ void rotate(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] += in[i + 1 < n ? i + 1 : 0];
}

__global__ void gather(const unsigned *a, const unsigned *b, unsigned *sum,
		       int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		sum[i] = 3 * sum[i] + a[i] - b[i];
}

__global__ void add_up(const unsigned *data, int n, unsigned *sum)
{
	__shared__ unsigned all;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x == 0)
		all = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&all, data[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(sum, all);
}

struct buffers {
	unsigned *in, *sum;            /* pinned */
	unsigned *x, *a, *b, *c, *all; /* on the device */
};

static cudaGraph_t record(const struct buffers *m, int n, cudaStream_t trunk,
			  cudaStream_t branch)
{
	size_t bytes = n * sizeof(unsigned);
	int blocks = blocks_of(n, THREADS);
	cudaEvent_t fork, join;
	cudaGraph_t graph;

	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(trunk, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(m->x, m->in, bytes, cudaMemcpyHostToDevice,
			      trunk));
	CHECK(cudaEventRecord(fork, trunk));
	CHECK(cudaStreamWaitEvent(branch, fork, 0));
	scramble<<<blocks, THREADS, 0, trunk>>>(m->x, m->a, n);
	CHECK(cudaMemsetAsync(m->b, 0, bytes, branch));
	rotate<<<blocks, THREADS, 0, branch>>>(m->x, m->b, n);
	CHECK(cudaEventRecord(join, branch));
	CHECK(cudaStreamWaitEvent(trunk, join, 0));
	CHECK(cudaMemsetAsync(m->all, 0, sizeof *m->all, trunk));
	gather<<<blocks, THREADS, 0, trunk>>>(m->a, m->b, m->c, n);
	add_up<<<blocks, THREADS, 0, trunk>>>(m->c, n, m->all);
	CHECK(cudaMemcpyAsync(m->sum, m->all, sizeof *m->sum,
			      cudaMemcpyDeviceToHost, trunk));
	CHECK(cudaStreamEndCapture(trunk, &graph));
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaEventDestroy(join));
	return graph;
}

/* One replay on the host; returns the sum. */
static unsigned expected(const unsigned *in, unsigned *c, int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++) {
		c[i] = 3 * c[i] + scrambled(in[i]) - in[(i + 1) % n];
		sum += c[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	unsigned *got = host_alloc<unsigned>(n), *c = host_alloc<unsigned>(n);
	cudaStream_t trunk, branch;
	cudaGraphExec_t replay;
	struct buffers m;
	uint64_t random = 1;

	CHECK(cudaMallocHost(&m.in, n * sizeof *m.in));
	CHECK(cudaMallocHost(&m.sum, sizeof *m.sum));
	m.x = device_alloc<unsigned>(n);
	m.a = device_alloc<unsigned>(n);
	m.b = device_alloc<unsigned>(n);
	m.c = device_copy(c, n);
	m.all = device_alloc<unsigned>(1);
	CHECK(cudaStreamCreate(&trunk));
	CHECK(cudaStreamCreate(&branch));

	/* Nothing runs during the capture: the input comes later. */
	cudaGraph_t graph = record(&m, n, trunk, branch);
	CHECK(cudaGraphInstantiate(&replay, graph, NULL, NULL, 0));
	for (int r = 0; r < REPLAYS; r++) {
		for (int i = 0; i < n; i++)
			m.in[i] = (unsigned)random_bits(&random);
		unsigned sum = expected(m.in, c, n);

		*m.sum = ~sum;
		CHECK(cudaGraphLaunch(replay, trunk));
		CHECK(cudaStreamSynchronize(trunk));
		if (*m.sum != sum)
			note_wrong(&self, r, *m.sum, sum, "sums of replays");
	}
	from_device(got, m.c, n);
	check_exact(&self, got, c, n);

	CHECK(cudaGraphExecDestroy(replay));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(trunk));
	CHECK(cudaStreamDestroy(branch));
	CHECK(cudaFreeHost(m.in));
	CHECK(cudaFreeHost(m.sum));
	cudaFree(m.x);
	cudaFree(m.a);
	cudaFree(m.b);
	cudaFree(m.c);
	cudaFree(m.all);
	free(got);
	free(c);
	return report(&self);
}
