/*
 * Texture and surface objects, and what a texture unit computes from them.
 *
 * Models:  bit for bit the sampling of sm_90 as measured (tests/tex): nearest
 *          and linear filters, address modes, normalised coordinates, layers,
 *          cube maps, gathers, integer fetches, conversion of texels.
 * Does not model: mipmaps (level 0 whatever the level of detail), anisotropy,
 *          sRGB, compressed formats, seamless cube maps.
 * Owner:   the table belongs to the device and is fixed while a launch runs;
 *          the texels belong to the creator of the object.
 */
#ifndef HEDDLE_SIMT_TEX_H
#define HEDDLE_SIMT_TEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct warp;

enum texel {
	TEXEL_U8,
	TEXEL_U16,
	TEXEL_U32,
	TEXEL_S8,
	TEXEL_S16,
	TEXEL_S32,
	TEXEL_F16,
	TEXEL_F32,
	TEXEL_COUNT
};

/* Wrap and mirror clamp where coordinates are not normalised. */
enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };

struct tex {
	char *data;     /* host memory */
	uint64_t bytes; /* there */
	uint64_t guest; /* address of data, as kernels see it */
	enum texel format;
	uint32_t channels;                     /* 1, 2 or 4 */
	uint32_t width, height, depth, layers; /* 0: no such dimension */
	uint64_t row_bytes, slice_bytes;       /* of a slice, layer or face */
	enum tex_address address[3];
	bool linear, normalized, as_float;
	/* For the model of time: a GPU has the texels in tiles, not in rows. */
	bool tiled;
	float border[4]; /* for an integer texture: the bits of integers */
};

/*
 * Fills in packed row_bytes and slice_bytes if they are 0, and checks that all
 * texels are within the data. Everything below relies on that.
 */
MUST_USE enum err tex_complete(struct tex *t, struct diag *d);

static inline uint32_t texel_bytes(enum texel f)
{
	return f == TEXEL_U8 || f == TEXEL_S8                     ? 1 :
	       f == TEXEL_U32 || f == TEXEL_S32 || f == TEXEL_F32 ? 4 :
								    2;
}

struct tex_slot {
	struct tex tex;
	uint32_t age; /* how often the slot was used */
	bool used;
	bool gone; /* its texels have been freed */
};

/* Handles are never 0, and a removed one is never valid again. */
struct tex_table {
	struct tex_slot *slots;
	uint32_t count, room;
};

void tex_table_init(struct tex_table *table);
void tex_table_free(struct tex_table *table);
/* *t is copied; it must be complete. Fails with ERR_NOMEM only. */
MUST_USE enum err tex_table_add(struct tex_table *table, const struct tex *t,
				uint64_t *handle);
/* False: no such handle. */
bool tex_table_remove(struct tex_table *table, uint64_t handle);
/* The bytes at `data` have been freed: textures with texels there keep their
 * handles, but tex_find does not find them any more. */
void tex_table_forget(struct tex_table *table, const char *data, uint64_t size);
/* NULL: no such handle, or its texels are gone. */
const struct tex *tex_find(const struct tex_table *table, uint64_t handle);
/* The same by the low word alone, as machine code passes handles: a handle that
 * was removed may find the object that has its place. */
const struct tex *tex_find_low(const struct tex_table *table, uint32_t handle);

/* The table of the warp's device. */
const struct tex_table *warp_textures(const struct warp *w);

/*
 * Width, height and depth, by number; the number of layers is the size of the
 * dimension after the last one. A 1D texture has the height 1, a 1D surface 0.
 */
uint32_t tex_extent(const struct tex *t, unsigned dimension, bool surface);

struct tex_span {
	uint64_t first, last;
};

/*
 * All of these return four values: floats for a float texture or as_float, else
 * integers extended to 32 bits. Channels that the texture does not have are 0.
 * A layer beyond the last is the last. offset[] is in texels. *span: where a GPU
 * has the first and the last texel that is read, in bytes from the start of the
 * texture; TEX_NOWHERE: the border, or nothing is read.
 */
#define TEX_NOWHERE UINT64_MAX

void tex_sample(const struct tex *t, int dims, uint32_t layer,
		const float at[3], const int32_t offset[3], uint32_t out[4],
		struct tex_span *span);
void tex_sample_cube(const struct tex *t, uint32_t layer, const float dir[3],
		     uint32_t out[4], struct tex_span *span);
/* One channel of the four texels that a linear filter would use. */
void tex_gather(const struct tex *t, unsigned channel, const float at[2],
		uint32_t out[4], struct tex_span *span);
/* Integer coordinates: outside of the texture, all channels are 0. */
void tex_load(const struct tex *t, int dims, uint32_t layer,
	      const int32_t at[3], const int32_t offset[3], uint32_t out[4],
	      struct tex_span *span);

/*
 * The host address of `size` bytes of a surface; at[0] is a byte offset in its
 * row, a multiple of size. Outside of the surface: the nearest place if clamp,
 * else NULL.
 */
char *surf_at(const struct tex *t, int dims, uint32_t layer,
	      const int32_t at[3], uint32_t size, bool clamp);
/* Writes a texel: converts the values of the first `count` channels to its
 * format and sets the others to 0. */
void surf_put(const struct tex *t, char *texel, const uint32_t *v,
	      unsigned count);

#endif
