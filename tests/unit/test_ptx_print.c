/* Modules printed as text, and the text read again. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/module.h"
#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	struct ptx_module *m;
	struct diag d = { .text = "" };
	enum err e = ptx_parse(&m, "t", text, strlen(text), &d);

	STREQ("", d.text);
	EQ(ERR_OK, e);
	return m;
}

/* Reads the text with a header; returns what is printed, without the header. */
static void prints(const char *text, const char *want)
{
	char all[2000];
	struct ptx_module *m;
	char *got;

	snprintf(all, sizeof(all), HEADER "%s", text);
	m = parse(all);
	got = ptx_print(m);
	STREQ(want, got + strlen(HEADER));
	free(got);
	ptx_module_free(m);
}

static void same_opnd(const struct ptx_opnd *a, const struct ptx_opnd *b)
{
	EQ(a->kind, b->kind);
	EQ(a->count, b->count);
	EQ(a->negated, b->negated);
	EQ(a->elem, b->elem);
	EQ(a->imm_kind, b->imm_kind);
	EQ(a->offset, b->offset);
	switch (a->kind) {
	case PTX_OPND_VAR:
		STREQ(a->var->name, b->var->name);
		EQ(a->var->index, b->var->index);
		EQ(a->var->owner == NULL, b->var->owner == NULL);
		break;
	case PTX_OPND_FUNC:
		EQ(a->func->index, b->func->index);
		break;
	default:
		EQ(a->bits, b->bits);
		break;
	}
	for (int i = 0; i < a->count; i++)
		same_opnd(&a->elems[i], &b->elems[i]);
}

static void same_func(const struct ptx_func *a, const struct ptx_func *b)
{
	STREQ(a->name, b->name);
	EQ(a->reg_count, b->reg_count);
	EQ(a->var_count, b->var_count);
	EQ(a->label_count, b->label_count);
	EQ(a->target_count, b->target_count);
	EQ(a->inst_count, b->inst_count);
	for (uint32_t i = 0; i < a->reg_count; i++) {
		STREQ(a->regs[i].name, b->regs[i].name);
		EQ(a->regs[i].type, b->regs[i].type);
		EQ(a->regs[i].vec, b->regs[i].vec);
	}
	for (uint32_t i = 0; i < a->label_count; i++)
		EQ(a->labels[i].inst, b->labels[i].inst);
	for (uint32_t i = 0; i < a->inst_count; i++) {
		const struct ptx_inst *x = &a->insts[i], *y = &b->insts[i];

		EQ(x->op->op, y->op->op);
		EQ(x->guard, y->guard);
		EQ(x->guard_negated, y->guard_negated);
		EQ(x->opnd_count, y->opnd_count);
		EQ(x->src_line, y->src_line);
		for (int j = 0; j < x->opnd_count; j++)
			same_opnd(&x->opnds[j], &y->opnds[j]);
	}
}

static void same_var(const struct ptx_var *a, const struct ptx_var *b)
{
	STREQ(a->name, b->name);
	EQ(a->bytes, b->bytes);
	EQ(a->align, b->align);
	EQ(a->linkage, b->linkage);
	EQ(a->init == NULL, b->init == NULL);
	if (a->init)
		EQ(0, memcmp(a->init, b->init, a->bytes));
}

static void round_trip(const char *text)
{
	struct ptx_module *a = parse(text), *b;
	char *first = ptx_print(a), *second;

	b = parse(first);
	second = ptx_print(b);
	STREQ(first, second);
	EQ(a->func_count, b->func_count);
	EQ(a->var_count, b->var_count);
	for (struct ptx_func *f = a->funcs, *g = b->funcs; f;
	     f = f->next, g = g->next)
		same_func(f, g);
	for (struct ptx_var *v = a->vars, *w = b->vars; v;
	     v = v->next, w = w->next)
		same_var(v, w);
	free(first);
	free(second);
	ptx_module_free(a);
	ptx_module_free(b);
}

static char *load(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 20);

	OK(f && text);
	OK(fread(text, 1, (1 << 20) - 1, f) > 0);
	fclose(f);
	return text;
}

TEST(ptx_print, the_corpus_reads_back_as_the_same_modules)
{
	static const char folder[] = HEDDLE_SOURCE_DIR
		"/tests/fuzz/corpus/fuzz_ptx";
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	OK(dir);
	while ((entry = readdir(dir))) {
		char path[600], *text;

		if (entry->d_name[0] == '.' ||
		    !strncmp(entry->d_name, "error_", 6))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		text = load(path);
		round_trip(text);
		free(text);
		count++;
	}
	closedir(dir);
	OK(count > 30);
}

TEST(ptx_print, variables_with_their_values)
{
	prints(".visible .global .align 8 .v2 .f32 x[2] = {{1.0}, {0, 2}};",
	       ".visible .global .v2 .f32 x[2] = "
	       "{{0f3F800000}, {0f00000000, 0f40000000}};\n");
	prints(".const[2] .s16 x[3] = {-1, 0, 0};",
	       ".const[2] .s16 x[3] = {-1};\n");
	prints(".global .align 2 .f64 x = 1.0;",
	       ".global .align 2 .f64 x = 0d3FF0000000000000;\n");
	prints(".extern .shared .b8 x[]; .global .attribute(.managed) .u32 m;",
	       ".extern .shared .b8 x[];\n"
	       ".global .attribute(.managed) .u32 m;\n");
	prints(".global .u32 d[4]; .global .u8 y = 0xFF00(generic(d)+4);"
	       ".global .u64 z[3] = {0, d-4, d};",
	       ".global .u32 d[4];\n"
	       ".global .u8 y = 0xFF00(generic(d)+4);\n"
	       ".global .u64 z[3] = {0, d+-4, d};\n");
}

TEST(ptx_print, a_kernel_with_all_that_it_declares)
{
	prints(".visible .entry k(.param .u64 .ptr .global .align 4 p)\n"
	       ".maxntid 8 .maxnreg 9 {\n"
	       ".reg .u32 %r<9>; .reg .pred q; .local .u32 l;\n"
	       "add.u32 %r2, %r1, %r3; .loc 1 7 3\n"
	       "{ .reg .u32 %r2; @!q mov.u32 %r2, l; }\n"
	       "ts: .branchtargets x; brx.idx %r1, ts; x: }",
	       "\n.visible .entry k(\n"
	       "\t.param .u64 .ptr .global .align 4 p)\n"
	       ".maxntid 8, 1, 1\n"
	       ".maxnreg 9\n"
	       "{\n"
	       "\t.reg .u32 %r<4>;\n"
	       "\t.reg .u32 %r2$1;\n"
	       "\t.reg .pred q;\n"
	       "\t.local .u32 l;\n"
	       "ts: .branchtargets x;\n"
	       "\tadd.u32 %r2, %r1, %r3;\n"
	       "\t.loc 1 7 0\n"
	       "\t@!q mov.u32 %r2$1, l;\n"
	       "\tbrx.idx %r1, ts;\n"
	       "x:\n"
	       "}\n");
}

/* %a<4> would declare %a0 again, and %b<5> would declare %b2. */
TEST(ptx_print, a_range_of_registers_covers_no_other_name)
{
	prints(".entry k() { .reg .b16 %a0; .reg .b32 %a1, %a2, %a3;\n"
	       ".reg .b16 %b2; .reg .b32 %b0, %b1, %b3, %b4;\n"
	       "add.u16 %a0, %b2, 1; add.u32 %a1, %a2, %a3;\n"
	       "add.u32 %b0, %b1, %b3; mov.u32 %b4, 1; }",
	       "\n.entry k()\n{\n"
	       "\t.reg .b16 %a0;\n"
	       "\t.reg .b16 %b2;\n"
	       "\t.reg .b32 %a1, %a2, %a3;\n"
	       "\t.reg .b32 %b0, %b1, %b3, %b4;\n"
	       "\tadd.u16 %a0, %b2, 1;\n"
	       "\tadd.u32 %a1, %a2, %a3;\n"
	       "\tadd.u32 %b0, %b1, %b3;\n"
	       "\tmov.u32 %b4, 1;\n}\n");
}

TEST(ptx_print, an_instruction_is_cut_to_the_buffer)
{
	struct ptx_module *m =
		parse(HEADER ".entry k() { .reg .u32 %r<9>; .reg .pred p;\n"
			     "@!p add.u32 %r1, %r2, -3; }");
	struct ptx_func *f = m->funcs;
	char text[64];

	ptx_print_inst(text, sizeof(text), f, f->insts);
	STREQ("@!p add.u32 %r1, %r2, -3", text);
	ptx_print_inst(text, 12, f, f->insts);
	STREQ("@!p add.u32", text);
	ptx_print_inst(text, 1, f, f->insts);
	STREQ("", text);
	text[0] = 'x';
	ptx_print_inst(text, 0, f, f->insts);
	EQ('x', text[0]);
	ptx_module_free(m);
}

TEST(ptx_print, what_is_used_before_it_is_defined_is_declared)
{
	round_trip(HEADER ".func g(); .func f() { call g; ret; } "
			  ".func g() { call f; ret; }");
	round_trip(HEADER ".func f(); .global .u64 t = f; .entry k() { ret; } "
			  ".func f() { ret; }");
	round_trip(HEADER ".extern .global .u64 a; .global .u64 b = a; "
			  ".global .u64 a = b;");
}

TEST(ptx_print, a_range_never_covers_another_name)
{
	round_trip(HEADER
		   ".global .u64 %r3; .entry k() { .reg .b64 %r<3>, d; "
		   ".reg .b64 %r5, %r4; mov.b64 %r1, %r4; "
		   "mov.b64 d, %r3; mov.b64 %r2, %r5; mov.b64 %r0, 1; }");
	round_trip(HEADER ".entry k() { .reg .b32 %r<9>; .reg .b64 x; "
			  "mov.b32 %r1, %r2; mov.b32 %r4, %r5; "
			  "{ .reg .b64 %r3; mov.b64 %r3, x; } }");
}

TEST(ptx_print, of_a_refused_function_is_what_refuses_it)
{
	prints(".func g(.reg .b32 x) { .reg .b32 y; add.s32 y, x, 1;\n"
	       "wgmma .fence .sync.aligned /* now */ ; }\n"
	       ".entry k(.param .u64 p) .explicitcluster .maxnreg 9 { ret; }",
	       "\n.func g(\n\t.reg .b32 x)\n"
	       "{\n\twgmma.fence.sync.aligned; "
	       "// refused, with the whole body\n}\n"
	       "\n.entry k(\n\t.param .u64 p)\n"
	       ".maxnreg 9 .explicitcluster\n"
	       "{\n}\n");
}
