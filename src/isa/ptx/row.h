/*
 * The tables of PTX as data: types, special registers, modifiers, opcodes.
 *
 * An instruction is one row of ptx.def. Its pattern lists the opcodes that the
 * row covers, written as in the PTX manual: words in lower case stand for
 * themselves, words in capitals for a class of attr.def, (u32|s32) for one of
 * several words, braces for optional words. "add{.RND}{.FTZ}{.SAT}.f32"
 * covers add.f32, add.rz.f32, add.rn.ftz.sat.f32 and so on. An opcode that no
 * row covers as written is matched again with its modifiers in any order, as
 * ptxas accepts them. Words that name a type are the opcode's types, in order,
 * whether the pattern has one word there or alternatives.
 *
 * Its form lists the operands, separated by commas:
 *
 *   d:T   destination register          a:T   source: register, immediate,
 *   dp:T  destination d or d|p                special register
 *   p     predicate destination         q     predicate source: p, !p, 1
 *   pp    predicates p or p|q           i     constant
 *   m     memory [a]                    l     label
 *   v:T   destination, or {..} of as many elements as .VEC says
 *   w:T   source, or {..} of as many elements as .VEC says
 *   dN:T  {..} of exactly N destinations; the braces are optional if N is 1
 *   aN:T  {..} of exactly N sources
 *   x     a texture or surface operand [obj, {..}]
 *   y     32-bit destination with an optional selector: d.b0, d.h10
 *   z     32-bit source with an optional selector and minus: -a.h1
 *   *     anything: the lowering checks it, not the reader
 *
 * T is a type of type.def, or t, u, s: the first, second, third type of the
 * opcode. Operands in braces at the end are optional.
 */
#ifndef HEDDLE_ISA_PTX_ROW_H
#define HEDDLE_ISA_PTX_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/kind.h"
#include "cfg/cfg.h"
#include "simt/num.h"

enum ptx_type {
#define TYPE(id, text, bytes, kind) PTX_##id,
#include "isa/ptx/type.def"
	PTX_TYPE_COUNT
};

enum ptx_type_kind {
	PTX_KIND_U,
	PTX_KIND_S,
	PTX_KIND_B,
	PTX_KIND_F,
	PTX_KIND_P,
	PTX_KIND_O
};

struct ptx_type_info {
	const char *text;
	uint8_t bytes;
	uint8_t kind; /* enum ptx_type_kind */
};
extern const struct ptx_type_info ptx_types[PTX_TYPE_COUNT];

/* The type as atomics and matrices know it. */
enum num_type ptx_num_type(enum ptx_type type);

enum ptx_sreg {
#define SREG(id, text, type, when) PTX_SREG_##id,
#include "isa/ptx/sreg.def"
	PTX_SREG_COUNT
};

struct ptx_sreg_info {
	const char *text;
	uint8_t type; /* enum ptx_type */
	bool fixed;   /* one value for the life of a warp */
};
extern const struct ptx_sreg_info ptx_sregs[PTX_SREG_COUNT];

enum ptx_attr_class {
	PTX_CLASS_NONE,
#define CLASS(class) PTX_CLASS_##class,
#include "isa/ptx/attr.def"
	PTX_CLASS_COUNT
};

/* One number for each row of attr.def: PTX_RND_RZ, PTX_SS_GLOBAL. */
enum ptx_attr {
	PTX_ATTR_ABSENT,
#define ATTR(class, id, text) PTX_##class##_##id,
#include "isa/ptx/attr.def"
	PTX_ATTR_COUNT
};

struct ptx_attr_info {
	uint8_t class; /* enum ptx_attr_class */
	const char *text;
};
extern const struct ptx_attr_info ptx_attrs[PTX_ATTR_COUNT];
extern const char *const ptx_class_names[PTX_CLASS_COUNT];

/* The kind of a row, for the reader and the tests. */
enum ptx_row_class {
	PTX_ROW_LANE,   /* lane by lane: needs test vectors */
	PTX_ROW_WARP,   /* needs the whole warp, memory or control flow */
	PTX_ROW_REFUSED /* not supported: `form` names what it belongs to */
};

/* What a row does with the carry flag. */
enum ptx_carry {
	PTX_CARRY_NONE,
	PTX_CARRY_SETS, /* may write it */
	PTX_CARRY_ADDS  /* reads it, and may write it */
};

struct ptx_row {
	const char *id;
	const char *pattern;
	const char *form;
	uint8_t class;  /* enum ptx_row_class */
	uint8_t unit;   /* enum unit_class */
	uint8_t lat;    /* enum lat_class */
	uint8_t kind;   /* enum timing_kind */
	uint8_t replay; /* enum replay_kind */
	uint8_t carry;  /* enum ptx_carry */
};

enum ptx_op {
#define LANE1(id, ...) PTX_OP_##id,
#define LANE2(id, ...) PTX_OP_##id,
#define LANE3(id, ...) PTX_OP_##id,
#define LANE4(id, ...) PTX_OP_##id,
#define CARRY2(id, ...) PTX_OP_##id,
#define CARRY3(id, ...) PTX_OP_##id,
#define SETP(id, ...) PTX_OP_##id,
#define SET(id, ...) PTX_OP_##id,
#define SELP(id, ...) PTX_OP_##id,
#define TEST1(id, ...) PTX_OP_##id,
#define WARP(id, ...) PTX_OP_##id,
#define REFUSED(id, ...) PTX_OP_##id,
#include "isa/ptx/ptx.def"
	PTX_OP_COUNT
};
extern const struct ptx_row ptx_rows[PTX_OP_COUNT];

/* An opcode as written: its row, its types and its modifiers. */
struct ptx_opcode {
	const char *text;              /* "ld.global.v4.f32" */
	uint16_t op;                   /* enum ptx_op */
	uint8_t types;                 /* number of types */
	uint8_t type[4];               /* enum ptx_type, in order */
	uint8_t attr[PTX_CLASS_COUNT]; /* enum ptx_attr, 0: absent */
};

/* Elements of its vectors, as .VEC says; 1 without it. */
unsigned ptx_vector_length(const struct ptx_opcode *op);
/* Whether a GPU executes it as a sequence with a branch in it, for operands that
 * need more work. */
bool ptx_has_slow_path(unsigned op);

/*
 * Matches an opcode against the table. Fills *out, which points to `text`.
 * Returns the number of rows with the same first word: 0 means that no
 * instruction has that name. *matched says whether a row covers the opcode.
 */
int ptx_match(struct ptx_opcode *out, const char *text, size_t size,
	      bool *matched);

/* Calls `each` for every opcode that a row covers. For tests and docs. */
void ptx_expand(const struct ptx_row *row,
		void (*each)(void *ctx, const char *text), void *ctx);

#endif
