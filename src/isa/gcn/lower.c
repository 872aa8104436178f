#include "isa/gcn/lower.h"

#include <string.h>

#include "isa/gcn/exec.h"

enum { SGPRS = 104, VGPRS = 256, SCALARS = 128 };

#define GCN(format, code, id, ...) [GCN_OP_##id] = &gcn_exec_##id,
#define GCN_NOT(...)
const struct gcn_exec *const gcn_exec[GCN_OPS] = {
#include "isa/gcn/gcn.def"
};

/* ---- constants --------------------------------------------------------- */

#define INT(code) [code] = (code)-GCN_ZERO
#define FOUR(code) INT(code), INT(code + 1), INT(code + 2), INT(code + 3)
#define SIXTEEN(code) \
	FOUR(code), FOUR(code + 4), FOUR(code + 8), FOUR(code + 12)
#define MINUS(code) [code] = 0u - ((code)-GCN_MINUS)
#define MINUS4(code) \
	MINUS(code), MINUS(code + 1), MINUS(code + 2), MINUS(code + 3)

const uint32_t gcn_constants[WAVE_SCALARS] = {
	SIXTEEN(128),       SIXTEEN(144),       SIXTEEN(160), SIXTEEN(176),
	INT(192),           MINUS4(193),        MINUS4(197),  MINUS4(201),
	MINUS4(205),        [240] = 0x3f000000, /* 0.5 */
	[241] = 0xbf000000, [242] = 0x3f800000, /* 1 */
	[243] = 0xbf800000, [244] = 0x40000000, /* 2 */
	[245] = 0xc0000000, [246] = 0x40800000, /* 4 */
	[247] = 0xc0800000,
};

uint64_t gcn_wide_constant(unsigned code)
{
	static const uint64_t floats[] = {
		UINT64_C(0x3fe0000000000000), UINT64_C(0xbfe0000000000000),
		UINT64_C(0x3ff0000000000000), UINT64_C(0xbff0000000000000),
		UINT64_C(0x4000000000000000), UINT64_C(0xc000000000000000),
		UINT64_C(0x4010000000000000), UINT64_C(0xc010000000000000),
	};

	if (code >= GCN_HALF && code < GCN_HALF + 8)
		return floats[code - GCN_HALF];
	return (uint64_t)(int32_t)gcn_constants[code];
}

/* ---- operands ---------------------------------------------------------- */

/* What is lowered, and the first objection. */
struct lowering {
	const struct gcn_inst *in;
	const struct gcn_row *row;
	struct wave_op *op;
	const char *why;
	uint32_t *vectors;
	bool zeros; /* a source tells whether vcc or exec is 0 */
	unsigned sources;
};

static void object(struct lowering *l, const char *why)
{
	if (!l->why)
		l->why = why;
}

/* Scalar registers; those that the hardware keeps for trap handlers are there. */
static bool are_registers(unsigned code, unsigned words)
{
	if (code < SGPRS)
		return code + words <= SGPRS;
	if (code == GCN_VCC || code == GCN_EXEC)
		return words <= 2;
	if (code == GCN_VCC + 1 || code == GCN_EXEC + 1 || code == GCN_M0)
		return words == 1;
	return code >= GCN_TBA && code < GCN_M0 && code + words <= GCN_M0;
}

static uint16_t scalar_destination(struct lowering *l, unsigned code,
				   unsigned words)
{
	if (!are_registers(code, words))
		object(l, "its scalar destination does not exist");
	return (uint16_t)code;
}

static bool is_constant(unsigned code)
{
	return (code >= GCN_ZERO && code <= GCN_MINUS + 16) ||
	       (code >= GCN_HALF && code < GCN_HALF + 8) ||
	       (code >= GCN_VCCZ && code <= GCN_SCC);
}

static uint16_t scalar_source(struct lowering *l, unsigned code, unsigned words)
{
	bool literal = code == GCN_LITERAL && l->in->format != GCN_VOP3 &&
		       l->in->format != GCN_VOP3B;

	if (!are_registers(code, words) && !is_constant(code) && !literal)
		object(l, "a scalar source does not exist, or is not modelled");
	l->zeros |= code == GCN_VCCZ || code == GCN_EXECZ;
	return (uint16_t)code;
}

static uint16_t vector(struct lowering *l, unsigned reg, unsigned words)
{
	if (reg + words > VGPRS)
		object(l, "a vector register does not exist");
	else if (reg + words > *l->vectors)
		*l->vectors = reg + words;
	return (uint16_t)reg;
}

/* SRC0, SRC1 or SRC2 of a vector instruction: the next source. */
static void add_source(struct lowering *l, unsigned code, unsigned words)
{
	uint16_t *slots[] = { &l->op->a, &l->op->b, &l->op->c };
	unsigned i = l->sources++;

	if (code >= GCN_VGPR)
		*slots[i] = (uint16_t)(GCN_VGPR +
				       vector(l, code - GCN_VGPR, words));
	else
		*slots[i] = scalar_source(l, code, words);
	l->op->lanes |= (uint8_t)(words << 2 * i);
}

static bool is_lower_long(const struct lowering *l)
{
	return l->in->format == GCN_VOP3 || l->in->format == GCN_VOP3B;
}

/* ---- vector instructions ----------------------------------------------- */

static void lower_valu_operand(struct lowering *l, char letter, unsigned words)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	switch (letter) {
	case 'D':
		op->d = vector(l, f[GCN_VDST], words);
		op->lanes |= (uint8_t)(words << 6);
		break;
	case 't':
		op->d = scalar_destination(l, f[GCN_VDST], words);
		break;
	case 'x':
		add_source(l, f[GCN_SRC0], words);
		break;
	case 'y':
		add_source(l, f[GCN_SRC1] + (is_lower_long(l) ? 0u : GCN_VGPR),
			   words);
		break;
	case 'z':
		add_source(l, f[GCN_SRC2], words);
		break;
	case 'l':
		add_source(l, GCN_LITERAL, 1);
		break;
	case 's':
		op->b = scalar_source(l, f[GCN_SRC1], words);
		break;
	case 'c':
		op->c = scalar_source(
			l, is_lower_long(l) ? f[GCN_SRC2] : GCN_VCC, 2);
		break;
	case 'u':
		op->d2 = scalar_destination(
			l, is_lower_long(l) ? f[GCN_SDST] : GCN_VCC, 2);
		break;
	case 'q':
		op->d2 = scalar_destination(
			l, is_lower_long(l) ? f[GCN_VDST] : GCN_VCC, 2);
		break;
	default:
		object(l, "an operand is not modelled");
	}
}

/* Calls `fn` with each operand of the row's text. */
static void each_operand(struct lowering *l,
			 void (*fn)(struct lowering *, char, unsigned))
{
	for (const char *s = l->row->operands; *s && *s != ';';) {
		char letter = *s++;
		unsigned words = 0;

		for (; *s >= '0' && *s <= '9'; s++)
			words = 10 * words + (unsigned)(*s - '0');
		fn(l, letter, words ? words : 1);
		s += strcspn(s, ",;");
		s += *s == ',';
	}
}

static void lower_modifiers(struct lowering *l, unsigned shape)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	if (!is_lower_long(l))
		return;
	op->mods = (uint8_t)(f[GCN_ABS] | f[GCN_NEG] << 3);
	op->flags =
		(uint8_t)(f[GCN_OMOD] | (f[GCN_CLAMP] ? GCN_FLAG_CLAMP : 0));
	if (op->flags && !(shape & GCN_SHAPE_FLOAT))
		object(l, "its result cannot be clamped or multiplied");
	if (op->mods && !strchr(l->row->operands, 'f') &&
	    !strchr(l->row->operands, 'n'))
		object(l, "its sources cannot be negated");
}

static void lower_valu(struct lowering *l)
{
	const struct gcn_exec *e = gcn_exec[l->in->op];
	struct wave_op *op = l->op;

	op->unit = WAVE_VALU;
	op->passes = l->row->passes;
	each_operand(l, lower_valu_operand);
	lower_modifiers(l, e->shape);
	if (l->in->op == GCN_OP_V_WRITELANE_B32 && op->a >= GCN_VGPR)
		object(l, "it writes a scalar source only");
	/* A literal is the upper half of a double. */
	op->bytes = strstr(l->row->operands, "x2f") != NULL;
	if (e->shape & GCN_SHAPE_OLD) {
		op->c = (uint16_t)(GCN_VGPR + op->d);
		op->lanes |= 1 << 4;
	}
	if (e->exec == gcn_valu && !l->why)
		op->exec = gcn_valu_for(op);
}

/* ---- scalar instructions ----------------------------------------------- */

static void lower_salu_operand(struct lowering *l, char letter, unsigned words)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	switch (letter) {
	case 'd':
		op->d = scalar_destination(l, f[GCN_SDST], words);
		break;
	case 'a':
		op->a = scalar_source(l, f[GCN_SRC0], words);
		break;
	case 'b':
		op->b = scalar_source(l, f[GCN_SRC1], words);
		break;
	case 'k':
	case 'i':
	case 'j':
	case 'e':
	case 'w':
	case 'm':
	case 'h':
		op->imm = f[GCN_SIMM16];
		break;
	case 'l':
		break;
	default:
		object(l, "an operand is not modelled");
	}
	if (letter == 'h' && (op->imm & 63) != 1)
		object(l, "of the hardware's registers only MODE is modelled");
}

static void lower_lower_control(struct lowering *l)
{
	struct wave_op *op = l->op;
	int32_t words;

	op->unit = WAVE_SPECIAL;
	switch (l->in->op) {
	case GCN_OP_S_WAITCNT:
		op->kind = WAVE_WAIT;
		op->wait[WAVE_VM] = op->imm & 15;
		op->wait[WAVE_EXP] = op->imm >> 4 & 7;
		op->wait[WAVE_LGKM] = op->imm >> 8 & 15;
		break;
	case GCN_OP_S_BARRIER:
		op->kind = WAVE_BARRIER;
		break;
	case GCN_OP_S_ENDPGM:
		op->kind = WAVE_END;
		break;
	case GCN_OP_S_NOP:
		op->kind = WAVE_NOP;
		op->amount = (uint16_t)((op->imm & 7) + 1);
		break;
	case GCN_OP_S_SLEEP:
		op->kind = WAVE_SLEEP;
		op->amount = op->imm & 127;
		break;
	case GCN_OP_S_SETPRIO:
		op->kind = WAVE_PRIORITY;
		op->amount = op->imm & 3;
		break;
	default:
		if (gcn_is_branch(l->in, &words)) {
			op->unit = WAVE_BRANCH;
			op->kind = WAVE_JUMP;
		}
	}
	if (op->wait[WAVE_VM] == 15)
		op->wait[WAVE_VM] = WAVE_ANY;
	if (op->wait[WAVE_EXP] == 7)
		op->wait[WAVE_EXP] = WAVE_ANY;
	if (op->wait[WAVE_LGKM] == 15)
		op->wait[WAVE_LGKM] = WAVE_ANY;
}

static void lower_salu(struct lowering *l)
{
	l->op->unit = WAVE_SALU;
	each_operand(l, lower_salu_operand);
	if (l->in->format == GCN_SOPP)
		lower_lower_control(l);
	if (l->in->op == GCN_OP_S_SETPC_B64 || l->in->op == GCN_OP_S_SWAPPC_B64)
		l->op->kind = WAVE_JUMP;
	/* A register's number is no value. */
	if ((l->in->op == GCN_OP_S_MOVRELS_B32 ||
	     l->in->op == GCN_OP_S_MOVRELS_B64) &&
	    l->op->a >= SGPRS)
		object(l, "it moves from no scalar register");
}

static void lower_smem_operand(struct lowering *l, char letter, unsigned words)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	switch (letter) {
	case 'd':
		op->d = scalar_destination(l, f[GCN_SDST], words);
		op->lanes = (uint8_t)words;
		break;
	case 'r':
		op->a = scalar_destination(l, 2u * f[GCN_SBASE], words);
		break;
	case 'o':
		if (f[GCN_IMM]) {
			op->imm = 4u * f[GCN_OFFSET];
		} else {
			op->b = scalar_source(l, f[GCN_OFFSET], 1);
			op->flags = GCN_BY_REGISTER;
		}
		break;
	default:
		object(l, "an operand is not modelled");
	}
}

static void lower_smem(struct lowering *l)
{
	l->op->unit = WAVE_SMEM;
	l->op->raises = 1 << WAVE_LGKM;
	each_operand(l, lower_smem_operand);
	if (l->op->b == GCN_LITERAL)
		object(l, "its offset is a constant that GFX6 does not have");
}

/* ---- memory ------------------------------------------------------------ */

static void lower_ds_operand(struct lowering *l, char letter, unsigned words)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	switch (letter) {
	case 'D':
		op->d = vector(l, f[GCN_VDST], words);
		break;
	case 'A':
		op->a = vector(l, f[GCN_VADDR], 1);
		break;
	case 'P':
		op->b = vector(l, f[GCN_DATA0], words);
		break;
	case 'Q':
		op->c = vector(l, f[GCN_DATA1], words);
		break;
	case '2':
		op->imm = f[GCN_OFFSET];
		op->literal = f[GCN_OFFSET1];
		break;
	default: /* O, X */
		op->imm = f[GCN_OFFSET] | (uint32_t)f[GCN_OFFSET1] << 8;
	}
}

/* The digit of two offsets is a letter of its own. */
static void lower_ds(struct lowering *l)
{
	l->op->unit = WAVE_LDS;
	l->op->raises = 1 << WAVE_LGKM;
	each_operand(l, lower_ds_operand);
	if (l->in->field[GCN_GDS])
		object(l, "the global data share is not modelled");
}

static bool writes_memory(const struct gcn_row *row)
{
	return strstr(row->name, "_store") || strstr(row->name, "_atomic");
}

static unsigned address_words(const uint16_t *f)
{
	return f[GCN_ADDR64] ? 2u : (unsigned)(f[GCN_OFFEN] + f[GCN_IDXEN]);
}

static void lower_buffer_operand(struct lowering *l, char letter,
				 unsigned words)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	(void)letter; /* D */
	op->d = vector(l, f[GCN_VDST], words);
	op->a = vector(l, f[GCN_VADDR], address_words(f));
	op->b = scalar_destination(l, 4u * f[GCN_SRSRC], 4);
	op->c = scalar_source(l, f[GCN_SOFFSET], 1);
	if (op->c == GCN_LITERAL)
		object(l, "its offset is a constant that GFX6 does not have");
}

static void lower_buffer(struct lowering *l)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;

	op->unit = WAVE_VMEM;
	op->raises = 1 << WAVE_VM;
	if (writes_memory(l->row))
		op->raises |= 1 << WAVE_EXP;
	op->imm = f[GCN_OFFSET];
	op->literal = f[GCN_DFMT] | (uint32_t)f[GCN_NFMT] << 4;
	op->flags = (uint8_t)((f[GCN_OFFEN] ? GCN_FLAG_OFFEN : 0) |
			      (f[GCN_IDXEN] ? GCN_FLAG_IDXEN : 0) |
			      (f[GCN_ADDR64] ? GCN_FLAG_ADDR64 : 0) |
			      (f[GCN_GLC] ? GCN_FLAG_GLC : 0));
	if (*l->row->operands)
		each_operand(l, lower_buffer_operand);
	if (f[GCN_LDS] || f[GCN_TFE])
		object(l, "loads to the data share and partial residency are "
			  "not modelled");
	if (f[GCN_ADDR64] && (f[GCN_OFFEN] || f[GCN_IDXEN]))
		object(l, "addr64 excludes offen and idxen");
}

enum { IMAGE_ADDRESS = 5 }; /* words of an address at most */

static void lower_image(struct lowering *l)
{
	const uint16_t *f = l->in->field;
	struct wave_op *op = l->op;
	unsigned address = f[GCN_VADDR];

	op->unit = WAVE_VMEM;
	op->raises = 1 << WAVE_VM;
	if (writes_memory(l->row))
		op->raises |= 1 << WAVE_EXP;
	op->lanes = (uint8_t)f[GCN_DMASK];
	op->flags = (uint8_t)((f[GCN_GLC] ? GCN_FLAG_GLC : 0) |
			      (f[GCN_DA] ? GCN_FLAG_DA : 0) |
			      (f[GCN_UNORM] ? GCN_FLAG_UNORM : 0) |
			      (f[GCN_R128] ? GCN_FLAG_R128 : 0));
	op->d = vector(l, f[GCN_VDST], 4);
	op->a = vector(l, address,
		       address + IMAGE_ADDRESS > VGPRS ? VGPRS - address :
							 IMAGE_ADDRESS);
	op->b = scalar_destination(l, 4u * f[GCN_SRSRC], f[GCN_R128] ? 4 : 8);
	op->c = l->row->operands[0] == 'S' ?
			scalar_destination(l, 4u * f[GCN_SSAMP], 4) :
			0;
	if (f[GCN_TFE] || f[GCN_LWE])
		object(l, "partial residency is not modelled");
}

/* ---- all --------------------------------------------------------------- */

bool gcn_is_branch(const struct gcn_inst *in, int32_t *words)
{
	*words = (int16_t)in->field[GCN_SIMM16];
	return in->format == GCN_SOPP && in->op >= GCN_OP_S_BRANCH &&
	       in->op <= GCN_OP_S_CBRANCH_EXECNZ;
}

static void lower_format(struct lowering *l)
{
	switch (l->in->format) {
	case GCN_SMRD:
		lower_smem(l);
		break;
	case GCN_DS:
		lower_ds(l);
		break;
	case GCN_MUBUF:
	case GCN_MTBUF:
		lower_buffer(l);
		break;
	case GCN_MIMG:
		lower_image(l);
		break;
	case GCN_VOP1:
	case GCN_VOP2:
	case GCN_VOPC:
	case GCN_VOP3:
	case GCN_VOP3B:
		lower_valu(l);
		break;
	default:
		lower_salu(l);
	}
}

/* Computes the sources that tell whether a mask is empty. */
static void exec_zeros(struct wave *w, const struct wave_op *op)
{
	w->s[GCN_VCCZ] = !gcn_pair(w, GCN_VCC);
	w->s[GCN_EXECZ] = !gcn_mask(w);
	op->inner(w, op);
}

const char *gcn_lower(struct wave_op *out, const struct gcn_inst *in,
		      uint32_t *vectors)
{
	struct lowering l = { .in = in,
			      .row = &gcn_rows[in->op],
			      .op = out,
			      .vectors = vectors };

	memset(out, 0, sizeof(*out));
	if (l.row->refused)
		return l.row->refused;
	out->op = in->op;
	out->words = in->words;
	out->literal = in->literal;
	out->passes = 1;
	memset(out->wait, WAVE_ANY, sizeof(out->wait));
	out->exec = gcn_exec[in->op]->exec;
	lower_format(&l);
	if (l.zeros) {
		out->inner = out->exec;
		out->exec = exec_zeros;
	}
	return l.why;
}

static void exec_end(struct wave *w, const struct wave_op *op)
{
	(void)op;
	wave_fault(w, FAULT_ILLEGAL, 0, 0,
		   "the wave ran behind the end of its function");
}

void gcn_lower_end(struct wave_op *out)
{
	memset(out, 0, sizeof(*out));
	out->exec = exec_end;
	out->unit = WAVE_SPECIAL;
	out->kind = WAVE_JUMP;
	out->passes = 1;
	memset(out->wait, WAVE_ANY, sizeof(out->wait));
}
