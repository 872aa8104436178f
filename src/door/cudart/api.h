/*
 * The symbols of the CUDA runtime API. They only translate: each line calls a
 * function of door/rt. The prototypes are those of our own cuda_runtime_api.h,
 * so that a wrong one does not compile.
 *
 * The same sources are compiled for each soname: libcudart.so.11.0, .12 and
 * .13. CUDART_MAJOR says for which; differences are under #if.
 */
#ifndef HEDDLE_CUDART_API_H
#define HEDDLE_CUDART_API_H

#include <stdbool.h>
#include <stdint.h>

#include "door/cuda/include/cuda_runtime_api.h"
#include "door/rt/rt.h"

#define EXPORT __attribute__((visibility("default")))

#define BODY(name, kind, expr)                                  \
	{                                                       \
		int e_ = rt_enter(name, kind);                  \
                                                                \
		return (cudaError_t)rt_leave(e_ ? e_ : (expr)); \
	}

/* A function that works with the device (API), and a query (API_ASK). */
#define API(name, params, expr) \
	EXPORT cudaError_t name params BODY(#name, RT_WORK, expr)
#define API_ASK(name, params, expr) \
	EXPORT cudaError_t name params BODY(#name, RT_ASK, expr)

/*
 * Defines a function with a stream, where 0 is the legacy default stream, and
 * its twin with a suffix, for programs compiled with a default stream for each
 * thread. expr uses ON(stream); functions without a stream use ON(0).
 */
#define BODY_ON(name, stream, expr)                             \
	{                                                       \
		struct rt_stream *const default_ = stream;      \
		int e_ = rt_enter(name, RT_WORK);               \
                                                                \
		return (cudaError_t)rt_leave(e_ ? e_ : (expr)); \
	}
#define API_ON(name, suffix, params, expr)                            \
	EXPORT cudaError_t name params BODY_ON(#name, NULL, expr)     \
	EXPORT cudaError_t name##suffix params;                       \
	EXPORT cudaError_t name##suffix params BODY_ON(#name #suffix, \
						       RT_STREAM_THREAD, expr)
#define ON(stream) ((stream) ? (struct rt_stream *)(stream) : default_)

/* The same for symbols that our header does not declare, ... */
#define MORE(name, params, expr)        \
	EXPORT cudaError_t name params; \
	API(name, params, expr)
#define MORE_ON(name, suffix, params, expr) \
	EXPORT cudaError_t name params;     \
	API_ON(name, suffix, params, expr)
/* ... or declares as in another version: `alias` is the name in C. */
#define AS(alias, symbol, kind, params, expr)            \
	EXPORT cudaError_t alias params __asm__(symbol); \
	EXPORT cudaError_t alias params BODY(symbol, kind, expr)
#define AS_ON(alias, symbol, suffix, params, expr)                    \
	EXPORT cudaError_t alias params __asm__(symbol);              \
	EXPORT cudaError_t alias params BODY_ON(symbol, NULL, expr)   \
	EXPORT cudaError_t alias##_own params __asm__(symbol suffix); \
	EXPORT cudaError_t alias##_own params BODY_ON(symbol suffix,  \
						      RT_STREAM_THREAD, expr)

#define NEED(condition, expr) \
	((condition) ? (expr) : (int)cudaErrorInvalidValue)

struct rt_copy copy_of_3d_params(const struct cudaMemcpy3DParms *p, int *e);
struct rt_resource resource_of_desc(const struct cudaResourceDesc *d);
struct rt_launch launch_of(const struct cudaKernelNodeParams *p, int *e);

#endif
