#include <stdlib.h>
#include <string.h>

#include "door/libcuda/api.h"

/* The limit of PTX 8.1 and later. */
enum { MAX_PARAM_BYTES = 32764 };

/* Bytes from the first parameter to the end of the last. */
static int func_param_bytes(size_t *out, struct rt_func *f)
{
	struct rt_func_info info;
	size_t offset, size;
	int e = rt_func_info(&info, f);

	*out = 0;
	for (size_t i = 0; !e && i < info.param_count; i++) {
		e = rt_func_param(&offset, &size, f, i);
		if (!e && offset + size > *out)
			*out = offset + size;
	}
	return e;
}

/* The real driver refuses a parameter block that is too long and accepts one
 * that is too short; the missing bytes are undefined there and zero here. rt
 * copies the block before the lock is released. */
static int launch_set_block(struct rt_launch *l, const void *block, size_t size)
{
	static unsigned char whole[MAX_PARAM_BYTES];
	size_t needed;
	int e = func_param_bytes(&needed, l->func);

	if (e)
		return e;
	if (size > needed)
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	if (!needed)
		return 0;
	if (!block || needed > sizeof(whole))
		return CUDA_ERROR_INVALID_VALUE;
	memset(whole, 0, needed);
	memcpy(whole, block, size);
	l->block_of_args = whole;
	l->block_bytes = needed;
	return 0;
}

/* `extra` is a list of keys, each followed by its value. */
static int launch_read_extra(struct rt_launch *l, void **extra)
{
	const void *block = NULL;
	const size_t *size = NULL;

	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			block = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	return size ? launch_set_block(l, block, *size) :
		      CUDA_ERROR_INVALID_VALUE;
}

int launch_args(struct rt_launch *l, void **params, void **extra)
{
	if (params && extra)
		return CUDA_ERROR_INVALID_VALUE;
	l->args = params;
	return extra ? launch_read_extra(l, extra) : 0;
}

static int cu_launch_kernel(struct rt_launch l, void **params, void **extra,
			    struct rt_stream *s)
{
	int e = l.func ? launch_args(&l, params, extra) :
			 CUDA_ERROR_INVALID_HANDLE;

	return e ? e : rt_launch(&l, s);
}

#define SHAPE                                                            \
	CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
		unsigned block_x, unsigned block_y, unsigned block_z,    \
		unsigned shared, CUstream s, void **params
#define LAUNCH(is_cooperative)                                       \
	((struct rt_launch){ .func = (void *)f,                      \
			     .grid = { grid_x, grid_y, grid_z },     \
			     .block = { block_x, block_y, block_z }, \
			     .shared_bytes = shared,                 \
			     .cooperative = is_cooperative })

API_ON(cuLaunchKernel, _ptsz, s, (SHAPE, void **extra),
       cu_launch_kernel(LAUNCH(false), params, extra, ON(s)))
API_ON(cuLaunchCooperativeKernel, _ptsz, s, (SHAPE),
       cu_launch_kernel(LAUNCH(true), params, NULL, ON(s)))

/* Accepts attributes that have no effect here; refuses one that would change
 * the result. */
static int cu_launch_apply_attribute(struct rt_launch *l,
				     const CUlaunchAttribute *a)
{
	switch (a->id) {
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->cooperative = a->value.cooperative != 0;
		return 0;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		l->cluster[0] = a->value.clusterDim.x;
		l->cluster[1] = a->value.clusterDim.y;
		l->cluster[2] = a->value.clusterDim.z;
		return 0;
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
	case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
	case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
		return rt_unsupported("a launch with events of its own");
	default:
		return 0;
	}
}

static int cu_launch_with_config(const CUlaunchConfig *c, CUfunction f,
				 void **params, void **extra,
				 struct rt_stream *otherwise)
{
	struct rt_launch l;
	int e = 0;

	if (!c || (c->numAttrs && !c->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	l = (struct rt_launch){
		.func = (void *)f,
		.grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
		.block = { c->blockDimX, c->blockDimY, c->blockDimZ },
		.shared_bytes = c->sharedMemBytes,
	};
	for (unsigned i = 0; !e && i < c->numAttrs; i++)
		e = cu_launch_apply_attribute(&l, &c->attrs[i]);
	return e ? e :
		   cu_launch_kernel(l, params, extra,
				    c->hStream ? (void *)c->hStream :
						 otherwise);
}

API_ON(cuLaunchKernelEx, _ptsz, c ? c->hStream : NULL,
       (const CUlaunchConfig *c, CUfunction f, void **params, void **extra),
       cu_launch_with_config(c, f, params, extra, ON(0)))
API_ON(cuLaunchHostFunc, _ptsz, s, (CUstream s, CUhostFn fn, void *data),
       rt_stream_host(ON(s), fn, data))

/*
 * The oldest way to launch: shape and parameters are set on the function one by
 * one, then it is launched.
 */
enum { MAX_PREPARED_BYTES = 4096 };

struct prepared {
	struct prepared *next;
	struct rt_func *func;
	uint32_t block[3];
	unsigned shared, size;
	unsigned char bytes[MAX_PREPARED_BYTES];
};

/* Few programs use this, so a list is enough. */
static struct prepared *prepared;

void prepared_free(struct rt_module *m)
{
	struct prepared **at = &prepared;

	while (*at) {
		struct prepared *p = *at;
		struct rt_module *of;

		if (rt_func_module(&of, p->func) || of == m) {
			*at = p->next;
			free(p);
		} else {
			at = &p->next;
		}
	}
}

static int prepared_find(struct prepared **out, CUfunction f)
{
	struct rt_func_info info;
	int e = rt_func_info(&info, (void *)f);

	if (e)
		return e;
	for (*out = prepared; *out; *out = (*out)->next)
		if ((*out)->func == (void *)f)
			return 0;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*out)->func = (void *)f;
	(*out)->block[0] = (*out)->block[1] = (*out)->block[2] = 1;
	(*out)->next = prepared;
	prepared = *out;
	return 0;
}

static int prepared_set_shape(CUfunction f, int x, int y, int z)
{
	struct prepared *p;
	int e = prepared_find(&p, f);

	if (e || x <= 0 || y <= 0 || z <= 0)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	p->block[0] = (uint32_t)x;
	p->block[1] = (uint32_t)y;
	p->block[2] = (uint32_t)z;
	return 0;
}

static int prepared_set_bytes(CUfunction f, int offset, const void *from,
			      unsigned size)
{
	struct prepared *p;
	int e = prepared_find(&p, f);

	if (e || !from || offset < 0 || offset > MAX_PREPARED_BYTES ||
	    size > (unsigned)(MAX_PREPARED_BYTES - offset))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	memcpy(p->bytes + offset, from, size);
	return 0;
}

static int prepared_set_size(CUfunction f, unsigned size, bool shared)
{
	struct prepared *p;
	int e = prepared_find(&p, f);

	if (e || (!shared && size > MAX_PREPARED_BYTES))
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*(shared ? &p->shared : &p->size) = size;
	return 0;
}

static int prepared_launch(CUfunction f, int width, int height,
			   struct rt_stream *s)
{
	struct rt_launch l;
	struct prepared *p;
	int e = prepared_find(&p, f);

	if (e || width <= 0 || height <= 0)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	l = (struct rt_launch){
		.func = p->func,
		.grid = { (uint32_t)width, (uint32_t)height, 1 },
		.block = { p->block[0], p->block[1], p->block[2] },
		.shared_bytes = p->shared,
	};
	e = launch_set_block(&l, p->bytes, p->size);
	return e ? e : rt_launch(&l, s);
}

API(cuFuncSetBlockShape, (CUfunction f, int x, int y, int z),
    prepared_set_shape(f, x, y, z))
API(cuFuncSetSharedSize, (CUfunction f, unsigned bytes),
    prepared_set_size(f, bytes, true))
API(cuParamSetSize, (CUfunction f, unsigned bytes),
    prepared_set_size(f, bytes, false))
API(cuParamSeti, (CUfunction f, int offset, unsigned value),
    prepared_set_bytes(f, offset, &value, sizeof(value)))
API(cuParamSetf, (CUfunction f, int offset, float value),
    prepared_set_bytes(f, offset, &value, sizeof(value)))
API(cuParamSetv, (CUfunction f, int offset, void *from, unsigned size),
    prepared_set_bytes(f, offset, from, size))
API(cuLaunch, (CUfunction f), prepared_launch(f, 1, 1, NULL))
API(cuLaunchGrid, (CUfunction f, int width, int height),
    prepared_launch(f, width, height, NULL))
API(cuLaunchGridAsync, (CUfunction f, int width, int height, CUstream s),
    prepared_launch(f, width, height, (void *)s))
