/*
 * Runs a kernel from PTX text on a fresh device, for tests of execution.
 *
 * KERNEL(body) is a module with one kernel, `k`, around the body. It has
 * registers of every kind. At the start of the body, %rd0 is the address of the
 * output, %r0 the thread's number in x, and %rd1 the address of the thread's own
 * word in the output. MODULE(before, body) puts declarations, on one line,
 * before the kernel.
 */
#ifndef HEDDLE_TESTS_UNIT_RUN_PTX_H
#define HEDDLE_TESTS_UNIT_RUN_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

#define MODULE(before, body)                                          \
	".version 8.4\n.target sm_90\n.address_size 64\n" before "\n" \
	".visible .entry k(.param .u64 out) {\n"                      \
	".reg .pred %p<32>; .reg .b16 %rs<32>; .reg .b32 %r<64>; "    \
	".reg .b64 %rd<64>; .reg .f32 %f<16>; .reg .f64 %fd<16>; "    \
	".reg .b128 %rq<8>;\n"                                        \
	"ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; "             \
	"mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n" body "\n}\n"
#define KERNEL(body) MODULE("", body)

enum {
	BODY_PC = 4,   /* of the body's first instruction */
	BODY_LINE = 8, /* of the text */
	OUT_BYTES = 4096
};

struct run {
	/* What to run; zero selects the default. */
	struct heddle_device_options options;
	struct heddle_dim3 grid, block; /* one block of one warp */
	uint64_t shared;

	/* The outcome. */
	int status;
	struct heddle_error err;
	struct heddle_result result;
	heddle_ptr at; /* of the output */
	bool usable;   /* the device, after a fault */
	char printed[32768];
	size_t printed_size;
	union { /* the output before and after */
		uint8_t b[OUT_BYTES];
		uint16_t h[OUT_BYTES / 2];
		uint32_t w[OUT_BYTES / 4];
		uint64_t d[OUT_BYTES / 8];
	};
};

void run_ptx(struct run *r, const char *text);
/* The same; checks that it succeeds. */
void run_ok(struct run *r, const char *text);
/* The same with independent lanes and with the SIMT stack; both must write the
 * same and execute the same number of instructions. */
void run_both(struct run *r, const char *text);

#endif
