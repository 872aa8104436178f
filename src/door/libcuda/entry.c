#include <stdio.h>

#include "door/libcuda/context.h"

/*
 * rt returns cudaError_t, whose numbers are mostly those of CUresult. These are
 * the others, with the CUresult that they become.
 */
static const struct {
	int runtime, driver;
} meanings[] = {
	{ cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND },
	{ cudaErrorInvalidHostPointer, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidDevicePointer, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidTexture, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidTextureBinding, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidChannelDescriptor, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidFilterSetting, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidNormSetting, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidSurface, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorMissingConfiguration, CUDA_ERROR_INVALID_VALUE },
	{ cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE },
};

static CUresult driver_result(int e)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].runtime == e)
			return (CUresult)meanings[i].driver;
	return (CUresult)e;
}

int api_enter(const char *name, enum entry_kind kind)
{
	bool works = kind == ENTRY_WORK || kind == ENTRY_HANDLE;
	int e = rt_enter(name, works ? RT_WORK : RT_ASK);
	CUcontext ctx;
	int why = kind >= ENTRY_HANDLE ? context_current(&ctx) : 0;

	if (kind == ENTRY_HANDLE && why == CUDA_ERROR_INVALID_CONTEXT)
		why = 0;
	if (kind != ENTRY_ANY && !driver_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	return why ? why : e;
}

CUresult api_leave(int e)
{
	rt_leave_quietly(e);
	return driver_result(e);
}

static const struct {
	CUresult number;
	const char *name;
} results[] = {
#define RESULT(name) { name, #name },
#include "door/libcuda/result.def"
};

static const char *cu_result_name(CUresult e)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].number == e)
			return results[i].name;
	return NULL;
}

/* Two results exist in the driver API only. */
static const char *result_text(CUresult e)
{
	if (e == CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
		return "context already current";
	if (e == CUDA_ERROR_KEY_ROTATION)
		return "key rotation";
	return cu_result_name(e) ? rt_error_text((int)e) : NULL;
}

/* Neither needs cuInit: programs ask for the text of its error. */
EXPORT CUresult cuGetErrorName(CUresult e, const char **out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = cu_result_name(e);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult e, const char **out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = result_text(e);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_ANY(cuDriverGetVersion, (int *version),
	NEED(version, (*version = DRIVER_VERSION, 0)))

/* Profiling has no effect here. */
API(cuProfilerStart, (void), CUDA_SUCCESS)
API(cuProfilerStop, (void), CUDA_SUCCESS)
API(cuProfilerInitialize, (const char *config, const char *output, int mode),
    ((void)config, (void)output, (void)mode, (int)CUDA_ERROR_PROFILER_DISABLED))
