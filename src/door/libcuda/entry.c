#include <stdio.h>

#include "door/libcuda/context.h"

/*
 * rt speaks of cudaError_t, which has most numbers of CUresult and those below
 * besides: what they are to the driver.
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

int enter(const char *name, enum entry kind)
{
	bool works = kind == ENTRY_WORK || kind == ENTRY_OURS;
	int e = rt_enter(name, works ? RT_WORK : RT_ASK);
	CUcontext ctx;
	int why = kind >= ENTRY_OURS ? context_current(&ctx) : 0;

	if (kind == ENTRY_OURS && why == CUDA_ERROR_INVALID_CONTEXT)
		why = 0;
	if (kind != ENTRY_ANY && !initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	return why ? why : e;
}

CUresult leave(int e)
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

static const char *name_of(CUresult e)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (results[i].number == e)
			return results[i].name;
	return NULL;
}

/* Two are the driver's alone. */
static const char *text_of(CUresult e)
{
	if (e == CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
		return "context already current";
	if (e == CUDA_ERROR_KEY_ROTATION)
		return "key rotation";
	return name_of(e) ? rt_error_text((int)e) : NULL;
}

/* Neither needs cuInit: programs ask what cuInit said. */
EXPORT CUresult cuGetErrorName(CUresult e, const char **out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = name_of(e);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult e, const char **out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = text_of(e);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API_ANY(cuDriverGetVersion, (int *version),
	NEED(version, (*version = DRIVER_VERSION, 0)))

/* Profilers are others' programs. */
API(cuProfilerStart, (void), CUDA_SUCCESS)
API(cuProfilerStop, (void), CUDA_SUCCESS)
API(cuProfilerInitialize, (const char *config, const char *output, int mode),
    ((void)config, (void)output, (void)mode, (int)CUDA_ERROR_PROFILER_DISABLED))
