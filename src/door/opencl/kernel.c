#include "door/opencl/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/opencl/device/image.h"

void kernel_destroy(cl_kernel k)
{
	for (size_t i = 0; k->args && i < k->meta->arg_count; i++)
		free(k->args[i].value);
	free(k->args);
	k->program->kernels--;
	object_drop(k->program);
}

cl_int kernel_func(cl_kernel k, cl_device_id d, struct rt_func **out)
{
	struct build *b = &k->program->builds[d->number];

	if (!b->module)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	rt_device_set(d->number);
	return rt_module_func(out, b->module, k->meta->name) ?
		       CL_INVALID_PROGRAM_EXECUTABLE :
		       CL_SUCCESS;
}

static enum arg_kind arg_kind(const struct meta_arg *a)
{
	if (a->space == META_LOCAL)
		return ARG_LOCAL;
	if (!strncmp(a->type, "image", 5) && strcmp(a->access, "none") != 0)
		return ARG_IMAGE;
	if (!strcmp(a->type, "sampler_t"))
		return ARG_SAMPLER;
	if (a->space == META_UNKNOWN)
		return ARG_EITHER;
	return a->space == META_PRIVATE ? ARG_VALUE : ARG_BUFFER;
}

/* How many bytes a value has, on a device that has the kernel. */
static cl_int arg_measure(cl_kernel k)
{
	struct rt_func *f;
	cl_int e = kernel_func(k, program_device(k->program), &f);

	for (size_t i = 0; !e && i < k->meta->arg_count; i++) {
		size_t offset;

		k->args[i].kind = arg_kind(&k->meta->args[i]);
		if ((k->args[i].kind == ARG_VALUE ||
		     k->args[i].kind == ARG_EITHER) &&
		    rt_func_param(&offset, &k->args[i].size, f, i))
			e = CL_INVALID_KERNEL_DEFINITION;
	}
	return e;
}

static cl_int kernel_make(cl_kernel *out, cl_program p,
			  const struct meta_kernel *meta)
{
	cl_kernel k = object_new(OBJECT_KERNEL, sizeof(*k));
	cl_int e;

	if (!k)
		return CL_OUT_OF_HOST_MEMORY;
	k->program = p;
	object_hold(p);
	p->kernels++;
	k->meta = meta;
	k->args = calloc(meta->arg_count + 1, sizeof(*k->args));
	e = k->args ? arg_measure(k) : CL_OUT_OF_HOST_MEMORY;
	if (e) {
		object_drop(k);
		return e;
	}
	*out = k;
	return CL_SUCCESS;
}

static cl_int program_meta(cl_program p, const struct meta **out)
{
	cl_device_id d;

	if (!object_is(p, OBJECT_PROGRAM))
		return CL_INVALID_PROGRAM;
	d = p->busy ? NULL : program_device(p);
	if (!d)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	*out = &p->builds[d->number].binary.meta;
	return CL_SUCCESS;
}

static cl_int kernel_create(cl_kernel *out, cl_program p, const char *name)
{
	const struct meta_kernel *k;
	const struct meta *m;
	cl_int e = program_meta(p, &m);

	if (e)
		return e;
	if (!name)
		return CL_INVALID_VALUE;
	k = meta_find(m, name);
	return k ? kernel_make(out, p, k) : CL_INVALID_KERNEL_NAME;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program p,
						  const char *name,
						  cl_int *error)
{
	cl_int e = cl_enter("clCreateKernel");
	cl_kernel k = NULL;

	if (!e)
		e = kernel_create(&k, p, name);
	if (error)
		*error = e;
	cl_leave(e);
	return k;
}

static cl_int kernels_create(cl_program p, cl_uint room, cl_kernel *list,
			     cl_uint *count)
{
	const struct meta *m;
	cl_int e = program_meta(p, &m);

	if (e)
		return e;
	if (list && room < m->count)
		return CL_INVALID_VALUE;
	for (size_t i = 0; list && !e && i < m->count; i++) {
		e = kernel_make(&list[i], p, &m->kernels[i]);
		for (size_t n = i; e && n--;)
			object_drop(list[n]);
	}
	if (!e && count)
		*count = (cl_uint)m->count;
	return e;
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p,
							 cl_uint room,
							 cl_kernel *list,
							 cl_uint *count)
{
	cl_int e = cl_enter("clCreateKernelsInProgram");

	return cl_leave(e ? e : kernels_create(p, room, list, count));
}

/*
 * Arguments
 */

static cl_int set_value(struct arg *a, size_t size, const void *value)
{
	if (!value)
		return CL_INVALID_ARG_VALUE;
	if (size != a->size)
		return CL_INVALID_ARG_SIZE;
	if (!a->value)
		a->value = malloc(size + 1);
	if (!a->value)
		return CL_OUT_OF_HOST_MEMORY;
	memcpy(a->value, value, size);
	return CL_SUCCESS;
}

static cl_int set_buffer(struct arg *a, cl_context c, size_t size,
			 const void *value)
{
	cl_mem m = NULL;

	if (size != sizeof(cl_mem))
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&m, value, sizeof(m));
	if (m &&
	    (!object_is(m, OBJECT_MEM) || mem_is_image(m) || m->context != c))
		return CL_INVALID_MEM_OBJECT;
	a->mem = m;
	a->bits = 0;
	return CL_SUCCESS;
}

/* What is no memory object is a value. */
static cl_int set_either(struct arg *a, cl_context c, size_t size,
			 const void *value)
{
	cl_mem m = NULL;
	cl_int e;

	if (value && size == sizeof(m))
		memcpy(&m, value, sizeof(m));
	if (!value || (m && object_is(m, OBJECT_MEM))) {
		e = set_buffer(a, c, size, value);
		if (e)
			return e;
		free(a->value);
		a->value = NULL;
		return CL_SUCCESS;
	}
	e = set_value(a, size, value);
	if (!e)
		a->mem = NULL;
	return e;
}

static const struct {
	const char *type;
	cl_mem_object_type kind;
} image_types[] = {
	{ "image1d_t", CL_MEM_OBJECT_IMAGE1D },
	{ "image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY },
	{ "image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER },
	{ "image2d_t", CL_MEM_OBJECT_IMAGE2D },
	{ "image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY },
	{ "image3d_t", CL_MEM_OBJECT_IMAGE3D },
};

static bool image_fits(const struct _cl_mem *m, const struct meta_arg *meta)
{
	bool reads = !strcmp(meta->access, "read_only");

	if (m->flags & (reads ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY))
		return false;
	for (size_t i = 0; i < sizeof(image_types) / sizeof(image_types[0]);
	     i++)
		if (image_types[i].kind == m->type)
			return !strcmp(image_types[i].type, meta->type);
	return false;
}

static cl_int set_image(struct arg *a, const struct meta_arg *meta,
			cl_context c, size_t size, const void *value)
{
	cl_mem m = NULL;

	if (size != sizeof(cl_mem))
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&m, value, sizeof(m));
	if (!object_is(m, OBJECT_MEM) || !mem_is_image(m) || m->context != c)
		return CL_INVALID_MEM_OBJECT;
	if (!image_fits(m, meta))
		return CL_INVALID_ARG_VALUE;
	a->mem = m;
	return CL_SUCCESS;
}

static cl_int set_sampler(struct arg *a, cl_context c, size_t size,
			  const void *value)
{
	cl_sampler s = NULL;

	if (size != sizeof(cl_sampler))
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&s, value, sizeof(s));
	if (!object_is(s, OBJECT_SAMPLER) || s->context != c)
		return CL_INVALID_SAMPLER;
	a->bits = (s->normalized ? HEDDLE_SAMPLER_NORMALIZED : 0) |
		  (uint64_t)(s->address - CL_ADDRESS_NONE) << 1 |
		  (s->filter == CL_FILTER_LINEAR ? HEDDLE_SAMPLER_LINEAR :
						   HEDDLE_SAMPLER_NEAREST);
	return CL_SUCCESS;
}

static cl_int set_local(struct arg *a, size_t size, const void *value)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	if (!size)
		return CL_INVALID_ARG_SIZE;
	a->size = size;
	return CL_SUCCESS;
}

static cl_int arg_set(cl_kernel k, cl_uint i, size_t size, const void *value)
{
	cl_context c;
	struct arg *a;
	cl_int e = CL_INVALID_ARG_INDEX;

	if (!object_is(k, OBJECT_KERNEL))
		return CL_INVALID_KERNEL;
	if (i >= k->meta->arg_count)
		return CL_INVALID_ARG_INDEX;
	a = &k->args[i];
	c = k->program->context;
	switch (a->kind) {
	case ARG_VALUE:
		e = set_value(a, size, value);
		break;
	case ARG_BUFFER:
		e = set_buffer(a, c, size, value);
		break;
	case ARG_EITHER:
		e = set_either(a, c, size, value);
		break;
	case ARG_LOCAL:
		e = set_local(a, size, value);
		break;
	case ARG_IMAGE:
		e = set_image(a, &k->meta->args[i], c, size, value);
		break;
	case ARG_SAMPLER:
		e = set_sampler(a, c, size, value);
		break;
	}
	a->set |= !e;
	return e;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint i,
					       size_t size, const void *value)
{
	cl_int e = cl_enter("clSetKernelArg");

	return cl_leave(e ? e : arg_set(k, i, size, value));
}

/*
 * Queries
 */

static cl_int query_attributes(const struct meta_kernel *m,
			       const struct query *q)
{
	char text[256] = "";
	size_t n = 0;

	if (m->required[0])
		n = (size_t)snprintf(text, sizeof(text),
				     "reqd_work_group_size(%u,%u,%u)",
				     m->required[0], m->required[1],
				     m->required[2]);
	if (m->hint[0])
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%swork_group_size_hint(%u,%u,%u)",
				      n ? " " : "", m->hint[0], m->hint[1],
				      m->hint[2]);
	if (m->vector[0])
		snprintf(text + n, sizeof(text) - n, "%svec_type_hint(%.32s)",
			 n ? " " : "", m->vector);
	return query_text(q, text);
}

static cl_int kernel_query(cl_kernel k, cl_kernel_info name,
			   const struct query *q)
{
	switch (name) {
	case CL_KERNEL_FUNCTION_NAME:
		return query_text(q, k->meta->name);
	case CL_KERNEL_NUM_ARGS:
		return QUERY(q, cl_uint, (cl_uint)k->meta->arg_count);
	case CL_KERNEL_REFERENCE_COUNT:
		return QUERY(q, cl_uint, k->o.refs);
	case CL_KERNEL_CONTEXT:
		return QUERY(q, cl_context, k->program->context);
	case CL_KERNEL_PROGRAM:
		return QUERY(q, cl_program, k->program);
	case CL_KERNEL_ATTRIBUTES:
		return query_attributes(k->meta, q);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel k,
						cl_kernel_info name,
						size_t room, void *value,
						size_t *size)
{
	cl_int e = cl_enter("clGetKernelInfo");

	if (!e && !object_is(k, OBJECT_KERNEL))
		e = CL_INVALID_KERNEL;
	return cl_leave(e ? e :
			    kernel_query(k, name,
					 &(struct query){ room, value, size }));
}

static cl_kernel_arg_type_qualifier type_qualifiers(const char *words)
{
	cl_kernel_arg_type_qualifier v = CL_KERNEL_ARG_TYPE_NONE;

	if (strstr(words, "const"))
		v |= CL_KERNEL_ARG_TYPE_CONST;
	if (strstr(words, "restrict"))
		v |= CL_KERNEL_ARG_TYPE_RESTRICT;
	if (strstr(words, "volatile"))
		v |= CL_KERNEL_ARG_TYPE_VOLATILE;
	return v;
}

static cl_kernel_arg_access_qualifier access_qualifier(const char *word)
{
	return !strcmp(word, "read_only")  ? CL_KERNEL_ARG_ACCESS_READ_ONLY :
	       !strcmp(word, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY :
	       !strcmp(word, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE :
					     CL_KERNEL_ARG_ACCESS_NONE;
}

static cl_int arg_query(const struct meta_arg *a, cl_kernel_arg_info name,
			const struct query *q)
{
	static const cl_kernel_arg_address_qualifier spaces[] = {
		[META_PRIVATE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
		[META_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
		[META_CONSTANT] = CL_KERNEL_ARG_ADDRESS_CONSTANT,
		[META_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
	};

	if (a->space == META_UNKNOWN)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	switch (name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return QUERY(q, cl_kernel_arg_address_qualifier,
			     spaces[a->space]);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return QUERY(q, cl_kernel_arg_access_qualifier,
			     access_qualifier(a->access));
	case CL_KERNEL_ARG_TYPE_NAME:
		return query_text(q, a->type);
	case CL_KERNEL_ARG_TYPE_QUALIFIER:
		return QUERY(q, cl_kernel_arg_type_qualifier,
			     type_qualifiers(a->qualifiers));
	case CL_KERNEL_ARG_NAME:
		return query_text(q, a->name);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint i,
						   cl_kernel_arg_info name,
						   size_t room, void *value,
						   size_t *size)
{
	cl_int e = cl_enter("clGetKernelArgInfo");

	if (!e && !object_is(k, OBJECT_KERNEL))
		e = CL_INVALID_KERNEL;
	if (!e && i >= k->meta->arg_count)
		e = CL_INVALID_ARG_INDEX;
	return cl_leave(e ? e :
			    arg_query(&k->meta->args[i], name,
				      &(struct query){ room, value, size }));
}

static cl_int group_query(cl_kernel k, cl_device_id d,
			  cl_kernel_work_group_info name, const struct query *q)
{
	size_t required[3] = { k->meta->required[0], k->meta->required[1],
			       k->meta->required[2] };
	struct rt_func_info info;
	struct rt_func *f;
	cl_ulong local;

	if (kernel_func(k, d, &f) || rt_func_info(&info, f))
		return CL_INVALID_DEVICE;
	local = info.shared_bytes;
	for (size_t i = 0; i < k->meta->arg_count; i++)
		if (k->args[i].kind == ARG_LOCAL)
			local += k->args[i].size;
	switch (name) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return QUERY(q, size_t, (size_t)info.max_threads);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		return query_put(q, required, sizeof(required));
	case CL_KERNEL_LOCAL_MEM_SIZE:
		return QUERY(q, cl_ulong, local);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return QUERY(q, size_t, (size_t)d->cfg->sm.warp_size);
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return QUERY(q, cl_ulong, info.local_bytes);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(
	cl_kernel k, cl_device_id d, cl_kernel_work_group_info name,
	size_t room, void *value, size_t *size)
{
	cl_int e = cl_enter("clGetKernelWorkGroupInfo");

	if (!e && !object_is(k, OBJECT_KERNEL))
		e = CL_INVALID_KERNEL;
	/* A program on one device needs no name for it. */
	if (!e && !d && k->program->device_count == 1)
		d = k->program->devices[0];
	if (!e && !program_has(k->program, d))
		e = CL_INVALID_DEVICE;
	return cl_leave(e ? e :
			    group_query(k, d, name,
					&(struct query){ room, value, size }));
}
