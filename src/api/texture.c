#include <inttypes.h>
#include <string.h>

#include "api/device.h"

/* The enumerations have the same values. */
_Static_assert((int)HEDDLE_TEXEL_F32 == (int)TEXEL_F32, "texels");
_Static_assert((int)HEDDLE_TEXEL_S8 == (int)TEXEL_S8, "texels");
_Static_assert((int)HEDDLE_ADDRESS_BORDER == (int)TEX_BORDER, "modes");
_Static_assert((int)HEDDLE_ADDRESS_MIRROR == (int)TEX_MIRROR, "modes");

static enum err texture_convert(struct tex *out,
				const struct heddle_device *dev,
				const struct heddle_texture *t, struct diag *d)
{
	const struct range *r = gmem_find(&dev->gmem, t->data, 1);

	if (!r)
		return fail(d, ERR_RANGE,
			    "texels at 0x%" PRIx64 ": nothing is allocated "
			    "there",
			    t->data);
	if ((unsigned)t->format >= TEXEL_COUNT)
		return fail(d, ERR_RANGE, "texel format %d: no such format",
			    t->format);
	*out = (struct tex){
		.data = r->host + (t->data - r->base),
		.bytes = r->size - (t->data - r->base),
		.guest = t->data,
		.format = (enum texel)t->format,
		.channels = t->channels,
		.width = t->width,
		.height = t->height,
		.depth = t->depth,
		.layers = t->layers,
		.row_bytes = t->row_bytes,
		.slice_bytes = t->slice_bytes,
		.linear = t->linear,
		.normalized = t->normalized,
		.as_float = t->read_as_float,
		/* Packed rows are those of a CUDA array. */
		.tiled = t->height && !t->row_bytes,
	};
	for (int i = 0; i < 3; i++) {
		if ((unsigned)t->address[i] > TEX_BORDER)
			return fail(d, ERR_RANGE,
				    "address mode %d: no such mode",
				    t->address[i]);
		out->address[i] = (enum tex_address)t->address[i];
	}
	memcpy(out->border, t->border, sizeof(out->border));
	return tex_complete(out, d);
}

int heddle_texture_new(struct heddle_device *dev,
		       const struct heddle_texture *t, uint64_t *handle,
		       struct heddle_error *err)
{
	struct diag d;
	struct tex tex;
	enum err e = texture_convert(&tex, dev, t, &d);

	if (!e && tex_table_add(&dev->textures, &tex, handle))
		e = fail(&d, ERR_NOMEM, "out of memory");
	return api_result(e, &d, err);
}

int heddle_texture_free(struct heddle_device *dev, uint64_t handle,
			struct heddle_error *err)
{
	struct diag d;
	enum err e = ERR_OK;

	if (!tex_table_remove(&dev->textures, handle))
		e = fail(&d, ERR_UNKNOWN, "no texture has the handle %" PRIu64,
			 handle);
	return api_result(e, &d, err);
}

int heddle_module_bind(struct heddle_device *dev, struct heddle_module *mod,
		       const char *name, uint64_t handle,
		       struct heddle_error *err)
{
	struct program *p = mod->program;
	const struct variable *v = program_variable(p, name);
	struct diag d;
	enum err e = ERR_OK;

	if (!v || !v->binds)
		e = fail(&d, ERR_UNKNOWN,
			 "%s has no texture or surface named '%s'", p->name,
			 name);
	else if (!tex_find(&dev->textures, handle))
		e = fail(&d, ERR_UNKNOWN, "no texture has the handle %" PRIu64,
			 handle);
	else
		program_bind(p, v, handle);
	return api_result(e, &d, err);
}
