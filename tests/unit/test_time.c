/*
 * Timed instructions: registers, units, kinds, flags, banks, and how many
 * registers a kernel needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/form.h"
#include "isa/ptx/time.h"
#include "isa/ptx/time_live.h"
#include "test.h"

#include "run_ptx.h"

struct rig {
	struct gmem gmem;
	struct program *p;
	struct cfg cfg;
	struct arena a;
	struct timed_program *book;
	const struct timed_func *k; /* of the kernel `k` */
};

static void load(struct rig *r, const char *text)
{
	struct diag d = { .text = "" };
	struct ptx_module *m;
	enum err e;

	gmem_init(&r->gmem, GMEM_BASE_64, UINT64_C(1) << 30);
	e = ptx_parse(&m, "t", text, strlen(text), &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	e = ptx_program_new(&r->p, m, &r->gmem, &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
}

static void make(struct rig *r, const char *text)
{
	struct diag d = { .text = "" };
	enum err e;

	load(r, text);
	e = ptx_time(&r->book, &r->a, r->p, &r->cfg, &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	r->k = &r->book->func[program_find(r->p, "k")->index];
}

static void setup(struct rig *r, const char *text)
{
	memset(r, 0, sizeof(*r));
	cfg_defaults(&r->cfg);
	make(r, text);
}

static void teardown(struct rig *r)
{
	arena_free(&r->a);
	ptx_program_free(r->p);
	gmem_free_all(&r->gmem);
}

/* The timed instruction i of the kernel's body. */
static const struct timed_inst *body(const struct rig *r, unsigned i)
{
	for (uint32_t n = 0; n < r->k->count; n++)
		if (r->k->code->insts[n].index == BODY_PC + i &&
		    !(r->k->code->insts[n].flip & INST_PSEUDO))
			return &r->k->inst[n];
	OK(!"an instruction of the body");
	return NULL;
}

#define DECLARED                                           \
	".func (.reg .b32 d) f(.reg .b32 a, .reg .b64 b) " \
	"{ mov.u32 d, a; ret; } .global .texref tex; "     \
	".global .b32 g[64]; .shared .b64 s[64]; "         \
	".const .b32 c[4];"

/* Checks what the first instruction of a body writes and reads. */
static void check_counts(const char *module, unsigned writes, unsigned reads)
{
	struct rig r;

	setup(&r, module);
	const struct timed_inst *row = body(&r, 0);

	EQ(writes, row->writes);
	EQ(writes + reads, row->regs);
	EQ(row->regs > TIMED_REGS, row->more != NULL);
	for (unsigned i = 0; i < row->regs; i++) {
		OK(timed_regs(row)[i] < r.k->scoreboard);
		for (unsigned j = 0; j < i; j++)
			OK(timed_regs(row)[i] != timed_regs(row)[j]);
	}
	teardown(&r);
}

#define COUNTS(text, writes, reads) \
	check_counts(MODULE(DECLARED, text "\nL: ret;"), writes, reads)

TEST(row, sources_destinations_and_guards_are_waited_for)
{
	COUNTS("add.u32 %r1, %r2, %r3;", 1, 2);
	COUNTS("add.u32 %r1, %r1, %r1;", 1, 0); /* one register, once */
	COUNTS("@%p1 add.u32 %r1, %r2, 7;", 1, 2);
	COUNTS("fma.rn.f32 %f1, %f2, %f3, %f4;", 1, 3);
	COUNTS("bfi.b32 %r1, %r2, %r3, %r4, %r5;", 1, 4);
	COUNTS("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", 2, 3);
	COUNTS("selp.b32 %r1, %r2, %r3, %p1;", 1, 3);
	COUNTS("mov.u32 %r1, %tid.y;", 1, 0);
	COUNTS("mov.b64 {%r1, %r2}, %rd2;", 2, 1);
	COUNTS("mov.b64 %rd2, {%r1, %r2};", 1, 2);
	COUNTS("cvt.u64.u32 %rd2, %r1;", 1, 1);
	COUNTS("cvta.to.global.u64 %rd2, %rd3;", 1, 1);
	COUNTS("vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;", 1, 3);
}

TEST(row, memory_instructions_wait_for_addresses_and_data)
{
	COUNTS("ld.global.u32 %r1, [%rd1+4];", 1, 1);
	COUNTS("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];", 4, 1);
	COUNTS("ld.shared.u32 %r1, [s];", 1, 0);
	COUNTS("ld.const.u32 %r1, [c+4];", 1, 0);
	COUNTS("st.global.v2.u32 [%rd1], {%r1, %r2};", 0, 3);
	COUNTS("@!%p1 st.global.u64 [%rd1], %rd2;", 0, 3);
	COUNTS("red.global.add.u32 [%rd1], %r1;", 0, 2);
	COUNTS("cp.async.ca.shared.global [%r1], [%rd1], 4, %r2;", 0, 3);
	COUNTS("mbarrier.arrive.shared.b64 _, [%r1], %r2;", 0, 2);
	COUNTS("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];", 4,
	       2);
	COUNTS("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}];", 4,
	       3);
	COUNTS("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
	       "{%r1, %r2, %r3, %r4}, [%r5];",
	       4, 1);
}

TEST(row, warp_wide_and_control_instructions_too)
{
	COUNTS("shfl.sync.down.b32 %r1|%p1, %r2, %r3, %r4, -1;", 2, 3);
	COUNTS("vote.sync.ballot.b32 %r1, %p1, %r2;", 1, 2);
	COUNTS("bar.sync 0;", 0, 0);
	COUNTS("barrier.sync %r1, %r2;", 0, 2);
	COUNTS("bar.red.popc.u32 %r1, 0, %p1;", 1, 1);
	COUNTS("@%p1 bra L;", 0, 1);
	COUNTS("call (%r1), f, (%r2, %rd2);", 1, 2);
	COUNTS("{ ts: .branchtargets L; brx.idx %r1, ts; }", 0, 1);
	COUNTS("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
	       "{%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
	       "{%f4, %f5, %f6, %f7};",
	       4, 10);
	COUNTS("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
	       "{%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
	       "{%f0, %f1, %f2, %f3};",
	       4, 6);
}

TEST(row, the_carry_flag_is_a_register_of_its_own)
{
	struct rig r;

	setup(&r, KERNEL("add.cc.u32 %r1, %r2, %r3; "
			 "addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, %r9; "
			 "ret;"));
	EQ(2, body(&r, 0)->writes);
	EQ(4, body(&r, 0)->regs);
	EQ(2, body(&r, 1)->writes); /* reads what it writes */
	EQ(4, body(&r, 1)->regs);
	EQ(1, body(&r, 2)->writes);
	EQ(4, body(&r, 2)->regs);
	EQ(body(&r, 0)->reg[1], body(&r, 1)->reg[1]);
	EQ(body(&r, 0)->reg[1], body(&r, 2)->reg[3]);
	/* The six registers that are read before they are written have numbers
	 * of their own. r1, r4 and r7 share with registers that are dead; the
	 * carry does not. */
	OK(r.k->scoreboard >= 6 + 1 && r.k->scoreboard <= 3 + 9 + 1);
	for (unsigned i = 0; i < body(&r, 0)->regs; i++)
		OK(i == 1 || body(&r, 0)->reg[i] != body(&r, 0)->reg[1]);
	EQ(r.k->scoreboard, r.book->scoreboard);
	teardown(&r);
}

TEST(row, elements_of_a_vector_register_are_registers)
{
	struct rig r;

	setup(&r, KERNEL(".reg .v4 .f32 %v; "
			 "ld.global.v4.f32 %v, [%rd1]; "
			 "add.f32 %f1, %v.x, %v.w; ret;"));
	EQ(4, body(&r, 0)->writes);
	EQ(3, body(&r, 1)->regs);
	EQ(body(&r, 0)->reg[0], body(&r, 1)->reg[1]);
	EQ(body(&r, 0)->reg[3], body(&r, 1)->reg[2]);
	teardown(&r);
}

/* Checks kind and flags of the first instruction of a body. */
static void check_kind(const char *module, enum timing_kind kind,
		       unsigned flags)
{
	struct rig r;

	setup(&r, module);
	EQ(kind, body(&r, 0)->kind);
	EQ(flags, body(&r, 0)->flags);
	teardown(&r);
}

#define KIND(text, kind, flags) \
	check_kind(MODULE(DECLARED, text "\nL: ret;"), kind, flags)

TEST(row, kinds_say_how_the_sm_treats_an_instruction)
{
	KIND("add.u32 %r1, %r2, %r3;", KIND_PLAIN, 0);
	KIND("ld.global.u32 %r1, [%rd1];", KIND_LOAD, 0);
	KIND("ld.param.u64 %rd2, [out];", KIND_LOAD, 0);
	KIND("ld.const.u32 %r1, [c];", KIND_LOAD, 0);
	KIND("st.shared.u32 [s], %r1;", KIND_STORE, 0);
	KIND("bar.sync 0;", KIND_BARRIER, 0);
	KIND("bar.arrive 0, 64;", KIND_ARRIVE, 0);
	KIND("bar.warp.sync -1;", KIND_PLAIN, 0);
	KIND("prefetch.global.L2 [%rd1];", KIND_PLAIN, 0);
	KIND("bra L;", KIND_BRANCH, 0);
	KIND("call (%r1), f, (%r2, %rd2);", KIND_CALL, 0);
	KIND("ret;", KIND_EXIT, 0);
	KIND("exit;", KIND_EXIT, 0);
	KIND("trap;", KIND_PLAIN, 0);
	KIND("nanosleep.u32 20;", KIND_SLEEP, 0);
	KIND("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5}];", KIND_TEX,
	     0);
	KIND("cp.async.ca.shared.global [%r1], [%rd1], 4;", KIND_ASYNC, 0);
	KIND("cp.async.cg.shared.global [%r1], [%rd1], 16;", KIND_ASYNC,
	     TIMED_UNCACHED);
	KIND("cp.async.commit_group;", KIND_COMMIT, 0);
	KIND("cp.async.wait_group 1;", KIND_ASYNC_WAIT, 0);
	KIND("cp.async.wait_all;", KIND_ASYNC_WAIT, 0);
	KIND("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;",
	     KIND_BULK, TIMED_UNCACHED);
	KIND("cp.async.bulk.commit_group;", KIND_COMMIT, 0);
	KIND("cp.async.bulk.wait_group.read 0;", KIND_ASYNC_WAIT, 0);
}

TEST(row, a_return_of_a_function_is_not_an_exit)
{
	struct rig r;
	const struct timed_func *f;

	setup(&r, MODULE(DECLARED, "ret;"));
	f = &r.book->func[program_find(r.p, "f")->index];
	EQ(KIND_CALL, f->inst[1].kind);
	EQ(2, f->scoreboard);
	teardown(&r);
}

TEST(row, order_scope_and_cache_operators_are_flags)
{
	KIND("ld.global.cg.u32 %r1, [%rd1];", KIND_LOAD, TIMED_UNCACHED);
	KIND("ld.global.cs.u32 %r1, [%rd1];", KIND_LOAD, TIMED_STREAMING);
	KIND("ld.global.nc.u32 %r1, [%rd1];", KIND_LOAD, TIMED_READONLY);
	KIND("ldu.global.u32 %r1, [%rd1];", KIND_LOAD, TIMED_READONLY);
	KIND("ld.volatile.global.u32 %r1, [%rd1];", KIND_LOAD,
	     TIMED_UNCACHED | TIMED_SYSTEM);
	KIND("ld.relaxed.gpu.global.u32 %r1, [%rd1];", KIND_LOAD,
	     TIMED_UNCACHED);
	KIND("ld.relaxed.cta.global.u32 %r1, [%rd1];", KIND_LOAD, TIMED_BLOCK);
	KIND("ld.acquire.sys.global.u32 %r1, [%rd1];", KIND_LOAD,
	     TIMED_ACQUIRE | TIMED_UNCACHED | TIMED_SYSTEM);
	KIND("st.release.gpu.global.u32 [%rd1], %r1;", KIND_STORE,
	     TIMED_RELEASE | TIMED_UNCACHED);
	KIND("st.global.wt.u32 [%rd1], %r1;", KIND_STORE, TIMED_UNCACHED);
	KIND("atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1; "
	     "st.global.u32 [%rd1], %r1;",
	     KIND_ATOMIC, TIMED_ACQUIRE | TIMED_RELEASE);
	KIND("membar.cta;", KIND_FENCE, TIMED_BLOCK);
	KIND("membar.gl;", KIND_FENCE, TIMED_EMPTY_L1);
	KIND("membar.sys;", KIND_FENCE, TIMED_SYSTEM | TIMED_EMPTY_L1);
	KIND("fence.acq_rel.gpu;", KIND_FENCE, TIMED_EMPTY_L1);
	KIND("fence.sc.sys;", KIND_FENCE, TIMED_SYSTEM | TIMED_EMPTY_L1);
}

TEST(row, an_atomic_whose_result_nobody_takes_returns_nothing)
{
	KIND("red.global.add.u32 [%rd1], 1;", KIND_ATOMIC, TIMED_NO_RESULT);
	KIND("atom.global.add.u32 %r1, [%rd1], 1;", KIND_ATOMIC,
	     TIMED_NO_RESULT);
	KIND("atom.global.add.u32 %r1, [%rd1], 1; "
	     "st.global.u32 [%rd1], %r1;",
	     KIND_ATOMIC, 0);
	/* It would overwrite what the register holds by then. */
	KIND("atom.global.add.u32 %r1, [%rd1], 1; mov.u32 %r1, 2; "
	     "st.global.u32 [%rd1], %r1;",
	     KIND_ATOMIC, 0);
	KIND("mbarrier.init.shared.b64 [s], 1;", KIND_ATOMIC, TIMED_NO_RESULT);
	KIND("mbarrier.try_wait.parity.shared.b64 %p1, [s], 1;", KIND_LOAD, 0);
	COUNTS("atom.global.add.u32 %r1, [%rd1], %r2;", 0, 2);
}

/* Their storage may be another value's, for which nothing must wait. */
TEST(row, components_that_nobody_reads_are_not_written)
{
	static const char text[] =
		MODULE("", "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; "
			   "ld.global.v2.u32 {%r5, %r6}, [%rd1]; "
			   "st.global.u32 [%rd1], %r2;");

	for (int compiled = 0; compiled < 2; compiled++) {
		struct rig r;

		memset(&r, 0, sizeof(r));
		cfg_defaults(&r.cfg);
		r.cfg.sm.compiled = compiled;
		make(&r, text);
		EQ(compiled ? 1 : 4, body(&r, 0)->writes);
		/* One of which nothing is read keeps all. */
		EQ(2, body(&r, 1)->writes);
		teardown(&r);
	}
}

TEST(row, unit_and_latency_come_from_the_configuration)
{
	struct rig r = { .book = NULL };
	const struct timed_inst *row;

	cfg_defaults(&r.cfg);
	r.cfg.lat[LAT_FMA].cycles = 17;
	r.cfg.lat[LAT_SFU].interval = 9;
	make(&r, KERNEL("fma.rn.f32 %f1, %f2, %f3, %f4; "
			"sin.approx.f32 %f1, %f1; ret;"));
	row = body(&r, 0);
	EQ(UNIT_FP32, row->unit);
	EQ(LAT_FMA, row->lat);
	EQ(17, row->cycles);
	EQ(cfg_interval(&r.cfg, LAT_FMA, UNIT_FP32), row->interval);
	EQ(9, body(&r, 1)->interval);
	teardown(&r);
}

TEST(row, a_missing_unit_is_replaced_where_another_can_do_its_work)
{
	struct rig r = { .book = NULL };

	cfg_defaults(&r.cfg);
	r.cfg.unit[UNIT_FP16].lanes = 0;
	r.cfg.unit[UNIT_TEX].lanes = 0;
	r.cfg.unit[UNIT_FP64].lanes = 0;
	r.cfg.unit[UNIT_TENSOR].lanes = 0;
	make(&r, MODULE(DECLARED,
			"add.f16x2 %r1, %r2, %r3; "
			"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5}]; "
			"ret;"));
	EQ(UNIT_FP32, body(&r, 0)->unit);
	EQ(LAT_F16, body(&r, 0)->lat);
	EQ(UNIT_LSU, body(&r, 1)->unit);
	teardown(&r);
}

static void refused(enum unit_class unit, const char *text, const char *what)
{
	struct rig r = { .book = NULL };
	struct diag d = { .text = "" };

	cfg_defaults(&r.cfg);
	r.cfg.unit[unit].lanes = 0;
	load(&r, text);
	EQ(ERR_OK, ptx_time(&r.book, &r.a, r.p, &r.cfg, &d));
	OK(r.book->func[0].refused);
	OK(strstr(r.book->func[0].refused, what));
	OK(!strncmp(r.book->func[0].refused, "t:8:1: ", 7));
	teardown(&r);
}

TEST(row, double_precision_and_matrices_need_their_units)
{
	refused(UNIT_FP64, KERNEL("add.f64 %fd1, %fd2, %fd3; ret;"),
		"unit.fp64.lanes = 0");
	refused(UNIT_TENSOR,
		KERNEL("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
		       "{%f0, %f1, %f2, %f3}, {%r1, %r2}, {%r3}, "
		       "{%f4, %f5, %f6, %f7}; ret;"),
		"mma.sync");
}

/* ---- banks ---- */

static unsigned sum(const uint8_t n[TIMED_BANKS])
{
	unsigned all = 0;

	for (int i = 0; i < TIMED_BANKS; i++)
		all += n[i];
	return all;
}

#define LOADED                           \
	"ld.global.u32 %r1, [%rd1];"     \
	"ld.global.u32 %r2, [%rd1+4];"   \
	"ld.global.u32 %r3, [%rd1+8];"   \
	"ld.global.u64 %rd2, [%rd1+16];" \
	"ld.global.u64 %rd3, [%rd1+24];\n"
#define STORED                        \
	"st.global.u32 [%rd1], %r1;"  \
	"st.global.u32 [%rd1], %r2;"  \
	"st.global.u32 [%rd1], %r3;"  \
	"st.global.u64 [%rd1], %rd2;" \
	"st.global.u64 [%rd1], %rd3; ret;"

TEST(row, only_registers_are_read_from_banks)
{
	struct rig r;

	setup(&r, KERNEL(LOADED "mad.lo.u32 %r3, %r1, %r2, %r3; "
				"add.u32 %r1, %r2, 5; "
				"add.u32 %r1, %r2, %r2; "
				"add.u64 %rd2, %rd3, %rd2; "
				"add.u64 %rd2, %rd2, %rd0; "
				"mov.u32 %r3, %tid.x; "
				"selp.b32 %r3, %r1, 0, %p1; " STORED));
	EQ(2, sum(body(&r, 0)->reads)); /* the address of a load */
	EQ(3, sum(body(&r, 5)->reads));
	EQ(1, sum(body(&r, 6)->reads));
	EQ(1, sum(body(&r, 7)->reads));
	EQ(4, sum(body(&r, 8)->reads));
	EQ(2, body(&r, 8)->reads[0]); /* pairs are in both banks */
	EQ(2, body(&r, 8)->reads[1]);
	EQ(2, sum(body(&r, 9)->reads)); /* %rd0 is a kernel parameter */
	EQ(0, sum(body(&r, 10)->reads));
	EQ(1, sum(body(&r, 11)->reads));
	teardown(&r);
}

TEST(row, operands_of_one_instruction_are_spread_over_the_banks)
{
	struct rig r = { .book = NULL };

	cfg_defaults(&r.cfg);
	r.cfg.regs.banks = 4;
	make(&r, KERNEL(LOADED "mad.lo.u32 %r3, %r1, %r2, %r3; " STORED));
	for (int i = 0; i < 4; i++)
		OK(body(&r, 5)->reads[i] <= 1);
	teardown(&r);
	memset(&r, 0, sizeof(r));
	cfg_defaults(&r.cfg);
	r.cfg.regs.banks = 16;
	make(&r, KERNEL(LOADED "mad.lo.u32 %r3, %r1, %r2, %r3; " STORED));
	EQ(3, sum(body(&r, 5)->reads));
	for (int i = 0; i < TIMED_BANKS; i++)
		OK(body(&r, 5)->reads[i] <= 1);
	teardown(&r);
}

TEST(row, an_operand_in_the_same_place_as_before_is_reused)
{
	struct rig r;

	setup(&r, KERNEL(LOADED "mad.lo.u32 %r4, %r1, %r2, %r3; "
				"mad.lo.u32 %r5, %r1, %r3, %r4; "
				"mad.lo.u32 %r1, %r1, %r2, %r5; "
				"add.u32 %r6, %r1, %r2; "
				"bra M; M: add.u32 %r7, %r6, %r2; "
				"st.global.u32 [%rd1], %r7;" STORED));
	EQ(sum(body(&r, 5)->reads), sum(body(&r, 5)->reuse)); /* after a load */
	EQ(3, sum(body(&r, 6)->reads));
	EQ(2, sum(body(&r, 6)->reuse));  /* %r1 */
	EQ(2, sum(body(&r, 7)->reuse));  /* %r1 again */
	EQ(1, sum(body(&r, 8)->reuse));  /* %r1 was written, %r2 stays */
	EQ(2, sum(body(&r, 10)->reuse)); /* another block */
	teardown(&r);
}

TEST(row, instructions_made_by_the_lowering_have_no_rows)
{
	static const struct timed_inst zero;
	struct rig r;
	unsigned pseudo = 0;

	setup(&r, KERNEL("setp.eq.u32 %p1, %r0, 0; @%p1 bra L; "
			 "mov.u32 %r1, 1; L: mov.u32 %r2, 2; ret;"));
	for (uint32_t i = 0; i < r.k->count; i++)
		if (r.k->code->insts[i].flip & INST_PSEUDO) {
			pseudo++;
			OK(!memcmp(&zero, &r.k->inst[i], sizeof(zero)));
		}
	OK(pseudo > 0);
	teardown(&r);
}

/* ---- liveness and registers per thread ---- */

struct life {
	struct ptx_module *m;
	const struct ptx_func *f;
	struct arena a;
	struct cfg cfg;
	struct time_live l;
};

static void live(struct life *s, const char *text)
{
	struct diag d = { .text = "" };

	memset(s, 0, sizeof(*s));
	cfg_defaults(&s->cfg);
	EQ(ERR_OK, ptx_parse(&s->m, "t", text, strlen(text), &d));
	s->f = ptx_find_func(s->m, "k");
	EQ(ERR_OK, time_live_analyse(&s->l, &s->a, s->f, &s->cfg, &d));
}

static void died(struct life *s)
{
	arena_free(&s->a);
	ptx_module_free(s->m);
}

/* The maximum of 32-bit registers live at one point of a body; %rd1 takes two.
 */
static void check_most(const char *text, uint32_t most)
{
	struct life s;

	live(&s, text);
	EQ(most, s.l.max);
	OK(s.l.used >= s.l.max);
	died(&s);
}

#define MOST(text, most) check_most(KERNEL(text), most)

TEST(row, values_live_from_their_definition_to_their_last_use)
{
	MOST("ret;", 2); /* %r0, or the product of it */
	MOST("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1; ret;", 3);
	MOST("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1]; "
	     "ld.global.u32 %r3, [%rd1]; add.u32 %r1, %r1, %r2; "
	     "add.u32 %r1, %r1, %r3; st.global.u32 [%rd1], %r1; ret;",
	     5);
	MOST("ld.global.f64 %fd1, [%rd1]; ld.global.f64 %fd2, [%rd1]; "
	     "add.f64 %fd1, %fd1, %fd2; st.global.f64 [%rd1], %fd1; ret;",
	     6);
	/* constants and predicates need no register */
	MOST("mov.u32 %r1, 1; mov.u32 %r2, 2; setp.eq.u32 %p1, %r0, 3; "
	     "selp.b32 %r3, %r1, %r2, %p1; st.global.u32 [%rd1], %r3; ret;",
	     3);
}

TEST(row, values_live_across_loops_and_branches)
{
	/* %r1 is read in the loop only at its top: live around it */
	MOST("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1];\n"
	     "L: add.u32 %r2, %r2, %r1; ld.global.u32 %r3, [%rd1]; "
	     "setp.lt.u32 %p1, %r2, %r3; @%p1 bra L;\n"
	     "st.global.u32 [%rd1], %r2; ret;",
	     5);
	/* the two paths do not add up */
	MOST("setp.eq.u32 %p1, %r0, 0; @%p1 bra E;\n"
	     "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1]; "
	     "add.u32 %r5, %r1, %r2; bra J;\n"
	     "E: ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd1]; "
	     "add.u32 %r5, %r3, %r4;\n"
	     "J: st.global.u32 [%rd1], %r5; ret;",
	     4);
}

TEST(row, a_guarded_write_keeps_the_old_value)
{
	/* %r1 is live over the second load: 2 + 1 + 1 + 1 */
	MOST("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1]; "
	     "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r2, %r3; "
	     "@%p1 mov.u32 %r1, %r2; st.global.u32 [%rd1], %r1; ret;",
	     5);
	/* without a guard it is not: 2 + 1 + 1 */
	MOST("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1]; "
	     "ld.global.u32 %r3, [%rd1]; setp.eq.u32 %p1, %r2, %r3; "
	     "mov.u32 %r1, %r2; st.global.u32 [%rd1], %r1; ret;",
	     4);
}

/* Walks over straight-line code and tracks the owner of each physical register.
 */
static void step(const struct time_live *l, uint32_t i, int *owner)
{
	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
		for (unsigned w = 0; w < l->words[l->ref[k].cell]; w++)
			if (!l->ref[k].write)
				EQ((int)l->ref[k].cell,
				   owner[l->home[l->ref[k].cell] + w]);
	for (uint32_t k = l->at[i]; k < l->at[i + 1]; k++)
		for (unsigned w = 0; w < l->words[l->ref[k].cell]; w++)
			if (l->ref[k].write)
				owner[l->home[l->ref[k].cell] + w] =
					(int)l->ref[k].cell;
}

/* Straight-line code over 40 registers of 32 bits and 20 of 64 bits. */
static char *straight(unsigned seed, int count)
{
	char *text = malloc(200 + (size_t)count * 60), *s = text;

	s += sprintf(s, ".version 8.4\n.target sm_90\n.address_size 64\n"
			".entry k() { .reg .b32 %%r<40>; .reg .b64 %%d<20>;\n"
			"mov.u32 %%r0, %%tid.x; cvt.u64.u32 %%d0, %%r0;\n");
	for (int i = 1; i < 40; i++)
		s += sprintf(s, "add.u32 %%r%d, %%r%d, 1;\n", i, i - 1);
	for (int i = 1; i < 20; i++)
		s += sprintf(s, "add.u64 %%d%d, %%d%d, 1;\n", i, i - 1);
	for (int i = 0; i < count; i++) {
		unsigned n[3];

		for (int k = 0; k < 3; k++) {
			seed = seed * 1664525u + 1013904223u;
			n[k] = seed >> 16;
		}
		if (n[0] % 3)
			s += sprintf(s, "add.u32 %%r%u, %%r%u, %%r%u;\n",
				     n[0] % 40, n[1] % 40, n[2] % 40);
		else
			s += sprintf(s, "add.u64 %%d%u, %%d%u, %%d%u;\n",
				     n[0] % 20, n[1] % 20, n[2] % 20);
	}
	sprintf(s, "ret; }\n");
	return text;
}

TEST(row, values_that_live_at_one_time_have_places_of_their_own)
{
	for (unsigned seed = 1; seed <= 20; seed++) {
		char *text = straight(seed, 400);
		int owner[1024];
		struct life s;

		live(&s, text);
		memset(owner, 0xff, sizeof(owner));
		for (uint32_t i = 0; i < s.f->inst_count; i++)
			step(&s.l, i, owner);
		/* no free pair is left between single registers */
		OK(s.l.used <= 40 + 2 * 20 + 16);
		for (uint32_t c = 0; c < s.l.cells; c++)
			OK(s.l.words[c] != 2 || s.l.home[c] % 2 == 0);
		died(&s);
		free(text);
	}
}

TEST(row, a_large_function_is_no_trouble)
{
	enum { BLOCKS = 6000, INSTS = 15, REGS = 20000 };
	char *text = malloc((size_t)BLOCKS * INSTS * 64 + 1000), *s = text;
	struct rig r;

	/* many blocks, many registers, values that are live across all of them
	 */
	s += sprintf(s,
		     ".version 8.4\n.target sm_90\n.address_size 64\n"
		     ".entry k() { .reg .pred %%p; .reg .b32 %%r<%d>;\n"
		     "mov.u32 %%r0, %%tid.x;\n",
		     REGS);
	for (int i = 1; i < 100; i++)
		s += sprintf(s, "add.u32 %%r%d, %%r%d, 1;\n", i, i - 1);
	for (int b = 0; b < BLOCKS; b++) {
		s += sprintf(s, "L%d: setp.eq.u32 %%p, %%r%d, %d;\n", b,
			     b % 100, b);
		for (int i = 0; i < INSTS - 2; i++)
			s += sprintf(s, "add.u32 %%r%d, %%r%d, %%r%d;\n",
				     100 + (b * INSTS + i) % (REGS - 100),
				     i % 100, (b + i) % 100);
		s += sprintf(s, "@%%p bra L%d;\n", b * 7919 % BLOCKS);
	}
	sprintf(s, "ret; }\n");
	setup(&r, text);
	EQ(REGS + 1, r.k->scoreboard);
	EQ(101 + 3, r.book->registers[0]);
	teardown(&r);
	free(text);
}

/* All are live at the end, so none of them share storage. */
TEST(row, more_registers_than_numbers_share_them)
{
	enum { REGS = 70000 };
	char *text = malloc((size_t)REGS * 80 + 1000), *s = text;
	struct rig r;

	s += sprintf(s,
		     ".version 8.4\n.target sm_90\n.address_size 64\n"
		     ".entry k() { .reg .b32 %%r<%d>;\n"
		     "mov.u32 %%r0, %%tid.x;\n",
		     REGS);
	for (int i = 1; i < REGS; i++)
		s += sprintf(s, "mov.u32 %%r%d, %%tid.x;\n", i);
	for (int i = 1; i < REGS; i++)
		s += sprintf(s, "add.u32 %%r0, %%r0, %%r%d;\n", i);
	sprintf(s, "ret; }\n");
	setup(&r, text);
	EQ(65535, r.k->scoreboard);
	for (uint32_t i = 0; i + 1 < r.k->count; i++)
		for (unsigned k = 0; k < r.k->inst[i].regs; k++)
			OK(r.k->inst[i].reg[k] < r.k->scoreboard);
	teardown(&r);
	free(text);
}

/* Registers of the kernel k after these directives and functions. */
static uint32_t registers_of(const char *before, const char *limits, int values,
			     const char *middle)
{
	char text[20000], *s = text;
	uint32_t n;
	struct rig r;

	s += sprintf(s,
		     ".version 8.4\n.target sm_90\n.address_size 64\n%s\n"
		     ".entry k(.param .u64 o) %s {\n"
		     ".reg .b64 %%d; .reg .b32 %%r<%d>;\n"
		     "mov.u32 %%r0, %%tid.x; cvt.u64.u32 %%d, %%r0;\n",
		     before, limits, values + 1);
	for (int i = 0; i < values; i++)
		s += sprintf(s, "ld.global.u32 %%r%d, [%%d+%d];\n", i, 4 * i);
	strcpy(s, middle);
	s += strlen(s);
	for (int i = 0; i < values; i++)
		s += sprintf(s, "st.global.u32 [%%d+%d], %%r%d;\n", 4 * i, i);
	sprintf(s, "ret; }\n");
	setup(&r, text);
	n = r.book->registers[program_find(r.p, "k")->index];
	teardown(&r);
	return n;
}

TEST(row, directives_limit_the_registers_of_a_thread)
{
	EQ(16, registers_of("", "", 1, ""));
	EQ(102 + 3, registers_of("", "", 100, ""));
	EQ(255, registers_of("", "", 300, ""));
	EQ(64, registers_of("", ".maxnreg 64", 100, ""));
	EQ(64, registers_of("", ".maxntid 1024", 100, ""));
	EQ(105, registers_of("", ".maxntid 256", 100, ""));
	EQ(40, registers_of("", ".maxntid 256 .minnctapersm 6", 100, ""));
	EQ(80, registers_of("", ".reqntid 128, 2, 1 .minnctapersm 3", 100, ""));
}

TEST(row, a_caller_adds_what_it_keeps_across_a_call)
{
	static const char leaf[] = ".func f() { ret; }";
	static const char heavy[] =
		".func f() { .reg .b64 %a<3>; mov.u64 %a0, %clock64; "
		"mov.u64 %a1, %clock64; mov.u64 %a2, %clock64; "
		"add.u64 %a0, %a0, %a1; add.u64 %a0, %a0, %a2; "
		"st.global.u64 [%a0], %a0; ret; }";
	static const char twice[] = ".func g(); .func f() { call g, (); ret; }"
				    ".func g() { call f, (); ret; }";

	EQ(26, registers_of(leaf, "", 1, "call f, ();"));
	EQ(42 + 3, registers_of(leaf, "", 40, "call f, ();"));
	EQ(42 + 6, registers_of(heavy, "", 40, "call f, ();"));
	/* recursion ends */
	EQ(42 + 3, registers_of(twice, "", 40, "call f, ();"));
}

/* ---- compared with ptxas ---- */

static char *read_file(const char *name)
{
	char path[500];
	FILE *f;
	char *text = calloc(1, 1 << 20);

	snprintf(path, sizeof(path), "%s/%s", HEDDLE_SOURCE_DIR, name);
	f = fopen(path, "rb");
	OK(f);
	OK(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

/* Registers by `ptxas -v -arch=sm_90` of CUDA 13. */
TEST(row, registers_come_near_to_what_ptxas_takes)
{
	static const struct {
		const char *file, *kernel;
		uint32_t ptxas;
	} known[] = {
		{ "bench/kernels.ptx", "stencil", 18 },
		{ "bench/kernels.ptx", "matmul_tiled", 32 },
		{ "bench/kernels.ptx", "divergent", 17 },
		{ "bench/kernels.ptx", "calls", 24 },
		{ "bench/kernels.ptx", "tensor", 32 },
		{ "tests/prog/nvcc/mandelbrot.ptx", "mandelbrot", 24 },
		{ "tests/prog/nvcc/spmv.ptx", "spmv_warp", 32 },
		{ "tests/prog/nvcc/functions_f64.ptx", "functions_f64", 32 },
		{ "tests/prog/nvcc/atomic_ops.ptx", "atomic_ops", 32 },
		{ "tests/prog/nvcc/transpose.ptx", "transpose", 18 },
		{ "tests/prog/nvcc/bit_tricks.ptx", "bit_tricks", 28 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *text = read_file(known[i].file);
		struct rig r = { .book = NULL };
		const struct function *f;
		uint32_t n;

		cfg_defaults(&r.cfg);
		r.cfg.gpu.capability = 90;
		load(&r, text);
		f = program_find(r.p, known[i].kernel);
		struct diag d = { .text = "" };

		EQ(ERR_OK, ptx_time(&r.book, &r.a, r.p, &r.cfg, &d));
		n = r.book->registers[f->index];
		OK(n * 100 >= known[i].ptxas * 80);
		OK(n * 100 <= known[i].ptxas * 120);
		teardown(&r);
		free(text);
	}
}

/* ---- every row of the table ---- */

struct any {
	struct ptx_reg regs[3]; /* a predicate, 32 bits, 64 bits */
	struct ptx_label label;
	struct ptx_targets targets;
	struct ptx_func f, *list[1];
	struct ptx_opnd opnds[8], elems[8][2];
	struct ptx_opcode op;
	char text[200];
	struct ptx_inst in;
	struct inst inst;
	struct code code;
	struct function func;
	struct ptx_module m;
	struct ptx_program p;
	uint32_t slots[64];
	struct reg_place place;
};

static void first_text(void *ctx, const char *text)
{
	struct any *x = ctx;

	if (!x->text[0])
		snprintf(x->text, sizeof(x->text), "%s", text);
}

static void any_operand(struct any *x, unsigned i, char kind)
{
	struct ptx_opnd *o = &x->opnds[i];
	struct ptx_opnd reg = { .kind = PTX_OPND_REG, .elem = -1, .reg = 1 };

	*o = reg;
	o->elems = x->elems[i];
	x->elems[i][0] = x->elems[i][1] = reg;
	x->elems[i][0].reg = 2;
	switch (kind) {
	case 'p':
	case 'q':
		o->reg = 0;
		break;
	case 'm':
		o->kind = PTX_OPND_MEM;
		break;
	case 'x':
		o->kind = PTX_OPND_TEX;
		o->count = 2;
		break;
	case 'i':
		o->kind = PTX_OPND_IMM;
		break;
	case 'l':
		o->kind = PTX_OPND_LABEL;
		o->label = 0;
		break;
	}
}

/* A function with one instruction, without the reader and the lowering. */
static void any_inst(struct any *x, unsigned op)
{
	const struct ptx_form *form = ptx_form_of(op);
	bool matched;

	memset(x, 0, sizeof(*x));
	x->regs[0] = (struct ptx_reg){ "p", PTX_PRED, 1, { 0, 0 } };
	x->regs[1] = (struct ptx_reg){ "r", PTX_B32, 1, { 0, 0 } };
	x->regs[2] = (struct ptx_reg){ "d", PTX_B64, 1, { 0, 0 } };
	x->targets =
		(struct ptx_targets){ .labels = &x->label.inst, .count = 1 };
	ptx_expand(&ptx_rows[op], first_text, x);
	ptx_match(&x->op, x->text, strlen(x->text), &matched);
	x->op.op = (uint16_t)op; /* rows may share their first opcode */
	for (unsigned i = 0; i < form->slots; i++)
		any_operand(x, i, form->slot[i].kind[0]);
	if (op == PTX_OP_BRX)
		x->opnds[1] = (struct ptx_opnd){ .kind = PTX_OPND_TARGETS };
	x->in = (struct ptx_inst){ .op = &x->op,
				   .guard = 0,
				   .opnd_count = form->slots,
				   .opnds = x->opnds };
	x->f = (struct ptx_func){ .name = "k",
				  .has_body = true,
				  .regs = x->regs,
				  .reg_count = 3,
				  .insts = &x->in,
				  .inst_count = 1,
				  .labels = &x->label,
				  .label_count = 1,
				  .targets = &x->targets,
				  .target_count = 1 };
	x->code =
		(struct code){ .func = &x->func,
			       .insts = &x->inst,
			       .count = 1,
			       .reg_bytes = sizeof(x->slots),
			       .carry = SLOT(SLOT_REG, 3 * sizeof(uint32_t)) };
	for (uint32_t i = 0; i < 4; i++)
		x->slots[i] = i * (uint32_t)sizeof(uint32_t);
	x->place = (struct reg_place){ .slot = x->slots };
	x->func = (struct function){ .code = &x->code };
	x->m = (struct ptx_module){ .name = "t",
				    .funcs = &x->f,
				    .func_count = 1 };
	x->p = (struct ptx_program){ .base.funcs = &x->func,
				     .module = &x->m,
				     .regs = &x->place };
}

TEST(row, every_instruction_of_the_table_has_a_row)
{
	static struct any x;
	struct cfg cfg;

	cfg_defaults(&cfg);
	for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
		struct diag d = { .text = "" };
		struct arena a = { 0 };
		struct timed_program *book;
		const struct timed_inst *r;

		if (ptx_rows[op].class == PTX_ROW_REFUSED)
			continue;
		any_inst(&x, op);
		EQ(ERR_OK, ptx_time(&book, &a, &x.p.base, &cfg, &d));
		r = book->func[0].inst;
		OK(r->kind < KIND_COUNT);
		EQ(ptx_rows[op].unit, r->unit);
		EQ(ptx_rows[op].lat, r->lat);
		OK(r->cycles > 0 && r->interval > 0);
		OK(r->writes <= r->regs && r->regs <= book->scoreboard);
		OK(r->regs >= 1); /* the guard */
		for (unsigned i = 0; i < r->regs; i++)
			OK(timed_regs(r)[i] < book->scoreboard);
		OK(ptx_rows[op].class != PTX_ROW_LANE || r->writes);
		arena_free(&a);
	}
}
