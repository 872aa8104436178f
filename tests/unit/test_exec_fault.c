/*
 * Faults: what a program may do wrong, and that the report names the place.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#include "run_ptx.h"

/* Only threads 3..7,5..7 of block 2,1 of a grid of 3 x 2 blocks of 8 x 8
 * threads execute `body`; the first of them is lane 11 of warp 1. */
#define THERE(body)                                                           \
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %tid.y; " \
	"setp.eq.u32 %p1, %r1, 2; setp.eq.and.u32 %p1, %r2, 1, %p1; "         \
	"setp.ge.and.u32 %p1, %r3, 5, %p1; "                                  \
	"setp.ge.and.u32 %p1, %r0, 3, %p1; @!%p1 bra DONE;\n" body            \
	"\nDONE: ret;"

enum { THERE_PC = BODY_PC + 8, THERE_LINE = BODY_LINE + 1 };

struct bad {
	const char *text;
	enum heddle_fault_kind kind;
	uint32_t pc; /* behind THERE_PC */
	int64_t address;
	bool in_out; /* the address is relative to the output */
};

/* A run of the grid of THERE. */
static void run_there(struct run *r, const char *text)
{
	r->grid = (struct heddle_dim3){ 3, 2, 1 };
	r->block = (struct heddle_dim3){ 8, 8, 1 };
	run_ptx(r, text);
}

static void faults(const struct bad *b)
{
	static struct run r;
	const struct heddle_fault *f = &r.result.fault;

	memset(&r, 0, sizeof(r));
	r.shared = 256;
	run_there(&r, b->text);
	if (r.status != HEDDLE_FAULT)
		STREQ(b->text, r.err.text);
	EQ(b->kind, f->kind);
	STREQ("k", f->kernel);
	EQ(2u, f->block.x);
	EQ(1u, f->block.y);
	EQ(0u, f->block.z);
	EQ(3u, f->thread.x);
	EQ(5u, f->thread.y);
	EQ(0u, f->thread.z);
	EQ(1u, f->warp);
	EQ(11u, f->lane);
	EQ(THERE_PC + b->pc, f->pc);
	STREQ("k", f->function);
	STREQ("t", f->file);
	EQ((uint32_t)THERE_LINE, f->line);
	EQ((uint32_t)THERE_LINE, f->ptx_line);
	EQ((b->in_out ? r.at : 0) + (uint64_t)b->address, f->address);
	OK(f->instruction[0] != 0);
	STREQ(f->text, r.err.text);
	OK(strstr(f->text, "block 2,1,0, thread 3,5,0, t:") != NULL);
	OK(r.usable);
}

#define FAULTS(table)                                                   \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++) \
	faults(&(table)[i])

#define BAD(kind, pc, address, body)                                         \
	{                                                                    \
		KERNEL(THERE(body)), HEDDLE_FAULT_##kind, pc, address, false \
	}
#define BAD_OUT(kind, pc, address, body)                                    \
	{                                                                   \
		KERNEL(THERE(body)), HEDDLE_FAULT_##kind, pc, address, true \
	}

TEST(exec_fault, an_address_where_nothing_is_allocated)
{
	static const struct bad bad[] = {
		BAD(ADDRESS, 1, 0,
		    "mov.u64 %rd2, 0; ld.global.u32 %r4, [%rd2];"),
		BAD(ADDRESS, 1, 0, "mov.u64 %rd2, 0; ld.u8 %r4, [%rd2];"),
		BAD(ADDRESS, 1, 0, "mov.u64 %rd2, 0; st.u8 [%rd2], %r4;"),
		BAD(ADDRESS, 1, 0,
		    "mov.u64 %rd2, 0; atom.global.add.u32 %r4, [%rd2], 1;"),
		BAD(ADDRESS, 1, 0, "mov.u64 %rd2, 0; red.add.u32 [%rd2], 1;"),
		BAD(ADDRESS, 1, 0,
		    "mov.u64 %rd2, 0; st.global.v4.u32 [%rd2], "
		    "{%r4, %r4, %r4, %r4};"),
		BAD_OUT(ADDRESS, 0, 4096, "ld.global.u8 %r4, [%rd0+4096];"),
		BAD_OUT(ADDRESS, 0, 4096, "st.global.u32 [%rd0+4096], %r4;"),
		BAD_OUT(ADDRESS, 0, 4096,
			"atom.global.exch.b32 %r4, [%rd0+4096], %r4;"),
		BAD_OUT(ADDRESS, 0, -1, "ld.global.u8 %r4, [%rd0+-1];"),
		BAD_OUT(ADDRESS, 0, -8, "ld.global.u64 %rd4, [%rd0+-8];"),
		BAD(ADDRESS, 1, -8,
		    "mov.u64 %rd2, -8; ld.global.u64 %rd4, [%rd2];"),
		BAD(ADDRESS, 1, -4,
		    "mov.u64 %rd2, -8; st.global.u32 [%rd2+4], %r4;"),
		BAD(ADDRESS, 1, -1, "mov.u64 %rd2, -1; ld.u8 %r4, [%rd2];"),
		BAD(ADDRESS, 1, 0x03000000,
		    "mov.u64 %rd2, 0x03000000; ld.u32 %r4, [%rd2];"),
		/* a kernel's parameters can be read, not written */
		BAD(ADDRESS, 1, 0,
		    "cvta.param.u64 %rd2, out; st.u64 [%rd2], %rd2;"),
		BAD(ADDRESS, 1, 0,
		    "cvta.param.u64 %rd2, out; atom.add.u64 %rd3, [%rd2], 1;"),
		BAD(ADDRESS, 1, 8,
		    "cvta.param.u64 %rd2, out; ld.u64 %rd2, [%rd2+8];"),
	};

	FAULTS(bad);
}

TEST(exec_fault, the_last_byte_is_inside_and_a_wide_access_may_not_stick_out)
{
	static const struct bad bad[] = {
		BAD_OUT(MISALIGNED, 1, 4095,
			"ld.global.u8 %r4, [%rd0+4095]; "
			"ld.global.u16 %r4, [%rd0+4095];"),
		BAD_OUT(MISALIGNED, 1, 4092,
			"ld.global.u32 %r4, [%rd0+4092]; "
			"ld.global.u64 %rd4, [%rd0+4092];"),
		BAD_OUT(MISALIGNED, 1, 4088,
			"ld.global.v2.u32 {%r4, %r5}, [%rd0+4088]; "
			"ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd0+4088];"),
	};

	FAULTS(bad);
}

TEST(exec_fault, a_misaligned_address_of_each_width)
{
	static const struct bad bad[] = {
		BAD_OUT(MISALIGNED, 0, 1, "ld.global.u16 %rs1, [%rd0+1];"),
		BAD_OUT(MISALIGNED, 0, 2, "ld.global.u32 %r4, [%rd0+2];"),
		BAD_OUT(MISALIGNED, 0, 4, "ld.global.u64 %rd4, [%rd0+4];"),
		BAD_OUT(MISALIGNED, 0, 8, "ld.global.b128 %rq1, [%rd0+8];"),
		BAD_OUT(MISALIGNED, 0, 1,
			"ld.global.v2.u8 {%rs1, %rs2}, [%rd0+1];"),
		BAD_OUT(MISALIGNED, 0, 2,
			"ld.global.v4.u8 {%r4, %r5, %r6, %r7}, [%rd0+2];"),
		BAD_OUT(MISALIGNED, 0, 4,
			"ld.global.v2.u32 {%r4, %r5}, [%rd0+4];"),
		BAD_OUT(MISALIGNED, 0, 8,
			"ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd0+8];"),
		BAD_OUT(MISALIGNED, 0, 8,
			"st.global.v2.u64 [%rd0+8], {%rd4, %rd5};"),
		BAD_OUT(MISALIGNED, 0, 16,
			"st.global.v4.u64 [%rd0+16], {%rd4, %rd5, %rd6, "
			"%rd7};"),
		BAD_OUT(MISALIGNED, 0, 2, "st.global.u32 [%rd0+2], %r4;"),
		BAD_OUT(MISALIGNED, 0, 2, "red.global.add.u32 [%rd0+2], 1;"),
		BAD_OUT(MISALIGNED, 0, 4,
			"atom.global.cas.b64 %rd4, [%rd0+4], %rd5, %rd6;"),
		BAD_OUT(MISALIGNED, 0, 1,
			"atom.global.cas.b16 %rs1, [%rd0+1], %rs1, %rs1;"),
		BAD(MISALIGNED, 1, 2,
		    "mov.u32 %r4, 2; st.shared.u32 [%r4], 1;"),
		BAD(MISALIGNED, 1, 6,
		    "mov.u32 %r4, 6; ld.local.u32 %r5, [%r4];"),
	};

	FAULTS(bad);
}

TEST(exec_fault, an_address_outside_of_shared_or_local_memory)
{
	static const struct bad bad[] = {
		/* 256 bytes of dynamic shared memory */
		BAD(SHARED, 1, 256,
		    "mov.u32 %r4, 256; ld.shared.u8 %r5, [%r4];"),
		BAD(SHARED, 2, 256,
		    "mov.u32 %r4, 252; st.shared.u32 [%r4], 0; "
		    "st.shared.u32 [%r4+4], 0;"),
		BAD(SHARED, 1, 0xfffffffc,
		    "mov.u32 %r4, 0; ld.shared.u32 %r5, [%r4+-4];"),
		BAD(SHARED, 1, 256,
		    "mov.u32 %r4, 256; atom.shared.add.u32 %r5, [%r4], 1;"),
		BAD(SHARED, 2, 256,
		    "mov.u64 %rd2, 256; cvta.shared.u64 %rd2, %rd2; "
		    "ld.u32 %r5, [%rd2];"),
		BAD(SHARED, 2, 0x100000,
		    "mov.u64 %rd2, 0x100000; cvta.shared.u64 %rd2, %rd2; "
		    "st.u32 [%rd2], 1;"),
		BAD(LOCAL, 1, 65536,
		    "mov.u32 %r4, 65536; st.local.u32 [%r4], 1;"),
		BAD(LOCAL, 1, 65536,
		    "mov.u32 %r4, 65528; ld.local.v2.u32 {%r5, %r6}, [%r4+8];"),
		BAD(LOCAL, 2, 65536,
		    "mov.u64 %rd2, 65536; cvta.local.u64 %rd2, %rd2; "
		    "ld.u32 %r5, [%rd2];"),
		BAD(LOCAL, 1, 8,
		    "mov.u64 %rd2, 100000; alloca.u64 %rd3, %rd2;"),
	};
	static const struct bad is_static[] = {
		{ MODULE(".shared .align 16 .b8 s[64];",
			 THERE("mov.u32 %r4, s; st.shared.u32 [%r4+60], 0; "
			       "st.shared.u32 [%r4+320], 0;")),
		  HEDDLE_FAULT_SHARED, 2, 320, false },
	};
	static struct run r;
	size_t n = sizeof(bad) / sizeof(bad[0]);

	for (size_t i = 0; i + 1 < n; i++)
		faults(&bad[i]);
	FAULTS(is_static);
	run_there(&r, bad[n - 1].text);
	EQ(HEDDLE_FAULT_LOCAL, r.result.fault.kind);
	OK(r.usable);
}

TEST(exec_fault, a_freed_allocation_is_gone)
{
	static const char text[] = KERNEL("ld.global.u32 %r4, [%rd1]; ret;");
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_result result;
	struct heddle_error err;
	heddle_ptr at;
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = &at,
				   .param_bytes = 8 };

	EQ(0, heddle_device_new(&dev, NULL, &err));
	EQ(0, heddle_module_load(dev, &mod, "t", text, strlen(text), &err));
	EQ(0, heddle_alloc(dev, 128, &at, &err));
	EQ(0, heddle_launch(dev, mod, &l, &result, &err));
	EQ(0, heddle_free(dev, at, &err));
	EQ(HEDDLE_FAULT, heddle_launch(dev, mod, &l, &result, &err));
	EQ(HEDDLE_FAULT_ADDRESS, result.fault.kind);
	EQ(at, result.fault.address);
	EQ(HEDDLE_RANGE, heddle_free(dev, at, &err));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_fault, only_the_lanes_that_access_are_checked)
{
	struct run r = { 0 };

	/* odd lanes have bad addresses, and do not use them */
	run_ok(&r, KERNEL("and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 0; "
			  "selp.b64 %rd2, %rd1, 3, %p1; "
			  "@%p1 ld.global.u32 %r5, [%rd2]; "
			  "@%p1 st.global.u32 [%rd2], %r0; "
			  "@!%p1 st.global.u32 [%rd1], 77; ret;"));
	for (uint32_t i = 0; i < 32; i++)
		EQ(i & 1 ? 77 : i, r.w[i]);
}

TEST(exec_fault, the_lowest_lane_with_a_bad_address_is_named)
{
	struct run r = { 0 };

	run_ptx(&r, KERNEL("setp.ge.u32 %p1, %r0, 20; "
			   "selp.b64 %rd2, 64, %rd1, %p1; "
			   "st.global.u32 [%rd2], 7; ret;"));
	EQ(HEDDLE_FAULT_ADDRESS, r.result.fault.kind);
	EQ(20u, r.result.fault.lane);
	EQ(20u, r.result.fault.thread.x);
	EQ(64u, r.result.fault.address);
	STREQ("st.global.u32 [%rd2], 7", r.result.fault.instruction);
	OK(r.usable);
}

TEST(exec_fault, a_source_line_comes_from_loc)
{
	struct run r = { 0 };

	run_ptx(&r, ".version 8.4\n.target sm_90\n.address_size 64\n"
		    ".file 1 \"dir/a.cu\"\n.file 2 \"b.cuh\"\n"
		    ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<2>;\n"
		    ".loc 1 17 3\nmov.u32 %r0, 1;\n.loc 2 5 1\ntrap;\n}\n");
	EQ(HEDDLE_FAULT_TRAP, r.result.fault.kind);
	STREQ("b.cuh", r.result.fault.file);
	EQ(5u, r.result.fault.line);
	EQ(11u, r.result.fault.ptx_line);
	EQ(1u, r.result.fault.pc);
	STREQ("trap", r.result.fault.instruction);
}

TEST(exec_fault, trap_and_what_hardware_refuses)
{
	static const struct bad bad[] = {
		BAD(TRAP, 0, 0, "trap;"),
		BAD(ILLEGAL, 1, 16, "mov.u32 %r4, 16; bar.sync %r4;"),
		BAD(ILLEGAL, 1, 99, "mov.u32 %r4, 99; bar.arrive %r4, 64;"),
		BAD(ILLEGAL, 1, 33, "mov.u32 %r4, 33; bar.sync 1, %r4;"),
		BAD(ILLEGAL, 1, 0, "mov.u32 %r4, 0; bar.sync 1, %r4;"),
		BAD(ILLEGAL, 1, 2,
		    "mov.u32 %r4, 2; T: .branchtargets DONE, DONE; "
		    "brx.idx %r4, T;"),
		BAD(ILLEGAL, 1, 0,
		    "mov.u64 %rd2, 0; P: .callprototype _ (); "
		    "call %rd2, P;"),
		BAD(ILLEGAL, 1, 0x03000001,
		    "mov.u64 %rd2, 0x03000001; P: .callprototype _ (); "
		    "call %rd2, P;"),
		/* the kernel itself */
		BAD(ILLEGAL, 1, 0x03000000,
		    "mov.u64 %rd2, k; P: .callprototype _ (); call %rd2, P;"),
	};

	FAULTS(bad);
}

TEST(exec_fault, an_indirect_call_must_fit_the_function)
{
#define CALLS(function)                                              \
	MODULE(function, "mov.u64 %rd2, f; "                         \
			 "P: .callprototype _ (.param .b64 _);\n"    \
			 "{ .param .b64 a; st.param.b64 [a], %rd2; " \
			 "call %rd2, (a), P; } ret;")
	static const char *const texts[] = {
		CALLS(".func f(.param .b32 a) { ret; }"),
		CALLS(".func f() { ret; }"),
		CALLS(".func (.param .b32 r) f(.param .b64 a) { ret; }"),
		CALLS(".func f(.param .b64 a, .param .b64 b) { ret; }"),
		CALLS(".func f(.param .align 16 .b8 a[16]) { ret; }"),
		CALLS(".func f(.reg .b64 a) { ret; }"),
	};
	struct run r = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		run_ptx(&r, texts[i]);
		EQ(HEDDLE_FAULT_ILLEGAL, r.result.fault.kind);
		EQ((uint32_t)BODY_LINE + 1, r.result.fault.line);
		OK(r.usable);
	}
	run_ok(&r, CALLS(".func f(.param .b64 a) { ret; }"));
}

TEST(exec_fault, endless_recursion_overflows_the_stack)
{
	struct run r = { .options = { .local_bytes = 4096 } };

	run_ptx(&r,
		MODULE(".func f();.func f() { call f; ret; }", "call f; ret;"));
	EQ(HEDDLE_FAULT_LOCAL, r.result.fault.kind);
	STREQ("f", r.result.fault.function);
	STREQ("k", r.result.fault.kernel);
	EQ(0u, r.result.fault.pc);
	OK(strstr(r.result.fault.text, "stack overflow") != NULL);
	OK(r.usable);
}

TEST(exec_fault, a_failed_assertion_says_its_text)
{
	struct run r = { .block = { 4, 1, 1 } };

	run_ptx(&r, MODULE(".extern .func __assertfail(.param .b64 m, "
			   ".param .b64 f, .param .b32 l, .param .b64 n, "
			   ".param .b64 s); "
			   ".global .b8 msg[4] = {120, 62, 48, 0}; "
			   ".global .b8 file[5] = {97, 46, 99, 117, 0}; "
			   ".global .b8 fn[2] = {102, 0};",
			   "setp.lt.u32 %p1, %r0, 2; @%p1 bra DONE;\n"
			   "{ .param .b64 a; .param .b64 b; .param .b32 c; "
			   ".param .b64 d; .param .b64 e;\n"
			   "mov.u64 %rd2, msg; cvta.global.u64 %rd2, %rd2; "
			   "st.param.b64 [a], %rd2;\n"
			   "mov.u64 %rd2, file; st.param.b64 [b], %rd2;\n"
			   "mov.u32 %r2, 42; st.param.b32 [c], %r2;\n"
			   "mov.u64 %rd2, fn; st.param.b64 [d], %rd2;\n"
			   "st.param.b64 [e], 1;\n"
			   "call __assertfail, (a, b, c, d, e); }\n"
			   "DONE: ret;"));
	EQ(HEDDLE_FAULT_ASSERT, r.result.fault.kind);
	EQ(2u, r.result.fault.lane);
	STREQ("a.cu:42: f: block: [0,0,0], thread: [2,0,0] Assertion `x>0` "
	      "failed.\n"
	      "a.cu:42: f: block: [0,0,0], thread: [3,0,0] Assertion `x>0` "
	      "failed.\n",
	      r.printed);
	OK(strstr(r.result.fault.text, "assertion `x>0` failed at a.cu:42") !=
	   NULL);
	OK(r.usable);
}

/* A module whose assertion has a message of n characters, "abc..." again and
 * again. */
static const char *asserts(char *text, size_t size, size_t n)
{
	size_t at = (size_t)snprintf(
		text, size,
		".version 8.4\n.target sm_90\n.address_size 64\n"
		".extern .func __assertfail(.param .b64 m, .param .b64 f, "
		".param .b32 l, .param .b64 n, .param .b64 s);\n"
		".global .b8 msg[%zu] = {",
		n + 1);

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%d, ",
				       (int)('a' + i % 26));
	snprintf(text + at, size - at,
		 "0};\n.visible .entry k(.param .u64 out) {\n"
		 ".reg .b64 a;\n"
		 "{ .param .b64 m; .param .b64 f; .param .b32 l; "
		 ".param .b64 n; .param .b64 s;\n"
		 "mov.u64 a, msg; st.param.b64 [m], a; "
		 "st.param.b64 [f], 0; st.param.b32 [l], 1; "
		 "st.param.b64 [n], 0; st.param.b64 [s], 1;\n"
		 "call __assertfail, (m, f, l, n, s); }\nret;\n}\n");
	return text;
}

TEST(exec_fault, a_long_assertion_is_shown_whole)
{
	enum { LONG = 20000 };
	static char text[8 * LONG], message[LONG + 1];
	static struct run r;
	const char *shown;

	for (size_t i = 0; i < LONG; i++)
		message[i] = (char)('a' + i % 26);
	memset(&r, 0, sizeof(r));
	r.block = (struct heddle_dim3){ 1, 1, 1 };
	run_ptx(&r, asserts(text, sizeof(text), LONG));
	EQ(HEDDLE_FAULT_ASSERT, r.result.fault.kind);
	shown = strstr(r.printed, "Assertion `");
	OK(shown && !memcmp(shown + 11, message, LONG));
	STREQ("` failed.\n", shown + 11 + LONG);
	/* The line about the fault says that it is cut. */
	shown = strstr(r.result.fault.text, "assertion `");
	OK(shown && !memcmp(shown + 11, message, 600));
	OK(!strncmp(shown + 11 + 600, "...` failed at ", 15));
}

/* A block of two warps that can never continue. */
static void deadlocks(const char *text, uint32_t warp, uint32_t lane,
		      uint32_t line, const char *why)
{
	static struct run r;

	memset(&r, 0, sizeof(r));
	r.block = (struct heddle_dim3){ 64, 1, 1 };
	run_ptx(&r, text);
	EQ(HEDDLE_FAULT_BARRIER, r.result.fault.kind);
	EQ(warp, r.result.fault.warp);
	EQ(lane, r.result.fault.lane);
	EQ(BODY_LINE + line, r.result.fault.line);
	if (!strstr(r.result.fault.text, why))
		STREQ(why, r.result.fault.text);
	OK(r.usable);
}

TEST(exec_fault, a_deadlock_says_who_waits_for_what)
{
	deadlocks(KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\n"
			 "bar.sync 1; bra B;\nA: bar.sync 2;\nB: ret;"),
		  0, 0, 2,
		  "2 warps of the block wait for ever; barrier 2 has "
		  "32 of 64 threads");
	deadlocks(KERNEL("bar.sync 3, 96; ret;"), 0, 0, 0,
		  "barrier 3 has 64 of 96 threads");
	deadlocks(KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 bra A;\n"
			 "bar.arrive 1, 96;\nA: bar.sync 1, 96;\n ret;"),
		  0, 0, 2, "barrier 1 has 64 of 96 threads");
	/* lanes of one warp at two .sync operations that each need all lanes */
	deadlocks(KERNEL("setp.lt.u32 %p1, %r0, 40; @%p1 bra A;\n"
			 "vote.sync.any.pred %p2, %p1, -1; bra B;\n"
			 "A: shfl.sync.idx.b32 %r2, %r0, 0, 31, -1;\n"
			 "B: ret;"),
		  1, 8, 1, "wait for lanes 0x000000ff at a .sync instruction");
	/* half of a warp waits at a block barrier that counts threads */
	deadlocks(KERNEL("setp.lt.u32 %p1, %r0, 48; @%p1 bra A;\n"
			 "bar.warp.sync -1; bra B;\nA: bar.sync 0;\nB: ret;"),
		  0, 0, 2, "barrier 0 has 48 of 64 threads");
}

TEST(exec_fault, a_warp_that_exits_does_not_hold_a_barrier_up)
{
	struct run r = { .block = { 96, 1, 1 } };

	run_both(&r, KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 exit;\n"
			    "bar.sync 0; st.global.u32 [%rd1], 1; ret;"));
	for (int i = 0; i < 96; i++)
		EQ(i >= 32, r.w[i]);
}

TEST(exec_fault, a_loop_without_end_is_stopped_at_the_limit)
{
	struct run r = { .options = { .max_warp_instructions = 1000 } };
	uint64_t steps = 0;

	run_ptx(&r, KERNEL("L: add.u32 %r1, %r1, 1;\nbra L;"));
	EQ(HEDDLE_FAULT_LOOP, r.result.fault.kind);
	EQ(1000u, r.result.warp_instructions);
	EQ((uint32_t)BODY_PC, r.result.fault.pc);
	EQ((uint32_t)BODY_LINE, r.result.fault.line);
	OK(strstr(r.result.fault.text, "1000 instructions, the limit") != NULL);
	OK(r.usable);

	/* a program may use up the limit, to the last instruction */
	r.options.max_warp_instructions = BODY_PC + 3;
	run_ok(&r, KERNEL("mov.u32 %r1, 1; mov.u32 %r1, 2; ret;"));
	steps = r.result.warp_instructions;
	EQ(r.options.max_warp_instructions, steps);
	r.options.max_warp_instructions = BODY_PC + 2;
	run_ptx(&r, KERNEL("mov.u32 %r1, 1; mov.u32 %r1, 2; ret;"));
	EQ(HEDDLE_FAULT_LOOP, r.result.fault.kind);
}

TEST(exec_fault, free_takes_only_what_malloc_gave)
{
	static const char *const text =
		MODULE(".extern .func free(.param .b64 p); "
		       ".extern .func (.param .b64 r) malloc(.param .b64 n);",
		       "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; "
		       "call (r), malloc, (n); ld.param.b64 %rd2, [r]; }\n"
		       "{ .param .b64 p; st.param.b64 [p], 0; "
		       "call free, (p); }\n"
		       "{ .param .b64 p; st.param.b64 [p], %rd2; "
		       "call free, (p); }\n"
		       "{ .param .b64 p; st.param.b64 [p], %rd2; "
		       "call free, (p); }\nret;");
	struct run r = { .block = { 2, 1, 1 } };

	run_ptx(&r, text);
	EQ(HEDDLE_FAULT_ADDRESS, r.result.fault.kind);
	EQ((uint32_t)BODY_LINE + 3, r.result.fault.line);
	OK(r.result.fault.address != 0);
	OK(strstr(r.result.fault.text, "which malloc did not return") != NULL);
	OK(r.usable);
}

TEST(exec_fault, what_was_printed_before_a_fault_is_kept)
{
	struct run r = { .block = { 1, 1, 1 } };

	run_ptx(&r,
		MODULE(".extern .func (.param .b32 r) vprintf(.param .b64 f, "
		       ".param .b64 a); .global .b8 hi[3] = {104, 105, 0};",
		       "{ .param .b64 f; .param .b64 a; .param .b32 r; "
		       "mov.u64 %rd2, hi; st.param.b64 [f], %rd2; "
		       "st.param.b64 [a], 0; call (r), vprintf, (f, a); } "
		       "trap;"));
	EQ(HEDDLE_FAULT_TRAP, r.result.fault.kind);
	STREQ("hi", r.printed);
}

static void *stop_soon(void *dev)
{
	usleep(20000);
	heddle_stop(dev);
	return NULL;
}

LABEL(exec_stop, threads);
TEST(exec_stop, a_launch_can_be_stopped_from_outside)
{
	static const char endless[] =
		MODULE(".func f() { L: bra L; }", "call f; ret;");
	static const char quick[] = KERNEL("st.global.u32 [%rd1], 5; ret;");
	struct heddle_device_options options = { .threads = 2 };
	struct heddle_device *dev;
	struct heddle_module *mod, *mod2;
	struct heddle_result result;
	struct heddle_error err;
	heddle_ptr at;
	uint32_t word = 0;
	pthread_t t;
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 4, 1, 1 },
				   .block = { 64, 1, 1 },
				   .params = &at,
				   .param_bytes = 8 };

	EQ(0, heddle_device_new(&dev, &options, &err));
	EQ(0,
	   heddle_module_load(dev, &mod, "t", endless, strlen(endless), &err));
	EQ(0, heddle_module_load(dev, &mod2, "u", quick, strlen(quick), &err));
	EQ(0, heddle_alloc(dev, 256, &at, &err));
	EQ(0, pthread_create(&t, NULL, stop_soon, dev));
	EQ(HEDDLE_FAULT, heddle_launch(dev, mod, &l, &result, &err));
	EQ(0, pthread_join(t, NULL));
	EQ(HEDDLE_FAULT_STOPPED, result.fault.kind);
	STREQ("k", result.fault.kernel);
	STREQ("stopped", err.text);
	EQ(0u, result.blocks);
	OK(result.warp_instructions > 0);
	EQ(0, heddle_launch(dev, mod2, &l, &result, &err));
	EQ(4u, result.blocks);
	EQ(256u, result.threads);
	EQ(0, heddle_read(dev, &word, at + 252, 4, &err));
	EQ(5u, word);
	heddle_module_free(dev, mod);
	heddle_module_free(dev, mod2);
	heddle_device_free(dev);
}
