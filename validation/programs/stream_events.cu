/*
 * Several streams: parts of a long array are copied from pinned memory, filtered,
 * and copied back while others run, events order a tree of sums; kernels of
 * different priorities, arrays in managed memory with advice, memory that a stream
 * allocates, and many small launches that depend on each other.
 *
 * SIZE: elements of the array, a multiple of 4096.
 */
#include "common.h"

#define STREAMS 4
#define THREADS 128

static struct workload self = { "stream_events", "elements", 1 << 17, 1 << 14,
				1 << 24 };

/* x[i - 2 .. i + 2] with weights 1 4 6 4 1, parts with two more on each side. */
__global__ void filter(int n, const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = (in[i] + 4 * in[i + 1] + 6 * in[i + 2] +
			  4 * in[i + 3] + in[i + 4]) /
			 16;
}

__global__ void sum_part(int n, const float *in, float *out)
{
	__shared__ float s[THREADS];
	float sum = 0;

	for (int i = threadIdx.x; i < n; i += THREADS)
		sum += in[i];
	s[threadIdx.x] = sum;
	for (int d = THREADS / 2; d > 0; d /= 2) {
		__syncthreads();
		if (threadIdx.x < d)
			s[threadIdx.x] += s[threadIdx.x + d];
	}
	if (threadIdx.x == 0)
		*out = s[0];
}

__global__ void add_two(const float *a, const float *b, float *out)
{
	*out = *a + *b;
}

__global__ void chain(int n, unsigned *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = x[i] * 3 + 1;
}

static void overlap(int n)
{
	int part = n / STREAMS;
	float *in, *out, *scratch[STREAMS], *result[STREAMS], *sums;
	cudaStream_t stream[STREAMS];
	cudaEvent_t done[STREAMS], begun, ended;
	array<float> want(n);
	float total, expected = 0, milliseconds;
	int least, most;
	uint64_t seed = n;

	CHECK(cudaHostAlloc((void **)&in, (n + 4) * sizeof(float),
			    cudaHostAllocDefault));
	CHECK(cudaMallocHost((void **)&out, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&sums, (2 * STREAMS) * sizeof(float)));
	CHECK(cudaDeviceGetStreamPriorityRange(&least, &most));
	CHECK(cudaEventCreate(&begun));
	CHECK(cudaEventCreate(&ended));
	for (int i = 0; i < n + 4; i++)
		in[i] = random_below(&seed, 8) * 16.0f;
	for (int i = 0; i < n; i++) {
		want[i] = (in[i] + 4 * in[i + 1] + 6 * in[i + 2] +
			   4 * in[i + 3] + in[i + 4]) /
			  16;
		expected += i % part < 4096 ? want[i] : 0;
	}
	for (int s = 0; s < STREAMS; s++) {
		CHECK(cudaStreamCreateWithPriority(&stream[s],
						   cudaStreamNonBlocking,
						   s % 2 ? least : most));
		CHECK(cudaEventCreateWithFlags(&done[s],
					       cudaEventDisableTiming));
		CHECK(cudaMallocAsync((void **)&scratch[s],
				      (part + 4) * sizeof(float), stream[s]));
		CHECK(cudaMallocAsync((void **)&result[s], part * sizeof(float),
				      stream[s]));
	}
	CHECK(cudaEventRecord(begun, stream[0]));
	for (int s = 0; s < STREAMS; s++) {
		CHECK(cudaMemcpyAsync(scratch[s], in + s * part,
				      (part + 4) * sizeof(float),
				      cudaMemcpyHostToDevice, stream[s]));
		filter<<<part / THREADS, THREADS, 0, stream[s]>>>(
			part, scratch[s], result[s]);
		sum_part<<<1, THREADS, 0, stream[s]>>>(4096, result[s],
						       sums + s);
		CHECK(cudaMemcpyAsync(out + s * part, result[s],
				      part * sizeof(float),
				      cudaMemcpyDeviceToHost, stream[s]));
		CHECK(cudaEventRecord(done[s], stream[s]));
	}
	/* A tree: 0 + 1, 2 + 3, then both. */
	for (int s = 0; s < STREAMS; s += 2) {
		CHECK(cudaStreamWaitEvent(stream[s], done[s + 1], 0));
		add_two<<<1, 1, 0, stream[s]>>>(sums + s, sums + s + 1,
						sums + STREAMS + s);
	}
	CHECK(cudaEventRecord(done[2], stream[2]));
	CHECK(cudaStreamWaitEvent(stream[0], done[2], 0));
	add_two<<<1, 1, 0, stream[0]>>>(sums + STREAMS, sums + STREAMS + 2,
					sums + STREAMS + 1);
	CHECK(cudaEventRecord(ended, stream[0]));
	CHECK(cudaEventSynchronize(ended));
	CHECK(cudaEventElapsedTime(&milliseconds, begun, ended));
	from_device(&total, sums + STREAMS + 1, 1);
	for (int s = 0; s < STREAMS; s++) {
		CHECK(cudaFreeAsync(scratch[s], stream[s]));
		CHECK(cudaFreeAsync(result[s], stream[s]));
		CHECK(cudaStreamSynchronize(stream[s]));
		CHECK(cudaStreamDestroy(stream[s]));
		CHECK(cudaEventDestroy(done[s]));
	}
	check_exact(&self, out, want.host, n, "filtered");
	check_close(&self, &total, &expected, 1, 1e-4, 0, "sum");
	int later = milliseconds > 0, yes = 1;
	check_exact(&self, &later, &yes, 1, "time");
	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(out));
	CHECK(cudaFree(sums));
}

static void managed(int n, int times)
{
	unsigned *x;
	array<unsigned> want(n);

	CHECK(cudaMallocManaged((void **)&x, n * sizeof(unsigned)));
	for (int i = 0; i < n; i++) {
		unsigned v = x[i] = i;

		for (int t = 0; t < times; t++)
			v = v * 3 + 1;
		want[i] = v;
	}
	for (int t = 0; t < times; t++)
		chain<<<blocks_of(n, THREADS), THREADS>>>(n, x);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	check_exact(&self, x, want.host, n, "managed");
	CHECK(cudaFree(x));
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	if (n % 4096)
		bad_size(&self, "a multiple of 4096");
	overlap(n);
	managed(100, 8);
	managed(n / 8, 5);
	return report(&self);
}
