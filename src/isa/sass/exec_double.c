/*
 * Double precision. Operands are pairs of registers. A NaN keeps its sign
 * through a negation.
 */
#include "isa/sass/exec_alu.h"

INLINE void f64_load(const struct warp *w, slot_t s, unsigned m, unsigned neg,
		     double out[LANES])
{
	const struct sass_pair p = sass_pair_at(w, s);
	const uint64_t top = UINT64_C(1) << 63;
	const uint64_t keep = m & (neg << 1) ? ~top : ~UINT64_C(0);
	const uint64_t flip = m & neg ? top : 0;

	if (!(m & (neg | neg << 1))) {
		for (int l = 0; l < LANES; l++)
			out[l] = f64_of(sass_pair_get(p, l));
		return;
	}
	for (int l = 0; l < LANES; l++) {
		double x = f64_of(sass_pair_get(p, l));
		double y = f64_of((f64_bits(x) & keep) ^ flip);

		out[l] = x != x ? x : y;
	}
}

INLINE void f64_store(struct warp *w, slot_t s, const double v[LANES])
{
	uint64_t bits[LANES];

	memcpy(bits, v, sizeof(bits));
	sass_put_pair(w, s, bits);
}

/* Runs loop(w, in, m) with the usual rounding as a constant. */
#define DISPATCH(name, loop)                             \
	void name(struct warp *w, const struct inst *in) \
	{                                                \
		if (LIKELY(!(in->m & M_RND)))            \
			loop(w, in, 0);                  \
		else                                     \
			loop(w, in, in->m &M_RND);       \
	}

INLINE void dadd_loop(struct warp *w, const struct inst *in, const unsigned m)
{
	double a[LANES], c[LANES], out[LANES];

	f64_load(w, in->a, in->m, SASS_NEG_A, a);
	f64_load(w, in->c, in->m, SASS_NEG_C, c);
	for (int l = 0; l < LANES; l++)
		out[l] = f64_add(a[l], c[l], m);
	f64_store(w, in->d, out);
}
DISPATCH(sass_dadd, dadd_loop)

INLINE void dmul_loop(struct warp *w, const struct inst *in, const unsigned m)
{
	double a[LANES], b[LANES], out[LANES];

	f64_load(w, in->a, in->m, SASS_NEG_A, a);
	f64_load(w, in->b, in->m, SASS_NEG_B, b);
	for (int l = 0; l < LANES; l++)
		out[l] = f64_mul(a[l], b[l], m);
	f64_store(w, in->d, out);
}
DISPATCH(sass_dmul, dmul_loop)

INLINE void dfma_loop(struct warp *w, const struct inst *in, const unsigned m)
{
	double a[LANES], b[LANES], c[LANES], out[LANES];

	f64_load(w, in->a, in->m, SASS_NEG_A, a);
	f64_load(w, in->b, in->m, SASS_NEG_B, b);
	f64_load(w, in->c, in->m, SASS_NEG_C, c);
	for (int l = 0; l < LANES; l++)
		out[l] = f64_fma(a[l], b[l], c[l], m);
	f64_store(w, in->d, out);
}
DISPATCH(sass_dfma, dfma_loop)

/* The order of numbers, -0 below +0. */
static int64_t f64_rank(double x)
{
	int64_t u = (int64_t)f64_bits(x);

	return u ^ (u < 0 ? INT64_MAX : 0);
}

/* Whether A is the result of MIN or MAX. If both are equal, it is that of MIN
 * only. A NaN is no result. */
static bool f64_wins(double a, double c, bool max)
{
	if (a != a || c != c)
		return a == a;
	return max ? f64_rank(a) > f64_rank(c) : f64_rank(a) <= f64_rank(c);
}

/* Instead of the constants false and true, there are MIN and MAX: PU says that A
 * is the result, PV that both are NaN. */
static void dsetp_choose(struct warp *w, const struct inst *in,
			 const double a[LANES], const double c[LANES])
{
	pred_t first = 0, none = 0;

	for (int l = 0; l < LANES; l++) {
		first |= (pred_t)f64_wins(a[l], c[l], in->k) << l;
		none |= (pred_t)(a[l] != a[l] && c[l] != c[l]) << l;
	}
	pred_put(w, in->d2, sass_combine(in->count & 3, first, sass_pp(w, in)));
	sass_put_pv(w, in, none);
}

void sass_dsetp(struct warp *w, const struct inst *in)
{
	double a[LANES], c[LANES];
	pred_t lt = 0, eq = 0, un = 0;

	f64_load(w, in->a, in->m, SASS_NEG_A, a);
	f64_load(w, in->c, in->m, SASS_NEG_C, c);
	if (in->k == SASS_DCMP_MIN || in->k == SASS_DCMP_MAX) {
		dsetp_choose(w, in, a, c);
		return;
	}
	for (int l = 0; l < LANES; l++) {
		lt |= (pred_t)(a[l] < c[l]) << l;
		eq |= (pred_t)(a[l] == c[l]) << l;
		un |= (pred_t)(a[l] != a[l] || c[l] != c[l]) << l;
	}
	sass_put_compared(w, in, sass_truth(in->k, lt, eq, un));
}
