/* Calls and waits, and functions of the program that are called back. */
#include "door/guest/lib/lib.h"

#include <stdlib.h>

int64_t gcl_call(enum gcl_function function, const uint64_t *words)
{
	int64_t result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((uint64_t)GCL_SYSCALL), "D"((uint64_t)function),
			   "S"(words)
			 : "rcx", "r11", "memory");
	return result;
}

int64_t gcl_program_call(enum gcl_function function, const uint64_t *words)
{
	int64_t result = gcl_call(function, words);

	gcl_callbacks_run();
	return result;
}

/*
 * Waiting
 */

cl_int gcl_wait(cl_uint count, const cl_event *list)
{
	cl_int e = CL_SUCCESS;
	const uint64_t words[] = { count, W(list), W(&e) };

	while (!gcl_call(GCL_WAIT, words))
		gcl_callbacks_run();
	gcl_callbacks_run();
	return e;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
	return gcl_wait(count, list);
}

cl_int clFinish(cl_command_queue q)
{
	cl_event all;
	cl_int e = clEnqueueMarkerWithWaitList(q, 0, NULL, &all);

	if (e)
		return e;
	e = gcl_wait(1, &all);
	clReleaseEvent(all);
	return e ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_event *gcl_begin(struct gcl_blocking *b, cl_bool blocks, cl_uint count,
		    const cl_event *list, cl_event *event)
{
	b->blocks = blocks;
	b->event = event ? event : blocks ? &b->own : NULL;
	if (blocks && count && list)
		gcl_wait(count, list);
	return b->event;
}

cl_int gcl_end(struct gcl_blocking *b, cl_int e)
{
	cl_int status = CL_SUCCESS;

	if (e || !b->blocks)
		return e;
	if (gcl_wait(1, b->event))
		clGetEventInfo(*b->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
			       sizeof(status), &status, NULL);
	if (b->event == &b->own)
		clReleaseEvent(b->own);
	return status < 0 ? status : CL_SUCCESS;
}

/*
 * Functions of the program that wait for an event, or for the end of a memory
 * object. Nothing interrupts the program: they are called at the end of its next
 * call of OpenCL after they are due.
 */
struct due {
	struct due *next;
	cl_event event; /* NULL: of a memory object */
	cl_int type;
	void(CL_CALLBACK *on_event)(cl_event, cl_int, void *);
	cl_mem mem;
	void(CL_CALLBACK *on_end)(cl_mem, void *);
	void *data;
};

/* The last one registered is the first, as objects want it. */
static struct due *callbacks;
static char callbacks_lock;

static void lock(void)
{
	while (__atomic_test_and_set(&callbacks_lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	__atomic_clear(&callbacks_lock, __ATOMIC_RELEASE);
}

/* Calls that do not lead here again. */
static bool callback_is_due(const struct due *c, cl_int *status)
{
	size_t size = 0;
	const uint64_t event[] = { W(c->event),
				   CL_EVENT_COMMAND_EXECUTION_STATUS,
				   sizeof(*status), W(status), W(&size) };
	const uint64_t mem[] = { W(c->mem), CL_MEM_SIZE, sizeof(size), W(&size),
				 0 };

	if (!c->event)
		return gcl_call(GCL_clGetMemObjectInfo, mem) != 0;
	return !gcl_call(GCL_clGetEventInfo, event) && *status <= c->type;
}

static struct due *callback_take(cl_int *status)
{
	struct due **at = &callbacks, *c;

	lock();
	while (*at && !callback_is_due(*at, status))
		at = &(*at)->next;
	c = *at;
	if (c)
		*at = c->next;
	unlock();
	return c;
}

void gcl_callbacks_run(void)
{
	struct due *c;
	cl_int status;

	while (callbacks && (c = callback_take(&status))) {
		const uint64_t event[] = { W(c->event) };

		if (c->event) {
			c->on_event(c->event, status < 0 ? status : c->type,
				    c->data);
			gcl_call(GCL_clReleaseEvent, event);
		} else {
			c->on_end(c->mem, c->data);
		}
		free(c);
	}
}

static cl_int callback_add(const struct due *c)
{
	struct due *copy = malloc(sizeof(*copy));

	if (!copy)
		return CL_OUT_OF_HOST_MEMORY;
	*copy = *c;
	lock();
	copy->next = callbacks;
	callbacks = copy;
	unlock();
	gcl_callbacks_run();
	return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int type,
			  void(CL_CALLBACK *fn)(cl_event, cl_int, void *),
			  void *data)
{
	cl_int e = clRetainEvent(event);

	if (e)
		return e;
	if (!fn || type < CL_COMPLETE || type > CL_SUBMITTED)
		e = CL_INVALID_VALUE;
	if (!e)
		e = callback_add(&(struct due){ .event = event,
						.type = type,
						.on_event = fn,
						.data = data });
	if (e)
		clReleaseEvent(event);
	return e;
}

cl_int clSetMemObjectDestructorCallback(cl_mem m,
					void(CL_CALLBACK *fn)(cl_mem, void *),
					void *data)
{
	size_t size;
	cl_int e =
		clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof(size), &size, NULL);

	if (!e && !fn)
		e = CL_INVALID_VALUE;
	return e ? e :
		   callback_add(&(struct due){
			   .mem = m, .on_end = fn, .data = data });
}
