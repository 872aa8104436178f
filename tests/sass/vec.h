/*
 * One SASS instruction, many cases: the counterpart of tests/op for machine
 * code. A form is a line of forms.txt: how many cases, the instruction in two
 * words without its control bits, and its text, which only explains them.
 *
 *	128 0000000604047210 07fe10ff0007e008 IADD3 R12, P3, P4, R4, R6, R8
 *
 * Every instruction works on the same registers, which a frame of other
 * instructions loads and stores around it:
 *
 *	R4, R6, R8, R10    operands A, B, C and a fourth, pairs
 *	R12 to R15         results, which are DEST before
 *	P0 to P6           bits of an input; P3 and P4 are results
 *	UR4.., UP0..       the same of uniform registers
 *	c[0x0][0x220]      operand B, a parameter of the kernel; C follows
 *	c[0x3][0x0]        the same, a variable of the module
 *
 * The recorder puts the instruction into that frame in a cubin and runs it on a
 * GPU; the tester runs the same cubin on Heddle.
 */
#ifndef HEDDLE_TESTS_SASS_VEC_H
#define HEDDLE_TESTS_SASS_VEC_H

#include "isa/sass/inst.h"
#include "opgen.h"

enum {
	VEC_SM = 90,
	VEC_WORDS = 16,   /* 32-bit words of input and of output of a case */
	VEC_OUTPUTS = 10, /* slots of a form: see vec_outputs */
	VEC_DEST = 0x5a5a1234,
	VEC_CUBIN = 8192, /* room for the cubin of the frame */
	/* Bytes of frame.cubin: where its code is, and how long. */
	VEC_TEXT_AT = 0x680,
	VEC_TEXT_SIZE = 0xc80,
	VEC_TEXT = 128,
	/* Cases for which a constant has the same value: those of a launch. */
	VEC_CONST_CASES = 32,
	VEC_PARAM_AT = 0x220 /* of operand B, in bank 0 */
};

struct vec_form {
	struct op_form op; /* inputs: operands A, B, C; outputs */
	struct sass_inst inst;
	uint64_t word[2];
	char text[VEC_TEXT];
	/* Blocks have one thread: a uniform operand takes one value. */
	bool single;
	bool constant; /* an operand is in a constant bank */
};

/* What a launch of some cases gives the kernel: its parameters are `in`, `out`
 * and these two, which the variable `bank3` holds, too. */
#define VEC_BANK3 "bank3"
struct vec_constants {
	uint64_t b, c;
};

/* op.line is the line without the text. False: the line is no form. */
bool vec_parse(struct vec_form *f, const char *line);
/* The same for op_reader, which needs the shape only. */
bool vec_shape(struct op_form *f, const char *line);

/* VEC_WORDS words for each case. *hash: of the inputs. */
void vec_inputs(const struct vec_form *f, uint32_t *words, uint64_t *hash);
/* How many cases a launch has, and the threads of its blocks. */
unsigned vec_launch_cases(const struct vec_form *f);
unsigned vec_threads(const struct vec_form *f);
/* The constants of the launch that begins with case `first`. */
void vec_constants(struct vec_constants *out, const uint32_t *words,
		   unsigned first);
/* The outputs as op_writer wants them, from what the kernel stored. */
void vec_outputs(const struct vec_form *f, const uint32_t *in,
		 const uint32_t *stored, uint64_t *out);

/* Makes the line of an instruction that is written so. False: it is none. */
bool vec_line(char line[OP_LINE], int cases, const char *text);

/* The frame's cubin with the instruction in it; `cubin` holds the cubin as it
 * is in the file. False: it is not the one that the frame fits in. */
bool vec_patch(unsigned char *cubin, size_t size, const struct vec_form *f);

/* Instruction i of the frame, its word without control bits, and its text; NULL
 * at the end. */
const char *vec_frame_text(unsigned i, uint64_t word[2]);

#endif
