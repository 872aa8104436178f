/*
 * What a shuffle gives of lanes that do not execute it: registers hold what any warp
 * before has left there, so it must not be that.
 */
#include <string.h>

#include "rig.h"
#include "test.h"

enum { AT_OUT = 0x200000, THREADS = 80 /* the last warp has 16 */ };

static const char head[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k() {\n.reg .pred %p<3>; .reg .b32 %r<12>;\n"
	".reg .b64 %rd<3>;\n"
	"mov.u32 %r0, %tid.x; mul.wide.u32 %rd0, %r0, 4;\n"
	"mov.u64 %rd1, 0x200000; add.u64 %rd0, %rd0, %rd1;\n";
/* Whatever is in the registers: not 0. */
static const char fill[] =
	"or.b32 %r1, %r0, 0x100; or.b32 %r2, %r0, 0x200;\n"
	"or.b32 %r3, %r0, 0x300; or.b32 %r4, %r0, 0x400;\n"
	"or.b32 %r5, %r0, 0x500; or.b32 %r6, %r0, 0x600;\n"
	"xor.b32 %r7, %r1, %r2; xor.b32 %r7, %r7, %r3;\n"
	"xor.b32 %r7, %r7, %r4; xor.b32 %r7, %r7, %r5;\n"
	"xor.b32 %r7, %r7, %r6; st.global.u32 [%rd0], %r7;\nret; }\n";
static const char mirror[] = "add.u32 %r1, %r0, 1000;\n"
			     "shfl.sync.bfly.b32 %r2|%p0, %r1, 31, 31, -1;\n"
			     "st.global.u32 [%rd0], %r2;\nret; }\n";
static const char odd_lanes[] =
	"and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; mov.u32 %r2, 77;\n"
	"add.u32 %r1, %r0, 1000;\n"
	"@%p0 shfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;\n"
	"st.global.u32 [%rd0], %r2;\nret; }\n";

static const uint32_t *run(const char *body, uint32_t threads)
{
	static const char *const settings[] = { "sm.count=1", NULL };
	char text[2048];
	struct rig r = { 0 };

	strcpy(text, head);
	strcat(text, body);
	if (!rig_compile(&r, "lanes.ptx", text, strlen(text), NULL))
		STREQ("", r.d.text);
	rig_config(&r, settings);
	rig_run(&r, 1, threads);
	EQ(FL_FAULT_NONE, r.fault.kind);
	rig_free(&r);
	return (const void *)(rig_memory() + AT_OUT);
}

TEST(fastlanes_lanes, a_shuffle_gives_0_of_lanes_that_do_not_exist)
{
	const uint32_t *out;

	run(fill, 96);
	out = run(mirror, THREADS);
	for (uint32_t t = 0; t < THREADS; t++)
		EQ(t / 32 == 2 ? 0 : 1000 + (t ^ 31), out[t]);
}

TEST(fastlanes_lanes, a_shuffle_gives_0_of_lanes_that_do_not_execute_it)
{
	const uint32_t *out;

	run(fill, 96);
	out = run(odd_lanes, 64);
	for (uint32_t t = 0; t < 64; t++)
		EQ(t % 2 ? 0 : 77, out[t]);
}
