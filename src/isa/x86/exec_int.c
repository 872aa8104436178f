/*
 * Integer instructions that come in all sizes and kinds of operands: an executor
 * for each, made of the row's semantics.
 */
#include "isa/x86/exec.h"
#include "isa/x86/row.h"

typedef uint64_t x86_sem(struct x86_cpu *c, uint64_t a, uint64_t b,
			 unsigned bits);

#define X86_SEM(name)                                      \
	X86_INLINE uint64_t x86_sem_##name(                \
		__attribute__((unused)) struct x86_cpu *c, \
		__attribute__((unused)) uint64_t a,        \
		__attribute__((unused)) uint64_t b,        \
		__attribute__((unused)) unsigned bits)

X86_SEM(add)
{
	uint64_t r = x86_low(a + b, bits);

	x86_set_add(c, a, b, r, bits);
	return r;
}

X86_SEM(adc)
{
	uint64_t r = x86_low(a + b + x86_cf(c), bits);

	x86_set_add(c, a, b, r, bits);
	return r;
}

X86_SEM(sub)
{
	uint64_t r = x86_low(a - b, bits);

	x86_set_sub(c, a, b, r, bits);
	return r;
}

X86_SEM(sbb)
{
	uint64_t r = x86_low(a - b - x86_cf(c), bits);

	x86_set_sub(c, a, b, r, bits);
	return r;
}

X86_SEM(and)
{
	x86_set_logic(c, a & b, bits);
	return a & b;
}

X86_SEM(or)
{
	x86_set_logic(c, a | b, bits);
	return a | b;
}

X86_SEM(xor)
{
	x86_set_logic(c, a ^ b, bits);
	return a ^ b;
}

X86_SEM(mov)
{
	return b;
}

/* inc and dec leave CF. */
X86_SEM(inc)
{
	bool cf = x86_cf(c);
	uint64_t r = x86_sem_add(c, a, 1, bits);

	x86_set_carry(c, cf, x86_of(c));
	return r;
}

X86_SEM(dec)
{
	bool cf = x86_cf(c);
	uint64_t r = x86_sem_sub(c, a, 1, bits);

	x86_set_carry(c, cf, x86_of(c));
	return r;
}

X86_SEM(neg)
{
	return x86_sem_sub(c, 0, a, bits);
}

X86_SEM(not )
{
	return x86_low(~a, bits);
}

/* The shifts take b modulo 32 or 64, and leave all flags if that is 0. */

X86_INLINE void x86_set_shift(struct x86_cpu *c, uint64_t r, bool cf, bool of,
			      unsigned bits)
{
	c->flags.result = x86_sext(r, bits);
	c->flags.extra = 0;
	x86_set_carry(c, cf, of);
}

X86_INLINE bool x86_bit(uint64_t v, unsigned bit)
{
	return v >> bit & 1;
}

X86_SEM(shl)
{
	unsigned n = b & (bits == 64 ? 63 : 31);
	uint64_t r = x86_low(a << n, bits);
	bool cf;

	if (!n)
		return a;
	cf = n <= bits && x86_bit(a, bits - n);
	x86_set_shift(c, r, cf, x86_bit(r, bits - 1) ^ cf, bits);
	return r;
}

X86_SEM(shr)
{
	unsigned n = b & (bits == 64 ? 63 : 31);
	uint64_t r = a >> n;

	if (!n)
		return a;
	x86_set_shift(c, r, x86_bit(a, n - 1), x86_bit(a, bits - 1), bits);
	return r;
}

X86_SEM(sar)
{
	unsigned n = b & (bits == 64 ? 63 : 31);
	uint64_t wide = x86_sext(a, bits);
	uint64_t r = x86_low((uint64_t)((int64_t)wide >> n), bits);

	if (!n)
		return a;
	x86_set_shift(c, r, x86_bit(wide, n - 1), false, bits);
	return r;
}

/* Rotations change CF and OF only. */

X86_SEM(rol)
{
	unsigned masked = b & (bits == 64 ? 63 : 31), n = masked % bits;
	uint64_t r = n ? x86_low(a << n | a >> (bits - n), bits) : a;

	if (masked)
		x86_set_carry(c, r & 1, x86_bit(r, bits - 1) ^ (r & 1));
	return r;
}

X86_SEM(ror)
{
	unsigned masked = b & (bits == 64 ? 63 : 31), n = masked % bits;
	uint64_t r = n ? x86_low(a >> n | a << (bits - n), bits) : a;

	if (masked)
		x86_set_carry(c, x86_bit(r, bits - 1),
			      x86_bit(r, bits - 1) ^ x86_bit(r, bits - 2));
	return r;
}

X86_SEM(rcl)
{
	unsigned masked = b & (bits == 64 ? 63 : 31), n = masked % (bits + 1);
	bool cf = x86_cf(c), out;

	if (!masked)
		return a;
	for (; n; n--) {
		out = x86_bit(a, bits - 1);
		a = x86_low(a << 1 | cf, bits);
		cf = out;
	}
	x86_set_carry(c, cf, x86_bit(a, bits - 1) ^ cf);
	return a;
}

X86_SEM(rcr)
{
	unsigned masked = b & (bits == 64 ? 63 : 31), n = masked % (bits + 1);
	bool cf = x86_cf(c), out;

	if (!masked)
		return a;
	for (; n; n--) {
		out = a & 1;
		a = a >> 1 | (uint64_t)cf << (bits - 1);
		cf = out;
	}
	x86_set_carry(c, cf, x86_bit(a, bits - 1) ^ x86_bit(a, bits - 2));
	return a;
}

/* Kinds of two operands; the order is that of x86_pick_two. */
enum x86_kinds { RR, RM, MR, RI, MI };

/* What the instruction does with its first operand. */
enum x86_use { X86_USE_BOTH, X86_USE_READ, X86_USE_WRITE };

X86_INLINE const struct x86_inst *x86_run_two(struct x86_cpu *c,
					      const struct x86_inst *i,
					      x86_sem *sem, enum x86_kinds k,
					      enum x86_use use, unsigned bits)
{
	bool to_mem = k == MR || k == MI;
	uint64_t a = 0, b = i->imm;
	uint8_t *p = NULL;

	if (k == RR || k == MR)
		b = x86_get(c, i->src, bits);
	if (k == RM && UNLIKELY(!x86_load(c, x86_address(c, i), bits, &b)))
		return x86_fail(c, i);
	if (to_mem && use == X86_USE_READ) {
		if (UNLIKELY(!x86_load(c, x86_address(c, i), bits, &a)))
			return x86_fail(c, i);
	} else if (to_mem) {
		p = x86_writable(c, x86_address(c, i), bits / 8);
		if (UNLIKELY(!p))
			return x86_fail(c, i);
	}
	if (use != X86_USE_WRITE && !to_mem)
		a = x86_get(c, i->dst, bits);
	if (use == X86_USE_BOTH && to_mem)
		a = x86_fetch_value(p, bits);
	b = sem(c, a, b, bits);
	if (use == X86_USE_READ)
		return i + 1;
	if (to_mem)
		memcpy(p, &b, bits / 8);
	else
		x86_put(c, i->dst, bits, b);
	return i + 1;
}

X86_INLINE const struct x86_inst *x86_run_one(struct x86_cpu *c,
					      const struct x86_inst *i,
					      x86_sem *sem, bool to_mem,
					      uint64_t b, unsigned bits)
{
	uint8_t *p;
	uint64_t r;

	if (!to_mem) {
		r = sem(c, x86_get(c, i->dst, bits), b, bits);
		x86_put(c, i->dst, bits, r);
		return i + 1;
	}
	p = x86_writable(c, x86_address(c, i), bits / 8);
	if (UNLIKELY(!p))
		return x86_fail(c, i);
	r = sem(c, x86_fetch_value(p, bits), b, bits);
	memcpy(p, &r, bits / 8);
	return i + 1;
}

#define X86_BODY(id, tag, bits)                               \
	static const struct x86_inst *x86_##id##_##tag##bits( \
		struct x86_cpu *c, const struct x86_inst *i)

#define X86_TWO(id, sem, use, k, bits)                                    \
	X86_BODY(id, k, bits)                                             \
	{                                                                 \
		return x86_run_two(c, i, x86_sem_##sem, k, X86_USE_##use, \
				   bits);                                 \
	}
#define X86_SIZES(MACRO, id, sem, use, k) \
	MACRO(id, sem, use, k, 8)         \
	MACRO(id, sem, use, k, 16)        \
	MACRO(id, sem, use, k, 32)        \
	MACRO(id, sem, use, k, 64)
#define X86_NAMES(id, tag)                                               \
	x86_##id##_##tag##8, x86_##id##_##tag##16, x86_##id##_##tag##32, \
		x86_##id##_##tag##64

#define X86_TWO_ALL(id, sem, use)                                        \
	X86_SIZES(X86_TWO, id, sem, use, RR)                             \
	X86_SIZES(X86_TWO, id, sem, use, RM)                             \
	X86_SIZES(X86_TWO, id, sem, use, MR)                             \
	X86_SIZES(X86_TWO, id, sem, use, RI)                             \
	X86_SIZES(X86_TWO, id, sem, use, MI)                             \
	x86_exec *const x86_execs_##id[] = {                             \
		X86_NAMES(id, RR), X86_NAMES(id, RM), X86_NAMES(id, MR), \
		X86_NAMES(id, RI), X86_NAMES(id, MI)                     \
	};
#define X86_MAKE_RMW2(id, sem) X86_TWO_ALL(id, sem, BOTH)
#define X86_MAKE_RD2(id, sem) X86_TWO_ALL(id, sem, READ)
#define X86_MAKE_MOV2(id, sem) X86_TWO_ALL(id, sem, WRITE)

/* One operand, and a count: none, an immediate one, or CL. */
#define X86_COUNT_N 0
#define X86_COUNT_I i->imm
#define X86_COUNT_C c->r[X86_RCX]
#define X86_ONE_OF(id, sem, mem, count, bits)                \
	X86_BODY(id, mem##count, bits)                       \
	{                                                    \
		return x86_run_one(c, i, x86_sem_##sem, mem, \
				   X86_COUNT_##count, bits); \
	}
/* Of x86_run_one's argument: whether the operand lies in memory. */
enum { R, M };

#define X86_MAKE_RMW1(id, sem)                                  \
	X86_SIZES(X86_ONE_OF, id, sem, R, N)                    \
	X86_SIZES(X86_ONE_OF, id, sem, M, N)                    \
	x86_exec *const x86_execs_##id[] = { X86_NAMES(id, RN), \
					     X86_NAMES(id, MN) };
#define X86_MAKE_SHIFT(id, sem)                                 \
	X86_SIZES(X86_ONE_OF, id, sem, R, I)                    \
	X86_SIZES(X86_ONE_OF, id, sem, R, C)                    \
	X86_SIZES(X86_ONE_OF, id, sem, M, I)                    \
	X86_SIZES(X86_ONE_OF, id, sem, M, C)                    \
	x86_exec *const x86_execs_##id[] = { X86_NAMES(id, RI), \
					     X86_NAMES(id, RC), \
					     X86_NAMES(id, MI), \
					     X86_NAMES(id, MC) };

#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) \
	X86_MAKE_##form(id, sem)
#include "isa/x86/x86.def"
