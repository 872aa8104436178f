#include "simt/exchange.h"

/* Sets *from to the lane that lane l reads; returns whether it is inside the
 * segment. */
static inline bool shfl_source(enum shfl_mode mode, uint32_t l, uint32_t b,
			       uint32_t c, uint32_t *from)
{
	uint32_t segment = c >> 8 & 31, clamp = c & 31;
	uint32_t last = (l & segment) | (clamp & ~segment);
	bool inside;
	int32_t j;

	b &= 31;
	switch (mode) {
	case SHFL_UP:
		j = (int32_t)(l - b);
		inside = j >= (int32_t)last;
		break;
	case SHFL_DOWN:
		j = (int32_t)(l + b);
		inside = j <= (int32_t)last;
		break;
	case SHFL_BFLY:
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

lanes_t lanes_shuffle(enum shfl_mode mode, const uint32_t a[LANES],
		      const uint32_t b[LANES], const uint32_t c[LANES],
		      uint32_t out[LANES])
{
	lanes_t inside = 0;

	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t from;

		if (shfl_source(mode, l, b[l], c[l], &from))
			inside |= lane_bit(l);
		out[l] = a[from];
	}
	return inside;
}

lanes_t lanes_equal(const uint64_t v[LANES], lanes_t among, unsigned l)
{
	lanes_t same = 0;

	for (unsigned k = 0; k < LANES; k++)
		same |= (lanes_t)(v[k] == v[l]) << k;
	return same & among;
}

static uint32_t redux_step(enum redux_op op, bool is_signed, uint32_t r,
			   uint32_t v)
{
	switch (op) {
	case REDUX_ADD:
		return r + v;
	case REDUX_AND:
		return r & v;
	case REDUX_OR:
		return r | v;
	case REDUX_XOR:
		return r ^ v;
	case REDUX_MIN:
		if (is_signed)
			return (int32_t)v < (int32_t)r ? v : r;
		return v < r ? v : r;
	default:
		if (is_signed)
			return (int32_t)v > (int32_t)r ? v : r;
		return v > r ? v : r;
	}
}

uint32_t lanes_reduce(enum redux_op op, bool is_signed, const uint32_t a[LANES],
		      lanes_t mask)
{
	unsigned first = lanes_first(mask);
	uint32_t r = a[first];

	for (unsigned l = first + 1; l < LANES; l++)
		if (mask >> l & 1)
			r = redux_step(op, is_signed, r, a[l]);
	return r;
}

/* The lanes of `of` whose mask of members is `these`. */
static lanes_t lanes_naming(const uint32_t members[LANES], lanes_t of,
			    uint32_t these)
{
	lanes_t same = 0;

	for (int l = 0; l < LANES; l++)
		same |= (lanes_t)(members[l] == these) << l;
	return same & of;
}

void warp_members_apart(struct warp *w, slot_t s)
{
	const uint32_t *members = slot_at(w, s);
	uint32_t first = members[lanes_first(w->mask)];
	lanes_t same = lanes_naming(members, w->mask, first);

	if (same != w->mask)
		warp_set_apart(w, same);
	(void)warp_converge(w, first);
}

void warp_by_members(struct warp *w, const struct inst *in, slot_t s,
		     exec_fn *one)
{
	const uint32_t *members = s == SLOT_NONE ? NULL : slot_at(w, s);
	lanes_t all = w->mask, same, missing = 0;
	uint32_t first;

	if (!members) {
		one(w, in);
		return;
	}
	first = members[lanes_first(all)];
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
	for (lanes_t left = all; left; left &= ~w->mask) {
		w->mask =
			lanes_naming(members, left, members[lanes_first(left)]);
		one(w, in);
	}
	w->mask = all;
}
