/*
 * Unsupported features: functions that use one, and their callers, are refused;
 * everything else in the module runs.
 */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "run_ptx.h"

#define TINY HEDDLE_SOURCE_DIR "/configs/tiny.cfg"

#define WGMMA "wgmma.fence.sync.aligned;"
/* The message of a refusal at the start of a line. */
#define WHY(line)                                                       \
	"t:" line ":1: warpgroup matrix operations are not supported: " \
	"wgmma.fence.sync.aligned;"

/* One kernel that runs, `k`, and others around it. */
static const char several[] = MODULE(
	".func bad() {\n" WGMMA "\nret; } "
	".func caller() { call bad; ret; } "
	".func ring_b(); "
	".func ring_a() { call ring_b; ret; } "
	".func ring_b() { call ring_a; call caller; ret; } "
	".func other; .alias other, bad; "
	".func good() { ret; } "
	".visible .entry has(.param .u64 out) { .shared .b32 own[9000];\n"
	"st.shared.u32 [own], 1; st.global.u32 [0], 1;\n" WGMMA "\nret; } "
	".entry direct() { call bad; } .entry far() { call ring_a; } "
	".entry alias() { call other; } .entry fine() { call good; }",
	"mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; ret;");

struct rig {
	struct heddle_device *dev;
	struct heddle_module *mod;
	struct heddle_result result;
	struct heddle_error err;
};

static void rig_open(struct rig *r, const char *config, const char *text)
{
	struct heddle_device_options o = { .threads = 1 };
	struct heddle_config *c = NULL;

	memset(r, 0, sizeof(*r));
	if (config)
		EQ(0, heddle_config_load(&c, config, NULL));
	o.config = c;
	EQ(0, heddle_device_new(&r->dev, &o, NULL));
	heddle_config_free(c);
	heddle_module_load(r->dev, &r->mod, "t", text, strlen(text), &r->err);
	STREQ("", r->err.text);
}

static void rig_close(struct rig *r)
{
	heddle_module_free(r->dev, r->mod);
	heddle_device_free(r->dev);
}

static const struct heddle_kernel *kernel(const struct rig *r, const char *name)
{
	for (size_t i = 0; i < heddle_module_kernel_count(r->mod); i++) {
		const struct heddle_kernel *k = heddle_module_kernel(r->mod, i);

		if (!strcmp(k->name, name))
			return k;
	}
	return NULL;
}

static int launch(struct rig *r, const char *name, heddle_ptr at)
{
	return heddle_launch(r->dev, r->mod,
			     &(struct heddle_launch){
				     .kernel = name,
				     .grid = { 1, 1, 1 },
				     .block = { 32, 1, 1 },
				     .params = &at,
				     .param_bytes =
					     kernel(r, name)->param_bytes,
			     },
			     &r->result, &r->err);
}

static void check_refused(struct rig *r, const char *name, const char *why)
{
	STREQ(why, kernel(r, name)->refused);
	EQ(HEDDLE_UNSUPP, launch(r, name, 0));
	EQ(HEDDLE_UNSUPP, r->err.code);
	STREQ(why, r->err.text);
	EQ(0, r->result.warp_instructions);
}

static void check_several(const char *config)
{
	struct rig r;
	heddle_ptr at;
	uint32_t w = 0, blocks = 1;

	rig_open(&r, config, several);
	EQ(6u, heddle_module_kernel_count(r.mod));
	check_refused(&r, "has", WHY("8"));
	check_refused(&r, "direct", WHY("5"));
	check_refused(&r, "far", WHY("5"));
	check_refused(&r, "alias", WHY("5"));
	EQ(HEDDLE_UNSUPP,
	   heddle_occupancy(r.dev, r.mod, "has", 32, 0, &blocks, NULL));
	EQ(0, blocks);
	EQ(NULL, kernel(&r, "k")->refused);
	EQ(0, kernel(&r, "k")->shared_bytes);
	EQ(NULL, kernel(&r, "fine")->refused);
	EQ(0, heddle_alloc(r.dev, 128, &at, NULL));
	EQ(HEDDLE_OK, launch(&r, "k", at));
	EQ(HEDDLE_OK, launch(&r, "fine", 0));
	EQ(0, heddle_read(r.dev, &w, at + 31 * 4, 4, NULL));
	EQ(7, w);
	rig_close(&r);
}

TEST(refused, functions_and_their_callers_do_not_run_and_others_do)
{
	check_several(NULL);
}

TEST(refused, kernels_are_not_timed_and_others_are)
{
	check_several(TINY);
}

/* Something that only the lowering finds, in a function that follows its
 * caller. */
TEST(refused, what_cannot_be_lowered_is_refused_with_its_callers)
{
	struct rig r;

	rig_open(&r, NULL,
		 MODULE(".func late(.param .u64 f); .entry caller() { "
			".param .b64 q; call late, (q); ret; } "
			".func late(.param .u64 f) { .reg .b64 %a; "
			"ld.param.u64 %a, [f];\n"
			"call %a, (1), proto; "
			"proto: .callprototype _ (.reg .b32 x); ret; } "
			".entry writes(.param .u32 x) {\n"
			"st.param.u32 [x], 1; ret; }",
			"ret;"));
	check_refused(
		&r, "caller",
		"t:5:1: indirect calls with .reg parameters are not supported: "
		"call %a, (1), proto");
	check_refused(&r, "writes",
		      "t:6:1: a kernel's parameters cannot be written: "
		      "st.param.u32 [x], 1");
	EQ(NULL, kernel(&r, "k")->refused);
	rig_close(&r);
}

/* The address of a refused function may be taken; a call of it faults. */
static void check_pointer(const char *config)
{
	static const char text[] = MODULE(
		".func good() { ret; } .func bad() {\n" WGMMA "\nret; } "
		".global .u64 table[2] = { good, bad };",
		"mov.u64 %rd2, table; ld.global.u64 %rd3, [%rd2]; "
		"proto: .callprototype _ (); call %rd3, proto; "
		"st.global.u32 [%rd1], 7; ld.global.u32 %r1, [%rd0+128]; "
		"setp.eq.u32 %p1, %r1, 0; @%p1 ret; "
		"mov.u64 %rd3, bad;\ncall %rd3, proto; "
		"st.global.u32 [%rd1], 8; ret;");
	struct rig r;
	heddle_ptr at;
	uint32_t w = 0;

	rig_open(&r, config, text);
	EQ(NULL, kernel(&r, "k")->refused);
	EQ(0, heddle_alloc(r.dev, 132, &at, NULL));
	EQ(HEDDLE_OK, launch(&r, "k", at));
	EQ(0, heddle_read(r.dev, &w, at, 4, NULL));
	EQ(7, w);
	EQ(0, heddle_set(r.dev, at + 128, 1, 4, NULL));
	EQ(HEDDLE_FAULT, launch(&r, "k", at));
	EQ(HEDDLE_FAULT_ILLEGAL, r.result.fault.kind);
	EQ(11, r.result.fault.ptx_line);
	EQ(true, strstr(r.result.fault.text,
			"call of a refused function: " WHY("5")) != NULL);
	EQ(0, heddle_read(r.dev, &w, at, 4, NULL));
	EQ(7, w);
	rig_close(&r);
}

TEST(refused, a_call_through_a_pointer_is_a_fault)
{
	check_pointer(NULL);
	check_pointer(TINY);
}

/* Shared variables that only a refused kernel uses take no space in the others'
 * blocks. */
TEST(refused, kernels_leave_no_shared_memory_behind)
{
	struct rig r;

	rig_open(&r, NULL,
		 MODULE(".shared .b8 big[4000]; .shared .b8 small[40]; "
			".entry has() { .shared .b8 mine[500];\n" WGMMA
			"\nst.shared.u8 [big], 1; }",
			"st.shared.u8 [small], 1; ret;"));
	EQ(40, kernel(&r, "k")->shared_bytes);
	EQ(0, kernel(&r, "has")->shared_bytes);
	rig_close(&r);
}

TEST(refused, an_atomic_has_at_most_16_bytes)
{
	static const char *const bad[] = {
		"red.global.max.noftz.v8.f16x2 [%rd1], "
		"{%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1}; ret;",
		"red.global.add.v8.f32 [%rd1], "
		"{%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}; ret;",
	};
	struct heddle_device_options o = { .threads = 1 };
	struct heddle_device *dev;

	EQ(0, heddle_device_new(&dev, &o, NULL));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct heddle_error err = { .text = "" };
		struct heddle_module *mod;
		char text[2000];

		snprintf(text, sizeof(text),
			 ".version 8.4\n.target sm_90\n.address_size 64\n"
			 ".visible .entry k(.param .u64 p) {\n"
			 ".reg .b32 %%r1; .reg .f32 %%f1; .reg .b64 %%rd1;\n"
			 "%s }\n",
			 bad[i]);
		OK(heddle_module_load(dev, &mod, "t", text, strlen(text),
				      &err) != 0);
		OK(strstr(err.text, "a vector of 8 times 4 bytes: an atomic "
				    "has at most 16"));
	}
	heddle_device_free(dev);
}
