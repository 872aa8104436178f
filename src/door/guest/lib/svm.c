/*
 * Shared virtual memory, and what the program maps: both are its own memory, which
 * it accesses through its caches. Where these are not coherent with the GPU, the
 * library flushes what was mapped.
 */
#include "door/guest/lib/lib.h"

#include <stdlib.h>
#include <string.h>

struct mapped {
	struct mapped *next;
	void *at;
	size_t size;
};

static struct mapped *all_mapped;
static char mapped_lock;

static void lock(void)
{
	while (__atomic_test_and_set(&mapped_lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_clear(&mapped_lock, __ATOMIC_RELEASE);
}

void gcl_mapped(void *at, size_t size)
{
	struct mapped *m;

	if (!gcl_flushes())
		return;
	gcl_flush(at, size);
	m = malloc(sizeof(*m));
	if (!m)
		return;
	lock();
	*m = (struct mapped){ all_mapped, at, size };
	all_mapped = m;
	unlock();
}

void gcl_unmapped(void *at)
{
	struct mapped **p = &all_mapped, *m;

	lock();
	while (*p && (*p)->at != at)
		p = &(*p)->next;
	m = *p;
	if (m)
		*p = m->next;
	unlock();
	if (m)
		gcl_flush(m->at, m->size);
	free(m);
}

/*
 * The functions of OpenCL
 */

#define CALL(name, ...)                                        \
	({                                                     \
		const uint64_t words_[] = { __VA_ARGS__ };     \
                                                               \
		(cl_int) gcl_program_call(GCL_##name, words_); \
	})

void clSVMFree(cl_context c, void *at)
{
	(void)CALL(clSVMFree, W(c), W(at));
}

cl_int clEnqueueSVMMemcpy(cl_command_queue q, cl_bool blocks, void *to,
			  const void *from, size_t size, cl_uint n,
			  const cl_event *list, cl_event *event)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);

	return gcl_end(&b, CALL(clEnqueueSVMMemcpy, W(q), CL_FALSE, W(to),
				W(from), size, n, W(list), W(place)));
}

cl_int clEnqueueSVMMap(cl_command_queue q, cl_bool blocks, cl_map_flags flags,
		       void *at, size_t size, cl_uint n, const cl_event *list,
		       cl_event *event)
{
	struct gcl_blocking b;
	cl_event *place = gcl_begin(&b, blocks, n, list, event);
	cl_int e = gcl_end(&b, CALL(clEnqueueSVMMap, W(q), CL_FALSE, flags,
				    W(at), size, n, W(list), W(place)));

	if (!e)
		gcl_mapped(at, size);
	return e;
}

cl_int clEnqueueSVMUnmap(cl_command_queue q, void *at, cl_uint n,
			 const cl_event *list, cl_event *event)
{
	gcl_unmapped(at);
	return CALL(clEnqueueSVMUnmap, W(q), W(at), n, W(list), W(event));
}

/*
 * The program's function that frees is called when the command has ended, like all
 * others that wait for events.
 */
struct freeing {
	cl_command_queue queue;
	gcl_svm_function *fn;
	void *data;
	cl_uint count;
	void *list[];
};

static void CL_CALLBACK freeing_run(cl_event e, cl_int status, void *p)
{
	struct freeing *f = p;

	(void)e, (void)status;
	f->fn(f->queue, f->count, f->list, f->data);
	clReleaseCommandQueue(f->queue);
	free(f);
}

static struct freeing *freeing_new(cl_command_queue q, cl_uint count,
				   void **list, gcl_svm_function *fn,
				   void *data)
{
	struct freeing *f = malloc(sizeof(*f) + count * sizeof(*list));

	if (!f)
		return NULL;
	*f = (struct freeing){ q, fn, data, count };
	if (count && list)
		memcpy(f->list, list, count * sizeof(*list));
	return f;
}

/* Gives the command its function. */
static cl_int free_with(struct freeing *f, cl_event own, cl_event *event)
{
	cl_int e = clRetainCommandQueue(f->queue);

	if (!e)
		e = clSetEventCallback(own, CL_COMPLETE, freeing_run, f);
	if (event)
		*event = own;
	else
		clReleaseEvent(own);
	return e;
}

cl_int clEnqueueSVMFree(cl_command_queue q, cl_uint count, void *list[],
			gcl_svm_function *fn, void *data, cl_uint n,
			const cl_event *events, cl_event *event)
{
	struct freeing *f = NULL;
	cl_event own;
	cl_int e;

	if (fn) {
		f = freeing_new(q, count, list, fn, data);
		if (!f)
			return CL_OUT_OF_HOST_MEMORY;
	}
	e = CALL(clEnqueueSVMFree, W(q), count, W(list), W(fn), W(data), n,
		 W(events), W(f ? &own : event));
	if (f && !e)
		return free_with(f, own, event);
	free(f);
	return e;
}
