/* Instructions: guard, opcode, operands. */
#include <string.h>

#include "isa/ptx/match.h"
#include "isa/ptx/parse.h"

/* Moves *s to the text of its line; returns how much of it a message quotes. */
static int quote_line(const struct px_parser *p, const char **s)
{
	enum { CUT = 120 };
	const char *e;

	while (**s == ' ' || **s == '\t')
		++*s;
	for (e = *s; e < p->lex.end && *e != '\n' && *e != '\r'; e++)
		;
	return e - *s > CUT ? CUT : (int)(e - *s);
}

static bool fail_no_row(struct px_parser *p, const struct ptx_opcode *op,
			int rows, bool matched, const char *line)
{
	int head = (int)strcspn(op->text, ".");
	int size = quote_line(p, &line);

	if (!rows)
		return px_syntax(p, p->t.loc, "no instruction named '%.*s'",
				 head, op->text);
	if (!matched)
		return px_fail(p, p->t.loc, ERR_UNSUPP,
			       "'%s' is not supported ('%.*s' is, with other "
			       "modifiers): %.*s",
			       op->text, head, op->text, size, line);
	return px_fail(p, p->t.loc, ERR_UNSUPP, "%s are not supported: %.*s",
		       ptx_rows[op->op].form, size, line);
}

/* Skips an instruction from its opcode to its semicolon. */
static bool skip_instruction(struct px_parser *p)
{
	uint32_t braces = 0;

	while (!px_is(p, ';')) {
		if (px_is(p, PTX_TOK_END) || (px_is(p, '}') && !braces))
			return px_expected(p, "';'");
		braces += px_is(p, '{');
		braces -= px_is(p, '}');
		if (!px_next(p))
			return false;
	}
	return px_next(p);
}

/*
 * Finds the row of the current token, an opcode; each text is matched once in a
 * module. *out is NULL if there is none, and the function is refused.
 */
static bool parse_opcode(struct px_parser *p, struct px_opcode **out)
{
	struct px_atom *atom;
	struct px_opcode *op;
	const char *line = p->t.text - (p->t.loc.col - 1);
	bool matched;
	int rows;

	ptx_lex_opcode(&p->lex, &p->t);
	if (p->t.kind == PTX_TOK_BAD)
		return px_syntax(p, p->t.loc, "%s", p->lex.wrong);
	atom = px_intern(&p->atoms, p->t.text, p->t.size, p->t.hash);
	if (!atom)
		return px_nomem(p);
	if (!atom->opcode) {
		op = px_new(p, struct px_opcode);
		if (!op)
			return px_nomem(p);
		rows = ptx_match(&op->op, atom->text, atom->size, &matched);
		if (!matched || ptx_rows[op->op.op].class == PTX_ROW_REFUSED)
			return fail_no_row(p, &op->op, rows, matched, line) ||
			       px_refuse(p, atom->text);
		atom->opcode = op;
	}
	*out = atom->opcode;
	return px_next(p);
}

/* Takes another row if this one does not take that many operands. */
static bool choose_row(struct px_parser *p, struct px_opcode *op,
		       struct ptx_inst *in)
{
	for (; op; op = op->other) {
		if (ptx_form_of(op->op.op)->counts >> in->opnd_count & 1) {
			in->op = &op->op;
			return true;
		}
		if (op->searched)
			continue;
		op->other = px_new(p, struct px_opcode);
		if (!op->other)
			return px_nomem(p);
		if (!ptx_match_other(&op->other->op, &op->op))
			op->other = NULL;
		op->searched = true;
	}
	return true; /* px_check_inst reports it for the first row */
}

/* @p or @!p */
static bool parse_guard(struct px_parser *p, struct ptx_inst *in)
{
	struct px_sym *s = NULL;

	if (!px_next(p) || !px_accept(p, '!', &in->guard_negated))
		return false;
	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "a predicate");
	if (!px_lookup(p, &s, p->atom, p->t.loc))
		return false;
	if (!s)
		return px_syntax(p, p->t.loc, "'%s' is not declared",
				 p->atom->text);
	if (s->kind != PX_SYM_REG || s->type != PTX_PRED)
		return px_syntax(p, p->t.loc, "'%s' is not a predicate",
				 p->atom->text);
	if (!px_use_reg(p, s, &in->guard) || !px_next(p))
		return false;
	return px_is(p, PTX_TOK_NAME) ? true : px_expected(p, "an instruction");
}

static bool has_reg(const struct ptx_opnd *o, int n)
{
	while (n-- > 0)
		if (o[n].kind == PTX_OPND_REG)
			return true;
	return false;
}

/* call {(returns),} function {, (arguments)} {, list} */
static bool parse_call_operand(struct px_parser *p, struct ptx_opnd *opnds,
			       int n)
{
	if (px_is(p, '('))
		return px_args(p, &opnds[n]);
	return px_opnd(p, &opnds[n], has_reg(opnds, n));
}

static bool parse_operand(struct px_parser *p, const struct ptx_inst *in,
			  struct ptx_opnd *opnds, int n)
{
	const struct ptx_form *f = ptx_form_of(in->op->op);
	char kind = n < f->slots ? f->slot[n].kind[0] : 0;

	if (in->op->op == PTX_OP_CALL)
		return parse_call_operand(p, opnds, n);
	return px_opnd(p, &opnds[n],
		       kind == 'l' || (n == 1 && in->op->op == PTX_OP_BRX));
}

static bool parse_operands(struct px_parser *p, struct ptx_inst *in)
{
	struct ptx_opnd opnds[PX_MAX_OPNDS];
	bool more = !px_is(p, ';');
	int n = 0;

	if (more && ptx_form_of(in->op->op)->slots == 0)
		return px_expected(p, "';'");
	while (more) {
		if (n == PX_MAX_OPNDS)
			return px_syntax(p, p->t.loc, "more than %d operands",
					 PX_MAX_OPNDS);
		if (!parse_operand(p, in, opnds, n++) ||
		    !px_accept(p, ',', &more))
			return false;
	}
	in->opnd_count = (uint8_t)n;
	if (!px_opnds(p, &in->opnds, opnds, (size_t)n))
		return false;
	if (!px_is(p, ';'))
		return px_expected(p, "',' or ';'");
	return true;
}

bool px_instruction(struct px_parser *p)
{
	struct px_body *b = &p->body;
	struct ptx_inst in = { .guard = PTX_NO_REG };
	struct px_opcode *op = NULL;

	if (px_is(p, '@') && !parse_guard(p, &in))
		return false;
	in.loc = p->t.loc;
	in.src_file = b->src_file;
	in.src_line = b->src_line;
	in.call = b->call;
	in.rolled = b->rolled;
	b->rolled = false;
	if (!parse_opcode(p, &op))
		return false;
	if (!op)
		return skip_instruction(p);
	in.op = &op->op;
	if (!parse_operands(p, &in) || !choose_row(p, op, &in) ||
	    !px_check_inst(p, &in))
		return false;
	if (!px_room(p, &b->insts, b->inst_count, &b->inst_cap, sizeof(in)))
		return false;
	b->insts[b->inst_count++] = in;
	return px_next(p);
}

/* The list o of a call must have as many elements as the callee has results,
 * or parameters. */
static bool check_call_count(struct px_parser *p, const struct ptx_opnd *o,
			     struct ptx_loc at, const char *callee,
			     bool results, uint32_t want)
{
	uint32_t have = o ? o->count : 0;

	if (have == want)
		return true;
	return px_syntax(p, at, "'%s' %s %u %s%s, found %u", callee,
			 results ? "returns" : "takes", want,
			 results ? "result" : "argument", want == 1 ? "" : "s",
			 have);
}

bool px_no_call(struct px_parser *p, struct ptx_loc at,
		const struct ptx_func *entry)
{
	return px_syntax(p, at,
			 "'%s' is an .entry, which only a launch starts; a "
			 "call needs a .func",
			 entry->name);
}

static bool check_call(struct px_parser *p, const struct ptx_func *f,
		       const struct ptx_inst *in)
{
	const struct ptx_opnd *o = in->opnds, *end = o + in->opnd_count;
	const struct ptx_opnd *rets = NULL, *args = NULL, *callee;
	const struct ptx_func *proto = NULL;
	const char *name = NULL;

	if (o->kind == PTX_OPND_ARGS)
		rets = o++;
	callee = o < end ? o++ : NULL;
	if (!callee ||
	    (callee->kind != PTX_OPND_FUNC && callee->kind != PTX_OPND_REG))
		return px_syntax(p, callee ? callee->loc : in->loc,
				 "expected a function or a register to call");
	if (callee->kind == PTX_OPND_FUNC && callee->func->is_entry)
		return px_no_call(p, callee->loc, callee->func);
	if (o < end && o->kind == PTX_OPND_ARGS)
		args = o++;
	if (callee->kind == PTX_OPND_FUNC) {
		proto = callee->func;
		name = proto->name;
	} else if (o < end && o->kind == PTX_OPND_TARGETS) {
		const struct ptx_targets *t = &f->targets[o++->targets];

		if (t->kind == PTX_TARGETS_BRANCH)
			return px_syntax(p, o[-1].loc,
					 "'%s' lists labels, expected "
					 "functions or a prototype",
					 t->name);
		proto = t->kind == PTX_TARGETS_PROTO ? t->proto : t->funcs[0];
		name = t->name;
	} else {
		return px_syntax(p, in->loc,
				 "a call through a register needs a "
				 ".callprototype or .calltargets list");
	}
	if (o < end)
		return px_syntax(p, o->loc, "expected ';' after the call");
	return check_call_count(p, rets, in->loc, name, true,
				proto->ret_count) &&
	       check_call_count(p, args, in->loc, name, false,
				proto->param_count);
}

bool px_check_targets(struct px_parser *p, const struct ptx_func *f,
		      const struct ptx_inst *in)
{
	const struct ptx_opnd *o;

	switch (in->op->op) {
	case PTX_OP_CALL:
		return check_call(p, f, in);
	case PTX_OP_BRX:
		o = &in->opnds[1];
		if (o->kind == PTX_OPND_TARGETS &&
		    f->targets[o->targets].kind == PTX_TARGETS_BRANCH)
			return true;
		return px_syntax(p, o->loc,
				 "expected the name of a "
				 ".branchtargets list");
	case PTX_OP_BRA:
		o = &in->opnds[0];
		if (o->kind == PTX_OPND_LABEL)
			return true;
		return px_syntax(p, o->loc,
				 "expected a label, found the list '%s'",
				 f->targets[o->targets].name);
	}
	return true;
}
