#include "isa/ptx/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool px_fail(struct px_parser *p, struct ptx_loc at, enum err code,
	     const char *fmt, ...)
{
	char text[sizeof(p->d->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fail(p->d, code, "%s:%u:%u: %s", p->m->name, at.line, at.col, text);
	return false;
}

bool px_nomem(struct px_parser *p)
{
	fail(p->d, ERR_NOMEM, "%s: out of memory", p->m->name);
	return false;
}

bool px_refuse(struct px_parser *p, const char *what)
{
	struct ptx_func *f = p->body.func;

	if (p->d->code != ERR_UNSUPP)
		return false;
	if (!f->refused) {
		f->refused = arena_strndup(&p->m->arena, p->d->text,
					   strlen(p->d->text));
		f->refused_for = what;
		if (!f->refused)
			return px_nomem(p);
	}
	*p->d = (struct diag){ .code = ERR_OK };
	return true;
}

bool px_next(struct px_parser *p)
{
	ptx_lex_next(&p->lex, &p->t);
	if (p->t.kind == PTX_TOK_NAME || p->t.kind == PTX_TOK_WORD) {
		p->atom = px_intern(&p->atoms, p->t.text, p->t.size, p->t.hash);
		return p->atom ? true : px_nomem(p);
	}
	if (p->t.kind == PTX_TOK_BAD)
		return px_syntax(p, p->t.loc, "%s", p->lex.wrong);
	return true;
}

bool px_expected(struct px_parser *p, const char *what)
{
	enum { CUT = 40 };
	const struct ptx_tok *t = &p->t;
	const char *quote = t->kind == PTX_TOK_STRING ? "\"" : "";

	if (t->kind == PTX_TOK_END)
		return px_syntax(p, t->loc,
				 "expected %s, found the end of the file",
				 what);
	return px_syntax(p, t->loc, "expected %s, found '%s%s%.*s%s%s'", what,
			 t->kind == PTX_TOK_WORD ? "." : "", quote,
			 t->size > CUT ? CUT : (int)t->size, t->text,
			 t->size > CUT ? "..." : "", quote);
}

bool px_take(struct px_parser *p, int kind, const char *what)
{
	return p->t.kind == kind ? px_next(p) : px_expected(p, what);
}

bool px_accept(struct px_parser *p, int kind, bool *yes)
{
	*yes = p->t.kind == kind;
	return *yes ? px_next(p) : true;
}

bool px_room(struct px_parser *p, void *array, size_t count, size_t *cap,
	     size_t size)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *old, *now;

	if (count < *cap)
		return true;
	memcpy(&old, array, sizeof(old));
	if (more > SIZE_MAX / 2 / size)
		return px_nomem(p);
	now = realloc(old, more * size);
	if (!now)
		return px_nomem(p);
	memcpy(array, &now, sizeof(now));
	*cap = more;
	return true;
}

bool px_keep(struct px_parser *p, void *out, const void *from, size_t count,
	     size_t size)
{
	void *to = NULL;

	if (count) {
		to = arena_alloc(&p->m->arena, count, size);
		if (!to)
			return px_nomem(p);
		memcpy(to, from, count * size);
	}
	memcpy(out, &to, sizeof(to));
	return true;
}

static void free_scratch(struct px_parser *p)
{
	struct px_body *b = &p->body;

	free(b->regs);
	free(b->vars);
	free(b->insts);
	free(b->labels);
	free(b->defs);
	free(b->targets);
	free(b->places);
	free(b->inits);
	free(p->files);
	free(p->pragmas);
	px_atoms_free(&p->atoms);
}

static enum err parse_text(struct px_parser *p, const char *text, size_t size)
{
	ptx_lex_init(&p->lex, text, size);
	if (!px_atoms_init(&p->atoms, &p->m->arena))
		px_nomem(p);
	else if (px_next(p) && px_module(p))
		return ERR_OK;
	CHECK(p->d->code != ERR_OK);
	return p->d->code;
}

static enum err parse_into(struct ptx_module *m, const char *text, size_t size,
			   struct diag *d)
{
	struct px_parser *p = calloc(1, sizeof(*p));
	char *copy = malloc(size + 1);
	enum err e;

	if (!p || !copy) {
		free(copy);
		free(p);
		return fail(d, ERR_NOMEM, "%s: out of memory", m->name);
	}
	memcpy(copy, text, size);
	copy[size] = 0; /* the lexer's sentinel */
	d->code = ERR_OK;
	p->m = m;
	p->d = d;
	p->var_tail = &m->vars;
	p->func_tail = &m->funcs;
	e = parse_text(p, copy, size);
	free_scratch(p);
	free(copy);
	free(p);
	return e;
}

enum err ptx_parse(struct ptx_module **out, const char *name, const char *text,
		   size_t size, struct diag *d)
{
	struct ptx_module *m = calloc(1, sizeof(*m));
	enum err e;

	*out = NULL;
	if (!m)
		return fail(d, ERR_NOMEM, "%s: out of memory", name);
	m->address_size = 32;
	m->name = arena_strndup(&m->arena, name, strlen(name));
	if (!m->name) {
		free(m);
		return fail(d, ERR_NOMEM, "%s: out of memory", name);
	}
	if (size >= UINT32_MAX)
		e = fail(d, ERR_RANGE,
			 "%s: the PTX text has %zu bytes; the maximum is 4 GiB",
			 name, size);
	else
		e = parse_into(m, text, size, d);
	if (e) {
		ptx_module_free(m);
		return e;
	}
	*out = m;
	return ERR_OK;
}

void ptx_module_free(struct ptx_module *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	free(m);
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name)
{
	struct ptx_func *f = m->funcs;

	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name)
{
	struct ptx_var *v = m->vars;

	while (v && strcmp(v->name, name))
		v = v->next;
	return v;
}
