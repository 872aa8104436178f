/*
 * The symbols of the CUDA driver API, libcuda.so.1. They only translate: each
 * line calls a function of door/rt, and only contexts are kept here. Functions
 * that our own cuda.h declares use its prototypes, so that a wrong one does not
 * compile; types that it lacks are in types.h.
 *
 * Contexts: see context.h. Names with _ptsz and _ptds are for programs compiled
 * with a default stream for each thread. unsupported.def lists the functions
 * that are missing, and symbols.def has every name, once, for cuGetProcAddress.
 *
 * Not modelled: forms from before CUDA 3.2, whose device pointers have 32
 * bits; green contexts, virtual memory management, sharing with other
 * processes and with graphics.
 */
#ifndef HEDDLE_LIBCUDA_API_H
#define HEDDLE_LIBCUDA_API_H

#include <stdbool.h>
#include <stdint.h>

#include "door/cuda/include/cuda.h"
#include "door/libcuda/types.h"
#include "door/rt/rt.h"

enum { DRIVER_VERSION = 13000 };

/* What a call requires. */
enum entry_kind {
	ENTRY_ANY,    /* nothing */
	ENTRY_INIT,   /* cuInit */
	ENTRY_HANDLE, /* no fault; a handle or pointer gives the context */
	ENTRY_ASK,    /* a current context */
	ENTRY_WORK,   /* a current context whose device has no fault */
};
/* Takes rt's lock in every case; returns 0, or why the call is refused. */
int api_enter(const char *name, enum entry_kind kind);
/* Releases the lock; e, which may be a cudaError_t, becomes a CUresult. */
CUresult api_leave(int e);

#define EXPORT __attribute__((visibility("default")))

#define DEFINE(name, text, kind, params, expr)      \
	EXPORT CUresult name params;                \
	EXPORT CUresult name params                 \
	{                                           \
		int e_ = api_enter(text, kind);     \
                                                    \
		return api_leave(e_ ? e_ : (expr)); \
	}

#define API_ANY(name, params, expr) DEFINE(name, #name, ENTRY_ANY, params, expr)
#define API_INIT(name, params, expr) \
	DEFINE(name, #name, ENTRY_INIT, params, expr)
#define API_ASK(name, params, expr) DEFINE(name, #name, ENTRY_ASK, params, expr)
#define API(name, params, expr) DEFINE(name, #name, ENTRY_WORK, params, expr)

/* The same for functions of a handle, which knows its context. */
#define API_HANDLE(name, params, expr) \
	DEFINE(name, #name, ENTRY_HANDLE, params, expr)

/*
 * Defines a function with a stream, where 0 is the legacy default stream, and
 * its twin with a suffix, where 0 is the calling thread's own. `stream` is the
 * program's argument, 0 if the function has none; expr uses ON(stream).
 */
#define API_ON(name, suffix, stream, params, expr)                       \
	DEFINE_ON(name, #name, NULL, stream, params, expr)               \
	DEFINE_ON(name##suffix, #name #suffix, RT_STREAM_THREAD, stream, \
		  params, expr)
#define DEFINE_ON(name, text, otherwise, stream, params, expr) \
	EXPORT CUresult name params;                           \
	EXPORT CUresult name params                            \
	{                                                      \
		struct rt_stream *const default_ = otherwise;  \
		int e_ = api_enter(text, ENTRY_ON(stream));    \
                                                               \
		return api_leave(e_ ? e_ : (expr));            \
	}
/* The default streams belong to a context. */
#define ENTRY_ON(stream)                                                  \
	((struct rt_stream *)(stream) > RT_STREAM_THREAD ? ENTRY_HANDLE : \
							   ENTRY_WORK)
#define ON(stream) ((stream) ? (struct rt_stream *)(stream) : default_)

/*
 * An older symbol whose name is a macro in cuda.h: `id` is its name in C.
 * SAME: it has the same parameters as the newer function.
 */
#define NAMED(symbol) __asm__(symbol) __attribute__((visibility("default")))
#define API_OLD(id, symbol, kind, params, expr)     \
	CUresult id params NAMED(symbol);           \
	CUresult id params                          \
	{                                           \
		int e_ = api_enter(symbol, kind);   \
                                                    \
		return api_leave(e_ ? e_ : (expr)); \
	}
#define API_OLD_ON(id, symbol, suffix, stream, params, expr)                \
	DEFINE_OLD_ON(id, symbol, NULL, stream, params, expr)               \
	DEFINE_OLD_ON(id##suffix, symbol #suffix, RT_STREAM_THREAD, stream, \
		      params, expr)
#define DEFINE_OLD_ON(id, symbol, otherwise, stream, params, expr) \
	CUresult id params NAMED(symbol);                          \
	CUresult id params                                         \
	{                                                          \
		struct rt_stream *const default_ = otherwise;      \
		int e_ = api_enter(symbol, ENTRY_ON(stream));      \
                                                                   \
		return api_leave(e_ ? e_ : (expr));                \
	}
#define SAME(id, symbol, as) \
	extern __typeof__(as) id NAMED(symbol) __attribute__((alias(#as)));

#define NEED(condition, expr) \
	((condition) ? (expr) : (int)CUDA_ERROR_INVALID_VALUE)

/* A device pointer is a number in the driver API and a pointer in rt. */
static inline void *as_pointer(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

/* Returns a pointer of rt as a number. */
#define POINTER_OUT(out, expr)                                           \
	({                                                               \
		void *p_ = NULL;                                         \
		int r_ = (out) ? (expr) : (int)CUDA_ERROR_INVALID_VALUE; \
                                                                         \
		if (!r_)                                                 \
			*(out) = (CUdeviceptr)(uintptr_t)p_;             \
		r_;                                                      \
	})

/* The rt_channel of an array's format and channels; false: not supported. */
bool channel_of(struct rt_channel *out, CUarray_format format,
		unsigned channels);
/* The reverse of channel_of. */
CUarray_format format_of(const struct rt_channel *c, unsigned *channels);

/* Frees what was set for cuLaunch on functions of a module being unloaded. */
void prepared_free(struct rt_module *m);
/* Sets a kernel's arguments from either form. */
int launch_args(struct rt_launch *l, void **params, void **extra);
int copy_of_3d(struct rt_copy *out, const CUDA_MEMCPY3D *p);
int copy_to_3d(CUDA_MEMCPY3D *out, const struct rt_copy *c);

#endif
