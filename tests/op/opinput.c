/*
 * The inputs of a form: all pairs of edge values, random bits, and values near
 * each other, so that sums cancel, results become subnormal and roundings tie.
 * They use no library function and no host arithmetic on floats, so every
 * machine makes the same inputs.
 */
#include <string.h>

#include "opgen.h"

struct rng {
	uint64_t s;
};

/* splitmix64 */
static uint64_t next(struct rng *r)
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t below(struct rng *r, uint32_t n)
{
	return (uint32_t)((next(r) >> 32) * n >> 32);
}

static int between(struct rng *r, int low, int high)
{
	return low + (int)below(r, (uint32_t)(high - low + 1));
}

/* ---- edge values, the most important first ------------------------------ */

struct edges {
	const uint64_t *v;
	int n;
};

#define EDGES(name, ...)                                                       \
	static const uint64_t name##_values[] = { __VA_ARGS__ };               \
	static const struct edges name = {                                     \
		name##_values, (int)(sizeof(name##_values) / sizeof(uint64_t)) \
	}

/* clang-format off */
EDGES(f32_edges,
	0x00000000, 0x80000000, 0x3f800000, 0x7f800000,
	0xff800000, 0x7fc00000, 0x00000001, 0x7f7fffff,
	0x7f800001, 0x807fffff, 0x00800000, 0xbf800000,
	0x3f800001, 0x33800000, 0x4b000001, 0xff7fffff,
	0xffc12345, 0x00400000, 0x80000001, 0x80800000, 0x3f7fffff,
	0x3f000000, 0xbf000000, 0x3fc00000, 0xbfc00000, 0x40200000,
	0x3effffff, 0x3f000001, 0x42fe0000, 0x42ff0000, 0x43000000,
	0xc3000000, 0xc3008000, 0xc3010000, 0x437f0000, 0x437f8000,
	0x46fffe00, 0x46ffff00, 0xc7000000, 0xc7000100, 0x477fff00,
	0x477fff80, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001,
	0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
	0x5f7fffff, 0x5f800000, 0x477fe000, 0x477fefff, 0x477ff000,
	0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x43e00000,
	0x43e80000, 0x43e80001, 0x47600000, 0x476fffff, 0x47700000,
	0x3b000000, 0x3a800000, 0x37800000, 0x37000000, 0x7f7f8000,
	0x7f7f7fff, 0x7f7fefff, 0x7f7ff000, 0x40490fdb, 0x7f000000,
	0x7effffff, 0x7e800000, 0x00ffffff, 0x01000000);
EDGES(f64_edges,
	0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
	0x0000000000000001, 0x7fefffffffffffff,
	0x7ff0000000000001, 0x800fffffffffffff, 0x0010000000000000,
	0xbff0000000000000, 0x3ff0000000000001, 0x3ca0000000000000,
	0x4340000000000001, 0xffefffffffffffff,
	0xfff8123456789abc, 0x0008000000000000, 0x3fe0000000000000,
	0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
	0x3fdfffffffffffff, 0x3fefffffffffffff, 0x405fc00000000000,
	0x4060000000000000, 0xc060100000000000, 0xc060200000000000,
	0x406fe00000000000, 0x406ff00000000000, 0x40dfffc000000000,
	0x40dfffe000000000, 0x40efffe000000000, 0x40effff000000000,
	0x41dfffffffc00000, 0x41dfffffffe00000, 0x41e0000000000000,
	0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
	0x41effffffff00000, 0x41f0000000000000, 0x43dfffffffffffff,
	0x43e0000000000000, 0xc3e0000000000000, 0xc3e0000000000001,
	0x43efffffffffffff, 0x43f0000000000000, 0x47efffffe0000000,
	0x47efffffefffffff, 0x47effffff0000000, 0x3810000000000000,
	0x380fffffffffffff, 0x36a0000000000000, 0x3690000000000000,
	0x3690000000000001, 0x40effc0000000000, 0x40effdffffffffff,
	0x40effe0000000000, 0x3f10000000000000, 0x3e70000000000000,
	0x3e60000000000000, 0x3e60000000000001, 0x400921fb54442d18,
	0x7fe0000000000000, 0x7fd0000000000000, 0x001fffffffffffff);
EDGES(f16_edges,
	0x0000, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff,
	0x7c01, 0x83ff, 0x0400, 0xbc00, 0x3c01, 0x1000, 0x6401, 0xfbff,
	0xfe55, 0x0200, 0x8001, 0x8400, 0x3bff, 0x3800, 0xb800, 0x3e00,
	0x4100, 0x37ff, 0x3801, 0x57f0, 0x57f8, 0x5800, 0xd800, 0xd804,
	0xd808, 0x5bf8, 0x5bfc, 0x5c00, 0x77ff, 0x7800, 0xf800, 0xf801,
	0x5f00, 0x5f40, 0x5f41, 0x7b00, 0x7b7f, 0x7b80, 0x1800, 0x1400,
	0x0c00, 0x0800, 0x7000, 0x0002, 0x0003, 0x07ff);
EDGES(bf16_edges,
	0x0000, 0x8000, 0x3f80, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x7f7f,
	0x7f81, 0x807f, 0x0080, 0xbf80, 0x3f81, 0x3b80, 0x4381, 0xff7f,
	0xffd5, 0x0040, 0x8001, 0x8080, 0x3f7f, 0x3f00, 0xbf00, 0x3fc0,
	0x4020, 0x3eff, 0x3f01, 0x42fe, 0x42ff, 0x4300, 0xc300, 0xc301,
	0x437f, 0x46ff, 0x4700, 0xc700, 0x477f, 0x4780, 0x4eff, 0x4f00,
	0xcf00, 0xcf01, 0x4f7f, 0x4f80, 0x5eff, 0x5f00, 0x5f80, 0x43e0,
	0x43e8, 0x4760, 0x4770, 0x3380, 0x3300, 0x3880, 0x7f00, 0x0002);
/* Integers of all widths: extended by their sign, cut to the type. */
EDGES(int_edges,
	0, 1, UINT64_MAX, 2, 0x8000000000000000, 0x7fffffffffffffff,
	0xffffffff80000000, 0x7fffffff, UINT64_MAX - 1, 0xffffffffffff8000,
	0x7fff, 0xffffffff, 0x5555555555555555, 3, 7, 0x8000000000000001,
	0xffff, 0x10000, 0xffffffffffffff80, 0x7f, 0xff, 0x100, 0x80000001,
	0x100000000, 0xaaaaaaaaaaaaaaaa, 10, UINT64_MAX - 6, 0x8000, 0x80,
	0x80000000, 0xfffffffeffffffff, 0x1000000, 0x1000001, 0xffffff7f,
	0x20000000000001, 0x7fffffbf, 0x7fffff40, 0x8001, 0x7ff8, 0x801, 31,
	0x1001, 0x1003, 0x7fffff8000000000, 0x7ffffffffffffc00,
	0x7ffffffffffffe00, 0xfffffffffffffc00, 0x8000000000000400,
	65504, 65519, 65520, 0x123456789abcdef);
EDGES(shift_edges,
	0, 1, 31, 32, 33, 63, 64, 0xffffffff,
	15, 16, 17, 65, 127, 255, 256, 0x80000000,
	2, 7, 8, 24, 30, 34, 128, 257, 0x10020, 0x7fffffff);
EDGES(field_edges,
	0, 1, 31, 32, 8, 64, 255, 33,
	16, 63, 256, 0xffffffff, 24, 0x120, 65, 128,
	7, 30, 0x1ff, 0x80000000, 0x101, 4);
EDGES(perm_edges,
	0x3210, 0x7654, 0, 1, 2, 3, 0xffff, 0x5410,
	0xba98, 0xfedc, 0x0123, 0x8888, 0x7362, 0x10000, 0xabcd3210, 4);
EDGES(piece_edges,
	0x80ff7f01, 0x7f80ff00, 0xffff8000, 0x00017fff,
	0, 0xffffffff, 0x80000000, 0x7fffffff, 0x80008000, 0x7fff7fff,
	0x80808080, 0x7f7f7f7f, 0xff, 0xffff, 0x8000, 0x80, 1, 0xff00ff00);
EDGES(base_edges, 0, 31, 1, 16, 15, 30, 8, 7, 24);
EDGES(nth_edges,
	0, 1, 0xffffffff, 2, 32, 0xffffffe0, 31, 33,
	3, 0xfffffffe, 16, 0x80000000, 0x7fffffff, 0xffffffe1);
EDGES(bit_edges, 0, 1);
/* clang-format on */

enum shape { INTEGER, FLOAT, PAIR, PREDICATE };

/* How the bits of a type are divided. */
struct format {
	enum shape shape;
	int bits; /* of a value; of one half of a PAIR */
	int exponent, mantissa;
	const struct edges *edges;
};

static struct format format_of(enum ptx_type type)
{
	switch (type) {
	case PTX_F32:
	case PTX_TF32:
		return (struct format){ FLOAT, 32, 8, 23, &f32_edges };
	case PTX_F64:
		return (struct format){ FLOAT, 64, 11, 52, &f64_edges };
	case PTX_F16:
		return (struct format){ FLOAT, 16, 5, 10, &f16_edges };
	case PTX_BF16:
		return (struct format){ FLOAT, 16, 8, 7, &bf16_edges };
	case PTX_F16X2:
		return (struct format){ PAIR, 16, 5, 10, &f16_edges };
	case PTX_BF16X2:
		return (struct format){ PAIR, 16, 8, 7, &bf16_edges };
	case PTX_U16X2:
	case PTX_S16X2:
		return (struct format){ PAIR, 16, 0, 0, &int_edges };
	case PTX_PRED:
		return (struct format){ PREDICATE, 1, 0, 0, &bit_edges };
	case PTX_U16:
	case PTX_S16:
	case PTX_B16:
		return (struct format){ INTEGER, 16, 0, 0, &int_edges };
	case PTX_U64:
	case PTX_S64:
	case PTX_B64:
		return (struct format){ INTEGER, 64, 0, 0, &int_edges };
	default:
		return (struct format){ INTEGER, 32, 0, 0, &int_edges };
	}
}

static const struct edges *edges_of(enum op_role role, const struct format *f)
{
	switch (role) {
	case OP_SHIFT:
		return &shift_edges;
	case OP_FIELD:
		return &field_edges;
	case OP_PERM:
		return &perm_edges;
	case OP_PIECES:
		return &piece_edges;
	case OP_BASE:
		return &base_edges;
	case OP_NTH:
		return &nth_edges;
	default:
		return f->edges;
	}
}

static uint64_t cut(uint64_t v, int bits)
{
	return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static int edge_count(const struct op_form *f, int slot)
{
	struct format t = format_of(f->input[slot]);

	if (f->input_role[slot] == OP_FP8)
		return 256;
	return edges_of(f->input_role[slot], &t)->n;
}

static uint64_t edge(const struct op_form *f, int slot, int k)
{
	struct format t = format_of(f->input[slot]);
	const struct edges *e = edges_of(f->input_role[slot], &t);

	if (f->input_role[slot] == OP_FP8)
		return (uint64_t)(k | (255 - k) << 8);
	if (t.shape == PAIR)
		return cut(e->v[k], 16) | cut(e->v[(7 * k + 3) % e->n], 16)
						  << 16;
	return cut(e->v[k], t.bits);
}

/* ---- values near each other ---------------------------------------------- */

/* Shared by the operands of one case. */
struct near {
	int kind;
	int exponent;
	uint64_t first; /* the first operand */
};

/*
 * An expression never calls the generator twice: the compiler chooses the order
 * of the calls, and the inputs must not depend on it.
 */
static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

/* With a random sign. */
static uint64_t pack(struct rng *r, const struct format *t, int exponent,
		     uint64_t mantissa)
{
	int top = (1 << t->exponent) - 2;

	return (next(r) & 1) << (t->bits - 1) |
	       (uint64_t)clamp(exponent, 0, top) << t->mantissa |
	       cut(mantissa, t->mantissa);
}

/* Few bits at the top and few at the bottom: sums and products tie. */
static uint64_t sparse(struct rng *r, const struct format *t)
{
	uint64_t low = next(r);

	low &= next(r) & 15;
	return low | (next(r) & 15) << (t->mantissa - 4);
}

/* A small number n / 2^k. */
static uint64_t small_float(struct rng *r, const struct format *t)
{
	int bias = (1 << (t->exponent - 1)) - 1;
	int width = between(r, 1, 12 < t->mantissa ? 12 : t->mantissa);
	uint64_t n = below(r, 1u << width) | 1u << (width - 1);
	int e = bias + width - 1 - between(r, 0, 12);

	return pack(r, t, e, n << (t->mantissa - width + 1));
}

/* The product or quotient of the first two is near the smallest normal number.
 */
static uint64_t tiny_float(struct rng *r, const struct format *t, int operand,
			   struct near *near)
{
	int bias = (1 << (t->exponent - 1)) - 1;
	int off = between(r, -t->mantissa - 3, 2);
	bool quotient = near->kind & 1;
	uint64_t mantissa;

	if (operand == 0) {
		near->exponent = between(r, 1, bias);
		if (quotient)
			near->exponent = between(r, 0, t->mantissa + 4);
	}
	mantissa = next(r);
	if (operand == 0)
		return pack(r, t, near->exponent, mantissa);
	if (operand == 1 && !quotient && mantissa & 1 && t->mantissa < 31) {
		uint64_t one = UINT64_C(1) << t->mantissa;
		uint64_t a = one | cut(near->first, t->mantissa);

		/* Just below it, where flushing and rounding interact. */
		mantissa = 2 * one * one / a - below(r, 3);
		return pack(r, t, bias - near->exponent, mantissa);
	}
	if (operand > 1)
		return pack(r, t, between(r, 0, 3), mantissa);
	if (quotient)
		return pack(r, t, near->exponent + bias - off, mantissa);
	return pack(r, t, bias - near->exponent + off, mantissa);
}

/* As large as the first operand, or as the product of the first two. */
static uint64_t cancelling(struct rng *r, const struct format *t, int operand,
			   struct near *near)
{
	int bias = (1 << (t->exponent - 1)) - 1;
	int e = near->exponent;
	uint64_t m;

	if (operand == 1 && near->kind & 1) {
		m = near->first + (uint64_t)between(r, -2, 2);
		return cut(m, t->bits) ^ (next(r) & 1) << (t->bits - 1);
	}
	m = sparse(r, t);
	if (operand == 1)
		e = bias + between(r, -1, 1);
	if (operand > 1)
		e = near->exponent + between(r, -2, 2);
	return pack(r, t, e, m);
}

static uint64_t near_float(struct rng *r, const struct format *t, int operand,
			   struct near *near)
{
	uint64_t mantissa;

	if (operand == 0)
		near->exponent = between(r, 1, (1 << t->exponent) - 2);
	switch (near->kind >> 1) {
	case 0:
		mantissa = next(r);
		return pack(r, t, near->exponent + between(r, -3, 3), mantissa);
	case 1:
		return tiny_float(r, t, operand, near);
	case 2:
		return cancelling(r, t, operand, near);
	default:
		return small_float(r, t);
	}
}

static uint64_t near_integer(struct rng *r, const struct format *t, int operand,
			     const struct near *near)
{
	uint64_t v;

	switch (near->kind >> 1) {
	case 0:
		return (uint64_t)(int64_t)between(r, -8, 8);
	case 1:
		v = UINT64_C(1) << below(r, (uint32_t)t->bits);
		return v + (uint64_t)(int64_t)between(r, -1, 1);
	case 2:
		if (operand)
			return near->first +
			       (uint64_t)(int64_t)between(r, -1, 1);
		return next(r);
	default:
		v = next(r);
		v >>= below(r, 64);
		return next(r) & 1 ? v : 0 - v;
	}
}

static uint64_t near_half(struct rng *r, const struct format *t, int operand,
			  struct near *near)
{
	uint64_t v = t->exponent ? near_float(r, t, operand, near) :
				   near_integer(r, t, operand, near);

	if (operand == 0)
		near->first = v;
	return cut(v, t->bits);
}

/* near[1] is for the upper halves of pairs. */
static uint64_t near_value(struct rng *r, const struct op_form *f, int slot,
			   struct near *near)
{
	struct format t = format_of(f->input[slot]);
	enum op_role role = f->input_role[slot];
	uint64_t v;

	if (role == OP_SHIFT || role == OP_FIELD || role == OP_NTH)
		return below(r, 70);
	if (role == OP_BASE)
		return below(r, 32);
	if (role != OP_VALUE)
		return cut(next(r), t.bits);
	v = near_half(r, &t, slot, &near[0]);
	if (t.shape == PAIR)
		v |= near_half(r, &t, slot, &near[1]) << 16;
	return v;
}

static uint64_t random_value(struct rng *r, const struct op_form *f, int slot)
{
	struct format t = format_of(f->input[slot]);

	if (f->input_role[slot] == OP_FIELD)
		return next(r) & 0x3f;
	if (f->input_role[slot] == OP_BASE)
		return next(r) & 0x1f;
	return cut(next(r), t.shape == PAIR ? 32 : t.bits);
}

/* ---- cases of instructions that work lane by lane ------------------------ */

/* The number of edge values of each slot, such that their combinations are at
 * most `most`. */
static int cross_limit(const struct op_form *f, int most, int *crossed)
{
	int limit = 1;

	for (int try = 2; try <= 256; try++) {
		long product = 1;

		for (int s = 0; s < f->inputs && product <= most; s++) {
			int n = edge_count(f, s);

			product *= n < try ? n : try;
		}
		if (product > most)
			break;
		limit = try;
		*crossed = (int)product;
	}
	return limit;
}

static void cross(const struct op_form *f, uint64_t *in, int i, int limit)
{
	int rest = i;

	for (int s = 0; s < f->inputs; s++) {
		int n = edge_count(f, s);

		n = n < limit ? n : limit;
		in[(size_t)s * (size_t)f->cases + (size_t)i] =
			edge(f, s, rest % n);
		rest /= n;
	}
}

static void fill_lanes(const struct op_form *f, uint64_t *in, struct rng *r)
{
	int most = f->inputs > 2 ? f->cases / 4 * 3 : f->cases / 2;
	int crossed = 0, limit = cross_limit(f, most, &crossed);

	for (int i = 0; i < f->cases; i++) {
		struct near near[2] = { { .kind = i / 8 % 8 },
					{ .kind = i / 8 % 8 } };

		if (i < crossed) {
			cross(f, in, i, limit);
			continue;
		}
		for (int s = 0; s < f->inputs; s++) {
			size_t at = (size_t)s * (size_t)f->cases + (size_t)i;

			if (i % 8 < 2)
				in[at] = edge(
					f, s,
					(int)below(r,
						   (uint32_t)edge_count(f, s)));
			else if (i % 8 < 5)
				in[at] = random_value(r, f, s);
			else
				in[at] = near_value(r, f, s, near);
		}
	}
}

/* ---- cases of instructions that work on the whole warp ------------------- */

/* Shared by the lanes of one warp. */
struct warp {
	int number;
	uint32_t members;
	uint32_t width;       /* of the segments of shfl; 32: any */
	uint32_t lane, clamp; /* uniform operands of shfl */
	uint64_t pool[4];     /* what OP_FEW takes its values from */
	int pool_size;
};

static bool has_role(const struct op_form *f, enum op_role role)
{
	for (int s = 0; s < f->inputs; s++)
		if (f->input_role[s] == role)
			return true;
	return false;
}

/*
 * The value that shfl reads from a lane that is not a member is undefined. So
 * if lanes are missing, whole segments are missing, and distances stay within a
 * segment.
 */
static void choose_segments(struct warp *w, struct rng *r)
{
	uint32_t all;

	w->width = 1u << between(r, 1, 4);
	all = w->width == 16 ? 0xffff : (1u << w->width) - 1;
	w->members = 0;
	for (uint32_t at = 0; at < 32; at += w->width)
		if (next(r) & 1)
			w->members |= all << at;
	if (!w->members)
		w->members = all;
	w->lane = below(r, w->width);
	w->clamp = (32 - w->width) << 8;
}

static void choose_members(struct warp *w, struct rng *r)
{
	switch (w->number % 4) {
	case 0:
		w->members = 0xffffffff;
		break;
	case 1:
		w->members = (uint32_t)next(r);
		w->members |= 1u << below(r, 32);
		break;
	case 2:
		w->members = 0xffffffffu >> below(r, 32);
		break;
	default:
		w->members = 1u << below(r, 32);
		w->members |= 1u << below(r, 32);
	}
}

static void choose(struct warp *w, const struct op_form *f, struct rng *r)
{
	bool shuffle = has_role(f, OP_LANE);

	w->width = 32;
	w->members = 0xffffffff;
	w->lane = below(r, 34);
	w->clamp = (32 - (1u << between(r, 0, 5))) << 8;
	if (w->number % 8 >= 4)
		w->clamp = (uint32_t)next(r);
	if (f->members && !shuffle)
		choose_members(w, r);
	if (f->members && shuffle && w->number % 2)
		choose_segments(w, r);
	w->pool_size = w->number % 3 ? between(r, 1, 4) : 1;
	for (int i = 0; i < 4; i++) {
		w->pool[i] = next(r);
		w->pool[i] >>= below(r, 64);
	}
}

static uint64_t warp_value(const struct op_form *f, const struct warp *w,
			   int slot, int lane, struct rng *r)
{
	struct format t = format_of(f->input[slot]);
	bool varies = w->number % 4 >= 2;
	bool up = f->input_role[slot] == OP_CLAMP_UP;

	switch (f->input_role[slot]) {
	case OP_MEMBERS:
		return w->members;
	case OP_LANE:
		if (w->width < 32)
			return varies ? below(r, w->width) : w->lane;
		return varies ? (uint32_t)next(r) : w->lane;
	case OP_CLAMP:
	case OP_CLAMP_UP:
		if (w->width == 32 && w->number % 16 == 14)
			return (uint32_t)next(r);
		/* The usual clamp is the last lane, or the first for .up. */
		return w->number % 8 >= 4 && w->width == 32 ? w->clamp :
		       up                                   ? w->clamp :
							      w->clamp | 0x1f;
	case OP_FEW:
		if (!(w->members >> lane & 1))
			return cut(next(r), t.bits);
		return cut(w->pool[below(r, (uint32_t)w->pool_size)], t.bits);
	default:
		if (w->number % 3 == 0)
			return edge(f, slot,
				    (int)below(r,
					       (uint32_t)edge_count(f, slot)));
		return random_value(r, f, slot);
	}
}

static void fill_warps(const struct op_form *f, uint64_t *in, struct rng *r)
{
	for (int i = 0; i < f->cases; i += 32) {
		struct warp w = { .number = i / 32 };

		choose(&w, f, r);
		for (int s = 0; s < f->inputs; s++)
			for (int lane = 0; lane < 32; lane++)
				in[(size_t)s * (size_t)f->cases +
				   (size_t)(i + lane)] =
					warp_value(f, &w, s, lane, r);
	}
}

void op_inputs(const struct op_form *f, uint64_t *in)
{
	struct rng r = { op_hash(f->line, strlen(f->line)) };

	if (f->members || has_role(f, OP_LANE) || has_role(f, OP_FEW))
		fill_warps(f, in, &r);
	else
		fill_lanes(f, in, &r);
}
