/*
 * A kernel between PTX and FastLanes: instructions of FastLanes over as many
 * virtual registers as it takes. Private to the compiler.
 *
 *   PTX --expand--> IR --clean--> IR --alloc--> words
 *
 * A virtual register holds 32 bits; one of PTX with 64 bits is two of them, of
 * which the upper one disappears if nothing reads it, as with most addresses.
 * A value of 8 or 16 bits is in the low bits of its register; what is above is
 * undefined, and who reads it extends it.
 *
 * Owner:   the arena of struct fl_build.
 */
#ifndef HEDDLE_FASTLANES_IR_H
#define HEDDLE_FASTLANES_IR_H

#include "isa/fastlanes/code.h"
#include "isa/ptx/flow.h"
#include "isa/ptx/module.h"

#define FL_NONE UINT32_MAX

/* An instruction that only says that r0 holds the thread's place at the start:
 * it writes d and becomes no word. */
enum { FL_TID = FL_OP_COUNT };

struct fl_ir {
	uint8_t op, mod;
	bool imm; /* b is a constant */
	bool guard_not, q_not, r_not;
	uint32_t guard;   /* predicate or FL_NONE */
	uint32_t d, a, c; /* registers or FL_NONE */
	uint32_t b;       /* register, constant, or FL_NONE */
	/* p: predicate that is written; of a carry, also read (.ci). q, r:
	 * predicates that are read; FL_NONE is pt. */
	uint32_t p, q, r;
	uint32_t to, join; /* of a branch: PTX instructions; join FL_NONE */
	uint32_t ptx;      /* the PTX instruction that it comes from */
};

enum fl_value_kind {
	FL_VALUE, /* it may be spilled */
	FL_TEMP,  /* the same; written and read under one guard */
	FL_SHORT  /* the same; it lives for an instruction and is not spilled */
};

/* A 32-bit operand: a register or a constant. */
struct fl_word {
	bool imm;
	uint32_t v;
};

/* What a kernel's own variables need, and where they are. */
struct fl_place {
	uint32_t *at;   /* by variable's index, plus 1; 0: not placed yet */
	uint32_t bytes; /* so far */
};

struct fl_build {
	struct arena *arena;
	struct diag *d;
	const struct ptx_module *module;
	const struct ptx_func *f;
	struct ptx_flow flow;
	const uint32_t *global_at; /* by index of a module's variable */

	struct fl_ir *ir;
	uint32_t count, room;
	uint32_t *first; /* by PTX instruction, one more: its first of ir */
	uint32_t regs, preds;
	uint8_t *reg_kind, *pred_kind; /* enum fl_value_kind */
	uint32_t reg_room, pred_room;

	uint32_t *lo, *hi; /* by PTX register; predicates in lo */
	uint32_t *param_at; /* by PTX register: the offset in the parameters that it
				always points to, or FL_NONE */
	uint32_t tid, carry; /* FL_NONE until they are used */
	struct fl_place shared, local, module_shared;

	const struct ptx_inst *in; /* the one being expanded */
	uint32_t in_index;
	uint32_t guard; /* its guard, or a copy; FL_NONE: none */
	bool failed;
	struct fl_ir spare; /* for writes after an allocation failed */
};

/* Records an error at the PTX instruction; the first one is kept. */
void fl_refuse(struct fl_build *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

uint32_t fl_new_reg(struct fl_build *b, enum fl_value_kind kind);
uint32_t fl_new_pred(struct fl_build *b, enum fl_value_kind kind);
/* The same of the kind FL_TEMP. */
uint32_t fl_temp(struct fl_build *b);
uint32_t fl_temp_pred(struct fl_build *b);

static inline struct fl_word fl_reg(uint32_t r)
{
	return (struct fl_word){ false, r };
}

static inline struct fl_word fl_const(uint32_t v)
{
	return (struct fl_word){ true, v };
}

/* Whether a and b may change places. */
bool fl_commutes(enum fl_op op);
/* Appends an instruction with the guard of the PTX instruction; its other
 * operands are absent. */
struct fl_ir *fl_emit(struct fl_build *b, enum fl_op op, unsigned mod);
/* d = op a, b; d: a new temporary of fl_op*. */
void fl_put(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	    struct fl_word a, struct fl_word y);
void fl_put1(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	     struct fl_word a);
void fl_put3(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	     struct fl_word a, struct fl_word y, struct fl_word c);
struct fl_word fl_do(struct fl_build *b, enum fl_op op, unsigned mod,
		     struct fl_word a, struct fl_word y);
struct fl_word fl_do1(struct fl_build *b, enum fl_op op, unsigned mod,
		      struct fl_word a);
void fl_move(struct fl_build *b, uint32_t d, struct fl_word a);
/* d = p ? a : y; negated: of !p. */
void fl_select(struct fl_build *b, uint32_t d, struct fl_word a,
	       struct fl_word y, uint32_t p, bool negated);
/* Addition or subtraction with the carry p: mod FL_MOD_CI, FL_MOD_CO. */
void fl_carry(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t d,
	      struct fl_word a, struct fl_word y, uint32_t p);
void fl_compare(struct fl_build *b, enum fl_op op, unsigned mod, uint32_t p,
		struct fl_word a, struct fl_word y);
/* The register of a word; a constant is moved to one. */
uint32_t fl_as_reg(struct fl_build *b, struct fl_word w);

/* Operands of the PTX instruction. half 1: the upper word of 64 bits. */
struct fl_word fl_src(struct fl_build *b, unsigned i, enum ptx_type type,
		      unsigned half);
struct fl_word fl_src_of(struct fl_build *b, const struct ptx_opnd *o,
			 enum ptx_type type, unsigned half);
/* The same, extended to 32 bits if the type has fewer. */
struct fl_word fl_src_wide(struct fl_build *b, unsigned i, enum ptx_type type);
struct fl_word fl_extend(struct fl_build *b, struct fl_word w,
			 enum ptx_type type);
uint32_t fl_dst(struct fl_build *b, unsigned i, unsigned half);
uint32_t fl_dst_of(struct fl_build *b, const struct ptx_opnd *o, unsigned half);
/* Bytes of the register that an operand is; 0: it is none. */
unsigned fl_reg_bytes(const struct fl_build *b, const struct ptx_opnd *o);
/* A predicate that is read; *negated says whether !p. FL_NONE: pt. */
uint32_t fl_pred_src(struct fl_build *b, const struct ptx_opnd *o,
		     bool *negated);
uint32_t fl_pred_dst(struct fl_build *b, const struct ptx_opnd *o);
unsigned fl_bytes(enum ptx_type t);
bool fl_signed(enum ptx_type t);

/* Modifiers of PTX as bits of FastLanes: rounding, .ftz, .sat. */
unsigned fl_float_mods(const struct ptx_opcode *op);

/* expand.c: turns the instructions of b->f into IR. */
void fl_expand(struct fl_build *b);
/* expand_mem.c: the address of a variable, without the frame of a local one.
 * Places variables of shared and local memory at their first use. */
struct fl_word fl_var_address(struct fl_build *b, const struct ptx_var *v);
/* Places what the kernel uses of shared memory, but for extern arrays. */
void fl_place_shared(struct fl_build *b);

/* Finds the registers that only point to parameters; nothing else may read them. */
void fl_find_params(struct fl_build *b);
/* Whether the instruction does nothing but point such a register to one. */
bool fl_points_to_param(const struct fl_build *b);

/* clean.c: forwards copies within blocks, drops what nothing reads. */
MUST_USE enum err fl_clean(struct fl_build *b);
/* alloc.c: gives registers and predicates, spills those that do not fit. */
struct fl_given {
	uint8_t *reg;         /* by value: virtual registers, then predicates */
	uint32_t regs, preds; /* in use: the highest number, plus 1 */
};
MUST_USE enum err fl_alloc(struct fl_build *b, struct fl_given *out);

/* live.c: where values are live. A value is a virtual register, or a predicate,
 * whose numbers follow those of the registers. */
struct fl_live {
	uint32_t blocks, words; /* words of 64 bits in a set */
	uint32_t *start;        /* by block, one more: first of ir */
	uint64_t *in, *out;     /* by block: values that are live */
};
MUST_USE enum err fl_live(struct fl_live *l, const struct fl_build *b,
			  struct arena *a);

static inline bool fl_is_live(const uint64_t *set, uint32_t v)
{
	return set[v / 64] >> v % 64 & 1;
}

/* The values that an instruction reads and writes. */
struct fl_refs {
	uint32_t read[8], write[2];
	uint8_t reads, writes;
	bool kills[2]; /* by write: the old value is gone */
};
void fl_refs(struct fl_refs *out, const struct fl_build *b,
	     const struct fl_ir *in);
/* Moves the bits of a set back over an instruction. */
void fl_step_back(uint64_t *set, const struct fl_refs *r);

static inline bool fl_is_carry(const struct fl_ir *in)
{
	return in->op == FL_IADD || in->op == FL_ISUB;
}

#endif
