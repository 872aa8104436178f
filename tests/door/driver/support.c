#include "support.h"

#include <stdlib.h>

/* ENVIRONMENT: pairs of names and values, from CMakeLists.txt. */
__attribute__((constructor)) static void set_environment(void)
{
	static const char *const pairs[] = { ENVIRONMENT, NULL };

	for (int i = 0; pairs[i]; i += 2)
		setenv(pairs[i], pairs[i + 1], 1);
}

const char ptx_kernels[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 factor;\n"
	".visible .const .align 4 .u32 offset[2] = {5, 7};\n"
	".global .texref image;\n"
	".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c,\n"
	"	.param .u32 n)\n"
	"{\n"
	"	.reg .pred %p<2>;\n"
	"	.reg .b32 %r<6>;\n"
	"	.reg .b64 %rd<8>;\n"
	"	.reg .f32 %f<4>;\n"
	"	ld.param.u64 %rd1, [a];\n"
	"	ld.param.u64 %rd2, [b];\n"
	"	ld.param.u64 %rd3, [c];\n"
	"	ld.param.u32 %r1, [n];\n"
	"	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, %ntid.x;\n"
	"	mov.u32 %r4, %tid.x;\n"
	"	mad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"	setp.ge.s32 %p1, %r5, %r1;\n"
	"	@%p1 bra DONE;\n"
	"	mul.wide.s32 %rd4, %r5, 4;\n"
	"	add.s64 %rd5, %rd1, %rd4;\n"
	"	add.s64 %rd6, %rd2, %rd4;\n"
	"	add.s64 %rd7, %rd3, %rd4;\n"
	"	ld.global.f32 %f1, [%rd5];\n"
	"	ld.global.f32 %f2, [%rd6];\n"
	"	add.f32 %f3, %f1, %f2;\n"
	"	st.global.f32 [%rd7], %f3;\n"
	"DONE:\n"
	"	ret;\n"
	"}\n"
	".visible .entry scale(.param .u64 p)\n"
	"{\n"
	"	.reg .b32 %r<4>;\n"
	"	.reg .b64 %rd<2>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.global.u32 %r1, [factor];\n"
	"	ld.const.u32 %r2, [offset+4];\n"
	"	mul.lo.u32 %r3, %r1, %r2;\n"
	"	st.global.u32 [%rd1], %r3;\n"
	"	ret;\n"
	"}\n"
	".visible .entry sample(.param .u64 p)\n"
	"{\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %rd<5>;\n"
	"	.reg .f32 %f<6>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	cvt.rn.f32.u32 %f5, %r1;\n"
	"	tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f5}];\n"
	"	mul.wide.u32 %rd2, %r1, 4;\n"
	"	add.s64 %rd3, %rd1, %rd2;\n"
	"	st.global.f32 [%rd3], %f1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry fetch(.param .u64 p)\n"
	"{\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %rd<5>;\n"
	"	.reg .f32 %f<6>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];\n"
	"	mul.wide.u32 %rd2, %r1, 4;\n"
	"	add.s64 %rd3, %rd1, %rd2;\n"
	"	st.global.f32 [%rd3], %f1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry sample_object(.param .u64 p, .param .u64 t)\n"
	"{\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %rd<5>;\n"
	"	.reg .f32 %f<6>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.param.u64 %rd4, [t];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	cvt.rn.f32.u32 %f5, %r1;\n"
	"	tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd4, {%f5}];\n"
	"	mul.wide.u32 %rd2, %r1, 4;\n"
	"	add.s64 %rd3, %rd1, %rd2;\n"
	"	st.global.f32 [%rd3], %f1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry fetch_object(.param .u64 p, .param .u64 t)\n"
	"{\n"
	"	.reg .b32 %r<2>;\n"
	"	.reg .b64 %rd<5>;\n"
	"	.reg .f32 %f<6>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.param.u64 %rd4, [t];\n"
	"	mov.u32 %r1, %tid.x;\n"
	"	tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd4, {%r1}];\n"
	"	mul.wide.u32 %rd2, %r1, 4;\n"
	"	add.s64 %rd3, %rd1, %rd2;\n"
	"	st.global.f32 [%rd3], %f1;\n"
	"	ret;\n"
	"}\n"
	".visible .entry wild()\n"
	"{\n"
	"	.reg .b64 %rd<2>;\n"
	"	mov.u64 %rd1, 64;\n"
	"	st.global.u64 [%rd1], %rd1;\n"
	"	ret;\n"
	"}\n";

const char ptx_wrong[] = ".version 7.0\n"
			 ".target sm_70\n"
			 ".address_size 64\n"
			 ".visible .entry wrong()\n"
			 "{\n"
			 "	frobnicate.u32 %r1, %r2;\n"
			 "	ret;\n"
			 "}\n";

const char ptx_caller[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".extern .func (.param .b32 out) twice(.param .b32 v);\n"
	".visible .entry call(.param .u64 p, .param .u32 v)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	.reg .b64 %rd<2>;\n"
	"	ld.param.u64 %rd1, [p];\n"
	"	ld.param.u32 %r1, [v];\n"
	"	{\n"
	"	.param .b32 x;\n"
	"	.param .b32 y;\n"
	"	st.param.b32 [x], %r1;\n"
	"	call.uni (y), twice, (x);\n"
	"	ld.param.b32 %r2, [y];\n"
	"	}\n"
	"	st.global.u32 [%rd1], %r2;\n"
	"	ret;\n"
	"}\n";

const char ptx_callee[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .func (.param .b32 out) twice(.param .b32 v)\n"
	"{\n"
	"	.reg .b32 %r<3>;\n"
	"	ld.param.b32 %r1, [v];\n"
	"	shl.b32 %r2, %r1, 1;\n"
	"	st.param.b32 [out], %r2;\n"
	"	ret;\n"
	"}\n";

const char *result_name(CUresult e)
{
	const char *name;

	return cuGetErrorName(e, &name) ? "no CUresult" : name;
}

CUcontext begin(void)
{
	CUcontext ctx;

	WORKS(cuInit(0));
	WORKS(cuCtxCreate(&ctx, NULL, 0, 0));
	return ctx;
}

void end(CUcontext ctx)
{
	WORKS(cuCtxDestroy(ctx));
}

CUmodule load(const char *text)
{
	CUmodule m;

	WORKS(cuModuleLoadData(&m, text));
	return m;
}

CUfunction function(CUmodule m, const char *name)
{
	CUfunction f;

	WORKS(cuModuleGetFunction(&f, m, name));
	return f;
}
