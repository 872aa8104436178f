/* Shared by the files of the lowering only. */
#ifndef HEDDLE_ISA_SASS_LOWER_H
#define HEDDLE_ISA_SASS_LOWER_H

#include "isa/sass/exec.h"
#include "isa/sass/program.h"

struct pool;

/* Room for the registers of an instruction: sass_more.list.slots. */
enum { SASS_LIST_SLOTS = 16 };

/* The lowering of one kernel. */
struct sass_lower {
	struct sass_program *p;
	struct function *f;
	struct sass_code *c;
	struct pool *pool;
	const struct sass_inst *si; /* the instruction, at `index` */
	uint32_t index;
	char refused[440]; /* why the kernel cannot run; "": it can */
};

/* The kernel cannot run; the first reason counts. */
void sass_lower_refuse(struct sass_lower *lo, const char *fmt, ...)
	PRINTF_LIKE(2, 3);
/* The slot of an operand that is read, and of one that is written. Where a row
 * has none, it reads zeros and writes nowhere (SLOT_NONE). */
slot_t sass_source(struct sass_lower *lo, const struct sass_opnd *o);
slot_t sass_target(struct sass_lower *lo, const struct sass_opnd *o);
/* A constant of a bank, of 1, 2, 4 or 8 bytes; a number of 64 bits. */
slot_t sass_bank_slot(struct sass_lower *lo, unsigned bank, uint32_t offset,
		      unsigned bytes, bool is_signed);
slot_t sass_value_slot(struct sass_lower *lo, uint64_t value);
/* Refuses a constant that is the address of a function that nobody has. */
void sass_check_constant(struct sass_lower *lo, const struct sass_opnd *o);

/* Sets a, e, offset, addr and space: the address of a memory operand. */
void sass_lower_address(struct sass_lower *lo, struct inst *out,
			const struct sass_opnd *o, enum space space);

/* lower_mem.c, lower_flow.c: set what executors of memory and of control flow
 * need. False: it is no such instruction. */
bool sass_lower_memory(struct sass_lower *lo, struct inst *out,
		       struct sass_more *x);
bool sass_lower_flow(struct sass_lower *lo, struct inst *out);

/* prepare.c: sets m, k, count and width of arithmetic. */
void sass_prepare(struct inst *out, const struct sass_inst *si);
/* lower_unit.c: sets what executors of the units beside the ALUs need. False: it
 * is no such instruction. */
bool sass_lower_unit(struct sass_lower *lo, struct inst *out,
		     struct sass_more *x);
/* lower_pattern.c: lets loads from shared memory remember their lane pattern. */
void sass_lower_patterns(struct code *code, const struct sass_inst *si);

/* The memory that an instruction accesses. */
enum space sass_access_space(enum sass_op op);

#endif
