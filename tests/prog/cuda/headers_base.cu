/*
 * A whole program of the ordinary kind: host headers, host code with launches,
 * kernels with the built-in variables, shared memory, printf and assert.
 */
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#define CHECK(call)                                                           \
	do {                                                                  \
		cudaError_t e = (call);                                       \
		if (e != cudaSuccess) {                                       \
			fprintf(stderr, "%s\n", cudaGetErrorString(e));       \
			exit(1);                                              \
		}                                                             \
	} while (0)

__constant__ float weights[16];
__device__ int counter;
__managed__ int shared_with_host;

struct particle {
	float4 pos;
	float3 vel;
};

__noinline__ __device__ float far_away(float x)
{
	return x * 3.0f + 1.0f;
}

__host__ __device__ inline float both(float x)
{
	return sinf(x) + sqrtf(x);
}

template <class T, int N>
__global__ __launch_bounds__(256, 2) void sum(T *out, const T *in, int n)
{
	__shared__ T tile[N];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	tile[threadIdx.x] = i < n ? in[i] : T(0);
	__syncthreads();
	for (int d = N / 2; d > 0; d /= 2) {
		if (threadIdx.x < d)
			tile[threadIdx.x] += tile[threadIdx.x + d];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		out[blockIdx.x] = tile[0];
}

__global__ void everything(particle *p, float *out, const float *in, int n)
{
	extern __shared__ float dynamic[];
	dim3 where = threadIdx;
	uint3 block = blockIdx;
	int i = block.x * blockDim.x + where.x;
	dynamic[where.x] = in[i] * weights[i & 15];
	__syncthreads();
	assert(n > 0 && "at least one");
	if (i == 0)
		printf("%d blocks of %d, %f, %s\n", gridDim.x, blockDim.x,
		       dynamic[0], "text");
	p[i].pos = make_float4(1.0f, 2.0f, far_away(in[i]), both(in[i]));
	p[i].vel = make_float3(p[i].pos.x, std::max(in[i], 0.5f), 0.0f);
	int *heap = (int *)malloc(16 * sizeof(int));
	memset(heap, 0, 16 * sizeof(int));
	int *one = new int(3);
	heap[i & 15] = *one + warpSize;
	out[i] = heap[0] + dynamic[where.x ^ 1];
	free(heap);
	delete one;
	counter = shared_with_host;
}

__global__ void lambdas(float *out, int n)
{
	auto f = [=](float x) { return x * n; };
	float a[4] = {1, 2, 3, 4};
	for (float &v : a)
		v = f(v);
	out[threadIdx.x] = a[threadIdx.x & 3] + std::abs(a[1]) +
			   std::isnan(a[2]) + isinf(a[3]) + isfinite(a[0]) +
			   std::signbit(a[1]);
}

int main(int argc, char **argv)
{
	const int n = 1024;
	std::vector<float> host(n);
	std::generate(host.begin(), host.end(), [] { return both(0.5f); });
	float *in, *out;
	particle *p;
	CHECK(cudaMalloc(&in, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&out, n * sizeof(float)));
	CHECK(cudaMallocManaged(&p, n * sizeof(*p)));
	CHECK(cudaMemcpy(in, host.data(), n * sizeof(float),
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToSymbol(weights, host.data(), sizeof(weights)));
	cudaStream_t stream;
	cudaEvent_t start, stop;
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	CHECK(cudaEventRecord(start));
	everything<<<n / 128, 128, 128 * sizeof(float), stream>>>(p, out, in, n);
	sum<float, 256><<<dim3(n / 256), dim3(256)>>>(out, in, n);
	lambdas<<<1, 32>>>(out, n);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(stop));
	CHECK(cudaDeviceSynchronize());
	float ms;
	CHECK(cudaEventElapsedTime(&ms, start, stop));
	std::cout << ms << std::string(" ms\n");
	std::unique_ptr<cudaDeviceProp> prop(new cudaDeviceProp);
	std::shared_ptr<int> shared(new int(argc));
	CHECK(cudaGetDeviceProperties(prop.get(), 0));
	CHECK(cudaFree(in));
	return argv == nullptr;
}
