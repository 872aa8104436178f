#include "door/libcuda/context.h"

enum { /* cudaMemcpyKind */
       TO_DEVICE = 1,
       TO_HOST = 2,
       INSIDE = 3,
       ANY = 4
};

/* Missing memory gives the same error as memory that is too small. */
static int copy_line(CUdeviceptr to, CUdeviceptr from, size_t size, int kind,
		     struct rt_stream *s, bool wait)
{
	return rt_copy_line(as_pointer(to), as_pointer(from), size, kind, s,
			    wait);
}

static CUdeviceptr as_number(const void *p)
{
	return (CUdeviceptr)(uintptr_t)p;
}

/* The contexts are only checked: a pointer alone tells its device. */
static int cu_copy_peer(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from,
			CUcontext from_ctx, size_t size, struct rt_stream *s,
			bool wait)
{
	int device, e = to_ctx ? context_device(&device, to_ctx) : 0;

	if (!e && from_ctx)
		e = context_device(&device, from_ctx);
	return e ? e : copy_line(to, from, size, INSIDE, s, wait);
}

API_ON(cuMemcpy, _ptds, 0, (CUdeviceptr to, CUdeviceptr from, size_t size),
       copy_line(to, from, size, ANY, ON(0), true))
API_ON(cuMemcpyAsync, _ptsz, s,
       (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream s),
       copy_line(to, from, size, ANY, ON(s), false))
API_ON(cuMemcpyHtoD_v2, _ptds, 0,
       (CUdeviceptr to, const void *from, size_t size),
       copy_line(to, as_number(from), size, TO_DEVICE, ON(0), true))
API_ON(cuMemcpyHtoDAsync_v2, _ptsz, s,
       (CUdeviceptr to, const void *from, size_t size, CUstream s),
       copy_line(to, as_number(from), size, TO_DEVICE, ON(s), false))
API_ON(cuMemcpyDtoH_v2, _ptds, 0, (void *to, CUdeviceptr from, size_t size),
       copy_line(as_number(to), from, size, TO_HOST, ON(0), true))
API_ON(cuMemcpyDtoHAsync_v2, _ptsz, s,
       (void *to, CUdeviceptr from, size_t size, CUstream s),
       copy_line(as_number(to), from, size, TO_HOST, ON(s), false))
/* The host does not wait for copies from device to device. */
API_ON(cuMemcpyDtoD_v2, _ptds, 0,
       (CUdeviceptr to, CUdeviceptr from, size_t size),
       copy_line(to, from, size, INSIDE, ON(0), false))
API_ON(cuMemcpyDtoDAsync_v2, _ptsz, s,
       (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream s),
       copy_line(to, from, size, INSIDE, ON(s), false))
API_ON(cuMemcpyPeer, _ptds, 0,
       (CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
	size_t size),
       cu_copy_peer(to, to_ctx, from, from_ctx, size, ON(0), true))
API_ON(cuMemcpyPeerAsync, _ptsz, s,
       (CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
	size_t size, CUstream s),
       cu_copy_peer(to, to_ctx, from, from_ctx, size, ON(s), false))

/*
 * Consecutive bytes in arrays, by their offset. They end with the array's first
 * row: these functions are for arrays of one row.
 */

static struct rt_place cu_place_in_array(CUarray a, size_t offset)
{
	return (struct rt_place){ .where = RT_AT_ARRAY,
				  .array = (void *)a,
				  .x = offset };
}

static struct rt_place place_on_device(CUdeviceptr p)
{
	return (struct rt_place){ .where = RT_AT_DEVICE, .p = as_pointer(p) };
}

static struct rt_place place_on_host(const void *p)
{
	return (struct rt_place){ .where = RT_AT_HOST,
				  .p = (void *)(uintptr_t)p };
}

static int cu_copy_bytes(struct rt_place to, struct rt_place from, size_t size,
			 struct rt_stream *s, bool wait)
{
	struct rt_copy c = { to, from, size, 1, 1 };

	return rt_copy(&c, s, wait);
}

API_ON(cuMemcpyHtoA_v2, _ptds, 0,
       (CUarray to, size_t offset, const void *from, size_t size),
       cu_copy_bytes(cu_place_in_array(to, offset), place_on_host(from), size,
		     ON(0), true))
API_ON(cuMemcpyHtoAAsync_v2, _ptsz, s,
       (CUarray to, size_t offset, const void *from, size_t size, CUstream s),
       cu_copy_bytes(cu_place_in_array(to, offset), place_on_host(from), size,
		     ON(s), false))
API_ON(cuMemcpyAtoH_v2, _ptds, 0,
       (void *to, CUarray from, size_t offset, size_t size),
       cu_copy_bytes(place_on_host(to), cu_place_in_array(from, offset), size,
		     ON(0), true))
API_ON(cuMemcpyAtoHAsync_v2, _ptsz, s,
       (void *to, CUarray from, size_t offset, size_t size, CUstream s),
       cu_copy_bytes(place_on_host(to), cu_place_in_array(from, offset), size,
		     ON(s), false))
API_ON(cuMemcpyDtoA_v2, _ptds, 0,
       (CUarray to, size_t offset, CUdeviceptr from, size_t size),
       cu_copy_bytes(cu_place_in_array(to, offset), place_on_device(from), size,
		     ON(0), false))
API_ON(cuMemcpyAtoD_v2, _ptds, 0,
       (CUdeviceptr to, CUarray from, size_t offset, size_t size),
       cu_copy_bytes(place_on_device(to), cu_place_in_array(from, offset), size,
		     ON(0), false))
API_ON(cuMemcpyAtoA_v2, _ptds, 0,
       (CUarray to, size_t to_offset, CUarray from, size_t from_offset,
	size_t size),
       cu_copy_bytes(cu_place_in_array(to, to_offset),
		     cu_place_in_array(from, from_offset), size, ON(0), false))

/*
 * Boxes
 */

/* One end of a copied box, as in the descriptors. */
struct box_end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t pitch, height, x, y, z, lod;
};

static int box_end_place(struct rt_place *out, const struct box_end *b)
{
	*out = (struct rt_place){ .pitch = b->pitch,
				  .rows = b->height,
				  .x = b->x,
				  .y = b->y,
				  .z = b->z };
	switch (b->type) {
	case CU_MEMORYTYPE_HOST:
		out->where = RT_AT_HOST;
		out->p = (void *)(uintptr_t)b->host;
		break;
	case CU_MEMORYTYPE_DEVICE:
		out->where = RT_AT_DEVICE;
		out->p = as_pointer(b->device);
		break;
	case CU_MEMORYTYPE_UNIFIED:
		out->where = RT_ANYWHERE;
		out->p = as_pointer(b->device);
		break;
	case CU_MEMORYTYPE_ARRAY:
		out->where = RT_AT_ARRAY;
		out->array = (void *)b->array;
		out->pitch = out->rows = 0;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return b->lod ? CUDA_ERROR_INVALID_VALUE : 0;
}

/* The pitch includes the bytes before the box in its row. */
static int check_row(const struct rt_place *p, size_t width)
{
	return p->where != RT_AT_ARRAY && p->pitch && p->pitch < p->x + width ?
		       CUDA_ERROR_INVALID_VALUE :
		       0;
}

static int box_copy(struct rt_copy *out, const struct box_end *to,
		    const struct box_end *from)
{
	int e = box_end_place(&out->to, to);

	if (!e)
		e = box_end_place(&out->from, from);
	if (!e)
		e = check_row(&out->to, out->width);
	return e ? e : check_row(&out->from, out->width);
}

static int copy_of_2d(struct rt_copy *out, const CUDA_MEMCPY2D *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (struct rt_copy){ .width = p->WidthInBytes,
				 .height = p->Height,
				 .depth = 1 };
	return box_copy(out,
			&(struct box_end){ .type = p->dstMemoryType,
					   .host = p->dstHost,
					   .device = p->dstDevice,
					   .array = p->dstArray,
					   .pitch = p->dstPitch,
					   .x = p->dstXInBytes,
					   .y = p->dstY },
			&(struct box_end){ .type = p->srcMemoryType,
					   .host = p->srcHost,
					   .device = p->srcDevice,
					   .array = p->srcArray,
					   .pitch = p->srcPitch,
					   .x = p->srcXInBytes,
					   .y = p->srcY });
}

/* The form for peers has contexts where this one has reserved pointers. */
int copy_of_3d(struct rt_copy *out, const CUDA_MEMCPY3D *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (struct rt_copy){ .width = p->WidthInBytes,
				 .height = p->Height,
				 .depth = p->Depth };
	return box_copy(out,
			&(struct box_end){ .type = p->dstMemoryType,
					   .host = p->dstHost,
					   .device = p->dstDevice,
					   .array = p->dstArray,
					   .pitch = p->dstPitch,
					   .height = p->dstHeight,
					   .x = p->dstXInBytes,
					   .y = p->dstY,
					   .z = p->dstZ,
					   .lod = p->dstLOD },
			&(struct box_end){ .type = p->srcMemoryType,
					   .host = p->srcHost,
					   .device = p->srcDevice,
					   .array = p->srcArray,
					   .pitch = p->srcPitch,
					   .height = p->srcHeight,
					   .x = p->srcXInBytes,
					   .y = p->srcY,
					   .z = p->srcZ,
					   .lod = p->srcLOD });
}

static CUmemorytype place_memory_type(const struct rt_place *p)
{
	static const CUmemorytype types[] = {
		[RT_ANYWHERE] = CU_MEMORYTYPE_UNIFIED,
		[RT_AT_HOST] = CU_MEMORYTYPE_HOST,
		[RT_AT_DEVICE] = CU_MEMORYTYPE_DEVICE,
		[RT_AT_ARRAY] = CU_MEMORYTYPE_ARRAY,
	};

	return types[p->where];
}

/* The reverse, for a node, which may have been captured. */
int copy_to_3d(CUDA_MEMCPY3D *out, const struct rt_copy *c)
{
	*out = (CUDA_MEMCPY3D){
		.dstMemoryType = place_memory_type(&c->to),
		.dstHost = c->to.p,
		.dstDevice = as_number(c->to.p),
		.dstArray = (void *)c->to.array,
		.dstPitch = c->to.pitch,
		.dstHeight = c->to.rows,
		.dstXInBytes = c->to.x,
		.dstY = c->to.y,
		.dstZ = c->to.z,
		.srcMemoryType = place_memory_type(&c->from),
		.srcHost = c->from.p,
		.srcDevice = as_number(c->from.p),
		.srcArray = (void *)c->from.array,
		.srcPitch = c->from.pitch,
		.srcHeight = c->from.rows,
		.srcXInBytes = c->from.x,
		.srcY = c->from.y,
		.srcZ = c->from.z,
		.WidthInBytes = c->width,
		.Height = c->height,
		.Depth = c->depth,
	};
	return 0;
}

static int cu_copy_2d(const CUDA_MEMCPY2D *p, struct rt_stream *s, bool wait)
{
	struct rt_copy c;
	int e = copy_of_2d(&c, p);

	return e ? e : rt_copy(&c, s, wait);
}

static int cu_copy_3d(const void *p, struct rt_stream *s, bool wait)
{
	struct rt_copy c;
	int e = copy_of_3d(&c, p);

	return e ? e : rt_copy(&c, s, wait);
}

_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER),
	       "copy_of_3d reads both");

API_ON(cuMemcpy2D_v2, _ptds, 0, (const CUDA_MEMCPY2D *p),
       cu_copy_2d(p, ON(0), true))
API_ON(cuMemcpy2DUnaligned_v2, _ptds, 0, (const CUDA_MEMCPY2D *p),
       cu_copy_2d(p, ON(0), true))
API_ON(cuMemcpy2DAsync_v2, _ptsz, s, (const CUDA_MEMCPY2D *p, CUstream s),
       cu_copy_2d(p, ON(s), false))
API_ON(cuMemcpy3D_v2, _ptds, 0, (const CUDA_MEMCPY3D *p),
       cu_copy_3d(p, ON(0), true))
API_ON(cuMemcpy3DAsync_v2, _ptsz, s, (const CUDA_MEMCPY3D *p, CUstream s),
       cu_copy_3d(p, ON(s), false))
API_ON(cuMemcpy3DPeer, _ptds, 0, (const CUDA_MEMCPY3D_PEER *p),
       cu_copy_3d(p, ON(0), true))
API_ON(cuMemcpy3DPeerAsync, _ptsz, s, (const CUDA_MEMCPY3D_PEER *p, CUstream s),
       cu_copy_3d(p, ON(s), false))

/*
 * Sets
 */

static int cu_set_memory(CUdeviceptr p, size_t pitch, unsigned value,
			 unsigned element, size_t width, size_t height,
			 struct rt_stream *s, bool wait)
{
	struct rt_set r = { .p = as_pointer(p),
			    .pitch = height > 1 ? pitch : 0,
			    .value = value,
			    .element = element,
			    .width = width,
			    .height = height,
			    .depth = 1 };

	return rt_set(&r, s, wait);
}

/* The four forms for one element size. */
#define SETS(bits, type)                                                   \
	API_ON(cuMemsetD##bits##_v2, _ptds, 0,                             \
	       (CUdeviceptr p, type value, size_t count),                  \
	       cu_set_memory(p, 0, value, sizeof(type), count, 1, ON(0),   \
			     false))                                       \
	API_ON(cuMemsetD##bits##Async, _ptsz, s,                           \
	       (CUdeviceptr p, type value, size_t count, CUstream s),      \
	       cu_set_memory(p, 0, value, sizeof(type), count, 1, ON(s),   \
			     false))                                       \
	API_ON(cuMemsetD2D##bits##_v2, _ptds, 0,                           \
	       (CUdeviceptr p, size_t pitch, type value, size_t width,     \
		size_t height),                                            \
	       cu_set_memory(p, pitch, value, sizeof(type), width, height, \
			     ON(0), false))                                \
	API_ON(cuMemsetD2D##bits##Async, _ptsz, s,                         \
	       (CUdeviceptr p, size_t pitch, type value, size_t width,     \
		size_t height, CUstream s),                                \
	       cu_set_memory(p, pitch, value, sizeof(type), width, height, \
			     ON(s), false))
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
