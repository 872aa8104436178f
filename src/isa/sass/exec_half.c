/*
 * Pairs of f16 or bf16.
 *
 * in->k says which halves of A, B and C are used, two bits each (enum
 * sass_half), and SASS_K_CROSSED; in->count is the format, a modifier HFMT. in->width of products: a
 * modifier FMZ; of comparisons, the relations that make them true.
 */
#include "isa/sass/exec_alu.h"

#define PAIR_TOP UINT32_C(0x80008000)

/* An operand, its halves in their places and its sign applied. */
struct half_source {
	unsigned from_low, from_high; /* shifts */
	struct sass_sign sign;
};

static struct half_source source_of(const struct inst *in, unsigned i,
				    unsigned neg)
{
	unsigned half = in->k >> 2 * i & 3;

	if (i == 1 && in->k & SASS_K_CROSSED) {
		struct sass_sign s = sass_sign_of(in->m, neg, PAIR_TOP);

		if (s.keep & 0x8000) /* the absolute value is taken after it */
			s.flip ^= 0x8000;
		return (struct half_source){ 16, 0, s };
	}
	return (struct half_source){ half == SASS_H1_H1 ? 16 : 0,
				     half == SASS_H0_H0 ? 0 : 16,
				     sass_sign_of(in->m, neg, PAIR_TOP) };
}

INLINE uint32_t source_get(uint32_t x, struct half_source s)
{
	uint32_t lo = x >> s.from_low & 0xffff, hi = x >> s.from_high;

	return sass_signed(lo | hi << 16, s.sign);
}

static void load_pairs(const struct warp *w, const struct inst *in, slot_t slot,
		       unsigned i, unsigned neg, uint32_t out[LANES])
{
	const struct half_source s = source_of(in, i, neg);
	const uint32_t *r = slot_at(w, slot);

	for (int l = 0; l < LANES; l++)
		out[l] = source_get(r[l], s);
}

/* Runs a loop of f16x2 or bf16x2 with the common modifiers as constants. */
#define BY_FORMAT(op)                                       \
	do {                                                \
		const unsigned m = in->m & (M_FTZ | M_SAT); \
		if (in->count == SASS_HFMT_BF16 && m == 0)  \
			LOOP(bf16x2_##op, 0);               \
		else if (in->count == SASS_HFMT_BF16)       \
			LOOP(bf16x2_##op, m);               \
		else if (m == 0)                            \
			LOOP(f16x2_##op, 0);                \
		else                                        \
			LOOP(f16x2_##op, m);                \
	} while (0)

#define LOOP2(fn, m)                    \
	for (int l = 0; l < LANES; l++) \
	out[l] = fn(a[l], b[l], m)
#define LOOP3(fn, m)                    \
	for (int l = 0; l < LANES; l++) \
	out[l] = fn(a[l], b[l], c[l], m)

/* A result in half precision, as a float: it is rounded like any other. ptxas
 * merges an operation and the conversion after it. */
static inline uint32_t half_as_float(float x, unsigned m)
{
	uint16_t half = f16_out(x, m & (M_RND | M_SAT));

	return f32_bits(f32_canon(f16_in(half, 0)));
}

/* The sum of the lower halves as a float. */
void sass_hadd2_f32(struct warp *w, const struct inst *in)
{
	const unsigned m = in->m;
	uint32_t a[LANES], b[LANES], out[LANES];

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->c, 2, SASS_NEG_C, b);
	for (int l = 0; l < LANES; l++)
		out[l] = half_as_float(
			f16_in(lo16(a[l]), m) + f16_in(lo16(b[l]), m), m);
	put32(w, in->d, out);
}

#define LOOP LOOP2
void sass_hadd2(struct warp *w, const struct inst *in)
{
	uint32_t a[LANES], b[LANES], out[LANES];

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->c, 2, SASS_NEG_C, b);
	BY_FORMAT(add);
	put32(w, in->d, out);
}

/* .FMZ: zero times anything is +0. */
static void zero_products(const struct inst *in, uint32_t a[LANES],
			  uint32_t b[LANES])
{
	const uint32_t exponent = in->count == SASS_HFMT_BF16 ? 0x7f80 : 0x7c00;

	for (int l = 0; l < LANES; l++)
		for (int i = 0; i < 32; i += 16)
			if (!(a[l] >> i & exponent) ||
			    !(b[l] >> i & exponent)) {
				a[l] &= ~(UINT32_C(0xffff) << i);
				b[l] &= ~(UINT32_C(0xffff) << i);
			}
}

void sass_hmul2(struct warp *w, const struct inst *in)
{
	uint32_t a[LANES], b[LANES], out[LANES];

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->b, 1, SASS_NEG_B, b);
	if (in->width == SASS_FMZ_FMZ)
		zero_products(in, a, b);
	if (in->count == SASS_HFMT_F32)
		for (int l = 0; l < LANES; l++)
			out[l] =
				half_as_float(f16_in(lo16(a[l]), in->m) *
						      f16_in(lo16(b[l]), in->m),
					      in->m);
	else
		BY_FORMAT(mul);
	put32(w, in->d, out);
}
#undef LOOP

/* .RELU, where PP is true: negative numbers become 0, a NaN stays. */
static void relu_pairs(const struct inst *in, pred_t pp, uint32_t out[LANES])
{
	const uint32_t inf = in->count == SASS_HFMT_BF16 ? 0x7f80 : 0x7c00;

	for (int l = 0; l < LANES; l++)
		for (int i = 0; i < 32; i += 16) {
			uint32_t h = out[l] >> i & 0xffff;

			if (pp >> l & 1 && h & 0x8000 && (h & 0x7fff) <= inf)
				out[l] &= ~(UINT32_C(0xffff) << i);
		}
}

/* A NaN does not stay as it is. */
SASS_LANE3(hfma2_moves, pair16(f16_canon(hi16(c)), f16_canon(lo16(c))))

#define LOOP LOOP3
void sass_hfma2(struct warp *w, const struct inst *in)
{
	uint32_t a[LANES], b[LANES], c[LANES], out[LANES];

	if (in->width == SASS_HFMA2_MOVES) {
		hfma2_moves(w, in);
		return;
	}

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->b, 1, SASS_NEG_B, b);
	load_pairs(w, in, in->c, 2, SASS_NEG_C, c);
	if (in->width == SASS_FMZ_FMZ)
		zero_products(in, a, b);
	BY_FORMAT(fma);
	if (in->m & M_RELU)
		relu_pairs(in, sass_pp(w, in), out);
	put32(w, in->d, out);
}
#undef LOOP

/* ---- minimum and maximum ------------------------------------------------- */

INLINE uint32_t pair_choose(uint32_t a, uint32_t b, bool min, bool bf16,
			    unsigned m)
{
	if (bf16)
		return min ? bf16x2_min(a, b, m) : bf16x2_max(a, b, m);
	return min ? f16x2_min(a, b, m) : f16x2_max(a, b, m);
}

/* .XORSIGN: the sign of the result is made of those in the registers. */
static uint32_t xor_sign(uint32_t r, uint32_t sign, uint32_t exponent)
{
	for (int i = 0; i < 32; i += 16)
		if ((r >> i & 0x7fff) <= exponent)
			r = (r & ~(UINT32_C(0x8000) << i)) |
			    (sign & UINT32_C(0x8000) << i);
	return r;
}

void sass_hmnmx2(struct warp *w, const struct inst *in)
{
	const bool bf16 = in->count == SASS_HFMT_BF16;
	const pred_t min = sass_pp(w, in);
	const unsigned m = in->m & (M_FTZ | M_NAN);
	uint32_t a[LANES], b[LANES], sa[LANES], sb[LANES], out[LANES];

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->b, 1, SASS_NEG_B, b);
	load_pairs(w, in, in->a, 0, 0, sa);
	load_pairs(w, in, in->b, 1, 0, sb);
	for (int l = 0; l < LANES; l++)
		out[l] = pair_choose(a[l], b[l], min >> l & 1, bf16, m);
	for (int l = 0; in->m & M_XORSIGN && l < LANES; l++)
		out[l] =
			xor_sign(out[l], sa[l] ^ sb[l], bf16 ? 0x7f80 : 0x7c00);
	put32(w, in->d, out);
}

/* ---- comparison ---------------------------------------------------------- */

struct pair_truth {
	pred_t low, high;
};

static unsigned half_relation(uint16_t a, uint16_t b, bool bf16, unsigned m)
{
	if (bf16 ? bf16_un(a, b, m) : f16_un(a, b, m))
		return SASS_IF_UN;
	if (bf16 ? bf16_lt(a, b, m) : f16_lt(a, b, m))
		return SASS_IF_LT;
	if (bf16 ? bf16_eq(a, b, m) : f16_eq(a, b, m))
		return SASS_IF_EQ;
	return SASS_IF_GT;
}

static struct pair_truth compare_pairs(struct warp *w, const struct inst *in)
{
	const bool bf16 = in->count == SASS_HFMT_BF16;
	const unsigned m = in->m & M_FTZ, k = in->width;
	struct pair_truth t = { 0, 0 };
	uint32_t a[LANES], b[LANES];

	load_pairs(w, in, in->a, 0, SASS_NEG_A, a);
	load_pairs(w, in, in->c, 2, SASS_NEG_C, b);
	for (int l = 0; l < LANES; l++) {
		unsigned lo = half_relation(lo16(a[l]), lo16(b[l]), bf16, m);
		unsigned hi = half_relation(hi16(a[l]), hi16(b[l]), bf16, m);

		t.low |= (pred_t)((k & lo) != 0) << l;
		t.high |= (pred_t)((k & hi) != 0) << l;
	}
	return t;
}

/* The lower halves decide PU and the upper ones PV; .H_AND: both decide PU, and
 * PV is the contrary. */
void sass_hsetp2(struct warp *w, const struct inst *in)
{
	const struct sass_inst *s = &sass_more_of(in)->inst;
	const unsigned bop = SASS_MOD(s, BOP);
	const pred_t pp = sass_pp(w, in);
	struct pair_truth t = compare_pairs(w, in);

	if (SASS_MOD(s, HAND)) {
		t.low &= t.high;
		t.high = (pred_t)~t.low;
	}
	pred_put(w, in->d2, sass_combine(bop, t.low, pp));
	sass_put_pv(w, in, sass_combine(bop, t.high, pp));
}

void sass_hset2(struct warp *w, const struct inst *in)
{
	const struct sass_inst *s = &sass_more_of(in)->inst;
	const unsigned bop = SASS_MOD(s, BOP);
	const pred_t pp = sass_pp(w, in);
	const struct pair_truth t = compare_pairs(w, in);
	const pred_t low = sass_combine(bop, t.low, pp);
	const pred_t high = sass_combine(bop, t.high, pp);
	const uint16_t one = in->count == SASS_HFMT_BF16 ? 0x3f80 : 0x3c00;
	const uint16_t yes = SASS_MOD(s, BF) ? one : 0xffff;

	SASS_EACH_LANE(w, in->d,
		       pair16(high >> l & 1 ? yes : 0, low >> l & 1 ? yes : 0));
}
