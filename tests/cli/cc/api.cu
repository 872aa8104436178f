/*
 * The C++ forms of the runtime API, each called once: compiled, never run. What
 * nvcc accepts, `heddle cc` must accept.
 */
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>

#ifndef __DRIVER_TYPES_H__
#error "programs test this name"
#endif
#ifndef __CUDA_RUNTIME_H__
#error "programs test this name"
#endif
static_assert(CUDART_VERSION >= 13000, "the runtime API is that of CUDA 13");

struct item {
	float4 v;
	int n;
};

__constant__ float table[64];
__device__ item items[8];
namespace space
{
__device__ double value;
}

__global__ void plain(int *x, float f, const item i)
{
	extern __shared__ int buffer[];

	assert(x);
	buffer[threadIdx.x] = i.n;
	__syncthreads();
	x[threadIdx.x] = buffer[0] + (int)f + (int)table[i.n & 63] +
			 (int)space::value + items[0].n;
}

template <class T, int N>
__global__ void __launch_bounds__(256, 2) typed(T *x, dim3 d)
{
	__shared__ T tile[N];

	tile[threadIdx.x % N] = x[threadIdx.x];
	x[threadIdx.x] = tile[0] + T(d.x) + T(CUDART_PI);
}

template <class F> __global__ void call(F f, int *out)
{
	*out = f(threadIdx.x);
}

static void CUDART_CB done(cudaStream_t, cudaError_t, void *)
{
}

static cudaError_t memory(cudaStream_t s)
{
	item *p;
	float *f;
	void *v;
	size_t pitch, size;
	cudaMemPool_t pool;

	cudaMalloc(&p, sizeof(*p));
	cudaMalloc((void **)&f, 4);
	cudaMallocHost(&p, sizeof(*p));
	cudaMallocHost(&f, 4, cudaHostAllocMapped);
	cudaHostAlloc(&p, sizeof(*p), cudaHostAllocDefault);
	cudaHostGetDevicePointer(&f, p, 0);
	cudaMallocManaged(&p, sizeof(*p));
	cudaMallocPitch(&f, &pitch, 100, 100);
	cudaMallocAsync(&p, sizeof(*p), s);
	cudaDeviceGetDefaultMemPool(&pool, 0);
	cudaMallocAsync(&p, sizeof(*p), pool, s);
	cudaMallocFromPoolAsync(&f, 4, pool, s);
	cudaStreamAttachMemAsync(s, f);
	cudaFreeAsync(p, s);
	cudaMemcpyToSymbol(table, f, 4, 8);
	cudaMemcpyToSymbolAsync(table, f, 4, 8, cudaMemcpyHostToDevice, s);
	cudaMemcpyFromSymbol(f, space::value, 8);
	cudaMemcpyFromSymbolAsync(f, items, 8, 0, cudaMemcpyDeviceToHost);
	cudaGetSymbolAddress(&v, items);
	cudaGetSymbolSize(&size, table);
	cudaMemset3D(make_cudaPitchedPtr(v, pitch, 1, 1), 0,
		     make_cudaExtent(1, 1, 1));

	cudaMemcpy3DParms m = {};

	m.srcPos = make_cudaPos(0, 0, 0);
	m.kind = cudaMemcpyDefault;
	return cudaMemcpy3DAsync(&m, s);
}

static cudaError_t launches(cudaStream_t s)
{
	int *x = nullptr, blocks, grid, block;
	item i = {make_float4(1, 2, 3, 4), 5};
	float f = 1;
	void *args[] = {&x, &f, &i};
	size_t size;
	cudaFuncAttributes attributes;
	cudaKernel_t kernel;

	plain<<<1, 32>>>(x, 1.5f, i);
	plain<<<dim3(1, 2), dim3(8, 8), 1024, s>>>(x, 2, i);
	typed<float, 16><<<4, 64>>>((float *)x, dim3(1));
	call<<<1, 1>>>([] __device__(int t) { return t + 1; }, x);
	cudaLaunchKernel(plain, dim3(1), dim3(32), args);
	cudaLaunchKernel((const void *)plain, dim3(1), dim3(32), args, 0, s);
	cudaLaunchCooperativeKernel((void *)plain, 1, 32, args, 0, s);

	cudaLaunchAttribute attribute[1] = {};
	cudaLaunchConfig_t config = {};

	attribute[0].id = cudaLaunchAttributeCooperative;
	attribute[0].val.cooperative = 1;
	config.gridDim = 4;
	config.blockDim = dim3(32, 1, 1);
	config.attrs = attribute;
	config.numAttrs = 1;
	cudaLaunchKernelEx(&config, plain, x, 1, i);
	cudaLaunchKernelEx(&config, typed<double, 8>, (double *)x, dim3(2));
	cudaGetKernel(&kernel, plain);
	cudaFuncGetAttributes(&attributes, plain);
	cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize,
			     65536);
	cudaFuncSetCacheConfig(typed<int, 4>, cudaFuncCachePreferL1);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 128, 0);
	cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain);
	cudaOccupancyMaxPotentialBlockSize(&grid, &block, typed<float, 2>, 0,
					   512);
	cudaOccupancyMaxPotentialBlockSizeVariableSMem(
		&grid, &block, plain,
		[](int threads) { return (size_t)threads * 4; });
	return cudaOccupancyAvailableDynamicSMemPerBlock(&size, plain, 1, 32);
}

static cudaError_t graphs(cudaStream_t s)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node, error;
	cudaEvent_t event;
	cudaKernelNodeParams kernel = {};

	cudaEventCreate(&event);
	cudaEventCreate(&event, cudaEventBlockingSync);
	cudaEventRecord(event);
	cudaStreamAddCallback(s, done, nullptr, 0);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	cudaStreamEndCapture(s, &graph);
	cudaGraphCreate(&graph, 0);
	kernel.func = (void *)plain;
	kernel.gridDim = dim3(1);
	cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
	cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, table, s, 4, 0,
				       cudaMemcpyHostToDevice);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
	cudaGraphExecUpdate(exec, graph, &error, nullptr);
	return cudaGraphLaunch(exec, s);
}

static cudaError_t textures()
{
	cudaArray_t array;
	cudaTextureObject_t texture;
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();

	format = cudaCreateChannelDesc<unsigned char>();
	format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	format = cudaCreateChannelDescHalf4();
	cudaMallocArray(&array, &format, 64, 64);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	how.addressMode[0] = cudaAddressModeClamp;
	return cudaCreateTextureObject(&texture, &resource, &how, nullptr);
}

int main()
{
	cudaStream_t s;
	cudaDeviceProp prop;
	std::map<std::string, cudaError_t> all;
	std::thread other([] { cudaSetDevice(0); });

	cudaProfilerStart();
	cudaGetDeviceProperties(&prop, 0);
	cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -1);
	all["memory"] = memory(s);
	all["launches"] = launches(s);
	all["graphs"] = graphs(s);
	all["textures"] = textures();
	other.join();
	return std::all_of(all.begin(), all.end(), [](const auto &e) {
		return e.second == cudaSuccess;
	});
}
