/* The platform, and how the loader finds it. */
#include <string.h>

#include "door/opencl/state.h"
#include "heddle/heddle.h"

static cl_int platform_query(cl_platform_info name, const struct query *q)
{
	switch (name) {
	case CL_PLATFORM_PROFILE:
		return query_text(q, "FULL_PROFILE");
	case CL_PLATFORM_VERSION:
		return query_text(q, "OpenCL 1.2 Heddle " HEDDLE_VERSION);
	case CL_PLATFORM_NAME:
	case CL_PLATFORM_VENDOR:
		return query_text(q, "Heddle");
	case CL_PLATFORM_EXTENSIONS:
		return query_text(q, CL_PLATFORM_EXTENSIONS_TEXT);
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return query_text(q, "HEDDLE");
	default:
		return CL_INVALID_VALUE;
	}
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
						  cl_platform_info name,
						  size_t room, void *value,
						  size_t *size)
{
	cl_int e = cl_enter("clGetPlatformInfo");

	if (!e && platform && platform != &cl.platform)
		e = CL_INVALID_PLATFORM;
	return cl_leave(
		e ? e :
		    platform_query(name, &(struct query){ room, value, size }));
}

static cl_int platform_list(cl_uint room, cl_platform_id *list, cl_uint *count)
{
	cl_int e = cl_enter("clGetPlatformIDs");

	/* The settings are wrong, which rt has said. */
	if (e || !cl.device_count)
		return cl_leave(CL_PLATFORM_NOT_FOUND_KHR);
	if ((!list && !count) || (list && !room))
		return cl_leave(CL_INVALID_VALUE);
	if (list)
		list[0] = &cl.platform;
	if (count)
		*count = 1;
	return cl_leave(CL_SUCCESS);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint room,
						 cl_platform_id *list,
						 cl_uint *count)
{
	return platform_list(room, list, count);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
						       cl_platform_id *list,
						       cl_uint *count)
{
	return platform_list(room, list, count);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
	if (name && !strcmp(name, "clIcdGetPlatformIDsKHR"))
		return (void *)clIcdGetPlatformIDsKHR;
	return NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(
	cl_platform_id platform, const char *name)
{
	return platform == &cl.platform ? clGetExtensionFunctionAddress(name) :
					  NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id p)
{
	cl_int e = cl_enter("clUnloadPlatformCompiler");

	if (!e && p != &cl.platform)
		e = CL_INVALID_PLATFORM;
	return cl_leave(e);
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
	return cl_leave(cl_enter("clUnloadCompiler"));
}
