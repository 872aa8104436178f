/* Compiles the operand forms of the table, once, and checks operands. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "isa/ptx/parse.h"

/* Written once, under `once`; read-only after that. */
static struct ptx_form forms[PTX_OP_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const type_ids[PTX_TYPE_COUNT] = {
#define TYPE(id, text, bytes, kind) [PTX_##id] = #id,
#include "isa/ptx/type.def"
};

static bool form_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The T of a:T. */
static const char *compile_type(struct ptx_form_slot *slot, const char *s)
{
	static const char ordinals[] = "tus";
	size_t n = strcspn(s, ",{}");

	if (n == 1 && strchr(ordinals, *s)) {
		slot->by_opcode = true;
		slot->type = (uint8_t)(strchr(ordinals, *s) - ordinals);
		return s + n;
	}
	for (int t = 0; t < PTX_TYPE_COUNT; t++)
		if (!strncmp(type_ids[t], s, n) && !type_ids[t][n]) {
			slot->type = (uint8_t)t;
			return s + n;
		}
	BUG("an operand form has a type that is not in type.def");
}

static const char *compile_slot(struct ptx_form *f, const char *s)
{
	struct ptx_form_slot *slot = &f->slot[f->slots++];

	CHECK(f->slots <= 8);
	slot->kind[0] = *s++;
	CHECK(strchr("dapqmlivwxyz*", slot->kind[0]));
	if (*s == 'p')
		slot->kind[1] = *s++;
	while (form_is_digit(*s))
		slot->count = (uint8_t)(slot->count * 10 + (*s++ - '0'));
	if (*s == ':')
		s = compile_type(slot, s + 1);
	return s;
}

static void form_compile(struct ptx_form *f, const char *s)
{
	while (*s) {
		if (*s == '{')
			f->counts |= (uint16_t)(1u << f->slots);
		if (strchr("{},", *s))
			s++;
		else
			s = compile_slot(f, s);
	}
	f->counts |= (uint16_t)(1u << f->slots);
}

static void form_compile_all(void)
{
	for (int i = 0; i < PTX_OP_COUNT; i++)
		if (ptx_rows[i].class != PTX_ROW_REFUSED)
			form_compile(&forms[i], ptx_rows[i].form);
}

const struct ptx_form *ptx_form_of(unsigned op)
{
	pthread_once(&once, form_compile_all);
	return &forms[op];
}

/* The operand that is being checked, for the message. */
struct opnd_check {
	struct px_parser *p;
	const struct ptx_inst *in;
	int number; /* of the operand, from 1 */
};

static bool opnd_must_be(const struct opnd_check *at, const struct ptx_opnd *o,
			 const char *want)
{
	return px_syntax(at->p, o->loc, "operand %d of '%s' must be %s",
			 at->number, at->in->op->text, want);
}

static bool is_float_type(enum ptx_type t)
{
	return ptx_types[t].kind == PTX_KIND_F;
}

/*
 * Whether a register of type r may be used where an instruction expects t. The
 * sizes must agree, and untyped bits match any type. Where the opcode names the
 * type, as in ld, st and cvt, the register may be wider (PTX ISA 9.4.1).
 */
static bool type_fits(enum ptx_type r, enum ptx_type t, bool wider)
{
	const struct ptx_type_info *a = &ptx_types[r], *b = &ptx_types[t];

	if (a->kind == PTX_KIND_P || b->kind == PTX_KIND_P)
		return a->kind == b->kind;
	if (wider ? a->bytes < b->bytes : a->bytes != b->bytes)
		return false;
	if (a->kind == PTX_KIND_B || b->kind == PTX_KIND_B)
		return true;
	if (is_float_type(r) || is_float_type(t))
		return r == t;
	return true;
}

static bool form_check_type(const struct opnd_check *at,
			    const struct ptx_opnd *o, enum ptx_type have,
			    enum ptx_type want, bool wider)
{
	if (type_fits(have, want, wider))
		return true;
	return px_syntax(at->p, o->loc,
			 "operand %d of '%s' is .%s, expected .%s", at->number,
			 at->in->op->text, ptx_types[have].text,
			 ptx_types[want].text);
}

static const struct ptx_reg *reg_of(const struct opnd_check *at,
				    const struct ptx_opnd *o)
{
	return &at->p->body.regs[o->reg];
}

static bool form_is_pred(const struct opnd_check *at, const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG && reg_of(at, o)->type == PTX_PRED;
}

static bool check_reg(const struct opnd_check *at, const struct ptx_opnd *o,
		      enum ptx_type want, bool wider)
{
	const struct ptx_reg *r = reg_of(at, o);

	if (r->vec > 1 && o->elem < 0)
		return opnd_must_be(at, o,
				    "one element of the vector register");
	return form_check_type(at, o, r->type, want, wider);
}

static bool check_dst(const struct opnd_check *at, const struct ptx_opnd *o,
		      enum ptx_type want, bool wider, bool sink)
{
	if (o->kind == PTX_OPND_SINK && sink)
		return true;
	if (o->kind != PTX_OPND_REG || o->negated)
		return opnd_must_be(at, o, "a register");
	return check_reg(at, o, want, wider);
}

static bool check_address(const struct opnd_check *at, const struct ptx_opnd *o,
			  enum ptx_type want)
{
	const struct ptx_type_info *t = &ptx_types[want];

	if (t->kind == PTX_KIND_F || t->kind == PTX_KIND_P ||
	    (t->bytes != 4 && t->bytes != 8))
		return opnd_must_be(at, o, "a value, not an address");
	return true;
}

static bool check_src(const struct opnd_check *at, const struct ptx_opnd *o,
		      enum ptx_type want, bool wider)
{
	switch (o->kind) {
	case PTX_OPND_REG:
		return check_reg(at, o, want, wider);
	case PTX_OPND_SREG:
		/* Old PTX reads 32-bit special registers as 16 bits. */
		return form_check_type(at, o,
				       (enum ptx_type)ptx_sregs[o->sreg].type,
				       want, true);
	case PTX_OPND_IMM:
		return true;
	case PTX_OPND_VAR:
	case PTX_OPND_FUNC:
		return check_address(at, o, want);
	}
	return opnd_must_be(at, o, "a register or a constant");
}

/* {a, b}, or a vector register, of n elements; the braces are optional if n is
 * 1. */
static bool check_vector(const struct opnd_check *at, const struct ptx_opnd *o,
			 int n, bool dst, enum ptx_type want, bool wider)
{
	char text[48];

	if (o->kind == PTX_OPND_REG && o->elem < 0 && n > 1 &&
	    reg_of(at, o)->vec == n)
		return form_check_type(at, o, reg_of(at, o)->type, want, wider);
	if (o->kind != PTX_OPND_VEC && n == 1)
		return dst ? check_dst(at, o, want, wider, true) :
			     check_src(at, o, want, wider);
	if (o->kind != PTX_OPND_VEC || o->count != n) {
		snprintf(text, sizeof(text), "a vector of %d elements", n);
		return opnd_must_be(at, o, text);
	}
	for (int i = 0; i < n; i++)
		if (dst ? !check_dst(at, &o->elems[i], want, wider, true) :
			  !check_src(at, &o->elems[i], want, wider))
			return false;
	return true;
}

static bool form_check_memory(const struct opnd_check *at,
			      const struct ptx_opnd *o)
{
	const struct ptx_opnd *base;
	const struct ptx_type_info *t;

	if (o->kind != PTX_OPND_MEM)
		return opnd_must_be(at, o, "an address in brackets");
	base = &o->elems[0];
	if (base->kind != PTX_OPND_REG)
		return true;
	t = &ptx_types[reg_of(at, base)->type];
	if (t->kind == PTX_KIND_F || t->kind == PTX_KIND_P ||
	    reg_of(at, base)->vec * (base->elem < 0) > 1 ||
	    (t->bytes != 4 && t->bytes != 8))
		return opnd_must_be(at, base,
				    "an address: a register of 32 or 64 bits");
	return true;
}

static bool check_pred_dst(const struct opnd_check *at,
			   const struct ptx_opnd *o, bool sink)
{
	if (o->kind == PTX_OPND_SINK && sink)
		return true;
	return form_is_pred(at, o) && !o->negated ?
		       true :
		       opnd_must_be(at, o, "a predicate register");
}

/* Integers are predicates, too: all but 0 are true. */
static bool check_pred_src(const struct opnd_check *at,
			   const struct ptx_opnd *o)
{
	if (o->kind == PTX_OPND_IMM && o->imm_kind == PTX_IMM_INT)
		return true;
	return form_is_pred(at, o) ?
		       true :
		       opnd_must_be(at, o, "a predicate or an integer");
}

/* d|p or p|q */
static bool check_dual(const struct opnd_check *at, const struct ptx_opnd *o,
		       const struct ptx_form_slot *slot, enum ptx_type want,
		       bool wider)
{
	const struct ptx_opnd *first = o->kind == PTX_OPND_DUAL ? o->elems : o;
	bool ok = slot->kind[0] == 'p' ?
			  check_pred_dst(at, first, true) :
			  check_dst(at, first, want, wider, true);

	if (ok && o->kind == PTX_OPND_DUAL)
		ok = check_pred_dst(at, &o->elems[1], true);
	return ok;
}

/* A 32-bit register, or selected bytes or halves of it. */
static bool check_selected(const struct opnd_check *at,
			   const struct ptx_opnd *o, bool dst)
{
	struct ptx_opnd whole = *o;

	if (o->parts > 4 || (o->part == 'h' && o->parts > 2))
		return opnd_must_be(at, o,
				    "selected by at most 4 bytes or 2 halves");
	whole.part = 0;
	whole.negated = false;
	return dst ? check_dst(at, &whole, PTX_B32, false, false) :
		     check_src(at, &whole, PTX_B32, false);
}

/* Refuses selectors and '-', which only video instructions have, and '!' on
 * anything but a predicate. */
static bool check_plain(const struct opnd_check *at, const struct ptx_opnd *o)
{
	if (o->part)
		return opnd_must_be(at, o,
				    "a whole register: selectors are for video "
				    "instructions");
	if (o->kind == PTX_OPND_REG && o->negated && !form_is_pred(at, o))
		return opnd_must_be(at, o,
				    "a plain value: '!' is for predicates and "
				    "'-' for vmad");
	for (int i = 0; i < o->count; i++)
		if (!check_plain(at, &o->elems[i]))
			return false;
	return true;
}

static bool check_slot(const struct opnd_check *at, const struct ptx_opnd *o,
		       const struct ptx_form_slot *slot)
{
	const struct ptx_opcode *op = at->in->op;
	bool wider = slot->by_opcode;
	enum ptx_type want =
		(enum ptx_type)(wider ? op->type[slot->type] : slot->type);

	if (slot->kind[0] == 'y' || slot->kind[0] == 'z')
		return check_selected(at, o, slot->kind[0] == 'y');
	if (!check_plain(at, o))
		return false;
	if (slot->kind[1] == 'p')
		return check_dual(at, o, slot, want, wider);
	switch (slot->kind[0]) {
	case 'd':
		return slot->count ? check_vector(at, o, slot->count, true,
						  want, wider) :
				     check_dst(at, o, want, wider, false);
	case 'a':
		return slot->count ? check_vector(at, o, slot->count, false,
						  want, wider) :
				     check_src(at, o, want, wider);
	case 'v':
	case 'w':
		return check_vector(at, o, (int)ptx_vector_length(op),
				    slot->kind[0] == 'v', want, wider);
	case 'p':
		return check_pred_dst(at, o, false);
	case 'q':
		return check_pred_src(at, o);
	case 'm':
		return form_check_memory(at, o);
	case 'l':
		return o->kind == PTX_OPND_LABEL ?
			       true :
			       opnd_must_be(at, o, "a label");
	case 'i':
		return o->kind == PTX_OPND_IMM ?
			       true :
			       opnd_must_be(at, o, "a constant");
	case 'x':
		return o->kind == PTX_OPND_TEX || o->kind == PTX_OPND_MEM ?
			       true :
			       opnd_must_be(at, o, "[object, coordinates]");
	}
	return true;
}

static bool fail_opnd_count(struct px_parser *p, const struct ptx_inst *in,
			    const struct ptx_form *f)
{
	int min = 0, max = 15;

	while (!(f->counts >> min & 1))
		min++;
	while (!(f->counts >> max & 1))
		max--;
	if (min == max)
		return px_syntax(p, in->loc,
				 "'%s' takes %d operand%s, found %d",
				 in->op->text, min, min == 1 ? "" : "s",
				 in->opnd_count);
	return px_syntax(p, in->loc, "'%s' takes %d %s %d operands, found %d",
			 in->op->text, min, max == min + 1 ? "or" : "to", max,
			 in->opnd_count);
}

bool px_check_inst(struct px_parser *p, const struct ptx_inst *in)
{
	const struct ptx_form *f = ptx_form_of(in->op->op);
	struct opnd_check at = { p, in, 0 };

	if (in->opnd_count > 15 || !(f->counts >> in->opnd_count & 1))
		return fail_opnd_count(p, in, f);
	for (int i = 0; i < in->opnd_count; i++) {
		at.number = i + 1;
		if (!check_slot(&at, &in->opnds[i], &f->slot[i]))
			return false;
	}
	return true;
}
