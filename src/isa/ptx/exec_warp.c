/*
 * Operations among the lanes of a warp: shuffles, votes, matches, reductions.
 */
#include "isa/ptx/exec_rows.h"

/* The lanes of `of` whose mask of members is `these`. */
static uint32_t lanes_naming(const uint32_t members[LANES], uint32_t of,
			     uint32_t these)
{
	uint32_t same = 0;

	for (int l = 0; l < LANES; l++)
		same |= (uint32_t)(members[l] == these) << l;
	return same & of;
}

static void put_uniform(struct warp *w, slot_t d, uint32_t v)
{
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = v;
	put32(w, d, out);
}

void warp_by_members(struct warp *w, const struct inst *in, slot_t s,
		     exec_fn *one)
{
	const uint32_t *members = s == SLOT_NONE ? NULL : slot_at(w, s);
	uint32_t all = w->mask, first, same, missing = 0;

	if (!members) {
		one(w, in);
		return;
	}
	first = members[__builtin_ctz(all)];
	same = lanes_naming(members, all, first);
	if (LIKELY(same == all)) {
		if (warp_converge(w, first))
			one(w, in);
		return;
	}
	for (int l = 0; l < LANES; l++)
		if (all >> l & 1)
			missing |= members[l] & warp_live(w) & ~w->active;
	if (missing) {
		warp_set_apart(w, same);
		if (warp_converge(w, first))
			one(w, in);
		return;
	}
	for (uint32_t left = all; left; left &= ~w->mask) {
		w->mask = lanes_naming(members, left,
				       members[__builtin_ctz(left)]);
		one(w, in);
	}
	w->mask = all;
}

/* Sets *from to the lane that lane l reads; returns whether it is inside the
 * segment. */
static bool shfl_source(enum ptx_attr mode, uint32_t l, uint32_t b, uint32_t c,
			uint32_t *from)
{
	uint32_t segment = c >> 8 & 31, clamp = c & 31;
	uint32_t last = (l & segment) | (clamp & ~segment);
	bool inside;
	int32_t j;

	b &= 31;
	switch (mode) {
	case PTX_SHFL_UP:
		j = (int32_t)(l - b);
		inside = j >= (int32_t)last;
		break;
	case PTX_SHFL_DOWN:
		j = (int32_t)(l + b);
		inside = j <= (int32_t)last;
		break;
	case PTX_SHFL_BFLY:
		j = (int32_t)(l ^ b);
		inside = j <= (int32_t)last;
		break;
	default:
		j = (int32_t)((l & segment) | (b & ~segment));
		inside = j <= (int32_t)last;
	}
	*from = inside ? (uint32_t)j & 31 : l;
	return inside;
}

static void shfl(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	const uint32_t *c = slot_at(w, in->c);
	uint32_t out[LANES], inside = 0;

	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t from;

		if (shfl_source(in->k, l, b[l], c[l], &from))
			inside |= 1u << l;
		out[l] = a[from];
	}
	put32(w, in->d, out);
	pred_put(w, in->d2, inside);
}

/* d|p, a, b, c and, for .sync, the members in e. in->k is the mode. */
void exec_shfl(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->e, shfl);
}

static void vote(struct warp *w, const struct inst *in)
{
	uint32_t v = pred_src(w, in, in->a, 0) & w->mask;
	bool r;

	switch (in->k) {
	case PTX_VOTE_ALL:
		r = v == w->mask;
		break;
	case PTX_VOTE_ANY:
		r = v != 0;
		break;
	default:
		r = v == 0 || v == w->mask;
	}
	pred_put(w, in->d, r ? ~0u : 0);
}

/* p, q and, for .sync, the members in b. */
void exec_vote(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, vote);
}

static void ballot(struct warp *w, const struct inst *in)
{
	put_uniform(w, in->d, pred_src(w, in, in->a, 0) & w->mask);
}

void exec_ballot(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, ballot);
}

/* Lanes of w->mask whose value equals lane l's. */
static uint32_t lanes_equal_to(const struct warp *w, const struct inst *in,
			       int l)
{
	uint64_t v = slot_lane(w, in->a, in->width, l);
	uint32_t same = 0;

	for (int k = 0; k < LANES; k++)
		if (w->mask >> k & 1 && slot_lane(w, in->a, in->width, k) == v)
			same |= 1u << k;
	return same;
}

static void match_any(struct warp *w, const struct inst *in)
{
	uint32_t out[LANES] = { 0 };

	for (int l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			out[l] = lanes_equal_to(w, in, l);
	put32(w, in->d, out);
}

void exec_match_any(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, match_any);
}

static void match_all(struct warp *w, const struct inst *in)
{
	bool all = lanes_equal_to(w, in, __builtin_ctz(w->mask)) == w->mask;

	put_uniform(w, in->d, all ? w->mask : 0);
	pred_put(w, in->d2, all ? ~0u : 0);
}

void exec_match_all(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, match_all);
}

void exec_activemask(struct warp *w, const struct inst *in)
{
	put_uniform(w, in->d, w->mask);
}

static uint32_t redux_step(const struct inst *in, uint32_t r, uint32_t v)
{
	bool is_signed = in->m;

	switch (in->k) {
	case PTX_REDOP_ADD:
		return r + v;
	case PTX_REDOP_AND:
		return r & v;
	case PTX_REDOP_OR:
		return r | v;
	case PTX_REDOP_XOR:
		return r ^ v;
	case PTX_REDOP_MIN:
		if (is_signed)
			return (int32_t)v < (int32_t)r ? v : r;
		return v < r ? v : r;
	default:
		if (is_signed)
			return (int32_t)v > (int32_t)r ? v : r;
		return v > r ? v : r;
	}
}

static void redux(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a);
	uint32_t first = (uint32_t)__builtin_ctz(w->mask), r = a[first];

	for (uint32_t l = first + 1; l < LANES; l++)
		if (w->mask >> l & 1)
			r = redux_step(in, r, a[l]);
	put_uniform(w, in->d, r);
}

void exec_redux(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, redux);
}

static void elect(struct warp *w, const struct inst *in)
{
	uint32_t leader = (uint32_t)__builtin_ctz(w->mask);

	put_uniform(w, in->d, leader);
	pred_put(w, in->d2, 1u << leader);
}

void exec_elect(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->a, elect);
}

void exec_warp_sync(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->a, warp_nop);
}
