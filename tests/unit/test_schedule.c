/*
 * The order that sm.compiled gives to the instructions of PTX: what it must be
 * for blocks written by hand, and that random programs leave the same memory in
 * it as in the order of their text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/ptx/schedule.h"
#include "test.h"
#include "trace/trace.h"

#include "run_ptx.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define REGS                                                         \
	".reg .pred %%p<9>; .reg .b32 %%r<99>; .reg .b64 %%rd<19>; " \
	".reg .f32 %%f<99>;\n"

/* Schedules the body of a kernel. Returns the module, to be freed. */
static struct ptx_module *schedule(const char *limits, const char *body,
				   bool compiled)
{
	char text[4000];
	struct diag d = { .text = "" };
	struct ptx_module *m;
	struct cfg cfg;

	snprintf(text, sizeof(text),
		 HEAD ".visible .entry k(.param .u64 a) %s {\n" REGS
		      "%s\nret;\n}\n",
		 limits, body);
	cfg_defaults(&cfg);
	cfg.sm.compiled = compiled;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	STREQ("", d.text);
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	return m;
}

/* Checks the order of a body: the places that its instructions have in the
 * text, without the ret at the end. */
static void check_order(const char *body, const char *want)
{
	struct ptx_module *m = schedule("", body, true);
	const struct ptx_func *f = ptx_find_func(m, "k");
	char got[400] = "";
	size_t n = 0;

	for (uint32_t i = 0; i + 1 < f->inst_count; i++)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u",
				      i ? " " : "", f->place[i]);
	STREQ(want, got);
	ptx_module_free(m);
}

TEST(schedule, loads_come_before_what_uses_other_loads)
{
	check_order("ld.global.f32 %f1, [%rd1];"
		    "add.f32 %f2, %f1, %f1;"
		    "ld.global.f32 %f3, [%rd1+4];"
		    "add.f32 %f4, %f3, %f2;"
		    "st.global.f32 [%rd2], %f4;",
		    "0 2 1 3 4");
}

TEST(schedule, the_longest_way_to_the_end_goes_first)
{
	check_order("add.s32 %r1, %r2, %r3;"
		    "mul.lo.s32 %r4, %r2, %r2;"
		    "mul.lo.s32 %r5, %r4, %r4;"
		    "mul.lo.s32 %r6, %r5, %r1;",
		    "1 0 2 3");
}

TEST(schedule, a_load_stays_behind_a_store_that_it_may_meet)
{
	check_order("st.global.f32 [%rd1], %f1;"
		    "ld.global.f32 %f2, [%rd2];"
		    "add.f32 %f3, %f2, %f2;",
		    "0 1 2");
	check_order("st.f32 [%rd1], %f1;" /* generic: anywhere */
		    "ld.shared.f32 %f2, [%r2];"
		    "add.f32 %f3, %f2, %f2;",
		    "0 1 2");
	check_order("st.global.v2.f32 [%rd1], {%f1, %f4};"
		    "ld.global.f32 %f2, [%rd1+4];"
		    "add.f32 %f3, %f2, %f2;",
		    "0 1 2");
}

TEST(schedule, a_load_passes_a_store_that_it_cannot_meet)
{
	/* another space; another offset from the same register, directly and
	 * through a sum; read-only memory */
	check_order("st.shared.f32 [%r1], %f1;"
		    "ld.global.f32 %f2, [%rd2];",
		    "1 0");
	check_order("st.global.f32 [%rd1], %f1;"
		    "ld.global.f32 %f2, [%rd1+4];",
		    "1 0");
	check_order("add.s64 %rd2, %rd1, 8;"
		    "mul.f32 %f1, %f5, %f5;"
		    "st.global.v2.f32 [%rd1], {%f1, %f4};"
		    "ld.global.f32 %f2, [%rd2];",
		    "0 3 1 2");
	check_order("st.global.f32 [%rd1], %f1;"
		    "ld.global.nc.f32 %f2, [%rd2];",
		    "1 0");
}

TEST(schedule, an_address_that_has_changed_is_another_one)
{
	check_order("st.global.f32 [%rd1], %f1;"
		    "add.s64 %rd1, %rd1, %rd5;"
		    "ld.global.f32 %f2, [%rd1+4];",
		    "0 1 2");
}

TEST(schedule, strong_accesses_atomics_and_guarded_loads_keep_their_order)
{
	check_order("ld.volatile.global.f32 %f1, [%rd1];"
		    "ld.volatile.global.f32 %f2, [%rd2];"
		    "ld.global.f32 %f3, [%rd3];",
		    "0 1 2");
	check_order("red.global.add.u32 [%rd1], %r1;"
		    "ld.shared.f32 %f3, [%r3];",
		    "0 1");
	check_order("@%p1 ld.global.f32 %f1, [%rd1];"
		    "add.f32 %f2, %f1, %f1;"
		    "ld.global.f32 %f3, [%rd2];",
		    "0 2 1");
	check_order("st.global.f32 [%rd1], %f1;"
		    "st.shared.f32 [%r1], %f1;"
		    "@%p1 ld.global.nc.f32 %f3, [%rd2];",
		    "0 1 2");
}

TEST(schedule, nothing_crosses_barriers_clocks_and_branches)
{
	check_order("add.f32 %f1, %f2, %f3;"
		    "bar.sync 0;"
		    "ld.global.f32 %f4, [%rd1];",
		    "0 1 2");
	check_order("add.f32 %f1, %f2, %f3;"
		    "mov.u32 %r1, %clock;"
		    "ld.global.f32 %f4, [%rd1];",
		    "0 1 2");
	check_order("add.f32 %f1, %f2, %f3;"
		    "@%p1 bra L;"
		    "ld.global.f32 %f4, [%rd1];"
		    "L: ld.global.f32 %f5, [%rd1];",
		    "0 1 2 3");
}

TEST(schedule, nothing_crosses_a_division_with_a_slow_path)
{
	check_order("div.rn.f32 %f1, %f2, %f3; ld.global.f32 %f4, [%rd1]; "
		    "sqrt.rn.f32 %f5, %f6; ld.global.f32 %f7, [%rd1+4];",
		    "0 1 2 3");
	check_order("div.approx.f32 %f1, %f2, %f3; "
		    "ld.global.f32 %f4, [%rd1];",
		    "1 0");
}

TEST(schedule, a_register_is_written_after_its_readers)
{
	check_order("add.f32 %f1, %f2, %f2;"
		    "add.f32 %f3, %f1, %f1;"
		    "ld.global.f32 %f1, [%rd1];"
		    "add.f32 %f4, %f1, %f3;",
		    "0 1 2 3");
	/* A guard keeps the old value in some lanes. */
	check_order("mul.f32 %f1, %f2, %f2;"
		    "@%p1 mov.f32 %f1, %f5;"
		    "add.f32 %f4, %f1, %f3;",
		    "0 1 2");
}

/* n loads, and their sum with itself and `held` values from before. */
static void many_loads(char *to, size_t size, int n, int held)
{
	size_t at = 0;

	for (int i = 0; i < n; i++)
		at += (size_t)snprintf(to + at, size - at,
				       "ld.global.f32 %%f%d, [%%rd1+%d];"
				       "fma.rn.f32 %%f0, %%f%d, %%f%d, %%f0;",
				       i + 1, 4 * i, i + 1, i + 1);
	for (int i = 0; i < held; i++)
		at += (size_t)snprintf(to + at, size - at,
				       "add.f32 %%f0, %%f0, %%f%d;", 50 + i);
	snprintf(to + at, size - at, "st.global.f32 [%%rd2], %%f0;");
}

/* The number of loads before the first instruction that is none. */
static unsigned loads_first(const char *limits, int held)
{
	char body[3900];
	struct ptx_module *m;
	unsigned n = 0;

	many_loads(body, sizeof(body), 40, held);
	m = schedule(limits, body, true);
	while (ptx_find_func(m, "k")->insts[n].op->op == PTX_OP_LD)
		n++;
	ptx_module_free(m);
	return n;
}

TEST(schedule, loads_come_first_as_far_as_registers_allow)
{
	unsigned free = loads_first("", 0);
	unsigned bound = loads_first(".maxnreg 16", 0);

	OK(free > 20);
	OK(bound >= 4 && bound < 16);
}

/* With 40 values in registers, half of the warps fit; 64 registers cost no more
 * of them. */
TEST(schedule, registers_that_cost_no_more_warps_are_used)
{
	unsigned n = loads_first("", 40);

	OK(n > 10 && n < 24);
}

TEST(schedule, the_text_keeps_its_order)
{
	struct ptx_module *m = schedule("",
					"ld.global.f32 %f1, [%rd1];"
					"add.f32 %f2, %f1, %f1;"
					"ld.global.f32 %f3, [%rd1+4];",
					true),
			  *plain = schedule("",
					    "ld.global.f32 %f1, [%rd1];"
					    "add.f32 %f2, %f1, %f1;"
					    "ld.global.f32 %f3, [%rd1+4];",
					    false);
	char *text = ptx_print(m), *want = ptx_print(plain);

	OK(ptx_find_func(m, "k")->place[1] == 2);
	OK(!ptx_find_func(plain, "k")->text);
	STREQ(want, text);
	free(text);
	free(want);
	ptx_module_free(m);
	ptx_module_free(plain);
}

/* ---- random programs ---- */

enum { THREADS = 64, WORDS = 16, BODY = 20000 };

struct maker {
	uint64_t state;
	char *text;
	size_t at, size;
};

static unsigned pick(struct maker *k, unsigned below)
{
	k->state = k->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(k->state >> 33) % below;
}

#define PUT(k, ...)                                                            \
	((k)->at += (size_t)snprintf((k)->text + (k)->at, (k)->size - (k)->at, \
				     __VA_ARGS__))

/* An instruction on %r8..%r23, on this thread's words in global (%rd1, or its
 * copy %rd2) and shared memory (%r1), and on predicates. */
static void put_random_inst(struct maker *k)
{
	unsigned d = 8 + pick(k, 16), a = 8 + pick(k, 16), b = 8 + pick(k, 16);
	unsigned p = 1 + pick(k, 4), base = 1 + pick(k, 2);
	unsigned word = 4 * pick(k, WORDS), pair = 8 * pick(k, WORDS / 2);

	if (!pick(k, 6))
		PUT(k, "@%s%%p%u ", pick(k, 2) ? "" : "!", 1 + pick(k, 4));
	switch (pick(k, 16)) {
	case 0:
	case 1:
		PUT(k, "ld.global.u32 %%r%u, [%%rd%u+%u];\n", d, base, word);
		break;
	case 2:
		PUT(k, "st.global.u32 [%%rd%u+%u], %%r%u;\n", base, word, a);
		break;
	case 3:
		PUT(k, "ld.shared.u32 %%r%u, [%%r1+%u];\n", d, word);
		break;
	case 4:
		PUT(k, "st.shared.u32 [%%r1+%u], %%r%u;\n", word, a);
		break;
	case 5:
		PUT(k, "ld.global.v2.u32 {%%r%u, %%r%u}, [%%rd%u+%u];\n", d,
		    8 + (d - 7) % 16, base, pair);
		break;
	case 6:
		PUT(k, "st.shared.v2.u32 [%%r1+%u], {%%r%u, %%r%u};\n", pair, a,
		    b);
		break;
	case 7:
		PUT(k, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", p, a, b);
		break;
	case 8:
		PUT(k, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", d, a, b, p);
		break;
	case 9:
		PUT(k, "atom.global.add.u32 %%r%u, [%%rd%u+%u], %%r%u;\n", d,
		    base, word, a);
		break;
	case 10:
		PUT(k, "add.cc.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
		break;
	case 11:
		PUT(k, "addc.u32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
		break;
	case 12:
		PUT(k, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", d, a, b, a);
		break;
	case 13:
		PUT(k, "ld.u32 %%r%u, [%%rd%u+%u];\n", d, base, word);
		break;
	case 14:
		PUT(k, "mov.u32 %%r%u, %%r%u;\n", d, a);
		break;
	default:
		PUT(k, "xor.b32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
	}
}

static void make_random(struct maker *k)
{
	PUT(k,
	    HEAD ".visible .entry k(.param .u64 a) {\n" REGS
		 ".shared .align 8 .b8 s[%u];\n"
		 "ld.param.u64 %%rd1, [a]; mov.u32 %%r2, %%tid.x;\n"
		 "mul.wide.u32 %%rd3, %%r2, %u; add.u64 %%rd1, %%rd1, %%rd3;"
		 "mov.u64 %%rd2, %%rd1; mov.u32 %%r1, s;"
		 "mad.lo.u32 %%r1, %%r2, %u, %%r1; mov.u32 %%r3, 0;\n",
	    THREADS * WORDS * 4, WORDS * 4, WORDS * 4);
	for (unsigned i = 8; i < 24; i++)
		PUT(k, "mad.lo.u32 %%r%u, %%r2, %u, %u;\n", i, i * 77,
		    pick(k, 1000));
	for (unsigned i = 1; i < 5; i++)
		PUT(k, "setp.gt.u32 %%p%u, %%r%u, 2000;\n", i, 8 + i);
	for (unsigned w = 0; w < WORDS; w++)
		PUT(k, "st.shared.u32 [%%r1+%u], %%r%u;\n", 4 * w, 8 + w);
	PUT(k, "LOOP:\n");
	for (unsigned b = 0; b < 4; b++) {
		for (unsigned i = 0; i < 50; i++)
			put_random_inst(k);
		PUT(k, "@%%p%u bra L%u;\n", 1 + pick(k, 4), b);
		for (unsigned i = 0; i < 8; i++)
			put_random_inst(k);
		PUT(k, "L%u:\n", b);
		if (b & 1)
			PUT(k, "bar.sync 0;\n");
	}
	PUT(k, "add.u32 %%r3, %%r3, 1; setp.lt.u32 %%p5, %%r3, 3;"
	       "@%%p5 bra LOOP;\n");
	for (unsigned i = 8; i < 24; i++)
		PUT(k, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * (i - 8), i);
	PUT(k, "ret;\n}\n");
}

/* A run of a random program. */
struct outcome {
	uint64_t instructions;
	uint32_t word[THREADS * WORDS];
	uint64_t cycles;
};

/* Runs it, on `config` with a setting, or without time if that is NULL; records
 * it, if `trace` is not NULL. */
static void run_random(const char *text, const char *config, const char *set,
		       const char *trace, struct outcome *out)
{
	struct heddle_device_options o = { 0 };
	struct heddle_config *c = NULL;
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_timing_options timing = { 0 };
	struct heddle_result result;
	struct heddle_error err;
	heddle_ptr at;

	if (config) {
		EQ(0, heddle_config_load(&c, config, &err));
		EQ(0, heddle_config_set(c, set, &err));
		o.config = c;
	}
	EQ(0, heddle_device_new(&dev, &o, &err));
	heddle_config_free(c);
	EQ(0, heddle_module_load(dev, &mod, "t", text, strlen(text), &err));
	if (trace)
		EQ(0, heddle_trace_begin(dev, trace, "", &err));
	EQ(0, heddle_alloc(dev, sizeof(out->word), &at, NULL));
	memset(out->word, 0, sizeof(out->word));
	EQ(0, heddle_write(dev, at, out->word, sizeof(out->word), NULL));
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { THREADS, 1, 1 },
				   .params = &at,
				   .param_bytes = sizeof(at),
				   .timing = config ? &timing : NULL };
	EQ(0, heddle_launch(dev, mod, &l, &result, &err));
	STREQ("", err.text);
	if (trace)
		EQ(0, heddle_trace_end(dev, &err));
	EQ(0, heddle_read(dev, out->word, at, sizeof(out->word), NULL));
	out->cycles = result.cycles;
	out->instructions = result.warp_instructions;
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

#define H200 HEDDLE_SOURCE_DIR "/configs/h200.cfg"

TEST(schedule, random_programs_leave_the_same_memory)
{
	static char text[BODY];
	static struct outcome plain, ordered, scheduled;
	unsigned differ = 0;

	for (unsigned seed = 1; seed <= 40; seed++) {
		struct maker k = { .state = seed, .text = text, .size = BODY };

		make_random(&k);
		OK(k.at < k.size);
		run_random(text, NULL, NULL, NULL, &plain);
		run_random(text, H200, "sm.compiled=no", NULL, &ordered);
		run_random(text, H200, "sm.compiled=yes", NULL, &scheduled);
		OK(!memcmp(plain.word, ordered.word, sizeof(plain.word)));
		OK(!memcmp(plain.word, scheduled.word, sizeof(plain.word)));
		differ += ordered.cycles != scheduled.cycles;
	}
	OK(differ > 35);
}

static int keep_cycles(void *ctx, const struct heddle_replayed *r)
{
	*(uint64_t *)ctx = r->results[0].cycles;
	return 0;
}

/* The cycles of a trace on the H200 with a setting. */
static uint64_t replayed_cycles(const char *path, const char *set)
{
	struct heddle_device_options o = { 0 };
	struct heddle_timing_options timing = { 0 };
	uint64_t cycles = 0;
	struct heddle_replay_options options = { .timing = &timing,
						 .done = keep_cycles,
						 .ctx = &cycles };
	struct heddle_config *c;
	struct heddle_device *dev;
	struct heddle_error err;

	EQ(0, heddle_config_load(&c, H200, &err));
	EQ(0, heddle_config_set(c, set, &err));
	o.config = c;
	EQ(0, heddle_device_new(&dev, &o, &err));
	heddle_config_free(c);
	EQ(0, heddle_replay(dev, path, &options, &err));
	STREQ("", err.text);
	heddle_device_free(dev);
	return cycles;
}

/* Facts are in the order of the text, whatever the order of execution was. */
TEST(schedule, traces_replay_in_both_orders_however_they_were_recorded)
{
	static char text[BODY];
	static struct outcome plain, ordered, scheduled;
	char path[] = "/tmp/heddle-schedule-XXXXXX";
	int fd = mkstemp(path);

	if (!trace_supported()) {
		close(fd);
		unlink(path);
		return;
	}
	for (unsigned seed = 41; seed <= 45; seed++) {
		struct maker k = { .state = seed, .text = text, .size = BODY };

		make_random(&k);
		run_random(text, H200, "sm.compiled=yes", path, &scheduled);
		run_random(text, H200, "sm.compiled=no", NULL, &ordered);
		EQ(scheduled.cycles, replayed_cycles(path, "sm.compiled=yes"));
		EQ(ordered.cycles, replayed_cycles(path, "sm.compiled=no"));
		run_random(text, NULL, NULL, path, &plain);
		EQ(scheduled.cycles, replayed_cycles(path, "sm.compiled=yes"));
		EQ(ordered.cycles, replayed_cycles(path, "sm.compiled=no"));
	}
	close(fd);
	unlink(path);
}

/* ---- unrolled loops ---- */

/* Thread t reads t % 7 * 9 + 1 words that others have written, in two loops: one
 * tests before it counts, the other has a guarded sum. */
#define SUMS                                                               \
	"mul.lo.u32 %r1, %r0, 40503; st.global.u32 [%rd1], %r1; "          \
	"st.global.u32 [%rd1+256], %r1; bar.sync 0;\n"                     \
	"rem.u32 %r2, %r0, 7; mad.lo.s32 %r2, %r2, 9, 1; mov.u32 %r1, 0; " \
	"mov.u32 %r3, 5; mov.u64 %rd2, %rd0; mov.u32 %r7, 0;\n"            \
	"L: ld.global.u32 %r4, [%rd2]; mad.lo.s32 %r3, %r3, 3, %r4; "      \
	"setp.gt.u32 %p2, %r3, 1000; @%p2 add.s32 %r7, %r7, %r1; "         \
	"add.u64 %rd2, %rd2, 4; add.s32 %r1, %r1, 1; "                     \
	"setp.lt.s32 %p1, %r1, %r2; @%p1 bra L;\n"                         \
	"mov.u64 %rd2, %rd0;\n"                                            \
	"M: ld.global.u32 %r5, [%rd2]; xor.b32 %r3, %r3, %r5; "            \
	"add.u64 %rd2, %rd2, 4; setp.eq.s32 %p3, %r1, 1; "                 \
	"add.s32 %r6, %r1, -1; mov.u32 %r1, %r6; @!%p3 bra M;\n"           \
	"bar.sync 0; add.s32 %r3, %r3, %r7; st.global.u32 [%rd1], %r3; ret;"

TEST(schedule, lanes_that_leave_unrolled_loops_compute_the_same)
{
	static struct outcome plain, ordered, unrolled;

	run_random(KERNEL(SUMS), NULL, NULL, NULL, &plain);
	run_random(KERNEL(SUMS), H200, "sm.compiled=no", NULL, &ordered);
	run_random(KERNEL(SUMS), H200, "sm.compiled=yes", NULL, &unrolled);
	OK(!memcmp(plain.word, ordered.word, sizeof(plain.word)));
	OK(!memcmp(plain.word, unrolled.word, sizeof(plain.word)));
	EQ(plain.instructions, unrolled.instructions);
	OK(unrolled.cycles < ordered.cycles);
}

TEST(schedule, traces_of_unrolled_loops_replay_however_they_were_recorded)
{
	static struct outcome plain, ordered, unrolled;
	char path[] = "/tmp/heddle-schedule-XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	run_random(KERNEL(SUMS), H200, "sm.compiled=no", NULL, &ordered);
	run_random(KERNEL(SUMS), H200, "sm.compiled=yes", NULL, &unrolled);
	for (int how = 0; trace_supported() && how < 3; how++) {
		run_random(KERNEL(SUMS), how ? H200 : NULL,
			   how == 1 ? "sm.compiled=no" : "sm.compiled=yes",
			   path, &plain);
		EQ(ordered.cycles, replayed_cycles(path, "sm.compiled=no"));
		EQ(unrolled.cycles, replayed_cycles(path, "sm.compiled=yes"));
	}
	unlink(path);
}

/* ---- branches that become guards ---- */

/* A body that a branch passes by: words of this thread's memory, and arithmetic. */
static void put_passed_inst(struct maker *k)
{
	unsigned d = 8 + pick(k, 16), a = 8 + pick(k, 16), b = 8 + pick(k, 16);
	unsigned word = 4 * pick(k, WORDS), base = 1 + pick(k, 2);

	switch (pick(k, 8)) {
	case 0:
	case 1:
		PUT(k, "ld.global.u32 %%r%u, [%%rd%u+%u];\n", d, base, word);
		break;
	case 2:
		PUT(k, "st.global.u32 [%%rd%u+%u], %%r%u;\n", base, word, a);
		break;
	case 3:
		PUT(k, "ld.shared.u32 %%r%u, [%%r1+%u];\n", d, word);
		break;
	case 4:
		PUT(k, "st.shared.u32 [%%r1+%u], %%r%u;\n", word, a);
		break;
	case 5:
		PUT(k, "setp.lt.u32 %%p%u, %%r%u, %%r%u;\n", 1 + pick(k, 4), a,
		    b);
		break;
	case 6:
		PUT(k, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", d, a, b,
		    1 + pick(k, 4));
		break;
	default:
		PUT(k, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", d, a, b, a);
	}
}

/* The guard of branch n: a comparison, which some or all lanes pass, or two. */
static void put_guard(struct maker *k, unsigned n)
{
	unsigned a = 8 + pick(k, 16), b = 8 + pick(k, 16);

	PUT(k, "and.b32 %%r24, %%r%u, 3; setp.eq.u32 %%a%u, %%r24, %u;\n", a, n,
	    pick(k, 5));
	if (pick(k, 2))
		PUT(k, "setp.lt.u32 %%b%u, %%r%u, %%r%u;\n", n, a, b);
	else
		PUT(k, "setp.ne.u32 %%b%u, %%r2, 77;\n", n);
	switch (pick(k, 4)) {
	case 0:
		PUT(k, "or.pred %%c%u, %%a%u, %%b%u;\n", n, n, n);
		break;
	case 1:
		PUT(k, "and.pred %%c%u, %%a%u, %%b%u;\n", n, n, n);
		break;
	case 2:
		PUT(k, "not.pred %%c%u, %%b%u;\n", n, n);
		break;
	default:
		PUT(k, "xor.pred %%c%u, %%a%u, !%%b%u;\n", n, n, n);
	}
}

static void put_passed_insts(struct maker *k, unsigned most)
{
	for (unsigned i = 1 + pick(k, most); i > 0; i--)
		put_passed_inst(k);
}

/* Branch n over one path, or two in either order. */
static void put_branch(struct maker *k, unsigned n)
{
	put_guard(k, n);
	if (pick(k, 2))
		put_random_inst(k);
	PUT(k, "@%s%%c%u bra T%u;\n", pick(k, 2) ? "" : "!", n, n);
	if (pick(k, 4))
		put_passed_insts(k, 5);
	if (pick(k, 3)) {
		PUT(k, "T%u:\n", n);
		return;
	}
	PUT(k, "bra J%u;\nT%u:\n", n, n);
	put_passed_insts(k, 5);
	PUT(k, "J%u:\n", n);
}

/* How a loop ends: by a branch back; by one out of it and a jump back, behind which
 * something else may stand; or at its beginning, as clang leaves some. */
enum { LOOP_BACK, LOOP_OUT, LOOP_OUT_FAR, LOOP_ROTATED, LOOP_FORMS };

static void put_loop_end(struct maker *k, unsigned n, unsigned form)
{
	PUT(k, "add.s32 %%r4, %%r4, 1; setp.lt.s32 %%p5, %%r4, %%r6;\n");
	if (form == LOOP_BACK)
		PUT(k, "@%%p5 bra B%u;\n", n);
	else
		PUT(k, "@!%%p5 bra E%u;\n", n);
	if (form == LOOP_OUT || form == LOOP_OUT_FAR)
		PUT(k, "bra.uni B%u;\n", n);
	if (form == LOOP_OUT_FAR)
		PUT(k, "F%u: add.s32 %%r3, %%r3, 1;\n", n);
}

/* A loop of branches, whose last one counts to 9; lanes leave it one by one. */
static void put_branch_loop(struct maker *k, unsigned n)
{
	unsigned form = pick(k, LOOP_FORMS);

	PUT(k,
	    "and.b32 %%r5, %%r2, %u; add.s32 %%r6, %%r5, 9; "
	    "mov.u32 %%r4, 0;\n",
	    pick(k, 2) ? 3 : 0);
	if (form == LOOP_ROTATED) {
		PUT(k, "bra.uni B%u;\nR%u:\n", n, n);
		if (pick(k, 2))
			put_random_inst(k);
		put_loop_end(k, n, form);
	}
	PUT(k, "B%u:\n", n);
	put_branch(k, n);
	put_branch(k, n + 1);
	if (form == LOOP_ROTATED)
		PUT(k, "bra.uni R%u;\n", n);
	else
		put_loop_end(k, n, form);
	PUT(k, "E%u:\n", n);
}

static void make_branches(struct maker *k)
{
	PUT(k,
	    HEAD ".visible .entry k(.param .u64 a) {\n" REGS
		 ".reg .pred %%a<99>; .reg .pred %%b<99>; .reg .pred %%c<99>;"
		 ".shared .align 8 .b8 s[%u];\n"
		 "ld.param.u64 %%rd1, [a]; mov.u32 %%r2, %%tid.x;\n"
		 "mul.wide.u32 %%rd3, %%r2, %u; add.u64 %%rd1, %%rd1, %%rd3;"
		 "mov.u64 %%rd2, %%rd1; mov.u32 %%r1, s;"
		 "mad.lo.u32 %%r1, %%r2, %u, %%r1; mov.u32 %%r3, 0;\n",
	    THREADS * WORDS * 4, WORDS * 4, WORDS * 4);
	for (unsigned i = 8; i < 24; i++)
		PUT(k, "mad.lo.u32 %%r%u, %%r2, %u, %u;\n", i, i * 77,
		    pick(k, 1000));
	for (unsigned i = 1; i < 5; i++)
		PUT(k, "setp.gt.u32 %%p%u, %%r%u, 2000;\n", i, 8 + i);
	for (unsigned w = 0; w < WORDS; w++)
		PUT(k, "st.shared.u32 [%%r1+%u], %%r%u;\n", 4 * w, 8 + w);
	for (unsigned n = 0; n < 40; n++) {
		if (!pick(k, 4)) {
			put_branch_loop(k, n++);
			continue;
		}
		put_branch(k, n);
		if (!pick(k, 6))
			PUT(k, "bar.sync 0;\n");
	}
	for (unsigned i = 8; i < 24; i++)
		PUT(k, "st.global.u32 [%%rd1+%u], %%r%u;\n", 4 * (i - 8), i);
	PUT(k, "ret;\n}\n");
}

/* How many branches of the program become guards, and how many of them are in
 * copies of iterations. */
static void count_guards(const char *text, unsigned *all, unsigned *copied)
{
	struct diag d = { .text = "" };
	const struct ptx_func *f;
	struct ptx_module *m;
	struct cfg cfg;

	cfg_defaults(&cfg);
	cfg.sm.compiled = true;
	EQ(ERR_OK, ptx_parse(&m, "t", text, strlen(text), &d));
	EQ(ERR_OK, ptx_schedule(m, &cfg, &d));
	f = ptx_find_func(m, "k");
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (f->text[f->place[i]].op->op == PTX_OP_BRA &&
		    f->insts[i].op->op == PTX_OP_MOV) {
			*all += !f->copy || !f->copy[i];
			*copied += f->copy && f->copy[i];
		}
	ptx_module_free(m);
}

TEST(schedule, branches_that_become_guards_leave_the_same_memory)
{
	static char text[BODY];
	static struct outcome plain, ordered, guarded;
	unsigned all = 0, copied = 0, faster = 0;

	for (unsigned seed = 1; seed <= 40; seed++) {
		struct maker k = { .state = seed, .text = text, .size = BODY };

		make_branches(&k);
		OK(k.at < k.size);
		run_random(text, NULL, NULL, NULL, &plain);
		run_random(text, H200, "sm.compiled=no", NULL, &ordered);
		run_random(text, H200, "sm.compiled=yes", NULL, &guarded);
		OK(!memcmp(plain.word, ordered.word, sizeof(plain.word)));
		OK(!memcmp(plain.word, guarded.word, sizeof(plain.word)));
		EQ(plain.instructions, guarded.instructions);
		faster += guarded.cycles < ordered.cycles;
		count_guards(text, &all, &copied);
	}
	/* What no lane needs is issued, too: rarely, that costs more. */
	OK(faster >= 38);
	OK(all > 1000);
	OK(copied > 1000);
}

TEST(schedule, traces_of_guards_replay_however_they_were_recorded)
{
	static char text[BODY];
	static struct outcome plain, ordered, guarded;
	char path[] = "/tmp/heddle-schedule-XXXXXX";
	int fd = mkstemp(path);

	close(fd);
	for (unsigned seed = 41; trace_supported() && seed <= 50; seed++) {
		struct maker k = { .state = seed, .text = text, .size = BODY };

		make_branches(&k);
		run_random(text, H200, "sm.compiled=yes", path, &guarded);
		run_random(text, H200, "sm.compiled=no", NULL, &ordered);
		EQ(guarded.cycles, replayed_cycles(path, "sm.compiled=yes"));
		EQ(ordered.cycles, replayed_cycles(path, "sm.compiled=no"));
		run_random(text, NULL, NULL, path, &plain);
		EQ(guarded.cycles, replayed_cycles(path, "sm.compiled=yes"));
		EQ(ordered.cycles, replayed_cycles(path, "sm.compiled=no"));
	}
	unlink(path);
}
