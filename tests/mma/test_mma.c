/*
 * Does a matrix instruction compute what the hardware computes, bit for bit?
 * mma_sm90.bin holds what an H200 (sm_90) answered to the kernels of cases.def.
 */
#include "cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle.h"
#include "isa/ptx/mma_check.h"
#include "test.h"

static unsigned char *file;
static size_t file_size;

static void open_file(void)
{
	const char *name = HEDDLE_SOURCE_DIR "/tests/mma/mma_sm90.bin";
	FILE *f;
	long size;

	if (file)
		return;
	f = fopen(name, "rb");
	OK(f != NULL);
	OK(fseek(f, 0, SEEK_END) == 0);
	size = ftell(f);
	OK(size > 0);
	rewind(f);
	file_size = (size_t)size;
	file = malloc(file_size + 1);
	OK(file != NULL);
	EQ(file_size, fread(file, 1, file_size, f));
	file[file_size] = 0;
	fclose(f);
}

/* What was recorded for a case; NULL: nothing. */
static const unsigned char *find(const struct mma_case *c, uint32_t *runs)
{
	size_t at = 0;

	while (at < file_size) {
		const char *name = (const char *)file + at;
		uint32_t n[2]; /* runs, bytes of a run */

		at += strlen(name) + 1;
		memcpy(n, file + at, sizeof(n));
		at += sizeof(n);
		if (strcmp(name, c->name) == 0 &&
		    n[1] == case_bytes(c, OUT_D)) {
			*runs = n[0];
			return file + at;
		}
		at += (size_t)n[0] * n[1];
	}
	return NULL;
}

static void good(int status, const struct heddle_error *err)
{
	STREQ("", status == HEDDLE_OK ? "" : err->text);
}

/* Buffers on the device: inputs filled, the output zero. */
static void make_buffers(struct heddle_device *dev, const struct mma_case *c,
			 uint32_t runs, heddle_ptr at[WHICH_COUNT])
{
	struct heddle_error err;

	for (int w = 0; w < WHICH_COUNT; w++) {
		size_t size = case_bytes(c, w) * runs;
		void *buf = calloc(1, size + 16);

		OK(buf != NULL);
		if (w != OUT_D && size)
			case_fill(c, w, buf, (int)runs);
		good(heddle_alloc(dev, size + 16, &at[w], &err), &err);
		good(heddle_write(dev, at[w], buf, size + 16, &err), &err);
		free(buf);
	}
}

static void run_kernel(struct heddle_device *dev, const struct mma_case *c,
		       uint32_t runs, unsigned char *out)
{
	static char text[1 << 16];
	struct heddle_module *mod;
	struct heddle_error err = { 0 };
	struct heddle_result result;
	heddle_ptr at[WHICH_COUNT];
	struct heddle_launch launch = {
		.kernel = "k",
		.grid = { runs, 1, 1 },
		.block = { 32, 1, 1 },
		.params = at,
		.param_bytes = sizeof(at),
	};
	size_t size = case_ptx(c, text, sizeof(text));

	good(heddle_module_load(dev, &mod, c->op, text, size, &err), &err);
	make_buffers(dev, c, runs, at);
	good(heddle_launch(dev, mod, &launch, &result, &err), &err);
	good(heddle_read(dev, out, at[OUT_D], case_bytes(c, OUT_D) * runs,
			 &err),
	     &err);
	for (int w = 0; w < WHICH_COUNT; w++)
		good(heddle_free(dev, at[w], &err), &err);
	heddle_module_free(dev, mod);
}

static void check_case(struct heddle_device *dev, const struct mma_case *c)
{
	uint32_t runs = 0;
	const unsigned char *want = find(c, &runs);
	size_t size = case_bytes(c, OUT_D) * runs;
	unsigned char *got;

	STREQ(c->name, want ? c->name : "not recorded");
	got = malloc(size);
	OK(got != NULL);
	run_kernel(dev, c, runs, got);
	for (size_t i = 0; i < size; i += 2) {
		uint16_t u, v;

		memcpy(&u, want + i, sizeof(u));
		memcpy(&v, got + i, sizeof(v));
		if (u != v) {
			fprintf(stderr, "run %zu, byte %zu:\n",
				i / case_bytes(c, OUT_D),
				i % case_bytes(c, OUT_D));
			test_eq(__FILE__, __LINE__, c->name, test_unsigned(u),
				test_unsigned(v));
		}
	}
	free(got);
}

static void check_kind(enum case_kind kind)
{
	struct heddle_device *dev;
	struct heddle_error err;
	int count = 0;

	open_file();
	good(heddle_device_new(&dev, NULL, &err), &err);
	for (int i = 0; i < mma_case_count; i++) {
		if (mma_cases[i].kind != kind)
			continue;
		check_case(dev, &mma_cases[i]);
		count++;
	}
	heddle_device_free(dev);
	OK(count > 0);
}

TEST(mma, mma_computes_what_an_h200_does)
{
	check_kind(CASE_MMA);
}

TEST(mma, sparse_mma_computes_what_an_h200_does)
{
	check_kind(CASE_SPARSE);
}

TEST(mma, wmma_computes_what_an_h200_does)
{
	check_kind(CASE_WMMA);
}

TEST(mma, wmma_load_puts_elements_where_an_h200_does)
{
	check_kind(CASE_LOAD);
}

TEST(mma, ldmatrix_loads_what_an_h200_does)
{
	check_kind(CASE_LDM);
}

TEST(mma, stmatrix_stores_what_an_h200_does)
{
	check_kind(CASE_STM);
}

TEST(mma, movmatrix_moves_what_an_h200_does)
{
	check_kind(CASE_MOV);
}

static const char *check(struct mma_operands *o, const char *text)
{
	struct ptx_opcode op;
	bool matched = false;

	EQ(1, ptx_match(&op, text, strlen(text), &matched) > 0);
	STREQ(text, matched ? text : "no such opcode");
	return mma_operands(o, &op);
}

TEST(mma, every_recorded_instruction_has_the_registers_that_were_recorded)
{
	for (int i = 0; i < mma_case_count; i++) {
		const struct mma_case *c = &mma_cases[i];
		struct mma_operands o;
		const struct frag *d = &c->frag[OUT_D];

		if (c->kind == CASE_MOV)
			continue;
		STREQ(NULL, check(&o, c->op));
		if (c->kind == CASE_STM)
			d = &c->frag[IN_A];
		EQ(d->regs, o.count[0]);
		EQ(d->elem == EL_F64 ? 8 : 4, o.bytes[0]);
		if (c->kind > CASE_WMMA)
			continue;
		for (int w = IN_A; w <= IN_C; w++)
			EQ(c->frag[w].regs, o.count[w + 1]);
	}
}

TEST(mma, what_is_no_matrix_instruction_is_refused)
{
	static const char *const bad[] = {
		"mma.sync.aligned.m16n8k256.row.col.f32.f16.f16.f32",
		"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32",
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
		"mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
		"mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32",
		"mma.sync.aligned.m16n8k8.row.col.s32.b1.b1.s32.xor.popc",
		"wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32",
		"wmma.mma.sync.aligned.row.col.m8n8k4.f32.bf16.bf16.f32",
		"wmma.mma.sync.aligned.col.col.m8n8k32.s32.s4.s4.s32",
		"wmma.load.a.sync.aligned.row.m16n16k8.global.f16",
		"wmma.load.b.sync.aligned.row.m8n8k32.global.s4",
		"wmma.load.c.sync.aligned.row.m16n16k8.global.s32",
		"wmma.store.d.sync.aligned.row.m16n8k16.global.f32",
		"mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
		"mma.sp.sync.aligned.m16n8k32.row.col.f32.tf32.tf32.f32",
		"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.bf16.f32",
		"mma.sp.sync.aligned.m16n8k32.row.row.f32.f16.f16.f32",
		"mma.sp.sync.aligned.m16n8k32.row.col.f16.bf16.bf16.f16",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mma_operands o;

		STREQ(bad[i], check(&o, bad[i]) ? bad[i] : "accepted");
	}
}

/* Loads a sparse instruction with this selector; what is wrong with it. */
static const char *selector_error(struct heddle_device *dev, const char *op,
				  const char *regs, const char *selector)
{
	static struct heddle_error err;
	struct heddle_module *mod;
	char text[1000];

	snprintf(text, sizeof(text),
		 ".version 8.5\n.target sm_90\n.address_size 64\n"
		 ".visible .entry k() { .reg .f32 %%d<4>; .reg .b32 %%a<4>;\n"
		 "%s {%%d0, %%d1, %%d2, %%d3}, %s, %s, "
		 "{%%d0, %%d1, %%d2, %%d3}, %%a0, %s; ret; }\n",
		 op, regs, regs, selector);
	if (heddle_module_load(dev, &mod, "k", text, strlen(text), &err))
		return err.text;
	heddle_module_free(dev, mod);
	return "";
}

TEST(mma, selectors_that_a_shape_does_not_have_are_errors)
{
	static const char k16[] =
		"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
	static const char k32[] =
		"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32";
	static const char two[] = "{%a0, %a1}", four[] = "{%a0, %a1, %a2, %a3}";
	struct heddle_device *dev;
	struct heddle_error err;

	good(heddle_device_new(&dev, NULL, &err), &err);
	STREQ("", selector_error(dev, k16, two, "3"));
	OK(strstr(selector_error(dev, k16, two, "4"),
		  "sparsity selector 4: this shape does not have it"));
	STREQ("", selector_error(dev, k32, four, "1"));
	OK(strstr(selector_error(dev, k32, four, "2"), "selector 2"));
	OK(strstr(selector_error(dev, k32, four, "%a1"), "must be a constant"));
	OK(strstr(selector_error(dev, k32, two, "0"),
		  "has 2 registers, expected 4"));
	heddle_device_free(dev);
}
