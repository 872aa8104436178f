/*
 * What executors share: the table of them, memory access by lanes, and the
 * operands that the lowering leaves in struct inst for each kind.
 */
#ifndef HEDDLE_ISA_PTX_EXEC_H
#define HEDDLE_ISA_PTX_EXEC_H

#include "isa/ptx/row.h"
#include "simt/mem.h"

/* Every executor named in ptx.def, and those of the lane rows. */
extern exec_fn *const exec_table[PTX_OP_COUNT];

/* Lists of registers, with the types and attributes that they have. */
struct ptx_lists {
	struct opnd_lists list;
	const struct ptx_opcode *op;
};

static inline const struct ptx_opcode *lists_op(const struct opnd_lists *x)
{
	return ((const struct ptx_lists *)(const void *)x)->op;
}

/*
 * exec_mma.c: the bytes from line to line of a matrix in memory; the lines
 * that lanes find from `base` on, lanes outside of w->mask repeating another's.
 * Returns the alignment that the lines must have.
 */
uint64_t wmma_stride(const struct warp *w, const struct inst *in);
uint32_t wmma_lines(const struct warp *w, const struct inst *in, uint64_t base,
		    uint64_t stride, uint64_t addr[LANES]);

/* exec_tex.c: where the lanes of a sust or sured that was executed have written,
 * and which of w->mask did; the others have the address of one that did, or
 * 0. */
lanes_t surface_addresses(struct warp *w, const struct inst *in,
			  uint64_t addr[LANES]);

/* exec_atom.c: atomic.perform of atom and red. */
struct atomic;
void atom_perform(struct atomic *a, unsigned lane);

/* in->k of mov. */
enum { MOVE_PLAIN, MOVE_UNPACK, MOVE_PACK, MOVE_FRAME };

/* in->k of a comparison: what makes it true, of the ways that two values can
 * stand to each other. */
enum { IF_LT = 1, IF_EQ = 2, IF_GT = 4, IF_UN = 8 };

/* in->count of a comparison: how it is combined with predicate c. */
enum { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };

static inline uint32_t compare_combine(const struct warp *w,
				       const struct inst *in, uint32_t bits)
{
	uint32_t c;

	if (in->count == BOOL_NONE)
		return bits;
	c = pred_src(w, in, in->c, 0);
	switch (in->count) {
	case BOOL_AND:
		return bits & c;
	case BOOL_OR:
		return bits | c;
	default:
		return bits ^ c;
	}
}

#endif
