/*
 * Conversions. in->count is the type of the result and in->k that of the source,
 * enum lane_type; in->width is the shift to the part of the register that is
 * used, where the source is narrower. M_NAN in in->m is .NTZ: a NaN becomes zero.
 */
#include "isa/sass/exec_alu.h"

static bool is_wide(unsigned type)
{
	return type == LT_F64 || type == LT_U64 || type == LT_S64;
}

static unsigned cvt_bits(unsigned type)
{
	switch (type) {
	case LT_U8:
	case LT_S8:
		return 8;
	case LT_U16:
	case LT_S16:
	case LT_F16:
	case LT_BF16:
		return 16;
	default:
		return is_wide(type) ? 64 : 32;
	}
}

static const uint8_t cvt_formats[LT_COUNT] = { [LT_F16] = FP_F16,
					       [LT_BF16] = FP_BF16,
					       [LT_F32] = FP_F32,
					       [LT_F64] = FP_F64 };

static bool is_float(unsigned type)
{
	return type == LT_F16 || type == LT_BF16 || type == LT_F32 ||
	       type == LT_F64;
}

/* The source as bits of its type, with its sign. */
static void cvt_load(const struct warp *w, const struct inst *in,
		     uint64_t out[LANES])
{
	const struct sass_pair p = sass_pair_at(w, in->b);
	const unsigned bits = cvt_bits(in->k);
	const uint64_t top = UINT64_C(1) << (bits - 1);
	const bool has_sign = is_float(in->k);
	const uint64_t keep = has_sign && in->m & SASS_ABS_B ? ~top :
							       ~UINT64_C(0);
	const uint64_t flip = has_sign && in->m & SASS_NEG_B ? top : 0;
	/* A NaN keeps its sign in the unit of double precision. */
	const bool keeps_nan = has_sign &&
			       (in->k == LT_F64 || in->count == LT_F64);

	for (int l = 0; l < LANES; l++) {
		uint64_t wide = in->width ? (uint64_t)p.lo[l] << 32 :
					    sass_pair_get(p, l);
		uint64_t x = bits == 64 ? wide : p.lo[l] >> (in->width & 31);

		out[l] = (x & keep) ^ flip;
		if (keeps_nan && fp_is_nan(cvt_formats[in->k], x))
			out[l] = x;
	}
}

static void cvt_store(struct warp *w, const struct inst *in,
		      const uint64_t v[LANES])
{
	uint32_t low[LANES];

	if (is_wide(in->count)) {
		sass_put_pair(w, in->d, v);
		return;
	}
	for (int l = 0; l < LANES; l++)
		low[l] = (uint32_t)v[l];
	put32(w, in->d, low);
}

/* .FTZ. lane_cvt has it for single precision only. */
static void flush(const struct inst *in, unsigned type, uint64_t x[LANES])
{
	static const uint64_t exponents[LT_COUNT] = {
		[LT_F16] = 0x7c00,
		[LT_BF16] = 0x7f80,
		[LT_F32] = 0x7f800000,
		[LT_F64] = UINT64_C(0x7ff0000000000000)
	};
	const uint64_t exponent = exponents[type];
	const uint64_t top = UINT64_C(1) << (cvt_bits(type) - 1);

	if (!(in->m & M_FTZ) || !exponent)
		return;
	for (int l = 0; l < LANES; l++)
		x[l] = x[l] & exponent ? x[l] : x[l] & top;
}

static void convert(struct warp *w, const struct inst *in)
{
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	uint64_t x[LANES];

	cvt_load(w, in, x);
	flush(in, in->k, x);
	for (int l = 0; l < LANES; l++)
		x[l] = lane_cvt(in->count, in->k, x[l], m);
	cvt_store(w, in, x);
}

/* The most common conversions, of whole registers without signs. */
#define FAST(name, S, expr)                                     \
	INLINE void name(struct warp *w, const struct inst *in, \
			 const unsigned m)                      \
	{                                                       \
		const S *from = slot_at(w, in->b);              \
		uint32_t out[LANES];                            \
		for (int l = 0; l < LANES; l++) {               \
			S x = from[l];                          \
			out[l] = (expr);                        \
		}                                               \
		put32(w, in->d, out);                           \
	}
FAST(f32_of_s32, int32_t, f32_bits(cvt_f32_s32(x, m)))
FAST(f32_of_u32, uint32_t, f32_bits(cvt_f32_u32(x, m)))
FAST(s32_of_f32, float, (uint32_t)cvt_s32_f32(x, m))
FAST(u32_of_f32, float, cvt_u32_f32(x, m))
#undef FAST

#define PAIR(to, from) ((to)*LT_COUNT + (from))

static bool convert_fast(struct warp *w, const struct inst *in)
{
	switch (PAIR(in->count, in->k)) {
#define CASE(to, from, m0, fn)         \
	case PAIR(LT_##to, LT_##from): \
		if (in->m != (m0))     \
			return false;  \
		fn(w, in, m0);         \
		return true;
		CASE(F32, S32, 0, f32_of_s32)
		CASE(F32, U32, 0, f32_of_u32)
		CASE(S32, F32, RND_RZ | M_NAN, s32_of_f32)
		CASE(U32, F32, RND_RZ | M_NAN, u32_of_f32)
#undef CASE
	}
	return false;
}

void sass_i2f(struct warp *w, const struct inst *in)
{
	if (!convert_fast(w, in))
		convert(w, in);
}

void sass_i2f64(struct warp *w, const struct inst *in)
{
	convert(w, in);
}

void sass_i2fp(struct warp *w, const struct inst *in)
{
	sass_i2f(w, in);
}

/* A NaN becomes the one of arithmetic; lane_cvt keeps that of bf16. */
void sass_f2f(struct warp *w, const struct inst *in)
{
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	uint64_t x[LANES];

	cvt_load(w, in, x);
	flush(in, in->k, x);
	for (int l = 0; l < LANES; l++) {
		uint64_t r = lane_cvt(in->count, in->k, x[l], m);

		x[l] = in->count == LT_F32 ?
			       f32_bits(f32_canon(f32_of((uint32_t)r))) :
			       r;
	}
	flush(in, in->count, x);
	cvt_store(w, in, x);
}

/* lane_cvt would make a NaN canonical that .FTZ meets on its way to double. */
void sass_f2f64(struct warp *w, const struct inst *in)
{
	const unsigned ftz = in->count == LT_F32 ? 0 : M_FTZ;
	const unsigned m = in->m & ~(SASS_SIGNS | ftz);
	uint64_t x[LANES];

	cvt_load(w, in, x);
	flush(in, in->k, x);
	for (int l = 0; l < LANES; l++)
		x[l] = lane_cvt(in->count, in->k, x[l], m);
	flush(in, in->count, x);
	cvt_store(w, in, x);
}

void sass_frnd(struct warp *w, const struct inst *in)
{
	convert(w, in);
}

void sass_frnd64(struct warp *w, const struct inst *in)
{
	convert(w, in);
}

/* What a NaN becomes without .NTZ: the top bit of the result alone. */
static uint64_t int_nan(unsigned type)
{
	return UINT64_C(1) << (cvt_bits(type) - 1);
}

static void float_to_int(struct warp *w, const struct inst *in)
{
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	const uint64_t nan = m & M_NAN ? 0 : int_nan(in->count);
	uint64_t x[LANES];

	cvt_load(w, in, x);
	flush(in, in->k, x);
	for (int l = 0; l < LANES; l++)
		x[l] = fp_is_nan(cvt_formats[in->k], x[l]) ?
			       nan :
			       lane_cvt(in->count, in->k, x[l], m);
	cvt_store(w, in, x);
}

void sass_f2i(struct warp *w, const struct inst *in)
{
	if (!convert_fast(w, in))
		float_to_int(w, in);
}

void sass_f2i64(struct warp *w, const struct inst *in)
{
	float_to_int(w, in);
}

/* ---- packed results ------------------------------------------------------ */

/* in->k: signed; in->count: .RELU; in->width: where the part of C begins that is
 * put above. */
static uint32_t float_to_byte(uint32_t x, const struct inst *in)
{
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	uint32_t r;

	if (fp_is_nan(FP_F32, x))
		return m & M_NAN ? 0 : 0x80;
	r = (uint32_t)lane_cvt(in->k ? LT_S8 : LT_U8, LT_F32, x, m) & 0xff;
	return in->count && in->k && r & 0x80 ? 0 : r;
}

void sass_f2ip(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);

	SASS_EACH_LANE(w, in->d,
		       float_to_byte(ra[l], in) << 8 |
			       float_to_byte(rb[l], in) |
			       rc[l] >> in->width << 16);
}

#define PACK(name, fn)                                                \
	INLINE void name(struct warp *w, const struct inst *in)       \
	{                                                             \
		const uint32_t *ra = slot_at(w, in->a);               \
		const uint32_t *rb = slot_at(w, in->b);               \
		uint32_t out[LANES];                                  \
		for (int l = 0; l < LANES; l++)                       \
			out[l] = fn(f32_of(ra[l]), f32_of(rb[l]), 0); \
		put32(w, in->d, out);                                 \
	}
PACK(pack_f16, cvt_f16x2_f32)
PACK(pack_bf16, cvt_bf16x2_f32)
#undef PACK

/* One value to a format of 32 bits or less. */
static uint32_t f2fp_one(const struct inst *in, uint32_t x, unsigned m)
{
	if (in->count == FP_TF32)
		return (uint32_t)lane_cvt(LT_TF32, LT_F32, x, m);
	return lane_cvt_pair(in->count, FP_F32, 0, x, m) & 0xffff;
}

/* in->k: the arrangement; in->count: the format of the result, enum fp_fmt;
 * in->width: the shift to the half of the source that is used. */
static uint32_t f2fp(const struct inst *in, uint32_t a, uint32_t b, uint32_t c)
{
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	const uint32_t above = c >> in->width << 16;

	switch (in->k) {
	case SASS_F2FP_PACK_AB:
		return lane_cvt_pair(in->count, FP_F32, a, b, m);
	case SASS_F2FP_PACK_B:
		return f2fp_one(in, b, m);
	case SASS_F2FP_MERGE_C:
		return f2fp_one(in, b, m) | above;
	case SASS_F2FP_PACK_AB_MERGE_C:
		return lane_cvt_pair(in->count, FP_F32, a, b, m) | above;
	case SASS_F2FP_UNPACK_E5M2:
		return lane_cvt_repair(in->count, FP_E5M2, b >> in->width, m);
	case SASS_F2FP_UNPACK_E4M3:
		return lane_cvt_repair(in->count, FP_E4M3, b >> in->width, m);
	default:
		return lane_cvt_repair(in->count, FP_F16, b, m) | above;
	}
}

void sass_f2fp(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);

	if (in->k == SASS_F2FP_PACK_AB && !in->m && in->count == FP_F16) {
		pack_f16(w, in);
		return;
	}
	if (in->k == SASS_F2FP_PACK_AB && !in->m && in->count == FP_BF16) {
		pack_bf16(w, in);
		return;
	}
	SASS_EACH_LANE(w, in->d, f2fp(in, ra[l], rb[l], rc[l]));
}
