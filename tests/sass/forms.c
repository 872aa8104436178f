/*
 * Prints forms.txt: every row of sass.def that works on registers, in each
 * arrangement of operands that sm_90 has, with its modifiers one by one and in
 * combinations.
 *
 *	sass_forms [NAME...]    only instructions whose names start so
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec.h"

enum {
	WHOLE = 48,      /* combinations of modifiers that are all tried */
	SAMPLES = 14,    /* others at random */
	FEW_SAMPLES = 4, /* of forms that differ in an operand's kind only */
	CASES = 128,
	PLAIN_CASES = 512,
	MUFU_CASES = 2048,
	FCHK_CASES = 4096
};

/* What depends on more than registers: barriers, lanes that have exited, the
 * address of the instruction; and UCLEA, of which few forms are legal. */
static const char *const left_out[] = {
	"B2R",   "BAR",   "ELECT", "LEPC",  "MOVM",      "R2UR",
	"UCLEA", "ULEPC", "USET",  "WARPS", "WARPGROUP", "DEPBAR"
};

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)((seed >> 32) * n >> 32);
}

/* ---- one form ------------------------------------------------------------ */

static void put_field(uint64_t w[2], const struct sass_field *f, uint64_t v)
{
	for (unsigned i = f->parts; i-- > 0;) {
		sass_put_bits(w, f->part[i].at, f->part[i].bits, v);
		v >>= f->part[i].bits;
	}
}

static unsigned field_bits(const struct sass_field *f)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < f->parts; i++)
		bits += f->part[i].bits;
	return bits;
}

static int register_of(unsigned role)
{
	switch (role) {
	case SASS_D:
		return 12;
	case SASS_D2:
		return 14;
	case SASS_A:
		return 4;
	case SASS_B:
		return 6;
	case SASS_C:
		return 8;
	case SASS_E:
		return 10;
	case SASS_PU:
		return 3;
	case SASS_PV:
		return 4;
	case SASS_PP:
		return 0;
	case SASS_PQ:
		return 1;
	case SASS_PR:
		return 2;
	default:
		return -1;
	}
}

static uint64_t immediate(const struct sass_place *p)
{
	static const uint32_t floats[] = { 0x3f800000, 0xbf800000, 0x00000001,
					   0x7f800000, 0x40490fdb, 0x7fffffff,
					   0x80000000, 0x00800000, 0x3effffff };
	static const uint32_t doubles[] = { 0x3ff00000, 0xbff00000, 0x7ff00000,
					    0x400921fb, 0x00100000, 0x80000000,
					    0x43300000, 0x7ff80000 };
	static const uint32_t halves[] = { 0x3c003c00, 0x7bff0001, 0x3c00bc00,
					   0x40003800, 0x7c008000, 0x7fff3555 };
	static const uint32_t ints[] = { 1,    0xffffffff, 0x80000000, 2,
					 0x1f, 0x20,       0x12345678, 0x7654,
					 0,    0x7fffffff, 5,          0x3210 };
	unsigned bits = field_bits(&p->field);

	switch (p->type) {
	case SASS_F32:
		return floats[below(9)];
	case SASS_F64:
		return doubles[below(8)];
	case SASS_PAIR:
		return halves[below(6)];
	default:
		if (bits >= 32)
			return ints[below(12)];
		return below(UINT32_C(1) << bits);
	}
}

/* Every fourth one is a variable of the module, the others are parameters. */
static void put_constant(uint64_t w[2], const struct sass_place *p)
{
	static unsigned count;
	unsigned bank = count++ % 4 == 3 ? 3 : 0;
	unsigned at = (bank ? 0 : VEC_PARAM_AT) + (p->role == SASS_C ? 8 : 0);

	sass_put_bits(w, p->reg, 5, bank);
	put_field(w, &p->field, at >> p->shift);
}

/* False: an operand that the frame does not provide. */
static bool put_operand(uint64_t w[2], const struct sass_place *p)
{
	int reg = register_of(p->role);

	switch (p->type) {
	case SASS_REG:
	case SASS_UREG:
	case SASS_PRED:
	case SASS_UPRED:
		if (reg >= 0)
			put_field(w, &p->field, (uint64_t)reg);
		return reg >= 0;
	case SASS_CONST:
		put_constant(w, p);
		return true;
	case SASS_UINT:
	case SASS_SINT:
	case SASS_F32:
	case SASS_F64:
	case SASS_PAIR:
	case SASS_SWIZZLE:
		put_field(w, &p->field, immediate(p));
		return true;
	default:
		return false;
	}
}

/* Values of a modifier that fit its field. */
static int values_of(const struct sass_item *item, unsigned values[64])
{
	unsigned bits = field_bits(&item->field);
	int n = 0;

	for (size_t i = 0; i < sass_mod_count; i++)
		if (sass_mods[i].class == item->class &&
		    sass_mods[i].value < 1u << bits && n < 64)
			values[n++] = sass_mods[i].value;
	return n;
}

/* The value that is not written, or the first. */
static unsigned usual(const struct sass_item *item)
{
	unsigned bits = field_bits(&item->field);
	unsigned values[64];

	for (size_t i = 0; i < sass_mod_count; i++)
		if (sass_mods[i].class == item->class &&
		    !sass_mods[i].text[0] && sass_mods[i].value < 1u << bits)
			return sass_mods[i].value;
	return values_of(item, values) ? values[0] : 0;
}

static bool is_modifier(const struct sass_item *item)
{
	return item->kind == SASS_ITEM_MOD && !item->derived;
}

static bool base_word(const struct sass_enc *e, uint64_t w[2])
{
	w[0] = e->value[0];
	w[1] = e->value[1];
	sass_put_bits(w, 12, 4, 7);
	for (int i = 0; i < e->items; i++) {
		const struct sass_item *item = &e->item[i];

		if (is_modifier(item))
			put_field(w, &item->field, usual(item));
		if (item->kind == SASS_ITEM_OPND &&
		    !put_operand(w, &item->place))
			return false;
	}
	return true;
}

/* ---- printing ------------------------------------------------------------ */

static void emit(const uint64_t w[2], int cases)
{
	struct sass_inst in;
	char text[VEC_TEXT], line[OP_LINE];

	if (sass_decode(&in, VEC_SM, w) != SASS_DECODED) {
		fprintf(stderr, "not decoded: %016llx %016llx\n",
			(unsigned long long)w[0], (unsigned long long)w[1]);
		return;
	}
	sass_print(text, sizeof(text), &in, 0);
	if (strstr(text, "INVALID") || strstr(text, "QNAN"))
		return;
	if (!strncmp(text, "MUFU", 4) && strstr(text, "R12, R6"))
		cases = MUFU_CASES;
	if (!strncmp(text, "FCHK", 4) && strstr(text, "R6") &&
	    !strchr(text, 'U'))
		cases = FCHK_CASES;
	if (vec_line(line, cases, text))
		printf("%s %s\n", line, text);
	else
		fprintf(stderr, "not read again: %s\n", text);
}

/* ---- variations ----------------------------------------------------------- */

static void new_immediates(uint64_t w[2], const struct sass_enc *e)
{
	for (int i = 0; i < e->items; i++)
		if (e->item[i].kind == SASS_ITEM_OPND)
			put_operand(w, &e->item[i].place);
}

static void whole_product(const struct sass_enc *e, const uint64_t base[2],
			  int from)
{
	uint64_t w[2] = { base[0], base[1] };
	unsigned values[64];

	while (from < e->items && !is_modifier(&e->item[from]))
		from++;
	if (from == e->items) {
		new_immediates(w, e);
		emit(w, CASES);
		return;
	}
	int n = values_of(&e->item[from], values);

	for (int i = 0; i < n; i++) {
		put_field(w, &e->item[from].field, values[i]);
		whole_product(e, w, from + 1);
	}
}

static long product_size(const struct sass_enc *e)
{
	unsigned values[64];
	long n = 1;

	for (int i = 0; i < e->items; i++)
		if (is_modifier(&e->item[i]))
			n *= values_of(&e->item[i], values);
	return n;
}

static void single_modifiers(const struct sass_enc *e, const uint64_t base[2])
{
	unsigned values[64];

	for (int i = 0; i < e->items; i++) {
		if (!is_modifier(&e->item[i]))
			continue;
		int n = values_of(&e->item[i], values);

		for (int k = 0; k < n; k++) {
			uint64_t w[2] = { base[0], base[1] };

			if (values[k] == usual(&e->item[i]))
				continue;
			put_field(w, &e->item[i].field, values[k]);
			new_immediates(w, e);
			emit(w, CASES);
		}
	}
}

/* The bits of an operand that change it: negation, absolute value, half. */
static void vary_operand(const struct sass_place *p, const uint64_t base[2],
			 bool alone, uint64_t w[2])
{
	const uint8_t bits[2] = { p->neg, p->abs };

	for (int k = 0; k < 2; k++) {
		if (!bits[k] || (!alone && below(2)))
			continue;
		sass_put_bits(w, bits[k], 1, 1);
		if (alone) {
			emit(w, CASES);
			w[0] = base[0];
			w[1] = base[1];
		}
	}
	for (unsigned h = 2; p->half && h < 4; h++) {
		if (!alone && below(2))
			continue;
		sass_put_bits(w, p->half, 2, h);
		if (alone) {
			emit(w, CASES);
			w[0] = base[0];
			w[1] = base[1];
		}
	}
}

static void single_signs(const struct sass_enc *e, const uint64_t base[2])
{
	for (int i = 0; i < e->items; i++) {
		uint64_t w[2] = { base[0], base[1] };

		if (e->item[i].kind == SASS_ITEM_OPND)
			vary_operand(&e->item[i].place, base, true, w);
	}
}

static void samples(const struct sass_enc *e, const uint64_t base[2], int count)
{
	unsigned values[64];

	for (int k = 0; k < count; k++) {
		uint64_t w[2] = { base[0], base[1] };

		for (int i = 0; i < e->items; i++) {
			const struct sass_item *item = &e->item[i];
			int n;

			if (item->kind == SASS_ITEM_OPND)
				vary_operand(&item->place, base, false, w);
			if (!is_modifier(item) || below(2))
				continue;
			n = values_of(item, values);
			if (n)
				put_field(w, &item->field,
					  values[below((uint32_t)n)]);
		}
		new_immediates(w, e);
		emit(w, CASES);
	}
}

/* All operands are registers, so that this form stands for the others. */
static bool is_main(const struct sass_enc *e)
{
	for (int i = 0; i < e->items; i++)
		if (e->item[i].kind == SASS_ITEM_OPND &&
		    e->item[i].place.role >= SASS_A &&
		    e->item[i].place.role <= SASS_C &&
		    e->item[i].place.type != SASS_REG)
			return false;
	return true;
}

enum { BASE, SINGLE, SIGNS, COMBINED, PASSES };

static void print_row(const struct sass_enc *e, int pass)
{
	bool main_form = is_main(e);
	uint64_t w[2];

	if (!base_word(e, w))
		return;
	if (pass == BASE)
		emit(w, main_form ? PLAIN_CASES : CASES);
	if (pass == SINGLE && main_form && product_size(e) <= WHOLE)
		whole_product(e, w, 0);
	else if (pass == SINGLE)
		single_modifiers(e, w);
	if (pass == SIGNS)
		single_signs(e, w);
	if (pass == COMBINED)
		samples(e, w, main_form ? SAMPLES : FEW_SAMPLES);
}

/* Whether it has a result that the frame stores. */
static bool has_result(const struct sass_enc *e)
{
	const char *id = sass_rows[e->op].id;

	for (int i = 0; i < e->items; i++)
		if (e->item[i].kind == SASS_ITEM_OPND &&
		    (e->item[i].place.role == SASS_D ||
		     e->item[i].place.role == SASS_PU))
			return true;
	return !strcmp(id, "R2P") || !strcmp(id, "UR2UP");
}

static bool has_constant(const struct sass_enc *e)
{
	for (int i = 0; i < e->items; i++)
		if (e->item[i].kind == SASS_ITEM_OPND &&
		    e->item[i].place.type == SASS_CONST)
			return true;
	return false;
}

static bool wanted(const struct sass_enc *e, int argc, char **argv)
{
	const char *id = sass_rows[e->op].id;
	uint8_t pipe = sass_rows[e->op].pipe;

	if (e->from > VEC_SM || e->to < VEC_SM || pipe == SASS_PIPE_TENSOR ||
	    pipe == SASS_PIPE_MEM || pipe == SASS_PIPE_BRANCH || !has_result(e))
		return false;
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (!strncmp(id, left_out[i], strlen(left_out[i])))
			return false;
	for (int i = 1; i < argc; i++)
		if (!strncmp(id, argv[i], strlen(argv[i])))
			return true;
	return argc < 2;
}

/* clang-format off */
/* Some lanes only, lanes that differ where one of them counts, and idioms: sums
 * to float and moves of constants have RZ where others have operands. */
static const char *const special[] = {
	"HADD2.F32 R12, -RZ, R8.H0_H0", "HADD2.F32 R12, -RZ, R8.H1_H1",
	"HADD2.F32 R12, -RZ, -R8.H0_H0", "HADD2.F32 R12, -RZ, |R8|.H1_H1",
	"HADD2.F32 R12, -RZ, UR8.H0_H0", "HFMA2.MMA R12, -RZ, RZ, R8",
	"HFMA2.MMA R12, -RZ, RZ, 1.5048828125, 33.21875",
	"HFMA2.MMA R12, -RZ, RZ, -0.0 , 5.9604644775390625e-08",
	"IMAD.MOV.U32 R12, RZ, RZ, R8", "IMAD.MOV R12, RZ, RZ, -R8",
	"R2UR UR12, R4", "R2UR P3, UR12, R4", "R2UR.OR P3, UR12, R4",
	"@P0 R2UR UR12, R4", "@P0 R2UR P3, UR12, R4",
	"@P1 VOTE.ANY R12, P3, P0", "@P1 VOTE.ALL R12, P3, P0",
	"@P1 VOTE.EQ R12, P3, P0", "@P1 VOTEU.ANY UR12, UP3, P0",
	"@P1 SHFL.IDX P3, R12, R4, 0x3, 0x1f",
	"@P1 SHFL.BFLY P3, R12, R4, 0x1, 0x1f",
	"@P1 MATCH.ANY R12, R4", "@P1 MATCH.ALL P3, R12, R4",
	"@P1 REDUX.SUM UR12, R4", "@P1 REDUX.OR UR12, R4",
	"@!P2 IADD3 R12, P3, P4, R4, R6, R8", "@P2 MOV R12, R6",
	"@P2 IMAD.WIDE R12, P3, R4, R6, R8", "@P2 LEA R12, P3, R4, R6, 0x5",
	"@P2 LOP3.LUT P3, R12, R4, R6, R8, 0x96, P0",
	"@P2 SHF.R.U32.HI R12, R4, R6, R8", "@P2 SEL R12, R4, R6, P0",
	"@P2 ISETP.LT.AND P3, P4, R4, R6, P0", "@P2 POPC R12, R6",
	"@P2 PLOP3.LUT P3, P4, P0, P1, P2, 0x96, 0xe8",
	"@P5 R2P PR, R4, 0x7f", "@P5 P2R R12, PR, R4, 0x7f",
	"@P2 FFMA R12, R4, R6, R8", "@!P2 FADD R12, R4, R8",
	"@P2 FMUL.FTZ R12, R4, R6", "@P2 FSETP.GT.AND P3, P4, R4, R6, P0",
	"@P2 FMNMX R12, R4, R6, P0", "@P2 FCHK P3, R4, R6",
	"@P2 MUFU.RCP R12, R6", "@P2 DFMA R12, R4, R6, R8",
	"@P2 DSETP.LT.AND P3, P4, R4, R8, P0", "@P2 HFMA2 R12, R4, R6, R8",
	"@P2 HADD2 R12, R4, R8", "@P2 F2I.TRUNC.NTZ R12, R6",
	"@P2 I2FP.F32.S32 R12, R6", "@P2 F2F.F64.F32 R12, R6",
	"@UP2 UIADD3 UR12, UP3, UP4, UR4, UR6, UR8",
	"@!UP2 UISETP.NE.AND UP3, UP4, UR4, UR6, UP0",
	"@UP2 ULOP3.LUT UP3, UR12, UR4, UR6, UR8, 0x96, UP0",
	"@UP2 UMOV UR12, UR6", "UCLEA UR12, UPT, UR4, 0x0, 0x0",
	"UCLEA UR12, UPT, UR4, UR6, 0x0", "UCLEA UR12, UPT, UR4, 0x4, 0x2",
	"UCLEA UR12, UP3, UR4, UR6, 0x0", "UCLEA UR12, UP3, UR4, UR6, 0x1",
	"UCLEA UR12, UP3, UR4, UR6, 0x2", "UCLEA UR12, UP3, UR4, UR6, 0x3",
	"UCLEA UR12, UP3, UR4, UR6, 0x4", "UCLEA UR12, UP3, UR4, UR6, 0x5",
	"UCLEA UR12, UP3, UR4, UR6, 0x6", "UCLEA UR12, UP3, UR4, UR6, 0x7"
};
/* clang-format on */

/* Only pairs at random say where the banks of UCLEA end. */
static int special_cases(const char *text)
{
	return !strncmp(text, "UCLEA UR12, UP3", 15) ? PLAIN_CASES : CASES;
}

static void print_special(void)
{
	char line[OP_LINE];

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (vec_line(line, special_cases(special[i]), special[i]))
			printf("%s %s\n", line, special[i]);
		else
			fprintf(stderr, "not read: %s\n", special[i]);
}

static void print_rows(bool constants, int argc, char **argv)
{
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);

	for (int pass = 0; pass < PASSES; pass++)
		for (unsigned i = 1; i <= count; i++)
			if (has_constant(&e[i]) == constants &&
			    wanted(&e[i], argc, argv))
				print_row(&e[i], pass);
}

int main(int argc, char **argv)
{
	print_rows(false, argc, argv);
	if (argc < 2)
		print_special();
	print_rows(true, argc, argv);
	return 0;
}
