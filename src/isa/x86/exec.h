/*
 * What executors share: operands, addresses, how they end.
 *
 * An executor of a table's row is called x86_do_NAME, or is made of its
 * semantics by the macros in exec_int.c, exec_cond.c and exec_sse.h.
 */
#ifndef HEDDLE_ISA_X86_EXEC_H
#define HEDDLE_ISA_X86_EXEC_H

#include "isa/x86/inst.h"
#include "isa/x86/mem.h"

/* The head of the executor of a row with semantics `name`. */
#define X86_DO(name)                                       \
	const struct x86_inst *x86_do_##name(              \
		__attribute__((unused)) struct x86_cpu *c, \
		__attribute__((unused)) const struct x86_inst *i)

/* Ends an instruction that faulted; c->fault is set. */
X86_INLINE const struct x86_inst *x86_fail(struct x86_cpu *c,
					   const struct x86_inst *i)
{
	c->at = i;
	return NULL;
}

X86_INLINE const struct x86_inst *
x86_raise(struct x86_cpu *c, const struct x86_inst *i, enum x86_fault_kind kind)
{
	c->stop = X86_STOP_FAULT;
	c->fault = (struct x86_fault){ .kind = kind };
	return x86_fail(c, i);
}

/* Ends a block; the next instruction is at `to`. */
X86_INLINE const struct x86_inst *x86_jump(struct x86_cpu *c, uint64_t to)
{
	c->rip = to;
	return NULL;
}

/* The offset of a memory operand, without its segment. */
X86_INLINE uint64_t x86_offset(const struct x86_cpu *c,
			       const struct x86_inst *i)
{
	uint64_t at = c->r[i->base] + (c->r[i->index] << i->shift) + i->disp;

	return UNLIKELY(i->size32) ? (uint32_t)at : at;
}

X86_INLINE uint64_t x86_address(const struct x86_cpu *c,
				const struct x86_inst *i)
{
	return x86_offset(c, i) + c->segment[i->segment];
}

/* Registers of 8 bits are numbered by their byte, so that AH is 1. */
X86_INLINE uint64_t x86_get(const struct x86_cpu *c, unsigned reg,
			    unsigned bits)
{
	if (bits == 8)
		return ((const uint8_t *)c->r)[reg];
	return x86_low(c->r[reg], bits);
}

/* What has 32 bits clears the upper half. */
X86_INLINE void x86_put(struct x86_cpu *c, unsigned reg, unsigned bits,
			uint64_t v)
{
	if (bits == 8)
		((uint8_t *)c->r)[reg] = (uint8_t)v;
	else if (bits == 16)
		((uint16_t *)c->r)[reg * 4u] = (uint16_t)v;
	else if (bits == 32)
		c->r[reg] = (uint32_t)v;
	else
		c->r[reg] = v;
}

/* Operands of any kind, for what is not often executed. */
X86_INLINE bool x86_get_opnd(struct x86_cpu *c, const struct x86_inst *i,
			     enum x86_opnd kind, unsigned reg, unsigned bits,
			     uint64_t *v)
{
	if (kind == X86_OPND_MEM)
		return x86_load(c, x86_address(c, i), bits, v);
	*v = kind == X86_OPND_IMM ? i->imm : x86_get(c, reg, bits);
	return true;
}

X86_INLINE bool x86_get_src(struct x86_cpu *c, const struct x86_inst *i,
			    uint64_t *v)
{
	return x86_get_opnd(c, i, i->src_kind, i->src, i->src_bits, v);
}

X86_INLINE bool x86_get_dst(struct x86_cpu *c, const struct x86_inst *i,
			    uint64_t *v)
{
	return x86_get_opnd(c, i, i->dst_kind, i->dst, i->bits, v);
}

X86_INLINE bool x86_put_dst(struct x86_cpu *c, const struct x86_inst *i,
			    uint64_t v)
{
	if (i->dst_kind == X86_OPND_MEM)
		return x86_store(c, x86_address(c, i), i->bits, v);
	x86_put(c, i->dst, i->bits, v);
	return true;
}

X86_INLINE bool x86_push(struct x86_cpu *c, unsigned bits, uint64_t v)
{
	uint64_t to = c->r[X86_RSP] - bits / 8;

	if (UNLIKELY(!x86_store(c, to, bits, v)))
		return false;
	c->r[X86_RSP] = to;
	return true;
}

X86_INLINE bool x86_pop(struct x86_cpu *c, unsigned bits, uint64_t *v)
{
	if (UNLIKELY(!x86_load(c, c->r[X86_RSP], bits, v)))
		return false;
	c->r[X86_RSP] += bits / 8;
	return true;
}

#endif
