/*
 * Options of a launch besides its shape: results without time on a device with
 * a configuration, blocks that wait for each other, many host threads; and what
 * the library reports of kernels and configurations.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

LABEL(api_launch, threads);

#define TINY HEDDLE_SOURCE_DIR "/configs/tiny.cfg"
#define H200 HEDDLE_SOURCE_DIR "/configs/h200.cfg"

struct rig {
	struct heddle_device *dev;
	struct heddle_module *mod;
	heddle_ptr out;
	struct heddle_launch launch;
	struct heddle_result result;
	struct heddle_error err;
	uint32_t w[OUT_BYTES / 4];
};

static struct heddle_config *config_of(const char *path)
{
	struct heddle_config *c = NULL;
	struct heddle_error err;

	heddle_config_load(&c, path, &err);
	STREQ("", err.text);
	return c;
}

/* config NULL: no configuration. The launch has one block of one warp. */
static void rig_open(struct rig *r, const char *config, const char *text,
		     unsigned threads)
{
	struct heddle_config *c = config ? config_of(config) : NULL;
	struct heddle_device_options o = { .threads = threads, .config = c };

	memset(r, 0, sizeof(*r));
	heddle_device_new(&r->dev, &o, &r->err);
	STREQ("", r->err.text);
	heddle_config_free(c);
	heddle_module_load(r->dev, &r->mod, "t", text, strlen(text), &r->err);
	STREQ("", r->err.text);
	EQ(0, heddle_alloc(r->dev, OUT_BYTES, &r->out, NULL));
	r->launch = (struct heddle_launch){ .kernel = "k",
					    .grid = { 1, 1, 1 },
					    .block = { 32, 1, 1 },
					    .params = &r->out,
					    .param_bytes = sizeof(r->out) };
}

static int rig_launch(struct rig *r)
{
	int status =
		heddle_launch(r->dev, r->mod, &r->launch, &r->result, &r->err);

	EQ(0, heddle_read(r->dev, r->w, r->out, OUT_BYTES, NULL));
	return status;
}

static void rig_close(struct rig *r)
{
	heddle_module_free(r->dev, r->mod);
	heddle_device_free(r->dev);
}

/* Every thread adds 1 to its word of the block's 32. */
static const char count[] =
	KERNEL("mov.u32 %r1, %ctaid.x; and.b32 %r1, %r1, 31; "
	       "mad.wide.u32 %rd2, %r1, 128, %rd1; "
	       "red.global.add.u32 [%rd2], 1; ret;");

/* A grid of 1,000 blocks has 32 for each of the words 0 to 7 of every row. */
static void check_count(const struct rig *r, uint32_t times)
{
	for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
		EQ((i / 32 < 8 ? 32u : 31u) * times, r->w[i]);
}

TEST(api_launch, a_functional_launch_takes_no_time)
{
	struct rig r;

	rig_open(&r, TINY, count, 3);
	r.launch.grid.x = 1000;
	EQ(0, rig_launch(&r));
	OK(r.result.cycles > 0);
	OK(heddle_device_timing(r.dev) != NULL);
	check_count(&r, 1);
	r.launch.functional = 1;
	EQ(0, rig_launch(&r));
	EQ(0, r.result.cycles);
	EQ(0, r.result.gpu_seconds);
	EQ(1000, r.result.blocks);
	EQ(NULL, (const void *)heddle_device_timing(r.dev));
	check_count(&r, 2);
	rig_close(&r);
}

TEST(api_launch, a_functional_launch_leaves_the_caches_as_they_are)
{
	uint64_t cycles[2];

	for (int with = 0; with < 2; with++) {
		struct rig r;

		rig_open(&r, TINY, count, 1);
		r.launch.grid.x = 100;
		EQ(0, rig_launch(&r));
		r.launch.functional = 1;
		for (int i = 0; i < 3 * with; i++)
			EQ(0, heddle_launch(r.dev, r.mod, &r.launch, &r.result,
					    NULL));
		r.launch.functional = 0;
		EQ(0, rig_launch(&r));
		cycles[with] = r.result.cycles;
		rig_close(&r);
	}
	EQ(cycles[0], cycles[1]);
}

TEST(api_launch, a_group_is_timed_as_a_whole_or_not_at_all)
{
	struct rig r;
	struct heddle_launch fast;
	struct heddle_result results[2];

	rig_open(&r, TINY, count, 1);
	fast = r.launch;
	fast.functional = 1;
	struct heddle_group_launch both[] = {
		{ .module = r.mod, .launch = &r.launch },
		{ .module = r.mod, .launch = &fast },
	};
	EQ(HEDDLE_RANGE, heddle_launch_group(r.dev, both, 2, results, &r.err));
	STREQ("a group of kernels must be timed as a whole or not at all",
	      r.err.text);
	r.launch.functional = 1;
	EQ(0, heddle_launch_group(r.dev, both, 2, results, &r.err));
	EQ(0, results[1].cycles);
	rig_close(&r);
}

TEST(api_launch, host_threads_help_with_long_launches_and_not_with_short_ones)
{
	struct rig r;

	rig_open(&r, NULL, count, 4);
	for (uint32_t i = 1; i <= 20; i++) {
		r.launch.grid.x = 1000;
		EQ(0, rig_launch(&r));
		check_count(&r, i);
	}
	EQ(0, heddle_set(r.dev, r.out, 0, OUT_BYTES, NULL));
	r.launch.grid.x = 2;
	for (uint32_t i = 1; i <= 1000; i++)
		EQ(0, heddle_launch(r.dev, r.mod, &r.launch, &r.result, NULL));
	EQ(0, heddle_read(r.dev, r.w, r.out, OUT_BYTES, NULL));
	for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
		EQ(i / 32 < 2 ? 1000 : 0, r.w[i]);
	rig_close(&r);
}

TEST(api_launch, memory_of_a_launch_before_does_not_show)
{
	/* A word of shared memory that was never stored, and a register of a
	 * cluster that does not exist. */
	static const char text[] = MODULE(
		".shared .b8 box[4096];",
		"mul.lo.u32 %r1, %r0, 4; mov.u32 %r2, box; "
		"add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2]; "
		"mov.u32 %r4, %cluster_ctarank; add.u32 %r3, %r3, %r4; "
		"st.shared.u32 [%r2], 77; st.global.u32 [%rd1], %r3; ret;");
	struct rig r;

	rig_open(&r, NULL, text, 1);
	for (uint32_t threads = 32; threads <= 1024; threads *= 2) {
		EQ(0, heddle_set(r.dev, r.out, 1, OUT_BYTES, NULL));
		r.launch.block.x = threads;
		EQ(0, rig_launch(&r));
		for (uint32_t i = 0; i < threads; i++)
			EQ(0, r.w[i]);
	}
	rig_close(&r);
}

/* The first thread of each block adds 1 to out[0] and waits until all blocks
 * have done so; then the block stores the address of its workspace. */
static const char meet[] =
	KERNEL("setp.ne.u32 %p1, %r0, 0; @%p1 bra W; "
	       "atom.global.add.release.gpu.u32 %r1, [%rd0], 1; "
	       "mov.u32 %r2, %nctaid.x; "
	       "L: ld.acquire.gpu.u32 %r3, [%rd0]; "
	       "setp.lt.u32 %p2, %r3, %r2; @%p2 bra L; "
	       "W: bar.sync 0; "
	       "mov.u32 %r4, %envreg1; mov.u32 %r5, %envreg2; "
	       "mov.b64 %rd2, {%r5, %r4}; st.global.u64 [%rd0+8], %rd2; "
	       "setp.eq.u64 %p3, %rd2, 0; @%p3 bra E; "
	       "ld.global.u32 %r6, [%rd2]; st.global.u32 [%rd0+16], %r6; "
	       "ld.global.u32 %r6, [%rd2+4]; st.global.u32 [%rd0+20], %r6; "
	       "st.global.u32 [%rd2+4], 99; "
	       "E: ret;");

TEST(api_launch, all_blocks_of_a_cooperative_launch_are_resident)
{
	static const char *const configs[] = { NULL, H200, H200 };
	struct rig r;

	for (int i = 0; i < 3; i++) {
		rig_open(&r, configs[i], meet, i == 1 ? 1 : 2);
		r.launch.grid.x = i == 2 ? 200 : 4000;
		r.launch.block.x = 64;
		r.launch.cooperative = 1;
		r.launch.functional = i == 1;
		EQ(0, rig_launch(&r));
		EQ(r.launch.grid.x, r.w[0]);
		OK(r.w[2] != 0 || r.w[3] != 0);
		EQ(256, r.w[4]);
		EQ(i == 2, r.result.cycles > 0);
		/* The next launch finds an unused barrier. */
		EQ(0, heddle_set(r.dev, r.out, 0, OUT_BYTES, NULL));
		r.launch.grid.x = r.launch.block.x = 1;
		EQ(0, rig_launch(&r));
		EQ(0, r.w[5]);
		/* Others have no workspace. */
		r.launch.cooperative = 0;
		EQ(0, rig_launch(&r));
		EQ(0, r.w[2] | r.w[3]);
		rig_close(&r);
	}
}

/* As code for debuggers waits: a round takes 30 instructions. Blocks that wait must be
 * suspended long before their turn of a million instructions ends. */
TEST(api_launch, blocks_that_wait_in_long_loops_let_others_run)
{
	static const char text[] = KERNEL(
		"atom.global.add.u32 %r1, [%rd0], 1; mov.u32 %r2, %nctaid.x; "
		"L: mov.u32 %r4, 0; "
		"N: add.u32 %r4, %r4, 1; "
		"setp.lt.u32 %p1, %r4, 9; @%p1 bra N; "
		"ld.volatile.global.u32 %r3, [%rd0]; "
		"setp.lt.u32 %p2, %r3, %r2; @%p2 bra L; "
		"ret;");
	struct rig r;

	rig_open(&r, NULL, text, 1);
	r.launch.grid.x = 50;
	r.launch.block.x = 1;
	r.launch.cooperative = 1;
	EQ(0, rig_launch(&r));
	EQ(50, r.w[0]);
	OK(r.result.warp_instructions < 100000);
	rig_close(&r);
}

TEST(api_launch, a_cooperative_launch_that_does_not_fit_is_refused)
{
	struct rig r;

	rig_open(&r, NULL, meet, 1);
	r.launch.cooperative = 1;
	r.launch.grid.x = 4097;
	EQ(HEDDLE_RANGE, rig_launch(&r));
	STREQ("4097 blocks of a cooperative launch: at most 4096 without a "
	      "configuration",
	      r.err.text);
	rig_close(&r);

	rig_open(&r, H200, meet, 1);
	r.launch.cooperative = 1;
	r.launch.block.x = 512;
	r.launch.grid.x = 132 * 4 + 1;
	for (int functional = 0; functional < 2; functional++) {
		r.launch.functional = functional;
		EQ(HEDDLE_RANGE, rig_launch(&r));
		STREQ("529 blocks of a cooperative launch: 528 are resident at "
		      "once, 4 on each of 132 SMs, limited by warps",
		      r.err.text);
	}
	r.launch.cooperative = 0;
	r.launch.functional = 1;
	r.launch.shared_bytes = 300 << 10;
	EQ(HEDDLE_RANGE, rig_launch(&r));
	rig_close(&r);
}

TEST(api_launch, two_cooperative_grids_have_two_barriers)
{
	struct rig r;
	struct heddle_launch second;
	struct heddle_result results[2];
	heddle_ptr other;
	uint64_t at[2];

	rig_open(&r, TINY, meet, 1);
	EQ(0, heddle_alloc(r.dev, OUT_BYTES, &other, NULL));
	r.launch.cooperative = 1;
	r.launch.grid.x = 2;
	second = r.launch;
	second.params = &other;
	struct heddle_group_launch both[] = {
		{ .module = r.mod, .launch = &r.launch, .stream = 0 },
		{ .module = r.mod, .launch = &second, .stream = 1 },
	};
	heddle_launch_group(r.dev, both, 2, results, &r.err);
	STREQ("", r.err.text);
	EQ(0, heddle_read(r.dev, &at[0], r.out + 8, 8, NULL));
	EQ(0, heddle_read(r.dev, &at[1], other + 8, 8, NULL));
	OK(at[0] != at[1] && at[0] && at[1]);
	rig_close(&r);
}

TEST(api_launch, timing_takes_addresses_of_the_host)
{
	struct rig r;
	struct heddle_timing_info info;
	uint32_t *mine = calloc(1, OUT_BYTES);
	heddle_ptr at = (uintptr_t)mine;

	rig_open(&r, H200, count, 1);
	EQ(0, heddle_map(r.dev, mine, OUT_BYTES, NULL));
	r.launch.grid.x = 1000;
	r.launch.params = &at;
	EQ(0, rig_launch(&r));
	heddle_timing_info(heddle_device_timing(r.dev), &info);
	STREQ(NULL, info.law);
	memcpy(r.w, mine, OUT_BYTES);
	check_count(&r, 1);
	rig_close(&r);
	free(mine);
}

TEST(api_launch, timing_takes_the_addresses_of_every_device)
{
	struct heddle_config *c = config_of(TINY);
	uint64_t cycles[2];

	for (int i = 0; i < 2; i++) {
		struct heddle_device_options o = { .config = c,
						   .number = i ? 15 : 0 };
		struct rig r = { .launch = { .kernel = "k",
					     .grid = { 1000, 1, 1 },
					     .block = { 32, 1, 1 },
					     .params = &r.out,
					     .param_bytes = 8 } };

		EQ(0, heddle_device_new(&r.dev, &o, NULL));
		EQ(0, heddle_module_load(r.dev, &r.mod, "t", count,
					 strlen(count), NULL));
		EQ(0, heddle_alloc(r.dev, OUT_BYTES, &r.out, NULL));
		EQ(0, rig_launch(&r));
		check_count(&r, 1);
		cycles[i] = r.result.cycles;
		rig_close(&r);
	}
	OK(cycles[0] > 0 && cycles[1] > 0);
	heddle_config_free(c);
}

TEST(api_launch, a_module_of_another_device_is_refused)
{
	struct rig a, b;

	rig_open(&a, NULL, count, 1);
	rig_open(&b, TINY, count, 1);
	EQ(HEDDLE_RANGE,
	   heddle_launch(b.dev, a.mod, &a.launch, &a.result, &a.err));
	STREQ("t belongs to another device", a.err.text);
	rig_close(&a);
	rig_close(&b);
}

TEST(api_launch, occupancy_is_what_a_launch_finds)
{
	struct rig r;
	struct heddle_kernel_timing k;
	uint32_t blocks = 9;

	rig_open(&r, H200, count, 1);
	r.launch.block.x = 256;
	EQ(0, rig_launch(&r));
	EQ(0, heddle_timing_kernel(heddle_device_timing(r.dev), 0, &k, NULL));
	EQ(0, heddle_occupancy(r.dev, r.mod, "k", 256, 0, &blocks, NULL));
	EQ(8, blocks);
	EQ(k.blocks_per_sm, blocks);
	EQ(k.registers, heddle_module_kernel(r.mod, 0)->registers_estimate);
	EQ(0,
	   heddle_occupancy(r.dev, r.mod, "k", 256, 100 << 10, &blocks, NULL));
	EQ(2, blocks);
	EQ(0,
	   heddle_occupancy(r.dev, r.mod, "k", 256, 300 << 10, &blocks, NULL));
	EQ(0, blocks);
	EQ(0, heddle_occupancy(r.dev, r.mod, "k", 2000, 0, &blocks, NULL));
	EQ(0, blocks);
	EQ(HEDDLE_UNKNOWN,
	   heddle_occupancy(r.dev, r.mod, "x", 1, 0, &blocks, NULL));
	rig_close(&r);
	rig_open(&r, NULL, count, 1);
	EQ(HEDDLE_UNSUPP,
	   heddle_occupancy(r.dev, r.mod, "k", 1, 0, &blocks, NULL));
	EQ(0, heddle_module_kernel(r.mod, 0)->registers_estimate);
	rig_close(&r);
}

TEST(api_launch, every_kernel_has_an_estimate_of_its_registers)
{
	struct rig r;

	rig_open(&r, TINY,
		 MODULE(".visible .entry a() { ret; } "
			".visible .entry b() { ret; }",
			"ret;"),
		 1);
	EQ(3, heddle_module_kernel_count(r.mod));
	for (size_t i = 0; i < 3; i++)
		OK(heddle_module_kernel(r.mod, i)->registers_estimate >= 1);
	rig_close(&r);
}

TEST(api_launch, a_kernel_says_what_it_needs)
{
	static const char text[] =
		MODULE(".const .b8 table[1000]; .const .f32 one = 0f3f800000;",
		       ".local .align 16 .b8 mine[96]; "
		       "st.local.u32 [mine], %r0; ret;");
	struct rig r;
	const struct heddle_kernel *k;

	rig_open(&r, NULL, text, 1);
	k = heddle_module_kernel(r.mod, 0);
	EQ(96, k->local_bytes);
	EQ(1004, k->const_bytes);
	EQ(90, k->ptx_version);
	STREQ("ptx", k->isa);
	EQ(0, k->barriers);
	STREQ("ptx", heddle_isa_of(text, strlen(text)));
	rig_close(&r);
}

TEST(api_launch, a_configuration_says_what_it_holds)
{
	struct heddle_config *c = config_of(H200);
	struct heddle_value v;
	struct heddle_error err;

	EQ(0, heddle_config_get(c, "sm.count", &v, NULL));
	EQ(HEDDLE_VALUE_INT, v.kind);
	EQ(132, v.integer);
	EQ(132.0, v.real);
	STREQ("132", v.text);
	EQ(0, heddle_config_get(c, "gpu.clock", &v, NULL));
	EQ(HEDDLE_VALUE_REAL, v.kind);
	EQ(1980.0, v.real);
	EQ(1980, v.integer);
	EQ(0, heddle_config_get(c, "gpu.name", &v, NULL));
	EQ(HEDDLE_VALUE_TEXT, v.kind);
	STREQ("NVIDIA H200", v.text);
	EQ(0, heddle_config_get(c, "sm.scheduler", &v, NULL));
	EQ(HEDDLE_VALUE_TEXT, v.kind);
	EQ(0, heddle_config_set(c, "sm.scheduler=lrr", NULL));
	EQ(0, heddle_config_get(c, "sm.scheduler", &v, NULL));
	STREQ("lrr", v.text);
	EQ(0, heddle_config_get(c, "l2.host_copies", &v, NULL));
	EQ(HEDDLE_VALUE_INT, v.kind);
	EQ(1, v.integer);
	EQ(0, heddle_config_get(c, "l2.bytes", &v, NULL));
	EQ(60 << 20, v.integer);
	STREQ("60M", v.text);
	EQ(HEDDLE_UNKNOWN, heddle_config_get(c, "sm.cuont", &v, &err));
	STREQ("no parameter named 'sm.cuont'", err.text);
	heddle_config_free(c);
}
