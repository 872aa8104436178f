/*
 * What certain rows need beyond the operands of their form.
 */
#include <string.h>

#include "isa/ptx/branch.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/form.h"
#include "isa/ptx/live.h"
#include "isa/ptx/lower.h"
#include "simt/atomic.h"
#include "simt/barrier.h"
#include "simt/exchange.h"
#include "simt/lane.h"
#include "simt/mbarrier.h"
#include "simt/mem.h"

static unsigned rounding_of(const struct ptx_opcode *op)
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
	switch (op->attr[PTX_CLASS_URND]) {
	case PTX_URND_RZ:
		return RND_RZ;
	case PTX_URND_RP:
		return RND_RP;
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
		{ PTX_CLASS_FTZ, M_FTZ },
		{ PTX_CLASS_SAT, M_SAT },
		{ PTX_CLASS_RELU, M_RELU },
		{ PTX_CLASS_NAN, M_NAN },
		{ PTX_CLASS_XORSIGN, M_XORSIGN },
		{ PTX_CLASS_ABS, M_ABS },
		{ PTX_CLASS_SATFINITE, M_SATFINITE },
	};
	unsigned m = rounding_of(op);

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (op->attr[flags[i].class])
			m |= flags[i].bit;
	return m;
}

static unsigned mem_strength(const struct ptx_opcode *op, bool load)
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

/* The index in warp.lane_pattern for the access pattern of an address
 * register; 0: its value may change, or other registers have taken all
 * places. */
static uint32_t pattern_place(struct lower *lo, const struct ptx_opnd *base)
{
	uint32_t here = (uint32_t)(lo->in - lo->f->insts), i = 0;
	uint32_t once = base->kind == PTX_OPND_REG ? lo->reg_once[base->reg] :
						     0;

	/* It must be written before this instruction. */
	if (!once || once > here)
		return 0;
	while (i < lo->kept_count && lo->kept[i] != base->reg)
		i++;
	if (i == LANE_PATTERNS)
		return 0;
	if (i == lo->kept_count)
		lo->kept[lo->kept_count++] = base->reg;
	return i + 1;
}

/* Lowers a load or a store; checks accesses to a kernel's parameters. */
static void lower_load_store(struct lower *lo, struct inst *out, bool load)
{
	const struct ptx_opcode *op = lo->in->op;
	enum ptx_type type = (enum ptx_type)op->type[0];
	const struct ptx_opnd *regs = &lo->in->opnds[load ? 0 : 1];
	struct opnd_lists *x;

	out->m = mem_strength(op, load);
	if (load && ptx_types[type].kind == PTX_KIND_S)
		out->m |= MEM_SIGNED;
	out->count = (uint8_t)ptx_vector_length(op);
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
	if (out->space == SPACE_PARAM && out->addr == ADDR_ABS &&
	    (out->offset < 0 ||
	     (uint64_t)out->offset + (uint64_t)out->width * out->count >
		     param_bytes(lo->f)))
		lower_fail(lo, ERR_RANGE,
			   "the address is outside the kernel's %u bytes of "
			   "parameters",
			   param_bytes(lo->f));
	if (!load && out->space == SPACE_PARAM)
		lower_fail(lo, ERR_UNSUPP,
			   "a kernel's parameters cannot be written");
	if (load && out->space == SPACE_PARAM && out->addr == ADDR_ABS)
		out->exec = mem_load_param;
	else if (load && out->count == 1 && out->width == 4 && out->k == 4 &&
		 !(out->m & MEM_STRONG) && !out->x)
		out->exec = out->space == SPACE_SHARED &&
					    out->addr == ADDR_REG32 ?
				    mem_load_shared :
				    mem_load_words;
	if (out->exec == mem_load_shared)
		out->m |= pattern_place(lo, &lo->in->opnds[1].elems[0])
			  << MEM_PATTERN;
}

static void lower_pack(struct lower *lo, struct inst *out, int vec)
{
	const struct ptx_opnd *o = lo->in->opnds;
	enum ptx_type whole = (enum ptx_type)lo->in->op->type[0];
	unsigned n = o[vec].count, part = n ? out->width / n : 0;
	struct opnd_lists *x = lower_lists(lo, 8);
	enum ptx_type type = part == 8 ? PTX_B64 :
			     part == 4 ? PTX_B32 :
					 PTX_B16;

	if (n < 2 || n > 4 || part < 1 || part * n != out->width) {
		lower_fail(lo, ERR_SYNTAX,
			   "%u elements do not make up %u bytes", n,
			   out->width);
		return;
	}
	out->k = vec == 0 ? MOVE_UNPACK : MOVE_PACK;
	list_add(lo, x, 0, &o[0], vec == 0 ? type : whole, true);
	list_add(lo, x, 1, &o[1], vec == 1 ? type : whole, false);
	if (x && !x->bytes[0])
		x->bytes[0] = (uint8_t)part;
	if (x && (x->bytes[!vec] != out->width || x->bytes[vec] < part))
		lower_fail(lo, ERR_SYNTAX,
			   "%u elements do not make up %u bytes", n,
			   out->width);
	out->x = x;
}

static void lower_mov(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	enum ptx_type type = (enum ptx_type)lo->in->op->type[0];
	uint64_t at;

	if (o[0].kind == PTX_OPND_VEC || o[1].kind == PTX_OPND_VEC) {
		lower_pack(lo, out, o[0].kind == PTX_OPND_VEC ? 0 : 1);
		return;
	}
	out->d = lower_dst(lo, &o[0]);
	out->width = (uint8_t)reg_bytes(type);
	if (!lower_sized(lo, &o[0], out->width) ||
	    !lower_sized(lo, &o[1], out->width))
		return;
	if (o[1].negated)
		lower_fail(lo, ERR_SYNTAX, "mov cannot negate its source");
	if (o[1].kind == PTX_OPND_SREG && !ptx_sregs[o[1].sreg].fixed &&
	    reg_bytes((enum ptx_type)ptx_sregs[o[1].sreg].type) == out->width) {
		out->exec = exec_sreg;
		out->k = (uint8_t)o[1].sreg;
		return;
	}
	if (o[1].kind == PTX_OPND_VAR &&
	    ptx_types[o[1].var->type].kind != PTX_KIND_O &&
	    !var_address(lo, o[1].var, &at)) {
		out->k = MOVE_FRAME;
		out->offset = (int64_t)at + o[1].offset;
		return;
	}
	out->a = lower_src(lo, &o[1], type);
}

static int lane_type(enum ptx_type t)
{
	static const int8_t map[PTX_TYPE_COUNT] = {
		[PTX_U8] = LT_U8 + 1,     [PTX_U16] = LT_U16 + 1,
		[PTX_U32] = LT_U32 + 1,   [PTX_U64] = LT_U64 + 1,
		[PTX_S8] = LT_S8 + 1,     [PTX_S16] = LT_S16 + 1,
		[PTX_S32] = LT_S32 + 1,   [PTX_S64] = LT_S64 + 1,
		[PTX_F16] = LT_F16 + 1,   [PTX_BF16] = LT_BF16 + 1,
		[PTX_F32] = LT_F32 + 1,   [PTX_F64] = LT_F64 + 1,
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

	/* The cvt itself converts a special register. */
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
	case PTX_E2M3X2:
		return FP_E2M3;
	case PTX_E3M2X2:
		return FP_E3M2;
	case PTX_E2M1X2:
		return FP_E2M1;
	case PTX_UE8M0X2:
		return FP_UE8M0;
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

/* The relations between two values that make a comparison true. */
static const struct {
	uint8_t attr, truth;
} truths[] = {
	{ PTX_ECMP_EQ, IF_EQ },
	{ PTX_ECMP_NE, IF_LT | IF_GT },
	{ PTX_SCMP_EQ, IF_EQ },
	{ PTX_SCMP_NE, IF_LT | IF_GT },
	{ PTX_SCMP_LT, IF_LT },
	{ PTX_SCMP_LE, IF_LT | IF_EQ },
	{ PTX_SCMP_GT, IF_GT },
	{ PTX_SCMP_GE, IF_EQ | IF_GT },
	{ PTX_UCMP_EQ, IF_EQ },
	{ PTX_UCMP_NE, IF_LT | IF_GT },
	{ PTX_UCMP_LT, IF_LT },
	{ PTX_UCMP_LE, IF_LT | IF_EQ },
	{ PTX_UCMP_GT, IF_GT },
	{ PTX_UCMP_GE, IF_EQ | IF_GT },
	{ PTX_UCMP_LO, IF_LT },
	{ PTX_UCMP_LS, IF_LT | IF_EQ },
	{ PTX_UCMP_HI, IF_GT },
	{ PTX_UCMP_HS, IF_EQ | IF_GT },
	{ PTX_FCMP_EQ, IF_EQ },
	{ PTX_FCMP_NE, IF_LT | IF_GT },
	{ PTX_FCMP_LT, IF_LT },
	{ PTX_FCMP_LE, IF_LT | IF_EQ },
	{ PTX_FCMP_GT, IF_GT },
	{ PTX_FCMP_GE, IF_EQ | IF_GT },
	{ PTX_FCMP_EQU, IF_EQ | IF_UN },
	{ PTX_FCMP_NEU, IF_LT | IF_GT | IF_UN },
	{ PTX_FCMP_LTU, IF_LT | IF_UN },
	{ PTX_FCMP_LEU, IF_LT | IF_EQ | IF_UN },
	{ PTX_FCMP_GTU, IF_GT | IF_UN },
	{ PTX_FCMP_GEU, IF_EQ | IF_GT | IF_UN },
	{ PTX_FCMP_NUM, IF_LT | IF_EQ | IF_GT },
	{ PTX_FCMP_NAN, IF_UN },
};

uint8_t lower_truth(const struct ptx_opcode *op)
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

	out->k = lower_truth(op);
	switch (op->attr[PTX_CLASS_BOOL]) {
	case PTX_BOOL_AND:
		out->count = BOOL_AND;
		break;
	case PTX_BOOL_OR:
		out->count = BOOL_OR;
		break;
	case PTX_BOOL_XOR:
		out->count = BOOL_XOR;
		break;
	}
	if (op->op == PTX_OP_SET_F16X2 || op->op == PTX_OP_SET_BF16X2)
		out->offset = op->type[0] == PTX_F16X2  ? 0x3c00 :
			      op->type[0] == PTX_BF16X2 ? 0x3f80 :
							  0xffff;
	if (out->count && out->c == SLOT_NONE)
		lower_fail(lo, ERR_SYNTAX,
			   "expected a predicate to combine the comparison "
			   "with");
}

static void lower_bar_red(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	bool count = lo->in->opnd_count == 4;
	const struct ptx_opnd *p = &o[count ? 3 : 2];

	out->k = count;
	if (!lower_sized(lo, p, 1) || (count && !lower_sized(lo, &o[2], 4)))
		return;
	if (p->kind != PTX_OPND_REG && p->kind != PTX_OPND_IMM)
		lower_fail(lo, ERR_SYNTAX, "expected a predicate");
	if (count)
		out->b = lower_src(lo, &o[2], PTX_U32);
	out->c = lower_src(lo, p, PTX_PRED);
	out->flip = p->negated ? 1 : 0;
	out->count = BAR_OR;
	if (lo->in->op->op == PTX_OP_BAR_RED_POPC ||
	    lo->in->op->op == PTX_OP_BARRIER_RED_POPC)
		out->count = BAR_POPC;
	else if (lo->in->op->attr[PTX_CLASS_BOOL] == PTX_BOOL_AND)
		out->count = BAR_AND;
}

static void lower_cp_async(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = lo->in->opnds;
	struct opnd_lists *x = lower_lists(lo, 4);
	struct inst from = { .a = SLOT_NONE };
	uint64_t bytes = o[2].bits;

	lower_mem(lo, out, &o[0]);
	out->space = SPACE_SHARED;
	lower_mem(lo, &from, &o[1]);
	if (!x)
		return;
	out->x = x;
	if (from.addr != ADDR_ABS)
		list_add(lo, x, 0, &o[1].elems[0], PTX_U64, false);
	if (from.offset != (int32_t)from.offset) {
		/* Too large for an offset: a constant register holds it. */
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
	} else if (lower_sized(lo, &o[3], 4)) {
		list_add(lo, x, 1, &o[3], PTX_U32, false);
	}
}

/* A memory operand as an instruction that accesses only that operand. */
static struct inst bulk_operand(struct lower *lo, const struct inst *out,
				const struct ptx_opnd *o, enum space space)
{
	struct inst in = *out;

	in.a = SLOT_NONE;
	lower_mem(lo, &in, o);
	in.space = (uint8_t)space;
	in.index = (uint32_t)(lo->in - lo->f->insts);
	return in;
}

static void lower_bulk(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;
	const struct ptx_opnd *o = lo->in->opnds;
	bool store = op->op == PTX_OP_BULK_STORE;
	uint32_t hints = op->attr[PTX_CLASS_CACHEHINT] != 0;
	uint32_t masks = op->attr[PTX_CLASS_CPMASK] != 0, at = store ? 3 : 4;
	struct bulk_opnds *x =
		arena_new(&lo->program->base.arena, struct bulk_opnds, 1);

	if (!x) {
		lower_fail(lo, ERR_NOMEM, "out of memory");
		return;
	}
	if (lo->in->opnd_count != at + hints + masks) {
		lower_fail(lo, ERR_SYNTAX, "expected %u operands",
			   at + hints + masks);
		return;
	}
	x->store = store;
	x->global = bulk_operand(lo, out, &o[!store], SPACE_GLOBAL);
	x->shared = bulk_operand(lo, out, &o[store], SPACE_SHARED);
	if (!store)
		x->barrier = bulk_operand(lo, out, &o[3], SPACE_SHARED);
	if ((!hints || lower_sized(lo, &o[at], 8)) && masks &&
	    lower_sized(lo, &o[at + hints], 2))
		out->c = lower_src(lo, &o[at + hints], PTX_B16);
	out->x = x;
}

static void lower_mbar(struct lower *lo, struct inst *out)
{
	const struct ptx_inst *in = lo->in;

	if (in->opnds[0].kind != PTX_OPND_MEM &&
	    lower_sized(lo, &in->opnds[0], 8))
		out->d = lower_dst(lo, &in->opnds[0]);
	out->k = in->opnd_count == 3 ? MBAR_COUNT : 0;
	if (in->op->op == PTX_OP_MBAR_ARRIVE_TX)
		out->k |= MBAR_TX;
	if (in->op->op == PTX_OP_MBAR_ARRIVE_NC)
		out->k |= MBAR_MASK;
	if (in->op->op == PTX_OP_MBAR_DROP)
		out->k |= MBAR_DROP;
}

static void lower_cvta(struct lower *lo, struct inst *out)
{
	const struct ptx_opnd *o = &lo->in->opnds[1];
	enum space space = lower_space(lo->in->op);
	uint64_t at = 0;

	if (o->kind == PTX_OPND_VAR) {
		out->k = !var_address(lo, o->var, &at);
		if (out->k)
			space = SPACE_LOCAL;
		out->offset = (int64_t)at + o->offset;
	} else if (lower_sized(lo, o, out->width)) {
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
	struct branch_table *t =
		arena_new(&lo->program->base.arena, struct branch_table, 1);

	if (t)
		t->pc = arena_new(&lo->program->base.arena, uint32_t,
				  list->count);
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

/* in->k of an atomic or reduction. */
static uint8_t lower_atom_code(const struct ptx_opcode *op)
{
	static const uint8_t ops[PTX_OP_COUNT] = {
		[PTX_OP_ATOM_EXCH] = ATOM_EXCH,
		[PTX_OP_ATOM_CAS] = ATOM_CAS,
		[PTX_OP_ATOM_INC] = ATOM_INC,
		[PTX_OP_RED_INC] = ATOM_INC,
		[PTX_OP_ATOM_DEC] = ATOM_DEC,
		[PTX_OP_RED_DEC] = ATOM_DEC,
		[PTX_OP_ATOM_MIN] = ATOM_MIN,
		[PTX_OP_RED_MIN] = ATOM_MIN,
		[PTX_OP_ATOM_MAX] = ATOM_MAX,
		[PTX_OP_RED_MAX] = ATOM_MAX,
		[PTX_OP_ATOM_AND] = ATOM_AND,
		[PTX_OP_RED_AND] = ATOM_AND,
		[PTX_OP_ATOM_OR] = ATOM_OR,
		[PTX_OP_RED_OR] = ATOM_OR,
		[PTX_OP_ATOM_XOR] = ATOM_XOR,
		[PTX_OP_RED_XOR] = ATOM_XOR,
		[PTX_OP_ATOM_MIN_HALVES] = ATOM_MIN,
		[PTX_OP_ATOM_MAX_HALVES] = ATOM_MAX,
		[PTX_OP_RED_MIN_HALVES] = ATOM_MIN,
		[PTX_OP_RED_MAX_HALVES] = ATOM_MAX,
	};

	_Static_assert(ATOM_ADD == 0, "the other rows add");
	return atom_code((enum atom_op)ops[op->op], ptx_num_type(op->type[0]));
}

static void lower_atom_vec(struct lower *lo, struct inst *out)
{
	const struct ptx_opcode *op = lo->in->op;
	const struct ptx_opnd *o = lo->in->opnds;
	struct opnd_lists *x = lower_lists(lo, 16);
	enum ptx_type type = (enum ptx_type)op->type[0];
	bool red = ptx_form_of(op->op)->slot[0].kind[0] == 'm';

	out->count = (uint8_t)ptx_vector_length(op);
	if (out->count * ptx_types[type].bytes > ATOM_VECTOR_BYTES)
		lower_fail(lo, ERR_SYNTAX,
			   "a vector of %u times %u bytes: an atomic has at "
			   "most %d",
			   out->count, ptx_types[type].bytes,
			   ATOM_VECTOR_BYTES);
	out->k = lower_atom_code(op);
	if (!red)
		list_add(lo, x, 0, &o[0], type, true);
	list_add(lo, x, 1, &o[red ? 1 : 2], type, false);
	out->x = x;
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

/* The mode of warp-wide operations. */
static void lower_exchange(struct lower *lo, struct inst *out)
{
	static const uint8_t shfl_modes[PTX_ATTR_COUNT] = {
		[PTX_SHFL_UP] = SHFL_UP,
		[PTX_SHFL_DOWN] = SHFL_DOWN,
		[PTX_SHFL_BFLY] = SHFL_BFLY,
		[PTX_SHFL_IDX] = SHFL_IDX,
	};
	static const uint8_t redux_ops[PTX_ATTR_COUNT] = {
		[PTX_REDOP_ADD] = REDUX_ADD, [PTX_REDOP_AND] = REDUX_AND,
		[PTX_REDOP_OR] = REDUX_OR,   [PTX_REDOP_XOR] = REDUX_XOR,
		[PTX_REDOP_MIN] = REDUX_MIN, [PTX_REDOP_MAX] = REDUX_MAX,
	};
	const struct ptx_opcode *op = lo->in->op;

	switch (op->op) {
	case PTX_OP_SHFL:
	case PTX_OP_SHFL_SYNC:
		out->k = shfl_modes[op->attr[PTX_CLASS_SHFL]];
		break;
	case PTX_OP_VOTE:
	case PTX_OP_VOTE_SYNC:
		out->k = op->attr[PTX_CLASS_VOTE];
		if (out->k == PTX_VOTE_BALLOT)
			lower_fail(lo, ERR_SYNTAX,
				   "a ballot returns .b32, not .pred");
		break;
	case PTX_OP_REDUX:
		out->k = redux_ops[op->attr[PTX_CLASS_REDOP]];
		out->m = op->type[0] == PTX_S32;
		break;
	case PTX_OP_LOP3_BOOL_B32:
		out->k = op->attr[PTX_CLASS_BOOL];
		break;
	case PTX_OP_BAR_WARP:
		out->flip |= INST_WARP_BARRIER;
		break;
	}
}

static void lower_memory(struct lower *lo, struct inst *out)
{
	switch (lo->in->op->op) {
	case PTX_OP_LD:
	case PTX_OP_LD_NC:
	case PTX_OP_LDU:
		lower_load_store(lo, out, true);
		break;
	case PTX_OP_ST:
		lower_load_store(lo, out, false);
		break;
	case PTX_OP_ATOM_ADD_VEC:
	case PTX_OP_ATOM_ADD_HALVES:
	case PTX_OP_ATOM_MIN_HALVES:
	case PTX_OP_ATOM_MAX_HALVES:
	case PTX_OP_RED_ADD_VEC:
	case PTX_OP_RED_ADD_HALVES:
	case PTX_OP_RED_MIN_HALVES:
	case PTX_OP_RED_MAX_HALVES:
		lower_atom_vec(lo, out);
		break;
	case PTX_OP_CP_ASYNC:
		lower_cp_async(lo, out);
		break;
	case PTX_OP_BULK_LOAD:
	case PTX_OP_BULK_STORE:
		lower_bulk(lo, out);
		break;
	case PTX_OP_CP_ASYNC_MBAR:
		out->k = lo->in->op->attr[PTX_CLASS_NOINC] ? MBAR_COUNT : 0;
		break;
	case PTX_OP_MBAR_ARRIVE:
	case PTX_OP_MBAR_ARRIVE_NC:
	case PTX_OP_MBAR_ARRIVE_TX:
	case PTX_OP_MBAR_DROP:
		lower_mbar(lo, out);
		break;
	case PTX_OP_MBAR_COMPLETE_TX:
		out->k = MBAR_COMPLETE;
		break;
	case PTX_OP_MBAR_TEST_WAIT:
	case PTX_OP_MBAR_TRY_WAIT:
		out->k = MBAR_STATE;
		break;
	case PTX_OP_CP_ASYNC_WAIT_ALL:
		out->offset = -1; /* no group may stay in flight */
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
		if (out->exec == NULL &&
		    exec_table[lo->in->op->op] == atom_exec)
			out->k = lower_atom_code(lo->in->op);
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
	case PTX_OP_CVT_FP6_F32:
	case PTX_OP_CVT_FP4_F32:
	case PTX_OP_CVT_F16_FP6:
	case PTX_OP_CVT_F16_FP4:
	case PTX_OP_CVT_UE8M0_F32:
	case PTX_OP_CVT_UE8M0_BF16:
	case PTX_OP_CVT_BF16_UE8M0:
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
		out->width =
			(uint8_t)opnd_bytes(lo, &lo->in->opnds[1], PTX_U64);
		break;
	}
}

void lower_details(struct lower *lo, struct inst *out)
{
	unsigned op = lo->in->op->op;

	if (is_compare(op)) {
		lower_compare(lo, out);
	} else if (ptx_is_carry(op)) {
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
	case PTX_OP_MMA_SP:
	case PTX_OP_MMA_B1:
		lower_mma(lo, out);
		break;
	default:
		if (exec_table[op] == exec_video)
			lower_video(lo, out);
	}
}
