/* Device, pinned, managed and registered memory. */
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

static void *to_pointer(uint64_t at)
{
	return (void *)(uintptr_t)at;
}

static uint64_t to_address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* One device allocates memory that the host shares; the others map it. Unmaps
 * it from all devices but one. */
static void unmap_others(uint64_t base, int but)
{
	for (int i = 0; i < rt.device_count; i++)
		if (i != but && rt.devices[i].sim)
			heddle_unmap(rt.devices[i].sim, to_pointer(base), NULL);
}

/* Maps it into a device. Only managed memory comes nearer when the device uses
 * it. */
static int map_into(struct heddle_device *sim, uint64_t base, uint64_t size,
		    enum rt_memory kind)
{
	int e = heddle_map(sim, to_pointer(base), size, NULL);

	if (!e && kind == RT_HOST)
		e = heddle_stay(sim, base, NULL);
	return status_error(e);
}

/* Maps it into all open devices but one; devices that are opened later map it
 * in memory_attach. */
static int map_others(uint64_t base, uint64_t size, int but,
		      enum rt_memory kind)
{
	for (int i = 0; i < rt.device_count; i++) {
		struct heddle_device *sim = rt.devices[i].sim;
		int e;

		if (i == but || !sim)
			continue;
		e = map_into(sim, base, size, kind);
		if (e) {
			unmap_others(base, but);
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
			e = map_into(d->sim, a->base, a->size, a->kind);
		if (e)
			return e;
	}
	return cudaSuccess;
}

/* Frees the memory but keeps the record. */
static void alloc_free_memory(const struct alloc *a)
{
	struct heddle_device *sim = rt.devices[a->device].sim;

	if (a->registered) {
		unmap_others(a->base, -1);
		return;
	}
	if (a->kind != RT_DEVICE)
		unmap_others(a->base, a->device);
	if (!a->variable)
		heddle_free(sim, a->base, NULL);
}

/* Records the allocation, or frees it if that fails. */
static int alloc_record(void **out, struct alloc *a)
{
	a->id = ++rt.next_id;
	a->advice = (struct advice){ .preferred = cudaInvalidDeviceId,
				     .prefetched = cudaInvalidDeviceId };
	if (!alloc_add(a)) {
		alloc_free_memory(a);
		return cudaErrorMemoryAllocation;
	}
	*out = to_pointer(a->base);
	return cudaSuccess;
}

static void pool_account(struct rt_pool *pool, uint64_t size, bool taken)
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
	e = alloc_record(out, &a);
	if (!e && pool)
		pool_account(pool, size, true);
	return e;
}

/* Allocates memory that the host can access as well. */
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
	a.base = to_address(p);
	if (kind == RT_HOST)
		e = status_error(heddle_stay(d->sim, a.base, NULL));
	e = e ? e : map_others(a.base, size, a.device, kind);
	if (e) {
		heddle_free(d->sim, a.base, NULL);
		return e;
	}
	return alloc_record(out, &a);
}

int rt_malloc(void **out, size_t size)
{
	int e = capture_check_unsafe();

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
	int e = capture_check_unsafe();

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
static struct alloc *alloc_starting_at(const void *p)
{
	struct alloc *a = alloc_find(to_address(p));

	return a && a->base == to_address(p) ? a : NULL;
}

static void alloc_free(struct alloc *a)
{
	if (a->pool)
		pool_account(a->pool, a->size, false);
	alloc_free_memory(a);
	alloc_remove(a);
}

int memory_release(void *p)
{
	struct alloc *a = alloc_starting_at(p);

	if (!a || a->kind == RT_HOST || a->variable || (a->nodes && !a->in_use))
		return cudaErrorInvalidValue;
	if (a->nodes)
		a->in_use = false;
	else
		alloc_free(a);
	return cudaSuccess;
}

void memory_node_count(void *p, bool made)
{
	struct alloc *a = alloc_starting_at(p);

	/* A reset of the device has removed it. */
	if (!a || (!made && !a->nodes))
		return;
	a->nodes = made ? a->nodes + 1 : a->nodes - 1;
	if (!a->nodes && !a->in_use)
		alloc_free(a);
}

void memory_node_ran(void *p, bool allocates)
{
	struct alloc *a = alloc_starting_at(p);

	if (a && a->nodes)
		a->in_use = allocates;
}

int rt_free(void *p)
{
	struct rt_device *d;
	int e = capture_check_unsafe();

	if (e)
		return e;
	/* Programs call cudaFree(0) to initialize the device. */
	if (!p)
		return current_device(&d);
	rt_flush();
	return memory_release(p);
}

int rt_host_free(void *p)
{
	struct alloc *a = alloc_starting_at(p);

	if (!p)
		return cudaSuccess;
	if (!a || a->kind != RT_HOST || a->registered)
		return cudaErrorInvalidValue;
	rt_flush();
	alloc_free_memory(a);
	alloc_remove(a);
	return cudaSuccess;
}

int rt_host_register(void *p, size_t size, unsigned flags)
{
	struct alloc a = { .base = to_address(p),
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
	e = map_others(a.base, size, -1, RT_HOST);
	return e ? e : alloc_record(&same, &a);
}

int rt_host_unregister(void *p)
{
	struct alloc *a = alloc_starting_at(p);

	if (!p)
		return cudaErrorInvalidValue;
	if (!a || !a->registered)
		return cudaErrorHostMemoryNotRegistered;
	rt_flush();
	alloc_free_memory(a);
	alloc_remove(a);
	return cudaSuccess;
}

int rt_host_device_pointer(void **out, void *p)
{
	const struct alloc *a = alloc_find(to_address(p));

	if (!out || !a || a->kind != RT_HOST)
		return cudaErrorInvalidValue;
	*out = p;
	return cudaSuccess;
}

int rt_host_flags(unsigned *out, void *p)
{
	const struct alloc *a = alloc_find(to_address(p));

	if (!out || !a || a->kind != RT_HOST)
		return cudaErrorInvalidValue;
	*out = a->flags | cudaHostAllocMapped;
	if (!a->registered)
		*out &= ~(unsigned)cudaHostAllocPortable;
	return cudaSuccess;
}

/* Variables of modules are not in our list, but the simulator knows them. */
static bool find_variable(struct rt_pointer *out, uint64_t at)
{
	uint64_t base, size;

	for (int i = 0; i < rt.device_count; i++) {
		if (!rt.devices[i].sim ||
		    heddle_range(rt.devices[i].sim, at, &base, &size, NULL))
			continue;
		*out = (struct rt_pointer){ .kind = RT_DEVICE,
					    .device = i,
					    .on_device = to_pointer(at),
					    .base = to_pointer(base),
					    .size = size };
		return true;
	}
	return false;
}

void rt_pointer(struct rt_pointer *out, const void *p)
{
	uint64_t at = to_address(p);
	const struct alloc *a = alloc_find(at);

	if (!a) {
		if (!find_variable(out, at))
			*out = (struct rt_pointer){ .device =
							    cudaInvalidDeviceId,
						    .on_host = to_pointer(at) };
		return;
	}
	*out = (struct rt_pointer){
		.kind = a->kind,
		.device = a->device,
		.on_device = to_pointer(at),
		.on_host = a->kind == RT_DEVICE ? NULL : to_pointer(at),
		.base = to_pointer(a->base),
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
	int e = map_others(at, size, device, RT_MANAGED);

	return e ? e : alloc_record(&same, &a);
}

void memory_drop_variable(uint64_t at)
{
	struct alloc *a = alloc_find(at);

	if (!a || !a->variable || a->base != at)
		return;
	alloc_free_memory(a);
	alloc_remove(a);
}

void memory_reset(int device)
{
	struct alloc *a;

	while ((a = alloc_of_device(device))) {
		alloc_free_memory(a);
		alloc_remove(a);
	}
}
