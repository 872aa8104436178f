/*
 * A code object's sections as they lie in global memory, with relocations applied.
 *
 * Reads:   linked and unlinked objects: the relocations that LLVM makes for code
 *          (PC-relative, absolute, through a table of addresses) and those that a
 *          linker leaves.
 * Does not read: symbols of other objects: a use of one is an error that names it.
 */
#ifndef HEDDLE_ISA_GCN_IMAGE_H
#define HEDDLE_ISA_GCN_IMAGE_H

#include "base/arena.h"
#include "isa/gcn/object.h"
#include "simt/gmem.h"

struct gcn_image {
	uint64_t base; /* address in global memory */
	uint64_t bytes;
	uint8_t *host;
	uint64_t *section; /* offset of each; UINT64_MAX: not in memory */
	uint64_t table;    /* offset of the table of addresses */
};

/* Allocates in *g; the caller frees image.base with gmem_drop, also after a
 * failure unless it is 0. */
MUST_USE enum err gcn_image_new(struct gcn_image *im, struct arena *a,
				const struct gcn_object *o, struct gmem *g,
				struct diag *d);

/* Where a symbol lies in the image; false: nowhere. */
bool gcn_image_symbol(const struct gcn_image *im, const struct gcn_object *o,
		      const Elf64_Sym *s, uint64_t *offset);

#endif
