#include <stdlib.h>
#include <string.h>

#include "door/libcuda/texture.h"

/*
 * Texture and surface references: variables of a module whose properties a
 * program sets one by one. Whenever a complete reference changes, an object is
 * made of it and bound to the module's variable.
 */
struct tex_reference {
	struct tex_reference *next;
	struct rt_module *module; /* NULL: from cuTexRefCreate, never used */
	char *name;
	bool surface, bound;
	uint64_t object; /* bound to the module's variable; 0: none yet */
	struct rt_resource resource;
	CUarray_format format;
	unsigned channels;
	CUDA_TEXTURE_DESC texture;
};

static struct tex_reference *references;

static struct tex_reference *cu_reference_find(const void *handle, bool surface)
{
	struct tex_reference *r = references;

	while (r && (r != handle || r->surface != surface))
		r = r->next;
	return r;
}

static void reference_free_object(struct tex_reference *r)
{
	if (r->object && r->surface)
		rt_surface_free(r->object);
	else if (r->object)
		rt_texture_free(r->object);
	r->object = 0;
}

static void reference_free(struct tex_reference **at)
{
	struct tex_reference *r = *at;

	*at = r->next;
	reference_free_object(r);
	free(r->name);
	free(r);
}

void references_free(const struct rt_module *m)
{
	struct tex_reference **at = &references;

	while (*at) {
		if ((*at)->module == m)
			reference_free(at);
		else
			at = &(*at)->next;
	}
}

static struct tex_reference *reference_make(struct rt_module *m,
					    const char *name, bool surface)
{
	struct tex_reference *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct tex_reference){ .next = references,
				     .module = m,
				     .name = strdup(name),
				     .surface = surface,
				     .format = CU_AD_FORMAT_FLOAT,
				     .channels = 1 };
	if (!r->name) {
		free(r);
		return NULL;
	}
	references = r;
	return r;
}

void references_reset(void)
{
	for (struct tex_reference *r = references; r; r = r->next)
		r->object = 0;
}

static int reference_of_module(struct tex_reference **out, struct rt_module *m,
			       const char *name, bool surface)
{
	int e;

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	for (struct tex_reference *r = references; r; r = r->next)
		if (r->module == m && r->surface == surface &&
		    !strcmp(r->name, name)) {
			*out = r;
			return 0;
		}
	e = rt_module_global(NULL, NULL, m, name);
	if (e)
		return e;
	*out = reference_make(m, name, surface);
	return *out ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Makes an object of the reference and binds the variable to it. */
static int cu_reference_bind(struct tex_reference *r)
{
	uint64_t object = 0;
	int e = 0;

	if (!r->bound || !r->module)
		return 0;
	e = r->surface ? rt_surface_new(&object, &r->resource) :
			 texture_new(&object, &r->resource, &r->texture, NULL);
	if (!e)
		e = rt_module_bind(r->module, r->name, object);
	if (e)
		return e;
	reference_free_object(r);
	r->object = object;
	return 0;
}

static int reference_set_resource(struct tex_reference *r,
				  const struct rt_resource *with)
{
	r->resource = *with;
	r->bound = true;
	return cu_reference_bind(r);
}

static int module_get_reference(void *out, CUmodule m, const char *name,
				bool surface)
{
	struct tex_reference *r;
	int e = out ? reference_of_module(&r, (void *)m, name, surface) :
		      CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*(struct tex_reference **)out = r;
	return e;
}

API(cuModuleGetTexRef, (CUtexref * out, CUmodule m, const char *name),
    module_get_reference(out, m, name, false))
API(cuModuleGetSurfRef, (CUsurfref * out, CUmodule m, const char *name),
    module_get_reference(out, m, name, true))

static int reference_create(CUtexref *out)
{
	struct tex_reference *r = out ? reference_make(NULL, "", false) : NULL;

	if (!r)
		return out ? CUDA_ERROR_OUT_OF_MEMORY :
			     CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r;
	return 0;
}

/* A reference of a module is freed with the module. */
static int reference_destroy(CUtexref ref)
{
	struct tex_reference **at = &references;

	while (*at && (void *)*at != (void *)ref)
		at = &(*at)->next;
	if (!*at || (*at)->module)
		return CUDA_ERROR_INVALID_VALUE;
	reference_free(at);
	return 0;
}

API(cuTexRefCreate, (CUtexref * out), reference_create(out))
API(cuTexRefDestroy, (CUtexref ref), reference_destroy(ref))

/*
 * The memory of a reference
 */

#define REF(ref, body)                                                   \
	({                                                               \
		struct tex_reference *r = cu_reference_find(ref, false); \
                                                                         \
		r ? (body) : (int)CUDA_ERROR_INVALID_VALUE;              \
	})

static int reference_set_array(struct tex_reference *r, CUarray a,
			       CUmipmappedArray m, unsigned flags)
{
	if (flags != CU_TRSA_OVERRIDE_FORMAT)
		return CUDA_ERROR_INVALID_VALUE;
	return reference_set_resource(
		r, &(struct rt_resource){ .kind = m ? RT_RESOURCE_MIPMAP :
						      RT_RESOURCE_ARRAY,
					  .array = (void *)a,
					  .mipmap = (void *)m });
}

static int reference_set_address(struct tex_reference *r, size_t *offset,
				 CUdeviceptr p, size_t size)
{
	struct rt_resource with = { .kind = RT_RESOURCE_LINEAR,
				    .p = as_pointer(p),
				    .size = size };

	if (offset)
		*offset = 0;
	/* 0 unbinds it. */
	if (!p) {
		r->bound = false;
		return 0;
	}
	if (!channel_of(&with.channel, r->format, r->channels))
		return CUDA_ERROR_INVALID_VALUE;
	return reference_set_resource(r, &with);
}

static int reference_set_address_2d(struct tex_reference *r,
				    const CUDA_ARRAY_DESCRIPTOR *d,
				    CUdeviceptr p, size_t pitch)
{
	struct rt_resource with = { .kind = RT_RESOURCE_PITCH,
				    .p = as_pointer(p),
				    .pitch = pitch };

	if (!d || !channel_of(&with.channel, d->Format, d->NumChannels))
		return CUDA_ERROR_INVALID_VALUE;
	with.width = d->Width;
	with.height = d->Height;
	return reference_set_resource(r, &with);
}

static int reference_get_array(CUarray *out, const struct tex_reference *r)
{
	if (!out || !r->bound || r->resource.kind != RT_RESOURCE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r->resource.array;
	return 0;
}

static int reference_get_mipmap(CUmipmappedArray *out,
				const struct tex_reference *r)
{
	if (!out || !r->bound || r->resource.kind != RT_RESOURCE_MIPMAP)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r->resource.mipmap;
	return 0;
}

static int reference_get_address(CUdeviceptr *out,
				 const struct tex_reference *r)
{
	if (!out || !r->bound || r->resource.kind < RT_RESOURCE_LINEAR)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (uintptr_t)r->resource.p;
	return 0;
}

API(cuTexRefSetArray, (CUtexref ref, CUarray a, unsigned flags),
    REF(ref, reference_set_array(r, a, NULL, flags)))
API(cuTexRefSetMipmappedArray,
    (CUtexref ref, CUmipmappedArray m, unsigned flags),
    REF(ref, reference_set_array(r, NULL, m, flags)))
API(cuTexRefSetAddress_v2,
    (size_t * offset, CUtexref ref, CUdeviceptr p, size_t size),
    REF(ref, reference_set_address(r, offset, p, size)))
API(cuTexRefSetAddress2D_v3,
    (CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p, size_t pitch),
    REF(ref, reference_set_address_2d(r, d, p, pitch)))
SAME(cuTexRefSetAddress2D_second, "cuTexRefSetAddress2D_v2",
     cuTexRefSetAddress2D_v3)
API(cuTexRefGetArray, (CUarray * out, CUtexref ref),
    REF(ref, reference_get_array(out, r)))
API(cuTexRefGetMipmappedArray, (CUmipmappedArray * out, CUtexref ref),
    REF(ref, reference_get_mipmap(out, r)))
API(cuTexRefGetAddress_v2, (CUdeviceptr * out, CUtexref ref),
    REF(ref, reference_get_address(out, r)))

static int surface_set_array(CUsurfref ref, CUarray a, unsigned flags)
{
	struct tex_reference *r = cu_reference_find(ref, true);

	if (!r || flags)
		return CUDA_ERROR_INVALID_VALUE;
	return reference_set_resource(
		r, &(struct rt_resource){ .kind = RT_RESOURCE_ARRAY,
					  .array = (void *)a });
}

static int surface_get_array(CUarray *out, CUsurfref ref)
{
	const struct tex_reference *r = cu_reference_find(ref, true);

	return r ? reference_get_array(out, r) : CUDA_ERROR_INVALID_VALUE;
}

API(cuSurfRefSetArray, (CUsurfref ref, CUarray a, unsigned flags),
    surface_set_array(ref, a, flags))
API(cuSurfRefGetArray, (CUarray * out, CUsurfref ref),
    surface_get_array(out, ref))

/*
 * The sampler of a reference
 */

static int reference_set_format(struct tex_reference *r, CUarray_format format,
				int channels)
{
	struct rt_channel c;

	if (channels < 0 || !channel_of(&c, format, (unsigned)channels))
		return CUDA_ERROR_INVALID_VALUE;
	r->format = format;
	r->channels = (unsigned)channels;
	if (r->bound && r->resource.kind == RT_RESOURCE_LINEAR)
		r->resource.channel = c;
	return cu_reference_bind(r);
}

/* One field; its range is checked when the object is made. */
#define FIELD(set, get, type, field)                                    \
	API(set, (CUtexref ref, type value),                            \
	    REF(ref, (r->texture.field = value, cu_reference_bind(r)))) \
	API(get, (type * out, CUtexref ref),                            \
	    REF(ref, NEED(out, (*out = (type)r->texture.field, 0))))

FIELD(cuTexRefSetFilterMode, cuTexRefGetFilterMode, CUfilter_mode, filterMode)
FIELD(cuTexRefSetFlags, cuTexRefGetFlags, unsigned, flags)
FIELD(cuTexRefSetMipmapFilterMode, cuTexRefGetMipmapFilterMode, CUfilter_mode,
      mipmapFilterMode)
FIELD(cuTexRefSetMipmapLevelBias, cuTexRefGetMipmapLevelBias, float,
      mipmapLevelBias)

API(cuTexRefSetFormat, (CUtexref ref, CUarray_format format, int channels),
    REF(ref, reference_set_format(r, format, channels)))
API(cuTexRefGetFormat, (CUarray_format * format, int *channels, CUtexref ref),
    REF(ref, (format ? *format = r->format : 0,
	      channels ? *channels = (int)r->channels : 0, 0)))
API(cuTexRefSetAddressMode, (CUtexref ref, int dim, CUaddress_mode mode),
    REF(ref, NEED(dim >= 0 && dim < 3,
		  (r->texture.addressMode[dim] = mode, cu_reference_bind(r)))))
API(cuTexRefGetAddressMode, (CUaddress_mode * out, CUtexref ref, int dim),
    REF(ref, NEED(out &&dim >= 0 && dim < 3,
		  (*out = r->texture.addressMode[dim], 0))))
API(cuTexRefSetMaxAnisotropy, (CUtexref ref, unsigned max),
    REF(ref, (r->texture.maxAnisotropy = max, cu_reference_bind(r))))
API(cuTexRefGetMaxAnisotropy, (int *out, CUtexref ref),
    REF(ref, NEED(out, (*out = (int)r->texture.maxAnisotropy, 0))))
API(cuTexRefSetMipmapLevelClamp, (CUtexref ref, float min, float max),
    REF(ref, (r->texture.minMipmapLevelClamp = min,
	      r->texture.maxMipmapLevelClamp = max, cu_reference_bind(r))))
API(cuTexRefGetMipmapLevelClamp, (float *min, float *max, CUtexref ref),
    REF(ref, NEED(min &&max, (*min = r->texture.minMipmapLevelClamp,
			      *max = r->texture.maxMipmapLevelClamp, 0))))
API(cuTexRefSetBorderColor, (CUtexref ref, float *color),
    REF(ref, NEED(color, (memcpy(r->texture.borderColor, color,
				 sizeof(r->texture.borderColor)),
			  cu_reference_bind(r)))))
API(cuTexRefGetBorderColor, (float *color, CUtexref ref),
    REF(ref, NEED(color, (memcpy(color, r->texture.borderColor,
				 sizeof(r->texture.borderColor)),
			  0))))
/* Not needed: a kernel that names a reference uses it. */
API(cuParamSetTexRef, (CUfunction f, int unit, CUtexref ref),
    ((void)f, REF(ref, NEED(unit == CU_PARAM_TR_DEFAULT, ((void)r, 0)))))
