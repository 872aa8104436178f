#include <math.h>

#include "simt/lane.h"
#include "test.h"

static const uint32_t NAN32 = 0x7fffffff;

static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s * 0x2545f4914f6cdd1d;
}

static float F(uint32_t u)
{
	return f32_of(u);
}

static uint32_t B(float f)
{
	return f32_bits(f);
}

/* ---- floating point ---------------------------------------------------- */

TEST(lane, an_f32_nan_result_is_always_the_same)
{
	EQ(NAN32, B(f32_add(F(0xffc12345), 1, 0)));
	EQ(NAN32, B(f32_sub(INFINITY, INFINITY, 0)));
	EQ(NAN32, B(f32_mul(INFINITY, 0, RND_RZ)));
	EQ(NAN32, B(f32_fma(INFINITY, 0, 1, M_FTZ)));
	EQ(NAN32, B(f32_div(0, 0, 0)));
	EQ(NAN32, B(f32_sqrt(-1, 0)));
	EQ(NAN32, B(f32_min(F(0x7f800001), F(0xffc00000), 0)));
}

TEST(lane, ftz_flushes_what_goes_in_and_what_comes_out)
{
	EQ(0x00000001, B(f32_add(F(1), 0, 0)));
	EQ(0, B(f32_add(F(1), 0, M_FTZ)));
	EQ(0x80000000, B(f32_mul(F(0x80800000), 0.5f, M_FTZ)));
	EQ(0x80400000, B(f32_mul(F(0x80800000), 0.5f, 0)));
	EQ(0x80000000, B(f32_neg(F(0x00000001), M_FTZ)));
	EQ(0, B(f32_sub(F(0x00800001), F(0x00800000), M_FTZ)));
	EQ(0x7f800000, B(f32_div(1, F(1), M_FTZ)));
	EQ(0, f16_add(0x0001, 0, M_FTZ));
	EQ(1, f16_add(0x0001, 0, 0));
	EQ(0x8000, f16_mul(0x8400, 0x3800, M_FTZ));
	OK(f32_eq(F(1), F(0x80000002), M_FTZ));
	OK(!f32_eq(F(1), F(2), 0));
	OK(f32_lt(F(1), F(2), 0) && !f32_lt(F(1), F(2), M_FTZ));
}

TEST(lane, sat_clamps_to_the_unit_interval_and_nan_to_zero)
{
	EQ(0x3f800000, B(f32_add(1, 1, M_SAT)));
	EQ(0, B(f32_add(-1, -1, M_SAT)));
	EQ(0, B(f32_mul(-0.0f, 1, M_SAT)));
	EQ(0, B(f32_add(F(NAN32), 1, M_SAT)));
	EQ(0x3f000000, B(f32_fma(0.5f, 0.5f, 0.25f, M_SAT)));
	EQ(0x3c00, f16_add(0x4000, 0x4000, M_SAT));
	EQ(0, f16_add(0x7fff, 0x4000, M_SAT));
	EQ(0, f16_fma(0xbc00, 0x3c00, 0, M_RELU));
	EQ(0x7fff, f16_fma(0x7e00, 0x3c00, 0, M_RELU));
	EQ(0x3f80, bf16_fma(0x3f80, 0x3f80, 0, M_RELU));
}

TEST(lane, rounding_is_in_the_low_bits_of_the_modifier)
{
	float tiny = 0x1p-40f;

	EQ(0x3f800000, B(f32_add(1, tiny, RND_RZ)));
	EQ(0x3f800001, B(f32_add(1, tiny, RND_RP)));
	EQ(0x3f7fffff, B(f32_sub(1, tiny, RND_RM)));
	EQ(0x3eaaaaaa, B(f32_rcp(3, RND_RZ)));
	EQ(0x3eaaaaab, B(f32_rcp(3, 0)));
	EQ(0x3fb504f4, B(f32_sqrt(2, RND_RP)));
	EQ(0x3ff0000000000001, f64_bits(f64_add(1, 1e-30, RND_RP)));
	EQ(0x3fefffffffffffff, f64_bits(f64_sub(1, 1e-30, RND_RZ)));
	EQ(0x3fd5555555555556, f64_bits(f64_rcp(3, RND_RP)));
	EQ(0x3ff0000000000000, f64_bits(f64_fma(1, 1, -1e-30, RND_RP)));
}

TEST(lane, min_and_max_prefer_numbers_and_order_zeros)
{
	float nan = F(0x7f800001);

	EQ(1.0f, f32_min(nan, 1, 0));
	EQ(1.0f, f32_max(1, nan, 0));
	EQ(NAN32, B(f32_max(1, nan, M_NAN)));
	EQ(0x80000000, B(f32_min(0.0f, -0.0f, 0)));
	EQ(0x80000000, B(f32_min(-0.0f, 0.0f, 0)));
	EQ(0, B(f32_max(-0.0f, 0.0f, 0)));
	EQ(-INFINITY, f32_min(-INFINITY, 3, 0));
	EQ(-2.0f, f32_min(-2, 3, M_XORSIGN | M_ABS));
	EQ(3.0f, f32_max(-2, -3, M_XORSIGN | M_ABS));
	EQ(0x80000000, B(f32_min(F(0x80000001), 1, M_FTZ)));
	EQ(1.0f, f32_min3(3, 2, 1, 0));
	EQ(3.0f, f32_max3(3, nan, 1, 0));
	EQ(0x8000, f16_min(0, 0x8000, 0));
	EQ(0x3c00, f16_max(0x7e01, 0x3c00, 0));
	EQ(0x7fff, bf16_max(0x7fc1, 0x3f80, M_NAN));
	EQ(0x8000000000000000, f64_bits(f64_min(0.0, -0.0, 0)));
	EQ(1.0, f64_max(NAN, 1, 0));
}

/* The first product rounds to 2^-126 (2^-14) with an unbounded exponent, the
 * second only with a bounded one; measured on sm_90. */
TEST(lane, flushing_looks_at_a_result_before_it_meets_the_least_exponent)
{
	EQ(0x00800000, B(f32_mul(F(0x32000001), F(0x0dfffffe), M_FTZ)));
	EQ(0, B(f32_mul(F(0x32000001), F(0x0dfffffd), M_FTZ)));
	EQ(0, B(f32_mul(F(0x3f7fffff), F(0x00800000), M_FTZ)));
	EQ(0x00800000, B(f32_mul(F(0x3f7fffff), F(0x00800000), 0)));
	EQ(0x00800000, B(f32_fma(F(0x32000001), F(0x0dfffffe), 0, M_FTZ)));
	EQ(0, B(f32_fma(F(0x32000001), F(0x0dfffffd), 0, M_FTZ)));
	EQ(0, B(f32_div(F(0x00800000), F(0x3f800001), M_FTZ | RND_RP)));
	EQ(0x0400, f16_mul(0x2001, 0x1ffe, M_FTZ));
	EQ(0, f16_mul(0x2001, 0x1ffd, M_FTZ));
	EQ(0, f16_fma(0x2001, 0x1ffd, 0, M_FTZ));
}

TEST(lane, signs_move_except_that_of_a_nan)
{
	EQ(NAN32, B(f32_neg(F(0x7f800001), 0)));
	EQ(NAN32, B(f32_abs(F(0xff800001), 0)));
	EQ(0xfff8000000000001,
	   f64_bits(f64_abs(f64_of(0xfff0000000000001), 0)));
	EQ(0x7ff8000000000001,
	   f64_bits(f64_neg(f64_of(0x7ff0000000000001), 0)));
	EQ(-2.0f, f32_copysign(-1, 2, 0));
	EQ(-2.0, f64_copysign(-1, 2, 0));
	EQ(0x7fff, f16_neg(0x7c01, 0));
	EQ(0xbc003c00, f16x2_neg(0x3c00bc00, 0));
	EQ(0x3f803f80, bf16x2_abs(0xbf80bf80, 0));
}

TEST(lane, testp_sorts_every_kind_of_float)
{
	OK(f32_testp_finite(1) && !f32_testp_finite(INFINITY));
	OK(f32_testp_infinite(-INFINITY) && !f32_testp_infinite(F(NAN32)));
	OK(f32_testp_number(-INFINITY) && !f32_testp_number(F(NAN32)));
	OK(f32_testp_notanumber(F(NAN32)) && !f32_testp_notanumber(0));
	OK(f32_testp_normal(1) && f32_testp_normal(0));
	OK(!f32_testp_normal(F(1)) && !f32_testp_normal(INFINITY));
	OK(f32_testp_subnormal(F(1)) && !f32_testp_subnormal(0));
	OK(f64_testp_subnormal(0x1p-1074) && f64_testp_normal(1));
}

TEST(lane, comparisons_of_nan_are_neither_less_nor_equal)
{
	OK(f32_un(F(NAN32), 1, 0) && !f32_un(1, 2, 0));
	OK(!f32_lt(F(NAN32), 1, 0) && !f32_eq(F(NAN32), F(NAN32), 0));
	OK(f64_lt(1, 2, 0) && f64_eq(0.0, -0.0, 0) && f64_un(NAN, 1, 0));
	OK(f16_lt(0xbc00, 0x3c00, 0) && f16_eq(0, 0x8000, 0));
	OK(f16_un(0x7c01, 0, 0) && !f16_un(0x7c00, 0, 0));
	OK(bf16_un(0x7f81, 0, 0) && !bf16_un(0x7f80, 0, 0));
}

static void check_half(enum fp_fmt f, uint16_t a, uint16_t b, uint16_t c)
{
	bool h = f == FP_F16;

	EQ(fp_add(f, a, b, RND_RN), h ? f16_add(a, b, 0) : bf16_add(a, b, 0));
	EQ(fp_add(f, a, b ^ 0x8000, RND_RN),
	   h ? f16_sub(a, b, 0) : bf16_sub(a, b, 0));
	EQ(fp_mul(f, a, b, RND_RN), h ? f16_mul(a, b, 0) : bf16_mul(a, b, 0));
	EQ(fp_fma(f, a, b, c, RND_RN),
	   h ? f16_fma(a, b, c, 0) : bf16_fma(a, b, c, 0));
}

TEST(lane, half_arithmetic_rounds_once)
{
	uint64_t s = 11;

	for (int i = 0; i < 1000000; i++) {
		uint64_t r = next(&s);
		uint16_t a = (uint16_t)r, b = (uint16_t)(r >> 16);
		uint16_t c = (uint16_t)(r >> 32);

		check_half(FP_F16, a, b, c);
		check_half(FP_BF16, a, b, c);
		/* A product that is a few bits away from the addend. */
		check_half(FP_F16, a, b,
			   (uint16_t)(f16_mul(a, b, 0) ^ (r >> 48 & 0x800f)));
		check_half(FP_BF16, a, b,
			   (uint16_t)(bf16_mul(a, b, 0) ^ (r >> 48 & 0x800f)));
	}
}

TEST(lane, a_fused_half_meets_the_tie_that_two_roundings_miss)
{
	/* The product is a tie. The addend, which is far smaller, breaks it
	 * downwards. */
	EQ(0x3e01, f16_fma(0x3c01, 0x3e00, 0x8001, 0));
	EQ(0x3e02, f16_fma(0x3c01, 0x3e00, 0x0001, 0));
	EQ(0x3fc1, bf16_fma(0x3f81, 0x3fc0, 0x8001, 0));
	EQ(0x3fc2, bf16_fma(0x3f81, 0x3fc0, 0x0001, 0));
	EQ(fp_fma(FP_BF16, 0x7f7f, 0x4000, 0xff7f, RND_RN),
	   bf16_fma(0x7f7f, 0x4000, 0xff7f, 0));
}

TEST(lane, packed_halves_are_two_halves)
{
	EQ(0x40004200, f16x2_add(0x3c003c00, 0x3c004000, 0));
	EQ(0x00003c00, f16x2_sub(0x3c004000, 0x3c003c00, 0));
	EQ(0x42004400, f16x2_fma(0x3c004000, 0x40003c00, 0x3c004000, 0));
	EQ(0x40003f80, bf16x2_mul(0x40003f80, 0x3f803f80, 0));
	EQ(0x3c00bc00, f16x2_min(0x3c003c00, 0x4000bc00, 0));
	EQ(0x4000000040400000,
	   f32x2_add(0x3f8000003f800000, 0x3f80000040000000, 0));
	EQ(0x4000000040400000, f32x2_fma(0x3f8000003f800000, 0x3f80000040000000,
					 0x3f8000003f800000, 0));
}

/* ---- approximations: the tables of PTX ISA 9.7.3 ------------------------ */

TEST(lane, ex2_and_lg2_follow_their_tables)
{
	EQ(0, B(f32_ex2_approx(-INFINITY, 0)));
	EQ(0x3f800000, B(f32_ex2_approx(-0.0f, 0)));
	EQ(0x3f800000, B(f32_ex2_approx(F(0x80000001), M_FTZ)));
	EQ(0x7f800000, B(f32_ex2_approx(INFINITY, 0)));
	EQ(NAN32, B(f32_ex2_approx(F(0xffc00000), 0)));
	EQ(8.0f, f32_ex2_approx(3, 0));
	EQ(0x003fffff, B(f32_ex2_approx(-127, 0))); /* 2^-63.5, squared */
	EQ(0, B(f32_ex2_approx(-127, M_FTZ)));
	EQ(0xff800000, B(f32_lg2_approx(-0.0f, 0)));
	EQ(0xff800000, B(f32_lg2_approx(F(1), M_FTZ)));
	EQ(-149.0f, f32_lg2_approx(F(1), 0));
	EQ(NAN32, B(f32_lg2_approx(-1, 0)));
	EQ(NAN32, B(f32_lg2_approx(-INFINITY, 0)));
	EQ(0x7f800000, B(f32_lg2_approx(INFINITY, 0)));
}

TEST(lane, reciprocals_and_roots_follow_their_tables)
{
	EQ(0x80000000, B(f32_rcp_approx(-INFINITY, 0)));
	EQ(0xff800000, B(f32_rcp_approx(-0.0f, 0)));
	EQ(0xff800000, B(f32_rcp_approx(F(0x80000001), M_FTZ)));
	EQ(0, B(f32_rcp_approx(0x1p127f, M_FTZ)));
	EQ(0xff800000, B(f32_rsqrt_approx(-0.0f, 0)));
	EQ(NAN32, B(f32_rsqrt_approx(-1, 0)));
	EQ(0, B(f32_rsqrt_approx(INFINITY, 0)));
	EQ(0.5f, f32_rsqrt_approx(4, 0));
	EQ(0x80000000, B(f32_sqrt_approx(-0.0f, 0)));
	EQ(NAN32, B(f32_sqrt_approx(-1, 0)));
	EQ(0, B(f32_sqrt_approx(F(1), M_FTZ)));
	EQ(NAN32, B(f32_div_approx(INFINITY, 0x1p127f, 0)));
	EQ(0, B(f32_div_approx(1, 0x1p127f, 0)));
	EQ(0x1p-127f, f32_div_full(1, 0x1p127f, 0));
	EQ(1.5f, f32_div_approx(3, 2, 0));
}

TEST(lane, the_approximate_doubles_have_an_upper_word_only)
{
	EQ(0x7fffffff00000000, f64_bits(f64_rcp_approx_ftz(NAN)));
	EQ(0x7ff0000000000000, f64_bits(f64_rcp_approx_ftz(0x1p-1074)));
	EQ(0x8000000000000000, f64_bits(f64_rcp_approx_ftz(-INFINITY)));
	EQ(0.5, f64_rcp_approx_ftz(2));
	EQ(0, f64_bits(f64_rcp_approx_ftz(3)) & 0xffffffff);
	EQ(0xfff0000000000000, f64_bits(f64_rsqrt_approx_ftz(-0.0)));
	EQ(0x7fffffff00000000, f64_bits(f64_rsqrt_approx_ftz(-1)));
	EQ(0.25, f64_rsqrt_approx_ftz(16));
}

TEST(lane, sine_and_cosine_stay_within_their_error)
{
	EQ(0x80000000, B(f32_sin_approx(-0.0f, 0)));
	EQ(NAN32, B(f32_sin_approx(INFINITY, 0)));
	EQ(0x3f800000, B(f32_cos_approx(0, 0)));
	EQ(NAN32, B(f32_cos_approx(-INFINITY, 0)));
	EQ(0x80000000, B(f32_sin_approx(F(0x80000001), M_FTZ)));
	for (float x = -6.28f; x < 6.28f; x += 0.001f) {
		OK(fabs(f32_sin_approx(x, 0) - sin(x)) < 0x1p-20);
		OK(fabs(f32_cos_approx(x, 0) - cos(x)) < 0x1p-20);
	}
	EQ(1.0f, f32_tanh_approx(INFINITY, 0));
	EQ(0x80000000, B(f32_tanh_approx(-0.0f, 0)));
	EQ(NAN32, B(f32_tanh_approx(F(0xffc00000), 0)));
}

TEST(lane, half_approximations_follow_their_tables)
{
	EQ(0x3c00, f16_ex2_approx(0x8000, 0));
	EQ(0x7c00, f16_ex2_approx(0x4c00, 0));
	EQ(0x7fff, f16_ex2_approx(0xfe00, 0));
	EQ(0x0200, f16_ex2_approx(0xcb80, 0));
	EQ(0x3f80, bf16_ex2_approx(0x8001, M_FTZ));
	EQ(0x40003c00, f16x2_ex2_approx(0x3c000000, 0));
	EQ(0x3c00, f16_tanh_approx(0x7c00, 0));
	EQ(0xbf803f80, bf16x2_tanh_approx(0xff807f80, 0));
}

/* ---- integers ---------------------------------------------------------- */

TEST(lane, high_products_at_every_width)
{
	EQ(0xfffe, u16_mulhi(0xffff, 0xffff));
	EQ(-1, s16_mulhi(-1, 1));
	EQ(0xfffffffe, u32_mulhi(0xffffffff, 0xffffffff));
	EQ(0x40000000, s32_mulhi(INT32_MIN, INT32_MIN));
	EQ(UINT64_MAX - 1, u64_mulhi(UINT64_MAX, UINT64_MAX));
	EQ(-1, s64_mulhi(-1, 1));
	EQ(INT32_MAX, s32_madhi_sat(INT32_MIN, INT32_MIN, INT32_MAX));
}

TEST(lane, multiplication_of_24_bits_ignores_the_rest)
{
	EQ(6, u32_mul24_lo(0xff000002, 0xff000003));
	EQ(0xfffffe00, u32_mul24_hi(0xffffff, 0xffffff));
	EQ(-6, s32_mul24_lo(0xfffffe, 3));
	EQ(-1, s32_mul24_hi(0xffffff, 1));
	EQ(7, u32_mad24_lo(2, 3, 1));
	EQ(-5, s32_mad24_lo(0xfffffe, 3, 1));
	EQ(INT32_MAX, s32_mad24_hi_sat(0x7fffff, 0x7fffff, INT32_MAX));
	EQ(1, u32_mad24_hi(0, 3, 1));
}

TEST(lane, division_never_traps)
{
	EQ(UINT32_MAX, u32_div(7, 0));
	EQ(-1, s32_div(7, 0));
	EQ(UINT64_MAX, u64_div(7, 0));
	EQ(0xffff, u16_div(7, 0));
	EQ(int_rem0(7), u64_rem(7, 0));
	EQ(INT32_MIN, s32_div(INT32_MIN, -1));
	EQ(0, s32_rem(INT32_MIN, -1));
	EQ(INT64_MIN, s64_div(INT64_MIN, -1));
	EQ(0, s64_rem(INT64_MIN, -1));
	EQ(INT16_MIN, s16_div(INT16_MIN, -1));
	EQ(-2, s32_div(-7, 3));
	EQ(-1, s32_rem(-7, 3));
	EQ(2, u32_rem(17, 5));
}

TEST(lane, sums_saturate_and_differences_are_absolute)
{
	EQ(INT32_MAX, s32_add_sat(INT32_MAX, 1));
	EQ(INT32_MIN, s32_sub_sat(INT32_MIN, 1));
	EQ(12, u32_sad(3, 5, 10));
	EQ(12, s32_sad(-1, 1, 10));
	EQ(-1, s32_sad(INT32_MIN, INT32_MAX, 0));
	EQ(7, u16_sad(5, 3, 5));
	EQ(INT32_MIN, s32_abs(INT32_MIN));
	EQ(INT64_MIN, s64_neg(INT64_MIN));
	EQ(0, s32_min_relu(-5, 3));
	EQ(3, s32_max_relu(-5, 3));
	EQ(1, u32_cnot(0));
	EQ(0, u64_cnot(UINT64_C(1) << 40));
}

TEST(lane, shifts_clamp_at_the_width)
{
	EQ(0, u32_shl(1, 32));
	EQ(0x80000000, u32_shl(1, 31));
	EQ(0, u32_shr(0xffffffff, 0xffffffff));
	EQ(-1, s32_shr(INT32_MIN, 40));
	EQ(0, u16_shl(1, 16));
	EQ(0x8000, u16_shl(0xffff, 15));
	EQ(-1, s16_shr(-2, 16));
	EQ(0, u64_shl(1, 64));
	EQ(-1, s64_shr(INT64_MIN, 64));
}

/* The definition in PTX ISA 9.7.1.19, bit by bit. */
static uint64_t slow_bfe(uint64_t a, unsigned pos, unsigned len, unsigned width,
			 bool is_signed)
{
	unsigned msb = width - 1, top = pos + len - 1;
	uint64_t d = 0, sbit = 0;

	if (is_signed && len)
		sbit = a >> (top < msb ? top : msb) & 1;
	for (unsigned i = 0; i <= msb; i++) {
		uint64_t in = i < len && pos + i <= msb;

		d |= (in ? a >> (pos + i) & 1 : sbit) << i;
	}
	return d;
}

static uint64_t slow_bfi(uint64_t a, uint64_t b, unsigned pos, unsigned len,
			 unsigned width)
{
	for (unsigned i = 0; i < len && pos + i < width; i++) {
		b &= ~(UINT64_C(1) << (pos + i));
		b |= (a >> i & 1) << (pos + i);
	}
	return b;
}

TEST(lane, bit_fields_follow_their_definition)
{
	uint64_t s = 12;

	for (unsigned pos = 0; pos < 256; pos += pos < 70 ? 1 : 37)
		for (unsigned len = 0; len < 256; len += len < 70 ? 1 : 37) {
			uint64_t a = next(&s), b = next(&s);
			uint32_t a4 = (uint32_t)a, b4 = (uint32_t)b;

			EQ(slow_bfe(a4, pos, len, 32, 0),
			   u32_bfe(a4, pos, len));
			EQ(slow_bfe(a4, pos, len, 32, 1),
			   (uint32_t)s32_bfe((int32_t)a4, pos, len + 256));
			EQ(slow_bfe(a, pos, len, 64, 0), u64_bfe(a, pos, len));
			EQ(slow_bfe(a, pos, len, 64, 1),
			   (uint64_t)s64_bfe((int64_t)a, pos, len));
			EQ(slow_bfi(a4, b4, pos, len, 32),
			   u32_bfi(a4, b4, pos, len));
			EQ(slow_bfi(a, b, pos, len, 64),
			   u64_bfi(a, b, pos, len));
		}
}

TEST(lane, bits_are_counted_found_and_reversed)
{
	EQ(32, u32_popc(~0u));
	EQ(32, u32_clz(0));
	EQ(64, u64_clz(0));
	EQ(0, u64_clz(UINT64_MAX));
	EQ(0x80000000, u32_brev(1));
	EQ(0x8000000000000000, u64_brev(1));
	EQ(0x1e6a2c48, u32_brev(0x12345678));
	EQ(31, u32_bfind(0x80000000));
	EQ(0xffffffff, u32_bfind(0));
	EQ(0xffffffff, s32_bfind(-1));
	EQ(30, s32_bfind(INT32_MIN));
	EQ(0, u32_bfind_shift(0x80000000));
	EQ(0xffffffff, s64_bfind_shift(-1));
	EQ(63, u64_bfind_shift(1));
	EQ(40, s64_bfind(INT64_C(1) << 40));
}

TEST(lane, fns_counts_set_bits_from_the_base)
{
	EQ(0, u32_fns(0xaaaaaaab, 0, 1));
	EQ(1, u32_fns(0xaaaaaaab, 0, 2));
	EQ(3, u32_fns(0xaaaaaaab, 1, 2));
	EQ(31, u32_fns(0x80000000, 31, -1));
	EQ(1, u32_fns(0x00000006, 2, -2));
	EQ(0xffffffff, u32_fns(0x00000006, 2, -3));
	EQ(5, u32_fns(0x20, 5, 0));
	EQ(0xffffffff, u32_fns(0x20, 4, 0));
	EQ(0, u32_fns(~0u, 0, INT32_MIN));
}

TEST(lane, lop3_is_its_table)
{
	for (uint32_t lut = 0; lut < 256; lut++)
		EQ(lut, u32_lop3(0xf0, 0xcc, 0xaa, lut) & 0xff);
	EQ(0x12345678 ^ 0x0f0f0f0f ^ 0x33333333,
	   u32_lop3(0x12345678, 0x0f0f0f0f, 0x33333333, 0x96));
}

TEST(lane, funnels_shift_two_words)
{
	EQ(0x33333333, u32_shf_l_clamp(0x44444444, 0x33333333, 0));
	EQ(0x44444444, u32_shf_l_clamp(0x44444444, 0x33333333, 99));
	EQ(0x33333333, u32_shf_r_clamp(0x44444444, 0x33333333, 32));
	EQ(0x33333344, u32_shf_l_wrap(0x44444444, 0x33333333, 8 + 32));
	EQ(0x33444444, u32_shf_r_wrap(0x44444444, 0x33333333, 8 + 32));
}

TEST(lane, prmt_permutes_in_every_mode)
{
	uint32_t a = 0x83828180, b = 0x07060504;

	EQ(0x80818283, u32_prmt(a, b, 0x0123));
	EQ(0x07060504, u32_prmt(a, b, 0x7654));
	EQ(0x00ffff04, u32_prmt(a, b, 0xf894));
	EQ(0x06050483, u32_prmt_f4e(a, b, 3));
	EQ(0x05060780, u32_prmt_b4e(a, b, 0));
	EQ(0x80818283, u32_prmt_b4e(a, b, 7));
	EQ(0x82828282, u32_prmt_rc8(a, b, 2));
	EQ(0x83828282, u32_prmt_ecl(a, b, 2));
	EQ(0x82828180, u32_prmt_ecr(a, b, 2));
	EQ(0x83828382, u32_prmt_rc16(a, b, 1));
	EQ(0x81808180, u32_prmt_rc16(a, b, 2));
}

TEST(lane, dot_products_mind_the_sign_of_each_side)
{
	EQ(4 * 255 * 255 + 1, dp4a_uu(~0u, ~0u, 1));
	EQ(-4 * 255, (int32_t)dp4a_us(~0u, ~0u, 0));
	EQ(-4 * 255, (int32_t)dp4a_su(~0u, ~0u, 0));
	EQ(4, (int32_t)dp4a_ss(~0u, ~0u, 0));
	EQ(2 * 65535 * 255, dp2a_lo_uu(~0u, 0xffff, 0));
	EQ(0, dp2a_hi_uu(~0u, 0xffff, 0));
	EQ(2, (int32_t)dp2a_hi_ss(~0u, 0xffff0000, 0));
	EQ(10 * 1 + 20 * 2, dp2a_lo_uu(20 << 16 | 10, 0x04030201, 0));
	EQ(10 * 3 + 20 * 4, dp2a_hi_uu(20 << 16 | 10, 0x04030201, 0));
}

TEST(lane, masks_and_extensions_clamp_or_wrap)
{
	EQ(6, u32_bmsk_wrap(1, 2));
	EQ(0, u32_bmsk_clamp(32, 4));
	EQ(0xfffffff0, u32_bmsk_clamp(4, 99));
	EQ(0x10, u32_bmsk_wrap(36, 33));
	EQ(0, u32_szext_wrap(0xffffffff, 0));
	EQ(0x7f, u32_szext_clamp(0xffffffff, 7));
	EQ(0xffffffff, u32_szext_clamp(0xffffffff, 32));
	EQ(-1, s32_szext_clamp(0x7f, 7));
	EQ(0x1234, s32_szext_clamp(0x1234, 300));
	EQ(0, s32_szext_wrap(-1, 32));
}

TEST(lane, packed_shorts_do_not_carry_into_each_other)
{
	EQ(0x00020000, u16x2_add(0x0001ffff, 0x00010001));
	EQ(0x00010001, u16x2_min(0x0001ffff, 0xffff0001));
	EQ(0xffffffff, s16x2_min(0x0001ffff, 0xffff0001));
	EQ(0x00010001, s16x2_max(0x0001ffff, 0xffff0001));
	EQ(0, s16x2_min_relu(0x0001ffff, 0xffff0001));
	EQ(0x00010000, s16x2_max_relu(0x0001ffff, 0xfffffffe));
}

/* ---- conversions ------------------------------------------------------- */

TEST(lane, integers_extend_cut_and_saturate)
{
	EQ(0xff, lane_cvt(LT_U8, LT_S32, (uint64_t)-1, 0));
	EQ(0, lane_cvt(LT_U8, LT_S32, (uint64_t)-1, M_SAT));
	EQ(-1, (int64_t)lane_cvt(LT_S64, LT_S8, 0x12ff, 0));
	EQ(127, lane_cvt(LT_S8, LT_U32, 0xffffffff, M_SAT));
	EQ(-128, (int64_t)lane_cvt(LT_S8, LT_S64, 0x8000000000000000, M_SAT));
	EQ(INT64_MAX, lane_cvt(LT_S64, LT_U64, UINT64_MAX, M_SAT));
	EQ(0, lane_cvt(LT_U64, LT_S64, UINT64_MAX, M_SAT));
	EQ(0xffffffff, lane_cvt(LT_U32, LT_U64, UINT64_MAX, 0));
}

TEST(lane, floats_convert_with_their_modifiers)
{
	EQ(0x3f800000, lane_cvt(LT_F32, LT_F32, B(2.5f), M_SAT));
	EQ(0, lane_cvt(LT_F32, LT_F64, f64_bits(NAN), M_SAT));
	EQ(0, lane_cvt(LT_F32, LT_F32, 1, M_FTZ));
	EQ(0, lane_cvt(LT_F32, LT_F64, f64_bits(0x1p-140), M_FTZ));
	EQ(B(2), lane_cvt(LT_F32, LT_F32, B(2.5f), M_RINT));
	EQ(B(3), lane_cvt(LT_F32, LT_F32, B(2.5f), M_RINT | RND_RP));
	EQ(0x80000000, lane_cvt(LT_F32, LT_F32, B(-0.5f), M_RINT));
	EQ(0, lane_cvt(LT_F16, LT_F32, B(-1), M_RELU));
	EQ(0x7fff, lane_cvt(LT_BF16, LT_F32, 0xffc00000, M_RELU));
	EQ(0x7bff, lane_cvt(LT_F16, LT_F32, B(1e9f), M_SATFINITE));
	EQ(0x3f802000, lane_cvt(LT_TF32, LT_F32, 0x3f801000, RND_RNA));
	EQ(0x3c00, lane_cvt(LT_F16, LT_S32, 1, 0));
	EQ(0x3c00, lane_cvt(LT_F16, LT_S32, 9, M_SAT));
	EQ(0x7c00, lane_cvt(LT_F16, LT_U32, 70000, 0));
	EQ(0x7bff, lane_cvt(LT_F16, LT_U32, 70000, RND_RZ));
	EQ(3, lane_cvt(LT_S32, LT_BF16, 0x4060, RND_RZ));
	EQ(1, lane_cvt(LT_U32, LT_F32, 1, RND_RP));
	EQ(0, lane_cvt(LT_U32, LT_F32, 1, RND_RP | M_FTZ));
}

TEST(lane, the_fast_conversions_are_the_exact_ones)
{
	static const unsigned mode[] = { RND_RN, RND_RZ, RND_RM, RND_RP };
	uint64_t s = 13;

	for (int i = 0; i < 400000; i++) {
		uint32_t u = (uint32_t)next(&s);
		unsigned m = mode[i & 3] | (i & 4 ? M_FTZ : 0);

		if (i & 8)
			u = (u & 0x81ffffff) | 0x4e000000;
		EQ(lane_cvt(LT_S32, LT_F32, u, m),
		   (uint64_t)cvt_s32_f32(F(u), m));
		EQ(lane_cvt(LT_U32, LT_F32, u, m), cvt_u32_f32(F(u), m));
		EQ(lane_cvt(LT_F32, LT_S32, u, m),
		   B(cvt_f32_s32((int32_t)u, m)));
		EQ(lane_cvt(LT_F32, LT_U32, u, m), B(cvt_f32_u32(u, m)));
		EQ(lane_cvt(LT_F16, LT_F32, u, m), cvt_f16_f32(F(u), m));
		EQ(lane_cvt(LT_BF16, LT_F32, u, m), cvt_bf16_f32(F(u), m));
		EQ(lane_cvt(LT_F64, LT_F32, u, m),
		   f64_bits(cvt_f64_f32(F(u), m)));
		uint64_t d = (uint64_t)u << 32 | (uint32_t)next(&s);

		EQ(lane_cvt(LT_F32, LT_F64, d, m),
		   B(cvt_f32_f64(f64_of(d), m)));
	}
	EQ(0, cvt_s32_f32(F(NAN32), RND_RZ));
	EQ(0, cvt_u32_f32(F(NAN32), RND_RZ));
	EQ(0, cvt_f16_f32(-1, M_RELU));
	EQ(0x3c00, cvt_f16_f32(7, M_SAT));
}

TEST(lane, packed_conversions_put_the_first_operand_above)
{
	EQ(0x3c004000, cvt_f16x2_f32(1, 2, 0));
	EQ(0x3f804000, cvt_bf16x2_f32(1, 2, 0));
	EQ(0x7bff0000, cvt_f16x2_f32(1e9f, -1, M_SATFINITE | M_RELU));
	EQ(0x3840, cvt_e4m3x2_f32(1, 2, M_SATFINITE));
	EQ(0x7e00, cvt_e4m3x2_f32(1e9f, -1, M_SATFINITE | M_RELU));
	EQ(0x3c40, cvt_e5m2x2_f32(1, 2, M_SATFINITE));
	EQ(0x24, cvt_e2m1x2_f32(1, 2, M_SATFINITE));
	EQ(0x3840, cvt_e4m3x2_f16x2(0x3c004000, M_SATFINITE));
	EQ(0x3c004000, cvt_f16x2_e4m3x2(0x3840, 0));
	EQ(0x3c004000, cvt_f16x2_e5m2x2(0x3c40, 0));
	EQ(0x3c004000, cvt_f16x2_e2m1x2(0x24, 0));
	EQ(0x3f804000, cvt_bf16x2_ue8m0x2(0x7f80, 0));
	EQ(0x7f80, cvt_ue8m0x2_f32(1, 2, RND_RZ | M_SATFINITE));
}

TEST(lane, pack_saturates_and_shifts_the_third_operand_up)
{
	EQ(0x7fff8000, lane_cvt_pack(16, true, 99999, -99999, 0));
	EQ(0xffff0000, lane_cvt_pack(16, false, 99999, -99999, 0));
	EQ(0x12347f80, lane_cvt_pack(8, true, 1000, -1000, 0x1234));
	EQ(0x0000123c, lane_cvt_pack(2, false, 9, 0, 0x123));
}
