/*
 * Lowers a parsed function to code that runs: what the files of the lowering
 * share. Private to the lowering.
 */
#ifndef HEDDLE_ISA_PTX_LOWER_H
#define HEDDLE_ISA_PTX_LOWER_H

#include "isa/ptx/exec.h"
#include "isa/ptx/flow.h"
#include "isa/ptx/program.h"

/* Constants as registers, one value for all lanes; each value once. */
struct const_pool {
	char *data;
	uint32_t bytes, room;
	uint32_t *table; /* by hash, open addressing: offset + 1, bytes */
	uint32_t table_size, used;
	bool failed;
};

slot_t pool_const(struct const_pool *p, unsigned bytes, uint64_t value);
/* A place of its own: its value may be changed later. */
slot_t pool_unique(struct const_pool *p, unsigned bytes, uint64_t value);

struct lower {
	struct ptx_program *program;
	struct const_pool *pool;
	struct diag *d;
	bool failed;

	const struct ptx_func *f;
	struct code *code;
	const uint32_t *reg_slot; /* by register */
	const uint32_t *reg_once; /* by register: reg_place.once */
	/* Address registers that have a place in warp.lane_pattern, and their
	 * number. */
	uint32_t kept[LANE_PATTERNS], kept_count;
	struct layout layout;
	uint32_t *pc;   /* by PTX instruction, one more for the end */
	uint32_t *join; /* by PTX instruction: where a branch reconverges */
	bool *is_join;  /* by PTX instruction */
	bool *spins;    /* by PTX instruction, and one more: spin.h */
	/* By PTX instruction: a group of facts ends here, some of which only
	 * some lanes have. NULL: there are none. */
	const bool *ends;
	uint32_t out_room;
	struct inst spare;         /* for writes after an allocation failed */
	const struct ptx_inst *in; /* the one being lowered */
};

/* Records an error at the instruction; the first one is kept. */
void lower_fail(struct lower *lo, enum err code, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* lower_opnd.c */
unsigned reg_bytes(enum ptx_type t); /* of a register: 2 to 16; predicate: 1 */
slot_t lower_temp(struct lower *lo, unsigned bytes);
/* A source of `type`; may emit instructions before the one being lowered. */
slot_t lower_src(struct lower *lo, const struct ptx_opnd *o,
		 enum ptx_type type);
slot_t lower_dst(struct lower *lo, const struct ptx_opnd *o);
unsigned opnd_bytes(const struct lower *lo, const struct ptx_opnd *o,
		    enum ptx_type type);
/* `.reg .v4 .f32 %v` named as a whole. */
bool is_vector_reg(const struct lower *lo, const struct ptx_opnd *o);
void lower_mem(struct lower *lo, struct inst *out, const struct ptx_opnd *o);
enum space lower_space(const struct ptx_opcode *op);
/* Sets *at to the address of a variable in its space, and returns true; false:
 * *at is an offset in the frame. */
bool var_address(struct lower *lo, const struct ptx_var *v, uint64_t *at);
/* Fails if o is a register of another size; 1 is a predicate. */
bool lower_sized(struct lower *lo, const struct ptx_opnd *o, unsigned bytes);
struct opnd_lists *lower_lists(struct lower *lo, uint32_t slots);
void list_add(struct lower *lo, struct opnd_lists *x, int list,
	      const struct ptx_opnd *o, enum ptx_type type, bool is_dst);

/* lower.c */
struct inst *lower_emit(struct lower *lo, exec_fn *exec);
bool layout_make(struct layout *l, struct arena *a, const struct ptx_func *f,
		 uint32_t start);
MUST_USE enum err lower_func(struct ptx_program *p, struct const_pool *pool,
			     const struct ptx_func *f,
			     const struct ptx_flow *flow, struct diag *d);

/* lower_regs.c: fills in *to, whose arrays are zero. flow is NULL for a
 * function without a body. Fails with ERR_NOMEM only. */
MUST_USE enum err place_regs(struct reg_place *to, const struct ptx_func *f,
			     const struct ptx_flow *flow, struct diag *d);

/* lower_ops.c: what a row needs beyond the operands of its form */
void lower_details(struct lower *lo, struct inst *out);
unsigned lower_mods(const struct ptx_opcode *op);
/* The IF_ bits (exec.h) of a comparison. */
uint8_t lower_truth(const struct ptx_opcode *op);

/* lower_call.c, lower_tex.c, lower_video.c */
void lower_call(struct lower *lo, struct inst *out);
void lower_tex(struct lower *lo, struct inst *out);
void lower_mma(struct lower *lo, struct inst *out);
/* Registers of a matrix that is loaded or stored, and the stride. */
void lower_matrix(struct lower *lo, struct inst *out, bool load);
void lower_video(struct lower *lo, struct inst *out);

#endif
