/* Texture and surface objects. */
#include <stdlib.h>
#include <string.h>

#include "door/rt/alloc.h"
#include "door/rt/state.h"

/* The alignment of cudaMalloc; the pitch alignment of attribute.def. */
enum { ALIGNMENT = 256, PITCH_ALIGNMENT = 32 };

/* A texture or surface object; the simulator gave the handle. */
struct texture_object {
	struct texture_object *next;
	uint64_t handle;
	int device;
	bool surface, has_view;
	struct rt_resource resource;
	struct rt_sampler sampler;
	struct rt_view view;
};

static struct texture_object *objects;

static struct texture_object **texture_find(uint64_t handle, bool surface)
{
	struct texture_object **o = &objects;

	while (*o && ((*o)->handle != handle || (*o)->surface != surface ||
		      (*o)->device != rt_thread()->device))
		o = &(*o)->next;
	return *o ? o : NULL;
}

/* False: the simulator has no such texel format. */
static bool texture_set_format(struct heddle_texture *t,
			       const struct rt_channel *c)
{
	static const enum heddle_texel texels[3][3] = {
		[RT_CHANNEL_SIGNED] = { HEDDLE_TEXEL_S8, HEDDLE_TEXEL_S16,
					HEDDLE_TEXEL_S32 },
		[RT_CHANNEL_UNSIGNED] = { HEDDLE_TEXEL_U8, HEDDLE_TEXEL_U16,
					  HEDDLE_TEXEL_U32 },
		/* There is no 8-bit float. */
		[RT_CHANNEL_FLOAT] = { HEDDLE_TEXEL_F16, HEDDLE_TEXEL_F16,
				       HEDDLE_TEXEL_F32 },
	};
	int size = c->x == 8 ? 0 : c->x == 16 ? 1 : c->x == 32 ? 2 : -1;

	if (size < 0 || c->kind < RT_CHANNEL_SIGNED ||
	    c->kind > RT_CHANNEL_FLOAT || (c->z && !c->w) ||
	    (c->kind == RT_CHANNEL_FLOAT && size == 0))
		return false;
	t->format = texels[c->kind][size];
	t->channels = c->w ? 4 : c->y ? 2 : 1;
	return true;
}

static size_t channel_bytes(const struct rt_channel *c)
{
	return (size_t)(c->x + c->y + c->z + c->w) / 8;
}

static int texture_from_array(struct heddle_texture *t,
			      const struct rt_array *a)
{
	struct rt_array_info info;
	int e = rt_array_info(&info, a);

	if (e)
		return e;
	if (info.device != rt_thread()->device ||
	    !texture_set_format(t, &info.channel))
		return cudaErrorInvalidValue;
	t->data = array_address(a);
	t->width = (uint32_t)info.extent.width;
	t->height = (uint32_t)info.extent.height;
	if (info.flags & (RT_ARRAY_LAYERED | RT_ARRAY_CUBEMAP))
		t->layers = (uint32_t)info.extent.depth;
	else
		t->depth = (uint32_t)info.extent.depth;
	return cudaSuccess;
}

/* Whether [p, p + size) is aligned memory of the device. */
static bool device_has(const void *p, size_t size, size_t align)
{
	struct rt_pointer info;

	if ((uintptr_t)p % align)
		return false;
	rt_pointer(&info, p);
	return info.kind != RT_UNREGISTERED &&
	       size <= (size_t)((char *)info.base + info.size - (char *)p);
}

static int texture_from_memory(struct heddle_texture *t,
			       const struct rt_resource *r)
{
	size_t texel = channel_bytes(&r->channel);
	bool pitched = r->kind == RT_RESOURCE_PITCH;
	size_t bytes = pitched ? r->pitch * r->height : r->size;

	if (!texture_set_format(t, &r->channel))
		return cudaErrorInvalidChannelDescriptor;
	if (pitched && (r->pitch % PITCH_ALIGNMENT ||
			r->width * texel > r->pitch || !r->width || !r->height))
		return cudaErrorInvalidValue;
	if (!device_has(r->p, bytes, ALIGNMENT))
		return cudaErrorInvalidValue;
	t->data = (uint64_t)(uintptr_t)r->p;
	t->width = (uint32_t)(pitched ? r->width : r->size / texel);
	if (pitched) {
		t->height = (uint32_t)r->height;
		t->row_bytes = r->pitch;
	}
	return cudaSuccess;
}

/* Only the first level of a mipmap is modelled. */
static int texture_from_resource(struct heddle_texture *t,
				 const struct rt_resource *r)
{
	struct rt_array *level;
	int e;

	switch (r->kind) {
	case RT_RESOURCE_ARRAY:
		return texture_from_array(t, r->array);
	case RT_RESOURCE_MIPMAP:
		e = rt_mipmap_level(&level, r->mipmap, 1);
		if (!e)
			return rt_unsupported("a texture with mipmap levels");
		e = rt_mipmap_level(&level, r->mipmap, 0);
		return e ? e : texture_from_array(t, level);
	case RT_RESOURCE_LINEAR:
	case RT_RESOURCE_PITCH:
		return texture_from_memory(t, r);
	}
	return cudaErrorInvalidValue;
}

static bool in_range(int v, int max)
{
	return v >= 0 && v <= max;
}

static int texture_set_sampler(struct heddle_texture *t,
			       const struct rt_sampler *s)
{
	for (int i = 0; i < 3; i++) {
		if (!in_range(s->address[i], cudaAddressModeBorder))
			return cudaErrorInvalidValue;
		t->address[i] = (enum heddle_address_mode)s->address[i];
	}
	if (!in_range(s->filter, cudaFilterModeLinear) ||
	    !in_range(s->read, cudaReadModeNormalizedFloat))
		return cudaErrorInvalidValue;
	if (s->srgb)
		return rt_unsupported("a texture in sRGB");
	/* Integers are not filtered; 32-bit integers are never normalized. */
	if (s->filter == cudaFilterModeLinear &&
	    s->read == cudaReadModeElementType &&
	    t->format != HEDDLE_TEXEL_F16 && t->format != HEDDLE_TEXEL_F32)
		return cudaErrorInvalidFilterSetting;
	t->linear = s->filter == cudaFilterModeLinear;
	t->read_as_float = s->read == cudaReadModeNormalizedFloat &&
			   t->format != HEDDLE_TEXEL_F16 &&
			   t->format != HEDDLE_TEXEL_F32;
	t->normalized = s->normalized != 0;
	memcpy(t->border, s->border, sizeof(t->border));
	return cudaSuccess;
}

static int texture_make(uint64_t *out, struct texture_object *o,
			const struct heddle_texture *t)
{
	struct rt_device *d = &rt.devices[o->device];
	struct texture_object *mine = malloc(sizeof(*mine));

	if (!mine)
		return cudaErrorMemoryAllocation;
	if (heddle_texture_new(d->sim, t, &o->handle, NULL)) {
		free(mine);
		return cudaErrorInvalidValue;
	}
	*mine = *o;
	mine->next = objects;
	objects = mine;
	*out = o->handle;
	return cudaSuccess;
}

int rt_texture_new(uint64_t *out, const struct rt_resource *r,
		   const struct rt_sampler *s, const struct rt_view *v)
{
	struct texture_object o = { .resource = *r, .sampler = *s };
	struct heddle_texture t = { 0 };
	struct rt_device *d;
	int e = current_device(&d);

	if (!e)
		e = texture_from_resource(&t, r);
	if (!e)
		e = texture_set_sampler(&t, s);
	if (e)
		return e;
	/* A view that shows the resource as it is changes nothing. */
	if (v && (v->format || v->first_level || v->first_layer))
		return rt_unsupported("a texture with a resource view");
	o.device = d->number;
	o.has_view = v != NULL;
	if (v)
		o.view = *v;
	return texture_make(out, &o, &t);
}

int rt_surface_new(uint64_t *out, const struct rt_resource *r)
{
	struct texture_object o = { .resource = *r, .surface = true };
	struct heddle_texture t = { 0 };
	struct rt_device *d;
	int e = current_device(&d);

	if (e)
		return e;
	if (r->kind != RT_RESOURCE_ARRAY)
		return cudaErrorInvalidValue;
	e = texture_from_array(&t, r->array);
	if (e)
		return e;
	o.device = d->number;
	return texture_make(out, &o, &t);
}

static void texture_destroy(struct texture_object **o)
{
	struct texture_object *gone = *o;

	heddle_texture_free(rt.devices[gone->device].sim, gone->handle, NULL);
	*o = gone->next;
	free(gone);
}

static int texture_free(uint64_t handle, bool surface)
{
	struct texture_object **o = texture_find(handle, surface);

	if (!o)
		return cudaErrorInvalidValue;
	rt_flush();
	texture_destroy(o);
	return cudaSuccess;
}

int rt_texture_free(uint64_t handle)
{
	return handle ? texture_free(handle, false) : cudaSuccess;
}

int rt_surface_free(uint64_t handle)
{
	return handle ? texture_free(handle, true) : cudaSuccess;
}

int rt_texture_get(uint64_t handle, bool surface, struct rt_resource *r,
		   struct rt_sampler *s, struct rt_view *v, bool *has_view)
{
	struct texture_object **o = texture_find(handle, surface);

	if (!o)
		return cudaErrorInvalidValue;
	if (r)
		*r = (*o)->resource;
	if (s)
		*s = (*o)->sampler;
	if (v)
		*v = (*o)->view;
	if (has_view)
		*has_view = (*o)->has_view;
	return cudaSuccess;
}

void textures_reset(int device)
{
	struct texture_object **o = &objects;

	while (*o) {
		if ((*o)->device == device)
			texture_destroy(o);
		else
			o = &(*o)->next;
	}
}
