/* Memory objects: buffers, sub-buffers, queries. */
#include "door/opencl/mem.h"

#include <stdlib.h>
#include <string.h>

#include "door/opencl/svm.h"

bool mem_is_image(const struct _cl_mem *m)
{
	return m->type != CL_MEM_OBJECT_BUFFER;
}

struct destructor {
	struct mem_callback callback;
	cl_mem mem;
};

static void destructor_run(void *p)
{
	struct destructor *d = p;

	d->callback.fn(d->mem, d->callback.data);
	free(d);
}

/* The functions get the handle, which is no longer valid. */
static void mem_call_destructors(cl_mem m)
{
	while (m->callbacks) {
		struct mem_callback *c = m->callbacks;
		struct destructor *d = malloc(sizeof(*d));

		if (d) {
			*d = (struct destructor){ *c, m };
			if (!cl_call_later(destructor_run, d, NULL))
				free(d);
		}
		m->callbacks = c->next;
		free(c);
	}
}

void mem_destroy(cl_mem m)
{
	while (m->mappings) {
		struct mapping *next = m->mappings->next;

		free(m->mappings);
		m->mappings = next;
	}
	if (mem_is_image(m))
		mem_image_free(m);
	for (int i = 0; i < CL_DEVICES; i++)
		if (m->at[i] && !m->parent && !m->direct) {
			rt_device_set(i);
			rt_free(m->at[i]);
		}
	if (m->shadow)
		cl.mapper.drop(m->shadow, m->size);
	mem_call_destructors(m);
	object_drop(m->parent);
	object_drop(m->context);
}

/* Copies the contents from a device that has them. */
static cl_int mem_bring(cl_mem m, int device, struct rt_stream *s)
{
	int from = 0;
	struct rt_copy c = { .to = { .where = RT_AT_DEVICE,
				     .p = m->at[device] },
			     .from.where = RT_AT_DEVICE,
			     .width = m->size,
			     .height = 1,
			     .depth = 1 };

	while (!(m->valid >> from & 1))
		from++;
	c.from.p = m->at[from];
	return cl_error(rt_copy(&c, s, false));
}

cl_int mem_on(cl_mem m, cl_device_id d, struct rt_stream *s, bool write,
	      void **out)
{
	cl_mem root = m->parent ? m->parent : m;
	int i = d->number;
	cl_int e = CL_SUCCESS;

	if (root->direct) {
		*out = (char *)root->direct + m->origin;
		return CL_SUCCESS;
	}
	rt_device_set(i);
	if (!root->at[i] && rt_malloc(&root->at[i], root->size)) {
		root->at[i] = NULL;
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	if (root->valid && !(root->valid >> i & 1))
		e = mem_bring(root, i, s);
	if (e)
		return e;
	root->valid = write ? 1u << i : root->valid | 1u << i;
	*out = (char *)root->at[i] + m->origin;
	return CL_SUCCESS;
}

cl_int mem_check_flags(cl_mem_flags flags, const void *host)
{
	const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY |
				    CL_MEM_READ_ONLY;
	const cl_mem_flags by_host = CL_MEM_HOST_WRITE_ONLY |
				     CL_MEM_HOST_READ_ONLY |
				     CL_MEM_HOST_NO_ACCESS;
	const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
				   CL_MEM_COPY_HOST_PTR;
	cl_mem_flags a = flags & access, h = flags & by_host;

	if ((flags & ~(access | by_host | place)) || (a & (a - 1)) ||
	    (h & (h - 1)) ||
	    ((flags & CL_MEM_USE_HOST_PTR) &&
	     (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))))
		return CL_INVALID_VALUE;
	return !host == !(flags &
			  (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) ?
		       CL_SUCCESS :
		       CL_INVALID_HOST_PTR;
}

cl_int mem_new(cl_mem *out, cl_context c, cl_mem_object_type type,
	       cl_mem_flags flags, size_t size)
{
	const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY |
				    CL_MEM_READ_ONLY;
	cl_mem m = object_new(OBJECT_MEM, sizeof(*m));

	if (!m)
		return CL_OUT_OF_HOST_MEMORY;
	m->context = c;
	object_hold(c);
	m->type = type;
	m->flags = flags & access ? flags : flags | CL_MEM_READ_WRITE;
	m->size = size;
	*out = m;
	return CL_SUCCESS;
}

cl_int mem_fill_from(cl_mem m, const struct move *from_host)
{
	cl_device_id d = m->context->devices[0];
	void *at;
	cl_int e = mem_on(m, d, NULL, false, &at);

	if (e || !from_host)
		return e;
	return cl_error(rt_copy(
		&(struct rt_copy){ .to = { .where = RT_AT_DEVICE,
					   .p = at,
					   .pitch = from_host->to.row,
					   .rows = from_host->height },
				   .from = { .where = RT_AT_HOST,
					     .p = from_host->from.host,
					     .pitch = from_host->from.row,
					     .rows = from_host->from.slice /
						     from_host->from.row },
				   .width = from_host->width,
				   .height = from_host->height,
				   .depth = from_host->depth },
		NULL, true));
}

static cl_int buffer_check(cl_context c, cl_mem_flags flags, size_t size,
			   const void *host)
{
	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!size)
		return CL_INVALID_BUFFER_SIZE;
	for (cl_uint i = 0; i < c->device_count; i++)
		if (size > device_max_alloc(c->devices[i]))
			return CL_INVALID_BUFFER_SIZE;
	return mem_check_flags(flags, host);
}

static cl_int buffer_make(cl_mem *out, cl_context c, cl_mem_flags flags,
			  size_t size, void *host)
{
	struct move fill = {
		.to.row = size,
		.from = { .host = host, .row = size, .slice = size },
		.width = size,
		.height = 1,
		.depth = 1
	};
	cl_int e = buffer_check(c, flags, size, host);

	if (!e)
		e = mem_new(out, c, CL_MEM_OBJECT_BUFFER, flags, size);
	if (e)
		return e;
	if (flags & CL_MEM_USE_HOST_PTR) {
		(*out)->host_ptr = host;
		(*out)->direct = cl.mapper.direct(host, size);
	}
	e = mem_fill_from(*out,
			  host && !cl.moved && !(*out)->direct ? &fill : NULL);
	if (!e)
		return CL_SUCCESS;
	object_drop(*out);
	*out = NULL;
	return e == CL_INVALID_VALUE ? CL_INVALID_HOST_PTR : e;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context c, cl_mem_flags flags,
					       size_t size, void *host,
					       cl_int *error)
{
	cl_int e = cl_enter("clCreateBuffer");
	cl_mem m = NULL;

	if (!e)
		e = buffer_make(&m, c, flags, size, host);
	if (error)
		*error = e;
	cl_leave(e);
	return m;
}

/* The flags of a sub-buffer: what it does not say is its parent's. */
static cl_int sub_flags(const struct _cl_mem *parent, cl_mem_flags *flags)
{
	const cl_mem_flags access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY |
				    CL_MEM_READ_ONLY;
	const cl_mem_flags by_host = CL_MEM_HOST_WRITE_ONLY |
				     CL_MEM_HOST_READ_ONLY |
				     CL_MEM_HOST_NO_ACCESS;
	cl_mem_flags f = *flags, p = parent->flags;

	if (mem_check_flags(f, NULL) || (f & CL_MEM_ALLOC_HOST_PTR) ||
	    ((p & CL_MEM_WRITE_ONLY) &&
	     (f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
	    ((p & CL_MEM_READ_ONLY) &&
	     (f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
	    ((p & CL_MEM_HOST_WRITE_ONLY) && (f & CL_MEM_HOST_READ_ONLY)) ||
	    ((p & CL_MEM_HOST_READ_ONLY) && (f & CL_MEM_HOST_WRITE_ONLY)) ||
	    ((p & CL_MEM_HOST_NO_ACCESS) &&
	     (f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
		return CL_INVALID_VALUE;
	*flags = f | (f & access ? 0 : p & access) |
		 (f & by_host ? 0 : p & by_host) |
		 (p & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR |
		       CL_MEM_COPY_HOST_PTR));
	return CL_SUCCESS;
}

static cl_int sub_buffer_make(cl_mem *out, cl_mem parent, cl_mem_flags flags,
			      cl_buffer_create_type type, const void *info)
{
	const cl_buffer_region *r = info;
	cl_int e;

	if (!object_is(parent, OBJECT_MEM) || mem_is_image(parent) ||
	    parent->parent)
		return CL_INVALID_MEM_OBJECT;
	if (type != CL_BUFFER_CREATE_TYPE_REGION || !r ||
	    r->origin > parent->size || r->size > parent->size - r->origin)
		return CL_INVALID_VALUE;
	if (!r->size)
		return CL_INVALID_BUFFER_SIZE;
	e = sub_flags(parent, &flags);
	if (e)
		return e;
	if (r->origin % DEVICE_ALIGN)
		return CL_MISALIGNED_SUB_BUFFER_OFFSET;
	e = mem_new(out, parent->context, CL_MEM_OBJECT_BUFFER, flags, r->size);
	if (e)
		return e;
	(*out)->parent = parent;
	object_hold(parent);
	(*out)->origin = r->origin;
	if (parent->host_ptr)
		(*out)->host_ptr = parent->host_ptr + r->origin;
	if (parent->direct)
		(*out)->direct = (char *)parent->direct + r->origin;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent,
						  cl_mem_flags flags,
						  cl_buffer_create_type type,
						  const void *info,
						  cl_int *error)
{
	cl_int e = cl_enter("clCreateSubBuffer");
	cl_mem m = NULL;

	if (!e)
		e = sub_buffer_make(&m, parent, flags, type, info);
	if (error)
		*error = e;
	cl_leave(e);
	return m;
}

static cl_uint mem_map_count(const struct _cl_mem *m)
{
	cl_uint n = 0;

	for (const struct mapping *p = m->mappings; p; p = p->next)
		n++;
	return n;
}

static cl_int mem_query(cl_mem m, cl_mem_info name, const struct query *q)
{
	switch (name) {
	case CL_MEM_TYPE:
		return QUERY(q, cl_mem_object_type, m->type);
	case CL_MEM_FLAGS:
		return QUERY(q, cl_mem_flags, m->flags);
	case CL_MEM_SIZE:
		return QUERY(q, size_t, m->size);
	case CL_MEM_HOST_PTR:
		return QUERY(q, void *, m->host_ptr);
	case CL_MEM_MAP_COUNT:
		return QUERY(q, cl_uint, mem_map_count(m));
	case CL_MEM_REFERENCE_COUNT:
		return QUERY(q, cl_uint, m->o.refs);
	case CL_MEM_CONTEXT:
		return QUERY(q, cl_context, m->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		return QUERY(q, cl_mem,
			     mem_is_image(m) ? m->image.desc.buffer :
					       m->parent);
	case CL_MEM_USES_SVM_POINTER:
		return QUERY(q, cl_bool,
			     m->direct && svm_find(m->direct, m->size));
	case CL_MEM_OFFSET:
		return QUERY(q, size_t, mem_is_image(m) ? 0 : m->origin);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetMemObjectInfo(cl_mem m, cl_mem_info name,
						   size_t room, void *value,
						   size_t *size)
{
	cl_int e = cl_enter("clGetMemObjectInfo");

	if (!e && !object_is(m, OBJECT_MEM))
		e = CL_INVALID_MEM_OBJECT;
	return cl_leave(
		e ? e :
		    mem_query(m, name, &(struct query){ room, value, size }));
}

typedef void(CL_CALLBACK *mem_function)(cl_mem, void *);

/* The last one registered is called first. */
static cl_int mem_add_callback(cl_mem m, mem_function fn, void *data)
{
	struct mem_callback *c;

	if (!object_is(m, OBJECT_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (!fn)
		return CL_INVALID_VALUE;
	c = malloc(sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct mem_callback){ m->callbacks, fn, data };
	m->callbacks = c;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clSetMemObjectDestructorCallback(cl_mem m, mem_function fn, void *data)
{
	cl_int e = cl_enter("clSetMemObjectDestructorCallback");

	return cl_leave(e ? e : mem_add_callback(m, fn, data));
}
