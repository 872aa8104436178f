#include <string.h>

#include "door/cudart/api.h"

/* If it is not a kernel, CUDA 13 reports an invalid handle, older versions an
 * invalid function. */
static int find_func(struct rt_func **f, const void *func)
{
	int e = rt_func_of(f, func);

	return CUDART_MAJOR < 13 && e == cudaErrorInvalidResourceHandle ?
		       (int)cudaErrorInvalidDeviceFunction :
		       e;
}

/* CUDA 13 returns the driver's error for an impossible shape. */
static int launch_submit(const struct rt_launch *l, struct rt_stream *s)
{
	int e = rt_launch(l, s);

	return CUDART_MAJOR >= 13 && e == cudaErrorInvalidConfiguration ?
		       (int)cudaErrorInvalidValue :
		       e;
}

static int launch_kernel(const void *func, dim3 grid, dim3 block, void **args,
			 size_t shared, struct rt_stream *s, bool cooperative)
{
	struct rt_launch l = { .grid = { grid.x, grid.y, grid.z },
			       .block = { block.x, block.y, block.z },
			       .shared_bytes = shared,
			       .args = args,
			       .cooperative = cooperative };
	int e = find_func(&l.func, func);

	return e ? e : launch_submit(&l, s);
}

API_ON(cudaLaunchKernel, _ptsz,
       (const void *func, dim3 grid, dim3 block, void **args, size_t shared,
	cudaStream_t s),
       launch_kernel(func, grid, block, args, shared, ON(s), false))
API_ON(cudaLaunchCooperativeKernel, _ptsz,
       (const void *func, dim3 grid, dim3 block, void **args, size_t shared,
	cudaStream_t s),
       launch_kernel(func, grid, block, args, shared, ON(s), true))

/* <<< >>> of CUDA 13, with the kernel's handle. */
MORE_ON(__cudaLaunchKernel, _ptsz,
	(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
	 cudaStream_t s),
	launch_kernel(kernel, grid, block, args, shared, ON(s), false))

/* Accepts attributes that have no effect here; refuses one that would change
 * the result. */
static int launch_apply_attribute(struct rt_launch *l,
				  const cudaLaunchAttribute *a)
{
	switch (a->id) {
	case cudaLaunchAttributeCooperative:
		l->cooperative = a->val.cooperative != 0;
		return cudaSuccess;
	case cudaLaunchAttributeClusterDimension:
		l->cluster[0] = a->val.clusterDim.x;
		l->cluster[1] = a->val.clusterDim.y;
		l->cluster[2] = a->val.clusterDim.z;
		return cudaSuccess;
	case cudaLaunchAttributeProgrammaticEvent:
	case cudaLaunchAttributeLaunchCompletionEvent:
	case cudaLaunchAttributeDeviceUpdatableKernelNode:
		return rt_unsupported("a launch with events of its own");
	default:
		return cudaSuccess;
	}
}

static int launch_apply_config(struct rt_launch *l, const cudaLaunchConfig_t *c)
{
	int e = cudaSuccess;

	if (!c || (c->numAttrs && !c->attrs))
		return cudaErrorInvalidValue;
	*l = (struct rt_launch){
		.grid = { c->gridDim.x, c->gridDim.y, c->gridDim.z },
		.block = { c->blockDim.x, c->blockDim.y, c->blockDim.z },
		.shared_bytes = c->dynamicSmemBytes,
	};
	for (unsigned i = 0; !e && i < c->numAttrs; i++)
		e = launch_apply_attribute(l, &c->attrs[i]);
	return e;
}

static int launch_with_config(const cudaLaunchConfig_t *c, const void *func,
			      void **args, struct rt_stream *otherwise)
{
	struct rt_launch l;
	int e = launch_apply_config(&l, c);

	if (!e)
		e = find_func(&l.func, func);
	if (e)
		return e;
	l.args = args;
	return launch_submit(&l, c->stream ? (void *)c->stream : otherwise);
}

API_ON(cudaLaunchKernelExC, _ptsz,
       (const cudaLaunchConfig_t *c, const void *func, void **args),
       launch_with_config(c, func, args, ON(0)))

/*
 * Kernels
 */

struct rt_launch launch_of(const struct cudaKernelNodeParams *p, int *e)
{
	struct rt_launch l = { 0 };

	*e = cudaErrorInvalidValue;
	if (!p)
		return l;
	l = (struct rt_launch){
		.grid = { p->gridDim.x, p->gridDim.y, p->gridDim.z },
		.block = { p->blockDim.x, p->blockDim.y, p->blockDim.z },
		.shared_bytes = p->sharedMemBytes,
		.args = p->kernelParams,
	};
	*e = find_func(&l.func, p->func);
	if (!*e && p->extra)
		*e = rt_unsupported("a kernel node with `extra`");
	return l;
}

/* CUDA 11 has only the first ten fields. */
static int func_get_attributes(struct cudaFuncAttributes *out, const void *func)
{
	struct rt_func_info i;
	struct rt_func *f;
	int e = find_func(&f, func);

	if (!e)
		e = rt_func_info(&i, f);
	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	memset(out, 0,
	       CUDART_MAJOR >= 12 ? sizeof(*out) :
				    offsetof(struct cudaFuncAttributes,
					     clusterDimMustBeSet));
	out->sharedSizeBytes = i.shared_bytes;
	out->constSizeBytes = i.const_bytes;
	out->localSizeBytes = i.local_bytes;
	out->maxThreadsPerBlock = i.max_threads;
	out->numRegs = i.registers;
	out->ptxVersion = i.ptx_version;
	out->binaryVersion = i.binary_version;
	out->maxDynamicSharedSizeBytes = i.max_dynamic_shared;
	out->preferredShmemCarveout = i.carveout;
	return cudaSuccess;
}

static int func_set_attribute(const void *func, int attribute, int value)
{
	struct rt_func *f;
	int e = find_func(&f, func);

	return e ? e : rt_func_set(f, attribute, value);
}

static int func_set_cache(const void *func, int cache)
{
	struct rt_func *f;
	int e = find_func(&f, func);

	return e ? e : rt_func_cache(f, cache);
}

static int func_get_name(const char **name, const void *func)
{
	struct rt_func_info i;
	struct rt_func *f;
	int e = find_func(&f, func);

	if (!e)
		e = rt_func_info(&i, f);
	if (e || !name)
		return e ? e : cudaErrorInvalidValue;
	*name = i.name;
	return cudaSuccess;
}

static int func_get_param(const void *func, size_t i, size_t *offset,
			  size_t *size)
{
	struct rt_func *f;
	int e = find_func(&f, func);

	return e ? e : rt_func_param(offset, size, f, i);
}

static int func_set_on_device(const void *func, int attribute, int value,
			      int device)
{
	int had = rt_device(), e = rt_device_set(device);

	if (e)
		return e;
	e = func_set_attribute(func, attribute, value);
	rt_device_set(had);
	return e;
}

API(cudaFuncGetAttributes, (struct cudaFuncAttributes * out, const void *func),
    func_get_attributes(out, func))
API(cudaFuncSetAttribute,
    (const void *func, enum cudaFuncAttribute attribute, int value),
    func_set_attribute(func, (int)attribute, value))
API(cudaFuncSetCacheConfig, (const void *func, enum cudaFuncCache cache),
    func_set_cache(func, (int)cache))
/* The width of banks is fixed. */
API(cudaFuncSetSharedMemConfig,
    (const void *func, enum cudaSharedMemConfig config),
    ((void)config, func_set_cache(func, cudaFuncCachePreferNone)))
API(cudaFuncGetName, (const char **name, const void *func),
    func_get_name(name, func))
API(cudaFuncGetParamInfo,
    (const void *func, size_t i, size_t *offset, size_t *size),
    func_get_param(func, i, offset, size))
API(cudaGetKernel, (cudaKernel_t * out, const void *func),
    NEED(out, find_func((struct rt_func **)(void *)out, func)))
API(cudaGetFuncBySymbol, (cudaFunction_t * out, const void *func),
    NEED(out, find_func((struct rt_func **)(void *)out, func)))
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *func);
API_ASK(__cudaGetKernel, (cudaKernel_t * out, const void *func),
	NEED(out, find_func((struct rt_func **)(void *)out, func)))
API(cudaKernelSetAttributeForDevice,
    (cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
     int device),
    func_set_on_device(kernel, (int)attribute, value, device))

/*
 * Occupancy
 */

static int occupancy(int *blocks, const void *func, int threads, size_t dynamic)
{
	struct rt_func *f;
	int e = find_func(&f, func);

	return e ? e : rt_occupancy(blocks, f, threads, dynamic);
}

static int occupancy_shared(size_t *dynamic, const void *func, int blocks,
			    int threads)
{
	struct rt_func *f;
	int e = find_func(&f, func);

	return e ? e : rt_occupancy_shared(dynamic, f, blocks, threads);
}

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *blocks, const void *func, int threads, size_t dynamic),
    occupancy(blocks, func, threads, dynamic))
API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, const void *func, int threads, size_t dynamic,
     unsigned flags),
    NEED(flags <= 1, occupancy(blocks, func, threads, dynamic)))
API(cudaOccupancyAvailableDynamicSMemPerBlock,
    (size_t * dynamic, const void *func, int blocks, int threads),
    occupancy_shared(dynamic, func, blocks, threads))
