/* Filling buffers and images with a pattern. */
#include <string.h>

#include "base/fp.h"
#include "door/opencl/mem.h"

enum { PATTERN = 128 };

struct filling {
	struct side to; /* of shared virtual memory the host: a pointer */
	size_t width, height, depth;
	size_t size; /* of the pattern */
	unsigned char pattern[PATTERN];
};

bool pattern_size_is_valid(size_t size)
{
	return size && size <= PATTERN && !(size & (size - 1));
}

/* Patterns that repeat themselves are as short as they can be. */
static size_t pattern_period(const struct filling *f)
{
	size_t n = f->size;

	while (n > 1 && !memcmp(f->pattern, f->pattern + n / 2, n / 2))
		n /= 2;
	return n;
}

static cl_int fill_small(const struct filling *f, char *at, size_t period,
			 struct rt_stream *s)
{
	struct rt_set set = { .p = at,
			      .pitch = f->to.row,
			      .rows = f->to.slice / f->to.row,
			      .element = (uint32_t)period,
			      .width = f->width / period,
			      .height = f->height,
			      .depth = f->depth };

	memcpy(&set.value, f->pattern, period);
	return cl_error(rt_set(&set, s, false));
}

/* Copies within the device: doubles what is there until `size` is. */
struct doubling {
	char *at;
	size_t step; /* bytes from one to the next */
	size_t width, height, row;
};

static int fill_double(const struct doubling *d, size_t count,
		       struct rt_stream *s)
{
	int e = 0;

	for (size_t done = 1; !e && done < count; done *= 2) {
		size_t n = done < count - done ? done : count - done;
		bool line = d->height == 1 && d->step == d->width;
		struct rt_copy c = { .to = { .where = RT_AT_DEVICE,
					     .p = d->at + done * d->step,
					     .pitch = line ? 0 : d->row,
					     .rows = line ? 0 :
							    d->step / d->row },
				     .width = line ? n * d->width : d->width,
				     .height = line ? 1 : d->height,
				     .depth = line ? 1 : n };

		c.from = c.to;
		c.from.p = d->at;
		e = rt_copy(&c, s, false);
	}
	return e;
}

/* The pattern, then a row of it, then a slice of rows, then the slices. */
static cl_int fill_large(const struct filling *f, char *at, struct rt_stream *s)
{
	struct doubling row = { at, f->size, f->size, 1, f->size };
	struct doubling rows = { at, f->to.row, f->width, 1, f->to.row };
	struct doubling slices = { at, f->to.slice, f->width, f->height,
				   f->to.row };
	int e = rt_copy_line(at, f->pattern, f->size, cudaMemcpyHostToDevice, s,
			     false);

	if (!e)
		e = fill_double(&row, f->width / f->size, s);
	if (!e)
		e = fill_double(&rows, f->height, s);
	if (!e)
		e = fill_double(&slices, f->depth, s);
	return cl_error(e);
}

static cl_int fill_run(cl_event e, void *data)
{
	const struct filling *f = data;
	size_t period = pattern_period(f);
	void *at = f->to.host;
	cl_int error = CL_SUCCESS;

	if (f->to.mem)
		error = mem_on(f->to.mem, e->queue->device, e->stream, true,
			       &at);

	if (error)
		return error;
	at = (char *)at + f->to.offset;
	return period <= 4 ? fill_small(f, at, period, e->stream) :
			     fill_large(f, at, e->stream);
}

static void fill_drop(void *data)
{
	object_drop(((struct filling *)data)->to.mem);
}

static cl_int fill_submit(cl_command_queue q, cl_command_type type,
			  const struct filling *f, const struct wait_list *w)
{
	if (f->to.mem)
		object_hold(f->to.mem);
	return command_submit(q,
			      &(struct cl_command){ .type = type,
						    .run = fill_run,
						    .drop = fill_drop,
						    .data = f,
						    .size = sizeof(*f) },
			      w);
}

static cl_int fill_buffer(cl_command_queue q, cl_mem m, const void *pattern,
			  size_t pattern_size, size_t offset, size_t size,
			  const struct wait_list *w)
{
	struct filling f = { .to = { m, NULL, offset, size, size },
			     .width = size,
			     .height = 1,
			     .depth = 1,
			     .size = pattern_size };
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, m, false);
	if (e)
		return e;
	if (!pattern || !pattern_size_is_valid(pattern_size) || !size ||
	    offset % pattern_size || size % pattern_size || offset > m->size ||
	    size > m->size - offset)
		return CL_INVALID_VALUE;
	memcpy(f.pattern, pattern, pattern_size);
	return fill_submit(q, CL_COMMAND_FILL_BUFFER, &f, w);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern,
		    size_t pattern_size, size_t offset, size_t size, cl_uint n,
		    const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueFillBuffer");

	return cl_leave(e ? e :
			    fill_buffer(q, m, pattern, pattern_size, offset,
					size,
					&(struct wait_list){ n, list, event }));
}

static cl_int fill_nothing(cl_event e, void *data)
{
	(void)e, (void)data;
	return CL_SUCCESS;
}

cl_int fill_svm(cl_command_queue q, void *at, const void *pattern,
		size_t pattern_size, size_t size, const struct wait_list *w)
{
	struct filling f = { .to = { NULL, at, 0, size, size },
			     .width = size,
			     .height = 1,
			     .depth = 1,
			     .size = pattern_size };

	memcpy(f.pattern, pattern, pattern_size);
	return command_submit(
		q,
		&(struct cl_command){ .type = CL_COMMAND_SVM_MEMFILL,
				      .run = size ? fill_run : fill_nothing,
				      .data = &f,
				      .size = sizeof(f) },
		w);
}

/*
 * Images: a color becomes a pixel.
 */

/* Rounds to the nearest, ties to even, within the limits; what is no number is 0. */
static int32_t fill_nearest(float v, float scale, int32_t least, int32_t most)
{
	float x = v * scale;

	if (x != x)
		return 0;
	if (x <= (float)least)
		return least;
	return x >= (float)most ? most : (int32_t)__builtin_lrintf(x);
}

static int32_t fill_clamp(int64_t v, int32_t least, int32_t most)
{
	return v < least ? least : v > most ? most : (int32_t)v;
}

/* A channel's bits; v: those of the color. */
static int32_t fill_channel(cl_channel_type t, int32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	switch (t) {
	case CL_SNORM_INT8:
		return fill_nearest(f, 127, -128, 127);
	case CL_UNORM_INT8:
		return fill_nearest(f, 255, 0, 255);
	case CL_SNORM_INT16:
		return fill_nearest(f, 32767, -32768, 32767);
	case CL_UNORM_INT16:
		return fill_nearest(f, 65535, 0, 65535);
	case CL_HALF_FLOAT:
		return f32_to_f16(f);
	case CL_SIGNED_INT8:
		return fill_clamp(v, -128, 127);
	case CL_SIGNED_INT16:
		return fill_clamp(v, -32768, 32767);
	case CL_UNSIGNED_INT8:
		return fill_clamp((uint32_t)v, 0, 255);
	case CL_UNSIGNED_INT16:
		return fill_clamp((uint32_t)v, 0, 65535);
	default:
		return v;
	}
}

/* The channels that the pixel has, in its order. */
static const char *order_letters(cl_channel_order o)
{
	switch (o) {
	case CL_R:
	case CL_INTENSITY:
	case CL_LUMINANCE:
		return "0";
	case CL_A:
		return "3";
	case CL_RG:
		return "01";
	case CL_RA:
		return "03";
	case CL_BGRA:
		return "2103";
	case CL_ARGB:
		return "3012";
	default:
		return "0123";
	}
}

static cl_int fill_image(cl_command_queue q, cl_mem m, const void *color,
			 const size_t *origin, const size_t *region,
			 const struct wait_list *w)
{
	struct filling f = { .size = 0 };
	cl_channel_type type;
	struct move box;
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, m, true);
	if (!e && !color)
		e = CL_INVALID_VALUE;
	if (!e)
		e = image_box(m, origin, region, &f.to);
	if (e)
		return e;
	image_extent(m, region, &box);
	f.width = box.width;
	f.height = box.height;
	f.depth = box.depth;
	type = m->image.format.image_channel_data_type;
	for (const char *p = order_letters(m->image.format.image_channel_order);
	     *p; p++) {
		size_t n = m->image.element / m->image.channels;
		int32_t v;

		memcpy(&v, (const char *)color + (*p - '0') * 4, sizeof(v));
		v = fill_channel(type, v);
		memcpy(f.pattern + f.size, &v, n);
		f.size += n;
	}
	return fill_submit(q, CL_COMMAND_FILL_IMAGE, &f, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(
	cl_command_queue q, cl_mem m, const void *color, const size_t *origin,
	const size_t *region, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueFillImage");

	return cl_leave(e ? e :
			    fill_image(q, m, color, origin, region,
				       &(struct wait_list){ n, list, event }));
}
