#include "door/libcuda/texture.h"

#include <string.h>

static int cu_resource_of(struct rt_resource *out, const CUDA_RESOURCE_DESC *d)
{
	*out = (struct rt_resource){ .kind = (enum rt_resource_kind)d->resType };
	switch (d->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		out->array = (void *)d->res.array.hArray;
		return 0;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		out->mipmap = (void *)d->res.mipmap.hMipmappedArray;
		return 0;
	case CU_RESOURCE_TYPE_LINEAR:
		out->p = as_pointer(d->res.linear.devPtr);
		out->size = d->res.linear.sizeInBytes;
		return channel_of(&out->channel, d->res.linear.format,
				  d->res.linear.numChannels) ?
			       0 :
			       CUDA_ERROR_INVALID_VALUE;
	case CU_RESOURCE_TYPE_PITCH2D:
		out->p = as_pointer(d->res.pitch2D.devPtr);
		out->width = d->res.pitch2D.width;
		out->height = d->res.pitch2D.height;
		out->pitch = d->res.pitch2D.pitchInBytes;
		return channel_of(&out->channel, d->res.pitch2D.format,
				  d->res.pitch2D.numChannels) ?
			       0 :
			       CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static void cu_resource_describe(CUDA_RESOURCE_DESC *out,
				 const struct rt_resource *r)
{
	memset(out, 0, sizeof(*out));
	out->resType = (CUresourcetype)r->kind;
	switch (r->kind) {
	case RT_RESOURCE_ARRAY:
		out->res.array.hArray = (void *)r->array;
		break;
	case RT_RESOURCE_MIPMAP:
		out->res.mipmap.hMipmappedArray = (void *)r->mipmap;
		break;
	case RT_RESOURCE_LINEAR:
		out->res.linear.devPtr = (uintptr_t)r->p;
		out->res.linear.sizeInBytes = r->size;
		out->res.linear.format =
			format_of(&r->channel, &out->res.linear.numChannels);
		break;
	case RT_RESOURCE_PITCH:
		out->res.pitch2D.devPtr = (uintptr_t)r->p;
		out->res.pitch2D.width = r->width;
		out->res.pitch2D.height = r->height;
		out->res.pitch2D.pitchInBytes = r->pitch;
		out->res.pitch2D.format =
			format_of(&r->channel, &out->res.pitch2D.numChannels);
		break;
	}
}

/* Integers are read normalized, between 0 and 1 or -1 and 1, unless the flag
 * says otherwise; 32-bit integers never are. rt itself ignores the read mode of
 * floats only. */
static bool reads_normalized(const struct rt_resource *r, unsigned flags)
{
	struct rt_channel c = r->channel;
	struct rt_array_info info;
	struct rt_array *a = r->array;

	if (r->kind == RT_RESOURCE_MIPMAP && rt_mipmap_level(&a, r->mipmap, 0))
		return false;
	if (r->kind <= RT_RESOURCE_MIPMAP) {
		if (rt_array_info(&info, a))
			return false;
		c = info.channel;
	}
	return !(flags & CU_TRSF_READ_AS_INTEGER) &&
	       c.kind != RT_CHANNEL_FLOAT && c.x < 32;
}

int texture_new(uint64_t *out, const struct rt_resource *r,
		const CUDA_TEXTURE_DESC *d, const struct rt_view *v)
{
	struct rt_sampler s = {
		.address = { (int)d->addressMode[0], (int)d->addressMode[1],
			     (int)d->addressMode[2] },
		.filter = (int)d->filterMode,
		.read = reads_normalized(r, d->flags),
		.srgb = (d->flags & CU_TRSF_SRGB) != 0,
		.normalized = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.anisotropy = d->maxAnisotropy,
		.mip_filter = (int)d->mipmapFilterMode,
		.mip_bias = d->mipmapLevelBias,
		.mip_min = d->minMipmapLevelClamp,
		.mip_max = d->maxMipmapLevelClamp,
		.no_trilinear = (d->flags &
				 CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
		.seamless = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0,
	};

	memcpy(s.border, d->borderColor, sizeof(s.border));
	return rt_texture_new(out, r, &s, v);
}

static int texture_create(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
			  const CUDA_TEXTURE_DESC *texture,
			  const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct rt_resource r;
	struct rt_view v = { 0 };
	uint64_t handle;
	int e = out && resource && texture ? cu_resource_of(&r, resource) :
					     CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	if (view)
		v = (struct rt_view){
			(int)view->format,      view->width,
			view->height,           view->depth,
			view->firstMipmapLevel, view->lastMipmapLevel,
			view->firstLayer,       view->lastLayer
		};
	e = texture_new(&handle, &r, texture, view ? &v : NULL);
	if (!e)
		*out = handle;
	return e;
}

static int cu_object_get_resource(CUDA_RESOURCE_DESC *out, uint64_t handle,
				  bool surface)
{
	struct rt_resource r;
	int e = rt_texture_get(handle, surface, &r, NULL, NULL, NULL);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	cu_resource_describe(out, &r);
	return 0;
}

static unsigned sampler_flags(const struct rt_sampler *s)
{
	return (s->read ? 0u : CU_TRSF_READ_AS_INTEGER) |
	       (s->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
	       (s->srgb ? CU_TRSF_SRGB : 0u) |
	       (s->no_trilinear ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
	       (s->seamless ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
}

static int cu_object_get_sampler(CUDA_TEXTURE_DESC *out, uint64_t handle)
{
	struct rt_sampler s;
	int e = rt_texture_get(handle, false, NULL, &s, NULL, NULL);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_TEXTURE_DESC){
		.filterMode = (CUfilter_mode)s.filter,
		.flags = sampler_flags(&s),
		.maxAnisotropy = s.anisotropy,
		.mipmapFilterMode = (CUfilter_mode)s.mip_filter,
		.mipmapLevelBias = s.mip_bias,
		.minMipmapLevelClamp = s.mip_min,
		.maxMipmapLevelClamp = s.mip_max,
	};
	for (int i = 0; i < 3; i++)
		out->addressMode[i] = (CUaddress_mode)s.address[i];
	memcpy(out->borderColor, s.border, sizeof(s.border));
	return 0;
}

static int cu_object_get_view(CUDA_RESOURCE_VIEW_DESC *out, uint64_t handle)
{
	struct rt_view v;
	bool has;
	int e = rt_texture_get(handle, false, NULL, NULL, &v, &has);

	if (e || !out)
		return e ? e : CUDA_ERROR_INVALID_VALUE;
	if (!has)
		return 0;
	*out = (CUDA_RESOURCE_VIEW_DESC){
		.format = (CUresourceViewFormat)v.format,
		.width = v.width,
		.height = v.height,
		.depth = v.depth,
		.firstMipmapLevel = v.first_level,
		.lastMipmapLevel = v.last_level,
		.firstLayer = v.first_layer,
		.lastLayer = v.last_layer,
	};
	return 0;
}

static int surface_create(CUsurfObject *out, const CUDA_RESOURCE_DESC *d)
{
	struct rt_resource r;
	uint64_t handle;
	int e = out && d ? cu_resource_of(&r, d) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		e = rt_surface_new(&handle, &r);
	if (!e)
		*out = handle;
	return e;
}

API(cuTexObjectCreate,
    (CUtexObject * out, const CUDA_RESOURCE_DESC *resource,
     const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view),
    texture_create(out, resource, texture, view))
/* Anything that is not a texture is ignored, as by the real driver. */
API(cuTexObjectDestroy, (CUtexObject t), (rt_texture_free(t), 0))
API(cuTexObjectGetResourceDesc, (CUDA_RESOURCE_DESC * out, CUtexObject t),
    cu_object_get_resource(out, t, false))
API(cuTexObjectGetTextureDesc, (CUDA_TEXTURE_DESC * out, CUtexObject t),
    cu_object_get_sampler(out, t))
API(cuTexObjectGetResourceViewDesc,
    (CUDA_RESOURCE_VIEW_DESC * out, CUtexObject t), cu_object_get_view(out, t))
API(cuSurfObjectCreate, (CUsurfObject * out, const CUDA_RESOURCE_DESC *d),
    surface_create(out, d))
API(cuSurfObjectDestroy, (CUsurfObject s), rt_surface_free(s))
API(cuSurfObjectGetResourceDesc, (CUDA_RESOURCE_DESC * out, CUsurfObject s),
    cu_object_get_resource(out, s, true))
