/*
 * The tool chain of FastLanes: what is refused, registers, spills, reconvergence
 * points; and the CODE file, where every damaged byte is noticed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastlanes/compile.h"
#include "test.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* A kernel with the body; its first line is line 9 of the text. */
static const char *kernel_text(const char *body)
{
	static char text[65536];

	snprintf(
		text, sizeof(text),
		HEAD
		".visible .entry k(.param .u64 p, .param .u8 c, .param .u32 n)\n"
		"{\n"
		".reg .b32 %%r<100>; .reg .f32 %%f<100>; .reg .pred %%p<50>;\n"
		".reg .b64 %%rd<50>; .reg .f64 %%fd<4>; .reg .b16 %%h<8>;\n"
		".shared .align 4 .b8 sh[64]; .local .align 4 .b8 loc[12];\n"
		"%s\n}\n",
		body);
	return text;
}

static struct fl_code *compiled(const char *body)
{
	const char *text = kernel_text(body);
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	if (fl_compile(&c, "k.ptx", text, strlen(text), NULL, &d))
		STREQ("", d.text);
	return c;
}

/* The message of a body that is refused. */
static const char *refusal(const char *body)
{
	const char *text = kernel_text(body);
	static struct diag d;
	struct fl_code *c = NULL;

	d = (struct diag){ 0 };
	if (fl_compile(&c, "k.ptx", text, strlen(text), NULL, &d))
		return d.text;
	fl_code_free(c);
	return "";
}

static struct fl_inst inst_at(const struct fl_code *c, uint32_t i)
{
	struct fl_inst in;

	STREQ(NULL, fl_decode(&in, c->words[i]));
	return in;
}

static unsigned count_op(const struct fl_code *c, enum fl_op op)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < c->word_count; i++)
		n += inst_at(c, i).op == op;
	return n;
}

/* The code of the first kernel as text, without the words. */
static const char *listing(const struct fl_code *c)
{
	static char text[8192];
	size_t used = 0;

	for (uint32_t i = 0; i < c->word_count; i++) {
		struct fl_inst in = inst_at(c, i);
		char one[128];

		fl_print(one, sizeof(one), &in);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s\n", one);
	}
	return text;
}

TEST(fastlanes_compile, what_it_does_not_have_is_refused_by_name_and_line)
{
	static const struct {
		const char *body, *message;
	} cases[] = {
		{ "add.f64 %fd1, %fd1, %fd1;",
		  "k.ptx:9:1: add.f64: FastLanes has no double precision" },
		{ "cvt.f64.f32 %fd1, %f1;",
		  "k.ptx:9:1: cvt.f64.f32: FastLanes has no double precision" },
		{ "add.f16 %h1, %h1, %h2;",
		  "k.ptx:9:1: add.f16: FastLanes has no half precision" },
		{ "cvt.rn.f16.f32 %h1, %f1;",
		  "k.ptx:9:1: cvt.rn.f16.f32: FastLanes has no half precision" },
		{ "\natom.global.add.u32 %r1, [%rd1], 1;",
		  "k.ptx:10:1: atom.global.add.u32: FastLanes has no atomics" },
		{ "red.global.add.u32 [%rd1], 1;",
		  "k.ptx:9:1: red.global.add.u32: FastLanes has no atomics" },
		{ "tex.1d.v4.s32.s32 {%r1,%r2,%r3,%r4}, [%rd1, {%r5}];",
		  "k.ptx:9:1: tex.1d.v4.s32.s32: FastLanes has no textures and "
		  "surfaces" },
		{ "suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}];",
		  "k.ptx:9:1: suld.b.1d.b32.trap: FastLanes has no textures and "
		  "surfaces" },
		{ "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1,%r2}, "
		  "{%r3}, {%r4}, {%r5,%r6};",
		  "k.ptx:9:1: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32: "
		  "FastLanes has no matrix units" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1];",
		  "k.ptx:9:1: ldmatrix.sync.aligned.m8n8.x1.shared.b16: "
		  "FastLanes has no matrix units" },
		{ "cp.async.ca.shared.global [%r1], [%rd1], 4;",
		  "k.ptx:9:1: cp.async.ca.shared.global: FastLanes has no "
		  "asynchronous copies" },
		{ "cp.async.wait_all;",
		  "k.ptx:9:1: cp.async.wait_all: FastLanes has no asynchronous "
		  "copies" },
		{ "fma.rn.bf16 %h1, %h2, %h3, %h4;",
		  "k.ptx:9:1: fma.rn.bf16: FastLanes has no half precision" },
		{ "div.s64 %rd1, %rd2, %rd3;",
		  "k.ptx:9:1: div.s64: FastLanes has no such instruction" },
		{ "bar.sync 1;", "k.ptx:9:1: bar.sync: FastLanes has barrier 0 "
				 "of all threads only" },
		{ "mov.u32 %r1, %clock;",
		  "k.ptx:9:1: mov.u32: FastLanes has no %clock" },
		{ "mov.u32 %r1, %smid;",
		  "k.ptx:9:1: mov.u32: FastLanes has no %smid" },
		{ "cvta.shared.u64 %rd1, %rd2;",
		  "k.ptx:9:1: cvta.shared.u64: FastLanes has no generic "
		  "addresses of this space" },
		{ "{ .param .b32 a; st.param.b32 [a], %r1; }",
		  "k.ptx:9:18: st.param.b32: FastLanes has no calls of "
		  "functions" },
		{ "dp4a.u32.u32 %r1, %r2, %r3, %r4;",
		  "k.ptx:9:1: dp4a.u32.u32: FastLanes has no such instruction" },
		{ "cvt.sat.u8.s64 %r1, %rd2;",
		  "k.ptx:9:1: cvt.sat.u8.s64: FastLanes saturates integers of "
		  "up to 32 bits" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		STREQ(cases[i].message, refusal(cases[i].body));
}

TEST(fastlanes_compile, only_the_chosen_kernel_is_compiled)
{
	static const char text[] = HEAD
		".visible .entry good() { ret; }\n"
		".visible .entry bad() { .reg .f64 %d; add.f64 %d,%d,%d; }";
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	EQ(ERR_UNSUPP, fl_compile(&c, "m.ptx", text, strlen(text), NULL, &d));
	EQ(ERR_OK, fl_compile(&c, "m.ptx", text, strlen(text), "good", &d));
	EQ(1u, c->kernel_count);
	STREQ("good", c->kernels[0].name);
	fl_code_free(c);
	EQ(ERR_UNKNOWN,
	   fl_compile(&c, "m.ptx", text, strlen(text), "other", &d));
	STREQ("m.ptx: no kernel named 'other'", d.text);
}

/* The upper word of an address is never computed, the sign of an index neither. */
TEST(fastlanes_compile, addresses_take_one_register)
{
	struct fl_code *c = compiled("ld.param.u64 %rd1, [p];\n"
				     "ld.param.u32 %r1, [n];\n"
				     "mul.wide.s32 %rd2, %r1, 4;\n"
				     "add.s64 %rd3, %rd1, %rd2;\n"
				     "st.global.u32 [%rd3+8], %r1;\n"
				     "ret;");

	STREQ("ldp r0, [0x0]\n"
	      "ldp r1, [0xc]\n"
	      "imul r2, r1, 0x4\n"
	      "iadd r0, r0, r2\n"
	      "stg.b32 [r0+8], r1\n"
	      "exit\n"
	      "exit\n",
	      listing(c));
	fl_code_free(c);
}

/* Members of a structure are loaded from an address that is copied and moved on. */
TEST(fastlanes_compile, a_copied_address_of_a_parameter_is_a_constant)
{
	struct fl_code *c = compiled("mov.b64 %rd1, p;\n"
				     "add.s64 %rd2, %rd1, 8;\n"
				     "mov.u64 %rd3, %rd2;\n"
				     "ld.param.u32 %r1, [%rd3+4];\n"
				     "ld.param.u64 %rd4, [%rd1];\n"
				     "st.global.u32 [%rd4], %r1;");

	STREQ("ldp r0, [0xc]\n"
	      "ldp r1, [0x0]\n"
	      "stg.b32 [r1], r0\n"
	      "exit\n",
	      listing(c));
	fl_code_free(c);
	STREQ("k.ptx:10:1: st.global.u64: FastLanes has no addresses of "
	      "parameters but for loads of them",
	      refusal("mov.b64 %rd1, p;\nst.global.u64 [%rd2], %rd1;"));
	STREQ("k.ptx:10:1: cvta.param.u64: FastLanes has no generic addresses "
	      "of this space",
	      refusal("mov.b64 %rd1, p;\ncvta.param.u64 %rd2, %rd1;"));
	/* One that is written twice is none. */
	STREQ("k.ptx:9:1: mov.b64: FastLanes has no address for 'p'",
	      refusal("mov.b64 %rd1, p;\nmov.b64 %rd1, c;\n"
		      "ld.param.u32 %r1, [%rd1];"));
}

TEST(fastlanes_compile, values_of_64_bits_are_pairs_with_a_carry)
{
	struct fl_code *c = compiled("ld.param.u64 %rd1, [p];\n"
				     "ld.global.u64 %rd2, [%rd1];\n"
				     "add.s64 %rd2, %rd2, -1;\n"
				     "st.global.u64 [%rd1], %rd2;\n");

	STREQ("ldp r0, [0x0]\n"
	      "ldg.b32 r1, [r0]\n"
	      "ldg.b32 r2, [r0+4]\n"
	      "iadd.co r1, r1, 0xffffffff, p0\n"
	      "iadd.ci r2, r2, 0xffffffff, p0\n"
	      "stg.b32 [r0], r1\n"
	      "stg.b32 [r0+4], r2\n"
	      "exit\n",
	      listing(c));
	fl_code_free(c);
}

TEST(fastlanes_compile, a_branch_has_its_reconvergence_point)
{
	struct fl_code *c = compiled("setp.eq.u32 %p1, %r1, 0;\n"
				     "@%p1 bra A;\n"
				     "mov.u32 %r2, 1;\n"
				     "bra.uni B;\n"
				     "A: mov.u32 %r2, 2;\n"
				     "B: st.shared.u32 [sh], %r2;\n"
				     "@%p1 exit;\n"
				     "st.shared.u32 [sh+4], %r2;\n"
				     "ret;");

	STREQ("isetp.eq.u p0, r1, 0x0\n"
	      "@p0 bra 4, 5\n"
	      "mov r0, 0x1\n"
	      "bra 5, 5\n"
	      "mov r0, 0x2\n"
	      "sts.b32.abs [0x0], r0\n"
	      "@p0 exit\n"
	      "sts.b32.abs [0x4], r0\n"
	      "exit\n"
	      "exit\n",
	      listing(c));
	EQ(64u, c->kernels[0].shared);
	fl_code_free(c);
}

/* n values that live from the beginning to the end. */
static struct fl_code *many_values(int n)
{
	char body[16384];
	size_t used = 0;

	used += (size_t)snprintf(body + used, sizeof(body) - used,
				 "ld.param.u64 %%rd1, [p];\n");
	for (int i = 0; i < n; i++)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
					 "ld.global.u32 %%r%d, [%%rd1+%d];\n",
					 i + 1, 4 * i);
	for (int i = n; i-- > 0;)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
					 "st.global.u32 [%%rd1+%d], %%r%d;\n",
					 4 * i + 4, i + 1);
	return compiled(body);
}

TEST(fastlanes_compile, thirty_one_values_and_an_address_fit)
{
	struct fl_code *c = many_values(31);

	EQ(32u, c->kernels[0].regs);
	EQ(0u, c->kernels[0].local);
	EQ(0u, count_op(c, FL_LDL));
	fl_code_free(c);
}

TEST(fastlanes_compile, further_values_are_spilled_to_local_memory)
{
	struct fl_code *c = many_values(40);

	EQ(32u, c->kernels[0].regs);
	/* 41 values with the address, which stays because it is used most. */
	EQ(4 * (41 - 32), c->kernels[0].local);
	EQ(c->kernels[0].local / 4, count_op(c, FL_STL));
	EQ(c->kernels[0].local / 4, count_op(c, FL_LDL));
	EQ(40u, count_op(c, FL_LDG));
	fl_code_free(c);
}

/* Nine values for seven predicates: two are words, which are compared again. */
TEST(fastlanes_compile, further_predicates_are_held_in_registers)
{
	char body[8192];
	size_t used = 0;
	struct fl_code *c;

	for (int i = 1; i <= 9; i++)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
					 "setp.lt.u32 %%p%d, %%r1, %d;\n", i,
					 i);
	for (int i = 9; i > 0; i--)
		used += (size_t)snprintf(body + used, sizeof(body) - used,
					 "@%%p%d st.shared.u32 [sh], %%r1;\n",
					 i);
	c = compiled(body);
	EQ(7u, c->kernels[0].preds);
	EQ(0u, c->kernels[0].local);
	EQ(2u, count_op(c, FL_SEL));
	EQ(9u + 2, count_op(c, FL_ISETP));
	fl_code_free(c);
}

/* .local variables come first, spills behind them. */
TEST(fastlanes_compile, local_variables_have_their_place)
{
	struct fl_code *c = compiled("st.local.u32 [loc+8], %r1;\n"
				     "mov.u64 %rd1, loc;\n"
				     "ld.local.s8 %r2, [%rd1+3];\n"
				     "st.local.u16 [%rd1], %r2;\n");

	STREQ("stl.b32.abs [0x8], r1\n"
	      "ldl.s8.abs r0, [0x3]\n"
	      "stl.u16.abs [0x0], r0\n"
	      "exit\n",
	      listing(c));
	EQ(12u, c->kernels[0].local);
	fl_code_free(c);
}

TEST(fastlanes_compile, variables_have_addresses_and_initial_values)
{
	static const char text[] = HEAD
		".global .align 4 .u32 a = 7;\n"
		".const .align 2 .u16 t[3] = {1, 2, 3};\n"
		".global .align 8 .u64 at = t;\n"
		".global .align 4 .b8 big[1000];\n"
		".visible .entry k() { ret; }";
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	EQ(ERR_OK, fl_compile(&c, "v.ptx", text, strlen(text), NULL, &d));
	EQ(4u, c->var_count);
	EQ(0x10000u, c->vars[0].address);
	EQ(0x10010u, c->vars[1].address);
	EQ(1u, c->vars[1].constant);
	EQ(0x10030u, c->vars[3].address);
	EQ(0x30u + 1000, c->data_bytes);
	EQ(0x28u, c->init_bytes);
	EQ(7, c->init[0]);
	EQ(2, c->init[0x12]);
	/* The address of t. */
	EQ(0x10, c->init[0x20]);
	EQ(1, c->init[0x22]);
	fl_code_free(c);
}

/* ---- the file ---------------------------------------------------------- */

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes sample(void)
{
	struct fl_code *c = compiled("ld.param.u64 %rd1, [p];\n"
				     "ld.param.s8 %r1, [c];\n"
				     "st.global.u32 [%rd1], %r1;\n");
	struct diag d = { 0 };
	struct bytes b;

	EQ(ERR_OK, fl_code_write(c, &b.data, &b.size, &d));
	fl_code_free(c);
	return b;
}

static const char *why_not(const struct bytes *b)
{
	static struct diag d;
	struct fl_code *c = NULL;

	d = (struct diag){ 0 };
	if (fl_code_read(&c, "x.code", b->data, b->size, &d))
		return d.text;
	fl_code_free(c);
	return "";
}

TEST(fastlanes_code, a_file_reads_back_as_what_was_written)
{
	struct bytes b = sample(), again;
	struct fl_code *c = NULL;
	struct diag d = { 0 };

	EQ(ERR_OK, fl_code_read(&c, "x.code", b.data, b.size, &d));
	EQ(3u, c->param_count);
	STREQ("c", c->params[1].name);
	STREQ("u8", c->params[1].type);
	EQ(8u, c->params[1].offset);
	EQ(16u, c->kernels[0].param_bytes);
	EQ(ERR_OK, fl_code_write(c, &again.data, &again.size, &d));
	EQ(b.size, again.size);
	EQ(0, memcmp(b.data, again.data, b.size));
	fl_code_free(c);
	free(b.data);
	free(again.data);
}

/* Padding between sections is not covered by a checksum, and not looked at. */
TEST(fastlanes_code, every_damaged_byte_is_noticed)
{
	static const char *const sections[] = { "STRS", "PARM", "KERN",
						"VARS", "DATA", "CODE" };
	struct bytes b = sample();
	unsigned unnoticed = 0, named = 0;

	for (size_t i = 0; i < b.size; i++) {
		const char *why;

		b.data[i] ^= 1u << i % 8;
		why = why_not(&b);
		unnoticed += !*why;
		for (int s = 0; s < 6; s++)
			named += strstr(why, "section ") &&
				 strstr(why, sections[s]);
		b.data[i] ^= 1u << i % 8;
	}
	OK(unnoticed < 6 * 8);
	/* All but those of the header name a section. */
	EQ(b.size - 24 - 6 * 16 - unnoticed, named);
	free(b.data);
}

TEST(fastlanes_code, a_cut_file_is_refused)
{
	struct bytes b = sample();
	size_t size = b.size;

	for (size_t n = 0; n < size; n++) {
		b.size = n;
		OK(*why_not(&b));
	}
	b.size = 8;
	STREQ("x.code: the header is cut: 8 of 120 bytes", why_not(&b));
	b.data[0] = 'X';
	STREQ("x.code: not a CODE file: it does not begin with FASTLANE",
	      why_not(&b));
	free(b.data);
}

/* Writes the code with one word changed, and reads it. */
static const char *why_not_word(uint32_t at, uint64_t word)
{
	struct fl_code *c = compiled("ld.param.u32 %r1, [n];\n"
				     "setp.eq.u32 %p1, %r1, 0;\n"
				     "@%p1 bra L;\n"
				     "st.shared.u32 [sh], %r1;\n"
				     "L: ret;");
	static char text[480];
	struct diag d = { 0 };
	struct bytes b;

	EQ(6u, c->word_count);
	c->words[at] = word;
	EQ(ERR_OK, fl_code_write(c, &b.data, &b.size, &d));
	snprintf(text, sizeof(text), "%s", why_not(&b));
	fl_code_free(c);
	free(b.data);
	return text;
}

TEST(fastlanes_code, code_that_leaves_the_kernel_is_refused)
{
	uint64_t exit = 0x51 | 7 << 7;
	uint64_t bra = 0x50 | 7 << 7 | 1u << 31;

	STREQ("", why_not_word(4, bra | UINT64_C(5) << 32 | UINT64_C(5) << 48));
	STREQ("x.code: section CODE: k: instruction 4, 0x00050006800003d0: a "
	      "branch leaves the kernel",
	      why_not_word(4, bra | UINT64_C(6) << 32 | UINT64_C(5) << 48));
	STREQ("x.code: section CODE: k: instruction 4, 0x00060005800003d0: a "
	      "branch leaves the kernel",
	      why_not_word(4, bra | UINT64_C(5) << 32 | UINT64_C(6) << 48));
	STREQ("x.code: section CODE: k: instruction 5, 0x0000000000000380: the "
	      "kernel runs past its end",
	      why_not_word(5, 0x380));
	STREQ("x.code: section CODE: k: instruction 5, 0x0000000000000051: the "
	      "kernel runs past its end",
	      why_not_word(5, 0x51));
	STREQ("x.code: section CODE: k: instruction 0, 0x0000000000000151: a "
	      "register beyond those that the kernel states",
	      why_not_word(0, 0x51 | 2 << 7));
	STREQ("x.code: section CODE: k: instruction 0, 0x0000001080000384: a "
	      "parameter beyond the kernel's",
	      why_not_word(0, 0x384 | 1u << 31 | UINT64_C(16) << 32));
	STREQ("", why_not_word(0, exit));
}
