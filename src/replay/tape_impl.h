/* What the files of recording and replaying share. Not for anyone else. */
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
 * What is replayed most has its site where it is at hand: operand c of loads,
 * stores and what gives predicates is theirs alone to read, and nobody reads it
 * in a replay. in->k of the last is tape_site.recorded.
 */
static inline bool has_site(unsigned kind)
{
	return kind == REPLAY_PRED || kind == REPLAY_LOAD ||
	       kind == REPLAY_LOAD_SHARED || kind == REPLAY_STORE;
}

static inline uint32_t replay_site(const struct inst *in)
{
	return SLOT_OFFSET(in->c);
}

/* Whether the addresses are facts; others follow from the code. */
static inline bool records_address(const struct inst *in)
{
	if (in->addr != ADDR_ABS && in->addr != ADDR_FRAME)
		return true;
	return in->space != SPACE_SHARED && in->space != SPACE_LOCAL &&
	       in->space != SPACE_PARAM;
}

/* Instructions that a round of a loop that only waits takes at most. */
enum { SPIN_MAX = 32 };

extern exec_fn *const record_fn[REPLAY_KINDS], *const replay_fn[REPLAY_KINDS];

#endif
