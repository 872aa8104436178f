/*
 * A module made ready to run on a device: code, constants, and addresses for
 * its variables in global memory.
 *
 * Models:  everything that a module says, lowered once; what cannot be run is
 *          refused here, with its place, not in the middle of a run. What is
 *          not supported refuses its function and those that call it by name;
 *          there is no code of these. Anything else refuses the module.
 * Owner:   the caller; holds the parsed module and frees it.
 */
#ifndef HEDDLE_SIMT_PROGRAM_H
#define HEDDLE_SIMT_PROGRAM_H

#include "arch/inst.h"
#include "base/arena.h"
#include "isa/ptx/module.h"
#include "simt/gmem.h"

/* What a call copies. An end is a slot, or an offset in a frame's memory. */
struct call_arg {
	bool from_local, to_local;
	uint32_t from, to;
	uint32_t bytes;
	uint8_t from_reg, to_reg; /* bytes of a register; 1: a predicate */
};

/* in->x of a call. */
struct call_info {
	const struct code *target; /* NULL: through a register, or a service */
	const struct service *service; /* vprintf, malloc, ... */
	struct call_arg *args, *rets;  /* in order */
	uint32_t arg_count, ret_count;
	uint32_t arg_local[16]; /* service: where arguments lie in the frame */
};

/* Where a variable of the module or of a function lives. */
struct placed {
	uint64_t address; /* in its space */
	uint64_t size;
};

/* Memory of a frame: where returns, parameters and variables lie. */
struct layout {
	uint32_t *var;   /* by index in the function's vars */
	uint32_t *param; /* by position */
	uint32_t *ret;
	uint32_t bytes;
};

/* Where a function's registers lie in its frames. */
struct reg_place {
	uint32_t *slot; /* by register: offset in a frame */
	/* By register: the only instruction that writes it, plus 1, if no
	 * thread executes that twice; else 0. */
	uint32_t *once;
	uint32_t end; /* bytes of all */
};

struct program {
	struct arena arena;
	struct ptx_module *module;
	struct code **codes;    /* by ptx_func.index; NULL: no body, refused */
	const char **refused;   /* by ptx_func.index: why, or NULL */
	struct layout *layouts; /* by ptx_func.index, too */
	struct reg_place *regs; /* by function */
	struct placed *vars;    /* by ptx_var.index, module scope */
	char *pool;             /* constants, lanes side by side */
	uint32_t pool_bytes;
	/* Variables inside functions that have a fixed address (.shared,
	 * .global, .const), by ptx_func.index and ptx_var.index. */
	struct placed **func_vars;
	slot_t *tex_slots;      /* of .texref and the like: constants to bind */
	uint32_t shared_static; /* dynamic shared memory starts here */
	uint32_t *shared_used;  /* by ptx_func.index: static bytes it reaches */
	/* Special registers that are fixed when a warp starts, by enum
	 * ptx_sreg: where they lie in SLOT_SREG, or SREG_UNUSED. */
	uint32_t sreg_at[PTX_SREG_COUNT];
	uint32_t sreg_bytes;
	bool any_refused;      /* a function of the module is */
	bool taped;            /* code.sites are filled: func/tape.h */
	uint32_t module_local; /* bytes of .local variables at module scope */
	struct placed_block *blocks; /* allocations to give back */
	struct gmem *gmem;
};

/* Takes over *m, also on failure. */
MUST_USE enum err program_new(struct program **out, struct ptx_module *m,
			      struct gmem *g, struct diag *d);
void program_free(struct program *p);

/* Ties a .texref, .surfref or .samplerref to an object, for launches to come. */
void program_bind(struct program *p, const struct ptx_var *v, uint64_t handle);

/* Nobody reads it, so warps do not have it. */
#define SREG_UNUSED UINT32_MAX
/* For the lowering: the place of a special register that is read. */
uint32_t program_sreg(struct program *p, enum ptx_sreg s);

/* Offset of parameter i in a kernel's parameter block. */
uint32_t param_offset(const struct ptx_func *f, uint32_t i);
uint32_t param_bytes(const struct ptx_func *f);

#endif
