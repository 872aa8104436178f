/* Instructions, operands, labels, scopes and calls. */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/module.h"
#include "test.h"

#define HEADER ".version 8.0\n.target sm_90\n.address_size 64\n"

static struct ptx_module *parse(const char *text)
{
	char buf[4096];
	struct ptx_module *m;
	struct diag d = { .text = "" };
	enum err e;

	snprintf(buf, sizeof(buf), HEADER "%s", text);
	e = ptx_parse(&m, "t", buf, strlen(buf), &d);
	STREQ("", d.text);
	EQ(ERR_OK, e);
	return m;
}

/* A kernel with registers of every kind and the given body. */
static struct ptx_module *kernel(const char *body)
{
	char buf[3000];

	snprintf(buf, sizeof(buf),
		 ".global .u32 var[4]; .global .texref tex;\n"
		 ".func f(.param .b32 x);\n"
		 ".entry k(.param .u32 n) {\n"
		 ".reg .b32 %%r<10>; .reg .b64 %%rd<10>; .reg .f32 %%f<10>;\n"
		 ".reg .f64 %%fd<4>; .reg .b16 %%rs<4>; .reg .pred %%p<4>;\n"
		 ".reg .v4 .f32 %%v; .reg .v2 .u32 pair;\n"
		 "%s\n}",
		 body);
	return parse(buf);
}

static struct ptx_func *func(const struct ptx_module *m)
{
	return ptx_find_func(m, "k");
}

static const char *reg_name(const struct ptx_func *f, const struct ptx_opnd *o)
{
	return f->regs[o->reg].name;
}

TEST(ptx_inst, an_instruction_has_its_row_its_operands_and_its_place)
{
	struct ptx_module *m = kernel("\tadd.u32 %r1, %r2, 5;");
	struct ptx_func *f = func(m);
	struct ptx_inst *in = &f->insts[0];

	EQ(1, f->inst_count);
	EQ(PTX_OP_ADD_U32, in->op->op);
	STREQ("add.u32", in->op->text);
	EQ(3, in->opnd_count);
	EQ(PTX_NO_REG, in->guard);
	EQ(10, in->loc.line);
	EQ(2, in->loc.col);
	EQ(PTX_OPND_REG, in->opnds[0].kind);
	STREQ("%r1", reg_name(f, &in->opnds[0]));
	EQ(-1, in->opnds[0].elem);
	EQ(15, in->opnds[1].loc.col);
	EQ(PTX_OPND_IMM, in->opnds[2].kind);
	EQ(PTX_IMM_INT, in->opnds[2].imm_kind);
	EQ(5, in->opnds[2].bits);
	ptx_module_free(m);
}

TEST(ptx_inst, registers_come_into_being_when_they_are_used)
{
	struct ptx_module *m = kernel("mov.b32 %r7, %r3; mov.b32 %r3, 1;");
	struct ptx_func *f = func(m);

	EQ(2, f->reg_count);
	STREQ("%r7", f->regs[0].name);
	STREQ("%r3", f->regs[1].name);
	EQ(PTX_B32, f->regs[0].type);
	EQ(1, f->insts[1].opnds[0].reg);
	ptx_module_free(m);
}

TEST(ptx_inst, opcodes_are_interned)
{
	struct ptx_module *m = kernel("mov.b32 %r1, 1; mov.b32 %r2, 2;");
	struct ptx_func *f = func(m);

	EQ(f->insts[0].op, f->insts[1].op);
	ptx_module_free(m);
}

TEST(ptx_inst, guards_are_predicates_perhaps_negated)
{
	struct ptx_module *m = kernel("@%p1 mov.b32 %r1, 1;\n"
				      "@!%p2 mov.b32 %r1, 2;");
	struct ptx_func *f = func(m);

	STREQ("%p1", f->regs[f->insts[0].guard].name);
	OK(!f->insts[0].guard_negated);
	STREQ("%p2", f->regs[f->insts[1].guard].name);
	OK(f->insts[1].guard_negated);
	ptx_module_free(m);
}

TEST(ptx_inst, constants_keep_their_kind)
{
	struct ptx_module *m =
		kernel("mov.u32 %r1, -5; mov.u32 %r1, WARP_SZ * 2;\n"
		       "mov.f32 %f1, 0f3F800000; mov.f32 %f1, 1.5;\n"
		       "mov.f64 %fd1, -0d3FF0000000000000; mov.f32 %f1, 1;\n"
		       "mov.u64 %rd1, 0xFFFFFFFFFFFFFFFF; mov.pred %p1, !0;");
	struct ptx_inst *in = func(m)->insts;

	EQ((uint64_t)-5, in[0].opnds[1].bits);
	EQ(64, in[1].opnds[1].bits);
	EQ(PTX_IMM_F32, in[2].opnds[1].imm_kind);
	EQ(0x3f800000, in[2].opnds[1].bits);
	EQ(PTX_IMM_F64, in[3].opnds[1].imm_kind);
	EQ(0x3ff8000000000000, in[3].opnds[1].bits);
	EQ(0xbff0000000000000, in[4].opnds[1].bits);
	EQ(PTX_IMM_INT, in[5].opnds[1].imm_kind);
	EQ(UINT64_MAX, in[6].opnds[1].bits);
	EQ(1, in[7].opnds[1].bits);
	ptx_module_free(m);
}

TEST(ptx_inst, special_registers_are_named_with_their_element)
{
	struct ptx_module *m =
		kernel("mov.u32 %r1, %tid.x; mov.u32 %r1, %nctaid.z;\n"
		       "mov.u64 %rd1, %clock64; mov.u32 %r1, %clock;\n"
		       "mov.u16 %rs1, %ctaid.x; cvt.u32.u16 %r1, %tid.y;");
	struct ptx_inst *in = func(m)->insts;

	EQ(PTX_OPND_SREG, in[0].opnds[1].kind);
	EQ(PTX_SREG_TID_X, in[0].opnds[1].sreg);
	EQ(PTX_SREG_NCTAID_Z, in[1].opnds[1].sreg);
	EQ(PTX_SREG_CLOCK64, in[2].opnds[1].sreg);
	EQ(PTX_SREG_CLOCK, in[3].opnds[1].sreg);
	EQ(PTX_SREG_CTAID_X, in[4].opnds[1].sreg);
	EQ(PTX_SREG_TID_Y, in[5].opnds[1].sreg);
	ptx_module_free(m);
}

TEST(ptx_inst, variables_and_functions_stand_for_their_address)
{
	struct ptx_module *m = kernel("mov.u64 %rd1, var;\n"
				      "mov.u64 %rd1, var + 4 * 2;\n"
				      "mov.u64 %rd1, f; mov.u32 %r1, var-4;");
	struct ptx_inst *in = func(m)->insts;

	EQ(PTX_OPND_VAR, in[0].opnds[1].kind);
	EQ(ptx_find_var(m, "var"), in[0].opnds[1].var);
	EQ(8, in[1].opnds[1].offset);
	EQ(PTX_OPND_FUNC, in[2].opnds[1].kind);
	EQ(ptx_find_func(m, "f"), in[2].opnds[1].func);
	EQ(-4, in[3].opnds[1].offset);
	ptx_module_free(m);
}

TEST(ptx_inst, memory_operands_have_a_base_and_an_offset)
{
	struct ptx_module *m = kernel(
		"ld.global.u32 %r1, [%rd1]; ld.global.u32 %r1, [%rd1+-8];\n"
		"ld.global.u32 %r1, [%rd1-4+2]; ld.global.u32 %r1, [var+4];\n"
		"ld.local.u32 %r1, [16+4]; ld.param.u32 %r1, [n];\n"
		"ld.global.u32 %r1, [pair.y];");
	struct ptx_func *f = func(m);
	struct ptx_inst *in = f->insts;

	EQ(PTX_OPND_MEM, in[0].opnds[1].kind);
	EQ(1, in[0].opnds[1].count);
	EQ(PTX_OPND_REG, in[0].opnds[1].elems[0].kind);
	EQ(0, in[0].opnds[1].offset);
	EQ(-8, in[1].opnds[1].offset);
	EQ(-2, in[2].opnds[1].offset);
	EQ(PTX_OPND_VAR, in[3].opnds[1].elems[0].kind);
	EQ(4, in[3].opnds[1].offset);
	EQ(0, in[3].opnds[1].elems[0].offset);
	EQ(PTX_OPND_IMM, in[4].opnds[1].elems[0].kind);
	EQ(20, in[4].opnds[1].elems[0].bits);
	EQ(f->params[0], in[5].opnds[1].elems[0].var);
	EQ(1, in[6].opnds[1].elems[0].elem);
	ptx_module_free(m);
}

TEST(ptx_inst, vectors_are_lists_registers_or_elements_of_registers)
{
	struct ptx_module *m =
		kernel("ld.global.v4.f32 {%f1, _, %f3, %v.w}, [%rd1];\n"
		       "ld.global.v4.f32 %v, [%rd1];\n"
		       "st.global.v2.u32 [%rd1], {%r1, 7};\n"
		       "mov.b32 %r1, {%rs1, %rs2}; mov.f32 %f1, %v.x;\n"
		       "mov.f32 %v.b, %f1;");
	struct ptx_inst *in = func(m)->insts;

	EQ(PTX_OPND_VEC, in[0].opnds[0].kind);
	EQ(4, in[0].opnds[0].count);
	EQ(PTX_OPND_SINK, in[0].opnds[0].elems[1].kind);
	EQ(3, in[0].opnds[0].elems[3].elem);
	EQ(PTX_OPND_REG, in[1].opnds[0].kind);
	EQ(-1, in[1].opnds[0].elem);
	EQ(7, in[2].opnds[1].elems[1].bits);
	EQ(2, in[3].opnds[1].count);
	EQ(0, in[4].opnds[1].elem);
	EQ(2, in[5].opnds[0].elem);
	ptx_module_free(m);
}

TEST(ptx_inst, a_bar_joins_two_destinations)
{
	struct ptx_module *m = kernel(
		"setp.lt.s32 %p1|%p2, %r1, %r2; setp.lt.s32 %p1, %r1, %r2;\n"
		"setp.lt.and.s32 %p1|_, %r1, 3, !%p3;\n"
		"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;");
	struct ptx_inst *in = func(m)->insts;

	EQ(PTX_OPND_DUAL, in[0].opnds[0].kind);
	EQ(2, in[0].opnds[0].count);
	EQ(PTX_OPND_REG, in[1].opnds[0].kind);
	EQ(PTX_OPND_SINK, in[2].opnds[0].elems[1].kind);
	EQ(1, in[2].opnds[3].negated);
	EQ(PTX_OPND_DUAL, in[3].opnds[0].kind);
	ptx_module_free(m);
}

TEST(ptx_inst, texture_operands_list_object_and_coordinates)
{
	struct ptx_module *m = kernel(
		"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [tex, {%f5, %f6}];\n"
		"tex.1d.v4.f32.s32 %v, [%rd1, {%r1}];\n"
		"txq.width.b32 %r1, [tex];");
	struct ptx_inst *in = func(m)->insts;

	EQ(PTX_OPND_TEX, in[0].opnds[1].kind);
	EQ(2, in[0].opnds[1].count);
	EQ(ptx_find_var(m, "tex"), in[0].opnds[1].elems[0].var);
	EQ(PTX_OPND_VEC, in[0].opnds[1].elems[1].kind);
	EQ(PTX_OPND_REG, in[1].opnds[1].elems[0].kind);
	EQ(PTX_OPND_MEM, in[2].opnds[1].kind);
	ptx_module_free(m);
}

TEST(ptx_inst, labels_may_be_used_before_and_after_they_stand)
{
	struct ptx_module *m = kernel("a: bra c; b: bra a; c: bra.uni b; d:");
	struct ptx_func *f = func(m);

	EQ(4, f->label_count);
	STREQ("a", f->labels[0].name);
	EQ(2, f->labels[2].inst);
	EQ(3, f->labels[3].inst);
	EQ(PTX_OPND_LABEL, f->insts[0].opnds[0].kind);
	EQ(2, f->insts[0].opnds[0].label);
	EQ(0, f->insts[1].opnds[0].label);
	EQ(1, f->insts[2].opnds[0].label);
	ptx_module_free(m);
}

TEST(ptx_inst, branch_targets_are_a_list_of_labels)
{
	struct ptx_module *m = kernel("ts: .branchtargets x, y, x;\n"
				      "brx.idx %r1, ts; x: exit; y: exit;");
	struct ptx_func *f = func(m);

	EQ(1, f->target_count);
	EQ(PTX_TARGETS_BRANCH, f->targets[0].kind);
	EQ(3, f->targets[0].count);
	EQ(0, f->targets[0].labels[2]);
	EQ(1, f->targets[0].labels[1]);
	EQ(PTX_OPND_TARGETS, f->insts[0].opnds[1].kind);
	EQ(0, f->insts[0].opnds[1].targets);
	EQ(2, f->label_count);
	ptx_module_free(m);
}

TEST(ptx_inst, an_inner_block_sees_the_outer_one_and_hides_it)
{
	struct ptx_module *m =
		kernel("mov.u32 %r1, 1;\n"
		       "{ .reg .u32 %r1, t; mov.u32 %r1, 2; mov.u32 t, %r2; }\n"
		       "{ .reg .u32 t, %r<3>; mov.u32 t, 3; mov.u32 %r2, 4; }\n"
		       "mov.u32 %r2, 5;");
	struct ptx_func *f = func(m);
	struct ptx_inst *in = f->insts;

	STREQ("%r1", reg_name(f, &in[0].opnds[0]));
	STREQ("%r1$1", reg_name(f, &in[1].opnds[0]));
	STREQ("t", reg_name(f, &in[2].opnds[0]));
	STREQ("%r2", reg_name(f, &in[2].opnds[1]));
	STREQ("t$1", reg_name(f, &in[3].opnds[0]));
	STREQ("%r2$1", reg_name(f, &in[4].opnds[0]));
	EQ(in[2].opnds[1].reg, in[5].opnds[0].reg);
	ptx_module_free(m);
}

TEST(ptx_inst, a_local_variable_never_has_the_name_of_a_global_one)
{
	struct ptx_module *m =
		kernel("mov.u64 %rd1, var;\n"
		       "{ .local .u32 var; mov.u64 %rd2, var; }\n"
		       ".reg .u32 later; mov.u32 later, 1;");
	struct ptx_func *f = func(m);

	STREQ("var$1", f->vars[0]->name);
	EQ(f, f->vars[0]->owner);
	EQ(ptx_find_var(m, "var"), f->insts[0].opnds[1].var);
	EQ(f->vars[0], f->insts[1].opnds[1].var);
	ptx_module_free(m);
}

TEST(ptx_inst, blocks_may_have_labels_of_the_same_name)
{
	struct ptx_module *m = kernel("{ bra L; L: mov.u32 %r1, 1; }\n"
				      "{ bra L; bra out; L: exit; }\n"
				      "L: { { bra L; } } out:");
	struct ptx_func *f = func(m);

	EQ(4, f->label_count);
	EQ(0, f->insts[0].opnds[0].label);
	EQ(1, f->insts[2].opnds[0].label);
	EQ(3, f->insts[3].opnds[0].label);
	EQ(2, f->insts[5].opnds[0].label);
	STREQ("L", f->labels[0].name);
	STREQ("L$1", f->labels[1].name);
	STREQ("L$2", f->labels[2].name);
	ptx_module_free(m);
}

TEST(ptx_inst, a_label_that_follows_in_the_block_hides_an_outer_one)
{
	struct ptx_module *m = kernel("L: { bra L; L: exit; }");
	struct ptx_func *f = func(m);

	EQ(1, f->insts[0].opnds[0].label);
	ptx_module_free(m);
}

TEST(ptx_inst, ranges_may_share_the_beginning_of_their_names)
{
	struct ptx_module *m = kernel(".reg .u32 a<20>; .reg .u64 a30<5>;\n"
				      "mov.u32 a12, 1; mov.u64 a304, 1;");

	EQ(2, func(m)->reg_count);
	ptx_module_free(m);
}

TEST(ptx_inst, calls_have_returns_callee_arguments_and_list)
{
	struct ptx_module *m = parse(
		".func (.param .b32 r) g(.param .b32 a, .param .b32 b);\n"
		".func h;\n"
		".entry k() { .reg .b64 p; .param .b32 x, y, z;\n"
		"call (z), g, (x, y); call.uni h; call h, ();\n"
		"t: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;"
		"call (z), p, (x), t; l: .calltargets h; call p, l; }");
	struct ptx_func *f = ptx_find_func(m, "k");
	struct ptx_inst *in = f->insts;

	EQ(3, in[0].opnd_count);
	EQ(PTX_OPND_ARGS, in[0].opnds[0].kind);
	EQ(1, in[0].opnds[0].count);
	EQ(PTX_OPND_FUNC, in[0].opnds[1].kind);
	EQ(2, in[0].opnds[2].count);
	EQ(f->vars[0], in[0].opnds[2].elems[0].var);
	EQ(1, in[1].opnd_count);
	EQ(0, in[2].opnds[1].count);
	EQ(PTX_OPND_TARGETS, in[3].opnds[3].kind);
	EQ(PTX_TARGETS_PROTO, f->targets[0].kind);
	OK(f->targets[0].proto->limits.noreturn);
	EQ(1, f->targets[0].proto->param_count);
	EQ(PTX_TARGETS_CALL, f->targets[1].kind);
	EQ(ptx_find_func(m, "h"), f->targets[1].funcs[0]);
	EQ(1, in[4].opnds[1].targets);
	ptx_module_free(m);
}

TEST(ptx_inst, source_lines_follow_loc)
{
	struct ptx_module *m =
		kernel("mov.u32 %r1, 1; .loc 1 5 3 mov.u32 %r1, 2;\n"
		       ".loc 2 7 1, function_name $s + 4, inlined_at 1 9 2\n"
		       "mov.u32 %r1, 3; .loc 1 6 mov.u32 %r1, 4;");
	struct ptx_inst *in = func(m)->insts;

	EQ(0, in[0].src_file);
	EQ(1, in[1].src_file);
	EQ(5, in[1].src_line);
	EQ(2, in[2].src_file);
	EQ(7, in[2].src_line);
	EQ(6, in[3].src_line);
	ptx_module_free(m);
}

TEST(ptx_inst, inlined_lines_know_all_their_callers)
{
	struct ptx_module *m = kernel(".loc 1 20 5, inlined_at 1 30 7\n"
				      "mov.u32 %r1, 1;\n"
				      ".loc 2 8 1, inlined_at 1 20 5\n"
				      "mov.u32 %r1, 2;\n"
				      ".loc 2 9 1, inlined_at 1 20 5\n"
				      "mov.u32 %r1, 3;\n"
				      ".loc 2 8 1, inlined_at 1 20 6\n"
				      "mov.u32 %r1, 4;\n"
				      ".loc 1 30 7\n"
				      "mov.u32 %r1, 5;");
	struct ptx_inst *in = func(m)->insts;

	EQ(30, in[0].call->line);
	EQ(1, in[0].call->outer == NULL);
	EQ(20, in[1].call->line);
	EQ(1, in[1].call->outer == in[0].call);
	EQ(1, in[2].call == in[1].call);
	EQ(6, in[3].call->column);
	EQ(1, in[3].call->outer == NULL);
	EQ(1, in[4].call == NULL);
	ptx_module_free(m);
}

TEST(ptx_inst, loads_stores_and_conversions_take_wider_registers)
{
	struct ptx_module *m =
		kernel("ld.global.u8 %r1, [%rd1]; ld.global.s16 %rd2, [%rd1];\n"
		       "st.global.u8 [%rd1], %rd2; cvt.u16.u32 %r1, %rd2;\n"
		       "cvt.s8.s32 %r1, %r2; ld.global.b16 %f1, [%rd1];\n"
		       "ld.global.f32 %r1, [%rd1];");

	EQ(7, func(m)->inst_count);
	ptx_module_free(m);
}

TEST(ptx_inst, untyped_registers_go_with_every_type_of_their_size)
{
	struct ptx_module *m = kernel(
		"add.f32 %r1, %r2, %f1; and.b32 %r1, %f1, %r2;\n"
		".reg .s32 s; .reg .u32 u; add.u32 s, s, u;\n"
		".reg .f16 h; add.f16 h, %rs1, h; add.f16x2 %r1, %r1, %f1;");

	EQ(5, func(m)->inst_count);
	ptx_module_free(m);
}

TEST(ptx_inst, the_number_of_operands_chooses_among_rows_of_one_opcode)
{
	struct ptx_module *m = kernel("min.f32 %f1, %f2, %f3;\n"
				      "min.f32 %f1, %f2, %f3, %f4;\n"
				      "min.f32 %f1, %f2, %f3;");
	struct ptx_inst *in = func(m)->insts;

	STREQ("MIN_F32", ptx_rows[in[0].op->op].id);
	STREQ("MIN3_F32", ptx_rows[in[1].op->op].id);
	EQ(in[0].op, in[2].op);
	ptx_module_free(m);
}
