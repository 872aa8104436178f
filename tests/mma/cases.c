/* Kept to what C11 and C++17 share: nvcc compiles this as C++. */
#include "cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct elem_info {
	const char *text;
	int bits, exp, man;
};

static const struct elem_info elems[EL_COUNT] = {
#define ELEM(id, text, bits, exp, man) { text, bits, exp, man },
#include "cases.def"
};

/* clang-format off */
#define ROW(x) (x)[0] == 'r'
#define MAT(e, n, l, rows, cols) \
	{ EL_##e, n, l, ROW(l) ? (rows) : (cols), ROW(l) ? (cols) : (rows) }
#define REGS(e, n) { EL_##e, n, NULL, 0, 0 }
#define NO_FRAG { EL_B16, 0, NULL, 0, 0 }

const struct mma_case mma_cases[] = {
#define MMA(op, runs, d, dn, a, an, b, bn, c, cn)                     \
	{ CASE_MMA, op, op, runs, NULL, 0,                            \
	  { REGS(a, an), REGS(b, bn), REGS(c, cn), REGS(d, dn), NO_FRAG }, \
	  0, META_ORDERED },
#define SPARSE(op, sel, meta, runs, d, dn, a, an, b, bn, c, cn)       \
	{ CASE_SPARSE, op, op " " #sel " " #meta, runs, NULL, 0,      \
	  { REGS(a, an), REGS(b, bn), REGS(c, cn), REGS(d, dn),       \
	    REGS(S32, 1) }, sel, META_##meta },
#define WMMA(op, runs, al, bl, cl, m, n, k, pad, d, dn, a, an, b, bn, c, cn) \
	{ CASE_WMMA, op, op, runs, "m" #m "n" #n "k" #k, pad,             \
	  { MAT(a, an, al, m, k), MAT(b, bn, bl, k, n),               \
	    MAT(c, cn, cl, m, n), MAT(d, dn, cl, m, n), NO_FRAG },    \
	  0, META_ORDERED },
/* Twice: elements of less than 16 bits cannot count all elements at once. */
#define LOAD(op, lines, len, elem, regs)                              \
	{ CASE_LOAD, op, op, 2, NULL, 0,                                  \
	  { { EL_##elem, regs, NULL, lines, len }, NO_FRAG, NO_FRAG,  \
	    REGS(elem, regs), NO_FRAG }, 0, META_ORDERED },
#define LDM(op, regs)                                                 \
	{ CASE_LDM, op, op, 2, NULL, 0,                                   \
	  { REGS(B16, 4), NO_FRAG, NO_FRAG, REGS(B16, regs), NO_FRAG }, \
	  0, META_ORDERED },
#define STM(op, regs)                                                 \
	{ CASE_STM, op, op, 2, NULL, 0,                                   \
	  { REGS(B16, regs), NO_FRAG, NO_FRAG, REGS(B16, 4), \
	    NO_FRAG }, 0, META_ORDERED },
#define MOV(op)                                                       \
	{ CASE_MOV, op, op, 2, NULL, 0,                                   \
	  { REGS(B16, 1), NO_FRAG, NO_FRAG, REGS(B16, 1), NO_FRAG }, \
	  0, META_ORDERED },
#include "cases.def"
};
/* clang-format on */

const int mma_case_count = sizeof(mma_cases) / sizeof(mma_cases[0]);

static int reg_bytes(enum elem e)
{
	return e == EL_F64 ? 8 : 4;
}

static int in_memory(const struct mma_case *c, enum which w)
{
	return c->kind == CASE_WMMA || (c->kind == CASE_LOAD && w == IN_A);
}

size_t case_bytes(const struct mma_case *c, enum which w)
{
	const struct frag *f = &c->frag[w];

	if (in_memory(c, w))
		return (size_t)f->lines * (f->len + c->pad) *
		       elems[f->elem].bits / 8;
	return (size_t)f->regs * 32 * reg_bytes(f->elem);
}

/* Random numbers: splitmix64. */
static uint64_t next(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int between(uint64_t *s, int lo, int hi)
{
	return lo + (int)(next(s) % (unsigned)(hi - lo + 1));
}

/*
 * What a run's floats look like. Exponents are unbiased and clamped to the
 * type; BOT and TOP count from its ends. Below BOT numbers are subnormal, and
 * from BOT - NOTHING on they are zero.
 */
enum { BOT = -5000, TOP = 5000, NOTHING = 9 };
enum man { MAN_ANY, MAN_FEW, MAN_ONES };

static const struct style {
	int a_lo, a_hi, b_lo, b_hi, c_lo, c_hi;
	int zeros;    /* of 16 in A and B */
	int specials; /* of 64 */
	enum man man;
} styles[16] = {
	{ -1, 1, -1, 1, -2, 2, 0, 0, MAN_ANY },
	{ -6, 6, -6, 6, -12, 12, 0, 0, MAN_ANY },
	{ BOT, TOP, BOT, TOP, BOT, TOP, 0, 0, MAN_ANY },
	{ -8, 8, -8, 8, -24, 16, 10, 0, MAN_ANY },
	/* subnormal inputs */
	{ BOT - 1, BOT + 1, 0, TOP, -30, 0, 0, 0, MAN_ANY },
	/* close to overflow */
	{ TOP - 1, TOP, -4, 0, TOP - 2, TOP, 4, 0, MAN_ANY },
	{ -2, 2, -2, 2, -4, 4, 0, 1, MAN_ANY },
	/* much cancellation */
	{ -1, 1, -1, 1, -8, 8, 2, 0, MAN_FEW },
	{ -6, 6, -6, 6, BOT - NOTHING, BOT - NOTHING, 0, 0, MAN_ANY },
	/* a large accumulator, a small one */
	{ -1, 1, -1, 1, 18, 30, 0, 0, MAN_ANY },
	{ -1, 1, -1, 1, -34, -18, 0, 0, MAN_ANY },
	/* carries */
	{ 0, 0, 0, 0, 0, 8, 0, 0, MAN_ONES },
	/* results close to underflow */
	{ BOT, BOT + 3, -24, 2, BOT - 1, BOT + 6, 2, 0, MAN_ANY },
	/* does a zero's partner count? */
	{ BOT - 1, BOT + 2, BOT, TOP, -60, -30, 8, 0, MAN_ANY },
	/* signs of zeros */
	{ 0, 0, 0, 0, BOT - NOTHING, BOT - NOTHING, 10, 0, MAN_FEW },
	/* results too small for an f32 */
	{ BOT, BOT + 8, -40, -10, BOT - NOTHING, BOT - NOTHING, 0, 0, MAN_ANY },
};

static int clamp_exp(int e, int bot, int top)
{
	if (e < BOT / 2)
		e += bot - BOT;
	if (e > TOP / 2)
		e += top - TOP;
	if (e <= bot - NOTHING)
		return bot - NOTHING;
	return e < bot - 1 ? bot - 1 : e > top ? top : e;
}

static uint64_t special(uint64_t *s, const struct elem_info *t)
{
	uint64_t ones = ((uint64_t)1 << t->exp) - 1, exp = ones << t->man;
	uint64_t sign = (next(s) & 1) << (t->bits - 1);
	uint64_t man = ((uint64_t)1 << t->man) - 1;

	switch (next(s) % 4) {
	case 0:
		return sign | exp | (next(s) & man);
	case 1: /* a tf32 drops the bits that make this one a NaN */
		return sign | exp | 1;
	default: /* infinity, of e4m3 a finite number */
		return sign | exp;
	}
}

static uint64_t mantissa(uint64_t *s, const struct elem_info *t, enum man kind)
{
	uint64_t all = ((uint64_t)1 << t->man) - 1, r = next(s);

	if (kind == MAN_ANY)
		return r & all;
	if (kind == MAN_ONES)
		return r % 8 ? all : 0;
	return r % 4 == 0 ? 1 : r % 4 == 1 ? all : 0;
}

static uint64_t draw_float(uint64_t *s, enum elem e, int run, enum which w)
{
	const struct elem_info *t = &elems[e];
	const struct style *y = &styles[run % 16];
	int bias = (1 << (t->exp - 1)) - 1, bot = 1 - bias;
	int top = e == EL_E4M3 ? bias + 1 : bias;
	int lo = w == IN_A ? y->a_lo : w == IN_B ? y->b_lo : y->c_lo;
	int hi = w == IN_A ? y->a_hi : w == IN_B ? y->b_hi : y->c_hi;
	uint64_t sign = next(s) & 1, man;
	int exp;

	if (y->specials && next(s) % 64 < (unsigned)y->specials)
		return special(s, t);
	exp = between(s, clamp_exp(lo, bot, top), clamp_exp(hi, bot, top));
	man = mantissa(s, t, y->man);
	if (y->man == MAN_ONES)
		sign = run / 16 & 1;
	if ((w != IN_C && next(s) % 16 < (unsigned)y->zeros) ||
	    exp == bot - NOTHING)
		return sign << (t->bits - 1);
	if (exp < bot)
		exp = bot - 1;
	if (e == EL_E4M3 && exp == top && man == 7)
		man = 6;
	return sign << (t->bits - 1) | (uint64_t)(exp + bias) << t->man | man;
}

static uint64_t draw_int(uint64_t *s, enum elem e, int run)
{
	int64_t near = (int64_t)(next(s) % 100000);

	if (e != EL_S32 || run % 4 == 1)
		return next(s);
	if (run % 4 == 0)
		return (uint64_t)(near - 50000);
	return (uint64_t)(run % 4 == 2 ? INT32_MAX - near : INT32_MIN + near);
}

static uint64_t hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h;
}

/* Four bits of metadata: of two elements of four, or of one tf32 of two. */
static uint32_t draw_nibble(uint64_t *s, const struct mma_case *c)
{
	static const uint8_t ordered[] = { 0x4, 0x8, 0xc, 0x9, 0xd, 0xe };
	uint32_t r = (uint32_t)(next(s) >> 32), pair = ordered[r % 6];

	if (c->meta == META_ANY)
		return r & 15;
	if (c->frag[IN_A].elem == EL_TF32)
		return r & 1 ? 0xe : 0x4;
	if (c->meta == META_DISTINCT && r >> 8 & 1)
		return pair >> 2 | (pair & 3) << 2;
	return pair;
}

static uint64_t draw_metadata(uint64_t *s, const struct mma_case *c)
{
	uint32_t word = 0;

	for (int i = 0; i < 8; i++)
		word |= draw_nibble(s, c) << 4 * i;
	return word;
}

/* Elements number themselves; run 1 has what did not fit into run 0. */
static uint64_t number(enum elem e, size_t i, int run)
{
	int bits = e == EL_B1 ? 32 : elems[e].bits;

	return run == 0 ? i : bits < 16 ? i >> bits : ~(uint64_t)i;
}

void case_fill(const struct mma_case *c, enum which w, void *buf, int runs)
{
	enum elem e = c->frag[w].elem;
	const struct elem_info *t = &elems[e];
	/* Elements of less than a byte are drawn by the byte or the word. */
	size_t bits = t->bits == 1 ? 32 : t->bits == 4 ? 8 : (size_t)t->bits;
	size_t size = case_bytes(c, w), count = size * 8 / bits;
	unsigned char *p = (unsigned char *)buf;

	for (int run = 0; run < runs; run++) {
		uint64_t s = hash(c->name) + (uint64_t)w * 1000003 +
			     (uint64_t)run * 7919;

		for (size_t i = 0; i < count; i++, p += bits / 8) {
			uint64_t v;

			if (c->kind == CASE_LOAD && t->bits == 4)
				v = number(e, 2 * i, run) % 16 |
				    number(e, 2 * i + 1, run) % 16 << 4;
			else if (c->kind == CASE_LOAD)
				v = number(e, i, run);
			else if (w == IN_E)
				v = draw_metadata(&s, c);
			else if (t->exp)
				v = draw_float(&s, e, run, w);
			else
				v = draw_int(&s, e, run);
			memcpy(p, &v, bits / 8); /* little endian */
		}
	}
}

/* Text that grows and is cut when it does not fit. */
struct text {
	char *p;
	size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t,
						      const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->p + t->used, t->room - t->used, fmt, ap);
	va_end(ap);
	t->used += (size_t)n;
	if (t->used >= t->room)
		t->used = t->room - 1;
}

static const char letters[] = "abcde";

static const char *reg_type(enum elem e)
{
	return e == EL_F64 ? "f64" : e == EL_F32 ? "f32" : "b32";
}

/* "{%fa0, %fa1}" */
static void add_list(struct text *t, const struct mma_case *c, enum which w)
{
	add(t, "{");
	for (int i = 0; i < c->frag[w].regs; i++)
		add(t, "%s%%f%c%d", i ? ", " : "", letters[w], i);
	add(t, "}");
}

static void add_head(struct text *t, const struct mma_case *c)
{
	add(t, ".version 9.0\n.target sm_90\n.address_size 64\n"
	       ".visible .entry k(.param .u64 a, .param .u64 b, "
	       ".param .u64 c, .param .u64 d, .param .u64 e)\n{\n"
	       "\t.reg .b32 %%lane, %%run, %%at, %%z, %%w<4>;\n"
	       "\t.reg .b64 %%off;\n"
	       "\t.shared .align 128 .b8 tile[512];\n"
	       "\tmov.u32 %%lane, %%tid.x;\n\tmov.u32 %%run, %%ctaid.x;\n");
	for (int w = 0; w < WHICH_COUNT; w++) {
		const struct frag *f = &c->frag[w];
		char l = letters[w];

		add(t, "\t.reg .b64 %%p%c, %%q%c;\n", l, l);
		add(t, "\tld.param.u64 %%p%c, [%c];\n", l, l);
		add(t, "\tcvta.to.global.u64 %%p%c, %%p%c;\n", l, l);
		add(t, "\tmad.wide.u32 %%p%c, %%run, %zu, %%p%c;\n", l,
		    case_bytes(c, (enum which)w), l);
		if (f->regs)
			add(t, "\t.reg .%s %%f%c<%d>;\n", reg_type(f->elem), l,
			    f->regs);
	}
}

/* Register r of lane l is element r * 32 + l of an operand's part. */
static void add_regs(struct text *t, const struct mma_case *c, enum which w)
{
	const struct frag *f = &c->frag[w];
	int size = reg_bytes(f->elem);
	char l = letters[w];

	add(t, "\tmul.wide.u32 %%off, %%lane, %d;\n", size);
	add(t, "\tadd.u64 %%q%c, %%p%c, %%off;\n", l, l);
	for (int i = 0; i < f->regs; i++)
		if (w == OUT_D)
			add(t, "\tst.global.b%d [%%q%c+%d], %%f%c%d;\n",
			    8 * size, l, i * 32 * size, l, i);
		else
			add(t, "\tld.global.b%d %%f%c%d, [%%q%c+%d];\n",
			    8 * size, l, i, l, i * 32 * size);
}

static void add_mma(struct text *t, const struct mma_case *c)
{
	add(t, "\t%s ", c->op);
	add_list(t, c, OUT_D);
	for (int w = IN_A; w <= IN_C; w++) {
		add(t, ", ");
		add_list(t, c, (enum which)w);
	}
	if (c->kind == CASE_SPARSE)
		add(t, ", %%fe0, %d", c->selector);
	add(t, ";\n");
}

static void add_stride(struct text *t, const struct mma_case *c, enum which w)
{
	if (c->pad)
		add(t, ", %d", c->frag[w].len + c->pad);
	add(t, ";\n");
}

static void add_wmma(struct text *t, const struct mma_case *c)
{
	for (int w = IN_A; w <= IN_C; w++) {
		const struct frag *f = &c->frag[w];

		add(t, "\twmma.load.%c.sync.aligned.%s.%s.global.%s ",
		    letters[w], f->layout, c->shape, elems[f->elem].text);
		add_list(t, c, (enum which)w);
		add(t, ", [%%p%c]", letters[w]);
		add_stride(t, c, (enum which)w);
	}
	add_mma(t, c);
	add(t, "\twmma.store.d.sync.aligned.%s.%s.global.%s [%%pd], ",
	    c->frag[OUT_D].layout, c->shape, elems[c->frag[OUT_D].elem].text);
	add_list(t, c, OUT_D);
	add_stride(t, c, OUT_D);
}

/* The tile in shared memory from input A, or to output D, 16 bytes a lane. */
static void add_tile(struct text *t, int store)
{
	const char *quad = "{%w0, %w1, %w2, %w3}";

	add(t, "\tmul.lo.u32 %%z, %%lane, 16;\n"
	       "\tmov.u32 %%at, tile;\n\tadd.u32 %%z, %%at, %%z;\n"
	       "\tmul.wide.u32 %%off, %%lane, 16;\n");
	if (store)
		add(t,
		    "\tadd.u64 %%qd, %%pd, %%off;\n"
		    "\tld.shared.v4.b32 %s, [%%z];\n"
		    "\tst.global.v4.b32 [%%qd], %s;\n",
		    quad, quad);
	else
		add(t,
		    "\tadd.u64 %%qa, %%pa, %%off;\n"
		    "\tld.global.v4.b32 %s, [%%qa];\n"
		    "\tst.shared.v4.b32 [%%z], %s;\n",
		    quad, quad);
}

/* Rows in an order of their own, so that whose address is used shows. */
static void add_row(struct text *t)
{
	add(t, "\tbar.sync 0;\n\tmad.lo.u32 %%z, %%lane, 11, 5;\n"
	       "\tand.b32 %%z, %%z, 31;\n\tmov.u32 %%at, tile;\n"
	       "\tmad.lo.u32 %%at, %%z, 16, %%at;\n");
}

static void add_stm(struct text *t, const struct mma_case *c)
{
	add(t, "\tmul.lo.u32 %%z, %%lane, 16;\n\tmov.u32 %%at, tile;\n"
	       "\tadd.u32 %%z, %%at, %%z;\n\tmov.b32 %%w0, 0;\n"
	       "\tst.shared.v4.b32 [%%z], {%%w0, %%w0, %%w0, %%w0};\n");
	add_regs(t, c, IN_A);
	add_row(t);
	add(t, "\t%s [%%at], ", c->op);
	add_list(t, c, IN_A);
	add(t, ";\n\tbar.sync 0;\n");
	add_tile(t, 1);
}

static void add_body(struct text *t, const struct mma_case *c)
{
	switch (c->kind) {
	case CASE_SPARSE:
		add_regs(t, c, IN_E);
		/* fall through */
	case CASE_MMA:
		add_regs(t, c, IN_A);
		add_regs(t, c, IN_B);
		add_regs(t, c, IN_C);
		add_mma(t, c);
		break;
	case CASE_WMMA:
		add_wmma(t, c);
		return;
	case CASE_LOAD:
		add(t, "\t%s ", c->op);
		add_list(t, c, OUT_D);
		add(t, ", [%%pa];\n");
		break;
	case CASE_LDM:
		add_tile(t, 0);
		add_row(t);
		add(t, "\t%s ", c->op);
		add_list(t, c, OUT_D);
		add(t, ", [%%at];\n");
		break;
	case CASE_STM:
		add_stm(t, c);
		return;
	case CASE_MOV:
		add_regs(t, c, IN_A);
		add(t, "\t%s %%fd0, %%fa0;\n", c->op);
		break;
	}
	add_regs(t, c, OUT_D);
}

size_t case_ptx(const struct mma_case *c, char *text, size_t room)
{
	struct text t = { text, 0, room };

	add_head(&t, c);
	add_body(&t, c);
	add(&t, "\tret;\n}\n");
	return t.used;
}
