/*
 * Video instructions (PTX ISA 9.7.21): arithmetic on selected bytes and halves
 * of 32-bit registers, with saturation, a second operation or a merge.
 */
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/video.h"

/* The bits that a selector names; without one, those of the register. */
static unsigned part_bits(const struct video_part *p)
{
	return p->letter == 'b' ? 8 : p->letter == 'h' ? 16 : 32;
}

static int64_t video_extend(uint64_t v, unsigned bits, bool is_signed)
{
	uint64_t ones = (1ull << bits) - 1, sign = 1ull << (bits - 1);

	v &= ones;
	return is_signed && v & sign ? (int64_t)(v | ~ones) : (int64_t)v;
}

static int64_t video_extract(uint32_t r, const struct video_part *p)
{
	unsigned bits = part_bits(p);
	int64_t v = video_extend(r >> (bits == 32 ? 0 : p->digit[0] * bits),
				 bits, p->is_signed);

	return p->negated ? -v : v;
}

static int64_t video_clamp(int64_t v, unsigned bits, bool is_signed)
{
	int64_t lo = is_signed ? -(1ll << (bits - 1)) : 0;
	int64_t hi = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;

	return v < lo ? lo : v > hi ? hi : v;
}

static bool video_holds(unsigned truth, int64_t a, int64_t b)
{
	return truth & (a < b ? IF_LT : a == b ? IF_EQ : IF_GT);
}

/* A shift count above 32 is clamped to 32, or taken modulo 32. */
static int64_t video_shifted(const struct video_info *v, int64_t a, uint32_t n)
{
	n = v->wrap ? n & 31 : n > 32 ? 32 : n;
	if (v->op == VIDEO_SHL)
		return (int64_t)((uint64_t)a << n);
	return a >> n;
}

static int64_t video_primary(const struct video_info *v, int64_t a, int64_t b)
{
	switch (v->op) {
	case VIDEO_ADD:
		return a + b;
	case VIDEO_SUB:
		return a - b;
	case VIDEO_ABSDIFF:
		return a < b ? b - a : a - b;
	case VIDEO_MIN:
		return a < b ? a : b;
	case VIDEO_MAX:
		return a > b ? a : b;
	case VIDEO_AVRG:
		/* Rounded away from zero on a tie. */
		return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	case VIDEO_SET:
		return video_holds(v->truth, a, b);
	default:
		return video_shifted(v, a, (uint32_t)b);
	}
}

static uint32_t video_second(const struct video_info *v, uint32_t t, uint32_t c)
{
	bool less = v->d.is_signed ? (int32_t)t < (int32_t)c : t < c;

	switch (v->op2) {
	case VIDEO2_ADD:
		return t + c;
	case VIDEO2_MIN:
		return less ? t : c;
	case VIDEO2_MAX:
		return less ? c : t;
	default:
		return t;
	}
}

static uint32_t video_merge(const struct video_part *d, uint32_t t, uint32_t c)
{
	unsigned bits = part_bits(d), at = d->digit[0] * bits;
	uint32_t ones = bits == 32 ? ~0u : ((1u << bits) - 1) << at;

	if (bits == 32)
		return t;
	return (c & ~ones) | ((t << at) & ones);
}

static uint32_t video_scalar(const struct video_info *v, uint32_t a, uint32_t b,
			     uint32_t c)
{
	int64_t t = video_primary(v, video_extract(a, &v->a),
				  video_extract(b, &v->b));

	if (v->sat)
		t = video_clamp(t, part_bits(&v->d), v->d.is_signed);
	if (v->d.letter)
		return video_merge(&v->d, (uint32_t)t, c);
	return video_second(v, (uint32_t)t, c);
}

/*
 * a * b + c, scaled down; .po adds one. c is signed if the product is; the result
 * is signed if the product is, or if c is subtracted.
 */
static uint32_t multiply_add(const struct video_info *v, uint32_t a, uint32_t b,
			     uint32_t c)
{
	bool product_signed = v->a.is_signed || v->b.is_signed ||
			      v->a.negated != v->b.negated;
	bool is_signed = product_signed || v->c_negated;
	__int128 t = product_signed ? (int32_t)c : (__int128)c;

	t = v->c_negated ? -t : t;
	t += (__int128)video_extract(a, &v->a) * video_extract(b, &v->b) +
	     v->plus_one;
	t >>= v->scale;
	if (v->sat) {
		__int128 lo = is_signed ? -(1ll << 31) : 0;
		__int128 hi = is_signed ? (1ll << 31) - 1 : (1ll << 32) - 1;

		t = t < lo ? lo : t > hi ? hi : t;
	}
	return (uint32_t)t;
}

/* Element i of a packed operand. A selector numbers the elements of a, then
 * those of b. */
static int64_t packed_element(uint32_t a, uint32_t b,
			      const struct video_part *p, unsigned bits,
			      unsigned i)
{
	uint64_t both = (uint64_t)b << 32 | a;

	return video_extend(both >> (p->digit[i] * bits), bits, p->is_signed);
}

static uint32_t video_packed(const struct video_info *v, uint32_t a, uint32_t b,
			     uint32_t c)
{
	unsigned bits = 32u / v->elements;
	uint32_t ones = (1u << bits) - 1, out = c;

	for (unsigned i = 0; i < v->elements; i++) {
		int64_t t;

		if (!(v->mask >> i & 1))
			continue;
		t = video_primary(v, packed_element(a, b, &v->a, bits, i),
				  packed_element(a, b, &v->b, bits, i));
		if (v->sat)
			t = video_clamp(t, bits, v->d.is_signed);
		if (v->op2 == VIDEO2_ADD)
			out += (uint32_t)t;
		else
			out = (out & ~(ones << (i * bits))) |
			      ((uint32_t)t & ones) << (i * bits);
	}
	return out;
}

void exec_video(struct warp *w, const struct inst *in)
{
	const struct video_info *v = in->x;
	const uint32_t *a = slot_at(w, in->a), *b = slot_at(w, in->b);
	const uint32_t *c = in->c == SLOT_NONE ? NULL : slot_at(w, in->c);
	uint32_t out[LANES];

	for (int l = 0; l < LANES; l++) {
		uint32_t third = c ? c[l] : 0;

		out[l] = v->elements ? video_packed(v, a[l], b[l], third) :
			 v->op == VIDEO_MAD ?
				       multiply_add(v, a[l], b[l], third) :
				       video_scalar(v, a[l], b[l], third);
	}
	put32(w, in->d, out);
}
