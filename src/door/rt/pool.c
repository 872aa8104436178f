/* Memory pools, and allocation in the order of a stream. */
#include <stdlib.h>

#include "door/rt/alloc.h"
#include "door/rt/state.h"

static struct rt_pool *pool_find(struct rt_pool *p)
{
	return handle_is(&rt.handles, p, HANDLE_POOL) ? p : NULL;
}

int rt_pool_new(struct rt_pool **out, int device)
{
	struct rt_pool *p;

	if (!out || !device_at(device))
		return cudaErrorInvalidValue;
	p = calloc(1, sizeof(*p));
	if (!p || !handle_add(&rt.handles, p, HANDLE_POOL)) {
		free(p);
		return cudaErrorMemoryAllocation;
	}
	*p = (struct rt_pool){ .device = device, .reuse = { 1, 1, 1 } };
	*out = p;
	return cudaSuccess;
}

/* Memory allocated from the pool stays. A device's default pool cannot be
 * destroyed. */
int rt_pool_free(struct rt_pool *pool)
{
	struct rt_device *d;

	if (!pool_find(pool))
		return cudaErrorInvalidValue;
	d = &rt.devices[pool->device];
	if (pool == &d->pool)
		return cudaErrorInvalidValue;
	if (d->current_pool == pool)
		d->current_pool = &d->pool;
	alloc_detach_pool(pool);
	handle_remove(&rt.handles, pool);
	free(pool);
	return cudaSuccess;
}

static int pool_of(struct rt_pool **out, int device, bool current)
{
	struct rt_device *d = device_at(device);

	if (!out)
		return cudaErrorInvalidValue;
	if (!d)
		return cudaErrorInvalidDevice;
	*out = current ? d->current_pool : &d->pool;
	return cudaSuccess;
}

int rt_pool_default(struct rt_pool **out, int device)
{
	return pool_of(out, device, false);
}

int rt_pool_current(struct rt_pool **out, int device)
{
	return pool_of(out, device, true);
}

int rt_pool_use(int device, struct rt_pool *pool)
{
	struct rt_device *d = device_at(device);

	if (!d)
		return cudaErrorInvalidDevice;
	if (!pool_find(pool) || pool->device != device)
		return cudaErrorInvalidValue;
	d->current_pool = pool;
	return cudaSuccess;
}

static uint64_t *pool_counter(struct rt_pool *p, int attribute)
{
	switch (attribute) {
	case cudaMemPoolAttrReleaseThreshold:
		return &p->threshold;
	/* A pool keeps no free memory: what is reserved is what is used. */
	case cudaMemPoolAttrReservedMemCurrent:
	case cudaMemPoolAttrUsedMemCurrent:
		return &p->used;
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		return &p->used_high;
	default:
		return NULL;
	}
}

static bool is_reuse(int attribute)
{
	return attribute >= cudaMemPoolReuseFollowEventDependencies &&
	       attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

int rt_pool_get(struct rt_pool *pool, int attribute, void *value)
{
	const uint64_t *c;

	if (!pool_find(pool) || !value)
		return cudaErrorInvalidValue;
	if (is_reuse(attribute)) {
		*(int *)value = pool->reuse[attribute - 1];
		return cudaSuccess;
	}
	c = pool_counter(pool, attribute);
	if (!c)
		return cudaErrorInvalidValue;
	*(uint64_t *)value = *c;
	return cudaSuccess;
}

/* The high-water marks can only be reset. */
int rt_pool_set(struct rt_pool *pool, int attribute, const void *value)
{
	if (!pool_find(pool) || !value)
		return cudaErrorInvalidValue;
	if (is_reuse(attribute)) {
		pool->reuse[attribute - 1] = *(const int *)value;
		return cudaSuccess;
	}
	if (attribute == cudaMemPoolAttrReleaseThreshold) {
		pool->threshold = *(const uint64_t *)value;
		return cudaSuccess;
	}
	if ((attribute != cudaMemPoolAttrReservedMemHigh &&
	     attribute != cudaMemPoolAttrUsedMemHigh) ||
	    *(const uint64_t *)value)
		return cudaErrorInvalidValue;
	pool->used_high = pool->used;
	return cudaSuccess;
}

int rt_pool_device(struct rt_pool *pool, int *device)
{
	if (!pool_find(pool))
		return cudaErrorInvalidValue;
	*device = pool->device;
	return cudaSuccess;
}

static uint64_t *graph_counter(struct rt_pool *p, int attribute)
{
	switch (attribute) {
	case cudaGraphMemAttrUsedMemCurrent:
	case cudaGraphMemAttrReservedMemCurrent:
		return &p->used;
	case cudaGraphMemAttrUsedMemHigh:
	case cudaGraphMemAttrReservedMemHigh:
		return &p->used_high;
	default:
		return NULL;
	}
}

int rt_graph_memory_get(int device, int attribute, uint64_t *value)
{
	struct rt_device *d = device_at(device);
	const uint64_t *c = d ? graph_counter(&d->graph_pool, attribute) : NULL;

	if (!d)
		return cudaErrorInvalidDevice;
	if (!c || !value)
		return cudaErrorInvalidValue;
	*value = *c;
	return cudaSuccess;
}

int rt_graph_memory_set(int device, int attribute, const uint64_t *value)
{
	struct rt_device *d = device_at(device);

	if (!d)
		return cudaErrorInvalidDevice;
	if (!value || *value ||
	    graph_counter(&d->graph_pool, attribute) !=
		    &d->graph_pool.used_high)
		return cudaErrorInvalidValue;
	d->graph_pool.used_high = d->graph_pool.used;
	return cudaSuccess;
}

int rt_malloc_async(void **out, size_t size, struct rt_pool *pool,
		    struct rt_stream *s)
{
	struct rt_work w = { .kind = RT_NODE_ALLOC, .memory.size = size };
	int e;

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (!out || (pool && !pool_find(pool)))
		return cudaErrorInvalidValue;
	if (s->capture) {
		e = work_submit(s, &w);
		if (!e)
			*out = w.memory.p;
		return e;
	}
	rt_flush();
	return memory_alloc(out, size, s->device,
			    pool ? pool : rt.devices[s->device].current_pool);
}

int rt_free_async(void *p, struct rt_stream *s)
{
	struct rt_work w = { .kind = RT_NODE_FREE, .memory.p = p };

	s = stream_find(s);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	return p ? work_submit(s, &w) : cudaSuccess;
}
