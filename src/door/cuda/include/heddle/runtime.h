/*
 * The C++ part of the runtime API: typed pointers and kernels, symbols by
 * name, launches with checked arguments, the block size with the best
 * occupancy. All of it calls the functions of cuda_runtime_api.h.
 */
#ifndef HEDDLE_CUDA_RUNTIME_CXX_H
#define HEDDLE_CUDA_RUNTIME_CXX_H
#pragma GCC system_header

#include "../cuda_runtime_api.h"
#include <utility>

/* --- memory */

template <class T> HEDDLE_HOST cudaError_t cudaMalloc(T **p, size_t size)
{
	return ::cudaMalloc((void **)p, size);
}

HEDDLE_HOST cudaError_t cudaMallocHost(void **p, size_t size, unsigned flags)
{
	return ::cudaHostAlloc(p, size, flags);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocHost(T **p, size_t size, unsigned flags = 0)
{
	return ::cudaHostAlloc((void **)p, size, flags);
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
HEDDLE_HOST cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t s)
{
	return ::cudaMallocAsync((void **)p, size, s);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocFromPoolAsync(T **p, size_t size,
						cudaMemPool_t pool,
						cudaStream_t s)
{
	return ::cudaMallocFromPoolAsync((void **)p, size, pool, s);
}

HEDDLE_HOST cudaError_t cudaMallocAsync(void **p, size_t size,
					cudaMemPool_t pool, cudaStream_t s)
{
	return ::cudaMallocFromPoolAsync(p, size, pool, s);
}

template <class T>
HEDDLE_HOST cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool,
					cudaStream_t s)
{
	return ::cudaMallocFromPoolAsync((void **)p, size, pool, s);
}

template <class T>
HEDDLE_HOST cudaError_t
cudaStreamAttachMemAsync(cudaStream_t s, T *p, size_t size = 0,
			 unsigned flags = cudaMemAttachSingle)
{
	return ::cudaStreamAttachMemAsync(s, (void *)p, size, flags);
}

template <class T, class U>
HEDDLE_HOST cudaError_t
cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *sizes,
		     size_t count, struct cudaMemcpyAttributes *attrs,
		     size_t *attr_index, size_t attr_count, cudaStream_t s)
{
	return ::cudaMemcpyBatchAsync((void *const *)to,
				      (const void *const *)from, sizes, count,
				      attrs, attr_index, attr_count, s);
}

template <class T, class U>
HEDDLE_HOST cudaError_t
cudaMemcpyBatchAsync(T *const *to, U *const *from, const size_t *sizes,
		     size_t count, struct cudaMemcpyAttributes attr,
		     cudaStream_t s)
{
	size_t first = 0;

	return ::cudaMemcpyBatchAsync((void *const *)to,
				      (const void *const *)from, sizes, count,
				      &attr, &first, 1, s);
}

#define HEDDLE_PREFETCH(name)                                                 \
	template <class T>                                                    \
	HEDDLE_HOST cudaError_t name(T **p, size_t *sizes, size_t count,      \
				     struct cudaMemLocation *to,              \
				     size_t *to_index, size_t to_count,       \
				     unsigned long long flags,                \
				     cudaStream_t s)                          \
	{                                                                     \
		return ::name((void **)p, sizes, count, to, to_index,         \
			      to_count, flags, s);                            \
	}                                                                     \
	template <class T>                                                    \
	HEDDLE_HOST cudaError_t name(T **p, size_t *sizes, size_t count,      \
				     struct cudaMemLocation to,               \
				     unsigned long long flags,                \
				     cudaStream_t s)                          \
	{                                                                     \
		size_t first = 0;                                             \
		return ::name((void **)p, sizes, count, &to, &first, 1,       \
			      flags, s);                                      \
	}
HEDDLE_PREFETCH(cudaMemPrefetchBatchAsync)
HEDDLE_PREFETCH(cudaMemDiscardAndPrefetchBatchAsync)
#undef HEDDLE_PREFETCH

/* --- symbols: variables of the device by name */

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
HEDDLE_HOST cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t size,
			size_t offset = 0,
			enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
			cudaStream_t s = 0)
{
	return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, size,
					 offset, kind, s);
}

template <class T>
HEDDLE_HOST cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size,
			  size_t offset = 0,
			  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
			  cudaStream_t s = 0)
{
	return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, size,
					   offset, kind, s);
}

/* --- kernels */

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

/* The arguments already have the types of the kernel's parameters. */
template <class... P>
HEDDLE_HOST cudaError_t heddle_launch(const cudaLaunchConfig_t *config,
				      const void *kernel, P... args)
{
	void *list[] = {(void *)&args..., 0};

	return ::cudaLaunchKernelExC(config, kernel, list);
}

template <class... P, class... A>
HEDDLE_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
					   void (*kernel)(P...), A &&...args)
{
	return heddle_launch<P...>(config, (const void *)kernel,
				   std::forward<A>(args)...);
}

template <class... A>
HEDDLE_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
					   const cudaKernel_t kernel,
					   A &&...args)
{
	void *list[] = {(void *)&args..., 0};

	return ::cudaLaunchKernelExC(config, (const void *)kernel, list);
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
HEDDLE_HOST cudaError_t
cudaFuncSetSharedMemConfig(F *kernel, enum cudaSharedMemConfig banks)
{
	return ::cudaFuncSetSharedMemConfig((const void *)kernel, banks);
}

template <class F>
HEDDLE_HOST cudaError_t cudaFuncGetName(const char **name, F *kernel)
{
	return ::cudaFuncGetName(name, (const void *)kernel);
}

template <class F>
HEDDLE_HOST cudaError_t cudaGetKernel(cudaKernel_t *handle, F *kernel)
{
	return ::cudaGetKernel(handle, (const void *)kernel);
}

template <class T>
HEDDLE_HOST cudaError_t cudaLibraryGetGlobal(T **p, size_t *size,
					     cudaLibrary_t library,
					     const char *name)
{
	return ::cudaLibraryGetGlobal((void **)p, size, library, name);
}

template <class T>
HEDDLE_HOST cudaError_t cudaLibraryGetManaged(T **p, size_t *size,
					      cudaLibrary_t library,
					      const char *name)
{
	return ::cudaLibraryGetManaged((void **)p, size, library, name);
}

template <class T>
HEDDLE_HOST cudaError_t cudaLibraryGetUnifiedFunction(T **f,
						      cudaLibrary_t library,
						      const char *symbol)
{
	return ::cudaLibraryGetUnifiedFunction((void **)f, library, symbol);
}

/* --- occupancy */

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, F kernel, int threads, size_t shared)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		blocks, (const void *)kernel, threads, shared);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, F kernel, int threads, size_t shared, unsigned flags)
{
	return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, (const void *)kernel, threads, shared, flags);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *shared, F *kernel, int blocks, int threads)
{
	return ::cudaOccupancyAvailableDynamicSMemPerBlock(
		shared, (const void *)kernel, blocks, threads);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *size, F *kernel, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxPotentialClusterSize(
		size, (const void *)kernel, config);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxActiveClusters(
	int *count, F *kernel, const cudaLaunchConfig_t *config)
{
	return ::cudaOccupancyMaxActiveClusters(count, (const void *)kernel,
						config);
}

/* The block sizes that a kernel may have on the current device. */
struct heddle_block_range {
	int most, warp, sms, sm_threads;
};

HEDDLE_HOST cudaError_t heddle_block_range_of(struct heddle_block_range *r,
					      const void *kernel, int limit)
{
	const struct {
		int *value;
		enum cudaDeviceAttr attr;
	} asked[] = {
		{&r->most, cudaDevAttrMaxThreadsPerBlock},
		{&r->warp, cudaDevAttrWarpSize},
		{&r->sms, cudaDevAttrMultiProcessorCount},
		{&r->sm_threads, cudaDevAttrMaxThreadsPerMultiProcessor},
	};
	struct cudaFuncAttributes a;
	int device;
	cudaError_t e = cudaGetDevice(&device);

	for (int i = 0; !e && i < 4; i++)
		e = cudaDeviceGetAttribute(asked[i].value, asked[i].attr,
					   device);
	if (!e)
		e = cudaFuncGetAttributes(&a, kernel);
	if (e)
		return e;
	if (r->most > a.maxThreadsPerBlock)
		r->most = a.maxThreadsPerBlock;
	if (limit > 0 && r->most > limit)
		r->most = limit;
	return cudaSuccess;
}

/* Tries blocks of whole warps from the largest down, and keeps the first that
 * fills an SM best. */
template <class S, class F>
HEDDLE_HOST cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
	int *grid, int *block, F kernel, S shared_of_block, int limit = 0,
	unsigned flags = 0)
{
	struct heddle_block_range r;
	int best = 0;

	if (!grid || !block)
		return cudaErrorInvalidValue;
	if (!(const void *)kernel)
		return cudaErrorInvalidDeviceFunction;

	cudaError_t e = heddle_block_range_of(&r, (const void *)kernel, limit);

	if (e)
		return e;
	for (int whole = (r.most + r.warp - 1) / r.warp * r.warp;
	     whole > 0 && best < r.sm_threads; whole -= r.warp) {
		const int threads = whole < r.most ? whole : r.most;
		int blocks;

		e = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
			&blocks, (const void *)kernel, threads,
			shared_of_block(threads), flags);
		if (e)
			return e;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * r.sms;
		}
	}
	return cudaSuccess;
}

template <class S, class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
	int *grid, int *block, F kernel, S shared_of_block, int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
		grid, block, kernel, shared_of_block, limit,
		cudaOccupancyDefault);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(
	int *grid, int *block, F kernel, size_t shared = 0, int limit = 0,
	unsigned flags = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
		grid, block, kernel, [shared](int) { return shared; }, limit,
		flags);
}

template <class F>
HEDDLE_HOST cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid,
							   int *block, F kernel,
							   size_t shared = 0,
							   int limit = 0)
{
	return cudaOccupancyMaxPotentialBlockSizeWithFlags(
		grid, block, kernel, shared, limit, cudaOccupancyDefault);
}

/* --- channel descriptions of element types: 8 * sizeof bits per channel */

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

#define HEDDLE_HALF_CHANNELS(suffix, n)                                       \
	HEDDLE_HOST struct cudaChannelFormatDesc                              \
	cudaCreateChannelDescHalf##suffix(void)                               \
	{                                                                     \
		return cudaChannelFormatDesc{16, n > 1 ? 16 : 0,              \
					     n > 2 ? 16 : 0, n > 3 ? 16 : 0,  \
					     cudaChannelFormatKindFloat};     \
	}
HEDDLE_HALF_CHANNELS(, 1)
HEDDLE_HALF_CHANNELS(1, 1)
HEDDLE_HALF_CHANNELS(2, 2)
HEDDLE_HALF_CHANNELS(4, 4)
#undef HEDDLE_HALF_CHANNELS

/* --- events and graphs */

HEDDLE_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
	return ::cudaEventCreateWithFlags(event, flags);
}

HEDDLE_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec,
					     cudaGraph_t graph,
					     cudaGraphNode_t *error_node,
					     char *log, size_t log_size)
{
	(void)error_node, (void)log, (void)log_size;
	return ::cudaGraphInstantiate(exec, graph, 0);
}

HEDDLE_HOST cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
		    cudaGraphNode_t *error_node,
		    enum cudaGraphExecUpdateResult *result)
{
	cudaGraphExecUpdateResultInfo info;
	cudaError_t e = ::cudaGraphExecUpdate(exec, graph, &info);

	if (error_node)
		*error_node = info.errorNode;
	if (result)
		*result = info.result;
	return e;
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphAddMemcpyNodeToSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	size_t after_count, const T &symbol, const void *src, size_t size,
	size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, after_count,
						(const void *)&symbol, src,
						size, offset, kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
	size_t after_count, void *dst, const T &symbol, size_t size,
	size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after,
						  after_count, dst,
						  (const void *)&symbol, size,
						  offset, kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(
	cudaGraphNode_t node, const T &symbol, const void *src, size_t size,
	size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsToSymbol(
		node, (const void *)&symbol, src, size, offset, kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(
	cudaGraphNode_t node, void *dst, const T &symbol, size_t size,
	size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphMemcpyNodeSetParamsFromSymbol(
		node, dst, (const void *)&symbol, size, offset, kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
	cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol,
	const void *src, size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(
		exec, node, (const void *)&symbol, src, size, offset, kind);
}

template <class T>
HEDDLE_HOST cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
	cudaGraphExec_t exec, cudaGraphNode_t node, void *dst, const T &symbol,
	size_t size, size_t offset, enum cudaMemcpyKind kind)
{
	return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(
		exec, node, dst, (const void *)&symbol, size, offset, kind);
}

template <class T> void heddle_delete(void *object)
{
	delete (T *)object;
}

template <class T>
HEDDLE_HOST cudaError_t cudaUserObjectCreate(cudaUserObject_t *handle,
					     T *object, unsigned references,
					     unsigned flags)
{
	return ::cudaUserObjectCreate(handle, object, heddle_delete<T>,
				      references, flags);
}

/* --- the forms of CUDA 12: a device number as the location of memory, edges
 * without data */

HEDDLE_HOST struct cudaMemLocation heddle_location(int device)
{
	struct cudaMemLocation l;

	l.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost :
					     cudaMemLocationTypeDevice;
	l.id = device == cudaCpuDeviceId ? 0 : device;
	return l;
}

HEDDLE_HOST cudaError_t cudaMemPrefetchAsync(const void *p, size_t size,
					     int device, cudaStream_t s = 0)
{
	return ::cudaMemPrefetchAsync(p, size, heddle_location(device), 0, s);
}

HEDDLE_HOST cudaError_t cudaMemAdvise(const void *p, size_t size,
				      enum cudaMemoryAdvise advice, int device)
{
	return ::cudaMemAdvise(p, size, advice, heddle_location(device));
}

HEDDLE_HOST cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
						 const cudaGraphNode_t *from,
						 const cudaGraphNode_t *to,
						 size_t count)
{
	return ::cudaGraphAddDependencies(graph, from, to, 0, count);
}

HEDDLE_HOST cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
						    const cudaGraphNode_t *from,
						    const cudaGraphNode_t *to,
						    size_t count)
{
	return ::cudaGraphRemoveDependencies(graph, from, to, 0, count);
}

HEDDLE_HOST cudaError_t cudaGraphGetEdges(cudaGraph_t graph,
					  cudaGraphNode_t *from,
					  cudaGraphNode_t *to, size_t *count)
{
	return ::cudaGraphGetEdges(graph, from, to, 0, count);
}

HEDDLE_HOST cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
						     cudaGraphNode_t *nodes,
						     size_t *count)
{
	return ::cudaGraphNodeGetDependencies(node, nodes, 0, count);
}

HEDDLE_HOST cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
						       cudaGraphNode_t *nodes,
						       size_t *count)
{
	return ::cudaGraphNodeGetDependentNodes(node, nodes, 0, count);
}

#endif
