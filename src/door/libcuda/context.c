#define _GNU_SOURCE /* dl_iterate_phdr */
#include "door/libcuda/context.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "door/libcuda/texture.h"

enum {
	MOST_PUSHED = 256,
	/* Every context since CUDA 3.2 says so. */
	API_VERSION = 3020,
};

struct CUctx_st {
	struct CUctx_st *next;
	int device;
	unsigned flags;
	unsigned long long id;
	bool primary, ended;
	unsigned uses; /* retained, or attached */
};

/* rt's lock guards them. They are never freed: what has ended is known as
 * such. */
static struct CUctx_st *contexts;
static bool init_called;
static unsigned long long last_id;

static _Thread_local struct {
	unsigned depth;
	struct CUctx_st *at[MOST_PUSHED];
} stack;

/*
 * The runtime API beside us
 */

struct search {
	unsigned long long loaded; /* objects, ever */
	bool found;
};

/* Stops at the runtime, or when nothing was loaded since the last search. */
static int look_at(struct dl_phdr_info *object, size_t size, void *p)
{
	static const char runtime[] = "libcudart.so";
	struct search *s = p;
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
	((struct search *)p)->loaded = object->dlpi_adds;
	return 1;
}

/* Every call asks. Once it is there it stays. */
static bool runtime_here(void)
{
	static struct search last;

	if (last.found)
		return true;
	if (!dl_iterate_phdr(look_at, &last))
		dl_iterate_phdr(count_objects, &last);
	return last.found;
}

bool initialized(void)
{
	return init_called || runtime_here();
}

/*
 * Contexts
 */

static bool is_device(int device)
{
	return device >= 0 && device < rt_device_count();
}

static struct CUctx_st *find(CUcontext ctx)
{
	struct CUctx_st *c = contexts;

	while (c && c != ctx)
		c = c->next;
	return c;
}

static bool alive(const struct CUctx_st *c)
{
	return c->primary ? (c->uses && !c->ended) || runtime_here() :
			    !c->ended;
}

static struct CUctx_st *make(int device, unsigned flags, bool primary)
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

/* It is made once: its handle is always the same. */
static struct CUctx_st *primary_of(int device)
{
	for (struct CUctx_st *c = contexts; c; c = c->next)
		if (c->primary && c->device == device)
			return c;
	return make(device, 0, true);
}

static bool device_in_use(int device)
{
	for (const struct CUctx_st *c = contexts; c; c = c->next)
		if (c->device == device && alive(c))
			return true;
	return false;
}

static int reset(int device)
{
	references_reset();
	return rt_device_reset(device);
}

/* The last context of a device takes along what was made there. */
static int clean(int device)
{
	return device_in_use(device) ? 0 : reset(device);
}

/*
 * The stack
 */

static struct CUctx_st *top(void)
{
	return stack.depth ? stack.at[stack.depth - 1] : NULL;
}

static void follow(void)
{
	rt_device_set(top() ? top()->device : 0);
}

static int push(struct CUctx_st *c)
{
	if (stack.depth == MOST_PUSHED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack.at[stack.depth++] = c;
	follow();
	return 0;
}

static void pop(void)
{
	stack.depth--;
	follow();
}

/* The runtime's choice of a device is one of the device's primary context. */
static void adopt(void)
{
	int device = rt_device();
	struct CUctx_st *c;

	if (!runtime_here() || (top() && top()->device == device))
		return;
	c = primary_of(device);
	if (!c)
		return;
	if (stack.depth)
		pop();
	push(c);
}

int context_current(CUcontext *out)
{
	adopt();
	*out = top();
	if (!*out)
		return CUDA_ERROR_INVALID_CONTEXT;
	return alive(*out) ? 0 : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

int context_device(int *device, CUcontext ctx)
{
	const struct CUctx_st *c = find(ctx);

	if (!c || !alive(c))
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
		if (c->device == device && alive(c))
			return c;
	return NULL;
}

/*
 * Entries
 */

static bool flags_fit(unsigned flags)
{
	unsigned schedule = flags & CU_CTX_SCHED_MASK;

	return !(flags & ~(unsigned)CU_CTX_FLAGS_MASK) &&
	       !(schedule & (schedule - 1));
}

static int create(CUcontext *out, unsigned flags, int device)
{
	struct CUctx_st *c;
	int e;

	if (!out || !flags_fit(flags))
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	c = make(device, flags, false);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->uses = 1;
	e = push(c);
	c->ended = e != 0;
	if (!e)
		*out = c;
	return e;
}

static int create_with(CUcontext *out, const CUexecAffinityParam *affinity,
		       int count, unsigned flags, int device)
{
	if (affinity || count)
		return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	return create(out, flags, device);
}

static int create_params(CUcontext *out, const CUctxCreateParams *p,
			 unsigned flags, int device)
{
	if (p && p->cigParams)
		return rt_unsupported("cuCtxCreate with graphics");
	return create_with(out, p ? p->execAffinityParams : NULL,
			   p ? p->numExecAffinityParams : 0, flags, device);
}

static int destroy(CUcontext ctx)
{
	struct CUctx_st *c = find(ctx);

	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	if (!c || c->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (c->ended)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	c->ended = true;
	if (top() == c)
		pop();
	return clean(c->device);
}

/* One that has ended may become current; calls say so then. */
static int push_given(CUcontext ctx)
{
	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	return find(ctx) ? push(ctx) : (int)CUDA_ERROR_INVALID_CONTEXT;
}

static int pop_into(CUcontext *out)
{
	CUcontext now;
	int e = context_current(&now);

	if (e == CUDA_ERROR_INVALID_CONTEXT)
		return e;
	if (out)
		*out = now;
	pop();
	return 0;
}

static int set_current(CUcontext ctx)
{
	if (ctx && !find(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (stack.depth)
		pop();
	return ctx ? push(ctx) : 0;
}

static int get_current(CUcontext *out)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	if (context_current(out) == CUDA_ERROR_INVALID_CONTEXT)
		*out = NULL;
	return 0;
}

/* NULL is the current one. */
static int given(CUcontext *ctx)
{
	int device;

	return *ctx ? context_device(&device, *ctx) : context_current(ctx);
}

static int attach(CUcontext *out, unsigned flags)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || flags || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->uses++;
	*out = c;
	return 0;
}

static int detach(CUcontext ctx)
{
	int device, e = context_device(&device, ctx);

	if (e || ctx->primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	return --ctx->uses ? 0 : destroy(ctx);
}

API_ANY(cuInit, (unsigned flags), NEED(!flags, (init_called = true, 0)))
API_INIT(cuCtxCreate_v2, (CUcontext * out, unsigned flags, CUdevice device),
	 create(out, flags, device))
SAME(cuCtxCreate_v1, "cuCtxCreate", cuCtxCreate_v2)
API_INIT(cuCtxCreate_v3,
	 (CUcontext * out, CUexecAffinityParam *affinity, int count,
	  unsigned flags, CUdevice device),
	 create_with(out, affinity, count, flags, device))
API_INIT(cuCtxCreate_v4,
	 (CUcontext * out, CUctxCreateParams *params, unsigned flags,
	  CUdevice device),
	 create_params(out, params, flags, device))
API_INIT(cuCtxDestroy_v2, (CUcontext ctx), destroy(ctx))
SAME(cuCtxDestroy_v1, "cuCtxDestroy", cuCtxDestroy_v2)
API_INIT(cuCtxPushCurrent_v2, (CUcontext ctx), push_given(ctx))
SAME(cuCtxPushCurrent_v1, "cuCtxPushCurrent", cuCtxPushCurrent_v2)
API_INIT(cuCtxPopCurrent_v2, (CUcontext * out), pop_into(out))
SAME(cuCtxPopCurrent_v1, "cuCtxPopCurrent", cuCtxPopCurrent_v2)
API_INIT(cuCtxSetCurrent, (CUcontext ctx), set_current(ctx))
API_INIT(cuCtxGetCurrent, (CUcontext * out), get_current(out))
API_INIT(cuCtxAttach, (CUcontext * out, unsigned flags), attach(out, flags))
API_INIT(cuCtxDetach, (CUcontext ctx), detach(ctx))

/*
 * What a context says about itself
 */

static int get_device(CUdevice *out, CUcontext ctx)
{
	int e = given(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = ctx->device;
	return 0;
}

static int get_flags(unsigned *out)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = c->flags;
	return 0;
}

static int set_flags(unsigned flags)
{
	CUcontext c;
	int e = context_current(&c);

	if (e || !flags_fit(flags))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->flags = flags;
	return 0;
}

static int get_id(CUcontext ctx, unsigned long long *out)
{
	int e = given(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = ctx->id;
	return 0;
}

static int get_version(CUcontext ctx, unsigned *out)
{
	int e = given(&ctx);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = API_VERSION;
	return 0;
}

static int synchronize(CUcontext ctx)
{
	int e = given(&ctx);

	return e ? e : rt_device_synchronize(ctx->device);
}

API_ASK(cuCtxGetDevice, (CUdevice * out), get_device(out, NULL))
API_INIT(cuCtxGetDevice_v2, (CUdevice * out, CUcontext ctx),
	 get_device(out, ctx))
API_ASK(cuCtxGetFlags, (unsigned *out), get_flags(out))
API_ASK(cuCtxSetFlags, (unsigned flags), set_flags(flags))
API_INIT(cuCtxGetId, (CUcontext ctx, unsigned long long *out), get_id(ctx, out))
API_INIT(cuCtxGetApiVersion, (CUcontext ctx, unsigned *out),
	 get_version(ctx, out))
API(cuCtxSynchronize, (void), synchronize(NULL))
API_INIT(cuCtxSynchronize_v2, (CUcontext ctx), synchronize(ctx))

static int set_cache(int cache)
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
API(cuCtxSetCacheConfig, (CUfunc_cache cache), set_cache((int)cache))
/* Banks of four bytes are all there is. */
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

static int primary(struct CUctx_st **out, int device)
{
	if (!is_device(device))
		return CUDA_ERROR_INVALID_DEVICE;
	*out = primary_of(device);
	return *out ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

static int retain(CUcontext *out, int device)
{
	struct CUctx_st *c;
	int e = primary(&c, device);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->uses++;
	c->ended = false;
	*out = c;
	return 0;
}

static int release(int device)
{
	struct CUctx_st *c;
	int e = primary(&c, device);

	if (e || !c->uses)
		return e ? e : CUDA_ERROR_INVALID_CONTEXT;
	return --c->uses ? 0 : clean(device);
}

/* What is current stays so, and has ended; who retains it has a new one. */
static int reset_primary(int device)
{
	struct CUctx_st *c;
	int e = primary(&c, device);

	if (e)
		return e;
	c->ended = true;
	return reset(device);
}

static int primary_flags(int device, unsigned flags)
{
	struct CUctx_st *c;
	int e = primary(&c, device);

	if (e || !flags_fit(flags))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	c->flags = flags;
	return 0;
}

static int primary_state(int device, unsigned *flags, int *active)
{
	struct CUctx_st *c;
	int e = primary(&c, device);

	if (e || !flags || !active)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*flags = c->flags;
	*active = alive(c);
	return 0;
}

API_INIT(cuDevicePrimaryCtxRetain, (CUcontext * out, CUdevice device),
	 retain(out, device))
API_INIT(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
SAME(cuDevicePrimaryCtxRelease_v1, "cuDevicePrimaryCtxRelease",
     cuDevicePrimaryCtxRelease_v2)
API_INIT(cuDevicePrimaryCtxReset_v2, (CUdevice device), reset_primary(device))
SAME(cuDevicePrimaryCtxReset_v1, "cuDevicePrimaryCtxReset",
     cuDevicePrimaryCtxReset_v2)
API_INIT(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
	 primary_flags(device, flags))
SAME(cuDevicePrimaryCtxSetFlags_v1, "cuDevicePrimaryCtxSetFlags",
     cuDevicePrimaryCtxSetFlags_v2)
API_INIT(cuDevicePrimaryCtxGetState,
	 (CUdevice device, unsigned *flags, int *active),
	 primary_state(device, flags, active))
