/* The body of a function: blocks, labels, target lists, source lines. */
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/parse.h"

static bool parse_branch_targets(struct px_parser *p, struct ptx_targets *t)
{
	uint32_t *list = NULL;
	size_t n = 0, cap = 0;
	bool ok, more = true;

	for (ok = true; ok && more;) {
		if (!px_is(p, PTX_TOK_NAME)) {
			ok = px_expected(p, "a label");
			break;
		}
		ok = px_room(p, &list, n, &cap, sizeof(*list)) &&
		     px_label_named(p, p->atom, p->t.loc, &list[n]) &&
		     px_next(p) && px_accept(p, ',', &more);
		n++;
	}
	ok = ok && px_keep(p, &t->labels, list, n, sizeof(*list));
	free(list);
	t->count = (uint32_t)n;
	return ok;
}

static bool parse_callee_name(struct px_parser *p, struct ptx_func **out)
{
	struct px_sym *s = NULL;

	if (!px_is(p, PTX_TOK_NAME))
		return px_expected(p, "the name of a function");
	if (!px_lookup(p, &s, p->atom, p->t.loc))
		return false;
	if (!s || s->kind != PX_SYM_FUNC)
		return px_syntax(p, p->t.loc,
				 "no function named '%s' is "
				 "declared",
				 p->atom->text);
	if (s->func->is_entry)
		return px_no_call(p, p->t.loc, s->func);
	*out = s->func;
	return px_next(p);
}

static bool parse_call_targets(struct px_parser *p, struct ptx_targets *t)
{
	struct ptx_func **list = NULL;
	size_t n = 0, cap = 0;
	bool ok = true, more = true;

	while (ok && more) {
		ok = px_room(p, &list, n, &cap, sizeof(struct ptx_func *)) &&
		     parse_callee_name(p, &list[n]) && px_accept(p, ',', &more);
		n++;
	}
	ok = ok && px_keep(p, &t->funcs, list, n, sizeof(struct ptx_func *));
	free(list);
	t->count = (uint32_t)n;
	return ok;
}

static bool parse_prototype(struct px_parser *p, struct ptx_targets *t)
{
	uint64_t ignored;

	t->proto = px_new(p, struct ptx_func);
	if (!t->proto)
		return px_nomem(p);
	if (!px_signature(p, t->proto, true))
		return false;
	while (px_is(p, PTX_TOK_WORD)) {
		enum px_word w = (enum px_word)p->atom->word;

		if (w == PX_NORETURN) {
			t->proto->limits.noreturn = true;
			if (!px_next(p))
				return false;
		} else if (w == PX_ABI_PRESERVE ||
			   w == PX_ABI_PRESERVE_CONTROL) {
			if (!px_next(p) || !px_const_int(p, "a number", 0,
							 UINT32_MAX, &ignored))
				return false;
		} else {
			return px_expected(p, "';'");
		}
	}
	return true;
}

/* name: .branchtargets ...; the current token is the directive. */
static bool parse_target_list(struct px_parser *p, struct px_atom *name,
			      struct ptx_loc at, enum px_word w)
{
	struct px_body *b = &p->body;
	struct ptx_targets t = { .name = name->text };
	bool ok;

	if (!px_label_defined(p, name, at, true, (uint32_t)b->target_count) ||
	    !px_next(p))
		return false;
	if (w == PX_BRANCHTARGETS) {
		t.kind = PTX_TARGETS_BRANCH;
		ok = parse_branch_targets(p, &t);
	} else if (w == PX_CALLTARGETS) {
		t.kind = PTX_TARGETS_CALL;
		ok = parse_call_targets(p, &t);
	} else {
		t.kind = PTX_TARGETS_PROTO;
		ok = parse_prototype(p, &t);
	}
	if (!ok || !px_room(p, &b->targets, b->target_count, &b->target_cap,
			    sizeof(*b->targets)))
		return false;
	b->targets[b->target_count++] = t;
	return px_take(p, ';', "';'");
}

static bool parse_label(struct px_parser *p)
{
	struct px_atom *name = p->atom;
	struct ptx_loc at = p->t.loc;
	enum px_word w;

	if (!px_next(p) || !px_take(p, ':', "':'"))
		return false;
	w = px_is(p, PTX_TOK_WORD) ? (enum px_word)p->atom->word : PX_WORD_NONE;
	if (w == PX_BRANCHTARGETS || w == PX_CALLTARGETS ||
	    w == PX_CALLPROTOTYPE)
		return parse_target_list(p, name, at, w);
	return px_label_defined(p, name, at, false,
				(uint32_t)p->body.inst_count);
}

static bool parse_line_number(struct px_parser *p, uint32_t *out)
{
	if (!px_is(p, PTX_TOK_INT) || p->t.bits > UINT32_MAX)
		return px_expected(p, "a number");
	*out = (uint32_t)p->t.bits;
	return px_next(p);
}

static bool token_is(const struct px_parser *p, const char *text)
{
	return px_is(p, PTX_TOK_NAME) && !strcmp(p->atom->text, text);
}

enum { PX_PLACES_SEARCHED = 4096 }; /* keeps long functions linear */

/* Finds the call at a place, among those that lines were inlined by. The place
 * may have been inlined itself: then the call is part of another one. */
static const struct ptx_call *find_call(struct px_parser *p,
					const struct ptx_call *at)
{
	const struct px_body *b = &p->body;
	size_t n = b->place_count;
	size_t end = n > PX_PLACES_SEARCHED ? n - PX_PLACES_SEARCHED : 0;
	const struct ptx_call *outer = NULL;
	struct ptx_call *call;

	for (size_t i = n; i-- > end && !outer;)
		if (b->places[i].file == at->file &&
		    b->places[i].line == at->line &&
		    b->places[i].column == at->column)
			outer = b->places[i].call;
	for (size_t i = n; i-- > end;) {
		const struct ptx_call *c = b->places[i].call;

		if (c->file == at->file && c->line == at->line &&
		    c->column == at->column && c->outer == outer)
			return c;
	}
	call = px_new(p, struct ptx_call);
	if (!call) {
		px_nomem(p);
		return NULL;
	}
	*call = *at;
	call->outer = outer;
	return call;
}

/* Notes that the current line was inlined by a call at this place. */
static bool note_inlined(struct px_parser *p, uint32_t column,
			 const struct ptx_call *at)
{
	struct px_body *b = &p->body;
	const struct ptx_call *call = find_call(p, at);

	if (!call || !px_room(p, &b->places, b->place_count, &b->place_cap,
			      sizeof(*b->places)))
		return false;
	b->places[b->place_count++] =
		(struct px_inlined){ b->src_file, b->src_line, column, call };
	b->call = call;
	return true;
}

/* , function_name label {+ n}, inlined_at file line column */
static bool parse_inlined_at(struct px_parser *p, uint32_t column)
{
	struct ptx_call at = { 0 };
	uint32_t ignored;
	bool plus;

	if (!px_next(p))
		return false;
	if (token_is(p, "function_name")) {
		if (!px_next(p))
			return false;
		if (!px_is(p, PTX_TOK_NAME) && !px_is(p, PTX_TOK_WORD))
			return px_expected(p, "a label");
		if (!px_next(p) || !px_accept(p, '+', &plus) ||
		    (plus && !parse_line_number(p, &ignored)) ||
		    !px_take(p, ',', "',' and inlined_at"))
			return false;
	}
	if (!token_is(p, "inlined_at"))
		return px_expected(p, "function_name or inlined_at");
	return px_next(p) && parse_line_number(p, &at.file) &&
	       parse_line_number(p, &at.line) &&
	       parse_line_number(p, &at.column) && note_inlined(p, column, &at);
}

static bool parse_loc(struct px_parser *p)
{
	struct px_body *b = &p->body;
	uint32_t column = 0;

	if (!px_next(p) || !parse_line_number(p, &b->src_file) ||
	    !parse_line_number(p, &b->src_line))
		return false;
	if (px_is(p, PTX_TOK_INT) && !parse_line_number(p, &column))
		return false;
	if (!b->src_file)
		b->src_line = 0;
	b->call = NULL;
	return px_is(p, ',') ? parse_inlined_at(p, column) : true;
}

static bool parse_body_directive(struct px_parser *p)
{
	switch (p->atom->word) {
	case PX_LOC:
		return parse_loc(p);
	case PX_PRAGMA:
		return px_pragma(p, false, &p->body.rolled);
	case PX_SECTION:
		return px_section(p);
	}
	return px_is_space(p) ? px_var_statement(p, PTX_LINK_NONE) :
				px_expected(p, "an instruction, a declaration "
					       "or '}'");
}

static bool parse_statement(struct px_parser *p)
{
	switch (p->t.kind) {
	case PTX_TOK_NAME:
		if (ptx_lex_peek(&p->lex) == ':')
			return parse_label(p);
		return px_instruction(p);
	case PTX_TOK_WORD:
		return parse_body_directive(p);
	case '@':
		if (*p->lex.at == '@') { /* @@DWARF */
			ptx_lex_skip_line(&p->lex);
			return px_next(p);
		}
		return px_instruction(p);
	case '{':
		return px_open_scope(p) && px_next(p);
	case '}':
		return px_close_scope(p) && px_next(p);
	case ';':
		return px_next(p);
	}
	return px_expected(p, "an instruction, a declaration or '}'");
}

bool px_body(struct px_parser *p)
{
	uint32_t depth = p->depth;

	p->body.defined = true;
	if (!px_next(p))
		return false;
	while (p->depth > depth || !px_is(p, '}'))
		if (!parse_statement(p))
			return false;
	return true;
}

/* The label that a number of px_label_named refers to, in the end. */
static const struct px_label *resolve_label(const struct px_body *b,
					    uint32_t number)
{
	const struct px_label *l = b->labels[number];

	while (l->same)
		l = l->same;
	return l;
}

static bool resolve_targets(struct px_parser *p, struct ptx_targets *t)
{
	for (uint32_t i = 0; t->labels && i < t->count; i++) {
		const struct px_label *l =
			resolve_label(&p->body, t->labels[i]);

		if (l->state != PX_LABEL_CODE)
			return px_syntax(p, l->used, "'%s' is not a label",
					 l->atom->text);
		t->labels[i] = l->index;
	}
	return true;
}

static bool resolve_inst(struct px_parser *p, struct ptx_inst *in)
{
	for (int i = 0; i < in->opnd_count; i++) {
		struct ptx_opnd *o = &in->opnds[i];
		const struct px_label *l;

		if (o->kind != PTX_OPND_LABEL)
			continue;
		l = resolve_label(&p->body, o->label);
		if (l->state == PX_LABEL_TARGETS) {
			o->kind = PTX_OPND_TARGETS;
			o->targets = l->at;
		} else {
			o->label = l->index;
		}
	}
	return true;
}

static bool keep_labels(struct px_parser *p, struct ptx_func *f)
{
	const struct px_body *b = &p->body;

	f->label_count = (uint32_t)b->def_count;
	f->labels = arena_new(&p->m->arena, struct ptx_label, b->def_count);
	if (!f->labels)
		return px_nomem(p);
	for (uint32_t i = 0; i < b->def_count; i++)
		f->labels[i] = (struct ptx_label){ b->defs[i]->atom->text,
						   b->defs[i]->at,
						   b->defs[i]->loc };
	return true;
}

void px_body_drop(struct ptx_func *f)
{
	f->inst_count = f->label_count = f->target_count = f->var_count = 0;
	/* The registers of parameters come first. */
	f->reg_count = 0;
	for (uint32_t i = 0; i < f->ret_count; i++)
		f->reg_count += f->rets[i]->space == SPACE_REG;
	for (uint32_t i = 0; i < f->param_count; i++)
		f->reg_count += f->params[i]->space == SPACE_REG;
}

bool px_body_end(struct px_parser *p)
{
	struct px_body *b = &p->body;
	struct ptx_func *f = b->func;

	for (size_t i = 0; i < b->target_count; i++)
		if (!resolve_targets(p, &b->targets[i]))
			return false;
	f->has_body = true;
	f->reg_count = (uint32_t)b->reg_count;
	f->var_count = (uint32_t)b->var_count;
	f->inst_count = (uint32_t)b->inst_count;
	f->target_count = (uint32_t)b->target_count;
	if (!keep_labels(p, f) ||
	    !px_keep(p, &f->regs, b->regs, b->reg_count, sizeof(*b->regs)) ||
	    !px_keep(p, &f->vars, b->vars, b->var_count,
		     sizeof(struct ptx_var *)) ||
	    !px_keep(p, &f->targets, b->targets, b->target_count,
		     sizeof(*b->targets)) ||
	    !px_keep(p, &f->insts, b->insts, b->inst_count, sizeof(*b->insts)))
		return false;
	for (uint32_t i = 0; i < f->inst_count; i++)
		if (!resolve_inst(p, &f->insts[i]) ||
		    !px_check_targets(p, f, &f->insts[i]))
			return false;
	if (f->refused)
		px_body_drop(f);
	return true;
}
