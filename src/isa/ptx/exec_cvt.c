/*
 * Conversions. in->count is the lane type of the destination, in->k that of the
 * source. The low and high half of in->width are the bytes of the source and the
 * destination register, which may be wider than the types.
 */
#include "isa/ptx/exec_rows.h"
#include "simt/lane.h"

#define INLINE static inline __attribute__((always_inline))

/* The most common pairs of types, where registers are as wide as their types. */
#define FAST(name, D, S, bits, expr)                              \
	INLINE void name(struct warp *w, const struct inst *in,   \
			 const unsigned m)                        \
	{                                                         \
		const S *from = slot_at(w, in->a);                \
		D out[LANES];                                     \
		(void)m;                                          \
		for (int l = 0; l < LANES; l++) {                 \
			S x = from[l];                            \
			out[l] = (D)(expr);                       \
		}                                                 \
		put##bits(w, in->d, (const uint##bits##_t *)out); \
	}
FAST(u64_from_u32, uint64_t, uint32_t, 64, x)
FAST(s64_from_s32, int64_t, int32_t, 64, x)
FAST(u32_from_u64, uint32_t, uint64_t, 32, x)
FAST(u32_from_u16, uint32_t, uint16_t, 32, x)
FAST(s32_from_s16, int32_t, int16_t, 32, x)
FAST(u16_from_u32, uint16_t, uint32_t, 16, x)
FAST(f32_from_s32, float, int32_t, 32, cvt_f32_s32(x, m))
FAST(f32_from_u32, float, uint32_t, 32, cvt_f32_u32(x, m))
FAST(s32_from_f32, int32_t, float, 32, cvt_s32_f32(x, m))
FAST(u32_from_f32, uint32_t, float, 32, cvt_u32_f32(x, m))
FAST(f64_from_f32, double, float, 64, cvt_f64_f32(x, m))
FAST(f32_from_f64, float, double, 32, cvt_f32_f64(x, m))
FAST(f32_from_f16, float, uint16_t, 32, cvt_f32_f16(x, m))
FAST(f16_from_f32, uint16_t, float, 16, cvt_f16_f32(x, m))
FAST(f32_from_bf16, float, uint16_t, 32, cvt_f32_bf16(x, m))
FAST(bf16_from_f32, uint16_t, float, 16, cvt_bf16_f32(x, m))
#undef FAST

#define PAIR(to, from) ((to)*LT_COUNT + (from))
#define REGS(from, to) ((from) | (to) << 4)

/* Returns whether the pair has a fast loop. Its modifiers are constants, so that
 * it vectorises. */
static bool cvt_fast(struct warp *w, const struct inst *in)
{
	unsigned m = in->m & ~(unsigned)M_RINT;

	switch (PAIR(in->count, in->k)) {
#define CASE(to, from, regs, m0, fn)                  \
	case PAIR(LT_##to, LT_##from):                \
		if (in->width != (regs) || m != (m0)) \
			return false;                 \
		fn(w, in, m0);                        \
		return true;
		CASE(U64, U32, REGS(4, 8), 0, u64_from_u32)
		CASE(S64, U32, REGS(4, 8), 0, u64_from_u32)
		CASE(S64, S32, REGS(4, 8), 0, s64_from_s32)
		CASE(U64, S32, REGS(4, 8), 0, s64_from_s32)
		CASE(U32, U64, REGS(8, 4), 0, u32_from_u64)
		CASE(S32, U64, REGS(8, 4), 0, u32_from_u64)
		CASE(U32, S64, REGS(8, 4), 0, u32_from_u64)
		CASE(S32, S64, REGS(8, 4), 0, u32_from_u64)
		CASE(U32, U16, REGS(2, 4), 0, u32_from_u16)
		CASE(S32, U16, REGS(2, 4), 0, u32_from_u16)
		CASE(S32, S16, REGS(2, 4), 0, s32_from_s16)
		CASE(U16, U32, REGS(4, 2), 0, u16_from_u32)
		CASE(S16, S32, REGS(4, 2), 0, u16_from_u32)
		CASE(F32, S32, REGS(4, 4), 0, f32_from_s32)
		CASE(F32, U32, REGS(4, 4), 0, f32_from_u32)
		CASE(S32, F32, REGS(4, 4), RND_RZ, s32_from_f32)
		CASE(U32, F32, REGS(4, 4), RND_RZ, u32_from_f32)
		CASE(F64, F32, REGS(4, 8), 0, f64_from_f32)
		CASE(F32, F64, REGS(8, 4), 0, f32_from_f64)
		CASE(F32, F16, REGS(2, 4), 0, f32_from_f16)
		CASE(F16, F32, REGS(4, 2), 0, f16_from_f32)
		CASE(F32, BF16, REGS(2, 4), 0, f32_from_bf16)
		CASE(BF16, F32, REGS(4, 2), 0, bf16_from_f32)
#undef CASE
	}
	return false;
}

void exec_cvt(struct warp *w, const struct inst *in)
{
	uint64_t out[LANES];

	if (cvt_fast(w, in))
		return;
	for (int l = 0; l < LANES; l++)
		out[l] = lane_cvt(in->count, in->k,
				  slot_lane(w, in->a, in->width & 15, l),
				  in->m);
	put_any(w, in->d, in->width >> 4, out);
}

void exec_cvt_tf32(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = (uint32_t)lane_cvt(LT_TF32, LT_F32, a[l], in->m);
	put32(w, in->d, out);
}

static void put_pair(struct warp *w, const struct inst *in,
		     const uint32_t out[LANES])
{
	uint16_t narrow[LANES];

	if (in->width == 4) {
		put32(w, in->d, out);
		return;
	}
	for (int l = 0; l < LANES; l++)
		narrow[l] = (uint16_t)out[l];
	put16(w, in->d, narrow);
}

/* Two values to a pair: in->count is the fp_fmt, in->width the register. */
void exec_cvt_pack(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = lane_cvt_pair(in->count, FP_F32, a[l], b[l], in->m);
	put_pair(w, in, out);
}

/* A pair to a pair: in->count and in->k are the fp_fmts, to and from. */
void exec_cvt_fp8(struct warp *w, const struct inst *in)
{
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = lane_cvt_repair(
			in->count, in->k,
			(uint32_t)slot_lane(w, in->a, in->width == 4 ? 2 : 4,
					    l),
			in->m);
	put_pair(w, in, out);
}

/* in->count: bits of an element; in->k: it is signed; c is optional. */
void exec_cvt_pack_int(struct warp *w, const struct inst *in)
{
	const int32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	const uint32_t *c = in->c == SLOT_NONE ? NULL : slot_at(w, in->c);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = lane_cvt_pack(in->count, in->k, a[l], b[l],
				       c ? c[l] : 0);
	put32(w, in->d, out);
}
