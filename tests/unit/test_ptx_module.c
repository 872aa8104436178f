/* Directives, variables and initial values of a PTX module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/module.h"
#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

static struct ptx_module *parse_whole(const char *text)
{
	struct ptx_module *m;
	struct diag d = { .text = "" };
	enum err e = ptx_parse(&m, "t", text, strlen(text), &d);

	STREQ("", d.text);
	EQ(ERR_OK, e);
	return m;
}

static struct ptx_module *parse(const char *text)
{
	char buf[4096];

	snprintf(buf, sizeof(buf), HEADER "%s", text);
	return parse_whole(buf);
}

/* The little-endian word at element i of a variable. */
static uint64_t word(const struct ptx_var *v, int i)
{
	uint64_t x = 0;

	memcpy(&x, v->init + (size_t)i * ptx_types[v->type].bytes,
	       ptx_types[v->type].bytes);
	return x;
}

TEST(ptx_module, the_header_is_kept)
{
	struct ptx_module *m = parse_whole(
		".version 7.8 .target sm_90a, texmode_independent, debug "
		".address_size 64");

	EQ(7, m->version_major);
	EQ(8, m->version_minor);
	EQ(90, m->sm);
	EQ(64, m->address_size);
	STREQ("sm_90a, texmode_independent, debug", m->target);
	ptx_module_free(m);
}

TEST(ptx_module, addresses_have_32_bits_unless_said_otherwise)
{
	struct ptx_module *m =
		parse_whole(".version 1.4\n.target sm_13, map_f64_to_f32\n");

	EQ(32, m->address_size);
	EQ(13, m->sm);
	ptx_module_free(m);
}

TEST(ptx_module, files_and_pragmas_are_kept_by_number_and_in_order)
{
	struct ptx_module *m = parse(".file 2 \"b.cu\", 12, 34\n"
				     ".file 1 \"a.cu\"\n"
				     ".pragma \"x\", \"y\";");

	EQ(3, m->file_count);
	STREQ(NULL, m->files[0]);
	STREQ("a.cu", m->files[1]);
	STREQ("b.cu", m->files[2]);
	EQ(2, m->pragma_count);
	STREQ("y", m->pragmas[1]);
	ptx_module_free(m);
}

TEST(ptx_module, an_alias_is_another_name_for_a_function)
{
	struct ptx_module *m = parse(".func a(.param .b32 x);\n"
				     ".func b(.param .b32 y) { ret; }\n"
				     ".alias a, b;\n");
	char *text = ptx_print(m);

	OK(ptx_aliased(ptx_find_func(m, "a")) == ptx_find_func(m, "b"));
	OK(strstr(text, ".alias a, b;") != NULL);
	free(text);
	ptx_module_free(m);
}

TEST(ptx_module, sections_and_dwarf_lines_are_read_over)
{
	struct ptx_module *m = parse(".section .debug_info { .b8 1 { } l: }\n"
				     "@@DWARF .byte 1 { ; \"\n"
				     ".global .u32 x;");

	EQ(1, m->var_count);
	ptx_module_free(m);
}

TEST(ptx_module, a_variable_has_what_its_declaration_says)
{
	struct ptx_module *m =
		parse(".visible .global .align 16 .v2 .f32 x[3][5];");
	struct ptx_var *v = ptx_find_var(m, "x");

	EQ(SPACE_GLOBAL, v->space);
	EQ(PTX_LINK_VISIBLE, v->linkage);
	EQ(PTX_F32, v->type);
	EQ(2, v->vec);
	EQ(2, v->dims);
	EQ(3, v->dim[0]);
	EQ(5, v->dim[1]);
	EQ(120, v->bytes);
	EQ(16, v->align);
	EQ(4, v->loc.line);
	EQ(37, v->loc.col);
	EQ(NULL, v->init);
	EQ(NULL, v->owner);
	ptx_module_free(m);
}

TEST(ptx_module, a_variable_is_aligned_to_its_elements)
{
	struct ptx_module *m = parse(".global .v4 .f32 x[2]; .const .u8 y[9];");

	EQ(16, ptx_find_var(m, "x")->align);
	EQ(1, ptx_find_var(m, "y")->align);
	EQ(SPACE_CONST, ptx_find_var(m, "y")->space);
	ptx_module_free(m);
}

TEST(ptx_module, linkage_spaces_and_attributes)
{
	struct ptx_module *m =
		parse(".weak .const[3] .u32 a; .common .global .u32 b;\n"
		      ".extern .shared .align 8 .b8 c[]; .local .u32 d;\n"
		      ".global .attribute(.managed) .u32 e;\n"
		      ".global .attribute(.unified(1, 2), .managed) .u32 f;\n"
		      ".tex .u32 g; .global .surfref h; .global .u32 i, j[2];");

	EQ(PTX_LINK_WEAK, ptx_find_var(m, "a")->linkage);
	EQ(3, ptx_find_var(m, "a")->bank);
	EQ(PTX_LINK_COMMON, ptx_find_var(m, "b")->linkage);
	EQ(PTX_LINK_EXTERN, ptx_find_var(m, "c")->linkage);
	EQ(SPACE_SHARED, ptx_find_var(m, "c")->space);
	EQ(0, ptx_find_var(m, "c")->bytes);
	EQ(0, ptx_find_var(m, "c")->dim[0]);
	EQ(SPACE_LOCAL, ptx_find_var(m, "d")->space);
	OK(ptx_find_var(m, "e")->managed);
	OK(ptx_find_var(m, "f")->managed);
	EQ(PTX_TEXREF, ptx_find_var(m, "g")->type);
	EQ(PTX_SURFREF, ptx_find_var(m, "h")->type);
	EQ(9, ptx_find_var(m, "j")->index);
	EQ(10, m->var_count);
	ptx_module_free(m);
}

TEST(ptx_module, integers_are_cut_to_their_type)
{
	struct ptx_module *m = parse(".global .u8 a[4] = {1, 300, -1, 0x7f};"
				     ".global .s16 b[2] = {-2, 5};"
				     ".global .u64 c = 0xFFFFFFFFFFFFFFFF;");

	EQ(44, word(ptx_find_var(m, "a"), 1));
	EQ(255, word(ptx_find_var(m, "a"), 2));
	EQ(0xfffe, word(ptx_find_var(m, "b"), 0));
	EQ(UINT64_MAX, word(ptx_find_var(m, "c"), 0));
	ptx_module_free(m);
}

TEST(ptx_module, nested_braces_leave_the_rest_zero)
{
	struct ptx_module *m = parse(".global .u32 x[2][3] = {{1, 2}, {4}};"
				     ".global .v2 .u32 y[2] = {{1}, {2, 3}};");
	struct ptx_var *x = ptx_find_var(m, "x"), *y = ptx_find_var(m, "y");
	static const uint32_t want[] = { 1, 2, 0, 4, 0, 0 };

	for (int i = 0; i < 6; i++)
		EQ(want[i], word(x, i));
	EQ(1, word(y, 0));
	EQ(0, word(y, 1));
	EQ(3, word(y, 3));
	ptx_module_free(m);
}

TEST(ptx_module, an_open_dimension_takes_the_number_of_values)
{
	struct ptx_module *m = parse(".global .u16 x[][2] = {{1}, {2}, {3}};");
	struct ptx_var *x = ptx_find_var(m, "x");

	EQ(3, x->dim[0]);
	EQ(12, x->bytes);
	EQ(3, word(x, 4));
	ptx_module_free(m);
}

TEST(ptx_module, values_that_are_all_zero_take_no_memory)
{
	struct ptx_module *m = parse(
		".global .b8 x[1000000000] = {0, 0}; .global .u32 y = 0;");

	EQ(NULL, ptx_find_var(m, "x")->init);
	EQ(NULL, ptx_find_var(m, "y")->init);
	ptx_module_free(m);
}

TEST(ptx_module, floating_point_values_are_converted_to_the_type)
{
	struct ptx_module *m = parse(
		".global .f32 a[4] = {0f3F800000, 1.5, 2, -0f3F800000};"
		".global .f64 b[3] = {0d3FF0000000000000, 0f3F800000, -1};"
		".global .b32 c = 0f3F800000;");
	struct ptx_var *a = ptx_find_var(m, "a"), *b = ptx_find_var(m, "b");

	EQ(0x3f800000, word(a, 0));
	EQ(0x3fc00000, word(a, 1));
	EQ(0x40000000, word(a, 2));
	EQ(0xbf800000, word(a, 3));
	EQ(0x3ff0000000000000, word(b, 0));
	EQ(0x3ff0000000000000, word(b, 1));
	EQ(0xbff0000000000000, word(b, 2));
	EQ(0x3f800000, word(ptx_find_var(m, "c"), 0));
	ptx_module_free(m);
}

static void evaluates(const char *text, int64_t want)
{
	char buf[200];
	struct ptx_module *m;
	struct ptx_var *v;

	snprintf(buf, sizeof(buf), ".global .s64 x[2] = {%s, 1};", text);
	m = parse(buf);
	v = ptx_find_var(m, "x");
	EQ(want, (int64_t)word(v, 0));
	ptx_module_free(m);
}

TEST(ptx_module, constant_expressions_follow_c)
{
	evaluates("1 + 2 * 3", 7);
	evaluates("(1 + 2) * 3", 9);
	evaluates("10 - 4 - 3", 3);
	evaluates("-7 / 2", -3);
	evaluates("-7 % 4", -3);
	evaluates("(.u64)-1 / 2", INT64_MAX);
	evaluates("-8 >> 1", -4);
	evaluates("0x8000000000000000 >> 63", 1);
	evaluates("1 << 64", 0);
	evaluates("-1 >> 70", -1);
	evaluates("5 & 3 | 8 ^ 1", 9);
	evaluates("~0", -1);
	evaluates("!3 + !0", 1);
	evaluates("3 < 4 && 4 <= 4 && 5 > 4 && 5 >= 5", 1);
	evaluates("-1 < 0U", 0);
	evaluates("1 == 2 || 1 != 1", 0);
	evaluates("0 ? 5 : 1 ? 6 : 7", 6);
	evaluates("1.5 < 2", 1);
	evaluates("(0x7fffffffffffffff + 1) / -1", INT64_MIN);
	evaluates("(.s64)0xFFFFFFFFFFFFFFFF", -1);
	evaluates("WARP_SZ", 32);
}

TEST(ptx_module, addresses_become_relocations)
{
	struct ptx_module *m =
		parse(".global .u32 d[4]; .func f();"
		      ".global .u64 x[5] = {d, 7, generic(d)+8, (d - 4), f};");
	struct ptx_var *x = ptx_find_var(m, "x"), *d = ptx_find_var(m, "d");
	struct ptx_reloc *r = x->relocs;

	EQ(7, word(x, 1));
	EQ(0, r->offset);
	EQ(d, r->var);
	EQ(0, r->addend);
	EQ(8, r->size);
	OK(!r->generic);
	r = r->next;
	EQ(16, r->offset);
	EQ(8, r->addend);
	OK(r->generic);
	r = r->next;
	EQ(-4, r->addend);
	r = r->next;
	EQ(32, r->offset);
	EQ(NULL, r->var);
	EQ(ptx_find_func(m, "f"), r->func);
	EQ(NULL, r->next);
	ptx_module_free(m);
}

TEST(ptx_module, a_mask_takes_one_byte_of_an_address)
{
	struct ptx_module *m =
		parse(".global .u32 d; .global .u8 x[2] = "
		      "{0xFF00(d), 0xFF00000000000000(generic(d)+4)};");
	struct ptx_reloc *r = ptx_find_var(m, "x")->relocs;

	EQ(8, r->shift);
	EQ(1, r->size);
	r = r->next;
	EQ(1, r->offset);
	EQ(56, r->shift);
	EQ(4, r->addend);
	OK(r->generic);
	ptx_module_free(m);
}

TEST(ptx_module, an_extern_variable_may_be_defined_later)
{
	struct ptx_module *m =
		parse(".extern .global .u32 x[]; .global .u64 p = x;\n"
		      ".visible .global .u32 x[3] = {1};\n"
		      ".extern .global .u32 x[3];");
	struct ptx_var *x = ptx_find_var(m, "x");

	EQ(2, m->var_count);
	EQ(12, x->bytes);
	EQ(PTX_LINK_VISIBLE, x->linkage);
	EQ(0, x->index);
	EQ(x, ptx_find_var(m, "p")->relocs->var);
	EQ(5, x->loc.line);
	ptx_module_free(m);
}

/* As nvcc writes a pointer to a function, and a structure that has one. */
TEST(ptx_module, an_extern_variable_may_be_defined_as_other_types_of_its_size)
{
	struct ptx_module *m = parse(".extern .global .b64 p; .global .u32 f;\n"
				     ".extern .global .align 8 .b8 s[16];\n"
				     ".visible .global .u64 p = f;\n"
				     ".visible .global .u64 s[2] = {f, 5};\n"
				     ".extern .global .b64 p;");

	EQ(3, m->var_count);
	EQ(PTX_U64, ptx_find_var(m, "p")->type);
	EQ(PTX_LINK_VISIBLE, ptx_find_var(m, "p")->linkage);
	EQ(16, ptx_find_var(m, "s")->bytes);
	EQ(5, ptx_find_var(m, "s")->init[8]);
	ptx_module_free(m);
}

TEST(ptx_module, a_kernel_has_its_parameters_and_limits)
{
	struct ptx_module *m =
		parse(".visible .entry k(.param .u64 .ptr .global .align 8 a,\n"
		      "	.param .align 8 .b8 s[48], .param .u64 .ptr b)\n"
		      ".maxntid 256, 2 .reqntid 8 .minnctapersm 2 .maxnreg 40\n"
		      ".maxnctapersm 4 .abi_preserve 3 .maxclusterrank 8\n"
		      ".reqnctapercluster 1, 1, 1 { ret; }");
	struct ptx_func *f = ptx_find_func(m, "k");

	OK(f->is_entry && f->has_body);
	EQ(PTX_LINK_VISIBLE, f->linkage);
	EQ(3, f->param_count);
	STREQ("a", f->params[0]->name);
	OK(f->params[0]->is_ptr);
	EQ(SPACE_GLOBAL, f->params[0]->ptr_space);
	EQ(8, f->params[0]->ptr_align);
	EQ(48, f->params[1]->bytes);
	EQ(8, f->params[1]->align);
	EQ(1, f->params[1]->index);
	EQ(f, f->params[1]->owner);
	EQ(SPACE_GENERIC, f->params[2]->ptr_space);
	EQ(256, f->limits.maxntid[0]);
	EQ(2, f->limits.maxntid[1]);
	EQ(1, f->limits.maxntid[2]);
	EQ(8, f->limits.reqntid[0]);
	EQ(2, f->limits.minnctapersm);
	EQ(4, f->limits.maxnctapersm);
	EQ(40, f->limits.maxnreg);
	ptx_module_free(m);
}

TEST(ptx_module, a_declared_function_is_the_one_defined_later)
{
	struct ptx_module *m = parse(
		".func (.param .b32 r) f(.param .b32 a) .noreturn;\n"
		".entry k() { .param .b32 p, q; call (q), f, (p); ret; }\n"
		".func (.param .b32 r) f(.param .b32 b) { ret; }\n"
		".func (.param .b32 r) f(.param .b32 c);");
	struct ptx_func *f = ptx_find_func(m, "f");

	EQ(2, m->func_count);
	EQ(0, f->index);
	OK(f->has_body);
	OK(f->limits.noreturn);
	STREQ("b", f->params[0]->name);
	EQ(f, f->params[0]->owner);
	EQ(f, ptx_find_func(m, "k")->insts[0].opnds[1].func);
	ptx_module_free(m);
}

TEST(ptx_module, register_parameters_are_registers_of_the_body)
{
	struct ptx_module *m =
		parse(".func (.reg .u32 r) f(.reg .u32 a, .reg .f32 b)\n"
		      "{ add.u32 r, a, 1; ret; }");
	struct ptx_func *f = m->funcs;

	EQ(SPACE_REG, f->params[0]->space);
	EQ(0, f->rets[0]->index);
	EQ(1, f->params[0]->index);
	EQ(2, f->params[1]->index);
	EQ(3, f->reg_count);
	STREQ("b", f->regs[2].name);
	EQ(1, f->insts[0].opnds[1].reg);
	ptx_module_free(m);
}

TEST(ptx_module, a_refused_function_keeps_the_registers_of_its_parameters)
{
	struct ptx_module *m =
		parse(".func (.reg .u32 r) f(.reg .u32 a, .reg .f32 b,\n"
		      ".param .u32 c) { .reg .u32 x; add.u32 r, a, x;\n"
		      "wgmma.fence.sync.aligned; L: ret; }");
	struct ptx_func *f = m->funcs;

	OK(f->refused != NULL);
	EQ(3, f->reg_count);
	EQ(0, f->inst_count);
	EQ(0, f->label_count);
	ptx_module_free(m);
}

TEST(ptx_module, a_function_may_have_no_parameter_list)
{
	struct ptx_module *m = parse(".entry k { exit; } .func f;");

	EQ(2, m->func_count);
	OK(!ptx_find_func(m, "f")->has_body);
	EQ(NULL, ptx_find_func(m, "g"));
	EQ(NULL, ptx_find_var(m, "g"));
	ptx_module_free(m);
}

TEST(ptx_module, a_hundred_thousand_lines_read_in_linear_memory)
{
	enum { LINES = 100000 };
	char *text = malloc(LINES * 40 + 200), *s = text;
	struct ptx_module *m;

	s += sprintf(s, HEADER ".entry k() { .reg .u32 %%r<%d>;\n", LINES + 1);
	for (int i = 0; i < LINES; i++)
		s += sprintf(s, "add.u32 %%r%d, %%r%d, 1;\n", i + 1, i);
	sprintf(s, "}");
	m = parse_whole(text);
	EQ(LINES, m->funcs->inst_count);
	EQ(LINES + 1, m->funcs->reg_count);
	OK(m->arena.used < 100 * 1000 * 1000);
	ptx_module_free(m);
	free(text);
}
