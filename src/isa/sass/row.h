/*
 * The tables of SASS, NVIDIA's machine code, as data.
 *
 * An instruction is 128 bits. Its opcode is bit 91 and bits 11 to 0. sass.def
 * has one INST row for each instruction: what it is to the simulator. Below it
 * are ENC rows: how it is encoded and written, one for each arrangement of
 * operands, by architecture.
 *
 *   ENC(inst, from, to, opcode, fixed, text)
 *
 * from, to: the first and the last architecture (75 of sm_75).
 *
 * opcode: "=947" is the opcode itself, in hexadecimal. "010:RIK" is the value
 * without bits 91 and 11 to 9, which name the form of the operands. The special
 * operand (an immediate, constant or uniform register) is at bits 63 to 32; if
 * it is operand C, then operand B is where C is in the other forms, at 71 to 64.
 *
 *   R  B and C are registers           V  uniform registers
 *   I  B is an immediate               W  the same, B is an immediate
 *   K  B is a constant                 w  the same, C is an immediate
 *   X  B is a constant, bindless
 *   U  B is a uniform register
 *   i, k, x, u  the same of C
 *
 * fixed: bits that select this row among those of the opcode, or that never
 * change, as "74=1 87+4=15": bit 74 is 1, the 4 bits from 87 on are 15. "87+4~15"
 * are bits without a meaning here, which are not looked at; a new instruction has
 * 15 there. All bits that neither this column nor the text names are 0.
 *
 * text: as the vendor's disassembler writes it. The first word is the name with
 * its modifiers, the rest are operands, separated by ", ".
 *
 *   {CLASS@76}     a modifier of that class in mod.def, from bit 76 on
 *   {CLASS@80+76}  the same, bit 80 above bit 76; {CLASS@80+76:2}: above two
 *   {CLASS@=}      it follows from the operands: sass_derive
 *   a              an operand by its name in opnd.def; B and C as in `opcode`
 *   -a |a| ~a      it may be negated, absolute, inverted, by the bits of its
 *                  slot; a.h: a packed pair, halves of which are selected,
 *                  too; a.c: the pair crossed over, for complex numbers;
 *                  a.o: one half of it; a.b: one byte of a word; a.s: a
 *                  modifier after it selects; a.p: the bits are those of
 *                  packed pairs
 *   B:s            how an immediate is written: s signed, x unsigned, f float,
 *                  d double, g half, e bfloat16, h pair of halves
 *   ?a             the operand is omitted where it is the default: PT, RZ, 0.
 *                  ?!a: where it is !PT; ?15a: where it is 15
 *   'text'         itself
 *   @U first       the guard is a uniform predicate
 */
#ifndef HEDDLE_ISA_SASS_ROW_H
#define HEDDLE_ISA_SASS_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/kind.h"
#include "cfg/cfg.h"

/* Classes of modifiers. */
enum sass_class {
#define CLASS(class, doc) SASS_CLASS_##class,
#include "isa/sass/mod.def"
	SASS_CLASS_COUNT
};

/* Values of a class: SASS_ICMP_LT. */
enum sass_mod {
#define MOD(class, id, value, text) SASS_##class##_##id = (value),
#include "isa/sass/mod.def"
	SASS_MOD_END
};

struct sass_mod_info {
	uint8_t class;
	uint8_t value;
	const char *text;
};
extern const struct sass_mod_info sass_mods[];
extern const size_t sass_mod_count;
extern const char *const sass_class_names[SASS_CLASS_COUNT];

/* What an operand is for. */
enum sass_role {
	SASS_D,  /* destination */
	SASS_D2, /* second destination */
	SASS_A,
	SASS_B,
	SASS_C,
	SASS_E,  /* a fourth source */
	SASS_PU, /* predicate destinations */
	SASS_PV,
	SASS_PP, /* predicate sources */
	SASS_PQ,
	SASS_PR,
	SASS_M, /* memory */
	SASS_N, /* a second memory operand */
	SASS_T, /* target of a branch */
	SASS_I, /* numbers */
	SASS_J,
	SASS_S,  /* special register */
	SASS_CB, /* convergence barrier */
	SASS_ROLES
};

enum sass_type {
	SASS_NONE,
	SASS_REG,
	SASS_UREG,
	SASS_PRED,
	SASS_UPRED,
	SASS_BARRIER, /* B0..B15 */
	SASS_SREG,
	SASS_UINT, /* number, hexadecimal */
	SASS_SINT,
	SASS_F32,
	SASS_F64, /* upper half of a double */
	SASS_F16,
	SASS_BF16,
	SASS_PAIR,
	SASS_SWIZZLE, /* signs of FSWZADD, by lane of a quad */
	SASS_CONST,   /* c[bank][offset] */
	SASS_XCONST,  /* c[UR][offset]: bindless */
	SASS_MEM,
	SASS_CMEM, /* c[bank][register+offset]: of a load */
	SASS_REL,  /* target of a branch, relative to the next instruction */
	SASS_ABS,  /* the same, absolute */
	SASS_OFS,  /* the same, written as it is: it is added to a register */
	SASS_COUNTER, /* SB0..SB5 */
	SASS_GROUP,   /* gsb0: a group of matrix operations */
	SASS_LIST,    /* {2,0}: counters, as bits */
	SASS_STATE    /* a register of the convergence unit: B0, MACTIVE */
};

/* How the uniform register of a memory operand is written. */
enum sass_mem_style {
	SASS_BASE,        /* [R2+UR4]: it is added */
	SASS_BASE_QUIET,  /* the same; URZ is not written after R2.64 */
	SASS_BASE_HIDDEN, /* the same; URZ is never written */
	/* desc[UR4][R2.64]: it is the descriptor, which is not written before
	 * sm_90 */
	SASS_DESC,
	SASS_DESC_SHOWN /* the same, always written */
};

/* Pipes, for the latency that a consumer must wait: latency.def. */
enum sass_pipe {
	SASS_PIPE_ALU,
	SASS_PIPE_FMA,  /* FFMA and the low half of IMAD */
	SASS_PIPE_WIDE, /* IMAD.WIDE */
	SASS_PIPE_HI,   /* IMAD.HI */
	SASS_PIPE_FP16,
	SASS_PIPE_FP16_CMP,
	SASS_PIPE_F64,
	SASS_PIPE_HFMA2_MMA,
	SASS_PIPE_TENSOR,
	SASS_PIPE_UNIFORM,
	SASS_PIPE_ULDC, /* loads and moves of the uniform datapath */
	SASS_PIPE_MIO,  /* variable latency: ends at a counter */
	SASS_PIPE_MEM,  /* the same, with an address */
	SASS_PIPE_BRANCH,
	SASS_PIPE_COUNT
};

struct sass_row {
	const char *id;
	uint8_t unit;   /* enum unit_class */
	uint8_t lat;    /* enum lat_class */
	uint8_t pipe;   /* enum sass_pipe */
	uint8_t kind;   /* enum timing_kind */
	uint8_t replay; /* enum replay_kind */
};

enum sass_op {
#define INST(id, unit, lat, pipe, kind, replay, exec) SASS_OP_##id,
#include "isa/sass/sass.def"
	SASS_OP_COUNT
};
extern const struct sass_row sass_rows[SASS_OP_COUNT];

/* ---- the table, ready to use -------------------------------------------- */

/* Bits of an instruction that hold a number, the upper part first. */
struct sass_field {
	uint8_t parts;
	struct {
		uint8_t at, bits;
	} part[3];
};

/* What of a register or constant may be selected. */
enum sass_parts {
	SASS_WHOLE,
	SASS_PAIRED,   /* halves */
	SASS_LONE,     /* one half */
	SASS_OF_BYTES, /* one byte */
	SASS_APART,    /* by a modifier, at other bits */
	SASS_CROSSED   /* halves change places, the lower one its sign */
};

/* Bits of the control word: whether the reuse cache keeps A, B and C. */
enum { SASS_AT_REUSE = 122 };

/* Where an operand is. A bit number of 0 stands for none. */
struct sass_place {
	uint8_t role, type;
	struct sass_field field; /* register, number, offset */
	uint8_t neg, abs, half, reuse;
	bool inverts;  /* `neg` is written ~ */
	uint8_t parts; /* enum sass_parts: what `half` selects */
	uint8_t shift; /* the number is a multiple of 1 << shift */
	bool reversed; /* predicate: 7 minus its number is stored */
	/* Memory: registers, how wide the first one is, by how much it is
	 * scaled. CMEM: the bank is at `wide`. */
	uint8_t reg, ureg, wide, scale;
	uint8_t style; /* enum sass_mem_style */
};

enum sass_item_kind { SASS_ITEM_TEXT, SASS_ITEM_MOD, SASS_ITEM_OPND };

/* A piece of the text. */
struct sass_item {
	uint8_t kind;
	bool starts;    /* the first piece of an operand */
	bool optional;  /* the operand that it starts may be omitted */
	bool omits_not; /* where it is !PT */
	uint8_t omits;  /* where it is this number */
	uint8_t class;  /* of a modifier */
	bool derived;   /* the modifier follows from the operands */
	struct sass_field field;
	struct sass_place place;
	const char *text;
	size_t size; /* of text */
};

enum { SASS_ITEMS = 24 };

/* An ENC row in one form. */
struct sass_enc {
	uint16_t op; /* enum sass_op */
	uint16_t opcode;
	uint16_t from, to; /* architectures */
	uint16_t next;     /* the next one with this opcode; 0: none */
	bool uniform_guard;
	uint8_t items;
	uint64_t mask[2], value[2]; /* fixed bits, with the opcode */
	uint64_t known[2];          /* bits that the row explains */
	uint64_t hidden[2];         /* those that the text does not say */
	uint64_t idle[2], fill[2];  /* bits without a meaning; in a new word */
	struct sass_item item[SASS_ITEMS];
};

/* All of them, from 1 on. */
const struct sass_enc *sass_encs(unsigned *count);
/* The first one with an opcode, or NULL. */
const struct sass_enc *sass_enc_first(unsigned opcode);
const struct sass_enc *sass_enc_next(const struct sass_enc *e);

/* From these architectures on, there are uniform registers, the low byte of a
 * branch's offset lies apart, descriptors are written, and uniform registers have
 * 8 bits instead of 6. */
enum {
	SASS_UNIFORM = 75,
	SASS_SPLIT_TARGETS = 90,
	SASS_SHOWN_DESC = 90,
	SASS_WIDE_UREGS = 100
};

static inline bool sass_splits_targets(const struct sass_enc *e)
{
	return e->from >= SASS_SPLIT_TARGETS;
}

static inline bool sass_is_desc(const struct sass_place *p)
{
	return p->style == SASS_DESC || p->style == SASS_DESC_SHOWN;
}

static inline bool sass_hides_desc(const struct sass_enc *e,
				   const struct sass_place *p)
{
	return p->style == SASS_DESC && e->from < SASS_SHOWN_DESC;
}

/* The bits of a branch's offset that lie apart are those of the usual place. */
enum { SASS_REL_BITS = 48 };

static inline bool sass_is_split(const struct sass_enc *e,
				 const struct sass_place *p)
{
	bool target = p->type == SASS_REL || p->type == SASS_ABS ||
		      p->type == SASS_OFS;

	return target && sass_splits_targets(e) &&
	       p->field.part[0].bits == SASS_REL_BITS;
}

static inline unsigned sass_ureg_bits(const struct sass_enc *e)
{
	return e->from >= SASS_WIDE_UREGS ? 8 : 6;
}

static inline uint64_t sass_bits(const uint64_t w[2], unsigned at,
				 unsigned bits)
{
	uint64_t v = w[at >> 6] >> (at & 63);

	if ((at & 63) + bits > 64)
		v |= w[1] << (64 - (at & 63));
	return bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
}

static inline void sass_put_bits(uint64_t w[2], unsigned at, unsigned bits,
				 uint64_t v)
{
	for (unsigned i = 0; i < bits; i++) {
		uint64_t one = UINT64_C(1) << ((at + i) & 63);
		uint64_t *to = &w[(at + i) >> 6];

		*to = v >> i & 1 ? *to | one : *to & ~one;
	}
}

#endif
