#include "door/opencl/object.h"

#include <stdlib.h>
#include <string.h>

#include "door/opencl/state.h"

/* The kinds of OpenCL have a table of their own. */
static enum handle_kind object_handle(enum object_kind kind)
{
	return (enum handle_kind)kind;
}

void *object_new(enum object_kind kind, size_t size)
{
	struct object *o = calloc(1, size);

	if (!o || !handle_add(&cl.live, o, object_handle(kind))) {
		free(o);
		return NULL;
	}
	o->dispatch = &cl_dispatch;
	o->kind = kind;
	o->refs = o->holds = 1;
	return o;
}

void object_hold(void *object)
{
	((struct object *)object)->holds++;
}

static void object_destroy(struct object *o)
{
	switch (o->kind) {
#define OBJECT(kind, name, title, error)   \
	case OBJECT_##kind:                \
		name##_destroy((void *)o); \
		break;
		OBJECTS(OBJECT)
#undef OBJECT
	case OBJECT_NONE:
	case OBJECT_KINDS:
		break;
	}
}

void object_drop(void *object)
{
	struct object *o = object;

	if (!o || --o->holds)
		return;
	handle_remove(&cl.live, o);
	object_destroy(o);
	free(o);
}

bool object_is(const void *p, enum object_kind kind)
{
	return handle_is(&cl.live, p, object_handle(kind));
}

static cl_int object_retain(void *p, enum object_kind kind, cl_int bad)
{
	struct object *o = p;

	if (!object_is(p, kind))
		return bad;
	/* What it is attached to may have kept it. */
	if (!o->refs++)
		object_hold(o);
	return CL_SUCCESS;
}

static cl_int object_release(void *p, enum object_kind kind, cl_int bad)
{
	struct object *o = p;

	if (!object_is(p, kind) || !o->refs)
		return bad;
	if (!--o->refs)
		object_drop(o);
	return CL_SUCCESS;
}

#define OBJECT(kind, name, title, error)                                      \
	CL_API_ENTRY cl_int CL_API_CALL clRetain##title(cl_##name o)          \
	{                                                                     \
		cl_int e = cl_enter("clRetain" #title);                       \
                                                                              \
		return cl_leave(e ? e :                                       \
				    object_retain(o, OBJECT_##kind, error));  \
	}                                                                     \
                                                                              \
	CL_API_ENTRY cl_int CL_API_CALL clRelease##title(cl_##name o)         \
	{                                                                     \
		cl_int e = cl_enter("clRelease" #title);                      \
                                                                              \
		return cl_leave(e ? e :                                       \
				    object_release(o, OBJECT_##kind, error)); \
	}
OBJECTS(OBJECT)
#undef OBJECT

cl_int query_put(const struct query *q, const void *data, size_t size)
{
	if (q->value && q->room < size)
		return CL_INVALID_VALUE;
	if (q->value && size)
		memcpy(q->value, data, size);
	if (q->size)
		*q->size = size;
	return CL_SUCCESS;
}

cl_int query_text(const struct query *q, const char *text)
{
	return query_put(q, text, strlen(text) + 1);
}
