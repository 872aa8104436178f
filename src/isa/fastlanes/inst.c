#include "isa/fastlanes/inst.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"

const struct fl_op_info fl_ops[FL_OP_COUNT] = {
#define FL_OP(code, id, name, operands, modifiers, unit, result, about) \
	{ code, FL_UNIT_##unit, FL_MODS_##modifiers, name, operands, about },
#include "isa/fastlanes/op.def"
};

const struct fl_mod_info fl_mods[] = {
#define FL_MOD(class, shift, bits, names) \
	{ FL_MODS_##class, shift, bits, names },
#include "isa/fastlanes/mod.def"
};
const size_t fl_mod_count = sizeof(fl_mods) / sizeof(fl_mods[0]);

const struct fl_sreg_info fl_sregs[FL_SREG_COUNT] = {
#define FL_SREG(id, name, about) { name, about },
#include "isa/fastlanes/sreg.def"
};

bool fl_has(const struct fl_inst *in, char operand)
{
	return strchr(fl_ops[in->op].operands, operand);
}

const char *fl_mod_name(char *buf, size_t size, const struct fl_mod_info *m,
			unsigned value)
{
	const char *at = m->names;

	for (; value; value--) {
		at = strchr(at, '|');
		if (!at)
			return NULL;
		at++;
	}
	snprintf(buf, size, "%.*s", (int)strcspn(at, "|"), at);
	return buf;
}

/* ---- the word ---------------------------------------------------------- */

uint64_t fl_encode(const struct fl_inst *in)
{
	return fl_ops[in->op].code | (uint64_t)in->guard << 7 |
	       (uint64_t)in->d << 11 | (uint64_t)in->a << 16 |
	       (uint64_t)in->c << 21 | (uint64_t)in->mod << 26 |
	       (uint64_t)in->imm << 31 | (uint64_t)in->b << 32;
}

static unsigned fl_bits_of(uint64_t word, unsigned low, unsigned count)
{
	return (unsigned)(word >> low & ((1u << count) - 1));
}

/* By code: the row, plus 1. */
static unsigned row_of(unsigned code)
{
	for (unsigned i = 0; i < FL_OP_COUNT; i++)
		if (fl_ops[i].code == code)
			return i + 1;
	return 0;
}

/* NULL, or what is wrong with the modifiers. */
static const char *check_mod(const struct fl_inst *in)
{
	unsigned known = fl_has(in, 'k') ? 0x1c : 0;
	char name[16];

	for (size_t i = 0; i < fl_mod_count; i++) {
		const struct fl_mod_info *m = &fl_mods[i];
		unsigned mask = ((1u << m->bits) - 1) << m->shift;

		if (m->mods != fl_ops[in->op].mods)
			continue;
		known |= mask;
		if (!fl_mod_name(name, sizeof(name), m,
				 (in->mod & mask) >> m->shift))
			return "a modifier has no such value";
	}
	return in->mod & ~known ?
		       "a modifier that the instruction does not have" :
		       NULL;
}

/* Whether the value of a field is one that an operand in its place may have:
 * a register, or a predicate of `bits` bits; an absent one is 0. */
static bool field_fits(const struct fl_inst *in, unsigned value,
		       const char *regs, const char *preds, unsigned bits)
{
	for (; *regs; regs++)
		if (fl_has(in, *regs))
			return true;
	for (; *preds; preds++)
		if (fl_has(in, *preds))
			return value < 1u << bits;
	return !value;
}

static const char *check_b(const struct fl_inst *in)
{
	bool constant = fl_has(in, 'm') || fl_has(in, 'o') || fl_has(in, 's') ||
			fl_has(in, 't');

	if (constant && !in->imm)
		return "the constant is missing";
	if (!constant && !fl_has(in, 'b') && (in->imm || in->b))
		return "a constant that the instruction does not have";
	if (!in->imm && in->b >= FL_REGS)
		return "bits beside a register";
	if (fl_has(in, 's') && in->b >= FL_SREG_COUNT)
		return "no such special register";
	return NULL;
}

/* Fields that depend on a modifier: the carry, and an absolute address. */
static const char *check_pairs(const struct fl_inst *in)
{
	if (fl_has(in, 'y') && !(in->mod & 3) && in->c)
		return "a carry that the instruction does not have";
	if (fl_has(in, 'm') && in->mod & FL_MOD_ABS && in->a)
		return "a register beside an absolute address";
	if (fl_has(in, 'c') && fl_has(in, 'm') &&
	    ((in->mod & 7) == FL_S8 || (in->mod & 7) == FL_S16))
		return "a signed store";
	return NULL;
}

const char *fl_decode(struct fl_inst *out, uint64_t word)
{
	unsigned row = row_of(fl_bits_of(word, 0, 7));
	const char *why;

	if (!row)
		return "no such code";
	*out = (struct fl_inst){
		.op = (uint8_t)(row - 1),
		.guard = (uint8_t)fl_bits_of(word, 7, 4),
		.d = (uint8_t)fl_bits_of(word, 11, 5),
		.a = (uint8_t)fl_bits_of(word, 16, 5),
		.c = (uint8_t)fl_bits_of(word, 21, 5),
		.mod = (uint8_t)fl_bits_of(word, 26, 5),
		.imm = word >> 31 & 1,
		.b = (uint32_t)(word >> 32),
	};
	if (!field_fits(out, out->d, "d", "p", 3) ||
	    !field_fits(out, out->a, "am", "r", 4) ||
	    !field_fits(out, out->c, "c", "qy", fl_has(out, 'y') ? 3 : 4))
		return "bits in a field that the instruction does not have";
	why = check_mod(out);
	if (!why)
		why = check_b(out);
	return why ? why : check_pairs(out);
}

/* ---- text -------------------------------------------------------------- */

struct fl_text {
	char *at;
	size_t size, used;
};

static void add_text(struct fl_text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void add_text(struct fl_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->at + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	t->used += n > 0 ? (size_t)n : 0;
}

static void add_pred(struct fl_text *t, unsigned p)
{
	const char *not = p & FL_PRED_NOT ? "!" : "";

	if ((p & 7) == FL_PT)
		add_text(t, "%spt", not );
	else
		add_text(t, "%sp%u", not, p & 7);
}

static void add_memory(struct fl_text *t, const struct fl_inst *in)
{
	int32_t offset = (int32_t)in->b;

	if (in->mod & FL_MOD_ABS)
		add_text(t, "[0x%x]", in->b);
	else if (!offset)
		add_text(t, "[r%u]", in->a);
	else
		add_text(t, "[r%u%+d]", in->a, offset);
}

static void add_target(struct fl_text *t, const struct fl_inst *in)
{
	add_text(t, "%u", fl_target(in));
	if (fl_join(in) == FL_NO_JOIN)
		add_text(t, ", end");
	else
		add_text(t, ", %u", fl_join(in));
}

static void add_operand(struct fl_text *t, const struct fl_inst *in, char which)
{
	switch (which) {
	case 'd':
		return add_text(t, "r%u", in->d);
	case 'a':
		return add_text(t, "r%u", in->a);
	case 'c':
		return add_text(t, "r%u", in->c);
	case 'b':
		return add_text(t, in->imm ? "0x%x" : "r%u", in->b);
	case 'p':
		return add_pred(t, in->d);
	case 'r':
		return add_pred(t, in->a);
	case 'q':
	case 'y':
		return add_pred(t, in->c);
	case 'k':
		return add_pred(t, in->mod >> 2);
	case 'o':
		return add_text(t, "[0x%x]", in->b);
	case 's':
		return add_text(t, "%s", fl_sregs[in->b].name);
	case 'm':
		return add_memory(t, in);
	default:
		return add_target(t, in);
	}
}

static void add_mods(struct fl_text *t, const struct fl_inst *in)
{
	char name[16];

	for (size_t i = 0; i < fl_mod_count; i++) {
		const struct fl_mod_info *m = &fl_mods[i];
		unsigned v = in->mod >> m->shift & ((1u << m->bits) - 1);

		if (m->mods == fl_ops[in->op].mods &&
		    fl_mod_name(name, sizeof(name), m, v) && name[0])
			add_text(t, ".%s", name);
	}
}

void fl_print(char *text, size_t size, const struct fl_inst *in)
{
	struct fl_text t = { text, size, 0 };
	const char *sep = " ";

	if (in->guard != FL_PT) {
		add_text(&t, "@");
		add_pred(&t, in->guard);
		add_text(&t, " ");
	}
	add_text(&t, "%s", fl_ops[in->op].name);
	add_mods(&t, in);
	for (const char *o = fl_ops[in->op].operands; *o; o++) {
		if (*o == ',' || (*o == 'y' && !(in->mod & 3)))
			continue;
		add_text(&t, "%s", sep);
		add_operand(&t, in, *o);
		sep = ", ";
	}
}
