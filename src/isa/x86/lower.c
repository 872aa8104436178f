#include "isa/x86/lower.h"

#include "isa/x86/flags.h"
#include "isa/x86/region.h"
#include "isa/x86/row.h"

#ifdef HEDDLE_ZYDIS

#include "isa/x86/raw.h"

/* The registers of micro-operations: X86_RAX and so on, then these. */
enum {
	X86_UREG_FLAGS = UREG_INT + 16,
	X86_UREG_INT_TEMP, /* three of each file */
	X86_UREG_FP_TEMP = UREG_FP + 8,
	X86_UREG_VECTOR_TEMP = UREG_VECTOR + 16
};

static const struct {
	uint8_t unit, lat;
} x86_units[] = {
	[X86_UNIT_ALU] = { UOP_UNIT_ALU, UOP_LAT_ALU },
	[X86_UNIT_MUL] = { UOP_UNIT_MUL, UOP_LAT_MUL },
	[X86_UNIT_DIV] = { UOP_UNIT_DIV, UOP_LAT_DIV },
	[X86_UNIT_BRANCH] = { UOP_UNIT_BRANCH, UOP_LAT_BRANCH },
	[X86_UNIT_SIMD] = { UOP_UNIT_SIMD, UOP_LAT_SIMD },
	[X86_UNIT_FADD] = { UOP_UNIT_FADD, UOP_LAT_FADD },
	[X86_UNIT_FMUL] = { UOP_UNIT_FMUL, UOP_LAT_FMUL },
	[X86_UNIT_FDIV] = { UOP_UNIT_FDIV, UOP_LAT_FDIV },
	[X86_UNIT_X87] = { UOP_UNIT_FADD, UOP_LAT_FADD },
	[X86_UNIT_SYSTEM] = { UOP_UNIT_ALU, UOP_LAT_ALU },
};

static const uint8_t x86_lats[] = {
	[X86_LATENCY_ALU] = UOP_LAT_ALU,   [X86_LATENCY_SHIFT] = UOP_LAT_ALU,
	[X86_LATENCY_MUL] = UOP_LAT_MUL,   [X86_LATENCY_DIV] = UOP_LAT_DIV,
	[X86_LATENCY_SIMD] = UOP_LAT_SIMD, [X86_LATENCY_SMUL] = UOP_LAT_SMUL,
	[X86_LATENCY_FADD] = UOP_LAT_FADD, [X86_LATENCY_FMUL] = UOP_LAT_FMUL,
	[X86_LATENCY_FDIV] = UOP_LAT_FDIV, [X86_LATENCY_FSQRT] = UOP_LAT_FSQRT,
	[X86_LATENCY_CVT] = UOP_LAT_CVT,
};

/* The x87 has no unit of its own: its latency class names one. */
static uint8_t x86_unit_of(const struct x86_row *row)
{
	if (row->unit != X86_UNIT_X87)
		return x86_units[row->unit].unit;
	return row->latency == X86_LATENCY_FMUL ? UOP_UNIT_FMUL :
	       row->latency == X86_LATENCY_FDIV ||
			       row->latency == X86_LATENCY_FSQRT ?
						  UOP_UNIT_FDIV :
						  UOP_UNIT_FADD;
}

static uint8_t x86_lat_of(const struct x86_row *row)
{
	return row->latency == X86_LATENCY_ALU ? x86_units[row->unit].lat :
						 x86_lats[row->latency];
}

/* Numbers of an instruction's registers, each once. */
struct x86_list {
	uint8_t reg[16], count;
};

static void x86_list_add(struct x86_list *l, uint8_t reg)
{
	for (unsigned i = 0; i < l->count; i++)
		if (l->reg[i] == reg)
			return;
	if (reg && l->count < sizeof(l->reg))
		l->reg[l->count++] = reg;
}

/* An instruction while it is lowered. */
struct x86_lowering {
	struct x86_timed *t;
	const struct x86_raw *raw;
	const struct x86_row *row;
	struct x86_list reads, writes;
	const ZydisDecodedOperand *load[GUEST_ACCESSES], *store[GUEST_ACCESSES];
	unsigned loads, stores, uops;
	uint8_t temp; /* the first temporary */
};

static uint8_t x86_ureg(ZydisRegister reg)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		return (uint8_t)(UREG_INT +
				 ZydisRegisterGetId(
					 ZydisRegisterGetLargestEnclosing(
						 ZYDIS_MACHINE_MODE_LONG_64,
						 reg)));
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		return (uint8_t)(UREG_INT + ZydisRegisterGetId(reg));
	case ZYDIS_REGCLASS_XMM:
		return (uint8_t)(UREG_VECTOR + ZydisRegisterGetId(reg));
	case ZYDIS_REGCLASS_X87:
		return (uint8_t)(UREG_FP + ZydisRegisterGetId(reg));
	default: /* RIP, segments, MXCSR: not renamed */
		return UREG_NONE;
	}
}

static void x86_lower_register(struct x86_lowering *l,
			       const ZydisDecodedOperand *o)
{
	uint8_t reg = x86_ureg(o->reg.value);
	bool part = o->size < 32 && reg < UREG_FP;

	if (reg == UREG_INT + X86_RSP &&
	    o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		return;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ||
	    o->actions & ZYDIS_OPERAND_ACTION_CONDWRITE ||
	    (part && o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		x86_list_add(&l->reads, reg);
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		x86_list_add(&l->writes, reg);
	if (reg >= UREG_VECTOR)
		l->temp = X86_UREG_VECTOR_TEMP;
	else if (reg >= UREG_FP && l->temp < UREG_VECTOR)
		l->temp = X86_UREG_FP_TEMP;
}

static void x86_lower_memory(struct x86_lowering *l,
			     const ZydisDecodedOperand *o)
{
	if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
		x86_list_add(&l->reads, x86_ureg(o->mem.base));
		x86_list_add(&l->reads, x86_ureg(o->mem.index));
		return;
	}
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ &&
	    l->loads < GUEST_ACCESSES / 2)
		l->load[l->loads++] = o;
	if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
	    l->stores < GUEST_ACCESSES / 2)
		l->store[l->stores++] = o;
}

static void x86_lower_flags(struct x86_lowering *l)
{
	const ZydisAccessedFlags *f = l->raw->inst.cpu_flags;
	const ZydisAccessedFlagsMask status =
		ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF |
		ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;

	if (!f)
		return;
	if (f->tested & status)
		x86_list_add(&l->reads, X86_UREG_FLAGS);
	if ((f->modified | f->set_0 | f->set_1 | f->undefined) & status)
		x86_list_add(&l->writes, X86_UREG_FLAGS);
}

/* x ^ x and the like need no x. */
static bool x86_is_zero_idiom(const struct x86_raw *raw)
{
	const ZydisDecodedOperand *o = raw->opnd;

	switch (raw->inst.mnemonic) {
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS:
	case ZYDIS_MNEMONIC_XORPD:
		return o[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		       o[0].reg.value == o[1].reg.value;
	default:
		return false;
	}
}

static void x86_lower_operands(struct x86_lowering *l)
{
	for (unsigned i = 0; i < l->raw->inst.operand_count; i++) {
		const ZydisDecodedOperand *o = &l->raw->opnd[i];

		if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
			x86_lower_register(l, o);
		else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
			x86_lower_memory(l, o);
	}
	x86_lower_flags(l);
	if (x86_is_zero_idiom(l->raw))
		l->reads.count = 0;
}

/*
 * Micro-operations
 */

static struct uop *x86_uop(struct x86_lowering *l, enum uop_kind kind,
			   uint8_t unit, uint8_t lat)
{
	struct uop *u = &l->t->uop[l->uops];

	if (l->uops < GUEST_UOPS)
		l->uops++;
	else
		u--;
	*u = (struct uop){ .kind = (uint8_t)kind, .unit = unit, .lat = lat };
	return u;
}

static void x86_uop_reads(struct uop *u, uint8_t reg)
{
	for (unsigned k = 0; k < UOP_SOURCES; k++) {
		if (u->src[k] == reg || !reg)
			return;
		if (!u->src[k]) {
			u->src[k] = reg;
			return;
		}
	}
}

/* Notes where an access goes, and that the micro-operation waits for its
 * address. */
static void x86_uop_address(struct x86_lowering *l, struct uop *u,
			    const ZydisDecodedOperand *o, bool writes)
{
	struct x86_access *a = &l->t->access[l->t->accesses++];
	const ZydisDecodedOperandMem *m = &o->mem;
	bool rip = m->base == ZYDIS_REGISTER_RIP ||
		   m->base == ZYDIS_REGISTER_EIP;
	bool hidden = o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	unsigned bytes = (unsigned)(o->size + 7) / 8;

	*a = (struct x86_access){
		.disp = (uint64_t)m->disp.value,
		.base = X86_ZERO,
		.index = X86_ZERO,
		.segment = m->segment == ZYDIS_REGISTER_FS ? X86_SEG_FS :
			   m->segment == ZYDIS_REGISTER_GS ? X86_SEG_GS :
							     X86_SEG_NONE,
		.size32 = l->raw->inst.address_width == 32,
		.bytes = (uint8_t)(bytes > 128 ? 128 :
				   bytes       ? bytes :
						 1),
	};
	u->bytes = a->bytes;
	if (rip)
		a->disp += l->t->at + l->raw->inst.length;
	if (m->base && !rip)
		a->base = (uint8_t)ZydisRegisterGetId(m->base);
	if (m->index)
		a->index = (uint8_t)ZydisRegisterGetId(m->index);
	a->shift = m->scale ? (uint8_t)__builtin_ctz(m->scale) : 0;
	/* leave pops what RBP points to; a push writes below RSP. */
	if (l->raw->inst.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		a->base = X86_RBP;
	else if (hidden && writes && m->base == ZYDIS_REGISTER_RSP)
		a->disp -= a->bytes;
	if (a->base != X86_ZERO)
		x86_uop_reads(u, (uint8_t)(UREG_INT + a->base));
	if (a->index != X86_ZERO)
		x86_uop_reads(u, (uint8_t)(UREG_INT + a->index));
	u->addresses =
		(uint8_t)((a->base != X86_ZERO) + (a->index != X86_ZERO));
}

/* It only moves: a load or a store is all of it. */
static bool x86_is_move(const struct x86_lowering *l)
{
	switch (l->raw->inst.meta.category) {
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_PUSH:
	case ZYDIS_CATEGORY_POP:
		return l->loads + l->stores == 1;
	default:
		return false;
	}
}

static void x86_lower_loads(struct x86_lowering *l, bool move)
{
	for (unsigned i = 0; i < l->loads; i++) {
		struct uop *u =
			x86_uop(l, UOP_LOAD, UOP_UNIT_LOAD, UOP_LAT_LOAD);

		x86_uop_address(l, u, l->load[i], false);
		u->dst[0] = move ? l->writes.reg[0] : (uint8_t)(l->temp + i);
		/* What keeps a part of its register waits for it. */
		if (move)
			for (unsigned k = 0; k < l->reads.count; k++)
				if (l->reads.reg[k] == l->writes.reg[0])
					x86_uop_reads(u, l->reads.reg[k]);
	}
}

static void x86_lower_stores(struct x86_lowering *l, bool move, uint8_t value)
{
	for (unsigned i = 0; i < l->stores; i++) {
		struct uop *u =
			x86_uop(l, UOP_STORE, UOP_UNIT_STORE, UOP_LAT_STORE);

		x86_uop_address(l, u, l->store[i], true);
		if (!move)
			x86_uop_reads(u, value);
		else
			for (unsigned k = 0; k < l->reads.count; k++)
				x86_uop_reads(u, l->reads.reg[k]);
	}
}

/* The first one reads everything, the last one takes the time of the row's
 * class; each writes up to two of the registers. */
static void x86_lower_compute(struct x86_lowering *l, uint8_t value)
{
	unsigned n = l->row->uops, written = 0;

	for (unsigned i = 0; i < n; i++) {
		bool last = i + 1 == n;
		struct uop *u =
			x86_uop(l, UOP_COMPUTE, x86_unit_of(l->row),
				last ? x86_lat_of(l->row) : UOP_LAT_ALU);

		if (!last && x86_lat_of(l->row) != UOP_LAT_ALU)
			u->unit = UOP_UNIT_ALU;
		if (i)
			x86_uop_reads(u, (uint8_t)(l->temp + 2));
		for (unsigned k = 0; !i && k < l->reads.count; k++)
			x86_uop_reads(u, l->reads.reg[k]);
		for (unsigned k = 0; !i && k < l->loads; k++)
			x86_uop_reads(u, (uint8_t)(l->temp + k));
		if (!last) {
			u->dst[0] = (uint8_t)(l->temp + 2);
			continue;
		}
		if (value)
			u->dst[0] = value;
		for (unsigned k = value != 0; k < UOP_TARGETS; k++)
			if (written < l->writes.count)
				u->dst[k] = l->writes.reg[written++];
	}
}

static void x86_lower_branch(struct x86_lowering *l)
{
	struct uop *u;

	for (unsigned i = 1; i < l->row->uops; i++) {
		u = x86_uop(l, UOP_COMPUTE, UOP_UNIT_ALU, UOP_LAT_ALU);
		if (l->writes.count) {
			x86_uop_reads(u, l->writes.reg[0]);
			u->dst[0] = l->writes.reg[0];
		}
	}
	u = x86_uop(l, UOP_BRANCH, UOP_UNIT_BRANCH, UOP_LAT_BRANCH);
	for (unsigned k = 0; k < l->reads.count; k++)
		x86_uop_reads(u, l->reads.reg[k]);
	for (unsigned k = 0; k < l->loads; k++)
		x86_uop_reads(u, (uint8_t)(l->temp + k));
}

/* An access that nothing else may come between. */
static void x86_lower_atomic(struct x86_lowering *l, enum uop_kind kind,
			     const ZydisDecodedOperand *o)
{
	struct uop *u = x86_uop(l, kind, UOP_UNIT_STORE, UOP_LAT_STORE);

	x86_uop_address(l, u, o, kind == UOP_ATOMIC);
	for (unsigned k = 0; k < l->reads.count; k++)
		x86_uop_reads(u, l->reads.reg[k]);
	for (unsigned k = 0; k < UOP_TARGETS && k < l->writes.count; k++)
		u->dst[k] = l->writes.reg[k];
}

static void x86_lower_nothing(struct x86_lowering *l)
{
	x86_uop(l, UOP_COMPUTE, UOP_UNIT_ALU, UOP_LAT_ALU);
}

static bool x86_is_locked(const struct x86_lowering *l)
{
	return l->raw->inst.attributes & ZYDIS_ATTRIB_HAS_LOCK ||
	       (l->raw->inst.mnemonic == ZYDIS_MNEMONIC_XCHG && l->stores);
}

static enum guest_order x86_guest_order(const struct x86_lowering *l)
{
	unsigned row = l->t->inst[0].row;

	if (row == X86_ROW_SYSCALL)
		return GUEST_CALL;
	if (row == X86_ROW_PAUSE)
		return GUEST_PAUSE;
	if (row == X86_ROW_CLFLUSH || x86_is_locked(l))
		return GUEST_ATOMIC;
	if (l->row->unit == X86_UNIT_SYSTEM || l->t->guest.mark)
		return GUEST_ALONE;
	return l->row->form == X86_FORM_STR ? GUEST_STRING : GUEST_PLAIN;
}

static enum guest_branch x86_branch_of(const struct x86_lowering *l)
{
	if (l->row->unit != X86_UNIT_BRANCH)
		return GUEST_BRANCH_NONE;
	switch (l->t->inst[0].row) {
	case X86_ROW_JMP:
		return GUEST_BRANCH_JUMP;
	case X86_ROW_JMPI:
		return GUEST_BRANCH_INDIRECT;
	case X86_ROW_CALL:
		return GUEST_BRANCH_CALL;
	case X86_ROW_CALLI:
		return GUEST_BRANCH_INDIRECT_CALL;
	case X86_ROW_RET:
		return GUEST_BRANCH_RETURN;
	default:
		return GUEST_BRANCH_COND;
	}
}

static uint32_t x86_mark_of_inst(const struct x86_inst *i)
{
	unsigned number = i->disp & (X86_REGION_NUMBERS - 1);

	if (i->row != X86_ROW_REGION)
		return GUEST_MARK_NONE;
	return GUEST_MARK_SET | number |
	       (i->disp & X86_MARK_END ? GUEST_MARK_END : 0);
}

static void x86_lower_parts(struct x86_lowering *l)
{
	bool move = x86_is_move(l);
	uint8_t value = l->stores && !move ? (uint8_t)(l->temp + 2) : 0;
	enum guest_order order = (enum guest_order)l->t->guest.order;

	if (l->row->form == X86_FORM_HINT && order != GUEST_ATOMIC) {
		x86_lower_nothing(l);
	} else if (order == GUEST_ATOMIC) {
		if (l->stores)
			x86_lower_atomic(l, UOP_ATOMIC, l->store[0]);
		else if (l->raw->opnd[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
			x86_lower_atomic(l, UOP_FLUSH, &l->raw->opnd[0]);
	} else if (l->t->guest.branch) {
		x86_lower_loads(l, false);
		x86_lower_stores(l, false, 0);
		x86_lower_branch(l);
	} else {
		x86_lower_loads(l, move);
		if (!move || (!l->loads && !l->stores))
			x86_lower_compute(l, value);
		x86_lower_stores(l, move, value);
	}
	if (!l->uops)
		x86_lower_nothing(l);
}

void x86_lower(struct x86_timed *t, const void *bytes, size_t size)
{
	struct x86_raw raw = { .at = t->at };
	struct x86_lowering l = { .t = t,
				  .raw = &raw,
				  .temp = X86_UREG_INT_TEMP };

	t->guest = (struct guest_inst){ .uop = t->uop,
					.length = t->inst[0].length };
	if (t->inst[0].row < X86_ROWS && x86_decode_raw(&raw, bytes, size)) {
		l.row = &x86_rows[t->inst[0].row];
		t->guest.mark = x86_mark_of_inst(&t->inst[0]);
		x86_lower_operands(&l);
		t->guest.order = (uint8_t)x86_guest_order(&l);
		t->guest.branch = (uint8_t)x86_branch_of(&l);
		t->guest.target = t->inst[0].imm;
		x86_lower_parts(&l);
	} else {
		/* It will stop the program, if it is executed at all. */
		t->guest.order = GUEST_ALONE;
		x86_lower_nothing(&l);
	}
	t->guest.uops = (uint8_t)l.uops;
	if (!t->guest.length)
		t->guest.length = 1;
}

#else

void x86_lower(struct x86_timed *t, const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	t->guest = (struct guest_inst){ .uop = t->uop, .uops = 1, .length = 1 };
}

#endif
