/*
 * A guest's fault: an error of the program that ends its launch.
 *
 * The first fault is kept; it names the thread, the instruction and the
 * address.
 *
 * Owner:   the launch.
 */
#ifndef HEDDLE_SIMT_FAULT_H
#define HEDDLE_SIMT_FAULT_H

#include <stdint.h>

/*            id          text */
#define FAULT_MAP(X)                                              \
	X(NONE, "no fault")                                       \
	X(ADDRESS, "illegal address")                             \
	X(MISALIGNED, "misaligned address")                       \
	X(SHARED, "address outside of the block's shared memory") \
	X(LOCAL, "address outside of the thread's local memory")  \
	X(TRAP, "trap instruction")                               \
	X(ASSERT, "assertion failed")                             \
	X(BARRIER, "deadlock")                                    \
	X(LOOP, "instruction limit reached")                      \
	X(ILLEGAL, "illegal operand")                             \
	X(STOPPED, "stopped")                                     \
	X(LIMIT, "cycle limit reached")                           \
	X(TRACE, "the trace does not fit")

enum fault_kind {
#define X(id, text) FAULT_##id,
	FAULT_MAP(X)
#undef X
		FAULT_COUNT
};

struct function;

enum { FAULT_NO_INST = 0xffffffffu };

struct fault {
	enum fault_kind kind;
	uint32_t block[3], thread[3];
	uint32_t warp, lane;
	uint64_t clock; /* if time is modelled: its cycle, and its SM */
	uint32_t smid;
	const struct function *func;
	uint32_t inst; /* index in its text; FAULT_NO_INST: no single one */
	uint64_t address;
	char text[1024]; /* what happened, without the place */
};

const char *fault_text(enum fault_kind kind);

#endif
