/* SSE and SSE2: moves, shuffles and integers. */
#include "isa/x86/exec_sse.h"

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

X86_DO(pextrw)
{
	c->r[i->dst] = c->x[i->src].h[i->imm & 7];
	return i + 1;
}

/* A word of memory, or the lowest one of a register. */
X86_DO(pinsrw)
{
	uint64_t v;

	if (!x86_get_opnd(c, i, i->src_kind, i->src, 16, &v))
		return x86_fail(c, i);
	c->x[i->dst].h[i->imm & 7] = (uint16_t)v;
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
