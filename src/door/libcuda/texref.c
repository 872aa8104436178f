#include <stdlib.h>
#include <string.h>

#include "door/libcuda/texture.h"

/*
 * Texture and surface references: variables of a module that a program fills
 * in one by one. Whenever one has changed and is complete, an object is made
 * of it and the module's variable bound to that.
 */
struct reference {
	struct reference *next;
	struct rt_module *module; /* NULL: made by cuTexRefCreate, never used */
	char *name;
	bool surface, bound;
	uint64_t object; /* what the module has; 0: nothing so far */
	struct rt_resource resource;
	CUarray_format format;
	unsigned channels;
	CUDA_TEXTURE_DESC texture;
};

static struct reference *references;

static struct reference *find(const void *handle, bool surface)
{
	struct reference *r = references;

	while (r && (r != handle || r->surface != surface))
		r = r->next;
	return r;
}

static void drop_object(struct reference *r)
{
	if (r->object && r->surface)
		rt_surface_free(r->object);
	else if (r->object)
		rt_texture_free(r->object);
	r->object = 0;
}

static void drop(struct reference **at)
{
	struct reference *r = *at;

	*at = r->next;
	drop_object(r);
	free(r->name);
	free(r);
}

void references_drop(const struct rt_module *m)
{
	struct reference **at = &references;

	while (*at) {
		if ((*at)->module == m)
			drop(at);
		else
			at = &(*at)->next;
	}
}

static struct reference *make(struct rt_module *m, const char *name,
			      bool surface)
{
	struct reference *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct reference){ .next = references,
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
	for (struct reference *r = references; r; r = r->next)
		r->object = 0;
}

static int of_module(struct reference **out, struct rt_module *m,
		     const char *name, bool surface)
{
	int e;

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	for (struct reference *r = references; r; r = r->next)
		if (r->module == m && r->surface == surface &&
		    !strcmp(r->name, name)) {
			*out = r;
			return 0;
		}
	e = rt_module_global(NULL, NULL, m, name);
	if (e)
		return e;
	*out = make(m, name, surface);
	return *out ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The object that the reference stands for now. */
static int bind(struct reference *r)
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
	drop_object(r);
	r->object = object;
	return 0;
}

static int set_resource(struct reference *r, const struct rt_resource *with)
{
	r->resource = *with;
	r->bound = true;
	return bind(r);
}

static int get_reference(void *out, CUmodule m, const char *name, bool surface)
{
	struct reference *r;
	int e = out ? of_module(&r, (void *)m, name, surface) :
		      CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*(struct reference **)out = r;
	return e;
}

API(cuModuleGetTexRef, (CUtexref * out, CUmodule m, const char *name),
    get_reference(out, m, name, false))
API(cuModuleGetSurfRef, (CUsurfref * out, CUmodule m, const char *name),
    get_reference(out, m, name, true))

static int create(CUtexref *out)
{
	struct reference *r = out ? make(NULL, "", false) : NULL;

	if (!r)
		return out ? CUDA_ERROR_OUT_OF_MEMORY :
			     CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r;
	return 0;
}

/* References of modules end with them. */
static int destroy(CUtexref ref)
{
	struct reference **at = &references;

	while (*at && (void *)*at != (void *)ref)
		at = &(*at)->next;
	if (!*at || (*at)->module)
		return CUDA_ERROR_INVALID_VALUE;
	drop(at);
	return 0;
}

API(cuTexRefCreate, (CUtexref * out), create(out))
API(cuTexRefDestroy, (CUtexref ref), destroy(ref))

/*
 * What it reads
 */

#define REF(ref, body)                                      \
	({                                                  \
		struct reference *r = find(ref, false);     \
                                                            \
		r ? (body) : (int)CUDA_ERROR_INVALID_VALUE; \
	})

static int set_array(struct reference *r, CUarray a, CUmipmappedArray m,
		     unsigned flags)
{
	if (flags != CU_TRSA_OVERRIDE_FORMAT)
		return CUDA_ERROR_INVALID_VALUE;
	return set_resource(
		r, &(struct rt_resource){ .kind = m ? RT_RESOURCE_MIPMAP :
						      RT_RESOURCE_ARRAY,
					  .array = (void *)a,
					  .mipmap = (void *)m });
}

static int set_address(struct reference *r, size_t *offset, CUdeviceptr p,
		       size_t size)
{
	struct rt_resource with = { .kind = RT_RESOURCE_LINEAR,
				    .p = pointer(p),
				    .size = size };

	if (offset)
		*offset = 0;
	/* 0 takes it away. */
	if (!p) {
		r->bound = false;
		return 0;
	}
	if (!channel_of(&with.channel, r->format, r->channels))
		return CUDA_ERROR_INVALID_VALUE;
	return set_resource(r, &with);
}

static int set_address_2d(struct reference *r, const CUDA_ARRAY_DESCRIPTOR *d,
			  CUdeviceptr p, size_t pitch)
{
	struct rt_resource with = { .kind = RT_RESOURCE_PITCH,
				    .p = pointer(p),
				    .pitch = pitch };

	if (!d || !channel_of(&with.channel, d->Format, d->NumChannels))
		return CUDA_ERROR_INVALID_VALUE;
	with.width = d->Width;
	with.height = d->Height;
	return set_resource(r, &with);
}

static int get_array(CUarray *out, const struct reference *r)
{
	if (!out || !r->bound || r->resource.kind != RT_RESOURCE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r->resource.array;
	return 0;
}

static int get_mipmap(CUmipmappedArray *out, const struct reference *r)
{
	if (!out || !r->bound || r->resource.kind != RT_RESOURCE_MIPMAP)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (void *)r->resource.mipmap;
	return 0;
}

static int get_address(CUdeviceptr *out, const struct reference *r)
{
	if (!out || !r->bound || r->resource.kind < RT_RESOURCE_LINEAR)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (uintptr_t)r->resource.p;
	return 0;
}

API(cuTexRefSetArray, (CUtexref ref, CUarray a, unsigned flags),
    REF(ref, set_array(r, a, NULL, flags)))
API(cuTexRefSetMipmappedArray,
    (CUtexref ref, CUmipmappedArray m, unsigned flags),
    REF(ref, set_array(r, NULL, m, flags)))
API(cuTexRefSetAddress_v2,
    (size_t * offset, CUtexref ref, CUdeviceptr p, size_t size),
    REF(ref, set_address(r, offset, p, size)))
API(cuTexRefSetAddress2D_v3,
    (CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p, size_t pitch),
    REF(ref, set_address_2d(r, d, p, pitch)))
SAME(cuTexRefSetAddress2D_second, "cuTexRefSetAddress2D_v2",
     cuTexRefSetAddress2D_v3)
API(cuTexRefGetArray, (CUarray * out, CUtexref ref),
    REF(ref, get_array(out, r)))
API(cuTexRefGetMipmappedArray, (CUmipmappedArray * out, CUtexref ref),
    REF(ref, get_mipmap(out, r)))
API(cuTexRefGetAddress_v2, (CUdeviceptr * out, CUtexref ref),
    REF(ref, get_address(out, r)))

static int set_surface(CUsurfref ref, CUarray a, unsigned flags)
{
	struct reference *r = find(ref, true);

	if (!r || flags)
		return CUDA_ERROR_INVALID_VALUE;
	return set_resource(r, &(struct rt_resource){ .kind = RT_RESOURCE_ARRAY,
						      .array = (void *)a });
}

static int get_surface(CUarray *out, CUsurfref ref)
{
	const struct reference *r = find(ref, true);

	return r ? get_array(out, r) : CUDA_ERROR_INVALID_VALUE;
}

API(cuSurfRefSetArray, (CUsurfref ref, CUarray a, unsigned flags),
    set_surface(ref, a, flags))
API(cuSurfRefGetArray, (CUarray * out, CUsurfref ref), get_surface(out, ref))

/*
 * How it reads
 */

static int set_format(struct reference *r, CUarray_format format, int channels)
{
	struct rt_channel c;

	if (channels < 0 || !channel_of(&c, format, (unsigned)channels))
		return CUDA_ERROR_INVALID_VALUE;
	r->format = format;
	r->channels = (unsigned)channels;
	if (r->bound && r->resource.kind == RT_RESOURCE_LINEAR)
		r->resource.channel = c;
	return bind(r);
}

/* One field; what is out of range is found when the object is made. */
#define FIELD(set, get, type, field)                       \
	API(set, (CUtexref ref, type value),               \
	    REF(ref, (r->texture.field = value, bind(r)))) \
	API(get, (type * out, CUtexref ref),               \
	    REF(ref, NEED(out, (*out = (type)r->texture.field, 0))))

FIELD(cuTexRefSetFilterMode, cuTexRefGetFilterMode, CUfilter_mode, filterMode)
FIELD(cuTexRefSetFlags, cuTexRefGetFlags, unsigned, flags)
FIELD(cuTexRefSetMipmapFilterMode, cuTexRefGetMipmapFilterMode, CUfilter_mode,
      mipmapFilterMode)
FIELD(cuTexRefSetMipmapLevelBias, cuTexRefGetMipmapLevelBias, float,
      mipmapLevelBias)

API(cuTexRefSetFormat, (CUtexref ref, CUarray_format format, int channels),
    REF(ref, set_format(r, format, channels)))
API(cuTexRefGetFormat, (CUarray_format * format, int *channels, CUtexref ref),
    REF(ref, (format ? *format = r->format : 0,
	      channels ? *channels = (int)r->channels : 0, 0)))
API(cuTexRefSetAddressMode, (CUtexref ref, int dim, CUaddress_mode mode),
    REF(ref, NEED(dim >= 0 && dim < 3,
		  (r->texture.addressMode[dim] = mode, bind(r)))))
API(cuTexRefGetAddressMode, (CUaddress_mode * out, CUtexref ref, int dim),
    REF(ref, NEED(out &&dim >= 0 && dim < 3,
		  (*out = r->texture.addressMode[dim], 0))))
API(cuTexRefSetMaxAnisotropy, (CUtexref ref, unsigned most),
    REF(ref, (r->texture.maxAnisotropy = most, bind(r))))
API(cuTexRefGetMaxAnisotropy, (int *out, CUtexref ref),
    REF(ref, NEED(out, (*out = (int)r->texture.maxAnisotropy, 0))))
API(cuTexRefSetMipmapLevelClamp, (CUtexref ref, float least, float most),
    REF(ref, (r->texture.minMipmapLevelClamp = least,
	      r->texture.maxMipmapLevelClamp = most, bind(r))))
API(cuTexRefGetMipmapLevelClamp, (float *least, float *most, CUtexref ref),
    REF(ref, NEED(least &&most, (*least = r->texture.minMipmapLevelClamp,
				 *most = r->texture.maxMipmapLevelClamp, 0))))
API(cuTexRefSetBorderColor, (CUtexref ref, float *color),
    REF(ref, NEED(color, (memcpy(r->texture.borderColor, color,
				 sizeof(r->texture.borderColor)),
			  bind(r)))))
API(cuTexRefGetBorderColor, (float *color, CUtexref ref),
    REF(ref, NEED(color, (memcpy(color, r->texture.borderColor,
				 sizeof(r->texture.borderColor)),
			  0))))
/* A kernel that names the reference has it without being told. */
API(cuParamSetTexRef, (CUfunction f, int unit, CUtexref ref),
    ((void)f, REF(ref, NEED(unit == CU_PARAM_TR_DEFAULT, ((void)r, 0)))))
