/*
 * The symbols of the CUDA driver API, libcuda.so.1. They translate and nothing
 * more: every row is an entry of door/rt, and contexts are all that is kept
 * here. What our own cuda.h declares has its prototypes, so that a wrong one
 * does not compile; what it does not is in types.h.
 *
 * Contexts: see context.h. Names with _ptsz and _ptds are for programs that
 * were compiled with a default stream for each thread. What is not there is a
 * row of unsupported.def, and symbols.def has every name, once, for
 * cuGetProcAddress.
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

/* What must be before a call is answered. */
enum entry {
	ENTRY_ANY,  /* nothing */
	ENTRY_INIT, /* cuInit */
	ENTRY_OURS, /* no fault: what is named by a handle or a pointer */
	ENTRY_ASK,  /* a current context */
	ENTRY_WORK, /* a current context whose device has had no fault */
};
/* Takes rt's lock, in every case; 0 or why the call is refused. */
int enter(const char *name, enum entry kind);
/* Gives it back; e, which may be of cudaError_t, becomes a CUresult. */
CUresult leave(int e);

#define EXPORT __attribute__((visibility("default")))

#define DEFINE(name, text, kind, params, expr)  \
	EXPORT CUresult name params;            \
	EXPORT CUresult name params             \
	{                                       \
		int e_ = enter(text, kind);     \
                                                \
		return leave(e_ ? e_ : (expr)); \
	}

#define API_ANY(name, params, expr) DEFINE(name, #name, ENTRY_ANY, params, expr)
#define API_INIT(name, params, expr) \
	DEFINE(name, #name, ENTRY_INIT, params, expr)
#define API_ASK(name, params, expr) DEFINE(name, #name, ENTRY_ASK, params, expr)
#define API(name, params, expr) DEFINE(name, #name, ENTRY_WORK, params, expr)

/* The same for what is named by a handle, which knows its context. */
#define API_OURS(name, params, expr) \
	DEFINE(name, #name, ENTRY_OURS, params, expr)

/*
 * A function with a stream, where 0 is the legacy default stream, and its twin
 * with a suffix, for which 0 is the calling thread's own. `stream` is what the
 * program named, 0 if the function has none; expr says ON(stream).
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
		int e_ = enter(text, ENTRY_ON(stream));        \
                                                               \
		return leave(e_ ? e_ : (expr));                \
	}
/* The default streams are those of a context. */
#define ENTRY_ON(stream)                                                \
	((struct rt_stream *)(stream) > RT_STREAM_THREAD ? ENTRY_OURS : \
							   ENTRY_WORK)
#define ON(stream) ((stream) ? (struct rt_stream *)(stream) : default_)

/*
 * An older name, which cuda.h makes a macro of: in C it has `id` for a name.
 * SAME: it takes what a newer one does.
 */
#define NAMED(symbol) __asm__(symbol) __attribute__((visibility("default")))
#define API_OLD(id, symbol, kind, params, expr) \
	CUresult id params NAMED(symbol);       \
	CUresult id params                      \
	{                                       \
		int e_ = enter(symbol, kind);   \
                                                \
		return leave(e_ ? e_ : (expr)); \
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
		int e_ = enter(symbol, ENTRY_ON(stream));          \
                                                                   \
		return leave(e_ ? e_ : (expr));                    \
	}
#define SAME(id, symbol, as) \
	extern __typeof__(as) id NAMED(symbol) __attribute__((alias(#as)));

#define NEED(condition, expr) \
	((condition) ? (expr) : (int)CUDA_ERROR_INVALID_VALUE)

/* Device pointers are numbers here and pointers there. */
static inline void *pointer(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

/* A result that rt gives as a pointer. */
#define POINTER_OUT(out, expr)                                           \
	({                                                               \
		void *p_ = NULL;                                         \
		int r_ = (out) ? (expr) : (int)CUDA_ERROR_INVALID_VALUE; \
                                                                         \
		if (!r_)                                                 \
			*(out) = (CUdeviceptr)(uintptr_t)p_;             \
		r_;                                                      \
	})

/* Of an array's format and channels; false: rt has no such texels. */
bool channel_of(struct rt_channel *out, CUarray_format format,
		unsigned channels);
/* The format that channel_of made a channel of. */
CUarray_format format_of(const struct rt_channel *c, unsigned *channels);

/* What was set on functions of the module for cuLaunch, which ends. */
void prepared_drop(struct rt_module *m);
/* A kernel's arguments in the one or the other form. */
int launch_args(struct rt_launch *l, void **params, void **extra);
int copy_of_3d(struct rt_copy *out, const CUDA_MEMCPY3D *p);
int copy_to_3d(CUDA_MEMCPY3D *out, const struct rt_copy *c);

#endif
