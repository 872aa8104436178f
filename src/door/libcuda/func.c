#include "door/libcuda/api.h"

static int func_get_attribute(int *out, int attribute, CUfunction f)
{
	struct rt_func_info i;
	int e = rt_func_info(&i, (void *)f);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*out = i.max_threads;
		return 0;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*out = (int)i.shared_bytes;
		return 0;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*out = (int)i.const_bytes;
		return 0;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*out = (int)i.local_bytes;
		return 0;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*out = i.registers;
		return 0;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*out = i.ptx_version;
		return 0;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*out = i.binary_version;
		return 0;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*out = i.max_dynamic_shared;
		return 0;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*out = i.carveout;
		return 0;
	/* There are no cache modes and no clusters. */
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*out = 0;
		return 0;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static int cu_func_get_name(const char **out, CUfunction f)
{
	struct rt_func_info i;
	int e = out ? rt_func_info(&i, (void *)f) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = i.name;
	return e;
}

static int func_is_loaded(CUfunctionLoadingState *out, CUfunction f)
{
	struct rt_func_info i;
	int e = out ? rt_func_info(&i, (void *)f) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*out = CU_FUNCTION_LOADING_STATE_LOADED;
	return e;
}

static int func_check(CUfunction f)
{
	struct rt_func_info i;

	return rt_func_info(&i, (void *)f);
}

API_HANDLE(cuFuncGetAttribute,
	   (int *out, CUfunction_attribute attribute, CUfunction f),
	   func_get_attribute(out, (int)attribute, f))
API_HANDLE(cuFuncSetAttribute,
	   (CUfunction f, CUfunction_attribute attribute, int value),
	   rt_func_set((void *)f, (int)attribute, value))
API_HANDLE(cuFuncSetCacheConfig, (CUfunction f, CUfunc_cache cache),
	   rt_func_cache((void *)f, (int)cache))
/* The width of banks is fixed. */
API_HANDLE(cuFuncSetSharedMemConfig, (CUfunction f, CUsharedconfig config),
	   ((void)config, func_check(f)))
API_HANDLE(cuFuncGetModule, (CUmodule * out, CUfunction f),
	   NEED(out, rt_func_module((void *)out, (void *)f)))
API_HANDLE(cuFuncGetName, (const char **out, CUfunction f),
	   cu_func_get_name(out, f))
API_HANDLE(cuFuncGetParamInfo,
	   (CUfunction f, size_t i, size_t *offset, size_t *size),
	   rt_func_param(offset, size, (void *)f, i))
API(cuFuncIsLoaded, (CUfunctionLoadingState * out, CUfunction f),
    func_is_loaded(out, f))
API(cuFuncLoad, (CUfunction f), func_check(f))

/*
 * Kernels of libraries, on any device
 */

#define ON_DEVICE(device, expr)                                     \
	({                                                          \
		int had_ = rt_device(), r_ = rt_device_set(device); \
                                                                    \
		if (!r_) {                                          \
			r_ = (expr);                                \
			rt_device_set(had_);                        \
		}                                                   \
		r_;                                                 \
	})

API_INIT(cuKernelGetAttribute,
	 (int *out, CUfunction_attribute attribute, CUkernel k,
	  CUdevice device),
	 ON_DEVICE(device, func_get_attribute(out, (int)attribute, (void *)k)))
API_INIT(cuKernelSetAttribute,
	 (CUfunction_attribute attribute, int value, CUkernel k,
	  CUdevice device),
	 ON_DEVICE(device, rt_func_set((void *)k, (int)attribute, value)))
API_INIT(cuKernelSetCacheConfig,
	 (CUkernel k, CUfunc_cache cache, CUdevice device),
	 ON_DEVICE(device, rt_func_cache((void *)k, (int)cache)))
API_INIT(cuKernelGetName, (const char **out, CUkernel k),
	 cu_func_get_name(out, (void *)k))
API_INIT(cuKernelGetParamInfo,
	 (CUkernel k, size_t i, size_t *offset, size_t *size),
	 rt_func_param(offset, size, (void *)k, i))

/*
 * Occupancy
 */

static int sm_count(void)
{
	int n = 1;

	rt_device_attribute(&n, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
			    rt_device());
	return n;
}

/* A search over blocks of one to MAX_WARPS warps: the limit of their size, and
 * the dynamic shared memory of each. */
enum { WARP = 32, MAX_WARPS = 32 };
struct block_search {
	struct rt_func *func;
	int limit;
	size_t dynamic[MAX_WARPS];
};

static int block_threads(const struct block_search *q, int warps)
{
	return warps * WARP < q->limit ? warps * WARP : q->limit;
}

static int block_search_init(struct block_search *q, CUfunction f, int limit)
{
	struct rt_func_info i;
	int e = rt_func_info(&i, (void *)f);

	if (e)
		return e;
	q->func = (void *)f;
	q->limit = limit > 0 && limit < i.max_threads ? limit : i.max_threads;
	return q->limit > WARP * MAX_WARPS ? CUDA_ERROR_INVALID_VALUE : 0;
}

/* The block size that puts the most threads on an SM; of equal ones the
 * largest. */
static int best_block(int *grid, int *block, const struct block_search *q)
{
	int best = 0, e, blocks;

	if (!grid || !block)
		return CUDA_ERROR_INVALID_VALUE;
	for (int w = (q->limit + WARP - 1) / WARP; w > 0; w--) {
		int threads = block_threads(q, w);

		e = rt_occupancy(&blocks, q->func, threads, q->dynamic[w - 1]);
		if (e)
			return e;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * sm_count();
		}
	}
	return best ? 0 : CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

/* Calls the program's function without the lock. */
static CUresult find_best_block(const char *name, int *grid, int *block,
				CUfunction f, CUoccupancyB2DSize of,
				size_t dynamic, int limit)
{
	struct block_search q = { 0 };
	int e = api_enter(name, ENTRY_WORK);

	e = api_leave(e ? e : block_search_init(&q, f, limit));
	if (e)
		return (CUresult)e;
	for (int w = 1; w <= (q.limit + WARP - 1) / WARP; w++)
		q.dynamic[w - 1] = of ? of(block_threads(&q, w)) : dynamic;
	e = api_enter(name, ENTRY_WORK);
	return api_leave(e ? e : best_block(grid, block, &q));
}

#define OCCUPANCY_FLAGS CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE

API(cuOccupancyMaxActiveBlocksPerMultiprocessor,
    (int *out, CUfunction f, int threads, size_t dynamic),
    rt_occupancy(out, (void *)f, threads, dynamic))
API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *out, CUfunction f, int threads, size_t dynamic, unsigned flags),
    NEED(flags <= OCCUPANCY_FLAGS,
	 rt_occupancy(out, (void *)f, threads, dynamic)))
API(cuOccupancyAvailableDynamicSMemPerBlock,
    (size_t * out, CUfunction f, int blocks, int threads),
    rt_occupancy_shared(out, (void *)f, blocks, threads))

EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
						 CUfunction f,
						 CUoccupancyB2DSize of,
						 size_t dynamic, int limit)
{
	return find_best_block("cuOccupancyMaxPotentialBlockSize", grid, block,
			       f, of, dynamic, limit);
}

EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
	int *grid, int *block, CUfunction f, CUoccupancyB2DSize of,
	size_t dynamic, int limit, unsigned flags)
{
	if (flags > OCCUPANCY_FLAGS)
		return CUDA_ERROR_INVALID_VALUE;
	return find_best_block("cuOccupancyMaxPotentialBlockSizeWithFlags",
			       grid, block, f, of, dynamic, limit);
}
