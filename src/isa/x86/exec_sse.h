/*
 * Executors of vector instructions, made of semantics
 *
 *	x86_vec_NAME(c, d, s, imm)
 *
 * where s is a copy of the second operand, or the bytes of memory that the form
 * says. For exec_vector.c and exec_float.c.
 */
#ifndef HEDDLE_ISA_X86_EXEC_SSE_H
#define HEDDLE_ISA_X86_EXEC_SSE_H

#include "isa/x86/exec.h"
#include "isa/x86/row.h"

#define X86_VEC(name)                                                         \
	X86_INLINE void x86_vec_##name(                                       \
		__attribute__((unused)) struct x86_cpu *c, struct x86_xmm *d, \
		const struct x86_xmm *s, __attribute__((unused)) unsigned imm)

typedef void x86_vec(struct x86_cpu *c, struct x86_xmm *d,
		     const struct x86_xmm *s, unsigned imm);

enum x86_vec_source { X86_FROM_REG, X86_FROM_MEM, X86_FROM_IMM };

/* floats: an exception may have stopped it. */
X86_INLINE const struct x86_inst *
x86_run_vec(struct x86_cpu *c, const struct x86_inst *i, x86_vec *sem,
	    enum x86_vec_source from, unsigned bytes, bool aligned, bool floats)
{
	struct x86_xmm s;

	if (from == X86_FROM_REG) {
		s = c->x[i->src];
	} else if (from == X86_FROM_IMM) {
		s.q[0] = i->imm;
		s.q[1] = 0;
	} else {
		uint64_t at = x86_address(c, i);
		const uint8_t *p;

		if (aligned && UNLIKELY(at % 16))
			return x86_raise(c, i, X86_FAULT_ALIGN);
		p = x86_readable(c, at, bytes);
		if (UNLIKELY(!p))
			return x86_fail(c, i);
		if (bytes < 16)
			s.q[0] = s.q[1] = 0;
		memcpy(&s, p, bytes);
	}
	sem(c, &c->x[i->dst], &s, (unsigned)i->imm);
	if (floats && UNLIKELY(c->stop))
		return x86_fail(c, i);
	return i + 1;
}

#define X86_VEC_RUN(id, sem, tag, from, bytes, aligned, floats)               \
	static const struct x86_inst *x86_##id##_##tag(                       \
		struct x86_cpu *c, const struct x86_inst *i)                  \
	{                                                                     \
		return x86_run_vec(c, i, x86_vec_##sem, from, bytes, aligned, \
				   floats);                                   \
	}
#define X86_VEC_TWO(id, sem, bytes, aligned, floats)                    \
	X86_VEC_RUN(id, sem, reg, X86_FROM_REG, 16, false, floats)      \
	X86_VEC_RUN(id, sem, mem, X86_FROM_MEM, bytes, aligned, floats) \
	x86_exec *const x86_execs_##id[] = { x86_##id##_reg, x86_##id##_mem };
#define X86_VEC_SHIFT(id, sem)                                               \
	X86_VEC_RUN(id, sem, reg, X86_FROM_REG, 16, false, false)            \
	X86_VEC_RUN(id, sem, mem, X86_FROM_MEM, 16, true, false)             \
	X86_VEC_RUN(id, sem, imm, X86_FROM_IMM, 16, false, false)            \
	x86_exec *const x86_execs_##id[] = { x86_##id##_reg, x86_##id##_mem, \
					     x86_##id##_imm };

#define X86_MAKE_A16(id, sem, floats) X86_VEC_TWO(id, sem, 16, true, floats)
#define X86_MAKE_U16(id, sem, floats) X86_VEC_TWO(id, sem, 16, false, floats)
#define X86_MAKE_U8(id, sem, floats) X86_VEC_TWO(id, sem, 8, false, floats)
#define X86_MAKE_U4(id, sem, floats) X86_VEC_TWO(id, sem, 4, false, floats)
#define X86_MAKE_U2(id, sem, floats) X86_VEC_TWO(id, sem, 2, false, floats)
#define X86_MAKE_VSH(id, sem, floats) X86_VEC_SHIFT(id, sem)

#endif
