/*
 * What executors share: the table of executors, and what the lowering puts into
 * struct inst for them.
 */
#ifndef HEDDLE_ISA_PTX_EXEC_H
#define HEDDLE_ISA_PTX_EXEC_H

#include "isa/ptx/row.h"
#include "simt/mem.h"

/* The executor of every row, by enum ptx_op. */
extern exec_fn *const exec_table[PTX_OP_COUNT];

/* Lists of registers, and the opcode with its types and attributes. */
struct ptx_lists {
	struct opnd_lists list;
	const struct ptx_opcode *op;
};

static inline const struct ptx_opcode *lists_op(const struct opnd_lists *x)
{
	return ((const struct ptx_lists *)(const void *)x)->op;
}

/*
 * exec_mma.c: wmma_stride returns the bytes from line to line of a matrix in
 * memory. wmma_lines sets the address of the line that each lane accesses, from
 * `base` on; lanes outside w->mask repeat another's. It returns the alignment
 * that the lines must have.
 */
uint64_t wmma_stride(const struct warp *w, const struct inst *in);
uint32_t wmma_lines(const struct warp *w, const struct inst *in, uint64_t base,
		    uint64_t stride, uint64_t addr[LANES]);

/* exec_tex.c: where the lanes of a sust or sured that was executed have written,
 * and which of w->mask did; the others have the address of one that did, or
 * 0. */
lanes_t surface_addresses(struct warp *w, const struct inst *in,
			  uint64_t addr[LANES]);

/*
 * in->x of exec_unrolled: how a loop counts (ptx_unroll). in->k: the iterations
 * that all lanes must still have to go; in->count: the result of the comparison
 * with which the loop goes on; in->offset: where to go if some have not; in->m:
 * the comparison, in the text.
 */
struct loop_count {
	slot_t counter, step, limit;
	uint8_t bytes;
	uint8_t truth; /* IF_ bits */
	bool is_signed, subtracts, tests_old, swapped;
};

/* in->k of mov. */
enum { MOVE_PLAIN, MOVE_UNPACK, MOVE_PACK, MOVE_FRAME };

/* in->k of a comparison: the relations that make it true: less, equal, greater,
 * unordered. */
enum { IF_LT = 1, IF_EQ = 2, IF_GT = 4, IF_UN = 8 };

/* in->count of a comparison: how its result is combined with predicate c. */
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
