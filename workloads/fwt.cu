/*
 * The dyadic convolution of two arrays by fast Walsh-Hadamard transforms, with
 * the three kernels of FastLanes' fastWalshTransform 1 to 3: a transform in
 * shared memory, a radix-4 pass over global memory for strides that do not fit
 * there, and the product of two spectra.
 *
 *	out[i] = sum over j of taps[j] * data[i xor j]
 *
 * SIZE: elements, a power of two. The filter has TAPS taps, then zeros.
 * Check: that sum, taken directly in double precision on the CPU.
 */
#include "common.h"

#define THREADS 256
#define SHARED_LOG 11 /* maximum elements of a block: 2^11 */
#define TAPS 31

static struct workload self = { "fwt", "elements, a power of two", 32768, 2,
				1 << 24 };

/*
 * Each block transforms `count` elements in shared memory, count a power of
 * two up to 2^SHARED_LOG: stages of butterflies with strides 1, 2, 4, ...
 */
__global__ void walsh_shared(float *data, int count)
{
	__shared__ float x[1 << SHARED_LOG];
	float *mine = data + (size_t)blockIdx.x * count;

	for (int i = threadIdx.x; i < count; i += blockDim.x)
		x[i] = mine[i];
	for (int stride = 1; stride < count; stride *= 2) {
		__syncthreads();
		for (int i = threadIdx.x; i < count / 2; i += blockDim.x) {
			int low = i & (stride - 1);
			int at = 2 * (i - low) + low;
			float a = x[at], b = x[at + stride];

			x[at] = a + b;
			x[at + stride] = a - b;
		}
	}
	__syncthreads();
	for (int i = threadIdx.x; i < count; i += blockDim.x)
		mine[i] = x[i];
}

/* Two stages at once, strides s and 2 * s: a thread for four elements. */
__global__ void walsh_radix4(float *data, int n, int s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int low = i & (s - 1);
	float *x = data + 4 * (size_t)(i - low) + low;

	if (i >= n / 4)
		return;
	float a = x[0], b = x[s], c = x[2 * s], d = x[3 * s];
	float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;

	x[0] = ac + bd;
	x[s] = ac - bd;
	x[2 * s] = a_c + b_d;
	x[3 * s] = a_c - b_d;
}

/* a becomes the product of the spectra, divided by n for the way back. */
__global__ void modulate(float *a, const float *b, int n)
{
	float scale = 1.0f / n;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
	     i += gridDim.x * blockDim.x)
		a[i] *= b[i] * scale;
}

/* Large strides pass over global memory; the rest fits in shared memory. */
static void walsh(float *x, int n)
{
	int count = n;

	while (count > 1 << SHARED_LOG) {
		walsh_radix4<<<blocks_of(n / 4, THREADS), THREADS>>>(x, n,
								     count / 4);
		CHECK_LAUNCH();
		count /= 4;
	}
	walsh_shared<<<n / count, THREADS>>>(x, count);
	CHECK_LAUNCH();
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);
	int taps = n < TAPS ? n : TAPS;

	if (n & (n - 1))
		bad_size(&self, "a power of two");
	float *data = host_alloc<float>(n), *filter = host_alloc<float>(n);
	float *got = host_alloc<float>(n), *want = host_alloc<float>(n);

	random_floats(data, n, 0, 1, 1);
	random_floats(filter, taps, 0, 1, 2);
	float *d = device_copy(data, n), *f = device_copy(filter, n);
	walsh(d, n);
	walsh(f, n);
	modulate<<<blocks_of(n, 2 * THREADS), THREADS>>>(d, f, n);
	CHECK_LAUNCH();
	walsh(d, n);
	from_device(got, d, n);
	CHECK(cudaFree(d));
	CHECK(cudaFree(f));

	for (int i = 0; i < n; i++) {
		double sum = 0;

		for (int j = 0; j < taps; j++)
			sum += (double)filter[j] * data[i ^ j];
		want[i] = (float)sum;
	}
	/* The sum of all data, about n / 2, enters every element. */
	check_close(&self, got, want, n, 1e-4, 1e-7 * sqrt(n));
	free(data);
	free(filter);
	free(got);
	free(want);
	return report(&self);
}
