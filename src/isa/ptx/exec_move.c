/*
 * Moves, packing and unpacking, addresses, predicates.
 */
#include <string.h>

#include "isa/ptx/exec_rows.h"
#include "simt/lane.h"
#include "simt/mem.h"

/* in->width is the bytes of a register; 1 is a predicate. */
static void move_lanes(struct warp *w, const struct inst *in)
{
	const char *from = slot_at(w, in->a);

	switch (in->width) {
	case 1:
		pred_put(w, in->d, pred_get(w, in->a));
		break;
	case 2:
		put16(w, in->d, (const uint16_t *)from);
		break;
	case 4:
		put32(w, in->d, (const uint32_t *)from);
		break;
	case 8:
		put64(w, in->d, (const uint64_t *)from);
		break;
	default:
		put64(w, in->d, (const uint64_t *)from);
		put64(w, in->d + 8 * LANES,
		      (const uint64_t *)(from + 8 * LANES));
	}
}

/* Element e of `bytes` bytes of a register, or of a 128-bit pair of them. */
static uint64_t element_of(const struct warp *w, slot_t s, unsigned whole,
			   unsigned bytes, unsigned e, int l)
{
	unsigned at = e * bytes;

	if (whole == 16) {
		s += at / 8 * 8 * LANES;
		at %= 8;
		whole = 8;
	}
	return slot_lane(w, s, whole, l) >> (8 * at);
}

/* mov.b64 {lo, hi}, x: list 0 are the parts, list 1 the whole. */
static void move_unpack(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	unsigned bytes = (unsigned)in->width / x->count[0];
	uint64_t v[4][LANES];

	for (unsigned e = 0; e < x->count[0]; e++)
		for (int l = 0; l < LANES; l++)
			v[e][l] = element_of(w, x->slots[x->first[1]],
					     in->width, bytes, e, l);
	for (unsigned e = 0; e < x->count[0]; e++)
		put_any(w, x->slots[x->first[0] + e], x->bytes[0], v[e]);
}

/* mov.b64 x, {lo, hi}: list 0 is the whole, list 1 are the parts. */
static void move_pack(struct warp *w, const struct inst *in)
{
	const struct opnd_lists *x = in->x;
	unsigned bytes = (unsigned)in->width / x->count[1];
	uint64_t ones = bytes == 8 ? ~0ull : (1ull << (8 * bytes)) - 1;
	uint64_t v[2][LANES];

	memset(v, 0, sizeof(v));
	for (unsigned e = 0; e < x->count[1]; e++) {
		unsigned at = e * bytes;

		for (int l = 0; l < LANES; l++)
			v[at / 8][l] |= (slot_lane(w, x->slots[x->first[1] + e],
						   x->bytes[1], l) &
					 ones)
					<< (8 * (at % 8));
	}
	put_any(w, x->slots[x->first[0]], in->width, v[0]);
	if (in->width == 16)
		put64(w, x->slots[x->first[0]] + 8 * LANES, v[1]);
}

/* The address of a variable in the frame's local memory. */
static void frame_address(struct warp *w, const struct inst *in)
{
	uint64_t v[LANES];

	for (int l = 0; l < LANES; l++)
		v[l] = w->frame->local_base + (uint64_t)in->offset;
	put_any(w, in->d, in->width, v);
}

void exec_mov(struct warp *w, const struct inst *in)
{
	switch (in->k) {
	case MOVE_PLAIN:
		move_lanes(w, in);
		break;
	case MOVE_UNPACK:
		move_unpack(w, in);
		break;
	case MOVE_PACK:
		move_pack(w, in);
		break;
	default:
		frame_address(w, in);
	}
}

/* in->offset is added: the base of the window, or its negative. */
static void shift_address(struct warp *w, const struct inst *in, uint64_t frame)
{
	uint64_t v[LANES], add = (uint64_t)in->offset + frame;

	if (LIKELY(in->width == 8 && in->a != SLOT_NONE)) {
		const uint64_t *a = slot_at(w, in->a);

		for (int l = 0; l < LANES; l++)
			v[l] = a[l] + add;
		put64(w, in->d, v);
		return;
	}
	for (int l = 0; l < LANES; l++)
		v[l] = add + (in->a == SLOT_NONE ?
				      0 :
				      slot_lane(w, in->a, in->width, l));
	put_any(w, in->d, in->width, v);
}

void exec_cvta(struct warp *w, const struct inst *in)
{
	shift_address(w, in, in->k ? w->frame->local_base : 0);
}

void exec_cvta_to(struct warp *w, const struct inst *in)
{
	shift_address(w, in, 0);
}

void exec_isspacep(struct warp *w, const struct inst *in)
{
	uint32_t is = 0;

	for (int l = 0; l < LANES; l++)
		if (window_of(slot_lane(w, in->a, in->width, l)) == in->space)
			is |= 1u << l;
	pred_put(w, in->d, is);
}

/* Cache policies have no effect on results, so any value is correct. */
void exec_createpolicy(struct warp *w, const struct inst *in)
{
	uint64_t v[LANES] = { 0 };

	put64(w, in->d, v);
}

void exec_and_pred(struct warp *w, const struct inst *in)
{
	pred_put(w, in->d,
		 pred_src(w, in, in->a, 0) & pred_src(w, in, in->b, 1));
}

void exec_or_pred(struct warp *w, const struct inst *in)
{
	pred_put(w, in->d,
		 pred_src(w, in, in->a, 0) | pred_src(w, in, in->b, 1));
}

void exec_xor_pred(struct warp *w, const struct inst *in)
{
	pred_put(w, in->d,
		 pred_src(w, in, in->a, 0) ^ pred_src(w, in, in->b, 1));
}

void exec_not_pred(struct warp *w, const struct inst *in)
{
	pred_put(w, in->d, ~pred_src(w, in, in->a, 0));
}

/* d|p, a, b, c, lut in in->offset, q in e. */
void exec_lop3_bool(struct warp *w, const struct inst *in)
{
	const uint32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	const uint32_t *c = slot_at(w, in->c);
	uint32_t out[LANES], p = 0, q = pred_src(w, in, in->e, 0);

	for (int l = 0; l < LANES; l++) {
		out[l] = u32_lop3(a[l], b[l], c[l], (uint32_t)in->offset);
		p |= out[l] ? 1u << l : 0;
	}
	put32(w, in->d, out);
	if (in->k == PTX_BOOL_AND)
		p &= q;
	else if (in->k == PTX_BOOL_OR)
		p |= q;
	else
		p ^= q;
	pred_put(w, in->d2, p);
}

/* One half of a packed comparison; in->k has IF_ bits. */
static bool half_compare(const struct inst *in, bool bf, uint16_t a, uint16_t b)
{
	bool lt = bf ? bf16_lt(a, b, in->m) : f16_lt(a, b, in->m);
	bool eq = bf ? bf16_eq(a, b, in->m) : f16_eq(a, b, in->m);
	bool un = bf ? bf16_un(a, b, in->m) : f16_un(a, b, in->m);

	return in->k & (un ? IF_UN : eq ? IF_EQ : lt ? IF_LT : IF_GT);
}

/* Both halves of all lanes, combined with predicate c as in->count says. */
static void compare_x2(const struct warp *w, const struct inst *in, bool bf,
		       uint32_t *low, uint32_t *high)
{
	const uint32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	uint32_t p = 0, q = 0;

	for (int l = 0; l < LANES; l++) {
		p |= half_compare(in, bf, lo16(a[l]), lo16(b[l])) ? 1u << l : 0;
		q |= half_compare(in, bf, hi16(a[l]), hi16(b[l])) ? 1u << l : 0;
	}
	*low = compare_combine(w, in, p);
	*high = compare_combine(w, in, q);
}

/* p gets the low halves, q the high ones. */
void exec_setp_x2(struct warp *w, const struct inst *in)
{
	uint32_t p, q;

	compare_x2(w, in, in->op == PTX_OP_SETP_BF16X2, &p, &q);
	pred_put(w, in->d, p);
	pred_put(w, in->d2, q);
}

/* in->offset has the bits that mean true in a half. */
void exec_set_x2(struct warp *w, const struct inst *in)
{
	uint32_t p, q, out[LANES], one = (uint32_t)in->offset;

	compare_x2(w, in, in->op == PTX_OP_SET_BF16X2, &p, &q);
	for (int l = 0; l < LANES; l++)
		out[l] = (p >> l & 1 ? one : 0) | (q >> l & 1 ? one << 16 : 0);
	put32(w, in->d, out);
}
