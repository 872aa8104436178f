/*
 * Vector instructions of single precision, and conversions.
 *
 * Sums and products round as the mode says; to the nearest on the host's
 * arithmetic, else in base/fp.h. Multiply-add without fusion (mad, mac) flushes
 * subnormals whatever the mode, as the hardware does. An invalid operation gives
 * 0x7fc00000, one with a NaN the first NaN among its operands, quiet.
 */
#include "isa/gcn/lanes.h"

/* ---- sums and products ------------------------------------------------- */

struct floats {
	uint32_t in, out; /* gcn_keeps */
	enum rnd round;
};

static struct floats floats_of(const struct gcn_lanes *x, bool mad)
{
	struct floats f = { 0, 0, gcn_round32(x->mode) };

	if (!mad) {
		f.in = gcn_keeps(x->mode, GCN_DENORM_IN_32);
		f.out = gcn_keeps(x->mode, GCN_DENORM_OUT_32);
	}
	return f;
}

static void float_mend_nans(struct gcn_lanes *x)
{
	const uint32_t *a = x->a, *b = x->b, *c = x->c;
	uint32_t *d = x->d;

	for (unsigned l = 0; l < WAVE_LANES; l++)
		if (gcn_is_nan(d[l]))
			d[l] = gcn_nan(a[l], b[l], c ? c[l] : 0);
}

/* near: of floats a and b, rounded to the nearest; far: of their bits. */
#define ARITH2(id, near, far)                                             \
	static void far_##id(struct gcn_lanes *x, struct floats f)        \
	{                                                                 \
		const uint32_t *pa = x->a, *pb = x->b;                    \
		uint32_t *d = x->d;                                       \
                                                                          \
		for (unsigned l = 0; l < WAVE_LANES; l++) {               \
			uint32_t a = gcn_flush(pa[l], f.in);              \
			uint32_t b = gcn_flush(pb[l], f.in);              \
                                                                          \
			d[l] = gcn_flush((uint32_t)(far), f.out);         \
		}                                                         \
	}                                                                 \
	static void lanes_##id(struct gcn_lanes *x)                       \
	{                                                                 \
		const uint32_t *pa = x->a, *pb = x->b;                    \
		uint32_t *d = x->d, nans = 0;                             \
		struct floats f = floats_of(x, false);                    \
                                                                          \
		if (f.round != RND_RN)                                    \
			far_##id(x, f);                                   \
		else                                                      \
			GCN_EACH_LANE                                     \
			{                                                 \
				float a = f32_of(gcn_flush(pa[l], f.in)); \
				float b = f32_of(gcn_flush(pb[l], f.in)); \
                                                                          \
				d[l] = gcn_flush(f32_bits(near), f.out);  \
			}                                                 \
		for (unsigned l = 0; l < WAVE_LANES; l++)                 \
			nans |= gcn_is_nan(d[l]);                         \
		if (nans)                                                 \
			float_mend_nans(x);                               \
	}                                                                 \
	GCN_VALU_ROW(id, GCN_SHAPE_FLOAT, #near)

#define ARITH3(id, shape_of, mad, near, far)                              \
	static void far_##id(struct gcn_lanes *x, struct floats f)        \
	{                                                                 \
		const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;        \
		uint32_t *d = x->d;                                       \
                                                                          \
		for (unsigned l = 0; l < WAVE_LANES; l++) {               \
			uint32_t a = gcn_flush(pa[l], f.in);              \
			uint32_t b = gcn_flush(pb[l], f.in);              \
			uint32_t c = gcn_flush(pc[l], f.in);              \
                                                                          \
			d[l] = gcn_flush((uint32_t)(far), f.out);         \
		}                                                         \
	}                                                                 \
	static void lanes_##id(struct gcn_lanes *x)                       \
	{                                                                 \
		const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;        \
		uint32_t *d = x->d, nans = 0;                             \
		struct floats f = floats_of(x, mad);                      \
                                                                          \
		if (f.round != RND_RN)                                    \
			far_##id(x, f);                                   \
		else                                                      \
			GCN_EACH_LANE                                     \
			{                                                 \
				float a = f32_of(gcn_flush(pa[l], f.in)); \
				float b = f32_of(gcn_flush(pb[l], f.in)); \
				float c = f32_of(gcn_flush(pc[l], f.in)); \
                                                                          \
				d[l] = gcn_flush(f32_bits(near), f.out);  \
			}                                                 \
		for (unsigned l = 0; l < WAVE_LANES; l++)                 \
			nans |= gcn_is_nan(d[l]);                         \
		if (nans)                                                 \
			float_mend_nans(x);                               \
	}                                                                 \
	GCN_VALU_ROW(id, GCN_SHAPE_FLOAT | (shape_of), #near)

#define FLIP UINT32_C(0x80000000)

static inline float float_flushed(float v)
{
	return f32_of(gcn_flush(f32_bits(v), 0));
}
/* A product in which 0 times anything is 0. */
static inline float legacy(float a, float b)
{
	return a == 0 || b == 0 ? 0 : a * b;
}
static uint32_t far_product(uint32_t a, uint32_t b, enum rnd r)
{
	return gcn_flush((uint32_t)fp_mul(FP_F32, a, b, r), 0);
}
static uint32_t far_legacy(uint32_t a, uint32_t b, enum rnd r)
{
	bool zero = !(a & ~FLIP) || !(b & ~FLIP);

	return zero ? 0 : (uint32_t)fp_mul(FP_F32, a, b, r);
}

ARITH2(V_ADD_F32, a + b, fp_add(FP_F32, a, b, f.round))
ARITH2(V_SUB_F32, a - b, fp_add(FP_F32, a, b ^ FLIP, f.round))
ARITH2(V_SUBREV_F32, b - a, fp_add(FP_F32, b, a ^ FLIP, f.round))
ARITH2(V_MUL_F32, (a * b), fp_mul(FP_F32, a, b, f.round))
ARITH2(V_MUL_LEGACY_F32, legacy(a, b), far_legacy(a, b, f.round))

#define MAD_FAR fp_add(FP_F32, far_product(a, b, f.round), c, f.round)
#define LEGACY_FAR \
	fp_add(FP_F32, gcn_flush(far_legacy(a, b, f.round), 0), c, f.round)

ARITH3(V_MAD_F32, 0, true, float_flushed(a *b) + c, MAD_FAR)
ARITH3(V_MAC_F32, GCN_SHAPE_OLD, true, float_flushed(a *b) + c, MAD_FAR)
ARITH3(V_MADAK_F32, GCN_SHAPE_LITERAL, true, float_flushed(a *b) + c, MAD_FAR)
ARITH3(V_MADMK_F32, GCN_SHAPE_LITERAL, true, float_flushed(a *b) + c, MAD_FAR)
ARITH3(V_MAD_LEGACY_F32, 0, true, float_flushed(legacy(a, b)) + c, LEGACY_FAR)
ARITH3(V_MAC_LEGACY_F32, GCN_SHAPE_OLD, true, float_flushed(legacy(a, b)) + c,
       LEGACY_FAR)
ARITH3(V_FMA_F32, 0, false, __builtin_fmaf(a, b, c),
       fp_fma(FP_F32, a, b, c, f.round))

/* ---- minimum, maximum, median ------------------------------------------ */

/* The smaller of two numbers; -0 is smaller than +0; a number rather than a
 * NaN. */
static inline uint32_t min_f(uint32_t a, uint32_t b)
{
	float x = f32_of(a), y = f32_of(b);

	if (x != x)
		return y != y ? a | GCN_QUIET : b;
	if (y != y)
		return a;
	return x == y ? a | b : x < y ? a : b;
}
static inline uint32_t max_f(uint32_t a, uint32_t b)
{
	float x = f32_of(a), y = f32_of(b);

	if (x != x)
		return y != y ? a | GCN_QUIET : b;
	if (y != y)
		return a;
	return x == y ? a & b : x > y ? a : b;
}
static inline uint32_t med_f(uint32_t a, uint32_t b, uint32_t c)
{
	if (gcn_is_nan(a) || gcn_is_nan(b) || gcn_is_nan(c))
		return min_f(min_f(a, b), c);
	return max_f(min_f(a, b), min_f(max_f(a, b), c));
}

FLOAT2(V_MIN_F32, U, U, U, min_f(a, b))
FLOAT2(V_MAX_F32, U, U, U, max_f(a, b))
FLOAT2(V_MIN_LEGACY_F32, U, U, U, f32_of(a) < f32_of(b) ? a : b)
FLOAT2(V_MAX_LEGACY_F32, U, U, U, f32_of(a) >= f32_of(b) ? a : b)
FLOAT3(V_MIN3_F32, U, U, U, U, min_f(min_f(a, b), c))
FLOAT3(V_MAX3_F32, U, U, U, U, max_f(max_f(a, b), c))
FLOAT3(V_MED3_F32, U, U, U, U, med_f(a, b, c))

/* ---- parts of a number ------------------------------------------------- */

static inline uint32_t float_in_of(uint32_t a, uint32_t mode)
{
	return gcn_flush(a, gcn_keeps(mode, GCN_DENORM_IN_32));
}

static inline uint32_t or_nan(float v, uint32_t a)
{
	return gcn_is_nan(a) ? a | GCN_QUIET : f32_bits(v);
}

static inline uint32_t to_integral(uint32_t a, enum rnd r)
{
	return gcn_is_nan(a) ? a | GCN_QUIET :
			       (uint32_t)fp_round_int(FP_F32, a, r);
}

FLOAT1(V_TRUNC_F32, U, U, or_nan(__builtin_truncf(f32_of(a)), a))
FLOAT1(V_CEIL_F32, U, U, or_nan(__builtin_ceilf(f32_of(a)), a))
FLOAT1(V_FLOOR_F32, U, U, or_nan(__builtin_floorf(f32_of(a)), a))
FLOAT1(V_RNDNE_F32, U, U, to_integral(a, RND_RN))

/* The part behind the point is always below 1. */
static inline uint32_t float_fraction(uint32_t a)
{
	float x = f32_of(a), r = x - __builtin_floorf(x);

	if (gcn_is_nan(a))
		return a | GCN_QUIET;
	return r != r ? GCN_NAN : r < 1 ? f32_bits(r) : 0x3f7fffff;
}
FLOAT1(V_FRACT_F32, U, U, float_fraction(float_in_of(a, x->mode)))

/* A number as its exponent and a factor in [0.5, 1). */
static uint32_t float_split(uint32_t a, int *exponent)
{
	uint32_t e = a >> 23 & 255, m = a & 0x7fffff;

	*exponent = 0;
	if (e == 255 || !(a & ~FLIP))
		return e == 255 && m ? a | GCN_QUIET : a;
	if (!e) {
		int up = __builtin_clz(m) - 8;

		m = m << up & 0x7fffff;
		e = (uint32_t)(1 - up);
	}
	*exponent = (int)e - 126;
	return (a & FLIP) | UINT32_C(126) << 23 | m;
}
static uint32_t float_exponent_of(uint32_t a)
{
	int e;

	float_split(a, &e);
	return (uint32_t)e;
}
static uint32_t float_mantissa_of(uint32_t a)
{
	int e;

	return float_split(a, &e);
}
LANES1(V_FREXP_EXP_I32_F32, U, U, float_exponent_of(float_in_of(a, x->mode)))
FLOAT1(V_FREXP_MANT_F32, U, U, float_mantissa_of(float_in_of(a, x->mode)))

/* a times 2 to the power of n, rounded once. */
static uint32_t float_scaled(uint32_t a, int32_t n, uint32_t mode)
{
	uint64_t bits;
	double v;

	a = float_in_of(a, mode);
	if (gcn_is_nan(a))
		return a | GCN_QUIET;
	n = n < -400 ? -400 : n > 400 ? 400 : n;
	v = (double)f32_of(a) * f64_of((uint64_t)(1023 + n) << 52);
	bits = fp_cvt(FP_F32, FP_F64, f64_bits(v), gcn_round32(mode), false);
	return gcn_flush((uint32_t)bits, gcn_keeps(mode, GCN_DENORM_OUT_32));
}
FLOAT2(V_LDEXP_F32, U, U, U, float_scaled(a, (int32_t)b, x->mode))

/* ---- conversions ------------------------------------------------------- */

static uint32_t single_to_int(uint32_t a, bool is_signed, enum rnd r)
{
	return gcn_is_nan(a) ? 0 :
			       (uint32_t)fp_to_int(FP_F32, a, 32, is_signed, r);
}
/* Truncates; beyond the range, the nearest number. */
static inline uint32_t to_i32(uint32_t a)
{
	float v = f32_of(a);
	float top = v < 2147483520.0f ? v : 2147483520.0f;
	float in = top > -0x1p31f ? top : -0x1p31f;

	return v != v ? 0 : v >= 0x1p31f ? INT32_MAX : (uint32_t)(int32_t)in;
}
static inline uint32_t to_u32(uint32_t a)
{
	float v = f32_of(a), in = v > 0 ? v : 0;

	in = in < 4294967040.0f ? in : 4294967040.0f;
	return v != v ? 0 : v >= 0x1p32f ? UINT32_MAX : (uint32_t)(int64_t)in;
}
LANES1(V_CVT_I32_F32, U, U, to_i32(a))
LANES1(V_CVT_U32_F32, U, U, to_u32(a))
LANES1(V_CVT_FLR_I32_F32, U, U, single_to_int(a, true, RND_RM))
/* The nearest integer, the upper one of two. */
LANES1(V_CVT_RPI_I32_F32, U, U,
       single_to_int((uint32_t)fp_add(FP_F32, a, 0x3f000000, RND_RM), true,
		     RND_RM))

static inline uint32_t from_int(uint32_t a, bool is_signed, uint32_t mode)
{
	if (mode & GCN_ROUND_32)
		return (uint32_t)fp_from_int(
			FP_F32, is_signed ? (uint64_t)(int32_t)a : a, is_signed,
			gcn_round32(mode));
	return f32_bits(is_signed ? (float)(int32_t)a : (float)a);
}
FLOAT1(V_CVT_F32_I32, U, U, from_int(a, true, x->mode))
FLOAT1(V_CVT_F32_U32, U, U, from_int(a, false, x->mode))
FLOAT1(V_CVT_F32_UBYTE0, U, U, f32_bits((float)(a & 0xff)))
FLOAT1(V_CVT_F32_UBYTE1, U, U, f32_bits((float)(a >> 8 & 0xff)))
FLOAT1(V_CVT_F32_UBYTE2, U, U, f32_bits((float)(a >> 16 & 0xff)))
FLOAT1(V_CVT_F32_UBYTE3, U, U, f32_bits((float)(a >> 24)))
/* Sixteenths, from -8 to 7. */
FLOAT1(V_CVT_OFF_F32_I4, U, U,
       f32_bits((float)((int32_t)(a << 28) >> 28) * 0.0625f))

static uint32_t to_half(uint32_t a, enum rnd r, uint32_t mode)
{
	uint32_t h;

	if (gcn_is_nan(a))
		return (a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x1ff);
	h = (uint32_t)fp_cvt(FP_F16, FP_F32, a, r, false);
	if (!(mode & GCN_DENORM_OUT_64) && !(h & 0x7c00))
		h &= 0x8000;
	return h;
}
static uint32_t from_half(uint32_t a, uint32_t mode)
{
	if ((a & 0x7fff) > 0x7c00)
		return (a & 0x8000) << 16 | GCN_NAN | (a & 0x1ff) << 13;
	if (!(mode & GCN_DENORM_IN_64) && !(a & 0x7c00))
		a &= 0x8000;
	return f32_bits(f16_to_f32((uint16_t)a));
}
LANES1(V_CVT_F16_F32, U, U, to_half(a, gcn_round64(x->mode), x->mode))
FLOAT1(V_CVT_F32_F16, U, U, from_half(a, x->mode))
LANES2(V_CVT_PKRTZ_F16_F32, U, U, U,
       to_half(a, RND_RZ, x->mode) | to_half(b, RND_RZ, x->mode) << 16)

static uint32_t to_norm(uint32_t a, float least, float most)
{
	float v = f32_of(a);

	v = v > least ? v < 1 ? v : 1 : v == v ? least : 0;
	return single_to_int(f32_bits(v * most), true, RND_RN) & 0xffff;
}
LANES2(V_CVT_PKNORM_I16_F32, U, U, U,
       to_norm(a, -1, 32767) | to_norm(b, -1, 32767) << 16)
LANES2(V_CVT_PKNORM_U16_F32, U, U, U,
       to_norm(a, 0, 65535) | to_norm(b, 0, 65535) << 16)

/* A byte of c becomes the number a, truncated and limited. */
static uint32_t put_byte(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t v = to_u32(a), place = 8 * (b & 3);

	v = v < 255 ? v : 255;
	return (c & ~(UINT32_C(255) << place)) | v << place;
}
LANES3(V_CVT_PK_U8_F32, U, U, U, U, put_byte(a, b, c))
LANES3_OF(V_CVT_PKACCUM_U8_F32, GCN_SHAPE_OLD, U, U, U, U, put_byte(a, b, c))

/* ---- cube maps and lighting -------------------------------------------- */

enum { MAJOR_X, MAJOR_Y, MAJOR_Z };

static unsigned major_of(float x, float y, float z)
{
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
	float az = __builtin_fabsf(z);

	return az >= ax && az >= ay ? MAJOR_Z : ay >= ax ? MAJOR_Y : MAJOR_X;
}
static float cube_face(float x, float y, float z)
{
	unsigned m = major_of(x, y, z);
	float v = m == MAJOR_Z ? z : m == MAJOR_Y ? y : x;

	return (float)(2 * m) + (v < 0 ? 1.0f : 0.0f);
}
static float cube_s(float x, float y, float z)
{
	switch (major_of(x, y, z)) {
	case MAJOR_Z:
		return z < 0 ? -x : x;
	case MAJOR_Y:
		return x;
	default:
		return x < 0 ? z : -z;
	}
}
static float cube_t(float x, float y, float z)
{
	if (major_of(x, y, z) == MAJOR_Y)
		return y < 0 ? -z : z;
	return -y;
}
static float cube_major(float x, float y, float z)
{
	unsigned m = major_of(x, y, z);

	return 2 * (m == MAJOR_Z ? z : m == MAJOR_Y ? y : x);
}
#define OF_FLOATS(f) f32_bits(f(f32_of(a), f32_of(b), f32_of(c)))

FLOAT3(V_CUBEID_F32, U, U, U, U, OF_FLOATS(cube_face))
FLOAT3(V_CUBESC_F32, U, U, U, U, OF_FLOATS(cube_s))
FLOAT3(V_CUBETC_F32, U, U, U, U, OF_FLOATS(cube_t))
FLOAT3(V_CUBEMA_F32, U, U, U, U, OF_FLOATS(cube_major))

/* A product for lighting: the least number where b or c forbid a power. */
static float lit(float a, float b, float c)
{
	const float least = -0x1.fffffep127f;

	return b > least && c > 0 ? legacy(a, b) : least;
}
FLOAT3(V_MULLIT_F32, U, U, U, U, OF_FLOATS(lit))

/* ---- division ---------------------------------------------------------- */

static int float_biased(uint32_t a)
{
	return (int)(a >> 23 & 255);
}
static bool is_float_zero(uint32_t a)
{
	return !(a & ~FLIP);
}
static bool is_float_tiny(uint32_t a)
{
	return !float_biased(a) && !is_float_zero(a);
}
/* Whether n / d, or with n = 1.0 the reciprocal, is subnormal or 0. */
static bool is_float_quotient_tiny(uint32_t n, uint32_t d)
{
	double q = (double)f32_of(n) / (double)f32_of(d);

	return q < 0x1p-126 && q > -0x1p-126;
}

static uint32_t float_times_power(uint32_t a, int n)
{
	return f32_bits((float)((double)f32_of(a) *
				f64_of((uint64_t)(1023 + n) << 52)));
}

/*
 * Scales a, which is the numerator n or the denominator d of a division, so that
 * Newton's steps meet no subnormal number. *post: the quotient is scaled, too,
 * and v_div_fmas scales it back.
 */
static uint32_t float_div_scale(uint32_t a, uint32_t d, uint32_t n, bool *post)
{
	bool tiny = is_float_quotient_tiny(0x3f800000, d);
	bool q_tiny = is_float_quotient_tiny(n, d);

	*post = false;
	if (is_float_zero(n) || is_float_zero(d))
		return GCN_NAN;
	if (float_biased(n) - float_biased(d) >= 96) {
		*post = true;
		return a == d ? float_times_power(a, 64) : a;
	}
	if (is_float_tiny(d))
		return float_times_power(a, 64);
	if (tiny && q_tiny) {
		*post = true;
		return a == d ? float_times_power(a, -64) : a;
	}
	if (tiny)
		return float_times_power(a, -64);
	if (q_tiny) {
		*post = true;
		return a == n ? float_times_power(a, 64) : a;
	}
	return float_biased(n) <= 23 ? float_times_power(a, 64) : a;
}

static void lanes_float_div_scale(struct gcn_lanes *x)
{
	const uint32_t *a = x->a, *b = x->b, *c = x->c;
	uint32_t *d = x->d;
	uint8_t post[WAVE_LANES];

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		bool p;

		d[l] = float_div_scale(a[l], b[l], c[l], &p);
		post[l] = p;
	}
	x->mask = gcn_pack(post);
}
const struct gcn_exec gcn_exec_V_DIV_SCALE_F32 = {
	.exec = gcn_valu,
	.lanes = lanes_float_div_scale,
	.shape = GCN_SHAPE_FLOAT | GCN_SHAPE_MASK
};

/* Where the quotient was scaled: it is large or small, and goes back. */
static void lanes_float_div_fmas(struct gcn_lanes *x)
{
	const uint32_t *a = x->a, *b = x->b, *c = x->c;
	uint32_t *d = x->d;
	struct floats f = floats_of(x, false);

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint32_t p = gcn_flush(a[l], f.in), q = gcn_flush(b[l], f.in);
		uint32_t r = gcn_flush(c[l], f.in);
		uint32_t v = (uint32_t)fp_fma(FP_F32, p, q, r, f.round);

		if (gcn_is_nan(v))
			v = gcn_nan(p, q, r);
		else if (x->carry >> l & 1)
			v = float_times_power(v,
					      float_biased(r) > 127 ? 64 : -64);
		d[l] = gcn_flush(v, f.out);
	}
}
const struct gcn_exec gcn_exec_V_DIV_FMAS_F32 = { .exec = gcn_valu,
						  .lanes = lanes_float_div_fmas,
						  .shape = GCN_SHAPE_FLOAT |
							   GCN_SHAPE_VCC };

/* The quotient a of n / d, where it is one of the special cases of a division. */
static uint32_t float_div_fixup(uint32_t a, uint32_t d, uint32_t n)
{
	uint32_t sign = (d ^ n) & FLIP, inf = 0x7f800000;
	uint32_t md = d & ~FLIP, mn = n & ~FLIP;

	if (gcn_is_nan(n) || gcn_is_nan(d))
		return (gcn_is_nan(n) ? n : d) | GCN_QUIET;
	if ((!md && !mn) || (md == inf && mn == inf))
		return UINT32_C(0xffc00000);
	if (!md || mn == inf)
		return sign | inf;
	if (md == inf || !mn)
		return sign;
	/* Without a result: the scaled quotient was too large. */
	return sign | (gcn_is_nan(a) ? inf : a & ~FLIP);
}
FLOAT3(V_DIV_FIXUP_F32, U, U, U, U, float_div_fixup(a, b, c))
