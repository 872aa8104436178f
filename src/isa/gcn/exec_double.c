/* Vector instructions of double precision. */
#include "isa/gcn/lanes.h"

#define FLIP UINT64_C(0x8000000000000000)
#define INF UINT64_C(0x7ff0000000000000)

static bool keeps_in(uint32_t mode)
{
	return mode & GCN_DENORM_IN_64;
}
static bool keeps_out(uint32_t mode)
{
	return mode & GCN_DENORM_OUT_64;
}

static void wide_mend_nans(struct gcn_lanes *x)
{
	const uint64_t *a = x->a, *b = x->b, *c = x->c;
	uint64_t *d = x->d;

	for (unsigned l = 0; l < WAVE_LANES; l++)
		if (gcn_is_nan64(d[l]))
			d[l] = gcn_nan64(a[l], b[l], c ? c[l] : 0);
}

static uint64_t far_add(uint64_t a, uint64_t b, enum rnd r)
{
	return fp_add(FP_F64, a, b, r);
}

/* near: of doubles, rounded to the nearest; far: of their bits. */
#define ARITH(id, near, far)                                                   \
	static void lanes_##id(struct gcn_lanes *x)                            \
	{                                                                      \
		const uint64_t *pa = x->a, *pb = x->b;                         \
		const uint64_t *pc = x->c ? x->c : x->a;                       \
		uint64_t *d = x->d;                                            \
		bool in = keeps_in(x->mode), out = keeps_out(x->mode);         \
		enum rnd round = gcn_round64(x->mode);                         \
                                                                               \
		GCN_EACH_LANE                                                  \
		{                                                              \
			uint64_t ia = gcn_flush64(pa[l], in);                  \
			uint64_t ib = gcn_flush64(pb[l], in);                  \
			uint64_t ic = gcn_flush64(pc[l], in), r;               \
			double a = f64_of(ia), b = f64_of(ib), c = f64_of(ic); \
                                                                               \
			(void)c;                                               \
			r = round == RND_RN ? f64_bits(near) : (far);          \
			d[l] = gcn_flush64(r, out);                            \
		}                                                              \
		wide_mend_nans(x);                                             \
	}                                                                      \
	GCN_VALU_ROW(id, GCN_SHAPE_FLOAT, #near)

ARITH(V_ADD_F64, a + b, far_add(ia, ib, round))
ARITH(V_MUL_F64, (a * b), fp_mul(FP_F64, ia, ib, round))
ARITH(V_FMA_F64, __builtin_fma(a, b, c), fp_fma(FP_F64, ia, ib, ic, round))

static inline uint64_t min_d(uint64_t a, uint64_t b)
{
	double x = f64_of(a), y = f64_of(b);

	if (x != x)
		return y != y ? a | GCN_QUIET64 : b;
	if (y != y)
		return a;
	return x == y ? a | b : x < y ? a : b;
}
static inline uint64_t max_d(uint64_t a, uint64_t b)
{
	double x = f64_of(a), y = f64_of(b);

	if (x != x)
		return y != y ? a | GCN_QUIET64 : b;
	if (y != y)
		return a;
	return x == y ? a & b : x > y ? a : b;
}
FLOAT2(V_MIN_F64, D, D, D, min_d(a, b))
FLOAT2(V_MAX_F64, D, D, D, max_d(a, b))

/* ---- parts of a number ------------------------------------------------- */

static inline uint64_t wide_in_of(uint64_t a, uint32_t mode)
{
	return gcn_flush64(a, keeps_in(mode));
}

/* The part behind the point is always below 1. */
static uint64_t wide_fraction(uint64_t a)
{
	double v = f64_of(a), r = v - __builtin_floor(v);

	if (gcn_is_nan64(a))
		return a | GCN_QUIET64;
	return r != r ? GCN_NAN64 :
	       r < 1  ? f64_bits(r) :
			UINT64_C(0x3fefffffffffffff);
}
FLOAT1(V_FRACT_F64, D, D, wide_fraction(wide_in_of(a, x->mode)))

static uint64_t wide_split(uint64_t a, int *exponent)
{
	uint64_t m = a & UINT64_C(0xfffffffffffff);
	int e = (int)(a >> 52 & 2047);

	*exponent = 0;
	if (e == 2047 || !(a & ~FLIP))
		return e == 2047 && m ? a | GCN_QUIET64 : a;
	if (!e) {
		int up = __builtin_clzll(m) - 11;

		m = m << up & UINT64_C(0xfffffffffffff);
		e = 1 - up;
	}
	*exponent = e - 1022;
	return (a & FLIP) | UINT64_C(1022) << 52 | m;
}
static uint32_t wide_exponent_of(uint64_t a)
{
	int e;

	wide_split(a, &e);
	return (uint32_t)e;
}
static uint64_t wide_mantissa_of(uint64_t a)
{
	int e;

	return wide_split(a, &e);
}
LANES1(V_FREXP_EXP_I32_F64, U, D, wide_exponent_of(wide_in_of(a, x->mode)))
FLOAT1(V_FREXP_MANT_F64, D, D, wide_mantissa_of(wide_in_of(a, x->mode)))

static uint64_t wide_power(int n)
{
	return (uint64_t)(1023 + n) << 52;
}

/* a times 2 to the power of n, rounded once: large steps are exact upwards, and
 * downwards all but the last one. */
static uint64_t wide_scaled(uint64_t a, int32_t n, enum rnd r)
{
	int e;
	uint64_t m;

	if (gcn_is_nan64(a))
		return a | GCN_QUIET64;
	if (!(a & ~FLIP) || (a & ~FLIP) == INF)
		return a;
	m = wide_split(a, &e);
	n = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
	n += e;
	if (n > 1024)
		return fp_mul(FP_F64, fp_mul(FP_F64, m, wide_power(1023), r),
			      wide_power(2), r);
	if (n > -1021)
		return fp_mul(FP_F64,
			      fp_mul(FP_F64, m, wide_power(n > 0 ? 1 : 0), r),
			      wide_power(n > 0 ? n - 1 : n), r);
	n = n < -1100 ? -1100 : n;
	return fp_mul(FP_F64, fp_mul(FP_F64, m, wide_power(n + 600), r),
		      wide_power(-600), r);
}
FLOAT2(V_LDEXP_F64, D, D, U,
       gcn_flush64(wide_scaled(wide_in_of(a, x->mode), (int32_t)b,
			       gcn_round64(x->mode)),
		   keeps_out(x->mode)))

/* ---- conversions ------------------------------------------------------- */

static uint32_t wide_to_int(uint64_t a, bool is_signed)
{
	return gcn_is_nan64(a) ?
		       0 :
		       (uint32_t)fp_to_int(FP_F64, a, 32, is_signed, RND_RZ);
}
LANES1(V_CVT_I32_F64, U, D, wide_to_int(a, true))
LANES1(V_CVT_U32_F64, U, D, wide_to_int(a, false))
FLOAT1(V_CVT_F64_I32, D, U, f64_bits((double)(int32_t)a))
FLOAT1(V_CVT_F64_U32, D, U, f64_bits((double)a))

static uint32_t to_single(uint64_t a, uint32_t mode)
{
	if (gcn_is_nan64(a))
		return (uint32_t)(a >> 32 & 0x80000000) | GCN_NAN |
		       (uint32_t)(a >> 29 & 0x3fffff);
	return gcn_flush((uint32_t)fp_cvt(FP_F32, FP_F64, a, gcn_round32(mode),
					  false),
			 gcn_keeps(mode, GCN_DENORM_OUT_32));
}
static uint64_t from_single(uint32_t a, uint32_t mode)
{
	if (gcn_is_nan(a))
		return (uint64_t)(a & 0x80000000) << 32 | GCN_NAN64 |
		       (uint64_t)(a & 0x3fffff) << 29;
	a = gcn_flush(a, gcn_keeps(mode, GCN_DENORM_IN_32));
	return f64_bits((double)f32_of(a));
}
FLOAT1(V_CVT_F32_F64, U, D, to_single(wide_in_of(a, x->mode), x->mode))
FLOAT1(V_CVT_F64_F32, D, U, from_single(a, x->mode))

/* ---- division ---------------------------------------------------------- */

static int wide_biased(uint64_t a)
{
	return (int)(a >> 52 & 2047);
}
static bool is_wide_zero(uint64_t a)
{
	return !(a & ~FLIP);
}
static bool is_wide_tiny(uint64_t a)
{
	return !wide_biased(a) && !is_wide_zero(a);
}
static bool is_wide_quotient_tiny(uint64_t n, uint64_t d)
{
	double q = f64_of(n) / f64_of(d);

	return q < 0x1p-1022 && q > -0x1p-1022;
}
static uint64_t wide_times_power(uint64_t a, int n)
{
	return f64_bits(f64_of(a) * f64_of(wide_power(n)));
}

/* As in single precision: exec_float.c. */
static uint64_t wide_div_scale(uint64_t a, uint64_t d, uint64_t n, bool *post)
{
	bool tiny = is_wide_quotient_tiny(f64_bits(1.0), d);
	bool q_tiny = is_wide_quotient_tiny(n, d);

	*post = false;
	if (is_wide_zero(n) || is_wide_zero(d))
		return GCN_NAN64;
	if (wide_biased(n) - wide_biased(d) >= 768) {
		*post = true;
		return a == d ? wide_times_power(a, 128) : a;
	}
	if (is_wide_tiny(d))
		return wide_times_power(a, 128);
	if (tiny && q_tiny) {
		*post = true;
		return a == d ? wide_times_power(a, -128) : a;
	}
	if (tiny)
		return wide_times_power(a, -128);
	if (q_tiny) {
		*post = true;
		return a == n ? wide_times_power(a, 128) : a;
	}
	return wide_biased(n) <= 53 ? wide_times_power(a, 128) : a;
}

static void lanes_wide_div_scale(struct gcn_lanes *x)
{
	const uint64_t *a = x->a, *b = x->b, *c = x->c;
	uint64_t *d = x->d;
	uint8_t post[WAVE_LANES];

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		bool p;

		d[l] = wide_div_scale(a[l], b[l], c[l], &p);
		post[l] = p;
	}
	x->mask = gcn_pack(post);
}
const struct gcn_exec gcn_exec_V_DIV_SCALE_F64 = {
	.exec = gcn_valu,
	.lanes = lanes_wide_div_scale,
	.shape = GCN_SHAPE_FLOAT | GCN_SHAPE_MASK
};

static void lanes_wide_div_fmas(struct gcn_lanes *x)
{
	const uint64_t *a = x->a, *b = x->b, *c = x->c;
	uint64_t *d = x->d;

	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint64_t p = wide_in_of(a[l], x->mode),
			 q = wide_in_of(b[l], x->mode);
		uint64_t r = wide_in_of(c[l], x->mode);
		uint64_t v = fp_fma(FP_F64, p, q, r, gcn_round64(x->mode));

		if (gcn_is_nan64(v))
			v = gcn_nan64(p, q, r);
		else if (x->carry >> l & 1)
			v = wide_times_power(v, wide_biased(r) > 1023 ? 128 :
									-128);
		d[l] = gcn_flush64(v, keeps_out(x->mode));
	}
}
const struct gcn_exec gcn_exec_V_DIV_FMAS_F64 = { .exec = gcn_valu,
						  .lanes = lanes_wide_div_fmas,
						  .shape = GCN_SHAPE_FLOAT |
							   GCN_SHAPE_VCC };

static uint64_t wide_div_fixup(uint64_t a, uint64_t d, uint64_t n)
{
	uint64_t sign = (d ^ n) & FLIP, md = d & ~FLIP, mn = n & ~FLIP;

	if (gcn_is_nan64(n) || gcn_is_nan64(d))
		return (gcn_is_nan64(n) ? n : d) | GCN_QUIET64;
	if ((!md && !mn) || (md == INF && mn == INF))
		return FLIP | GCN_NAN64;
	if (!md || mn == INF)
		return sign | INF;
	if (md == INF || !mn)
		return sign;
	/* Without a result: the scaled quotient was too large. */
	return sign | (gcn_is_nan64(a) ? INF : a & ~FLIP);
}
FLOAT3(V_DIV_FIXUP_F64, D, D, D, D, wide_div_fixup(a, b, c))

/* ---- reduction of large angles ----------------------------------------- */

/* The first 1201 bits of 2/pi behind the point, in words of 32, the highest
 * first. */
static const uint32_t two_by_pi[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
	0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
	0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
	0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
	0x56033046, 0xfc7b0000,
};

static uint32_t word_of(unsigned i)
{
	return i < sizeof(two_by_pi) / sizeof(two_by_pi[0]) ? two_by_pi[i] : 0;
}

/* 53 bits of 2/pi, from bit `shift` behind the point on; 0 behind the last. */
static uint64_t wide_bits_of(unsigned shift)
{
	unsigned at = shift / 32, in = shift % 32;
	uint64_t upper = (uint64_t)word_of(at) << 32 | word_of(at + 1);
	uint64_t v = in ? upper << in | word_of(at + 2) >> (32 - in) : upper;

	return v >> 11;
}

/* Segment b of 2/pi, of those that matter for a number as large as a. */
static uint64_t trig_preop(uint64_t a, uint32_t b)
{
	unsigned e = (unsigned)wide_biased(a), shift = (b & 31) * 53;
	int scale;

	if (e > 1077)
		shift += e - 1077;
	scale = -53 - (int)shift;
	if (e >= 1968)
		scale += 128;
	return wide_scaled(f64_bits((double)wide_bits_of(shift)), scale,
			   RND_RN);
}
FLOAT2(V_TRIG_PREOP_F64, D, D, U, trig_preop(a, b))
