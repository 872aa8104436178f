/*
 * Moves, loads and stores, addresses. A load or store of more than 32 bits, or of
 * a vector, is one for each word.
 */
#include <string.h>

#include "fastlanes/expand.h"
#include "fastlanes/ir.h"
#include "isa/ptx/live.h"
#include "isa/ptx/program.h"

enum { DYNAMIC_ALIGN = 16 }; /* of extern arrays in shared memory */

/* ---- variables --------------------------------------------------------- */

static uint32_t round_up_to(uint32_t at, uint32_t align)
{
	return (at + align - 1) / align * align;
}

/* Places a variable at its first use. */
static uint32_t place_var(struct fl_build *b, struct fl_place *at,
			  struct fl_place *sum, const struct ptx_var *v)
{
	uint32_t align = v->align ? v->align : 1;

	if (v->bytes > FL_MEMORY_BYTES - sum->bytes) {
		fl_refuse(b, "variable '%s' is larger than the memory",
			  v->name);
		return 0;
	}
	if (!at->at[v->index]) {
		sum->bytes = round_up_to(sum->bytes, align);
		at->at[v->index] = sum->bytes + 1;
		sum->bytes += (uint32_t)v->bytes;
	}
	return at->at[v->index] - 1;
}

/* Arrays without a size start behind all others, which fl_place_shared has
 * placed. */
static struct fl_word shared_address(struct fl_build *b,
				     const struct ptx_var *v)
{
	struct fl_place *at = v->owner ? &b->shared : &b->module_shared;

	if (!v->bytes) {
		b->shared.bytes = round_up_to(b->shared.bytes, DYNAMIC_ALIGN);
		return fl_const(b->shared.bytes);
	}
	return fl_const(place_var(b, at, &b->shared, v));
}

static void place_shared_of(struct fl_build *b, const struct ptx_opnd *o)
{
	if (o->kind == PTX_OPND_VAR && o->var->space == SPACE_SHARED &&
	    o->var->bytes)
		shared_address(b, o->var);
	for (int i = 0; o->elems && i < o->count; i++)
		place_shared_of(b, &o->elems[i]);
}

void fl_place_shared(struct fl_build *b)
{
	for (uint32_t i = 0; i < b->f->inst_count; i++) {
		b->in = &b->f->insts[i];
		for (int k = 0; k < b->in->opnd_count; k++)
			place_shared_of(b, &b->in->opnds[k]);
	}
}

struct fl_word fl_var_address(struct fl_build *b, const struct ptx_var *v)
{
	switch (v->space) {
	case SPACE_GLOBAL:
	case SPACE_CONST:
		if (!v->owner)
			return fl_const(b->global_at[v->index]);
		fl_refuse(b, "variable '%s' is inside a function", v->name);
		return fl_const(0);
	case SPACE_SHARED:
		return shared_address(b, v);
	case SPACE_LOCAL:
		if (v->owner)
			return fl_const(place_var(b, &b->local, &b->local, v));
		break;
	default:
		break;
	}
	fl_refuse(b, "FastLanes has no address for '%s'", v->name);
	return fl_const(0);
}

/* ---- addresses --------------------------------------------------------- */

/* Where a load or store goes. reg FL_NONE: to the offset alone. */
struct fl_address {
	enum space space;
	uint32_t reg, offset;
};

static enum space fl_space_of(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_SS]) {
	case PTX_SS_CONST:
	case PTX_SS_GLOBAL:
		return SPACE_GLOBAL;
	case PTX_SS_LOCAL:
		return SPACE_LOCAL;
	case PTX_SS_PARAM:
	case PTX_SS_PARAM_ENTRY:
		return SPACE_PARAM;
	case PTX_SS_SHARED:
	case PTX_SS_SHARED_CTA:
		return SPACE_SHARED;
	default:
		return SPACE_GENERIC;
	}
}

/* A generic address is one of global memory: a kernel that makes one of shared
 * or local memory is refused where it does that. */
static enum space space_if_generic(enum space s, enum space generic)
{
	if (s != SPACE_GENERIC)
		return s;
	return generic == SPACE_CONST ? SPACE_GLOBAL : generic;
}

/* The offset of a kernel's parameter; FL_NONE: it is another variable. */
static uint32_t param_place(const struct fl_build *b, const struct ptx_var *v)
{
	for (uint32_t i = 0; i < b->f->param_count; i++)
		if (b->f->params[i] == v)
			return param_offset(b->f, i);
	return FL_NONE;
}

/* Where in the parameters a MOV or ADD points to; FL_NONE: elsewhere. */
static uint32_t param_pointed_to(const struct fl_build *b,
				 const struct ptx_inst *in)
{
	const struct ptx_opnd *from = &in->opnds[1];
	bool adds = in->op->op == PTX_OP_ADD_S64 ||
		    in->op->op == PTX_OP_ADD_U64;
	uint32_t at = FL_NONE, plus = 0;

	if (adds && in->opnds[2].kind == PTX_OPND_IMM)
		plus = (uint32_t)in->opnds[2].bits;
	else if (adds || in->op->op != PTX_OP_MOV)
		return FL_NONE;
	if (from->kind == PTX_OPND_VAR) {
		at = param_place(b, from->var);
		plus += (uint32_t)from->offset;
	} else if (from->kind == PTX_OPND_REG && from->elem < 0) {
		at = b->param_at[from->reg];
	}
	return at == FL_NONE ? FL_NONE : at + plus;
}

/* Counts the writes of each register in param_at. */
static void count_writes(struct fl_build *b)
{
	memset(b->param_at, 0, b->f->reg_count * sizeof(b->param_at[0]));
	for (uint32_t i = 0; i < b->f->inst_count; i++) {
		const struct ptx_inst *in = &b->f->insts[i];

		for (unsigned k = 0; k < in->opnd_count; k++) {
			const struct ptx_opnd *o = &in->opnds[k];
			bool many = o->kind == PTX_OPND_VEC ||
				    o->kind == PTX_OPND_DUAL;

			if (!ptx_writes_operand(in, k))
				continue;
			if (o->kind == PTX_OPND_REG)
				b->param_at[o->reg]++;
			for (int e = 0; many && e < o->count; e++)
				if (o->elems[e].kind == PTX_OPND_REG)
					b->param_at[o->elems[e].reg]++;
		}
	}
}

/* Compilers take the address of a structure once and load its members from there. A
 * register that is written once, by a copy of such an address, needs no code. */
void fl_find_params(struct fl_build *b)
{
	bool *once = arena_new(b->arena, bool, b->f->reg_count + 1);

	count_writes(b);
	for (uint32_t i = 0; i < b->f->reg_count; i++) {
		if (once)
			once[i] = b->param_at[i] == 1;
		b->param_at[i] = FL_NONE;
	}
	for (uint32_t i = 0; once && i < b->f->inst_count; i++) {
		const struct ptx_inst *in = &b->f->insts[i];
		const struct ptx_opnd *to = in->opnds; /* may be none */

		if (in->guard == PTX_NO_REG && in->opnd_count >= 2 &&
		    to->kind == PTX_OPND_REG && to->elem < 0 && once[to->reg])
			b->param_at[to->reg] = param_pointed_to(b, in);
	}
}

bool fl_points_to_param(const struct fl_build *b)
{
	const struct ptx_opnd *to = b->in->opnds; /* may be none */

	return b->in->opnd_count >= 2 && to->kind == PTX_OPND_REG &&
	       ptx_writes_operand(b->in, 0) && b->param_at[to->reg] != FL_NONE;
}

static bool address_in_params(const struct fl_build *b,
			      const struct ptx_opnd *base,
			      struct fl_address *at)
{
	uint32_t param = b->param_at[base->reg];

	at->offset += param;
	return param != FL_NONE;
}

static bool address_var(struct fl_build *b, const struct ptx_opnd *base,
			struct fl_address *at)
{
	const struct ptx_var *v = base->var;
	uint32_t param = param_place(b, v);

	at->space = space_if_generic(at->space, v->space);
	if (at->space == SPACE_PARAM && param == FL_NONE)
		return false;
	at->offset += (uint32_t)base->offset;
	at->offset += at->space == SPACE_PARAM ? param : fl_var_address(b, v).v;
	return true;
}

/* False: it was refused. */
static bool address_of(struct fl_build *b, const struct ptx_opnd *o,
		       struct fl_address *at)
{
	const struct ptx_opnd *base = &o->elems[0];
	bool ok = true;

	*at = (struct fl_address){ fl_space_of(b->in->op), FL_NONE,
				   (uint32_t)o->offset };
	if (base->kind == PTX_OPND_VAR)
		ok = address_var(b, base, at);
	else if (base->kind == PTX_OPND_IMM)
		at->offset += (uint32_t)base->bits;
	else if (base->kind == PTX_OPND_REG && at->space == SPACE_PARAM)
		ok = address_in_params(b, base, at);
	else if (base->kind == PTX_OPND_REG)
		at->reg = fl_src_of(b, base, PTX_U64, 0).v;
	else
		ok = false;
	at->space = space_if_generic(at->space, SPACE_GLOBAL);
	if (!ok)
		fl_refuse(b, "FastLanes reads parameters of the kernel, at "
			     "constant offsets");
	return !b->failed;
}

static enum fl_op memory_op(enum space s, bool load)
{
	switch (s) {
	case SPACE_SHARED:
		return load ? FL_LDS : FL_STS;
	case SPACE_LOCAL:
		return load ? FL_LDL : FL_STL;
	default:
		return load ? FL_LDG : FL_STG;
	}
}

static struct fl_ir *emit_memory(struct fl_build *b,
				 const struct fl_address *at, uint32_t plus,
				 enum fl_width width, bool load)
{
	bool absolute = at->reg == FL_NONE;
	struct fl_ir *in = fl_emit(b, memory_op(at->space, load),
				   width | (absolute ? FL_MOD_ABS : 0));

	in->a = at->reg;
	in->imm = true;
	in->b = at->offset + plus;
	return in;
}

/* ---- loads and stores -------------------------------------------------- */

static enum fl_width fl_width_of(enum ptx_type t, bool load)
{
	bool is_signed = load && fl_signed(t);

	switch (fl_bytes(t)) {
	case 1:
		return is_signed ? FL_S8 : FL_U8;
	case 2:
		return is_signed ? FL_S16 : FL_U16;
	default:
		return FL_B32;
	}
}

/* A value of up to 32 bits of the parameters. */
static void load_param(struct fl_build *b, uint32_t d, uint32_t offset,
		       enum ptx_type t)
{
	unsigned bytes = fl_bytes(t);
	uint32_t word = bytes < 4 ? fl_temp(b) : d;
	struct fl_ir *in = fl_emit(b, FL_LDP, 0);

	in->d = word;
	in->imm = true;
	in->b = offset & ~3u;
	if (bytes < 4)
		fl_put(b, FL_BFE, fl_signed(t) ? FL_MOD_S : 0, d, fl_reg(word),
		       fl_const((offset & 3) * 8 | bytes * 8 << 8));
}

static void load_word(struct fl_build *b, const struct fl_address *at,
		      uint32_t plus, uint32_t d, enum ptx_type t)
{
	if (at->space == SPACE_PARAM)
		load_param(b, d, at->offset + plus, t);
	else
		emit_memory(b, at, plus, fl_width_of(t, true), true)->d = d;
}

static void fl_load_element(struct fl_build *b, const struct fl_address *at,
			    uint32_t plus, const struct ptx_opnd *o,
			    enum ptx_type t)
{
	uint32_t d = fl_dst_of(b, o, 0);

	load_word(b, at, plus, d, t);
	if (fl_reg_bytes(b, o) < 8)
		return;
	if (fl_bytes(t) == 8)
		load_word(b, at, plus + 4, fl_dst_of(b, o, 1), PTX_B32);
	else
		fl_move(b, fl_dst_of(b, o, 1),
			fl_signed(t) ? fl_do(b, FL_SHR, FL_MOD_S, fl_reg(d),
					     fl_const(31)) :
				       fl_const(0));
}

/* Element i of an operand that may be a vector. */
static const struct ptx_opnd *element(const struct ptx_opnd *o, unsigned i)
{
	return o->kind == PTX_OPND_VEC ? &o->elems[i] : o;
}

static unsigned elements(const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_VEC ? o->count : 1;
}

void expand_ld(struct fl_build *b)
{
	enum ptx_type t = (enum ptx_type)b->in->op->type[0];
	const struct ptx_opnd *to = b->in->opnds; /* may be none */
	struct fl_address at;

	if (!address_of(b, &b->in->opnds[1], &at))
		return;
	/* The first word may replace the address of the second. */
	if (at.reg != FL_NONE && (elements(to) > 1 || fl_bytes(t) > 4)) {
		uint32_t copy = fl_temp(b);

		fl_move(b, copy, fl_reg(at.reg));
		at.reg = copy;
	}
	for (unsigned i = 0; i < elements(to) && !b->failed; i++)
		fl_load_element(b, &at, i * fl_bytes(t), element(to, i), t);
}

static void store_word(struct fl_build *b, const struct fl_address *at,
		       uint32_t plus, const struct ptx_opnd *o, unsigned half,
		       enum ptx_type t)
{
	uint32_t v = fl_as_reg(b, fl_src_of(b, o, t, half));

	emit_memory(b, at, plus + 4 * half, fl_width_of(t, false), false)->c =
		v;
}

void expand_st(struct fl_build *b)
{
	enum ptx_type t = (enum ptx_type)b->in->op->type[0];
	const struct ptx_opnd *from = &b->in->opnds[1];
	struct fl_address at;

	if (fl_space_of(b->in->op) == SPACE_PARAM) {
		fl_refuse(b, "FastLanes has no calls of functions");
		return;
	}
	if (!address_of(b, &b->in->opnds[0], &at))
		return;
	for (unsigned i = 0; i < elements(from) && !b->failed; i++)
		for (unsigned half = 0; half <= (fl_bytes(t) == 8); half++)
			store_word(b, &at, i * fl_bytes(t), element(from, i),
				   half, t);
}

void expand_cvta(struct fl_build *b)
{
	switch (b->in->op->attr[PTX_CLASS_SS]) {
	case PTX_SS_GLOBAL:
	case PTX_SS_CONST:
		break;
	default:
		fl_refuse(b,
			  "FastLanes has no generic addresses of this space");
		return;
	}
	fl_move(b, fl_dst(b, 0, 0), fl_src(b, 1, PTX_U64, 0));
	if (fl_reg_bytes(b, &b->in->opnds[0]) == 8)
		fl_move(b, fl_dst(b, 0, 1), fl_src(b, 1, PTX_U64, 1));
}

/* ---- moves ------------------------------------------------------------- */

static void move_pred(struct fl_build *b)
{
	bool negated;
	uint32_t p = fl_pred_dst(b, &b->in->opnds[0]);
	uint32_t from = fl_pred_src(b, &b->in->opnds[1], &negated);
	struct fl_ir *in = fl_emit(b, FL_PLOP, FL_BOOL_AND);

	in->p = p;
	in->r = from;
	in->r_not = negated;
}

/* { elements } = a word or a pair. */
static void fl_move_unpack(struct fl_build *b, const struct ptx_opnd *to,
			   unsigned bytes)
{
	unsigned part = bytes / to->count;

	for (unsigned i = 0; i < to->count; i++) {
		unsigned at = i * part;
		struct fl_word w = fl_src(b, 1, PTX_U64, at / 4);

		if (to->elems[i].kind == PTX_OPND_SINK)
			continue;
		if (at % 4)
			w = fl_do(b, FL_SHR, 0, w, fl_const(at % 4 * 8));
		fl_move(b, fl_dst_of(b, &to->elems[i], 0), w);
	}
}

/* A word made of parts of `part` bytes, the first lowest. */
static struct fl_word packed(struct fl_build *b, const struct ptx_opnd *from,
			     unsigned first, unsigned part)
{
	enum ptx_type t = part == 1 ? PTX_U8 : part == 2 ? PTX_U16 : PTX_U32;
	struct fl_word w =
		fl_extend(b, fl_src_of(b, &from->elems[first], t, 0), t);

	for (unsigned i = 1; i < 4 / part; i++) {
		struct fl_word next = fl_extend(
			b, fl_src_of(b, &from->elems[first + i], t, 0), t);

		w = fl_do(b, FL_OR, 0,
			  fl_do(b, FL_SHL, 0, next, fl_const(8 * part * i)), w);
	}
	return w;
}

static void fl_move_pack(struct fl_build *b, const struct ptx_opnd *from,
			 unsigned bytes)
{
	unsigned part = bytes / from->count;
	uint32_t lo = fl_dst(b, 0, 0);

	if (part > 4) {
		fl_refuse(b, "FastLanes has no such operand");
		return;
	}
	fl_move(b, lo, packed(b, from, 0, part));
	if (bytes == 8)
		fl_move(b, fl_dst(b, 0, 1),
			packed(b, from, from->count / 2, part));
}

void expand_mov(struct fl_build *b)
{
	enum ptx_type t = (enum ptx_type)b->in->op->type[0];
	const struct ptx_opnd *to = &b->in->opnds[0], *from = &b->in->opnds[1];
	unsigned bytes = fl_bytes(t);

	if (t == PTX_PRED) {
		move_pred(b);
	} else if (to->kind == PTX_OPND_VEC) {
		fl_move_unpack(b, to, bytes);
	} else if (from->kind == PTX_OPND_VEC) {
		fl_move_pack(b, from, bytes);
	} else {
		fl_move(b, fl_dst(b, 0, 0), fl_src(b, 1, t, 0));
		if (fl_reg_bytes(b, to) == 8)
			fl_move(b, fl_dst(b, 0, 1), fl_src(b, 1, t, 1));
	}
}
