/*
 * Operations among the lanes of a warp, over those that execute them together:
 * machine code brings lanes together by barriers of its own.
 */
#include "isa/sass/exec.h"
#include "simt/exchange.h"

/* Writes a register: of the lanes in w->mask, or a uniform one. */
static void put_value(struct warp *w, const struct inst *in, uint32_t v)
{
	uint32_t out[LANES];

	if (in->d == SLOT_NONE)
		return;
	if (sass_more_of(in)->inst.opnd[SASS_D].type == SASS_UREG) {
		sass_put_uniform(w, in->d, v);
		return;
	}
	for (int l = 0; l < LANES; l++)
		out[l] = v;
	put32(w, in->d, out);
}

static void put_predicate(struct warp *w, const struct inst *in, bool v)
{
	lanes_t mask = w->mask;

	if (sass_more_of(in)->inst.opnd[SASS_PU].type == SASS_UPRED)
		w->mask = sass_uniform_lanes(w);
	pred_put(w, in->d2, v ? LANES_ALL : 0);
	w->mask = mask;
}

void sass_vote(struct warp *w, const struct inst *in)
{
	lanes_t v = pred_src(w, in, in->e, 0) & w->mask;
	bool all = v == w->mask, result;

	switch (SASS_MOD(&sass_more_of(in)->inst, VOTE)) {
	case SASS_VOTE_ALL:
		result = all;
		break;
	case SASS_VOTE_ANY:
		result = v != 0;
		break;
	default:
		result = all || !v;
	}
	put_value(w, in, (uint32_t)v);
	put_predicate(w, in, result);
}

void sass_shfl(struct warp *w, const struct inst *in)
{
	static const enum shfl_mode modes[] = {
		[SASS_SHFL_IDX] = SHFL_IDX,
		[SASS_SHFL_UP] = SHFL_UP,
		[SASS_SHFL_DOWN] = SHFL_DOWN,
		[SASS_SHFL_BFLY] = SHFL_BFLY,
	};
	unsigned mode = SASS_MOD(&sass_more_of(in)->inst, SHFL) & 3;
	const uint32_t *ra = slot_at(w, in->a);
	uint32_t from[LANES], out[LANES];
	lanes_t inside;

	/* A lane that does not take part gives zero. */
	for (int l = 0; l < LANES; l++)
		from[l] = w->mask >> l & 1 ? ra[l] : 0;
	inside = lanes_shuffle(modes[mode], from, slot_at(w, in->b),
			       slot_at(w, in->c), out);

	put32(w, in->d, out);
	pred_put(w, in->d2, inside);
}

/* Bit 79 of the encoding: .ANY, else .ALL. */
void sass_match(struct warp *w, const struct inst *in)
{
	const struct sass_inst *i = &sass_more_of(in)->inst;
	const uint32_t *a = slot_at(w, in->a);
	uint64_t v[LANES];
	uint32_t out[LANES] = { 0 };
	bool all;

	for (int l = 0; l < LANES; l++)
		v[l] = a[l] |
		       (SASS_MOD(i, U64) ? (uint64_t)a[LANES + l] << 32 : 0);
	if (sass_bits(i->enc->value, 79, 1)) {
		for (unsigned l = 0; l < LANES; l++)
			if (w->mask >> l & 1)
				out[l] = (uint32_t)lanes_equal(v, w->mask, l);
		put32(w, in->d, out);
		return;
	}
	all = lanes_equal(v, w->mask, lanes_first(w->mask)) == w->mask;
	put_value(w, in, all ? (uint32_t)w->mask : 0);
	put_predicate(w, in, all);
}

void sass_redux(struct warp *w, const struct inst *in)
{
	static const enum redux_op ops[] = {
		[SASS_REDUX_AND] = REDUX_AND, [SASS_REDUX_OR] = REDUX_OR,
		[SASS_REDUX_XOR] = REDUX_XOR, [SASS_REDUX_SUM] = REDUX_ADD,
		[SASS_REDUX_MIN] = REDUX_MIN, [SASS_REDUX_MAX] = REDUX_MAX,
	};
	const struct sass_inst *i = &sass_more_of(in)->inst;

	put_value(w, in,
		  lanes_reduce(ops[SASS_MOD(i, REDUX) % 6], SASS_MOD(i, S32),
			       slot_at(w, in->a), w->mask));
}

/* The leader is the first of the lanes whose predicate is true. */
void sass_elect(struct warp *w, const struct inst *in)
{
	lanes_t among = pred_src(w, in, in->e, 0) & w->mask;

	put_value(w, in, among ? lanes_first(among) : 0);
	pred_put(w, in->d2, among & -among);
}

/* The value of the first lane. PU: the lanes that have another one; with .OR
 * (bit 84), those that had it set already, too. */
void sass_r2ur(struct warp *w, const struct inst *in)
{
	const struct sass_inst *i = &sass_more_of(in)->inst;
	const uint32_t *a = slot_at(w, in->a);
	uint32_t v = a[lanes_first(w->mask)];
	lanes_t other = 0;

	for (int l = 0; l < LANES; l++)
		other |= (lanes_t)(a[l] != v) << l;
	if (sass_bits(i->enc->value, 84, 1))
		other |= pred_get(w, in->d2);
	pred_put(w, in->d2, other);
	put_value(w, in, v);
}
