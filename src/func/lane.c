#include "func/lane.h"

#include <math.h>

/* ---- approximate functions --------------------------------------------- */

/* Hardware works in turns: x / 2pi, cut short, and then the sine of a turn. */
static double turns(float a, unsigned m)
{
	float t = f32_mul(a, f32_of(0x3e22f983), (m & M_FTZ) | RND_RZ);

	/* Whole turns are exact in t and must not meet a rounded pi. */
	return 6.283185307179586476925 * ((double)t - trunc(t));
}

float f32_ex2_approx(float a, unsigned m)
{
	return f32_finish((float)exp2(f32_ftz(a, m)), m);
}

float f32_lg2_approx(float a, unsigned m)
{
	return f32_finish((float)log2(f32_ftz(a, m)), m);
}

float f32_sin_approx(float a, unsigned m)
{
	float r = (float)sin(turns(f32_ftz(a, m), m));

	/* The subtraction in turns() loses the sign of zero. */
	return f32_finish(r == 0.0f ? f32_copysign(a, r, m) : r, m);
}

float f32_cos_approx(float a, unsigned m)
{
	return f32_finish((float)cos(turns(f32_ftz(a, m), m)), m);
}

float f32_tanh_approx(float a, unsigned m)
{
	return f32_finish((float)tanh(f32_ftz(a, m)), m);
}

float f32_rcp_approx(float a, unsigned m)
{
	return f32_finish(1.0f / f32_ftz(a, m), m);
}

float f32_sqrt_approx(float a, unsigned m)
{
	return f32_finish(sqrtf(f32_ftz(a, m)), m);
}

float f32_rsqrt_approx(float a, unsigned m)
{
	return f32_finish((float)(1.0 / sqrt(f32_ftz(a, m))), m);
}

/* a * (1/b), where a reciprocal below the normal range is lost. */
float f32_div_approx(float a, float b, unsigned m)
{
	float r = f32_ftz(1.0f / f32_ftz(b, m), M_FTZ);

	return f32_mul(a, r, m & M_FTZ);
}

float f32_div_full(float a, float b, unsigned m)
{
	return f32_div(a, b, m & M_FTZ);
}

static double f64_flush(double a)
{
	uint64_t u = f64_bits(a);

	return f64_of(u & 0x7ff0000000000000 ? u : u & 0x8000000000000000);
}

/* Only the upper word of operand and result exists (PTX ISA 9.7.3.14). */
static double upper_in(double a)
{
	return f64_flush(f64_of(f64_bits(a) & 0xffffffff00000000));
}

static double upper_out(double r)
{
	uint64_t u = f64_bits(f64_flush(r));

	if (r != r)
		return f64_of(0x7fffffff00000000);
	if (isfinite(r))
		u += 0x80000000;
	return f64_of(u & 0xffffffff00000000);
}

double f64_rcp_approx_ftz(double a)
{
	return upper_out(1.0 / upper_in(a));
}

double f64_rsqrt_approx_ftz(double a)
{
	return upper_out(1.0 / sqrt(upper_in(a)));
}

uint16_t f16_ex2_approx(uint16_t a, unsigned m)
{
	return f16_out((float)exp2(f16_in(a, m)), m);
}

uint16_t f16_tanh_approx(uint16_t a, unsigned m)
{
	return f16_out((float)tanh(f16_in(a, m)), m);
}

uint16_t bf16_ex2_approx(uint16_t a, unsigned m)
{
	return bf16_out((float)exp2(bf16_in(a, m)), m);
}

uint16_t bf16_tanh_approx(uint16_t a, unsigned m)
{
	return bf16_out((float)tanh(bf16_in(a, m)), m);
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

static uint64_t extend(const struct type_info *t, uint64_t x)
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
	return extend(to, x);
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

	if (from == FP_F32)
		x = f32_bits(f32_ftz(f32_of((uint32_t)x), m));
	if (m & M_RINT && to == from)
		r = fp_round_int(to, x, m_rnd(m));
	else
		r = fp_cvt(to, from, x, m_rnd(m), m & M_SATFINITE);
	return float_finish(to, r, m);
}

uint64_t lane_cvt(enum lane_type to, enum lane_type from, uint64_t x,
		  unsigned m)
{
	const struct type_info *t = &type_info[to], *f = &type_info[from];

	x = extend(f, x);
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
