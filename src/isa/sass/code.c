/*
 * Between the word of an instruction and its fields.
 */
#include <string.h>

#include "isa/sass/inst.h"

enum { AT_GUARD = 12, AT_BANK_BITS = 5, AT_REL_LOW = 16 };

static uint64_t get_field(const uint64_t w[2], const struct sass_field *f)
{
	uint64_t v = 0;

	if (f->parts == 1) /* of up to 64 bits */
		return sass_bits(w, f->part[0].at, f->part[0].bits);
	for (unsigned i = 0; i < f->parts; i++)
		v = v << f->part[i].bits |
		    sass_bits(w, f->part[i].at, f->part[i].bits);
	return v;
}

static void put_field(uint64_t w[2], const struct sass_field *f, uint64_t v)
{
	for (unsigned i = f->parts; i-- > 0;) {
		sass_put_bits(w, f->part[i].at, f->part[i].bits, v);
		if (i)
			v >>= f->part[i].bits;
	}
}

static unsigned field_bits(const struct sass_field *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->parts; i++)
		n += f->part[i].bits;
	return n;
}

static int64_t sign_extend(uint64_t v, unsigned bits)
{
	uint64_t top = UINT64_C(1) << (bits - 1);

	return (int64_t)((v ^ top) - top);
}

/* The last one is URZ. */
static uint8_t get_ureg(const struct sass_enc *e, const uint64_t w[2],
			unsigned at)
{
	unsigned bits = sass_ureg_bits(e);
	uint64_t v = sass_bits(w, at, bits);

	return v == (1u << bits) - 1 ? SASS_RZ : (uint8_t)v;
}

static void put_ureg(const struct sass_enc *e, uint64_t w[2], unsigned at,
		     uint8_t v)
{
	sass_put_bits(w, at, sass_ureg_bits(e), v);
}

/* Offsets are in units of 4 bytes if they begin at bit 34, else in bytes. */
static int64_t target_unit(const struct sass_place *p)
{
	return p->field.part[0].at == 34 ? 4 : 1;
}

static int64_t get_target(const struct sass_enc *e, const uint64_t w[2],
			  const struct sass_place *p)
{
	uint64_t v = get_field(w, &p->field);
	unsigned bits = field_bits(&p->field);

	if (sass_is_split(e, p)) {
		v = v << 8 | sass_bits(w, AT_REL_LOW, 8);
		bits += 8;
	}
	return sign_extend(v, bits) * target_unit(p);
}

static void put_target(const struct sass_enc *e, uint64_t w[2],
		       const struct sass_place *p, int64_t offset)
{
	int64_t v = offset / target_unit(p);

	if (sass_is_split(e, p)) {
		sass_put_bits(w, AT_REL_LOW, 8, (uint64_t)v);
		v >>= 8;
	}
	put_field(w, &p->field, (uint64_t)v);
}

/* By how much the two bits shift a register of an address. */
static const uint8_t scales[] = { 0, 2, 3, 4 };

static void get_memory(const struct sass_enc *e, const uint64_t w[2],
		       const struct sass_place *p, struct sass_opnd *o)
{
	o->has_reg = p->reg != 0;
	o->has_ureg = p->ureg != 0;
	o->desc = sass_is_desc(p);
	o->reg = p->reg ? (uint8_t)sass_bits(w, p->reg, 8) : SASS_RZ;
	o->ureg = p->ureg ? get_ureg(e, w, p->ureg) : SASS_RZ;
	if (p->type == SASS_CMEM)
		o->bank = (uint8_t)sass_bits(w, p->wide, AT_BANK_BITS);
	else
		o->wide = p->wide && sass_bits(w, p->wide, 1);
	if (p->scale)
		o->scale = scales[sass_bits(w, p->scale, 2)];
	o->imm = sign_extend(get_field(w, &p->field), field_bits(&p->field));
}

static void put_memory(const struct sass_enc *e, uint64_t w[2],
		       const struct sass_place *p, const struct sass_opnd *o)
{
	if (p->reg)
		sass_put_bits(w, p->reg, 8, o->reg);
	if (p->ureg)
		put_ureg(e, w, p->ureg, o->ureg);
	if (p->type == SASS_CMEM)
		sass_put_bits(w, p->wide, AT_BANK_BITS, o->bank);
	else if (p->wide)
		sass_put_bits(w, p->wide, 1, o->wide);
	if (p->scale)
		sass_put_bits(w, p->scale, 2, o->scale ? o->scale - 1u : 0);
	put_field(w, &p->field, (uint64_t)o->imm);
}

static bool get_bit(const uint64_t w[2], uint8_t at)
{
	return at && sass_bits(w, at, 1);
}

/* Of what is not one register. */
static void decode_value(const struct sass_enc *e, const uint64_t w[2],
			 const struct sass_place *p, struct sass_opnd *o)
{
	uint64_t v = get_field(w, &p->field);

	switch ((enum sass_type)p->type) {
	case SASS_CONST:
		o->bank = (uint8_t)sass_bits(w, p->reg, AT_BANK_BITS);
		o->imm = sign_extend(v << p->shift,
				     field_bits(&p->field) + p->shift);
		break;
	case SASS_XCONST:
		o->ureg = get_ureg(e, w, p->ureg);
		o->imm = (int64_t)(v << p->shift);
		break;
	case SASS_MEM:
	case SASS_CMEM:
		get_memory(e, w, p, o);
		break;
	case SASS_REL:
	case SASS_ABS:
	case SASS_OFS:
		o->imm = get_target(e, w, p);
		break;
	case SASS_SINT:
		o->imm = sign_extend(v, field_bits(&p->field));
		break;
	case SASS_F64:
		o->imm = (int64_t)(v << 32);
		break;
	default:
		o->imm = (int64_t)(v << p->shift);
	}
}

static void decode_opnd(const struct sass_enc *e, const uint64_t w[2],
			const struct sass_place *p, struct sass_opnd *o)
{
	uint64_t v = get_field(w, &p->field);

	o->type = p->type;
	o->neg = get_bit(w, p->neg);
	o->abs = get_bit(w, p->abs);
	o->inverts = p->inverts;
	o->half = p->half ? (uint8_t)sass_bits(w, p->half, 2) : 0;
	o->reuse = get_bit(w, p->reuse);
	switch ((enum sass_type)p->type) {
	case SASS_PRED:
	case SASS_UPRED:
		o->reg = (uint8_t)(p->reversed ? SASS_PT - v : v);
		break;
	case SASS_REG:
	case SASS_BARRIER:
	case SASS_SREG:
	case SASS_COUNTER:
	case SASS_GROUP:
	case SASS_STATE:
		o->reg = (uint8_t)v;
		break;
	case SASS_UREG:
		o->reg = get_ureg(e, w, p->field.part[0].at);
		break;
	default:
		decode_value(e, w, p, o);
	}
}

static void put_bit(uint64_t w[2], uint8_t at, bool v)
{
	if (at)
		sass_put_bits(w, at, 1, v);
}

static void encode_value(const struct sass_enc *e, uint64_t w[2],
			 const struct sass_place *p, const struct sass_opnd *o)
{
	switch ((enum sass_type)p->type) {
	case SASS_CONST:
		sass_put_bits(w, p->reg, AT_BANK_BITS, o->bank);
		put_field(w, &p->field, (uint64_t)o->imm >> p->shift);
		break;
	case SASS_XCONST:
		put_ureg(e, w, p->ureg, o->ureg);
		put_field(w, &p->field, (uint64_t)o->imm >> p->shift);
		break;
	case SASS_MEM:
	case SASS_CMEM:
		put_memory(e, w, p, o);
		break;
	case SASS_REL:
	case SASS_ABS:
	case SASS_OFS:
		put_target(e, w, p, o->imm);
		break;
	case SASS_F64:
		put_field(w, &p->field, (uint64_t)o->imm >> 32);
		break;
	default:
		put_field(w, &p->field, (uint64_t)o->imm >> p->shift);
	}
}

static void encode_opnd(const struct sass_enc *e, uint64_t w[2],
			const struct sass_place *p, const struct sass_opnd *o)
{
	switch ((enum sass_type)p->type) {
	case SASS_PRED:
	case SASS_UPRED:
		put_field(w, &p->field,
			  p->reversed ? SASS_PT - (uint64_t)o->reg : o->reg);
		break;
	case SASS_REG:
	case SASS_BARRIER:
	case SASS_SREG:
	case SASS_COUNTER:
	case SASS_GROUP:
	case SASS_STATE:
		put_field(w, &p->field, o->reg);
		break;
	case SASS_UREG:
		put_ureg(e, w, p->field.part[0].at, o->reg);
		break;
	default:
		encode_value(e, w, p, o);
	}
	put_bit(w, p->neg, o->neg);
	put_bit(w, p->abs, o->abs);
	put_bit(w, p->reuse, o->reuse);
	if (p->half)
		sass_put_bits(w, p->half, 2, o->half);
}

static void get_control(struct sass_inst *in, const uint64_t w[2])
{
	in->ctrl = (struct sass_ctrl){ .stall = (uint8_t)sass_bits(w, 105, 4),
				       .stay = sass_bits(w, 109, 1),
				       .write = (uint8_t)sass_bits(w, 110, 3),
				       .read = (uint8_t)sass_bits(w, 113, 3),
				       .wait = (uint8_t)sass_bits(w, 116, 6),
				       .rest = (uint8_t)sass_bits(
					       w, SASS_AT_REUSE, 4) };
}

static void put_control(const struct sass_ctrl *c, uint64_t w[2])
{
	sass_put_bits(w, 105, 4, c->stall);
	sass_put_bits(w, 109, 1, c->stay);
	sass_put_bits(w, 110, 3, c->write);
	sass_put_bits(w, 113, 3, c->read);
	sass_put_bits(w, 116, 6, c->wait);
	sass_put_bits(w, SASS_AT_REUSE, 4, c->rest);
}

/* Whether the row is the one for this word; *exact: it explains all bits. */
static bool enc_matches(const struct sass_enc *e, unsigned sm,
			const uint64_t w[2], bool *exact)
{
	if (sm < e->from || sm > e->to ||
	    ((w[0] ^ e->value[0]) & e->mask[0]) |
		    ((w[1] ^ e->value[1]) & e->mask[1]))
		return false;
	*exact = !((w[0] & ~(e->known[0] | e->idle[0])) |
		   (w[1] & ~(e->known[1] | e->idle[1])));
	return true;
}

static const struct sass_enc *find_enc(unsigned sm, const uint64_t w[2],
				       bool *exact)
{
	unsigned opcode =
		(unsigned)(sass_bits(w, 0, 12) | sass_bits(w, 91, 1) << 12);
	const struct sass_enc *e = sass_enc_first(opcode), *best = NULL;

	for (; e; e = sass_enc_next(e)) {
		if (!enc_matches(e, sm, w, exact))
			continue;
		if (*exact)
			return e;
		if (!best)
			best = e;
	}
	*exact = false;
	return best;
}

enum sass_decoded sass_decode(struct sass_inst *out, unsigned sm,
			      const uint64_t w[2])
{
	bool exact;
	const struct sass_enc *e = find_enc(sm, w, &exact);

	if (!e)
		return SASS_UNKNOWN;
	memset(out, 0, sizeof(*out));
	out->enc = e;
	out->sm = (uint16_t)sm;
	out->guard = (uint8_t)sass_bits(w, AT_GUARD, 3);
	out->guard_not = sass_bits(w, AT_GUARD + 3, 1);
	get_control(out, w);
	for (unsigned i = 0; i < e->items; i++) {
		const struct sass_item *it = &e->item[i];

		if (it->kind == SASS_ITEM_MOD && !it->derived) {
			out->mod[it->class] = (uint8_t)get_field(w, &it->field);
		} else if (it->kind == SASS_ITEM_OPND) {
			const struct sass_place *p = &it->place;

			decode_opnd(e, w, p, &out->opnd[p->role]);
			if (p->reuse >= SASS_AT_REUSE)
				out->ctrl.rest &= (uint8_t) ~(
					1u << (p->reuse - SASS_AT_REUSE));
		}
	}
	out->rest[0] = w[0] & ~e->known[0];
	out->rest[1] = w[1] & ~e->known[1];
	sass_derive(out);
	return exact ? SASS_DECODED : SASS_LEFT_OVER;
}

void sass_encode(const struct sass_inst *in, uint64_t w[2])
{
	const struct sass_enc *e = in->enc;

	w[0] = e->value[0] | in->rest[0];
	w[1] = e->value[1] | in->rest[1];
	sass_put_bits(w, AT_GUARD, 4, in->guard | (unsigned)in->guard_not << 3);
	put_control(&in->ctrl, w);
	for (unsigned i = 0; i < e->items; i++) {
		const struct sass_item *it = &e->item[i];

		if (it->kind == SASS_ITEM_MOD && !it->derived)
			put_field(w, &it->field, in->mod[it->class]);
		else if (it->kind == SASS_ITEM_OPND)
			encode_opnd(e, w, &it->place,
				    &in->opnd[it->place.role]);
	}
}
