/*
 * An instruction of GFX6, the instruction set of AMD's Southern Islands GPUs: its
 * row in the table, and the fields of its words.
 *
 * Models:  all formats of the instruction set. A decoded instruction is its words
 *          and nothing else: encoding it gives them back, fields that the
 *          instruction does not use included.
 * Does not model: later generations, whose codes differ; what an instruction does.
 */
#ifndef HEDDLE_ISA_GCN_INST_H
#define HEDDLE_ISA_GCN_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gcn_format {
#define GCN_FORMAT(id, ...) GCN_##id,
#include "isa/gcn/format.def"
	GCN_FORMATS
};

/* Fields of all formats. */
enum gcn_field {
	GCN_SDST,
	GCN_VDST,
	GCN_SRC0,
	GCN_SRC1,
	GCN_SRC2,
	GCN_SIMM16,
	GCN_SBASE,
	GCN_IMM,
	GCN_OFFSET,
	GCN_OFFSET1,
	GCN_ABS,
	GCN_NEG,
	GCN_CLAMP,
	GCN_OMOD,
	GCN_ATTR,
	GCN_CHAN,
	GCN_GDS,
	GCN_LDS,
	GCN_ADDR64,
	GCN_IDXEN,
	GCN_OFFEN,
	GCN_GLC,
	GCN_SLC,
	GCN_TFE,
	GCN_LWE,
	GCN_DA,
	GCN_R128,
	GCN_UNORM,
	GCN_DMASK,
	GCN_NFMT,
	GCN_DFMT,
	GCN_VADDR,
	GCN_DATA0,
	GCN_DATA1,
	GCN_DATA2,
	GCN_DATA3,
	GCN_SRSRC,
	GCN_SSAMP,
	GCN_SOFFSET,
	GCN_VM,
	GCN_DONE,
	GCN_COMPR,
	GCN_TARGET,
	GCN_ENABLED,
	GCN_FIELDS
};

enum gcn_op {
#define GCN(format, code, id, ...) GCN_OP_##id,
#include "isa/gcn/gcn.def"
	GCN_OPS
};

/* Codes of scalar operands; 256 and up are vector registers. */
enum {
	GCN_VCC = 106, /* and 107 */
	GCN_TBA = 108,
	GCN_TMA = 110,
	GCN_TTMP = 112, /* twelve */
	GCN_M0 = 124,
	GCN_EXEC = 126,
	GCN_ZERO = 128,  /* 0 to 64 */
	GCN_MINUS = 192, /* -1 to -16, from 193 on */
	GCN_HALF = 240,  /* 0.5, -0.5, 1.0, ... -4.0 */
	GCN_VCCZ = 251,
	GCN_EXECZ = 252,
	GCN_SCC = 253,
	GCN_LITERAL = 255,
	GCN_VGPR = 256
};

struct gcn_row {
	uint8_t format;
	uint16_t code;
	const char *name;
	/* Operands in the order of the text: docs in gcn.def. */
	const char *operands;
	uint8_t passes;      /* of a vector instruction, 1: a simple one */
	const char *refused; /* why it is refused, or NULL */
};
extern const struct gcn_row gcn_rows[GCN_OPS];

struct gcn_inst {
	uint16_t op;    /* enum gcn_op */
	uint8_t format; /* of these words; VOP1, VOP2, VOPC also have VOP3 */
	uint8_t words;  /* with the literal */
	uint16_t field[GCN_FIELDS];
	uint32_t literal;
};

/*
 * Decodes the instruction at words[0]; `count` words follow. Returns NULL, or why it
 * is none.
 */
const char *gcn_decode(struct gcn_inst *out, const uint32_t *words,
		       size_t count);
/* Writes in->words words. */
void gcn_encode(const struct gcn_inst *in, uint32_t words[3]);

/* The instruction as LLVM's assembler prints it, cut to `size` bytes. */
void gcn_print(char *text, size_t size, const struct gcn_inst *in);

#endif
