/* Reads, writes and copies of images. */
#include <string.h>

#include "door/opencl/mem.h"

cl_int image_box(const struct _cl_mem *m, const size_t origin[3],
		 const size_t region[3], struct side *side)
{
	const struct mem_image *im = &m->image;
	const size_t all[3] = { im->width, im->height, im->depth };

	if (!origin || !region)
		return CL_INVALID_VALUE;
	for (int i = 0; i < 3; i++)
		if (!region[i] || origin[i] > all[i] ||
		    region[i] > all[i] - origin[i])
			return CL_INVALID_VALUE;
	*side = (struct side){ .mem = (cl_mem)(uintptr_t)m,
			       .offset = origin[2] * im->slice +
					 origin[1] * im->row +
					 origin[0] * im->element,
			       .row = im->row,
			       .slice = im->slice };
	return CL_SUCCESS;
}

void image_extent(const struct _cl_mem *m, const size_t region[3],
		  struct move *move)
{
	move->width = region[0] * m->image.element;
	move->height = region[1];
	move->depth = region[2];
}

struct image_line {
	cl_command_queue queue;
	cl_mem mem;
	cl_bool blocking;
	const size_t *origin, *region;
	size_t row, slice;
	void *host;
	bool writes;
};

/* How the program's memory holds the box. */
static cl_int host_side(const struct image_line *l, struct side *out)
{
	size_t width = l->region[0] * l->mem->image.element;
	size_t row = l->row ? l->row : width, rows = l->region[1];

	/* The layers of an array of lines are as far apart as slices. */
	if (l->mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
		if (l->row && l->row < width)
			return CL_INVALID_VALUE;
		row = l->slice ? l->slice : row;
		*out = (struct side){ .host = l->host,
				      .row = row,
				      .slice = row * rows };
		return row < width ? CL_INVALID_VALUE : CL_SUCCESS;
	}
	*out = (struct side){ .host = l->host,
			      .row = row,
			      .slice = l->slice ? l->slice : row * rows };
	return row < width || out->slice < row * rows ? CL_INVALID_VALUE :
							CL_SUCCESS;
}

static cl_int image_line_check(const struct image_line *l,
			       const struct wait_list *w)
{
	cl_int e = command_check(l->queue, w);

	if (!e)
		e = mem_check(l->queue, l->mem, true);
	if (!e && !l->host)
		e = CL_INVALID_VALUE;
	return e;
}

static cl_int image_line_submit(const struct image_line *l,
				const struct wait_list *w)
{
	struct move_command m = { .type = l->writes ? CL_COMMAND_WRITE_IMAGE :
						      CL_COMMAND_READ_IMAGE,
				  .blocking = l->blocking };
	struct side box, host;
	cl_int e = image_line_check(l, w);

	if (!e)
		e = image_box(l->mem, l->origin, l->region, &box);
	if (!e)
		e = host_side(l, &host);
	if (!e)
		e = mem_check_host(l->mem, !l->writes, l->writes);
	if (e)
		return e;
	m.move.to = l->writes ? box : host;
	m.move.from = l->writes ? host : box;
	image_extent(l->mem, l->region, &m.move);
	return move_submit(l->queue, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(
	cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
	const size_t *region, size_t row, size_t slice, void *host, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueReadImage");

	return cl_leave(e ? e :
			    image_line_submit(
				    &(struct image_line){ q, m, blocking,
							  origin, region, row,
							  slice, host, false },
				    &(struct wait_list){ n, list, event }));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(
	cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
	const size_t *region, size_t row, size_t slice, const void *host,
	cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueWriteImage");

	return cl_leave(
		e ? e :
		    image_line_submit(
			    &(struct image_line){
				    q, m, blocking, origin, region, row, slice,
				    (void *)(uintptr_t)host, true },
			    &(struct wait_list){ n, list, event }));
}

static bool boxes_overlap(const size_t *a, const size_t *b,
			  const size_t *region)
{
	for (int i = 0; i < 3; i++)
		if (a[i] >= b[i] + region[i] || b[i] >= a[i] + region[i])
			return false;
	return true;
}

static bool same_format(const struct _cl_mem *a, const struct _cl_mem *b)
{
	return !memcmp(&a->image.format, &b->image.format,
		       sizeof(a->image.format));
}

static cl_int copy_image(cl_command_queue q, cl_mem from, cl_mem to,
			 const size_t *a, const size_t *b, const size_t *region,
			 const struct wait_list *w)
{
	struct move_command m = { .type = CL_COMMAND_COPY_IMAGE };
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, from, true);
	if (!e)
		e = mem_check(q, to, true);
	if (!e && !same_format(from, to))
		e = CL_IMAGE_FORMAT_MISMATCH;
	if (!e)
		e = image_box(from, a, region, &m.move.from);
	if (!e)
		e = image_box(to, b, region, &m.move.to);
	if (!e && from == to && boxes_overlap(a, b, region))
		e = CL_MEM_COPY_OVERLAP;
	if (e)
		return e;
	image_extent(from, region, &m.move);
	return move_submit(q, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *a,
		   const size_t *b, const size_t *region, cl_uint n,
		   const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueCopyImage");

	return cl_leave(e ? e :
			    copy_image(q, from, to, a, b, region,
				       &(struct wait_list){ n, list, event }));
}

/* Between a box of an image and bytes of a buffer, which have no gaps. */
static cl_int copy_buffer_image(cl_command_queue q, cl_mem image,
				const size_t *origin, const size_t *region,
				cl_mem buffer, size_t offset, bool to_image,
				const struct wait_list *w)
{
	struct move_command m = {
		.type = to_image ? CL_COMMAND_COPY_BUFFER_TO_IMAGE :
				   CL_COMMAND_COPY_IMAGE_TO_BUFFER
	};
	struct side box, line = { .mem = buffer, .offset = offset };
	size_t size;
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, image, true);
	if (!e)
		e = mem_check(q, buffer, false);
	if (!e)
		e = image_box(image, origin, region, &box);
	if (e)
		return e;
	image_extent(image, region, &m.move);
	line.row = m.move.width;
	line.slice = line.row * m.move.height;
	size = line.slice * m.move.depth;
	if (offset > buffer->size || size > buffer->size - offset)
		return CL_INVALID_VALUE;
	m.move.to = to_image ? box : line;
	m.move.from = to_image ? line : box;
	return move_submit(q, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(
	cl_command_queue q, cl_mem image, cl_mem buffer, const size_t *origin,
	const size_t *region, size_t offset, cl_uint n, const cl_event *list,
	cl_event *event)
{
	cl_int e = cl_enter("clEnqueueCopyImageToBuffer");

	return cl_leave(
		e ? e :
		    copy_buffer_image(q, image, origin, region, buffer, offset,
				      false,
				      &(struct wait_list){ n, list, event }));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(
	cl_command_queue q, cl_mem buffer, cl_mem image, size_t offset,
	const size_t *origin, const size_t *region, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueCopyBufferToImage");

	return cl_leave(
		e ? e :
		    copy_buffer_image(q, image, origin, region, buffer, offset,
				      true,
				      &(struct wait_list){ n, list, event }));
}
