/*
 * A PTX module as parsed: variables, functions, and instructions whose operands
 * are resolved. Immutable once read, except that the instructions of a function
 * may be put into another order (schedule.h).
 *
 * Models:  everything in the PTX of a compute kernel, with its place in the
 *          text. Nested scopes are flattened: a name declared twice in a
 *          function gets a suffix, so names are unique in a function. A
 *          function that uses something unsupported is refused; only its
 *          signature is kept.
 * Does not model: debug sections (.section is skipped), linking of modules.
 * Owner:   the arena inside; ptx_module_free frees all of it.
 */
#ifndef HEDDLE_ISA_PTX_MODULE_H
#define HEDDLE_ISA_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/space.h"
#include "base/arena.h"
#include "base/diag.h"
#include "isa/ptx/row.h"

struct ptx_loc {
	uint32_t line, col; /* in the PTX text, from 1; 0: not from a file */
};

enum ptx_linkage {
	PTX_LINK_NONE,
	PTX_LINK_VISIBLE,
	PTX_LINK_EXTERN,
	PTX_LINK_WEAK,
	PTX_LINK_COMMON
};

/* `size` bytes at `offset` of an initialiser hold an address. */
struct ptx_reloc {
	uint64_t offset;
	struct ptx_var *var; /* one of the two is set */
	struct ptx_func *func;
	int64_t addend;
	uint32_t size;  /* bytes stored */
	uint32_t shift; /* the value is (address >> shift) & 0xff...: mask() */
	bool generic; /* generic(name): a generic address; else in its space */
	struct ptx_reloc *next;
};

/* Any variable but a register. */
struct ptx_var {
	const char *name;
	struct ptx_loc loc;
	enum space space;
	enum ptx_type type;
	enum ptx_linkage linkage;
	uint8_t vec;     /* elements of the vector type: 1, 2, 4 */
	uint8_t dims;    /* array dimensions; 0: no array */
	uint32_t bank;   /* .const[bank] */
	uint32_t align;  /* bytes */
	uint64_t dim[8]; /* dim[0] == 0: extern array of unknown size */
	uint64_t bytes;  /* 0: extern array of unknown size */
	uint8_t *init;   /* `bytes` bytes, or NULL: zero */
	struct ptx_reloc *relocs;
	bool managed; /* .attribute(.managed) */
	/* of a kernel parameter: .ptr .space .align n */
	bool is_ptr;
	enum space ptr_space; /* GENERIC if not stated */
	uint32_t ptr_align;
	uint32_t index;         /* among the module's or function's variables */
	struct ptx_func *owner; /* NULL: module scope */
	struct ptx_var *next;
};

/* A register: %r5 of `.reg .b32 %r<10>` is its own ptx_reg. */
struct ptx_reg {
	const char *name;
	enum ptx_type type;
	uint8_t vec; /* 1; 2 or 4 for `.reg .v4 .f32 %v` */
	struct ptx_loc loc;
};

enum ptx_opnd_kind {
	PTX_OPND_NONE,
	PTX_OPND_REG,   /* reg; elem >= 0: one element of a vector register */
	PTX_OPND_SREG,  /* sreg */
	PTX_OPND_IMM,   /* bits, imm_kind */
	PTX_OPND_VAR,   /* address of var, plus offset */
	PTX_OPND_FUNC,  /* address of func */
	PTX_OPND_LABEL, /* label */
	PTX_OPND_MEM,   /* [base + offset]: elems[0] is REG, VAR or IMM */
	PTX_OPND_VEC,   /* { elems }, count of them */
	PTX_OPND_DUAL,  /* d|p: elems[0] and elems[1] */
	PTX_OPND_TEX,   /* [object, {sampler,} coordinates]: count elems */
	PTX_OPND_ARGS,  /* (a, b, c) of a call: count elems */
	PTX_OPND_TARGETS, /* name of a .branchtargets/.calltargets/.callprototype */
	PTX_OPND_SINK     /* _ */
};

enum ptx_imm_kind { PTX_IMM_INT, PTX_IMM_F32, PTX_IMM_F64 };

struct ptx_opnd {
	uint8_t kind;     /* enum ptx_opnd_kind */
	uint8_t imm_kind; /* enum ptx_imm_kind */
	uint8_t negated;  /* !p, or -a of vmad */
	uint8_t count;    /* of elems */
	int8_t elem;      /* .x .y .z .w (or .r .g .b .a) of a vector; or -1 */
	/* The selector of a video operand: .b3210 is 'b' and 4 digits, the last
	 * one first. */
	char part;     /* 'b', 'h'; 0: no selector */
	uint8_t parts; /* number of digits */
	uint8_t part_digit[4];
	struct ptx_loc loc;
	union {
		uint32_t reg;  /* index in the function's regs */
		uint32_t sreg; /* enum ptx_sreg */
		uint64_t bits; /* integers as 64-bit two's complement; F32 as
				 * 32 bits of IEEE single; F64 as 64 bits */
		struct ptx_var *var;
		struct ptx_func *func;
		uint32_t label;   /* index in the function's labels */
		uint32_t targets; /* index in the function's target lists */
	};
	int64_t offset;
	struct ptx_opnd *elems;
};

enum { PTX_NO_REG = 0xffffffffu };

/* A call that was inlined: where it stands, and the call that inlined that. */
struct ptx_call {
	const struct ptx_call *outer; /* NULL: it stands in the function itself */
	uint32_t file, line, column;
};

struct ptx_inst {
	const struct ptx_opcode *op; /* row, attributes and types, interned */
	uint32_t guard;              /* predicate register or PTX_NO_REG */
	bool guard_negated;
	bool rolled; /* .pragma "nounroll" before it: its loop stays as it is */
	/* Its guard stands for a branch around it (predicate.h). In the text it
	 * is not executed if the guard is false in all lanes: then it does not
	 * count. */
	bool apart;
	/* Its guard keeps nothing that is read: what it writes is overwritten
	 * as without a guard. */
	bool kills;
	uint8_t opnd_count;
	struct ptx_opnd *opnds;
	struct ptx_loc loc;
	uint32_t src_file, src_line; /* by .loc; file 0: none */
	const struct ptx_call *call; /* that inlined that line; NULL: none */
};

/* Whether nothing of what it writes keeps its old value. */
static inline bool ptx_overwrites(const struct ptx_inst *in)
{
	return in->guard == PTX_NO_REG || in->kills;
}

struct ptx_label {
	const char *name;
	uint32_t inst; /* index of the instruction that follows */
	struct ptx_loc loc;
};

/* .branchtargets, .calltargets (funcs) or .callprototype (params, rets). */
enum ptx_targets_kind {
	PTX_TARGETS_BRANCH,
	PTX_TARGETS_CALL,
	PTX_TARGETS_PROTO
};

struct ptx_targets {
	const char *name;
	enum ptx_targets_kind kind;
	uint32_t count;
	uint32_t *labels;
	struct ptx_func **funcs;
	struct ptx_func *proto; /* params and rets only */
};

/* .maxntid, .reqntid, .minnctapersm, .maxnreg, .noreturn, ... */
struct ptx_limits {
	uint32_t maxntid[3], reqntid[3];
	uint32_t minnctapersm, maxnctapersm, maxnreg;
	bool noreturn;
	bool rolled; /* .pragma "nounroll": of all loops */
};

/* ptx_func.copy of a jump to where a loop ends, which is not in the text. */
enum { PTX_COPY_EXIT = 0xffff };

/* Copies of a loop's iteration (unroll.h): `copies` of them begin at instruction
 * `first`; from `next` on are fewer of them, or the loop itself. */
struct ptx_unroll {
	uint32_t first, next;
	uint32_t copies;
	/* All lanes must still have as many iterations to go. In each of them
	 * `step` is added to the counter, and then it, or before that its old
	 * value, is compared with `limit` by the comparison of opcode `test`;
	 * swapped: the limit comes first. The loop goes on if the result is
	 * `goes_on`. */
	uint32_t counter; /* register */
	const struct ptx_opnd *step, *limit;
	const struct ptx_opcode *test;
	bool subtracts, tests_old, swapped, goes_on;
	uint32_t test_at; /* the comparison, in the text */
};

struct ptx_func {
	const char *name;
	struct ptx_loc loc;
	bool is_entry, has_body;
	enum ptx_linkage linkage;
	struct ptx_limits limits;
	/* Parameters and return values, in order. A .reg parameter of a device
	 * function has space SPACE_REG and is regs[index]. */
	struct ptx_var **params, **rets;
	uint32_t param_count, ret_count;
	struct ptx_reg *regs;
	uint32_t reg_count;
	struct ptx_var **vars; /* .local, .shared, .param, .const inside */
	uint32_t var_count;
	struct ptx_inst *insts;
	uint32_t inst_count;
	/* If the instructions were scheduled (schedule.h), else NULL and 0: in
	 * the order of the text; by instruction, its place in the text; by
	 * instruction with facts, the group of those that were reordered among
	 * themselves, or 0; the maximum of registers live at one point of the
	 * text, and the estimate of time_live.h for it. */
	const struct ptx_inst *text;
	uint32_t *place, *group;
	uint8_t *fold; /* by instruction: enum ptx_fold (fold.h) */
	uint32_t text_max, text_demand;
	/* If blocks were moved, else NULL: by instruction of the text, its place
	 * behind that, before anything else was reordered (layout.h). */
	uint32_t *laid;
	/* If blocks were moved or loops unrolled, else NULL and 0: the copies;
	 * by instruction, the number of the iteration that it belongs to, from
	 * 1 on, or 0: it is the one of the text; whether it is a copy that only
	 * counts iterations, until the function is scheduled; the labels, and
	 * the numbers of instructions and registers, of the text. */
	struct ptx_unroll *unrolls;
	uint32_t unroll_count;
	uint16_t *copy;
	bool *counts;
	const struct ptx_label *text_labels;
	uint32_t text_count, text_label_count, text_regs;
	struct ptx_label *labels;
	uint32_t label_count;
	struct ptx_targets *targets;
	uint32_t target_count;
	struct ptx_func *alias; /* .alias: another name for that function */
	/* Why the function cannot run, with file:line:column, or NULL. A
	 * refused function has no instructions. */
	const char *refused;
	const char *refused_for; /* the opcode or .directive */
	struct ptx_func *next;
	uint32_t index; /* among the module's functions */
};

/* How many labels and registers, the first ones, are those of the text. */
static inline uint32_t ptx_text_labels(const struct ptx_func *f)
{
	return f->copy ? f->text_label_count : f->label_count;
}
static inline uint32_t ptx_text_regs(const struct ptx_func *f)
{
	return f->copy ? f->text_regs : f->reg_count;
}

/* The function that a name stands for. */
static inline struct ptx_func *ptx_aliased(struct ptx_func *f)
{
	return f->alias ? f->alias : f;
}

struct ptx_module {
	struct arena arena;
	const char *name; /* what errors call the file */
	uint32_t version_major, version_minor;
	const char *target;    /* as written after .target: "sm_90" */
	uint32_t sm;           /* 90 */
	uint32_t address_size; /* 32 or 64 */
	struct ptx_var *vars;  /* module scope, in order */
	uint32_t var_count;
	struct ptx_func *funcs; /* in order of first declaration */
	uint32_t func_count;
	const char **files; /* by .file number; NULL: not given */
	uint32_t file_count;
	const char **pragmas;
	uint32_t pragma_count;
	bool rolled; /* one of them is "nounroll" */
};

/*
 * Reads a module. On failure *d has file:line:column and what was expected. An
 * unsupported instruction does not fail: it refuses its function.
 */
MUST_USE enum err ptx_parse(struct ptx_module **out, const char *name,
			    const char *text, size_t size, struct diag *d);
void ptx_module_free(struct ptx_module *m);

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

/* The module as text, malloc'ed; NULL if out of memory. */
char *ptx_print(const struct ptx_module *m);
/* The same, with instructions in the order in which they are executed; a comment
 * says which are folded (fold.h). */
char *ptx_print_executed(const struct ptx_module *m);
/* One instruction as text without the semicolon, cut to `size` bytes. */
void ptx_print_inst(char *buf, size_t size, const struct ptx_func *f,
		    const struct ptx_inst *in);

#endif
