/*
 * Operations among the lanes of a warp: shuffles, votes, matches, reductions.
 */
#include "isa/ptx/exec_rows.h"
#include "simt/exchange.h"

static void put_uniform(struct warp *w, slot_t d, uint32_t v)
{
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++)
		out[l] = v;
	put32(w, d, out);
}

static void shfl(struct warp *w, const struct inst *in)
{
	uint32_t out[LANES];
	lanes_t inside = lanes_shuffle((enum shfl_mode)in->k, slot_at(w, in->a),
				       slot_at(w, in->b), slot_at(w, in->c),
				       out);

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

static void match_values(const struct warp *w, const struct inst *in,
			 uint64_t v[LANES])
{
	for (int l = 0; l < LANES; l++)
		v[l] = slot_lane(w, in->a, in->width, l);
}

static void match_any(struct warp *w, const struct inst *in)
{
	uint32_t out[LANES] = { 0 };
	uint64_t v[LANES];

	match_values(w, in, v);
	for (unsigned l = 0; l < LANES; l++)
		if (w->mask >> l & 1)
			out[l] = (uint32_t)lanes_equal(v, w->mask, l);
	put32(w, in->d, out);
}

void exec_match_any(struct warp *w, const struct inst *in)
{
	warp_by_members(w, in, in->b, match_any);
}

static void match_all(struct warp *w, const struct inst *in)
{
	uint64_t v[LANES];
	bool all;

	match_values(w, in, v);
	all = lanes_equal(v, w->mask, lanes_first(w->mask)) == w->mask;
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

static void redux(struct warp *w, const struct inst *in)
{
	put_uniform(w, in->d,
		    lanes_reduce((enum redux_op)in->k, in->m, slot_at(w, in->a),
				 w->mask));
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
