/*
 * Reads the ENC rows of sass.def into struct sass_enc, once.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "isa/sass/row.h"

const struct sass_row sass_rows[SASS_OP_COUNT] = {
#define INST(id, unit, lat, pipe, kind, replay, exec)     \
	[SASS_OP_##id] = { #id,         UNIT_##unit,      \
			   LAT_##lat,   SASS_PIPE_##pipe, \
			   KIND_##kind, REPLAY_##replay },
#include "isa/sass/sass.def"
};

const struct sass_mod_info sass_mods[] = {
#define MOD(class, id, value, text) { SASS_CLASS_##class, value, text },
#include "isa/sass/mod.def"
};
const size_t sass_mod_count = sizeof(sass_mods) / sizeof(sass_mods[0]);

const char *const sass_class_names[SASS_CLASS_COUNT] = {
#define CLASS(class, doc) #class,
#include "isa/sass/mod.def"
};

struct enc_row {
	uint16_t op, from, to;
	const char *opcode, *fixed, *text;
};

static const struct enc_row enc_rows[] = {
#define ENC(inst, from, to, opcode, fixed, text) \
	{ SASS_OP_##inst, from, to, opcode, fixed, text },
#include "isa/sass/sass.def"
};

struct opnd_row {
	const char *name;
	struct sass_place place;
};

static const struct opnd_row opnd_rows[] = {
#define OPND(name, role_, type_, at, bits, neg_) \
	{ #name,                                 \
	  { .role = SASS_##role_,                \
	    .type = SASS_##type_,                \
	    .field = { 1, { { at, bits } } },    \
	    .neg = neg_ } },
#define REUSED(name, role_, type_, at, bits, reuse_) \
	{ #name,                                     \
	  { .role = SASS_##role_,                    \
	    .type = SASS_##type_,                    \
	    .field = { 1, { { at, bits } } },        \
	    .reuse = reuse_ } },
#define RPRED(name, role_, type_, at, neg_) \
	{ #name,                            \
	  { .role = SASS_##role_,           \
	    .type = SASS_##type_,           \
	    .field = { 1, { { at, 3 } } },  \
	    .neg = neg_,                    \
	    .reversed = true } },
#define MEM(name, role_, reg_, ureg_, imm, bits, wide_, scale_, style_) \
	{ #name,                                                        \
	  { .role = SASS_##role_,                                       \
	    .type = SASS_MEM,                                           \
	    .field = { 1, { { imm, bits } } },                          \
	    .reg = reg_,                                                \
	    .ureg = ureg_,                                              \
	    .wide = wide_,                                              \
	    .scale = scale_,                                            \
	    .style = SASS_##style_ } },
#define CMEM(name, role_, reg_, ureg_, bank, imm, bits) \
	{ #name,                                        \
	  { .role = SASS_##role_,                       \
	    .type = SASS_CMEM,                          \
	    .field = { 1, { { imm, bits } } },          \
	    .reg = reg_,                                \
	    .ureg = ureg_,                              \
	    .wide = bank } },
#define SPLIT(name, role_, type_, high, high_bits, low, low_bits) \
	{ #name,                                                  \
	  { .role = SASS_##role_,                                 \
	    .type = SASS_##type_,                                 \
	    .field = { 2, { { high, high_bits }, { low, low_bits } } } } },
#include "isa/sass/opnd.def"
};

/* The forms of operands B and C: row.h. */
struct form {
	char letter;
	uint8_t bits;    /* 11 to 9 */
	bool high;       /* bit 91 */
	bool uniform;    /* registers are uniform ones */
	bool special_c;  /* the special operand is C, else B */
	uint8_t special; /* enum sass_type of it; UINT: by the row */
};

static const struct form forms[] = {
	{ 'R', 1, false, false, false, SASS_REG },
	{ 'I', 4, false, false, false, SASS_UINT },
	{ 'K', 5, false, false, false, SASS_CONST },
	{ 'X', 5, true, false, false, SASS_XCONST },
	{ 'U', 6, true, false, false, SASS_UREG },
	{ 'i', 2, false, false, true, SASS_UINT },
	{ 'k', 3, false, false, true, SASS_CONST },
	{ 'x', 3, true, false, true, SASS_XCONST },
	{ 'u', 7, true, false, true, SASS_UREG },
	{ 'V', 1, true, true, false, SASS_UREG },
	{ 'W', 4, true, true, false, SASS_UINT },
	{ 'w', 2, true, true, true, SASS_UINT },
};

enum { ENC_ROOM = 4096, OPCODES = 8192 };

static struct {
	struct sass_enc enc[ENC_ROOM];
	unsigned count; /* with the first, which is unused */
	uint16_t first[OPCODES];
	uint8_t class_bits[SASS_CLASS_COUNT];
} table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

/* A mistake in sass.def is a bug of ours; a test reads the whole table. */
static void *malformed(const char *text)
{
	BUG(text);
	return NULL;
}

static unsigned read_number(const char **s, int base)
{
	char *end;
	unsigned long v = strtoul(*s, &end, base);

	if (end == *s)
		malformed(*s);
	*s = end;
	return (unsigned)v;
}

static void know(struct sass_enc *e, unsigned at, unsigned bits)
{
	sass_put_bits(e->known, at, bits, ~UINT64_C(0));
}

static void know_field(struct sass_enc *e, const struct sass_field *f)
{
	for (unsigned i = 0; i < f->parts; i++)
		know(e, f->part[i].at, f->part[i].bits);
}

static void fix(struct sass_enc *e, unsigned at, unsigned bits, uint64_t v)
{
	sass_put_bits(e->mask, at, bits, ~UINT64_C(0));
	sass_put_bits(e->value, at, bits, v);
	know(e, at, bits);
}

/* "74=1 87+4~15" */
static void read_fixed(struct sass_enc *e, const char *s)
{
	while (*s) {
		unsigned at = read_number(&s, 10), bits = 1;

		if (*s == '+') {
			s++;
			bits = read_number(&s, 10);
		}
		if (*s == '~') {
			s++;
			sass_put_bits(e->idle, at, bits, ~UINT64_C(0));
			sass_put_bits(e->hidden, at, bits, ~UINT64_C(0));
			sass_put_bits(e->fill, at, bits, read_number(&s, 10));
		} else if (*s++ == '=') {
			fix(e, at, bits, read_number(&s, 10));
		} else {
			malformed(s);
		}
		while (*s == ' ')
			s++;
	}
}

/* Bits that the values of each class need. */
static void count_class_bits(void)
{
	for (size_t i = 0; i < sass_mod_count; i++) {
		uint8_t *bits = &table.class_bits[sass_mods[i].class];

		*bits = *bits ? *bits : 1;
		while (sass_mods[i].value >> *bits)
			++*bits;
	}
}

static unsigned find_class(const char *name, size_t size)
{
	for (unsigned i = 0; i < SASS_CLASS_COUNT; i++)
		if (strlen(sass_class_names[i]) == size &&
		    !memcmp(sass_class_names[i], name, size))
			return i;
	malformed(name);
	return 0;
}

/* "76", or parts from the upper one on: "80+76:2". A part has one bit, the last
 * one the rest of `bits`, unless it says otherwise. */
static void read_field(struct sass_field *f, const char **s, unsigned bits)
{
	for (bool more = true; more;) {
		unsigned at = read_number(s, 10), n = 0;

		if (**s == ':') {
			++*s;
			n = read_number(s, 10);
		}
		more = **s == '+';
		if (!n)
			n = more ? 1 : bits;
		if (f->parts == 3 || !n)
			malformed(*s);
		f->part[f->parts].at = (uint8_t)at;
		f->part[f->parts++].bits = (uint8_t)n;
		bits = bits > n ? bits - n : 0;
		*s += more;
	}
}

/* "{ICMP@76}", after the brace. */
static void read_mod(struct sass_enc *e, struct sass_item *it, const char **s)
{
	const char *at = strchr(*s, '@');

	if (!at)
		malformed(*s);
	it->kind = SASS_ITEM_MOD;
	it->class = (uint8_t)find_class(*s, (size_t)(at - *s));
	*s = at + 1;
	if (**s == '=') {
		it->derived = true;
		++*s;
	} else {
		read_field(&it->field, s, table.class_bits[it->class]);
		know_field(e, &it->field);
	}
	if (*(*s)++ != '}')
		malformed(*s);
}

/* What the template asks of an operand. */
struct wish {
	bool neg, abs, inverts, packed;
	uint8_t parts; /* enum sass_parts */
	char imm;      /* how an immediate is written */
};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Gives a register operand the bits of its slot. */
static void set_slot(struct sass_place *p, unsigned at, const struct wish *w)
{
	static const struct {
		uint8_t at, neg, abs, half, half_neg, half_abs;
	} slots[] = {
		{ 24, 72, 73, 74, 72, 73 },
		{ 32, 63, 62, 60, 63, 62 },
		{ 64, 75, 74, 81, 84, 83 },
	};

	for (unsigned i = 0; i < 3; i++) {
		if (slots[i].at != at)
			continue;
		if (w->neg && !p->neg)
			p->neg = w->packed ? slots[i].half_neg : slots[i].neg;
		if (w->abs)
			p->abs = w->packed ? slots[i].half_abs : slots[i].abs;
		if (w->parts && w->parts != SASS_APART)
			p->half = slots[i].half;
	}
	/* The reuse cache goes by operands, not by slots. */
	if (p->type == SASS_REG && p->role >= SASS_A && p->role <= SASS_C)
		p->reuse = (uint8_t)(SASS_AT_REUSE + p->role - SASS_A);
	p->inverts = w->inverts;
	p->parts = w->parts;
}

static uint8_t imm_type(char how)
{
	switch (how) {
	case 's':
		return SASS_SINT;
	case 'f':
		return SASS_F32;
	case 'd':
		return SASS_F64;
	case 'g':
		return SASS_F16;
	case 'e':
		return SASS_BF16;
	case 'h':
		return SASS_PAIR;
	default:
		return SASS_UINT;
	}
}

/* Operand B or C in a form. */
static void set_form(struct sass_place *p, const struct form *f, bool is_c,
		     struct wish *w)
{
	bool first = is_c == f->special_c; /* it is at bit 32 */
	unsigned at = first ? 32 : 64;

	p->role = is_c ? SASS_C : SASS_B;
	p->type = first ? f->special : f->uniform ? SASS_UREG : SASS_REG;
	p->field.parts = 1;
	p->field.part[0].at = (uint8_t)at;
	p->field.part[0].bits = p->type == SASS_REG ? 8 : 6;
	if (p->type == SASS_UINT) {
		p->type = imm_type(w->imm);
		p->field.part[0].bits =
			p->type == SASS_F16 || p->type == SASS_BF16 ? 16 : 32;
		w->neg = w->abs = w->inverts = false;
		w->parts = SASS_WHOLE;
	}
	if (p->type == SASS_CONST || p->type == SASS_XCONST) {
		p->field.part[0].at = 40;
		p->field.part[0].bits = 14;
		p->shift = 2;
		p->reg = 54; /* the bank, or the uniform register */
		p->ureg = 32;
	}
	set_slot(p, at, w);
}

static const struct opnd_row *find_opnd(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(opnd_rows) / sizeof(opnd_rows[0]); i++)
		if (strlen(opnd_rows[i].name) == size &&
		    !memcmp(opnd_rows[i].name, name, size))
			return &opnd_rows[i];
	return malformed(name);
}

static void know_memory(struct sass_enc *e, const struct sass_place *p)
{
	if (p->reg)
		know(e, p->reg, 8);
	if (p->ureg)
		know(e, p->ureg, sass_ureg_bits(e));
	if (p->wide)
		know(e, p->wide, p->type == SASS_CMEM ? 5 : 1);
	if (p->scale)
		know(e, p->scale, 2);
	if (sass_hides_desc(e, p))
		sass_put_bits(e->hidden, p->ureg, sass_ureg_bits(e),
			      ~UINT64_C(0));
}

static void know_place(struct sass_enc *e, const struct sass_place *p)
{
	const uint8_t bit[] = { p->neg, p->abs };

	know_field(e, &p->field);
	for (unsigned i = 0; i < sizeof(bit); i++)
		if (bit[i])
			know(e, bit[i], 1);
	if (p->reuse && p->reuse < SASS_AT_REUSE)
		know(e, p->reuse, 1);
	if (p->half)
		know(e, p->half, 2);
	if (p->type == SASS_MEM || p->type == SASS_CMEM)
		know_memory(e, p);
	if (p->type == SASS_XCONST)
		know(e, p->ureg, sass_ureg_bits(e));
	if (p->type == SASS_UREG)
		know(e, p->field.part[0].at, sass_ureg_bits(e));
	if (p->type == SASS_CONST)
		know(e, p->reg, 5);
	if (sass_is_split(e, p))
		know(e, 16, 8);
}

/* ".h", ".o", ".b", ".s", ".c", ".p" */
static void read_parts(struct wish *w, const char **s)
{
	static const char letter[] = { 'p', 'h', 'o', 'b', 's', 'c' };

	for (uint8_t i = 0; i < sizeof(letter) && **s == '.'; i++) {
		if ((*s)[1] != letter[i])
			continue;
		w->packed = strchr("phc", letter[i]) != NULL;
		w->parts = i; /* the order of enum sass_parts */
		*s += 2;
	}
}

/* An operand with what stands before and after its name. */
static void read_opnd(struct sass_enc *e, struct sass_item *it, const char **s,
		      const struct form *f)
{
	struct wish w = { 0 };
	const char *name;
	size_t size = 0;

	for (; strchr("-|~", **s); ++*s) {
		w.neg |= **s != '|';
		w.inverts |= **s == '~';
		w.abs |= **s == '|';
	}
	name = *s;
	while (is_name(name[size]) || (!size && strchr("BC", *name)))
		size++;
	*s += size;
	read_parts(&w, s);
	if (**s == ':') {
		w.imm = (*s)[1];
		*s += 2;
	}
	if (**s == '|')
		++*s;
	it->kind = SASS_ITEM_OPND;
	if (size == 1 && f && strchr("BC", *name)) {
		set_form(&it->place, f, *name == 'C', &w);
	} else {
		it->place = find_opnd(name, size)->place;
		if (it->place.type == SASS_REG || it->place.type == SASS_UREG)
			set_slot(&it->place, it->place.field.part[0].at, &w);
	}
	know_place(e, &it->place);
}

static void read_literal(struct sass_item *it, const char **s)
{
	const char *end = strchr(*s + 1, '\'');

	if (!end)
		malformed(*s);
	it->kind = SASS_ITEM_TEXT;
	it->text = *s + 1;
	it->size = (size_t)(end - it->text);
	*s = end + 1;
}

static struct sass_item *new_item(struct sass_enc *e, const char *text)
{
	if (e->items == SASS_ITEMS)
		malformed(text);
	return &e->item[e->items++];
}

/* The first word: the name, with modifiers. */
static const char *read_name(struct sass_enc *e, const char *s)
{
	while (*s && *s != ' ') {
		struct sass_item *it = new_item(e, s);

		if (*s == '{') {
			s++;
			read_mod(e, it, &s);
			continue;
		}
		it->kind = SASS_ITEM_TEXT;
		it->text = s;
		it->size = strcspn(s, "{ ");
		s += it->size;
	}
	return s;
}

static void read_argument(struct sass_enc *e, const char **s,
			  const struct form *f)
{
	bool starts = true, optional = **s == '?', omits_not = false;
	unsigned omits = 0;

	if (optional) {
		omits_not = (*s)[1] == '!';
		*s += omits_not ? 2 : 1;
		if (**s >= '0' && **s <= '9')
			omits = read_number(s, 10);
	}
	while (**s && **s != ',') {
		struct sass_item *it = new_item(e, *s);

		if (**s == '{') {
			++*s;
			read_mod(e, it, s);
		} else if (**s == '\'') {
			read_literal(it, s);
		} else {
			read_opnd(e, it, s, f);
		}
		it->starts = starts;
		it->optional = starts && optional;
		it->omits_not = omits_not;
		it->omits = (uint8_t)omits;
		starts = false;
	}
}

/* Operands do not go through the reuse cache where the instruction waits in a
 * queue: those of memory, branches and special functions have bit 8 in their
 * opcode; further, of matrices, accesses to shared memory and transpositions. */
static bool has_no_reuse(const struct sass_enc *e)
{
	const struct sass_row *r = &sass_rows[e->op];

	return e->opcode & 0x100 || r->unit == UNIT_LSU ||
	       (r->unit == UNIT_INT &&
		(r->replay == REPLAY_SYNC || r->replay == REPLAY_CONVERGE));
}

static void drop_reuse(struct sass_enc *e)
{
	if (!has_no_reuse(e))
		return;
	for (unsigned i = 0; i < e->items; i++)
		e->item[i].place.reuse = 0;
}

static void read_text(struct sass_enc *e, const char *s, const struct form *f)
{
	if (!strncmp(s, "@U ", 3)) {
		e->uniform_guard = true;
		s += 3;
	}
	s = read_name(e, s);
	while (*s) {
		s += *s == ',' ? 2 : 1;
		read_argument(e, &s, f);
	}
	drop_reuse(e);
}

/* The last architecture whose fields are as those of `from`. */
static unsigned era_end(unsigned from)
{
	if (from < SASS_SPLIT_TARGETS)
		return SASS_SPLIT_TARGETS - 1;
	return from < SASS_WIDE_UREGS ? SASS_WIDE_UREGS - 1 : UINT16_MAX;
}

/* The row for architectures from `from` on; returns the last one. */
static unsigned add_era(const struct enc_row *r, unsigned opcode,
			const struct form *f, unsigned from)
{
	struct sass_enc *e;

	if (table.count == ENC_ROOM || opcode >= OPCODES)
		malformed(r->text);
	e = &table.enc[table.count++];
	e->op = r->op;
	e->opcode = (uint16_t)opcode;
	e->from = (uint16_t)from;
	e->to = (uint16_t)(era_end(from) < r->to ? era_end(from) : r->to);
	know(e, 12, 4);
	know(e, 105, 21); /* the control word; 126 and 127 are not used */
	fix(e, 0, 12, opcode & 0xfff);
	fix(e, 91, 1, opcode >> 12);
	read_fixed(e, r->fixed);
	read_text(e, r->text, f);
	return e->to;
}

static void add_enc(const struct enc_row *r, unsigned opcode,
		    const struct form *f)
{
	unsigned from = r->from;

	if (f && f->high && from < SASS_UNIFORM)
		from = SASS_UNIFORM;
	for (; from <= r->to; from++)
		from = add_era(r, opcode, f, from);
}

static const struct form *find_form(char letter)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].letter == letter)
			return &forms[i];
	return malformed(&letter);
}

static void add_row(const struct enc_row *r)
{
	const char *s = r->opcode;
	unsigned value;

	if (*s == '=') {
		s++;
		add_enc(r, read_number(&s, 16), NULL);
		return;
	}
	value = read_number(&s, 16);
	if (*s++ != ':')
		malformed(r->opcode);
	for (; *s; s++) {
		const struct form *f = find_form(*s);

		add_enc(r,
			value | (unsigned)f->bits << 9 |
				(unsigned)f->high << 12,
			f);
	}
}

/* Chains the rows by opcode, in the order of the table. */
static void chain_rows(void)
{
	for (unsigned i = table.count - 1; i; i--) {
		struct sass_enc *e = &table.enc[i];

		e->next = table.first[e->opcode];
		table.first[e->opcode] = (uint16_t)i;
	}
}

static void build_table(void)
{
	table.count = 1;
	count_class_bits();
	for (size_t i = 0; i < sizeof(enc_rows) / sizeof(enc_rows[0]); i++)
		add_row(&enc_rows[i]);
	chain_rows();
}

const struct sass_enc *sass_encs(unsigned *count)
{
	pthread_once(&table_once, build_table);
	*count = table.count;
	return table.enc;
}

const struct sass_enc *sass_enc_first(unsigned opcode)
{
	pthread_once(&table_once, build_table);
	return table.first[opcode] ? &table.enc[table.first[opcode]] : NULL;
}

const struct sass_enc *sass_enc_next(const struct sass_enc *e)
{
	return e->next ? &table.enc[e->next] : NULL;
}
