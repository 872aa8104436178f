#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "door/rt/alloc.h"
#include "door/rt/state.h"

enum {
	PITCH = 512,
	HOST_ALLOC_FLAGS = 7, /* portable, mapped, write-combined */
	HOST_REGISTER_FLAGS = 15,
};

static int status_error(int status)
{
	return status == HEDDLE_NOMEM ? cudaErrorMemoryAllocation :
	       status                 ? cudaErrorInvalidValue :
					cudaSuccess;
}

static void *pointer(uint64_t at)
{
	return (void *)(uintptr_t)at;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Shared memory is made by one device and mapped by the others. */
static void unmap(uint64_t base, int but)
{
	for (int i = 0; i < rt.device_count; i++)
		if (i != but && rt.devices[i].sim)
			heddle_unmap(rt.devices[i].sim, pointer(base), NULL);
}

/* A device that is not open yet maps it when it is. */
static int map(uint64_t base, uint64_t size, int but)
{
	for (int i = 0; i < rt.device_count; i++) {
		struct heddle_device *sim = rt.devices[i].sim;
		int e;

		if (i == but || !sim)
			continue;
		e = status_error(heddle_map(sim, pointer(base), size, NULL));
		if (e) {
			unmap(base, but);
			return e;
		}
	}
	return cudaSuccess;
}

int memory_attach(struct rt_device *d)
{
	const struct alloc *a;

	for (size_t i = 0; (a = alloc_at(i)); i++) {
		int e = cudaSuccess;

		if (a->kind != RT_DEVICE)
			e = status_error(heddle_map(d->sim, pointer(a->base),
						    a->size, NULL));
		if (e)
			return e;
	}
	return cudaSuccess;
}

/* Gives the memory back; the record stays. */
static void release(const struct alloc *a)
{
	struct heddle_device *sim = rt.devices[a->device].sim;

	if (a->registered) {
		unmap(a->base, -1);
		return;
	}
	if (a->kind != RT_DEVICE)
		unmap(a->base, a->device);
	if (!a->variable)
		heddle_free(sim, a->base, NULL);
}

/* Keeps the record of what was made, or unmakes it. */
static int keep(void **out, struct alloc *a)
{
	a->id = ++rt.next_id;
	a->advice = (struct advice){ .preferred = cudaInvalidDeviceId,
				     .prefetched = cudaInvalidDeviceId };
	if (!alloc_add(a)) {
		release(a);
		return cudaErrorMemoryAllocation;
	}
	*out = pointer(a->base);
	return cudaSuccess;
}

static void pool_count(struct rt_pool *pool, uint64_t size, bool taken)
{
	pool->used = taken ? pool->used + size : pool->used - size;
	if (pool->used > pool->used_high)
		pool->used_high = pool->used;
}

int memory_alloc(void **out, size_t size, int device, struct rt_pool *pool)
{
	struct rt_device *d = &rt.devices[device];
	struct alloc a = {
		.size = size, .kind = RT_DEVICE, .device = device, .pool = pool
	};
	int e = device_open(d);

	*out = NULL;
	if (!e && size)
		e = status_error(heddle_alloc(d->sim, size, &a.base, NULL));
	if (e || !size)
		return e;
	e = keep(out, &a);
	if (!e && pool)
		pool_count(pool, size, true);
	return e;
}

/* Memory that the host sees, too. */
static int alloc_shared(void **out, size_t size, enum rt_memory kind,
			unsigned flags)
{
	struct rt_device *d;
	void *p = NULL;
	struct alloc a = { .size = size, .kind = kind, .flags = flags };
	int e = current_device(&d);

	*out = NULL;
	if (e || !size)
		return e;
	a.device = d->number;
	e = status_error(heddle_alloc_shared(d->sim, size, &p, NULL));
	if (e)
		return e;
	a.base = address(p);
	e = map(a.base, size, a.device);
	if (e) {
		heddle_free(d->sim, a.base, NULL);
		return e;
	}
	return keep(out, &a);
}

int rt_malloc(void **out, size_t size)
{
	int e = capture_forbids();

	if (e)
		return e;
	return out ? memory_alloc(out, size, rt_thread()->device, NULL) :
		     cudaErrorInvalidValue;
}

int rt_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height,
		    size_t depth)
{
	uint64_t row = (width + PITCH - 1) / PITCH * PITCH, rows, size;

	if (!out || !pitch || row < width)
		return cudaErrorInvalidValue;
	if (__builtin_mul_overflow(height, depth, &rows) ||
	    __builtin_mul_overflow(rows, row, &size))
		return cudaErrorMemoryAllocation;
	*pitch = row;
	return rt_malloc(out, size);
}

int rt_malloc_managed(void **out, size_t size, unsigned flags)
{
	int e = capture_forbids();

	if (e)
		return e;
	if (!out ||
	    (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return cudaErrorInvalidValue;
	return alloc_shared(out, size, RT_MANAGED, flags);
}

int rt_host_alloc(void **out, size_t size, unsigned flags)
{
	if (!out || flags & ~(unsigned)HOST_ALLOC_FLAGS)
		return cudaErrorInvalidValue;
	return alloc_shared(out, size, RT_HOST, flags);
}

/* The allocation that begins at p. */
static struct alloc *begins(const void *p)
{
	struct alloc *a = alloc_find(address(p));

	return a && a->base == address(p) ? a : NULL;
}

static void give_back(struct alloc *a)
{
	if (a->pool)
		pool_count(a->pool, a->size, false);
	release(a);
	alloc_remove(a);
}

int memory_release(void *p)
{
	struct alloc *a = begins(p);

	if (!a || a->kind == RT_HOST || a->variable || (a->nodes && !a->in_use))
		return cudaErrorInvalidValue;
	if (a->nodes)
		a->in_use = false;
	else
		give_back(a);
	return cudaSuccess;
}

void memory_node(void *p, bool made)
{
	struct alloc *a = begins(p);

	/* A device that was reset has forgotten it. */
	if (!a || (!made && !a->nodes))
		return;
	a->nodes = made ? a->nodes + 1 : a->nodes - 1;
	if (!a->nodes && !a->in_use)
		give_back(a);
}

void memory_node_ran(void *p, bool allocates)
{
	struct alloc *a = begins(p);

	if (a && a->nodes)
		a->in_use = allocates;
}

int rt_free(void *p)
{
	struct rt_device *d;
	int e = capture_forbids();

	if (e)
		return e;
	/* Programs call cudaFree(0) to have the device made. */
	if (!p)
		return current_device(&d);
	rt_flush();
	return memory_release(p);
}

int rt_host_free(void *p)
{
	struct alloc *a = begins(p);

	if (!p)
		return cudaSuccess;
	if (!a || a->kind != RT_HOST || a->registered)
		return cudaErrorInvalidValue;
	rt_flush();
	release(a);
	alloc_remove(a);
	return cudaSuccess;
}

int rt_host_register(void *p, size_t size, unsigned flags)
{
	struct alloc a = { .base = address(p),
			   .size = size,
			   .kind = RT_HOST,
			   .device = rt_thread()->device,
			   .flags = flags,
			   .registered = true };
	void *same;
	int e;

	if (!p || !size || a.base + size < a.base ||
	    flags & ~(unsigned)HOST_REGISTER_FLAGS)
		return cudaErrorInvalidValue;
	if (alloc_overlap(a.base, size))
		return cudaErrorHostMemoryAlreadyRegistered;
	e = map(a.base, size, -1);
	return e ? e : keep(&same, &a);
}

int rt_host_unregister(void *p)
{
	struct alloc *a = begins(p);

	if (!p)
		return cudaErrorInvalidValue;
	if (!a || !a->registered)
		return cudaErrorHostMemoryNotRegistered;
	rt_flush();
	release(a);
	alloc_remove(a);
	return cudaSuccess;
}

int rt_host_device_pointer(void **out, void *p)
{
	const struct alloc *a = alloc_find(address(p));

	if (!out || !a || a->kind != RT_HOST)
		return cudaErrorInvalidValue;
	*out = p;
	return cudaSuccess;
}

int rt_host_flags(unsigned *out, void *p)
{
	const struct alloc *a = alloc_find(address(p));

	if (!out || !a || a->kind != RT_HOST)
		return cudaErrorInvalidValue;
	*out = a->flags | cudaHostAllocMapped;
	if (!a->registered)
		*out &= ~(unsigned)cudaHostAllocPortable;
	return cudaSuccess;
}

/* Variables of modules are not in our list, the simulator knows them. */
static bool find_variable(struct rt_pointer *out, uint64_t at)
{
	uint64_t base, size;

	for (int i = 0; i < rt.device_count; i++) {
		if (!rt.devices[i].sim ||
		    heddle_range(rt.devices[i].sim, at, &base, &size, NULL))
			continue;
		*out = (struct rt_pointer){ .kind = RT_DEVICE,
					    .device = i,
					    .on_device = pointer(at),
					    .base = pointer(base),
					    .size = size };
		return true;
	}
	return false;
}

void rt_pointer(struct rt_pointer *out, const void *p)
{
	uint64_t at = address(p);
	const struct alloc *a = alloc_find(at);

	if (!a) {
		if (!find_variable(out, at))
			*out = (struct rt_pointer){ .device =
							    cudaInvalidDeviceId,
						    .on_host = pointer(at) };
		return;
	}
	*out = (struct rt_pointer){
		.kind = a->kind,
		.device = a->device,
		.on_device = pointer(at),
		.on_host = a->kind == RT_DEVICE ? NULL : pointer(at),
		.base = pointer(a->base),
		.size = a->size,
		.flags = a->flags,
		.id = a->id,
		.pooled = a->pool != NULL,
	};
}

int memory_add_variable(uint64_t at, uint64_t size, int device)
{
	struct alloc a = { .base = at,
			   .size = size,
			   .kind = RT_MANAGED,
			   .device = device,
			   .flags = cudaMemAttachGlobal,
			   .variable = true };
	void *same;
	int e = map(at, size, device);

	return e ? e : keep(&same, &a);
}

void memory_drop_variable(uint64_t at)
{
	struct alloc *a = alloc_find(at);

	if (!a || !a->variable || a->base != at)
		return;
	release(a);
	alloc_remove(a);
}

void memory_reset(int device)
{
	struct alloc *a;

	while ((a = alloc_of_device(device))) {
		release(a);
		alloc_remove(a);
	}
}
