/*
 * The SIMT stacks of rtl/, as Verilator makes them, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_STACK_H
#define HEDDLE_TESTS_RTL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum stack_op { STACK_BEGIN, STACK_LEAVE, STACK_DIVERGE };

/* The top entry of a warp's stack, which is outside of it. */
struct stack_top {
	bool live;
	uint32_t lanes;
	uint16_t pc, join;
};

struct stack_in {
	enum stack_op op;
	uint8_t warp;
	struct stack_top top; /* its pc is that after the instruction */
	uint32_t which;       /* lanes that end, or branch */
	uint16_t target, join;
};

void stack_reset(void);
/* An operation from its start to its end; returns its cycles. *top is not changed by
 * STACK_BEGIN. */
int stack_run(const struct stack_in *in, struct stack_top *top);

#ifdef __cplusplus
}
#endif

#endif
