/*
 * What single rows need beyond the operands that their form names.
 */
#include <stdlib.h>
#include <string.h>

#include "func/exec_rows.h"
#include "func/flow.h"
#include "func/lane.h"
#include "func/lower.h"
#include "func/mem.h"
#include "func/mma_check.h"
#include "func/service.h"
#include "func/video.h"

static unsigned rounding(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_RND]) {
	case PTX_RND_RZ:
		return RND_RZ;
	case PTX_RND_RM:
		return RND_RM;
	case PTX_RND_RP:
		return RND_RP;
	}
	switch (op->attr[PTX_CLASS_TRND]) {
	case PTX_TRND_RNA:
		return RND_RNA;
	case PTX_TRND_RZ:
		return RND_RZ;
	}
	switch (op->attr[PTX_CLASS_IRND]) {
	case PTX_IRND_RNI:
		return RND_RN | M_RINT;
	case PTX_IRND_RZI:
		return RND_RZ | M_RINT;
	case PTX_IRND_RMI:
		return RND_RM | M_RINT;
	case PTX_IRND_RPI:
		return RND_RP | M_RINT;
	}
	return RND_RN;
}

unsigned lower_mods(const struct ptx_opcode *op)
{
	static const struct {
		uint8_t class;
		uint16_t bit;
	} flags[] = {
		{ PTX_CLASS_FTZ, M_FTZ },	  { PTX_CLASS_SAT, M_SAT },
		{ PTX_CLASS_RELU, M_RELU },	  { PTX_CLASS_NAN, M_NAN },
		{ PTX_CLASS_XORSIGN, M_XORSIGN }, { PTX_CLASS_ABS, M_ABS },
		{ PTX_CLASS_SATFINITE, M_SATFINITE },
	};
	unsigned m = rounding(op);

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (op->attr[flags[i].class])
			m |= flags[i].bit;
	return m;
}

static unsigned vector_length(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_VEC]) {
	case PTX_VEC_V2:
		return 2;
	case PTX_VEC_V4:
		return 4;
	case PTX_VEC_V8:
		return 8;
	default:
		return 1;
	}
}

static unsigned strength(const struct ptx_opcode *op, bool load)
{
	switch (op->attr[PTX_CLASS_SEM]) {
	case PTX_SEM_VOLATILE:
	case PTX_SEM_RELAXED:
		return MEM_STRONG;
	case PTX_SEM_ACQUIRE:
		return MEM_STRONG | MEM_ACQUIRE;
	case PTX_SEM_RELEASE:
		return MEM_STRONG | MEM_RELEASE;
	default:
		return load && op->attr[PTX_CLASS_MMIO] ? MEM_STRONG : 0;
	}
}

/* Registers of a load or store; a kernel's parameters are checked here. */
static void load_store(struct lower *lo, struct inst *out, bool load)
{
	const struct ptx_opcode *op = lo->in->op;
	enum ptx_type type = (enum ptx_type)op->type[0];
	const struct ptx_opnd *regs = &lo->in->opnds[load ? 0 : 1];
	struct opnd_lists *x;

	out->m = strength(op, load);
	if (load && ptx_types[type].kind == PTX_KIND_S)
		out->m |= MEM_SIGNED;
	out->count = (uint8_t)vector_length(op);
	if (regs->kind == PTX_OPND_VEC || is_vector_reg(lo, regs)) {
		x = lower_lists(lo, 8);
		list_add(lo, x, 0, regs, type, load);
		out->x = x;
		out->k = x ? x->bytes[0] : 0;
		if (load && out->k == 0)
			out->k = (uint8_t)reg_bytes(type);
	} else {
		out->k = (uint8_t)opnd_bytes(lo, regs, type);
		if (regs->kind == PTX_OPND_SREG)
			out->k = (uint8_t)reg_bytes(type);
		out->d = load ? lower_dst(lo, regs) : lower_src(lo, regs, type);
	}
	if (out->space == PTX_SPACE_PARAM && out->addr == ADDR_ABS &&
	    (out->offset < 0 || (uint64_t)out->offset +
				(uint64_t)out->width * out->count >
			param_bytes(lo->f)))
		lower_fail(lo, ERR_RANGE, "outside of the kernel's %u bytes "
			   "of parameters", param_bytes(lo->f));
	if (!load && out->space == PTX_SPACE_PARAM)
		lower_fail(lo, ERR_UNSUPP,
			   "a kernel's parameters cannot be written");
	if (load && out->space == PTX_SPACE_PARAM && out->addr == ADDR_ABS)
		out->exec = exec_ld_param;
	else if (load && out->count == 1 && out->width == 4 && out->k == 4 &&
		 !(out->m & MEM_STRONG) && !out->x)
		out->exec = exec_ld32;
}

/* A register where nothing but the size is laid down. */
static bool sized(struct lower *lo, const struct ptx_opnd *o, unsigned bytes)
{
	if (o->kind != PTX_OPND_REG ||
	    reg_bytes(lo->f->regs[o->reg].type) == bytes)
		return true;
	if (bytes == 1)
		lower_fail(lo, ERR_SYNTAX, "'%s' is no predicate",
			   lo->f->regs[o->reg].name);
	else
		lower_fail(lo, ERR_SYNTAX, "'%s' does not have %u bytes",
			   lo->f->regs[o->reg].name, bytes);
	return false;
}

static void pack_unpack(struct lower *lo, struct inst *out, int vec)
{
	const struct ptx_opnd *o = lo->in->opnds;
	enum ptx_type whole = (enum ptx_type)lo->in->op->type[0];
	unsigned n = o[vec].count, part = n ? out->width / n : 0;
	struct opnd_lists *x = lower_lists(lo, 8);
	enum ptx_type type = part == 8 ? PTX_B64 : part == 4 ? PTX_B32 :
								PTX_B16;

	if (n < 2 || n > 4 || part < 1 || part * n != out->width) {
		lower_fail(lo, ERR_SYNTAX, "%u parts do not make %u bytes", n,
			   out->width);
		return;
	}
	out->k = vec == 0 ? 1 : 2; /* MOVE_UNPACK, MOVE_PACK */
	list_add(lo, x, 0, &o[0], vec == 0 ? type : whole, true);
	list_add(lo, x, 1, &o[1], vec == 1 ? type : whole, false);
	if (x && !x->bytes[0])
		x->bytes[0] = (uint8_t)part;
	if (x && (x->bytes[!vec] != out->width || x->bytes[vec] < part))
		lower_fail(lo, ERR_SYNTAX, "%u parts do not make %u bytes", n,
			   out->width);
	out->x = x;
}

static void lower_mov(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	enum ptx_type type = (enum ptx_type)lo->in->op->type[0];
	uint64_t at;

	if (o[0].kind == PTX_OPND_VEC || o[1].kind == PTX_OPND_VEC) {
		pack_unpack(lo, out, o[0].kind == PTX_OPND_VEC ? 0 : 1);
		return;
	}
	out->d = lower_dst(lo, &o[0]);
	out->width = (uint8_t)reg_bytes(type);
	if (!sized(lo, &o[0], out->width) || !sized(lo, &o[1], out->width))
		return;
	if (o[1].negated)
		lower_fail(lo, ERR_SYNTAX, "a move does not negate");
	if (o[1].kind == PTX_OPND_SREG && !ptx_sregs[o[1].sreg].fixed &&
	    reg_bytes((enum ptx_type)ptx_sregs[o[1].sreg].type) ==
		    out->width) {
		out->exec = exec_sreg;
		out->k = (uint8_t)o[1].sreg;
		return;
	}
	if (o[1].kind == PTX_OPND_VAR &&
	    ptx_types[o[1].var->type].kind != PTX_KIND_O &&
	    !var_address(lo, o[1].var, &at)) {
		out->k = 3; /* MOVE_FRAME */
		out->offset = (int64_t)at + o[1].offset;
		return;
	}
	out->a = lower_src(lo, &o[1], type);
}

static int lane_type(enum ptx_type t)
{
	static const int8_t map[PTX_TYPE_COUNT] = {
		[PTX_U8] = LT_U8 + 1,	  [PTX_U16] = LT_U16 + 1,
		[PTX_U32] = LT_U32 + 1,	  [PTX_U64] = LT_U64 + 1,
		[PTX_S8] = LT_S8 + 1,	  [PTX_S16] = LT_S16 + 1,
		[PTX_S32] = LT_S32 + 1,	  [PTX_S64] = LT_S64 + 1,
		[PTX_F16] = LT_F16 + 1,	  [PTX_BF16] = LT_BF16 + 1,
		[PTX_F32] = LT_F32 + 1,	  [PTX_F64] = LT_F64 + 1,
		[PTX_TF32] = LT_TF32 + 1,
	};

	return map[t] - 1;
}

static void lower_cvt(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;
	const struct ptx_opnd *o = lo->in->opnds;
	unsigned to = opnd_bytes(lo, &o[0], (enum ptx_type)op->type[0]);
	unsigned from = opnd_bytes(lo, &o[1], (enum ptx_type)op->type[1]);

	/* A special register is converted by the cvt itself. */
	if (o[1].kind == PTX_OPND_SREG)
		out->a = lower_src(lo, &o[1],
				   (enum ptx_type)ptx_sregs[o[1].sreg].type);
	out->count = (uint8_t)lane_type((enum ptx_type)op->type[0]);
	out->k = (uint8_t)lane_type((enum ptx_type)op->type[1]);
	out->width = (uint8_t)(from | to << 4);
}

static uint8_t pair_format(enum ptx_type t)
{
	switch (t) {
	case PTX_F16X2:
		return FP_F16;
	case PTX_BF16X2:
		return FP_BF16;
	case PTX_E4M3X2:
		return FP_E4M3;
	default:
		return FP_E5M2;
	}
}

static void lower_cvt_pair(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;

	out->count = pair_format((enum ptx_type)op->type[0]);
	out->k = pair_format((enum ptx_type)op->type[1]);
	out->width = ptx_types[op->type[0]].bytes;
}

static void lower_cvt_int(struct lower *lo, struct inst *out)
{
	enum ptx_type t = (enum ptx_type)lo->in->op->type[0];

	out->k = t == PTX_S16 || t == PTX_S8 || t == PTX_S4 || t == PTX_S2;
	switch (t) {
	case PTX_U16:
	case PTX_S16:
		out->count = 16;
		break;
	case PTX_U8:
	case PTX_S8:
		out->count = 8;
		break;
	case PTX_U4:
	case PTX_S4:
		out->count = 4;
		break;
	default:
		out->count = 2;
	}
}

/* Which of less, equal, greater, unordered make a comparison true. */
static const struct {
	uint8_t attr, truth;
} truths[] = {
	{ PTX_ECMP_EQ, 2 },  { PTX_ECMP_NE, 5 },
	{ PTX_SCMP_EQ, 2 },  { PTX_SCMP_NE, 5 },  { PTX_SCMP_LT, 1 },
	{ PTX_SCMP_LE, 3 },  { PTX_SCMP_GT, 4 },  { PTX_SCMP_GE, 6 },
	{ PTX_UCMP_EQ, 2 },  { PTX_UCMP_NE, 5 },  { PTX_UCMP_LT, 1 },
	{ PTX_UCMP_LE, 3 },  { PTX_UCMP_GT, 4 },  { PTX_UCMP_GE, 6 },
	{ PTX_UCMP_LO, 1 },  { PTX_UCMP_LS, 3 },  { PTX_UCMP_HI, 4 },
	{ PTX_UCMP_HS, 6 },  { PTX_FCMP_EQ, 2 },  { PTX_FCMP_NE, 5 },
	{ PTX_FCMP_LT, 1 },  { PTX_FCMP_LE, 3 },  { PTX_FCMP_GT, 4 },
	{ PTX_FCMP_GE, 6 },  { PTX_FCMP_EQU, 10 }, { PTX_FCMP_NEU, 13 },
	{ PTX_FCMP_LTU, 9 }, { PTX_FCMP_LEU, 11 }, { PTX_FCMP_GTU, 12 },
	{ PTX_FCMP_GEU, 14 }, { PTX_FCMP_NUM, 7 }, { PTX_FCMP_NAN, 8 },
};

static uint8_t truth_of(const struct ptx_opcode *op)
{
	static const uint8_t classes[] = { PTX_CLASS_ECMP, PTX_CLASS_SCMP,
					   PTX_CLASS_UCMP, PTX_CLASS_FCMP };

	for (size_t c = 0; c < sizeof(classes); c++)
		for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++)
			if (op->attr[classes[c]] &&
			    op->attr[classes[c]] == truths[i].attr)
				return truths[i].truth;
	BUG("a comparison without an operator");
}

static void lower_compare(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;

	out->k = truth_of(op);
	switch (op->attr[PTX_CLASS_BOOL]) {
	case PTX_BOOL_AND:
		out->count = 1;
		break;
	case PTX_BOOL_OR:
		out->count = 2;
		break;
	case PTX_BOOL_XOR:
		out->count = 3;
		break;
	}
	if (op->op == PTX_OP_SET_F16X2 || op->op == PTX_OP_SET_BF16X2)
		out->offset = op->type[0] == PTX_F16X2	? 0x3c00
			      : op->type[0] == PTX_BF16X2 ? 0x3f80
							  : 0xffff;
	if (out->count && out->c == SLOT_NONE)
		lower_fail(lo, ERR_SYNTAX, "expected a predicate to combine "
					   "the comparison with");
}

static void lower_bar_red(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	bool count = lo->in->opnd_count == 4;
	const struct ptx_opnd *p = &o[count ? 3 : 2];

	out->k = count;
	if (!sized(lo, p, 1) || (count && !sized(lo, &o[2], 4)))
		return;
	if (p->kind != PTX_OPND_REG && p->kind != PTX_OPND_IMM)
		lower_fail(lo, ERR_SYNTAX, "expected a predicate");
	if (count)
		out->b = lower_src(lo, &o[2], PTX_U32);
	out->c = lower_src(lo, p, PTX_PRED);
	out->flip = p->negated ? 1 : 0;
	out->m = lo->in->op->attr[PTX_CLASS_BOOL];
}

static void lower_cp_async(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	struct opnd_lists *x = lower_lists(lo, 4);
	struct inst from = { .a = SLOT_NONE };
	uint64_t bytes = o[2].bits;

	lower_mem(lo, out, &o[0]);
	out->space = PTX_SPACE_SHARED;
	lower_mem(lo, &from, &o[1]);
	if (!x)
		return;
	out->x = x;
	if (from.addr != ADDR_ABS)
		list_add(lo, x, 0, &o[1].elems[0], PTX_U64, false);
	if (from.offset != (int32_t)from.offset) {
		/* An address of its own, not an offset: a constant register. */
		x->first[0] = 0;
		x->count[0] = 1;
		x->slots[0] = pool_const(lo->pool, 8, (uint64_t)from.offset);
		from.addr = ADDR_REG64;
		from.offset = 0;
	}
	out->k = from.addr;
	out->m = (uint32_t)from.offset;
	if (o[2].kind != PTX_OPND_IMM ||
	    (bytes != 4 && bytes != 8 && bytes != 16))
		lower_fail(lo, ERR_RANGE, "expected 4, 8 or 16 bytes to copy");
	out->width = (uint8_t)bytes;
	if (lo->in->opnd_count < 4 || lo->in->op->attr[PTX_CLASS_CACHEHINT])
		return;
	if (o[3].kind == PTX_OPND_REG &&
	    lo->f->regs[o[3].reg].type == PTX_PRED) {
		list_add(lo, x, 2, &o[3], PTX_PRED, false);
		out->flip = o[3].negated ? 1 : 0;
	} else if (sized(lo, &o[3], 4)) {
		list_add(lo, x, 1, &o[3], PTX_U32, false);
	}
}

static void lower_mbar(struct lower *lo, struct inst *out)
{
	const struct ptx_inst *in = lo->in;

	if (in->opnds[0].kind != PTX_OPND_MEM && sized(lo, &in->opnds[0], 8))
		out->d = lower_dst(lo, &in->opnds[0]);
	out->k = in->opnd_count == 3;
}

static void lower_cvta(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = &lo->in->opnds[1];
	enum ptx_space space = lower_space(lo->in->op);
	uint64_t at = 0;

	if (o->kind == PTX_OPND_VAR) {
		out->k = !var_address(lo, o->var, &at);
		if (out->k)
			space = PTX_SPACE_LOCAL;
		out->offset = (int64_t)at + o->offset;
	} else if (sized(lo, o, out->width)) {
		out->a = lower_src(lo, o, (enum ptx_type)lo->in->op->type[0]);
	}
	out->offset += (int64_t)window_base(space);
}

static uint32_t label_inst(const struct lower *lo, const struct ptx_opnd *o)
{
	return lo->f->labels[o->label].inst;
}

static void lower_brx(struct lower *lo, struct inst *out)
{
	const struct ptx_targets *list =
		&lo->f->targets[lo->in->opnds[1].targets];
	struct branch_table *t = arena_new(&lo->program->arena,
					   struct branch_table, 1);

	if (t)
		t->pc = arena_new(&lo->program->arena, uint32_t, list->count);
	if (!t || !t->pc) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return;
	}
	t->count = list->count;
	for (uint32_t i = 0; i < list->count; i++)
		t->pc[i] = lo->f->labels[list->labels[i]].inst;
	out->table = t;
	out->c = lo->join[lo->in - lo->f->insts];
}

/* One end of a copy: memory of a frame, or a register of so many bytes. */
struct copy_end {
	bool local;
	uint8_t reg;
	uint32_t where;
};

/* The caller's end. */
static bool actual(struct lower *lo, const struct ptx_opnd *o,
		   const struct ptx_var *formal, bool is_dst,
		   struct copy_end *end)
{
	uint64_t at = 0;

	end->local = o->kind == PTX_OPND_VAR && !var_address(lo, o->var, &at);
	if (end->local && o->var->bytes < formal->bytes) {
		lower_fail(lo, ERR_SYNTAX, "'%s' does not fit parameter '%s'",
			   o->var->name, formal->name);
		return false;
	}
	if (end->local) {
		end->where = (uint32_t)at;
		return true;
	}
	if (is_dst && o->kind == PTX_OPND_SINK) {
		end->where = SLOT_NONE;
		end->reg = (uint8_t)reg_bytes(formal->type);
		return true;
	}
	/* A special register is converted to what is wanted. */
	end->reg = (uint8_t)(o->kind == PTX_OPND_SREG
				     ? reg_bytes(formal->type)
				     : opnd_bytes(lo, o, formal->type));
	end->where = is_dst ? lower_dst(lo, o) : lower_src(lo, o, formal->type);
	return !lo->failed;
}

/* The function's end. */
static bool formal_place(struct lower *lo, const struct ptx_var *v,
			 uint32_t offset, const uint32_t *reg_slots,
			 struct copy_end *end)
{
	end->local = v->space != PTX_SPACE_REG;
	if (end->local) {
		end->where = offset;
		return true;
	}
	if (!reg_slots) {
		lower_fail(lo, ERR_UNSUPP,
			   "an indirect call with .reg parameters");
		return false;
	}
	end->reg = (uint8_t)reg_bytes(v->type);
	end->where = SLOT(SLOT_REG, reg_slots[v->index]);
	return true;
}

static void make_copy(struct lower *lo, struct call_arg *a,
		      const struct ptx_var *v, const struct copy_end *from,
		      const struct copy_end *to)
{
	const struct copy_end *reg = from->local ? to : from;

	*a = (struct call_arg){ .from_local = from->local,
				.to_local = to->local,
				.from = from->where,
				.to = to->where,
				.bytes = (uint32_t)v->bytes,
				.from_reg = from->reg,
				.to_reg = to->reg };
	if (from->local && to->local)
		return;
	if (v->type == PTX_PRED ? from->local || to->local ||
					  from->reg != 1 || to->reg != 1
				: reg->reg < v->bytes || reg->reg > 8 ||
					  from->reg == 1 || to->reg == 1)
		lower_fail(lo, ERR_SYNTAX,
			   "a register cannot be passed as parameter '%s'",
			   v->name);
}

struct callee {
	const struct ptx_func *f;
	const struct layout *layout;
	const uint32_t *reg_slots; /* NULL: only the prototype is known */
};

static void call_args(struct lower *lo, struct call_info *call,
		      const struct callee *to, const struct ptx_opnd *args)
{
	for (uint32_t i = 0; i < to->f->param_count && !lo->failed; i++) {
		const struct ptx_var *v = to->f->params[i];
		struct copy_end theirs = { 0 }, ours = { 0 };

		if (actual(lo, &args->elems[i], v, false, &ours) &&
		    formal_place(lo, v, to->layout->param[i], to->reg_slots,
				 &theirs))
			make_copy(lo, &call->args[i], v, &ours, &theirs);
	}
}

static void call_rets(struct lower *lo, struct call_info *call,
		      const struct callee *to, const struct ptx_opnd *rets)
{
	for (uint32_t i = 0; i < to->f->ret_count && !lo->failed; i++) {
		const struct ptx_var *v = to->f->rets[i];
		struct copy_end theirs = { 0 }, ours = { 0 };

		if (actual(lo, &rets->elems[i], v, true, &ours) &&
		    formal_place(lo, v, to->layout->ret[i], to->reg_slots,
				 &theirs))
			make_copy(lo, &call->rets[i], v, &theirs, &ours);
	}
}

static void service_call(struct lower *lo, struct call_info *call,
			 const struct ptx_func *f, const struct ptx_opnd *args)
{
	const struct service *s = call->service;

	if (f->param_count != s->args || f->ret_count != (s->ret ? 1u : 0u)) {
		lower_fail(lo, ERR_SYNTAX, "'%s' takes %u parameters", s->name,
			   s->args);
		return;
	}
	for (uint32_t i = 0; i < s->args; i++) {
		if (!call->args[i].from_local ||
		    call->args[i].bytes < s->bytes[i]) {
			lower_fail(lo, ERR_UNSUPP,
				   "parameter %u of '%s' is not a .param of "
				   "%u bytes", i + 1, s->name, s->bytes[i]);
			return;
		}
		call->arg_local[i] = call->args[i].from;
	}
	(void)args;
	if (s->ret &&
	    (!call->rets[0].to_local || call->rets[0].bytes < s->ret))
		lower_fail(lo, ERR_UNSUPP,
			   "the result of '%s' is not a .param of %u bytes",
			   s->name, s->ret);
}

/* What is called, by name or through a prototype. */
static bool find_callee(struct lower *lo, struct inst *out,
			struct call_info *call, const struct ptx_opnd *o,
			const struct ptx_opnd *end, struct callee *to)
{
	struct program *p = lo->program;
	struct layout *l;

	if (o->kind == PTX_OPND_FUNC) {
		const struct ptx_func *f = ptx_aliased(o->func);

		to->f = f;
		to->layout = &p->layouts[f->index];
		to->reg_slots = p->reg_slots[f->index];
		call->target = p->codes[f->index];
		if (!f->has_body)
			call->service = service_find(f->name);
		if (!call->target && !call->service)
			lower_fail(lo, ERR_UNKNOWN, "no function named '%s' "
				   "in the module has a body", f->name);
		return !lo->failed;
	}
	out->a = lower_src(lo, o, PTX_U64);
	out->width = (uint8_t)opnd_bytes(lo, o, PTX_U64);
	for (; o < end; o++)
		if (o->kind == PTX_OPND_TARGETS) {
			const struct ptx_targets *t =
				&lo->f->targets[o->targets];

			to->f = t->kind == PTX_TARGETS_PROTO ? t->proto
							     : t->funcs[0];
		}
	l = arena_new(&p->arena, struct layout, 1);
	if (!l || !to->f || !layout_make(l, &p->arena, to->f, 0)) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return false;
	}
	to->layout = l;
	return true;
}

static void lower_call(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	const struct ptx_opnd *end = o + lo->in->opnd_count;
	const struct ptx_opnd *rets = NULL, *args = NULL;
	struct arena *a = &lo->program->arena;
	struct call_info *call = arena_new(a, struct call_info, 1);
	struct callee to = { 0 };

	if (!call)
		goto nomem;
	out->x = call;
	if (o->kind == PTX_OPND_ARGS)
		rets = o++;
	if (o + 1 < end && o[1].kind == PTX_OPND_ARGS)
		args = &o[1];
	if (!find_callee(lo, out, call, o, end, &to))
		return;
	call->arg_count = to.f->param_count;
	call->ret_count = to.f->ret_count;
	call->args = arena_new(a, struct call_arg, call->arg_count + 1);
	call->rets = arena_new(a, struct call_arg, call->ret_count + 1);
	if (!call->args || !call->rets)
		goto nomem;
	if (call->arg_count)
		call_args(lo, call, &to, args);
	if (call->ret_count)
		call_rets(lo, call, &to, rets);
	if (call->service && !lo->failed)
		service_call(lo, call, to.f, args);
	return;
nomem:
	lower_fail(lo, ERR_NOMEM, "out of memory");
}

/* [object, {sampler,} coordinates] into lists 1, 3 and 2. */
static void tex_operand(struct lower *lo, struct opnd_lists *x,
			const struct ptx_opnd *o)
{
	const struct ptx_opnd *e = o->elems;
	uint32_t n = o->count;

	if (o->kind != PTX_OPND_TEX || n < 2) {
		lower_fail(lo, ERR_SYNTAX, "expected [object, {coordinates}]");
		return;
	}
	list_add(lo, x, 1, &e[0], PTX_U64, false);
	if (n == 3)
		list_add(lo, x, 3, &e[1], PTX_U64, false);
	list_add(lo, x, 2, &e[n - 1], PTX_B32, false);
}

static void lower_tex(struct lower *lo, struct inst *out)
{
	const struct ptx_inst *in = lo->in;
	struct opnd_lists *x = lower_lists(lo, 64);
	bool offsets = !in->op->attr[PTX_CLASS_LOD];

	out->x = x;
	if (in->op->op == PTX_OP_TXQ || in->op->op == PTX_OP_SUQ) {
		const struct ptx_opnd *o = &in->opnds[1];

		if (o->kind == PTX_OPND_MEM)
			o = o->elems; /* [t], an object in brackets */
		list_add(lo, x, 1, o, PTX_U64, false);
		return;
	}
	if (in->opnds[0].kind == PTX_OPND_TEX) {
		list_add(lo, x, 0, &in->opnds[1],
			 (enum ptx_type)in->op->type[0], false);
		tex_operand(lo, x, &in->opnds[0]);
		return;
	}
	list_add(lo, x, 0, &in->opnds[0], (enum ptx_type)in->op->type[0], true);
	tex_operand(lo, x, &in->opnds[1]);
	for (uint32_t i = 2; i < in->opnd_count; i++)
		list_add(lo, x, offsets ? 5 : 4, &in->opnds[i], PTX_B32, false);
}

/* Shapes, types and registers of a matrix instruction must fit together. */
static void check_matrix(struct lower *lo, const struct opnd_lists *x)
{
	struct mma_operands o;
	const char *why = mma_operands(&o, lo->in->op);

	if (why) {
		lower_fail(lo, ERR_UNSUPP, "%s", why);
		return;
	}
	for (int i = 0; x && i < 4; i++) {
		if (!o.count[i])
			continue;
		if (x->count[i] != o.count[i])
			lower_fail(lo, ERR_SYNTAX,
				   "matrix operand %d has %u registers, "
				   "expected %u", i + 1, x->count[i],
				   o.count[i]);
		else if (x->bytes[i] && x->bytes[i] != o.bytes[i])
			lower_fail(lo, ERR_SYNTAX,
				   "matrix operand %d has registers of %u "
				   "bytes, expected %u", i + 1, x->bytes[i],
				   o.bytes[i]);
	}
}

static void lower_mma(struct lower *lo, struct inst *out)
{
	struct opnd_lists *x = lower_lists(lo, 64);

	for (int i = 0; i < 4; i++)
		list_add(lo, x, i, &lo->in->opnds[i], PTX_B32, i == 0);
	check_matrix(lo, x);
	out->x = x;
}

/* Registers of a matrix that is loaded or stored, and the stride. */
static void lower_matrix(struct lower *lo, struct inst *out, bool load)
{
	struct opnd_lists *x = lower_lists(lo, 64);
	const struct ptx_opnd *o = lo->in->opnds;

	list_add(lo, x, 0, &o[load ? 0 : 1], PTX_B32, load);
	check_matrix(lo, x);
	if (lo->in->opnd_count == 3)
		list_add(lo, x, 1, &o[2], PTX_U32, false);
	out->x = x;
}

static void lower_atom_vec(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	struct opnd_lists *x = lower_lists(lo, 16);
	bool red = lo->in->op->op == PTX_OP_RED_ADD_VEC;

	out->count = (uint8_t)vector_length(lo->in->op);
	out->k = lo->in->op->type[0];
	if (!red)
		list_add(lo, x, 0, &o[0], PTX_F32, true);
	list_add(lo, x, 1, &o[red ? 1 : 2], PTX_F32, false);
	out->x = x;
}

static enum video_op video_op(unsigned op)
{
	switch (op) {
	case PTX_OP_VADD:
	case PTX_OP_VADD2:
	case PTX_OP_VADD4:
		return VIDEO_ADD;
	case PTX_OP_VSUB:
	case PTX_OP_VSUB2:
	case PTX_OP_VSUB4:
		return VIDEO_SUB;
	case PTX_OP_VABSDIFF:
	case PTX_OP_VABSDIFF2:
	case PTX_OP_VABSDIFF4:
		return VIDEO_ABSDIFF;
	case PTX_OP_VMIN:
	case PTX_OP_VMIN2:
	case PTX_OP_VMIN4:
		return VIDEO_MIN;
	case PTX_OP_VMAX:
	case PTX_OP_VMAX2:
	case PTX_OP_VMAX4:
		return VIDEO_MAX;
	case PTX_OP_VAVRG2:
	case PTX_OP_VAVRG4:
		return VIDEO_AVRG;
	case PTX_OP_VSHL:
		return VIDEO_SHL;
	case PTX_OP_VSHR:
		return VIDEO_SHR;
	case PTX_OP_VMAD:
		return VIDEO_MAD;
	default:
		return VIDEO_SET;
	}
}

static unsigned video_elements(unsigned op)
{
	switch (op) {
	case PTX_OP_VADD2:
	case PTX_OP_VSUB2:
	case PTX_OP_VABSDIFF2:
	case PTX_OP_VMIN2:
	case PTX_OP_VMAX2:
	case PTX_OP_VAVRG2:
	case PTX_OP_VSET2:
		return 2;
	case PTX_OP_VADD4:
	case PTX_OP_VSUB4:
	case PTX_OP_VABSDIFF4:
	case PTX_OP_VMIN4:
	case PTX_OP_VMAX4:
	case PTX_OP_VAVRG4:
	case PTX_OP_VSET4:
		return 4;
	default:
		return 0;
	}
}

/* The selector of an operand; a packed one has a digit for each element, and
 * by default the first source has the low elements, the second the high. */
static void video_part(struct lower *lo, struct video_part *out,
		       const struct ptx_opnd *o, unsigned elements,
		       unsigned first, bool is_signed)
{
	char letter = elements == 4 ? 'b' : 'h';

	out->is_signed = is_signed;
	out->negated = o->negated;
	out->letter = o->part;
	for (unsigned i = 0; i < 4; i++)
		out->digit[i] = o->part ? o->part_digit[i]
					: (uint8_t)(first + i);
	if (!o->part)
		return;
	if (elements ? o->part != letter || o->parts != elements
		     : o->parts != 1 ||
			       o->part_digit[0] > (o->part == 'b' ? 3 : 1))
		lower_fail(lo, ERR_SYNTAX, "no such selector here");
	for (unsigned i = 0; i < elements; i++)
		if (o->part_digit[i] >= 2 * elements)
			lower_fail(lo, ERR_SYNTAX, "no such selector here");
}

/* Elements that a packed instruction writes: d.h1, d.b210; all by default. */
static uint8_t video_mask(struct lower *lo, const struct ptx_opnd *o,
			  unsigned elements)
{
	uint8_t mask = 0;

	if (!o->part)
		return (uint8_t)((1u << elements) - 1);
	for (unsigned i = 0; i < o->parts; i++) {
		if (o->part != (elements == 4 ? 'b' : 'h') ||
		    o->part_digit[i] >= elements ||
		    mask >> o->part_digit[i])
			lower_fail(lo, ERR_SYNTAX, "no such selector here");
		mask |= (uint8_t)(1u << o->part_digit[i]);
	}
	return mask;
}

static void lower_video(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;
	const struct ptx_opnd *o = lo->in->opnds;
	struct video_info *v = arena_new(&lo->program->arena,
					 struct video_info, 1);
	/* vset has no type of its own for the result, which is unsigned. */
	bool set = video_op(op->op) == VIDEO_SET;
	const uint8_t *src = set ? op->type : op->type + 1;

	if (!v) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return;
	}
	v->op = video_op(op->op);
	v->elements = (uint8_t)video_elements(op->op);
	v->sat = op->attr[PTX_CLASS_SAT];
	v->op2 = op->attr[PTX_CLASS_OP2] == PTX_OP2_ADD	  ? VIDEO2_ADD
		 : op->attr[PTX_CLASS_OP2] == PTX_OP2_MIN ? VIDEO2_MIN
		 : op->attr[PTX_CLASS_OP2] == PTX_OP2_MAX ? VIDEO2_MAX
							  : VIDEO2_NONE;
	v->wrap = op->attr[PTX_CLASS_VMODE] == PTX_VMODE_WRAP;
	v->plus_one = op->attr[PTX_CLASS_PO];
	v->scale = op->attr[PTX_CLASS_VSCALE] == PTX_VSCALE_SHR7    ? 7
		   : op->attr[PTX_CLASS_VSCALE] == PTX_VSCALE_SHR15 ? 15
								    : 0;
	if (set)
		v->truth = truth_of(op);
	video_part(lo, &v->a, &o[1], v->elements, 0, src[0] == PTX_S32);
	video_part(lo, &v->b, &o[2], v->elements, v->elements,
		   src[1] == PTX_S32);
	if (v->elements)
		v->mask = video_mask(lo, &o[0], v->elements);
	else
		video_part(lo, &v->d, &o[0], 0, 0, false);
	/* vset has no type of its own: .min and .max take that of a. */
	v->d.is_signed = op->type[0] == PTX_S32;
	v->c_negated = lo->in->opnd_count == 4 && o[3].negated;
	if ((v->d.letter || v->op2) && lo->in->opnd_count != 4)
		lower_fail(lo, ERR_SYNTAX, "expected a third source");
	out->x = v;
}

static bool is_carry(unsigned op)
{
	static const bool carry[PTX_OP_COUNT] = {
#define CARRY2(id, ...) [PTX_OP_##id] = true,
#define CARRY3(id, ...) [PTX_OP_##id] = true,
#include "isa/ptx/ptx.def"
	};

	return carry[op];
}

static bool is_compare(unsigned op)
{
	static const bool compare[PTX_OP_COUNT] = {
#define SETP(id, ...) [PTX_OP_##id] = true,
#define SET(id, ...) [PTX_OP_##id] = true,
#include "isa/ptx/ptx.def"
		[PTX_OP_SETP_F16X2] = true,
		[PTX_OP_SETP_BF16X2] = true,
		[PTX_OP_SET_F16X2] = true,
		[PTX_OP_SET_BF16X2] = true,
	};

	return compare[op];
}

static void lower_control(struct lower *lo, struct inst *out)
{
	switch (lo->in->op->op) {
	case PTX_OP_BRA:
		out->offset = label_inst(lo, &lo->in->opnds[0]);
		out->c = lo->join[lo->in - lo->f->insts];
		break;
	case PTX_OP_BRX:
		lower_brx(lo, out);
		break;
	case PTX_OP_CALL:
		lower_call(lo, out);
		break;
	case PTX_OP_ALLOCA:
		if (out->offset <= 0 || out->offset & (out->offset - 1))
			out->offset = 16;
		break;
	case PTX_OP_BAR_SYNC:
	case PTX_OP_BARRIER_SYNC:
	case PTX_OP_BAR_ARRIVE:
	case PTX_OP_BARRIER_ARRIVE:
		out->k = lo->in->opnd_count == 2;
		break;
	case PTX_OP_BAR_RED_POPC:
	case PTX_OP_BAR_RED_PRED:
	case PTX_OP_BARRIER_RED_POPC:
	case PTX_OP_BARRIER_RED_PRED:
		lower_bar_red(lo, out);
		break;
	}
}

/* Small constants of the warp-wide operations. */
static void lower_exchange(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;

	switch (op->op) {
	case PTX_OP_SHFL:
	case PTX_OP_SHFL_SYNC:
		out->k = op->attr[PTX_CLASS_SHFL];
		break;
	case PTX_OP_VOTE:
	case PTX_OP_VOTE_SYNC:
		out->k = op->attr[PTX_CLASS_VOTE];
		if (out->k == PTX_VOTE_BALLOT)
			lower_fail(lo, ERR_SYNTAX, "a ballot gives .b32");
		break;
	case PTX_OP_REDUX:
		out->k = op->attr[PTX_CLASS_REDOP];
		out->m = op->type[0] == PTX_S32;
		break;
	case PTX_OP_LOP3_BOOL_B32:
		out->k = op->attr[PTX_CLASS_BOOL];
		break;
	}
}

static void lower_memory(struct lower *lo, struct inst *out)
{
	switch (lo->in->op->op) {
	case PTX_OP_LD:
	case PTX_OP_LD_NC:
	case PTX_OP_LDU:
		load_store(lo, out, true);
		break;
	case PTX_OP_ST:
		load_store(lo, out, false);
		break;
	case PTX_OP_ATOM_ADD_VEC:
	case PTX_OP_RED_ADD_VEC:
		lower_atom_vec(lo, out);
		break;
	case PTX_OP_CP_ASYNC:
		lower_cp_async(lo, out);
		break;
	case PTX_OP_CP_ASYNC_MBAR:
		out->k = lo->in->op->attr[PTX_CLASS_NOINC] != 0;
		break;
	case PTX_OP_MBAR_ARRIVE:
	case PTX_OP_MBAR_ARRIVE_NC:
	case PTX_OP_MBAR_ARRIVE_TX:
	case PTX_OP_MBAR_DROP:
		lower_mbar(lo, out);
		break;
	case PTX_OP_WMMA_LOAD_A:
	case PTX_OP_WMMA_LOAD_B:
	case PTX_OP_WMMA_LOAD_C:
	case PTX_OP_LDMATRIX:
		lower_matrix(lo, out, true);
		break;
	case PTX_OP_WMMA_STORE_D:
	case PTX_OP_STMATRIX:
		lower_matrix(lo, out, false);
		break;
	default:
		if (out->exec == NULL && (exec_table[lo->in->op->op] ==
						  exec_atom ||
					  exec_table[lo->in->op->op] ==
						  exec_red))
			out->k = lo->in->op->type[0];
	}
}

static void lower_convert(struct lower *lo, struct inst *out)
{
	switch (lo->in->op->op) {
	case PTX_OP_MOV:
		lower_mov(lo, out);
		break;
	case PTX_OP_CVT_II:
	case PTX_OP_CVT_IF:
	case PTX_OP_CVT_FI:
	case PTX_OP_CVT_FF:
	case PTX_OP_CVT_FF_INT:
		lower_cvt(lo, out);
		break;
	case PTX_OP_CVT_X2_F32:
	case PTX_OP_CVT_FP8_F32:
	case PTX_OP_CVT_FP8_F16:
	case PTX_OP_CVT_F16_FP8:
		lower_cvt_pair(lo, out);
		break;
	case PTX_OP_CVT_PACK:
		lower_cvt_int(lo, out);
		break;
	case PTX_OP_CVTA:
		lower_cvta(lo, out);
		break;
	case PTX_OP_CVTA_TO:
		out->offset = -(int64_t)window_base(lower_space(lo->in->op));
		break;
	case PTX_OP_ISSPACEP:
		out->space = (uint8_t)lower_space(lo->in->op);
		out->width = (uint8_t)opnd_bytes(lo, &lo->in->opnds[1],
						 PTX_U64);
		break;
	}
}

void lower_details(struct lower *lo, struct inst *out)
{
	unsigned op = lo->in->op->op;

	if (is_compare(op)) {
		lower_compare(lo, out);
	} else if (is_carry(op)) {
		out->e = lo->code->carry;
		out->k = lo->in->op->attr[PTX_CLASS_CC] != 0;
	} else {
		lower_control(lo, out);
		lower_exchange(lo, out);
		lower_convert(lo, out);
		lower_memory(lo, out);
	}
	switch (op) {
	case PTX_OP_TEX:
	case PTX_OP_TLD4:
	case PTX_OP_TXQ:
	case PTX_OP_SUQ:
	case PTX_OP_SULD_B:
	case PTX_OP_SUST_B:
	case PTX_OP_SUST_P:
	case PTX_OP_SURED_B:
		lower_tex(lo, out);
		break;
	case PTX_OP_ISTYPEP:
		out->k = lo->in->op->type[0];
		break;
	case PTX_OP_WMMA_MMA_F16:
	case PTX_OP_WMMA_MMA:
	case PTX_OP_WMMA_MMA_B1:
	case PTX_OP_MMA:
	case PTX_OP_MMA_B1:
		lower_mma(lo, out);
		break;
	default:
		if (exec_table[op] == exec_video)
			lower_video(lo, out);
	}
}
