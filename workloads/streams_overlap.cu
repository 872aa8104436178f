/*
 * Copies and kernels that overlap: the input is cut into chunks, each chunk is
 * copied from pinned memory, processed and copied back in one of four streams.
 * After each chunk a host function sums up what arrived; a last stream waits
 * for an event of every stream, combines all chunks and ends in a callback. The
 * classic way to hide the time of copies.
 *
 * SIZE: elements in all. Checked, exactly: every element, the sum that each
 * host function saw (the copy before it must be complete), that the chunks of
 * a stream came in order, that the combining kernel saw the work of all
 * streams, and that the callback ran, after everything else. Times are not
 * checked, except that none is negative.
 */
#include "common.h"

#define STREAMS 4
#define CHUNKS 8
#define THREADS 128

static struct workload self = { "streams_overlap", "elements", 1 << 16, 1,
				1 << 28 };

struct chunk {
	const unsigned *data; /* of the result, in pinned memory */
	int first, count;
	unsigned sum; /* what the host function saw */
	int turn;     /* its position among all host functions, from 1 */
};

static int turns; /* host functions that ran */

__host__ __device__ static unsigned work(unsigned x)
{
	for (int i = 0; i < 16; i++)
		x = x * 1664525u + 1013904223u + (x >> 16);
	return x;
}

__global__ void work_on(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = work(in[i]);
}

__global__ void combine(const unsigned *data, int n, unsigned *sum)
{
	int step = gridDim.x * blockDim.x;
	unsigned mine = 0;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
		mine += data[i];
	atomicAdd(sum, mine);
}

static unsigned sum_of(const unsigned *data, int n)
{
	unsigned sum = 0;

	for (int i = 0; i < n; i++)
		sum += data[i];
	return sum;
}

static void chunk_done(void *arg)
{
	struct chunk *c = (struct chunk *)arg;

	c->sum = sum_of(c->data, c->count);
	c->turn = __sync_add_and_fetch(&turns, 1);
}

static void all_done(cudaStream_t stream, cudaError_t status, void *arg)
{
	(void)stream;
	if (status == cudaSuccess)
		*(int *)arg = __sync_add_and_fetch(&turns, 1);
}

static void enqueue(struct chunk *c, const unsigned *in, unsigned *out,
		    unsigned *din, unsigned *dout, cudaStream_t stream)
{
	size_t bytes = c->count * sizeof(unsigned);

	if (c->count > 0) {
		CHECK(cudaMemcpyAsync(din + c->first, in + c->first, bytes,
				      cudaMemcpyHostToDevice, stream));
		work_on<<<blocks_of(c->count, THREADS), THREADS, 0, stream>>>(
			din + c->first, dout + c->first, c->count);
		CHECK_LAUNCH();
		CHECK(cudaMemcpyAsync(out + c->first, dout + c->first, bytes,
				      cudaMemcpyDeviceToHost, stream));
	}
	CHECK(cudaLaunchHostFunc(stream, chunk_done, c));
}

static void check_chunks(const struct chunk *chunk, const unsigned *want)
{
	for (int i = 0; i < CHUNKS; i++) {
		unsigned sum = sum_of(want + chunk[i].first, chunk[i].count);

		if (chunk[i].sum != sum)
			note_wrong(&self, i, chunk[i].sum, sum, "chunk sums");
		if (i >= STREAMS && chunk[i].turn <= chunk[i - STREAMS].turn)
			note_wrong(&self, i, chunk[i].turn,
				   chunk[i - STREAMS].turn + 1, "order");
	}
}

struct streams {
	cudaStream_t work[STREAMS], last;
	cudaEvent_t done[STREAMS], start, stop;
};

static void streams_open(struct streams *s)
{
	CHECK(cudaEventCreate(&s->start));
	CHECK(cudaEventCreate(&s->stop));
	CHECK(cudaStreamCreateWithFlags(&s->last, cudaStreamNonBlocking));
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamCreateWithFlags(&s->work[i],
						cudaStreamNonBlocking));
		CHECK(cudaEventCreateWithFlags(&s->done[i],
					       cudaEventDisableTiming));
	}
}

/* All of them must be idle. */
static void streams_close(struct streams *s)
{
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamQuery(s->work[i]));
		CHECK(cudaStreamDestroy(s->work[i]));
		CHECK(cudaEventDestroy(s->done[i]));
	}
	CHECK(cudaStreamDestroy(s->last));
	CHECK(cudaEventDestroy(s->start));
	CHECK(cudaEventDestroy(s->stop));
}

/* Runs everything; returns the combined sum. */
static unsigned run(const unsigned *in, unsigned *out, int n,
		    struct chunk *chunk, int *finished)
{
	unsigned *din = device_alloc<unsigned>(n);
	unsigned *dout = device_alloc<unsigned>(n);
	unsigned *total = device_alloc<unsigned>(1), sum;
	struct streams s;
	float ms;

	streams_open(&s);
	CHECK(cudaEventRecord(s.start, s.last));
	CHECK(cudaMemsetAsync(total, 0, sizeof *total, s.last));
	for (int i = 0; i < CHUNKS; i++)
		enqueue(&chunk[i], in, out, din, dout, s.work[i % STREAMS]);
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaEventRecord(s.done[i], s.work[i]));
		CHECK(cudaStreamWaitEvent(s.last, s.done[i], 0));
	}
	combine<<<16, THREADS, 0, s.last>>>(dout, n, total);
	CHECK_LAUNCH();
	CHECK(cudaStreamAddCallback(s.last, all_done, finished, 0));
	CHECK(cudaEventRecord(s.stop, s.last));
	CHECK(cudaStreamSynchronize(s.last));

	CHECK(cudaEventElapsedTime(&ms, s.start, s.stop));
	if (!(ms >= 0))
		note_wrong(&self, 0, ms, 0.0f, "elapsed time");
	from_device(&sum, total, 1);
	streams_close(&s);
	cudaFree(din);
	cudaFree(dout);
	cudaFree(total);
	return sum;
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv), each = blocks_of(n, CHUNKS);
	struct chunk chunk[CHUNKS] = {};
	unsigned *in, *out, *want = host_alloc<unsigned>(n);
	int finished = 0, turn = CHUNKS + 1;
	uint64_t random = 1;

	CHECK(cudaMallocHost(&in, n * sizeof *in));
	CHECK(cudaHostAlloc(&out, n * sizeof *out, cudaHostAllocDefault));
	for (int i = 0; i < n; i++) {
		in[i] = (unsigned)random_bits(&random);
		want[i] = work(in[i]);
	}
	for (int i = 0; i < CHUNKS; i++) {
		int first = i * each < n ? i * each : n;

		chunk[i].data = out + first;
		chunk[i].first = first;
		chunk[i].count = n - first < each ? n - first : each;
	}

	unsigned sum = run(in, out, n, chunk, &finished);
	unsigned all = sum_of(want, n);

	check_exact(&self, out, want, n);
	check_chunks(chunk, want);
	check_exact(&self, &sum, &all, 1, "combined sum");
	check_exact(&self, &finished, &turn, 1, "callback");

	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(out));
	free(want);
	return report(&self);
}
