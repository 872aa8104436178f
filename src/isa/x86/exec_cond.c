/* What depends on a condition: an executor for each of the 16. */
#include "isa/x86/exec.h"
#include "isa/x86/row.h"

/* imm: where it goes; disp: the next instruction. */
X86_INLINE const struct x86_inst *
x86_run_jump(struct x86_cpu *c, const struct x86_inst *i, bool taken)
{
	return x86_jump(c, taken ? i->imm : i->disp);
}

X86_INLINE const struct x86_inst *x86_run_set(struct x86_cpu *c,
					      const struct x86_inst *i, bool is)
{
	return x86_put_dst(c, i, is) ? i + 1 : x86_fail(c, i);
}

/* Reads memory in any case, and clears the upper half in any case. */
X86_INLINE const struct x86_inst *
x86_run_cmov(struct x86_cpu *c, const struct x86_inst *i, bool is)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	x86_put(c, i->dst, i->bits, is ? v : x86_get(c, i->dst, i->bits));
	return i + 1;
}

X86_INLINE const struct x86_inst *
x86_run_fcmov(struct x86_cpu *c, const struct x86_inst *i, bool is)
{
	struct x86_fpu *f = &c->fpu;

	if (is)
		f->st[f->top] = f->st[(f->top + i->src) & 7];
	return i + 1;
}

#define X86_RUN_JUMP x86_run_jump
#define X86_RUN_SET x86_run_set
#define X86_RUN_CMOV x86_run_cmov
#define X86_RUN_FCMOV x86_run_fcmov

#define X86_COND(id, mn, form, sem, undef, unit, lat, uops)                   \
	static const struct x86_inst *x86_cond_##id(struct x86_cpu *c,        \
						    const struct x86_inst *i) \
	{                                                                     \
		return X86_RUN_##form(c, i, x86_condition(c, sem));           \
	}                                                                     \
	x86_exec *const x86_execs_##id[] = { x86_cond_##id };
#include "isa/x86/x86.def"
