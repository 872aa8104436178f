/*
 * Latencies that papers and vendors have published of other GPUs, measured as
 * they were: by chains in which each instruction waits for the one before it.
 * The sources are those that configs/ names.
 */
#include "test.h"

#include <stdio.h>

#include "rig.h"

enum { STEPS = 16, PERCENT = 5 };

/* clang-format off */
/* Four times: the last time the instructions are in their caches. */
#define CHAIN(step)                                                       \
	"mov.u32 %r9, 0; again: nanosleep.u32 2000; " CLOCK(0) X16(step) CLOCK(1)             \
	"add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra again; "
#define ALU   KERNEL(CHAIN("add.u32 %r1, %r1, %r2; "))
#define FMA   KERNEL(CHAIN("fma.rn.f32 %f1, %f1, %f2, %f3; "))
#define MAD   KERNEL(CHAIN("mad.lo.u32 %r1, %r1, %r2, %r3; "))
#define F64   KERNEL(CHAIN("fma.rn.f64 %fd1, %fd1, %fd2, %fd3; "))
#define F16   KERNEL(CHAIN("fma.rn.f16 %h1, %h1, %h2, %h3; "))
/* Zeros: an address that is read is added to and stays the same. */
#define SHARED                                                            \
	MODULE(".shared .align 4 .b8 s[64];",                             \
	       "mov.u32 %r1, s; mov.u32 %r2, 0; st.shared.u32 [%r1], %r2; " \
	       "st.shared.u32 [%r1], %r1; bar.sync 0; "                   \
	       "nanosleep.u32 3000; "                                     \
	       CHAIN("ld.shared.u32 %r1, [%r1]; "))
#define CHASE(op)                                                         \
	KERNEL("st.global.u64 [%data], %data; membar.gl; "                \
	       "nanosleep.u32 20000; ld.global" op ".u64 %rd1, [%data]; " \
	       "nanosleep.u32 20000; add.u64 %rd1, %rd1, 0; "             \
	       CHAIN("ld.global" op ".u64 %rd1, [%rd1]; "))
#define CACHED CHASE(".nc")
#define AROUND CHASE(".cg")
/* clang-format on */

struct published {
	const char *gpu, *what, *kernel;
	double cycles;
};

static void holds(const struct published *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		static struct rig r;
		double got, off;

		r = (struct rig){ 0 };
		rig_open_on(&r, p[i].gpu, p[i].kernel,
			    "sm.count=1 dispatch.cluster=1");
		rig_run(&r, 1, 1); /* as they did it */
		/* The last one is not waited for. */
		got = (double)(r.c[0][1] - r.c[0][0] - 2) / (STEPS - 1);
		off = 100 * (got - p[i].cycles) / p[i].cycles;
		if (off < -PERCENT || off > PERCENT)
			printf("%s %s: %.1f cycles, published %.0f\n", p[i].gpu,
			       p[i].what, got, p[i].cycles);
		OK(off >= -PERCENT && off <= PERCENT);
		rig_close(&r);
	}
}

#define HOLDS(rows) holds(rows, sizeof(rows) / sizeof((rows)[0]))

/* Wong et al., ISPASS 2010. */
TEST(papers, gtx285)
{
	static const struct published rows[] = {
		{ "gtx285", "add", ALU, 24 },
		{ "gtx285", "fma", FMA, 24 },
		{ "gtx285", "fma.f64", F64, 48 },
		{ "gtx285", "shared", SHARED, 38 },
		{ "gtx285", "global", AROUND, 440 },
	};

	HOLDS(rows);
}

/* The vendor's programming guide. */
TEST(papers, gtx480)
{
	static const struct published rows[] = {
		{ "gtx480", "add", ALU, 22 },
		{ "gtx480", "fma", FMA, 22 },
	};

	HOLDS(rows);
}

/* Jia et al., 2018: the P4 and P100 have its sub-cores. */
TEST(papers, titanx_pascal)
{
	static const struct published rows[] = {
		{ "titanx-pascal", "add", ALU, 6 },
		{ "titanx-pascal", "fma", FMA, 6 },
		{ "titanx-pascal", "shared", SHARED, 23 },
		{ "titanx-pascal", "L1", CACHED, 82 },
		{ "titanx-pascal", "L2", AROUND, 216 },
	};

	HOLDS(rows);
}

/* Jia et al., 2018. */
TEST(papers, qv100)
{
	static const struct published rows[] = {
		{ "qv100", "add", ALU, 4 },
		{ "qv100", "fma", FMA, 4 },
		{ "qv100", "mad", MAD, 5 },
		{ "qv100", "fma.f64", F64, 8 },
		{ "qv100", "fma.f16", F16, 6 },
		{ "qv100", "shared", SHARED, 19 },
		{ "qv100", "L1", CACHED, 28 },
		{ "qv100", "L2", AROUND, 193 },
	};

	HOLDS(rows);
}

/* Abdelkhalik et al., 2022; the L2 by mt4g, 2025. */
TEST(papers, a100)
{
	static const struct published rows[] = {
		{ "a100", "add", ALU, 4 },    { "a100", "fma", FMA, 4 },
		{ "a100", "mad", MAD, 4 },    { "a100", "shared", SHARED, 23 },
		{ "a100", "L1", CACHED, 33 }, { "a100", "L2", AROUND, 221 },
	};

	HOLDS(rows);
}

/* Huerta et al., 2025. */
TEST(papers, rtx3080)
{
	static const struct published rows[] = {
		{ "rtx3080", "add", ALU, 4 },
		{ "rtx3080", "fma", FMA, 4 },
		{ "rtx3080", "fma.f16", F16, 5 },
		{ "rtx3080", "shared", SHARED, 23 },
		{ "rtx3080", "L1", CACHED, 32 },
		{ "rtx3080", "L2", AROUND, 233 },
	};

	HOLDS(rows);
}

/* Dewing's pointer chases. */
TEST(papers, rtx4090)
{
	static const struct published rows[] = {
		{ "rtx4090", "fma", FMA, 4 },
		{ "rtx4090", "L2", AROUND, 296 },
	};

	HOLDS(rows);
}

/* The chip of the H200, which we have measured. */
TEST(papers, h100)
{
	static const struct published rows[] = {
		{ "h100", "fma", FMA, 4 },        { "h100", "fma.f64", F64, 8 },
		{ "h100", "shared", SHARED, 23 }, { "h100", "L1", CACHED, 32 },
		{ "h100", "L2", AROUND, 280 },
	};

	HOLDS(rows);
}
