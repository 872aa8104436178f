/*
 * Atomics of a warp that a compiler makes one of: which ones, by operation, address,
 * value and control flow. Each is what ptxas 13.0 does with the same text for sm_90.
 */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/combine.h"
#include "isa/ptx/schedule.h"
#include "test.h"

#define HEAD                                                \
	".version 8.4\n.target sm_90\n.address_size 64\n"   \
	".visible .entry k(.param .u64 p, .param .u64 q, "  \
	".param .u32 v) {\n"                                \
	".shared .align 16 .b8 sh[64];\n"                   \
	".reg .pred %p<9>; .reg .b32 %r<99>; "              \
	".reg .b64 %rd<19>; .reg .f32 %f<9>;\n"             \
	"ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, " \
	"%rd1; ld.param.u64 %rd3, [q]; cvta.to.global.u64 " \
	"%rd4, %rd3; ld.param.u32 %r1, [v]; mov.u32 %r2, "  \
	"%tid.x; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, " \
	"%rd4, %rd5; ld.global.u32 %r3, [%rd6];\n"
/* %rd2, %rd4: addresses that all lanes have; %rd6: of each lane; %r1: a value that
 * all have; %r2, %r3: of each lane. */
#define USE "st.global.u32 [%rd6], %r4;"
/* %rd13: the address that follows from %r5. */
#define ADDRESS "mul.wide.u32 %rd12, %r5, 4; add.s64 %rd13, %rd2, %rd12; "
#define INC "red.global.add.u32 [%rd2], 1;"

/* What becomes of the last atomic of the body: '-' nothing, or the letter of its
 * fold; and how many instructions it adds. */
static void check_for(int capability, const char *body, char want,
		      unsigned issues)
{
	char text[4000], got = '?';
	struct diag d = { .text = "" };
	struct ptx_module *m;
	const struct ptx_func *f;
	struct cfg cfg;
	unsigned n = 0;

	snprintf(text, sizeof(text), "%s%s\nret;\n}\n", HEAD, body);
	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	cfg.gpu.capability = capability;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	f = ptx_find_func(m, "k");
	for (uint32_t i = 0; i < f->inst_count; i++) {
		enum ptx_fold fold = (enum ptx_fold)f->fold[i];

		if (ptx_rows[f->insts[i].op->op].kind != KIND_ATOMIC)
			continue;
		got = fold == FOLD_COMBINED        ? 'c' :
		      fold == FOLD_COMBINED_RESULT ? 'C' :
		      fold == FOLD_REDUCED         ? 'r' :
		      fold == FOLD_COUNTED         ? 'n' :
		      fold == FOLD_SCANNED         ? 's' :
		      fold == FOLD_NONE            ? '-' :
						     '!';
		n = combine_issues(&f->insts[i], fold);
	}
	if (got != want || n != issues)
		printf("%s\n", body);
	EQ(want, got);
	EQ(issues, n);
	ptx_module_free(m);
}

static void check(const char *body, char want, unsigned issues)
{
	check_for(90, body, want, issues);
}

TEST(combine, of_one_address_by_operation_and_type)
{
	check("red.global.add.u32 [%rd2], 1;", 'c', 5);
	check("red.global.add.s32 [%rd2], %r1;", 'c', 6);
	check("red.global.add.u32 [%rd2], %r3;", 'r', 6);
	check("red.global.min.s32 [%rd2], %r3;", 'r', 6);
	check("red.global.xor.b32 [%rd2], %r1;", 'r', 6);
	check("red.global.add.u64 [%rd2], %rd1;", 'c', 10);
	check("red.global.add.u64 [%rd2], %rd6;", '-', 0);
	check("red.global.min.u64 [%rd2], %rd1;", '-', 0);
	check("red.global.inc.u32 [%rd2], 9;", '-', 0);
	check("red.global.add.f32 [%rd2], 0f3f800000;", '-', 0);
	check("atom.global.add.u32 %r4, [%rd2], 1;" USE, 'C', 10);
	check("atom.global.add.u32 %r4, [%rd2], %r1;" USE, 'C', 11);
	check("atom.global.add.u32 %r4, [%rd2], %r3;" USE, 's', 23);
	check("atom.global.max.u32 %r4, [%rd2], %r3;" USE, '-', 0);
	check("atom.global.exch.b32 %r4, [%rd2], 1;" USE, '-', 0);
	check("atom.global.cas.b32 %r4, [%rd2], 0, 1;" USE, '-', 0);
	/* A result that nothing reads is none. */
	check("atom.global.add.u32 %r4, [%rd2], %r3;", 'r', 6);
	check("atom.global.min.u32 %r4, [%rd2], %r3;", 'r', 6);
	/* In shared memory, too, but for ATOMS.POPC.INC. */
	check("red.shared.add.u32 [sh], 1;", 'n', 0);
	check("shl.b32 %r8, %r2, 2; red.shared.add.u32 [%r8], 1;", 'n', 0);
	check("shl.b32 %r8, %r2, 2; red.shared.add.u32 [%r8], 2;", '-', 0);
	check("red.shared.add.s32 [sh], 1;", 'c', 5);
	check("red.shared.max.s32 [sh], %r3;", 'r', 6);
	check("atom.shared.add.u32 %r4, [sh], 1;" USE, 'C', 10);
	/* Turing has no REDUX. */
	check_for(75, "red.global.add.u32 [%rd2], %r3;", 's', 23);
	check_for(75, "red.global.min.u32 [%rd2], %r3;", '-', 0);
	check_for(75, "red.global.add.u32 [%rd2], %r1;", 'c', 6);
}

TEST(combine, addresses_that_all_lanes_have)
{
	check("mov.u32 %r5, %ctaid.x;" ADDRESS "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	check("mov.u32 %r5, %tid.y;" ADDRESS "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("shr.u32 %r5, %r2, 5;" ADDRESS "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("ld.global.u32 %r5, [%rd4];" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	check("ld.shared.u32 %r5, [sh+4];" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	check("shfl.sync.idx.b32 %r5, %r3, 0, 31, -1;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	check("shfl.sync.bfly.b32 %r5, %r3, 1, 31, -1;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("shfl.sync.idx.b32 %r5, %r3, %r2, 31, -1;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("setp.eq.u32 %p1, %r3, 3; vote.sync.ballot.b32 %r5, %p1, -1;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	check("match.any.sync.b32 %r5, %r2, -1;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("atom.global.cas.b32 %r5, [%rd4], 1, 2;" ADDRESS
	      "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
}

TEST(combine, what_paths_of_different_lanes_leave_differs)
{
	check("mov.u64 %rd13, %rd2; setp.lt.u32 %p1, %r2, 5; @%p1 bra L1; "
	      "add.s64 %rd13, %rd2, 64; bar.sync 0; L1: "
	      "red.global.add.u32 [%rd13], 1;",
	      '-', 0);
	check("mov.u64 %rd13, %rd2; setp.lt.u32 %p1, %r1, 5; @%p1 bra L1; "
	      "add.s64 %rd13, %rd2, 64; bar.sync 0; L1: "
	      "red.global.add.u32 [%rd13], 1;",
	      'c', 5);
	/* Loops, which all lanes leave together or not. */
	check("mov.u32 %r6, 0; L1: red.global.add.u32 [%rd2], 1; "
	      "add.s64 %rd2, %rd2, 4; add.u32 %r6, %r6, 1; "
	      "setp.lt.u32 %p1, %r6, %r1; @%p1 bra L1;",
	      'c', 5);
	check("mov.u32 %r6, 0; L1: red.global.add.u32 [%rd2], 1; "
	      "add.s64 %rd2, %rd2, 4; add.u32 %r6, %r6, 1; "
	      "setp.lt.u32 %p1, %r6, %r2; @%p1 bra L1;",
	      '-', 0);
	check("mov.u32 %r6, 0; L1: red.global.add.u32 [%rd2], 1; "
	      "add.u32 %r6, %r6, 1; "
	      "setp.lt.u32 %p1, %r6, %r2; @%p1 bra L1;",
	      'c', 5);
	/* A loop that all leave together, on one side of a branch. */
	check("setp.lt.u32 %p1, %r2, 7; @%p1 bra L1; mov.u32 %r6, 0; L2: "
	      "red.global.add.u32 [%rd2], 1; add.s64 %rd2, %rd2, %rd3; "
	      "add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, %r1; @%p2 bra L2; L1:",
	      'c', 5);
}

TEST(combine, a_lane_that_is_alone_adds_for_itself)
{
	check("setp.ne.u32 %p1, %r2, 0; @%p1 bra L1; " INC " L1:", '-', 0);
	check("setp.ne.u32 %p1, %r2, %r1; @%p1 bra L1; " INC " L1:", '-', 0);
	check("setp.ne.u32 %p1, %r2, 0; @%p1 ret; " INC, '-', 0);
	check("setp.eq.u32 %p1, %r2, 0; @%p1 " INC, '-', 0);
	check("setp.eq.u32 %p1, %r2, 0; @!%p1 " INC, 'c', 5);
	check("mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; "
	      "mad.lo.u32 %r7, %r5, %r6, %r2; setp.ne.u32 %p1, %r7, 0; "
	      "@%p1 bra L1; " INC " L1:",
	      '-', 0);
	check("mov.u32 %r5, %laneid; setp.ne.u32 %p1, %r5, 0; "
	      "@%p1 bra L1; " INC " L1:",
	      '-', 0);
	/* On a path of the one lane. */
	check("setp.ne.u32 %p1, %r2, 0; @%p1 bra L1; ld.global.u32 %r3, [%rd4]; "
	      "setp.eq.u32 %p2, %r3, 9; @%p2 bra L1; " INC " L1:",
	      '-', 0);
	check("elect.sync %r5|%p2, -1; not.pred %p1, %p2; @%p1 bra L1; " INC
	      " L1:",
	      '-', 0);
	/* Ranges and combined conditions are not seen through. */
	check("setp.gt.u32 %p1, %r2, 0; @%p1 bra L1; " INC " L1:", 'c', 5);
	check("and.b32 %r5, %r2, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra L1; " INC
	      " L1:",
	      'c', 5);
	check("mov.u32 %r5, %tid.y; setp.ne.u32 %p2, %r5, 0; "
	      "setp.ne.u32 %p3, %r2, 0; or.pred %p1, %p2, %p3; "
	      "@%p1 bra L1; " INC " L1:",
	      'c', 5);
	/* Behind the branch all lanes are together. */
	check("setp.ne.u32 %p1, %r2, 0; @%p1 bra L1; bar.sync 0; L1: " INC, 'c',
	      5);
}
