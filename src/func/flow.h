/* What control-flow executors and the lowering share. */
#ifndef HEDDLE_FUNC_FLOW_H
#define HEDDLE_FUNC_FLOW_H

#include <stdint.h>

/* in->x of brx.idx. */
struct branch_table {
	uint32_t count;
	uint32_t *pc;
};

/* Functions have addresses WINDOW_FUNC + index * FUNC_STRIDE, index from the
 * module; 0 is never one of them. */
enum { FUNC_STRIDE = 16 };

#endif
