/* Attributes of kernels, and occupancy. */
#include <stdint.h>
#include <string.h>

#include "door/rt/module.h"

enum { DEFAULT_SHARED = 48 << 10 };

/* Dynamic shared memory that a kernel may use without opting in. */
static int func_default_dynamic(const struct rt_device *d,
				const struct heddle_kernel *k)
{
	int64_t max = d->sheet.cfg.sm.block_shared < DEFAULT_SHARED ?
			      d->sheet.cfg.sm.block_shared :
			      DEFAULT_SHARED;

	return max > k->shared_bytes ? (int)(max - k->shared_bytes) : 0;
}

int func_max_dynamic(const struct rt_device *d, const struct device_func *x)
{
	return x->max_dynamic >= 0 ? x->max_dynamic :
				     func_default_dynamic(d, x->kernel);
}

/* The registers limit a kernel that was compiled without launch bounds. */
static int func_max_threads(const struct rt_device *d,
			    const struct heddle_kernel *k)
{
	const struct cfg *c = &d->sheet.cfg;
	int64_t max = c->sm.block_threads, held;
	uint32_t needed = k->registers_estimate;

	if (k->max_threads)
		return (int)k->max_threads;
	if (!needed)
		return (int)max;
	held = c->sm.registers / needed / c->sm.warp_size * c->sm.warp_size;
	return (int)(held < max ? held : max);
}

int rt_func_info(struct rt_func_info *out, struct rt_func *f)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	const struct heddle_kernel *k;
	struct device_func *x;
	bool machine;
	int e;

	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	e = func_load(f, d, &x);
	if (e)
		return e;
	k = x->kernel;
	machine = isa_is_machine(k->isa);
	*out = (struct rt_func_info){
		.name = f->name,
		.shared_bytes = k->shared_bytes,
		.const_bytes = k->const_bytes,
		.local_bytes = k->local_bytes,
		.max_threads = func_max_threads(d, k),
		.registers = (int)k->registers_estimate,
		.ptx_version = (int)k->ptx_version,
		.binary_version = (int)(machine ? k->ptx_version : d->sm),
		.max_dynamic_shared = func_max_dynamic(d, x),
		.carveout = f->carveout,
		.cache = f->cache,
		.param_count = k->param_count,
		.param_bytes = k->param_bytes,
	};
	return cudaSuccess;
}

int rt_func_param(size_t *offset, size_t *size, struct rt_func *f, size_t i)
{
	struct device_func *x;
	int e;

	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	e = func_load(f, &rt.devices[rt_thread()->device], &x);
	if (e)
		return e;
	if (!offset || i >= x->kernel->param_count)
		return cudaErrorInvalidValue;
	*offset = x->kernel->params[i].offset;
	if (size)
		*size = x->kernel->params[i].size;
	return cudaSuccess;
}

static int func_set_dynamic(struct rt_device *d, struct device_func *x,
			    int value)
{
	int64_t max =
		d->sheet.cfg.sm.block_shared - (int64_t)x->kernel->shared_bytes;

	if (value < 0 || value > max)
		return cudaErrorInvalidValue;
	x->max_dynamic = value;
	return cudaSuccess;
}

/* Attributes of clusters are accepted without effect: there are no clusters. */
int rt_func_set(struct rt_func *f, int attribute, int value)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	struct device_func *x;
	int e;

	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	e = func_load(f, d, &x);
	if (e)
		return e;
	switch (attribute) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		return func_set_dynamic(d, x, value);
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		if (value < cudaSharedmemCarveoutDefault || value > 100)
			return cudaErrorInvalidValue;
		f->carveout = value;
		return cudaSuccess;
	case cudaFuncAttributeNonPortableClusterSizeAllowed:
	case cudaFuncAttributeClusterSchedulingPolicyPreference:
		return cudaSuccess;
	default:
		return cudaErrorInvalidValue;
	}
}

int rt_func_cache(struct rt_func *f, int cache)
{
	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	if (cache < cudaFuncCachePreferNone || cache > cudaFuncCachePreferEqual)
		return cudaErrorInvalidValue;
	f->cache = cache;
	return cudaSuccess;
}

int rt_func_module(struct rt_module **out, struct rt_func *f)
{
	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	*out = f->module;
	return cudaSuccess;
}

int func_check_supported(const struct rt_func *f, struct rt_device *d,
			 struct device_func *x)
{
	if (!x->kernel->refused)
		return cudaSuccess;
	if (!x->reported)
		rt_say("error: %s%s", x->kernel->refused,
		       f->module->on[d->number].advice);
	x->reported = true;
	return cudaErrorInvalidPtx;
}

int func_occupancy(struct rt_func *f, struct rt_device *d, uint32_t threads,
		   uint64_t dynamic, uint32_t *blocks)
{
	struct device_func *x;
	int e = func_load(f, d, &x);

	if (!e)
		e = func_check_supported(f, d, x);
	if (e)
		return e;
	if (!x->known || x->threads != threads || x->dynamic != dynamic) {
		if (heddle_occupancy(d->sim, f->module->on[d->number].mod,
				     f->name, threads, dynamic, &x->blocks,
				     NULL))
			return cudaErrorInvalidValue;
		x->known = true;
		x->threads = threads;
		x->dynamic = dynamic;
	}
	*blocks = x->blocks;
	return cudaSuccess;
}

int rt_occupancy(int *blocks, struct rt_func *f, int threads, size_t dynamic)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	struct device_func *x;
	uint32_t n = 0;
	int e;

	if (!func_find(f))
		return cudaErrorInvalidResourceHandle;
	if (!blocks || threads <= 0)
		return cudaErrorInvalidValue;
	e = func_load(f, d, &x);
	if (e)
		return e;
	if (threads <= func_max_threads(d, x->kernel) &&
	    dynamic <= (size_t)d->sheet.cfg.sm.block_shared)
		e = func_occupancy(f, d, (uint32_t)threads, dynamic, &n);
	*blocks = (int)n;
	return e;
}

/* The maximum dynamic shared memory of the kernel with which that many blocks
 * fit. */
int rt_occupancy_shared(size_t *dynamic, struct rt_func *f, int blocks,
			int threads)
{
	struct rt_device *d = &rt.devices[rt_thread()->device];
	size_t low = 0, high;
	struct device_func *x;
	int n, e;

	if (!dynamic || blocks <= 0)
		return cudaErrorInvalidValue;
	e = rt_occupancy(&n, f, threads, 0);
	if (e)
		return e;
	if (n < blocks)
		return cudaErrorInvalidValue;
	e = func_load(f, d, &x);
	if (e)
		return e;
	high = (size_t)func_max_dynamic(d, x) + 1;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		e = rt_occupancy(&n, f, threads, mid);
		if (e)
			return e;
		if (n >= blocks)
			low = mid;
		else
			high = mid;
	}
	*dynamic = low;
	return cudaSuccess;
}
