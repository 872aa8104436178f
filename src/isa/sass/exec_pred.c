/*
 * Predicates: logic on three of them, and moves from and to registers.
 */
#include "isa/sass/exec_alu.h"

/* in->k and in->count are the tables for PU and PV. */
static pred_t lookup(unsigned lut, pred_t a, pred_t b, pred_t c)
{
	pred_t r = 0;

	for (unsigned i = 0; i < 8; i++)
		if (lut >> i & 1)
			r |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) &
			     (i & 1 ? c : ~c);
	return r;
}

static void put_looked_up(struct warp *w, const struct inst *in, pred_t a,
			  pred_t b, pred_t c)
{
	pred_t pv = lookup(in->count, a, b, c);

	pred_put(w, in->d2, lookup(in->k, a, b, c));
	sass_put_pv(w, in, pv);
}

void sass_plop3(struct warp *w, const struct inst *in)
{
	put_looked_up(w, in, sass_pp(w, in), sass_pq(w, in), sass_pr(w, in));
}

static pred_t sign_bits(const struct warp *w, slot_t s)
{
	const int32_t *r = slot_at(w, s);
	pred_t bits = 0;

	for (int l = 0; l < LANES; l++)
		bits |= (pred_t)(r[l] < 0) << l;
	return bits;
}

/* in->width: which sources are the signs of registers: 1 A, 2 B, 4 C. */
void sass_plop3_sign(struct warp *w, const struct inst *in)
{
	pred_t a = in->width & 1 ? sign_bits(w, in->a) : sass_pp(w, in);
	pred_t b = in->width & 2 ? sign_bits(w, in->b) : sass_pq(w, in);
	pred_t c = in->width & 4 ? sign_bits(w, in->c) : sass_pr(w, in);

	put_looked_up(w, in, a, b, c);
}

/* in->c is the first predicate, the others follow it. in->width is where their
 * bits begin in the register. */
enum { PREDICATES = 7 };

void sass_p2r(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const pred_t *p = slot_at(w, in->c);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t mask = rb[l] & 0xff, bits = 0;

		for (int i = 0; i < PREDICATES; i++)
			bits |= (uint32_t)(p[i] >> l & 1) << i;
		out[l] = (ra[l] & ~(mask << in->width)) | (bits & mask)
								  << in->width;
	}
	put32(w, in->d, out);
}

void sass_r2p(struct warp *w, const struct inst *in)
{
	const uint32_t *ra = slot_at(w, in->a), *rb = slot_at(w, in->b);
	const pred_t mask = (pred_t)w->mask;
	pred_t *p = slot_at(w, in->c);

	for (int i = 0; i < PREDICATES; i++) {
		pred_t set = 0, bits = 0;

		for (int l = 0; l < LANES; l++) {
			set |= (pred_t)(rb[l] >> i & 1) << l;
			bits |= (pred_t)(ra[l] >> in->width >> i & 1) << l;
		}
		set &= mask;
		p[i] = (p[i] & ~set) | (bits & set);
	}
}
