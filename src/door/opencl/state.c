#include "door/opencl/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/opencl/svm.h"

struct callback {
	struct callback *next;
	void (*fn)(void *);
	void *data;
	void *object; /* held until the call has ended; or NULL */
};

enum { MAP_ALIGN = 4096 };

static void *mapper_take(size_t size)
{
	return aligned_alloc(MAP_ALIGN,
			     (size + MAP_ALIGN - 1) / MAP_ALIGN * MAP_ALIGN);
}

static void mapper_drop(void *at, size_t size)
{
	(void)size;
	free(at);
}

static void *mapper_shared(const void *device)
{
	(void)device;
	return NULL;
}

static void *mapper_direct(void *host, size_t size)
{
	return svm_find(host, size) ? host : NULL;
}

static void *mapper_host(void *pointer)
{
	return pointer;
}

struct cl_state cl = { .lock = PTHREAD_MUTEX_INITIALIZER,
		       .changed = PTHREAD_COND_INITIALIZER,
		       .last = &cl.first,
		       .mapper = { mapper_take, mapper_drop, mapper_shared,
				   mapper_direct, mapper_host },
		       .svm = CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
			      CL_DEVICE_SVM_FINE_GRAIN_BUFFER };

/* The device that the calling thread uses with CUDA. */
static _Thread_local int cuda_device;

void cl_say(const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "heddle: %s\n", text);
}

static void device_describe(struct _cl_device_id *d, int number)
{
	struct rt_device_info info;

	d->dispatch = &cl_dispatch;
	d->number = number;
	d->cfg = rt_device_cfg(number);
	d->isa = d->cfg->gpu.core == CFG_CORE_CU ? DEVICE_GCN : DEVICE_PTX;
	rt_device_info(&info, number);
	snprintf(d->name, sizeof(d->name), "%s", info.name);
	d->memory = info.memory;
}

static void cl_start(void)
{
	cl.platform.dispatch = &cl_dispatch;
	cl.device_count = (cl_uint)rt_device_count();
	for (cl_uint i = 0; i < cl.device_count; i++)
		device_describe(&cl.devices[i], (int)i);
	cl.ready = true;
}

/* Lets go of what callbacks that have ended needed. */
static void callbacks_free(void)
{
	while (cl.called) {
		struct callback *next = cl.called->next;

		object_drop(cl.called->object);
		free(cl.called);
		cl.called = next;
	}
}

cl_int cl_enter(const char *name)
{
	int e;

	pthread_mutex_lock(&cl.lock);
	e = rt_enter(name, RT_ASK);
	if (e)
		return CL_OUT_OF_RESOURCES;
	cuda_device = rt_device();
	callbacks_free();
	if (!cl.ready)
		cl_start();
	return CL_SUCCESS;
}

static void callbacks_run(struct callback *c)
{
	while (c) {
		struct callback *next = c->next;

		c->fn(c->data);
		pthread_mutex_lock(&cl.lock);
		c->next = cl.called;
		cl.called = c;
		pthread_mutex_unlock(&cl.lock);
		c = next;
	}
}

cl_int cl_leave(cl_int e)
{
	struct callback *first = cl.first;

	cl.first = NULL;
	cl.last = &cl.first;
	rt_device_set(cuda_device);
	rt_leave_quietly(0);
	pthread_mutex_unlock(&cl.lock);
	callbacks_run(first);
	return e;
}

static void wait_for_change(void *unused)
{
	(void)unused;
	pthread_cond_wait(&cl.changed, &cl.lock);
}

void cl_wait(void)
{
	int device = cuda_device;

	rt_unlocked(wait_for_change, NULL);
	cuda_device = device;
}

static void run_unlocked(void *p)
{
	const struct callback *c = p;

	pthread_mutex_unlock(&cl.lock);
	c->fn(c->data);
	pthread_mutex_lock(&cl.lock);
}

void cl_unlocked(void (*fn)(void *), void *data)
{
	rt_unlocked(run_unlocked, &(struct callback){ .fn = fn, .data = data });
}

bool cl_call_later(void (*fn)(void *), void *data, void *object)
{
	struct callback *c = malloc(sizeof(*c));

	if (!c)
		return false;
	*c = (struct callback){ NULL, fn, data, object };
	if (object)
		object_hold(object);
	*cl.last = c;
	cl.last = &c->next;
	return true;
}

cl_int cl_error(int e)
{
	switch (e) {
	case cudaSuccess:
		return CL_SUCCESS;
	case cudaErrorMemoryAllocation:
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	case cudaErrorInvalidValue:
	case cudaErrorInvalidPitchValue:
		return CL_INVALID_VALUE;
	case cudaErrorInvalidConfiguration:
		return CL_INVALID_WORK_GROUP_SIZE;
	default:
		return CL_OUT_OF_RESOURCES;
	}
}
