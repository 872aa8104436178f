/*
 * Programs whose results depend on the order in which their warps run: an
 * engine's mistakes show in memory. A run without time does not give the right
 * result.
 */
#include "races.h"

/* Every thread reads what others may write, and writes it elsewhere. */
#define RACE                                                              \
	KERNEL("race", "",                                                \
	       "mov.u32 %r4, 0; mov.u32 %r5, %r1; "                       \
	       "A: mad.lo.u32 %r5, %r5, 5, %r4; and.b32 %r6, %r5, 127; "  \
	       "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd0, %rd2; "    \
	       "ld.global.u32 %r7, [%rd2]; mad.lo.u32 %r5, %r7, 3, %r1; " \
	       "and.b32 %r6, %r5, 127; mul.wide.u32 %rd3, %r6, 4; "       \
	       "add.u64 %rd3, %rd0, %rd3; st.global.u32 [%rd3], %r5; "    \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 6; "           \
	       "@%p1 bra A; mov.u32 %r8, %clock; add.u32 %r5, %r5, %r8; " \
	       "st.global.u32 [%rd1+512], %r5;")

/* All threads contend for a few words, and keep what they find there. */
#define CONTEND                                                              \
	KERNEL("contend", "",                                                \
	       "mov.u32 %r4, 0; mov.u32 %r5, 0; and.b32 %r6, %r1, 3; "       \
	       "mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd0, %rd2; "       \
	       "A: atom.global.exch.b32 %r7, [%rd2], %r1; "                  \
	       "mad.lo.u32 %r5, %r5, 31, %r7; "                              \
	       "atom.global.add.u32 %r8, [%rd2+16], 1; "                     \
	       "mad.lo.u32 %r5, %r5, 31, %r8; "                              \
	       "atom.global.cas.b32 %r9, [%rd2+32], %r8, %r5; "              \
	       "mad.lo.u32 %r5, %r5, 31, %r9; ld.global.u32 %r10, [%rd2]; "  \
	       "add.u32 %r5, %r5, %r10; red.global.max.u32 [%rd2+48], %r5; " \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; "              \
	       "@%p1 bra A; st.global.u32 [%rd1+512], %r5;")

/* The addresses that malloc returns depend on the order of earlier calls. */
#define ALLOCATE                                                              \
	KERNEL("allocate",                                                    \
	       ".extern .func (.param .b64 out) malloc (.param .b64 n);\n"    \
	       ".extern .func free (.param .b64 p);\n",                       \
	       "mov.u32 %r4, 0; mov.u64 %rd8, 0; mov.u64 %rd9, 0; "           \
	       "A: xor.b32 %r5, %r1, %r4; and.b32 %r6, %r5, 7; "              \
	       "mul.wide.u32 %rd2, %r6, 24; add.u64 %rd2, %rd2, 8; "          \
	       "{ .param .b64 n; .param .b64 out; st.param.b64 [n], %rd2; "   \
	       "call.uni (out), malloc, (n); ld.param.b64 %rd3, [out]; } "    \
	       "setp.eq.u64 %p1, %rd3, 0; @%p1 bra B; "                       \
	       "st.global.u32 [%rd3], %r1; mad.lo.u64 %rd8, %rd8, 31, %rd3; " \
	       "B: and.b32 %r7, %r5, 1; setp.ne.u32 %p2, %r7, 0; "            \
	       "mov.u64 %rd4, %rd9; mov.u64 %rd9, %rd3; @%p2 bra C; "         \
	       "{ .param .b64 p; st.param.b64 [p], %rd4; "                    \
	       "call.uni free, (p); } "                                       \
	       "C: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 4; "            \
	       "@%p3 bra A; cvt.u32.u64 %r8, %rd8; "                          \
	       "st.global.u32 [%rd1], %r8;")

const struct program races[RACES] = {
	{ "race",
	  RACE,
	  { 24, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_INDEX, 8 * 1024 } },
	  { 0 },
	  0 },
	{ "contend",
	  CONTEND,
	  { 24, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_INDEX, 8 * 1024 } },
	  { 0 },
	  0 },
	{ "allocate",
	  ALLOCATE,
	  { 12, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 8 * 1024 } },
	  { 0 },
	  0 },
};
