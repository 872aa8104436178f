/* Commands on shared virtual memory. */
#include <stdlib.h>
#include <string.h>

#include "door/opencl/mem.h"
#include "door/opencl/svm.h"

/* What every one of them begins with. */
static cl_int svm_check(cl_command_queue q, const struct wait_list *w)
{
	cl_int e = command_check(q, w);

	return !e && !cl.svm ? CL_INVALID_OPERATION : e;
}

/*
 * Freeing
 */

typedef void(CL_CALLBACK *svm_free_function)(cl_command_queue, cl_uint, void **,
					     void *);

struct svm_freeing {
	cl_command_queue queue; /* held */
	cl_uint count;
	void **list;
	svm_free_function fn; /* NULL: we free */
	void *data;
};

static void freeing_call(void *p)
{
	struct svm_freeing *f = p;

	f->fn(f->queue, f->count, f->list, f->data);
	free(f->list);
	free(f);
}

/* The program's function frees, without our locks. */
static cl_int freeing_hand_over(struct svm_freeing *f)
{
	struct svm_freeing *copy = malloc(sizeof(*copy));

	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	*copy = *f;
	if (!cl_call_later(freeing_call, copy, f->queue)) {
		free(copy);
		return CL_OUT_OF_HOST_MEMORY;
	}
	f->list = NULL;
	return CL_SUCCESS;
}

static cl_int freeing_run(cl_event e, void *data)
{
	struct svm_freeing *f = data;

	(void)e;
	cl_settle();
	if (f->fn)
		return freeing_hand_over(f);
	for (cl_uint i = 0; i < f->count; i++)
		svm_free(f->queue->context, f->list[i]);
	return CL_SUCCESS;
}

static void freeing_drop(void *data)
{
	struct svm_freeing *f = data;

	free(f->list);
	object_drop(f->queue);
}

static cl_int freeing_submit(struct svm_freeing *f, void *const *list,
			     const struct wait_list *w)
{
	cl_int e = svm_check(f->queue, w);

	if (!e && !f->count != !list)
		e = CL_INVALID_VALUE;
	if (e)
		return e;
	f->list = malloc((f->count + (size_t)1) * sizeof(*f->list));
	if (!f->list)
		return CL_OUT_OF_HOST_MEMORY;
	if (f->count)
		memcpy(f->list, list, f->count * sizeof(*f->list));
	object_hold(f->queue);
	return command_submit(f->queue,
			      &(struct cl_command){ .type = CL_COMMAND_SVM_FREE,
						    .run = freeing_run,
						    .drop = freeing_drop,
						    .data = f,
						    .size = sizeof(*f) },
			      w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMFree(
	cl_command_queue q, cl_uint count, void *list[], svm_free_function fn,
	void *data, cl_uint n, const cl_event *events, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueSVMFree");
	struct svm_freeing f = { q, count, NULL, fn, data };

	return cl_leave(
		e ? e :
		    freeing_submit(&f, list,
				   &(struct wait_list){ n, events, event }));
}

/*
 * Moving
 */

static struct side svm_side(const void *at, size_t size)
{
	return (struct side){ .host = cl.mapper.host((void *)(uintptr_t)at),
			      .row = size,
			      .slice = size };
}

static cl_int svm_copy(cl_command_queue q, cl_bool blocking, void *to,
		       const void *from, size_t size, const struct wait_list *w)
{
	const struct move_command m = { CL_COMMAND_SVM_MEMCPY,
					{ svm_side(to, size),
					  svm_side(from, size), size, 1, 1 },
					blocking,
					!size };
	cl_int e = svm_check(q, w);

	if (!e && (!to || !from))
		e = CL_INVALID_VALUE;
	if (!e && size && (uintptr_t)to - (uintptr_t)from < size)
		e = CL_MEM_COPY_OVERLAP;
	if (!e && size && (uintptr_t)from - (uintptr_t)to < size)
		e = CL_MEM_COPY_OVERLAP;
	return e ? e : move_submit(q, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(
	cl_command_queue q, cl_bool blocking, void *to, const void *from,
	size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueSVMMemcpy");

	return cl_leave(e ? e :
			    svm_copy(q, blocking, to, from, size,
				     &(struct wait_list){ n, list, event }));
}

static cl_int svm_fill(cl_command_queue q, void *at, const void *pattern,
		       size_t pattern_size, size_t size,
		       const struct wait_list *w)
{
	cl_int e = svm_check(q, w);

	if (!e && (!at || !pattern || !pattern_size_is_valid(pattern_size) ||
		   (uintptr_t)at % pattern_size || size % pattern_size))
		e = CL_INVALID_VALUE;
	return e ? e : fill_svm(q, at, pattern, pattern_size, size, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(
	cl_command_queue q, void *at, const void *pattern, size_t pattern_size,
	size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
	cl_int e = cl_enter("clEnqueueSVMMemFill");

	return cl_leave(e ? e :
			    svm_fill(q, at, pattern, pattern_size, size,
				     &(struct wait_list){ n, list, event }));
}

/*
 * Mapping and migrating, which are orders only
 */

static cl_int nothing_submit(cl_command_queue q, cl_command_type type,
			     cl_bool blocking, const struct wait_list *w)
{
	const struct move_command m = { .type = type,
					.blocking = blocking,
					.nothing = true };

	return move_submit(q, &m, w);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMap(
	cl_command_queue q, cl_bool blocking, cl_map_flags flags, void *at,
	size_t size, cl_uint n, const cl_event *list, cl_event *event)
{
	const struct wait_list w = { n, list, event };
	cl_int e = cl_enter("clEnqueueSVMMap");

	if (!e)
		e = svm_check(q, &w);
	if (!e && (!at || !size || !map_flags_are_valid(flags)))
		e = CL_INVALID_VALUE;
	return cl_leave(
		e ? e : nothing_submit(q, CL_COMMAND_SVM_MAP, blocking, &w));
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue q, void *at,
						  cl_uint n,
						  const cl_event *list,
						  cl_event *event)
{
	const struct wait_list w = { n, list, event };
	cl_int e = cl_enter("clEnqueueSVMUnmap");

	if (!e)
		e = svm_check(q, &w);
	if (!e && !at)
		e = CL_INVALID_VALUE;
	return cl_leave(
		e ? e : nothing_submit(q, CL_COMMAND_SVM_UNMAP, CL_FALSE, &w));
}

/* Size 0 is the whole allocation, and the pointer must be its start. */
static bool can_migrate(const struct _cl_context *c, const void *at,
			size_t size)
{
	const struct svm *s = svm_find(at, size);

	return s && s->context == c && (size || s->base == at);
}

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint count, const void **list,
		       const size_t *sizes, cl_mem_migration_flags flags,
		       cl_uint n, const cl_event *events, cl_event *event)
{
	const cl_mem_migration_flags known =
		CL_MIGRATE_MEM_OBJECT_HOST |
		CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
	const struct wait_list w = { n, events, event };
	cl_int e = cl_enter("clEnqueueSVMMigrateMem");

	if (!e)
		e = svm_check(q, &w);
	if (!e && (!count || !list || flags & ~known))
		e = CL_INVALID_VALUE;
	for (cl_uint i = 0; !e && i < count; i++)
		if (!can_migrate(q->context, list[i], sizes ? sizes[i] : 0))
			e = CL_INVALID_VALUE;
	return cl_leave(e ? e :
			    nothing_submit(q, CL_COMMAND_SVM_MIGRATE_MEM,
					   CL_FALSE, &w));
}
