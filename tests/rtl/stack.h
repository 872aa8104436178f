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

enum stack_op { STACK_BEGIN, STACK_NEXT, STACK_BRANCH };

struct stack_in {
	enum stack_op op;
	uint8_t warp;
	uint32_t lanes;
	uint16_t target, join;
};
struct stack_out {
	bool live;
	uint32_t active;
	uint16_t pc;
};

void stack_reset(void);
/* An operation from its start to its end; returns its cycles. */
int stack_run(const struct stack_in *in, struct stack_out *out);

#ifdef __cplusplus
}
#endif

#endif
