/* What the executors of the x87 share. */
#ifndef HEDDLE_ISA_X86_EXEC_X87_H
#define HEDDLE_ISA_X86_EXEC_X87_H

#include "isa/x86/exec.h"
#include "isa/x86/exec_fx.h"
#include "isa/x86/row.h"
#include "isa/x86/soft.h"

/* The status register. */
enum {
	X86_FPU_STACK = 1 << 6, /* stack fault */
	X86_FPU_C0 = 1 << 8,
	X86_FPU_C1 = 1 << 9,
	X86_FPU_C2 = 1 << 10,
	X86_FPU_C3 = 1 << 14,
	X86_FPU_CODES = X86_FPU_C0 | X86_FPU_C1 | X86_FPU_C2 | X86_FPU_C3,
	X86_FPU_TOP = 11, /* the first bit of three */
	X86_FPU_ROUND = 10,
	X86_FPU_PRECISION = 8
};

struct x86_env x86_fpu_env(const struct x86_cpu *c);
/* Results have the precision that the control word asks for, and all exponents. */
struct x86_fmt x86_fpu_fmt(const struct x86_cpu *c);
/* The end of an instruction: sets flags; one that is not masked is a fault. */
const struct x86_inst *x86_fpu_done(struct x86_cpu *c, const struct x86_inst *i,
				    const struct x86_env *e);

/* The physical number of ST(n). */
unsigned x86_st(const struct x86_fpu *f, unsigned n);
/* A register; one that is empty is an invalid operation. */
struct x86_f80 x86_st_raw(struct x86_cpu *c, unsigned n, struct x86_env *e);
struct x86_num x86_st_get(struct x86_cpu *c, unsigned n, struct x86_env *e);
void x86_st_put(struct x86_cpu *c, unsigned n, struct x86_f80 v);
void x86_st_push(struct x86_cpu *c, struct x86_f80 v, struct x86_env *e);
void x86_st_pop(struct x86_cpu *c);

/* Numbers of memory; false: it faulted. */
bool x86_load80(struct x86_cpu *c, uint64_t at, struct x86_f80 *v);
bool x86_store80(struct x86_cpu *c, uint64_t at, struct x86_f80 v);
bool x86_fpu_mem(struct x86_cpu *c, const struct x86_inst *i, struct x86_env *e,
		 struct x86_num *n);
bool x86_fpu_int(struct x86_cpu *c, const struct x86_inst *i,
		 struct x86_num *n);

static inline void x86_fpu_codes(struct x86_cpu *c, unsigned codes)
{
	c->fpu.status = (uint16_t)((c->fpu.status & ~X86_FPU_CODES) | codes);
}

#endif
