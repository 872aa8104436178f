/*
 * Integer arithmetic, logic and comparison.
 *
 * A negated operand of an addition counts as its complement plus one in 33 bits:
 * 0 - 0 has a carry. With .X it is the complement, and the carry that PP or PQ
 * holds is added instead of the one.
 */
#include "isa/sass/exec_alu.h"

/* ---- additions ----------------------------------------------------------- */

INLINE void add3(struct warp *w, const struct inst *in, uint32_t na,
		 uint32_t nb, uint32_t nc)
{
	const uint32_t *ra = slot_at(w, in->a);
	const uint32_t *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const uint32_t one = (na & 1) + (nb & 1) + (nc & 1);

	SASS_EACH_LANE(w, in->d,
		       (ra[l] ^ na) + (rb[l] ^ nb) + (rc[l] ^ nc) + one);
}

/* The operands with their signs, and what .X or a negation adds. */
struct add3_terms {
	const uint32_t *a, *b, *c;
	uint32_t na, nb, nc, one;
	pred_t pp, pq;
};

static struct add3_terms add3_terms_of(const struct warp *w,
				       const struct inst *in)
{
	struct add3_terms t = { slot_at(w, in->a),
				slot_at(w, in->b),
				slot_at(w, in->c),
				sass_all(in, SASS_NEG_A),
				sass_all(in, SASS_NEG_B),
				sass_all(in, SASS_NEG_C),
				0,
				0,
				0 };

	if (in->k & SASS_K_X) {
		t.pp = sass_pp(w, in);
		t.pq = sass_pq(w, in);
	} else {
		t.one = (t.na & 1) + (t.nb & 1) + (t.nc & 1);
	}
	return t;
}

/* The sum; returns where it is 2^32 or more, if that is wanted. */
INLINE pred_t add3_sum(const struct add3_terms t, uint32_t out[LANES],
		       const bool carry)
{
	uint32_t pu = 0;

	for (int l = 0; l < LANES; l++) {
		uint32_t a = t.a[l] ^ t.na, s = a + (t.b[l] ^ t.nb);
		uint32_t u = s + (t.c[l] ^ t.nc);
		uint32_t v = u + t.one + (t.pp >> l & 1) + (t.pq >> l & 1);

		out[l] = v;
		if (carry)
			pu |= ((s < a) | (u < s) | (v < u)) ? 1u << l : 0;
	}
	return pu;
}

/* Where the sum is 2^33 or more. */
static pred_t add3_second(const struct add3_terms t)
{
	pred_t pv = 0;

	for (int l = 0; l < LANES; l++) {
		uint64_t s = (uint64_t)(t.a[l] ^ t.na) + (t.b[l] ^ t.nb) +
			     (t.c[l] ^ t.nc) + t.one + (t.pp >> l & 1) +
			     (t.pq >> l & 1);

		pv |= (pred_t)(s >> 33 != 0) << l;
	}
	return pv;
}

static void add3_carry(struct warp *w, const struct inst *in)
{
	const struct add3_terms t = add3_terms_of(w, in);
	uint32_t out[LANES];
	pred_t pu, pv = in->k & SASS_K_PV ? add3_second(t) : 0;

	pu = add3_sum(t, out, true);
	put32(w, in->d, out);
	pred_put(w, in->d2, pu);
	if (in->k & SASS_K_PV)
		sass_put_pv(w, in, pv);
}

static void add3_extended(struct warp *w, const struct inst *in)
{
	uint32_t out[LANES];

	add3_sum(add3_terms_of(w, in), out, false);
	put32(w, in->d, out);
}

void sass_iadd3(struct warp *w, const struct inst *in)
{
	if (in->k & SASS_K_OUT)
		add3_carry(w, in);
	else if (in->k & SASS_K_X)
		add3_extended(w, in);
	else if (LIKELY(!(in->m & SASS_SIGNS)))
		add3(w, in, 0, 0, 0);
	else
		add3(w, in, sass_all(in, SASS_NEG_A), sass_all(in, SASS_NEG_B),
		     sass_all(in, SASS_NEG_C));
}

INLINE void add2(struct warp *w, const struct inst *in, uint32_t na,
		 uint32_t nb)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t one = (na & 1) + (nb & 1);

	SASS_EACH_LANE(w, in->d, (ra[l] ^ na) + (rb[l] ^ nb) + one);
}

/* in->width: 16x2. */
void sass_viadd(struct warp *w, const struct inst *in)
{
	const uint32_t na = sass_all(in, SASS_NEG_A);
	const uint32_t nb = sass_all(in, SASS_NEG_B);
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	uint32_t out[LANES];

	if (LIKELY(!in->width && !(in->m & SASS_SIGNS))) {
		add2(w, in, 0, 0);
		return;
	}
	if (!in->width) {
		add2(w, in, na, nb);
		return;
	}
	for (int l = 0; l < LANES; l++) {
		uint32_t a = ra[l] ^ na, b = rb[l] ^ nb;
		uint32_t one = (na & 1) + (nb & 1);

		out[l] = ((a + b + one) & 0xffff) |
			 ((a >> 16) + (b >> 16) + one) << 16;
	}
	put32(w, in->d, out);
}

/* The address of a word of a bindless constant bank: A is the bank's descriptor,
 * whose lower bits are its address in units of 64 bytes, and whose upper bits are
 * its size in units of 16; B is the offset. The predicate says that it lies
 * outside. How many bytes are read (operand I) does not matter. */
void sass_clea(struct warp *w, const struct inst *in)
{
	enum { UNIT_BITS = 6, ADDRESS_BITS = 57, SIZE_AT = 51, SIZE_UNIT = 16 };
	const struct sass_pair ra = sass_pair_at(w, in->a);
	const uint32_t *rb = slot_at(w, in->b);
	uint64_t out[LANES];
	pred_t outside = 0;

	for (int l = 0; l < LANES; l++) {
		uint64_t bank = sass_pair_get(ra, l), offset = rb[l] & 0xffff;
		uint64_t base = bank << (64 - ADDRESS_BITS + UNIT_BITS);

		out[l] = (uint64_t)((int64_t)base >> (64 - ADDRESS_BITS)) +
			 offset;
		outside |= (pred_t)(offset >= (bank >> SIZE_AT) * SIZE_UNIT)
			   << l;
	}
	sass_put_pair(w, in->d, out);
	pred_put(w, in->d2, outside);
}

/* Sums of 64 bits: A, B and C are pairs. */
void sass_iadd3_64(struct warp *w, const struct inst *in)
{
	const struct sass_pair ra = sass_pair_at(w, in->a);
	const struct sass_pair rb = sass_pair_at(w, in->b);
	const struct sass_pair rc = sass_pair_at(w, in->c);
	const uint64_t na = sass_all64(in, SASS_NEG_A);
	const uint64_t nb = sass_all64(in, SASS_NEG_B);
	const uint64_t nc = sass_all64(in, SASS_NEG_C);
	const bool x = in->k & SASS_K_X;
	const uint64_t one = x ? 0 : (na & 1) + (nb & 1) + (nc & 1);
	const pred_t pp = x ? sass_pp(w, in) : 0, pq = x ? sass_pq(w, in) : 0;
	pred_t pu = 0, pv = 0;
	uint64_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint64_t a = sass_pair_get(ra, l) ^ na;
		uint64_t b = sass_pair_get(rb, l) ^ nb;
		uint64_t c = sass_pair_get(rc, l) ^ nc;
		uint64_t rest = one + (pp >> l & 1) + (pq >> l & 1);
		uint64_t s = a + b, t = s + c, u = t + rest;
		int carries = (s < a) + (t < s) + (u < t);

		out[l] = u;
		pu |= (pred_t)(carries > 0) << l;
		pv |= (pred_t)(carries > 1) << l;
	}
	sass_put_pair(w, in->d, out);
	pred_put(w, in->d2, pu);
	sass_put_pv(w, in, pv);
}

/* ---- LEA ----------------------------------------------------------------- */

/* What is shifted: A, C above A, A with its sign above it. The upper word of
 * the last two is the result. */
enum lea_kind { LEA_LOW, LEA_HIGH, LEA_SIGN };

/* in->width is the shift. */
INLINE uint32_t lea_shifted(uint32_t a, uint32_t c, enum lea_kind kind,
			    unsigned shift)
{
	uint32_t top = kind == LEA_SIGN ? (uint32_t)((int32_t)a >> 31) : c;

	if (kind == LEA_LOW)
		return a << shift;
	/* Two shifts: one by 32 is not defined. */
	return top << shift | a >> 1 >> (31 - shift);
}

INLINE void lea_plain(struct warp *w, const struct inst *in, enum lea_kind kind)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = kind == LEA_HIGH ? slot_at(w, in->c) : ra;
	const uint32_t na = sass_all(in, SASS_NEG_A);
	const uint32_t nb = sass_all(in, SASS_NEG_B);
	const unsigned shift = in->width & 31;

	SASS_EACH_LANE(w, in->d,
		       (lea_shifted(ra[l], rc[l], kind, shift) ^ na) - na +
			       (rb[l] ^ nb) - nb);
}

INLINE void lea_carry(struct warp *w, const struct inst *in, enum lea_kind kind)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = kind == LEA_HIGH ? slot_at(w, in->c) : ra;
	const uint32_t na = sass_all(in, SASS_NEG_A);
	const uint32_t nb = sass_all(in, SASS_NEG_B);
	const bool x = in->k & SASS_K_X;
	const uint32_t one = x ? 0 : (na & 1) + (nb & 1);
	const pred_t pp = x ? sass_pp(w, in) : 0;
	const unsigned shift = in->width & 31;
	uint32_t pu = 0;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t a = lea_shifted(ra[l], rc[l], kind, shift) ^ na;
		uint32_t s = a + (rb[l] ^ nb), t = s + one + (pp >> l & 1);

		out[l] = t;
		pu |= ((s < a) | (t < s)) ? 1u << l : 0;
	}
	put32(w, in->d, out);
	pred_put(w, in->d2, pu);
}

#define LEA(name, kind)                                  \
	void name(struct warp *w, const struct inst *in) \
	{                                                \
		if (in->k & (SASS_K_X | SASS_K_OUT))     \
			lea_carry(w, in, kind);          \
		else                                     \
			lea_plain(w, in, kind);          \
	}
LEA(sass_lea, LEA_LOW)
LEA(sass_lea_hi, LEA_HIGH)
LEA(sass_lea_sx, LEA_SIGN)
#undef LEA

/* ---- multiplications ----------------------------------------------------- */

SASS_LANE3(imad_plain, a *b + c)

void sass_imad(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const uint32_t nb = sass_all(in, SASS_NEG_B);
	const uint32_t nc = sass_all(in, SASS_NEG_C);
	const bool x = in->k & SASS_K_X;
	const pred_t pp = x ? sass_pp(w, in) : 0;
	const uint32_t one = x ? 0 : nc & 1;

	if (LIKELY(!x && !(in->m & SASS_SIGNS))) {
		imad_plain(w, in);
		return;
	}
	SASS_EACH_LANE(w, in->d,
		       ra[l] * ((rb[l] ^ nb) - nb) + (rc[l] ^ nc) + one +
			       (pp >> l & 1));
}

INLINE uint64_t wide_product(uint32_t a, uint32_t b, bool is_signed)
{
	return is_signed ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) :
			   (uint64_t)a * b;
}

/* Also the carry of the sum of 64 bits, if `carry` is not NULL. */
INLINE void wide_sum(struct warp *w, const struct inst *in, bool is_signed,
		     uint64_t out[LANES], pred_t *carry)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	struct sass_pair rc = sass_pair_at(w, in->c);
	const uint64_t nc = in->m & SASS_NEG_C ? ~UINT64_C(0) : 0;
	const bool x = in->k & SASS_K_X;
	const pred_t pp = x ? sass_pp(w, in) : 0;
	const uint64_t one = x ? 0 : nc & 1;
	pred_t pu = 0;

	for (int l = 0; l < LANES; l++) {
		uint64_t p = wide_product(ra[l], rb[l], is_signed);
		uint64_t c = sass_pair_get(rc, l) ^ nc;
		uint64_t s = p + c, t = s + one + (pp >> l & 1);

		out[l] = t;
		if (carry)
			pu |= (pred_t)(s < p || t < s) << l;
	}
	if (carry)
		*carry = pu;
}

/* A pair that is computed at once, because it may overlap with the operands. */
INLINE void wide_put(struct warp *w, const struct inst *in,
		     const uint32_t low[LANES], const uint32_t high[LANES])
{
	put32(w, in->d, low);
	put32(w, in->d + SASS_PAIR_BYTES, high);
}

INLINE void wide_plain(struct warp *w, const struct inst *in, bool is_signed)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const struct sass_pair rc = sass_pair_at(w, in->c);
	uint32_t low[LANES], high[LANES];

	for (int l = 0; l < LANES; l++) {
		uint64_t p = wide_product(ra[l], rb[l], is_signed);

		low[l] = ra[l] * rb[l] + rc.lo[l];
		high[l] = (uint32_t)(p >> 32) + rc.hi[l] +
			  (uint32_t)(low[l] < rc.lo[l]);
	}
	wide_put(w, in, low, high);
}

/* The same if B is two to the power of in->width, between 1 and 30. */
INLINE void wide_shifted(struct warp *w, const struct inst *in, bool is_signed)
{
	const uint32_t *ra = slot_at(w, in->a);
	const struct sass_pair rc = sass_pair_at(w, in->c);
	const unsigned up = in->width & 31, down = (32 - up) & 31;
	uint32_t low[LANES], high[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t a = ra[l];
		uint32_t top = is_signed ? (uint32_t)((int32_t)a >> down) :
					   a >> down;

		low[l] = (a << up) + rc.lo[l];
		high[l] = top + rc.hi[l] + (uint32_t)(low[l] < rc.lo[l]);
	}
	wide_put(w, in, low, high);
}

static void wide_carry(struct warp *w, const struct inst *in,
		       uint64_t out[LANES])
{
	pred_t carry;

	if (in->k & SASS_K_SIGNED)
		wide_sum(w, in, true, out, &carry);
	else
		wide_sum(w, in, false, out, &carry);
	pred_put(w, in->d2, carry);
}

void sass_imad_wide(struct warp *w, const struct inst *in)
{
	uint64_t out[LANES];

	if (UNLIKELY(in->k & ~SASS_K_SIGNED || in->m & SASS_SIGNS)) {
		wide_carry(w, in, out);
		sass_put_pair(w, in->d, out);
	} else if (in->width && in->k) {
		wide_shifted(w, in, true);
	} else if (in->width) {
		wide_shifted(w, in, false);
	} else if (in->k) {
		wide_plain(w, in, true);
	} else {
		wide_plain(w, in, false);
	}
}

void sass_imad_hi(struct warp *w, const struct inst *in)
{
	uint64_t wide[LANES];

	wide_carry(w, in, wide);
	SASS_EACH_LANE(w, in->d, (uint32_t)(wide[l] >> 32));
}

/* ---- logic and shifts ---------------------------------------------------- */

INLINE pred_t lop3_loop(struct warp *w, const struct inst *in,
			const uint32_t lut, bool test)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	uint32_t out[LANES];
	uint32_t some = 0;

	for (int l = 0; l < LANES; l++)
		out[l] = u32_lop3(ra[l], rb[l], rc[l], lut);
	put32(w, in->d, out);
	for (int l = 0; test && l < LANES; l++)
		some |= out[l] ? 1u << l : 0;
	return some;
}

/* in->k is the table; in->width: 1 if PU is wanted, 2 if it is ANDed. */
void sass_lop3(struct warp *w, const struct inst *in)
{
	pred_t some, pp;

	if (in->width & 1) {
		some = in->k == 0xc0 ? lop3_loop(w, in, 0xc0, true) :
				       lop3_loop(w, in, in->k, true);
		pp = sass_pp(w, in);
		pred_put(w, in->d2, in->width & 2 ? some & pp : some | pp);
		return;
	}
	switch (in->k) {
#define COMMON(lut)                           \
	case lut:                             \
		lop3_loop(w, in, lut, false); \
		break;
		COMMON(0xc0) /* a & b */
		COMMON(0xfc) /* a | b */
		COMMON(0x3c) /* a ^ b */
		COMMON(0x30) /* a & ~b */
		COMMON(0x33) /* ~b */
		COMMON(0x80) /* a & b & c */
		COMMON(0xfe) /* a | b | c */
		COMMON(0x96) /* a ^ b ^ c */
		COMMON(0xf8) /* a | b & c */
		COMMON(0xe2) /* b ? a : c */
		COMMON(0xca) /* a ? b : c */
#undef COMMON
	default:
		lop3_loop(w, in, in->k, false);
	}
}

SASS_LANE2(shf_left, u32_shl(a, b))
SASS_LANE3(shf_left_hi, u32_shf_l_clamp(a, c, b))
SASS_LANE3(shf_right, u32_shf_r_clamp(a, c, b))
SASS_LANE3(shf_right_hi, u32_shr(c, b))
SASS_LANE3(shf_right_hi_signed, s32_shr((int32_t)c, b))

INLINE uint32_t shf_any(uint32_t a, uint32_t b, uint32_t c, unsigned k)
{
	uint32_t limit = k & SASS_SHF_WIDE ? 64 : 32;
	uint32_t n = k & SASS_SHF_WRAP ? b & (limit - 1) :
		     b < limit         ? b :
					 limit;
	uint64_t v = (uint64_t)c << 32 | a;

	if (!(k & SASS_SHF_RIGHT))
		v = u64_shl(v, n);
	else if (k & SASS_SHF_SIGNED)
		v = (uint64_t)s64_shr((int64_t)v, n);
	else
		v = u64_shr(v, n);
	return (uint32_t)(k & SASS_SHF_HI ? v >> 32 : v);
}

SASS_LANE3(shf_general, shf_any(a, b, c, in->k))

void sass_shf(struct warp *w, const struct inst *in)
{
	switch (in->k) {
	case 0:
	case SASS_SHF_SIGNED:
		shf_left(w, in);
		break;
	case SASS_SHF_HI:
	case SASS_SHF_HI | SASS_SHF_SIGNED:
		shf_left_hi(w, in);
		break;
	case SASS_SHF_RIGHT:
		shf_right(w, in);
		break;
	case SASS_SHF_RIGHT | SASS_SHF_HI:
		shf_right_hi(w, in);
		break;
	case SASS_SHF_RIGHT | SASS_SHF_HI | SASS_SHF_SIGNED:
		shf_right_hi_signed(w, in);
		break;
	default:
		shf_general(w, in);
	}
}

/* ---- comparison ---------------------------------------------------------- */

#define COMPARE(name, T)                                                      \
	INLINE pred_t name(struct warp *w, const struct inst *in, pred_t *eq) \
	{                                                                     \
		const T *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);     \
		uint32_t less = 0, same = 0;                                  \
		for (int l = 0; l < LANES; l++) {                             \
			less |= ra[l] < rb[l] ? 1u << l : 0;                  \
			same |= ra[l] == rb[l] ? 1u << l : 0;                 \
		}                                                             \
		*eq = same;                                                   \
		return less;                                                  \
	}
COMPARE(compare_u32, uint32_t)
COMPARE(compare_s32, int32_t)
#undef COMPARE

/* in->width: 1 signed, 2 the lower words were compared before, with the result
 * in PR: .EX. That does not change a comparison that is always true or false. */
void sass_isetp(struct warp *w, const struct inst *in)
{
	pred_t lt, eq, truth;

	lt = in->width & 1 ? compare_s32(w, in, &eq) : compare_u32(w, in, &eq);
	truth = sass_truth(in->k, lt, eq, 0);
	if (in->width & 2 && in->k != SASS_ICMP_F && in->k != SASS_ICMP_T)
		truth = (truth & ~eq) | (eq & sass_pr(w, in));
	sass_put_compared(w, in, truth);
}

/* ---- minimum, maximum, absolute value ------------------------------------ */

/* in->k of VIMNMX and VIADDMNMX: the type, and that negative results are 0. */
enum {
	MNMX_U32,
	MNMX_S32,
	MNMX_U16X2,
	MNMX_S16X2,
	MNMX_RELU,
	MNMX_OUT = 8 /* PU or PV is not PT */
};

/* One operand of a type, as a number; `part`: the half of a pair. */
INLINE int64_t mnmx_number(uint32_t x, unsigned type, unsigned part)
{
	uint32_t half = x >> 16 * part;

	switch (type) {
	case MNMX_U32:
		return x;
	case MNMX_S32:
		return (int32_t)x;
	case MNMX_U16X2:
		return (uint16_t)half;
	default:
		return (int16_t)half;
	}
}

INLINE uint32_t mnmx(uint32_t a, uint32_t b, bool min, unsigned type)
{
	bool first[2];

	for (unsigned i = 0; i < 2; i++)
		first[i] = min ==
			   (mnmx_number(a, type, i) < mnmx_number(b, type, i));
	return (first[0] ? a & 0xffff : b & 0xffff) |
	       (first[1] ? a & 0xffff0000 : b & 0xffff0000);
}

INLINE uint32_t mnmx_relu(uint32_t x, unsigned type)
{
	return (mnmx_number(x, type, 0) < 0 ? 0 : x & 0xffff) |
	       (mnmx_number(x, type, 1) < 0 ? 0 : x & 0xffff0000);
}

/* PU and PV say whether the result is A, in the lower and the upper half. */
INLINE void mnmx_loop(struct warp *w, const struct inst *in,
		      const unsigned type)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const pred_t min = sass_pp(w, in);
	const bool relu = in->k & MNMX_RELU, pair = type >= MNMX_U16X2;
	const uint32_t low = pair ? 0x0000ffff : ~UINT32_C(0);
	const uint32_t high = pair ? 0xffff0000 : ~UINT32_C(0);
	pred_t pu = 0, pv = 0;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t r = mnmx(ra[l], rb[l], min >> l & 1, type);
		uint32_t differs;

		out[l] = relu ? mnmx_relu(r, type) : r;
		differs = out[l] ^ ra[l];
		pu |= (pred_t) !(differs & low) << l;
		pv |= (pred_t) !(differs & high) << l;
	}
	put32(w, in->d, out);
	pred_put(w, in->d2, pu);
	sass_put_pv(w, in, pv);
}

/* Without RELU and predicates, where all lanes want the same. */
SASS_LANE2(min_u32, u32_min(a, b))
SASS_LANE2(max_u32, u32_max(a, b))
SASS_LANE2(min_s32, s32_min((int32_t)a, (int32_t)b))
SASS_LANE2(max_s32, s32_max((int32_t)a, (int32_t)b))

static bool mnmx_fast(struct warp *w, const struct inst *in)
{
	pred_t min = sass_pp(w, in);

	if (in->k >= MNMX_U16X2 || (min && (pred_t)~min))
		return false;
	if (in->k == MNMX_U32 && min)
		min_u32(w, in);
	else if (in->k == MNMX_U32)
		max_u32(w, in);
	else if (min)
		min_s32(w, in);
	else
		max_s32(w, in);
	return true;
}

void sass_vimnmx(struct warp *w, const struct inst *in)
{
	if (mnmx_fast(w, in))
		return;
	switch (in->k & 3) {
	case MNMX_U32:
		mnmx_loop(w, in, MNMX_U32);
		break;
	case MNMX_S32:
		mnmx_loop(w, in, MNMX_S32);
		break;
	case MNMX_U16X2:
		mnmx_loop(w, in, MNMX_U16X2);
		break;
	default:
		mnmx_loop(w, in, MNMX_S16X2);
	}
}

void sass_imnmx(struct warp *w, const struct inst *in)
{
	sass_vimnmx(w, in);
}

INLINE uint32_t add_by_type(uint32_t a, uint32_t b, uint32_t nb, unsigned type)
{
	uint32_t one = nb & 1;

	b ^= nb;
	if (type < MNMX_U16X2)
		return a + b + one;
	return ((a + b + one) & 0xffff) | ((a >> 16) + (b >> 16) + one) << 16;
}

void sass_viaddmnmx(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const uint32_t nb = sass_all(in, SASS_NEG_B);
	const pred_t min = sass_pp(w, in);
	const unsigned type = in->k & 3;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t s = add_by_type(ra[l], rb[l], nb, type);
		uint32_t r = mnmx(s, rc[l], min >> l & 1, type);

		out[l] = in->k & MNMX_RELU ? mnmx_relu(r, type) : r;
	}
	put32(w, in->d, out);
}

void sass_vimnmx3(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const pred_t min = sass_pp(w, in);
	const unsigned type = in->k & 3;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		bool least = min >> l & 1;
		uint32_t r = mnmx(mnmx(ra[l], rb[l], least, type), rc[l], least,
				  type);

		out[l] = in->k & MNMX_RELU ? mnmx_relu(r, type) : r;
	}
	put32(w, in->d, out);
}

SASS_LANE1(iabs_loop, s32_abs((int32_t)b))

void sass_iabs(struct warp *w, const struct inst *in)
{
	iabs_loop(w, in);
}

/* in->k: signed. PU is the carry of the sum. */
void sass_vabsdiff(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	pred_t carry = 0;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t a = ra[l], b = rb[l], c = rc[l];

		out[l] = in->k ? (uint32_t)s32_sad((int32_t)a, (int32_t)b,
						   (int32_t)c) :
				 u32_sad(a, b, c);
		carry |= (pred_t)(out[l] < c) << l;
	}
	put32(w, in->d, out);
	pred_put(w, in->d2, carry);
}

INLINE uint32_t absdiff_byte(uint32_t a, uint32_t b, bool is_signed)
{
	int32_t x = is_signed ? (int8_t)a : (int32_t)(a & 0xff);
	int32_t y = is_signed ? (int8_t)b : (int32_t)(b & 0xff);

	return (uint32_t)(x < y ? y - x : x - y) & 0xff;
}

/* in->k: 1 signed, 2 the sum of the bytes is added to C. */
INLINE uint32_t absdiff4(uint32_t a, uint32_t b, uint32_t c, unsigned k)
{
	uint32_t sum = 0, bytes = 0;

	for (int i = 0; i < 32; i += 8) {
		uint32_t d = absdiff_byte(a >> i, b >> i, k & 1);

		sum += d;
		bytes |= d << i;
	}
	return k & 2 ? sum + c : bytes;
}

/* PU is the carry of the sum. */
void sass_vabsdiff4(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	pred_t carry = 0;
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		out[l] = absdiff4(ra[l], rb[l], rc[l], in->k);
		carry |= (pred_t)(in->k & 2 && out[l] < rc[l]) << l;
	}
	put32(w, in->d, out);
	pred_put(w, in->d2, carry);
}

/* Dot products. in->k: 1 A is signed, 2 B is signed. */
INLINE void idp_loop(struct warp *w, const struct inst *in, uint32_t shift,
		     uint32_t (*dot)(uint32_t, uint32_t, uint32_t))
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const uint32_t nc = sass_all(in, SASS_NEG_C);

	SASS_EACH_LANE(w, in->d, dot(ra[l], rb[l] >> shift, (rc[l] ^ nc) - nc));
}

void sass_idp_4a(struct warp *w, const struct inst *in)
{
	switch (in->k) {
	case 0:
		idp_loop(w, in, 0, dp4a_uu);
		break;
	case 1:
		idp_loop(w, in, 0, dp4a_su);
		break;
	case 2:
		idp_loop(w, in, 0, dp4a_us);
		break;
	default:
		idp_loop(w, in, 0, dp4a_ss);
	}
}

/* in->width: where the bytes of B begin that are used. */
void sass_idp_2a(struct warp *w, const struct inst *in)
{
	switch (in->k) {
	case 0:
		idp_loop(w, in, in->width, dp2a_lo_uu);
		break;
	case 1:
		idp_loop(w, in, in->width, dp2a_lo_su);
		break;
	case 2:
		idp_loop(w, in, in->width, dp2a_lo_us);
		break;
	default:
		idp_loop(w, in, in->width, dp2a_lo_ss);
	}
}

/* ---- bits and bytes ------------------------------------------------------ */

/* in->k: the mode. A has the lower bytes, C the upper ones, B selects. */
#define PRMT_LOOP(mode) SASS_LANE3(prmt_##mode##_loop, u32_prmt_##mode(a, c, b))
SASS_LANE3(prmt_loop, u32_prmt(a, c, b))
PRMT_LOOP(f4e)
PRMT_LOOP(b4e)
PRMT_LOOP(rc8)
PRMT_LOOP(ecl)
PRMT_LOOP(ecr)
PRMT_LOOP(rc16)
#undef PRMT_LOOP

void sass_prmt(struct warp *w, const struct inst *in)
{
	switch (in->k) {
#define CASE(n, loop)        \
	case n:              \
		loop(w, in); \
		break;
		CASE(1, prmt_f4e_loop)
		CASE(2, prmt_b4e_loop)
		CASE(3, prmt_rc8_loop)
		CASE(4, prmt_ecl_loop)
		CASE(5, prmt_ecr_loop)
		CASE(6, prmt_rc16_loop)
#undef CASE
	default:
		prmt_loop(w, in);
	}
}

/* in->k of SGXT and BMSK: 1 signed, 2 amounts are taken modulo 32. */
SASS_LANE2(sgxt_u_clamp, u32_szext_clamp(a, b))
SASS_LANE2(sgxt_s_clamp, s32_szext_clamp((int32_t)a, b))
SASS_LANE2(sgxt_u_wrap, u32_szext_wrap(a, b))
SASS_LANE2(sgxt_s_wrap, s32_szext_wrap((int32_t)a, b))
SASS_LANE2(bmsk_clamp, u32_bmsk_clamp(a, b))
SASS_LANE2(bmsk_wrap, u32_bmsk_wrap(a, b))

void sass_sgxt(struct warp *w, const struct inst *in)
{
	switch (in->k) {
	case 0:
		sgxt_u_clamp(w, in);
		break;
	case 1:
		sgxt_s_clamp(w, in);
		break;
	case 2:
		sgxt_u_wrap(w, in);
		break;
	default:
		sgxt_s_wrap(w, in);
	}
}

void sass_bmsk(struct warp *w, const struct inst *in)
{
	if (in->k & 2)
		bmsk_wrap(w, in);
	else
		bmsk_clamp(w, in);
}

INLINE uint32_t flipped(uint32_t b, const struct inst *in)
{
	return b ^ sass_all(in, SASS_NEG_B);
}

SASS_LANE1(popc_loop, u32_popc(flipped(b, in)))
SASS_LANE1(brev_loop, u32_brev(flipped(b, in)))

void sass_popc(struct warp *w, const struct inst *in)
{
	popc_loop(w, in);
}

void sass_brev(struct warp *w, const struct inst *in)
{
	brev_loop(w, in);
}

/* in->k: 1 signed, 2 the shift that brings the bit to the top. PU: found. */
INLINE uint32_t find_top(uint32_t b, unsigned k)
{
	if (k & 1)
		b = (int32_t)b < 0 ? ~b : b;
	return k & 2 ? u32_bfind_shift(b) : u32_bfind(b);
}

SASS_LANE1(flo_loop, find_top(flipped(b, in), in->k))

void sass_flo(struct warp *w, const struct inst *in)
{
	const uint32_t *rb = slot_at(w, in->b);
	pred_t found = 0;

	for (int l = 0; l < LANES; l++)
		found |= (pred_t)(find_top(flipped(rb[l], in), in->k) !=
				  ~UINT32_C(0))
			 << l;
	flo_loop(w, in);
	pred_put(w, in->d2, found);
}

/* ---- moves and selection ------------------------------------------------- */

/* in->k: lanes of each quad that move. */
static void mov_some(struct warp *w, const struct inst *in)
{
	const uint32_t *rb = slot_at(w, in->b), *rd = slot_at(w, in->d);

	SASS_EACH_LANE(w, in->d, in->k >> (l & 3) & 1 ? rb[l] : rd[l]);
}

void sass_mov(struct warp *w, const struct inst *in)
{
	if (LIKELY(in->k == 15))
		put32(w, in->d, slot_at(w, in->b));
	else
		mov_some(w, in);
}

void sass_sel(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const pred_t p = sass_pp(w, in);

	SASS_EACH_LANE(w, in->d, p >> l & 1 ? ra[l] : rb[l]);
}

/* ---- narrow integers ----------------------------------------------------- */

/* in->k: bits of the result; in->count: it is signed; in->width of I2IP: how it
 * is narrowed, and where the part of C begins that is above it. */
enum { NARROW_CUT, NARROW_SAT, NARROW_RELU, NARROW_HOW = 3, NARROW_FROM = 16 };

INLINE uint32_t narrowed(int32_t v, unsigned bits, bool is_signed, unsigned how)
{
	int32_t low = is_signed ? -(1 << (bits - 1)) : 0;
	int32_t high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;

	if (how == NARROW_RELU)
		low = 0;
	if (how != NARROW_CUT)
		v = v < low ? low : v > high ? high : v;
	return (uint32_t)v;
}

SASS_LANE1(i2i_loop, narrowed((int32_t)b, in->k, in->count, NARROW_SAT))

void sass_i2i(struct warp *w, const struct inst *in)
{
	i2i_loop(w, in);
}

/* A above B, and above both as much of C as there is room. */
void sass_i2ip(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const uint32_t *rc = slot_at(w, in->c);
	const unsigned bits = in->k, how = in->width & NARROW_HOW;
	const uint32_t one = u32_ones(bits);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t a = narrowed((int32_t)ra[l], bits, in->count, how);
		uint32_t b = narrowed((int32_t)rb[l], bits, in->count, how);
		uint32_t c = rc[l] >> (in->width & NARROW_FROM);

		out[l] = (a & one) << bits | (b & one) | u32_shl(c, 2 * bits);
	}
	put32(w, in->d, out);
}
