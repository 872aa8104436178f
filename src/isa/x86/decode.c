#include "isa/x86/decode.h"

#include "isa/x86/flags.h"
#include "isa/x86/region.h"
#include "isa/x86/row.h"

#ifdef HEDDLE_ZYDIS

#include <pthread.h>
#include <stdio.h>

#include "isa/x86/raw.h"

enum err x86_decode_ready(struct diag *d)
{
	(void)d;
	return ERR_OK;
}

static const ZydisMnemonic x86_mnemonics[X86_ROWS] = {
#define X86_INT(id, mn, form, sem, undef, unit, lat, uops) ZYDIS_MNEMONIC_##mn,
#define X86_COND X86_INT
#define X86_ONE X86_INT
#define X86_SSE X86_INT
#define X86_SSF X86_INT
#include "isa/x86/x86.def"
};

/* The first row of a mnemonic, and those that follow it; 0: none. Numbers are
 * those of rows plus one. */
struct x86_index {
	uint16_t first[ZYDIS_MNEMONIC_MAX_VALUE + 1];
	uint16_t next[X86_ROWS];
};

static struct x86_index x86_index_make(void)
{
	struct x86_index x = { 0 };

	for (unsigned row = X86_ROWS; row-- > 0;) {
		x.next[row] = x.first[x86_mnemonics[row]];
		x.first[x86_mnemonics[row]] = (uint16_t)(row + 1);
	}
	return x;
}

static struct x86_index x86_index_made;

static void x86_index_once(void)
{
	x86_index_made = x86_index_make();
}

static const struct x86_index *x86_index_get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, x86_index_once);
	return &x86_index_made;
}

static uint64_t x86_raw_next(const struct x86_raw *raw)
{
	return raw->at + raw->inst.length;
}

/* The byte of an 8-bit register in the register file. */
static uint8_t x86_byte_of(ZydisRegister reg)
{
	unsigned n = (unsigned)(reg - ZYDIS_REGISTER_AL);

	if (n < 4)
		return (uint8_t)(n * 8);
	if (n < 8)
		return (uint8_t)((n - 4) * 8 + 1);
	/* SPL to DIL, then R8B to R15B. */
	return (uint8_t)((n - 4) * 8);
}

static enum x86_opnd x86_bind_reg(ZydisRegister reg, uint8_t *number)
{
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_GPR8:
		*number = x86_byte_of(reg);
		return X86_OPND_REG;
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		*number = (uint8_t)ZydisRegisterGetId(reg);
		return X86_OPND_REG;
	case ZYDIS_REGCLASS_XMM:
		*number = (uint8_t)ZydisRegisterGetId(reg);
		return X86_OPND_XMM;
	case ZYDIS_REGCLASS_X87:
		*number = (uint8_t)ZydisRegisterGetId(reg);
		return X86_OPND_ST;
	default:
		return X86_OPND_NONE;
	}
}

static uint8_t x86_bind_segment(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_FS ? X86_SEG_FS :
	       reg == ZYDIS_REGISTER_GS ? X86_SEG_GS :
					  X86_SEG_NONE;
}

static uint8_t x86_bind_base(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_NONE ? X86_ZERO :
					    (uint8_t)ZydisRegisterGetId(reg);
}

static enum x86_opnd x86_bind_mem(struct x86_inst *i, const struct x86_raw *raw,
				  const ZydisDecodedOperandMem *m)
{
	i->segment = x86_bind_segment(m->segment);
	i->disp = (uint64_t)m->disp.value;
	i->size32 = raw->inst.address_width == 32;
	if (m->base == ZYDIS_REGISTER_RIP || m->base == ZYDIS_REGISTER_EIP) {
		i->disp += x86_raw_next(raw);
		i->base = i->index = X86_ZERO;
		return X86_OPND_MEM;
	}
	i->base = x86_bind_base(m->base);
	i->index = x86_bind_base(m->index);
	i->shift = m->scale ? (uint8_t)__builtin_ctz(m->scale) : 0;
	return X86_OPND_MEM;
}

static enum x86_opnd x86_bind_opnd(struct x86_inst *i,
				   const struct x86_raw *raw, unsigned n,
				   uint8_t *number)
{
	const ZydisDecodedOperand *o = &raw->opnd[n];

	switch (o->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return x86_bind_reg(o->reg.value, number);
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return x86_bind_mem(i, raw, &o->mem);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		i->imm = o->imm.value.u;
		return X86_OPND_IMM;
	default:
		return X86_OPND_NONE;
	}
}

/* The first two operands, and a third one that is immediate or CL. */
static void x86_bind(struct x86_inst *i, const struct x86_raw *raw)
{
	unsigned count = raw->inst.operand_count_visible;
	uint8_t third = 0;

	if (count > 0) {
		i->dst_kind = (uint8_t)x86_bind_opnd(i, raw, 0, &i->dst);
		i->bits = (uint8_t)raw->opnd[0].size;
	}
	if (count > 1) {
		i->src_kind = (uint8_t)x86_bind_opnd(i, raw, 1, &i->src);
		i->src_bits = (uint8_t)raw->opnd[1].size;
	}
	if (count > 2)
		i->number = x86_bind_opnd(i, raw, 2, &third) == X86_OPND_REG;
}

static void x86_bind_string(struct x86_inst *i, const struct x86_raw *raw)
{
	const ZydisDecodedInstruction *z = &raw->inst;

	i->size32 = z->address_width == 32;
	i->bits = (uint8_t)z->operand_width;
	if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
		i->number = X86_REP;
	if (z->attributes & ZYDIS_ATTRIB_HAS_REPNE)
		i->number = X86_REPNE;
	if (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS)
		i->segment = X86_SEG_FS;
	if (z->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS)
		i->segment = X86_SEG_GS;
}

static bool x86_is_gm(unsigned kind)
{
	return kind == X86_OPND_REG || kind == X86_OPND_MEM;
}

static int x86_size_of(unsigned bits)
{
	return bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3;
}

static int x86_pick_two(struct x86_inst *i)
{
	bool to_mem = i->dst_kind == X86_OPND_MEM;
	int kinds;

	if (!x86_is_gm(i->dst_kind))
		return -1;
	if (i->src_kind == X86_OPND_REG)
		kinds = to_mem ? 2 : 0;
	else if (i->src_kind == X86_OPND_MEM)
		kinds = 1;
	else if (i->src_kind == X86_OPND_IMM)
		kinds = to_mem ? 4 : 3;
	else
		return -1;
	i->imm = x86_low(i->imm, i->bits);
	return kinds * 4 + x86_size_of(i->bits);
}

static int x86_pick_one(const struct x86_inst *i)
{
	if (!x86_is_gm(i->dst_kind) || i->src_kind)
		return -1;
	return (i->dst_kind == X86_OPND_MEM) * 4 + x86_size_of(i->bits);
}

static int x86_pick_shift(const struct x86_inst *i)
{
	int kinds = (i->dst_kind == X86_OPND_MEM) * 2;

	if (!x86_is_gm(i->dst_kind))
		return -1;
	if (i->src_kind == X86_OPND_REG)
		kinds++;
	return kinds * 4 + x86_size_of(i->bits);
}

static bool x86_is_general(unsigned kind)
{
	return x86_is_gm(kind) || kind == X86_OPND_IMM || !kind;
}

/* xchg and test name their operands in either order. */
static void x86_memory_first(struct x86_inst *i)
{
	uint8_t t = i->dst;

	if (i->src_kind != X86_OPND_MEM)
		return;
	i->src_kind = i->dst_kind;
	i->dst_kind = X86_OPND_MEM;
	i->dst = i->src;
	i->src = t;
}

static int x86_pick_general(struct x86_inst *i, const struct x86_raw *raw)
{
	unsigned count = raw->inst.operand_count_visible;

	if (!i->dst_kind || (count > 1 && !i->src_kind) ||
	    !x86_is_general(i->dst_kind) || !x86_is_general(i->src_kind))
		return -1;
	if (raw->inst.mnemonic == ZYDIS_MNEMONIC_XCHG)
		x86_memory_first(i);
	/* Pushed immediates have the width of the stack. */
	if (i->dst_kind == X86_OPND_IMM)
		i->bits = (uint8_t)raw->inst.operand_width;
	return 0;
}

static int x86_pick_jump(struct x86_inst *i, const struct x86_raw *raw)
{
	if (i->dst_kind != X86_OPND_IMM || !raw->opnd[0].imm.is_relative)
		return -1;
	i->size32 = raw->inst.address_width == 32;
	i->imm += x86_raw_next(raw);
	i->disp = x86_raw_next(raw);
	return 0;
}

/* One operand; branches get the next address. */
static int x86_pick_single(struct x86_inst *i, const struct x86_raw *raw)
{
	if (!x86_is_gm(i->dst_kind) || i->src_kind || i->bits > 64)
		return -1;
	i->imm = x86_raw_next(raw);
	return 0;
}

static int x86_pick_vector(const struct x86_inst *i)
{
	if (i->dst_kind != X86_OPND_XMM)
		return -1;
	return i->src_kind == X86_OPND_XMM ? 0 :
	       i->src_kind == X86_OPND_MEM ? 1 :
					     -1;
}

/* A count that is immediate, in a register, in memory. */
static int x86_pick_vector_shift(const struct x86_inst *i)
{
	if (i->dst_kind == X86_OPND_XMM && i->src_kind == X86_OPND_IMM)
		return 2;
	return x86_pick_vector(i);
}

static int x86_if(bool fits)
{
	return fits ? 0 : -1;
}

static bool x86_is_mark(const struct x86_inst *i)
{
	return i->dst_kind == X86_OPND_MEM && i->bits == 32 &&
	       i->base == X86_RAX && i->index == X86_ZERO && !i->size32 &&
	       i->segment == X86_SEG_NONE &&
	       (i->disp & ~(uint64_t)X86_MARK_END) - X86_MARK <
		       X86_REGION_NUMBERS;
}

/* Which of the row's executors takes it; -1: none does. */
static int x86_pick(struct x86_inst *i, enum x86_form form,
		    const struct x86_raw *raw)
{
	unsigned d = i->dst_kind, s = i->src_kind;

	switch (form) {
	case X86_FORM_RMW2:
	case X86_FORM_RD2:
	case X86_FORM_MOV2:
		return x86_pick_two(i);
	case X86_FORM_RMW1:
		return x86_pick_one(i);
	case X86_FORM_SHIFT:
		return x86_pick_shift(i);
	case X86_FORM_GPR:
	case X86_FORM_SET:
	case X86_FORM_CMOV:
		return x86_pick_general(i, raw);
	case X86_FORM_GPR1:
		return x86_pick_single(i, raw);
	case X86_FORM_GPR3:
		return x86_if(raw->inst.operand_count_visible == 3);
	case X86_FORM_NONE:
	case X86_FORM_HINT:
	case X86_FORM_RET:
		return 0;
	case X86_FORM_MARK:
		return x86_if(x86_is_mark(i));
	case X86_FORM_XLAT:
	case X86_FORM_STR:
		if (d == X86_OPND_XMM || s == X86_OPND_XMM)
			return -1;
		x86_bind_string(i, raw);
		return 0;
	case X86_FORM_JUMP:
		return x86_pick_jump(i, raw);
	case X86_FORM_A16:
	case X86_FORM_U16:
	case X86_FORM_U8:
	case X86_FORM_U4:
	case X86_FORM_U2:
		return x86_pick_vector(i);
	case X86_FORM_VSH:
		return x86_pick_vector_shift(i);
	case X86_FORM_FX:
		return x86_if(d == X86_OPND_MEM);
	case X86_FORM_XLOAD:
		return x86_if(d == X86_OPND_XMM && s == X86_OPND_MEM);
	case X86_FORM_XMEM:
		return x86_if(d == X86_OPND_MEM && s == X86_OPND_XMM);
	case X86_FORM_XREG:
		return x86_if((d == X86_OPND_XMM || d == X86_OPND_MEM) &&
			      (s == X86_OPND_XMM || s == X86_OPND_MEM));
	case X86_FORM_XPICK:
		/* Lengths are those of registers of 64 bits. */
		i->number = raw->inst.operand_width == 64;
		return x86_if(x86_pick_vector(i) >= 0);
	case X86_FORM_XTOG:
		return x86_if(x86_is_gm(d) &&
			      (s == X86_OPND_XMM ||
			       (s == X86_OPND_MEM && d == X86_OPND_REG)));
	case X86_FORM_GTOX:
		return x86_if(d == X86_OPND_XMM && x86_is_gm(s));
	case X86_FORM_X87:
	case X86_FORM_FCMOV:
		return x86_if(d != X86_OPND_XMM);
	}
	return -1;
}

static bool x86_ends_block(unsigned row)
{
	const struct x86_row *r = &x86_rows[row];

	return r->unit == X86_UNIT_BRANCH || row == X86_ROW_SYSCALL ||
	       row == X86_ROW_PAUSE || row == X86_ROW_REGION ||
	       row == X86_ROW_UD2 || row == X86_ROW_INT3 || row == X86_ROW_HLT;
}

static bool x86_take_row(struct x86_inst *i, const struct x86_raw *raw,
			 unsigned row)
{
	struct x86_inst try = { .base = X86_ZERO,
				.index = X86_ZERO,
				.length = raw->inst.length,
				.row = (uint16_t)row };
	int variant;

	if (raw->inst.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	x86_bind(&try, raw);
	variant = x86_pick(&try, x86_rows[row].form, raw);
	if (variant < 0)
		return false;
	try.run = x86_rows[row].run[variant];
	*i = try;
	return true;
}

bool x86_decode_raw(struct x86_raw *raw, const void *bytes, size_t size)
{
	ZydisDecoder decoder;

	if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)))
		BUG("Zydis does not start");
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		&decoder, bytes, size < X86_LONGEST ? size : X86_LONGEST,
		&raw->inst, raw->opnd));
}

bool x86_decode(struct x86_inst *i, const void *bytes, size_t size, uint64_t at)
{
	const struct x86_index *index = x86_index_get();
	struct x86_raw raw = { .at = at };
	const char *name;

	*i = (struct x86_inst){ .run = x86_do_invalid,
				.row = X86_ROWS,
				.base = X86_ZERO,
				.index = X86_ZERO };
	if (!x86_decode_raw(&raw, bytes, size))
		return true;
	for (unsigned row = index->first[raw.inst.mnemonic]; row;
	     row = index->next[row - 1])
		if (x86_take_row(i, &raw, row - 1))
			return x86_ends_block(row - 1);
	name = ZydisMnemonicGetString(raw.inst.mnemonic);
	i->run = x86_do_refuse;
	i->length = raw.inst.length;
	i->imm = (uintptr_t)name;
	return true;
}

void x86_decode_text(const void *bytes, size_t bytes_size, uint64_t at,
		     char *text, size_t size)
{
	ZydisDisassembledInstruction z;

	if (ZYAN_SUCCESS(ZydisDisassembleATT(ZYDIS_MACHINE_MODE_LONG_64, at,
					     bytes, bytes_size, &z)))
		snprintf(text, size, "%s", z.text);
}

#else

enum err x86_decode_ready(struct diag *d)
{
	return fail(d, ERR_UNSUPP,
		    "this heddle was built without Zydis, which decodes x86: "
		    "install libzydis-dev and build it again");
}

bool x86_decode(struct x86_inst *i, const void *bytes, size_t size, uint64_t at)
{
	(void)bytes;
	(void)size;
	(void)at;
	*i = (struct x86_inst){ .run = x86_do_invalid };
	return true;
}

void x86_decode_text(const void *bytes, size_t bytes_size, uint64_t at,
		     char *text, size_t size)
{
	(void)bytes;
	(void)bytes_size;
	(void)at;
	(void)text;
	(void)size;
}

#endif
