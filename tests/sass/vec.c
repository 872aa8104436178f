#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vec.h"

/*
 * What the operands A, B and C of an instruction are, by the beginning of its
 * text: i integer, l 64 bits, f single, d double, h halves, s shift amount, p
 * selector of bytes, b bytes, n lane, m clamp of SHFL, w few values in a warp.
 * The first line that fits applies; another letter follows from the modifiers.
 */
static const struct {
	const char *name, *types;
} kinds[] = {
	{ "IMAD.WIDE", "iil" },   { "UIMAD.WIDE", "iil" },
	{ "IMAD.HI", "iil" },     { "UIMAD.HI", "iil" },
	{ "UIADD3.64", "lll" },   { "SHF", "isi" },
	{ "USHF", "isi" },        { "PRMT", "ipi" },
	{ "UPRMT", "ipi" },       { "SGXT", "is" },
	{ "USGXT", "is" },        { "BMSK", "ss" },
	{ "UBMSK", "ss" },        { "VABSDIFF4", "bbi" },
	{ "IDP", "bbi" },         { "I2IP", "iii" },
	{ "I2I", "iii" },         { "FSWZADD", "fff" },
	{ "F2FP", "???" },        { "F2IP", "ffi" },
	{ "F2F", "???" },         { "F2I", "???" },
	{ "FRND", "???" },        { "I2FP", "iii" },
	{ "I2F", "???" },         { "MUFU", "???" },
	{ "FLO", "iii" },         { "FADD", "fff" },
	{ "FMUL", "fff" },        { "FFMA", "fff" },
	{ "FMNMX", "fff" },       { "FSEL", "fff" },
	{ "FSET", "fff" },        { "FCHK", "fff" },
	{ "DADD", "ddd" },        { "DMUL", "ddd" },
	{ "DFMA", "ddd" },        { "DSET", "ddd" },
	{ "DMNMX", "ddd" },       { "HADD2", "hhh" },
	{ "HMUL2", "hhh" },       { "HFMA2", "hhh" },
	{ "HMNMX2", "hhh" },      { "VHMNMX", "hhh" },
	{ "HSET", "hhh" },        { "UF2FP", "???" },
	{ "SHFL", "inm" },        { "MATCH.ANY.U64", "W" },
	{ "MATCH.ALL.U64", "W" }, { "MATCH", "w" },
	{ "REDUX", "iii" },       { "VIADD.16x2", "bbb" },
	{ "VIADD.U16x2", "bbb" }, { "", "iii" },
};

static bool has(const char *line, const char *modifier)
{
	return strstr(line, modifier) != NULL;
}

/* The type that a conversion reads: the last one in its name. */
static char converted(const char *line)
{
	bool from_int = !strncmp(line, "I2F", 3);

	if (has(line, ".U64") && from_int)
		return 'l';
	if (has(line, ".S64") && from_int)
		return 'l';
	if (from_int)
		return 'i';
	if (!strncmp(line, "MUFU", 4))
		return has(line, "F16") ? 'h' : 'f';
	if (has(line, "E4M3.UNPACK") || has(line, "E5M2.UNPACK"))
		return 'i';
	if (!strncmp(line, "F2FP", 4) || !strncmp(line, "UF2FP", 5))
		return has(line, ".F32.") ? 'f' : 'h';
	if (!strncmp(line, "F2F.", 4)) {
		bool ftz = !strncmp(line, "F2F.FTZ.", 8);
		const char *to = strchr(line + (ftz ? 8 : 4), '.');

		if (to && !strncmp(to, ".F64", 4))
			return 'd';
		return to && !strncmp(to, ".F32", 4) ? 'f' : 'h';
	}
	/* F2I to 64 bits of F32 has no type in its name. */
	if (has(line, ".F64"))
		return 'd';
	return has(line, "F16") ? 'h' : 'f';
}

static char letter(const char *line, int operand)
{
	size_t i = 0;

	while (strncmp(kinds[i].name, line, strlen(kinds[i].name)))
		i++;
	if ((int)strlen(kinds[i].types) <= operand)
		return 'i';
	char c = kinds[i].types[operand];

	return c == '?' ? converted(line) : c;
}

static enum ptx_type type_of(char c, const char *line)
{
	switch (c) {
	case 'l':
	case 'W':
		return PTX_B64;
	case 'f':
		return PTX_F32;
	case 'd':
		return PTX_F64;
	case 'h':
		return has(line, "BF16") ? PTX_BF16X2 : PTX_F16X2;
	default:
		return PTX_B32;
	}
}

static enum op_role role_of(char c, const char *line)
{
	switch (c) {
	case 's':
		return OP_SHIFT;
	case 'p':
		return OP_PERM;
	case 'b':
		return OP_PIECES;
	case 'n':
		return OP_LANE;
	case 'm':
		return has(line, ".UP") ? OP_CLAMP_UP : OP_CLAMP;
	case 'w':
	case 'W':
		return OP_FEW;
	default:
		return OP_VALUE;
	}
}

/* Whether the instruction reads a register in this role. */
static bool reads(const struct sass_inst *in, int role)
{
	const struct sass_opnd *o = &in->opnd[role];

	if (o->type == SASS_CONST)
		return true;
	return (o->type == SASS_REG || o->type == SASS_UREG) &&
	       o->reg != SASS_RZ;
}

static bool has_constant(const struct sass_inst *in)
{
	return in->opnd[SASS_B].type == SASS_CONST ||
	       in->opnd[SASS_C].type == SASS_CONST;
}

static bool has_uniform(const struct sass_inst *in)
{
	for (int i = 0; i < SASS_ROLES; i++)
		if (in->opnd[i].type == SASS_UREG ||
		    in->opnd[i].type == SASS_UPRED)
			return true;
	return in->enc->uniform_guard;
}

/* Whether it makes one value of what all lanes have. */
static bool is_of_warp(const struct sass_inst *in)
{
	const char *id = sass_row_of(in)->id;

	return !strcmp(id, "REDUX") || !strcmp(id, "VOTEU") ||
	       !strcmp(id, "R2UR");
}

static void set_inputs(struct vec_form *f, const char *text)
{
	struct op_form *op = &f->op;

	for (int i = 0; i < 3; i++) {
		char c = letter(text, i);

		if (!reads(&f->inst, SASS_A + i))
			continue;
		op->input[op->inputs] = type_of(c, text);
		op->input_role[op->inputs++] = role_of(c, text);
	}
}

static void set_outputs(struct op_form *op)
{
	op->outputs = VEC_OUTPUTS;
	for (int i = 0; i < VEC_OUTPUTS; i++)
		op->output[i] = (struct op_output){ PTX_B32, i < 8 ? 4 : 1 };
}

bool vec_shape(struct op_form *op, const char *line)
{
	char *at;

	memset(op, 0, sizeof(*op));
	op->cases = (int)strtol(line, &at, 10);
	if (*at != ' ' || op->cases <= 0 || op->cases % OP_BLOCK)
		return false;
	strtoull(at, &at, 16);
	strtoull(at, &at, 16);
	if (at - line >= OP_LINE)
		return false;
	memcpy(op->line, line, (size_t)(at - line));
	set_outputs(op);
	return true;
}

bool vec_parse(struct vec_form *f, const char *line)
{
	char *at = strchr(line, ' ');

	memset(f, 0, sizeof(*f));
	if (!vec_shape(&f->op, line))
		return false;
	f->word[0] = strtoull(at, &at, 16);
	f->word[1] = strtoull(at, &at, 16);
	if (sass_decode(&f->inst, VEC_SM, f->word) != SASS_DECODED)
		return false;
	sass_print(f->text, sizeof(f->text), &f->inst, 0);
	set_inputs(f, *f->text == '@' ? strchr(f->text, ' ') + 1 : f->text);
	f->single = has_uniform(&f->inst) && !is_of_warp(&f->inst);
	f->constant = has_constant(&f->inst);
	return true;
}

bool vec_line(char line[OP_LINE], int cases, const char *text)
{
	const uint64_t control = ((UINT64_C(1) << 21) - 1) << 41;
	struct sass_inst in;
	uint64_t word[2];
	struct diag d;

	if (sass_parse(&in, VEC_SM, 0, text, &d))
		return false;
	sass_encode(&in, word);
	snprintf(line, OP_LINE, "%d %016" PRIx64 " %016" PRIx64, cases, word[0],
		 word[1] & ~control);
	return true;
}

static uint32_t junk(uint32_t i)
{
	i = (i + 1) * 0x9e3779b1u;
	return i ^ i >> 15;
}

/* What a word has that no operand sets: results before, predicates, the upper
 * words of 32-bit operands. */
static void fill_case(uint32_t *w, uint32_t i)
{
	for (uint32_t k = 0; k < VEC_WORDS; k++)
		w[k] = junk(i * VEC_WORDS + k);
	for (uint32_t k = 8; k < 12; k++)
		w[k] = VEC_DEST;
	w[12] &= 0x7f7f;
}

unsigned vec_threads(const struct vec_form *f)
{
	return f->single ? 1 : f->constant ? VEC_CONST_CASES : OP_BLOCK;
}

unsigned vec_launch_cases(const struct vec_form *f)
{
	return f->constant ? vec_threads(f) : (unsigned)f->op.cases;
}

void vec_constants(struct vec_constants *out, const uint32_t *words,
		   unsigned first)
{
	const uint32_t *w = words + (size_t)first * VEC_WORDS;

	out->b = w[2] | (uint64_t)w[3] << 32;
	out->c = w[4] | (uint64_t)w[5] << 32;
}

/* The case whose value operand k of case i has: of constants, one for each
 * launch, spread over all. */
static size_t case_of(const struct vec_form *f, size_t k, size_t i)
{
	size_t step = vec_threads(f);

	if (f->inst.opnd[SASS_A + k].type != SASS_CONST)
		return i;
	return (i / step * 37 + 5) % (size_t)f->op.cases;
}

void vec_inputs(const struct vec_form *f, uint32_t *words, uint64_t *hash)
{
	static uint64_t slots[3 * 4096];
	const struct op_form *op = &f->op;
	size_t cases = (size_t)op->cases;

	op_inputs(op, slots);
	for (size_t i = 0; i < cases; i++) {
		uint32_t *w = words + i * VEC_WORDS;
		size_t s = 0;

		fill_case(w, (uint32_t)i);
		for (size_t k = 0; k < 3; k++) {
			if (!reads(&f->inst, SASS_A + (int)k))
				continue;
			uint64_t v = slots[s * cases + case_of(f, k, i)];

			w[2 * k] = (uint32_t)v;
			if (op->input[s] == PTX_B64 || op->input[s] == PTX_F64)
				w[2 * k + 1] = (uint32_t)(v >> 32);
			s++;
		}
	}
	*hash = op_hash(words, cases * VEC_WORDS * sizeof(*words));
}

void vec_outputs(const struct vec_form *f, const uint32_t *in,
		 const uint32_t *stored, uint64_t *out)
{
	size_t cases = (size_t)f->op.cases;

	for (size_t i = 0; i < cases; i++) {
		const uint32_t *w = stored + i * VEC_WORDS;
		/* Uniform predicates are those of the first lane. */
		size_t first = f->single ? i : i & ~(size_t)31;
		uint32_t was = in[i * VEC_WORDS + 12];
		uint32_t uniform = in[first * VEC_WORDS + 12] >> 8;

		for (size_t k = 0; k < 8; k++)
			out[k * cases + i] = w[k];
		/* Predicates that did not change are 0, which packs well. */
		out[8 * cases + i] = (w[8] ^ was) & 0x7f;
		out[9 * cases + i] = (w[9] ^ uniform) & 0x7f;
	}
}
