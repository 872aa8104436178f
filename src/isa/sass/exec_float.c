/*
 * Single precision.
 *
 * in->m has the modifiers of simt/lane.h and the signs of the operands. Loops
 * are expanded for the common modifiers: none, and .FTZ.
 */
#include "isa/sass/exec_alu.h"
#include "simt/lane_sfu.h"

#define F32_TOP UINT32_C(0x80000000)

#define RARE static __attribute__((noinline)) void

/* Runs loop(w, in, m, signs) with the common modifiers as constants. Whatever
 * has modifiers is a function of its own, so that the others need no stack. */
#define DISPATCH(scope, name, loop)                                 \
	RARE name##_modified(struct warp *w, const struct inst *in) \
	{                                                           \
		const unsigned m = in->m & ~(unsigned)SASS_SIGNS;   \
		if (m == 0)                                         \
			loop(w, in, 0, in->m);                      \
		else if (m == M_FTZ)                                \
			loop(w, in, M_FTZ, in->m);                  \
		else                                                \
			loop(w, in, m, in->m);                      \
	}                                                           \
	scope void name(struct warp *w, const struct inst *in)      \
	{                                                           \
		if (LIKELY(in->m == 0))                             \
			loop(w, in, 0, 0);                          \
		else                                                \
			name##_modified(w, in);                     \
	}

INLINE float f32_with(uint32_t x, struct sass_sign s)
{
	return f32_of(sass_signed(x, s));
}

/* ---- arithmetic ---------------------------------------------------------- */

INLINE void fadd_loop(struct warp *w, const struct inst *in, const unsigned m,
		      const unsigned signs)
{
	const uint32_t *ra = slot_at(w, in->a), *rc = slot_at(w, in->c);
	const struct sass_sign sa = sass_sign_of(signs, SASS_NEG_A, F32_TOP);
	const struct sass_sign sc = sass_sign_of(signs, SASS_NEG_C, F32_TOP);

	SASS_EACH_LANE(
		w, in->d,
		f32_bits(f32_add(f32_with(ra[l], sa), f32_with(rc[l], sc), m)));
}
DISPATCH(, sass_fadd, fadd_loop)

/* .FMZ: denormals are zero, and zero times anything is +0. */
INLINE bool fmz_zero(float a, float b, unsigned k)
{
	return k && (f32_ftz(a, M_FTZ) == 0.0f || f32_ftz(b, M_FTZ) == 0.0f);
}

/* in->k: .FMZ; in->count: the product is scaled by 2 to the power of this less
 * 4, in the order of the modifier. */
static const float fmul_scales[8] = { 1.0f, 0.125f, 0.25f, 0.5f,
				      1.0f, 2.0f,   4.0f,  8.0f };

INLINE void fmul_loop(struct warp *w, const struct inst *in, const unsigned m,
		      const unsigned signs)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(signs, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(signs, SASS_NEG_B, F32_TOP);

	SASS_EACH_LANE(
		w, in->d,
		f32_bits(f32_mul(f32_with(ra[l], sa), f32_with(rb[l], sb), m)));
}

/* The product of two floats is exact in double precision, scaled or not. */
static float fmul_any(float a, float b, const struct inst *in)
{
	unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	double p = (double)f32_ftz(a, m) * f32_ftz(b, m) *
		   fmul_scales[in->count & 7];
	float up;

	if (fmz_zero(a, b, in->k))
		return 0.0f;
	up = f32_of((uint32_t)fp_cvt(FP_F32, FP_F64, f64_bits(p * 0x1p64),
				     m_rnd(m), false));
	return f32_finish_tiny(f32_of((uint32_t)fp_cvt(FP_F32, FP_F64,
						       f64_bits(p), m_rnd(m),
						       false)),
			       up, m);
}

RARE fmul_rare(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(in->m, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(in->m, SASS_NEG_B, F32_TOP);

	SASS_EACH_LANE(w, in->d,
		       f32_bits(fmul_any(f32_with(ra[l], sa),
					 f32_with(rb[l], sb), in)));
}

DISPATCH(static, fmul_usual, fmul_loop)

void sass_fmul(struct warp *w, const struct inst *in)
{
	if (LIKELY(!in->k && in->count == SASS_SCALE_NO))
		fmul_usual(w, in);
	else
		fmul_rare(w, in);
}

INLINE void ffma_loop(struct warp *w, const struct inst *in, const unsigned m,
		      const unsigned signs)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const struct sass_sign sa = sass_sign_of(signs, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(signs, SASS_NEG_B, F32_TOP);
	const struct sass_sign sc = sass_sign_of(signs, SASS_NEG_C, F32_TOP);

	SASS_EACH_LANE(w, in->d,
		       f32_bits(f32_fma(f32_with(ra[l], sa),
					f32_with(rb[l], sb),
					f32_with(rc[l], sc), m)));
}

RARE ffma_fmz(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const struct sass_sign sa = sass_sign_of(in->m, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(in->m, SASS_NEG_B, F32_TOP);
	const struct sass_sign sc = sass_sign_of(in->m, SASS_NEG_C, F32_TOP);
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		float a = f32_with(ra[l], sa), b = f32_with(rb[l], sb);
		float c = f32_with(rc[l], sc);

		out[l] = f32_bits(fmz_zero(a, b, 1) ? f32_add(0.0f, c, m) :
						      f32_fma(a, b, c, m));
	}
	put32(w, in->d, out);
}

DISPATCH(static, ffma_usual, ffma_loop)

void sass_ffma(struct warp *w, const struct inst *in)
{
	if (LIKELY(!in->k))
		ffma_usual(w, in);
	else
		ffma_fmz(w, in);
}

/* Eight lanes: a quarter of the warp. Only pointers to it are passed, since how a
 * vector is depends on the host's instructions. */
typedef float sass_quarter __attribute__((vector_size(LANES / 4 * 4)));

INLINE void quarter_fma(sass_quarter *to, const char *ra, const char *rb,
			const char *rc, int i)
{
	const size_t at = (size_t)i * sizeof(*to);
	sass_quarter a, b, c;

	memcpy(&a, ra + at, sizeof(a));
	memcpy(&b, rb + at, sizeof(b));
	memcpy(&c, rc + at, sizeof(c));
	for (int l = 0; l < LANES / 4; l++)
		a[l] = __builtin_fmaf(a[l], b[l], c[l]);
	*to = a;
}

INLINE void put_quarter(char *reg, int i, const sass_quarter *q)
{
	memcpy(reg + (size_t)i * sizeof(*q), q, sizeof(*q));
}

INLINE bool quarter_has_nan(const sass_quarter *of)
{
	typedef uint64_t half_t __attribute__((vector_size(sizeof(*of) / 2)));
	sass_quarter q = (sass_quarter)(*of != *of);
	half_t halves[2];

	memcpy(halves, &q, sizeof(q));
	halves[0] |= halves[1];
	return halves[0][0] | halves[0][1];
}

/* Replaces NaNs by the one that the hardware makes. */
RARE ffma_make_canonical(uint32_t *to)
{
	for (int l = 0; l < LANES; l++)
		to[l] = f32_bits(f32_canon(f32_of(to[l])));
}

/*
 * No modifiers, and everything in registers. An FFMA often waits for the one
 * before, so that it is stored first; NaNs are looked for afterwards, in the sum
 * of all lanes, which is a NaN if one of them is.
 */
void sass_ffma_plain(struct warp *w, const struct inst *in)
{
	char *base = w->base[SLOT_REG], *to = base + in->d;
	const char *ra = base + in->a, *rb = base + in->b, *rc = base + in->c;
	sass_quarter p, q, r, s;

	if (UNLIKELY(!lanes_are_all(w->mask))) {
		ffma_usual(w, in);
		return;
	}
	quarter_fma(&p, ra, rb, rc, 0);
	quarter_fma(&q, ra, rb, rc, 1);
	quarter_fma(&r, ra, rb, rc, 2);
	quarter_fma(&s, ra, rb, rc, 3);
	put_quarter(to, 0, &p);
	put_quarter(to, 1, &q);
	put_quarter(to, 2, &r);
	put_quarter(to, 3, &s);
	p = (p + q) + (r + s);
	if (UNLIKELY(quarter_has_nan(&p)))
		ffma_make_canonical((uint32_t *)(void *)to);
}

/* in->k: the signs of A and C in each lane of a quad, the first lane at the top:
 * both plus, C minus, A minus, A zero. */
void sass_fswzadd(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rc = slot_at(w, in->c);
	const unsigned m = in->m & ~(unsigned)SASS_SIGNS;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		float a = f32_of(ra[l]), c = f32_of(rc[l]);
		unsigned how = in->k >> 2 * (3 - (l & 3)) & 3;

		a = how == 3 ? 0.0f : how == 2 ? -a : a;
		c = how == 1 ? -c : c;
		out[l] = f32_bits(f32_add(a, c, m));
	}
	put32(w, in->d, out);
}

/* ---- selection ----------------------------------------------------------- */

/* .XORSIGN: the sign of the result is made of those in the registers. */
INLINE void fmnmx_lanes(struct warp *w, const struct inst *in, const unsigned m,
			const unsigned signs, const pred_t min)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(signs, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(signs, SASS_NEG_B, F32_TOP);
	const unsigned n = m & ~(unsigned)M_XORSIGN;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		float a = f32_with(ra[l], sa), b = f32_with(rb[l], sb);
		float r = min >> l & 1 ? f32_min(a, b, n) : f32_max(a, b, n);
		uint32_t sign = (ra[l] ^ rb[l]) & F32_TOP;
		uint32_t x = (f32_bits(r) & ~F32_TOP) | sign;

		out[l] = m & M_XORSIGN && r == r ? x : f32_bits(r);
	}
	put32(w, in->d, out);
}

/* Mostly all lanes want the same. */
INLINE void fmnmx_loop(struct warp *w, const struct inst *in, const unsigned m,
		       const unsigned signs)
{
	const pred_t min = sass_pp(w, in);

	if (!min)
		fmnmx_lanes(w, in, m, signs, 0);
	else if (!(pred_t)~min)
		fmnmx_lanes(w, in, m, signs, (pred_t) ~(pred_t)0);
	else
		fmnmx_lanes(w, in, m, signs, min);
}
DISPATCH(, sass_fmnmx, fmnmx_loop)

void sass_fsel(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(in->m, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(in->m, SASS_NEG_B, F32_TOP);
	const pred_t p = sass_pp(w, in);
	const unsigned m = in->m & M_FTZ;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t a = sass_signed(ra[l], sa);
		uint32_t b = sass_signed(rb[l], sb);

		out[l] = f32_bits(f32_ftz(f32_of(p >> l & 1 ? a : b), m));
	}
	put32(w, in->d, out);
}

/* ---- comparison ---------------------------------------------------------- */

INLINE pred_t f32_compared(struct warp *w, const struct inst *in,
			   const unsigned m, const unsigned signs)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(signs, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(signs, SASS_NEG_B, F32_TOP);
	uint32_t lt = 0, eq = 0, un = 0;

	for (int l = 0; l < LANES; l++) {
		float a = f32_with(ra[l], sa), b = f32_with(rb[l], sb);
		uint32_t bit = 1u << l;

		lt |= f32_lt(a, b, m) ? bit : 0;
		eq |= f32_eq(a, b, m) ? bit : 0;
		un |= f32_un(a, b, m) ? bit : 0;
	}
	return sass_truth(in->k, lt, eq, un);
}

static pred_t f32_truth(struct warp *w, const struct inst *in)
{
	if (in->m == 0)
		return f32_compared(w, in, 0, 0);
	if (in->m & M_FTZ)
		return f32_compared(w, in, M_FTZ, in->m);
	return f32_compared(w, in, 0, in->m);
}

void sass_fsetp(struct warp *w, const struct inst *in)
{
	sass_put_compared(w, in, f32_truth(w, in));
}

void sass_fset(struct warp *w, const struct inst *in)
{
	const pred_t p =
		sass_combine(in->count & 3, f32_truth(w, in), sass_pp(w, in));

	SASS_EACH_LANE(w, in->d, p >> l & 1 ? 0x3f800000 : 0);
}

/*
 * Whether the quotient a / b needs more than the usual sequence: reciprocal,
 * product, two corrections.
 */
static bool fchk(uint32_t a, uint32_t b)
{
	int ea = (int)(a >> 23 & 0xff), eb = (int)(b >> 23 & 0xff);

	if (eb < 2 || eb > 251 || ea < 25 || ea == 255)
		return true;
	return ea - eb > 126 || ea - eb < -124;
}

void sass_fchk(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_sign sa = sass_sign_of(in->m, SASS_NEG_A, F32_TOP);
	const struct sass_sign sb = sass_sign_of(in->m, SASS_NEG_B, F32_TOP);
	pred_t slow = 0;

	for (int l = 0; l < LANES; l++)
		slow |= (pred_t)fchk(sass_signed(ra[l], sa),
				     sass_signed(rb[l], sb))
			<< l;
	pred_put(w, in->d2, slow);
}

/* ---- special functions --------------------------------------------------- */

static float mufu_f32(unsigned fn, float x)
{
	switch (fn) {
	case SASS_MUFU_COS:
		return sfu_cos(x);
	case SASS_MUFU_SIN:
		return sfu_sin(x);
	case SASS_MUFU_EX2:
		return sfu_ex2(x);
	case SASS_MUFU_LG2:
		return sfu_lg2(x);
	case SASS_MUFU_RCP:
		return sfu_rcp(x);
	case SASS_MUFU_RSQ:
		return sfu_rsq(x);
	case SASS_MUFU_SQRT:
		return sfu_sqrt(x);
	case SASS_MUFU_TANH:
		return sfu_tanh(x);
	default:
		return 0.0f;
	}
}

/* The result is rounded toward zero; what is too large for f16 is infinite. */
static uint16_t mufu_half(unsigned fn, uint16_t h, bool bf16)
{
	float x = bf16 ? bf16_to_f32(h) : f16_to_f32(h);
	float r = mufu_f32(fn, x);

	if (!bf16 && (r >= 0x1p16f || r <= -0x1p16f))
		return r > 0 ? 0x7c00 : 0xfc00;
	return (uint16_t)fp_cvt(bf16 ? FP_BF16 : FP_F16, FP_F32, f32_bits(r),
				RND_RZ, false);
}

/* in->k: the function; in->count: B is an immediate of double precision. */
void sass_mufu(struct warp *w, const struct inst *in)
{
	const struct sass_pair p = sass_pair_at(w, in->b);
	const uint32_t *rb = in->count ? p.hi : p.lo;
	const struct sass_sign s = sass_sign_of(in->m, SASS_NEG_B, F32_TOP);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t x = sass_signed(rb[l], s);

		if (in->k == SASS_MUFU_RCP64H)
			out[l] = sfu_rcp64(x);
		else if (in->k == SASS_MUFU_RSQ64H)
			out[l] = sfu_rsq64(x);
		else
			out[l] = f32_bits(mufu_f32(in->k, f32_of(x)));
	}
	put32(w, in->d, out);
}

/* in->width: the shift to the half that is used. */
static void mufu_halves(struct warp *w, const struct inst *in, bool bf16)
{
	const uint32_t *rb = slot_at(w, in->b);
	const struct sass_sign s =
		sass_sign_of(in->m, SASS_NEG_B, UINT32_C(0x80008000));
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t x = sass_signed(rb[l], s) >> in->width;

		out[l] = mufu_half(in->k, (uint16_t)x, bf16);
	}
	put32(w, in->d, out);
}

void sass_mufu_f16(struct warp *w, const struct inst *in)
{
	mufu_halves(w, in, false);
}

void sass_mufu_bf16(struct warp *w, const struct inst *in)
{
	mufu_halves(w, in, true);
}
