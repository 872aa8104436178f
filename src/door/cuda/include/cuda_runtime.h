/*
 * The C++ face of the runtime API: typed forms of the functions that take
 * void * and symbols. The device part of CUDA C++ comes with the prelude.
 */
#ifndef HEDDLE_CUDA_RUNTIME_H
#define HEDDLE_CUDA_RUNTIME_H
#pragma GCC system_header

#include "cuda_runtime_api.h"
#include "heddle_cuda.h"

#define HEDDLE_HOST static __attribute__((host, unused)) __inline__

template <class T> HEDDLE_HOST cudaError_t cudaMalloc(T **p, size_t size)
{
	return ::cudaMalloc((void **)p, size);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocHost(T **p, size_t size, unsigned = 0)
{
	return ::cudaMallocHost((void **)p, size);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocManaged(T **p, size_t size,
					  unsigned flags = cudaMemAttachGlobal)
{
	return ::cudaMallocManaged((void **)p, size, flags);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width,
					size_t height)
{
	return ::cudaMallocPitch((void **)p, pitch, width, height);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t s)
{
	return ::cudaMallocAsync((void **)p, size, s);
}

template <class T>
HEDDLE_HOST cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags)
{
	return ::cudaHostAlloc((void **)p, size, flags);
}

template <class T>
HEDDLE_HOST cudaError_t cudaHostGetDevicePointer(T **p, void *host,
						 unsigned flags)
{
	return ::cudaHostGetDevicePointer((void **)p, host, flags);
}

template <class T>
HEDDLE_HOST cudaError_t
cudaMemcpyToSymbol(const T &symbol, const void *src, size_t size,
		   size_t offset = 0,
		   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return ::cudaMemcpyToSymbol((const void *)&symbol, src, size, offset,
				    kind);
}

template <class T>
HEDDLE_HOST cudaError_t
cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t size, size_t offset = 0,
		     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, size, offset,
				      kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMemcpyToSymbolAsync(const T &symbol,
						const void *src, size_t size,
						size_t offset,
						enum cudaMemcpyKind kind,
						cudaStream_t s = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, size,
					 offset, kind, s);
}

template <class T>
HEDDLE_HOST cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size,
			  size_t offset, enum cudaMemcpyKind kind,
			  cudaStream_t s = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, size,
					   offset, kind, s);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
	return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class F>
HEDDLE_HOST cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block,
					 void **args, size_t shared = 0,
					 cudaStream_t s = 0)
{
	return ::cudaLaunchKernel((const void *)kernel, grid, block, args,
				  shared, s);
}

template <class F>
HEDDLE_HOST cudaError_t cudaLaunchCooperativeKernel(F *kernel, dim3 grid,
						    dim3 block, void **args,
						    size_t shared = 0,
						    cudaStream_t s = 0)
{
	return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block,
					     args, shared, s);
}

template <class F>
HEDDLE_HOST cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a,
					      F *kernel)
{
	return ::cudaFuncGetAttributes(a, (const void *)kernel);
}

template <class F>
HEDDLE_HOST cudaError_t cudaFuncSetAttribute(F *kernel,
					     enum cudaFuncAttribute attr,
					     int value)
{
	return ::cudaFuncSetAttribute((const void *)kernel, attr, value);
}

template <class F>
HEDDLE_HOST cudaError_t cudaFuncSetCacheConfig(F *kernel,
					       enum cudaFuncCache cache)
{
	return ::cudaFuncSetCacheConfig((const void *)kernel, cache);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, F kernel, int threads, size_t shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		blocks, (const void *)kernel, threads, shared);
}

/* The channel description of an element type: 8 * sizeof bits per channel. */
template <class T> struct heddle_channels;
#define HEDDLE_CHANNELS(T, n, elem, kind)                                     \
	template <> struct heddle_channels<T> {                               \
		static constexpr int count = n, bits = 8 * sizeof(elem);      \
		static constexpr enum cudaChannelFormatKind f = kind;         \
	};
#define HEDDLE_CHANNELS_124(base, elem, kind)                                 \
	HEDDLE_CHANNELS(elem, 1, elem, kind)                                  \
	HEDDLE_CHANNELS(base##1, 1, elem, kind)                               \
	HEDDLE_CHANNELS(base##2, 2, elem, kind)                               \
	HEDDLE_CHANNELS(base##4, 4, elem, kind)
HEDDLE_CHANNELS_124(char, signed char, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS_124(uchar, unsigned char, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS_124(short, short, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS_124(ushort, unsigned short, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS_124(int, int, cudaChannelFormatKindSigned)
HEDDLE_CHANNELS_124(uint, unsigned, cudaChannelFormatKindUnsigned)
HEDDLE_CHANNELS_124(float, float, cudaChannelFormatKindFloat)
HEDDLE_CHANNELS(char, 1, char, cudaChannelFormatKindSigned)
#undef HEDDLE_CHANNELS
#undef HEDDLE_CHANNELS_124

template <class T>
HEDDLE_HOST struct cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
	typedef heddle_channels<T> c;
	return cudaChannelFormatDesc{c::bits, c::count > 1 ? c::bits : 0,
				     c::count > 2 ? c::bits : 0,
				     c::count > 3 ? c::bits : 0, c::f};
}

#undef HEDDLE_HOST
#endif
