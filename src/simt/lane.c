#include "simt/lane.h"

#include <math.h>

#include "simt/lane_sfu.h"

/*
 * ---- approximate functions ---------------------------------------------
 *
 * Each is the sequence of instructions that ptxas emits for it on sm_90.
 * Without .ftz that is mostly a scaling around the special function unit, which
 * neither takes nor returns subnormals.
 */

static bool f32_is_tiny(float a)
{
	return (f32_bits(a) & 0x7fffffff) < 0x00800000;
}

static bool f32_is_huge(float a)
{
	return fabsf(a) > 0x1p126f;
}

float f32_ex2_approx(float a, unsigned m)
{
	if (m & M_FTZ || !(a < -126.0f))
		return sfu_ex2(a);
	float r = sfu_ex2(f32_mul(a, 0.5f, 0));

	return f32_mul(r, r, 0);
}

float f32_lg2_approx(float a, unsigned m)
{
	if (m & M_FTZ || !f32_is_tiny(a))
		return sfu_lg2(a);
	return f32_add(sfu_lg2(f32_mul(a, 0x1p24f, 0)), -24.0f, 0);
}

/* The unit takes angles in turns. */
static float turns(float a, unsigned m)
{
	return f32_mul(a, f32_of(0x3e22f983), (m & M_FTZ) | RND_RZ);
}

float f32_sin_approx(float a, unsigned m)
{
	return sfu_sin(turns(a, m));
}

float f32_cos_approx(float a, unsigned m)
{
	return sfu_cos(turns(a, m));
}

float f32_tanh_approx(float a, unsigned m)
{
	(void)m;
	return sfu_tanh(a);
}

float f32_rcp_approx(float a, unsigned m)
{
	float scale = f32_is_huge(a) ? 0.25f : f32_is_tiny(a) ? 0x1p24f : 1.0f;

	if (m & M_FTZ)
		return sfu_rcp(a);
	return f32_mul(scale, sfu_rcp(f32_mul(a, scale, 0)), 0);
}

float f32_sqrt_approx(float a, unsigned m)
{
	if (m & M_FTZ || !f32_is_tiny(a))
		return sfu_sqrt(a);
	return f32_mul(sfu_sqrt(f32_mul(a, 0x1p24f, 0)), 0x1p-12f, 0);
}

float f32_rsqrt_approx(float a, unsigned m)
{
	if (m & M_FTZ || !f32_is_tiny(a))
		return sfu_rsq(a);
	return f32_mul(sfu_rsq(f32_mul(a, 0x1p24f, 0)), 0x1p12f, 0);
}

float f32_div_approx(float a, float b, unsigned m)
{
	if (!(m & M_FTZ) && f32_is_tiny(b)) {
		a = f32_mul(a, 0x1p24f, 0);
		b = f32_mul(b, 0x1p24f, 0);
	}
	return f32_mul(a, sfu_rcp(b), m & M_FTZ);
}

float f32_div_full(float a, float b, unsigned m)
{
	if (f32_is_huge(b)) {
		a = f32_mul(a, 0.25f, m & M_FTZ);
		b = f32_mul(b, 0.25f, m & M_FTZ);
	}
	return f32_div_approx(a, b, m);
}

/* Only the upper word of operand and result exists (PTX ISA 9.7.3.14). */
double f64_rcp_approx_ftz(double a)
{
	return f64_of((uint64_t)sfu_rcp64((uint32_t)(f64_bits(a) >> 32)) << 32);
}

double f64_rsqrt_approx_ftz(double a)
{
	return f64_of((uint64_t)sfu_rsq64((uint32_t)(f64_bits(a) >> 32)) << 32);
}

/* One step from the unit's 20 bits to those of a double. */
static double rsqrt_step(double a)
{
	double y = f64_rsqrt_approx_ftz(a);
	double e = fma(a, -(y * y), 1.0);

	return fma(fma(e, 0.375, 0.5), y * e, y);
}

double f64_rsqrt(double a)
{
	uint64_t sign = f64_bits(a) & 0x8000000000000000;

	if (a != a)
		return f64_add(a, a, 0);
	if (a == 0)
		return f64_of(sign | 0x7ff0000000000000);
	if (sign)
		return f64_of(0xfff8000000000000);
	if (isinf(a))
		return 0;
	return a < 0x1p-1022 ? rsqrt_step(a * 0x1p54) * 0x1p27 : rsqrt_step(a);
}

/* The unit truncates its result to the bits of a half, too. */
uint16_t f16_ex2_approx(uint16_t a, unsigned m)
{
	float r = sfu_ex2(f16_in(a, m));

	if (r >= 0x1p16f)
		return 0x7c00;
	return (uint16_t)fp_cvt(FP_F16, FP_F32, f32_bits(r), RND_RZ, false);
}

uint16_t f16_tanh_approx(uint16_t a, unsigned m)
{
	return (uint16_t)fp_cvt(FP_F16, FP_F32,
				f32_bits(sfu_tanh(f16_in(a, m))), RND_RZ,
				false);
}

uint16_t bf16_ex2_approx(uint16_t a, unsigned m)
{
	return (uint16_t)fp_cvt(FP_BF16, FP_F32,
				f32_bits(sfu_ex2(bf16_in(a, m))), RND_RZ,
				false);
}

uint16_t bf16_tanh_approx(uint16_t a, unsigned m)
{
	return (uint16_t)fp_cvt(FP_BF16, FP_F32,
				f32_bits(sfu_tanh(bf16_in(a, m))), RND_RZ,
				false);
}

#define PAIR_APPROX(T, op)                                                 \
	uint32_t T##x2_##op(uint32_t a, unsigned m)                        \
	{                                                                  \
		return pair16(T##_##op(hi16(a), m), T##_##op(lo16(a), m)); \
	}

PAIR_APPROX(f16, ex2_approx)
PAIR_APPROX(f16, tanh_approx)
PAIR_APPROX(bf16, ex2_approx)
PAIR_APPROX(bf16, tanh_approx)

/* ---- conversions ------------------------------------------------------- */

struct type_info {
	uint8_t width;
	bool is_float, is_signed;
	uint8_t fmt; /* enum fp_fmt, of a float */
};

static const struct type_info type_info[LT_COUNT] = {
	[LT_U8] = { .width = 8 },
	[LT_U16] = { .width = 16 },
	[LT_U32] = { .width = 32 },
	[LT_U64] = { .width = 64 },
	[LT_S8] = { .width = 8, .is_signed = true },
	[LT_S16] = { .width = 16, .is_signed = true },
	[LT_S32] = { .width = 32, .is_signed = true },
	[LT_S64] = { .width = 64, .is_signed = true },
	[LT_F16] = { .width = 16, .is_float = true, .fmt = FP_F16 },
	[LT_BF16] = { .width = 16, .is_float = true, .fmt = FP_BF16 },
	[LT_F32] = { .width = 32, .is_float = true, .fmt = FP_F32 },
	[LT_F64] = { .width = 64, .is_float = true, .fmt = FP_F64 },
	[LT_TF32] = { .width = 32, .is_float = true, .fmt = FP_TF32 },
};

static uint64_t lane_extend(const struct type_info *t, uint64_t x)
{
	unsigned up = 64 - t->width;

	if (t->is_signed)
		return (uint64_t)((int64_t)(x << up) >> up);
	return x << up >> up;
}

/* x is already extended from its own type. */
static uint64_t int_to_int(const struct type_info *to,
			   const struct type_info *from, uint64_t x, unsigned m)
{
	uint64_t max = ~UINT64_C(0) >> (64 - to->width + to->is_signed);
	bool neg = from->is_signed && x >> 63;
	uint64_t min = to->is_signed ? ~max : 0;

	if (m & M_SAT) {
		if (!neg && x > max)
			x = max;
		else if (neg && (!to->is_signed || x < min))
			x = min;
	}
	return lane_extend(to, x);
}

/* .sat, .relu and .ftz of a result; .ftz is for f32 alone. */
static uint64_t float_finish(enum fp_fmt f, uint64_t r, unsigned m)
{
	if (f == FP_F32)
		r = f32_bits(f32_ftz(f32_of((uint32_t)r), m));
	if (m & M_SAT) {
		uint64_t one = fp_from_int(f, 1, false, RND_RN);

		if (fp_is_nan(f, r) || fp_is_neg(f, r))
			r = 0;
		r = r > one ? one : r;
	}
	if (m & M_RELU && fp_is_nan(f, r))
		r = fp_desc[f].nan;
	else if (m & M_RELU && fp_is_neg(f, r))
		r = 0;
	return r;
}

static uint64_t float_cvt(enum fp_fmt to, enum fp_fmt from, uint64_t x,
			  unsigned m)
{
	uint64_t r;

	/* No conversion at all; one between halves makes a NaN canonical. */
	if (to == from && !m && (to == FP_F32 || to == FP_F64))
		return x;
	if (from == FP_F32 && to != FP_F16)
		x = f32_bits(f32_ftz(f32_of((uint32_t)x), m));
	/* .ftz comes with a NaN that has lost its payload. */
	if (m & M_FTZ && from != FP_F64 && fp_is_nan(from, x)) {
		x = fp_desc[FP_F32].nan;
		from = FP_F32;
	}
	if (m & M_RINT && to == from)
		r = fp_round_int(to, x, m_rnd(m));
	else
		r = fp_cvt(to, from, x, m_rnd(m), m & M_SATFINITE);
	return float_finish(to, r, m);
}

/* .rna is a sequence of instructions on the bits, without a case for NaN. */
static uint32_t tf32_rna(uint32_t u, unsigned m)
{
	const uint32_t inf = 0x7f800000, mag = 0x7fffffff;

	if ((u & mag) < inf)
		u += 0x1000;
	u &= 0xffffe000;
	return m & M_SATFINITE && (u & mag) >= inf ? u - 0x2000 : u;
}

uint64_t lane_cvt(enum lane_type to, enum lane_type from, uint64_t x,
		  unsigned m)
{
	const struct type_info *t = &type_info[to], *f = &type_info[from];

	x = lane_extend(f, x);
	if (to == LT_TF32 && m_rnd(m) == RND_RNA)
		return tf32_rna((uint32_t)x, m);
	if (t->is_float && f->is_float)
		return float_cvt(t->fmt, f->fmt, x, m);
	if (t->is_float)
		return float_finish(
			t->fmt, fp_from_int(t->fmt, x, f->is_signed, m_rnd(m)),
			m);
	if (!f->is_float)
		return int_to_int(t, f, x, m);
	if (from == LT_F32)
		x = f32_bits(f32_ftz(f32_of((uint32_t)x), m));
	return fp_to_int(f->fmt, x, t->width, t->is_signed, m_rnd(m));
}

/* Bits from one element of a pair to the next. */
static unsigned pitch(enum fp_fmt f)
{
	switch (f) {
	case FP_F16:
	case FP_BF16:
		return 16;
	case FP_E2M1:
		return 4;
	default:
		return 8;
	}
}

uint32_t lane_cvt_pair(enum fp_fmt to, enum fp_fmt from, uint64_t hi,
		       uint64_t lo, unsigned m)
{
	return (uint32_t)(float_cvt(to, from, hi, m) << pitch(to) |
			  float_cvt(to, from, lo, m));
}

uint32_t lane_cvt_repair(enum fp_fmt to, enum fp_fmt from, uint32_t pair,
			 unsigned m)
{
	unsigned n = pitch(from);
	uint32_t mask = (UINT32_C(1) << n) - 1;

	return lane_cvt_pair(to, from, pair >> n & mask, pair & mask, m);
}

uint32_t lane_cvt_pack(unsigned width, bool is_signed, int32_t a, int32_t b,
		       uint32_t c)
{
	struct type_info to = { .width = (uint8_t)width,
				.is_signed = is_signed };
	uint64_t mask = (UINT64_C(1) << width) - 1;
	const struct type_info *from = &type_info[LT_S32];
	uint64_t hi = int_to_int(&to, from, (uint64_t)(int64_t)a, M_SAT);
	uint64_t lo = int_to_int(&to, from, (uint64_t)(int64_t)b, M_SAT);
	uint64_t pair = (hi & mask) << width | (lo & mask);

	return (uint32_t)((uint64_t)c << (2 * width) | pair);
}
