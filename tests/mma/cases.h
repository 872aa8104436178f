/*
 * The matrix instructions of cases.def as kernels with inputs: the same on the
 * GPU that recorded the results (record.cu) and here (test_mma.c).
 *
 * A case runs in `runs` blocks of one warp. Block r reads its part of up to
 * three inputs and writes its part of one output; case_bytes says how large a
 * part is. Inputs are computed from the opcode's text alone, so a case keeps
 * its inputs when others come and go.
 */
#ifndef HEDDLE_TESTS_MMA_CASES_H
#define HEDDLE_TESTS_MMA_CASES_H

#include <stddef.h>
#include <stdint.h>

enum elem {
#define ELEM(id, text, bits, exp, man) EL_##id,
#include "cases.def"
	EL_COUNT
};

enum case_kind {
	CASE_MMA,
	CASE_SPARSE,
	CASE_WMMA,
	CASE_LOAD,
	CASE_LDM,
	CASE_STM,
	CASE_MOV
};

/* Metadata of a sparse A: indices in increasing order; two different ones in any
 * order, which only f16 and integers have; any bits. */
enum meta { META_ORDERED, META_DISTINCT, META_ANY };

/* The operands of D = A * B + C, and the metadata E of a sparse A; kernels take
 * their addresses in this order. */
enum which { IN_A, IN_B, IN_C, OUT_D, IN_E, WHICH_COUNT };

struct frag {
	enum elem elem;
	int regs; /* per lane */
	/* of the matrix in memory: */
	const char *layout;
	int lines, len; /* rows and columns, or the other way round */
};

struct mma_case {
	enum case_kind kind;
	const char *op;
	const char *name; /* unique: the opcode, of sparse ones with more */
	int runs;
	const char *shape; /* "m16n16k16", of wmma */
	int pad;           /* elements between lines */
	struct frag frag[WHICH_COUNT];
	int selector;
	enum meta meta;
};

extern const struct mma_case mma_cases[];
extern const int mma_case_count;

/* Bytes of one run; 0: the case has no such operand. */
size_t case_bytes(const struct mma_case *c, enum which w);
/* Fills an input for runs 0..runs-1. */
void case_fill(const struct mma_case *c, enum which w, void *buf, int runs);
/* The kernel "k" as PTX text; returns its length, at most `room` - 1. */
size_t case_ptx(const struct mma_case *c, char *text, size_t room);

#endif
