/* What the files of recording and replaying share. Not for anyone else. */
#ifndef HEDDLE_REPLAY_TAPE_IMPL_H
#define HEDDLE_REPLAY_TAPE_IMPL_H

#include "isa/ptx/exec_rows.h"
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

/*
 * What is replayed most has its site where it is at hand: operand c of loads,
 * stores and what gives predicates is theirs alone to read, and nobody reads it
 * in a replay. in->k of the last is tape_site.told.
 */
static inline bool has_site(unsigned kind)
{
	return kind == TAPE_PRED || kind == TAPE_LOAD ||
	       kind == TAPE_LOAD_SHARED || kind == TAPE_STORE;
}

static inline uint32_t replay_site(const struct inst *in)
{
	return SLOT_OFFSET(in->c);
}

/* Whether the addresses are facts; others follow from the code. */
static inline bool tells_address(const struct inst *in)
{
	if (in->addr != ADDR_ABS && in->addr != ADDR_FRAME)
		return true;
	return in->space != SPACE_SHARED && in->space != SPACE_LOCAL &&
	       in->space != SPACE_PARAM;
}

/* Bits of tape_site.told of mbarriers: the operand is a register; it is a loop
 * that only waits. */
enum { TOLD_OPERAND = 1, TOLD_SPIN = 2 };

/* Instructions of a loop that only waits. */
enum { SPIN_MOST = 32 };

/* A further fact of an instruction has a site of its own. */
enum { NEXT_SITE = 1, SITES_OF_ONE = 5 };

/* The register that names the lanes of a .sync operation, or SLOT_NONE. */
slot_t tape_members(const struct inst *in);
/* Bytes of the register operands of what steers: a and b; 0: none. */
unsigned tape_steer_bytes(const struct inst *in, int i);

static inline slot_t tape_steer_slot(const struct inst *in, int i)
{
	return i ? in->b : in->a;
}

/* tape_derive.c: by instruction, whether a replay computes it; NULL: no
 * memory. */
bool *tape_derived(const struct ptx_func *f, struct arena *scratch);

extern exec_fn *const record_fn[TAPE_KINDS], *const replay_fn[TAPE_KINDS];

#endif
