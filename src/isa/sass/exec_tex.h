/* What lower_tex.c makes for the executors of textures and surfaces. */
#ifndef HEDDLE_ISA_SASS_EXEC_TEX_H
#define HEDDLE_ISA_SASS_EXEC_TEX_H

#include "isa/sass/exec.h"
#include "simt/surface.h"

/* Lists of in->x. The layer of a layered geometry is the last coordinate. */
enum { TEX_OUT, TEX_HANDLE, TEX_COORDS, TEX_OFFSETS };

/* in->x points to this. */
struct sass_tex {
	struct opnd_lists list;
	struct tex_geom geom;
	bool integer;      /* coordinates are integers */
	bool halves;       /* two components to a register */
	uint8_t mask;      /* components that are written */
	uint8_t component; /* that is gathered */
	/* Surfaces. */
	bool texels; /* coordinates count texels, which are converted */
	enum surf_mode mode;
};

static inline const struct sass_tex *sass_tex_of(const struct inst *in)
{
	return in->x;
}

struct sass_lower;

/* lower_tex.c: false: it is no such instruction. */
bool sass_lower_tex(struct sass_lower *lo, struct inst *out);

/* Where the lanes of a store or reduction that was executed have written: as
 * isa.surface_addresses. */
lanes_t sass_surface_addresses(struct warp *w, const struct inst *in,
			       uint64_t addr[LANES]);

#endif
