/*
 * The library's calls around a launch: what they refuse, and that devices,
 * modules and host threads do not affect each other.
 */
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

static struct heddle_device *new_device(struct heddle_device_options o)
{
	struct heddle_device *dev = NULL;

	EQ(0, heddle_device_new(&dev, &o, NULL));
	return dev;
}

static struct heddle_module *load(struct heddle_device *dev, const char *text)
{
	struct heddle_module *mod = NULL;
	struct heddle_error err;

	heddle_module_load(dev, &mod, "t", text, strlen(text), &err);
	STREQ("", err.text);
	return mod;
}

/* Launches and checks the status and the text. */
static void launch(struct heddle_device *dev, struct heddle_module *mod,
		   struct heddle_launch l, int status, const char *want)
{
	struct heddle_result result;
	struct heddle_error err;

	l.grid.x = l.grid.x ? l.grid.x : 1;
	l.grid.y = l.grid.y ? l.grid.y : 1;
	l.grid.z = l.grid.z ? l.grid.z : 1;
	EQ(status, heddle_launch(dev, mod, &l, &result, &err));
	STREQ(want, err.text);
	EQ(status, (int)err.code);
}

TEST(exec_api, a_launch_that_does_not_fit_is_refused)
{
	struct heddle_device *dev = new_device(
		(struct heddle_device_options){ .local_bytes = 1024 });
	struct heddle_module *mod = load(
		dev, HEAD ".func f() { ret; }\n"
			  ".entry k(.param .u32 a, .param .u64 b) { ret; }\n"
			  ".entry max() .maxntid 8, 4 { ret; }\n"
			  ".entry req() .reqntid 8, 4 { ret; }\n"
			  ".entry deep() { .local .b8 l[2000]; .reg .b32 %r; "
			  "ld.local.u8 %r, [l]; ret; }\n");
	uint64_t params[2] = { 0 };
	struct heddle_launch k = { .kernel = "k",
				   .block = { 32, 1, 1 },
				   .params = params,
				   .param_bytes = 16 };
	struct heddle_launch l = k;

	launch(dev, mod, k, HEDDLE_OK, "");
	l.kernel = "nix";
	launch(dev, mod, l, HEDDLE_UNKNOWN, "t has no kernel named 'nix'");
	l.kernel = "f";
	launch(dev, mod, l, HEDDLE_UNKNOWN, "t has no kernel named 'f'");
	l = k;
	l.param_bytes = 12;
	launch(dev, mod, l, HEDDLE_RANGE,
	       "12 bytes of parameters: 'k' takes 16");
	l = k;
	l.block = (struct heddle_dim3){ 1024, 2, 1 };
	launch(dev, mod, l, HEDDLE_RANGE,
	       "block 1024 x 2 x 1: each at least 1, at most 1024 x 1024 x 64 "
	       "and 1024 threads in all");
	l.block = (struct heddle_dim3){ 1, 1, 65 };
	launch(dev, mod, l, HEDDLE_RANGE,
	       "block 1 x 1 x 65: each at least 1, at most 1024 x 1024 x 64 "
	       "and 1024 threads in all");
	l.block = (struct heddle_dim3){ 1, 0, 1 };
	launch(dev, mod, l, HEDDLE_RANGE,
	       "block 1 x 0 x 1: each at least 1, at most 1024 x 1024 x 64 "
	       "and 1024 threads in all");
	l = k;
	l.grid = (struct heddle_dim3){ 1, 65536, 1 };
	launch(dev, mod, l, HEDDLE_RANGE,
	       "grid 1 x 65536 x 1: each at least 1, at most 2147483647 x "
	       "65535 x 65535");
	l = k;
	l.shared_bytes = 1ull << 40;
	launch(dev, mod, l, HEDDLE_RANGE,
	       "1099511627776 bytes of dynamic shared memory: at most "
	       "16777216");
	l = k;
	l.param_bytes = 0;
	l.kernel = "max";
	launch(dev, mod, l, HEDDLE_OK, "");
	l.block.x = 33;
	launch(dev, mod, l, HEDDLE_RANGE,
	       "33 threads in a block: 'max' was compiled for at most 32");
	l.kernel = "req";
	l.block = (struct heddle_dim3){ 8, 4, 1 };
	launch(dev, mod, l, HEDDLE_OK, "");
	l.block = (struct heddle_dim3){ 32, 1, 1 };
	launch(dev, mod, l, HEDDLE_RANGE,
	       "block 32 x 1 x 1: 'req' was compiled for 8 x 4 x 1");
	l.kernel = "deep";
	launch(dev, mod, l, HEDDLE_RANGE,
	       "'deep' needs 2016 bytes of local memory, a thread has 1024");
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_api, a_module_says_what_its_kernels_take)
{
	struct heddle_device *dev =
		new_device((struct heddle_device_options){ 0 });
	struct heddle_module *mod =
		load(dev, HEAD ".entry a(.param .u8 x, .param .f64 y, "
			       ".param .align 4 .b8 z[12]) .maxntid 64 { "
			       ".shared .b8 s[100]; .reg .b32 %r; "
			       "ld.shared.u8 %r, [s]; ret; }\n"
			       ".entry b() .reqntid 4, 2, 1 { ret; }\n");
	const struct heddle_kernel *k = heddle_module_kernel(mod, 0);

	EQ(2u, heddle_module_kernel_count(mod));
	STREQ("a", k->name);
	EQ(3u, k->param_count);
	EQ(28u, k->param_bytes);
	EQ(HEDDLE_PARAM_INT, k->params[0].kind);
	EQ(HEDDLE_PARAM_FLOAT, k->params[1].kind);
	EQ(HEDDLE_PARAM_BYTES, k->params[2].kind);
	EQ(0u, k->params[0].offset);
	EQ(8u, k->params[1].offset);
	EQ(16u, k->params[2].offset);
	EQ(100u, k->shared_bytes);
	EQ(64u, k->max_threads);
	EQ(2u, k->instructions);
	EQ(4u, heddle_module_kernel(mod, 1)->required[0]);
	EQ(NULL, heddle_module_kernel(mod, 2));
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_api, parameters_need_no_alignment_on_the_host)
{
	struct heddle_device *dev =
		new_device((struct heddle_device_options){ 0 });
	struct heddle_module *mod =
		load(dev, HEAD ".entry k(.param .u64 out, .param .u32 x, "
			       ".param .align 8 .b8 z[16]) { .reg .b64 %rd<3>; "
			       ".reg .b32 %r<4>; ld.param.u64 %rd0, [out]; "
			       "ld.param.u32 %r0, [x]; "
			       "ld.param.v2.u32 {%r1, %r2}, [z+8]; "
			       "mov.u64 %rd1, z; ld.param.u32 %r3, [%rd1+4]; "
			       "add.u32 %r0, %r0, %r1; add.u32 %r0, %r0, %r2; "
			       "add.u32 %r0, %r0, %r3; "
			       "st.global.u32 [%rd0], %r0; ret; }\n");
	struct {
		uint64_t out;
		uint32_t x, pad, z[4];
	} params = { .x = 1000, .z = { 0, 200, 30, 4 } };
	char bytes[sizeof(params) + 1];
	uint32_t word = 0;

	EQ(0, heddle_alloc(dev, 4, &params.out, NULL));
	memcpy(bytes + 1, &params, sizeof(params));
	launch(dev, mod,
	       (struct heddle_launch){ .kernel = "k",
				       .block = { 32, 1, 1 },
				       .params = bytes + 1,
				       .param_bytes = sizeof(params) },
	       HEDDLE_OK, "");
	EQ(0, heddle_read(dev, &word, params.out, 4, NULL));
	EQ(1234u, word);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_api, variables_of_a_module_are_read_and_written)
{
	struct heddle_device *dev =
		new_device((struct heddle_device_options){ 0 });
	struct heddle_module *mod = load(
		dev, HEAD ".global .b32 g[4] = {1, 2, 3, 4};\n"
			  ".const .b32 c = 10;\n.shared .b32 s;\n"
			  ".entry k() { .reg .b32 %r<3>; "
			  "ld.const.u32 %r0, [c]; ld.global.u32 %r1, [g+8]; "
			  "mul.lo.u32 %r0, %r0, %r1; "
			  "st.global.u32 [g+12], %r0; ret; }\n");
	struct heddle_launch l = { .kernel = "k", .block = { 1, 1, 1 } };
	struct heddle_error err;
	uint32_t v[4], seven = 7;
	heddle_ptr g, c;
	uint64_t size;

	EQ(0, heddle_module_global(dev, mod, "g", &g, &size, &err));
	EQ(16u, size);
	EQ(0, heddle_module_global(dev, mod, "c", &c, NULL, &err));
	launch(dev, mod, l, HEDDLE_OK, "");
	EQ(0, heddle_read(dev, v, g, 16, &err));
	EQ(2u, v[1]);
	EQ(30u, v[3]);
	EQ(0, heddle_write(dev, c, &seven, 4, &err));
	EQ(0, heddle_set(dev, g + 8, 1, 4, &err));
	launch(dev, mod, l, HEDDLE_OK, "");
	EQ(0, heddle_read(dev, v, g, 16, &err));
	EQ(7u * 0x01010101u, v[3]);
	EQ(HEDDLE_UNKNOWN,
	   heddle_module_global(dev, mod, "s", &g, &size, &err));
	STREQ("t has no global variable named 's'", err.text);
	heddle_module_free(dev, mod);
	heddle_device_free(dev);
}

TEST(exec_api, memory_has_limits)
{
	struct heddle_device *dev = new_device((struct heddle_device_options){
		.memory = 1 << 20, .heap_bytes = 4096 });
	struct heddle_error err;
	heddle_ptr a, b, c;
	uint8_t byte = 1;

	EQ(HEDDLE_RANGE, heddle_alloc(dev, 0, &a, &err));
	EQ(HEDDLE_NOMEM, heddle_alloc(dev, 1 << 20, &a, &err));
	STREQ("1048576 bytes asked for, 1044480 of the GPU's 1048576 are free",
	      err.text);
	EQ(HEDDLE_NOMEM, heddle_alloc(dev, ~0ull, &a, &err));
	EQ(0, heddle_alloc(dev, 1000, &a, &err));
	EQ(0, heddle_alloc(dev, 1044480 - 1000, &b, &err));
	EQ(0u, a % 256);
	EQ(0u, b % 256);
	EQ(HEDDLE_NOMEM, heddle_alloc(dev, 1, &c, &err));
	EQ(HEDDLE_RANGE, heddle_write(dev, a + 1000, &byte, 1, &err));
	EQ(HEDDLE_RANGE, heddle_read(dev, &byte, a - 1, 1, &err));
	EQ(HEDDLE_RANGE, heddle_read(dev, &byte, a, ~0ull, &err));
	EQ(HEDDLE_RANGE, heddle_set(dev, a + 990, 0, 11, &err));
	EQ(0, heddle_set(dev, a, 9, 1000, &err));
	EQ(HEDDLE_RANGE, heddle_free(dev, a + 256, &err));
	EQ(0, heddle_free(dev, a, &err));
	EQ(0, heddle_alloc(dev, 1000, &c, &err));
	EQ(a, c); /* and it is zeroed again */
	EQ(0, heddle_read(dev, &byte, c + 999, 1, &err));
	EQ(0, byte);
	heddle_device_free(dev);
	EQ(HEDDLE_NOMEM,
	   heddle_device_new(&dev,
			     &(struct heddle_device_options){ .memory = 4096 },
			     &err));
	EQ(HEDDLE_RANGE, heddle_device_new(&dev,
					   &(struct heddle_device_options){
						   .local_bytes = 1ull << 30 },
					   &err));
}

TEST(exec_api, a_module_gives_its_memory_back)
{
	struct heddle_device *dev = new_device((struct heddle_device_options){
		.memory = 1 << 20, .heap_bytes = 4096 });
	static const char text[] = HEAD ".global .b8 big[600000];\n"
					".entry k() { ret; }\n";
	static const char bad[] = HEAD ".global .b8 big[600000];\n"
				       ".entry k() { .reg .b32 %r; "
				       ".reg .b64 %d; mov.u64 %d, %r; }\n";
	struct heddle_module *mod;
	struct heddle_error err;

	for (int i = 0; i < 3; i++) {
		mod = load(dev, text);
		EQ(HEDDLE_NOMEM, heddle_module_load(dev, &mod, "u", text,
						    strlen(text), &err));
		heddle_module_free(dev, mod);
	}
	/* also one that fails after its variables are placed */
	for (int i = 0; i < 3; i++)
		EQ(HEDDLE_SYNTAX,
		   heddle_module_load(dev, &mod, "u", bad, strlen(bad), &err));
	heddle_device_free(dev);
}

/* Adds the module's number to the word; a name in each module. */
#define ADDS(n)                                                            \
	HEAD ".global .u32 g = " #n ";\n.func (.param .b32 r) f() { "      \
	     ".reg .b32 %r; ld.global.u32 %r, [g]; st.param.b32 [r], %r; " \
	     "ret; }\n.entry k(.param .u64 out) { .reg .b64 %rd; "         \
	     ".reg .b32 %r<2>; ld.param.u64 %rd, [out]; "                  \
	     "{ .param .b32 a; call (a), f; ld.param.b32 %r0, [a]; } "     \
	     "atom.global.add.u32 %r1, [%rd], %r0; ret; }\n"

TEST(exec_api, modules_and_devices_live_side_by_side)
{
	struct heddle_device *dev[2];
	struct heddle_module *mod[2][2];
	heddle_ptr at[2];
	uint32_t word;

	for (int d = 0; d < 2; d++) {
		dev[d] = new_device((struct heddle_device_options){ 0 });
		mod[d][0] = load(dev[d], ADDS(1));
		mod[d][1] = load(dev[d], ADDS(100));
		EQ(0, heddle_alloc(dev[d], 4, &at[d], NULL));
	}
	EQ(at[0], at[1]);
	for (int i = 0; i < 6; i++) {
		int d = i % 2;

		launch(dev[d], mod[d][i / 2 % 2],
		       (struct heddle_launch){
			       .kernel = "k",
			       .grid = { 1u + (unsigned)d, 1, 1 },
			       .block = { 32, 1, 1 },
			       .params = &at[d],
			       .param_bytes = 8 },
		       HEDDLE_OK, "");
	}
	EQ(0, heddle_read(dev[0], &word, at[0], 4, NULL));
	EQ(32u * (1 + 100 + 1), word);
	heddle_module_free(dev[1], mod[1][0]);
	heddle_module_free(dev[0], mod[0][1]);
	heddle_module_free(dev[0], mod[0][0]);
	heddle_device_free(dev[0]);
	EQ(0, heddle_read(dev[1], &word, at[1], 4, NULL));
	EQ(64u * (1 + 100 + 1), word);
	heddle_module_free(dev[1], mod[1][1]);
	heddle_device_free(dev[1]);
	heddle_module_free(NULL, NULL);
	heddle_device_free(NULL);
}

LABEL(exec_parallel, threads);
TEST(exec_parallel, any_number_of_threads_gives_the_same)
{
	static const char *const text =
		KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; "
		       "mad.lo.u32 %r3, %r1, %r2, %r0;\n"
		       "atom.global.add.u32 %r4, [%rd0], 1; "
		       "red.global.max.u32 [%rd0+4], %r3; "
		       "red.global.xor.b32 [%rd0+8], %r3; "
		       "and.b32 %r5, %r3, 63; mul.wide.u32 %rd2, %r5, 4; "
		       "add.u64 %rd2, %rd2, %rd0; "
		       "red.global.add.u32 [%rd2+256], %r3;\n"
		       "L: ld.relaxed.gpu.global.u32 %r6, [%rd0+12]; "
		       "add.u32 %r7, %r6, 3; "
		       "atom.global.cas.b32 %r8, [%rd0+12], %r6, %r7; "
		       "setp.ne.u32 %p1, %r8, %r6; @%p1 bra L; ret;");
	static const unsigned threads[] = { 1, 2, 4, 8 };
	uint32_t n = 200 * 64;
	static struct run first;

	for (int t = 0; t < 4; t++) {
		struct run r = { .options = { .threads = threads[t] },
				 .grid = { 200, 1, 1 },
				 .block = { 64, 1, 1 } };

		run_ok(&r, text);
		EQ(n, r.w[0]);
		EQ(n - 1, r.w[1]);
		EQ(3 * n, r.w[3]);
		if (t == 0)
			first = r;
		for (int i = 0; i < 256; i++)
			EQ(first.w[i], r.w[i]);
		EQ(200u, r.result.blocks);
	}
}

TEST(exec_parallel, a_block_may_wait_for_a_later_one)
{
	/* Block i waits for the flag of block i + 1; the last one does not
	 * wait. On one host thread, a block must be suspended for others to
	 * run. */
	static const char *const text =
		KERNEL("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; "
		       "add.u32 %r3, %r1, 1; mul.wide.u32 %rd2, %r1, 4; "
		       "add.u64 %rd2, %rd2, %rd0; setp.eq.u32 %p1, %r3, %r2; "
		       "mov.u32 %r4, 0; @%p1 bra E;\n"
		       "L: ld.acquire.gpu.global.u32 %r4, [%rd2+4]; "
		       "setp.eq.u32 %p2, %r4, 0; @%p2 bra L;\n"
		       "E: add.u32 %r4, %r4, 1; bar.sync 0; "
		       "setp.eq.u32 %p3, %r0, 0; "
		       "@%p3 st.release.gpu.global.u32 [%rd2], %r4; ret;");
	static const unsigned threads[] = { 1, 3 };

	for (int t = 0; t < 2; t++) {
		struct run r = { .options = { .threads = threads[t] },
				 .grid = { 6, 1, 1 },
				 .block = { 64, 1, 1 } };

		run_ok(&r, text);
		for (uint32_t i = 0; i < 6; i++)
			EQ(6 - i, r.w[i]);
	}
}

TEST(exec_parallel, blocks_meet_at_a_barrier_of_the_grid)
{
	/* a counter in global memory, with nanosleep between the reads */
	static const char *const text =
		KERNEL("mov.u32 %r1, %nctaid.x; mov.u32 %r5, %ctaid.x; "
		       "mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd0; "
		       "setp.eq.u32 %p1, %r0, 0; @!%p1 bra W;\n"
		       "st.global.u32 [%rd3+64], 1; membar.gl; "
		       "atom.global.add.u32 %r2, [%rd0], 1;\n"
		       "L: ld.volatile.global.u32 %r3, [%rd0]; "
		       "setp.lt.u32 %p2, %r3, %r1; @!%p2 bra W; "
		       "nanosleep.u32 20; bra L;\n"
		       "W: bar.sync 0; mul.wide.u32 %rd2, %r0, 4; "
		       "add.u64 %rd2, %rd2, %rd0; mov.u32 %r4, 0; "
		       "setp.lt.u32 %p3, %r0, %r1; "
		       "@%p3 ld.volatile.global.u32 %r4, [%rd2+64]; "
		       "setp.ne.u32 %p4, %r4, 0; "
		       "bar.red.popc.u32 %r6, 0, %p4; "
		       "@%p1 st.global.u32 [%rd3+2048], %r6; ret;");
	static const unsigned threads[] = { 1, 2, 4 };

	for (int t = 0; t < 3; t++) {
		struct run r = { .options = { .threads = threads[t] },
				 .grid = { 40, 1, 1 },
				 .block = { 64, 1, 1 } };

		run_ok(&r, text);
		for (int i = 0; i < 40; i++)
			EQ(40u, r.w[512 + i]);
	}
}

TEST(exec_parallel, a_fault_of_one_block_ends_the_launch)
{
	struct run r = { .options = { .threads = 4 },
			 .grid = { 1000, 1, 1 },
			 .block = { 64, 1, 1 } };

	/* all blocks but one would run forever */
	run_ptx(&r, MODULE(".func f() { L: bra L; }",
			   "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 9; "
			   "@%p1 trap; call f; ret;"));
	EQ(HEDDLE_FAULT_TRAP, r.result.fault.kind);
	EQ(9u, r.result.fault.block.x);
	OK(r.usable);
}
