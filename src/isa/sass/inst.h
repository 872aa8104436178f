/*
 * A decoded SASS instruction, and the four directions between its encoding,
 * its fields and its text.
 *
 *   word --decode--> sass_inst --print--> text
 *   word <--encode-- sass_inst <--parse-- text
 *
 * All four follow from sass.def.
 * Owner:   the caller.
 */
#ifndef HEDDLE_ISA_SASS_INST_H
#define HEDDLE_ISA_SASS_INST_H

#include "base/diag.h"
#include "isa/sass/row.h"

enum {
	SASS_RZ = 255,       /* number of RZ and URZ */
	SASS_PT = 7,         /* of PT and UPT */
	SASS_NO_COUNTER = 7, /* ctrl.write, ctrl.read */
	SASS_BYTES = 16      /* of an instruction */
};

struct sass_opnd {
	uint8_t type;  /* enum sass_type; SASS_NONE: the row has none */
	bool neg, abs; /* neg of a predicate: !P0; of others - or ~ */
	bool inverts;  /* neg is ~ */
	bool reuse;
	uint8_t half;           /* enum sass_half, or number of the part */
	uint8_t reg;            /* number of the register, SASS_RZ, SASS_PT */
	uint8_t ureg;           /* XCONST, MEM: of the uniform register */
	bool wide;              /* MEM: reg is 64 bits wide, a pair */
	bool desc;              /* MEM: ureg is a descriptor */
	bool has_ureg, has_reg; /* MEM, CMEM: the form has such a register */
	uint8_t scale;          /* MEM: reg is shifted left by this much */
	uint8_t bank;
	int64_t imm; /* number, offset in bytes, bits of a float */
};

/* Halves of a packed pair that are used. */
enum sass_half { SASS_H1_H0, SASS_F32_HALF, SASS_H0_H0, SASS_H1_H1 };

/* The control word: when the warp may issue it, and the next one. */
struct sass_ctrl {
	uint8_t stall;
	bool stay;           /* do not yield to another warp */
	uint8_t write, read; /* counters, or SASS_NO_COUNTER */
	uint8_t wait;        /* counters that must be zero, as bits */
	uint8_t rest;        /* reuse bits that no register operand has */
};

struct sass_inst {
	const struct sass_enc *enc;
	uint16_t sm;
	uint8_t guard; /* predicate, SASS_PT: always */
	bool guard_not;
	struct sass_ctrl ctrl;
	uint8_t mod[SASS_CLASS_COUNT]; /* value by class; 0 where absent */
	struct sass_opnd opnd[SASS_ROLES];
	uint64_t rest[2]; /* bits that no modifier and no operand holds */
};

enum sass_decoded {
	SASS_DECODED,
	SASS_LEFT_OVER, /* the instruction is known, some bits are not */
	SASS_UNKNOWN    /* no row has this opcode; *out is undefined */
};

enum sass_decoded sass_decode(struct sass_inst *out, unsigned sm,
			      const uint64_t word[2]);
void sass_encode(const struct sass_inst *in, uint64_t word[2]);
/* Writes the text of the instruction at an address, without a semicolon; cut to
 * fit. Returns its length. */
size_t sass_print(char *out, size_t room, const struct sass_inst *in,
		  uint64_t address);
/* The inverse of sass_print. The control word is that of a new instruction. */
enum err sass_parse(struct sass_inst *out, unsigned sm, uint64_t address,
		    const char *text, struct diag *d);

/* Whether a name with its modifiers, "LDG.E.64", is that of a row, and if so its
 * instruction, the operands of which are all zero; out->sm and out->ctrl stay as
 * they are. */
bool sass_parse_name(struct sass_inst *out, const struct sass_enc *e,
		     const char *name);

/* The control word, "B------:R-:W0:Y:S04": ctrl.c. The first needs room for
 * SASS_CTRL_ROOM; the second returns how much it has read, 0: it is none. */
enum { SASS_CTRL_ROOM = 32 };
size_t sass_print_ctrl(char *out, size_t room, const struct sass_ctrl *c);
size_t sass_read_ctrl(const char *text, struct sass_ctrl *c);

/* Sets the modifiers that follow from the operands. */
void sass_derive(struct sass_inst *in);

/* How the selected part of an operand is written, by enum sass_parts. */
extern const char *const sass_part_texts[][4];
/* Signs that FSWZADD has for two lanes, by 2 bits. */
extern const char *const sass_swizzles[4];

/* Numbers as the disassembler writes them: number.c. Each returns the length,
 * or of a text that is read, how much of it was; 0: it is no number. */
size_t sass_print_float(char *out, size_t room, double v);
size_t sass_read_float(const char *text, double *v);
size_t sass_print_int(char *out, size_t room, int64_t v);
size_t sass_read_int(const char *text, int64_t *v);
/* Registers of the convergence unit, by name. */
const char *sass_state_name(unsigned number);
size_t sass_read_state(const char *text, unsigned *number);
/* Special registers: sreg.def. NULL: it has no name. */
const char *sass_sreg_name(unsigned sm, unsigned number);
size_t sass_read_sreg(unsigned sm, const char *text, unsigned *number);

/* The offset of a constant in its bank: 16 bits, written as if they had a sign. */
static inline uint32_t sass_const_offset(const struct sass_opnd *o)
{
	return (uint32_t)o->imm & 0xffff;
}

/* The modifier of a class: SASS_MOD(in, ICMP) == SASS_ICMP_LT. */
#define SASS_MOD(in, class) ((in)->mod[SASS_CLASS_##class])

/* The size of a memory access, enum SASS_SIZE_*: architectures and kinds of
 * instructions differ in the sizes that they know, an instruction has one. */
static inline unsigned sass_access_size(const struct sass_inst *in)
{
	return SASS_MOD(in, SIZE) | SASS_MOD(in, SIZE_OLD) |
	       SASS_MOD(in, CSIZE);
}

static inline enum sass_op sass_op_of(const struct sass_inst *in)
{
	return (enum sass_op)in->enc->op;
}

static inline const struct sass_row *sass_row_of(const struct sass_inst *in)
{
	return &sass_rows[in->enc->op];
}

#endif
