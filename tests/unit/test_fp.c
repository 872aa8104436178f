#include <fenv.h>
#include <math.h>

#include "base/fp.h"
#include "test.h"

enum { ROUNDS = 300000 };

static const uint64_t edges64[] = {
	0,
	1,
	0x000fffffffffffff,
	0x0010000000000000,
	0x0010000000000001,
	0x3fefffffffffffff,
	0x3ff0000000000000,
	0x3ff0000000000001,
	0x4330000000000001,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0x7ff0000000000001,
	0x7ff8000000000123,
};

static const uint32_t edges32[] = {
	0,          1,          0x007fffff, 0x00800000, 0x00800001,
	0x33800000, 0x38800000, 0x387fffff, 0x3effffff, 0x3f000000,
	0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x477fefff,
	0x477ff000, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f800000,
	0x5f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc01234,
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s * 0x2545f4914f6cdd1d;
}

/* Random bits; often an edge, often an exponent near the middle. */
static uint32_t any32(uint64_t *s)
{
	uint64_t r = next(s);
	uint32_t u = (uint32_t)(r >> 32);

	if ((r & 7) == 0)
		return edges32[u % LEN(edges32)] ^ (u & 0x80000000);
	if ((r & 3) == 1)
		return (u & 0x83ffffff) | 0x3c000000;
	return u;
}

static uint64_t any64(uint64_t *s)
{
	uint64_t r = next(s), u = next(s);

	if ((r & 7) == 0)
		return edges64[u % LEN(edges64)] ^ (u & (UINT64_C(1) << 63));
	if ((r & 3) == 1)
		return (u & 0x803fffffffffffff) | 0x3fc0000000000000;
	return u;
}

static uint32_t canon32(float f)
{
	return f != f ? 0x7fffffff : f32_bits(f);
}

static uint64_t canon64(double d, uint64_t a, uint64_t b, uint64_t c)
{
	return d != d ? fp_nan64(a, b, c) : f64_bits(d);
}

static int host_mode(enum rnd r)
{
	static const int mode[] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
				    FE_UPWARD };

	return mode[r];
}

/* The host's own arithmetic; volatile keeps it inside the rounding mode. */
static void check_f32(uint64_t *s, enum rnd r)
{
	uint32_t ua = any32(s), ub = any32(s), uc = any32(s);
	volatile float a = f32_of(ua), b = f32_of(ub), c = f32_of(uc);

	fesetround(host_mode(r));
	volatile float sum = a + b, prod = a * b, quot = a / b;
	volatile float fused = fmaf(a, b, c), root = sqrtf(a);
	volatile float whole = rintf(a);
	fesetround(FE_TONEAREST);

	EQ(canon32(sum), fp_add(FP_F32, ua, ub, r));
	EQ(canon32(prod), fp_mul(FP_F32, ua, ub, r));
	EQ(canon32(quot), fp_div(FP_F32, ua, ub, r));
	EQ(canon32(fused), fp_fma(FP_F32, ua, ub, uc, r));
	EQ(canon32(root), fp_sqrt(FP_F32, ua, r));
	EQ(canon32(whole), fp_round_int(FP_F32, ua, r));
}

static void check_f64(uint64_t *s, enum rnd r)
{
	uint64_t ua = any64(s), ub = any64(s), uc = any64(s);
	volatile double a = f64_of(ua), b = f64_of(ub), c = f64_of(uc);

	fesetround(host_mode(r));
	volatile double sum = a + b, prod = a * b, quot = a / b;
	volatile double fused = fma(a, b, c), root = sqrt(a);
	volatile double whole = rint(a);
	volatile float narrow = (float)a;
	fesetround(FE_TONEAREST);

	EQ(canon64(sum, ua, ub, 0), fp_add(FP_F64, ua, ub, r));
	EQ(canon64(prod, ua, ub, 0), fp_mul(FP_F64, ua, ub, r));
	EQ(canon64(quot, ub, ua, 0), fp_div(FP_F64, ua, ub, r));
	EQ(canon64(fused, ua, uc, ub), fp_fma(FP_F64, ua, ub, uc, r));
	EQ(canon64(root, ua, 0, 0), fp_sqrt(FP_F64, ua, r));
	EQ(canon64(whole, ua, 0, 0), fp_round_int(FP_F64, ua, r));
	if (a == a)
		EQ(canon32(narrow), fp_cvt(FP_F32, FP_F64, ua, r, false));
}

static void check_ints(uint64_t *s, enum rnd r)
{
	uint64_t u = next(s) >> (next(s) & 63);
	volatile uint64_t v = u;
	volatile int64_t w = (int64_t)u;

	fesetround(host_mode(r));
	volatile float f = (float)v, g = (float)w;
	volatile double d = (double)v, e = (double)w;
	fesetround(FE_TONEAREST);

	EQ(f32_bits(f), fp_from_int(FP_F32, u, false, r));
	EQ(f32_bits(g), fp_from_int(FP_F32, u, true, r));
	/* clang subtracts two halves on x86-64: rounding down, 0 becomes -0. */
	EQ(u ? f64_bits(d) : 0, fp_from_int(FP_F64, u, false, r));
	EQ(f64_bits(e), fp_from_int(FP_F64, u, true, r));
}

TEST(fp, single_precision_agrees_with_the_host_in_every_rounding)
{
	uint64_t s = 1;

	for (int i = 0; i < ROUNDS; i++)
		for (enum rnd r = RND_RN; r <= RND_RP; r++)
			check_f32(&s, r);
}

TEST(fp, double_precision_agrees_with_the_host_in_every_rounding)
{
	uint64_t s = 2;

	for (int i = 0; i < ROUNDS; i++)
		for (enum rnd r = RND_RN; r <= RND_RP; r++)
			check_f64(&s, r);
}

TEST(fp, integers_become_the_floats_the_host_makes_of_them)
{
	uint64_t s = 3;

	for (int i = 0; i < ROUNDS; i++)
		for (enum rnd r = RND_RN; r <= RND_RP; r++)
			check_ints(&s, r);
	EQ(0, fp_from_int(FP_F32, 0, true, RND_RM));
}

TEST(fp, cancellation_keeps_every_bit_of_a_fused_product)
{
	uint64_t s = 4;

	for (int i = 0; i < ROUNDS; i++) {
		double a = f64_of(any64(&s)), b = f64_of(any64(&s));
		uint64_t ua = f64_bits(a), ub = f64_bits(b);
		uint64_t uc = f64_bits(-(a * b)) + (next(&s) & 3);
		double want = fma(a, b, f64_of(uc));

		EQ(canon64(want, ua, uc, ub),
		   fp_fma(FP_F64, ua, ub, uc, RND_RN));
	}
}

TEST(fp, a_sum_that_cancels_is_minus_zero_only_when_rounding_down)
{
	EQ(0, fp_add(FP_F32, 0x3f800000, 0xbf800000, RND_RN));
	EQ(0x80000000, fp_add(FP_F32, 0x3f800000, 0xbf800000, RND_RM));
	EQ(0x80000000, fp_add(FP_F32, 0, 0x80000000, RND_RM));
	EQ(0, fp_add(FP_F32, 0, 0x80000000, RND_RP));
	EQ(0x80000000, fp_add(FP_F32, 0x80000000, 0x80000000, RND_RN));
}

TEST(fp, overflow_follows_the_rounding)
{
	const uint64_t max = 0x7f7fffff, inf = 0x7f800000;

	EQ(inf, fp_add(FP_F32, max, max, RND_RN));
	EQ(max, fp_add(FP_F32, max, max, RND_RZ));
	EQ(max, fp_add(FP_F32, max, max, RND_RM));
	EQ(inf, fp_add(FP_F32, max, max, RND_RP));
	EQ(inf, fp_add(FP_F32, max, max, RND_RNA));
	EQ(max, fp_add(FP_F32, max, max, RND_RO));
}

TEST(fp, a_nan_is_the_canonical_one_of_its_format)
{
	EQ(0x7fffffff, fp_add(FP_F32, 0xffc00001, 0, RND_RN));
	EQ(0x7fffffff, fp_mul(FP_F32, 0x7f800000, 0, RND_RN));
	EQ(0x7fff, fp_sqrt(FP_F16, 0xbc00, RND_RN));
	EQ(0x7fff, fp_div(FP_BF16, 0, 0, RND_RN));
	EQ(0xfff8000000000000, fp_div(FP_F64, 0, 0, RND_RN));
	EQ(0x7fff, fp_cvt(FP_F16, FP_F32, 0xffc00000, RND_RN, false));
	EQ(0x7f, fp_cvt(FP_E4M3, FP_F32, 0xffc00000, RND_RN, true));
	EQ(0x7f, fp_cvt(FP_E5M2, FP_F32, 0xffc00000, RND_RN, true));
	EQ(0x7, fp_cvt(FP_E2M1, FP_F32, 0xffc00000, RND_RN, true));
	EQ(0x1f, fp_cvt(FP_E2M3, FP_F32, 0xffc00000, RND_RN, true));
	EQ(0xff, fp_cvt(FP_UE8M0, FP_F32, 0xffc00000, RND_RZ, true));
}

TEST(fp, a_nan_operand_of_a_double_keeps_its_payload)
{
	EQ(0x7ff8000000000002,
	   fp_add(FP_F64, 0x7ff0000000000001, 0x7ff8000000000002, RND_RN));
	EQ(0x7ff8000000000001,
	   fp_div(FP_F64, 0x7ff0000000000001, 0x7ff8000000000002, RND_RN));
	EQ(0xfff8000000000002,
	   fp_add(FP_F64, 0x3ff0000000000000, 0xfff8000000000002, RND_RN));
	EQ(0x7ff8000000000003,
	   fp_fma(FP_F64, 0, 0x7ff0000000000000, 0x7ff8000000000003, RND_RZ));
}

TEST(fp, the_payload_of_a_nan_passes_to_and_from_a_double)
{
	EQ(0xffc091a2,
	   fp_cvt(FP_F32, FP_F64, 0xfff8123456789abc, RND_RN, false));
	EQ(0xfe04, fp_cvt(FP_F16, FP_F64, 0xfff8123456789abc, RND_RN, false));
	EQ(0xfff9540000000000, fp_cvt(FP_F64, FP_F16, 0xfe55, RND_RN, false));
	EQ(0x7ff8200000000000, fp_cvt(FP_F64, FP_BF16, 0x7f81, RND_RN, false));
}

TEST(fp, every_half_survives_the_round_trip_through_single)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		bool nan = (h & 0x7fff) > 0x7c00;
		uint32_t f = f32_bits(f16_to_f32((uint16_t)h));

		EQ(f, fp_cvt(FP_F32, FP_F16, h, RND_RN, false));
		EQ(nan ? 0x7fff : h, f32_to_f16(f32_of(f)));
		nan = (h & 0x7fff) > 0x7f80;
		f = f32_bits(bf16_to_f32((uint16_t)h));
		EQ(f, fp_cvt(FP_F32, FP_BF16, h, RND_RN, false));
		EQ(nan ? 0x7fff : h, f32_to_bf16(f32_of(f)));
	}
}

TEST(fp, the_fast_narrowing_is_the_exact_one)
{
	for (uint64_t u = 0; u <= 0xffffffff; u += 997) {
		EQ(fp_cvt(FP_F16, FP_F32, u, RND_RN, false),
		   f32_to_f16(f32_of((uint32_t)u)));
		EQ(fp_cvt(FP_BF16, FP_F32, u, RND_RN, false),
		   f32_to_bf16(f32_of((uint32_t)u)));
	}
	/* Every half and its neighbours in f32, ties included. */
	for (uint32_t h = 0; h < 0x10000; h++)
		for (int d = -2; d <= 2; d++) {
			uint32_t u = f32_bits(f16_to_f32((uint16_t)h));
			uint32_t v = u + 0x1000 + (uint32_t)d;

			EQ(fp_cvt(FP_F16, FP_F32, v, RND_RN, false),
			   f32_to_f16(f32_of(v)));
		}
}

TEST(fp, unary_operations_on_every_half_are_those_of_single_rounded)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		float x = f16_to_f32((uint16_t)h);

		EQ(f32_to_f16(sqrtf(x)), fp_sqrt(FP_F16, h, RND_RN));
		EQ(f32_to_f16(1.0f / x), fp_div(FP_F16, 0x3c00, h, RND_RN));
		EQ(f32_to_f16(floorf(x)), fp_round_int(FP_F16, h, RND_RM));
		EQ(f32_to_f16(ceilf(x)), fp_round_int(FP_F16, h, RND_RP));
		EQ(f32_to_f16(truncf(x)), fp_round_int(FP_F16, h, RND_RZ));
		EQ(f32_to_f16(rintf(x)), fp_round_int(FP_F16, h, RND_RN));
		EQ(f32_to_f16(roundf(x)), fp_round_int(FP_F16, h, RND_RNA));
	}
}

TEST(fp, every_small_float_survives_the_round_trip_through_single)
{
	static const struct {
		enum fp_fmt f;
		unsigned count;
	} all[] = { { FP_E4M3, 256 }, { FP_E5M2, 256 }, { FP_E2M3, 64 },
		    { FP_E3M2, 64 },  { FP_E2M1, 16 },  { FP_UE8M0, 256 } };

	for (size_t i = 0; i < LEN(all); i++)
		for (unsigned u = 0; u < all[i].count; u++) {
			enum fp_fmt f = all[i].f;
			uint64_t x = fp_cvt(FP_F32, f, u, RND_RN, false);
			uint64_t want = fp_is_nan(f, u) ? fp_desc[f].nan : u;

			EQ(want, fp_cvt(f, FP_F32, x, RND_RZ, false));
		}
}

TEST(fp, small_floats_have_the_values_of_their_definition)
{
	EQ(448.0f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E4M3, 0x7e, 0, 0)));
	EQ(0x1p-9f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E4M3, 0x01, 0, 0)));
	EQ(57344.0f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E5M2, 0x7b, 0, 0)));
	EQ(7.5f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E2M3, 0x1f, 0, 0)));
	EQ(28.0f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E3M2, 0x1f, 0, 0)));
	EQ(-6.0f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E2M1, 0xf, 0, 0)));
	EQ(0.5f, f32_of((uint32_t)fp_cvt(FP_F32, FP_E2M1, 0x1, 0, 0)));
	EQ(1.0f, f32_of((uint32_t)fp_cvt(FP_F32, FP_UE8M0, 127, 0, 0)));
	EQ(0x1p-127f, f32_of((uint32_t)fp_cvt(FP_F32, FP_UE8M0, 0, 0, 0)));
}

TEST(fp, satfinite_keeps_what_is_too_large_finite)
{
	EQ(0x7e, fp_cvt(FP_E4M3, FP_F32, 0x7f800000, RND_RN, true));
	EQ(0xfe, fp_cvt(FP_E4M3, FP_F32, 0xc4800000, RND_RN, true));
	EQ(0x7f, fp_cvt(FP_E4M3, FP_F32, 0x44800000, RND_RN, false));
	EQ(0x7e, fp_cvt(FP_E4M3, FP_F32, 0x43e7ffff, RND_RN, false));
	EQ(0x7b, fp_cvt(FP_E5M2, FP_F32, 0x7f7fffff, RND_RN, true));
	EQ(0x7c, fp_cvt(FP_E5M2, FP_F32, 0x7f7fffff, RND_RN, false));
	EQ(0x7bff, fp_cvt(FP_F16, FP_F32, 0x7f800000, RND_RN, true));
	EQ(0xfe, fp_cvt(FP_UE8M0, FP_F32, 0x7f7fffff, RND_RP, true));
}

TEST(fp, a_power_of_two_scale_rounds_up_or_down)
{
	EQ(127, fp_cvt(FP_UE8M0, FP_F32, 0x3fc00000, RND_RZ, true));
	EQ(128, fp_cvt(FP_UE8M0, FP_F32, 0x3fc00000, RND_RP, true));
	EQ(0, fp_cvt(FP_UE8M0, FP_F32, 0, RND_RP, true));
	EQ(0, fp_cvt(FP_UE8M0, FP_F32, 1, RND_RZ, true));
}

TEST(fp, tf32_ties_go_away_from_zero)
{
	uint64_t s = 5;

	EQ(0x3f802000, fp_cvt(FP_TF32, FP_F32, 0x3f801000, RND_RNA, false));
	EQ(0x3f800000, fp_cvt(FP_TF32, FP_F32, 0x3f801000, RND_RN, false));
	EQ(0x3f800000, fp_cvt(FP_TF32, FP_F32, 0x3f800fff, RND_RNA, false));
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t u = any32(&s), mag = u & 0x7fffffff;
		uint32_t want = (u + 0x1000) & 0xffffe000;

		want = mag > 0x7f800000 ? 0x7fffe000 : want;
		EQ(want, fp_cvt(FP_TF32, FP_F32, u, RND_RNA, false));
	}
}

TEST(fp, rounding_to_odd_first_makes_the_second_rounding_the_only_one)
{
	uint64_t s = 6;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t u = any64(&s);
		uint64_t odd = fp_cvt(FP_F32, FP_F64, u, RND_RO, false);

		if (fp_is_nan(FP_F64, u))
			continue;
		EQ(fp_cvt(FP_F16, FP_F64, u, RND_RN, false),
		   fp_cvt(FP_F16, FP_F32, odd, RND_RN, false));
		EQ(fp_cvt(FP_E4M3, FP_F64, u, RND_RN, true),
		   fp_cvt(FP_E4M3, FP_F32, odd, RND_RN, true));
	}
}

TEST(fp, floats_saturate_into_integers)
{
	EQ(INT32_MAX, (int32_t)fp_to_int(FP_F32, 0x4f000000, 32, 1, RND_RZ));
	EQ(INT32_MIN, (int32_t)fp_to_int(FP_F32, 0xff800000, 32, 1, RND_RZ));
	EQ(0xffffffff, fp_to_int(FP_F32, 0x7f800000, 32, 0, RND_RZ));
	EQ(0, fp_to_int(FP_F32, 0xc0000000, 32, 0, RND_RZ));
	EQ(127, fp_to_int(FP_F32, 0x7f000000, 8, 1, RND_RN));
	EQ(-128, (int64_t)fp_to_int(FP_F32, 0xff000000, 8, 1, RND_RN));
	EQ(UINT64_MAX, fp_to_int(FP_F64, 0x7fe0000000000000, 64, 0, RND_RN));
	EQ(INT64_MIN,
	   (int64_t)fp_to_int(FP_F64, 0xffe0000000000000, 64, 1, RND_RN));
	EQ(2, fp_to_int(FP_F16, 0x4100, 32, 1, RND_RN));
	EQ(3, fp_to_int(FP_F16, 0x4100, 32, 1, RND_RP));
	EQ(-3, (int64_t)fp_to_int(FP_F16, 0xc100, 32, 1, RND_RM));
}

TEST(fp, a_nan_becomes_zero_unless_a_side_has_64_bits)
{
	EQ(0, fp_to_int(FP_F32, 0x7fc00000, 32, 1, RND_RZ));
	EQ(0, fp_to_int(FP_F16, 0x7fff, 16, 0, RND_RZ));
	EQ(0x8000000000000000, fp_to_int(FP_F32, 0x7fc00000, 64, 0, RND_RZ));
	EQ(0x80000000, fp_to_int(FP_F64, 0x7ff8000000000000, 32, 0, RND_RZ));
	EQ(INT32_MIN,
	   (int64_t)fp_to_int(FP_F64, 0x7ff8000000000000, 32, 1, RND_RZ));
}

TEST(fp, integers_within_range_agree_with_the_host)
{
	uint64_t s = 7;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t u = any64(&s);
		double d = f64_of(u);

		if (!(fabs(d) < 0x1p63))
			continue;
		EQ((uint64_t)(int64_t)trunc(d),
		   fp_to_int(FP_F64, u, 64, 1, RND_RZ));
		EQ((uint64_t)(int64_t)floor(d),
		   fp_to_int(FP_F64, u, 64, 1, RND_RM));
		EQ((uint64_t)(int64_t)ceil(d),
		   fp_to_int(FP_F64, u, 64, 1, RND_RP));
		EQ((uint64_t)(int64_t)rint(d),
		   fp_to_int(FP_F64, u, 64, 1, RND_RN));
	}
}

/* Far below the smallest number of the format, every rounding still has its
 * direction. */
TEST(fp, what_is_tiny_is_rounded_like_anything_else)
{
	const uint64_t tiny = 0x01a56e1fc2f8f359, minus = tiny | 1ull << 63;

	EQ(1, fp_cvt(FP_F32, FP_F64, tiny, RND_RO, false));
	EQ(0x80000001, fp_cvt(FP_F32, FP_F64, minus, RND_RO, false));
	EQ(0, fp_cvt(FP_F32, FP_F64, tiny, RND_RN, false));
	EQ(0, fp_cvt(FP_F32, FP_F64, tiny, RND_RZ, false));
	EQ(1, fp_cvt(FP_F32, FP_F64, tiny, RND_RP, false));
	EQ(0x80000000, fp_cvt(FP_F32, FP_F64, minus, RND_RP, false));
	EQ(0, fp_cvt(FP_F32, FP_F64, tiny, RND_RM, false));
	EQ(0x80000001, fp_cvt(FP_F32, FP_F64, minus, RND_RM, false));
}
