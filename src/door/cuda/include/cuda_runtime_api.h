/*
 * The functions of the CUDA runtime API, version 13, for C and C++. All of them
 * are in libcudart; unsupported ones return cudaErrorNotSupported.
 *
 * Per-thread default streams are not supported by this header:
 * CUDA_API_PER_THREAD_DEFAULT_STREAM is refused, cudaStreamPerThread is a
 * stream like any other.
 */
#ifndef HEDDLE_CUDA_RUNTIME_API_H
#define HEDDLE_CUDA_RUNTIME_API_H
/* Programs test this macro to find out whether the header is included. */
#define __CUDA_RUNTIME_API_H__
#pragma GCC system_header

#include "driver_types.h"

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "per-thread default streams are not supported"
#endif

HEDDLE_C_BEGIN

/* errors and versions */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int *driver_version);
cudaError_t cudaRuntimeGetVersion(int *runtime_version);

/* devices */
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *max_width_in_elements,
	const struct cudaChannelFormatDesc *fmt_desc, int device);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cache_config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least_priority,
					     int *greatest_priority);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache_config);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pci_bus_id);
cudaError_t cudaDeviceGetPCIBusId(char *pci_bus_id, int len, int device);
cudaError_t
cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback_func,
				    void *user_data,
				    cudaAsyncCallbackHandle_t *callback);
cudaError_t
cudaDeviceUnregisterAsyncNotification(int device,
				      cudaAsyncCallbackHandle_t callback);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
				   int device);
cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities,
				    const enum cudaAtomicOperation *operations,
				    unsigned count, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *mem_pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t mem_pool);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *mem_pool, int device);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
				      int src_device, int dst_device);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(
	unsigned *capabilities, const enum cudaAtomicOperation *operations,
	unsigned count, int src_device, int dst_device);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetValidDevices(int *device_arr, int len);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceCanAccessPeer(int *can_access_peer, int device,
				    int peer_device);
cudaError_t cudaDeviceEnablePeerAccess(int peer_device, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer_device);

/* memory */
cudaError_t
cudaMallocManaged(void **p, size_t size,
		  unsigned flags HEDDLE_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMalloc(void **p, size_t size);
cudaError_t cudaMallocHost(void **ptr, size_t size);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width,
			    size_t height);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *ptr);
cudaError_t cudaHostAlloc(void **host, size_t size, unsigned flags);
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags);
cudaError_t cudaHostUnregister(void *ptr);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched_dev_ptr,
			 struct cudaExtent extent);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
			      cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p,
				  cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
		       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src,
			   int src_device, size_t count);
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
			 size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
			       size_t count, size_t offset HEDDLE_DEFAULT(0),
			       enum cudaMemcpyKind kind
				       HEDDLE_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(
	void *dst, const void *symbol, size_t count,
	size_t offset HEDDLE_DEFAULT(0),
	enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
			    enum cudaMemcpyKind kind,
			    cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src,
				int src_device, size_t count,
				cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs,
				 const size_t *sizes, size_t count,
				 struct cudaMemcpyAttributes *attrs,
				 size_t *attrs_idxs, size_t num_attrs,
				 cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync(size_t num_ops,
				   struct cudaMemcpy3DBatchOp *op_list,
				   unsigned long long flags,
				   cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
			      size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind,
			      cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
				    size_t count, size_t offset,
				    enum cudaMemcpyKind kind,
				    cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
				      size_t count, size_t offset,
				      enum cudaMemcpyKind kind,
				      cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemset(void *p, int value, size_t count);
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width,
			 size_t height);
cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched_dev_ptr, int value,
			 struct cudaExtent extent);
cudaError_t cudaMemsetAsync(void *p, int value, size_t count,
			    cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width,
			      size_t height,
			      cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched_dev_ptr, int value,
			      struct cudaExtent extent,
			      cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
cudaError_t cudaMemPrefetchAsync(const void *p, size_t count,
				 struct cudaMemLocation location,
				 unsigned flags,
				 cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
				      struct cudaMemLocation *prefetch_locs,
				      size_t *prefetch_loc_idxs,
				      size_t num_prefetch_locs,
				      unsigned long long flags,
				      cudaStream_t stream);
cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
				     unsigned long long flags,
				     cudaStream_t stream);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
	void **dptrs, size_t *sizes, size_t count,
	struct cudaMemLocation *prefetch_locs, size_t *prefetch_loc_idxs,
	size_t num_prefetch_locs, unsigned long long flags,
	cudaStream_t stream);
cudaError_t cudaMemAdvise(const void *p, size_t count,
			  enum cudaMemoryAdvise advice,
			  struct cudaMemLocation location);
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size,
				     enum cudaMemRangeAttribute attribute,
				     const void *p, size_t count);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_sizes,
				      enum cudaMemRangeAttribute *attributes,
				      size_t num_attributes, const void *p,
				      size_t count);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
				     const void *ptr);

/* pools and allocation in stream order */
cudaError_t cudaMallocAsync(void **p, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t mem_pool, size_t min_bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t mem_pool,
				    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t mem_pool,
				    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t mem_pool,
				 const struct cudaMemAccessDesc *desc_list,
				 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
				 cudaMemPool_t mem_pool,
				 struct cudaMemLocation *location);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *mem_pool,
			      const struct cudaMemPoolProps *pool_props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t mem_pool);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *mem_pool,
				     struct cudaMemLocation *location,
				     enum cudaMemAllocationType type);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *mem_pool,
			      struct cudaMemLocation *location,
			      enum cudaMemAllocationType type);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location,
			      enum cudaMemAllocationType type,
			      cudaMemPool_t mem_pool);
cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
				    cudaMemPool_t mem_pool,
				    cudaStream_t stream);

/* arrays, textures, surfaces */
cudaError_t cudaMallocArray(cudaArray_t *array,
			    const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height HEDDLE_DEFAULT(0),
			    unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmapped_array);
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
			      const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent,
			      unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmapped_array,
				     const struct cudaChannelFormatDesc *desc,
				     struct cudaExtent extent,
				     unsigned num_levels,
				     unsigned flags HEDDLE_DEFAULT(0));
cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *level_array,
			   cudaMipmappedArray_const_t mipmapped_array,
			   unsigned level);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
			     struct cudaExtent *extent, unsigned *flags,
			     cudaArray_t array);
cudaError_t cudaArrayGetPlane(cudaArray_t *plane_array, cudaArray_t array,
			      unsigned plane_idx);
cudaError_t cudaArrayGetMemoryRequirements(
	struct cudaArrayMemoryRequirements *memory_requirements,
	cudaArray_t array, int device);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(
	struct cudaArrayMemoryRequirements *memory_requirements,
	cudaMipmappedArray_t mipmap, int device);
cudaError_t cudaArrayGetSparseProperties(
	struct cudaArraySparseProperties *sparse_properties, cudaArray_t array);
cudaError_t cudaMipmappedArrayGetSparseProperties(
	struct cudaArraySparseProperties *sparse_properties,
	cudaMipmappedArray_t mipmap);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y,
				const void *src, size_t spitch, size_t width,
				size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
				  cudaArray_const_t src, size_t x,
				  size_t y, size_t width, size_t height,
				  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DArrayToArray(
	cudaArray_t dst, size_t dst_x, size_t dst_y,
	cudaArray_const_t src, size_t src_x, size_t src_y,
	size_t width, size_t height,
	enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x,
				     size_t y, const void *src,
				     size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind,
				     cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
				       cudaArray_const_t src, size_t x,
				       size_t y, size_t width,
				       size_t height, enum cudaMemcpyKind kind,
				       cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y,
			      const void *src, size_t count,
			      enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
				size_t x, size_t y, size_t count,
				enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray(
	cudaArray_t dst, size_t dst_x, size_t dst_y,
	cudaArray_const_t src, size_t src_x, size_t src_y,
	size_t count,
	enum cudaMemcpyKind kind HEDDLE_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x,
				   size_t y, const void *src, size_t count,
				   enum cudaMemcpyKind kind,
				   cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
				     size_t x, size_t y,
				     size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
			       cudaArray_const_t array);
struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *tex_object,
			const struct cudaResourceDesc *res_desc,
			const struct cudaTextureDesc *tex_desc,
			const struct cudaResourceViewDesc *res_view_desc);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t tex_object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *res_desc,
					     cudaTextureObject_t tex_object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *tex_desc,
					    cudaTextureObject_t tex_object);
cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *res_view_desc,
				     cudaTextureObject_t tex_object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surf_object,
				    const struct cudaResourceDesc *res_desc);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surf_object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *res_desc,
					     cudaSurfaceObject_t surf_object);

/* streams */
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
					 int priority);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *stream_id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   cudaStreamAttrValue *value_out);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr,
				   const cudaStreamAttrValue *value);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
				unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
				  cudaStreamCallback_t callback,
				  void *user_data, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *p,
			 size_t length HEDDLE_DEFAULT(0),
			 unsigned flags HEDDLE_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
				   enum cudaStreamCaptureMode mode);
cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
			      const cudaGraphNode_t *dependencies,
			      const cudaGraphEdgeData *dependency_data,
			      size_t num_dependencies,
			      enum cudaStreamCaptureMode mode);
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
				  enum cudaStreamCaptureStatus *capture_status);
cudaError_t cudaStreamGetCaptureInfo(
	cudaStream_t stream, enum cudaStreamCaptureStatus *capture_status_out,
	unsigned long long *id_out HEDDLE_DEFAULT(0),
	cudaGraph_t *graph_out HEDDLE_DEFAULT(0),
	const cudaGraphNode_t **dependencies_out HEDDLE_DEFAULT(0),
	const cudaGraphEdgeData **edge_data_out HEDDLE_DEFAULT(0),
	size_t *num_dependencies_out HEDDLE_DEFAULT(0));
cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *dependencies,
	const cudaGraphEdgeData *dependency_data, size_t num_dependencies,
	unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
			       void *user_data);

/* events */
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event,
			    cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
				     cudaStream_t stream HEDDLE_DEFAULT(0),
				     unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* kernels: launches, attributes, occupancy */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid_dim, dim3 block_dim,
			     void **args, size_t shared_mem,
			     cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				const void *kernel, void **args);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid_dim,
					dim3 block_dim, void **args,
					size_t shared_mem, cudaStream_t stream);
cudaError_t cudaFuncSetCacheConfig(const void *kernel,
				   enum cudaFuncCache cache_config);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
				  const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel,
				 enum cudaFuncAttribute attr, int value);
cudaError_t cudaFuncGetName(const char **name, const void *kernel);
cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t param_index,
				 size_t *param_offset, size_t *param_size);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
				       enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *num_blocks, const void *kernel, int block_size,
	size_t dynamic_smem_size);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_smem_size,
						      const void *kernel,
						      int num_blocks,
						      int block_size);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *num_blocks, const void *kernel, int block_size,
	size_t dynamic_smem_size, unsigned flags);
cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *cluster_size, const void *kernel,
				     const cudaLaunchConfig_t *launch_config);
cudaError_t
cudaOccupancyMaxActiveClusters(int *num_clusters, const void *kernel,
			       const cudaLaunchConfig_t *launch_config);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function_ptr,
				const void *symbol_ptr);
cudaError_t cudaGetKernel(cudaKernel_t *kernel_ptr,
			  const void *entry_func_addr);

/* graphs */
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags);
cudaError_t
cudaGraphAddKernelNode(cudaGraphNode_t *graph_node, cudaGraph_t graph,
		       const cudaGraphNode_t *dependencies,
		       size_t num_dependencies,
		       const struct cudaKernelNodeParams *node_params);
cudaError_t
cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
			     struct cudaKernelNodeParams *node_params);
cudaError_t
cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
			     const struct cudaKernelNodeParams *node_params);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t dst,
					      cudaGraphNode_t src);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node,
					    cudaKernelNodeAttrID attr,
					    cudaKernelNodeAttrValue *value_out);
cudaError_t
cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attr,
				const cudaKernelNodeAttrValue *value);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *graph_node,
				   cudaGraph_t graph,
				   const cudaGraphNode_t *dependencies,
				   size_t num_dependencies,
				   const struct cudaMemcpy3DParms *copy_params);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *graph_node,
					   cudaGraph_t graph,
					   const cudaGraphNode_t *dependencies,
					   size_t num_dependencies,
					   const void *symbol, const void *src,
					   size_t count, size_t offset,
					   enum cudaMemcpyKind kind);
cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *graph_node, cudaGraph_t graph,
				 const cudaGraphNode_t *dependencies,
				 size_t num_dependencies, void *dst,
				 const void *symbol, size_t count,
				 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *graph_node,
				     cudaGraph_t graph,
				     const cudaGraphNode_t *dependencies,
				     size_t num_dependencies, void *dst,
				     const void *src, size_t count,
				     enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node,
					 struct cudaMemcpy3DParms *node_params);
cudaError_t
cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
			     const struct cudaMemcpy3DParms *node_params);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
						 const void *symbol,
						 const void *src, size_t count,
						 size_t offset,
						 enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
						   void *dst,
						   const void *symbol,
						   size_t count, size_t offset,
						   enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst,
					   const void *src, size_t count,
					   enum cudaMemcpyKind kind);
cudaError_t
cudaGraphAddMemsetNode(cudaGraphNode_t *graph_node, cudaGraph_t graph,
		       const cudaGraphNode_t *dependencies,
		       size_t num_dependencies,
		       const struct cudaMemsetParams *memset_params);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node,
					 struct cudaMemsetParams *node_params);
cudaError_t
cudaGraphMemsetNodeSetParams(cudaGraphNode_t node,
			     const struct cudaMemsetParams *node_params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *graph_node, cudaGraph_t graph,
				 const cudaGraphNode_t *dependencies,
				 size_t num_dependencies,
				 const struct cudaHostNodeParams *node_params);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
				       struct cudaHostNodeParams *node_params);
cudaError_t
cudaGraphHostNodeSetParams(cudaGraphNode_t node,
			   const struct cudaHostNodeParams *node_params);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *graph_node,
				       cudaGraph_t graph,
				       const cudaGraphNode_t *dependencies,
				       size_t num_dependencies,
				       cudaGraph_t child_graph);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
					    cudaGraph_t *graph);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *graph_node,
				  cudaGraph_t graph,
				  const cudaGraphNode_t *dependencies,
				  size_t num_dependencies);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *graph_node,
					cudaGraph_t graph,
					const cudaGraphNode_t *dependencies,
					size_t num_dependencies,
					cudaEvent_t event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
					     cudaEvent_t *event_out);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node,
					     cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *graph_node,
				      cudaGraph_t graph,
				      const cudaGraphNode_t *dependencies,
				      size_t num_dependencies,
				      cudaEvent_t event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
					   cudaEvent_t *event_out);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node,
					   cudaEvent_t event);
cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
	cudaGraphNode_t *graph_node, cudaGraph_t graph,
	const cudaGraphNode_t *dependencies, size_t num_dependencies,
	const struct cudaExternalSemaphoreSignalNodeParams *node_params);
cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
	cudaGraphNode_t node,
	struct cudaExternalSemaphoreSignalNodeParams *params_out);
cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
	cudaGraphNode_t node,
	const struct cudaExternalSemaphoreSignalNodeParams *node_params);
cudaError_t cudaGraphAddExternalSemaphoresWaitNode(
	cudaGraphNode_t *graph_node, cudaGraph_t graph,
	const cudaGraphNode_t *dependencies, size_t num_dependencies,
	const struct cudaExternalSemaphoreWaitNodeParams *node_params);
cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(
	cudaGraphNode_t node,
	struct cudaExternalSemaphoreWaitNodeParams *params_out);
cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
	cudaGraphNode_t node,
	const struct cudaExternalSemaphoreWaitNodeParams *node_params);
cudaError_t
cudaGraphAddMemAllocNode(cudaGraphNode_t *graph_node, cudaGraph_t graph,
			 const cudaGraphNode_t *dependencies,
			 size_t num_dependencies,
			 struct cudaMemAllocNodeParams *node_params);
cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
			       struct cudaMemAllocNodeParams *params_out);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *graph_node,
				    cudaGraph_t graph,
				    const cudaGraphNode_t *dependencies,
				    size_t num_dependencies, void *dptr);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaDeviceGetGraphMemAttribute(int device,
					   enum cudaGraphMemAttributeType attr,
					   void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device,
					   enum cudaGraphMemAttributeType attr,
					   void *value);
cudaError_t cudaGraphClone(cudaGraph_t *graph_clone,
			   cudaGraph_t original_graph);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node,
				     cudaGraphNode_t original_node,
				     cudaGraph_t cloned_graph);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
				 enum cudaGraphNodeType *type);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
			      size_t *num_nodes);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
				  cudaGraphNode_t *root_nodes,
				  size_t *num_root_nodes);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
			      cudaGraphNode_t *to, cudaGraphEdgeData *edge_data,
			      size_t *num_edges);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
					 cudaGraphNode_t *dependencies,
					 cudaGraphEdgeData *edge_data,
					 size_t *num_dependencies);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
					   cudaGraphNode_t *dependent_nodes,
					   cudaGraphEdgeData *edge_data,
					   size_t *num_dependent_nodes);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
				     const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to,
				     const cudaGraphEdgeData *edge_data,
				     size_t num_dependencies);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
					const cudaGraphNode_t *from,
					const cudaGraphNode_t *to,
					const cudaGraphEdgeData *edge_data,
					size_t num_dependencies);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *graph_exec, cudaGraph_t graph,
				 unsigned long long flags HEDDLE_DEFAULT(0));
cudaError_t
cudaGraphInstantiateWithFlags(cudaGraphExec_t *graph_exec, cudaGraph_t graph,
			      unsigned long long flags HEDDLE_DEFAULT(0));
cudaError_t
cudaGraphInstantiateWithParams(cudaGraphExec_t *graph_exec, cudaGraph_t graph,
			       cudaGraphInstantiateParams *instantiate_params);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graph_exec,
				  unsigned long long *flags);
cudaError_t cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t graph_exec, cudaGraphNode_t node,
	const struct cudaKernelNodeParams *node_params);
cudaError_t
cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph_exec,
				 cudaGraphNode_t node,
				 const struct cudaMemcpy3DParms *node_params);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
	cudaGraphExec_t graph_exec, cudaGraphNode_t node, const void *symbol,
	const void *src, size_t count, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
	cudaGraphExec_t graph_exec, cudaGraphNode_t node, void *dst,
	const void *symbol, size_t count, size_t offset,
	enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph_exec,
					       cudaGraphNode_t node, void *dst,
					       const void *src, size_t count,
					       enum cudaMemcpyKind kind);
cudaError_t
cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph_exec,
				 cudaGraphNode_t node,
				 const struct cudaMemsetParams *node_params);
cudaError_t
cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph_exec, cudaGraphNode_t node,
			       const struct cudaHostNodeParams *node_params);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t graph_exec,
						 cudaGraphNode_t node,
						 cudaGraph_t child_graph);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph_exec,
						 cudaGraphNode_t node,
						 cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph_exec,
					       cudaGraphNode_t node,
					       cudaEvent_t event);
cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
	cudaGraphExec_t graph_exec, cudaGraphNode_t node,
	const struct cudaExternalSemaphoreSignalNodeParams *node_params);
cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
	cudaGraphExec_t graph_exec, cudaGraphNode_t node,
	const struct cudaExternalSemaphoreWaitNodeParams *node_params);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t graph_exec,
				    cudaGraphNode_t node, unsigned is_enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t graph_exec,
				    cudaGraphNode_t node, unsigned *is_enabled);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t graph_exec, cudaGraph_t graph,
				cudaGraphExecUpdateResultInfo *result_info);
cudaError_t cudaGraphUpload(cudaGraphExec_t graph_exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph_exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph_exec);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path,
				   unsigned flags);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr,
				 cudaHostFn_t destroy,
				 unsigned initial_refcount, unsigned flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object,
				 unsigned count HEDDLE_DEFAULT(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t object,
				  unsigned count HEDDLE_DEFAULT(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
				      cudaUserObject_t object,
				      unsigned count HEDDLE_DEFAULT(1),
				      unsigned flags HEDDLE_DEFAULT(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
				       cudaUserObject_t object,
				       unsigned count HEDDLE_DEFAULT(1));
cudaError_t cudaGraphAddNode(cudaGraphNode_t *graph_node, cudaGraph_t graph,
			     const cudaGraphNode_t *dependencies,
			     const cudaGraphEdgeData *dependency_data,
			     size_t num_dependencies,
			     struct cudaGraphNodeParams *node_params);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node,
				   struct cudaGraphNodeParams *node_params);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graph_exec,
				       cudaGraphNode_t node,
				       struct cudaGraphNodeParams *node_params);
cudaError_t cudaGraphConditionalHandleCreate(
	cudaGraphConditionalHandle *handle_out, cudaGraph_t graph,
	unsigned default_launch_value HEDDLE_DEFAULT(0),
	unsigned flags HEDDLE_DEFAULT(0));

/* modules at run time, entry points of the driver */
cudaError_t cudaGetDriverEntryPoint(
	const char *symbol, void **func_ptr, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *driver_status HEDDLE_DEFAULT(0));
cudaError_t cudaGetDriverEntryPointByVersion(
	const char *symbol, void **func_ptr, unsigned cuda_version,
	unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *driver_status HEDDLE_DEFAULT(0));
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
				enum cudaJitOption *jit_options,
				void **jit_options_values,
				unsigned num_jit_options,
				enum cudaLibraryOption *library_options,
				void **library_option_values,
				unsigned num_library_options);
cudaError_t cudaLibraryLoadFromFile(
	cudaLibrary_t *library, const char *file_name,
	enum cudaJitOption *jit_options, void **jit_options_values,
	unsigned num_jit_options, enum cudaLibraryOption *library_options,
	void **library_option_values, unsigned num_library_options);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
				 const char *name);
cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes,
				 cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes,
				  cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
					  const char *symbol);
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t lib);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels,
					unsigned num_kernels,
					cudaLibrary_t lib);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
					    enum cudaFuncAttribute attr,
					    int value, int device);

/* sharing with other processes and with graphics: not supported, these return
 * cudaErrorNotSupported */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
				  cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
				   cudaIpcEventHandle_t handle);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle,
				 unsigned flags);
cudaError_t cudaIpcCloseMemHandle(void *p);
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(
	enum cudaFlushGPUDirectRDMAWritesTarget target,
	enum cudaFlushGPUDirectRDMAWritesScope scope);
cudaError_t cudaDeviceGetNvSciSyncAttributes(void *nv_sci_sync_attr_list,
					     int device, int flags);
cudaError_t cudaImportExternalMemory(
	cudaExternalMemory_t *ext_mem_out,
	const struct cudaExternalMemoryHandleDesc *mem_handle_desc);
cudaError_t cudaExternalMemoryGetMappedBuffer(
	void **p, cudaExternalMemory_t ext_mem,
	const struct cudaExternalMemoryBufferDesc *buffer_desc);
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
	cudaMipmappedArray_t *mipmap, cudaExternalMemory_t ext_mem,
	const struct cudaExternalMemoryMipmappedArrayDesc *mipmap_desc);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t ext_mem);
cudaError_t cudaImportExternalSemaphore(
	cudaExternalSemaphore_t *ext_sem_out,
	const struct cudaExternalSemaphoreHandleDesc *sem_handle_desc);
cudaError_t cudaSignalExternalSemaphoresAsync(
	const cudaExternalSemaphore_t *ext_sem_array,
	const struct cudaExternalSemaphoreSignalParams *params_array,
	unsigned num_ext_sems, cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaWaitExternalSemaphoresAsync(
	const cudaExternalSemaphore_t *ext_sem_array,
	const struct cudaExternalSemaphoreWaitParams *params_array,
	unsigned num_ext_sems, cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t ext_sem);
cudaError_t cudaMemPoolExportToShareableHandle(
	void *shareable_handle, cudaMemPool_t mem_pool,
	enum cudaMemAllocationHandleType handle_type, unsigned flags);
cudaError_t cudaMemPoolImportFromShareableHandle(
	cudaMemPool_t *mem_pool, void *shareable_handle,
	enum cudaMemAllocationHandleType handle_type, unsigned flags);
cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *export_data,
			 void *ptr);
cudaError_t
cudaMemPoolImportPointer(void **ptr, cudaMemPool_t mem_pool,
			 struct cudaMemPoolPtrExportData *export_data);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource,
					    unsigned flags);
cudaError_t cudaGraphicsMapResources(int count,
				     cudaGraphicsResource_t *resources,
				     cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t cudaGraphicsUnmapResources(int count,
				       cudaGraphicsResource_t *resources,
				       cudaStream_t stream HEDDLE_DEFAULT(0));
cudaError_t
cudaGraphicsResourceGetMappedPointer(void **p, size_t *size,
				     cudaGraphicsResource_t resource);
cudaError_t
cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array,
				      cudaGraphicsResource_t resource,
				      unsigned array_index, unsigned mip_level);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(
	cudaMipmappedArray_t *mipmapped_array, cudaGraphicsResource_t resource);
cudaError_t cudaGetExportTable(const void **pp_export_table,
			       const cudaUUID_t *export_table_id);

/* the log */
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback_func,
				     void *user_data,
				     cudaLogsCallbackHandle *callback_out);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);
cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned flags);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator,
			       const char *path_to_file, unsigned flags);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer,
				 size_t *size, unsigned flags);

/* the profiler's switches */
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* What a launch with <<<grid, block, shared, stream>>> compiles to, around
 * cudaLaunchKernel. */
unsigned __cudaPushCallConfiguration(
	dim3 grid, dim3 block, size_t shared HEDDLE_DEFAULT(0),
	struct CUstream_st *stream HEDDLE_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
				       void *stream);

#ifdef __CUDA_ARCH__
/* The name of the first of these in clang without an SDK version. A compilation
 * for the device parses launches and never calls it. */
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
			      cudaStream_t stream = 0);
#endif

HEDDLE_C_END

HEDDLE_HD struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
	struct cudaExtent e = {w, h, d};
	return e;
}

HEDDLE_HD struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos p = {x, y, z};
	return p;
}

HEDDLE_HD struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch,
						    size_t x, size_t y)
{
	struct cudaPitchedPtr v = {p, pitch, x, y};
	return v;
}

#endif
