/*
 * Each rule of explore/advice.h: a kernel that it applies to, and one that it does
 * not. The machine is configs/tiny.cfg: two SMs of two schedulers, 16 warps and 4
 * blocks each, launches that take no time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "explore/advice.h"
#include "timing/rig.h"

static struct rig r;
static struct advice_list advice;
static char *json; /* of the advice */

/* So many times the same text, in a loop. */
#define LOOP(times, body)                                            \
	"mov.u32 %r60, 0; L: " body                                  \
	"add.u32 %r60, %r60, 1; setp.lt.u32 %p7, %r60, " #times "; " \
	"@%p7 bra L; "

static void advise(uint32_t threads)
{
	struct advice_shape shape = { .threads = threads };
	struct json j = { 0 };
	struct diag d = { 0 };
	size_t size;

	EQ(ERR_OK, advice_of_launch(&advice, heddle_device_timing(r.dev), 0,
				    &shape, &d));
	free(json);
	json = NULL;
	j.to = open_memstream(&json, &size);
	json_open(&j, NULL, '{');
	advice_json(&j, &advice);
	json_close(&j, '{');
	fclose(j.to);
}

static void launch(const char *text, const char *set, uint32_t blocks,
		   uint32_t threads)
{
	rig_open(&r, text, set);
	rig_run(&r, blocks, threads);
	advise(threads);
	rig_close(&r);
}

/* The finding of a rule, or NULL; it must be in the JSON as well. */
static const struct advice_finding *found(const char *rule)
{
	char member[64];

	snprintf(member, sizeof(member), "\"rule\": \"%s\"", rule);
	for (size_t i = 0; i < advice.count; i++)
		if (!strcmp(advice.at[i].rule, rule)) {
			OK(strstr(json, member));
			return &advice.at[i];
		}
	OK(!strstr(json, member));
	return NULL;
}

static void show(const char *rule)
{
	printf("    %s: %s", rule, advice.count ? "found" : advice.none);
	for (size_t i = 0; i < advice.count; i++)
		printf(" %s %.3f", advice.at[i].rule, advice.at[i].bound);
	printf("\n");
}

static const struct advice_finding *applies(const char *rule)
{
	const struct advice_finding *f = found(rule);

	if (!f)
		show(rule);
	OK(f);
	OK(f->bound >= ADVICE_LEAST && f->bound < 1);
	OK(f->finding[0] && f->evidence[0] && f->remedy[0]);
	return f;
}

static void does_not_apply(const char *rule)
{
	if (found(rule))
		show(rule);
	OK(!found(rule));
}

#define ADDS X16("add.u32 %r1, %r2, 1; add.f32 %f1, %f2, %f3; ")
#define WORK SILENT(LOOP(50, ADDS))
#define CHAIN SILENT(LOOP(50, X16("add.u32 %r1, %r1, 1; ")))

/* ---- the shape of a launch ---- */

TEST(advice, grid_of_fewer_blocks_than_sms)
{
	const struct advice_finding *f;

	launch(WORK, "", 1, 128);
	f = applies("grid");
	OK(strstr(f->evidence, "1 block for 2 SMs: 1 SMs had none"));
	OK(f->bound > 0.45 && f->bound < 0.5);
	does_not_apply("occupancy"); /* another block goes to the other SM */
	launch(WORK, "", 2, 128);
	does_not_apply("grid");
}

TEST(advice, tail_of_a_ragged_last_wave)
{
	const struct advice_finding *f;

	/* Three blocks for two places: a quarter of the time is idle. */
	launch(WORK, "sm.max_blocks=1", 3, 512);
	f = applies("tail");
	OK(f->bound > 0.23 && f->bound < 0.25);
	OK(strstr(f->evidence, "3 blocks are 1.50 waves of 2: the last"));
	launch(WORK, "sm.max_blocks=1", 4, 512);
	does_not_apply("tail");
}

TEST(advice, tail_of_blocks_of_different_length)
{
	launch(SILENT("mov.u32 %r3, 2000; setp.eq.u32 %p1, %b, 0; "
		      "@%p1 mov.u32 %r3, 1; mov.u32 %r60, 0; "
		      "L: add.u32 %r1, %r2, 1; add.u32 %r60, %r60, 1; "
		      "setp.lt.u32 %p7, %r60, %r3; @%p7 bra L; "),
	       "", 2, 128);
	OK(strstr(applies("tail")->remedy, "equal work"));
}

TEST(advice, launch_that_takes_longer_than_the_work)
{
	const struct advice_finding *f;

	launch(WORK, "dispatch.launch_latency=20000", 8, 128);
	f = applies("launch");
	EQ(f, &advice.at[0]);
	OK(strstr(f->evidence, "20,001 cycles after the launch"));
	launch(WORK, "", 8, 128);
	does_not_apply("launch");
}

TEST(advice, block_gaps_between_short_blocks)
{
	launch(SILENT("add.u32 %r1, %r2, 1; "),
	       "sm.max_blocks=1 dispatch.block_latency=50", 32, 64);
	applies("block_gaps");
	launch(WORK, "sm.max_blocks=1", 32, 512);
	does_not_apply("block_gaps");
}

TEST(advice, occupancy_names_its_true_limit)
{
	static const char shared[] = HEAD
		".shared .align 4 .b8 s[3000];\n" START
		"st.shared.u32 [s], %t; " LOOP(
			50, X16("add.u32 %r1, %r1, 1; ")) "ret;\n}\n";

	launch(CHAIN, "", 2, 32);
	OK(strstr(applies("occupancy")->evidence,
		  "the limit is grid: 2 blocks, where the GPU holds 8"));
	launch(CHAIN, "sm.registers=2048", 16, 64);
	OK(strstr(applies("occupancy")->evidence, "the limit is registers"));
	launch(shared, "", 16, 64);
	OK(strstr(applies("occupancy")->evidence,
		  "the limit is shared memory: 3,000 bytes"));
	launch(CHAIN, "", 16, 32);
	OK(strstr(applies("occupancy")->evidence,
		  "the limit is blocks: 4 of 1 warp each"));
	launch(CHAIN, "", 8, 288);
	OK(strstr(applies("occupancy")->evidence,
		  "the limit is warps: 1 block of 9 warps"));
	/* All 16 warps. */
	launch(CHAIN, "", 16, 128);
	does_not_apply("occupancy");
}

/* ---- memory ---- */

/* An access to the data for each warp, 4 KiB further in every round, by lanes so
 * many bytes apart. */
#define STREAM(stride, access)                                             \
	SILENT("mul.wide.u32 %rd1, %w, 16384; add.u64 %rd1, %data, %rd1; " \
	       "mul.wide.u32 %rd2, %l, " #stride "; "                      \
	       "add.u64 %rd1, %rd1, %rd2; " LOOP(                          \
		       30, access "add.u64 %rd1, %rd1, 4096; "))
#define LOAD "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, %r1; "

TEST(advice, uncoalesced_accesses_and_their_line)
{
	const struct advice_finding *f;

	launch(STREAM(128, LOAD), "", 8, 128);
	f = applies("uncoalesced");
	OK(strstr(f->evidence, "32.0 sectors where the bytes of its lanes fit "
			       "into 4.0: 88%"));
	OK(f->line > 0 && f->file[0]);
	OK(strstr(json, "\"line\": "));
	launch(STREAM(4, LOAD), "", 8, 128);
	does_not_apply("uncoalesced");
	/* One address for all lanes needs one sector. */
	launch(STREAM(0, LOAD), "", 8, 128);
	does_not_apply("uncoalesced");
}

#define FILES "\n.file 1 \"k.cu\"\n.file 2 \"wide.h\"\n"

TEST(advice, a_line_is_the_innermost_one_of_the_kernels_own_file)
{
	const struct advice_finding *f;

	/* Line 7 of the kernel calls its line 3, which calls the library. */
	launch(STREAM(128, "\n.loc 2 35 1, inlined_at 1 3 1\n" LOAD
			   "\n.loc 1 3 1, inlined_at 1 7 1\n") FILES,
	       "", 8, 128);
	f = applies("uncoalesced");
	STREQ("k.cu", f->file);
	EQ(3, f->line);
	/* Called from another file, only the kernel's line is its own. */
	launch(STREAM(128, "\n.loc 2 35 1, inlined_at 1 7 1\n" LOAD) FILES, "",
	       8, 128);
	f = applies("uncoalesced");
	EQ(7, f->line);
	launch(STREAM(128, "\n.loc 2 35 1\n" LOAD) FILES, "", 8, 128);
	f = applies("uncoalesced");
	STREQ("wide.h", f->file);
	EQ(35, f->line);
}

#define SHARED(stride)                                                \
	ENTRY(".shared .align 4 .b8 s[4224];\n",                      \
	      "mov.u64 %rd2, s; mul.wide.u32 %rd1, %l, " #stride "; " \
	      "add.u64 %rd1, %rd2, %rd1; " LOOP(                      \
		      50, X4("st.shared.u32 [%rd1], %l; "             \
			     "ld.shared.u32 %r1, [%rd1]; ")) "ret;")

TEST(advice, bank_conflicts_of_shared_memory)
{
	const struct advice_finding *f;

	launch(SHARED(128), "sm.shared=64K", 8, 128);
	f = applies("bank_conflicts");
	OK(strstr(f->evidence, "(97%)")); /* 31 of 32 passes */
	OK(f->line);
	launch(SHARED(4), "sm.shared=64K", 8, 128);
	does_not_apply("bank_conflicts");
	launch(SHARED(132), "sm.shared=64K", 8, 128);
	does_not_apply("bank_conflicts");
}

TEST(advice, dram_bandwidth_near_its_peak)
{
	const struct advice_finding *f;

	launch(STREAM(16, X4("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; "
			     "add.u64 %rd1, %rd1, 512; ")),
	       "dram.bandwidth=8", 8, 128);
	f = applies("dram_bandwidth");
	OK(strstr(f->evidence, "of 8 GB/s"));
	launch(STREAM(4, LOAD), "dram.bandwidth=800", 8, 128);
	does_not_apply("dram_bandwidth");
}

TEST(advice, l2_bandwidth_near_its_peak)
{
	/* 16 KiB that are in the L2, and no L1. */
	static const char text[] = SILENT(
		"mul.wide.u32 %rd1, %t, 16; add.u64 %rd1, %data, %rd1; " LOOP(
			50,
			X4("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; ")));

	launch(text, "l1.on=no", 8, 128);
	applies("l2_bandwidth");
	launch(WORK, "l1.on=no", 8, 128);
	does_not_apply("l2_bandwidth");
}

TEST(advice, l1_bandwidth_near_its_peak)
{
	launch(SHARED(4), "sm.shared=64K unit.lsu.lanes=64", 8, 128);
	applies("l1_bandwidth");
	launch(WORK, "", 8, 128);
	does_not_apply("l1_bandwidth");
}

TEST(advice, memory_latency_of_dependent_loads)
{
	static const char chase[] = SILENT(LOOP(
		50, "ld.global.u32 %r1, [%mine]; "
		    "cvt.u64.u32 %rd1, %r1; add.u64 %mine, %mine, %rd1; "));

	launch(chase, "", 2, 32);
	applies("memory_latency");
	launch(WORK, "", 2, 32);
	does_not_apply("memory_latency");
}

TEST(advice, atomics_on_one_address)
{
	launch(SILENT(LOOP(20, "atom.global.add.u32 %r1, [%data], 1; "
			       "add.u32 %r2, %r2, %r1; ")),
	       "", 8, 128);
	OK(applies("atomics")->line);
	/* Without a result, nobody waits, but the queues fill up. */
	launch(SILENT(LOOP(20, X4("red.global.add.u32 [%data], 1; "))), "", 8,
	       128);
	applies("atomics");
	launch(SILENT(LOOP(50, ADDS) "red.global.add.u32 [%data], 1; "), "", 8,
	       128);
	does_not_apply("atomics");
}

TEST(advice, local_memory_in_a_loop)
{
	static const char spills[] = HEAD START
		".local .align 4 .b8 a[64]; .reg .b64 %sp; mov.u64 %sp, a; " LOOP(
			50, X4("st.local.u32 [%sp], %r1; "
			       "ld.local.u32 %r2, [%sp]; "
			       "add.u32 %r1, %r2, 1; ")) "ret;\n}\n";

	launch(spills, "", 8, 128);
	OK(applies("local_memory")->line);
	launch(WORK, "", 8, 128);
	does_not_apply("local_memory");
}

#define TABLE(stride)                                                \
	HEAD ".const .align 4 .b8 c[16384];\n" START                 \
	     "mov.u64 %rd2, c; mul.wide.u32 %rd1, %l, " #stride "; " \
	     "add.u64 %rd1, %rd2, %rd1; " LOOP(                      \
		     30,                                             \
		     "ld.const.u32 %r1, [%rd1]; add.u32 %r2, %r2, %r1; ") "ret;\n}\n"

TEST(advice, constant_memory_that_lanes_index_differently)
{
	launch(TABLE(512), "ccache.perfect=no", 8, 128);
	OK(applies("constant")->line);
	launch(TABLE(0), "", 8, 128);
	does_not_apply("constant");
}

/* ---- instructions ---- */

TEST(advice, partial_warps_of_odd_blocks)
{
	const struct advice_finding *f;

	launch(WORK, "", 8, 33);
	f = applies("partial_warps");
	OK(strstr(f->evidence, "33 threads takes 2 warps of 32 lanes: 48%"));
	does_not_apply("divergence");
	launch(WORK, "", 8, 64);
	does_not_apply("partial_warps");
}

TEST(advice, divergence_and_the_branch)
{
	static const char both[] = SILENT(
		"setp.lt.u32 %p1, %l, 4; @%p1 bra A; " X16("add.u32 %r1, %r2, 1; ") "bra B; A: " LOOP(
			100, X16("add.u32 %r3, %r4, 1; ")) "B: ");
	const struct advice_finding *f;

	launch(both, "", 8, 128);
	f = applies("divergence");
	OK(f->line);
	OK(strstr(f->evidence, "branches went both ways"));
	launch(WORK, "", 8, 128);
	does_not_apply("divergence");
}

TEST(advice, dependence_of_a_single_chain)
{
	const struct advice_finding *f;

	launch(CHAIN, "", 2, 64);
	f = applies("dependence");
	OK(f->bound > 0.6 && f->bound <= 0.75); /* 3 of 4 cycles */
	OK(f->line);
	launch(CHAIN, "", 8, 128);
	does_not_apply("dependence");
}

#define DOUBLES SILENT(LOOP(50, X16("add.f64 %fd1, %fd2, %fd3; ")))

TEST(advice, fp64_where_fp32_is_faster)
{
	const struct advice_finding *f;

	launch(DOUBLES, "unit.fp64.lanes=4", 8, 128);
	f = applies("fp64");
	OK(strstr(f->evidence, "4 lanes a cycle where FP32 has 64"));
	does_not_apply("pipe");
	/* At the same rate it is a pipe like others. */
	launch(DOUBLES, "unit.fp64.lanes=8 unit.fp32.lanes=8", 8, 128);
	does_not_apply("fp64");
	OK(strstr(applies("pipe")->finding, "the fp64 pipe"));
	launch(WORK, "unit.fp64.lanes=4", 8, 128);
	does_not_apply("fp64");
}

TEST(advice, pipe_at_its_limit)
{
	const struct advice_finding *f;

	launch(SILENT(LOOP(50, X16("sin.approx.f32 %f1, %f2; "))), "", 8, 128);
	f = applies("pipe");
	OK(strstr(f->finding, "the sfu pipe"));
	launch(WORK, "", 8, 128);
	does_not_apply("pipe");
}

TEST(advice, fetch_of_code_that_does_not_fit)
{
	static const char text[] =
		SILENT(LOOP(4, X32(X16("add.u32 %r1, %r2, 1; "))));

	launch(text,
	       "front.perfect=no front.l0=1K front.l1=2K front.prefetch=none",
	       8, 128);
	applies("fetch");
	launch(text, "", 8, 128);
	does_not_apply("fetch");
}

TEST(advice, barrier_that_waits_for_one_warp)
{
	/* The first warp works in each round, the others wait. */
	static const char one[] = SILENT("setp.ge.u32 %p1, %t, 32; " LOOP(
		20,
		"@%p1 bra W; " X32("add.u32 %r1, %r1, 1; ") "W: bar.sync 0; "));
	static const char all[] =
		SILENT(LOOP(20, X32("add.u32 %r1, %r1, 1; ") "bar.sync 0; "));

	launch(one, "", 2, 512);
	OK(applies("barrier")->line);
	launch(all, "", 8, 128);
	does_not_apply("barrier");
}

TEST(advice, branches_of_a_tight_loop)
{
	launch(SILENT(LOOP(500, "")), "", 2, 64);
	applies("branches");
	launch(CHAIN, "", 8, 128);
	does_not_apply("branches");
}

/* ---- no finding ---- */

TEST(advice, a_clean_kernel_gets_a_sentence)
{
	/* Both schedulers issue in nearly every slot. */
	launch(SILENT(LOOP(200, ADDS)), "", 8, 128);
	if (advice.count)
		show("clean");
	EQ(0, advice.count);
	OK(!strncmp(advice.none, "Nothing stands out", 18));
	OK(strstr(json, "\"advice_about\": \"Nothing stands out"));
}

TEST(advice, a_launch_that_was_cut_short_gets_none)
{
	struct heddle_timing_options o = { .max_cycles = 100 };
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params),
				   .timing = &o };

	rig_open(&r, CHAIN, "");
	EQ(HEDDLE_FAULT, heddle_launch(r.dev, r.mod, &l, &r.result, NULL));
	advise(32);
	EQ(0, advice.count);
	OK(strstr(advice.none, "cut short"));
	rig_close(&r);
}

TEST(advice, launches_at_the_same_time_get_none)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = r.params,
				   .param_bytes = sizeof(r.params) };
	struct heddle_group_launch both[2];
	struct heddle_result results[2];

	rig_open(&r, CHAIN, "");
	both[0] = (struct heddle_group_launch){ r.mod, &l, 1 };
	both[1] = (struct heddle_group_launch){ r.mod, &l, 2 };
	EQ(0, heddle_launch_group(r.dev, both, 2, results, NULL));
	advise(32);
	EQ(0, advice.count);
	OK(strstr(advice.none, "at the same time"));
	rig_close(&r);
}

/* ---- ranking, bounds, sums ---- */

TEST(advice, at_most_five_findings_largest_bound_first)
{
	/* Nearly everything is wrong. */
	static const char text[] = SILENT(
		"setp.lt.u32 %p1, %l, 4; @!%p1 bra B; "
		"mul.wide.u32 %rd1, %l, 512; add.u64 %rd1, %data, %rd1; " LOOP(
			50, "ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, %r2; "
			    "add.f64 %fd1, %fd1, %fd2; "
			    "atom.global.add.u32 %r3, [%data], 1; "
			    "add.u32 %r4, %r3, 1; ") "B: ");

	launch(text, "dispatch.launch_latency=3000 unit.fp64.lanes=2", 1, 48);
	EQ(ADVICE_FINDINGS, advice.count);
	for (size_t i = 1; i < advice.count; i++)
		OK(advice.at[i].bound <= advice.at[i - 1].bound);
	EQ('\0', advice.none[0]);
}

/* The bound must hold when the cause is removed: the same kernel without it. It
 * takes slots at face value, but a slot may have several causes: one percent of
 * the cycles, as it is shown, is allowed for. */
static void bound_holds(const char *rule, const char *with, const char *without,
			const char *set, const char *mended, uint32_t blocks,
			uint32_t threads)
{
	uint64_t before, after;
	double saved;

	launch(with, set, blocks, threads);
	before = r.result.cycles;
	saved = applies(rule)->bound;
	rig_open(&r, without, mended);
	rig_run(&r, blocks, threads);
	after = r.result.cycles;
	rig_close(&r);
	if ((double)after < (0.99 - saved) * (double)before)
		printf("    %s: %llu cycles, %llu without, bound %.3f\n", rule,
		       (unsigned long long)before, (unsigned long long)after,
		       saved);
	OK((double)after >= (0.99 - saved) * (double)before);
}

TEST(advice, no_gain_exceeds_its_bound)
{
	bound_holds("uncoalesced", STREAM(128, LOAD), STREAM(4, LOAD), "", "",
		    8, 128);
	bound_holds("uncoalesced", STREAM(32, LOAD), STREAM(4, LOAD), "", "", 2,
		    32);
	bound_holds("bank_conflicts", SHARED(128), SHARED(4), "sm.shared=64K",
		    "sm.shared=64K", 8, 128);
	bound_holds("bank_conflicts", SHARED(8), SHARED(4), "sm.shared=64K",
		    "sm.shared=64K", 2, 32);
	bound_holds("launch", WORK, WORK, "dispatch.launch_latency=5000", "", 8,
		    128);
	bound_holds("dependence", CHAIN,
		    SILENT(LOOP(50, X16("add.u32 %r1, %r2, 1; "))), "", "", 2,
		    64);
	bound_holds("fp64", DOUBLES,
		    SILENT(LOOP(50, X16("add.f32 %f1, %f2, %f3; "))),
		    "unit.fp64.lanes=4", "unit.fp64.lanes=4", 8, 128);
	bound_holds("fetch", WORK, WORK,
		    "front.perfect=no front.l0=512 front.l1=2K "
		    "front.prefetch=none",
		    "", 8, 128);
}

/* The same work in more blocks or more warps. */
static void spread_holds(const char *rule, const char *few, uint32_t blocks,
			 uint32_t threads, const char *many,
			 uint32_t more_blocks, uint32_t more_threads,
			 const char *set)
{
	uint64_t before;
	double saved;

	launch(few, set, blocks, threads);
	before = r.result.cycles;
	saved = applies(rule)->bound;
	rig_open(&r, many, set);
	rig_run(&r, more_blocks, more_threads);
	rig_close(&r);
	OK((double)r.result.cycles >= (0.99 - saved) * (double)before);
	/* And it is not far from what it gains. */
	OK((double)r.result.cycles <= (1.2 - saved) * (double)before);
}

#define CHAINS(times) SILENT(LOOP(times, X16("add.u32 %r1, %r1, 1; ")))

TEST(advice, spreading_work_gains_about_its_bound)
{
	spread_holds("grid", CHAINS(400), 1, 128, CHAINS(200), 2, 128, "");
	spread_holds("tail", CHAINS(400), 3, 128, CHAINS(300), 4, 128,
		     "sm.max_blocks=1");
	spread_holds("occupancy", CHAINS(400), 2, 64, CHAINS(100), 2, 256, "");
}

static void add_launch(struct advice_sum *sum, const char *rule, double bound,
		       double cycles, const char *evidence)
{
	struct advice_list a = { .count = 1 };

	snprintf(a.at[0].rule, sizeof(a.at[0].rule), "%s", rule);
	snprintf(a.at[0].evidence, sizeof(a.at[0].evidence), "%s", evidence);
	a.at[0].bound = bound;
	OK(advice_sum_add(sum, &a, cycles));
}

TEST(advice, of_several_launches_savings_are_added_up)
{
	struct advice_sum sum = { 0 };
	struct advice_list a;

	add_launch(&sum, "tail", 0.5, 100, "small");
	add_launch(&sum, "fetch", 0.9, 100, "");
	add_launch(&sum, "tail", 0.4, 700, "large");
	add_launch(&sum, "grid", 0.3, 100, "");
	advice_sum_find(&a, &sum);
	EQ(2, a.count); /* 3% for the grid are too few */
	STREQ("tail", a.at[0].rule);
	OK(a.at[0].bound > 0.3299 && a.at[0].bound < 0.3301);
	STREQ("large", a.at[0].evidence);
	STREQ("fetch", a.at[1].rule);
	advice_sum_free(&sum);
}
