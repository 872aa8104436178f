/*
 * Does every row compute what a second statement of it says? Each scalar and
 * vector row runs on values at the edges of its types and on random ones, in every
 * mode; each memory row is in test_memory.c. The rows that neither states are
 * named here, with the test that has them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/gcn/harness.h"
#include "tests/gcn/reference.h"

static unsigned failures, checks;

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static const uint32_t edges32[] = {
	0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
	0x80800000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40000000, 0x3fc00000,
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
	0xffc12345, 0x4f000000, 0xcf000000, 0x4f800000, 0x4b000001, 0x33800000,
	0x7fffffff, 0xffffffff, 0x0000ffff, 0x00ff00ff, 0x0000001f, 0x00000020,
	0x42c80000, 0xc2fe0000, 0x3e99999a, 0x477fe000, 0x38800000, 0x33000001,
};
static const uint64_t edges64[] = {
	0x0000000000000000, 0x8000000000000000, 0x0000000000000001,
	0x800fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0x7fefffffffffffff,
	0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
	0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000012345,
	0x41e0000000000000, 0xc1e0000000000000, 0x41f0000000000000,
	0x36a0000000000000, 0x47efffffe0000000, 0x380fffffc0000000,
	0xffffffffffffffff, 0x00000000ffffffff, 0x3fb999999999999a,
};
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Edges, numbers near each other and to integers, any bits. */
static uint64_t value(unsigned words)
{
	uint64_t x = random_bits();
	float f = (float)((int64_t)(x % 20001) - 10000) / 16;
	double d = (double)f;
	uint32_t u;

	switch (random_bits() % 4) {
	case 0:
	case 1:
		return words == 2 ? edges64[x % COUNT(edges64)] :
				    edges32[x % COUNT(edges32)];
	case 2:
		if (words == 2) {
			memcpy(&x, &d, 8);
			return x;
		}
		memcpy(&u, &f, 4);
		return u;
	default:
		return words == 2 ? x : (uint32_t)x;
	}
}

/* ---- comparing results ------------------------------------------------- */

static double as_double(uint64_t u, bool wide)
{
	double d;
	float f;
	uint32_t w = (uint32_t)u;

	memcpy(&d, &u, 8);
	memcpy(&f, &w, 4);
	return wide ? d : (double)f;
}

static bool same(const struct reference *r, uint64_t got, unsigned words)
{
	uint64_t want = words == 2 ? r->d : (uint32_t)r->d;
	double x = as_double(got, words == 2), y = as_double(want, words == 2);

	if (got == want || isinf(r->away))
		return true;
	if (!(r->ulps > 0) || isnan(x) || isnan(y))
		return false;
	return fabs(x - y) <= r->away ||
	       (signbit(x) == signbit(y) &&
		llabs((long long)(got - want)) <= (long long)r->ulps);
}

static void complain(const struct gcn_inst *in, const struct reference *before,
		     uint64_t got, uint64_t want, const char *what)
{
	char text[120];

	static unsigned last, of_row;

	failures++;
	of_row = in->op == last ? of_row + 1 : 1;
	last = in->op;
	if (of_row > 2)
		return;
	gcn_print(text, sizeof(text), in);
	fprintf(stderr,
		"%s: %s is 0x%llx, not 0x%llx, of 0x%llx, 0x%llx, 0x%llx, "
		"old 0x%llx, carry %d, mode 0x%x, lane %u\n",
		text, what, (unsigned long long)got, (unsigned long long)want,
		(unsigned long long)before->a, (unsigned long long)before->b,
		(unsigned long long)before->c, (unsigned long long)before->old,
		before->carry, before->mode, before->lane);
}

/* ---- vector rows ------------------------------------------------------- */

enum { A = 0, B = 2, C = 4, D = 8, CARRY = 20, MASK = 30 };

static uint64_t get(struct harness *h, unsigned reg, unsigned lane,
		    unsigned words)
{
	uint32_t *v = h->w->v + reg * WAVE_LANES + lane;

	return v[0] | (words == 2 ? (uint64_t)v[WAVE_LANES] << 32 : 0);
}

static void fill(struct harness *h, unsigned reg, unsigned words)
{
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint64_t v = value(words);

		h->w->v[reg * WAVE_LANES + l] = (uint32_t)v;
		h->w->v[(reg + 1) * WAVE_LANES + l] = (uint32_t)(v >> 32);
	}
}

/* Words of the operand with a letter; 0: there is none. */
static unsigned words_of(const struct gcn_row *row, char letter)
{
	const char *s = strchr(row->operands, letter);

	return s ? (unsigned)atoi(s + 1) : 0;
}

struct vector_case {
	const struct gcn_row *row;
	unsigned op, d, a, b, c; /* words */
	bool has_mask;
	struct gcn_inst in;
};

static struct vector_case vector_case(unsigned op)
{
	const struct gcn_row *row = &gcn_rows[op];
	struct vector_case v = { .row = row,
				 .op = op,
				 .d = words_of(row, 'D'),
				 .a = words_of(row, 'x'),
				 .b = words_of(row, 'y'),
				 .c = words_of(row, 'z') };
	bool b_form = strchr(row->operands, 'u') != NULL;
	bool is_long = row->format != GCN_VOP3 && !strchr(row->operands, 'l');

	v.has_mask = b_form || strchr(row->operands, 'q');
	v.in.op = (uint16_t)op;
	v.in.format = (uint8_t)(b_form ? GCN_VOP3B :
				is_long || row->format == GCN_VOP3 ?
					 GCN_VOP3 :
					 row->format);
	v.in.words = 2;
	v.in.field[GCN_SRC0] = GCN_VGPR + A;
	v.in.field[GCN_SRC1] =
		(uint16_t)(v.in.format == row->format &&
					   row->format != GCN_VOP3 ?
				   B :
				   GCN_VGPR + B);
	v.in.field[GCN_SRC2] = strchr(row->operands, 'z') ? GCN_VGPR + C :
							    CARRY;
	v.in.field[GCN_VDST] = strchr(row->operands, 'q') ? MASK : D;
	v.in.field[GCN_SDST] = MASK;
	return v;
}

static void check_lane(struct harness *h, const struct vector_case *v,
		       struct reference r, unsigned lane, bool active)
{
	struct reference before = r;
	uint64_t mask = gcn_pair(h->w, MASK), got;

	checks++;
	if (!reference_vector(v->op, &r)) {
		complain(&v->in, &before, 0, 0, "the statement");
		return;
	}
	got = v->d ? get(h, D, lane, v->d) : 0;
	if (!active) {
		r.d = before.old;
		r.ulps = r.away = 0;
		r.bit = false;
	}
	if (v->d && !same(&r, got, v->d))
		complain(&v->in, &before, got, r.d, "the result");
	if (v->has_mask && (mask >> lane & 1) != r.bit)
		complain(&v->in, &before, mask >> lane & 1, r.bit, "the bit");
}

static void check_vector(struct harness *h, struct vector_case *v,
			 uint32_t mode)
{
	uint64_t exec = random_bits() % 4 ? ~0ull : random_bits();
	uint64_t carry = random_bits();
	struct reference r[WAVE_LANES];

	fill(h, A, v->a);
	fill(h, B, v->b);
	fill(h, C, v->c ? v->c : 1);
	fill(h, D, v->d ? v->d : 1);
	v->in.literal = (uint32_t)value(1);
	h->w->mode = mode;
	gcn_set_pair(h->w, GCN_EXEC, exec);
	gcn_set_pair(h->w, CARRY, carry);
	gcn_set_pair(h->w, GCN_VCC, carry);
	for (unsigned l = 0; l < WAVE_LANES; l++) {
		uint64_t old = get(h, D, l, v->d);

		r[l] = (struct reference){ .a = get(h, A, l, v->a),
					   .b = get(h, B, l, v->b),
					   .c = v->c ? get(h, C, l, v->c) : old,
					   .old = old,
					   .carry = carry >> l & 1,
					   .mode = mode,
					   .lane = l };
		if (v->op == GCN_OP_V_MADAK_F32)
			r[l].c = v->in.literal;
		if (v->op == GCN_OP_V_MADMK_F32) {
			r[l].c = r[l].b;
			r[l].b = v->in.literal;
		}
	}
	harness_clear(h);
	if (harness_add(h, &v->in)) {
		complain(&v->in, &r[0], 0, 0, "refused: it");
		return;
	}
	if (!harness_run(h, 1))
		complain(&v->in, &r[0], 0, 0, "a fault: it");
	for (unsigned l = 0; l < WAVE_LANES; l++)
		check_lane(h, v, r[l], l, exec >> l & 1);
}

/* Rows whose results depend on other lanes or on several instructions. */
static bool is_apart(unsigned op)
{
	switch (op) {
	case GCN_OP_V_NOP:
	case GCN_OP_V_CLREXCP:
	case GCN_OP_V_READLANE_B32:
	case GCN_OP_V_READFIRSTLANE_B32:
	case GCN_OP_V_WRITELANE_B32:
	case GCN_OP_V_MOVRELD_B32:
	case GCN_OP_V_MOVRELS_B32:
	case GCN_OP_V_MOVRELSD_B32:
	case GCN_OP_V_DIV_SCALE_F32:
	case GCN_OP_V_DIV_SCALE_F64:
	case GCN_OP_V_DIV_FMAS_F32:
	case GCN_OP_V_DIV_FMAS_F64:
	case GCN_OP_V_TRIG_PREOP_F64:
		return true;
	default:
		return false;
	}
}

static bool is_vector(const struct gcn_row *row)
{
	return row->format == GCN_VOP1 || row->format == GCN_VOP2 ||
	       row->format == GCN_VOPC || row->format == GCN_VOP3;
}

static unsigned check_vectors(struct harness *h, unsigned rounds)
{
	unsigned rows = 0;

	for (unsigned op = 0; op < GCN_OPS; op++) {
		struct vector_case v;

		if (!is_vector(&gcn_rows[op]) || gcn_rows[op].refused ||
		    is_apart(op))
			continue;
		v = vector_case(op);
		rows++;
		for (unsigned i = 0; i < rounds; i++) {
			uint32_t mode = i % 4 ? 0xc0 :
						(uint32_t)random_bits() & 0xff;

			check_vector(h, &v, mode | 0x100);
		}
	}
	return rows;
}

/* ---- scalar rows ------------------------------------------------------- */

enum { SA = 10, SB = 12, SD = 14 };

static void check_scalar(struct harness *h, unsigned op)
{
	const struct gcn_row *row = &gcn_rows[op];
	unsigned wa = words_of(row, 'a'), wd = words_of(row, 'd');
	struct gcn_inst in = { .op = (uint16_t)op,
			       .format = row->format,
			       .words = 1 };
	struct reference r, before;
	uint64_t a = value(2), b = value(2), old = value(2), got;

	if (random_bits() % 2)
		b = random_bits() % 64;
	in.field[GCN_SRC0] = SA;
	in.field[GCN_SRC1] = SB;
	in.field[GCN_SDST] = SD;
	in.field[GCN_SIMM16] = (uint16_t)value(1);
	gcn_set_pair(h->w, SA, a);
	gcn_set_pair(h->w, SB, b);
	gcn_set_pair(h->w, SD, old);
	h->w->s[GCN_SCC] = random_bits() & 1;
	r = (struct reference){ .a = wa == 2 ? a : (uint32_t)a,
				.b = words_of(row, 'b') == 2 ? b : (uint32_t)b,
				.old = wd == 2 ? old : (uint32_t)old,
				.scc = h->w->s[GCN_SCC],
				.k = (int16_t)in.field[GCN_SIMM16] };
	before = r;
	harness_clear(h);
	if (harness_add(h, &in) || !harness_run(h, 1)) {
		complain(&in, &before, 0, 0, "refused or a fault: it");
		return;
	}
	checks++;
	if (!reference_scalar(op, &r)) {
		complain(&in, &before, 0, 0, "the statement");
		return;
	}
	got = wd == 2 ? gcn_pair(h->w, SD) : h->w->s[SD];
	if (wd && got != (wd == 2 ? r.d : (uint32_t)r.d))
		complain(&in, &before, got, r.d, "the result");
	if (h->w->s[GCN_SCC] != r.scc_out)
		complain(&in, &before, h->w->s[GCN_SCC], r.scc_out, "scc");
}

/* Those that change the pc, exec or the mode, or do nothing: test_flow.c. */
static bool is_flow(unsigned op)
{
	const char *n = gcn_rows[op].name;

	return strstr(n, "saveexec") || strstr(n, "movrel") ||
	       strstr(n, "pc_b64") || strstr(n, "reg_");
}

static unsigned check_scalars(struct harness *h, unsigned rounds)
{
	unsigned rows = 0;

	for (unsigned op = 0; op < GCN_OPS; op++) {
		unsigned f = gcn_rows[op].format;

		if ((f != GCN_SOP1 && f != GCN_SOP2 && f != GCN_SOPK &&
		     f != GCN_SOPC) ||
		    gcn_rows[op].refused || is_flow(op))
			continue;
		rows++;
		for (unsigned i = 0; i < 8 * rounds; i++)
			check_scalar(h, op);
	}
	return rows;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 200, rows;
	static struct harness h;

	harness_open(&h);
	rows = check_scalars(&h, rounds) + check_vectors(&h, rounds);
	harness_close(&h);
	printf("%u rows, %u checks, %u failures\n", rows, checks, failures);
	return failures || rows < 380;
}
