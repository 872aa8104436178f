#include "door/libcuda/context.h"

#define BAD CUDA_ERROR_INVALID_VALUE

static int alloc_device(CUdeviceptr *out, size_t size)
{
	return POINTER_OUT(out, NEED(size, rt_malloc(&p_, size)));
}

/* element: bytes of the elements that rows are for. */
static int alloc_pitch(CUdeviceptr *out, size_t *pitch, size_t width,
		       size_t height, unsigned element)
{
	if (!pitch || !width || !height ||
	    (element != 4 && element != 8 && element != 16))
		return BAD;
	return POINTER_OUT(out, rt_malloc_pitch(&p_, pitch, width, height, 1));
}

static int alloc_managed(CUdeviceptr *out, size_t size, unsigned flags)
{
	return POINTER_OUT(out,
			   NEED(size, rt_malloc_managed(&p_, size, flags)));
}

static int host_device_pointer(CUdeviceptr *out, void *p, unsigned flags)
{
	return POINTER_OUT(out, NEED(!flags, rt_host_device_pointer(&p_, p)));
}

static int address_range(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
	struct rt_pointer info;

	rt_pointer(&info, as_pointer(p));
	if (info.kind == RT_UNREGISTERED)
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = (CUdeviceptr)(uintptr_t)info.base;
	if (size)
		*size = info.size;
	return 0;
}

API(cuMemGetInfo_v2, (size_t * free, size_t *total),
    rt_memory_info(free, total))
API(cuMemAlloc_v2, (CUdeviceptr * out, size_t size), alloc_device(out, size))
API(cuMemAllocPitch_v2,
    (CUdeviceptr * out, size_t *pitch, size_t width, size_t height,
     unsigned element),
    alloc_pitch(out, pitch, width, height, element))
API(cuMemAllocManaged, (CUdeviceptr * out, size_t size, unsigned flags),
    alloc_managed(out, size, flags))
API_HANDLE(cuMemFree_v2, (CUdeviceptr p), rt_free(as_pointer(p)))
API(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *size, CUdeviceptr p),
    address_range(base, size, p))
API(cuMemAllocHost_v2, (void **out, size_t size), rt_host_alloc(out, size, 0))
API(cuMemHostAlloc, (void **out, size_t size, unsigned flags),
    rt_host_alloc(out, size, flags))
API(cuMemFreeHost, (void *p), rt_host_free(p))
API(cuMemHostRegister_v2, (void *p, size_t size, unsigned flags),
    rt_host_register(p, size, flags))
SAME(cuMemHostRegister_v1, "cuMemHostRegister", cuMemHostRegister_v2)
API(cuMemHostUnregister, (void *p), rt_host_unregister(p))
API(cuMemHostGetDevicePointer_v2, (CUdeviceptr * out, void *p, unsigned flags),
    host_device_pointer(out, p, flags))
API(cuMemHostGetFlags, (unsigned *flags, void *p), rt_host_flags(flags, p))

/*
 * Attributes of pointers
 */

/* Writes one value of the destination's type. */
#define PUT(data, type, value) (*(type *)(data) = (type)(value), 0)

static int memory_type(void *data, const struct rt_pointer *p)
{
	return PUT(data, CUmemorytype,
		   p->kind == RT_HOST ? CU_MEMORYTYPE_HOST :
					CU_MEMORYTYPE_DEVICE);
}

static int pointer_describe(void *data, int attribute,
			    const struct rt_pointer *p)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		return PUT(data, CUcontext, context_of_device(p->device));
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		return memory_type(data, p);
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		return p->on_device ?
			       PUT(data, CUdeviceptr, (uintptr_t)p->on_device) :
			       BAD;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		return p->on_host ? PUT(data, void *, p->on_host) : BAD;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		return PUT(data, unsigned long long, p->id);
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		return PUT(data, int, p->kind == RT_MANAGED);
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		return PUT(data, int, p->device);
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		return PUT(data, int, 0);
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		return PUT(data, CUdeviceptr, (uintptr_t)p->base);
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		return PUT(data, size_t, p->size);
	case CU_POINTER_ATTRIBUTE_MAPPED:
		return PUT(data, int, 1);
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		return PUT(data, unsigned long long, 0);
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		return PUT(data, int, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	default:
		return BAD;
	}
}

static int pointer_get_attribute(void *data, int attribute, CUdeviceptr p)
{
	struct rt_pointer info;

	if (!data)
		return BAD;
	rt_pointer(&info, as_pointer(p));
	return info.kind == RT_UNREGISTERED ?
		       BAD :
		       pointer_describe(data, attribute, &info);
}

/* For a pointer that we do not know, every attribute is zero. */
static int pointer_describe_unknown(void *data, int attribute)
{
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		return PUT(data, uint64_t, 0);
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		return PUT(data, int, CU_DEVICE_INVALID);
	default:
		return PUT(data, int, 0);
	}
}

static int pointer_get_attributes(unsigned count,
				  const CUpointer_attribute *attributes,
				  void **data, CUdeviceptr p)
{
	struct rt_pointer info;
	int e = count && attributes && data ? 0 : BAD;

	rt_pointer(&info, as_pointer(p));
	for (unsigned i = 0; !e && i < count; i++) {
		int a = (int)attributes[i];

		if (!data[i] || a < CU_POINTER_ATTRIBUTE_CONTEXT ||
		    a > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
			return BAD;
		if (info.kind == RT_UNREGISTERED ||
		    pointer_describe(data[i], a, &info))
			e = pointer_describe_unknown(data[i], a);
	}
	return e;
}

/* Copies are always complete when they return, so this has no effect. */
static int pointer_set_attribute(const void *value, int attribute,
				 CUdeviceptr p)
{
	struct rt_pointer info;

	rt_pointer(&info, as_pointer(p));
	return value && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS &&
			       info.kind != RT_UNREGISTERED ?
		       0 :
		       BAD;
}

API_INIT(cuPointerGetAttribute,
	 (void *data, CUpointer_attribute attribute, CUdeviceptr p),
	 pointer_get_attribute(data, (int)attribute, p))
API_INIT(cuPointerGetAttributes,
	 (unsigned count, CUpointer_attribute *attributes, void **data,
	  CUdeviceptr p),
	 pointer_get_attributes(count, attributes, data, p))
API_INIT(cuPointerSetAttribute,
	 (const void *value, CUpointer_attribute attribute, CUdeviceptr p),
	 pointer_set_attribute(value, (int)attribute, p))

/*
 * Managed memory
 */

/* Every location in host memory counts as the host. */
static int cu_location_device(CUmemLocation at)
{
	return at.type == CU_MEM_LOCATION_TYPE_DEVICE ? at.id : CU_DEVICE_CPU;
}

static int cu_range_attributes(void **data, const size_t *rooms,
			       const CUmem_range_attribute *attributes,
			       size_t count, CUdeviceptr p, size_t size)
{
	int e = data && rooms && attributes && count ? 0 : BAD;

	for (size_t i = 0; !e && i < count; i++)
		e = rt_range_attribute(data[i], rooms[i], (int)attributes[i],
				       as_pointer(p), size);
	return e;
}

API_ON(cuMemPrefetchAsync_v2, _ptsz, s,
       (CUdeviceptr p, size_t size, CUmemLocation at, unsigned flags,
	CUstream s),
       NEED(!flags,
	    rt_prefetch(as_pointer(p), size, cu_location_device(at), ON(s))))
API_OLD_ON(cuMemPrefetchAsync_v1, "cuMemPrefetchAsync", _ptsz, s,
	   (CUdeviceptr p, size_t size, CUdevice device, CUstream s),
	   rt_prefetch(as_pointer(p), size, device, ON(s)))
API(cuMemAdvise_v2,
    (CUdeviceptr p, size_t size, CUmem_advise advice, CUmemLocation at),
    rt_advise(as_pointer(p), size, (int)advice, cu_location_device(at)))
API_OLD(cuMemAdvise_v1, "cuMemAdvise", ENTRY_WORK,
	(CUdeviceptr p, size_t size, CUmem_advise advice, CUdevice device),
	rt_advise(as_pointer(p), size, (int)advice, device))
API(cuMemRangeGetAttribute,
    (void *data, size_t room, CUmem_range_attribute attribute, CUdeviceptr p,
     size_t size),
    rt_range_attribute(data, room, (int)attribute, as_pointer(p), size))
API(cuMemRangeGetAttributes,
    (void **data, size_t *rooms, CUmem_range_attribute *attributes,
     size_t count, CUdeviceptr p, size_t size),
    cu_range_attributes(data, rooms, attributes, count, p, size))

static int cu_stream_attach(struct rt_stream *s, CUdeviceptr p, unsigned flags)
{
	struct rt_stream_info info;
	struct rt_pointer at;
	int e = rt_stream_info(&info, s);

	if (e)
		return e;
	rt_pointer(&at, as_pointer(p));
	return at.kind == RT_MANAGED && (flags == CU_MEM_ATTACH_GLOBAL ||
					 flags == CU_MEM_ATTACH_HOST ||
					 flags == CU_MEM_ATTACH_SINGLE) ?
		       0 :
		       BAD;
}

API_ON(cuStreamAttachMemAsync, _ptsz, s,
       (CUstream s, CUdeviceptr p, size_t size, unsigned flags),
       ((void)size, cu_stream_attach(ON(s), p, flags)))
