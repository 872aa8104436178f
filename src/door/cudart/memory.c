#include <string.h>

#include "door/cudart/api.h"

API(cudaMalloc, (void **p, size_t size), rt_malloc(p, size))
API(cudaMallocPitch, (void **p, size_t *pitch, size_t width, size_t height),
    rt_malloc_pitch(p, pitch, width, height, 1))
API(cudaFree, (void *p), rt_free(p))
API(cudaMallocHost, (void **p, size_t size), rt_host_alloc(p, size, 0))
API(cudaHostAlloc, (void **p, size_t size, unsigned flags),
    rt_host_alloc(p, size, flags))
API(cudaFreeHost, (void *p), rt_host_free(p))
API(cudaHostRegister, (void *p, size_t size, unsigned flags),
    rt_host_register(p, size, flags))
API(cudaHostUnregister, (void *p), rt_host_unregister(p))
API(cudaHostGetDevicePointer, (void **out, void *p, unsigned flags),
    NEED(!flags, rt_host_device_pointer(out, p)))
API(cudaHostGetFlags, (unsigned *flags, void *p), rt_host_flags(flags, p))
API(cudaMallocManaged, (void **p, size_t size, unsigned flags),
    rt_malloc_managed(p, size, flags))

static int malloc_3d(struct cudaPitchedPtr *p, struct cudaExtent x)
{
	size_t pitch;
	void *at;
	int e;

	if (!p)
		return cudaErrorInvalidValue;
	e = rt_malloc_pitch(&at, &pitch, x.width, x.height, x.depth);
	if (!e)
		*p = (struct cudaPitchedPtr){ at, pitch, x.width, x.height };
	return e;
}

API(cudaMalloc3D, (struct cudaPitchedPtr * p, struct cudaExtent x),
    malloc_3d(p, x))

/* Only CUDA 13 has the reserved fields at the end. */
static int pointer_attributes(struct cudaPointerAttributes *out, const void *p)
{
	struct rt_pointer info;

	if (!out)
		return cudaErrorInvalidValue;
	rt_pointer(&info, p);
	memset(out, 0,
	       CUDART_MAJOR >= 13 ?
		       sizeof(*out) :
		       offsetof(struct cudaPointerAttributes, reserved));
	out->type = (enum cudaMemoryType)info.kind;
	out->device = info.device;
	out->devicePointer = info.on_device;
	out->hostPointer = info.on_host;
	return cudaSuccess;
}

API(cudaPointerGetAttributes,
    (struct cudaPointerAttributes * out, const void *p),
    pointer_attributes(out, p))

/*
 * Managed memory
 */

/* Every location in host memory counts as the host. */
static int location_device(struct cudaMemLocation at)
{
	return at.type == cudaMemLocationTypeDevice ? at.id : cudaCpuDeviceId;
}

#if CUDART_MAJOR >= 13
API_ON(cudaMemPrefetchAsync, _ptsz,
       (const void *p, size_t size, struct cudaMemLocation at, unsigned flags,
	cudaStream_t s),
       NEED(!flags, rt_prefetch(p, size, location_device(at), ON(s))))
API(cudaMemAdvise,
    (const void *p, size_t size, enum cudaMemoryAdvise advice,
     struct cudaMemLocation at),
    rt_advise(p, size, (int)advice, location_device(at)))
#else
AS_ON(prefetch_to, "cudaMemPrefetchAsync", "_ptsz",
      (const void *p, size_t size, int device, cudaStream_t s),
      rt_prefetch(p, size, device, ON(s)))
AS(advise_for, "cudaMemAdvise", RT_WORK,
   (const void *p, size_t size, int advice, int device),
   rt_advise(p, size, advice, device))
MORE_ON(cudaMemPrefetchAsync_v2, _ptsz,
	(const void *p, size_t size, struct cudaMemLocation at, unsigned flags,
	 cudaStream_t s),
	NEED(!flags, rt_prefetch(p, size, location_device(at), ON(s))))
MORE(cudaMemAdvise_v2,
     (const void *p, size_t size, int advice, struct cudaMemLocation at),
     rt_advise(p, size, advice, location_device(at)))
#endif

static int range_attributes(void **data, size_t *sizes,
			    enum cudaMemRangeAttribute *attributes,
			    size_t count, const void *p, size_t bytes)
{
	int e = data && sizes && attributes && count ? cudaSuccess :
						       cudaErrorInvalidValue;

	for (size_t i = 0; !e && i < count; i++)
		e = rt_range_attribute(data[i], sizes[i], (int)attributes[i], p,
				       bytes);
	return e;
}

API(cudaMemRangeGetAttribute,
    (void *data, size_t size, enum cudaMemRangeAttribute attribute,
     const void *p, size_t bytes),
    rt_range_attribute(data, size, (int)attribute, p, bytes))
API(cudaMemRangeGetAttributes,
    (void **data, size_t *sizes, enum cudaMemRangeAttribute *attributes,
     size_t count, const void *p, size_t bytes),
    range_attributes(data, sizes, attributes, count, p, bytes))

static int stream_attach(const void *p, unsigned flags, struct rt_stream *s)
{
	struct rt_stream_info info;
	struct rt_pointer at;
	int e = rt_stream_info(&info, s);

	if (e)
		return e;
	rt_pointer(&at, p);
	return at.kind == RT_MANAGED && (flags == cudaMemAttachGlobal ||
					 flags == cudaMemAttachHost ||
					 flags == cudaMemAttachSingle) ?
		       cudaSuccess :
		       cudaErrorInvalidValue;
}

API_ON(cudaStreamAttachMemAsync, _ptsz,
       (cudaStream_t s, void *p, size_t size, unsigned flags),
       ((void)size, stream_attach(p, flags, ON(s))))

/*
 * Pools
 */

API_ON(cudaMallocAsync, _ptsz, (void **p, size_t size, cudaStream_t s),
       rt_malloc_async(p, size, NULL, ON(s)))
API_ON(cudaMallocFromPoolAsync, _ptsz,
       (void **p, size_t size, cudaMemPool_t pool, cudaStream_t s),
       NEED(pool, rt_malloc_async(p, size, (void *)pool, ON(s))))
API_ON(cudaFreeAsync, _ptsz, (void *p, cudaStream_t s), rt_free_async(p, ON(s)))
API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device),
    rt_pool_default((void *)pool, device))
API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device),
    rt_pool_current((void *)pool, device))
API(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool),
    rt_pool_use(device, (void *)pool))
API(cudaMemPoolDestroy, (cudaMemPool_t pool), rt_pool_free((void *)pool))
API(cudaMemPoolGetAttribute,
    (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
    rt_pool_get((void *)pool, (int)attribute, value))
API(cudaMemPoolSetAttribute,
    (cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value),
    rt_pool_set((void *)pool, (int)attribute, value))

static int pool_new(cudaMemPool_t *out, const struct cudaMemPoolProps *p)
{
	if (!out || !p || p->allocType != cudaMemAllocationTypePinned)
		return cudaErrorInvalidValue;
	if (p->handleTypes != cudaMemHandleTypeNone ||
	    p->location.type != cudaMemLocationTypeDevice)
		return rt_unsupported("a memory pool of the host or with "
				      "handles");
	return rt_pool_new((void *)out, p->location.id);
}

/* Pools keep no free memory, so there is nothing to trim. */
static int pool_trim(struct rt_pool *pool)
{
	int device;

	return rt_pool_device(pool, &device);
}

static int pool_access(struct rt_pool *pool,
		       const struct cudaMemAccessDesc *list, size_t count)
{
	int device, e = rt_pool_device(pool, &device);

	for (size_t i = 0; !e && i < count; i++) {
		if (!list || list[i].location.type != cudaMemLocationTypeDevice)
			e = cudaErrorInvalidValue;
		else if (list[i].location.id != device)
			e = cudaErrorInvalidDevice;
	}
	return e;
}

static int pool_get_access(enum cudaMemAccessFlags *out, struct rt_pool *pool,
			   const struct cudaMemLocation *at)
{
	int device, e = rt_pool_device(pool, &device);

	if (e || !out || !at)
		return e ? e : cudaErrorInvalidValue;
	*out = at->type == cudaMemLocationTypeDevice && at->id == device ?
		       cudaMemAccessFlagsProtReadWrite :
		       cudaMemAccessFlagsProtNone;
	return cudaSuccess;
}

API(cudaMemPoolCreate,
    (cudaMemPool_t * pool, const struct cudaMemPoolProps *props),
    pool_new(pool, props))
API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep),
    ((void)keep, pool_trim((void *)pool)))
API(cudaMemPoolSetAccess,
    (cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count),
    pool_access((void *)pool, list, count))
API(cudaMemPoolGetAccess,
    (enum cudaMemAccessFlags * flags, cudaMemPool_t pool,
     struct cudaMemLocation *at),
    pool_get_access(flags, (void *)pool, at))

/*
 * Arrays
 */

static struct rt_channel channel_of_desc(const struct cudaChannelFormatDesc *f)
{
	return (struct rt_channel){ f->x, f->y, f->z, f->w, (int)f->f };
}

static struct cudaChannelFormatDesc desc_of_channel(const struct rt_channel *c)
{
	return (struct cudaChannelFormatDesc){
		c->x, c->y, c->z, c->w, (enum cudaChannelFormatKind)c->kind
	};
}

static int array_new(cudaArray_t *out, const struct cudaChannelFormatDesc *f,
		     struct rt_extent x, unsigned flags)
{
	struct rt_channel c;

	if (!out || !f)
		return cudaErrorInvalidValue;
	c = channel_of_desc(f);
	return rt_array_new((void *)out, &c, &x, flags);
}

static int array_info(struct cudaChannelFormatDesc *f, struct cudaExtent *x,
		      unsigned *flags, const void *a)
{
	struct rt_array_info info;
	int e = rt_array_info(&info, a);

	if (e)
		return e;
	if (f)
		*f = desc_of_channel(&info.channel);
	if (x)
		*x = (struct cudaExtent){ info.extent.width, info.extent.height,
					  info.extent.depth };
	if (flags)
		*flags = info.flags;
	return cudaSuccess;
}

API(cudaMallocArray,
    (cudaArray_t * a, const struct cudaChannelFormatDesc *f, size_t width,
     size_t height, unsigned flags),
    array_new(a, f, (struct rt_extent){ width, height, 0 }, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * a, const struct cudaChannelFormatDesc *f,
     struct cudaExtent x, unsigned flags),
    array_new(a, f, (struct rt_extent){ x.width, x.height, x.depth }, flags))
API(cudaFreeArray, (cudaArray_t a), rt_array_free((void *)a))
API(cudaArrayGetInfo,
    (struct cudaChannelFormatDesc * f, struct cudaExtent *x, unsigned *flags,
     cudaArray_t a),
    array_info(f, x, flags, a))
API(cudaGetChannelDesc, (struct cudaChannelFormatDesc * f, cudaArray_const_t a),
    NEED(f, array_info(f, NULL, NULL, a)))

static int mipmap_new(cudaMipmappedArray_t *out,
		      const struct cudaChannelFormatDesc *f, struct rt_extent x,
		      unsigned levels, unsigned flags)
{
	struct rt_channel c;

	if (!out || !f)
		return cudaErrorInvalidValue;
	c = channel_of_desc(f);
	return rt_mipmap_new((void *)out, &c, &x, levels, flags);
}

API(cudaMallocMipmappedArray,
    (cudaMipmappedArray_t * m, const struct cudaChannelFormatDesc *f,
     struct cudaExtent x, unsigned levels, unsigned flags),
    mipmap_new(m, f, (struct rt_extent){ x.width, x.height, x.depth }, levels,
	       flags))
API(cudaFreeMipmappedArray, (cudaMipmappedArray_t m), rt_mipmap_free((void *)m))
API(cudaGetMipmappedArrayLevel,
    (cudaArray_t * a, cudaMipmappedArray_const_t m, unsigned level),
    NEED(a, rt_mipmap_level((void *)a, (const void *)m, level)))

EXPORT struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}
