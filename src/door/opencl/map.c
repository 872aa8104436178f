/* Mapping and unmapping, and moving objects to a device. */
#include <stdlib.h>

#include "door/opencl/mem.h"

/* Memory of a buffer that the host shares; NULL: it does not. */
static char *mem_shared(cl_mem m)
{
	void *at = NULL;

	if (m->direct)
		return m->host_ptr;
	if (mem_is_image(m) || m->host_ptr || m->context->device_count > 1 ||
	    mem_on(m, m->context->devices[0], NULL, true, &at))
		return NULL;
	return cl.mapper.shared(at);
}

/* The host's side of the object: a byte of it is as far from the start as in the
 * object. NULL: out of memory. */
static char *mem_shadow(cl_mem m)
{
	if (m->host_ptr)
		return m->host_ptr;
	if (m->parent && !mem_is_image(m)) {
		char *parent = mem_shadow(m->parent);

		return parent ? parent + m->origin : NULL;
	}
	if (!m->shadow)
		m->shadow = cl.mapper.take(m->size);
	return m->shadow;
}

bool map_flags_are_valid(cl_map_flags flags)
{
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE |
				   CL_MAP_WRITE_INVALIDATE_REGION;

	return !(flags & ~known) &&
	       (!(flags & CL_MAP_WRITE_INVALIDATE_REGION) ||
		flags == CL_MAP_WRITE_INVALIDATE_REGION);
}

struct map {
	cl_command_queue queue;
	cl_mem mem;
	cl_bool blocking;
	cl_map_flags flags;
	bool shared; /* with the host: nothing moves */
};

static cl_int map_check(const struct map *m, bool image,
			const struct wait_list *w)
{
	cl_int e = command_check(m->queue, w);

	if (!e)
		e = mem_check(m->queue, m->mem, image);
	if (!e && !map_flags_are_valid(m->flags))
		e = CL_INVALID_VALUE;
	if (!e)
		e = mem_check_host(m->mem, m->flags & CL_MAP_READ,
				   m->flags & (CL_MAP_WRITE |
					       CL_MAP_WRITE_INVALIDATE_REGION));
	return e;
}

/* move: from the object to the host. Adds the mapping and submits it. */
static cl_int map_submit(const struct map *m, cl_command_type type,
			 const struct move *move, const struct wait_list *w,
			 void **out)
{
	struct mapping *p = calloc(1, sizeof(*p));
	cl_int e;

	if (!p)
		return CL_OUT_OF_HOST_MEMORY;
	*p = (struct mapping){ .pointer = move->to.host + move->to.offset,
			       .writes = m->flags != CL_MAP_READ && !m->shared,
			       .back = { move->from, move->to, move->width,
					 move->height, move->depth } };
	e = move_submit(
		m->queue,
		&(struct move_command){
			type, *move, m->blocking,
			m->shared ||
				m->flags == CL_MAP_WRITE_INVALIDATE_REGION },
		w);
	if (e) {
		free(p);
		return e;
	}
	p->next = m->mem->mappings;
	m->mem->mappings = p;
	*out = p->pointer;
	return CL_SUCCESS;
}

static cl_int map_buffer(struct map *m, size_t offset, size_t size,
			 const struct wait_list *w, void **out)
{
	struct move move = { { NULL, NULL, offset, size, size },
			     { m->mem, NULL, offset, size, size },
			     size,
			     1,
			     1 };
	cl_int e = map_check(m, false, w);

	if (e)
		return e;
	if (!size || offset > m->mem->size || size > m->mem->size - offset)
		return CL_INVALID_VALUE;
	move.to.host = mem_shared(m->mem);
	m->shared = move.to.host != NULL;
	if (!m->shared)
		move.to.host = mem_shadow(m->mem);
	return move.to.host ?
		       map_submit(m, CL_COMMAND_MAP_BUFFER, &move, w, out) :
		       CL_MAP_FAILURE;
}

CL_API_ENTRY void *CL_API_CALL
clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
		   cl_map_flags flags, size_t offset, size_t size, cl_uint n,
		   const cl_event *list, cl_event *event, cl_int *error)
{
	cl_int e = cl_enter("clEnqueueMapBuffer");
	void *out = NULL;

	if (!e)
		e = map_buffer(&(struct map){ q, m, blocking, flags, false },
			       offset, size,
			       &(struct wait_list){ n, list, event }, &out);
	if (error)
		*error = e;
	cl_leave(e);
	return out;
}

struct map_box {
	const size_t *origin, *region;
	size_t *row, *slice; /* out */
};

/* The program's own memory has the pitches that it was given with. */
static void map_pitches(const struct _cl_mem *m, struct side *s)
{
	const cl_image_desc *d = &m->image.desc;
	bool lines = m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

	if (m->host_ptr && d->image_row_pitch)
		s->row = d->image_row_pitch;
	if (m->host_ptr && d->image_slice_pitch && lines)
		s->row = d->image_slice_pitch;
	s->slice = s->row * m->image.height;
	if (m->host_ptr && d->image_slice_pitch && !lines)
		s->slice = d->image_slice_pitch;
}

static cl_int map_image(const struct map *m, const struct map_box *b,
			const struct wait_list *w, void **out)
{
	bool lines, deep;
	struct move move;
	cl_int e = map_check(m, true, w);

	if (!e && !b->row)
		e = CL_INVALID_VALUE;
	if (!e)
		e = image_box(m->mem, b->origin, b->region, &move.from);
	if (e)
		return e;
	lines = m->mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	deep = lines || m->mem->type == CL_MEM_OBJECT_IMAGE3D ||
	       m->mem->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	if (deep && !b->slice)
		return CL_INVALID_VALUE;
	image_extent(m->mem, b->region, &move);
	move.to = move.from;
	move.to.mem = NULL;
	move.to.host = mem_shadow(m->mem);
	if (!move.to.host)
		return CL_MAP_FAILURE;
	map_pitches(m->mem, &move.to);
	move.to.offset = b->origin[2] * move.to.slice +
			 b->origin[1] * move.to.row +
			 b->origin[0] * m->mem->image.element;
	*b->row = move.to.row;
	if (b->slice)
		*b->slice = !deep ? 0 : lines ? move.to.row : move.to.slice;
	return map_submit(m, CL_COMMAND_MAP_IMAGE, &move, w, out);
}

CL_API_ENTRY void *CL_API_CALL clEnqueueMapImage(
	cl_command_queue q, cl_mem m, cl_bool blocking, cl_map_flags flags,
	const size_t *origin, const size_t *region, size_t *row, size_t *slice,
	cl_uint n, const cl_event *list, cl_event *event, cl_int *error)
{
	cl_int e = cl_enter("clEnqueueMapImage");
	void *out = NULL;

	if (!e)
		e = map_image(&(struct map){ q, m, blocking, flags, false },
			      &(struct map_box){ origin, region, row, slice },
			      &(struct wait_list){ n, list, event }, &out);
	if (error)
		*error = e;
	cl_leave(e);
	return out;
}

static cl_int unmap(cl_command_queue q, cl_mem m, const void *pointer,
		    const struct wait_list *w)
{
	struct mapping **at, *p;
	cl_int e = command_check(q, w);

	if (e)
		return e;
	if (!object_is(m, OBJECT_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (m->context != q->context)
		return CL_INVALID_CONTEXT;
	for (at = &m->mappings; *at && (*at)->pointer != pointer;)
		at = &(*at)->next;
	p = *at;
	if (!p)
		return CL_INVALID_VALUE;
	e = move_submit(q,
			&(struct move_command){ CL_COMMAND_UNMAP_MEM_OBJECT,
						p->back, CL_FALSE, !p->writes },
			w);
	if (e)
		return e;
	*at = p->next;
	free(p);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q,
							cl_mem m, void *pointer,
							cl_uint n,
							const cl_event *list,
							cl_event *event)
{
	cl_int e = cl_enter("clEnqueueUnmapMemObject");

	return cl_leave(e ? e :
			    unmap(q, m, pointer,
				  &(struct wait_list){ n, list, event }));
}

/*
 * Migration
 */

struct migration {
	cl_mem *list;
	cl_uint count;
	bool copies;
};

static cl_int migrate_run(cl_event e, void *data)
{
	const struct migration *g = data;
	cl_int error = CL_SUCCESS;
	void *at;

	for (cl_uint i = 0; !error && g->copies && i < g->count; i++)
		error = mem_on(g->list[i], e->queue->device, e->stream, false,
			       &at);
	return error;
}

static void migrate_drop(void *data)
{
	struct migration *g = data;

	for (cl_uint i = 0; i < g->count; i++)
		object_drop(g->list[i]);
	free(g->list);
}

static cl_int migrate(cl_command_queue q, cl_uint count, const cl_mem *list,
		      cl_mem_migration_flags flags, const struct wait_list *w)
{
	const cl_mem_migration_flags known =
		CL_MIGRATE_MEM_OBJECT_HOST |
		CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
	struct migration g = { .count = count };
	cl_int e = command_check(q, w);

	if (!e && (!count || !list || (flags & ~known)))
		e = CL_INVALID_VALUE;
	for (cl_uint i = 0; !e && i < count; i++)
		e = !object_is(list[i], OBJECT_MEM) ? CL_INVALID_MEM_OBJECT :
		    list[i]->context != q->context  ? CL_INVALID_CONTEXT :
						      CL_SUCCESS;
	if (e)
		return e;
	g.list = malloc(count * sizeof(cl_mem));
	if (!g.list)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < count; i++) {
		g.list[i] = list[i];
		object_hold(list[i]);
	}
	/* To the host means nowhere: it asks for its contents. */
	g.copies = !flags;
	return command_submit(
		q,
		&(struct cl_command){ .type = CL_COMMAND_MIGRATE_MEM_OBJECTS,
				      .run = migrate_run,
				      .drop = migrate_drop,
				      .data = &g,
				      .size = sizeof(g) },
		w);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count,
			   const cl_mem *list, cl_mem_migration_flags flags,
			   cl_uint n, const cl_event *events, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueMigrateMemObjects");

	return cl_leave(e ? e :
			    migrate(q, count, list, flags,
				    &(struct wait_list){ n, events, event }));
}
