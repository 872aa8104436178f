#include "door/libcuda/api.h"

static int pool_alloc(CUdeviceptr *out, size_t size, CUmemoryPool pool,
		      struct rt_stream *s)
{
	return POINTER_OUT(
		out, NEED(size, rt_malloc_async(&p_, size, (void *)pool, s)));
}

API_ON(cuMemAllocAsync, _ptsz, s, (CUdeviceptr * out, size_t size, CUstream s),
       pool_alloc(out, size, NULL, ON(s)))
API_ON(cuMemAllocFromPoolAsync, _ptsz, s,
       (CUdeviceptr * out, size_t size, CUmemoryPool pool, CUstream s),
       NEED(pool, pool_alloc(out, size, pool, ON(s))))
API_ON(cuMemFreeAsync, _ptsz, s, (CUdeviceptr p, CUstream s),
       rt_free_async(as_pointer(p), ON(s)))

/* Pools hold memory of one device, for this process only. */
static int pool_create(CUmemoryPool *out, const CUmemPoolProps *p)
{
	if (!out || !p || p->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (p->handleTypes != CU_MEM_HANDLE_TYPE_NONE ||
	    p->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_NOT_SUPPORTED;
	return rt_pool_new((void *)out, p->location.id);
}

static int cu_pool_trim(CUmemoryPool pool)
{
	int device;

	return rt_pool_device((void *)pool, &device);
}

/* Devices cannot access each other's memory. */
static int pool_set_access(CUmemoryPool pool, const CUmemAccessDesc *list,
			   size_t count)
{
	int device, e = rt_pool_device((void *)pool, &device);

	if (e || (count && !list))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (list[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
		    list[i].location.id < 0 ||
		    list[i].location.id >= rt_device_count())
			return CUDA_ERROR_INVALID_DEVICE;
		if (list[i].location.id != device && list[i].flags)
			return CUDA_ERROR_INVALID_DEVICE;
	}
	return 0;
}

static int cu_pool_get_access(CUmemAccess_flags *out, CUmemoryPool pool,
			      const CUmemLocation *at)
{
	int device, e = rt_pool_device((void *)pool, &device);

	if (e || !out || !at || at->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = at->id == device ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE :
				  CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return 0;
}

API(cuMemPoolCreate, (CUmemoryPool * out, const CUmemPoolProps *p),
    pool_create(out, p))
API(cuMemPoolDestroy, (CUmemoryPool pool), rt_pool_free((void *)pool))
API(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep),
    ((void)keep, cu_pool_trim(pool)))
API(cuMemPoolGetAttribute,
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    rt_pool_get((void *)pool, (int)attribute, value))
API(cuMemPoolSetAttribute,
    (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
    rt_pool_set((void *)pool, (int)attribute, value))
API(cuMemPoolSetAccess,
    (CUmemoryPool pool, const CUmemAccessDesc *list, size_t count),
    pool_set_access(pool, list, count))
API(cuMemPoolGetAccess,
    (CUmemAccess_flags * out, CUmemoryPool pool, CUmemLocation *at),
    cu_pool_get_access(out, pool, at))

API_INIT(cuDeviceGetDefaultMemPool, (CUmemoryPool * out, CUdevice device),
	 rt_pool_default((void *)out, device))
API_INIT(cuDeviceGetMemPool, (CUmemoryPool * out, CUdevice device),
	 rt_pool_current((void *)out, device))
API_INIT(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool),
	 rt_pool_use(device, (void *)pool))

/* The forms of CUDA 13 take a location; only devices have pools. */
static int check_location(const CUmemLocation *at, int type)
{
	if (!at || type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	return at->type == CU_MEM_LOCATION_TYPE_DEVICE ?
		       0 :
		       CUDA_ERROR_NOT_SUPPORTED;
}

#define AT(at, type, expr)                                                   \
	(check_location(at, (int)(type)) ? check_location(at, (int)(type)) : \
					   (expr))

API_INIT(cuMemGetDefaultMemPool,
	 (CUmemoryPool * out, CUmemLocation *at, CUmemAllocationType type),
	 AT(at, type, rt_pool_default((void *)out, at->id)))
API_INIT(cuMemGetMemPool,
	 (CUmemoryPool * out, CUmemLocation *at, CUmemAllocationType type),
	 AT(at, type, rt_pool_current((void *)out, at->id)))
API_INIT(cuMemSetMemPool,
	 (CUmemLocation * at, CUmemAllocationType type, CUmemoryPool pool),
	 AT(at, type, rt_pool_use(at->id, (void *)pool)))

/*
 * Memory of graphs. It is freed with them, so there is nothing to trim.
 */
API_INIT(cuDeviceGetGraphMemAttribute,
	 (CUdevice device, int attribute, void *value),
	 rt_graph_memory_get(device, attribute, value))
API_INIT(cuDeviceSetGraphMemAttribute,
	 (CUdevice device, int attribute, void *value),
	 rt_graph_memory_set(device, attribute, value))
API_INIT(cuDeviceGraphMemTrim, (CUdevice device),
	 device < 0 || device >= rt_device_count() ? CUDA_ERROR_INVALID_DEVICE :
						     0)
