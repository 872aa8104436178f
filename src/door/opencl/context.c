/* Contexts. */
#include <stdlib.h>
#include <string.h>

#include "door/opencl/svm.h"

void context_destroy(cl_context c)
{
	svm_forget(c);
	free(c->properties);
}

bool context_has(const struct _cl_context *c, cl_device_id d)
{
	for (cl_uint i = 0; i < c->device_count; i++)
		if (c->devices[i] == d)
			return true;
	return false;
}

/* Checks the list and counts its words, with the final 0. */
static cl_int properties_check(const cl_context_properties *list, size_t *count)
{
	bool seen[2] = { false, false };
	size_t n = 0;

	*count = 0;
	if (!list)
		return CL_SUCCESS;
	for (; list[n]; n += 2) {
		bool sync = list[n] == CL_CONTEXT_INTEROP_USER_SYNC;

		if ((!sync && list[n] != CL_CONTEXT_PLATFORM) || seen[sync] ||
		    (sync && list[n + 1] != CL_TRUE && list[n + 1] != CL_FALSE))
			return CL_INVALID_PROPERTY;
		if (!sync &&
		    (cl_platform_id)(uintptr_t)list[n + 1] != &cl.platform)
			return CL_INVALID_PLATFORM;
		seen[sync] = true;
	}
	*count = n + 1;
	return CL_SUCCESS;
}

static cl_int context_make(cl_context *out, const cl_context_properties *list,
			   cl_uint n, const cl_device_id *devices)
{
	size_t count;
	cl_int e = properties_check(list, &count);
	cl_context c;

	if (e)
		return e;
	for (cl_uint i = 0; i < n; i++)
		if (!device_is(devices[i]))
			return CL_INVALID_DEVICE;
	c = object_new(OBJECT_CONTEXT, sizeof(*c));
	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	for (cl_uint i = 0; i < n; i++)
		if (!context_has(c, devices[i]))
			c->devices[c->device_count++] = devices[i];
	c->properties = count ? malloc(count * sizeof(*list)) : NULL;
	if (count && !c->properties) {
		object_drop(c);
		return CL_OUT_OF_HOST_MEMORY;
	}
	if (count)
		memcpy(c->properties, list, count * sizeof(*list));
	c->property_count = count;
	*out = c;
	return CL_SUCCESS;
}

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t,
					  void *);

CL_API_ENTRY cl_context CL_API_CALL
clCreateContext(const cl_context_properties *list, cl_uint n,
		const cl_device_id *devices, context_notify notify, void *data,
		cl_int *error)
{
	cl_int e = cl_enter("clCreateContext");
	cl_context c = NULL;

	if (!e && (!n || !devices || (!notify && data)))
		e = CL_INVALID_VALUE;
	if (!e)
		e = context_make(&c, list, n, devices);
	if (c) {
		c->notify = notify;
		c->notify_data = data;
	}
	if (error)
		*error = e;
	cl_leave(e);
	return c;
}

static bool type_is_known(cl_device_type type)
{
	const cl_device_type known = CL_DEVICE_TYPE_DEFAULT |
				     CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
				     CL_DEVICE_TYPE_ACCELERATOR |
				     CL_DEVICE_TYPE_CUSTOM;

	return type == CL_DEVICE_TYPE_ALL || (type && !(type & ~known));
}

CL_API_ENTRY cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *list, cl_device_type type,
			context_notify notify, void *data, cl_int *error)
{
	cl_int e = cl_enter("clCreateContextFromType");
	cl_device_id devices[CL_DEVICES];
	cl_context c = NULL;

	for (cl_uint i = 0; i < cl.device_count; i++)
		devices[i] = &cl.devices[i];
	if (!e && !notify && data)
		e = CL_INVALID_VALUE;
	if (!e && !type_is_known(type))
		e = CL_INVALID_DEVICE_TYPE;
	if (!e && type != CL_DEVICE_TYPE_ALL &&
	    !(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)))
		e = CL_DEVICE_NOT_FOUND;
	if (!e)
		e = context_make(
			&c, list,
			type == CL_DEVICE_TYPE_DEFAULT ? 1 : cl.device_count,
			devices);
	if (error)
		*error = e;
	cl_leave(e);
	return c;
}

static cl_int context_query(cl_context c, cl_context_info name,
			    const struct query *q)
{
	switch (name) {
	case CL_CONTEXT_REFERENCE_COUNT:
		return QUERY(q, cl_uint, c->o.refs);
	case CL_CONTEXT_NUM_DEVICES:
		return QUERY(q, cl_uint, c->device_count);
	case CL_CONTEXT_DEVICES:
		return query_put(q, c->devices,
				 c->device_count * sizeof(cl_device_id));
	case CL_CONTEXT_PROPERTIES:
		return query_put(q, c->properties,
				 c->property_count *
					 sizeof(cl_context_properties));
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetContextInfo(cl_context c,
						 cl_context_info name,
						 size_t room, void *value,
						 size_t *size)
{
	cl_int e = cl_enter("clGetContextInfo");

	if (!e && !object_is(c, OBJECT_CONTEXT))
		e = CL_INVALID_CONTEXT;
	return cl_leave(
		e ? e :
		    context_query(c, name,
				  &(struct query){ room, value, size }));
}
