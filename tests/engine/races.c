/*
 * Programs whose results depend on the order in which their warps run: what an
 * engine gets wrong shows in memory. No run without time says what is right.
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

/* All of them fight for a few words, and keep what they find there. */
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
};
