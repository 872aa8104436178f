#include "door/libcuda/context.h"

enum { /* cudaMemcpyKind */
       TO_DEVICE = 1,
       TO_HOST = 2,
       INSIDE = 3,
       ANY = 4
};

/* Memory that is not there gives the same answer as one that is too small. */
static int line(CUdeviceptr to, CUdeviceptr from, size_t size, int kind,
		struct rt_stream *s, bool wait)
{
	return rt_copy_line(pointer(to), pointer(from), size, kind, s, wait);
}

static CUdeviceptr number(const void *p)
{
	return (CUdeviceptr)(uintptr_t)p;
}

/* Devices do not matter: a pointer says on which it is. */
static int peer(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from,
		CUcontext from_ctx, size_t size, struct rt_stream *s, bool wait)
{
	int device, e = to_ctx ? context_device(&device, to_ctx) : 0;

	if (!e && from_ctx)
		e = context_device(&device, from_ctx);
	return e ? e : line(to, from, size, INSIDE, s, wait);
}

API_ON(cuMemcpy, _ptds, 0, (CUdeviceptr to, CUdeviceptr from, size_t size),
       line(to, from, size, ANY, ON(0), true))
API_ON(cuMemcpyAsync, _ptsz, s,
       (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream s),
       line(to, from, size, ANY, ON(s), false))
API_ON(cuMemcpyHtoD_v2, _ptds, 0,
       (CUdeviceptr to, const void *from, size_t size),
       line(to, number(from), size, TO_DEVICE, ON(0), true))
API_ON(cuMemcpyHtoDAsync_v2, _ptsz, s,
       (CUdeviceptr to, const void *from, size_t size, CUstream s),
       line(to, number(from), size, TO_DEVICE, ON(s), false))
API_ON(cuMemcpyDtoH_v2, _ptds, 0, (void *to, CUdeviceptr from, size_t size),
       line(number(to), from, size, TO_HOST, ON(0), true))
API_ON(cuMemcpyDtoHAsync_v2, _ptsz, s,
       (void *to, CUdeviceptr from, size_t size, CUstream s),
       line(number(to), from, size, TO_HOST, ON(s), false))
/* From device to device nobody waits. */
API_ON(cuMemcpyDtoD_v2, _ptds, 0,
       (CUdeviceptr to, CUdeviceptr from, size_t size),
       line(to, from, size, INSIDE, ON(0), false))
API_ON(cuMemcpyDtoDAsync_v2, _ptsz, s,
       (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream s),
       line(to, from, size, INSIDE, ON(s), false))
API_ON(cuMemcpyPeer, _ptds, 0,
       (CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
	size_t size),
       peer(to, to_ctx, from, from_ctx, size, ON(0), true))
API_ON(cuMemcpyPeerAsync, _ptsz, s,
       (CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from, CUcontext from_ctx,
	size_t size, CUstream s),
       peer(to, to_ctx, from, from_ctx, size, ON(s), false))

/*
 * Runs of bytes in arrays, by their offset from the array's first. They end
 * with its first row: these are copies of arrays that have one.
 */

static struct rt_place in_array(CUarray a, size_t offset)
{
	return (struct rt_place){ .where = RT_AT_ARRAY,
				  .array = (void *)a,
				  .x = offset };
}

static struct rt_place on_device(CUdeviceptr p)
{
	return (struct rt_place){ .where = RT_AT_DEVICE, .p = pointer(p) };
}

static struct rt_place on_host(const void *p)
{
	return (struct rt_place){ .where = RT_AT_HOST,
				  .p = (void *)(uintptr_t)p };
}

static int run(struct rt_place to, struct rt_place from, size_t size,
	       struct rt_stream *s, bool wait)
{
	struct rt_copy c = { to, from, size, 1, 1 };

	return rt_copy(&c, s, wait);
}

API_ON(cuMemcpyHtoA_v2, _ptds, 0,
       (CUarray to, size_t offset, const void *from, size_t size),
       run(in_array(to, offset), on_host(from), size, ON(0), true))
API_ON(cuMemcpyHtoAAsync_v2, _ptsz, s,
       (CUarray to, size_t offset, const void *from, size_t size, CUstream s),
       run(in_array(to, offset), on_host(from), size, ON(s), false))
API_ON(cuMemcpyAtoH_v2, _ptds, 0,
       (void *to, CUarray from, size_t offset, size_t size),
       run(on_host(to), in_array(from, offset), size, ON(0), true))
API_ON(cuMemcpyAtoHAsync_v2, _ptsz, s,
       (void *to, CUarray from, size_t offset, size_t size, CUstream s),
       run(on_host(to), in_array(from, offset), size, ON(s), false))
API_ON(cuMemcpyDtoA_v2, _ptds, 0,
       (CUarray to, size_t offset, CUdeviceptr from, size_t size),
       run(in_array(to, offset), on_device(from), size, ON(0), false))
API_ON(cuMemcpyAtoD_v2, _ptds, 0,
       (CUdeviceptr to, CUarray from, size_t offset, size_t size),
       run(on_device(to), in_array(from, offset), size, ON(0), false))
API_ON(cuMemcpyAtoA_v2, _ptds, 0,
       (CUarray to, size_t to_offset, CUarray from, size_t from_offset,
	size_t size),
       run(in_array(to, to_offset), in_array(from, from_offset), size, ON(0),
	   false))

/*
 * Boxes
 */

/* One end of a box as the descriptors have it. */
struct box_end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t pitch, height, x, y, z, lod;
};

static int place(struct rt_place *out, const struct box_end *b)
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
		out->p = pointer(b->device);
		break;
	case CU_MEMORYTYPE_UNIFIED:
		out->where = RT_ANYWHERE;
		out->p = pointer(b->device);
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

/* A row of memory holds what stands before the box in it, too. */
static int check_row(const struct rt_place *p, size_t width)
{
	return p->where != RT_AT_ARRAY && p->pitch && p->pitch < p->x + width ?
		       CUDA_ERROR_INVALID_VALUE :
		       0;
}

static int box(struct rt_copy *out, const struct box_end *to,
	       const struct box_end *from)
{
	int e = place(&out->to, to);

	if (!e)
		e = place(&out->from, from);
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
	return box(out,
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

/* The form for peers has contexts where this one has unused pointers. */
int copy_of_3d(struct rt_copy *out, const CUDA_MEMCPY3D *p)
{
	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (struct rt_copy){ .width = p->WidthInBytes,
				 .height = p->Height,
				 .depth = p->Depth };
	return box(out,
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

static CUmemorytype type_of(const struct rt_place *p)
{
	static const CUmemorytype types[] = {
		[RT_ANYWHERE] = CU_MEMORYTYPE_UNIFIED,
		[RT_AT_HOST] = CU_MEMORYTYPE_HOST,
		[RT_AT_DEVICE] = CU_MEMORYTYPE_DEVICE,
		[RT_AT_ARRAY] = CU_MEMORYTYPE_ARRAY,
	};

	return types[p->where];
}

/* The other way: of a node, which may have been captured. */
int copy_to_3d(CUDA_MEMCPY3D *out, const struct rt_copy *c)
{
	*out = (CUDA_MEMCPY3D){
		.dstMemoryType = type_of(&c->to),
		.dstHost = c->to.p,
		.dstDevice = number(c->to.p),
		.dstArray = (void *)c->to.array,
		.dstPitch = c->to.pitch,
		.dstHeight = c->to.rows,
		.dstXInBytes = c->to.x,
		.dstY = c->to.y,
		.dstZ = c->to.z,
		.srcMemoryType = type_of(&c->from),
		.srcHost = c->from.p,
		.srcDevice = number(c->from.p),
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

static int copy_2d(const CUDA_MEMCPY2D *p, struct rt_stream *s, bool wait)
{
	struct rt_copy c;
	int e = copy_of_2d(&c, p);

	return e ? e : rt_copy(&c, s, wait);
}

static int copy_3d(const void *p, struct rt_stream *s, bool wait)
{
	struct rt_copy c;
	int e = copy_of_3d(&c, p);

	return e ? e : rt_copy(&c, s, wait);
}

_Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER),
	       "one reader does for both");

API_ON(cuMemcpy2D_v2, _ptds, 0, (const CUDA_MEMCPY2D *p),
       copy_2d(p, ON(0), true))
API_ON(cuMemcpy2DUnaligned_v2, _ptds, 0, (const CUDA_MEMCPY2D *p),
       copy_2d(p, ON(0), true))
API_ON(cuMemcpy2DAsync_v2, _ptsz, s, (const CUDA_MEMCPY2D *p, CUstream s),
       copy_2d(p, ON(s), false))
API_ON(cuMemcpy3D_v2, _ptds, 0, (const CUDA_MEMCPY3D *p),
       copy_3d(p, ON(0), true))
API_ON(cuMemcpy3DAsync_v2, _ptsz, s, (const CUDA_MEMCPY3D *p, CUstream s),
       copy_3d(p, ON(s), false))
API_ON(cuMemcpy3DPeer, _ptds, 0, (const CUDA_MEMCPY3D_PEER *p),
       copy_3d(p, ON(0), true))
API_ON(cuMemcpy3DPeerAsync, _ptsz, s, (const CUDA_MEMCPY3D_PEER *p, CUstream s),
       copy_3d(p, ON(s), false))

/*
 * Sets
 */

static int set(CUdeviceptr p, size_t pitch, unsigned value, unsigned element,
	       size_t width, size_t height, struct rt_stream *s, bool wait)
{
	struct rt_set r = { .p = pointer(p),
			    .pitch = height > 1 ? pitch : 0,
			    .value = value,
			    .element = element,
			    .width = width,
			    .height = height,
			    .depth = 1 };

	return rt_set(&r, s, wait);
}

/* The four forms for one size of elements. */
#define SETS(bits, type)                                                \
	API_ON(cuMemsetD##bits##_v2, _ptds, 0,                          \
	       (CUdeviceptr p, type value, size_t count),               \
	       set(p, 0, value, sizeof(type), count, 1, ON(0), false))  \
	API_ON(cuMemsetD##bits##Async, _ptsz, s,                        \
	       (CUdeviceptr p, type value, size_t count, CUstream s),   \
	       set(p, 0, value, sizeof(type), count, 1, ON(s), false))  \
	API_ON(cuMemsetD2D##bits##_v2, _ptds, 0,                        \
	       (CUdeviceptr p, size_t pitch, type value, size_t width,  \
		size_t height),                                         \
	       set(p, pitch, value, sizeof(type), width, height, ON(0), \
		   false))                                              \
	API_ON(cuMemsetD2D##bits##Async, _ptsz, s,                      \
	       (CUdeviceptr p, size_t pitch, type value, size_t width,  \
		size_t height, CUstream s),                             \
	       set(p, pitch, value, sizeof(type), width, height, ON(s), \
		   false))
SETS(8, unsigned char)
SETS(16, unsigned short)
SETS(32, unsigned)
