/*
 * What lanes do with textures and surfaces, for the executors of every
 * instruction set: objects by their handles, coordinates, accesses to texels
 * through the SM's view of memory.
 *
 * Owner:   none; functions on a warp. The objects are in simt/tex.h.
 */
#ifndef HEDDLE_SIMT_SURFACE_H
#define HEDDLE_SIMT_SURFACE_H

#include "simt/tex.h"
#include "simt/warp.h"

/* What the coordinates of an instruction are. */
struct tex_geom {
	int dims;
	bool layered, cube;
};

/* A lane's coordinates: words, which may be floats. */
struct tex_place {
	uint32_t layer;
	int32_t at[3];
};

/* The texture or surface of a lane. NULL: the launch has faulted. */
const struct tex *lane_tex(struct warp *w, const struct inst *in, int lane,
			   uint64_t handle);
/* The same by the low word of a handle. */
const struct tex *lane_tex_low(struct warp *w, const struct inst *in, int lane,
			       uint32_t handle);

/* Samples, or with `integer` loads the texel at integer coordinates. */
void tex_fetch(const struct tex *t, struct tex_geom g,
	       const struct tex_place *p, bool integer, const int32_t offset[3],
	       uint32_t out[4], struct tex_span *span);
/* With timing: keeps in the effect what a lane fetches, one texel of it. Of those
 * that a filter reads, even lanes keep the first and odd lanes the last one:
 * neighbours usually fetch next to each other, and so cover what they read. */
void tex_effect(struct warp *w, int lane, const struct tex *t,
		const struct tex_span *span);

/* What happens outside of a surface. */
enum surf_mode { SURF_TRAP, SURF_CLAMP, SURF_IGNORE };

struct surf_access {
	const struct tex *tex;
	struct tex_geom geom;
	struct tex_place place;
	enum surf_mode mode;
	/* at[0] counts texels, and one is accessed; else it counts bytes, and
	 * `size` of them are. */
	bool texels;
	uint32_t size;
};

/* Sets *out to a lane's bytes, or to NULL if the access is outside and ignored;
 * a->size is their number. False: the launch has faulted. */
bool surf_find(struct warp *w, const struct inst *in, int lane,
	       struct surf_access *a, char **out);
/* Where to read the bytes at `from`, as the SM sees them. */
const char *surf_read(struct warp *w, int lane, char *from, uint32_t size);
/* Writes them. With timing, view_begin must come before, and surf_effect after
 * all lanes; `found` are the lanes that access a texel. */
void surf_write(struct warp *w, int lane, char *to, const void *from,
		uint32_t size);
void surf_effect(struct warp *w, const struct inst *in, lanes_t found);
/* Gives lanes whose access is ignored the address of one in `somewhere`, or
 * 0. */
void surf_fill(uint64_t addr[LANES], lanes_t somewhere);

/* Reductions on the texels of the lanes in `found`, at host[], with b; in->k is
 * as in simt/atomic.h, in->width the bytes. They may be performed later. */
void surf_reduce(struct warp *w, const struct inst *in, lanes_t found,
		 const uintptr_t host[LANES], const uint64_t b[LANES]);

#endif
