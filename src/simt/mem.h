/*
 * Memory as executors see it: windows of the generic space, flags of a load
 * or store, and the resolution of a warp's addresses.
 */
#ifndef HEDDLE_SIMT_MEM_H
#define HEDDLE_SIMT_MEM_H

#include "isa/ptx/exec.h"
#include "simt/gmem.h"

/* Bits of in->m of a load or store. */
enum {
	MEM_SIGNED = 1, /* sign-extend to the register */
	MEM_STRONG = 2, /* volatile, relaxed or stronger */
	MEM_ACQUIRE = 4,
	MEM_RELEASE = 8,
	/* exec_ld32_shared: from this bit on, a place in warp.rows, plus 1, if
	 * the address register does not change any more. */
	MEM_ROWS = 8
};

static inline enum space window_of(uint64_t generic)
{
	if (LIKELY(generic >= GMEM_BASE_32))
		return SPACE_GLOBAL;
	switch (generic / WINDOW_BYTES) {
	case WINDOW_SHARED / WINDOW_BYTES:
		return SPACE_SHARED;
	case WINDOW_LOCAL / WINDOW_BYTES:
		return SPACE_LOCAL;
	case WINDOW_PARAM / WINDOW_BYTES:
		return SPACE_PARAM;
	default:
		return SPACE_GLOBAL;
	}
}

static inline uint64_t window_base(enum space space)
{
	switch (space) {
	case SPACE_SHARED:
		return WINDOW_SHARED;
	case SPACE_LOCAL:
		return WINDOW_LOCAL;
	case SPACE_PARAM:
		return WINDOW_PARAM;
	default:
		return 0;
	}
}

/* Register i of a load's destination or a store's source. */
static inline slot_t mem_slot(const struct inst *in, uint32_t i)
{
	const struct opnd_lists *x = in->x;

	return x ? x->slots[i] : in->d;
}

/* The source of cp.async as a memory operand of its own, and the lanes of
 * w->mask that read there. */
struct inst mem_async_source(const struct inst *in);
uint32_t mem_async_lanes(const struct warp *w, const struct inst *in);

/* The memory operands of a bulk copy, each as one of its own: inst.x. */
struct bulk_opnds {
	struct inst global, shared, barrier;
};

/*
 * Addresses of in's memory operand into w->addr, and where each lane's bytes
 * are. False: the launch has faulted.
 */
bool mem_locate(struct warp *w, const struct inst *in, uint32_t size,
		uint32_t align, uintptr_t host[LANES]);

/* The allocation that holds the bytes, or NULL; those used last are
 * remembered. */
const struct range *mem_range(struct warp *w, const struct inst *in,
			      uint64_t at, uint64_t size);

/* Brings what a load, the warp's next instruction, is going to read into the
 * host's cache. Only for those that can: global memory at a 64-bit register. */
bool mem_can_fetch(const struct inst *in);
void mem_fetch(const struct warp *w, const struct inst *in);

/* Lanes of w->mask whose address, in w->addr, is in global memory; constants,
 * which nobody writes, do not count. */
uint32_t mem_global(const struct warp *w, const struct inst *in);

/*
 * exec_mma.c: the bytes from line to line of a matrix in memory; the lines
 * that lanes find from `base` on, lanes outside of w->mask repeating another's.
 * Returns the alignment that the lines must have.
 */
uint64_t wmma_stride(const struct warp *w, const struct inst *in);
uint32_t wmma_lines(const struct warp *w, const struct inst *in, uint64_t base,
		    uint64_t stride, uint64_t addr[LANES]);
/* exec_mbar.c: bytes of the operand of an mbarrier instruction; lanes of a test
 * whose phase is complete. */
unsigned mbar_bytes(const struct inst *in);
uint32_t mbar_done(const struct warp *w, const struct inst *in,
		   uint64_t *const at[LANES]);
/* exec_tex.c: where the lanes of a sust or sured that was executed have written,
 * and which of w->mask did; the others have the address of one that did, or
 * 0. */
uint32_t surface_addresses(struct warp *w, const struct inst *in,
			   uint64_t addr[LANES]);

#endif
