/*
 * A small machine between a kernel that reads its clock and a test that knows
 * what the clock must show.
 *
 *	rig_open(&r, KERNEL(CLOCK(0) "add.u32 %r1, %r1, 1; " CLOCK(1)),
 *		 "sm.count=1 lat.alu.cycles=7");
 *	rig_run(&r, 1, 32);
 *	EQ(2, r.c[0][1] - r.c[0][0]);
 *	rig_close(&r);
 *
 * The machine is configs/tiny.cfg with the parameters given, each word one
 * assignment. One warp's instructions are issued in order, one in a cycle,
 * whatever their latency; an instruction that waits for a register of the one
 * before it comes later by that one's latency, not by one.
 */
#ifndef HEDDLE_TESTS_TIMING_RIG_H
#define HEDDLE_TESTS_TIMING_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "heddle/heddle.h"

enum {
	CLOCKS = 16, /* of a warp */
	WARPS = 512, /* that can tell of their clocks */
	DATA_BYTES = 1 << 20
};

/*
 * A kernel `k` around a body. %out: where this warp's clocks go, %data: 1 MiB
 * of zeros that are not in the L2, %mine: this lane's word of it, %t: thread
 * of the block, %l: lane, %b: block, %w: warp of the grid. When the body
 * begins, all of them can be read at once.
 */
#define MODULE(before, body) ENTRY(before, body KEEP)
/* The same that tells no clocks. */
#define SILENT(body) ENTRY("", body "ret;")
#define KERNEL(body) MODULE("", body)
/* clang-format off */
#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define ENTRY(before, body) HEAD before START body "\n}\n"
#define START                                                             \
	"\n.visible .entry k(.param .u64 po, .param .u64 pd) {\n"           \
	".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<64>; "           \
	".reg .b64 %rd<32>; .reg .f32 %f<16>; .reg .f64 %fd<8>; "         \
	".reg .b64 %c<16>; .reg .b32 %t, %l, %b, %n, %w, %z; "            \
	".reg .b64 %out, %data, %mine, %end;\n"                           \
	"ld.param.u64 %out, [po]; ld.param.u64 %data, [pd]; "             \
	"mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mov.u32 %b, %ctaid.x; " \
	"mov.u32 %n, %ntid.x; mad.lo.u32 %w, %b, %n, %t; "                \
	"shr.u32 %w, %w, 5; mul.wide.u32 %mine, %l, 4; "                  \
	"add.u64 %mine, %data, %mine; mul.wide.u32 %end, %w, 128; "       \
	"add.u64 %out, %out, %end; add.u64 %end, %out, %mine; "           \
	"mov.u64 %end, %end;\n"
#define KEEP_TWO(a, b) \
	"st.global.v2.u64 [%out+" #a "*8], {%c" #a ", %c" #b "}; "
/* Results that nobody reads may share a register, and wait for each other:
 * here every one that a body may write is read. */
#define READ_TWO(a, b)                                                    \
	"add.u32 %z, %r" #a ", %r" #b "; add.f32 %f15, %f" #a ", %f" #b "; "
#define READ                                                              \
	READ_TWO(0, 1) READ_TWO(2, 3) READ_TWO(4, 5) READ_TWO(6, 7)       \
	READ_TWO(8, 9) "add.f64 %fd7, %fd1, %fd2; "                       \
	"add.f64 %fd7, %fd3, %fd4; add.f16 %h7, %h1, %h4; "
#define KEEP                                                              \
	READ                                                              \
	KEEP_TWO(0, 1) KEEP_TWO(2, 3) KEEP_TWO(4, 5) KEEP_TWO(6, 7)       \
	KEEP_TWO(8, 9) KEEP_TWO(10, 11) KEEP_TWO(12, 13) KEEP_TWO(14, 15) \
	"ret;"
/* clang-format on */
/* Keeps the cycle in which this instruction is issued. */
#define CLOCK(n) "mov.u64 %c" #n ", %clock64; "

/* MODULE of texts that are known when the test runs; the last is NULL. Valid
 * until the next call. */
const char *rig_text(const char *before, ...);

/* So many times the same text. */
#define X2(text) text text
#define X4(text) X2(text) X2(text)
#define X8(text) X4(text) X4(text)
#define X16(text) X8(text) X8(text)
#define X32(text) X16(text) X16(text)

struct rig {
	struct heddle_config *config;
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr out, data;
	uint64_t params[2];
	struct heddle_result result;
	uint64_t window; /* set before rig_open_on; 0: the longest */
	uint64_t c[WARPS][CLOCKS];
};

void rig_open(struct rig *r, const char *text, const char *set);
/* On another configuration file than tiny.cfg. */
void rig_open_on(struct rig *r, const char *config, const char *text,
		 const char *set);
/* Launches so many blocks of so many threads and reads the clocks. It must
 * come to its end, and no law may be broken. */
void rig_run(struct rig *r, uint32_t blocks, uint32_t threads);
void rig_close(struct rig *r);

/* From the host: these bytes of the data are zeros in the L2. */
void rig_warm(struct rig *r, uint64_t offset, uint64_t bytes);
/* A word of the data. */
uint32_t rig_word(struct rig *r, uint64_t index);
uint64_t rig_stat(const struct rig *r, const char *key);

/* Opens, runs one warp and closes: how many cycles after clock 0 clock 1 was
 * read. */
uint64_t rig_between(const char *text, const char *set);
/* The same with the first 64 KiB of the data in the L2. */
uint64_t rig_between_warm(const char *text, const char *set);
/* The same of a whole launch of so many blocks and threads. */
uint64_t rig_cycles(const char *text, const char *set, uint32_t blocks,
		    uint32_t threads);

#endif
