/* Samplers. */
#include "door/opencl/state.h"

void sampler_destroy(cl_sampler s)
{
	object_drop(s->context);
}

static cl_int sampler_make(cl_sampler *out, cl_context c, cl_bool normalized,
			   cl_addressing_mode address, cl_filter_mode filter)
{
	bool repeats = address == CL_ADDRESS_REPEAT ||
		       address == CL_ADDRESS_MIRRORED_REPEAT;
	cl_sampler s;

	if (!object_is(c, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (normalized > CL_TRUE || address < CL_ADDRESS_NONE ||
	    address > CL_ADDRESS_MIRRORED_REPEAT ||
	    filter < CL_FILTER_NEAREST || filter > CL_FILTER_LINEAR ||
	    (repeats && !normalized))
		return CL_INVALID_VALUE;
	s = object_new(OBJECT_SAMPLER, sizeof(*s));
	if (!s)
		return CL_OUT_OF_HOST_MEMORY;
	s->context = c;
	object_hold(c);
	s->normalized = normalized;
	s->address = address;
	s->filter = filter;
	*out = s;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_sampler CL_API_CALL clCreateSampler(cl_context c,
						    cl_bool normalized,
						    cl_addressing_mode address,
						    cl_filter_mode filter,
						    cl_int *error)
{
	cl_int e = cl_enter("clCreateSampler");
	cl_sampler s = NULL;

	if (!e)
		e = sampler_make(&s, c, normalized, address, filter);
	if (error)
		*error = e;
	cl_leave(e);
	return s;
}

static cl_int sampler_query(cl_sampler s, cl_sampler_info name,
			    const struct query *q)
{
	switch (name) {
	case CL_SAMPLER_REFERENCE_COUNT:
		return QUERY(q, cl_uint, s->o.refs);
	case CL_SAMPLER_CONTEXT:
		return QUERY(q, cl_context, s->context);
	case CL_SAMPLER_NORMALIZED_COORDS:
		return QUERY(q, cl_bool, s->normalized);
	case CL_SAMPLER_ADDRESSING_MODE:
		return QUERY(q, cl_addressing_mode, s->address);
	case CL_SAMPLER_FILTER_MODE:
		return QUERY(q, cl_filter_mode, s->filter);
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s,
						 cl_sampler_info name,
						 size_t room, void *value,
						 size_t *size)
{
	cl_int e = cl_enter("clGetSamplerInfo");

	if (!e && !object_is(s, OBJECT_SAMPLER))
		e = CL_INVALID_SAMPLER;
	return cl_leave(
		e ? e :
		    sampler_query(s, name,
				  &(struct query){ room, value, size }));
}
