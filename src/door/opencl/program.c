/* Programs: creation, queries. */
#include "door/opencl/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/opencl/build.h"
#include "door/opencl/foreign.h"

static void build_free(struct build *b, int device)
{
	build_reset(b, device);
	free(b->options);
	text_free(&b->log);
}

void program_destroy(cl_program p)
{
	for (int i = 0; i < CL_DEVICES; i++)
		build_free(&p->builds[i], i);
	free(p->source);
	object_drop(p->context);
}

bool program_has(const struct _cl_program *p, cl_device_id d)
{
	for (cl_uint i = 0; i < p->device_count; i++)
		if (p->devices[i] == d)
			return true;
	return false;
}

cl_device_id program_device(const struct _cl_program *p)
{
	for (cl_uint i = 0; i < p->device_count; i++)
		if (p->builds[p->devices[i]->number].module)
			return p->devices[i];
	return NULL;
}

cl_program program_new(cl_context c, cl_uint n, const cl_device_id *devices)
{
	cl_program p = object_new(OBJECT_PROGRAM, sizeof(*p));

	if (!p)
		return NULL;
	p->context = c;
	object_hold(c);
	for (cl_uint i = 0; i < n; i++)
		if (!program_has(p, devices[i]))
			p->devices[p->device_count++] = devices[i];
	for (int i = 0; i < CL_DEVICES; i++)
		p->builds[i].status = CL_BUILD_NONE;
	return p;
}

static cl_int source_join(char **out, cl_uint n, const char **strings,
			  const size_t *lengths)
{
	struct text t = { 0 };

	if (!n || !strings)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++)
		if (!strings[i])
			return CL_INVALID_VALUE;
	text_add(&t, "", 0);
	for (cl_uint i = 0; i < n; i++)
		text_add(&t, strings[i],
			 lengths && lengths[i] ?
				 strnlen(strings[i], lengths[i]) :
				 strlen(strings[i]));
	if (t.bad) {
		text_free(&t);
		return CL_OUT_OF_HOST_MEMORY;
	}
	*out = t.at;
	return CL_SUCCESS;
}

/* Programs of the same text share a name: program.cl, program-2.cl and so on. */
static void source_name(cl_program p)
{
	unsigned char digest[SHA256_BYTES];
	struct cl_sources *all = &cl.sources;
	struct sha256 s;
	size_t i = 0;
	void *more;

	sha256_init(&s);
	sha256_add(&s, p->source, strlen(p->source));
	sha256_end(&s, digest);
	while (i < all->count &&
	       memcmp(all->digests[i], digest, sizeof(digest)))
		i++;
	snprintf(p->name, sizeof(p->name), i ? "program-%zu.cl" : "program.cl",
		 i + 1);
	if (i < all->count)
		return;
	more = realloc(all->digests, (i + 1) * sizeof(*all->digests));
	if (!more)
		return;
	all->digests = more;
	memcpy(all->digests[all->count++], digest, sizeof(digest));
	rt_source_add(p->name, p->source);
}

static cl_int program_of_source(cl_program *out, cl_context c, cl_uint n,
				const char **strings, const size_t *lengths)
{
	char *source = NULL;
	cl_int e;

	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	e = source_join(&source, n, strings, lengths);
	if (e)
		return e;
	*out = program_new(c, c->device_count, c->devices);
	if (!*out) {
		free(source);
		return CL_OUT_OF_HOST_MEMORY;
	}
	(*out)->source = source;
	source_name(*out);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithSource(cl_context c, cl_uint n, const char **strings,
			  const size_t *lengths, cl_int *error)
{
	cl_int e = cl_enter("clCreateProgramWithSource");
	cl_program p = NULL;

	if (!e)
		e = program_of_source(&p, c, n, strings, lengths);
	if (error)
		*error = e;
	cl_leave(e);
	return p;
}

/*
 * Binaries
 */

static bool target_fits(const struct compile_target *t,
			const struct _cl_device_id *d)
{
	return t->isa == d->isa && (t->isa != DEVICE_PTX ||
				    t->sm <= (unsigned)d->cfg->gpu.capability);
}

static cl_int binary_take(struct build *b, cl_device_id d, const void *bytes,
			  size_t size)
{
	struct diag diag;

	if (!binary_read(&b->binary, bytes, size, &diag) &&
	    target_fits(&b->binary.target, d))
		return CL_SUCCESS;
	binary_free(&b->binary);
	if (binary_is_one(bytes, size))
		return CL_INVALID_BINARY;
	if (!foreign_read(&b->binary, d, bytes, size, &diag))
		return CL_SUCCESS;
	cl_say("error: clCreateProgramWithBinary: %s", diag.text);
	binary_free(&b->binary);
	return CL_INVALID_BINARY;
}

struct binaries {
	cl_uint count;
	const cl_device_id *devices;
	const size_t *sizes;
	const unsigned char **bytes;
	cl_int *status;
};

static cl_int binaries_check(cl_context c, const struct binaries *b)
{
	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!b->count || !b->devices || !b->sizes || !b->bytes)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < b->count; i++)
		if (!context_has(c, b->devices[i]))
			return CL_INVALID_DEVICE;
	for (cl_uint i = 0; i < b->count; i++)
		if (!b->sizes[i] || !b->bytes[i])
			return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

static cl_int program_of_binaries(cl_program *out, cl_context c,
				  const struct binaries *b)
{
	cl_int e = binaries_check(c, b);

	if (e)
		return e;
	*out = program_new(c, b->count, b->devices);
	if (!*out)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < b->count; i++) {
		cl_device_id d = b->devices[i];
		cl_int one;

		if (!binary_is_one(b->bytes[i], b->sizes[i]))
			snprintf((*out)->name, sizeof((*out)->name), "binary");
		binary_free(&(*out)->builds[d->number].binary);
		one = binary_take(&(*out)->builds[d->number], d, b->bytes[i],
				  b->sizes[i]);
		if (b->status)
			b->status[i] = one;
		e = one ? one : e;
	}
	if (!e)
		return CL_SUCCESS;
	object_drop(*out);
	*out = NULL;
	return e;
}

CL_API_ENTRY cl_program CL_API_CALL
clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *devices,
			  const size_t *sizes, const unsigned char **bytes,
			  cl_int *status, cl_int *error)
{
	cl_int e = cl_enter("clCreateProgramWithBinary");
	cl_program p = NULL;

	if (!e)
		e = program_of_binaries(&p, c,
					&(struct binaries){ n, devices, sizes,
							    bytes, status });
	if (error)
		*error = e;
	cl_leave(e);
	return p;
}

/* No device has any. */
CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(
	cl_context c, cl_uint n, const cl_device_id *devices, const char *names,
	cl_int *error)
{
	cl_int e = cl_enter("clCreateProgramWithBuiltInKernels");

	if (!e && !object_is(c, OBJECT_CONTEXT))
		e = CL_INVALID_CONTEXT;
	if (!e && (!n || !devices || !names))
		e = CL_INVALID_VALUE;
	for (cl_uint i = 0; !e && i < n; i++)
		e = context_has(c, devices[i]) ? CL_SUCCESS : CL_INVALID_DEVICE;
	if (!e)
		e = CL_INVALID_VALUE;
	if (error)
		*error = e;
	cl_leave(e);
	return NULL;
}

/*
 * Queries
 */

static struct text build_file(const struct build *b)
{
	struct text t = { 0 };

	if (b->binary.kind)
		binary_write(&b->binary, &t);
	return t;
}

static cl_int query_sizes(cl_program p, const struct query *q)
{
	size_t sizes[CL_DEVICES];

	for (cl_uint i = 0; i < p->device_count; i++) {
		struct text t = build_file(&p->builds[p->devices[i]->number]);

		sizes[i] = t.size;
		text_free(&t);
	}
	return query_put(q, sizes, p->device_count * sizeof(size_t));
}

/* The value is a list of places to write to; NULL: not wanted. */
static cl_int query_binaries(cl_program p, const struct query *q)
{
	size_t size = p->device_count * sizeof(char *);
	unsigned char **to = q->value;

	if (q->size)
		*q->size = size;
	if (!to)
		return CL_SUCCESS;
	if (q->room < size)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < p->device_count; i++) {
		struct text t = build_file(&p->builds[p->devices[i]->number]);

		if (to[i] && t.size)
			memcpy(to[i], t.at, t.size);
		text_free(&t);
	}
	return CL_SUCCESS;
}

static cl_int query_names(const struct meta *m, const struct query *q)
{
	struct text t = { 0 };
	cl_int e;

	text_add(&t, "", 0);
	for (size_t i = 0; i < m->count; i++) {
		text_add(&t, ";", i != 0);
		text_add(&t, m->kernels[i].name, strlen(m->kernels[i].name));
	}
	e = t.bad ? CL_OUT_OF_HOST_MEMORY : query_put(q, t.at, t.size + 1);
	text_free(&t);
	return e;
}

static cl_int query_kernels(cl_program p, cl_program_info name,
			    const struct query *q)
{
	cl_device_id d = program_device(p);
	const struct meta *m;

	if (!d)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	m = &p->builds[d->number].binary.meta;
	return name == CL_PROGRAM_NUM_KERNELS ? QUERY(q, size_t, m->count) :
						query_names(m, q);
}

static cl_int program_query(cl_program p, cl_program_info name,
			    const struct query *q)
{
	switch (name) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return QUERY(q, cl_uint, p->o.refs);
	case CL_PROGRAM_CONTEXT:
		return QUERY(q, cl_context, p->context);
	case CL_PROGRAM_NUM_DEVICES:
		return QUERY(q, cl_uint, p->device_count);
	case CL_PROGRAM_DEVICES:
		return query_put(q, p->devices,
				 p->device_count * sizeof(cl_device_id));
	case CL_PROGRAM_SOURCE:
		return query_text(q, p->source ? p->source : "");
	case CL_PROGRAM_BINARY_SIZES:
		return query_sizes(p, q);
	case CL_PROGRAM_BINARIES:
		return query_binaries(p, q);
	case CL_PROGRAM_NUM_KERNELS:
	case CL_PROGRAM_KERNEL_NAMES:
		return query_kernels(p, name, q);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program p,
						 cl_program_info name,
						 size_t room, void *value,
						 size_t *size)
{
	cl_int e = cl_enter("clGetProgramInfo");

	if (!e && !object_is(p, OBJECT_PROGRAM))
		e = CL_INVALID_PROGRAM;
	return cl_leave(
		e ? e :
		    program_query(p, name,
				  &(struct query){ room, value, size }));
}

static cl_int build_query(const struct build *b, cl_program_build_info name,
			  const struct query *q)
{
	switch (name) {
	case CL_PROGRAM_BUILD_STATUS:
		return QUERY(q, cl_build_status, b->status);
	case CL_PROGRAM_BUILD_OPTIONS:
		return query_text(q, b->options ? b->options : "");
	case CL_PROGRAM_BUILD_LOG:
		return query_text(q, b->log.at ? b->log.at : "");
	case CL_PROGRAM_BINARY_TYPE:
		return QUERY(q, cl_program_binary_type, b->binary.kind);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL
clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info name,
		      size_t room, void *value, size_t *size)
{
	cl_int e = cl_enter("clGetProgramBuildInfo");

	if (!e && !object_is(p, OBJECT_PROGRAM))
		e = CL_INVALID_PROGRAM;
	if (!e && !program_has(p, d))
		e = CL_INVALID_DEVICE;
	return cl_leave(e ? e :
			    build_query(&p->builds[d->number], name,
					&(struct query){ room, value, size }));
}
