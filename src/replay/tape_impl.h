/* Shared by the files of recording and replay only. */
#ifndef HEDDLE_REPLAY_TAPE_IMPL_H
#define HEDDLE_REPLAY_TAPE_IMPL_H

#include "replay/tape.h"
#include "simt/block.h"
#include "simt/mem.h"
#include "trace/codec.h"

_Static_assert((int)LANES == (int)TRACE_LANES, "lanes of a warp");

static inline const struct tape_site *site_of(const struct warp *w,
					      const struct inst *in)
{
	return &w->frame->code->sites[in - w->insts];
}

static inline const struct isa *isa_of_warp(const struct warp *w)
{
	return w->block->launch->program->isa;
}

/*
 * The instructions that are replayed most (loads, stores, those that set
 * predicates) have their site in operand c, which is unused in a replay, so
 * that it need not be looked up. in->k of those that set predicates is
 * tape_site.recorded, and whether tape_site.whole is set.
 */
enum { REPLAY_WHOLE = 4 };

/* The place of operand c if the instruction is in a group: no slot has it. */
enum { SLOT_GROUPED = 3 };

static inline bool has_site(unsigned kind)
{
	return kind == REPLAY_PRED || kind == REPLAY_LOAD ||
	       kind == REPLAY_LOAD_SHARED || kind == REPLAY_STORE ||
	       kind == REPLAY_TEXELS;
}

static inline uint32_t replay_site(const struct inst *in)
{
	return SLOT_OFFSET(in->c);
}

static inline bool is_grouped(const struct inst *in)
{
	return SLOT_PLACE(in->c) == SLOT_GROUPED;
}

/* Whether the addresses are facts; otherwise the code determines them. */
static inline bool records_address(const struct inst *in)
{
	if (in->addr != ADDR_ABS && in->addr != ADDR_FRAME)
		return true;
	return in->space != SPACE_SHARED && in->space != SPACE_LOCAL &&
	       in->space != SPACE_PARAM;
}

/*
 * The fact of a lane that reads texels, a number: 0 if it reads none, else the
 * address of the first one times 1 << TEXEL_BITS, and 1 more than the logarithm
 * of its size.
 */
enum { TEXEL_BITS = 3, TEXEL_MASK = (1 << TEXEL_BITS) - 1 };

static inline uint64_t texel_fact(uint64_t address, uint32_t bytes)
{
	return address << TEXEL_BITS | ((uint32_t)__builtin_ctz(bytes) + 1);
}

/* The site of the sizes of malloc and free: so far behind that of the call. */
enum { SIZES_SITE = 2 };

/* Maximum number of instructions in one iteration of a loop that only waits. */
enum { SPIN_MAX = 32 };

extern exec_fn *const record_fn[REPLAY_KINDS], *const replay_fn[REPLAY_KINDS];

#endif
