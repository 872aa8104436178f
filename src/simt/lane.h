/*
 * The arithmetic of one lane: the functions that the semantics column of an
 * instruction table calls (PTX ISA 9.0, behaviour of sm_90).
 *
 * Everything here is pure and total. The modifier word m is a constant at most
 * call sites, so that unused modifiers fold away and a loop over the lanes of a
 * warp vectorises: the path that rounds to nearest has no branch and no call.
 * Other roundings go through base/fp.h, approximations through lane.c.
 *
 * Types: f32 is float, f64 double, f16 and bf16 uint16_t, a packed pair of
 * them uint32_t, a packed pair of f32 uint64_t; integers are themselves.
 * Does not model: carry chains (add.cc), mixed precision (fma.f32.f16), .oob.
 */
#ifndef HEDDLE_SIMT_LANE_H
#define HEDDLE_SIMT_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fp.h"

enum {
	M_RND = 7, /* an enum rnd; RND_RN is 0 */
	M_FTZ = 8,
	M_SAT = 16,
	M_RELU = 32,
	M_NAN = 64,
	M_XORSIGN = 128, /* .xorsign.abs: M_ABS is implied */
	M_ABS = 256,
	M_SATFINITE = 512,
	M_RINT = 1024 /* the rounding is .rni .rzi .rmi .rpi: to an integer */
};

static inline enum rnd m_rnd(unsigned m)
{
	return (enum rnd)(m & M_RND);
}

/* ---- single precision -------------------------------------------------- */

/* The only NaN that hardware produces in arithmetic on f32. */
static inline float f32_canon(float x)
{
	return f32_of(x != x ? 0x7fffffff : f32_bits(x));
}

static inline float f32_ftz(float x, unsigned m)
{
	uint32_t u = f32_bits(x);

	if (!(m & M_FTZ))
		return x;
	return f32_of((u & 0x7f800000) ? u : u & 0x80000000);
}

/* A NaN and both zeros become +0. */
static inline float f32_sat(float x, unsigned m)
{
	float top = x < 1.0f ? x : 1.0f;

	return m & M_SAT ? (x > 0.0f ? top : 0.0f) : x;
}

static inline float f32_relu(float x, unsigned m)
{
	return m & M_RELU && x <= 0.0f ? 0.0f : x;
}

static inline float f32_finish(float x, unsigned m)
{
	return f32_sat(f32_ftz(f32_canon(x), m), m);
}

static inline float f32_from(uint64_t bits, unsigned m)
{
	return f32_finish(f32_of((uint32_t)bits), m);
}

static inline float f32_add(float a, float b, unsigned m)
{
	a = f32_ftz(a, m);
	b = f32_ftz(b, m);
	if (m & M_RND)
		return f32_from(
			fp_add(FP_F32, f32_bits(a), f32_bits(b), m_rnd(m)), m);
	return f32_finish(a + b, m);
}

static inline float f32_sub(float a, float b, unsigned m)
{
	return f32_add(a, -b, m);
}

/*
 * .ftz tests the result as rounded with an unlimited exponent range, which may
 * have rounded it up to a normal number: `up` is that result times 2^64.
 */
static inline float f32_finish_tiny(float x, float up, unsigned m)
{
	uint32_t sign = f32_bits(x) & 0x80000000;
	bool tiny = up < 0x1p-62f && up > -0x1p-62f;

	if (m & M_FTZ)
		x = tiny ? f32_of(sign) : x;
	return f32_sat(f32_canon(x), m);
}

static inline float f32_product(float a, float b, unsigned m)
{
	if (m & M_RND)
		return f32_of((uint32_t)fp_mul(FP_F32, f32_bits(a), f32_bits(b),
					       m_rnd(m)));
	return a * b;
}

static inline float f32_mul(float a, float b, unsigned m)
{
	a = f32_ftz(a, m);
	b = f32_ftz(b, m);
	return f32_finish_tiny(f32_product(a, b, m),
			       m & M_FTZ ? f32_product(a * 0x1p64f, b, m) : 0,
			       m);
}

static inline float f32_fused(float a, float b, float c, unsigned m)
{
	if (m & M_RND)
		return f32_of((uint32_t)fp_fma(FP_F32, f32_bits(a), f32_bits(b),
					       f32_bits(c), m_rnd(m)));
	return __builtin_fmaf(a, b, c);
}

static inline float f32_fma(float a, float b, float c, unsigned m)
{
	a = f32_ftz(a, m);
	b = f32_ftz(b, m);
	c = f32_ftz(c, m);
	return f32_finish_tiny(
		f32_fused(a, b, c, m),
		m & M_FTZ ? f32_fused(a * 0x1p64f, b, c * 0x1p64f, m) : 0, m);
}

static inline float f32_quotient(float a, float b, unsigned m)
{
	if (m & M_RND)
		return f32_of((uint32_t)fp_div(FP_F32, f32_bits(a), f32_bits(b),
					       m_rnd(m)));
	return a / b;
}

static inline float f32_div(float a, float b, unsigned m)
{
	a = f32_ftz(a, m);
	b = f32_ftz(b, m);
	return f32_finish_tiny(f32_quotient(a, b, m),
			       m & M_FTZ ? f32_quotient(a * 0x1p64f, b, m) : 0,
			       m);
}

static inline float f32_rcp(float a, unsigned m)
{
	return f32_div(1.0f, a, m);
}

static inline float f32_sqrt(float a, unsigned m)
{
	a = f32_ftz(a, m);
	if (m & M_RND)
		return f32_from(fp_sqrt(FP_F32, f32_bits(a), m_rnd(m)), m);
	return f32_finish(__builtin_sqrtf(a), m);
}

static inline float f32_abs(float a, unsigned m)
{
	return f32_canon(f32_of(f32_bits(f32_ftz(a, m)) & 0x7fffffff));
}

static inline float f32_neg(float a, unsigned m)
{
	return f32_canon(f32_of(f32_bits(f32_ftz(a, m)) ^ 0x80000000));
}

/* The sign of a on the magnitude of b: PTX copysign d, a, b. */
static inline float f32_copysign(float a, float b, unsigned m)
{
	(void)m;
	return f32_of((f32_bits(a) & 0x80000000) | (f32_bits(b) & 0x7fffffff));
}

/*
 * min and max choose between bits, in the order of the numbers they stand for,
 * where -0 is less than +0. A NaN gives way to the other operand, unless .NaN.
 */
static inline int32_t f32_rank(uint32_t u)
{
	return (int32_t)(u ^ (u >> 31 ? 0x7fffffff : 0));
}

static inline uint32_t f32_rival(float a, float b, unsigned m)
{
	return f32_bits(!(m & M_NAN) && a != a ? b : a);
}

static inline float f32_operand(float a, unsigned m)
{
	return m & (M_XORSIGN | M_ABS) ? f32_abs(a, m) : f32_ftz(a, m);
}

static inline uint32_t f32_xorsign(float a, float b, unsigned m)
{
	return m & M_XORSIGN ? (f32_bits(a) ^ f32_bits(b)) & 0x80000000 : 0;
}

/* Without .NaN the choice is a NaN only when both operands are. */
static inline float f32_chosen(uint32_t r, uint32_t x, uint32_t y,
			       uint32_t sign, unsigned m)
{
	const uint32_t inf = 0x7f800000, mag = 0x7fffffff;
	bool any = ((x & mag) > inf) | ((y & mag) > inf);
	bool nan = m & M_NAN ? any : (r & mag) > inf;

	return f32_of(nan ? 0x7fffffff : r ^ sign);
}

static inline float f32_min(float a, float b, unsigned m)
{
	uint32_t sign = f32_xorsign(a, b, m);

	a = f32_operand(a, m);
	b = f32_operand(b, m);
	uint32_t x = f32_rival(a, b, m), y = f32_rival(b, a, m);
	uint32_t r = f32_rank(x) < f32_rank(y) ? x : y;

	return f32_chosen(r, x, y, sign, m);
}

static inline float f32_max(float a, float b, unsigned m)
{
	uint32_t sign = f32_xorsign(a, b, m);

	a = f32_operand(a, m);
	b = f32_operand(b, m);
	uint32_t x = f32_rival(a, b, m), y = f32_rival(b, a, m);
	uint32_t r = f32_rank(x) > f32_rank(y) ? x : y;

	return f32_chosen(r, x, y, sign, m);
}

static inline float f32_min3(float a, float b, float c, unsigned m)
{
	return f32_min(f32_min(a, b, m), c, m);
}

static inline float f32_max3(float a, float b, float c, unsigned m)
{
	return f32_max(f32_max(a, b, m), c, m);
}

static inline bool f32_lt(float a, float b, unsigned m)
{
	return f32_ftz(a, m) < f32_ftz(b, m);
}

static inline bool f32_eq(float a, float b, unsigned m)
{
	return f32_ftz(a, m) == f32_ftz(b, m);
}

static inline bool f32_un(float a, float b, unsigned m)
{
	(void)m;
	return a != a || b != b;
}

#define TESTP_FAMILY(T, C, U, INF, MIN)                                   \
	static inline U T##_magnitude(C a)                                \
	{                                                                 \
		return T##_bits(a) & (U)((U) ~(U)0 >> 1);                 \
	}                                                                 \
	static inline bool T##_testp_finite(C a)                          \
	{                                                                 \
		return T##_magnitude(a) < (INF);                          \
	}                                                                 \
	static inline bool T##_testp_infinite(C a)                        \
	{                                                                 \
		return T##_magnitude(a) == (INF);                         \
	}                                                                 \
	static inline bool T##_testp_number(C a)                          \
	{                                                                 \
		return T##_magnitude(a) <= (INF);                         \
	}                                                                 \
	static inline bool T##_testp_notanumber(C a)                      \
	{                                                                 \
		return T##_magnitude(a) > (INF);                          \
	}                                                                 \
	/* Zero counts as normal. */                                      \
	static inline bool T##_testp_normal(C a)                          \
	{                                                                 \
		U u = T##_magnitude(a);                                   \
		return u == 0 || (u >= (MIN) && u < (INF));               \
	}                                                                 \
	static inline bool T##_testp_subnormal(C a)                       \
	{                                                                 \
		return T##_magnitude(a) < (MIN) && T##_magnitude(a) != 0; \
	}

TESTP_FAMILY(f32, float, uint32_t, 0x7f800000u, 0x00800000u)
TESTP_FAMILY(f64, double, uint64_t, 0x7ff0000000000000u, 0x0010000000000000u)
#undef TESTP_FAMILY

/* The approximate functions return the hardware's bits (simt/lane_sfu.h). */
float f32_ex2_approx(float a, unsigned m);
float f32_lg2_approx(float a, unsigned m);
float f32_sin_approx(float a, unsigned m);
float f32_cos_approx(float a, unsigned m);
float f32_tanh_approx(float a, unsigned m);
float f32_rcp_approx(float a, unsigned m);
float f32_sqrt_approx(float a, unsigned m);
float f32_rsqrt_approx(float a, unsigned m);
float f32_div_approx(float a, float b, unsigned m);
float f32_div_full(float a, float b, unsigned m);
double f64_rcp_approx_ftz(double a);
double f64_rsqrt_approx_ftz(double a);
double f64_rsqrt(double a); /* rsqrt.approx.f64 */
uint16_t f16_ex2_approx(uint16_t a, unsigned m);
uint16_t f16_tanh_approx(uint16_t a, unsigned m);
uint16_t bf16_ex2_approx(uint16_t a, unsigned m);
uint16_t bf16_tanh_approx(uint16_t a, unsigned m);
uint32_t f16x2_ex2_approx(uint32_t a, unsigned m);
uint32_t f16x2_tanh_approx(uint32_t a, unsigned m);
uint32_t bf16x2_ex2_approx(uint32_t a, unsigned m);
uint32_t bf16x2_tanh_approx(uint32_t a, unsigned m);

#define F32X2_BINARY(op)                                                       \
	static inline uint64_t f32x2_##op(uint64_t a, uint64_t b, unsigned m)  \
	{                                                                      \
		float l =                                                      \
			f32_##op(f32_of((uint32_t)a), f32_of((uint32_t)b), m); \
		float h = f32_##op(f32_of((uint32_t)(a >> 32)),                \
				   f32_of((uint32_t)(b >> 32)), m);            \
		return (uint64_t)f32_bits(h) << 32 | f32_bits(l);              \
	}

F32X2_BINARY(add)
F32X2_BINARY(sub)
F32X2_BINARY(mul)
#undef F32X2_BINARY

static inline uint64_t f32x2_fma(uint64_t a, uint64_t b, uint64_t c, unsigned m)
{
	float l = f32_fma(f32_of((uint32_t)a), f32_of((uint32_t)b),
			  f32_of((uint32_t)c), m);
	float h = f32_fma(f32_of((uint32_t)(a >> 32)),
			  f32_of((uint32_t)(b >> 32)),
			  f32_of((uint32_t)(c >> 32)), m);

	return (uint64_t)f32_bits(h) << 32 | f32_bits(l);
}

/* ---- double precision (m: rounding only) ------------------------------- */

static inline double f64_canon(double x, double a, double b, double c)
{
	uint64_t nan = fp_nan64(f64_bits(a), f64_bits(b), f64_bits(c));

	return f64_of(x != x ? nan : f64_bits(x));
}

static inline double f64_add(double a, double b, unsigned m)
{
	if (m & M_RND)
		return f64_of(
			fp_add(FP_F64, f64_bits(a), f64_bits(b), m_rnd(m)));
	return f64_canon(a + b, a, b, 0);
}

/* A NaN keeps its sign through the negation. */
static inline double f64_sub(double a, double b, unsigned m)
{
	return f64_add(a, b != b ? b : -b, m);
}

static inline double f64_mul(double a, double b, unsigned m)
{
	if (m & M_RND)
		return f64_of(
			fp_mul(FP_F64, f64_bits(a), f64_bits(b), m_rnd(m)));
	return f64_canon(a * b, a, b, 0);
}

static inline double f64_fma(double a, double b, double c, unsigned m)
{
	if (m & M_RND)
		return f64_of(fp_fma(FP_F64, f64_bits(a), f64_bits(b),
				     f64_bits(c), m_rnd(m)));
	return f64_canon(__builtin_fma(a, b, c), a, c, b);
}

static inline double f64_div(double a, double b, unsigned m)
{
	if (m & M_RND)
		return f64_of(
			fp_div(FP_F64, f64_bits(a), f64_bits(b), m_rnd(m)));
	return f64_canon(a / b, b, a, 0);
}

static inline double f64_rcp(double a, unsigned m)
{
	return f64_div(1.0, a, m);
}

static inline double f64_sqrt(double a, unsigned m)
{
	if (m & M_RND)
		return f64_of(fp_sqrt(FP_F64, f64_bits(a), m_rnd(m)));
	return f64_canon(__builtin_sqrt(a), a, 0, 0);
}

/* Both are additions to zero: a NaN keeps its sign and becomes quiet. */
static inline double f64_abs(double a, unsigned m)
{
	(void)m;
	return f64_canon(f64_of(f64_bits(a) & 0x7fffffffffffffff), a, 0, 0);
}

static inline double f64_neg(double a, unsigned m)
{
	(void)m;
	return f64_canon(f64_of(f64_bits(a) ^ 0x8000000000000000), a, 0, 0);
}

static inline double f64_copysign(double a, double b, unsigned m)
{
	(void)m;
	return f64_of((f64_bits(a) & 0x8000000000000000) |
		      (f64_bits(b) & 0x7fffffffffffffff));
}

static inline double f64_min(double a, double b, unsigned m)
{
	uint64_t eq = f64_bits(a) | f64_bits(b);
	uint64_t lt = f64_bits(a < b ? a : b);
	double r = f64_of(a == b ? eq : lt);

	(void)m;
	return f64_canon(a != a ? b : b != b ? a : r, a, b, 0);
}

static inline double f64_max(double a, double b, unsigned m)
{
	uint64_t eq = f64_bits(a) & f64_bits(b);
	uint64_t gt = f64_bits(a > b ? a : b);
	double r = f64_of(a == b ? eq : gt);

	(void)m;
	return f64_canon(a != a ? b : b != b ? a : r, a, b, 0);
}

static inline bool f64_lt(double a, double b, unsigned m)
{
	(void)m;
	return a < b;
}

static inline bool f64_eq(double a, double b, unsigned m)
{
	(void)m;
	return a == b;
}

static inline bool f64_un(double a, double b, unsigned m)
{
	(void)m;
	return a != a || b != b;
}

/* ---- half precision: f16 and bf16, alone and in pairs ------------------ */

/*
 * Arithmetic runs in a wider type. The sum or product of two halves, rounded
 * to f32 and then to the half, is what one rounding gives, for f32 has more
 * than twice their bits. A fused result is not: its first rounding must be to
 * odd, which s (nearest) and err (what s lost, exact) make.
 */
static inline float f32_to_odd(float s, float err)
{
	uint32_t u = f32_bits(s);
	uint32_t lost = (err > 0.0f) | (err < 0.0f);
	uint32_t toward = (u ^ f32_bits(err)) >> 31 ? ~UINT32_C(0) : 1;

	return f32_of(lost & ~u & 1 ? u + toward : u);
}

static inline double f64_to_odd(double s, double err)
{
	uint64_t u = f64_bits(s);
	uint64_t lost = (err > 0.0) | (err < 0.0);
	uint64_t toward = (u ^ f64_bits(err)) >> 63 ? ~UINT64_C(0) : 1;

	return f64_of(lost & ~u & 1 ? u + toward : u);
}

/* Products of two f16 are exact in f32, those of two bf16 in f64 only. */
static inline float f16_fma_odd(float a, float b, float c)
{
	float p = a * b, s = p + c, t = s - p;

	return f32_to_odd(s, (p - (s - t)) + (c - t));
}

static inline float bf16_fma_odd(float a, float b, float c)
{
	double p = (double)a * b, s = p + c, t = s - p;
	double odd = f64_to_odd(s, (p - (s - t)) + (c - t));
	float f = (float)odd;

	return f32_to_odd(f, (float)(odd - (double)f));
}

/*
 * How 16-bit results are finished: x is rounded to the type T, then modified.
 * LEAST is the smallest x that rounds to a normal number if the exponent range
 * is unlimited.
 */
#define HALF_FAMILY(T, EXP, LEAST)                                         \
	static inline uint16_t T##_ftz(uint16_t h, unsigned m)             \
	{                                                                  \
		if (!(m & M_FTZ))                                          \
			return h;                                          \
		return h & (EXP) ? h : h & 0x8000;                         \
	}                                                                  \
	static inline float T##_in(uint16_t h, unsigned m)                 \
	{                                                                  \
		return T##_to_f32(T##_ftz(h, m));                          \
	}                                                                  \
	static inline uint16_t T##_out(float x, unsigned m)                \
	{                                                                  \
		uint16_t h = f32_to_##T(f32_relu(f32_sat(x, m), m));       \
		bool tiny = x < (LEAST) && x > -(LEAST);                   \
		return m & M_FTZ && tiny ? h & 0x8000 : h;                 \
	}                                                                  \
	static inline uint16_t T##_add(uint16_t a, uint16_t b, unsigned m) \
	{                                                                  \
		return T##_out(T##_in(a, m) + T##_in(b, m), m);            \
	}                                                                  \
	static inline uint16_t T##_sub(uint16_t a, uint16_t b, unsigned m) \
	{                                                                  \
		return T##_out(T##_in(a, m) - T##_in(b, m), m);            \
	}                                                                  \
	static inline uint16_t T##_mul(uint16_t a, uint16_t b, unsigned m) \
	{                                                                  \
		return T##_out(T##_in(a, m) * T##_in(b, m), m);            \
	}                                                                  \
	static inline uint16_t T##_fma(uint16_t a, uint16_t b, uint16_t c, \
				       unsigned m)                         \
	{                                                                  \
		return T##_out(T##_fma_odd(T##_in(a, m), T##_in(b, m),     \
					   T##_in(c, m)),                  \
			       m);                                         \
	}                                                                  \
	static inline uint16_t T##_canon(uint16_t h)                       \
	{                                                                  \
		return (h & 0x7fff) > (EXP) ? 0x7fff : h;                  \
	}                                                                  \
	static inline uint16_t T##_neg(uint16_t a, unsigned m)             \
	{                                                                  \
		return T##_canon(T##_ftz(a, m) ^ 0x8000);                  \
	}                                                                  \
	static inline uint16_t T##_abs(uint16_t a, unsigned m)             \
	{                                                                  \
		return T##_canon(T##_ftz(a, m) & 0x7fff);                  \
	}                                                                  \
	/* .xorsign.abs: a NaN has a sign too, which T##_in loses. */      \
	static inline uint16_t T##_chosen(float x, uint16_t a, uint16_t b, \
					  unsigned m)                      \
	{                                                                  \
		uint16_t h = f32_to_##T(x);                                \
		uint16_t s = m & M_XORSIGN ? (a ^ b) & 0x8000 : 0;         \
		return x != x ? h : h ^ s;                                 \
	}                                                                  \
	static inline uint16_t T##_min(uint16_t a, uint16_t b, unsigned m) \
	{                                                                  \
		unsigned n = m & M_XORSIGN ? (m & ~M_XORSIGN) | M_ABS : m; \
		float x = f32_min(T##_in(a, m), T##_in(b, m), n);          \
		return T##_chosen(x, a, b, m);                             \
	}                                                                  \
	static inline uint16_t T##_max(uint16_t a, uint16_t b, unsigned m) \
	{                                                                  \
		unsigned n = m & M_XORSIGN ? (m & ~M_XORSIGN) | M_ABS : m; \
		float x = f32_max(T##_in(a, m), T##_in(b, m), n);          \
		return T##_chosen(x, a, b, m);                             \
	}                                                                  \
	static inline bool T##_lt(uint16_t a, uint16_t b, unsigned m)      \
	{                                                                  \
		return T##_in(a, m) < T##_in(b, m);                        \
	}                                                                  \
	static inline bool T##_eq(uint16_t a, uint16_t b, unsigned m)      \
	{                                                                  \
		return T##_in(a, m) == T##_in(b, m);                       \
	}                                                                  \
	static inline bool T##_un(uint16_t a, uint16_t b, unsigned m)      \
	{                                                                  \
		(void)m;                                                   \
		return (a & 0x7fff) > (EXP) || (b & 0x7fff) > (EXP);       \
	}

HALF_FAMILY(f16, 0x7c00, 0x1.ffep-15f)
HALF_FAMILY(bf16, 0x7f80, 0x1.ffp-127f)
#undef HALF_FAMILY

static inline uint16_t lo16(uint32_t x)
{
	return (uint16_t)x;
}

static inline uint16_t hi16(uint32_t x)
{
	return (uint16_t)(x >> 16);
}

static inline uint32_t pair16(uint16_t hi, uint16_t lo)
{
	return (uint32_t)hi << 16 | lo;
}

#define PAIR_UNARY(T, op)                                                  \
	static inline uint32_t T##x2_##op(uint32_t a, unsigned m)          \
	{                                                                  \
		return pair16(T##_##op(hi16(a), m), T##_##op(lo16(a), m)); \
	}
#define PAIR_BINARY(T, op)                                                    \
	static inline uint32_t T##x2_##op(uint32_t a, uint32_t b, unsigned m) \
	{                                                                     \
		return pair16(T##_##op(hi16(a), hi16(b), m),                  \
			      T##_##op(lo16(a), lo16(b), m));                 \
	}
#define PAIR_FAMILY(T)                                                       \
	PAIR_UNARY(T, neg)                                                   \
	PAIR_UNARY(T, abs)                                                   \
	PAIR_BINARY(T, add)                                                  \
	PAIR_BINARY(T, sub)                                                  \
	PAIR_BINARY(T, mul)                                                  \
	PAIR_BINARY(T, min)                                                  \
	PAIR_BINARY(T, max)                                                  \
	static inline uint32_t T##x2_fma(uint32_t a, uint32_t b, uint32_t c, \
					 unsigned m)                         \
	{                                                                    \
		return pair16(T##_fma(hi16(a), hi16(b), hi16(c), m),         \
			      T##_fma(lo16(a), lo16(b), lo16(c), m));        \
	}

PAIR_FAMILY(f16)
PAIR_FAMILY(bf16)
#undef PAIR_FAMILY
#undef PAIR_BINARY
#undef PAIR_UNARY

#include "simt/lane_cvt.h"
#include "simt/lane_int.h"

#endif
