/*
 * Register pressure and allocation: how many registers of the register file a
 * function's live registers (isa/ptx/live.h) need, and which ones they get.
 *
 * A cell takes 0 to 4 registers of 32 bits: none if it is a predicate, or if its
 * value is available without a register, as are constants, kernel parameters
 * and what a uniform datapath computes from them.
 *
 * Models:  pressure at every point; a linear scan over live intervals that
 *          gives each cell a home, 64-bit values in pairs, in the bank that the
 *          other sources of its readers use least.
 * Does not model: spilling (cells share homes if none is free), consecutive
 *          registers of vector accesses, reordering by ptxas.
 */
#ifndef HEDDLE_ISA_PTX_TIME_LIVE_H
#define HEDDLE_ISA_PTX_TIME_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "cfg/cfg.h"
#include "isa/ptx/live.h"

enum { LIVE_NO_HOME = 0xffff };

struct time_live {
	uint32_t cells;
	uint32_t carry; /* the carry flag's cell */
	/* As in struct ptx_live. */
	const uint32_t *first, *at;
	const struct ptx_live_ref *ref;
	uint8_t *words;   /* by cell: 32-bit registers */
	bool *leads;      /* by instruction: starts a basic block */
	bool *read;       /* by cell: some instruction reads it */
	uint16_t *held;   /* by instruction: 32-bit registers live across it */
	uint16_t *before; /* by instruction: 32-bit registers live before it */
	uint16_t *home;   /* by cell: physical register or LIVE_NO_HOME */
	uint32_t max;     /* maximum of 32-bit registers live at one point */
	uint32_t demand;  /* estimate for a compiler; at least 16 */
	uint32_t room;    /* of demand, for values that the text names */
	uint32_t used;    /* physical registers of all homes */
};

/* What *out points at lives in *a. Fails with ERR_NOMEM only. */
MUST_USE enum err time_live_analyse(struct time_live *out, struct arena *a,
				    const struct ptx_func *f,
				    const struct cfg *cfg, struct diag *d);

/* The maximum number of registers per thread: what the module declares about
 * launches (.maxnreg, .maxntid, .minnctapersm) bounds it. */
uint32_t time_register_limit(const struct ptx_func *f, const struct cfg *cfg);
/* Whether it loads a kernel's parameter, which needs no register. */
bool time_is_param_load(const struct ptx_func *f, const struct ptx_inst *in);

#endif
