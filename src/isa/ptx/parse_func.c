/* Functions: signature, performance directives, declaration or definition. */
#include <stdlib.h>
#include <string.h>

#include "isa/ptx/parse.h"

static bool parse_param_list(struct px_parser *p, struct ptx_var ***out,
			     uint32_t *count, bool declare)
{
	struct ptx_var **list = NULL;
	size_t n = 0, cap = 0;
	bool ok = px_take(p, '(', "'('"), more = !px_is(p, ')');

	while (ok && more) {
		ok = px_room(p, &list, n, &cap, sizeof(struct ptx_var *)) &&
		     px_param(p, &list[n], declare);
		if (!ok)
			break;
		if (list[n]->space == SPACE_PARAM)
			list[n]->index = (uint32_t)n;
		n++;
		ok = px_accept(p, ',', &more);
	}
	ok = ok && px_take(p, ')', "',' or ')'") &&
	     px_keep(p, out, list, n, sizeof(struct ptx_var *));
	free(list);
	*count = (uint32_t)n;
	return ok;
}

bool px_signature(struct px_parser *p, struct ptx_func *f, bool prototype)
{
	if (px_is(p, '(') &&
	    !parse_param_list(p, &f->rets, &f->ret_count, !prototype))
		return false;
	if (!px_is(p, PTX_TOK_NAME) ||
	    (prototype && strcmp(p->atom->text, "_")))
		return px_expected(p, prototype ? "'_'" :
						  "the name of a function");
	f->name = p->atom->text;
	f->loc = p->t.loc;
	if (!px_next(p))
		return false;
	return !px_is(p, '(') ||
	       parse_param_list(p, &f->params, &f->param_count, !prototype);
}

/* One to three numbers; the default is 1. */
static bool parse_sizes(struct px_parser *p, uint32_t *out)
{
	bool more = true;

	out[0] = out[1] = out[2] = 1;
	for (int i = 0; i < 3 && more; i++) {
		uint64_t n;

		if (!px_const_int(p, "a size", 1, UINT32_MAX, &n))
			return false;
		out[i] = (uint32_t)n;
		if (i == 2)
			return true;
		if (!px_accept(p, ',', &more))
			return false;
	}
	return true;
}

static bool parse_count(struct px_parser *p, uint32_t *out)
{
	uint64_t n;

	if (!px_const_int(p, "a number", 0, UINT32_MAX, &n))
		return false;
	*out = (uint32_t)n;
	return true;
}

/* Refuses the function. When it is printed, the directive `what` makes the
 * reader refuse it again. */
static bool refuse_clusters(struct px_parser *p, struct ptx_loc at,
			    const char *what)
{
	return px_fail(p, at, ERR_UNSUPP,
		       "thread block clusters are not supported") ||
	       px_refuse(p, what);
}

static bool parse_cluster_size(struct px_parser *p, struct ptx_loc at)
{
	uint32_t n[3];

	if (!parse_sizes(p, n))
		return false;
	return n[0] == 1 && n[1] == 1 && n[2] == 1 ?
		       true :
		       refuse_clusters(p, at, ".reqnctapercluster 2");
}

/* One performance directive; *found is false if the token is not one. */
static bool parse_limit(struct px_parser *p, struct ptx_limits *l, bool *found)
{
	enum px_word w = px_is(p, PTX_TOK_WORD) ? (enum px_word)p->atom->word :
						  PX_WORD_NONE;
	struct ptx_loc at = p->t.loc;
	uint32_t ignored;

	*found = true;
	switch (w) {
	case PX_MAXNTID:
		return px_next(p) && parse_sizes(p, l->maxntid);
	case PX_REQNTID:
		return px_next(p) && parse_sizes(p, l->reqntid);
	case PX_MINNCTAPERSM:
		return px_next(p) && parse_count(p, &l->minnctapersm);
	case PX_MAXNCTAPERSM:
		return px_next(p) && parse_count(p, &l->maxnctapersm);
	case PX_MAXNREG:
		return px_next(p) && parse_count(p, &l->maxnreg);
	case PX_ABI_PRESERVE:
	case PX_ABI_PRESERVE_CONTROL:
	case PX_MAXCLUSTERRANK:
		return px_next(p) && parse_count(p, &ignored);
	case PX_REQNCTAPERCLUSTER:
		return px_next(p) && parse_cluster_size(p, at);
	case PX_EXPLICITCLUSTER:
	case PX_BLOCKSARECLUSTERS:
		return refuse_clusters(p, at, ".explicitcluster") && px_next(p);
	case PX_NORETURN:
		l->noreturn = true;
		return px_next(p);
	case PX_PRAGMA:
		return px_pragma(p, false, &l->rolled);
	default:
		*found = false;
		return true;
	}
}

static bool parse_limits(struct px_parser *p, struct ptx_func *f)
{
	bool found = true;

	while (found)
		if (!parse_limit(p, &f->limits, &found))
			return false;
	return true;
}

static bool params_match(struct ptx_var *const *a, uint32_t a_count,
			 struct ptx_var *const *b, uint32_t b_count)
{
	if (a_count != b_count)
		return false;
	for (uint32_t i = 0; i < a_count; i++)
		if (a[i]->space != b[i]->space || a[i]->bytes != b[i]->bytes ||
		    ptx_types[a[i]->type].bytes != ptx_types[b[i]->type].bytes)
			return false;
	return true;
}

static bool check_redeclaration(struct px_parser *p, const struct ptx_func *was,
				const struct ptx_func *f)
{
	if (was->is_entry != f->is_entry)
		return px_syntax(p, f->loc,
				 "'%s' was declared as %s at line "
				 "%u",
				 f->name, was->is_entry ? ".entry" : ".func",
				 was->loc.line);
	if (!params_match(was->rets, was->ret_count, f->rets, f->ret_count))
		return px_syntax(p, f->loc,
				 "'%s' was declared with different return "
				 "values at line %u",
				 f->name, was->loc.line);
	if (!params_match(was->params, was->param_count, f->params,
			  f->param_count))
		return px_syntax(p, f->loc,
				 "'%s' was declared with different parameters "
				 "at line %u",
				 f->name, was->loc.line);
	return true;
}

/*
 * Binds *f to its name. If it was declared before, its contents go to that
 * function, which callers already point at, and *f becomes that one.
 */
static bool bind_function(struct px_parser *p, struct ptx_func **f,
			  struct px_atom *atom)
{
	struct px_sym *s = atom->sym;
	struct ptx_func *was;

	while (s && s->depth)
		s = s->outer;
	if (!s) {
		uint32_t depth = p->depth;

		p->depth = 0;
		if (!px_declare(p, &s, PX_SYM_FUNC, atom, (*f)->loc))
			return false;
		p->depth = depth;
		s->func = *f;
		(*f)->index = p->m->func_count++;
		*p->func_tail = *f;
		p->func_tail = &(*f)->next;
		return true;
	}
	if (s->kind != PX_SYM_FUNC)
		return px_syntax(p, (*f)->loc,
				 "'%s' is already declared at line %u",
				 atom->text, s->loc.line);
	was = s->func;
	if (!check_redeclaration(p, was, *f))
		return false;
	if (!(*f)->refused) {
		(*f)->refused = was->refused;
		(*f)->refused_for = was->refused_for;
	}
	if (!was->has_body) {
		(*f)->limits.noreturn |= was->limits.noreturn;
		(*f)->next = was->next;
		(*f)->index = was->index;
		*was = **f;
		for (uint32_t i = 0; i < was->param_count; i++)
			was->params[i]->owner = was;
		for (uint32_t i = 0; i < was->ret_count; i++)
			was->rets[i]->owner = was;
		p->body.func = was;
	} else if (px_is(p, '{')) {
		return px_syntax(p, (*f)->loc,
				 "'%s' is already defined at line %u",
				 atom->text, was->loc.line);
	} else if ((*f)->refused && !was->refused) {
		was->refused = (*f)->refused;
		was->refused_for = (*f)->refused_for;
		px_body_drop(was);
	}
	*f = was;
	return true;
}

static void body_begin(struct px_parser *p, struct ptx_func *f)
{
	struct px_body *b = &p->body;

	b->func = f;
	b->defined = false;
	b->reg_count = b->var_count = b->inst_count = 0;
	b->rolled = false;
	b->label_count = b->def_count = b->target_count = 0;
	b->src_file = b->src_line = 0;
	b->place_count = 0;
	b->call = NULL;
}

static bool parse_function(struct px_parser *p, struct ptx_func *f)
{
	bool ignored;
	struct px_atom *atom;

	if (px_is_word(p, PX_ATTRIBUTE) && !px_attribute(p, &ignored))
		return false;
	if (f->is_entry && px_is(p, '('))
		return px_expected(p, "the name of a kernel");
	if (!px_signature(p, f, false))
		return false;
	atom = px_intern(&p->atoms, f->name, strlen(f->name),
			 ptx_hash(f->name, strlen(f->name)));
	if (!atom)
		return px_nomem(p);
	if (!parse_limits(p, f))
		return false;
	if (!px_is(p, '{') && !px_is(p, ';'))
		return px_expected(p, "'{' or ';'");
	if (!bind_function(p, &f, atom))
		return false;
	return px_is(p, '{') ? px_body(p) : true;
}

bool px_func(struct px_parser *p, enum ptx_linkage linkage)
{
	struct ptx_func *f = px_new(p, struct ptx_func);

	if (!f)
		return px_nomem(p);
	f->is_entry = px_is_word(p, PX_ENTRY);
	f->linkage = linkage;
	body_begin(p, f);
	if (!px_next(p) || !px_open_scope(p) || !parse_function(p, f) ||
	    !px_close_scope(p) || (p->body.defined && !px_body_end(p)))
		return false;
	p->body.func = NULL;
	return px_is(p, ';') || px_is(p, '}') ? px_next(p) :
						px_expected(p, "';' or '}'");
}
