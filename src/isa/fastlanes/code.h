/*
 * The CODE file: kernels in the instruction set of FastLanes, with all that a
 * host must know to launch them. docs/fastlanes.md has its layout.
 *
 * Models:  a file that is complete by itself: addresses of variables are fixed
 *          when it is compiled, so a loader copies and does not link. What is
 *          read has been checked: every word is an instruction, branches stay
 *          inside their kernel, registers are within those that the kernel
 *          states, and no path runs past the last instruction.
 * Owner:   the arena inside; fl_code_free frees all of it.
 */
#ifndef HEDDLE_ISA_FASTLANES_CODE_H
#define HEDDLE_ISA_FASTLANES_CODE_H

#include "base/arena.h"
#include "base/diag.h"
#include "isa/fastlanes/inst.h"

enum {
	FL_VERSION = 1,
	/* Where variables lie; below it nothing does, so that a null pointer
	 * faults. */
	FL_DATA_BASE = 0x10000,
	FL_PARAM_MAX = 4096 /* bytes of a kernel's parameters */
};
#define FL_MEMORY_BYTES 0x20000000u /* 512 MiB: addresses have 29 bits */

struct fl_param {
	const char *name;
	const char *type; /* as in the PTX: "u64", "f32", "b8" */
	uint32_t offset, size, align;
};

struct fl_kernel {
	const char *name;
	uint32_t first, count; /* words of the code */
	uint32_t regs, preds;  /* in use: the highest number, plus 1 */
	uint32_t shared;       /* bytes of a block, static */
	uint32_t local;        /* bytes of a thread */
	uint32_t param_bytes, first_param, param_count;
	uint32_t required[3]; /* threads of a block; 0: any */
	uint32_t max_threads; /* of a block; 0: any */
};

/* A variable in global memory. */
struct fl_var {
	const char *name;
	uint32_t address, bytes;
	uint32_t constant; /* 1: the program does not write it */
};

struct fl_code {
	struct arena arena;
	struct fl_param *params;
	struct fl_kernel *kernels;
	struct fl_var *vars;
	uint32_t param_count, kernel_count, var_count;
	uint32_t data_bytes; /* from FL_DATA_BASE on; zero beyond init */
	uint32_t init_bytes;
	uint8_t *init;
	uint32_t word_count;
	uint64_t *words;
};

/* Whether the bytes begin as a CODE file does. */
bool fl_code_matches(const void *bytes, size_t size);
/* *out is malloc'ed. */
MUST_USE enum err fl_code_write(const struct fl_code *c, uint8_t **out,
				size_t *size, struct diag *d);
/* `name` is what errors call the file. */
MUST_USE enum err fl_code_read(struct fl_code **out, const char *name,
			       const void *bytes, size_t size, struct diag *d);
void fl_code_free(struct fl_code *c);

/* The kernel's instructions as text: number, word, instruction. malloc'ed;
 * NULL: out of memory. */
char *fl_code_print(const struct fl_code *c);

#endif
