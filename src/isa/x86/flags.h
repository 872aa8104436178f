/*
 * RFLAGS, kept as what the flags are computed from, because most are never
 * read:
 *
 *   result   the result, sign-extended: ZF, SF, and PF by its lowest byte
 *   carry    bit 63: CF; bit 62: the carry into the sign, so that OF is their
 *            difference
 *   extra    bit 4: AF; bits 63 and 62 invert SF and PF, after popf and the like
 */
#ifndef HEDDLE_ISA_X86_FLAGS_H
#define HEDDLE_ISA_X86_FLAGS_H

#include "isa/x86/cpu.h"

enum {
	X86_CF = 1 << 0,
	X86_PF = 1 << 2,
	X86_AF = 1 << 4,
	X86_ZF = 1 << 6,
	X86_SF = 1 << 7,
	X86_DF = 1 << 10,
	X86_OF = 1 << 11,
	X86_ARITH = X86_CF | X86_PF | X86_AF | X86_ZF | X86_SF | X86_OF
};

#define X86_INLINE static inline __attribute__((always_inline))

X86_INLINE uint64_t x86_low(uint64_t v, unsigned bits)
{
	return bits == 64 ? v : v & ((1ull << bits) - 1);
}

X86_INLINE uint64_t x86_sext(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

X86_INLINE bool x86_cf(const struct x86_cpu *c)
{
	return c->flags.carry >> 63;
}

X86_INLINE bool x86_of(const struct x86_cpu *c)
{
	return (c->flags.carry ^ c->flags.carry << 1) >> 63;
}

X86_INLINE bool x86_zf(const struct x86_cpu *c)
{
	return c->flags.result == 0;
}

X86_INLINE bool x86_sf(const struct x86_cpu *c)
{
	return (c->flags.result ^ c->flags.extra) >> 63;
}

X86_INLINE bool x86_pf(const struct x86_cpu *c)
{
	return !__builtin_parity((unsigned)c->flags.result & 0xff) ^
	       (c->flags.extra >> 62 & 1);
}

X86_INLINE bool x86_af(const struct x86_cpu *c)
{
	return c->flags.extra >> 4 & 1;
}

/* The condition of jcc, setcc and cmovcc by its number in the encoding. */
X86_INLINE bool x86_condition(const struct x86_cpu *c, unsigned number)
{
	bool is;

	switch (number >> 1) {
	case 0:
		is = x86_of(c);
		break;
	case 1:
		is = x86_cf(c);
		break;
	case 2:
		is = x86_zf(c);
		break;
	case 3:
		is = x86_cf(c) || x86_zf(c);
		break;
	case 4:
		is = x86_sf(c);
		break;
	case 5:
		is = x86_pf(c);
		break;
	case 6:
		is = x86_sf(c) != x86_of(c);
		break;
	default:
		is = x86_zf(c) || x86_sf(c) != x86_of(c);
		break;
	}
	return is ^ (number & 1);
}

X86_INLINE void x86_set_carry(struct x86_cpu *c, bool cf, bool of)
{
	c->flags.carry = (uint64_t)cf << 63 | (uint64_t)(cf ^ of) << 62;
}

X86_INLINE void x86_set_cf(struct x86_cpu *c, bool cf)
{
	x86_set_carry(c, cf, x86_of(c));
}

/* Those of a logical result: CF, OF and AF are clear. */
X86_INLINE void x86_set_logic(struct x86_cpu *c, uint64_t r, unsigned bits)
{
	c->flags.result = x86_sext(r, bits);
	c->flags.carry = 0;
	c->flags.extra = 0;
}

/* Those of a sum r = a + b, with or without a carry. */
X86_INLINE void x86_set_add(struct x86_cpu *c, uint64_t a, uint64_t b,
			    uint64_t r, unsigned bits)
{
	c->flags.result = x86_sext(r, bits);
	c->flags.carry = ((a & b) | ((a | b) & ~r)) << (64 - bits);
	c->flags.extra = (a ^ b ^ r) & X86_AF;
}

/* Those of a difference r = a - b, with or without a borrow. */
X86_INLINE void x86_set_sub(struct x86_cpu *c, uint64_t a, uint64_t b,
			    uint64_t r, unsigned bits)
{
	c->flags.result = x86_sext(r, bits);
	c->flags.carry = ((~a & b) | ((~a | b) & r)) << (64 - bits);
	c->flags.extra = (a ^ b ^ r) & X86_AF;
}

X86_INLINE uint32_t x86_get_flags(const struct x86_cpu *c)
{
	return 2u | (uint32_t)x86_cf(c) | (uint32_t)x86_pf(c) << 2 |
	       (uint32_t)x86_af(c) << 4 | (uint32_t)x86_zf(c) << 6 |
	       (uint32_t)x86_sf(c) << 7 | (uint32_t)c->down << 10 |
	       (uint32_t)x86_of(c) << 11;
}

/* Sets the status flags; not DF. */
X86_INLINE void x86_set_flags(struct x86_cpu *c, uint32_t flags)
{
	bool zf = flags & X86_ZF, pf = flags & X86_PF;

	c->flags.result = !zf;
	c->flags.extra = (flags & X86_AF) |
			 (uint64_t)((flags & X86_SF) != 0) << 63 |
			 (uint64_t)(pf != zf) << 62;
	x86_set_carry(c, flags & X86_CF, flags & X86_OF);
}

X86_INLINE void x86_set_zf(struct x86_cpu *c, bool zf)
{
	uint32_t flags = x86_get_flags(c) & ~(uint32_t)X86_ZF;

	x86_set_flags(c, flags | (zf ? X86_ZF : 0));
}

#endif
