/*
 * Declarations of the common functions of the CUDA runtime API. Their
 * definitions belong to the host side; a compilation for the device only needs
 * them so that the host functions of a program parse.
 */
#ifndef HEDDLE_CUDA_RUNTIME_API_H
#define HEDDLE_CUDA_RUNTIME_API_H
#pragma GCC system_header

#include "driver_types.h"

extern "C" {
/* errors, device */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr, int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);

/* memory */
cudaError_t cudaMalloc(void **p, size_t size);
cudaError_t cudaMallocHost(void **p, size_t size);
cudaError_t cudaMallocManaged(void **p, size_t size, unsigned flags);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width,
			    size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent);
cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t);
cudaError_t cudaHostAlloc(void **p, size_t size, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void **p, void *host, unsigned flags);
cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *,
				     const void *p);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t size,
		       enum cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t size,
			    enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src,
			   int src_device, size_t size);
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
			 size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t size,
			       size_t offset = 0,
			       enum cudaMemcpyKind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t size,
				 size_t offset = 0,
				 enum cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
				    size_t size, size_t offset,
				    enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
				      size_t size, size_t offset,
				      enum cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
cudaError_t cudaMemset(void *p, int value, size_t size);
cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t = 0);
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width,
			 size_t height);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, int device,
				 cudaStream_t = 0);
cudaError_t cudaMemAdvise(const void *p, size_t size, enum cudaMemoryAdvise,
			  int device);

/* arrays, textures, surfaces */
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *,
			    size_t width, size_t height = 0,
			    unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *,
			      const struct cudaChannelFormatDesc *,
			      struct cudaExtent, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t x, size_t y, const void *src,
			      size_t size, enum cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t, size_t x,
				size_t y, size_t size, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t x, size_t y,
				const void *src, size_t spitch, size_t width,
				size_t height, enum cudaMemcpyKind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t,
				  size_t x, size_t y, size_t width,
				  size_t height, enum cudaMemcpyKind);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *,
				    const struct cudaResourceDesc *,
				    const struct cudaTextureDesc *,
				    const struct cudaResourceViewDesc *);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *,
				    const struct cudaResourceDesc *);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);

/* streams, events */
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned flags,
					 int priority);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t,
				  void *data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *data);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* launches */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
			     void **args, size_t shared, cudaStream_t);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid,
					dim3 block, void **args, size_t shared,
					cudaStream_t);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *,
				  const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute,
				 int value);
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache);
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
					      int threads, size_t shared);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* What clang calls for kernel<<<grid, block, shared, stream>>>(args): the first
 * pair from target SDK version 9.2 on, the second before. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
				     struct CUstream_st *stream = 0);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
				       void *stream);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
			      cudaStream_t stream = 0);
cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset);
cudaError_t cudaLaunch(const void *kernel);
}

HEDDLE_HD struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
	return cudaExtent{w, h, d};
}

HEDDLE_HD struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	return cudaPos{x, y, z};
}

HEDDLE_HD struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch,
						    size_t x, size_t y)
{
	return cudaPitchedPtr{p, pitch, x, y};
}

#endif
