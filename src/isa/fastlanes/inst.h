/*
 * An instruction of FastLanes: a word of 64 bits, and its parts.
 *
 *   63           32 31 30   26 25  21 20  16 15  11 10  9     7 6      0
 *  +---------------+--+-------+------+------+------+---+-------+--------+
 *  | b             |im| mod   | c    | a    | d    |neg| guard | code   |
 *  +---------------+--+-------+------+------+------+---+-------+--------+
 *
 * b is a constant if im is 1; else its low 5 bits are a register and the rest is
 * 0. A predicate in the place of a register has its number in the low three bits
 * and its negation in the fourth. Fields that an instruction does not have are 0,
 * but for the guard, which is pt where there is none: an instruction has exactly
 * one word.
 *
 * Models:  32 registers of 32 bits, r0 to r31; predicates p0 to p6 and pt, which
 *          holds always and is not changed by writing it.
 */
#ifndef HEDDLE_ISA_FASTLANES_INST_H
#define HEDDLE_ISA_FASTLANES_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FL_REGS = 32,
	FL_PREDS = 7,
	FL_PT = 7,       /* the predicate that holds always */
	FL_PRED_NOT = 8, /* added to a predicate that is read negated */
	FL_LANES = 32,
	FL_CODES = 128,
	FL_NO_JOIN = 0xffff, /* a branch whose paths meet at the thread's end */
	FL_MAX_CODE = 0xffff /* instructions of a kernel, at most */
};

/* How the bits of r0 are divided when a thread starts. */
enum { FL_TID_Y = 10, FL_TID_Z = 20, FL_TID_BITS = 10, FL_TID_Z_BITS = 6 };

/* Units by latency: docs/fastlanes.md. */
enum fl_unit {
	FL_UNIT_ALU,
	FL_UNIT_MUL,
	FL_UNIT_FP,
	FL_UNIT_SFU,
	FL_UNIT_DIV,
	FL_UNIT_MEM,
	FL_UNIT_CTRL,
	FL_UNIT_COUNT
};

enum fl_op {
#define FL_OP(code, id, ...) FL_##id,
#include "isa/fastlanes/op.def"
	FL_OP_COUNT
};

enum fl_mod_class {
#define FL_MODS(class) FL_MODS_##class,
#include "isa/fastlanes/mod.def"
	FL_MODS_COUNT
};

/* Values of modifiers that programs and tests name. */
enum {
	FL_MOD_CI = 1,
	FL_MOD_CO = 2,
	FL_MOD_S = 1,
	FL_MOD_R = 1,
	FL_MOD_FTZ = 4,
	FL_MOD_SAT = 8,
	FL_MOD_NAN = 8,
	FL_MOD_NEG = 16,
	FL_MOD_INT = 16,
	FL_MOD_CVT_S = 8,
	FL_MOD_CMP_S = 8,
	FL_MOD_CMP_FTZ = 16,
	FL_MOD_ABS = 16
};
enum fl_cmp { FL_EQ, FL_NE, FL_LT, FL_LE, FL_GT, FL_GE, FL_UNORDERED };
enum { FL_NUM = 12, FL_NAN = 13 };
enum fl_bool { FL_BOOL_AND, FL_BOOL_OR, FL_BOOL_XOR };
enum fl_fn {
	FL_FN_RCP,
	FL_FN_RSQ,
	FL_FN_SQRT,
	FL_FN_LG2,
	FL_FN_EX2,
	FL_FN_TANH,
	FL_FN_SIN,
	FL_FN_COS
};
enum fl_width { FL_B32, FL_U8, FL_S8, FL_U16, FL_S16 };

enum fl_sreg {
#define FL_SREG(id, name, about) FL_SREG_##id,
#include "isa/fastlanes/sreg.def"
	FL_SREG_COUNT
};

struct fl_op_info {
	uint8_t code, unit, mods;
	const char *name, *operands, *about;
};
extern const struct fl_op_info fl_ops[FL_OP_COUNT];

struct fl_mod_info {
	uint8_t mods, shift, bits;
	const char *names;
};
extern const struct fl_mod_info fl_mods[];
extern const size_t fl_mod_count;

struct fl_sreg_info {
	const char *name, *about;
};
extern const struct fl_sreg_info fl_sregs[FL_SREG_COUNT];

struct fl_inst {
	uint8_t op;    /* enum fl_op */
	uint8_t guard; /* predicate, FL_PRED_NOT added */
	uint8_t d, a, c;
	uint8_t mod;
	bool imm;   /* b is a constant */
	uint32_t b; /* register, constant, or target | reconvergence << 16 */
};

static inline uint32_t fl_target(const struct fl_inst *in)
{
	return in->b & 0xffff;
}

static inline uint32_t fl_join(const struct fl_inst *in)
{
	return in->b >> 16;
}

/* Whether the operands of the instruction's row include this letter. */
bool fl_has(const struct fl_inst *in, char operand);

uint64_t fl_encode(const struct fl_inst *in);
/* Returns NULL, or why the word is no instruction. */
const char *fl_decode(struct fl_inst *out, uint64_t word);
/* Writes the instruction as text, cut to `size` bytes. */
void fl_print(char *text, size_t size, const struct fl_inst *in);

/* The name of a value of a modifier's field, in buf; NULL: it has none. */
const char *fl_mod_name(char *buf, size_t size, const struct fl_mod_info *m,
			unsigned value);

#endif
