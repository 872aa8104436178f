/*
 * Cases of instructions: encodings and states of the processor before, made the
 * same way on every machine from the rows of x86.def.
 */
#ifndef HEDDLE_TESTS_X86_CASES_H
#define HEDDLE_TESTS_X86_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_DATA = 512, CASE_CODE = 64, CASES = 100 };
/* Where data and code are, natively, too. */
#define CASE_DATA_AT 0x20000000ull
#define CASE_CODE_AT 0x30000000ull

/* What FXSAVE writes. */
struct case_fx {
	uint16_t control, status;
	uint8_t full, pad;
	uint16_t opcode;
	uint64_t pointers[2];
	uint32_t mxcsr, mask;
	uint8_t st[8][16]; /* by distance from the top */
	uint8_t xmm[16][16];
	uint8_t rest[96];
} __attribute__((aligned(16)));

struct case_state {
	uint64_t r[16], flags;
	struct case_fx fx;
	uint8_t data[CASE_DATA];
	bool fault;
};

/* One way to write an instruction of a row. */
struct case_form {
	unsigned row;
	char operands[24]; /* see cases.c */
};

/* All of them, in the order of the rows; returns how many. */
size_t case_forms(const struct case_form **forms);
/* Why no case of the row is made; NULL: there are some. */
const char *case_left_out(unsigned row);
/* Writes the code of case n to `code`, and returns its length; 0: it cannot be
 * encoded. */
size_t case_encode(const struct case_form *f, unsigned n,
		   uint8_t code[CASE_CODE]);
void case_state_before(const struct case_form *f, unsigned n,
		       struct case_state *s);
/* The flags that count after case n. */
uint64_t case_flags(const struct case_form *f, unsigned n);
/* What case n computes differs from processor to processor; what is recorded is one's
 * result. */
bool case_is_undefined(const struct case_form *f, unsigned n);
/* Makes all NaNs of its result the same, where processors differ in which of several
 * they choose: sums of products. */
void case_forget_nans(const struct case_form *f, struct case_state *s);
/* Clears what does not count, so that two states can be compared. */
void case_normalise(struct case_state *s, uint64_t flags);
uint32_t case_hash(const struct case_state *s);

/* Runs the code: on Heddle, or on this processor. */
void case_run_heddle(struct case_state *s, const uint8_t *code, size_t size);
#ifdef __x86_64__
void case_run_native(struct case_state *s, const uint8_t *code, size_t size);
#endif

#endif
