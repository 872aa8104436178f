#include <string.h>

#include "door/cudart/api.h"

_Static_assert(sizeof(struct rt_sampler) == sizeof(struct cudaTextureDesc),
	       "rt_sampler is a cudaTextureDesc");
_Static_assert(offsetof(struct cudaResourceViewDesc, reserved) <=
		       sizeof(struct rt_view),
	       "rt_view is the beginning of a cudaResourceViewDesc");

struct rt_resource resource_of_desc(const struct cudaResourceDesc *d)
{
	struct rt_resource r = { .kind = (enum rt_resource_kind)d->resType };
	const struct cudaChannelFormatDesc *f = NULL;

	switch (d->resType) {
	case cudaResourceTypeArray:
		r.array = (void *)d->res.array.array;
		break;
	case cudaResourceTypeMipmappedArray:
		r.mipmap = (void *)d->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		r.p = d->res.linear.devPtr;
		r.size = d->res.linear.sizeInBytes;
		f = &d->res.linear.desc;
		break;
	case cudaResourceTypePitch2D:
		r.p = d->res.pitch2D.devPtr;
		r.width = d->res.pitch2D.width;
		r.height = d->res.pitch2D.height;
		r.pitch = d->res.pitch2D.pitchInBytes;
		f = &d->res.pitch2D.desc;
		break;
	}
	if (f)
		r.channel = (struct rt_channel){ f->x, f->y, f->z, f->w,
						 (int)f->f };
	return r;
}

/* The struct of CUDA 13 has one more int at its end than the older ones. */
static void resource_describe(struct cudaResourceDesc *d,
			      const struct rt_resource *r)
{
	struct cudaChannelFormatDesc f = {
		r->channel.x, r->channel.y, r->channel.z, r->channel.w,
		(enum cudaChannelFormatKind)r->channel.kind
	};

	memset(d, 0,
	       CUDART_MAJOR >= 13 ? sizeof(*d) :
				    offsetof(struct cudaResourceDesc, res) +
					    sizeof(d->res.pitch2D));
	d->resType = (enum cudaResourceType)r->kind;
	switch (d->resType) {
	case cudaResourceTypeArray:
		d->res.array.array = (void *)r->array;
		break;
	case cudaResourceTypeMipmappedArray:
		d->res.mipmap.mipmap = (void *)r->mipmap;
		break;
	case cudaResourceTypeLinear:
		d->res.linear.devPtr = r->p;
		d->res.linear.desc = f;
		d->res.linear.sizeInBytes = r->size;
		break;
	case cudaResourceTypePitch2D:
		d->res.pitch2D.devPtr = r->p;
		d->res.pitch2D.desc = f;
		d->res.pitch2D.width = r->width;
		d->res.pitch2D.height = r->height;
		d->res.pitch2D.pitchInBytes = r->pitch;
		break;
	}
}

/* cudaTextureDesc of CUDA 11 ends before `disableTrilinearOptimization`;
 * nothing beyond that is read. */
static int texture_object_new(cudaTextureObject_t *out,
			      const struct cudaResourceDesc *resource,
			      const struct cudaTextureDesc *texture,
			      const struct cudaResourceViewDesc *view)
{
	struct rt_resource r;
	struct rt_sampler s = { 0 };
	struct rt_view v = { 0 };
	uint64_t handle;
	int e;

	if (!out || !resource)
		return cudaErrorInvalidValue;
	if (!texture)
		return cudaErrorInvalidResourceHandle;
	r = resource_of_desc(resource);
	memcpy(&s, texture,
	       offsetof(struct cudaTextureDesc, disableTrilinearOptimization));
	if (view)
		memcpy(&v, view,
		       offsetof(struct cudaResourceViewDesc, reserved));
	e = rt_texture_new(&handle, &r, &s, view ? &v : NULL);
	if (!e)
		*out = handle;
	return e;
}

static int surface_object_new(cudaSurfaceObject_t *out,
			      const struct cudaResourceDesc *resource)
{
	struct rt_resource r;
	uint64_t handle;
	int e;

	if (!out || !resource)
		return cudaErrorInvalidValue;
	r = resource_of_desc(resource);
	e = rt_surface_new(&handle, &r);
	if (!e)
		*out = handle;
	return e;
}

static int object_get_resource(struct cudaResourceDesc *out, uint64_t handle,
			       bool surface)
{
	struct rt_resource r;
	int e = rt_texture_get(handle, surface, &r, NULL, NULL, NULL);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	resource_describe(out, &r);
	return cudaSuccess;
}

static int object_get_sampler(struct cudaTextureDesc *out, uint64_t handle)
{
	struct rt_sampler s;
	int e = rt_texture_get(handle, false, NULL, &s, NULL, NULL);

	if (e || !out)
		return e ? e : cudaErrorInvalidValue;
	memcpy(out, &s,
	       offsetof(struct cudaTextureDesc, disableTrilinearOptimization));
	return cudaSuccess;
}

static int object_get_view(struct cudaResourceViewDesc *out, uint64_t handle)
{
	struct rt_view v;
	bool has;
	int e = rt_texture_get(handle, false, NULL, NULL, &v, &has);

	if (e || !out || !has)
		return e ? e : cudaErrorInvalidValue;
	memset(out, 0, offsetof(struct cudaResourceViewDesc, reserved));
	memcpy(out, &v, offsetof(struct cudaResourceViewDesc, reserved));
	return cudaSuccess;
}

API(cudaCreateTextureObject,
    (cudaTextureObject_t * out, const struct cudaResourceDesc *resource,
     const struct cudaTextureDesc *texture,
     const struct cudaResourceViewDesc *view),
    texture_object_new(out, resource, texture, view))
API(cudaDestroyTextureObject, (cudaTextureObject_t t), rt_texture_free(t))
API(cudaGetTextureObjectResourceDesc,
    (struct cudaResourceDesc * out, cudaTextureObject_t t),
    object_get_resource(out, t, false))
API(cudaGetTextureObjectTextureDesc,
    (struct cudaTextureDesc * out, cudaTextureObject_t t),
    object_get_sampler(out, t))
API(cudaGetTextureObjectResourceViewDesc,
    (struct cudaResourceViewDesc * out, cudaTextureObject_t t),
    object_get_view(out, t))
API(cudaCreateSurfaceObject,
    (cudaSurfaceObject_t * out, const struct cudaResourceDesc *resource),
    surface_object_new(out, resource))
API(cudaDestroySurfaceObject, (cudaSurfaceObject_t s), rt_surface_free(s))
API(cudaGetSurfaceObjectResourceDesc,
    (struct cudaResourceDesc * out, cudaSurfaceObject_t s),
    object_get_resource(out, s, true))

#if CUDART_MAJOR < 12
/* CUDA 11.8 has a second name for programs with a longer cudaTextureDesc. */
MORE(cudaCreateTextureObject_v2,
     (cudaTextureObject_t * out, const struct cudaResourceDesc *resource,
      const struct cudaTextureDesc *texture,
      const struct cudaResourceViewDesc *view),
     texture_object_new(out, resource, texture, view))
MORE(cudaGetTextureObjectTextureDesc_v2,
     (struct cudaTextureDesc * out, cudaTextureObject_t t),
     object_get_sampler(out, t))
#endif
