/* Declarations, scopes, and the unique names that symbols get in the end. */
#include <stdio.h>
#include <string.h>

#include "isa/ptx/parse.h"

static bool fail_redeclared(struct px_parser *p, struct px_atom *atom,
			    struct ptx_loc loc, struct ptx_loc first)
{
	return px_syntax(p, loc, "'%s' is already declared at line %u",
			 atom->text, first.line);
}

static bool check_declarable(struct px_parser *p, enum px_sym_kind kind,
			     struct px_atom *atom, struct ptx_loc loc)
{
	struct px_sym *same = kind == PX_SYM_RANGE ? atom->range : atom->sym;
	struct px_label *l = atom->label;

	if (same && same->depth == p->depth)
		return fail_redeclared(p, atom, loc, same->loc);
	if (kind == PX_SYM_RANGE)
		return true;
	if (l && l->depth == p->depth && l->state != PX_LABEL_OPEN)
		return fail_redeclared(p, atom, loc, l->loc);
	if (atom->sreg || !strcmp(atom->text, "WARP_SZ"))
		return px_syntax(p, loc, "'%s' is a reserved name", atom->text);
	if (!strcmp(atom->text, "_"))
		return px_syntax(p, loc, "'_' cannot be declared");
	return true;
}

/* Adds a symbol to scope `depth`, the current one or an outer one. */
static struct px_sym *bind_symbol(struct px_parser *p, enum px_sym_kind kind,
				  struct px_atom *atom, struct ptx_loc loc,
				  uint32_t depth)
{
	struct px_scope *scope = &p->scope[depth];
	bool range = kind == PX_SYM_RANGE;
	struct px_sym **list = range ? &scope->ranges : &scope->syms;
	struct px_sym **head = range ? &atom->range : &atom->sym;
	struct px_sym *s = px_new(p, struct px_sym);

	if (!s)
		return NULL;
	s->kind = kind;
	s->atom = atom;
	s->loc = loc;
	s->depth = depth;
	while (*head && (*head)->depth > depth)
		head = &(*head)->outer;
	s->outer = *head;
	*head = s;
	s->next = *list;
	*list = s;
	return s;
}

bool px_declare(struct px_parser *p, struct px_sym **out, enum px_sym_kind kind,
		struct px_atom *atom, struct ptx_loc loc)
{
	if (!check_declarable(p, kind, atom, loc))
		return false;
	*out = bind_symbol(p, kind, atom, loc, p->depth);
	if (!*out)
		return px_nomem(p);
	if (kind == PX_SYM_RANGE && p->depth > 1)
		p->inner_ranges++;
	return true;
}

bool px_lookup(struct px_parser *p, struct px_sym **out, struct px_atom *atom,
	       struct ptx_loc loc)
{
	struct px_sym *s = atom->sym, *range, *made;
	bool twice;

	*out = s;
	if (s && (!p->inner_ranges || s->depth == p->depth))
		return true;
	range = px_find_range(&p->atoms, atom, s ? s->depth + 1 : 0, &twice);
	if (!range)
		return true;
	if (twice)
		return px_syntax(p, loc,
				 "'%s' is ambiguous: it belongs to two ranges "
				 "of registers",
				 atom->text);
	made = bind_symbol(p, PX_SYM_REG, atom, range->loc, range->depth);
	if (!made)
		return px_nomem(p);
	made->type = range->type;
	made->vec = range->vec;
	made->reg = PTX_NO_REG;
	made->of_range = true;
	*out = made;
	return true;
}

bool px_use_reg(struct px_parser *p, struct px_sym *s, uint32_t *reg)
{
	struct px_body *b = &p->body;

	if (s->reg == PTX_NO_REG) {
		if (!px_room(p, &b->regs, b->reg_count, &b->reg_cap,
			     sizeof(*b->regs)))
			return false;
		s->reg = (uint32_t)b->reg_count;
		b->regs[b->reg_count++] = (struct ptx_reg){
			.name = s->atom->text,
			.type = s->type,
			.vec = s->vec,
			.loc = s->loc,
		};
	}
	*reg = s->reg;
	return true;
}

bool px_open_scope(struct px_parser *p)
{
	if (p->depth + 1 >= PX_MAX_SCOPES)
		return px_syntax(p, p->t.loc,
				 "blocks are nested more than %d deep",
				 PX_MAX_SCOPES);
	p->scope[++p->depth] = (struct px_scope){ 0 };
	return true;
}

/* A label that the scope uses and does not define belongs to the outer one. */
static void move_label_out(struct px_parser *p, struct px_label *l)
{
	struct px_scope *outer = &p->scope[p->depth - 1];

	if (l->outer && l->outer->depth == l->depth - 1) {
		l->same = l->outer;
		l->atom->label = l->outer;
		return;
	}
	l->depth--;
	l->next = outer->labels;
	outer->labels = l;
}

static bool check_range_overlap(struct px_parser *p,
				const struct px_scope *scope)
{
	const struct px_sym *s = scope->ranges ? scope->syms : NULL;

	for (; s; s = s->next) {
		struct px_sym *range;
		bool twice;

		if (s->of_range)
			continue;
		range = px_find_range(&p->atoms, s->atom, s->depth, &twice);
		if (range)
			return px_syntax(
				p, s->loc,
				"'%s' is also declared by %s<%u> at line %u",
				s->atom->text, range->atom->text, range->count,
				range->loc.line);
	}
	return true;
}

static bool loc_before(struct ptx_loc a, struct ptx_loc b)
{
	return a.line != b.line ? a.line < b.line : a.col < b.col;
}

static bool close_labels(struct px_parser *p, struct px_scope *scope)
{
	const struct px_label *lost = NULL;

	for (struct px_label *l = scope->labels, *next; l; l = next) {
		next = l->next;
		if (l->state != PX_LABEL_OPEN) {
			l->atom->label = l->outer;
		} else if (p->depth > 1) {
			move_label_out(p, l);
		} else {
			l->atom->label = l->outer;
			if (!lost || loc_before(l->used, lost->used))
				lost = l;
		}
	}
	if (lost)
		return px_syntax(p, lost->used,
				 "'%s' is not declared, and no label of that "
				 "name follows",
				 lost->atom->text);
	return true;
}

bool px_close_scope(struct px_parser *p)
{
	struct px_scope *scope = &p->scope[p->depth];

	if (!check_range_overlap(p, scope) || !close_labels(p, scope))
		return false;
	for (struct px_sym *s = scope->syms; s; s = s->next)
		s->atom->sym = s->outer;
	for (struct px_sym *s = scope->ranges; s; s = s->next) {
		s->atom->range = s->outer;
		if (p->depth > 1)
			p->inner_ranges--;
	}
	p->depth--;
	return true;
}

static bool label_in_scope(struct px_parser *p, struct px_atom *atom,
			   struct px_label **out)
{
	struct px_body *b = &p->body;
	struct px_label *l = atom->label;

	*out = l;
	if (l && l->depth == p->depth)
		return true;
	l = px_new(p, struct px_label);
	if (!l)
		return px_nomem(p);
	if (!px_room(p, &b->labels, b->label_count, &b->label_cap,
		     sizeof(struct px_label *)))
		return false;
	l->atom = atom;
	l->depth = p->depth;
	l->outer = atom->label;
	l->next = p->scope[p->depth].labels;
	l->number = (uint32_t)b->label_count;
	b->labels[b->label_count++] = l;
	atom->label = l;
	p->scope[p->depth].labels = l;
	*out = l;
	return true;
}

bool px_label_named(struct px_parser *p, struct px_atom *atom,
		    struct ptx_loc loc, uint32_t *number)
{
	struct px_label *l;

	if (!label_in_scope(p, atom, &l))
		return false;
	if (!l->used.line)
		l->used = loc;
	*number = l->number;
	return true;
}

bool px_label_defined(struct px_parser *p, struct px_atom *atom,
		      struct ptx_loc loc, bool targets, uint32_t at)
{
	struct px_body *b = &p->body;
	struct px_label *l;

	if (!strcmp(atom->text, "_"))
		return px_syntax(p, loc, "'_' cannot be a label");
	if (atom->sym && atom->sym->depth == p->depth)
		return fail_redeclared(p, atom, loc, atom->sym->loc);
	if (!label_in_scope(p, atom, &l))
		return false;
	if (l->state != PX_LABEL_OPEN)
		return fail_redeclared(p, atom, loc, l->loc);
	l->state = targets ? PX_LABEL_TARGETS : PX_LABEL_CODE;
	l->at = at;
	l->loc = loc;
	if (targets)
		return true;
	if (!px_room(p, &b->defs, b->def_count, &b->def_cap,
		     sizeof(struct px_label *)))
		return false;
	l->index = (uint32_t)b->def_count;
	b->defs[b->def_count++] = l;
	return true;
}

/*
 * Gives *name a suffix if something in the same function, or of the module, has
 * it already. The printer writes all declarations of a function first, and its
 * text must mean the same when it is read again.
 */
static bool claim_name(struct px_parser *p, const char **name, uint32_t func,
		       bool param)
{
	size_t n = strlen(*name);
	struct px_atom *a = px_intern(&p->atoms, *name, n, ptx_hash(*name, n));
	char *text;

	if (!a)
		return px_nomem(p);
	if (a->taken != func) {
		a->suffix = 0;
		a->taken = func;
		if (param || !a->sym)
			return true;
	}
	text = arena_alloc(&p->m->arena, n + 12, 1);
	if (!text)
		return px_nomem(p);
	for (;;) {
		struct px_atom *b;
		size_t m =
			n + (size_t)snprintf(text + n, 12, "$%u", ++a->suffix);

		memcpy(text, *name, n);
		b = px_intern(&p->atoms, text, m, ptx_hash(text, m));
		if (!b)
			return px_nomem(p);
		if (b->taken == func || b->sym)
			continue;
		b->taken = func;
		b->suffix = 0;
		*name = b->text;
		return true;
	}
}

static bool claim_param_name(struct px_parser *p, struct ptx_var *v,
			     uint32_t func)
{
	return !strcmp(v->name, "_") || claim_name(p, &v->name, func, true);
}

static bool claim_func_names(struct px_parser *p, struct ptx_func *f,
			     uint32_t number)
{
	uint32_t named = 0; /* registers that are parameters */
	bool ok = true;

	for (uint32_t i = 0; ok && i < f->ret_count; i++) {
		ok = claim_param_name(p, f->rets[i], number);
		named += f->rets[i]->space == SPACE_REG;
	}
	for (uint32_t i = 0; ok && i < f->param_count; i++) {
		ok = claim_param_name(p, f->params[i], number);
		named += f->params[i]->space == SPACE_REG;
	}
	for (uint32_t i = named; ok && i < f->reg_count; i++)
		ok = claim_name(p, &f->regs[i].name, number, false);
	for (uint32_t i = 0; ok && i < f->var_count; i++)
		ok = claim_name(p, &f->vars[i]->name, number, false);
	for (uint32_t i = 0; ok && i < f->label_count; i++)
		ok = claim_name(p, &f->labels[i].name, number, false);
	for (uint32_t i = 0; ok && i < f->target_count; i++)
		ok = claim_name(p, &f->targets[i].name, number, false);
	return ok;
}

bool px_names(struct px_parser *p)
{
	uint32_t number = 1;

	for (struct ptx_func *f = p->m->funcs; f; f = f->next)
		if (f->has_body && !claim_func_names(p, f, number++))
			return false;
	return true;
}
