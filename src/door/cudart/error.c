#include "door/cudart/api.h"

/* Errors. These functions need no device and take no lock. */
EXPORT cudaError_t cudaGetLastError(void)
{
	return (cudaError_t)rt_last_error(true);
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
	return (cudaError_t)rt_last_error(false);
}

EXPORT const char *cudaGetErrorName(cudaError_t e)
{
	const char *name = rt_error_name((int)e);

	return name ? name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(cudaError_t e)
{
	const char *text = rt_error_text((int)e);

	return text ? text : "unrecognized error code";
}
