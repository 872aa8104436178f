/* SSE to SSE4.2: moves, shuffles and integers. */
#include <stdlib.h>

#include "isa/x86/exec_sse.h"
#include "isa/x86/flags.h"

/* Applies an expression of d and s to all elements of a type. */
#define X86_EACH(name, field, count, type, expr)                       \
	X86_VEC(name)                                                  \
	{                                                              \
		for (unsigned j = 0; j < count; j++) {                 \
			type a = (type)d->field[j];                    \
			type b = (type)s->field[j];                    \
                                                                       \
			d->field[j] = (__typeof__(d->field[j]))(expr); \
		}                                                      \
	}

X86_VEC(move)
{
	*d = *s;
}

X86_VEC(movss)
{
	d->w[0] = s->w[0];
}

X86_VEC(movsd)
{
	d->q[0] = s->q[0];
}

X86_VEC(movlh)
{
	d->q[1] = s->q[0];
}

X86_VEC(movhl)
{
	d->q[0] = s->q[1];
}

X86_VEC(shufps)
{
	struct x86_xmm a = *d;

	d->w[0] = a.w[imm & 3];
	d->w[1] = a.w[imm >> 2 & 3];
	d->w[2] = s->w[imm >> 4 & 3];
	d->w[3] = s->w[imm >> 6 & 3];
}

X86_VEC(shufpd)
{
	struct x86_xmm a = *d;

	d->q[0] = a.q[imm & 1];
	d->q[1] = s->q[imm >> 1 & 1];
}

X86_VEC(pshufd)
{
	for (unsigned j = 0; j < 4; j++)
		d->w[j] = s->w[imm >> 2 * j & 3];
}

X86_VEC(pshuflw)
{
	for (unsigned j = 0; j < 4; j++)
		d->h[j] = s->h[imm >> 2 * j & 3];
	d->q[1] = s->q[1];
}

X86_VEC(pshufhw)
{
	for (unsigned j = 0; j < 4; j++)
		d->h[4 + j] = s->h[4 + (imm >> 2 * j & 3)];
	d->q[0] = s->q[0];
}

/* Interleaves the lower or the upper halves. */
#define X86_UNPACK(name, field, half, from)                       \
	X86_VEC(name)                                             \
	{                                                         \
		struct x86_xmm a = *d;                            \
                                                                  \
		for (unsigned j = 0; j < half; j++) {             \
			d->field[2 * j] = a.field[from + j];      \
			d->field[2 * j + 1] = s->field[from + j]; \
		}                                                 \
	}
X86_UNPACK(unpackl8, b, 8, 0)
X86_UNPACK(unpackh8, b, 8, 8)
X86_UNPACK(unpackl16, h, 4, 0)
X86_UNPACK(unpackh16, h, 4, 4)
X86_UNPACK(unpackl32, w, 2, 0)
X86_UNPACK(unpackh32, w, 2, 2)
X86_UNPACK(unpackl64, q, 1, 0)
X86_UNPACK(unpackh64, q, 1, 1)

X86_INLINE int x86_clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

X86_INLINE int x86_s8(int v)
{
	return x86_clamp(v, INT8_MIN, INT8_MAX);
}

X86_INLINE int x86_s16(int v)
{
	return x86_clamp(v, INT16_MIN, INT16_MAX);
}

X86_INLINE int x86_u8(int v)
{
	return x86_clamp(v, 0, UINT8_MAX);
}

X86_INLINE int x86_u16(int v)
{
	return x86_clamp(v, 0, UINT16_MAX);
}

X86_VEC(packsswb)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 8; j++) {
		d->b[j] = (uint8_t)x86_s8((int16_t)a.h[j]);
		d->b[8 + j] = (uint8_t)x86_s8((int16_t)s->h[j]);
	}
}

X86_VEC(packuswb)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 8; j++) {
		d->b[j] = (uint8_t)x86_u8((int16_t)a.h[j]);
		d->b[8 + j] = (uint8_t)x86_u8((int16_t)s->h[j]);
	}
}

X86_VEC(packssdw)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 4; j++) {
		d->h[j] = (uint16_t)x86_s16((int32_t)a.w[j]);
		d->h[4 + j] = (uint16_t)x86_s16((int32_t)s->w[j]);
	}
}

X86_EACH(pand, q, 2, uint64_t, a &b)
X86_EACH(pandn, q, 2, uint64_t, ~a &b)
X86_EACH(por, q, 2, uint64_t, a | b)
X86_EACH(pxor, q, 2, uint64_t, a ^ b)
X86_EACH(paddb, b, 16, uint8_t, a + b)
X86_EACH(paddw, h, 8, uint16_t, a + b)
X86_EACH(paddd, w, 4, uint32_t, a + b)
X86_EACH(paddq, q, 2, uint64_t, a + b)
X86_EACH(psubb, b, 16, uint8_t, a - b)
X86_EACH(psubw, h, 8, uint16_t, a - b)
X86_EACH(psubd, w, 4, uint32_t, a - b)
X86_EACH(psubq, q, 2, uint64_t, a - b)
X86_EACH(paddsb, b, 16, int8_t, x86_s8(a + b))
X86_EACH(paddsw, h, 8, int16_t, x86_s16(a + b))
X86_EACH(paddusb, b, 16, uint8_t, x86_u8(a + b))
X86_EACH(paddusw, h, 8, uint16_t, x86_u16(a + b))
X86_EACH(psubsb, b, 16, int8_t, x86_s8(a - b))
X86_EACH(psubsw, h, 8, int16_t, x86_s16(a - b))
X86_EACH(psubusb, b, 16, uint8_t, x86_u8(a - b))
X86_EACH(psubusw, h, 8, uint16_t, x86_u16(a - b))
X86_EACH(pmullw, h, 8, int16_t, a *b)
X86_EACH(pmulhw, h, 8, int16_t, (a * b) >> 16)
X86_EACH(pmulhuw, h, 8, uint16_t, ((uint32_t)a * b) >> 16)
X86_EACH(pmuludq, q, 2, uint64_t, (uint64_t)(uint32_t)a *(uint32_t)b)
X86_EACH(pavgb, b, 16, uint8_t, (a + b + 1) >> 1)
X86_EACH(pavgw, h, 8, uint16_t, (a + b + 1) >> 1)
X86_EACH(pminub, b, 16, uint8_t, a < b ? a : b)
X86_EACH(pmaxub, b, 16, uint8_t, a > b ? a : b)
X86_EACH(pminsw, h, 8, int16_t, a < b ? a : b)
X86_EACH(pmaxsw, h, 8, int16_t, a > b ? a : b)
X86_EACH(pcmpeqb, b, 16, uint8_t, a == b ? ~0 : 0)
X86_EACH(pcmpeqw, h, 8, uint16_t, a == b ? ~0 : 0)
X86_EACH(pcmpeqd, w, 4, uint32_t, a == b ? ~0u : 0)
X86_EACH(pcmpgtb, b, 16, int8_t, a > b ? ~0 : 0)
X86_EACH(pcmpgtw, h, 8, int16_t, a > b ? ~0 : 0)
X86_EACH(pcmpgtd, w, 4, int32_t, a > b ? ~0u : 0)

X86_VEC(pmaddwd)
{
	for (unsigned j = 0; j < 4; j++) {
		int32_t low = (int16_t)d->h[2 * j] * (int16_t)s->h[2 * j];
		int32_t high =
			(int16_t)d->h[2 * j + 1] * (int16_t)s->h[2 * j + 1];

		d->w[j] = (uint32_t)low + (uint32_t)high;
	}
}

X86_VEC(psadbw)
{
	for (unsigned k = 0; k < 2; k++) {
		uint64_t sum = 0;

		for (unsigned j = 8 * k; j < 8 * k + 8; j++)
			sum += d->b[j] > s->b[j] ? d->b[j] - s->b[j] :
						   s->b[j] - d->b[j];
		d->q[k] = sum;
	}
}

/* Shifts by the lower half of s; a count too large leaves zeros, or signs. */
#define X86_VSHIFT(name, field, count, bits, type, op)                        \
	X86_VEC(name)                                                         \
	{                                                                     \
		bool fits = s->q[0] < bits;                                   \
		unsigned n = fits ? (unsigned)s->q[0] : 0;                    \
                                                                              \
		for (unsigned j = 0; j < count; j++)                          \
			d->field[j] = fits ? (type)((type)d->field[j] op n) : \
					     0;                               \
	}
X86_VSHIFT(psllw, h, 8, 16, uint16_t, <<)
X86_VSHIFT(pslld, w, 4, 32, uint32_t, <<)
X86_VSHIFT(psllq, q, 2, 64, uint64_t, <<)
X86_VSHIFT(psrlw, h, 8, 16, uint16_t, >>)
X86_VSHIFT(psrld, w, 4, 32, uint32_t, >>)
X86_VSHIFT(psrlq, q, 2, 64, uint64_t, >>)

X86_VEC(psraw)
{
	unsigned n = s->q[0] < 16 ? (unsigned)s->q[0] : 15;

	for (unsigned j = 0; j < 8; j++)
		d->h[j] = (uint16_t)((int16_t)d->h[j] >> n);
}

X86_VEC(psrad)
{
	unsigned n = s->q[0] < 32 ? (unsigned)s->q[0] : 31;

	for (unsigned j = 0; j < 4; j++)
		d->w[j] = (uint32_t)((int32_t)d->w[j] >> n);
}

/* By bytes; the count is immediate. */
X86_VEC(pslldq)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 16; j++)
		d->b[j] = j >= s->q[0] ? a.b[j - s->q[0]] : 0;
}

X86_VEC(psrldq)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 16; j++)
		d->b[j] = s->q[0] < 16u - j ? a.b[j + s->q[0]] : 0;
}

/*
 * SSE3, SSSE3, SSE4.1, SSE4.2
 */

X86_VEC(movddup)
{
	d->q[0] = d->q[1] = s->q[0];
}

X86_VEC(movsldup)
{
	d->w[0] = d->w[1] = s->w[0];
	d->w[2] = d->w[3] = s->w[2];
}

X86_VEC(movshdup)
{
	d->w[0] = d->w[1] = s->w[1];
	d->w[2] = d->w[3] = s->w[3];
}

/* The second operand alone. */
#define X86_UNARY(name, field, count, type, expr)                      \
	X86_VEC(name)                                                  \
	{                                                              \
		for (unsigned j = 0; j < count; j++) {                 \
			type b = (type)s->field[j];                    \
                                                                       \
			d->field[j] = (__typeof__(d->field[j]))(expr); \
		}                                                      \
	}
X86_UNARY(pabsb, b, 16, int8_t, b < 0 ? -b : b)
X86_UNARY(pabsw, h, 8, int16_t, b < 0 ? -b : b)
X86_UNARY(pabsd, w, 4, int32_t, b < 0 ? 0u - (uint32_t)b : (uint32_t)b)

X86_EACH(psignb, b, 16, int8_t, b < 0 ? -a : b ? a : 0)
X86_EACH(psignw, h, 8, int16_t, b < 0 ? -a : b ? a : 0)
X86_EACH(psignd, w, 4, uint32_t, (int32_t)b < 0 ? 0u - a : b ? a : 0)
X86_EACH(pmulhrsw, h, 8, int16_t, ((a * b >> 14) + 1) >> 1)
X86_EACH(pmulld, w, 4, uint32_t, a *b)
X86_EACH(pmuldq, q, 2, uint64_t, (int64_t)(int32_t)a *(int32_t)b)
X86_EACH(pcmpeqq, q, 2, uint64_t, a == b ? ~0ull : 0)
X86_EACH(pcmpgtq, q, 2, int64_t, a > b ? ~0ull : 0)
X86_EACH(pminsb, b, 16, int8_t, a < b ? a : b)
X86_EACH(pmaxsb, b, 16, int8_t, a > b ? a : b)
X86_EACH(pminuw, h, 8, uint16_t, a < b ? a : b)
X86_EACH(pmaxuw, h, 8, uint16_t, a > b ? a : b)
X86_EACH(pminsd, w, 4, int32_t, a < b ? a : b)
X86_EACH(pmaxsd, w, 4, int32_t, a > b ? a : b)
X86_EACH(pminud, w, 4, uint32_t, a < b ? a : b)
X86_EACH(pmaxud, w, 4, uint32_t, a > b ? a : b)

/* Neighbours: those of the first operand, then those of the second. */
#define X86_PAIRS(name, field, half, type, expr)                       \
	X86_VEC(name)                                                  \
	{                                                              \
		struct x86_xmm x = *d;                                 \
                                                                       \
		for (unsigned j = 0; j < 2 * half; j++) {              \
			const struct x86_xmm *v = j < half ? &x : s;   \
			type a = (type)v->field[2 * (j % half)];       \
			type b = (type)v->field[2 * (j % half) + 1];   \
                                                                       \
			d->field[j] = (__typeof__(d->field[j]))(expr); \
		}                                                      \
	}
X86_PAIRS(phaddw, h, 4, uint16_t, a + b)
X86_PAIRS(phaddd, w, 2, uint32_t, a + b)
X86_PAIRS(phaddsw, h, 4, int16_t, x86_s16(a + b))
X86_PAIRS(phsubw, h, 4, uint16_t, a - b)
X86_PAIRS(phsubd, w, 2, uint32_t, a - b)
X86_PAIRS(phsubsw, h, 4, int16_t, x86_s16(a - b))

/* Unsigned bytes of the first operand by signed ones of the second. */
X86_VEC(pmaddubsw)
{
	for (unsigned j = 0; j < 8; j++)
		d->h[j] = (uint16_t)x86_s16(d->b[2 * j] * (int8_t)s->b[2 * j] +
					    d->b[2 * j + 1] *
						    (int8_t)s->b[2 * j + 1]);
}

X86_VEC(pshufb)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 16; j++)
		d->b[j] = s->b[j] & 0x80 ? 0 : a.b[s->b[j] & 15];
}

/* Bytes imm to imm + 15 of both, the first operand above. */
X86_VEC(palignr)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 16; j++) {
		unsigned from = j + (imm & 0xff);

		d->b[j] = from < 16 ? s->b[from] :
			  from < 32 ? a.b[from - 16] :
				      0;
	}
}

#define X86_BLEND(name, field, count)                              \
	X86_VEC(name)                                              \
	{                                                          \
		for (unsigned j = 0; j < count; j++)               \
			d->field[j] = imm >> j & 1 ? s->field[j] : \
						     d->field[j];  \
	}
X86_BLEND(blendps, w, 4)
X86_BLEND(blendpd, q, 2)
X86_BLEND(pblendw, h, 8)

/* By the signs of XMM0. */
#define X86_BLENDV(name, field, count, bits)               \
	X86_VEC(name)                                      \
	{                                                  \
		struct x86_xmm mask = c->x[0];             \
                                                           \
		for (unsigned j = 0; j < count; j++)       \
			if (mask.field[j] >> (bits - 1))   \
				d->field[j] = s->field[j]; \
	}
X86_BLENDV(pblendvb, b, 16, 8)
X86_BLENDV(blendvps, w, 4, 32)
X86_BLENDV(blendvpd, q, 2, 64)

X86_VEC(packusdw)
{
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 4; j++) {
		d->h[j] = (uint16_t)x86_u16((int32_t)a.w[j]);
		d->h[4 + j] = (uint16_t)x86_u16((int32_t)s->w[j]);
	}
}

#define X86_EXTEND(name, to, count, from, type)                           \
	X86_VEC(name)                                                     \
	{                                                                 \
		struct x86_xmm a = *s;                                    \
                                                                          \
		for (unsigned j = 0; j < count; j++)                      \
			d->to[j] = (__typeof__(d->to[j]))(type)a.from[j]; \
	}
X86_EXTEND(pmovsxbw, h, 8, b, int8_t)
X86_EXTEND(pmovsxbd, w, 4, b, int8_t)
X86_EXTEND(pmovsxbq, q, 2, b, int8_t)
X86_EXTEND(pmovsxwd, w, 4, h, int16_t)
X86_EXTEND(pmovsxwq, q, 2, h, int16_t)
X86_EXTEND(pmovsxdq, q, 2, w, int32_t)
X86_EXTEND(pmovzxbw, h, 8, b, uint8_t)
X86_EXTEND(pmovzxbd, w, 4, b, uint8_t)
X86_EXTEND(pmovzxbq, q, 2, b, uint8_t)
X86_EXTEND(pmovzxwd, w, 4, h, uint16_t)
X86_EXTEND(pmovzxwq, q, 2, h, uint16_t)
X86_EXTEND(pmovzxdq, q, 2, w, uint32_t)

/* Sums of differences of four bytes of the second operand with eight places of
 * the first. */
X86_VEC(mpsadbw)
{
	unsigned from = (imm >> 2 & 1) * 4, with = (imm & 3) * 4;
	struct x86_xmm a = *d;

	for (unsigned j = 0; j < 8; j++) {
		unsigned sum = 0;

		for (unsigned k = 0; k < 4; k++)
			sum += (unsigned)abs(a.b[from + j + k] -
					     s->b[with + k]);
		d->h[j] = (uint16_t)sum;
	}
}

/* The smallest word, and where it is first. */
X86_VEC(phminposuw)
{
	unsigned best = 0;
	uint16_t least;

	for (unsigned j = 1; j < 8; j++)
		if (s->h[j] < s->h[best])
			best = j;
	least = s->h[best];
	d->q[0] = least | best << 16;
	d->q[1] = 0;
}

X86_VEC(ptest)
{
	bool none = !(d->q[0] & s->q[0]) && !(d->q[1] & s->q[1]);
	bool within = !(~d->q[0] & s->q[0]) && !(~d->q[1] & s->q[1]);

	x86_set_flags(c, (none ? X86_ZF : 0) | (within ? X86_CF : 0));
}

#define X86_SSE(id, mn, form, sem, undef, unit, lat, uops) \
	X86_MAKE_##form(id, sem, false)
#include "isa/x86/x86.def"

/* Loads clear the rest of the register. */
X86_INLINE const struct x86_inst *
x86_vec_load(struct x86_cpu *c, const struct x86_inst *i, unsigned bits)
{
	uint64_t v;

	if (UNLIKELY(!x86_load(c, x86_address(c, i), bits, &v)))
		return x86_fail(c, i);
	c->x[i->dst].q[0] = v;
	c->x[i->dst].q[1] = 0;
	return i + 1;
}

X86_DO(load4)
{
	return x86_vec_load(c, i, 32);
}

X86_DO(load8)
{
	return x86_vec_load(c, i, 64);
}

X86_DO(store4)
{
	return x86_store(c, x86_address(c, i), 32, c->x[i->src].q[0]) ?
		       i + 1 :
		       x86_fail(c, i);
}

X86_DO(store8)
{
	return x86_store(c, x86_address(c, i), 64, c->x[i->src].q[0]) ?
		       i + 1 :
		       x86_fail(c, i);
}

X86_DO(store8h)
{
	return x86_store(c, x86_address(c, i), 64, c->x[i->src].q[1]) ?
		       i + 1 :
		       x86_fail(c, i);
}

X86_DO(store16)
{
	uint8_t *p = x86_writable(c, x86_address(c, i), 16);

	if (UNLIKELY(!p))
		return x86_fail(c, i);
	memcpy(p, &c->x[i->src], 16);
	return i + 1;
}

X86_DO(store16a)
{
	if (UNLIKELY(x86_address(c, i) % 16))
		return x86_raise(c, i, X86_FAULT_ALIGN);
	return x86_do_store16(c, i);
}

/* movd and movq between files, by the size of the general operand. */
X86_DO(xmm2gpr)
{
	return x86_put_dst(c, i, c->x[i->src].q[0]) ? i + 1 : x86_fail(c, i);
}

X86_DO(gpr2xmm)
{
	uint64_t v;

	if (UNLIKELY(!x86_get_src(c, i, &v)))
		return x86_fail(c, i);
	c->x[i->dst].q[0] = v;
	c->x[i->dst].q[1] = 0;
	return i + 1;
}

/* movq between vectors, or with memory. */
X86_DO(movq)
{
	if (i->dst_kind == X86_OPND_MEM)
		return x86_do_store8(c, i);
	if (i->src_kind == X86_OPND_MEM)
		return x86_do_load8(c, i);
	c->x[i->dst].q[0] = c->x[i->src].q[0];
	c->x[i->dst].q[1] = 0;
	return i + 1;
}

X86_DO(movmskps)
{
	const struct x86_xmm *s = &c->x[i->src];
	unsigned mask = 0;

	for (unsigned j = 0; j < 4; j++)
		mask |= s->w[j] >> 31 << j;
	c->r[i->dst] = mask;
	return i + 1;
}

X86_DO(movmskpd)
{
	const struct x86_xmm *s = &c->x[i->src];

	c->r[i->dst] = s->q[0] >> 63 | s->q[1] >> 63 << 1;
	return i + 1;
}

X86_DO(pmovmskb)
{
	const struct x86_xmm *s = &c->x[i->src];
	unsigned mask = 0;

	for (unsigned j = 0; j < 16; j++)
		mask |= (unsigned)(s->b[j] >> 7) << j;
	c->r[i->dst] = mask;
	return i + 1;
}

/* Elements to a general register or to memory; registers get zeros above them. */
#define X86_EXTRACT(name, field, last)                                \
	X86_DO(name)                                                  \
	{                                                             \
		uint64_t v = c->x[i->src].field[i->imm & last];       \
                                                                      \
		return x86_put_dst(c, i, v) ? i + 1 : x86_fail(c, i); \
	}
X86_EXTRACT(pextrb, b, 15)
X86_EXTRACT(pextrw, h, 7)
X86_EXTRACT(pextrd, w, 3)
X86_EXTRACT(pextrq, q, 1)

/* An element of memory, or the lowest one of a register. */
#define X86_INSERT(name, field, last, size)                            \
	X86_DO(name)                                                   \
	{                                                              \
		bool memory = i->src_kind == X86_OPND_MEM;             \
		uint64_t v;                                            \
                                                                       \
		if (!x86_get_opnd(c, i, i->src_kind, i->src,           \
				  memory || size > 8 ? size : 32, &v)) \
			return x86_fail(c, i);                         \
		c->x[i->dst].field[i->imm & last] =                    \
			(__typeof__(c->x[0].field[0]))v;               \
		return i + 1;                                          \
	}
X86_INSERT(pinsrb, b, 15, 8)
X86_INSERT(pinsrw, h, 7, 16)
X86_INSERT(pinsrd, w, 3, 32)
X86_INSERT(pinsrq, q, 1, 64)

/* The immediate says from where, if not memory, to where, and what becomes 0. */
X86_DO(insertps)
{
	uint64_t v = c->x[i->src].w[i->imm >> 6 & 3];

	if (i->src_kind == X86_OPND_MEM &&
	    !x86_load(c, x86_address(c, i), 32, &v))
		return x86_fail(c, i);
	c->x[i->dst].w[i->imm >> 4 & 3] = (uint32_t)v;
	for (unsigned j = 0; j < 4; j++)
		if (i->imm >> j & 1)
			c->x[i->dst].w[j] = 0;
	return i + 1;
}

X86_DO(maskmovdqu)
{
	uint64_t to = x86_low(c->r[X86_RDI], i->size32 ? 32 : 64) +
		      c->segment[i->segment];

	for (unsigned j = 0; j < 16; j++)
		if (c->x[i->src].b[j] & 0x80 &&
		    !x86_store(c, to + j, 8, c->x[i->dst].b[j]))
			return x86_fail(c, i);
	return i + 1;
}
