#include "door/cudart/api.h"

/* Drops const: a place can be a source or a destination. */
static void *without_const(const void *p)
{
	return (void *)(uintptr_t)p;
}

static int copy_2d(void *to, size_t to_pitch, const void *from,
		   size_t from_pitch, size_t width, size_t height, int kind,
		   struct rt_stream *s, bool wait)
{
	struct rt_copy c = {
		.to = { .p = to, .pitch = to_pitch },
		.from = { .p = without_const(from), .pitch = from_pitch },
		.width = width,
		.height = height,
		.depth = 1,
	};
	int e = rt_copy_kind(kind, &c.to.where, &c.from.where);

	if (!e && width && height && (to_pitch < width || from_pitch < width))
		e = cudaErrorInvalidPitchValue;
	return e ? e : rt_copy(&c, s, wait);
}

API_ON(cudaMemcpy, _ptds,
       (void *to, const void *from, size_t size, enum cudaMemcpyKind kind),
       rt_copy_line(to, from, size, (int)kind, ON(0), true))
API_ON(cudaMemcpyAsync, _ptsz,
       (void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
	cudaStream_t s),
       rt_copy_line(to, from, size, (int)kind, ON(s), false))
API_ON(cudaMemcpy2D, _ptds,
       (void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind),
       copy_2d(to, to_pitch, from, from_pitch, width, height, (int)kind, ON(0),
	       true))
API_ON(cudaMemcpy2DAsync, _ptsz,
       (void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
       copy_2d(to, to_pitch, from, from_pitch, width, height, (int)kind, ON(s),
	       false))

/* Only the numbers are checked: a pointer alone tells its device. */
static int check_devices(int to, int from)
{
	return to < 0 || to >= rt_device_count() || from < 0 ||
			       from >= rt_device_count() ?
		       (int)cudaErrorInvalidDevice :
		       cudaSuccess;
}

static int copy_peer(void *to, int to_device, const void *from, int from_device,
		     size_t size, struct rt_stream *s, bool wait)
{
	int e = check_devices(to_device, from_device);

	return e ? e : rt_copy_line(to, from, size, cudaMemcpyDefault, s, wait);
}

API(cudaMemcpyPeer,
    (void *to, int to_device, const void *from, int from_device, size_t size),
    copy_peer(to, to_device, from, from_device, size, NULL, true))
API(cudaMemcpyPeerAsync,
    (void *to, int to_device, const void *from, int from_device, size_t size,
     cudaStream_t s),
    copy_peer(to, to_device, from, from_device, size, (void *)s, false))

/*
 * Three dimensions
 */

/* Positions in an array are in elements; with a pointer, x is in bytes. */
static int place_3d(struct rt_place *out, size_t *element,
		    struct cudaArray *array, struct cudaPos at,
		    struct cudaPitchedPtr p, enum rt_where where)
{
	struct rt_array_info info;
	int e;

	*out = (struct rt_place){ .where = where,
				  .p = p.ptr,
				  .pitch = p.pitch,
				  .rows = p.ysize,
				  .x = at.x,
				  .y = at.y,
				  .z = at.z };
	if (!array)
		return cudaSuccess;
	e = rt_array_info(&info, (void *)array);
	if (e)
		return e;
	out->where = RT_AT_ARRAY;
	out->array = (void *)array;
	out->x = at.x * info.element;
	*element = info.element;
	return cudaSuccess;
}

/* The width is in elements if an array is involved, else in bytes. */
static int make_3d(struct rt_copy *c, const struct cudaMemcpy3DParms *p,
		   int kind)
{
	enum rt_where to, from;
	size_t element = 1;
	int e = rt_copy_kind(kind, &to, &from);

	if (!e)
		e = place_3d(&c->to, &element, p->dstArray, p->dstPos,
			     p->dstPtr, to);
	if (!e)
		e = place_3d(&c->from, &element, p->srcArray, p->srcPos,
			     p->srcPtr, from);
	c->width = p->extent.width * element;
	c->height = p->extent.height;
	c->depth = p->extent.depth;
	return e;
}

struct rt_copy copy_of_3d_params(const struct cudaMemcpy3DParms *p, int *e)
{
	struct rt_copy c = { 0 };

	*e = p ? make_3d(&c, p, (int)p->kind) : cudaErrorInvalidValue;
	return c;
}

static int copy_3d(const struct cudaMemcpy3DParms *p, struct rt_stream *s,
		   bool wait)
{
	int e;
	struct rt_copy c = copy_of_3d_params(p, &e);

	return e ? e : rt_copy(&c, s, wait);
}

static int copy_3d_peer(const struct cudaMemcpy3DPeerParms *p,
			struct rt_stream *s, bool wait)
{
	struct cudaMemcpy3DParms plain3d;
	int e;

	if (!p)
		return cudaErrorInvalidValue;
	e = check_devices(p->dstDevice, p->srcDevice);
	if (e)
		return e;
	plain3d = (struct cudaMemcpy3DParms){ p->srcArray, p->srcPos,
					      p->srcPtr,   p->dstArray,
					      p->dstPos,   p->dstPtr,
					      p->extent,   cudaMemcpyDefault };
	return copy_3d(&plain3d, s, wait);
}

API_ON(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms *p),
       copy_3d(p, ON(0), true))
API_ON(cudaMemcpy3DAsync, _ptsz,
       (const struct cudaMemcpy3DParms *p, cudaStream_t s),
       copy_3d(p, ON(s), false))
API_ON(cudaMemcpy3DPeer, _ptds, (const struct cudaMemcpy3DPeerParms *p),
       copy_3d_peer(p, ON(0), true))
API_ON(cudaMemcpy3DPeerAsync, _ptsz,
       (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s),
       copy_3d_peer(p, ON(s), false))

/*
 * Arrays: offsets in bytes and rows
 */

static struct rt_place place_in_array(const void *a, size_t x, size_t y)
{
	return (struct rt_place){
		.where = RT_AT_ARRAY, .array = without_const(a), .x = x, .y = y
	};
}

static struct rt_place place_at_pointer(const void *p, size_t pitch)
{
	return (struct rt_place){ .p = without_const(p), .pitch = pitch };
}

/* kind says where the pointers lead. */
static int copy_box(struct rt_place to, struct rt_place from, size_t width,
		    size_t height, int kind, struct rt_stream *s, bool wait)
{
	struct rt_copy c = { to, from, width, height, 1 };
	enum rt_where to_where, from_where;
	int e = rt_copy_kind(kind, &to_where, &from_where);

	if (c.to.where != RT_AT_ARRAY)
		c.to.where = to_where;
	if (c.from.where != RT_AT_ARRAY)
		c.from.where = from_where;
	return e ? e : rt_copy(&c, s, wait);
}

API_ON(cudaMemcpy2DToArray, _ptds,
       (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind),
       copy_box(place_in_array(to, x, y), place_at_pointer(from, pitch), width,
		height, (int)kind, ON(0), true))
API_ON(cudaMemcpy2DToArrayAsync, _ptsz,
       (cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
       copy_box(place_in_array(to, x, y), place_at_pointer(from, pitch), width,
		height, (int)kind, ON(s), false))
API_ON(cudaMemcpy2DFromArray, _ptds,
       (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
	size_t width, size_t height, enum cudaMemcpyKind kind),
       copy_box(place_at_pointer(to, pitch), place_in_array(from, x, y), width,
		height, (int)kind, ON(0), true))
API_ON(cudaMemcpy2DFromArrayAsync, _ptsz,
       (void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s),
       copy_box(place_at_pointer(to, pitch), place_in_array(from, x, y), width,
		height, (int)kind, ON(s), false))
API_ON(cudaMemcpy2DArrayToArray, _ptds,
       (cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
	size_t from_x, size_t from_y, size_t width, size_t height,
	enum cudaMemcpyKind kind),
       copy_box(place_in_array(to, x, y), place_in_array(from, from_x, from_y),
		width, height, (int)kind, ON(0), true))

/*
 * The oldest copies: a run of bytes that continues in the array's next row
 */

struct byte_run {
	struct rt_place array, linear;
	bool into;
	int kind;
	struct rt_stream *stream;
	bool wait;
};

static int byte_run_copy_piece(const struct byte_run *r, size_t width,
			       size_t height)
{
	return r->into ? copy_box(r->array, r->linear, width, height, r->kind,
				  r->stream, r->wait) :
			 copy_box(r->linear, r->array, width, height, r->kind,
				  r->stream, r->wait);
}

/* Copies the rest of the first row, whole rows, the beginning of the last. */
static int byte_run_copy(struct byte_run r, size_t count)
{
	struct rt_array_info info;
	int e = rt_array_info(&info, r.array.array);
	size_t row = e ? 1 : info.extent.width * info.element;

	while (!e && count) {
		size_t rest = r.array.x < row ? row - r.array.x : 0;
		size_t rows = r.array.x || count < row ? 1 : count / row;
		size_t width = count < rest ? count : rest;

		if (!width)
			return cudaErrorInvalidValue;
		r.linear.pitch = width;
		e = byte_run_copy_piece(&r, width, rows);
		r.linear.p = (char *)r.linear.p + width * rows;
		r.array.x = 0;
		r.array.y += rows;
		count -= width * rows;
	}
	return e;
}

static int copy_to_array(cudaArray_t to, size_t x, size_t y, const void *from,
			 size_t count, int kind, struct rt_stream *s, bool wait)
{
	return byte_run_copy((struct byte_run){ place_in_array(to, x, y),
						place_at_pointer(from, 0), true,
						kind, s, wait },
			     count);
}

static int copy_from_array(void *to, cudaArray_const_t from, size_t x, size_t y,
			   size_t count, int kind, struct rt_stream *s,
			   bool wait)
{
	return byte_run_copy((struct byte_run){ place_in_array(from, x, y),
						place_at_pointer(to, 0), false,
						kind, s, wait },
			     count);
}

API_ON(cudaMemcpyToArray, _ptds,
       (cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
	enum cudaMemcpyKind kind),
       copy_to_array(to, x, y, from, count, (int)kind, ON(0), true))
API_ON(cudaMemcpyToArrayAsync, _ptsz,
       (cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
	enum cudaMemcpyKind kind, cudaStream_t s),
       copy_to_array(to, x, y, from, count, (int)kind, ON(s), false))
API_ON(cudaMemcpyFromArray, _ptds,
       (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
	enum cudaMemcpyKind kind),
       copy_from_array(to, from, x, y, count, (int)kind, ON(0), true))
API_ON(cudaMemcpyFromArrayAsync, _ptsz,
       (void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
	enum cudaMemcpyKind kind, cudaStream_t s),
       copy_from_array(to, from, x, y, count, (int)kind, ON(s), false))
API_ON(cudaMemcpyArrayToArray, _ptds,
       (cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
	size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind),
       copy_box(place_in_array(to, x, y), place_in_array(from, from_x, from_y),
		count, 1, (int)kind, ON(0), true))

/*
 * Variables
 */

/* The address of part of a variable; offset and count must fit into it. */
static int symbol_address(void **at, const void *symbol, size_t count,
			  size_t offset)
{
	size_t size;
	int e = rt_symbol(at, &size, symbol);

	if (e)
		return e;
	if (offset > size || count > size - offset)
		return cudaErrorInvalidValue;
	*at = (char *)*at + offset;
	return cudaSuccess;
}

static int copy_to_symbol(const void *symbol, const void *from, size_t count,
			  size_t offset, int kind, struct rt_stream *s,
			  bool wait)
{
	void *at;
	int e;

	if (kind != cudaMemcpyHostToDevice &&
	    kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = symbol_address(&at, symbol, count, offset);
	return e ? e : rt_copy_line(at, from, count, kind, s, wait);
}

static int copy_from_symbol(void *to, const void *symbol, size_t count,
			    size_t offset, int kind, struct rt_stream *s,
			    bool wait)
{
	void *at;
	int e;

	if (kind != cudaMemcpyDeviceToHost &&
	    kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = symbol_address(&at, symbol, count, offset);
	return e ? e : rt_copy_line(to, at, count, kind, s, wait);
}

API_ON(cudaMemcpyToSymbol, _ptds,
       (const void *symbol, const void *from, size_t count, size_t offset,
	enum cudaMemcpyKind kind),
       copy_to_symbol(symbol, from, count, offset, (int)kind, ON(0), true))
API_ON(cudaMemcpyToSymbolAsync, _ptsz,
       (const void *symbol, const void *from, size_t count, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t s),
       copy_to_symbol(symbol, from, count, offset, (int)kind, ON(s), false))
API_ON(cudaMemcpyFromSymbol, _ptds,
       (void *to, const void *symbol, size_t count, size_t offset,
	enum cudaMemcpyKind kind),
       copy_from_symbol(to, symbol, count, offset, (int)kind, ON(0), true))
API_ON(cudaMemcpyFromSymbolAsync, _ptsz,
       (void *to, const void *symbol, size_t count, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t s),
       copy_from_symbol(to, symbol, count, offset, (int)kind, ON(s), false))
API(cudaGetSymbolAddress, (void **at, const void *symbol),
    NEED(at, rt_symbol(at, NULL, symbol)))
API(cudaGetSymbolSize, (size_t * size, const void *symbol),
    NEED(size, rt_symbol(NULL, size, symbol)))

/*
 * Sets
 */

static int set_memory(void *p, size_t pitch, size_t rows, int value,
		      struct cudaExtent x, struct rt_stream *s, bool wait)
{
	struct rt_set w = { .p = p,
			    .pitch = pitch,
			    .rows = rows,
			    .value = (uint8_t)value,
			    .element = 1,
			    .width = x.width,
			    .height = x.height,
			    .depth = x.depth };

	return rt_set(&w, s, wait);
}

#define BOX(...) ((struct cudaExtent){ __VA_ARGS__ })

API_ON(cudaMemset, _ptds, (void *p, int value, size_t count),
       set_memory(p, 0, 0, value, BOX(count, 1, 1), ON(0), true))
API_ON(cudaMemsetAsync, _ptsz,
       (void *p, int value, size_t count, cudaStream_t s),
       set_memory(p, 0, 0, value, BOX(count, 1, 1), ON(s), false))
API_ON(cudaMemset2D, _ptds,
       (void *p, size_t pitch, int value, size_t width, size_t height),
       set_memory(p, pitch, 0, value, BOX(width, height, 1), ON(0), true))
API_ON(cudaMemset2DAsync, _ptsz,
       (void *p, size_t pitch, int value, size_t width, size_t height,
	cudaStream_t s),
       set_memory(p, pitch, 0, value, BOX(width, height, 1), ON(s), false))
API_ON(cudaMemset3D, _ptds,
       (struct cudaPitchedPtr p, int value, struct cudaExtent x),
       set_memory(p.ptr, p.pitch, p.ysize, value, x, ON(0), true))
API_ON(cudaMemset3DAsync, _ptsz,
       (struct cudaPitchedPtr p, int value, struct cudaExtent x,
	cudaStream_t s),
       set_memory(p.ptr, p.pitch, p.ysize, value, x, ON(s), false))
