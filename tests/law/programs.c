/* The programs that are run: small launches of the benchmarks' kernels, and one
 * program for each feature that those do not use. */
#include "law.h"

/* Lanes of a warp take different numbers of rounds in two nested loops. */
#define DIVERGE                                                        \
	KERNEL("diverge", "",                                          \
	       "mov.u32 %r4, 0; mov.u32 %r5, 0; and.b32 %r6, %r1, 7; " \
	       "A: setp.ge.u32 %p1, %r4, %r6; @%p1 bra D; "            \
	       "mov.u32 %r7, 0; xor.b32 %r8, %r4, %r0; "               \
	       "and.b32 %r8, %r8, 3; "                                 \
	       "B: setp.ge.u32 %p2, %r7, %r8; @%p2 bra C; "            \
	       "mad.lo.u32 %r5, %r5, 3, %r7; add.u32 %r7, %r7, 1; "    \
	       "and.b32 %r9, %r5, 1; setp.eq.u32 %p3, %r9, 0; "        \
	       "@%p3 bra B; add.u32 %r5, %r5, 5; bra B; "              \
	       "C: add.u32 %r4, %r4, 1; bra A; "                       \
	       "D: st.global.u32 [%rd1], %r5;")

/* Every block adds to the same words, with and without a result. */
#define COUNT                                                           \
	KERNEL("count", "",                                             \
	       "and.b32 %r4, %r0, 15; mul.wide.u32 %rd2, %r4, 4; "      \
	       "add.u64 %rd2, %rd0, %rd2; "                             \
	       "red.global.add.u32 [%rd2], %r1; "                       \
	       "atom.global.add.u32 %r5, [%rd2+64], 1; "                \
	       "shr.u32 %r5, %r5, 20; red.global.add.u32 [%rd2], %r5; " \
	       "red.global.max.u32 [%rd2+128], %r1; membar.gl; "        \
	       "atom.global.or.b32 %r6, [%rd2+192], %r0;")

/* One lane of each warp enters a critical section. A warp that finds it taken
 * sleeps: otherwise greedy schedulers may never return to the warp inside. */
#define LOCK                                                            \
	KERNEL("lock", "",                                              \
	       "and.b32 %r4, %r0, 31; setp.ne.u32 %p1, %r4, 0; "        \
	       "@%p1 bra E; L: atom.global.cas.b32 %r5, [%rd0], 0, 1; " \
	       "setp.ne.u32 %p2, %r5, 0; @!%p2 bra M; "                 \
	       "nanosleep.u32 20000; bra L; M: membar.gl; "             \
	       "ld.volatile.global.u32 %r6, [%rd0+128]; "               \
	       "add.u32 %r6, %r6, 3; "                                  \
	       "st.volatile.global.u32 [%rd0+128], %r6; membar.gl; "    \
	       "atom.global.exch.b32 %r7, [%rd0], 0; E:")

/* An array in local memory, indexed by the lane. */
#define LOCAL                                                             \
	KERNEL("local", "",                                               \
	       ".local .align 16 .b8 m[256]; mov.u64 %rd2, m; "           \
	       "mov.u32 %r4, 0; "                                         \
	       "A: mul.wide.u32 %rd3, %r4, 4; add.u64 %rd3, %rd2, %rd3; " \
	       "add.u32 %r5, %r4, %r1; st.local.u32 [%rd3], %r5; "        \
	       "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 64; "          \
	       "@%p1 bra A; and.b32 %r6, %r1, 63; "                       \
	       "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd2, %rd3; "    \
	       "ld.local.u32 %r7, [%rd3]; "                               \
	       "ld.local.v4.u32 {%r8, %r9, %r10, %r11}, [%rd2+32]; "      \
	       "add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r11; "          \
	       "st.global.u32 [%rd1], %r7;")

/* Constants, with one address for all lanes and with one for each. */
#define CONSTANT                                                        \
	KERNEL("constant",                                              \
	       ".const .align 4 .u32 t[16] = {3, 1, 4, 1, 5, 9, 2, 6, " \
	       "5, 3, 5, 8, 9, 7, 9, 3}; .const .align 4 .b8 z[8192];", \
	       "and.b32 %r4, %r0, 15; mul.wide.u32 %rd2, %r4, 4; "      \
	       "mov.u64 %rd3, t; add.u64 %rd2, %rd3, %rd2; "            \
	       "ld.const.u32 %r5, [%rd2]; ld.const.u32 %r6, [t+20]; "   \
	       "mov.u64 %rd4, z; mul.wide.u32 %rd5, %r0, 64; "          \
	       "add.u64 %rd4, %rd4, %rd5; ld.const.u32 %r7, [%rd4]; "   \
	       "mad.lo.u32 %r5, %r5, %r6, %r7; st.global.u32 [%rd1], %r5;")

/* Two groups of asynchronous copies, then the block reads all of it. */
#define ASYNC                                                                \
	KERNEL("async", ".shared .align 16 .b8 s[4096];",                    \
	       "mov.u32 %r4, s; shl.b32 %r5, %r0, 4; "                       \
	       "add.u32 %r6, %r4, %r5; mul.wide.u32 %rd2, %r0, 16; "         \
	       "add.u64 %rd2, %rd0, %rd2; "                                  \
	       "cp.async.ca.shared.global [%r6], [%rd2], 16; "               \
	       "cp.async.commit_group; "                                     \
	       "cp.async.cg.shared.global [%r6+2048], [%rd2+2048], 16; "     \
	       "cp.async.commit_group; cp.async.wait_group 1; "              \
	       "ld.shared.u32 %r7, [%r6]; cp.async.wait_all; "               \
	       "bar.sync 0; xor.b32 %r8, %r5, 2032; add.u32 %r8, %r8, %r4; " \
	       "ld.shared.u32 %r9, [%r8+2048]; add.u32 %r7, %r7, %r9; "      \
	       "add.u64 %rd1, %rd1, 8192; st.global.u32 [%rd1], %r7;")

/* Four lanes copy different sizes in, twice; the block's words go out. Who waits
 * sleeps, as in LOCK. */
#define BULK                                                                \
	KERNEL("bulk",                                                      \
	       ".shared .align 16 .b8 s[4096]; "                            \
	       ".shared .align 16 .b8 o[512]; .shared .align 8 .b64 m;",    \
	       "mov.u32 %r4, s; mov.u32 %r5, m; mov.u32 %r6, o; "           \
	       "setp.ne.u32 %p1, %r0, 0; setp.ge.u32 %p2, %r0, 4; "         \
	       "@!%p1 mbarrier.init.shared.b64 [%r5], 4; "                  \
	       "fence.proxy.async.shared::cta; bar.sync 0; "                \
	       "mov.u32 %r7, 0; R: @%p2 bra W; add.u32 %r8, %r0, 1; "       \
	       "shl.b32 %r8, %r8, 8; shl.b32 %r9, %r0, 10; "                \
	       "add.u32 %r10, %r4, %r9; mad.lo.u32 %r9, %r7, 16, %r9; "     \
	       "cvt.u64.u32 %rd2, %r9; add.u64 %rd2, %rd0, %rd2; "          \
	       "mbarrier.arrive.expect_tx.shared.b64 _, [%r5], %r8; "       \
	       "cp.async.bulk.shared::cluster.global"                       \
	       ".mbarrier::complete_tx::bytes [%r10], [%rd2], %r8, [%r5]; " \
	       "W: mbarrier.try_wait.parity.shared.b64 %p3, [%r5], %r7; "   \
	       "@%p3 bra V; nanosleep.u32 2000; bra W; "                    \
	       "V: and.b32 %r11, %r0, 3; shl.b32 %r11, %r11, 10; "          \
	       "and.b32 %r12, %r0, 124; add.u32 %r11, %r11, %r12; "         \
	       "add.u32 %r11, %r11, %r4; ld.shared.u32 %r13, [%r11]; "      \
	       "add.u32 %r13, %r13, %r2; mad.lo.u32 %r14, %r0, 4, %r6; "    \
	       "st.shared.u32 [%r14], %r13; "                               \
	       "fence.proxy.async.shared::cta; bar.sync 0; @%p1 bra N; "    \
	       "mad.lo.u32 %r15, %r2, 2, %r7; "                             \
	       "mul.wide.u32 %rd3, %r15, 512; add.u64 %rd3, %rd0, %rd3; "   \
	       "cp.async.bulk.global.shared::cta.bulk_group "               \
	       "[%rd3+8192], [%r6], 512; cp.async.bulk.commit_group; "      \
	       "cp.async.bulk.wait_group.read 0; "                          \
	       "N: bar.sync 0; add.u32 %r7, %r7, 1; "                       \
	       "setp.lt.u32 %p4, %r7, 2; @%p4 bra R;")

/* Producers arrive, consumers wait; then shuffles and votes. */
#define BARRIERS                                                       \
	KERNEL("barriers", ".shared .align 4 .b8 s[512];",             \
	       "mov.u32 %r4, s; shl.b32 %r5, %r0, 2; "                 \
	       "add.u32 %r5, %r5, %r4; setp.lt.u32 %p1, %r0, 64; "     \
	       "@!%p1 bra C; st.shared.u32 [%r5], %r1; "               \
	       "bar.arrive 1, 128; bra J; "                            \
	       "C: bar.sync 1, 128; ld.shared.u32 %r6, [%r5+-256]; "   \
	       "add.u32 %r6, %r6, 1; st.global.u32 [%rd1], %r6; "      \
	       "J: bar.sync 0; "                                       \
	       "shfl.sync.bfly.b32 %r7, %r1, 5, 31, -1; "              \
	       "setp.gt.u32 %p2, %r7, 100; "                           \
	       "vote.sync.ballot.b32 %r8, %p2, -1; "                   \
	       "bar.red.popc.u32 %r9, 2, %p2; add.u32 %r8, %r8, %r9; " \
	       "red.shared.add.u32 [s], %r8; nanosleep.u32 20; "       \
	       "st.global.u32 [%rd1+8192], %r8;")

/* The last block to finish adds up what all blocks have stored. */
#define LAST                                                            \
	KERNEL("last", ".shared .align 4 .b8 s[8];",                    \
	       "mad.lo.u32 %r4, %r1, %r1, 7; "                          \
	       "st.global.u32 [%rd1+256], %r4; membar.gl; bar.sync 0; " \
	       "setp.ne.u32 %p1, %r0, 0; @%p1 bra W; "                  \
	       "atom.global.add.u32 %r5, [%rd0], 1; "                   \
	       "st.shared.u32 [s], %r5; W: bar.sync 0; "                \
	       "ld.shared.u32 %r5, [s]; mov.u32 %r6, %nctaid.x; "       \
	       "sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r5, %r6; "       \
	       "@%p2 ret; membar.gl; mov.u32 %r7, 0; mov.u32 %r8, 0; "  \
	       "mul.lo.u32 %r9, %r3, 4; cvt.u64.u32 %rd2, %r9; "        \
	       "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd3, %rd0; "  \
	       "L: ld.global.cg.u32 %r10, [%rd3+256]; "                 \
	       "add.u32 %r7, %r7, %r10; add.u64 %rd3, %rd3, %rd2; "     \
	       "add.u32 %r8, %r8, 1; setp.le.u32 %p3, %r8, %r6; "       \
	       "@%p3 bra L; red.global.add.u32 [%rd0+4], %r7;")

/* Lines that no threads share, stores that span several lines, wide
 * accesses. */
#define SCATTER                                                          \
	KERNEL("scatter", "",                                            \
	       "mul.lo.u32 %r4, %r1, 37; and.b32 %r4, %r4, 255; "        \
	       "mul.wide.u32 %rd2, %r4, 128; add.u64 %rd2, %rd0, %rd2; " \
	       "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd2]; "         \
	       "add.u32 %r5, %r5, %r1; add.u32 %r6, %r6, %r7; "          \
	       "st.global.v2.u32 [%rd2+16], {%r5, %r6}; "                \
	       "st.global.u8 [%rd2+33], %r1; "                           \
	       "ld.global.cv.u32 %r9, [%rd2+16]; add.u32 %r9, %r9, 1; "  \
	       "st.global.cs.u32 [%rd2+96], %r9; "                       \
	       "ld.global.nc.u32 %r10, [%rd2+4]; "                       \
	       "st.global.u32 [%rd2+100], %r10;")

#define K 1024
const struct program programs[] = {
	{ "matmul_tiled",
	  NULL,
	  { 2, 2, 1 },
	  { 16, 16, 1 },
	  { { FILL_FLOAT, 4 * K }, { FILL_FLOAT, 4 * K }, { FILL_ZERO, 4 * K } },
	  { 32 },
	  1 },
	{ "vecadd",
	  NULL,
	  { 9, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_FLOAT, 4 * K }, { FILL_FLOAT, 4 * K }, { FILL_ZERO, 4 * K } },
	  { 1000 },
	  1 },
	{ "stencil",
	  NULL,
	  { 2, 2, 1 },
	  { 16, 16, 1 },
	  { { FILL_FLOAT, 4 * K }, { FILL_ZERO, 4 * K } },
	  { 32, 30 },
	  2 },
	{ "reduction",
	  NULL,
	  { 3, 1, 1 },
	  { 256, 1, 1 },
	  { { FILL_INDEX, 8 * K }, { FILL_ZERO, 256 } },
	  { 2000 },
	  1 },
	{ "divergent",
	  NULL,
	  { 2, 1, 1 },
	  { 16, 8, 1 },
	  { { FILL_ZERO, 1 * K } },
	  { 32, 8, 20 },
	  3 },
	{ "gather",
	  NULL,
	  { 2, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_INDEX, 4 * K }, { FILL_INDEX, 1 * K }, { FILL_ZERO, 1 * K } },
	  { 250 },
	  1 },
	{ "sparse",
	  NULL,
	  { 2, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_START, 2 * K },
	    { FILL_INDEX, 4 * K },
	    { FILL_FLOAT, 4 * K },
	    { FILL_FLOAT, 4 * K },
	    { FILL_ZERO, 1 * K } },
	  { 200 },
	  1 },
	{ "atomics",
	  NULL,
	  { 2, 1, 1 },
	  { 256, 1, 1 },
	  { { FILL_BYTE, 2 * K }, { FILL_ZERO, 1 * K } },
	  { 2000 },
	  1 },
	{ "calls",
	  NULL,
	  { 1, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 256 } },
	  { 5 },
	  1 },
	{ "half2_fma",
	  NULL,
	  { 2, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 512 } },
	  { 6 },
	  1 },
	{ "tensor",
	  NULL,
	  { 2, 2, 1 },
	  { 32, 1, 1 },
	  { { FILL_HALF, 2 * K }, { FILL_HALF, 2 * K }, { FILL_ZERO, 4 * K } },
	  { 32 },
	  1 },
	{ "mma_sync16816",
	  NULL,
	  { 1, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 256 } },
	  { 5 },
	  1 },
	{ "diverge",
	  DIVERGE,
	  { 3, 1, 1 },
	  { 96, 1, 1 },
	  { { FILL_ZERO, 2 * K } },
	  { 0 },
	  0 },
	{ "count",
	  COUNT,
	  { 6, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 512 } },
	  { 0 },
	  0 },
	{ "lock",
	  LOCK,
	  { 4, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 256 } },
	  { 0 },
	  0 },
	{ "local",
	  LOCAL,
	  { 2, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 512 } },
	  { 0 },
	  0 },
	{ "constant",
	  CONSTANT,
	  { 2, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_ZERO, 1 * K } },
	  { 0 },
	  0 },
	{ "async",
	  ASYNC,
	  { 2, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_INDEX, 16 * K } },
	  { 0 },
	  0 },
	{ "bulk",
	  BULK,
	  { 3, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_INDEX, 16 * K } },
	  { 0 },
	  0 },
	{ "barriers",
	  BARRIERS,
	  { 3, 1, 1 },
	  { 128, 1, 1 },
	  { { FILL_ZERO, 16 * K } },
	  { 0 },
	  0 },
	{ "last",
	  LAST,
	  { 5, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_ZERO, 2 * K } },
	  { 0 },
	  0 },
	{ "scatter",
	  SCATTER,
	  { 4, 1, 1 },
	  { 64, 1, 1 },
	  { { FILL_INDEX, 32 * K } },
	  { 0 },
	  0 },
};
const unsigned program_count = sizeof(programs) / sizeof(programs[0]);
