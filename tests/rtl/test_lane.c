/*
 * Every instruction of the arithmetic units with every modifier: the circuit of one
 * lane against the model, to the bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "unit.h"
#include "warp.h"

/* Where a case's operands and results are. */
enum { REG_A, REG_B, REG_C, REG_D };
enum { PRED_P, PRED_R, PRED_T };

/* Zeros, subnormals, the ends of the ranges, ones, halves, integers around which
 * conversions change, infinities, NaNs; and as integers, shifts and signs. */
static const uint32_t edges[] = {
	0x00000000, 0x00000001, 0x00000002, 0x00000010, 0x0000001f, 0x00000020,
	0x00000021, 0x000000ff, 0x00000820, 0x00001f01, 0x00400000, 0x007fffff,
	0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x33800000, 0x34000001,
	0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x3fc00000, 0x40200000, 0x4affffff, 0x4b000001, 0x4b7fffff, 0x4effffff,
	0x4f000000, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x7effffff, 0x7f000000,
	0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fffffff, 0x80000000, 0x80000001,
	0x807fffff, 0x80800000, 0x80800001, 0xb3800000, 0xbf000000, 0xbf7fffff,
	0xbf800000, 0xbf800001, 0xcf000000, 0xcf000001, 0xff7fffff, 0xff800000,
	0xffc00000, 0xffffffff,
};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

static uint64_t random_state = 1;

static uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 16);
}

/* A float with few ones or few zeros in its mantissa: halfway cases and carries
 * are frequent among sums and products of them. */
static uint32_t random_plain(uint32_t exponent)
{
	uint32_t m = 0, bits = random_word() % 4;

	while (bits--)
		m |= 1u << random_word() % 23;
	if (random_word() % 4 == 0)
		m = ~m & (0x7fffff << random_word() % 23);
	return (random_word() & 0x80000000) | (exponent & 255) << 23 |
	       (m & 0x7fffff);
}

static uint32_t random_operand(uint32_t exponent)
{
	switch (random_word() % 8) {
	case 0:
		return edges[random_word() % EDGES] + random_word() % 3 - 1;
	case 1:
	case 2:
		return random_plain(exponent + random_word() % 4);
	case 3:
		return random_plain(random_word());
	case 4:
		return (random_word() & 0x807fffff) |
		       ((exponent + random_word() % 32) & 255) << 23;
	case 5:
		return random_word() >> random_word() % 32;
	default:
		return random_word();
	}
}

/* The product of the case's a and b or its negation, but for a few last places:
 * an addend that leaves little of it. */
static uint32_t random_addend(uint32_t a, uint32_t b)
{
	float x, y, z;
	uint32_t u;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	z = x * y;
	memcpy(&u, &z, sizeof(u));
	return (u ^ (random_word() & 0x80000000)) + random_word() % 8 - 4;
}

static void random_case(struct fl_warp *w, unsigned lane)
{
	uint32_t exponent = random_word();
	uint32_t a = random_operand(exponent), b = random_operand(exponent);

	w->reg[REG_A][lane] = a;
	w->reg[REG_B][lane] =
		random_word() % 8 ? b : (a ^ 0x80000000) + random_word() % 3;
	w->reg[REG_C][lane] = random_word() % 4 ? random_operand(exponent) :
						  random_addend(a, b);
}

/* One instruction with one set of modifiers. */
struct form {
	struct fl_inst in;
	unsigned wrong;
	uint64_t cases;
};

static void show(const struct form *f, const struct fl_warp *was,
		 const struct fl_warp *model, const struct fl_warp *rtl,
		 unsigned l)
{
	char text[80];

	fl_print(text, sizeof(text), &f->in);
	printf("  %s: a %08x b %08x c %08x p %u r %u: model %08x %u, "
	       "circuit %08x %u\n",
	       text, was->reg[REG_A][l], was->reg[REG_B][l], was->reg[REG_C][l],
	       was->pred[PRED_P] >> l & 1, was->pred[PRED_R] >> l & 1,
	       model->reg[REG_D][l], model->pred[f->in.d & 7] >> l & 1,
	       rtl->reg[REG_D][l], rtl->pred[f->in.d & 7] >> l & 1);
}

static bool same_lane(const struct fl_warp *x, const struct fl_warp *y,
		      unsigned l)
{
	for (unsigned r = 0; r <= REG_D; r++)
		if (x->reg[r][l] != y->reg[r][l])
			return false;
	for (unsigned p = 0; p < 8; p++)
		if ((x->pred[p] ^ y->pred[p]) >> l & 1)
			return false;
	return true;
}

/* Runs 32 cases on the model and on the circuit. */
static void compare(struct form *f, const struct fl_warp *cases)
{
	static struct fl_warp model, rtl;
	struct fl_decoded d = { .in = f->in };
	uint32_t lanes = ~0u;

	model = rtl = *cases;
	OK(fl_execute(NULL, NULL, &model, &d, lanes, NULL));
	warp_execute(&rtl, &f->in, lanes);
	f->cases += FL_LANES;
	for (unsigned l = 0; l < FL_LANES; l++)
		if (!same_lane(&model, &rtl, l) && f->wrong++ < 4)
			show(f, cases, &model, &rtl, l);
}

/* Some 32 cases at a time; what is left over of the last is compared as well. */
struct batch {
	struct form *f;
	struct fl_warp warp;
	unsigned used;
};

static void add_case(struct batch *b, uint32_t a, uint32_t x, uint32_t c)
{
	unsigned l = b->used++;

	b->warp.reg[REG_A][l] = a;
	b->warp.reg[REG_B][l] = x;
	b->warp.reg[REG_C][l] = c;
	if (b->used == FL_LANES) {
		b->warp.pred[PRED_P] = random_word();
		b->warp.pred[PRED_R] = random_word();
		compare(b->f, &b->warp);
		b->used = 0;
	}
}

/* All combinations of edges in the operands that the instruction has. */
static void run_edges(struct form *f)
{
	static struct batch b;
	bool two = fl_has(&f->in, 'b'), three = two && fl_has(&f->in, 'c');
	unsigned rounds = fl_has(&f->in, 'y') || fl_has(&f->in, 'q') ? 8 : 1;

	b.f = f;
	b.used = 0;
	for (unsigned n = 0; n < rounds; n++)
		for (unsigned i = 0; i < EDGES; i++)
			for (unsigned j = 0; j < (two ? EDGES : 1); j++)
				for (unsigned k = 0; k < (three ? EDGES : 1);
				     k++)
					add_case(&b, edges[i], edges[j],
						 edges[k]);
	while (b.used)
		add_case(&b, edges[0], edges[1], edges[2]);
}

static void run_random(struct form *f, uint64_t cases)
{
	static struct fl_warp w;

	w.pred[FL_PT] = ~0u;
	for (uint64_t n = 0; n < cases; n += FL_LANES) {
		for (unsigned l = 0; l < FL_LANES; l++)
			random_case(&w, l);
		w.pred[PRED_P] = random_word();
		w.pred[PRED_R] = random_word();
		compare(f, &w);
	}
}

/* The instruction with these modifiers; false: there is no such one. */
static bool make_form(struct form *f, int op, unsigned mod)
{
	struct fl_inst decoded;
	struct fl_inst *in = &f->in;

	*f = (struct form){
		.in = { .op = (uint8_t)op, .guard = FL_PT, .mod = (uint8_t)mod }
	};
	if (!warp_has(in))
		return false;
	in->d = fl_has(in, 'p') ? PRED_T : fl_has(in, 'd') ? REG_D : 0;
	in->a = fl_has(in, 'r') ? PRED_R : fl_has(in, 'a') ? REG_A : 0;
	in->b = fl_has(in, 'b') ? REG_B : 0;
	in->c = fl_has(in, 'q') || (fl_has(in, 'y') && mod & 3) ? PRED_P :
		fl_has(in, 'c')                                 ? REG_C :
								  0;
	return !fl_decode(&decoded, fl_encode(in));
}

/* Random cases of each instruction and special function; other modifiers share
 * them. */
static uint64_t cases_of_op(void)
{
	const char *n = getenv("RTL_CASES");

	return n ? strtoull(n, NULL, 10) : 20000;
}

static unsigned count_forms(int op)
{
	struct form f;
	unsigned n = 0;

	for (unsigned mod = 0; mod < 32; mod++)
		n += make_form(&f, op, mod);
	return n;
}

static void run_unit(unsigned unit)
{
	unsigned wrong = 0, forms = 0;
	uint64_t cases = 0;

	for (int op = 0; op < FL_OP_COUNT; op++) {
		unsigned n = count_forms(op);
		struct form f;

		for (unsigned mod = 0; n && mod < 32; mod++) {
			if (fl_ops[op].unit != unit || !make_form(&f, op, mod))
				continue;
			run_edges(&f);
			run_random(&f, op == FL_MUFU ? cases_of_op() :
						       cases_of_op() / n + 1);
			wrong += f.wrong;
			cases += f.cases;
			forms++;
		}
	}
	printf("  %u instructions with their modifiers, %llu cases\n", forms,
	       (unsigned long long)cases);
	OK(forms > 0);
	EQ(0u, wrong);
}

TEST(rtl_alu, computes_what_the_model_computes)
{
	run_unit(FL_UNIT_ALU);
}

TEST(rtl_mul, computes_what_the_model_computes)
{
	run_unit(FL_UNIT_MUL);
}

TEST(rtl_fp, computes_what_the_model_computes)
{
	run_unit(FL_UNIT_FP);
}

TEST(rtl_sfu, computes_what_the_model_computes)
{
	run_unit(FL_UNIT_SFU);
}

TEST(rtl_div, computes_what_the_model_computes)
{
	run_unit(FL_UNIT_DIV);
}

/* The pipeline keeps instructions of different units apart. */
TEST(rtl_lane, a_new_instruction_of_any_unit_follows_in_each_cycle)
{
	static struct unit_in in[64];
	struct unit_out alone[64], out;
	unsigned n = 0;

	for (int op = 0; op < FL_OP_COUNT && n < 64; op++) {
		struct form f;

		if (!make_form(&f, op, 0) || warp_quad(op))
			continue;
		in[n] = (struct unit_in){ .code = fl_ops[op].code,
					  .p = n & 1,
					  .r = n >> 1 & 1,
					  .a = random_plain(127),
					  .b = random_plain(128),
					  .c = random_plain(126) };
		for (int i = 0; i < UNIT_LATENCY; i++)
			unit_lane_cycle(&in[n], &alone[n]);
		n++;
	}
	OK(n > 30);
	for (unsigned i = 0; i < 20 * n; i++) {
		unsigned at = i * 7 % n, was = (i - UNIT_LATENCY + 1) * 7 % n;

		unit_lane_cycle(&in[at], &out);
		if (i + 1 < UNIT_LATENCY)
			continue;
		EQ(alone[was].d, out.d);
		EQ(alone[was].t, out.t);
	}
}
