/* Reads operands by their syntax; form.c checks them against the row. */
#include <string.h>

#include "isa/ptx/parse.h"

enum { CHUNK = 1024 };

bool px_opnds(struct px_parser *p, struct ptx_opnd **out,
	      const struct ptx_opnd *from, size_t n)
{
	*out = NULL;
	if (!n)
		return true;
	if (n > p->opnd_room) {
		p->opnds = arena_new(&p->m->arena, struct ptx_opnd, CHUNK);
		p->opnd_room = p->opnds ? CHUNK : 0;
		if (!p->opnds)
			return px_nomem(p);
	}
	*out = p->opnds;
	memcpy(p->opnds, from, n * sizeof(*from));
	p->opnds += n;
	p->opnd_room -= n;
	return true;
}

static bool set_elems(struct px_parser *p, struct ptx_opnd *o,
		      const struct ptx_opnd *elems, size_t n)
{
	o->count = (uint8_t)n;
	return px_opnds(p, &o->elems, elems, n);
}

/* .x .y .z .w, or .r .g .b .a; -1: none of them */
static int vector_element(const struct px_parser *p)
{
	static const char names[] = "xyzwrgba";
	const char *at;

	if (!px_is(p, PTX_TOK_WORD) || p->t.size != 1)
		return -1;
	at = strchr(names, p->t.text[0]);
	return at ? (int)(at - names) % 4 : -1;
}

/* .b0 to .b7654, .h0 to .h32: the selector of a video operand, if present. */
static bool parse_selector(struct px_parser *p, struct ptx_opnd *o)
{
	const char *text = p->t.text;
	size_t n = p->t.size - 1;

	if (!px_is(p, PTX_TOK_WORD) || p->t.size < 2 || p->t.size > 5 ||
	    (text[0] != 'b' && text[0] != 'h'))
		return true;
	for (size_t i = 0; i < n; i++)
		if (text[1 + i] < '0' || text[1 + i] > '7')
			return true;
	o->part = text[0];
	o->parts = (uint8_t)n;
	for (size_t i = 0; i < n; i++)
		o->part_digit[i] = (uint8_t)(text[n - i] - '0');
	return px_next(p);
}

static bool parse_sreg(struct px_parser *p, struct ptx_opnd *o,
		       const struct px_atom *atom)
{
	int elem = vector_element(p);

	o->kind = PTX_OPND_SREG;
	for (int i = atom->sreg - 1; i < PTX_SREG_COUNT; i++) {
		const char *text = ptx_sregs[i].text;

		if (strncmp(text, atom->text, atom->size))
			break;
		text += atom->size;
		if (!*text && elem < 0) {
			o->sreg = (uint32_t)i;
			return true;
		}
		if (*text == '.' && elem >= 0 && text[1] == p->t.text[0]) {
			o->sreg = (uint32_t)i;
			return px_next(p);
		}
	}
	return px_syntax(p, o->loc, "'%s' needs .x, .y or .z", atom->text);
}

static bool parse_opnd_reg(struct px_parser *p, struct ptx_opnd *o,
			   struct px_sym *s)
{
	int elem = vector_element(p);

	o->kind = PTX_OPND_REG;
	if (!px_use_reg(p, s, &o->reg))
		return false;
	if (elem < 0)
		return parse_selector(p, o);
	if (elem >= s->vec || s->vec == 1)
		return px_syntax(p, p->t.loc, "'%s' has no element .%c",
				 s->atom->text, p->t.text[0]);
	o->elem = (int8_t)elem;
	return px_next(p);
}

static bool parse_opnd_label(struct px_parser *p, struct ptx_opnd *o,
			     struct px_atom *atom)
{
	o->kind = PTX_OPND_LABEL;
	return px_label_named(p, atom, o->loc, &o->label);
}

static bool parse_opnd_name(struct px_parser *p, struct ptx_opnd *o,
			    bool is_label)
{
	struct px_atom *atom = p->atom;
	struct px_sym *s = NULL;

	if (!px_next(p))
		return false;
	if (atom->size == 1 && atom->text[0] == '_') {
		o->kind = PTX_OPND_SINK;
		return true;
	}
	if (is_label)
		return parse_opnd_label(p, o, atom);
	if (!px_lookup(p, &s, atom, o->loc))
		return false;
	if (!s)
		return atom->sreg ? parse_sreg(p, o, atom) :
				    px_syntax(p, o->loc, "'%s' is not declared",
					      atom->text);
	switch (s->kind) {
	case PX_SYM_VAR:
		o->kind = PTX_OPND_VAR;
		o->var = s->var;
		return true;
	case PX_SYM_FUNC:
		o->kind = PTX_OPND_FUNC;
		o->func = s->func;
		return true;
	default:
		return parse_opnd_reg(p, o, s);
	}
}

static bool parse_constant(struct px_parser *p, struct ptx_opnd *o)
{
	struct px_value v;

	if (!px_expr(p, &v, false))
		return false;
	o->kind = PTX_OPND_IMM;
	o->bits = v.bits;
	o->imm_kind = v.kind == PX_INT ? PTX_IMM_INT :
		      v.kind == PX_F32 ? PTX_IMM_F32 :
					 PTX_IMM_F64;
	return true;
}

/* + or - and an integer expression, which starts at its sign. */
static bool parse_offset(struct px_parser *p, int64_t *out)
{
	struct ptx_loc at = p->t.loc;
	struct px_value v;

	if (px_is(p, '+') && !px_next(p))
		return false;
	if (!px_expr(p, &v, false))
		return false;
	if (v.kind != PX_INT)
		return px_syntax(p, at, "an offset must be an integer");
	*out = (int64_t)v.bits;
	return true;
}

static bool is_constant_name(const struct px_parser *p)
{
	return !strcmp(p->atom->text, "WARP_SZ");
}

static bool parse_opnd_is_pred(const struct px_parser *p,
			       const struct ptx_opnd *o)
{
	return o->kind == PTX_OPND_REG && p->body.regs[o->reg].type == PTX_PRED;
}

/* !p, where p is not a constant; else a constant expression. */
static bool parse_negated(struct px_parser *p, struct ptx_opnd *o)
{
	int next = ptx_lex_peek(&p->lex);

	if (!strchr("0123456789.(!~+-", next) || !next) {
		if (!px_next(p))
			return false;
		if (!px_is(p, PTX_TOK_NAME))
			return px_expected(p, "a predicate");
		if (is_constant_name(p)) {
			if (!parse_constant(p, o))
				return false;
			o->bits = !o->bits;
			return true;
		}
		if (!parse_opnd_name(p, o, false))
			return false;
		o->negated = true;
		return parse_opnd_is_pred(p, o) ?
			       true :
			       px_syntax(p, o->loc,
					 "'!' applies to predicates only");
	}
	return parse_constant(p, o);
}

static bool starts_constant(int kind)
{
	return kind == PTX_TOK_INT || kind == PTX_TOK_F32 ||
	       kind == PTX_TOK_F64 || kind == PTX_TOK_NAME || kind == '(' ||
	       kind == '-' || kind == '+' || kind == '~';
}

/* -a, where a is not a constant. */
static bool is_minus_name(struct px_parser *p)
{
	int c = ptx_lex_peek(&p->lex);

	/* W: WARP_SZ is the only named constant. */
	return px_is(p, '-') && c != 'W' &&
	       (c == '%' || c == '_' || c == '$' || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z'));
}

static bool parse_minus(struct px_parser *p, struct ptx_opnd *o)
{
	if (!px_next(p) || !parse_opnd_name(p, o, false))
		return false;
	o->negated = true;
	return o->kind == PTX_OPND_REG && !parse_opnd_is_pred(p, o) ?
		       true :
		       px_syntax(p, o->loc, "'-' applies to numbers only");
}

/* An operand without brackets: a register, a constant, a name. */
static bool parse_opnd_simple(struct px_parser *p, struct ptx_opnd *o,
			      bool is_label)
{
	*o = (struct ptx_opnd){ .loc = p->t.loc, .elem = -1 };
	if (px_is(p, '!'))
		return parse_negated(p, o);
	if (is_minus_name(p))
		return parse_minus(p, o);
	if (!starts_constant(p->t.kind))
		return px_expected(p, "an operand");
	if (!px_is(p, PTX_TOK_NAME) || is_constant_name(p))
		return parse_constant(p, o);
	if (!parse_opnd_name(p, o, is_label))
		return false;
	if (o->kind == PTX_OPND_VAR && (px_is(p, '+') || px_is(p, '-')))
		return parse_offset(p, &o->offset);
	return true;
}

/* Reads a list up to `close`. Its opening bracket has been read. */
static bool parse_opnd_list(struct px_parser *p, struct ptx_opnd *o, int close,
			    const char *want)
{
	struct ptx_opnd elems[PX_MAX_ELEMS];
	size_t n = 0;
	bool more = !px_is(p, close);

	while (more) {
		if (n == PX_MAX_ELEMS)
			return px_syntax(p, p->t.loc, "more than %d elements",
					 PX_MAX_ELEMS);
		if (!parse_opnd_simple(p, &elems[n++], false) ||
		    !px_accept(p, ',', &more))
			return false;
	}
	return px_take(p, close, want) && set_elems(p, o, elems, n);
}

static bool parse_vector(struct px_parser *p, struct ptx_opnd *o)
{
	*o = (struct ptx_opnd){ .loc = p->t.loc,
				.elem = -1,
				.kind = PTX_OPND_VEC };
	if (!px_next(p))
		return false;
	if (px_is(p, '}'))
		return px_expected(p, "an element");
	return parse_opnd_list(p, o, '}', "',' or '}'");
}

/* [object, sampler, {x, y}]: the part after the first comma. */
static bool parse_texture(struct px_parser *p, struct ptx_opnd *o,
			  const struct ptx_opnd *object)
{
	struct ptx_opnd elems[8] = { *object };
	size_t n = 1;
	bool more = true;

	o->kind = PTX_OPND_TEX;
	while (more) {
		if (n == 8)
			return px_expected(p, "']'");
		if (px_is(p, '{') ? !parse_vector(p, &elems[n]) :
				    !parse_opnd_simple(p, &elems[n], false))
			return false;
		n++;
		if (!px_accept(p, ',', &more))
			return false;
	}
	return px_take(p, ']', "']'") && set_elems(p, o, elems, n);
}

static bool parse_memory(struct px_parser *p, struct ptx_opnd *o)
{
	struct ptx_opnd base;
	bool comma;

	o->kind = PTX_OPND_MEM;
	if (!px_next(p) || !parse_opnd_simple(p, &base, false))
		return false;
	if (base.kind != PTX_OPND_REG && base.kind != PTX_OPND_VAR &&
	    (base.kind != PTX_OPND_IMM || base.imm_kind != PTX_IMM_INT))
		return px_syntax(p, base.loc,
				 "expected a register, a variable "
				 "or an integer as address");
	if (base.negated)
		return px_syntax(p, base.loc, "'!' applies to predicates only");
	if (base.kind == PTX_OPND_REG && (px_is(p, '+') || px_is(p, '-')) &&
	    !parse_offset(p, &base.offset))
		return false;
	o->offset = base.offset;
	base.offset = 0;
	if (!px_accept(p, ',', &comma))
		return false;
	if (comma) {
		if (o->offset)
			return px_syntax(p, o->loc,
					 "a texture or surface "
					 "cannot have an offset");
		return parse_texture(p, o, &base);
	}
	return px_take(p, ']', "']'") && set_elems(p, o, &base, 1);
}

/* d|p. The d has been read into *o. */
static bool parse_dual(struct px_parser *p, struct ptx_opnd *o)
{
	struct ptx_opnd elems[2] = { *o };

	if (!px_next(p) || !parse_opnd_simple(p, &elems[1], false))
		return false;
	*o = (struct ptx_opnd){ .loc = o->loc,
				.elem = -1,
				.kind = PTX_OPND_DUAL };
	return set_elems(p, o, elems, 2);
}

bool px_opnd(struct px_parser *p, struct ptx_opnd *o, bool is_label)
{
	*o = (struct ptx_opnd){ .loc = p->t.loc, .elem = -1 };
	switch (p->t.kind) {
	case '[':
		return parse_memory(p, o);
	case '{':
		return parse_vector(p, o);
	}
	if (!parse_opnd_simple(p, o, is_label))
		return false;
	return px_is(p, '|') ? parse_dual(p, o) : true;
}

bool px_args(struct px_parser *p, struct ptx_opnd *o)
{
	*o = (struct ptx_opnd){ .loc = p->t.loc,
				.elem = -1,
				.kind = PTX_OPND_ARGS };
	return px_next(p) && parse_opnd_list(p, o, ')', "',' or ')'");
}
