/*
 * A PTX module that is ready to run: the program that all instruction sets
 * share (simt/program.h), and what only PTX needs of it for lowering and
 * timing.
 *
 * Owner:   lives as long as its program; owns the parsed module.
 */
#ifndef HEDDLE_ISA_PTX_PROGRAM_H
#define HEDDLE_ISA_PTX_PROGRAM_H

#include "isa/ptx/module.h"
#include "simt/program.h"

/* The address of a variable of the module or of a function. */
struct placed {
	uint64_t address; /* in its space */
	uint64_t size;
};

/* Memory of a frame: offsets of return values, parameters and variables. */
struct layout {
	uint32_t *var;   /* by index in the function's vars */
	uint32_t *param; /* by position */
	uint32_t *ret;
	uint32_t bytes;
};

/* Where a function's registers are in its frames. */
struct reg_place {
	uint32_t *slot; /* by register: offset in a frame */
	/* By register: the only instruction that writes it, plus 1, if no
	 * thread executes that instruction twice; else 0. */
	uint32_t *once;
	uint32_t end; /* bytes of all registers */
};

/* base.funcs, funcs, layouts, regs and func_vars are by ptx_func.index. */
struct ptx_program {
	struct program base;
	struct ptx_module *module;
	const struct ptx_func **funcs;
	struct layout *layouts;
	struct reg_place *regs;
	struct placed *vars; /* by ptx_var.index, module scope */
	/* Variables inside functions that have a fixed address (.shared,
	 * .global, .const), by function and ptx_var.index. */
	struct placed **func_vars;
	slot_t *tex_slots; /* of .texref and the like: constants to bind */
	/* Special registers that are fixed when a warp starts, by enum
	 * ptx_sreg: their offset in SLOT_SREG, or SREG_UNUSED. */
	uint32_t sreg_at[PTX_SREG_COUNT];
	bool any_refused;      /* some function is refused */
	uint32_t module_local; /* bytes of .local variables at module scope */
	struct placed_block *blocks; /* allocations to free */
};

/* The PTX of a program, a function or an instruction. */
static inline const struct ptx_program *ptx_program_of(const struct program *p)
{
	return (const struct ptx_program *)(const void *)p;
}
static inline const struct ptx_func *ptx_func_of(const struct function *f)
{
	return ptx_program_of(f->program)->funcs[f->index];
}
static inline const struct ptx_inst *ptx_inst_of(const struct code *c,
						 const struct inst *in)
{
	return &ptx_func_of(c->func)->insts[in->index];
}

/* Takes ownership of *m, also on failure. */
MUST_USE enum err ptx_program_new(struct program **out, struct ptx_module *m,
				  struct gmem *g, struct diag *d);
void ptx_program_free(struct program *p);

/* program_info.c: fills in the functions and variables of p->base. */
MUST_USE enum err ptx_describe_program(struct ptx_program *p, struct diag *d);

/* A special register that no instruction reads: warps do not store it. */
#define SREG_UNUSED UINT32_MAX
/* For the lowering: the offset of a special register that is read. */
uint32_t ptx_program_sreg(struct ptx_program *p, enum ptx_sreg s);

/* Offset of parameter i in a kernel's parameter block, and the block's size. */
uint32_t param_offset(const struct ptx_func *f, uint32_t i);
uint32_t param_bytes(const struct ptx_func *f);

#endif
