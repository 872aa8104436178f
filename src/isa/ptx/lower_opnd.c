#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fp.h"
#include "isa/ptx/branch.h"
#include "isa/ptx/exec_rows.h"
#include "isa/ptx/lower.h"
#include "simt/lane.h"
#include "simt/mem.h"

static uint32_t hash_const(unsigned bytes, uint64_t value)
{
	uint64_t h = (value ^ bytes) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)(h >> 32);
}

static bool pool_grow(struct const_pool *p, uint32_t more)
{
	uint32_t room = p->room ? p->room : 1 << 14;
	char *data;

	while (room < p->bytes + more)
		room *= 2;
	if (room == p->room)
		return true;
	data = aligned_alloc(64, room);
	if (!data)
		return false;
	if (p->bytes)
		memcpy(data, p->data, p->bytes);
	free(p->data);
	p->data = data;
	p->room = room;
	return true;
}

slot_t pool_unique(struct const_pool *p, unsigned bytes, uint64_t value)
{
	uint32_t size = bytes == 1 ? 64 : (bytes * LANES + 63u) & ~63u;
	uint32_t at = p->bytes;

	if (p->failed || p->bytes > 0x30000000u || !pool_grow(p, size)) {
		p->failed = true;
		return SLOT(SLOT_CONST, 0);
	}
	memset(p->data + at, 0, size);
	p->bytes += size;
	for (unsigned l = 0; l < LANES; l++)
		if (bytes == 1)
			((uint32_t *)(p->data + at))[0] = value ? ~0u : 0;
		else if (bytes == 16)
			memcpy(p->data + at + 8 * l, &value, 8);
		else
			memcpy(p->data + at + bytes * l, &value, bytes);
	return SLOT(SLOT_CONST, at);
}

static bool table_grow(struct const_pool *p)
{
	uint32_t size = p->table_size ? 2 * p->table_size : 1024;
	uint32_t *table = calloc(3 * (size_t)size, sizeof(*table));

	if (!table)
		return false;
	for (uint32_t i = 0; i < p->table_size; i++) {
		const uint32_t *e = &p->table[3 * i];
		uint32_t k, bytes;
		uint64_t value = 0;

		if (!e[0])
			continue;
		bytes = e[1];
		memcpy(&value, p->data + e[0] - 1, bytes == 16 ? 8 : bytes);
		k = hash_const(bytes, value) % size;
		while (table[3 * k])
			k = (k + 1) % size;
		memcpy(&table[3 * k], e, 3 * sizeof(*e));
	}
	free(p->table);
	p->table = table;
	p->table_size = size;
	return true;
}

slot_t pool_const(struct const_pool *p, unsigned bytes, uint64_t value)
{
	uint64_t have = 0;
	uint32_t k;

	if (bytes == 1)
		value = value ? 0xff : 0;
	else if (bytes < 8)
		value &= (1ull << (8 * bytes)) - 1;
	if (2 * p->used >= p->table_size && !table_grow(p)) {
		p->failed = true;
		return SLOT(SLOT_CONST, 0);
	}
	k = hash_const(bytes, value) % p->table_size;
	for (; p->table[3 * k]; k = (k + 1) % p->table_size) {
		const uint32_t *e = &p->table[3 * k];

		have = 0;
		memcpy(&have, p->data + e[0] - 1, bytes == 16 ? 8 : bytes);
		if (e[1] == bytes && have == value)
			return SLOT(SLOT_CONST, e[0] - 1);
	}
	p->table[3 * k + 1] = bytes;
	p->table[3 * k] = SLOT_OFFSET(pool_unique(p, bytes, value)) + 1;
	p->used++;
	return SLOT(SLOT_CONST, p->table[3 * k] - 1);
}

unsigned reg_bytes(enum ptx_type t)
{
	unsigned n = ptx_types[t].bytes;

	if (t == PTX_PRED)
		return 1;
	return n < 2 ? 2 : n;
}

slot_t lower_temp(struct lower *lo, unsigned bytes)
{
	uint32_t at = (lo->code->reg_bytes + 63u) & ~63u;

	lo->code->reg_bytes = at + (bytes == 1 ? 4 : bytes * LANES);
	return SLOT(SLOT_REG, at);
}

static slot_t reg_slot(struct lower *lo, const struct ptx_opnd *o)
{
	const struct ptx_reg *r = &lo->f->regs[o->reg];
	uint32_t at = lo->reg_slot[o->reg];

	if (o->part)
		lower_fail(lo, ERR_SYNTAX, "'%s' cannot have a selector here",
			   r->name);
	if (o->elem > 0)
		at += (uint32_t)o->elem * reg_bytes(r->type) * LANES;
	return SLOT(SLOT_REG, at);
}

/* An immediate as bits of `type`; 0f and 0d numbers convert to either float. */
static uint64_t immediate_bits(const struct ptx_opnd *o, enum ptx_type type)
{
	bool is_float = ptx_types[type].kind == PTX_KIND_F;

	if (o->imm_kind == PTX_IMM_F64 && ptx_types[type].bytes == 4)
		return fp_cvt(FP_F32, FP_F64, o->bits, RND_RN, false);
	if (o->imm_kind == PTX_IMM_F32 && ptx_types[type].bytes == 8)
		return fp_cvt(FP_F64, FP_F32, o->bits, RND_RN, false);
	if (o->imm_kind != PTX_IMM_INT || !is_float)
		return o->bits;
	switch (type) {
	case PTX_F32:
		return fp_from_int(FP_F32, o->bits, true, RND_RN);
	case PTX_F64:
		return fp_from_int(FP_F64, o->bits, true, RND_RN);
	default:
		return o->bits; /* half floats are written as bits */
	}
}

/* Position of v in a list, or -1. */
static int64_t position_of(struct ptx_var *const *list, uint32_t n,
			   const struct ptx_var *v)
{
	if (v->index < n && list[v->index] == v)
		return v->index;
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == v)
			return i;
	return -1;
}

/* Offset of a parameter, return or variable in its function's frame. */
static uint64_t frame_offset(const struct layout *l, const struct ptx_func *f,
			     const struct ptx_var *v)
{
	int64_t i = position_of(f->vars, f->var_count, v);

	if (i >= 0)
		return l->var[i];
	i = position_of(f->params, f->param_count, v);
	if (i >= 0)
		return l->param[i];
	i = position_of(f->rets, f->ret_count, v);
	CHECK(i >= 0);
	return l->ret[i];
}

bool var_address(struct lower *lo, const struct ptx_var *v, uint64_t *at)
{
	const struct ptx_func *f = v->owner;
	int64_t i;

	if (!f) {
		*at = lo->program->vars[v->index].address;
		return true;
	}
	if (v->space == SPACE_PARAM && f->is_entry) {
		i = position_of(f->params, f->param_count, v);
		if (i >= 0) {
			*at = param_offset(f, (uint32_t)i);
			return true;
		}
	}
	if (v->space == SPACE_LOCAL || v->space == SPACE_PARAM) {
		*at = frame_offset(&lo->layout, f, v);
		return false;
	}
	i = position_of(f->vars, f->var_count, v);
	CHECK(i >= 0);
	*at = lo->program->func_vars[f->index][i].address;
	return true;
}

/* The address of a variable as a value. */
static slot_t address_value(struct lower *lo, const struct ptx_opnd *o,
			    unsigned bytes)
{
	struct inst *mov;
	uint64_t at = 0;
	slot_t t;

	if (ptx_types[o->var->type].kind == PTX_KIND_O)
		return lo->program->tex_slots[o->var->index];
	if (var_address(lo, o->var, &at))
		return pool_const(lo->pool, bytes, at + (uint64_t)o->offset);
	t = lower_temp(lo, bytes);
	mov = lower_emit(lo, exec_mov);
	mov->op = PTX_OP_MOV;
	mov->k = MOVE_FRAME;
	mov->d = t;
	mov->width = (uint8_t)bytes;
	mov->offset = (int64_t)at + o->offset;
	return t;
}

/* A special register, converted if it is read as a narrower or wider one. */
static slot_t sreg_value(struct lower *lo, const struct ptx_opnd *o,
			 unsigned want)
{
	const struct ptx_sreg_info *s = &ptx_sregs[o->sreg];
	unsigned have = reg_bytes((enum ptx_type)s->type);
	slot_t slot;
	struct inst *in;

	if (s->fixed) {
		slot = SLOT(SLOT_SREG,
			    ptx_program_sreg(lo->program,
					     (enum ptx_sreg)o->sreg));
	} else {
		slot = lower_temp(lo, have);
		in = lower_emit(lo, exec_sreg);
		in->d = slot;
		in->k = (uint8_t)o->sreg;
		in->width = (uint8_t)have;
	}
	if (have == want || have == 1)
		return slot;
	in = lower_emit(lo, exec_cvt);
	in->op = PTX_OP_CVT_II;
	in->a = slot;
	in->d = lower_temp(lo, want);
	in->width = (uint8_t)(have | want << 4);
	in->k = have == 8 ? LT_U64 : LT_U32;
	in->count = want == 8 ? LT_U64 : want == 4 ? LT_U32 : LT_U16;
	return in->d;
}

unsigned opnd_bytes(const struct lower *lo, const struct ptx_opnd *o,
		    enum ptx_type type)
{
	if (o->kind == PTX_OPND_REG)
		return reg_bytes(lo->f->regs[o->reg].type);
	if (o->kind == PTX_OPND_SREG)
		return reg_bytes((enum ptx_type)ptx_sregs[o->sreg].type);
	return reg_bytes(type);
}

slot_t lower_src(struct lower *lo, const struct ptx_opnd *o, enum ptx_type type)
{
	unsigned bytes = reg_bytes(type);

	switch (o->kind) {
	case PTX_OPND_REG:
		return reg_slot(lo, o);
	case PTX_OPND_IMM:
		return pool_const(lo->pool, bytes, immediate_bits(o, type));
	case PTX_OPND_SREG:
		return sreg_value(lo, o, bytes);
	case PTX_OPND_VAR:
		return address_value(lo, o, bytes);
	case PTX_OPND_FUNC:
		return pool_const(lo->pool, bytes, func_address(o->func));
	default:
		lower_fail(lo, ERR_SYNTAX,
			   "expected a register, a constant, a variable or a "
			   "function");
		return SLOT(SLOT_CONST, 0);
	}
}

slot_t lower_dst(struct lower *lo, const struct ptx_opnd *o)
{
	if (o->kind == PTX_OPND_SINK)
		return SLOT_NONE;
	if (o->kind == PTX_OPND_REG)
		return reg_slot(lo, o);
	lower_fail(lo, ERR_SYNTAX, "expected a register to write");
	return SLOT_NONE;
}

enum space lower_space(const struct ptx_opcode *op)
{
	switch (op->attr[PTX_CLASS_SS]) {
	case PTX_SS_CONST:
		return SPACE_CONST;
	case PTX_SS_GLOBAL:
		return SPACE_GLOBAL;
	case PTX_SS_LOCAL:
		return SPACE_LOCAL;
	case PTX_SS_PARAM:
	case PTX_SS_PARAM_ENTRY:
	case PTX_SS_PARAM_FUNC:
		return SPACE_PARAM;
	case PTX_SS_SHARED:
	case PTX_SS_SHARED_CTA:
	case PTX_SS_SHARED_CLUSTER: /* a block is a cluster of its own */
		return SPACE_SHARED;
	default:
		return SPACE_GENERIC;
	}
}

/* .param without ::entry or ::func belongs to the enclosing function. */
static bool param_is_local(const struct lower *lo)
{
	switch (lo->in->op->attr[PTX_CLASS_SS]) {
	case PTX_SS_PARAM_ENTRY:
		return false;
	case PTX_SS_PARAM_FUNC:
		return true;
	default:
		return !lo->f->is_entry;
	}
}

void lower_mem(struct lower *lo, struct inst *out, const struct ptx_opnd *o)
{
	const struct ptx_opnd *base = &o->elems[0];
	enum space space = lower_space(lo->in->op);
	uint64_t at = 0;

	out->offset = o->offset;
	out->space = (uint8_t)space;
	switch (base->kind) {
	case PTX_OPND_REG:
		/* A device function's parameters are in its frame, so an
		 * address of one is an address in local memory. */
		if (space == SPACE_PARAM && param_is_local(lo))
			out->space = SPACE_LOCAL;
		out->a = reg_slot(lo, base);
		out->addr = opnd_bytes(lo, base, PTX_U64) == 8 ? ADDR_REG64 :
								 ADDR_REG32;
		break;
	case PTX_OPND_IMM:
		out->addr = ADDR_ABS;
		out->offset += (int64_t)base->bits;
		break;
	case PTX_OPND_VAR:
		/* The default is the variable's space. */
		if (space == SPACE_GENERIC)
			out->space = (uint8_t)base->var->space;
		if (var_address(lo, base->var, &at)) {
			out->addr = ADDR_ABS;
		} else {
			out->addr = ADDR_FRAME;
			out->space = SPACE_LOCAL;
		}
		out->offset += (int64_t)at + base->offset;
		break;
	default:
		lower_fail(lo, ERR_SYNTAX, "expected an address");
	}
}

bool is_vector_reg(const struct lower *lo, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG && o->elem < 0 &&
	       lo->f->regs[o->reg].vec > 1;
}

bool lower_sized(struct lower *lo, const struct ptx_opnd *o, unsigned bytes)
{
	if (o->kind != PTX_OPND_REG ||
	    reg_bytes(lo->f->regs[o->reg].type) == bytes)
		return true;
	if (bytes == 1)
		lower_fail(lo, ERR_SYNTAX, "'%s' is not a predicate",
			   lo->f->regs[o->reg].name);
	else
		lower_fail(lo, ERR_SYNTAX, "'%s' has %u bytes, expected %u",
			   lo->f->regs[o->reg].name,
			   reg_bytes(lo->f->regs[o->reg].type), bytes);
	return false;
}

struct opnd_lists *lower_lists(struct lower *lo, uint32_t slots)
{
	struct ptx_lists *x =
		arena_new(&lo->program->base.arena, struct ptx_lists, 1);

	if (!x)
		goto nomem;
	x->list.slots = arena_new(&lo->program->base.arena, slot_t, slots);
	if (!x->list.slots)
		goto nomem;
	x->op = lo->in->op;
	x->list.room = slots;
	return &x->list;
nomem:
	lower_fail(lo, ERR_NOMEM, "out of memory");
	return NULL;
}

static void list_append(struct lower *lo, struct opnd_lists *x, int list,
			const struct ptx_opnd *o, enum ptx_type type,
			bool is_dst)
{
	unsigned bytes = opnd_bytes(lo, o, type);
	uint32_t at = (uint32_t)x->first[list] + x->count[list];

	if (o->kind != PTX_OPND_SINK) {
		if (x->bytes[list] && x->bytes[list] != bytes)
			lower_fail(lo, ERR_SYNTAX,
				   "the registers of a list must have the same "
				   "size, found %u and %u bytes",
				   x->bytes[list], bytes);
		x->bytes[list] = (uint8_t)bytes;
	}
	x->slots[at] = is_dst ? lower_dst(lo, o) : lower_src(lo, o, type);
	x->count[list]++;
}

/* The type of a vector's elements: `type`, or plain bits if its registers are
 * wider, so that constants in the vector are as wide. */
static enum ptx_type vector_type(const struct lower *lo,
				 const struct ptx_opnd *o, enum ptx_type type)
{
	for (uint32_t i = 0; i < o->count; i++) {
		unsigned bytes = opnd_bytes(lo, &o->elems[i], type);

		if (o->elems[i].kind == PTX_OPND_REG &&
		    bytes != reg_bytes(type))
			return bytes == 8 ? PTX_B64 :
			       bytes == 4 ? PTX_B32 :
			       bytes == 2 ? PTX_B16 :
					    type;
	}
	return type;
}

/* Appends the registers of a vector, or a single operand, to a list. Lists may
 * be filled in any order, but one after the other. */
void list_add(struct lower *lo, struct opnd_lists *x, int list,
	      const struct ptx_opnd *o, enum ptx_type type, bool is_dst)
{
	uint32_t end = 0;

	if (!x)
		return;
	for (int i = 0; i < 6; i++)
		if (x->count[i] && x->first[i] + x->count[i] > end)
			end = (uint32_t)x->first[i] + x->count[i];
	if (!x->count[list])
		x->first[list] = (uint8_t)end;
	if (o->kind == PTX_OPND_VEC) {
		type = vector_type(lo, o, type);
		for (uint32_t i = 0; i < o->count && end + i < x->room; i++)
			list_append(lo, x, list, &o->elems[i], type, is_dst);
	} else if (is_vector_reg(lo, o)) {
		struct ptx_opnd e = *o;

		for (e.elem = 0; e.elem < lo->f->regs[o->reg].vec; e.elem++)
			list_append(lo, x, list, &e, type, is_dst);
	} else {
		list_append(lo, x, list, o, type, is_dst);
	}
	if (o->kind == PTX_OPND_VEC && end + o->count > x->room)
		lower_fail(lo, ERR_SYNTAX, "the vector has too many elements");
}
