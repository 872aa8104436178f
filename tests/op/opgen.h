/*
 * One instruction, many cases: what an op vector consists of.
 *
 * A form is one opcode with its operands, a line of forms.txt:
 *
 *	setp.lt.and.f32 pp,a:f32,a:f32,q
 *
  * in the notation of isa/ptx/row.h with the types written out, m:T for a word
 * of memory that holds a T, and y:b32/h1 or z:b32/-b0 for the selectors of
 * video instructions. From the line alone follow the inputs, the
 * kernel that executes the instruction once per thread, and the shape of what
 * it stores. The recorder runs that kernel on a GPU and the tester runs it on
 * Heddle; nothing here depends on either.
 *
 * Inputs and outputs are arrays of slots: slot s of thread i is the 64-bit
 * word s * cases + i. Values are in the low bits; a b128 takes two slots.
 */
#ifndef HEDDLE_TESTS_OP_OPGEN_H
#define HEDDLE_TESTS_OP_OPGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/ptx/row.h"

enum {
	OP_LINE = 128, /* longest form, with its NUL */
	OP_OPERANDS = 7,
	OP_SLOTS = 40,    /* inputs or outputs of one form */
	OP_BLOCK = 128,   /* threads of a block; divides every case count */
	OP_MEM_BYTES = 32 /* each thread's piece of the scratch memory */
};

enum op_operand_kind {
	OP_DEST,      /* d:T */
	OP_DEST_PRED, /* dp:T, used as d|p */
	OP_PRED,      /* p */
	OP_PRED_PAIR, /* pp, used as p|q */
	OP_SRC,       /* a:T */
	OP_SRC_PRED,  /* q: bit 0 of the input */
	OP_IMM,       /* i: not an input, see op_immediates */
	OP_MEM        /* m:T: the input is what it holds before */
};

/* The role of a source that does not take just any value of its type. */
enum op_role {
	OP_VALUE,
	OP_SHIFT,  /* an amount: around 0, 16, 32, 64, 128, 256 */
	OP_FIELD,  /* a position or length of bits: the same and dirty bytes */
	OP_PERM,   /* the selector of prmt */
	OP_BASE,   /* a bit of a word, 0..31: the base of fns */
	OP_NTH,    /* the offset of fns */
	OP_FP8,    /* two bytes, each of them an fp8 */
	OP_PIECES, /* bytes and halves that matter separately */
	OP_FEW,    /* lanes of a warp often have equal values */
	OP_LANE,   /* the lane or distance of shfl */
	OP_CLAMP,  /* the segment mask and clamp of shfl, of .idx .down .bfly */
	OP_CLAMP_UP, /* the same of shfl.up */
	OP_MEMBERS,  /* the member mask; lanes outside branch around */
	OP_LUT       /* a constant: the truth table of lop3 */
};

struct op_operand {
	enum op_operand_kind kind;
	enum op_role role;
	enum ptx_type type;
	int count; /* 1, or the elements of {..} */
	bool braces;
	char part[6]; /* "h1", "-b0", of a video instruction */
};

struct op_output {
	enum ptx_type type; /* PTX_PRED: one byte, 0 or 1 */
	uint8_t bytes;      /* stored in the file, of the slot's low ones */
};

struct op_form {
	char line[OP_LINE];
	char opcode[OP_LINE];
	struct op_operand operand[OP_OPERANDS];
	int operands;
	bool video;  /* has operands of the kinds y and z */
	bool legacy; /* only PTX before 6.4 has it: see op_ptx_header */
	bool carry_in, carry_out, borrow; /* the condition code */
	bool members; /* has a member mask, in input slot members_slot */
	int members_slot;
	int cases;
	int inputs; /* slots */
	enum ptx_type input[OP_SLOTS];
	enum op_role input_role[OP_SLOTS];
	int outputs; /* slots */
	struct op_output output[OP_SLOTS];
	int immediates; /* times the instruction is repeated, at least 1 */
};

/* False: the line is not a form. A trailing " legacy" is part of it. */
bool op_parse(struct op_form *f, const char *line);

/* Bytes of one case in the file. */
int op_case_bytes(const struct op_form *f);

/* Fills inputs * cases words. The same on every machine. */
void op_inputs(const struct op_form *f, uint64_t *in);
uint64_t op_hash(const void *data, size_t size);

/* Text that grows; `failed`: out of memory. */
struct op_text {
	char *s;
	size_t size, room;
	bool failed;
};
void op_print(struct op_text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A module is a header and kernels; legacy forms need modules of their own.
 * Kernel `number` is called kNUMBER and takes three pointers: inputs,
 * outputs, and OP_MEM_BYTES of scratch per thread.
 */
void op_ptx_header(struct op_text *t, bool legacy);
void op_ptx_kernel(struct op_text *t, const struct op_form *f, int number);

#endif
