/*
 * The tables of PTX as data: types, special registers, modifiers, opcodes.
 *
 * An instruction is one row of ptx.def. Its pattern says which opcodes it
 * covers, in the manner of the PTX manual: words in small letters stand for
 * themselves, words in capitals for a class of attr.def, (u32|s32) for one of
 * several words, braces for what may be left out. "add{.RND}{.FTZ}{.SAT}.f32"
 * covers add.f32, add.rz.f32, add.rn.ftz.sat.f32 and so on. An opcode that no
 * row covers as written is tried again with its modifiers in any order, as
 * ptxas takes them. Words that name a type are counted as the opcode's types,
 * in order, whether the pattern has them fixed or as alternatives.
 *
 * Its form says what the operands are, separated by commas:
 *
 *   d:T   destination register          a:T   source: register, immediate,
 *   dp:T  destination d or d|p                special register
 *   p     predicate destination         q     predicate source, !p too
 *   pp    predicates p or p|q           i     constant
 *   m     memory [a]                    l     label
 *   v:T   destination, or {..} of as many as .VEC says
 *   w:T   source, or {..} of as many as .VEC says
 *   dN:T  {..} of exactly N destinations, N = 1 may stand without braces
 *   aN:T  {..} of exactly N sources
 *   x     a texture or surface operand [obj, {..}]
 *   y     32-bit destination that may have a selector: d.b0, d.h10
 *   z     32-bit source that may have one, and a minus: -a.h1
 *   *     anything: the reader leaves it to the one who lowers it
 *
 * T is a type of type.def, or t, u, s: the first, second, third type of the
 * opcode. What stands in braces at the end may be left out.
 */
#ifndef HEDDLE_ISA_PTX_ROW_H
#define HEDDLE_ISA_PTX_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/kind.h"
#include "cfg/cfg.h"

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

/* One number per row of attr.def: PTX_RND_RZ, PTX_SS_GLOBAL; 0 is absent. */
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

/* What a row computes, as far as the reader and the tests care. */
enum ptx_row_class {
	PTX_ROW_LANE,   /* lane by lane: op vectors apply */
	PTX_ROW_WARP,   /* needs the whole warp, memory or control */
	PTX_ROW_REFUSED /* known, not supported: `form` says what it is */
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

/* An opcode as written: its row, and what stood at the pattern's places. */
struct ptx_opcode {
	const char *text;              /* "ld.global.v4.f32" */
	uint16_t op;                   /* enum ptx_op */
	uint8_t types;                 /* how many */
	uint8_t type[4];               /* enum ptx_type, in order */
	uint8_t attr[PTX_CLASS_COUNT]; /* enum ptx_attr, 0: absent */
};

/*
 * Matches an opcode against the table. Fills *out (text is kept, not copied).
 * Returns how many rows share the first word: 0 means that no instruction has
 * that name. *matched says whether a row fits whole.
 */
int ptx_match(struct ptx_opcode *out, const char *text, size_t size,
	      bool *matched);

/*
 * Enumerates the opcodes that a row covers. For tests and documentation.
 */
void ptx_expand(const struct ptx_row *row,
		void (*each)(void *ctx, const char *text), void *ctx);

#endif
