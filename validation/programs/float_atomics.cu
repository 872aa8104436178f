/*
 * Atomics on floats and doubles: additions to random places, maxima by a loop of
 * compare and swap, and additions to shared memory that end in global memory.
 * From no contention to one address.
 *
 * SIZE: threads of the largest launches. Values are multiples of 1/64.
 */
#include "common.h"

#define THREADS 128

static struct workload self = { "float_atomics", "threads", 1 << 17, 1024,
				1 << 22 };

template <class T>
__global__ void add(int n, const T *in, const int *place, T *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&out[place[i]], in[i]);
}

__device__ static void atomic_max(float *at, float v)
{
	int old = __float_as_int(*(volatile float *)at);

	while (v > __int_as_float(old)) {
		int seen = atomicCAS((int *)at, old, __float_as_int(v));

		if (seen == old)
			return;
		old = seen;
	}
}

__global__ void maxima(int n, const float *in, const int *place, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomic_max(&out[place[i]], in[i]);
}

__global__ void add_shared(int n, const float *in, const int *place, int places,
			   float *out)
{
	__shared__ float s[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = threadIdx.x; k < places; k += THREADS)
		s[k] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&s[place[i]], in[i]);
	__syncthreads();
	for (int k = threadIdx.x; k < places; k += THREADS)
		atomicAdd(&out[k], s[k]);
}

static void run(int n, int places)
{
	array<float> in(n), out(places), want(places), most(places);
	array<double> din(n), dout(places), dwant(places);
	array<int> place(n);
	int blocks = blocks_of(n, THREADS);

	random_exact(in, n);
	random_ints(place, places, n + 1);
	for (int k = 0; k < places; k++)
		most[k] = 0;
	for (int i = 0; i < n; i++) {
		din[i] = in[i];
		want[place[i]] += in[i];
		dwant[place[i]] += din[i];
		most[place[i]] = fmaxf(most[place[i]], in[i]);
	}
	in.upload();
	din.upload();
	place.upload();
	out.fill(0);
	add<<<blocks, THREADS>>>(n, in.device, place.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, places, "floats");
	dout.fill(0);
	add<<<blocks, THREADS>>>(n, din.device, place.device, dout.device);
	CHECK_LAUNCH();
	dout.download();
	check_exact(&self, dout.host, dwant.host, places, "doubles");
	out.fill(0);
	maxima<<<blocks, THREADS>>>(n, in.device, place.device, out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, most.host, places, "maxima");
	if (places > 256)
		return;
	out.fill(0);
	add_shared<<<blocks, THREADS>>>(n, in.device, place.device, places,
					out.device);
	CHECK_LAUNCH();
	out.download();
	check_exact(&self, out.host, want.host, places, "shared");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 128, 1);
	run(n / 16, 64);
	run(n / 2, 200);
	run(n, n);
	return report(&self);
}
