#define _GNU_SOURCE /* dl_iterate_phdr */
#include "door/libcuda/context.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "door/libcuda/texture.h"

enum {
	MAX_PUSHED = 256,
	/* The API version of every context since CUDA 3.2. */
	API_VERSION = 3020,
};

struct CUctx_st {
	struct CUctx_st *next;
	int device;
	unsigned flags;
	unsigned long long id;
	bool primary, ended;
	unsigned uses; /* how often it was retained or attached */
};

/* rt's lock guards them. They are never freed, so that a destroyed context is
 * recognized. */
static struct CUctx_st *contexts;
static bool init_called;
static unsigned long long last_id;

static _Thread_local struct {
	unsigned depth;
	struct CUctx_st *at[MAX_PUSHED];
} stack;

/*
 * Whether the process uses the runtime API as well
 */

struct runtime_search {
	unsigned long long loaded; /* number of objects ever loaded */
	bool found;
};

/* Stops at the runtime, or when nothing was loaded since the last search. */
static int search_object(struct dl_phdr_info *object, size_t size, void *p)
{
	static const char runtime[] = "libcudart.so";
	struct runtime_search *s = p;
	const char *name = strrchr(object->dlpi_name, '/');

	(void)size;
	if (object->dlpi_adds == s->loaded)
		return 1;
	name = name ? name + 1 : object->dlpi_name;
	s->found = !strncmp(name, runtime, sizeof(runtime) - 1);
	return s->found;
}

static int count_objects(struct dl_phdr_info *object, size_t size, void *p)
{
	(void)size;
	((struct runtime_search *)p)->loaded = object->dlpi_adds;
	return 1;
}

/* Every call asks, so the answer is remembered. */
static bool runtime_loaded(void)
{
	static struct runtime_search last;

	if (last.found)
		return true;
	if (!dl_iterate_phdr(search_object, &last))
		dl_iterate_phdr(count_objects, &last);
	return last.found;
}

bool driver_initialized(void)
{
	return init_called || runtime_loaded();
}

/*
 * Contexts
 */

static bool is_device(int device)
{
	return device >= 0 && device < rt_device_count();
}

static struct CUctx_st *context_find(CUcontext ctx)
{
	struct CUctx_st *c = contexts;

	while (c && c != ctx)
		c = c->next;
	return c;
}

static bool context_alive(const struct CUctx_st *c)
{
	return c->primary ? (c->uses && !c->ended) || runtime_loaded() :
			    !c->ended;
}

static struct CUctx_st *context_make(int device, unsigned flags, bool primary)
{
	struct CUctx_st *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct CUctx_st){ .next = contexts,
				.device = device,
				.flags = flags,
				.id = ++last_id,
				.primary = primary };
	contexts = c;
	return c;
}

/* The primary context is made once: its handle never changes. */
static struct CUctx_st *context_primary(int device)
{
	for (struct CUctx_st *c = contexts; c; c = c->next)
		if (c->primary && c->device == device)
			return c;
	return context_make(device, 0, true);
}

static bool device_in_use(int device)
{
	for (const struct CUctx_st *c = contexts; c; c = c->next)
		if (c->device == device && context_alive(c))
			return true;
	return false;
}

static int device_reset(int device)
{
	references_reset();
	return rt_device_reset(device);
}

/* Resets the device if its last context has ended. */
static int device_reset_if_unused(int device)
{
	return device_in_use(device) ? 0 : device_reset(device);
}

/*
 * The stack
 */

static struct CUctx_st *stack_top(void)
{
	return stack.depth ? stack.at[stack.depth - 1] : NULL;
}

static void stack_set_device(void)
{
	rt_device_set(stack_top() ? stack_top()->device : 0);
}

static int stack_push(struct CUctx_st *c)
{
	if (stack.depth == MAX_PUSHED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack.at[stack.depth++] = c;
	stack_set_device();
	return 0;
}

static void stack_pop(void)
{
	stack.depth--;
	stack_set_device();
}

/* If the runtime has chosen a device, its primary context becomes current. */
static void adopt_runtime_device(void)
{
	int device = rt_device();
	struct CUctx_st *c;

	if (!runtime_loaded() || (stack_top() && stack_top()->device == device))
		return;
	c = context_primary(device);
	if (!c)
		return;
	if (stack.depth)
		stack_pop();
	stack_push(c);
}

int context_current(CUcontext *out)
{
	adopt_runtime_device();
	*out = stack_top();
	if (!*out)
		return CUDA_ERROR_INVALID_CONTEXT;
	return context_alive(*out) ? 0 : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

int context_device(int *device, CUcontext ctx)
{
	const struct CUctx_st *c = context_find(ctx);

	if (!c || !context_alive(c))
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = c->device;
	return 0;
}

CUcontext context_of_device(int device)
{
	CUcontext now;

	if (!context_current(&now) && now->device == device)
		return now;
	for (struct CUctx_st *c = contexts; c; c = c->next)
		if (c->device == device && context_alive(c))
			return c;
	return NULL;
}

/*
 * Functions of the API
 */

static bool context_flags_valid(unsigned flags)
{
	unsigned schedule = flags & CU_CTX_SCHED_MASK;

	return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
	       !(schedule & (schedule - 1));
}

static int context_create(CUcontext *out, unsigned flags, int device)
{
	struct CUctx_st *c;
	int e;

	if (!out || !context_flags_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	c = context_make(device, flags, false);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->uses = 1;
	e = stack_push(c);
	c->ended = e != 0;
	if (!e)
		*out = c;
	return e;
}

static int context_create_with(CUcontext *out,
			       const CUexecAffinityParam *affinity, int count,
			       unsigned flags, int device)
{
	if (affinity || count)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return context_create(out, flags, device);
}

static int context_create_params(CUcontext *out, const CUctxCreateParams *p,
				 unsigned flags, int device)
{
	if (p && p->cigParams)
		return rt_unsupported("cuCtxCreate with graphics");
	return context_create_with(out, p ? p->execAffinityParams : NULL,
				   p ? p->numExecAffinityParams : 0, flags,
				   device);
}

static int context_destroy(CUcontext ctx)
{
	struct CUctx_st *c = context_find(ctx);

	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (!c || c->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (c->ended)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	c->ended = true;
	if (stack_top() == c)
		stack_pop();
	return device_reset_if_unused(c->device);
}

/* A destroyed context may become current; later calls fail then. */
static int context_push(CUcontext ctx)
{
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	return context_find(ctx) ? stack_push(ctx) :
				   (int)CUDA_ERROR_INVALID_CONTEXT;
}

static int context_pop(CUcontext *out)
{
	CUcontext now;
	int e = context_current(&now);

	if (e == CUDA_ERROR_INVALID_CONTEXT)
		return e;
	if (out)
		*out = now;
	stack_pop();
	return 0;
}

static int context_set_current(CUcontext ctx)
{
	if (ctx && !context_find(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack.depth)
		stack_pop();
	return ctx ? stack_push(ctx) : 0;
}

static int context_get_current(CUcontext *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (context_current(out) == CUDA_ERROR_INVALID_CONTEXT)
		*out = NULL;
	return 0;
}

/* NULL is the current context. */
static int context_or_current(CUcontext *ctx)
{
	int device;

	return *ctx ? context_device(&device, *ctx) : context_current(ctx);
}

static int context_attach(CUcontext *out, unsigned flags)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || flags || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->uses++;
	*out = c;
	return 0;
}

static int context_detach(CUcontext ctx)
{
	int device, e = context_device(&device, ctx);

	if (e || ctx->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	return --ctx->uses ? 0 : context_destroy(ctx);
}

API_ANY(cuInit, (unsigned flags), NEED(!flags, (init_called = true, 0)))
API_INIT(cuCtxCreate_v2, (CUcontext * out, unsigned flags, CUdevice device),
	 context_create(out, flags, device))
SAME(cuCtxCreate_v1, "cuCtxCreate", cuCtxCreate_v2)
API_INIT(cuCtxCreate_v3,
	 (CUcontext * out, CUexecAffinityParam *affinity, int count,
	  unsigned flags, CUdevice device),
	 context_create_with(out, affinity, count, flags, device))
API_INIT(cuCtxCreate_v4,
	 (CUcontext * out, CUctxCreateParams *params, unsigned flags,
	  CUdevice device),
	 context_create_params(out, params, flags, device))
API_INIT(cuCtxDestroy_v2, (CUcontext ctx), context_destroy(ctx))
SAME(cuCtxDestroy_v1, "cuCtxDestroy", cuCtxDestroy_v2)
API_INIT(cuCtxPushCurrent_v2, (CUcontext ctx), context_push(ctx))
SAME(cuCtxPushCurrent_v1, "cuCtxPushCurrent", cuCtxPushCurrent_v2)
API_INIT(cuCtxPopCurrent_v2, (CUcontext * out), context_pop(out))
SAME(cuCtxPopCurrent_v1, "cuCtxPopCurrent", cuCtxPopCurrent_v2)
API_INIT(cuCtxSetCurrent, (CUcontext ctx), context_set_current(ctx))
API_INIT(cuCtxGetCurrent, (CUcontext * out), context_get_current(out))
API_INIT(cuCtxAttach, (CUcontext * out, unsigned flags),
	 context_attach(out, flags))
API_INIT(cuCtxDetach, (CUcontext ctx), context_detach(ctx))

/*
 * Properties of a context
 */

static int context_get_device(CUdevice *out, CUcontext ctx)
{
	int e = context_or_current(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = ctx->device;
	return 0;
}

static int context_get_flags(unsigned *out)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = c->flags;
	return 0;
}

static int context_set_flags(unsigned flags)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || !context_flags_valid(flags))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->flags = flags;
	return 0;
}

static int context_get_id(CUcontext ctx, unsigned long long *out)
{
	int e = context_or_current(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = ctx->id;
	return 0;
}

static int context_get_version(CUcontext ctx, unsigned *out)
{
	int e = context_or_current(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = API_VERSION;
	return 0;
}

static int context_synchronize(CUcontext ctx)
{
	int e = context_or_current(&ctx);

	return e ? e : rt_device_synchronize(ctx->device);
}

API_ASK(cuCtxGetDevice, (CUdevice * out), context_get_device(out, NULL))
API_INIT(cuCtxGetDevice_v2, (CUdevice * out, CUcontext ctx),
	 context_get_device(out, ctx))
API_ASK(cuCtxGetFlags, (unsigned *out), context_get_flags(out))
API_ASK(cuCtxSetFlags, (unsigned flags), context_set_flags(flags))
API_INIT(cuCtxGetId, (CUcontext ctx, unsigned long long *out),
	 context_get_id(ctx, out))
API_INIT(cuCtxGetApiVersion, (CUcontext ctx, unsigned *out),
	 context_get_version(ctx, out))
API(cuCtxSynchronize, (void), context_synchronize(NULL))
API_INIT(cuCtxSynchronize_v2, (CUcontext ctx), context_synchronize(ctx))

static int context_set_cache(int cache)
{
	if (cache < CU_FUNC_CACHE_PREFER_NONE ||
	    cache > CU_FUNC_CACHE_PREFER_EQUAL)
		return CUDA_ERROR_INVALID_VALUE;
	rt_preferences(rt_device())->cache = cache;
	return 0;
}

API(cuCtxGetLimit, (size_t * out, CUlimit limit), rt_limit_get(out, (int)limit))
API(cuCtxSetLimit, (CUlimit limit, size_t value),
    rt_limit_set((int)limit, value))
API(cuCtxGetCacheConfig, (CUfunc_cache * out),
    NEED(out, (*out = (CUfunc_cache)rt_preferences(rt_device())->cache, 0)))
API(cuCtxSetCacheConfig, (CUfunc_cache cache), context_set_cache((int)cache))
/* Shared memory only has banks of four bytes. */
API(cuCtxGetSharedMemConfig, (CUsharedconfig * out),
    NEED(out, (*out = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE, 0)))
API(cuCtxSetSharedMemConfig, (CUsharedconfig config),
    NEED((int)config >= 0 &&
		 config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE,
	 0))
API(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
    (least ? *least = RT_PRIORITY_LEAST : 0,
     greatest ? *greatest = RT_PRIORITY_GREATEST : 0, 0))
API(cuCtxResetPersistingL2Cache, (void), CUDA_SUCCESS)

static int peer_enable(CUcontext peer, unsigned flags)
{
	int device, e = context_device(&device, peer);

	return e ? e : rt_peer_enable(device, flags);
}

static int peer_disable(CUcontext peer)
{
	int device, e = context_device(&device, peer);

	return e ? e : rt_peer_disable(device);
}

API(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags),
    peer_enable(peer, flags))
API(cuCtxDisablePeerAccess, (CUcontext peer), peer_disable(peer))

/*
 * Primary contexts
 */

static int primary_find(struct CUctx_st **out, int device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*out = context_primary(device);
	return *out ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

static int primary_retain(CUcontext *out, int device)
{
	struct CUctx_st *c;
	int e = primary_find(&c, device);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->uses++;
	c->ended = false;
	*out = c;
	return 0;
}

static int primary_release(int device)
{
	struct CUctx_st *c;
	int e = primary_find(&c, device);

	if (e || !c->uses)
		return e ? e : CUDA_ERROR_INVALID_CONTEXT;
	return --c->uses ? 0 : device_reset_if_unused(device);
}

/* The context stays current but is destroyed; retaining it makes it new. */
static int primary_reset(int device)
{
	struct CUctx_st *c;
	int e = primary_find(&c, device);

	if (e)
		return e;
	c->ended = true;
	return device_reset(device);
}

static int primary_set_flags(int device, unsigned flags)
{
	struct CUctx_st *c;
	int e = primary_find(&c, device);

	if (e || !context_flags_valid(flags))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->flags = flags;
	return 0;
}

static int primary_state(int device, unsigned *flags, int *active)
{
	struct CUctx_st *c;
	int e = primary_find(&c, device);

	if (e || !flags || !active)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*flags = c->flags;
	*active = context_alive(c);
	return 0;
}

API_INIT(cuDevicePrimaryCtxRetain, (CUcontext * out, CUdevice device),
	 primary_retain(out, device))
API_INIT(cuDevicePrimaryCtxRelease_v2, (CUdevice device),
	 primary_release(device))
SAME(cuDevicePrimaryCtxRelease_v1, "cuDevicePrimaryCtxRelease",
     cuDevicePrimaryCtxRelease_v2)
API_INIT(cuDevicePrimaryCtxReset_v2, (CUdevice device), primary_reset(device))
SAME(cuDevicePrimaryCtxReset_v1, "cuDevicePrimaryCtxReset",
     cuDevicePrimaryCtxReset_v2)
API_INIT(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
	 primary_set_flags(device, flags))
SAME(cuDevicePrimaryCtxSetFlags_v1, "cuDevicePrimaryCtxSetFlags",
     cuDevicePrimaryCtxSetFlags_v2)
API_INIT(cuDevicePrimaryCtxGetState,
	 (CUdevice device, unsigned *flags, int *active),
	 primary_state(device, flags, active))
