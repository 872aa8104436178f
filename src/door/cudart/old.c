#include <string.h>

#include "door/cudart/api.h"

/*
 * Functions that CUDA 13 no longer has. Those of CUDA 11 only are under #if;
 * the others are in the libraries of all versions, where they do no harm.
 */

MORE(cudaThreadSynchronize, (void), rt_device_synchronize(rt_device()))
MORE(cudaThreadExit, (void), rt_device_reset(rt_device()))
MORE(cudaThreadSetLimit, (int limit, size_t value), rt_limit_set(limit, value))
MORE(cudaThreadGetLimit, (size_t * value, int limit),
     rt_limit_get(value, limit))
MORE(cudaThreadSetCacheConfig, (int cache),
     NEED(cache >= 0 && cache <= cudaFuncCachePreferEqual,
	  (rt_preferences(rt_device())->cache = cache, cudaSuccess)))
MORE(cudaThreadGetCacheConfig, (int *cache),
     NEED(cache, (*cache = rt_preferences(rt_device())->cache, cudaSuccess)))
/* All simulated GPUs have double precision. */
MORE(cudaSetDoubleForDevice, (double *d), ((void)d, cudaSuccess))
MORE(cudaSetDoubleForHost, (double *d), ((void)d, cudaSuccess))

#if CUDART_MAJOR < 12

MORE(cudaProfilerInitialize, (const char *config, const char *output, int mode),
     ((void)config, (void)output, (void)mode, cudaSuccess))

/*
 * Texture and surface references: variables of the program that are bound to
 * memory. Binding a reference makes an object; binding it again replaces the
 * object.
 */
struct textureReference { /* as in CUDA 11 */
	int normalized;
	int filter;
	int address[3];
	struct cudaChannelFormatDesc channel;
	int srgb;
	unsigned anisotropy;
	int mip_filter;
	float mip_bias, mip_min, mip_max;
	int no_trilinear;
	int reserved[14];
};

enum { MAX_BOUND = 256 };

/* The objects that references are bound to. The lock guards them. */
static struct {
	const void *reference;
	uint64_t handle;
	bool surface;
} bound[MAX_BOUND];

static int reference_slot(const void *reference)
{
	int empty = -1;

	for (int i = 0; i < MAX_BOUND; i++) {
		if (bound[i].reference == reference)
			return i;
		if (!bound[i].reference && empty < 0)
			empty = i;
	}
	return empty;
}

static void reference_unbind_slot(int i)
{
	if (!bound[i].handle)
		return;
	if (bound[i].surface)
		rt_surface_free(bound[i].handle);
	else
		rt_texture_free(bound[i].handle);
	bound[i].handle = 0;
}

static int reference_bind(const void *reference, const struct rt_resource *r,
			  const struct rt_sampler *s)
{
	struct rt_module *m;
	const char *name;
	uint64_t handle;
	int i, e = rt_reference(&m, &name, reference);

	if (e)
		return e;
	i = reference_slot(reference);
	if (i < 0)
		return cudaErrorMemoryAllocation;
	e = s ? rt_texture_new(&handle, r, s, NULL) :
		rt_surface_new(&handle, r);
	if (e)
		return e;
	e = rt_module_bind(m, name, handle);
	if (e) {
		if (s)
			rt_texture_free(handle);
		else
			rt_surface_free(handle);
		return e;
	}
	bound[i].reference = reference;
	reference_unbind_slot(i);
	bound[i].handle = handle;
	bound[i].surface = !s;
	return cudaSuccess;
}

/* The kernel decides the read mode: the reference does not have it. */
static struct rt_sampler sampler_of(const struct textureReference *t)
{
	return (struct rt_sampler){
		.address = { t->address[0], t->address[1], t->address[2] },
		.filter = t->filter,
		.normalized = t->normalized,
		.srgb = t->srgb,
	};
}

static int bind_memory(size_t *offset, const struct textureReference *t,
		       const void *p, const struct cudaChannelFormatDesc *f,
		       size_t size, size_t width, size_t height, size_t pitch)
{
	struct rt_resource r = { .kind = height ? RT_RESOURCE_PITCH :
						  RT_RESOURCE_LINEAR,
				 .p = (void *)(uintptr_t)p,
				 .size = size,
				 .width = width,
				 .height = height,
				 .pitch = pitch };
	struct rt_sampler s;
	struct rt_pointer info;

	if (!t || !f)
		return cudaErrorInvalidValue;
	r.channel = (struct rt_channel){ f->x, f->y, f->z, f->w, (int)f->f };
	s = sampler_of(t);
	rt_pointer(&info, p);
	/* A size beyond the end of the memory means all of it. */
	if (!height && info.base &&
	    size > (size_t)((char *)info.base + info.size - (char *)r.p))
		r.size = (size_t)((char *)info.base + info.size - (char *)r.p);
	if (offset)
		*offset = 0;
	return reference_bind(t, &r, &s);
}

static int bind_array(const struct textureReference *t, const void *array)
{
	struct rt_resource r = { .kind = RT_RESOURCE_ARRAY,
				 .array = (void *)(uintptr_t)array };
	struct rt_sampler s;

	if (!t)
		return cudaErrorInvalidTexture;
	s = sampler_of(t);
	return reference_bind(t, &r, &s);
}

static int bind_surface(const void *reference, const void *array)
{
	struct rt_resource r = { .kind = RT_RESOURCE_ARRAY,
				 .array = (void *)(uintptr_t)array };

	return reference_bind(reference, &r, NULL);
}

static int reference_unbind(const void *reference)
{
	int i = reference_slot(reference);

	if (i >= 0)
		reference_unbind_slot(i);
	return cudaSuccess;
}

/* A reference is identified by its address in the program. */
static int reference_find(const void **out, const void *symbol)
{
	struct rt_module *m;
	const char *name;
	int e = rt_reference(&m, &name, symbol);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	*out = symbol;
	return cudaSuccess;
}

MORE(cudaBindTexture,
     (size_t * offset, const struct textureReference *t, const void *p,
      const struct cudaChannelFormatDesc *f, size_t size),
     bind_memory(offset, t, p, f, size, 0, 0, 0))
MORE(cudaBindTexture2D,
     (size_t * offset, const struct textureReference *t, const void *p,
      const struct cudaChannelFormatDesc *f, size_t width, size_t height,
      size_t pitch),
     NEED(height, bind_memory(offset, t, p, f, 0, width, height, pitch)))
MORE(cudaBindTextureToArray,
     (const struct textureReference *t, cudaArray_const_t array,
      const struct cudaChannelFormatDesc *f),
     ((void)f, bind_array(t, array)))
MORE(cudaUnbindTexture, (const struct textureReference *t), reference_unbind(t))
MORE(cudaGetTextureAlignmentOffset,
     (size_t * offset, const struct textureReference *t),
     ((void)t, NEED(offset, (*offset = 0, cudaSuccess))))
MORE(cudaGetTextureReference,
     (const struct textureReference **out, const void *symbol),
     reference_find((const void **)out, symbol))
MORE(cudaBindSurfaceToArray,
     (const void *surface, cudaArray_const_t array,
      const struct cudaChannelFormatDesc *f),
     ((void)f, bind_surface(surface, array)))
MORE(cudaGetSurfaceReference, (const void **out, const void *symbol),
     reference_find(out, symbol))

#endif
