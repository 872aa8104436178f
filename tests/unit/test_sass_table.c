/*
 * The table of SASS instructions: that its rows do not contradict each other,
 * and that decoding, encoding, printing and reading are each other's inverse
 * on random words of every row. What the disassembler writes for real code is
 * compared in tests/sass.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/sass/inst.h"
#include "test.h"

/* Control word and guard: no row has a say in them. */
static const uint64_t control = UINT64_C(0x3fffff) << 41;

static const unsigned archs[] = { 70, 75, 80, 86, 89, 90, 100, 120 };
enum { ARCHS = sizeof(archs) / sizeof(archs[0]) };

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static const char *row_name(const struct sass_enc *e)
{
	return sass_rows[e->op].id;
}

/* A word of the row whose fields are random: dense or sparse in ones. */
static void random_word(const struct sass_enc *e, uint64_t *seed, bool sparse,
			uint64_t w[2])
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t v = next_random(seed);

		if (sparse)
			v &= next_random(seed);
		w[i] = (v & e->known[i] & ~e->mask[i]) | e->value[i] |
		       e->fill[i];
	}
	/* Register numbers have the meaning of a reuse bit only in some rows. */
	sass_put_bits(w, 122, 3, 0);
}

static bool overlaps(const struct sass_enc *a, const struct sass_enc *b)
{
	for (unsigned i = 0; i < 2; i++)
		if ((a->value[i] ^ b->value[i]) & a->mask[i] & b->mask[i])
			return false;
	return a->from <= b->to && b->from <= a->to;
}

/* a fixes all bits that b fixes, and more. */
static bool is_narrower(const struct sass_enc *a, const struct sass_enc *b)
{
	bool all = !(b->mask[0] & ~a->mask[0]) && !(b->mask[1] & ~a->mask[1]);

	return all && (a->mask[0] != b->mask[0] || a->mask[1] != b->mask[1]);
}

TEST(sass_table, a_word_has_one_row_or_a_narrower_one_before_it)
{
	for (unsigned op = 0; op < 8192; op++)
		for (const struct sass_enc *a = sass_enc_first(op); a;
		     a = sass_enc_next(a))
			for (const struct sass_enc *b = sass_enc_next(a); b;
			     b = sass_enc_next(b))
				if (overlaps(a, b) && !is_narrower(a, b))
					STREQ(row_name(a), row_name(b));
}

TEST(sass_table, every_instruction_has_an_encoding)
{
	bool has[SASS_OP_COUNT] = { false };
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i < count; i++)
		has[e[i].op] = true;
	for (unsigned i = 0; i < SASS_OP_COUNT; i++)
		STREQ(sass_rows[i].id, has[i] ? sass_rows[i].id : "none");
}

TEST(sass_table, every_class_of_modifiers_is_used)
{
	bool used[SASS_CLASS_COUNT] = { false };
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i < count; i++)
		for (unsigned k = 0; k < e[i].items; k++)
			if (e[i].item[k].kind == SASS_ITEM_MOD)
				used[e[i].item[k].class] = true;
	for (unsigned i = 0; i < SASS_CLASS_COUNT; i++)
		STREQ(sass_class_names[i],
		      used[i] ? sass_class_names[i] : "not used");
}

TEST(sass_table, modifiers_of_a_class_differ)
{
	for (size_t i = 0; i < sass_mod_count; i++)
		for (size_t k = i + 1; k < sass_mod_count; k++)
			if (sass_mods[i].class == sass_mods[k].class)
				OK(sass_mods[i].value != sass_mods[k].value);
}

/* No bit belongs to two fields: what one says the other would overwrite. Only
 * fixed bits may be part of a field, which is then known. */
static void add_field(uint64_t seen[2], const struct sass_enc *e,
		      const struct sass_field *f)
{
	for (unsigned i = 0; i < f->parts; i++)
		for (unsigned b = 0; b < f->part[i].bits; b++) {
			unsigned at = f->part[i].at + b;
			uint64_t one = UINT64_C(1) << (at & 63);

			if (seen[at >> 6] & one)
				STREQ("fields apart", row_name(e));
			seen[at >> 6] |= one;
		}
}

TEST(sass_table, modifiers_lie_apart)
{
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i < count; i++) {
		uint64_t seen[2] = { 0 };

		for (unsigned k = 0; k < e[i].items; k++)
			if (e[i].item[k].kind == SASS_ITEM_MOD &&
			    !e[i].item[k].derived)
				add_field(seen, &e[i], &e[i].item[k].field);
	}
}

static void check_word(const struct sass_enc *e, unsigned sm,
		       const uint64_t w[2])
{
	struct sass_inst in;
	uint64_t again[2];

	EQ(SASS_DECODED, sass_decode(&in, sm, w));
	STREQ(row_name(e), sass_rows[in.enc->op].id);
	sass_encode(&in, again);
	EQ(w[0], again[0]);
	EQ(w[1], again[1]);
}

TEST(sass_table, random_words_decode_and_encode_to_themselves)
{
	uint64_t seed = 1;
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i < count; i++)
		for (unsigned k = 0; k < ARCHS; k++)
			for (unsigned n = 0; n < 12; n++) {
				uint64_t w[2];

				if (archs[k] < e[i].from || archs[k] > e[i].to)
					break;
				random_word(&e[i], &seed, n & 1, w);
				check_word(&e[i], archs[k], w);
			}
}

/* The text of a word gives a word with the same text, and that one itself. Some
 * texts do not tell all: which NaN, or which of two predicates is left out. */
static bool check_text(unsigned sm, const uint64_t w[2])
{
	char text[256], again[256];
	struct sass_inst in;
	uint64_t once[2], twice[2];
	struct diag d = { 0 };

	sass_decode(&in, sm, w);
	sass_print(text, sizeof(text), &in, 0x1000);
	if (strstr(text, "INVALID") || strstr(text, "???"))
		return true;
	if (sass_parse(&in, sm, 0x1000, text, &d))
		STREQ(text, d.text);
	sass_encode(&in, once);
	sass_print(again, sizeof(again), &in, 0x1000);
	STREQ(text, again);
	OK(!sass_parse(&in, sm, 0x1000, again, &d));
	sass_encode(&in, twice);
	EQ(once[0], twice[0]);
	EQ(once[1], twice[1]);
	return once[0] == w[0] && !((once[1] ^ w[1]) & ~control);
}

TEST(sass_table, random_words_are_read_from_their_text)
{
	uint64_t seed = 2;
	unsigned count, tried = 0, same = 0;
	const struct sass_enc *e = sass_encs(&count);

	for (unsigned i = 1; i < count; i++)
		for (unsigned k = 0; k < ARCHS; k++)
			for (unsigned n = 0; n < 3; n++) {
				uint64_t w[2];

				if (archs[k] < e[i].from || archs[k] > e[i].to)
					break;
				random_word(&e[i], &seed, n & 1, w);
				same += check_text(archs[k], w);
				tried++;
			}
	OK(tried > 10000);
	OK(same > tried - tried / 20);
}

/* ---- single instructions ------------------------------------------------ */

static void decode(struct sass_inst *in, unsigned sm, uint64_t lo, uint64_t hi)
{
	const uint64_t w[2] = { lo, hi };

	EQ(SASS_DECODED, sass_decode(in, sm, w));
}

TEST(sass_inst, fields_of_a_multiply_add)
{
	struct sass_inst in;

	decode(&in, 80, 0x00005a0002037a23, 0x044fe20000010004);
	EQ(SASS_OP_FFMA, sass_op_of(&in));
	EQ(3, in.opnd[SASS_D].reg);
	EQ(2, in.opnd[SASS_A].reg);
	OK(in.opnd[SASS_A].reuse);
	EQ(SASS_CONST, in.opnd[SASS_B].type);
	EQ(0, in.opnd[SASS_B].bank);
	EQ(0x168, in.opnd[SASS_B].imm);
	EQ(4, in.opnd[SASS_C].reg);
	EQ(SASS_FMZ_FTZ, SASS_MOD(&in, FMZ));
	EQ(1, in.ctrl.stall);
	OK(in.ctrl.stay);
	EQ(SASS_NO_COUNTER, in.ctrl.write);
	EQ(4, in.ctrl.wait);
}

TEST(sass_inst, bits_that_no_row_explains_are_kept)
{
	const uint64_t w[2] = { 0x0000000402037210, 0x000fe20007ffe0ff };
	uint64_t odd[2] = { w[0] | UINT64_C(1) << 50, w[1] }, again[2];
	struct sass_inst in;

	EQ(SASS_DECODED, sass_decode(&in, 80, w));
	EQ(SASS_LEFT_OVER, sass_decode(&in, 80, odd));
	sass_encode(&in, again);
	EQ(odd[0], again[0]);
	EQ(odd[1], again[1]);
}

static void refused(unsigned sm, const char *text)
{
	struct diag d = { 0 };
	struct sass_inst in;
	char want[256];

	EQ(ERR_SYNTAX, sass_parse(&in, sm, 0, text, &d));
	snprintf(want, sizeof(want), "\"%s\" is no instruction of sm_%u", text,
		 sm);
	STREQ(want, d.text);
}

static void accepted(unsigned sm, const char *text)
{
	struct diag d = { 0 };
	struct sass_inst in;

	if (sass_parse(&in, sm, 0, text, &d))
		STREQ(text, d.text);
}

TEST(sass_inst, text_that_does_not_fit_is_refused)
{
	accepted(90, "MOV R1, R2");
	refused(90, "MOV R1");
	refused(90, "MOV R1, R2, R3, R4");
	refused(90, "MOV R256, R2");
	refused(90, "MOV R1, 0x123456789");
	accepted(80, "MOV R1, c[0x0][0x160]");
	refused(80, "MOV R1, c[0x0][0x161]");
	refused(80, "MOV R1, c[0x20][0x160]");
	refused(80, "MOV R1, c[0x0][0x10000]");
	accepted(90, "UMOV UR62, 0x1");
	refused(90, "UMOV UR63, 0x1");
	accepted(100, "UMOV UR63, 0x1");
	refused(90, "@P0 UMOV UR1, 0x1");
	accepted(90, "@UP0 UMOV UR1, 0x1");
	refused(90, "@UP0 MOV R1, R2");
	refused(90, "");
	refused(90, "FADD.SAT.FTZ R1, R2, R3");
	accepted(90, "FADD.FTZ.SAT R1, R2, R3");
	refused(70, "MOV R1, UR2");
	refused(89, "VIADD R1, R2, 0x3");
	accepted(90, "VIADD R1, R2, 0x3");
}

TEST(sass_inst, names_of_a_multiply_add_follow_from_its_operands)
{
	accepted(80, "IMAD.MOV.U32 R1, RZ, RZ, R2");
	refused(80, "IMAD.U32 R1, RZ, RZ, R2");
	accepted(80, "IMAD.SHL.U32 R1, R2, 0x4, RZ");
	accepted(80, "IMAD.U32 R1, R2, 0x10000, RZ");
	accepted(80, "IMAD.IADD R1, R2, 0x1, R3");
	accepted(80, "IMAD.U32 R1, RZ, RZ, UR4");
}

static void prints(unsigned sm, uint64_t lo, uint64_t hi, const char *text)
{
	struct sass_inst in;
	char got[256];

	decode(&in, sm, lo, hi);
	sass_print(got, sizeof(got), &in, 0);
	STREQ(text, got);
}

TEST(sass_inst, numbers_are_written_as_the_disassembler_writes_them)
{
	prints(90, 0x8000000009097421, 0x000fe20000000000,
	       "FADD R9, R9, -0.0 ");
	prints(90, 0x7f80000009097421, 0x000fe20000000000,
	       "FADD R9, R9, +INF ");
	prints(90, 0xff81234509097421, 0x000fe20000000000,
	       "FADD R9, R9, -QNAN ");
	prints(90, 0x4e6e6b2709097421, 0x000fe20000000000,
	       "FADD R9, R9, 999999936");
	prints(90, 0x4e6e6b2809097421, 0x000fe20000000000,
	       "FADD R9, R9, 1.00000000000000000000e+09");
	prints(90, 0x7ff0000109097429, 0x000fe20000000000,
	       "DADD R9, R9, +SNAN ");
	prints(90, 0x040003ff09097430, 0x000fe20000000800,
	       "HADD2 R9, R9.H0_H0, 6.103515625e-05, 6.0975551605224609375e-05");
	prints(90, 0x00005c04ff017624, 0x000fe2000f8e02ff,
	       "IMAD R1, RZ, RZ, cx[UR4][0x170]");
	prints(75, 0x0039cd0000007a02, 0x000fe20000000f00,
	       "MOV R0, c[0x0][-0x18cc]");
}

TEST(sass_inst, special_registers_have_names_by_architecture)
{
	unsigned n = 0;

	STREQ("SR_TID.X", sass_sreg_name(80, 33));
	STREQ("SR_MACHINE_ID_0", sass_sreg_name(75, 24));
	STREQ("SR_SW_SCRATCH", sass_sreg_name(80, 24));
	OK(!sass_sreg_name(89, 136));
	STREQ("SR_CgaCtaId", sass_sreg_name(90, 136));
	EQ(8, sass_read_sreg(80, "SR_TID.X", &n));
	EQ(33, n);
	EQ(4, sass_read_sreg(80, "SR36", &n));
	EQ(36, n);
	EQ(0, sass_read_sreg(80, "SR256", &n));
}
