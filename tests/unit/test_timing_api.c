/*
 * Launches on a device with a configuration, through the library: results are
 * those of a device without one, and the reported times are consistent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

#define TINY HEDDLE_SOURCE_DIR "/configs/tiny.cfg"
#define H200 HEDDLE_SOURCE_DIR "/configs/h200.cfg"

static struct heddle_config *config_of(const char *path)
{
	struct heddle_config *c = NULL;
	struct heddle_error err;

	heddle_config_load(&c, path, &err);
	STREQ("", err.text);
	return c;
}

/* A device with a module and an output of OUT_BYTES zeros. */
struct bench {
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr out;
	struct heddle_timing_options timing;
	struct heddle_result result;
	struct heddle_error err;
	bool compiled; /* sm.compiled: not every instruction is issued */
	union {
		uint32_t w[OUT_BYTES / 4];
		uint64_t d[OUT_BYTES / 8];
	};
};

static void bench_open(struct bench *b, const char *config, const char *text,
		       struct heddle_device_options o)
{
	struct heddle_config *c = config ? config_of(config) : NULL;

	memset(b, 0, sizeof(*b));
	b->compiled = config && !strcmp(config, H200);
	o.config = c;
	heddle_device_new(&b->dev, &o, &b->err);
	STREQ("", b->err.text);
	heddle_config_free(c);
	heddle_module_load(b->dev, &b->mod, "t", text, strlen(text), &b->err);
	STREQ("", b->err.text);
	EQ(0, heddle_alloc(b->dev, OUT_BYTES, &b->out, NULL));
}

static int bench_launch(struct bench *b, uint32_t blocks, uint32_t threads)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { blocks, 1, 1 },
				   .block = { threads, 1, 1 },
				   .params = &b->out,
				   .param_bytes = sizeof(b->out),
				   .timing = &b->timing };
	int status = heddle_launch(b->dev, b->mod, &l, &b->result, &b->err);

	EQ(0, heddle_read(b->dev, b->w, b->out, OUT_BYTES, NULL));
	return status;
}

static void bench_close(struct bench *b)
{
	heddle_module_free(b->dev, b->mod);
	heddle_device_free(b->dev);
}

static struct heddle_timing_info info_of(const struct bench *b)
{
	struct heddle_timing_info info;
	const struct heddle_timing *t = heddle_device_timing(b->dev);

	OK(t != NULL);
	heddle_timing_info(t, &info);
	return info;
}

static const struct heddle_stats *stats_of(const struct bench *b)
{
	return heddle_timing_stats(heddle_device_timing(b->dev));
}

static uint64_t stat_of(const struct bench *b, const char *key)
{
	struct heddle_stat s;
	struct heddle_error err;

	heddle_stats_find(stats_of(b), key, &s, &err);
	STREQ("", err.text);
	return s.count;
}

/* Checks that the run is complete and no law is broken. */
static void check_whole(const struct bench *b)
{
	struct heddle_timing_info info = info_of(b);

	STREQ(NULL, info.law);
	EQ(1, info.whole);
	EQ(1, info.exact);
	STREQ("serial", info.engine);
	OK(info.window > 0);
	OK(info.cycles > 0);
	EQ(b->result.cycles, info.cycles);
	EQ(b->result.cycles, stat_of(b, "gpu.cycles"));
	if (b->compiled) {
		OK(b->result.warp_instructions > stat_of(b, "sm.instructions"));
		OK(b->result.thread_instructions > stat_of(b, "sm.lanes"));
	} else {
		EQ(b->result.warp_instructions, stat_of(b, "sm.instructions"));
		EQ(b->result.thread_instructions, stat_of(b, "sm.lanes"));
	}
	EQ(b->result.blocks, stat_of(b, "gpu.blocks"));
	EQ(b->result.threads, stat_of(b, "gpu.threads"));
}

/* Programs whose output does not depend on the order of blocks. */
static const struct {
	const char *name, *text;
	uint32_t blocks, threads;
} programs[] = {
	{ "store", KERNEL("st.global.u32 [%rd1], %r0; ret;"), 1, 64 },
	{ "exit only", KERNEL("ret;"), 5, 32 },
	{ "own words of many blocks",
	  KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; "
		 "mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd2, %r3, 4; "
		 "add.u64 %rd2, %rd0, %rd2; mul.lo.u32 %r4, %r3, %r3; "
		 "st.global.u32 [%rd2], %r4; ld.global.u32 %r5, [%rd2]; "
		 "add.u32 %r5, %r5, 7; st.global.u32 [%rd2], %r5; ret;"),
	  16, 64 },
	{ "reductions from all blocks",
	  KERNEL("mov.u32 %r1, %ctaid.x; red.global.add.u32 [%rd0], %r1; "
		 "red.global.add.u32 [%rd1+128], 3; ret;"),
	  24, 64 },
	{ "atomics whose results are used",
	  KERNEL("atom.global.add.u32 %r1, [%rd0], 1; "
		 "mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd0, %rd2; "
		 "st.global.u32 [%rd2+64], 5; ret;"),
	  6, 32 },
	{ "shared memory and a barrier",
	  MODULE(".shared .align 4 .b8 s[512];",
		 "shl.b32 %r1, %r0, 2; mov.u32 %r2, s; add.u32 %r3, %r2, %r1; "
		 "st.shared.u32 [%r3], %r0; bar.sync 0; "
		 "xor.b32 %r4, %r1, 252; add.u32 %r4, %r4, %r2; "
		 "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd1], %r5; ret;"),
	  2, 64 },
	{ "a loop with divergence",
	  KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 0; L: add.u32 %r2, %r2, %r1; "
		 "add.u32 %r1, %r1, 1; and.b32 %r3, %r0, 7; "
		 "setp.lt.u32 %p1, %r1, %r3; @%p1 bra L; "
		 "st.global.u32 [%rd1], %r2; ret;"),
	  3, 96 },
	{ "a lock held by one lane at a time",
	  KERNEL("setp.ne.u32 %p1, %r0, 0; @%p1 ret; "
		 "L: atom.global.cas.b32 %r1, [%rd0], 0, 1; "
		 "setp.ne.u32 %p2, %r1, 0; @%p2 bra L; membar.gl; "
		 "ld.volatile.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; "
		 "st.volatile.global.u32 [%rd0+4], %r2; membar.gl; "
		 "atom.global.exch.b32 %r3, [%rd0], 0; ret;"),
	  12, 32 },
	{ "a loop of loads",
	  KERNEL("mov.u32 %r1, 0; mov.u32 %r2, 0; L: ld.global.u32 %r3, "
		 "[%rd1]; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r1; "
		 "st.global.u32 [%rd1], %r2; add.u32 %r1, %r1, 1; "
		 "setp.lt.u32 %p1, %r1, 20; @%p1 bra L; ret;"),
	  1, 256 },
};

enum { PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

static void compare_on(const char *config)
{
	static struct bench plain, timed;

	for (int i = 0; i < PROGRAMS; i++) {
		struct heddle_device_options o = { 0 };

		bench_open(&plain, NULL, programs[i].text, o);
		EQ(0, bench_launch(&plain, programs[i].blocks,
				   programs[i].threads));
		EQ(0, plain.result.cycles);
		OK(!heddle_device_timing(plain.dev));
		bench_open(&timed, config, programs[i].text, o);
		EQ(0, bench_launch(&timed, programs[i].blocks,
				   programs[i].threads));
		OK(!memcmp(plain.w, timed.w, OUT_BYTES));
		EQ(plain.result.blocks, timed.result.blocks);
		EQ(plain.result.threads, timed.result.threads);
		check_whole(&timed);
		bench_close(&plain);
		bench_close(&timed);
	}
}

TEST(timing_api, results_on_a_tiny_gpu_are_those_without_time)
{
	compare_on(TINY);
}

TEST(timing_api, results_on_an_h200_are_those_without_time)
{
	compare_on(H200);
}

/* All statistics and the output, with windows of this many cycles. */
static void run_windowed(struct bench *b, const char *config, int program,
			 uint64_t window)
{
	bench_open(b, config, programs[program].text,
		   (struct heddle_device_options){ .window = window });
	for (int launch = 0; launch < 2; launch++) {
		EQ(0, bench_launch(b, programs[program].blocks,
				   programs[program].threads));
		check_whole(b);
	}
}

static void compare_windows(const char *config, const uint64_t *windows)
{
	static struct bench whole, cut;
	struct heddle_stat want, got;

	for (int p = 0; p < PROGRAMS; p++) {
		run_windowed(&whole, config, p, 0);
		for (int i = 0; windows[i]; i++) {
			run_windowed(&cut, config, p, windows[i]);
			EQ(windows[i], info_of(&cut).window);
			OK(!memcmp(whole.w, cut.w, OUT_BYTES));
			for (size_t k = 0; k < heddle_stats_count(); k++) {
				heddle_stats_get(stats_of(&whole), k, &want,
						 NULL);
				heddle_stats_get(stats_of(&cut), k, &got, NULL);
				STREQ(want.name, got.name);
				EQ(want.count, got.count);
			}
			bench_close(&cut);
		}
		bench_close(&whole);
	}
}

TEST(timing_api, the_length_of_the_windows_changes_no_statistic)
{
	compare_windows(H200, (uint64_t[]){ 1, 7, 89, 0 });
}

#define COUNT_UP                                          \
	KERNEL("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; " \
	       "setp.lt.u32 %p1, %r1, 1000; @%p1 bra L; " \
	       "st.global.u32 [%rd1], %r1; ret;")

TEST(timing_api, the_same_launch_takes_the_same_time_on_a_new_device)
{
	static struct bench a, b;
	struct heddle_device_options o = { 0 };

	bench_open(&a, TINY, COUNT_UP, o);
	bench_open(&b, TINY, COUNT_UP, o);
	EQ(0, bench_launch(&a, 6, 128));
	EQ(0, bench_launch(&b, 6, 128));
	EQ(a.result.cycles, b.result.cycles);
	OK(a.result.cycles > 2000);
	EQ(a.result.cycles / 1e9, a.result.gpu_seconds); /* 1000 MHz */
	bench_close(&a);
	bench_close(&b);
}

TEST(timing_api, the_l2_stays_warm_and_time_goes_on)
{
	static struct bench b;
	uint64_t misses;

	/* Not copied from the host, so not in the L2 yet. */
	bench_open(&b, TINY,
		   KERNEL("ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; "
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 1, 64));
	check_whole(&b);
	misses = stat_of(&b, "l2.read_misses");
	OK(misses > 0);
	EQ(0, bench_launch(&b, 1, 64));
	check_whole(&b);
	EQ(0, stat_of(&b, "l2.read_misses"));
	EQ(2, b.w[63]);
	bench_close(&b);
}

TEST(timing_api, what_the_host_writes_is_in_the_l2)
{
	static struct bench b;

	bench_open(&b, TINY,
		   KERNEL("ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; "
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(0, heddle_write(b.dev, b.out, b.w, OUT_BYTES, NULL));
	EQ(0, bench_launch(&b, 1, 64));
	EQ(0, stat_of(&b, "l2.read_misses"));
	EQ(OUT_BYTES, stat_of(&b, "gpu.host_bytes"));
	bench_close(&b);
}

/* All statistics of the last launch, as a row of text. */
static void put_row(void *ctx, const char *text, size_t size)
{
	strncat(ctx, text, size);
}

static const char *stats_row(const struct bench *b, char *row)
{
	row[0] = '\0';
	heddle_stats_print(stats_of(b), HEDDLE_STATS_CSV_ROW, 0, put_row, row);
	return row;
}

/* Neither what a launch left dirty in the L2, nor open rows, nor what the host
 * wrote, nor the time that has passed is seen by a launch that starts cold. */
TEST(timing_api, a_cold_launch_is_the_same_every_time)
{
	static struct bench b;
	static char first[8192], next[8192];
	uint64_t warm, cold;

	bench_open(&b, TINY,
		   KERNEL("ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; "
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(0, heddle_read(b.dev, b.w, b.out, OUT_BYTES, NULL));
	b.timing.cold = 1;
	EQ(0, bench_launch(&b, 1, 64));
	check_whole(&b);
	EQ(1, info_of(&b).cold);
	OK(stat_of(&b, "l2.read_misses") > 0);
	cold = b.result.cycles;
	stats_row(&b, first);
	for (int i = 0; i < 3; i++) {
		EQ(0, bench_launch(&b, 1, 64));
		STREQ(first, stats_row(&b, next));
	}
	b.timing.cold = 0;
	EQ(0, bench_launch(&b, 1, 64));
	EQ(0, info_of(&b).cold);
	warm = b.result.cycles;
	OK(warm < cold);
	/* It counts what was copied, but does not find it in the L2. */
	EQ(0, heddle_write(b.dev, b.out, b.w, OUT_BYTES, NULL));
	b.timing.cold = 1;
	EQ(0, bench_launch(&b, 1, 64));
	check_whole(&b);
	EQ(2 * OUT_BYTES, stat_of(&b, "gpu.host_bytes"));
	EQ(cold, b.result.cycles);
	bench_close(&b);
}

TEST(timing_api, the_program_sees_the_configured_gpu)
{
	static struct bench b;

	bench_open(&b, H200,
		   KERNEL("mov.u32 %r1, %nsmid; st.global.u32 [%rd1], %r1; "
			  "ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 1, 32));
	EQ(132, b.w[0]);
	bench_close(&b);
}

TEST(timing_api, a_fault_is_reported_with_the_statistics_so_far)
{
	static struct bench b;
	struct heddle_timing_info info;

	bench_open(&b, TINY,
		   KERNEL("mov.u64 %rd2, 64; st.global.u32 [%rd2], %r0; ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(HEDDLE_FAULT, bench_launch(&b, 4, 32));
	EQ(HEDDLE_FAULT_ADDRESS, b.result.fault.kind);
	EQ(64, b.result.fault.address);
	info = info_of(&b);
	EQ(0, info.whole);
	OK(stat_of(&b, "sm.instructions") > 0);
	/* The device is as good as new. */
	heddle_module_free(b.dev, b.mod);
	heddle_module_load(b.dev, &b.mod, "t", COUNT_UP, strlen(COUNT_UP),
			   &b.err);
	EQ(0, bench_launch(&b, 1, 32));
	EQ(1000, b.w[31]);
	check_whole(&b);
	bench_close(&b);
}

TEST(timing_api, a_deadlock_is_found)
{
	static struct bench b;

	bench_open(&b, TINY,
		   KERNEL("setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 1, 64; "
			  "@!%p1 bar.sync 2, 64; ret;"),
		   (struct heddle_device_options){ 0 });
	EQ(HEDDLE_FAULT, bench_launch(&b, 1, 64));
	EQ(HEDDLE_FAULT_BARRIER, b.result.fault.kind);
	bench_close(&b);
}

#define FOREVER KERNEL("L: add.u32 %r1, %r1, 1; bra L;")

TEST(timing_api, a_cycle_limit_ends_a_launch_exactly)
{
	static struct bench b;

	bench_open(&b, TINY, FOREVER, (struct heddle_device_options){ 0 });
	b.timing.max_cycles = 1234;
	EQ(HEDDLE_FAULT, bench_launch(&b, 2, 64));
	EQ(HEDDLE_FAULT_LIMIT, b.result.fault.kind);
	STREQ("cycle limit reached: kernel k has not ended after 1234 cycles",
	      b.err.text);
	EQ(1234, b.result.cycles);
	EQ(1234, stat_of(&b, "gpu.cycles"));
	EQ(2 * 1234, stat_of(&b, "sm.cycles")); /* two SMs */
	EQ(0, info_of(&b).whole);
	bench_close(&b);
}

TEST(timing_api, an_endless_warp_is_found)
{
	static struct bench b;

	bench_open(&b, TINY, FOREVER,
		   (struct heddle_device_options){ .max_warp_instructions =
							   10000 });
	EQ(HEDDLE_FAULT, bench_launch(&b, 1, 32));
	EQ(HEDDLE_FAULT_LOOP, b.result.fault.kind);
	bench_close(&b);
}

static void stop_it(void *ctx, const struct heddle_timing_progress *p)
{
	struct bench *b = ctx;

	OK(p->cycles > 0);
	EQ(2, p->blocks);
	EQ(0, p->blocks_done);
	OK(p->warp_instructions > 0);
	heddle_stop(b->dev);
}

TEST(timing_api, a_stopped_launch_keeps_its_statistics)
{
	static struct bench b;

	bench_open(&b, TINY, FOREVER, (struct heddle_device_options){ 0 });
	b.timing.progress = stop_it;
	b.timing.ctx = &b;
	EQ(HEDDLE_FAULT, bench_launch(&b, 2, 32));
	EQ(HEDDLE_FAULT_STOPPED, b.result.fault.kind);
	OK(stat_of(&b, "sm.instructions") > 0);
	bench_close(&b);
}

struct samples {
	uint64_t interval, end, count, cycles, instructions, reads;
};

static void add_sample(void *ctx, uint64_t from, uint64_t to,
		       const struct heddle_stats *s)
{
	struct samples *all = ctx;
	struct heddle_stat v;

	EQ(all->end, from);
	OK(to > from && to - from <= all->interval);
	all->end = to;
	all->count++;
	EQ(0, heddle_stats_find(s, "gpu.cycles", &v, NULL));
	EQ(to - from, v.count);
	all->cycles += v.count;
	EQ(0, heddle_stats_find(s, "sm.instructions", &v, NULL));
	all->instructions += v.count;
	EQ(0, heddle_stats_find(s, "l2.reads", &v, NULL));
	all->reads += v.count;
}

/* Also with intervals that are shorter than what an engine simulates at a time,
 * so that several end after the last block. */
TEST(timing_api, samples_add_up_to_the_whole)
{
	static const uint64_t intervals[] = { 500, 16, 3, 1 };
	static struct bench b;
	uint64_t cycles;

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 6, 128));
	cycles = b.result.cycles;
	bench_close(&b);
	for (int i = 0; i < 4; i++) {
		struct samples all = { .interval = intervals[i] };

		bench_open(&b, TINY, COUNT_UP,
			   (struct heddle_device_options){ 0 });
		b.timing = (struct heddle_timing_options){ .interval =
								   all.interval,
							   .sample = add_sample,
							   .ctx = &all };
		EQ(0, bench_launch(&b, 6, 128));
		EQ(cycles, b.result.cycles); /* sampling changes nothing */
		EQ(cycles, all.cycles);
		EQ((cycles + all.interval - 1) / all.interval, all.count);
		EQ(stat_of(&b, "sm.instructions"), all.instructions);
		EQ(stat_of(&b, "l2.reads"), all.reads);
		bench_close(&b);
	}
}

struct events {
	uint64_t blocks, warps, stalls, last;
};

static void add_event(void *ctx, const struct heddle_event *e)
{
	struct events *all = ctx;

	OK(e->from <= e->to);
	OK(e->sm < 2);
	all->blocks += e->kind == HEDDLE_EVENT_BLOCK;
	all->warps += e->kind == HEDDLE_EVENT_WARP;
	all->stalls += e->kind == HEDDLE_EVENT_STALL;
	EQ(e->kind == HEDDLE_EVENT_STALL, e->reason != NULL);
	EQ(e->kind == HEDDLE_EVENT_STALL, e->at != NULL);
	all->last = e->to > all->last ? e->to : all->last;
}

TEST(timing_api, events_tell_of_every_block_and_warp)
{
	static struct bench b;
	struct events all = { 0 };
	struct heddle_device_options o = { .timeline = 1 };

	bench_open(&b, TINY, COUNT_UP, o);
	b.timing.event = add_event;
	b.timing.ctx = &all;
	EQ(0, bench_launch(&b, 5, 96));
	EQ(5, all.blocks);
	EQ(15, all.warps);
	OK(all.stalls > 0);
	OK(all.last <= b.result.cycles);
	bench_close(&b);
	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	b.timing.event = add_event;
	EQ(HEDDLE_RANGE, bench_launch(&b, 1, 32));
	bench_close(&b);
}

/* How long warps waited, by reason and instruction. */
struct waits {
	uint64_t load, barrier, elsewhere;
	const struct heddle_place *at;
};

static void add_wait(void *ctx, const struct heddle_event *e)
{
	struct waits *all = ctx;
	uint64_t cycles = e->to - e->from;

	if (e->kind != HEDDLE_EVENT_STALL)
		return;
	STREQ("k", e->at->function);
	if (!strcmp(e->reason, "memory")) {
		bool use = strstr(e->at->instruction, "add.u32") != NULL;

		*(use ? &all->load : &all->elsewhere) += cycles;
		EQ(true, !all->at || !use || all->at == e->at);
		if (use)
			all->at = e->at;
	}
	if (!strcmp(e->reason, "barrier")) {
		bool bar = strstr(e->at->instruction, "bar.sync") != NULL;

		*(bar ? &all->barrier : &all->elsewhere) += cycles;
	}
}

TEST(timing_api, a_wait_says_which_instruction_it_is_for)
{
	static struct bench b;
	struct waits all = { 0 };

	bench_open(&b, TINY,
		   KERNEL("ld.global.u32 %r1, [%rd1];\n"
			  "add.u32 %r1, %r1, 1;\n"
			  "bar.sync 0;\n"
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ .timeline = 1 });
	b.timing.event = add_wait;
	b.timing.ctx = &all;
	EQ(0, bench_launch(&b, 2, 128));
	OK(all.load > 0);
	OK(all.barrier > 0);
	EQ(0, all.elsewhere);
	bench_close(&b);
}

/* A launch that is cut short has the events of what had not ended, and a warp
 * waits for its last stores before it ends. */
TEST(timing_api, events_of_a_launch_that_is_cut_short_reach_to_its_end)
{
	static struct bench b;
	struct events all = { 0 };

	bench_open(&b, TINY, COUNT_UP,
		   (struct heddle_device_options){ .timeline = 1 });
	b.timing.event = add_event;
	b.timing.ctx = &all;
	b.timing.max_cycles = 300;
	EQ(HEDDLE_FAULT, bench_launch(&b, 2, 96));
	EQ(2, all.blocks);
	EQ(6, all.warps);
	EQ(300, all.last);
	bench_close(&b);
}

static void add_drain(void *ctx, const struct heddle_event *e)
{
	if (e->reason && !strcmp(e->reason, "drain"))
		++*(uint64_t *)ctx;
}

TEST(timing_api, a_warp_that_has_ended_waits_for_its_loads)
{
	static struct bench b;
	uint64_t drains = 0;

	bench_open(&b, TINY, KERNEL("ld.global.u32 %r1, [%rd1]; ret;"),
		   (struct heddle_device_options){ .timeline = 1 });
	b.timing.event = add_drain;
	b.timing.ctx = &drains;
	EQ(0, bench_launch(&b, 1, 64));
	EQ(2, drains);
	bench_close(&b);
}

TEST(timing_api, every_instruction_that_was_issued_has_a_hot_line)
{
	static struct bench b;
	const struct heddle_timing *t;
	struct heddle_hot_line line;
	uint64_t issued = 0;
	int loop = 0;

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 2, 64));
	t = heddle_device_timing(b.dev);
	for (size_t i = 0; i < info_of(&b).hot_lines; i++) {
		EQ(0, heddle_timing_hot(t, i, &line, NULL));
		STREQ("k", line.function);
		issued += line.issued;
		loop += line.issued == 4000; /* 4 warps, 1000 rounds */
	}
	EQ(b.result.warp_instructions, issued);
	EQ(3, loop);
	EQ(HEDDLE_RANGE,
	   heddle_timing_hot(t, info_of(&b).hot_lines, &line, NULL));
	bench_close(&b);
}

/* Sums the slots of all instructions by reason. Returns their operations. */
static uint64_t sum_details(const struct bench *b, uint64_t sum[64],
			    uint64_t *lanes)
{
	const struct heddle_timing *t = heddle_device_timing(b->dev);
	struct heddle_hot_detail d;
	uint64_t operations = 0;

	memset(sum, 0, 64 * sizeof(*sum));
	*lanes = 0;
	for (size_t i = 0; i < info_of(b).hot_lines; i++) {
		EQ(0, heddle_timing_detail(t, i, &d, NULL));
		OK(d.slot_count <= 64);
		for (size_t r = 0; r < d.slot_count; r++)
			sum[r] += d.slots[r];
		*lanes += d.lanes;
		operations += d.operations;
	}
	return operations;
}

/* Divergent, with shared memory, a barrier, loads and a loop. */
#define VARIED                                                               \
	KERNEL(".shared .b32 s[64]; mov.u32 %r1, s; "                        \
	       "mov.u32 %r2, 0; mov.f32 %f1, 0f3F800000; "                   \
	       "L: mad.lo.u32 %r3, %r0, 4, %r1; st.shared.u32 [%r3], %r2; "  \
	       "bar.sync 0; ld.shared.u32 %r4, [%r3]; "                      \
	       "ld.global.u32 %r5, [%rd1]; fma.rn.f32 %f1, %f1, %f1, %f1; "  \
	       "setp.gt.u32 %p1, %r0, 7; @%p1 add.f32 %f1, %f1, %f1; "       \
	       "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20; @%p2 bra L; " \
	       "st.global.u32 [%rd1], %r5; ret;")

TEST(timing_api, slots_of_instructions_add_up_to_those_of_the_reasons)
{
	static struct bench b;
	uint64_t sum[64], lanes, issued = 0;
	struct heddle_hot_detail d;
	struct heddle_stat s;
	size_t r = 0;

	bench_open(&b, TINY, VARIED, (struct heddle_device_options){ 0 });
	b.timing.details = 1;
	EQ(0, bench_launch(&b, 9, 64));
	/* 18 warps, 20 rounds: an FMA of all lanes, an addition of 24 in the
	 * first warp of a block and of 32 in the other. */
	EQ(9 * 20 * (2 * 64 + 24 + 32), sum_details(&b, sum, &lanes));
	EQ(b.result.thread_instructions, lanes);
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		EQ(0, heddle_stats_get(stats_of(&b), i, &s, NULL));
		if (strcmp(s.group, "reason") != 0)
			continue;
		if (!strcmp(s.name, "issued") || !strncmp(s.doc, "no ", 3))
			EQ(0, sum[r]);
		else
			EQ(s.count, sum[r]);
		issued += s.count && sum[r];
		r++;
	}
	OK(issued >= 3); /* reasons */
	EQ(HEDDLE_UNKNOWN,
	   heddle_timing_detail(heddle_device_timing(b.dev),
				info_of(&b).hot_lines, &d, NULL));
	b.timing.details = 0;
	EQ(0, bench_launch(&b, 9, 64));
	EQ(HEDDLE_UNKNOWN,
	   heddle_timing_detail(heddle_device_timing(b.dev), 0, &d, NULL));
	bench_close(&b);
}

static void ignore_progress(void *ctx, const struct heddle_timing_progress *p)
{
	(void)ctx, (void)p;
}

static void ignore_sample(void *ctx, uint64_t from, uint64_t to,
			  const struct heddle_stats *s)
{
	(void)ctx, (void)from, (void)to, (void)s;
}

struct slots {
	uint64_t of[32][64]; /* an instruction, a reason */
};

static void get_slots(const struct bench *b, struct slots *out)
{
	const struct heddle_timing *t = heddle_device_timing(b->dev);
	struct heddle_hot_detail d;

	*out = (struct slots){ 0 };
	for (size_t i = 0; i < info_of(b).hot_lines && i < 32; i++) {
		EQ(0, heddle_timing_detail(t, i, &d, NULL));
		for (size_t r = 0; r < d.slot_count && r < 64; r++)
			out->of[i][r] = d.slots[r];
	}
}

/* Samples cut the time into parts, engines into windows; neither may show. */
TEST(timing_api, details_do_not_depend_on_who_looks)
{
	static struct bench b;
	static struct slots want, got;
	struct heddle_device_options o = { .engine = "serial" };

	bench_open(&b, TINY, VARIED, o);
	b.timing.details = 1;
	EQ(0, bench_launch(&b, 9, 64));
	get_slots(&b, &want);
	bench_close(&b);
	o = (struct heddle_device_options){ .engine = "exact", .threads = 2 };
	bench_open(&b, TINY, VARIED, o);
	b.timing.details = 1;
	b.timing.interval = 7;
	b.timing.sample = ignore_sample;
	b.timing.progress = ignore_progress;
	EQ(0, bench_launch(&b, 9, 64));
	get_slots(&b, &got);
	EQ(0, memcmp(&want, &got, sizeof(want)));
	bench_close(&b);
}

/* The number of a reason in heddle_hot_detail.slots. */
static size_t reason_number(const struct bench *b, const char *name)
{
	struct heddle_stat s;
	size_t r = 0;

	for (size_t i = 0; i < heddle_stats_count(); i++) {
		EQ(0, heddle_stats_get(stats_of(b), i, &s, NULL));
		if (strcmp(s.group, "reason") != 0)
			continue;
		if (!strcmp(s.name, name))
			break;
		r++;
	}
	return r;
}

/* The first warp comes last, by a chain of divisions. Nobody's wait for it, nor for
 * the barrier to open, is charged to what follows the barrier, wherever that is. */
TEST(timing_api, waits_at_a_barrier_are_charged_to_it)
{
	static struct bench b;
	static struct slots got;
	struct heddle_hot_line line;
	uint64_t sum = 0;
	size_t r;

	bench_open(&b, TINY,
		   KERNEL("setp.gt.u32 %p1, %r0, 31; mov.u32 %r1, 1000000; "
			  "@%p1 bra B; div.u32 %r1, %r1, %r0; "
			  "div.u32 %r1, %r1, %r0; B: bar.sync 0; bra E; "
			  "add.u32 %r1, %r1, 2; "
			  "E: add.u32 %r1, %r1, 1; bar.sync 0; "
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ 0 });
	b.timing.details = 1;
	EQ(0, bench_launch(&b, 2, 128));
	get_slots(&b, &got);
	r = reason_number(&b, "barrier");
	for (size_t i = 0; i < info_of(&b).hot_lines; i++) {
		EQ(0, heddle_timing_hot(heddle_device_timing(b.dev), i, &line,
					NULL));
		if (strncmp(line.instruction, "bar", 3) != 0)
			EQ(0, got.of[i][r]);
		sum += got.of[i][r];
	}
	OK(sum > 0);
	bench_close(&b);
}

struct part_sums {
	uint64_t issued[8], requests[8], to;
	uint64_t hash; /* of all numbers, in order */
	size_t sms, slices;
};

static void add_parts(void *ctx, uint64_t from, uint64_t to,
		      const struct heddle_parts *p)
{
	struct part_sums *s = ctx;

	EQ(s->to, from);
	OK(p->sms <= 8 && p->slices <= 8);
	s->to = to;
	s->sms = p->sms;
	s->slices = p->slices;
	for (size_t i = 0; i < p->sms; i++) {
		s->issued[i] += p->issued[i];
		s->hash = (s->hash ^ p->issued[i]) * 1099511628211u;
	}
	for (size_t i = 0; i < p->slices; i++) {
		s->requests[i] += p->requests[i];
		s->hash = (s->hash ^ p->requests[i]) * 1099511628211u;
	}
}

static uint64_t sum_of(const uint64_t *v, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

TEST(timing_api, components_add_up_to_the_whole_in_any_engine)
{
	static const struct heddle_device_options engines[] = {
		{ .engine = "serial" }, { .engine = "exact", .threads = 2 }
	};
	uint64_t hash = 0;

	for (int i = 0; i < 2; i++) {
		static struct bench b;
		struct part_sums s = { 0 };

		bench_open(&b, TINY, VARIED, engines[i]);
		b.timing.interval = 100;
		b.timing.parts = add_parts;
		b.timing.ctx = &s;
		/* The second run counts from 0 again. */
		EQ(0, bench_launch(&b, 9, 64));
		s = (struct part_sums){ 0 };
		EQ(0, bench_launch(&b, 9, 64));
		EQ(b.result.cycles, s.to);
		EQ(stat_of(&b, "sm.instructions"), sum_of(s.issued, s.sms));
		EQ(stat_of(&b, "l2.reads") + stat_of(&b, "l2.writes"),
		   sum_of(s.requests, s.slices));
		OK(s.sms > 1 && s.slices > 1);
		OK(!i || hash == s.hash);
		hash = s.hash;
		bench_close(&b);
	}
}

TEST(timing_api, callers_of_inlined_lines_are_known)
{
	static struct bench b;
	const struct heddle_timing *t;
	const char *file;
	uint32_t line;

	bench_open(&b, TINY,
		   ".version 8.4\n.target sm_90\n.address_size 64\n"
		   ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n"
		   ".entry k(.param .u64 p) { .reg .b32 %r<3>;\n"
		   ".loc 2 5 1, inlined_at 1 9 2\n mov.u32 %r1, 1;\n"
		   ".loc 2 7 1, inlined_at 2 5 1\n mov.u32 %r2, 1;\n"
		   ".loc 1 10 1\n ret; }",
		   (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 1, 32));
	t = heddle_device_timing(b.dev);
	EQ(0, heddle_timing_caller(t, 0, 0, &file, &line, NULL));
	STREQ("a.cu", file);
	EQ(9, line);
	EQ(HEDDLE_UNKNOWN, heddle_timing_caller(t, 0, 1, &file, &line, NULL));
	EQ(0, heddle_timing_caller(t, 1, 0, &file, &line, NULL));
	STREQ("b.cu", file);
	EQ(5, line);
	EQ(0, heddle_timing_caller(t, 1, 1, &file, &line, NULL));
	STREQ("a.cu", file);
	EQ(HEDDLE_UNKNOWN, heddle_timing_caller(t, 1, 2, &file, &line, NULL));
	EQ(HEDDLE_UNKNOWN, heddle_timing_caller(t, 2, 0, &file, &line, NULL));
	EQ(HEDDLE_UNKNOWN, heddle_timing_caller(t, 99, 0, &file, &line, NULL));
	bench_close(&b);
}

TEST(timing_api, occupancy_is_reported_and_registers_can_be_given)
{
	static struct bench b;
	struct heddle_kernel_timing k;
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 4, 1, 1 },
				   .block = { 128, 1, 1 },
				   .registers = 64,
				   .param_bytes = 8 };

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	l.params = &b.out;
	EQ(0, heddle_launch(b.dev, b.mod, &l, &b.result, NULL));
	EQ(0, heddle_timing_kernel(heddle_device_timing(b.dev), 0, &k, NULL));
	STREQ("k", k.kernel);
	EQ(2, k.blocks_per_sm); /* 16384 / (128 * 64) */
	STREQ("registers", k.limit);
	EQ(64, k.registers);
	EQ(4, k.warps);
	EQ(4, k.blocks_done);
	EQ(b.result.cycles, k.end);
	l.registers = 10000;
	EQ(HEDDLE_RANGE, heddle_launch(b.dev, b.mod, &l, &b.result, NULL));
	bench_close(&b);
}

TEST(timing_api, the_end_of_each_sm_and_the_waves_of_blocks_are_known)
{
	static struct bench b;
	const struct heddle_timing *t;
	struct heddle_kernel_timing k;
	uint64_t end, last = 0, first = UINT64_MAX;

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 8, 128));
	t = heddle_device_timing(b.dev);
	EQ(2, info_of(&b).sms);
	for (size_t i = 0; i < 2; i++) {
		EQ(0, heddle_timing_sm_end(t, i, &end, NULL));
		last = end > last ? end : last;
		first = end < first ? end : first;
	}
	EQ(b.result.cycles, last);
	EQ(HEDDLE_RANGE, heddle_timing_sm_end(t, 2, &end, NULL));
	/* Four blocks on each of two SMs are one wave. */
	EQ(0, heddle_timing_kernel(t, 0, &k, NULL));
	EQ(4, k.blocks_per_sm);
	OK(k.wave_gap >= last - first && k.wave_gap < last);
	OK(k.wave_deviation > 0 && k.wave_deviation <= k.wave_gap / 2.0);
	/* With one block, the other SM has no end, and the wave no
	 * deviation. */
	EQ(0, bench_launch(&b, 1, 128));
	t = heddle_device_timing(b.dev);
	EQ(0, heddle_timing_sm_end(t, 0, &end, NULL));
	EQ(b.result.cycles, end);
	EQ(0, heddle_timing_sm_end(t, 1, &end, NULL));
	EQ(0, end);
	EQ(0, heddle_timing_kernel(t, 0, &k, NULL));
	EQ(0, k.wave_gap);
	EQ(0.0, k.wave_deviation);
	bench_close(&b);
}

TEST(timing_api, the_time_of_the_host_is_divided_when_asked)
{
	static struct bench b;
	struct heddle_timing_info i;
	const struct heddle_host_time *h = &i.host_time;
	uint64_t cycles;

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 8, 128));
	cycles = b.result.cycles;
	i = info_of(&b);
	OK(i.host_seconds > 0 && i.host_seconds <= b.result.seconds);
	EQ(0.0, h->sms + h->network + h->memory + h->dispatch + h->rest);
	b.timing.host_time = 1;
	EQ(0, bench_launch(&b, 8, 128));
	EQ(cycles, b.result.cycles);
	i = info_of(&b);
	OK(h->sms > 0 && h->network > 0 && h->memory > 0 && h->dispatch > 0);
	/* The SMs do nearly all of the work. */
	OK(h->sms > h->dispatch);
	OK(h->sms + h->network + h->memory + h->dispatch + h->rest >
	   0.999 * i.host_seconds);
	OK(h->sms + h->network + h->memory + h->dispatch + h->rest <
	   1.001 * i.host_seconds);
	bench_close(&b);
}

/* The cycles of two launches in these streams. */
static uint64_t pair(uint32_t first, uint32_t second)
{
	static struct bench b;
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 64, 1, 1 },
				   .param_bytes = 8 };
	struct heddle_group_launch both[2];
	struct heddle_result results[2];
	uint64_t cycles;

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	l.params = &b.out;
	both[0] = (struct heddle_group_launch){ b.mod, &l, first };
	both[1] = (struct heddle_group_launch){ b.mod, &l, second };
	heddle_launch_group(b.dev, both, 2, results, &b.err);
	STREQ("", b.err.text);
	EQ(1, results[0].blocks);
	EQ(1, results[1].blocks);
	EQ(2, info_of(&b).kernels);
	STREQ(NULL, info_of(&b).law);
	cycles = info_of(&b).cycles;
	bench_close(&b);
	return cycles;
}

TEST(timing_api, kernels_of_two_streams_overlap)
{
	uint64_t together = pair(0, 1), after = pair(0, 0);

	OK(together * 3 < after * 2);
	OK(after <= together * 2 + 100);
}

/* Launches n kernels as one group, each in a stream of its own. */
static int many(struct bench *b, size_t n, struct heddle_result *results)
{
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .params = &b->out,
				   .param_bytes = 8 };
	struct heddle_group_launch all[200] = { 0 };

	for (size_t i = 0; i < n; i++)
		all[i] =
			(struct heddle_group_launch){ b->mod, &l, (uint32_t)i };
	return heddle_launch_group(b->dev, all, n, results, &b->err);
}

TEST(timing_api, a_group_has_1_to_128_kernels)
{
	static struct bench b;
	static struct heddle_result results[200];

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(HEDDLE_RANGE, many(&b, 129, results));
	STREQ("129 kernels in one group: expected 1 to 128", b.err.text);
	EQ(HEDDLE_RANGE, many(&b, 0, results));
	STREQ("0 kernels in one group: expected 1 to 128", b.err.text);
	EQ(HEDDLE_OK, many(&b, 128, results));
	EQ(128, info_of(&b).kernels);
	for (int i = 0; i < 128; i++)
		EQ(1, results[i].blocks);
	STREQ(NULL, info_of(&b).law);
	bench_close(&b);
}

TEST(timing_api, without_a_configuration_a_group_runs_in_order)
{
	static struct bench b;
	struct heddle_launch l = { .kernel = "k",
				   .grid = { 1, 1, 1 },
				   .block = { 32, 1, 1 },
				   .param_bytes = 8 };
	struct heddle_group_launch both[2];
	struct heddle_result results[2];

	bench_open(&b, NULL,
		   KERNEL("ld.global.u32 %r1, [%rd1]; add.u32 %r1, %r1, 1; "
			  "st.global.u32 [%rd1], %r1; ret;"),
		   (struct heddle_device_options){ 0 });
	l.params = &b.out;
	both[0] = (struct heddle_group_launch){ b.mod, &l, 0 };
	both[1] = (struct heddle_group_launch){ b.mod, &l, 1 };
	EQ(0, heddle_launch_group(b.dev, both, 2, results, NULL));
	EQ(0, heddle_read(b.dev, b.w, b.out, OUT_BYTES, NULL));
	EQ(2, b.w[31]);
	EQ(1, results[1].blocks);
	bench_close(&b);
}

/* Of two kernels of a stream, one stores to an address without an
 * allocation. */
static void fault_in_group(const char *config)
{
	static struct bench b;
	struct heddle_launch l[2];
	struct heddle_group_launch both[2];
	struct heddle_result results[2];
	uint64_t nowhere = 4096;

	bench_open(&b, config, KERNEL("st.global.u32 [%rd1], %r0; ret;"),
		   (struct heddle_device_options){ 0 });
	for (int i = 0; i < 2; i++) {
		l[i] = (struct heddle_launch){ .kernel = "k",
					       .grid = { 1, 1, 1 },
					       .block = { 32, 1, 1 },
					       .params = i ? &nowhere : &b.out,
					       .param_bytes = 8 };
		both[i] = (struct heddle_group_launch){ b.mod, &l[i], 0 };
	}
	EQ(HEDDLE_FAULT, heddle_launch_group(b.dev, both, 2, results, &b.err));
	EQ(HEDDLE_FAULT_NONE, results[0].fault.kind);
	EQ(HEDDLE_FAULT_ADDRESS, results[1].fault.kind);
	STREQ(results[1].fault.text, b.err.text);
	/* The other way round, the second one is not run. */
	l[0].params = &nowhere;
	l[1].params = &b.out;
	EQ(HEDDLE_FAULT, heddle_launch_group(b.dev, both, 2, results, &b.err));
	EQ(HEDDLE_FAULT_ADDRESS, results[0].fault.kind);
	EQ(HEDDLE_FAULT_STOPPED, results[1].fault.kind);
	EQ(0, results[1].blocks);
	STREQ(results[0].fault.text, b.err.text);
	bench_close(&b);
}

TEST(timing_api, a_fault_ends_the_kernels_of_its_group)
{
	fault_in_group(NULL);
	fault_in_group(TINY);
}

TEST(timing_api, what_the_program_prints_comes_in_the_order_of_blocks)
{
	struct heddle_config *c = config_of(TINY);
	struct run r = { .options.config = c, .grid = { 3, 1, 1 } };

	run_ok(&r,
	       MODULE(".extern .func (.param .b32 r) vprintf (.param .b64 f, "
		      ".param .b64 a); .global .b8 t[5] = {98, 37, 100, 10, "
		      "0};",
		      "setp.ne.u32 %p1, %r0, 0; @%p1 ret; .local .align 8 "
		      ".b8 args[8]; mov.u32 %r1, %ctaid.x; "
		      "mov.u64 %rd2, args; cvta.local.u64 %rd2, %rd2; "
		      "st.u32 [%rd2], %r1; mov.u64 %rd3, t; "
		      "cvta.global.u64 %rd3, %rd3; "
		      "{ .param .b64 p0; .param .b64 p1; .param .b32 q; "
		      "st.param.b64 [p0], %rd3; st.param.b64 [p1], %rd2; "
		      "call.uni (q), vprintf, (p0, p1); "
		      "ld.param.b32 %r2, [q]; } ret;"));
	STREQ("b0\nb1\nb2\n", r.printed);
	heddle_config_free(c);
}

TEST(timing_api, a_configuration_is_text_that_can_be_changed)
{
	static const char text[] = "sm.count = 3\n";
	struct heddle_config *c = NULL, *again = NULL;
	struct heddle_error err;
	char *dump, *second;

	EQ(0, heddle_config_text(&c, "mine", text, strlen(text), NULL));
	EQ(0, heddle_config_set(c, "l2.ways=8", NULL));
	EQ(HEDDLE_UNKNOWN, heddle_config_set(c, "l2.wais=8", &err));
	dump = heddle_config_dump(c);
	OK(strstr(dump, "sm.count = 3 ") && strstr(dump, "l2.ways = 8 "));
	EQ(0, heddle_config_text(&again, "dump", dump, strlen(dump), NULL));
	second = heddle_config_dump(again);
	OK(strstr(second, "sm.count = 3 "));
	free(second);
	free(dump);
	heddle_config_free(again);
	heddle_config_free(c);
	EQ(HEDDLE_IO, heddle_config_load(&c, "/nowhere", NULL));
	OK(!c);
}

TEST(timing_api, a_gpu_is_found_by_its_name)
{
	struct heddle_config *named = NULL, *file = config_of(H200);
	struct heddle_error err;
	char *a, *b;

	EQ(0, heddle_config_load(&named, "h200", &err));
	STREQ("", err.text);
	a = heddle_config_dump(named);
	b = heddle_config_dump(file);
	STREQ(b, a);
	free(a);
	free(b);
	heddle_config_free(named);
	heddle_config_free(file);
	EQ(HEDDLE_UNKNOWN, heddle_config_load(&named, "h20", &err));
	OK(!named && strstr(err.text, "did you mean 'h200'"));
	EQ(HEDDLE_IO, heddle_config_load(&named, "h200.cfg", NULL));
}

TEST(timing_api, a_configuration_that_makes_no_gpu_is_refused)
{
	struct heddle_config *c = config_of(TINY);
	struct heddle_device_options o = { .config = c };
	struct heddle_device *dev;
	struct heddle_error err;

	EQ(0, heddle_config_set(c, "mem.epoch=50", NULL));
	EQ(HEDDLE_RANGE, heddle_device_new(&dev, &o, &err));
	OK(strstr(err.text, "mem.epoch = 50"));
	heddle_config_free(c);
}

TEST(timing_api, every_statistic_has_a_name_and_a_meaning)
{
	static struct bench b;
	const struct heddle_stats *s;
	struct heddle_stat v, same;
	char key[128];

	bench_open(&b, TINY, COUNT_UP, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 2, 32));
	s = stats_of(&b);
	for (size_t i = 0; i < heddle_stats_count(); i++) {
		EQ(0, heddle_stats_get(s, i, &v, NULL));
		OK(v.group && v.name && v.unit && v.doc && *v.doc);
		snprintf(key, sizeof(key), "%s.%s", v.group, v.name);
		EQ(0, heddle_stats_find(s, key, &same, NULL));
		EQ(v.count, same.count);
	}
	EQ(HEDDLE_RANGE, heddle_stats_get(s, heddle_stats_count(), &v, NULL));
	EQ(HEDDLE_UNKNOWN, heddle_stats_find(s, "l2.nothing", &v, NULL));
	bench_close(&b);
}

/* True: every byte is 0, so that no pointer is followed by mistake. */
static bool is_cleared(const void *p, size_t n)
{
	const char *b = p;

	while (n && !b[n - 1])
		n--;
	return !n;
}

TEST(timing_api, what_does_not_exist_is_named_and_cleared)
{
	static struct bench b;
	struct heddle_error err;
	struct heddle_engine e;
	struct heddle_stat s;

	bench_open(&b, TINY, VARIED, (struct heddle_device_options){ 0 });
	EQ(0, bench_launch(&b, 1, 32));
	memset(&s, 1, sizeof(s));
	EQ(HEDDLE_UNKNOWN,
	   heddle_stats_find(stats_of(&b), "sm.nothing", &s, &err));
	STREQ("no statistic named 'sm.nothing'", err.text);
	OK(is_cleared(&s, sizeof(s)));
	memset(&e, 1, sizeof(e));
	EQ(HEDDLE_RANGE, heddle_engine_get(heddle_engine_count(), &e, &err));
	OK(is_cleared(&e, sizeof(e)));
	bench_close(&b);
}

/* An atomic writes its result when it is performed, long after it has issued. */
TEST(timing_api, a_dropped_result_of_an_atomic_overwrites_nothing)
{
	static const char text[] =
		".version 8.4\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 a) {\n"
		".reg .b32 %r<9>; .reg .b64 %rd<2>;\n"
		"ld.param.u64 %rd1, [a];\n"
		"atom.global.add.u32 %r1, [%rd1], 7;\n"
		"mov.u32 %r1, 5; add.u32 %r2, %r1, 1; mov.u32 %r1, 9;\n"
		"ld.global.u32 %r3, [%rd1+8]; add.u32 %r2, %r2, %r3;\n"
		"ld.global.u32 %r3, [%rd1+512]; add.u32 %r1, %r1, %r3;\n"
		"st.global.v2.u32 [%rd1+16], {%r1, %r2};\nret;\n}\n";
	static const char *const configs[] = { TINY, H200 };
	struct bench b;

	for (int i = 0; i < 2; i++) {
		bench_open(&b, configs[i], text,
			   (struct heddle_device_options){ 0 });
		EQ(0, bench_launch(&b, 1, 32));
		EQ(32 * 7, b.w[0]);
		EQ(9, b.w[4]);
		EQ(6, b.w[5]);
		bench_close(&b);
	}
}
