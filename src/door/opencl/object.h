/*
 * The objects of OpenCL. The program holds references (clRetain, clRelease);
 * what needs an object to stay holds it: commands, objects that are attached to
 * it. The program's references are one hold. An object is freed when nothing
 * holds it; until then it is valid, as the specification says of a context whose
 * buffers live on.
 *
 * Everything here needs the lock of cl_enter.
 */
#ifndef HEDDLE_OPENCL_OBJECT_H
#define HEDDLE_OPENCL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "door/opencl/cl.h"

/*
 * Every kind, once: the type is cl_NAME, the functions are clRetainTITLE and
 * clReleaseTITLE, a bad handle is the error.
 *
 *   OBJECT(KIND, name, Title, error)
 */
#define OBJECTS(OBJECT)                                                      \
	OBJECT(CONTEXT, context, Context, CL_INVALID_CONTEXT)                \
	OBJECT(QUEUE, command_queue, CommandQueue, CL_INVALID_COMMAND_QUEUE) \
	OBJECT(MEM, mem, MemObject, CL_INVALID_MEM_OBJECT)                   \
	OBJECT(SAMPLER, sampler, Sampler, CL_INVALID_SAMPLER)                \
	OBJECT(PROGRAM, program, Program, CL_INVALID_PROGRAM)                \
	OBJECT(KERNEL, kernel, Kernel, CL_INVALID_KERNEL)                    \
	OBJECT(EVENT, event, Event, CL_INVALID_EVENT)

enum object_kind {
	OBJECT_NONE,
#define OBJECT(kind, name, title, error) OBJECT_##kind,
	OBJECTS(OBJECT)
#undef OBJECT
		OBJECT_KINDS
};

/* The beginning of every object: the loader reads the dispatch table. */
struct object {
	const struct _cl_icd_dispatch *dispatch;
	enum object_kind kind;
	unsigned refs;  /* the program's */
	unsigned holds; /* the program's count as one */
};

extern const struct _cl_icd_dispatch cl_dispatch;

/* A zeroed object with one reference; NULL: out of memory. */
void *object_new(enum object_kind kind, size_t size);
void object_hold(void *object);
/* Frees the object when nothing holds it. NULL: nothing. */
void object_drop(void *object);
/* p is a valid object of that kind. It may have any value. */
bool object_is(const void *p, enum object_kind kind);
/* Frees what an object owns, one function for each kind. */
#define OBJECT(kind, name, title, error) void name##_destroy(cl_##name o);
OBJECTS(OBJECT)
#undef OBJECT

/*
 * Answers a query: copies `size` bytes to value, if it is not NULL, and tells
 * the size. CL_INVALID_VALUE: they do not fit into `room`.
 */
struct query {
	size_t room;
	void *value;
	size_t *size;
};
cl_int query_put(const struct query *q, const void *data, size_t size);
cl_int query_text(const struct query *q, const char *text);
/* QUERY(q, cl_uint, 5) */
#define QUERY(q, type, v) query_put(q, &(type){ v }, sizeof(type))

#endif
