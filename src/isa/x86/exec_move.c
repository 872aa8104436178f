/* Integer moves, conversions, exchanges and the stack. */
#include "isa/x86/exec.h"
#include "isa/x86/row.h"

X86_DO(movzx)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v) || !x86_put_dst(c, i, v)))
		return x86_fail(c, i);
	return i + 1;
}

X86_DO(movsx)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	x86_put(c, i->dst, i->bits, x86_sext(v, i->src_bits));
	return i + 1;
}

X86_DO(lea)
{
	x86_put(c, i->dst, i->bits, x86_offset(c, i));
	return i + 1;
}

X86_DO(bswap)
{
	uint64_t v = c->r[i->dst];

	v = i->bits == 64 ? __builtin_bswap64(v) :
			    __builtin_bswap32((uint32_t)v);
	x86_put(c, i->dst, i->bits, v);
	return i + 1;
}

/* Only the first operand may be in memory; a store of the other one cannot
 * fail, so the store to memory comes first. The decoder sees to it. */
X86_DO(xchg)
{
	uint64_t a, b = x86_get(c, i->src, i->bits);

	if (UNLIKELY(!x86_get_dst(c, i, &a) || !x86_put_dst(c, i, b)))
		return x86_fail(c, i);
	x86_put(c, i->src, i->bits, a);
	return i + 1;
}

X86_DO(xadd)
{
	uint64_t a, b = x86_get(c, i->src, i->bits), r;

	if (UNLIKELY(!x86_get_dst(c, i, &a)))
		return x86_fail(c, i);
	r = x86_low(a + b, i->bits);
	/* If both are one register, the sum stays in it. */
	if (i->dst_kind == X86_OPND_MEM) {
		if (UNLIKELY(!x86_put_dst(c, i, r)))
			return x86_fail(c, i);
		x86_put(c, i->src, i->bits, a);
	} else {
		x86_put(c, i->src, i->bits, a);
		x86_put(c, i->dst, i->bits, r);
	}
	x86_set_add(c, a, b, r, i->bits);
	return i + 1;
}

X86_DO(cmpxchg)
{
	uint64_t old, want = x86_get(c, X86_RAX, i->bits);
	bool same;

	if (UNLIKELY(!x86_get_dst(c, i, &old)))
		return x86_fail(c, i);
	same = old == want;
	if (UNLIKELY((same || i->dst_kind == X86_OPND_MEM) &&
		     !x86_put_dst(c, i,
				  same ? x86_get(c, i->src, i->bits) : old)))
		return x86_fail(c, i);
	if (!same)
		x86_put(c, X86_RAX, i->bits, old);
	x86_set_sub(c, want, old, x86_low(want - old, i->bits), i->bits);
	return i + 1;
}

/* Compares RDX:RAX with memory of twice `bits`. */
static const struct x86_inst *
x86_cmpxchg_pair(struct x86_cpu *c, const struct x86_inst *i, unsigned bits)
{
	uint64_t low, high;
	uint8_t *p = x86_writable(c, x86_address(c, i), bits / 4);

	if (!p)
		return x86_fail(c, i);
	low = x86_fetch_value(p, bits);
	high = x86_fetch_value(p + bits / 8, bits);
	if (low == x86_get(c, X86_RAX, bits) &&
	    high == x86_get(c, X86_RDX, bits)) {
		memcpy(p, &c->r[X86_RBX], bits / 8);
		memcpy(p + bits / 8, &c->r[X86_RCX], bits / 8);
		x86_set_zf(c, true);
	} else {
		x86_put(c, X86_RAX, bits, low);
		x86_put(c, X86_RDX, bits, high);
		x86_set_zf(c, false);
	}
	return i + 1;
}

X86_DO(cmpxchg8b)
{
	return x86_cmpxchg_pair(c, i, 32);
}

X86_DO(cmpxchg16b)
{
	if (x86_address(c, i) % 16)
		return x86_raise(c, i, X86_FAULT_ALIGN);
	return x86_cmpxchg_pair(c, i, 64);
}

X86_DO(cbw)
{
	x86_put(c, X86_RAX, 16, x86_sext(c->r[X86_RAX], 8));
	return i + 1;
}

X86_DO(cwde)
{
	x86_put(c, X86_RAX, 32, x86_sext(c->r[X86_RAX], 16));
	return i + 1;
}

X86_DO(cdqe)
{
	c->r[X86_RAX] = x86_sext(c->r[X86_RAX], 32);
	return i + 1;
}

static const struct x86_inst *
x86_spread_sign(struct x86_cpu *c, const struct x86_inst *i, unsigned bits)
{
	bool negative = c->r[X86_RAX] >> (bits - 1) & 1;

	x86_put(c, X86_RDX, bits, negative ? ~0ull : 0);
	return i + 1;
}

X86_DO(cwd)
{
	return x86_spread_sign(c, i, 16);
}

X86_DO(cdq)
{
	return x86_spread_sign(c, i, 32);
}

X86_DO(cqo)
{
	return x86_spread_sign(c, i, 64);
}

X86_DO(xlat)
{
	uint64_t v, at = c->r[X86_RBX] + (c->r[X86_RAX] & 0xff);

	if (i->size32)
		at = (uint32_t)at;
	if (!x86_load(c, at + c->segment[i->segment], 8, &v))
		return x86_fail(c, i);
	x86_put(c, X86_RAX, 8, v);
	return i + 1;
}

/* AH, by its byte. */
enum { X86_AH = 1 };

X86_DO(lahf)
{
	x86_put(c, X86_AH, 8, x86_get_flags(c));
	return i + 1;
}

X86_DO(sahf)
{
	uint32_t of = x86_get_flags(c) & X86_OF;

	x86_set_flags(c, (uint32_t)x86_get(c, X86_AH, 8) | of);
	return i + 1;
}

X86_DO(push)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_dst(c, i, &v) || !x86_push(c, i->bits, v)))
		return x86_fail(c, i);
	return i + 1;
}

/* A memory operand relative to RSP sees RSP as it is after the pop. */
X86_DO(pop)
{
	uint64_t v, rsp = c->r[X86_RSP];

	if (UNLIKELY(!x86_pop(c, i->bits, &v)))
		return x86_fail(c, i);
	if (UNLIKELY(!x86_put_dst(c, i, v))) {
		c->r[X86_RSP] = rsp;
		return x86_fail(c, i);
	}
	return i + 1;
}

/* Interrupts are enabled, always. */
enum { X86_IF = 1 << 9 };

X86_DO(pushfq)
{
	return x86_push(c, 64, x86_get_flags(c) | X86_IF) ? i + 1 :
							    x86_fail(c, i);
}

X86_DO(popfq)
{
	uint64_t v;

	if (!x86_pop(c, 64, &v))
		return x86_fail(c, i);
	x86_set_flags(c, (uint32_t)v);
	c->down = v & X86_DF;
	return i + 1;
}

X86_DO(leave)
{
	uint64_t v;

	if (UNLIKELY(!x86_load(c, c->r[X86_RBP], 64, &v)))
		return x86_fail(c, i);
	c->r[X86_RSP] = c->r[X86_RBP] + 8;
	c->r[X86_RBP] = v;
	return i + 1;
}
