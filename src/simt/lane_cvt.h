/*
 * Conversions of one lane: the cvt part of simt/lane.h, which includes it.
 * PTX ISA 9.7.9.21.
 */
#ifndef HEDDLE_SIMT_LANE_CVT_H
#define HEDDLE_SIMT_LANE_CVT_H

#include "simt/lane.h"

enum lane_type {
	LT_U8,
	LT_U16,
	LT_U32,
	LT_U64,
	LT_S8,
	LT_S16,
	LT_S32,
	LT_S64,
	LT_F16,
	LT_BF16,
	LT_F32,
	LT_F64,
	LT_TF32,
	LT_COUNT
};

/*
 * Every scalar cvt. Only the low bits of x, as many as its type has, are used.
 * The result is zero-extended to 64 bits, a signed one sign-extended. m: M_RND,
 * M_FTZ (for f32 only, and not on the way to f16), M_SAT, M_RELU, M_SATFINITE;
 * M_RINT makes a float of the same type integral. Float to integer always
 * rounds to an integer and saturates.
 */
uint64_t lane_cvt(enum lane_type to, enum lane_type from, uint64_t x,
		  unsigned m);

/*
 * A pair of formats at most 16 bits wide each, hi above lo, from two values of
 * `from`. A pair of e2m1 is 8 bits, of other 8- and 6-bit formats 16 bits.
 */
uint32_t lane_cvt_pair(enum fp_fmt to, enum fp_fmt from, uint64_t hi,
		       uint64_t lo, unsigned m);
/* The same, from a pair of `from`. */
uint32_t lane_cvt_repair(enum fp_fmt to, enum fp_fmt from, uint32_t pair,
			 unsigned m);

/* cvt.pack.sat: a above b, each clamped to width bits, both below c. */
uint32_t lane_cvt_pack(unsigned width, bool is_signed, int32_t a, int32_t b,
		       uint32_t c);

#define CVT_FROM_F32(to, TO)                                                   \
	static inline uint32_t cvt_##to##x2_f32(float a, float b, unsigned m)  \
	{                                                                      \
		return lane_cvt_pair(TO, FP_F32, f32_bits(a), f32_bits(b), m); \
	}
#define CVT_PAIR(to, TO, from, FROM)                                           \
	static inline uint32_t cvt_##to##x2_##from##x2(uint32_t a, unsigned m) \
	{                                                                      \
		return lane_cvt_repair(TO, FROM, a, m);                        \
	}

CVT_FROM_F32(e4m3, FP_E4M3)
CVT_FROM_F32(e5m2, FP_E5M2)
CVT_FROM_F32(e2m3, FP_E2M3)
CVT_FROM_F32(e3m2, FP_E3M2)
CVT_FROM_F32(e2m1, FP_E2M1)
CVT_FROM_F32(ue8m0, FP_UE8M0)
CVT_PAIR(e4m3, FP_E4M3, f16, FP_F16)
CVT_PAIR(e5m2, FP_E5M2, f16, FP_F16)
CVT_PAIR(f16, FP_F16, e4m3, FP_E4M3)
CVT_PAIR(f16, FP_F16, e5m2, FP_E5M2)
CVT_PAIR(f16, FP_F16, e2m3, FP_E2M3)
CVT_PAIR(f16, FP_F16, e3m2, FP_E3M2)
CVT_PAIR(f16, FP_F16, e2m1, FP_E2M1)
CVT_PAIR(ue8m0, FP_UE8M0, bf16, FP_BF16)
CVT_PAIR(bf16, FP_BF16, ue8m0, FP_UE8M0)
#undef CVT_PAIR
#undef CVT_FROM_F32

/*
 * The pairs that kernels use most. m is as for lane_cvt and wants to be a
 * constant: what the fast path does not cover falls back to lane_cvt.
 */
static inline float f32_round_int(float x, unsigned m)
{
	switch (m_rnd(m)) {
	case RND_RZ:
		return __builtin_truncf(x);
	case RND_RM:
		return __builtin_floorf(x);
	case RND_RP:
		return __builtin_ceilf(x);
	default:
		return __builtin_rintf(x);
	}
}

static inline int32_t cvt_s32_f32(float x, unsigned m)
{
	float r = f32_round_int(f32_ftz(x, m), m);
	bool in = r >= -0x1p31f && r < 0x1p31f;
	int32_t v = (int32_t)(in ? r : 0.0f);

	v = r >= 0x1p31f ? INT32_MAX : v;
	return r < -0x1p31f ? INT32_MIN : v;
}

static inline uint32_t cvt_u32_f32(float x, unsigned m)
{
	float r = f32_round_int(f32_ftz(x, m), m);
	bool in = r >= 0.0f && r < 0x1p32f;
	uint32_t v = (uint32_t)(in ? r : 0.0f);

	return r >= 0x1p32f ? UINT32_MAX : v;
}

static inline float cvt_f32_s32(int32_t x, unsigned m)
{
	if (m & ~(unsigned)M_FTZ)
		return f32_of(
			(uint32_t)lane_cvt(LT_F32, LT_S32, (uint32_t)x, m));
	return (float)x;
}

static inline float cvt_f32_u32(uint32_t x, unsigned m)
{
	if (m & ~(unsigned)M_FTZ)
		return f32_of((uint32_t)lane_cvt(LT_F32, LT_U32, x, m));
	return (float)x;
}

static inline double cvt_f64_f32(float x, unsigned m)
{
	/* .ftz is a multiplication before, which makes a NaN canonical. */
	uint64_t nan = fp_nan64_of_f32(m & M_FTZ ? 0x7fffffff : f32_bits(x));

	if (m & M_SAT)
		return f64_of(lane_cvt(LT_F64, LT_F32, f32_bits(x), m));
	return f64_of(x != x ? nan : f64_bits((double)f32_ftz(x, m)));
}

static inline float cvt_f32_f64(double x, unsigned m)
{
	if (m & ~(unsigned)M_FTZ)
		return f32_of(
			(uint32_t)lane_cvt(LT_F32, LT_F64, f64_bits(x), m));
	uint32_t nan = fp_nan32_of_f64(f64_bits(x));

	return f32_ftz(f32_of(x != x ? nan : f32_bits((float)x)), m);
}

static inline float cvt_f32_f16(uint16_t x, unsigned m)
{
	return f32_sat(f16_to_f32(x), m);
}

static inline float cvt_f32_bf16(uint16_t x, unsigned m)
{
	float r = bf16_to_f32(x);

	return f32_sat(m & M_FTZ ? f32_ftz(f32_canon(r), m) : r, m);
}

static inline uint16_t cvt_f16_f32(float x, unsigned m)
{
	if (m & ~(unsigned)(M_FTZ | M_SAT | M_RELU))
		return (uint16_t)lane_cvt(LT_F16, LT_F32, f32_bits(x), m);
	return f16_out(x, m & ~(unsigned)M_FTZ);
}

static inline uint16_t cvt_bf16_f32(float x, unsigned m)
{
	if (m & ~(unsigned)(M_FTZ | M_SAT | M_RELU))
		return (uint16_t)lane_cvt(LT_BF16, LT_F32, f32_bits(x), m);
	return bf16_out(f32_ftz(x, m), m & ~(unsigned)M_FTZ);
}

static inline uint32_t cvt_f16x2_f32(float a, float b, unsigned m)
{
	return pair16(cvt_f16_f32(a, m), cvt_f16_f32(b, m));
}

static inline uint32_t cvt_bf16x2_f32(float a, float b, unsigned m)
{
	return pair16(cvt_bf16_f32(a, m), cvt_bf16_f32(b, m));
}

#endif
