/*
 * The text of an instruction, as the vendor's disassembler writes it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/sass/inst.h"

struct out {
	char *text;
	size_t size, room;
};

static void put_text(struct out *o, const char *text, size_t size)
{
	if (size >= o->room - o->size)
		size = o->room - o->size - 1;
	memcpy(o->text + o->size, text, size);
	o->size += size;
	o->text[o->size] = '\0';
}

static void put(struct out *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void put(struct out *o, const char *fmt, ...)
{
	char text[96];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_text(o, text, (size_t)n);
}

static void put_int(struct out *o, int64_t v)
{
	char text[32];

	put_text(o, text, sass_print_int(text, sizeof(text), v));
}

static void put_float(struct out *o, double v)
{
	char text[64];

	put_text(o, text, sass_print_float(text, sizeof(text), v));
}

static void put_register(struct out *o, const char *prefix, uint8_t number,
			 uint8_t last)
{
	if (number == last)
		put(o, "%s%c", prefix, last == SASS_PT ? 'T' : 'Z');
	else
		put(o, "%s%u", prefix, number);
}

static void put_const(struct out *o, const struct sass_place *p,
		      const struct sass_opnd *x)
{
	if (x->type == SASS_CONST) {
		put(o, "c[0x%x]", x->bank);
	} else {
		put(o, "cx[");
		put_register(o, "UR", x->ureg, SASS_RZ);
		put(o, "]");
	}
	put(o, "%s[", p->parts ? " " : "");
	put_int(o, x->imm);
	put(o, "]");
}

static const char *half_text(const struct sass_place *p, uint8_t half)
{
	return p->parts ? sass_part_texts[p->parts][half & 3] : "";
}

/* Whether an address is written with its register, which is RZ. With a uniform
 * register it is needless, unless more is said of it. */
static bool shows_zero(const struct sass_enc *e, const struct sass_place *p,
		       const struct sass_opnd *x)
{
	if (x->desc || x->scale)
		return true;
	if (x->has_ureg)
		return p->wide && e->from >= SASS_SHOWN_DESC;
	return !x->imm;
}

static bool shows_base(const struct sass_place *p, const struct sass_opnd *x)
{
	if (x->ureg != SASS_RZ)
		return true;
	return p->style != SASS_BASE_HIDDEN &&
	       (p->style != SASS_BASE_QUIET || !x->wide);
}

static void put_index(struct out *o, const struct sass_enc *e,
		      const struct sass_place *p, const struct sass_opnd *x)
{
	if (!x->has_reg || (x->reg == SASS_RZ && !shows_zero(e, p, x)))
		return;
	put_register(o, "R", x->reg, SASS_RZ);
	if (p->type == SASS_MEM && p->wide)
		put(o, "%s", x->wide ? ".64" : ".U32");
	if (x->scale)
		put(o, ".X%u", 1u << x->scale);
}

/* [R2.64+UR4+0x10] */
static void put_memory_text(struct out *o, const struct sass_enc *e,
			    const struct sass_place *p,
			    const struct sass_opnd *x)
{
	size_t start;

	if (x->desc && !sass_hides_desc(e, p)) {
		put(o, "desc[");
		put_register(o, "UR", x->ureg, SASS_RZ);
		put(o, "]");
	}
	put(o, "[");
	start = o->size;
	put_index(o, e, p, x);
	if (x->has_ureg && !x->desc && shows_base(p, x)) {
		put(o, "%s", o->size > start ? "+" : "");
		put_register(o, "UR", x->ureg, SASS_RZ);
	}
	if (x->imm) {
		put(o, "%s", o->size > start ? "+" : "");
		put_int(o, x->imm);
	}
	put(o, "]");
}

/* c[0x3][R2+0x10] */
static void put_const_memory(struct out *o, const struct sass_opnd *x)
{
	bool index = x->has_reg || x->has_ureg;
	uint8_t reg = x->has_reg ? x->reg : x->ureg;

	put(o, "c[0x%x][", x->bank);
	if (index && (reg != SASS_RZ || !x->imm)) {
		put_register(o, x->has_reg ? "R" : "UR", reg, SASS_RZ);
		put(o, "%s", x->imm ? "+" : "");
	}
	if (x->imm || !index)
		put_int(o, x->imm);
	put(o, "]");
}

static double half_value(uint16_t bits, bool bf16)
{
	unsigned e = bits >> 10 & 31, m = bits & 1023;
	union {
		uint32_t u;
		float f;
	} v = { (uint32_t)bits << 16 };
	double x;

	if (bf16)
		return (double)v.f;
	if (e == 31) {
		v.u = (bits & 0x8000u) << 16 | 0x7f800000u | m << 13;
		return (double)v.f;
	}
	x = e ? (double)(m + 1024) * (1 << e) / 2 : (double)m;
	return (bits & 0x8000 ? -x : x) * 0x1p-24;
}

static void put_halves(struct out *o, const struct sass_inst *in, uint32_t bits)
{
	bool bf16 = SASS_MOD(in, HFMT) == SASS_HFMT_BF16;

	put_float(o, half_value((uint16_t)(bits >> 16), bf16));
	put(o, ", ");
	put_float(o, half_value((uint16_t)bits, bf16));
}

static void put_f32(struct out *o, uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	put_float(o, (double)f);
}

static void put_f64(struct out *o, int64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	put_float(o, d);
}

static void put_sreg(struct out *o, const char *name, unsigned number)
{
	if (name)
		put(o, "%s", name);
	else
		put(o, "SR%u", number);
}

static void put_swizzle(struct out *o, unsigned v)
{
	for (unsigned i = 4; i-- > 0;)
		put(o, "%s", sass_swizzles[v >> 2 * i & 3]);
}

/* {2,0} */
static void put_bit_list(struct out *o, unsigned bits)
{
	const char *before = "{";

	for (unsigned i = 6; i-- > 0;)
		if (bits >> i & 1) {
			put(o, "%s%u", before, i);
			before = ",";
		}
	put(o, "}");
}

static void put_number_text(struct out *o, const struct sass_inst *in,
			    const struct sass_opnd *x, uint64_t address)
{
	switch ((enum sass_type)x->type) {
	case SASS_LIST:
		put_bit_list(o, (unsigned)x->imm);
		break;
	case SASS_REL:
		put_int(o, (int64_t)address + SASS_BYTES + x->imm);
		break;
	case SASS_F32:
		put_f32(o, (uint32_t)x->imm);
		break;
	case SASS_F64:
		put_f64(o, x->imm);
		break;
	case SASS_F16:
	case SASS_BF16:
		put_float(o,
			  half_value((uint16_t)x->imm, x->type == SASS_BF16));
		break;
	case SASS_PAIR:
		put_halves(o, in, (uint32_t)x->imm);
		break;
	case SASS_UINT:
		put(o, "0x%llx", (unsigned long long)x->imm);
		break;
	case SASS_SWIZZLE:
		put_swizzle(o, (unsigned)x->imm);
		break;
	default:
		put_int(o, x->imm);
	}
}

/* The operand itself, without signs. */
static void put_plain(struct out *o, const struct sass_inst *in,
		      const struct sass_place *p, const struct sass_opnd *x,
		      uint64_t address)
{
	switch ((enum sass_type)x->type) {
	case SASS_REG:
		put_register(o, "R", x->reg, SASS_RZ);
		break;
	case SASS_UREG:
		put_register(o, "UR", x->reg, SASS_RZ);
		break;
	case SASS_PRED:
		put_register(o, "P", x->reg, SASS_PT);
		break;
	case SASS_UPRED:
		put_register(o, "UP", x->reg, SASS_PT);
		break;
	case SASS_BARRIER:
		put(o, "B%u", x->reg);
		break;
	case SASS_COUNTER:
		put(o, "SB%u", x->reg);
		break;
	case SASS_GROUP:
		put(o, "gsb%u", x->reg);
		break;
	case SASS_SREG:
		put_sreg(o, sass_sreg_name(in->sm, x->reg), x->reg);
		break;
	case SASS_STATE:
		put(o, "%s", sass_state_name(x->reg));
		break;
	case SASS_CONST:
	case SASS_XCONST:
		put_const(o, p, x);
		break;
	case SASS_MEM:
		put_memory_text(o, in->enc, p, x);
		break;
	case SASS_CMEM:
		put_const_memory(o, x);
		break;
	default:
		put_number_text(o, in, x, address);
	}
}

static void put_operand(struct out *o, const struct sass_inst *in,
			const struct sass_place *p, uint64_t address)
{
	const struct sass_opnd *x = &in->opnd[p->role];
	bool is_pred = x->type == SASS_PRED || x->type == SASS_UPRED;
	/* Only of registers the halves are written after the bar. */
	bool late = x->type == SASS_REG &&
		    (p->parts == SASS_PAIRED || p->parts == SASS_CROSSED);

	if (x->neg)
		put(o, "%s", is_pred ? "!" : x->inverts ? "~" : "-");
	if (x->abs)
		put(o, "|");
	put_plain(o, in, p, x, address);
	if (!late)
		put(o, "%s", half_text(p, x->half));
	if (x->abs)
		put(o, "|");
	if (x->reuse)
		put(o, ".reuse");
	if (late)
		put(o, "%s", half_text(p, x->half));
}

static void put_mod(struct out *o, unsigned class, unsigned value)
{
	for (size_t i = 0; i < sass_mod_count; i++)
		if (sass_mods[i].class == class &&
		    sass_mods[i].value == value) {
			put(o, "%s", sass_mods[i].text);
			return;
		}
	put(o, ".INVALID%u", value);
}

static bool is_default(const struct sass_inst *in, const struct sass_item *it)
{
	const struct sass_opnd *x = &in->opnd[it->place.role];

	if (it->kind == SASS_ITEM_MOD)
		return in->mod[it->class] == it->omits;
	switch ((enum sass_type)x->type) {
	case SASS_PRED:
	case SASS_UPRED:
		return x->reg == SASS_PT && x->neg == it->omits_not;
	case SASS_REG:
	case SASS_UREG:
		return x->reg == SASS_RZ;
	case SASS_GROUP:
		return x->reg == it->omits;
	default:
		return x->imm == it->omits;
	}
}

static void put_guard(struct out *o, const struct sass_inst *in)
{
	if (in->guard == SASS_PT && !in->guard_not)
		return;
	put(o, "@%s", in->guard_not ? "!" : "");
	put_register(o, in->enc->uniform_guard ? "UP" : "P", in->guard,
		     SASS_PT);
	put(o, " ");
}

size_t sass_print(char *out, size_t room, const struct sass_inst *in,
		  uint64_t address)
{
	struct out o = { out, 0, room };
	const struct sass_enc *e = in->enc;
	bool first = true, omitted = false;

	out[0] = '\0';
	put_guard(&o, in);
	for (unsigned i = 0; i < e->items; i++) {
		const struct sass_item *it = &e->item[i];

		if (it->starts) {
			omitted = it->optional && is_default(in, it);
			if (!omitted)
				put(&o, "%s", first ? " " : ", ");
			first &= omitted;
		}
		if (omitted)
			continue;
		if (it->kind == SASS_ITEM_TEXT)
			put_text(&o, it->text, it->size);
		else if (it->kind == SASS_ITEM_MOD)
			put_mod(&o, it->class, in->mod[it->class]);
		else
			put_operand(&o, in, &it->place, address);
	}
	return o.size;
}
