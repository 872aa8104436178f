/* Images: formats, creation, queries. */
#include <stdlib.h>
#include <string.h>

#include "door/opencl/device/image.h"
#include "door/opencl/mem.h"

/*
 * Formats
 */

/* Bytes of a number; 0: unknown. CL_UNORM_SHORT_565 and others that pack several
 * numbers are not supported. */
static size_t type_bytes(cl_channel_type t)
{
	switch (t) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return 1;
	case CL_SNORM_INT16:
	case CL_UNORM_INT16:
	case CL_SIGNED_INT16:
	case CL_UNSIGNED_INT16:
	case CL_HALF_FLOAT:
		return 2;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static bool type_is_normalized(cl_channel_type t)
{
	return t == CL_SNORM_INT8 || t == CL_UNORM_INT8 ||
	       t == CL_SNORM_INT16 || t == CL_UNORM_INT16;
}

static size_t order_channels(cl_channel_order o)
{
	switch (o) {
	case CL_R:
	case CL_A:
	case CL_INTENSITY:
	case CL_LUMINANCE:
		return 1;
	case CL_RG:
	case CL_RA:
		return 2;
	case CL_RGBA:
	case CL_BGRA:
	case CL_ARGB:
		return 4;
	default:
		return 0;
	}
}

/* Orders that only some types may have. */
static bool order_allows(cl_channel_order o, cl_channel_type t)
{
	switch (o) {
	case CL_INTENSITY:
	case CL_LUMINANCE:
		return type_is_normalized(t) || t == CL_HALF_FLOAT ||
		       t == CL_FLOAT;
	case CL_BGRA:
	case CL_ARGB:
		return type_bytes(t) == 1;
	default:
		return true;
	}
}

size_t image_element(const cl_image_format *f)
{
	return order_allows(f->image_channel_order,
			    f->image_channel_data_type) ?
		       order_channels(f->image_channel_order) *
			       type_bytes(f->image_channel_data_type) :
		       0;
}

static const cl_channel_order orders[] = {
	CL_RGBA, CL_BGRA, CL_ARGB,      CL_RG,        CL_RA,
	CL_R,    CL_A,    CL_INTENSITY, CL_LUMINANCE,
};
static const cl_channel_type types[] = {
	CL_SNORM_INT8,     CL_SNORM_INT16,    CL_UNORM_INT8,   CL_UNORM_INT16,
	CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
	CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT,
};

static cl_uint formats_list(cl_image_format *list, cl_uint room)
{
	cl_uint n = 0;

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
			cl_image_format f = { orders[i], types[k] };

			if (!image_element(&f))
				continue;
			if (list && n < room)
				list[n] = f;
			n++;
		}
	return n;
}

static bool image_type_is_known(cl_mem_object_type t)
{
	return t >= CL_MEM_OBJECT_IMAGE2D && t <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(
	cl_context c, cl_mem_flags flags, cl_mem_object_type type, cl_uint room,
	cl_image_format *list, cl_uint *count)
{
	cl_int e = cl_enter("clGetSupportedImageFormats");
	const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

	if (!e && !object_is(c, OBJECT_CONTEXT))
		e = CL_INVALID_CONTEXT;
	if (!e && (mem_check_flags(flags & ~place, NULL) ||
		   !image_type_is_known(type) || (list && !room)))
		e = CL_INVALID_VALUE;
	if (!e && list)
		formats_list(list, room);
	if (!e && count)
		*count = formats_list(NULL, 0);
	return cl_leave(e);
}

/*
 * Descriptors
 */

static bool image_is_layered(const struct _cl_mem *m)
{
	return m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
	       m->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static struct heddle_image image_describe(const struct _cl_mem *m, void *data)
{
	const struct mem_image *im = &m->image;
	bool layered = image_is_layered(m);

	return (struct heddle_image){
		.data = (uint64_t)(uintptr_t)data,
		.row = im->row,
		.slice = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? im->row :
								  im->slice,
		.width = (int)im->desc.image_width,
		.height = (int)im->desc.image_height,
		.depth = (int)im->desc.image_depth,
		.layers = layered ? (int)im->desc.image_array_size : 0,
		.order = (int)im->format.image_channel_order,
		.type = (int)im->format.image_channel_data_type,
		.element = (int)im->element,
	};
}

cl_int image_on(cl_mem m, cl_device_id d, struct rt_stream *s, bool write,
		void **out)
{
	void **descriptor = &m->image.descriptor[d->number];
	struct heddle_image text;
	void *data;
	cl_int e = mem_on(m, d, s, write, &data);

	if (e)
		return e;
	*out = *descriptor;
	if (*out)
		return CL_SUCCESS;
	text = image_describe(m, data);
	if (rt_malloc(descriptor, sizeof(text))) {
		*descriptor = NULL;
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	*out = *descriptor;
	return cl_error(rt_poke(*out, &text, sizeof(text)));
}

void mem_image_free(cl_mem m)
{
	if (m->parent)
		object_drop(m->image.desc.buffer);
	for (int i = 0; i < CL_DEVICES; i++)
		if (m->image.descriptor[i]) {
			rt_device_set(i);
			rt_free(m->image.descriptor[i]);
		}
}

/*
 * Creation
 */

/* Which sizes an image of the type has, and how large they may be. */
static const struct image_kind {
	size_t width, height, depth, layers; /* 0: it has no such size */
} kinds[] = {
	[CL_MEM_OBJECT_IMAGE2D -
	 CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_2D, DEVICE_IMAGE_2D, 0, 0 },
	[CL_MEM_OBJECT_IMAGE3D -
		CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_3D, DEVICE_IMAGE_3D,
					   DEVICE_IMAGE_3D, 0 },
	[CL_MEM_OBJECT_IMAGE2D_ARRAY -
		CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_2D, DEVICE_IMAGE_2D, 0,
					   DEVICE_IMAGE_LAYERS },
	[CL_MEM_OBJECT_IMAGE1D -
		CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_2D, 0, 0, 0 },
	[CL_MEM_OBJECT_IMAGE1D_ARRAY -
		CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_2D, 0, 0,
					   DEVICE_IMAGE_LAYERS },
	[CL_MEM_OBJECT_IMAGE1D_BUFFER -
		CL_MEM_OBJECT_IMAGE2D] = { DEVICE_IMAGE_BUFFER, 0, 0, 0 },
};

/* The description with a 0 for every size that the type does not have. */
static void desc_reduce(cl_image_desc *d)
{
	const struct image_kind *k =
		&kinds[d->image_type - CL_MEM_OBJECT_IMAGE2D];

	d->image_height = k->height ? d->image_height : 0;
	d->image_depth = k->depth ? d->image_depth : 0;
	d->image_array_size = k->layers ? d->image_array_size : 0;
}

static bool size_fits(size_t size, size_t most)
{
	return most ? size && size <= most : !size;
}

static cl_int desc_check(const cl_image_desc *d, const void *host,
			 size_t element)
{
	const struct image_kind *k;
	bool buffer = d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
	size_t rows = d->image_height ? d->image_height : 1;

	if (!image_type_is_known(d->image_type) || d->num_mip_levels ||
	    d->num_samples || buffer != (d->buffer != NULL))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	k = &kinds[d->image_type - CL_MEM_OBJECT_IMAGE2D];
	if (!size_fits(d->image_width, k->width) ||
	    !size_fits(d->image_height, k->height) ||
	    !size_fits(d->image_depth, k->depth) ||
	    !size_fits(d->image_array_size, k->layers))
		return CL_INVALID_IMAGE_SIZE;
	if (!host)
		return d->image_row_pitch || d->image_slice_pitch ?
			       CL_INVALID_IMAGE_DESCRIPTOR :
			       CL_SUCCESS;
	if (d->image_row_pitch &&
	    (d->image_row_pitch < d->image_width * element ||
	     d->image_row_pitch % element))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (d->image_slice_pitch &&
	    (d->image_slice_pitch < rows * (d->image_row_pitch ?
						    d->image_row_pitch :
						    d->image_width * element) ||
	     (d->image_row_pitch && d->image_slice_pitch % d->image_row_pitch)))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return CL_SUCCESS;
}

static void image_set_sizes(struct mem_image *im, const cl_image_format *f,
			    const cl_image_desc *d)
{
	bool lines = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

	im->format = *f;
	im->desc = *d;
	im->element = image_element(f);
	im->channels = order_channels(f->image_channel_order);
	im->width = d->image_width;
	im->height = lines           ? d->image_array_size :
		     d->image_height ? d->image_height :
				       1;
	im->depth = d->image_depth                ? d->image_depth :
		    d->image_array_size && !lines ? d->image_array_size :
						    1;
	im->row = im->width * im->element;
	im->slice = im->row * im->height;
}

/* How the program's memory holds the image. */
static struct move image_from_host(const struct _cl_mem *m, void *host)
{
	const struct mem_image *im = &m->image;
	size_t row = im->desc.image_row_pitch ? im->desc.image_row_pitch :
						im->row;
	size_t slice = im->desc.image_slice_pitch ? im->desc.image_slice_pitch :
						    row * im->height;

	/* The layers of lines are as far apart as the slices. */
	if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY &&
	    im->desc.image_slice_pitch)
		row = im->desc.image_slice_pitch;
	return (struct move){
		.to.row = im->row,
		.from = { .host = host, .row = row, .slice = slice },
		.width = im->row,
		.height = im->height,
		.depth = im->depth
	};
}

/* Its memory is that of the buffer's parent, if that is a sub-buffer. */
static cl_int image_of_buffer(cl_mem m, cl_mem buffer)
{
	m->parent = buffer->parent ? buffer->parent : buffer;
	object_hold(m->parent);
	object_hold(buffer); /* mem_image_free drops it */
	m->origin = buffer->origin;
	return CL_SUCCESS;
}

static cl_int image_buffer_check(cl_context c, const cl_image_desc *d,
				 size_t element)
{
	cl_mem b = d->buffer;

	if (!b)
		return CL_SUCCESS;
	if (!object_is(b, OBJECT_MEM) || mem_is_image(b) || b->context != c)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return d->image_width > b->size / element ? CL_INVALID_IMAGE_SIZE :
						    CL_SUCCESS;
}

static cl_int image_check(cl_context c, cl_mem_flags flags,
			  const cl_image_format *f, const cl_image_desc *d,
			  const void *host)
{
	cl_int e;

	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	e = mem_check_flags(flags, host);
	if (e)
		return e;
	if (!f || !order_channels(f->image_channel_order) ||
	    !type_bytes(f->image_channel_data_type))
		return f && f->image_channel_order >= CL_R &&
				       f->image_channel_order <= CL_RGBx &&
				       f->image_channel_data_type >=
					       CL_SNORM_INT8 &&
				       f->image_channel_data_type <= CL_FLOAT ?
			       CL_IMAGE_FORMAT_NOT_SUPPORTED :
			       CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!image_element(f))
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!d)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	e = desc_check(d, host, image_element(f));
	return e ? e : image_buffer_check(c, d, image_element(f));
}

static cl_int image_fill(cl_mem m, cl_mem_flags flags, const cl_image_desc *d,
			 void *host)
{
	struct move fill = image_from_host(m, host);

	if (d->buffer)
		return image_of_buffer(m, d->buffer);
	if (flags & CL_MEM_USE_HOST_PTR)
		m->host_ptr = host;
	for (cl_uint i = 0; i < m->context->device_count; i++)
		if (m->size > device_max_alloc(m->context->devices[i]))
			return CL_INVALID_IMAGE_SIZE;
	return mem_fill_from(m, host ? &fill : NULL);
}

static cl_int image_make(cl_mem *out, cl_context c, cl_mem_flags flags,
			 const cl_image_format *f, const cl_image_desc *given,
			 void *host)
{
	cl_image_desc d = given ? *given : (cl_image_desc){ 0 };
	cl_int e;

	if (given && image_type_is_known(d.image_type))
		desc_reduce(&d);
	e = image_check(c, flags, f, given ? &d : NULL, host);
	if (!e)
		e = mem_new(out, c, d.image_type, flags, 0);
	if (e)
		return e;
	image_set_sizes(&(*out)->image, f, &d);
	(*out)->size = (*out)->image.slice * (*out)->image.depth;
	e = image_fill(*out, flags, &d, host);
	if (!e)
		return CL_SUCCESS;
	object_drop(*out);
	*out = NULL;
	return e;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context c, cl_mem_flags flags,
					      const cl_image_format *f,
					      const cl_image_desc *d,
					      void *host, cl_int *error)
{
	cl_int e = cl_enter("clCreateImage");
	cl_mem m = NULL;

	if (!e)
		e = image_make(&m, c, flags, f, d, host);
	if (error)
		*error = e;
	cl_leave(e);
	return m;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(
	cl_context c, cl_mem_flags flags, const cl_image_format *f,
	size_t width, size_t height, size_t row, void *host, cl_int *error)
{
	cl_int e = cl_enter("clCreateImage2D");
	cl_mem m = NULL;

	if (!e)
		e = image_make(&m, c, flags, f,
			       &(cl_image_desc){ .image_type =
							 CL_MEM_OBJECT_IMAGE2D,
						 .image_width = width,
						 .image_height = height,
						 .image_row_pitch = row },
			       host);
	if (error)
		*error = e == CL_INVALID_IMAGE_DESCRIPTOR ?
				 CL_INVALID_IMAGE_SIZE :
				 e;
	cl_leave(e);
	return m;
}

CL_API_ENTRY cl_mem CL_API_CALL
clCreateImage3D(cl_context c, cl_mem_flags flags, const cl_image_format *f,
		size_t width, size_t height, size_t depth, size_t row,
		size_t slice, void *host, cl_int *error)
{
	cl_int e = cl_enter("clCreateImage3D");
	cl_mem m = NULL;

	if (!e)
		e = image_make(&m, c, flags, f,
			       &(cl_image_desc){ .image_type =
							 CL_MEM_OBJECT_IMAGE3D,
						 .image_width = width,
						 .image_height = height,
						 .image_depth = depth,
						 .image_row_pitch = row,
						 .image_slice_pitch = slice },
			       host);
	if (error)
		*error = e == CL_INVALID_IMAGE_DESCRIPTOR ?
				 CL_INVALID_IMAGE_SIZE :
				 e;
	cl_leave(e);
	return m;
}

static cl_int image_query(const struct _cl_mem *m, cl_image_info name,
			  const struct query *q)
{
	const struct mem_image *im = &m->image;
	bool deep = im->depth > 1 || m->type == CL_MEM_OBJECT_IMAGE3D ||
		    image_is_layered(m);

	switch (name) {
	case CL_IMAGE_FORMAT:
		return query_put(q, &im->format, sizeof(im->format));
	case CL_IMAGE_ELEMENT_SIZE:
		return QUERY(q, size_t, im->element);
	case CL_IMAGE_ROW_PITCH:
		return QUERY(q, size_t, im->row);
	case CL_IMAGE_SLICE_PITCH:
		return QUERY(q, size_t,
			     !deep ? 0 :
			     m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ?
				     im->row :
				     im->slice);
	case CL_IMAGE_WIDTH:
		return QUERY(q, size_t, im->desc.image_width);
	case CL_IMAGE_HEIGHT:
		return QUERY(q, size_t, im->desc.image_height);
	case CL_IMAGE_DEPTH:
		return QUERY(q, size_t, im->desc.image_depth);
	case CL_IMAGE_ARRAY_SIZE:
		return QUERY(q, size_t, im->desc.image_array_size);
	case CL_IMAGE_BUFFER:
		return QUERY(q, cl_mem, im->desc.buffer);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES:
		return QUERY(q, cl_uint, 0);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem m, cl_image_info name,
					       size_t room, void *value,
					       size_t *size)
{
	cl_int e = cl_enter("clGetImageInfo");

	if (!e && (!object_is(m, OBJECT_MEM) || !mem_is_image(m)))
		e = CL_INVALID_MEM_OBJECT;
	return cl_leave(
		e ? e :
		    image_query(m, name, &(struct query){ room, value, size }));
}
