/* Multiplication, division, double shifts, single bits. */
#include "isa/x86/exec.h"
#include "isa/x86/flags.h"
#include "isa/x86/row.h"

/* The pair RDX:RAX, or AX for operands of 8 bits. */
static void x86_put_pair(struct x86_cpu *c, unsigned bits, uint64_t low,
			 uint64_t high)
{
	if (bits == 8) {
		x86_put(c, X86_RAX, 16, low | high << 8);
		return;
	}
	x86_put(c, X86_RAX, bits, low);
	x86_put(c, X86_RDX, bits, high);
}

static unsigned __int128 x86_get_pair(const struct x86_cpu *c, unsigned bits)
{
	if (bits == 8)
		return x86_get(c, X86_RAX, 16);
	return (unsigned __int128)x86_get(c, X86_RDX, bits) << bits |
	       x86_get(c, X86_RAX, bits);
}

/* After a multiplication: CF and OF say that the upper half is needed. SF is the
 * result's, as processors have it; the architecture leaves it open. */
static void x86_set_mul(struct x86_cpu *c, uint64_t low, unsigned bits,
			bool wide)
{
	c->flags.result = x86_sext(low, bits);
	c->flags.extra = 0;
	x86_set_carry(c, wide, wide);
}

X86_DO(mul)
{
	uint64_t a = x86_get(c, X86_RAX, i->bits), b, low, high;
	unsigned __int128 p;

	if (UNLIKELY(!x86_get_dst(c, i, &b)))
		return x86_fail(c, i);
	p = (unsigned __int128)a * b;
	low = x86_low((uint64_t)p, i->bits);
	high = x86_low((uint64_t)(p >> i->bits), i->bits);
	x86_put_pair(c, i->bits, low, high);
	x86_set_mul(c, low, i->bits, high);
	return i + 1;
}

/* Multiplies signed numbers, and sets flags. */
static __int128 x86_signed_product(struct x86_cpu *c, uint64_t a, uint64_t b,
				   unsigned bits)
{
	__int128 p = (__int128)(int64_t)x86_sext(a, bits) *
		     (int64_t)x86_sext(b, bits);
	uint64_t low = x86_low((uint64_t)p, bits);

	x86_set_mul(c, low, bits, p != (int64_t)x86_sext(low, bits));
	return p;
}

X86_DO(imul1)
{
	uint64_t b;
	__int128 p;

	if (UNLIKELY(!x86_get_dst(c, i, &b)))
		return x86_fail(c, i);
	p = x86_signed_product(c, x86_get(c, X86_RAX, i->bits), b, i->bits);
	x86_put_pair(c, i->bits, x86_low((uint64_t)p, i->bits),
		     x86_low((uint64_t)(p >> i->bits), i->bits));
	return i + 1;
}

X86_DO(imul2)
{
	uint64_t b;
	__int128 p;

	if (UNLIKELY(!x86_get_src(c, i, &b)))
		return x86_fail(c, i);
	p = x86_signed_product(c, x86_get(c, i->dst, i->bits), b, i->bits);
	x86_put(c, i->dst, i->bits, (uint64_t)p);
	return i + 1;
}

X86_DO(imul3)
{
	uint64_t b;
	__int128 p;

	if (UNLIKELY(!x86_get_src(c, i, &b)))
		return x86_fail(c, i);
	p = x86_signed_product(c, b, i->imm, i->bits);
	x86_put(c, i->dst, i->bits, (uint64_t)p);
	return i + 1;
}

X86_DO(div)
{
	unsigned __int128 a = x86_get_pair(c, i->bits), q;
	uint64_t b;

	if (UNLIKELY(!x86_get_dst(c, i, &b)))
		return x86_fail(c, i);
	if (!b)
		return x86_raise(c, i, X86_FAULT_DIVIDE);
	q = a >> 64 ? a / b : (uint64_t)a / b;
	if (q >> i->bits)
		return x86_raise(c, i, X86_FAULT_DIVIDE);
	x86_put_pair(c, i->bits, (uint64_t)q, (uint64_t)(a - q * b));
	return i + 1;
}

X86_DO(idiv)
{
	unsigned wide = 2u * i->bits;
	__int128 a = (__int128)(x86_get_pair(c, i->bits) << (128 - wide)) >>
		     (128 - wide);
	__int128 q, b;
	uint64_t v;

	if (UNLIKELY(!x86_get_dst(c, i, &v)))
		return x86_fail(c, i);
	b = (int64_t)x86_sext(v, i->bits);
	/* -2^127 / -1 is no number of the host's. */
	if (!b || (b == -1 && a == (__int128)((unsigned __int128)1 << 127)))
		return x86_raise(c, i, X86_FAULT_DIVIDE);
	q = a == (int64_t)a && b != -1 ? (int64_t)a / (int64_t)b : a / b;
	if (q != (int64_t)x86_sext((uint64_t)q, i->bits))
		return x86_raise(c, i, X86_FAULT_DIVIDE);
	x86_put_pair(c, i->bits, x86_low((uint64_t)q, i->bits),
		     x86_low((uint64_t)(a - q * b), i->bits));
	return i + 1;
}

/* The count of a double shift: an immediate one, or CL. */
static unsigned x86_double_count(const struct x86_cpu *c,
				 const struct x86_inst *i)
{
	uint64_t n = i->number ? c->r[X86_RCX] : i->imm;

	return n & (i->bits == 64 ? 63 : 31);
}

/* cf: the last bit that was shifted out. OF: whether the sign has changed. */
static const struct x86_inst *x86_end_double(struct x86_cpu *c,
					     const struct x86_inst *i,
					     uint64_t a, uint64_t r, bool cf)
{
	if (UNLIKELY(!x86_put_dst(c, i, r)))
		return x86_fail(c, i);
	c->flags.result = x86_sext(r, i->bits);
	c->flags.extra = 0;
	x86_set_carry(c, cf, (a ^ r) >> (i->bits - 1) & 1);
	return i + 1;
}

/* With 16 bits, a count above 16 leaves all undefined; the second operand then
 * follows the first one and is followed by the first one again. */
X86_DO(shld)
{
	unsigned n = x86_double_count(c, i), bits = i->bits, below;
	uint64_t a, b = x86_get(c, i->src, bits);
	unsigned __int128 v;

	if (UNLIKELY(!x86_get_dst(c, i, &a)))
		return x86_fail(c, i);
	if (!n)
		return x86_put_dst(c, i, a) ? i + 1 : x86_fail(c, i);
	v = (unsigned __int128)a << bits | b;
	if (bits == 16)
		v = v << 16 | a;
	/* What lies beneath the first operand, and what comes out of it. */
	below = bits == 16 ? 32 : bits;
	return x86_end_double(c, i, a,
			      x86_low((uint64_t)(v >> (below - n)), bits),
			      v >> (below + bits - n) & 1);
}

X86_DO(shrd)
{
	unsigned n = x86_double_count(c, i), bits = i->bits;
	uint64_t a, b = x86_get(c, i->src, bits);
	unsigned __int128 v;

	if (UNLIKELY(!x86_get_dst(c, i, &a)))
		return x86_fail(c, i);
	if (!n)
		return x86_put_dst(c, i, a) ? i + 1 : x86_fail(c, i);
	v = (unsigned __int128)b << bits | a;
	if (bits == 16)
		v |= (unsigned __int128)a << 32;
	return x86_end_double(c, i, a, x86_low((uint64_t)(v >> n), bits),
			      v >> (n - 1) & 1);
}

enum x86_bit_op { X86_BIT_TEST, X86_BIT_SET, X86_BIT_RESET, X86_BIT_INVERT };

/* A register as bit number reaches beyond a memory operand. */
static const struct x86_inst *
x86_bit_do(struct x86_cpu *c, const struct x86_inst *i, enum x86_bit_op op)
{
	bool far = i->dst_kind == X86_OPND_MEM && i->src_kind == X86_OPND_REG;
	uint64_t number, v, at = 0, mask;

	number = i->src_kind == X86_OPND_IMM ? i->imm :
					       x86_get(c, i->src, i->bits);
	if (far) {
		int64_t bit = (int64_t)x86_sext(number, i->bits);

		at = x86_address(c, i) +
		     (uint64_t)((bit >> __builtin_ctz(i->bits)) *
				(i->bits / 8));
	} else if (i->dst_kind == X86_OPND_MEM) {
		at = x86_address(c, i);
	}
	if (i->dst_kind != X86_OPND_MEM)
		v = x86_get(c, i->dst, i->bits);
	else if (!x86_load(c, at, i->bits, &v))
		return x86_fail(c, i);
	mask = 1ull << (number & (i->bits - 1u));
	number = v & mask;
	v = op == X86_BIT_SET    ? v | mask :
	    op == X86_BIT_RESET  ? v & ~mask :
	    op == X86_BIT_INVERT ? v ^ mask :
				   v;
	if (op != X86_BIT_TEST) {
		if (i->dst_kind != X86_OPND_MEM)
			x86_put(c, i->dst, i->bits, v);
		else if (!x86_store(c, at, i->bits, v))
			return x86_fail(c, i);
	}
	x86_set_cf(c, number != 0);
	return i + 1;
}

X86_DO(bt)
{
	return x86_bit_do(c, i, X86_BIT_TEST);
}

X86_DO(bts)
{
	return x86_bit_do(c, i, X86_BIT_SET);
}

X86_DO(btr)
{
	return x86_bit_do(c, i, X86_BIT_RESET);
}

X86_DO(btc)
{
	return x86_bit_do(c, i, X86_BIT_INVERT);
}

/* Of zero, the destination stays as it is: all of it. */
static const struct x86_inst *x86_scan(struct x86_cpu *c,
				       const struct x86_inst *i, bool reverse)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	if (v)
		x86_put(c, i->dst, i->bits,
			reverse ? 63u - (unsigned)__builtin_clzll(v) :
				  (unsigned)__builtin_ctzll(v));
	x86_set_zf(c, !v);
	return i + 1;
}

X86_DO(bsf)
{
	return x86_scan(c, i, false);
}

X86_DO(bsr)
{
	return x86_scan(c, i, true);
}

X86_DO(popcnt)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	x86_put(c, i->dst, i->bits, (uint64_t)__builtin_popcountll(v));
	x86_set_flags(c, v ? 0 : X86_ZF);
	return i + 1;
}

/* CRC-32C, the lowest bit first. */
X86_DO(crc32)
{
	uint32_t crc = (uint32_t)c->r[i->dst];
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	for (unsigned j = 0; j < i->src_bits; j++, v >>= 1)
		crc = crc >> 1 ^ ((crc ^ v) & 1 ? 0x82f63b78 : 0);
	c->r[i->dst] = crc;
	return i + 1;
}
