#include "isa/gcn/inst.h"

#include <string.h>

const struct gcn_row gcn_rows[GCN_OPS] = {
#define GCN(format, code, id, name, operands, passes) \
	[GCN_OP_##id] = { GCN_##format, code, name, operands, passes, NULL },
#define GCN_NOT(format, code, id, name, operands, why) \
	[GCN_OP_##id] = { GCN_##format, code, name, operands, 1, why },
#include "isa/gcn/gcn.def"
};

/* By format and code: the row, plus one. */
static const uint16_t row_of[GCN_FORMATS][512] = {
#define GCN(format, code, id, ...) [GCN_##format][code] = GCN_OP_##id + 1,
#include "isa/gcn/gcn.def"
};

static const struct {
	uint8_t words;
	uint32_t mask, value;
	uint8_t shift, bits; /* of the opcode */
} formats[GCN_FORMATS] = {
#define GCN_FORMAT(id, words, mask, value, shift, bits) \
	[GCN_##id] = { words, mask, value, shift, bits },
#include "isa/gcn/format.def"
};

static const struct gcn_place {
	uint8_t format, field, word, shift, bits;
} places[] = {
#define GCN_FIELD(format, field, word, shift, bits) \
	{ GCN_##format, GCN_##field, word, shift, bits },
#include "isa/gcn/format.def"
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

/* VOP3 has the codes of the other vector formats from these on. */
enum { VOP3_VOPC = 0, VOP3_VOP2 = 0x100, VOP3_OWN = 0x140, VOP3_VOP1 = 0x180 };

static uint32_t inst_ones(unsigned bits)
{
	return (UINT32_C(1) << bits) - 1;
}

/* ---- rows -------------------------------------------------------------- */

static unsigned find_vop3_row(uint32_t code)
{
	if (code >= VOP3_VOP1)
		return row_of[GCN_VOP1][code - VOP3_VOP1];
	if (code >= VOP3_OWN)
		return row_of[GCN_VOP3][code];
	if (code >= VOP3_VOP2)
		return row_of[GCN_VOP2][code - VOP3_VOP2];
	return row_of[GCN_VOPC][code];
}

static uint32_t vop3_code(const struct gcn_row *row)
{
	switch (row->format) {
	case GCN_VOP1:
		return row->code + (uint32_t)VOP3_VOP1;
	case GCN_VOP2:
		return row->code + (uint32_t)VOP3_VOP2;
	default:
		return row->code;
	}
}

static bool has_operand(const struct gcn_row *row, char letter)
{
	return strchr(row->operands, letter);
}

/* Instructions that have no VOP3 form: their constant has no place in it, or an
 * operand is not a vector's. */
static bool is_short_only(const struct gcn_row *row)
{
	return row->format != GCN_VOP3 &&
	       (has_operand(row, 'l') || has_operand(row, 't') ||
		has_operand(row, 's'));
}

static bool is_vop3(unsigned format)
{
	return format == GCN_VOP3 || format == GCN_VOP3B;
}

/* ---- decoding ---------------------------------------------------------- */

static unsigned find_format(uint32_t word)
{
	unsigned f = 0;

	while (f < GCN_FORMATS && (word & formats[f].mask) != formats[f].value)
		f++;
	return f;
}

/* Reads the fields. False: a bit is 1 that belongs to none. */
static bool read_fields(struct gcn_inst *in, const uint32_t *words)
{
	uint32_t rest[2] = { words[0] & ~formats[in->format].mask, 0 };

	if (is_vop3(in->format))
		rest[0] = words[0] & ~formats[GCN_VOP3].mask;
	if (formats[in->format].words > 1)
		rest[1] = words[1];
	rest[0] &= ~(inst_ones(formats[in->format].bits)
		     << formats[in->format].shift);
	for (size_t i = 0; i < PLACES; i++) {
		const struct gcn_place *p = &places[i];
		uint32_t mask = inst_ones(p->bits) << p->shift;

		if (p->format != in->format)
			continue;
		in->field[p->field] =
			(uint16_t)((words[p->word] & mask) >> p->shift);
		rest[p->word] &= ~mask;
	}
	return !rest[0] && !rest[1];
}

/* Whether a literal follows the words. */
static bool has_literal(const struct gcn_inst *in)
{
	const struct gcn_row *row = &gcn_rows[in->op];
	bool scalar = in->format == GCN_SOP2 || in->format == GCN_SOPC;

	if (has_operand(row, 'l'))
		return true;
	switch (in->format) {
	case GCN_SOP1:
	case GCN_SOP2:
	case GCN_SOPC:
	case GCN_VOP1:
	case GCN_VOP2:
	case GCN_VOPC:
		return in->field[GCN_SRC0] == GCN_LITERAL ||
		       (scalar && in->field[GCN_SRC1] == GCN_LITERAL);
	default:
		return false;
	}
}

const char *gcn_decode(struct gcn_inst *out, const uint32_t *words,
		       size_t count)
{
	unsigned format = count ? find_format(words[0]) : GCN_FORMATS, row;
	uint32_t code;

	memset(out, 0, sizeof(*out));
	if (format == GCN_FORMATS)
		return count ? "no format of GFX6 begins like this" :
			       "the code ends here";
	code = words[0] >> formats[format].shift &
	       inst_ones(formats[format].bits);
	row = format == GCN_VOP3 ? find_vop3_row(code) : row_of[format][code];
	if (!row || (format == GCN_VOP3 && is_short_only(&gcn_rows[row - 1])))
		return "an opcode that GFX6 does not have";
	out->op = (uint16_t)(row - 1);
	if (format == GCN_VOP3 && has_operand(&gcn_rows[out->op], 'u'))
		format = GCN_VOP3B;
	out->format = (uint8_t)format;
	out->words = formats[format].words;
	if (out->words > count)
		return "the instruction is cut off";
	if (!read_fields(out, words))
		return "a reserved bit is 1";
	if (has_literal(out)) {
		if (out->words == count)
			return "the instruction's constant is cut off";
		out->literal = words[out->words++];
	}
	return NULL;
}

/* ---- encoding ---------------------------------------------------------- */

void gcn_encode(const struct gcn_inst *in, uint32_t words[3])
{
	const struct gcn_row *row = &gcn_rows[in->op];
	unsigned own = formats[in->format].words;
	uint32_t code = is_vop3(in->format) ? vop3_code(row) : row->code;

	words[0] = is_vop3(in->format) ? formats[GCN_VOP3].value :
					 formats[in->format].value;
	words[1] = words[2] = 0;
	words[0] |= code << formats[in->format].shift;
	for (size_t i = 0; i < PLACES; i++) {
		const struct gcn_place *p = &places[i];

		if (p->format == in->format)
			words[p->word] |= (uint32_t)in->field[p->field]
					  << p->shift;
	}
	if (in->words > own)
		words[own] = in->literal;
}
