/*
 * What executors share: the table of them, memory access by lanes, and the
 * operands that the lowering leaves in struct inst for each kind.
 */
#ifndef HEDDLE_ISA_PTX_EXEC_H
#define HEDDLE_ISA_PTX_EXEC_H

#include "arch/inst.h"
#include "simt/warp.h"

/* Every executor named in ptx.def, and those of the lane rows. */
extern exec_fn *const exec_table[PTX_OP_COUNT];

/*
 * Operands of an instruction with lists of registers (vectors, matrices,
 * textures): in->x points to this. List i starts at slots[first[i]].
 */
struct opnd_lists {
	const struct ptx_opcode *op; /* types and attributes */
	uint8_t count[6];            /* registers in list i */
	uint8_t first[6];
	uint8_t bytes[6]; /* of a register in list i: 2, 4, 8 */
	slot_t *slots;
	uint32_t room; /* of slots */
};

/*
 * Memory by lanes. addr[] are addresses in `space` (GENERIC is resolved per
 * lane), size bytes each, for the lanes in w->mask. Bounds and alignment (to
 * `align` bytes) are checked; on a fault these return false and the executor
 * returns at once. On success host[l] is where lane l's bytes are; lanes
 * outside of the mask have the address of an active one.
 */
bool mem_resolve(struct warp *w, const struct inst *in, enum space space,
		 const uint64_t addr[LANES], uint32_t size, uint32_t align,
		 void *host[LANES]);

/* The addresses of in's memory operand (in->a, in->addr, in->offset). */
void mem_addresses(struct warp *w, const struct inst *in, uint64_t addr[LANES]);

/* 64 bits of an integer operand whatever its register's width. */
uint64_t slot_lane(const struct warp *w, slot_t s, unsigned bytes, int lane);

/* The low `bytes` bytes of v to a register of that size (1 counts as 2), for
 * the lanes in w->mask. */
void put_any(struct warp *w, slot_t s, unsigned bytes, const uint64_t v[LANES]);

/* What sured does to one lane's word, by a thread alone or not. */
void sured_lane(const struct inst *in, void *at, uint64_t b);

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
