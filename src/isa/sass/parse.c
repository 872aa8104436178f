/*
 * Reads the text of an instruction: the inverse of print.c. A row is found by
 * trying those with that name; within a row, modifiers and operands that may be
 * missing are tried both ways.
 */
#include <stdio.h>
#include <string.h>

#include "isa/sass/inst.h"

struct match {
	struct sass_inst *in;
	uint64_t address;
	bool name_only; /* the text ends where the operands begin */
};

static const char *skip(const char *s, const char *text)
{
	size_t n = strlen(text);

	return strncmp(s, text, n) ? NULL : s + n;
}

/* "R12", "RZ", "UP3", "PT" */
static const char *read_register(const char *s, const char *prefix,
				 uint8_t last, uint8_t *number)
{
	unsigned v = 0;
	const char *end;

	s = skip(s, prefix);
	if (!s)
		return NULL;
	if (*s == (last == SASS_PT ? 'T' : 'Z')) {
		*number = last;
		return s + 1;
	}
	for (end = s; *end >= '0' && *end <= '9' && v < last; end++)
		v = 10 * v + (unsigned)(*end - '0');
	*number = (uint8_t)v;
	return end > s && v < last ? end : NULL;
}

static const char *read_imm(const char *s, int64_t *v)
{
	size_t n = sass_read_int(s, v);

	return n ? s + n : NULL;
}

/* "c[0x0][0x160]", "cx[UR4][0x160]", with a space where a part is selected */
static const char *read_const(const char *s, const struct sass_place *p,
			      struct sass_opnd *x)
{
	int64_t bank = 0;

	s = skip(s, x->type == SASS_CONST ? "c[" : "cx[");
	if (!s)
		return NULL;
	s = x->type == SASS_CONST ? read_imm(s, &bank) :
				    read_register(s, "UR", SASS_RZ, &x->ureg);
	s = s ? skip(s, p->parts ? "] [" : "][") : NULL;
	s = s ? read_imm(s, &x->imm) : NULL;
	x->bank = (uint8_t)bank;
	return s && bank >= 0 && bank < 32 ? skip(s, "]") : NULL;
}

/* ".64" or ".U32", then ".X4"; after RZ they may be missing. */
static const char *read_address_reg(const char *s, const struct sass_place *p,
				    struct sass_opnd *x)
{
	const char *end = read_register(s, "R", SASS_RZ, &x->reg), *wide;

	if (!end)
		return NULL;
	if (p->wide) {
		wide = skip(end, ".64");
		x->wide = wide != NULL;
		wide = wide ? wide : skip(end, ".U32");
		if (!wide && x->reg != SASS_RZ)
			return NULL;
		end = wide ? wide : end;
	}
	for (unsigned i = 2; p->scale && i <= 4; i++) {
		static const char *const text[] = { ".X4", ".X8", ".X16" };

		wide = skip(end, text[i - 2]);
		if (wide) {
			x->scale = (uint8_t)i;
			return wide;
		}
	}
	return end;
}

/* One summand of an address. */
static const char *read_summand(const char *s, const struct sass_place *p,
				struct sass_opnd *x)
{
	if (x->has_ureg && !x->desc && !strncmp(s, "UR", 2))
		return read_register(s, "UR", SASS_RZ, &x->ureg);
	if (x->has_reg && *s == 'R')
		return read_address_reg(s, p, x);
	return read_imm(s, &x->imm);
}

/* "desc[UR4]", which is not written everywhere. */
static const char *read_desc(const char *s, struct sass_opnd *x)
{
	s = skip(s, "desc[");
	s = s ? read_register(s, "UR", SASS_RZ, &x->ureg) : NULL;
	return s ? skip(s, "]") : NULL;
}

static const char *read_memory(const char *s, const struct sass_enc *e,
			       const struct sass_place *p, struct sass_opnd *x)
{
	x->has_reg = p->reg != 0;
	x->has_ureg = p->ureg != 0;
	x->desc = sass_is_desc(p);
	x->reg = x->ureg = SASS_RZ;
	x->wide = p->wide != 0;
	x->imm = 0;
	if (x->desc && !(sass_hides_desc(e, p) && *s == '['))
		s = read_desc(s, x);
	s = s ? skip(s, "[") : NULL;
	while (s && *s != ']') {
		s = read_summand(s, p, x);
		if (s && *s == '+')
			s++;
		else if (s && *s != ']')
			return NULL;
	}
	return s ? s + 1 : NULL;
}

/* "c[0x3][R2+0x10]" */
static const char *read_const_memory(const char *s, const struct sass_place *p,
				     struct sass_opnd *x)
{
	int64_t bank = 0;

	x->has_reg = p->reg != 0;
	x->has_ureg = p->ureg != 0;
	x->reg = x->ureg = SASS_RZ;
	s = skip(s, "c[");
	s = s ? read_imm(s, &bank) : NULL;
	s = s && bank >= 0 && bank < 32 ? skip(s, "][") : NULL;
	x->bank = (uint8_t)bank;
	if (s && x->has_reg && *s == 'R')
		s = read_register(s, "R", SASS_RZ, &x->reg);
	else if (s && x->has_ureg && *s == 'U')
		s = read_register(s, "UR", SASS_RZ, &x->ureg);
	if (s && *s == '+')
		s++;
	if (s && *s != ']')
		s = read_imm(s, &x->imm);
	return s ? skip(s, "]") : NULL;
}

static int64_t f32_imm(double v)
{
	float f = (float)v;
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static int64_t f64_imm(double v)
{
	int64_t u;

	memcpy(&u, &v, sizeof(u));
	return u;
}

/* The half-precision number nearest to v, which the printer wrote exactly. */
static uint16_t half_imm(double v, bool bf16)
{
	uint32_t u = (uint32_t)f32_imm(v), sign = u >> 16 & 0x8000;
	double x = v < 0 ? -v : v;
	int e = 0;

	if (bf16)
		return (uint16_t)(u >> 16);
	if ((u & 0x7f800000) == 0x7f800000)
		return (uint16_t)(sign | 0x7c00 | (u >> 13 & 0x3ff));
	x *= 0x1p24; /* in units of the smallest one */
	while (x >= 2048) {
		x /= 2;
		e++;
	}
	return (uint16_t)(sign | ((uint32_t)x + ((uint32_t)e << 10)));
}

static const char *read_pair(const char *s, const struct sass_inst *in,
			     int64_t *bits)
{
	bool bf16 = SASS_MOD(in, HFMT) == SASS_HFMT_BF16;
	double high, low;
	size_t n = sass_read_float(s, &high);

	s = n ? skip(s + n, ", ") : NULL;
	n = s ? sass_read_float(s, &low) : 0;
	if (!n)
		return NULL;
	*bits = (int64_t)((uint32_t)half_imm(high, bf16) << 16 |
			  half_imm(low, bf16));
	return s + n;
}

static const char *read_swizzle(const char *s, int64_t *v)
{
	*v = 0;
	for (unsigned i = 0; i < 4; i++, s += 2) {
		unsigned k = 0;

		while (k < 4 && strncmp(s, sass_swizzles[k], 2))
			k++;
		if (k == 4)
			return NULL;
		*v = *v << 2 | k;
	}
	return s;
}

static const char *read_number_opnd(const char *s, const struct match *m,
				    struct sass_opnd *x)
{
	double v;
	size_t n;

	switch ((enum sass_type)x->type) {
	case SASS_PAIR:
		return read_pair(s, m->in, &x->imm);
	case SASS_SWIZZLE:
		return read_swizzle(s, &x->imm);
	case SASS_F32:
	case SASS_F64:
		n = sass_read_float(s, &v);
		x->imm = x->type == SASS_F32 ? f32_imm(v) : f64_imm(v);
		return n ? s + n : NULL;
	case SASS_F16:
	case SASS_BF16:
		n = sass_read_float(s, &v);
		x->imm = n ? half_imm(v, x->type == SASS_BF16) : 0;
		return n ? s + n : NULL;
	case SASS_REL:
		s = read_imm(s, &x->imm);
		x->imm -= (int64_t)m->address + SASS_BYTES;
		return s;
	default:
		return read_imm(s, &x->imm);
	}
}

/* "{2,0}" */
static const char *read_list(const char *s, int64_t *bits)
{
	*bits = 0;
	if (*s++ != '{')
		return NULL;
	while (*s >= '0' && *s <= '5') {
		*bits |= 1 << (*s++ - '0');
		s += *s == ',';
	}
	return *s == '}' ? s + 1 : NULL;
}

static const char *read_plain(const char *s, const struct match *m,
			      const struct sass_place *p, struct sass_opnd *x)
{
	unsigned number = 0;
	size_t n;

	switch ((enum sass_type)x->type) {
	case SASS_REG:
		return read_register(s, "R", SASS_RZ, &x->reg);
	case SASS_UREG:
		return read_register(s, "UR", SASS_RZ, &x->reg);
	case SASS_PRED:
		return read_register(s, "P", SASS_PT, &x->reg);
	case SASS_UPRED:
		return read_register(s, "UP", SASS_PT, &x->reg);
	case SASS_BARRIER:
		return read_register(s, "B", 16, &x->reg);
	case SASS_SREG:
		n = sass_read_sreg(m->in->sm, s, &number);
		x->reg = (uint8_t)number;
		return n ? s + n : NULL;
	case SASS_CONST:
	case SASS_XCONST:
		return read_const(s, p, x);
	case SASS_MEM:
		return read_memory(s, m->in->enc, p, x);
	case SASS_CMEM:
		return read_const_memory(s, p, x);
	case SASS_COUNTER:
		return read_register(s, "SB", 8, &x->reg);
	case SASS_GROUP:
		return read_register(s, "gsb", 8, &x->reg);
	case SASS_LIST:
		return read_list(s, &x->imm);
	case SASS_STATE:
		n = sass_read_state(s, &number);
		x->reg = (uint8_t)number;
		return n ? s + n : NULL;
	default:
		return read_number_opnd(s, m, x);
	}
}

static const char *read_half(const char *s, const struct sass_place *p,
			     struct sass_opnd *x)
{
	for (uint8_t i = p->parts == SASS_CROSSED ? 0 : 1; i < 4; i++) {
		const char *end = skip(s, sass_part_texts[p->parts][i]);

		if (end) {
			x->half = i;
			return end;
		}
	}
	return s;
}

/* The sign before an operand, if this one may have it. */
static const char *read_sign(const char *s, const struct sass_place *p,
			     struct sass_opnd *x)
{
	bool is_pred = p->type == SASS_PRED || p->type == SASS_UPRED;
	char sign = is_pred ? '!' : p->inverts ? '~' : '-';

	if (!p->neg || *s != sign)
		return s;
	x->neg = true;
	return s + 1;
}

/* ".reuse", "|" and the half, in any order. */
static const char *read_suffixes(const char *s, const struct sass_place *p,
				 struct sass_opnd *x)
{
	bool open = x->abs;

	for (;;) {
		const char *start = s, *end;

		if (p->half && !x->half)
			s = read_half(s, p, x);
		if (open && *s == '|') {
			open = false;
			s++;
		}
		end = p->reuse && !x->reuse ? skip(s, ".reuse") : NULL;
		if (end) {
			x->reuse = true;
			s = end;
		}
		if (s == start)
			return open ? NULL : s;
	}
}

static const char *match_operand(const char *s, const struct match *m,
				 const struct sass_place *p)
{
	struct sass_opnd *x = &m->in->opnd[p->role];

	*x = (struct sass_opnd){ .type = p->type, .inverts = p->inverts };
	s = read_sign(s, p, x);
	if (p->abs && *s == '|') {
		x->abs = true;
		s++;
	}
	s = read_plain(s, m, p, x);
	return s ? read_suffixes(s, p, x) : NULL;
}

/* The value of an operand that is not written. */
static void set_default(struct sass_inst *in, const struct sass_item *it)
{
	struct sass_opnd *x = &in->opnd[it->place.role];

	if (it->kind == SASS_ITEM_MOD)
		in->mod[it->class] = it->omits;
	if (it->kind != SASS_ITEM_OPND)
		return;
	*x = (struct sass_opnd){ .type = it->place.type };
	if (x->type == SASS_PRED || x->type == SASS_UPRED) {
		x->reg = SASS_PT;
		x->neg = it->omits_not;
	} else if (x->type == SASS_REG || x->type == SASS_UREG) {
		x->reg = SASS_RZ;
	} else {
		x->reg = it->omits;
		x->imm = it->omits;
	}
}

static bool match_items(const struct match *m, unsigned i, const char *s,
			bool first);

/* Tries the modifiers of the class, the longest text first. */
static bool match_mod(const struct match *m, unsigned i, const char *s,
		      bool first)
{
	const struct sass_item *it = &m->in->enc->item[i];
	size_t last = SIZE_MAX;

	for (;;) {
		const struct sass_mod_info *best = NULL;

		for (size_t k = 0; k < sass_mod_count; k++) {
			const struct sass_mod_info *o = &sass_mods[k];
			size_t n = strlen(o->text);

			if (o->class == it->class && n < last &&
			    (!best || n > strlen(best->text)) &&
			    !strncmp(s, o->text, n))
				best = o;
		}
		if (!best)
			return false;
		last = strlen(best->text);
		m->in->mod[it->class] = best->value;
		if (match_items(m, i + 1, s + last, first))
			return true;
	}
}

/* The text without the operand that starts at item i. */
static bool match_omitted(const struct match *m, unsigned i, const char *s,
			  bool first)
{
	const struct sass_enc *e = m->in->enc;

	do
		set_default(m->in, &e->item[i++]);
	while (i < e->items && !e->item[i].starts);
	return match_items(m, i, s, first);
}

static bool match_item(const struct match *m, unsigned i, const char *s,
		       bool first)
{
	const struct sass_item *it = &m->in->enc->item[i];

	switch ((enum sass_item_kind)it->kind) {
	case SASS_ITEM_TEXT:
		return !strncmp(s, it->text, it->size) &&
		       match_items(m, i + 1, s + it->size, first);
	case SASS_ITEM_MOD:
		return match_mod(m, i, s, first);
	default:
		s = match_operand(s, m, &it->place);
		return s && match_items(m, i + 1, s, first);
	}
}

/* Whether s is the text of the items from i on. first: no operand has been
 * written yet. */
static bool match_items(const struct match *m, unsigned i, const char *s,
			bool first)
{
	const struct sass_enc *e = m->in->enc;
	const char *start;

	if (m->name_only && (i == e->items || e->item[i].starts))
		return !*s;
	if (i == e->items)
		return !*s || !strcmp(s, " ");
	if (!e->item[i].starts)
		return match_item(m, i, s, first);
	start = skip(s, first ? " " : ", ");
	if (start && match_item(m, i, start, false))
		return true;
	return e->item[i].optional && match_omitted(m, i, s, first);
}

static const char *read_guard(const char *s, struct sass_inst *in,
			      bool *uniform)
{
	in->guard = SASS_PT;
	in->guard_not = false;
	*uniform = false;
	if (*s != '@')
		return s;
	s++;
	in->guard_not = *s == '!';
	s += in->guard_not;
	*uniform = *s == 'U';
	s = read_register(s, *uniform ? "UP" : "P", SASS_PT, &in->guard);
	return s ? skip(s, " ") : NULL;
}

/* Whether the text of an instruction, after its guard, is s but for spaces at
 * the end. */
static bool is_text_of(const struct sass_inst *in, uint64_t address,
		       const char *s)
{
	char text[256];
	size_t n = sass_print(text, sizeof(text), in, address);
	const char *body = *text == '@' ? strchr(text, ' ') + 1 : text;

	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
	return !strncmp(body, s, strlen(body)) &&
	       strspn(s + strlen(body), " ") == strlen(s + strlen(body));
}

/* Whether the row reads the text. What it read is encoded and decoded, for a
 * number may be too large for its field. */
static bool row_reads(const struct sass_enc *e, struct sass_inst *in,
		      uint64_t address, const char *s, bool uniform)
{
	struct match m = { .in = in, .address = address };
	uint64_t word[2];

	if ((in->guard != SASS_PT || in->guard_not) &&
	    uniform != e->uniform_guard)
		return false;
	in->enc = e;
	memcpy(in->rest, e->fill, sizeof(in->rest));
	if (!match_items(&m, 0, s, true))
		return false;
	sass_encode(in, word);
	return sass_decode(in, in->sm, word) != SASS_UNKNOWN &&
	       is_text_of(in, address, s);
}

bool sass_parse_name(struct sass_inst *out, const struct sass_enc *e,
		     const char *name)
{
	struct match m = { .in = out, .name_only = true };

	if (strncmp(name, e->item[0].text, e->item[0].size) != 0)
		return false;
	out->enc = e;
	memcpy(out->rest, e->fill, sizeof(out->rest));
	for (unsigned i = 0; i < e->items; i++)
		set_default(out, &e->item[i]);
	return match_items(&m, 0, name, true);
}

enum err sass_parse(struct sass_inst *out, unsigned sm, uint64_t address,
		    const char *text, struct diag *d)
{
	struct sass_inst blank = { 0 };
	unsigned count;
	const struct sass_enc *e = sass_encs(&count);
	bool uniform;
	const char *s;

	blank.sm = (uint16_t)sm;
	blank.ctrl = (struct sass_ctrl){ .stall = 15,
					 .write = SASS_NO_COUNTER,
					 .read = SASS_NO_COUNTER };
	s = read_guard(text, &blank, &uniform);
	if (!s)
		return fail(d, ERR_SYNTAX, "\"%s\" begins with no predicate",
			    text);
	for (unsigned i = 1; i < count; i++) {
		if (sm < e[i].from || sm > e[i].to ||
		    strncmp(s, e[i].item[0].text, e[i].item[0].size))
			continue;
		*out = blank;
		if (row_reads(&e[i], out, address, s, uniform))
			return ERR_OK;
	}
	return fail(d, ERR_SYNTAX, "\"%s\" is no instruction of sm_%u", text,
		    sm);
}
