/* Reads, writes and copies of buffers and images: all move a box of bytes. */
#include <stdlib.h>
#include <string.h>

#include "door/opencl/mem.h"

/*
 * Moving
 */

static cl_int side_place(const struct side *s, cl_event e, bool write,
			 struct rt_place *out)
{
	void *at = s->host;
	cl_int error = CL_SUCCESS;

	if (s->mem)
		error = mem_on(s->mem, e->queue->device, e->stream, write, &at);
	*out = (struct rt_place){ .where = s->mem ? RT_AT_DEVICE : RT_AT_HOST,
				  .p = (char *)at + s->offset,
				  .pitch = s->row,
				  .rows = s->row ? s->slice / s->row : 0 };
	return error;
}

/* Slices that are not a whole number of rows apart are moved one by one. */
static cl_int move_slices(const struct move *m, struct rt_copy *c,
			  struct rt_stream *s)
{
	bool whole = m->to.slice % m->to.row == 0 &&
		     m->from.slice % m->from.row == 0;
	int e = 0;

	if (whole || m->depth == 1)
		return cl_error(rt_copy(c, s, false));
	c->depth = 1;
	for (size_t z = 0; !e && z < m->depth; z++) {
		e = rt_copy(c, s, false);
		c->to.p = (char *)c->to.p + m->to.slice;
		c->from.p = (char *)c->from.p + m->from.slice;
	}
	return cl_error(e);
}

static cl_int move_run(cl_event e, void *data)
{
	const struct move *m = data;
	struct rt_copy c = { .width = m->width,
			     .height = m->height,
			     .depth = m->depth };
	cl_int error = side_place(&m->to, e, true, &c.to);

	if (!error)
		error = side_place(&m->from, e, false, &c.from);
	return error ? error : move_slices(m, &c, e->stream);
}

static cl_int move_nothing(cl_event e, void *data)
{
	(void)e, (void)data;
	return CL_SUCCESS;
}

static void move_drop(void *data)
{
	struct move *m = data;

	object_drop(m->to.mem);
	object_drop(m->from.mem);
}

cl_int move_submit(cl_command_queue q, const struct move_command *m,
		   const struct wait_list *w)
{
	if (m->move.to.mem)
		object_hold(m->move.to.mem);
	if (m->move.from.mem)
		object_hold(m->move.from.mem);
	return command_submit(
		q,
		&(struct cl_command){
			.type = m->type,
			.run = m->nothing || cl.moved ? move_nothing : move_run,
			.drop = move_drop,
			.data = &m->move,
			.size = sizeof(m->move),
			.blocking = m->blocking },
		w);
}

/*
 * Checks
 */

cl_int mem_check(cl_command_queue q, cl_mem m, bool image)
{
	if (!object_is(m, OBJECT_MEM) || mem_is_image(m) != image)
		return CL_INVALID_MEM_OBJECT;
	return m->context == q->context ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int mem_check_host(const struct _cl_mem *m, bool reads, bool writes)
{
	cl_mem_flags never = CL_MEM_HOST_NO_ACCESS;

	if (reads)
		never |= CL_MEM_HOST_WRITE_ONLY;
	if (writes)
		never |= CL_MEM_HOST_READ_ONLY;
	return m->flags & never ? CL_INVALID_OPERATION : CL_SUCCESS;
}

static bool range_fits(size_t offset, size_t size, size_t all)
{
	return offset <= all && size <= all - offset;
}

/* What the specification asks of a blocking command whose list has an error. */
static cl_int wait_if_blocking(cl_bool blocking, const struct wait_list *w)
{
	cl_int e = CL_SUCCESS;

	for (cl_uint i = 0; blocking && i < w->count; i++)
		if (event_wait(w->list[i]) < 0)
			e = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return e;
}

/*
 * Lines of buffers
 */

struct move_line {
	cl_command_queue queue;
	cl_mem mem;
	cl_bool blocking;
	size_t offset, size;
	void *host;
	bool writes; /* to the buffer */
};

static cl_int line_check(const struct move_line *l, const struct wait_list *w)
{
	cl_int e = command_check(l->queue, w);

	if (!e)
		e = mem_check(l->queue, l->mem, false);
	if (e)
		return e;
	if (!l->host || !l->size ||
	    !range_fits(l->offset, l->size, l->mem->size))
		return CL_INVALID_VALUE;
	e = mem_check_host(l->mem, !l->writes, l->writes);
	return e ? e : wait_if_blocking(l->blocking, w);
}

static cl_int line_submit(const struct move_line *l, const struct wait_list *w)
{
	struct side host = { .host = l->host,
			     .row = l->size,
			     .slice = l->size };
	struct side mem = { .mem = l->mem,
			    .offset = l->offset,
			    .row = l->size,
			    .slice = l->size };
	struct move_command m = { .type = l->writes ? CL_COMMAND_WRITE_BUFFER :
						      CL_COMMAND_READ_BUFFER,
				  .move = { l->writes ? mem : host,
					    l->writes ? host : mem, l->size, 1,
					    1 },
				  .blocking = l->blocking };
	cl_int e = line_check(l, w);

	return e ? e : move_submit(l->queue, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q,
						    cl_mem m, cl_bool blocking,
						    size_t offset, size_t size,
						    void *host, cl_uint n,
						    const cl_event *list,
						    cl_event *event)
{
	cl_int e = cl_enter("clEnqueueReadBuffer");

	return cl_leave(
		e ? e :
		    line_submit(&(struct move_line){ q, m, blocking, offset,
						     size, host, false },
				&(struct wait_list){ n, list, event }));
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
		     size_t offset, size_t size, const void *host, cl_uint n,
		     const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueWriteBuffer");

	return cl_leave(e ? e :
			    line_submit(
				    &(struct move_line){
					    q, m, blocking, offset, size,
					    (void *)(uintptr_t)host, true },
				    &(struct wait_list){ n, list, event }));
}

static cl_int copy_buffer(cl_command_queue q, const struct move *m,
			  const struct wait_list *w)
{
	cl_mem from = m->from.mem, to = m->to.mem;
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, from, false);
	if (!e)
		e = mem_check(q, to, false);
	if (e)
		return e;
	if (!m->width || !range_fits(m->from.offset, m->width, from->size) ||
	    !range_fits(m->to.offset, m->width, to->size))
		return CL_INVALID_VALUE;
	if ((from->parent ? from->parent : from) ==
	    (to->parent ? to->parent : to)) {
		size_t a = from->origin + m->from.offset;
		size_t b = to->origin + m->to.offset;

		if (a < b + m->width && b < a + m->width)
			return CL_MEM_COPY_OVERLAP;
	}
	return move_submit(q,
			   &(struct move_command){ CL_COMMAND_COPY_BUFFER, *m,
						   CL_FALSE, false },
			   w);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to,
		    size_t from_offset, size_t to_offset, size_t size,
		    cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueCopyBuffer");

	return cl_leave(
		e ? e :
		    copy_buffer(q,
				&(struct move){
					{ to, NULL, to_offset, size, size },
					{ from, NULL, from_offset, size, size },
					size,
					1,
					1 },
				&(struct wait_list){ n, list, event }));
}

/*
 * Boxes of buffers
 */

/* Sets one side of a rectangular command; size 0: the host's. */
static cl_int rect_side(struct side *s, const size_t *origin, size_t row,
			size_t slice, const size_t *region, size_t size)
{
	size_t end;

	if (!origin)
		return CL_INVALID_VALUE;
	s->row = row ? row : region[0];
	if (s->row < region[0])
		return CL_INVALID_VALUE;
	s->slice = slice ? slice : region[1] * s->row;
	if (s->slice < region[1] * s->row || s->slice % s->row)
		return CL_INVALID_VALUE;
	s->offset = origin[2] * s->slice + origin[1] * s->row + origin[0];
	end = s->offset + (region[2] - 1) * s->slice +
	      (region[1] - 1) * s->row + region[0];
	return !size || (end <= size && end >= s->offset) ? CL_SUCCESS :
							    CL_INVALID_VALUE;
}

struct rect {
	cl_command_queue queue;
	cl_mem mem;
	cl_bool blocking;
	const size_t *origin, *host_origin, *region;
	size_t row, slice, host_row, host_slice;
	void *host;
	bool writes;
};

static bool region_is_valid(const size_t *region)
{
	return region && region[0] && region[1] && region[2];
}

static cl_int rect_submit(const struct rect *r, const struct wait_list *w)
{
	struct side mem = { .mem = r->mem }, host = { .host = r->host };
	struct move_command m = { .type = r->writes ?
						  CL_COMMAND_WRITE_BUFFER_RECT :
						  CL_COMMAND_READ_BUFFER_RECT,
				  .blocking = r->blocking };
	cl_int e = command_check(r->queue, w);

	if (!e)
		e = mem_check(r->queue, r->mem, false);
	if (!e && (!r->host || !region_is_valid(r->region)))
		e = CL_INVALID_VALUE;
	if (!e)
		e = rect_side(&mem, r->origin, r->row, r->slice, r->region,
			      r->mem->size);
	if (!e)
		e = rect_side(&host, r->host_origin, r->host_row, r->host_slice,
			      r->region, 0);
	if (!e)
		e = mem_check_host(r->mem, !r->writes, r->writes);
	if (!e)
		e = wait_if_blocking(r->blocking, w);
	if (e)
		return e;
	m.move = (struct move){ r->writes ? mem : host, r->writes ? host : mem,
				r->region[0], r->region[1], r->region[2] };
	return move_submit(r->queue, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(
	cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
	const size_t *host_origin, const size_t *region, size_t row,
	size_t slice, size_t host_row, size_t host_slice, void *host, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueReadBufferRect");

	return cl_leave(
		e ? e :
		    rect_submit(&(struct rect){ q, m, blocking, origin,
						host_origin, region, row, slice,
						host_row, host_slice, host,
						false },
				&(struct wait_list){ n, list, event }));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
	cl_command_queue q, cl_mem m, cl_bool blocking, const size_t *origin,
	const size_t *host_origin, const size_t *region, size_t row,
	size_t slice, size_t host_row, size_t host_slice, const void *host,
	cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueWriteBufferRect");

	return cl_leave(
		e ? e :
		    rect_submit(&(struct rect){ q, m, blocking, origin,
						host_origin, region, row, slice,
						host_row, host_slice,
						(void *)(uintptr_t)host, true },
				&(struct wait_list){ n, list, event }));
}

/* Whether two boxes of one buffer share a byte. Boxes with the same pitches overlap
 * if they do in each dimension; others are compared by the ranges that they span. */
static bool rects_overlap(const struct move *m, const size_t *a,
			  const size_t *b, const size_t *region)
{
	size_t span_a, span_b;

	if (m->to.row == m->from.row && m->to.slice == m->from.slice) {
		for (int i = 0; i < 3; i++)
			if (a[i] >= b[i] + region[i] ||
			    b[i] >= a[i] + region[i])
				return false;
		return true;
	}
	span_a = (m->from.slice * (m->depth - 1)) +
		 (m->from.row * (m->height - 1)) + m->width;
	span_b = (m->to.slice * (m->depth - 1)) +
		 (m->to.row * (m->height - 1)) + m->width;
	return m->from.offset < m->to.offset + span_b &&
	       m->to.offset < m->from.offset + span_a;
}

static cl_int copy_rect(cl_command_queue q, struct move *m, const size_t *from,
			const size_t *to, const size_t *region,
			const struct wait_list *w)
{
	cl_int e = command_check(q, w);

	if (!e)
		e = mem_check(q, m->from.mem, false);
	if (!e)
		e = mem_check(q, m->to.mem, false);
	if (!e && !region_is_valid(region))
		e = CL_INVALID_VALUE;
	if (!e)
		e = rect_side(&m->from, from, m->from.row, m->from.slice,
			      region, m->from.mem->size);
	if (!e)
		e = rect_side(&m->to, to, m->to.row, m->to.slice, region,
			      m->to.mem->size);
	if (e)
		return e;
	m->width = region[0];
	m->height = region[1];
	m->depth = region[2];
	if (m->from.mem == m->to.mem && rects_overlap(m, from, to, region))
		return CL_MEM_COPY_OVERLAP;
	return move_submit(q,
			   &(struct move_command){ CL_COMMAND_COPY_BUFFER_RECT,
						   *m, CL_FALSE, false },
			   w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
	cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
	const size_t *to_origin, const size_t *region, size_t from_row,
	size_t from_slice, size_t to_row, size_t to_slice, cl_uint n,
	const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueCopyBufferRect");
	struct move m = { { to, NULL, 0, to_row, to_slice },
			  { from, NULL, 0, from_row, from_slice },
			  0,
			  0,
			  0 };

	return cl_leave(e ? e :
			    copy_rect(q, &m, from_origin, to_origin, region,
				      &(struct wait_list){ n, list, event }));
}
