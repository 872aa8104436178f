/*
 * y = a * x + y on a simulated GPU, by way of the C library.
 *
 *	cc example.c -lheddle -o example && ./example
 */
#include <heddle/heddle.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000 };

static const char saxpy[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry saxpy(.param .u32 n, .param .f32 a,\n"
	"                      .param .u64 x, .param .u64 y)\n"
	"{\n"
	"	.reg .pred %p;\n"
	"	.reg .f32 %f<4>;\n"
	"	.reg .b32 %r<5>;\n"
	"	.reg .b64 %d<4>;\n"
	"	mov.u32        %r0, %ctaid.x;\n"
	"	mov.u32        %r1, %ntid.x;\n"
	"	mov.u32        %r2, %tid.x;\n"
	"	mad.lo.u32     %r3, %r0, %r1, %r2;\n"
	"	ld.param.u32   %r4, [n];\n"
	"	setp.ge.u32    %p, %r3, %r4;\n"
	"	@%p ret;\n"
	"	ld.param.f32   %f0, [a];\n"
	"	ld.param.u64   %d0, [x];\n"
	"	ld.param.u64   %d1, [y];\n"
	"	mul.wide.u32   %d2, %r3, 4;\n"
	"	add.u64        %d0, %d0, %d2;\n"
	"	add.u64        %d1, %d1, %d2;\n"
	"	ld.global.f32  %f1, [%d0];\n"
	"	ld.global.f32  %f2, [%d1];\n"
	"	fma.rn.f32     %f3, %f0, %f1, %f2;\n"
	"	st.global.f32  [%d1], %f3;\n"
	"	ret;\n"
	"}\n";

int main(void)
{
	static float x[N], y[N];
	struct heddle_device *gpu = NULL;
	struct heddle_module *mod = NULL;
	struct heddle_result result;
	struct heddle_error err;
	/* Laid out as the kernel's parameters are: heddle_param.offset. */
	struct {
		uint32_t n;
		float a;
		heddle_ptr x, y;
	} params = { .n = N, .a = 2.5f };
	struct heddle_launch launch = { .kernel = "saxpy",
					.grid = { (N + 127) / 128, 1, 1 },
					.block = { 128, 1, 1 },
					.params = &params,
					.param_bytes = sizeof(params) };
	int failed;

	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	/* Each call returns HEDDLE_OK, which is 0, or fills err. */
	failed = heddle_device_new(&gpu, NULL, &err) ||
		 heddle_module_load(gpu, &mod, "saxpy.ptx", saxpy,
				    strlen(saxpy), &err) ||
		 heddle_alloc(gpu, sizeof(x), &params.x, &err) ||
		 heddle_alloc(gpu, sizeof(y), &params.y, &err) ||
		 heddle_write(gpu, params.x, x, sizeof(x), &err) ||
		 heddle_write(gpu, params.y, y, sizeof(y), &err) ||
		 heddle_launch(gpu, mod, &launch, &result, &err) ||
		 heddle_read(gpu, y, params.y, sizeof(y), &err);
	if (failed)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("y[0] = %g, y[1] = %g, y[%d] = %g\n"
		       "%llu threads, %llu warp-instructions\n",
		       y[0], y[1], N - 1, y[N - 1],
		       (unsigned long long)result.threads,
		       (unsigned long long)result.warp_instructions);
	if (mod)
		heddle_module_free(gpu, mod);
	if (gpu)
		heddle_device_free(gpu);
	return failed != 0;
}
