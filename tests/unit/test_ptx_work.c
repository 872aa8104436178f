#include "test.h"

#include <stdio.h>
#include <string.h>

#include "isa/ptx/work.h"

static struct inst_work work_of(const char *inst)
{
	struct inst_work w = { 0 };
	struct ptx_module *m;
	char text[800];
	struct diag d;

	snprintf(text, sizeof(text),
		 ".version 8.0\n.target sm_90\n.address_size 64\n"
		 ".entry k() { .reg .b32 %%r<20>; .reg .f32 %%f<20>; "
		 ".reg .f64 %%d<20>; .reg .b16 %%h<20>; .reg .b64 %%rd<4>;\n"
		 "%s\n}",
		 inst);
	if (ptx_parse(&m, "t", text, strlen(text), &d)) {
		STREQ("", d.text);
		return w;
	}
	w = ptx_work_of(&m->funcs->insts[0]);
	ptx_module_free(m);
	return w;
}

TEST(ptx_work, a_fused_multiply_add_is_two_operations)
{
	EQ(1, work_of("add.f32 %f1, %f2, %f3;").lane);
	EQ(1, work_of("mul.rn.f64 %d1, %d2, %d3;").lane);
	EQ(2, work_of("fma.rn.f32 %f1, %f2, %f3, %f4;").lane);
	EQ(2, work_of("fma.rn.f64 %d1, %d2, %d3, %d4;").lane);
	EQ(4, work_of("fma.rn.f16x2 %r1, %r2, %r3, %r4;").lane);
	EQ(1, work_of("div.rn.f32 %f1, %f2, %f3;").lane);
	EQ(0, work_of("max.f32 %f1, %f2, %f3;").lane);
	EQ(0, work_of("mad.lo.u32 %r1, %r2, %r3, %r4;").lane);
	EQ(0, work_of("ex2.approx.f32 %f1, %f2;").lane);
}

TEST(ptx_work, operations_on_matrices_belong_to_the_warp)
{
	struct inst_work w =
		work_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
			"{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, "
			"{%f1,%f2,%f3,%f4};");

	EQ(0, w.lane);
	EQ(2 * 16 * 8 * 16, w.warp);
	w = work_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
		    "{%d1,%d2}, {%d3}, {%d4}, {%d1,%d2};");
	EQ(2 * 8 * 8 * 4, w.warp);
	w = work_of("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "
		    "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2}, {%r5,%r6}, "
		    "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};");
	EQ(4 * 2 * 8 * 8 * 4, w.warp);
}
