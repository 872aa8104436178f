/*
 * Memory as executors see it: windows of the generic space, flags of loads and
 * stores, and the resolution of a warp's addresses.
 *
 * Models:  loads, stores, fences and asynchronous copies in all spaces, with
 *          bounds and alignment checked.
 * Does not model: time: copies are complete when they are executed.
 * Owner:   none; functions on a warp.
 */
#ifndef HEDDLE_SIMT_MEM_H
#define HEDDLE_SIMT_MEM_H

#include "simt/gmem.h"
#include "simt/warp.h"

/* Bits of in->m of a load or store. */
enum {
	MEM_SIGNED = 1, /* sign-extend to the register */
	MEM_STRONG = 2, /* volatile, relaxed or stronger */
	MEM_ACQUIRE = 4,
	MEM_RELEASE = 8,
	/* Of shared memory: from this bit on, an index in warp.lane_pattern, if
	 * the address register is written only once; else 0. */
	MEM_PATTERN = 8
};

static inline enum space window_of(uint64_t generic)
{
	if (LIKELY(generic >= WINDOWS_END))
		return SPACE_GLOBAL;
	switch (generic / WINDOW_BYTES) {
	case WINDOW_SHARED / WINDOW_BYTES:
	case WINDOW_SHARED_HIGH / WINDOW_BYTES:
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

/* Where the window of a generic address begins that window_of has found. */
static inline uint64_t window_start(enum space space, uint64_t generic)
{
	return space == SPACE_GLOBAL ? 0 : generic & ~(WINDOW_BYTES - 1ull);
}

/* Bytes that a lane of a load or store accesses. */
static inline uint32_t inst_bytes(const struct inst *in)
{
	return (uint32_t)in->width * (in->count ? in->count : 1);
}

/* Register i of a load's destination or a store's source. Without a list they are
 * 32-bit registers that follow each other. */
static inline slot_t mem_slot(const struct inst *in, uint32_t i)
{
	const struct opnd_lists *x = in->x;

	return x ? x->slots[i] : in->d + i * (slot_t)sizeof(uint32_t[LANES]);
}

/* An integer operand of one lane, whatever its register's width. */
uint64_t slot_lane(const struct warp *w, slot_t s, unsigned bytes, int lane);

/* Writes the low `bytes` bytes of v to a register of that size (1 counts as 2),
 * for the lanes in w->mask. */
void put_any(struct warp *w, slot_t s, unsigned bytes, const uint64_t v[LANES]);

/* Lanes outside of the mask repeat an active one: checks need no mask. */
static inline void mem_fill_inactive(uint64_t addr[LANES], lanes_t mask)
{
	uint64_t any = addr[lanes_first(mask)];

	if (LIKELY(lanes_are_all(mask)))
		return;
	for (int l = 0; l < LANES; l++)
		addr[l] = mask >> l & 1 ? addr[l] : any;
}

/* Whether operand e is added to a 32-bit register, and by how much the register
 * is shifted then. */
static inline bool mem_has_short_base(const struct inst *in)
{
	return in->addr >= ADDR_REG32_BASE && in->addr <= ADDR_REG32_X16;
}
static inline unsigned mem_address_shift(const struct inst *in)
{
	return in->addr == ADDR_REG32_BASE ? 0 : in->addr - ADDR_REG32_X4 + 2u;
}

/* The values of an address register of 64 bits, before the offset is added; of
 * a pair, in `room`. NULL: it is no such register. */
const uint64_t *mem_wide_register(const struct warp *w, const struct inst *in,
				  uint64_t room[LANES]);
/* The addresses of in's memory operand (in->a, in->addr, in->offset). */
void mem_addresses(struct warp *w, const struct inst *in, uint64_t addr[LANES]);

/*
 * Resolves addresses lane by lane. addr[] are addresses in `space` (GENERIC is
 * resolved per lane), `size` bytes each, for the lanes in w->mask. Checks
 * bounds and alignment (to `align` bytes). False: the launch has faulted, and
 * the executor must return at once. On success host[l] is the host address of
 * lane l's bytes; lanes outside of the mask have the address of an active one.
 */
bool mem_resolve(struct warp *w, const struct inst *in, enum space space,
		 const uint64_t addr[LANES], uint32_t size, uint32_t align,
		 void *host[LANES]);

/* The source of cp.async as an instruction with that memory operand, and the
 * lanes of w->mask that read there. */
struct inst mem_async_source(const struct inst *in);
lanes_t mem_async_lanes(struct warp *w, const struct inst *in);

/* The memory operands of a bulk copy, each as an instruction: inst.x. */
struct bulk_opnds {
	struct inst global, shared, barrier;
	bool store; /* to global memory, without a barrier */
};

/*
 * Computes the addresses of in's memory operand and resolves them. Fills in the
 * effect: an access of this kind, `size` bytes for each lane; KIND_PLAIN if
 * watchers shall not see it. False: the launch has faulted.
 */
bool mem_locate(struct warp *w, const struct inst *in, enum timing_kind kind,
		uint32_t size, uint32_t align, uintptr_t host[LANES]);

/* Lanes whose addresses count when `matrices` 8x8 matrices are accessed by
 * rows. */
static inline lanes_t mem_matrix_lanes(unsigned matrices)
{
	return lanes_below(8 * matrices) & LANES_ALL;
}

/* Resolves generic addresses of an effect: its space is the one that the first
 * lane points into, addr[] become addresses in that space, and lanes that point
 * elsewhere take no part. */
void mem_resolve_effect(struct effect *e);

/* The allocation that holds the bytes, or NULL. Recently used ones are
 * cached. */
const struct range *mem_range(struct warp *w, const struct inst *in,
			      uint64_t at, uint64_t size);

/* Prefetches into the host's cache what a load, the warp's next instruction,
 * will read. Only for loads that mem_can_fetch accepts: global memory,
 * addressed by a 64-bit register. */
bool mem_can_fetch(const struct inst *in);
void mem_fetch(const struct warp *w, const struct inst *in);

/* Lanes of w->mask whose address, in the effect, is in global memory;
 * constants, which are never written, do not count. */
lanes_t mem_global(const struct warp *w, const struct inst *in);

/* Executors of loads, stores, fences and copies. */
exec_fn mem_load, mem_store, mem_fence, mem_copy_async;
/* Executors of common loads that lowerings recognise: a word of global memory
 * for each lane, at an address in a 64-bit register or a pair; a word of shared
 * memory, or several, at an address without or with a base; a kernel parameter at
 * a fixed offset. */
exec_fn mem_load_words, mem_load_pair_words, mem_load_shared,
	mem_load_shared_vectors, mem_load_param;
/* A store of a word of shared memory for each lane, at an address in a 32-bit
 * register. */
exec_fn mem_store_shared;

#endif
