/*
 * Parses the statements of a sweep file. sweep_values.c reads values,
 * sweep_expr.c reads costs. Anything unknown is an error.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "explore/outcome.h"
#include "explore/sweep_command.h"
#include "explore/sweep_values.h"

struct sweep_reader {
	struct sweep *s;
	struct lexer l;
};

/*
 * Assignments of one step
 */

static enum err add_assign(struct sweep_reader *r, struct sweep_choice *c,
			   const struct sweep_assign *v, struct diag *d)
{
	struct sweep_assign *more;

	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(sweep_assign_key(&c->assigns[i]),
			    sweep_assign_key(v)))
			return lex_bad(&r->l, v->at, ERR_SYNTAX, d,
				       "%s is set twice, first in line %u",
				       sweep_assign_key(v),
				       c->assigns[i].at.line);
	more = sweep_grow(r->l.arena, c->assigns, c->count, sizeof(*more));
	if (!more)
		return fail(d, ERR_NOMEM, "out of memory");
	c->assigns = more;
	c->assigns[c->count++] = *v;
	return ERR_OK;
}

/* KEY = VALUE of a variant or of every point. */
static enum err read_setting(struct sweep_reader *r, struct sweep_choice *c,
			     struct diag *d)
{
	struct sweep_row row;

	if (sweep_row_read(&row, &r->l, true, d))
		return d->code;
	if (lex_is(&r->l, ','))
		return lex_bad(&r->l, r->l.now.at, ERR_SYNTAX, d,
			       "expected one value; a list is for 'vary'");
	return add_assign(r, c, &row.values[0], d);
}

static enum err read_cost(struct sweep_reader *r, const struct sweep_expr **out,
			  const char **text, struct diag *d)
{
	const char *from;
	char *copy;

	if (lex_next(&r->l, d) || lex_take(&r->l, '=', d))
		return d->code;
	from = r->l.now.text;
	if (sweep_expr_read(out, &r->l, d))
		return d->code;
	copy = arena_strndup(r->l.arena, from,
			     (size_t)(r->l.text + r->l.end - from));
	*text = copy;
	for (; copy && *copy; copy++)
		*copy = *copy == '\n' || *copy == '\r' ? ' ' : *copy;
	return *text ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/*
 * Axes
 */

static struct sweep_axis *new_axis(struct sweep_reader *r,
				   struct sweep_set *set, struct sweep_place at,
				   struct diag *d)
{
	struct sweep_axis *axes =
		sweep_grow(r->l.arena, set->axes, set->count, sizeof(*axes));

	if (!axes) {
		fail(d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	set->axes = axes;
	axes[set->count] = (struct sweep_axis){ .at = at };
	return &axes[set->count++];
}

static struct sweep_choice *new_choice(struct sweep_reader *r,
				       struct sweep_axis *a,
				       struct sweep_place at, struct diag *d)
{
	struct sweep_choice *choices =
		sweep_grow(r->l.arena, a->choices, a->count, sizeof(*choices));

	if (!choices) {
		fail(d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	a->choices = choices;
	choices[a->count] = (struct sweep_choice){ .at = at };
	return &choices[a->count++];
}

/* Makes an axis of rows that vary together. A single value holds at every
 * step. */
static enum err join_rows(struct sweep_reader *r, struct sweep_axis *a,
			  const struct sweep_row *rows, size_t n,
			  struct diag *d)
{
	const struct sweep_row *longest = rows;

	for (size_t i = 1; i < n; i++)
		if (rows[i].count > longest->count)
			longest = &rows[i];
	for (size_t i = 0; i < n; i++)
		if (rows[i].count != 1 && rows[i].count != longest->count)
			return lex_bad(
				&r->l, rows[i].at, ERR_SYNTAX, d,
				"%s has %zu values, but %s, which varies "
				"with it, has %zu",
				sweep_assign_key(rows[i].values), rows[i].count,
				sweep_assign_key(longest->values),
				longest->count);
	for (size_t step = 0; step < longest->count; step++) {
		struct sweep_choice *c =
			new_choice(r, a, longest->values[step].at, d);

		for (size_t i = 0; c && i < n; i++)
			if (add_assign(r, c,
				       &rows[i].values[rows[i].count > 1 ? step :
									   0],
				       d))
				return d->code;
		if (!c)
			return d->code;
	}
	return ERR_OK;
}

/* "l2.bytes, l2.ways" */
static enum err name_axis(struct sweep_reader *r, struct sweep_axis *a,
			  const struct sweep_row *rows, size_t n,
			  struct diag *d)
{
	size_t size = 1;
	char *name;

	if (a->name)
		return ERR_OK;
	for (size_t i = 0; i < n; i++)
		size += strlen(sweep_assign_key(rows[i].values)) + 2;
	name = arena_alloc(r->l.arena, 1, size);
	if (!name)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		strcat(name, i ? ", " : "");
		strcat(name, sweep_assign_key(rows[i].values));
	}
	a->name = name;
	return ERR_OK;
}

/* { KEY = ...; KEY = ... } */
static enum err read_rows(struct sweep_reader *r, struct sweep_row **rows,
			  size_t *n, struct diag *d)
{
	struct lexer *l = &r->l;

	if (lex_next(l, d))
		return d->code;
	while (!lex_is(l, '}')) {
		struct sweep_row *more =
			sweep_grow(l->arena, *rows, *n, sizeof(*more));

		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		*rows = more;
		if (sweep_row_read(&more[*n], l, false, d) ||
		    lex_end_statement(l, d) || lex_skip_stops(l, d))
			return d->code;
		++*n;
	}
	if (!*n)
		return lex_expected(l, "a parameter such as sm.count", d);
	return lex_next(l, d);
}

static enum err read_vary(struct sweep_reader *r, struct sweep_set *set,
			  struct diag *d)
{
	struct lexer *l = &r->l;
	struct sweep_axis *a = new_axis(r, set, l->now.at, d);
	struct sweep_row one, *rows = &one;
	size_t n = 0;

	if (!a || lex_next(l, d))
		return d->code;
	if (l->now.kind == LEX_STRING && lex_name(l, &a->name, d))
		return d->code;
	if (lex_is(l, '{')) {
		rows = NULL;
		if (read_rows(r, &rows, &n, d))
			return d->code;
	} else {
		n = 1;
		if (sweep_row_read(&one, l, false, d))
			return d->code;
	}
	if (join_rows(r, a, rows, n, d) || name_axis(r, a, rows, n, d))
		return d->code;
	return lex_end_statement(l, d);
}

static enum err read_variant(struct sweep_reader *r, struct sweep_axis *a,
			     struct diag *d)
{
	struct lexer *l = &r->l;
	struct sweep_choice *c = new_choice(r, a, l->now.at, d);
	const char *text;

	if (!c || lex_next(l, d) || lex_name(l, &c->label, d))
		return d->code;
	for (size_t i = 0; i + 1 < a->count; i++)
		if (!strcmp(a->choices[i].label, c->label))
			return lex_bad(l, c->at, ERR_SYNTAX, d,
				       "a second variant '%.60s'; the first is "
				       "in line %u",
				       c->label, a->choices[i].at.line);
	if (!lex_is(l, '{'))
		return lex_expected(l, "'{'", d);
	if (lex_next(l, d) || lex_skip_stops(l, d))
		return d->code;
	while (!lex_is(l, '}')) {
		if (lex_is_word(l, "cost") ? read_cost(r, &c->cost, &text, d) :
					     read_setting(r, c, d))
			return d->code;
		if (lex_end_statement(l, d) || lex_skip_stops(l, d))
			return d->code;
	}
	return lex_next(l, d) ? d->code : lex_end_statement(l, d);
}

/* Whether an axis of a set, before one of them, sets a variable. */
static bool cross_sets_variable(const struct sweep_set *set, size_t before,
				const char *variable)
{
	for (size_t i = 0; i < before; i++)
		for (size_t j = 0; j < set->axes[i].count; j++) {
			const struct sweep_choice *c = &set->axes[i].choices[j];

			for (size_t k = 0; k < c->count; k++)
				if (c->assigns[k].variable &&
				    !strcmp(c->assigns[k].variable, variable))
					return true;
		}
	return false;
}

/* Refuses a parameter that two axes of a cross set. */
static enum err check_cross(const struct sweep_reader *r,
			    const struct sweep_set *set, struct diag *d)
{
	bool set_by[CFG_COUNT] = { false };

	for (size_t i = 0; i < set->count; i++) {
		const struct sweep_axis *a = &set->axes[i];
		bool mine[CFG_COUNT] = { false };

		for (size_t j = 0; j < a->count; j++)
			for (size_t k = 0; k < a->choices[j].count; k++) {
				const struct sweep_assign *v =
					&a->choices[j].assigns[k];
				bool twice =
					v->variable ?
						cross_sets_variable(
							set, i, v->variable) :
						set_by[v->id];

				if (twice)
					return lex_bad(
						&r->l, v->at, ERR_SYNTAX, d,
						"%s is varied twice in this "
						"'cross'",
						sweep_assign_key(v));
				if (!v->variable)
					mine[v->id] = true;
			}
		for (int j = 0; j < CFG_COUNT; j++)
			set_by[j] |= mine[j];
	}
	return ERR_OK;
}

static struct sweep_set *new_set(struct sweep_reader *r, struct diag *d)
{
	struct sweep *s = r->s;
	struct sweep_set *sets =
		sweep_grow(r->l.arena, s->sets, s->set_count, sizeof(*sets));

	if (!sets) {
		fail(d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	s->sets = sets;
	sets[s->set_count] = (struct sweep_set){ .at = r->l.now.at };
	return &sets[s->set_count++];
}

/* The variants of a cross are the choices of one axis. */
static enum err read_cross_variant(struct sweep_reader *r,
				   struct sweep_set *set, size_t *variants,
				   struct diag *d)
{
	if (*variants == SIZE_MAX) {
		struct sweep_axis *a = new_axis(r, set, r->l.now.at, d);

		if (!a)
			return d->code;
		a->name = "variant";
		*variants = set->count - 1;
	}
	return read_variant(r, &set->axes[*variants], d);
}

static enum err read_cross(struct sweep_reader *r, struct diag *d)
{
	struct sweep_set *set = new_set(r, d);
	struct lexer *l = &r->l;
	size_t variants = SIZE_MAX;

	if (!set || lex_next(l, d))
		return d->code;
	if (!lex_is(l, '{'))
		return lex_expected(l, "'{'", d);
	if (lex_next(l, d) || lex_skip_stops(l, d))
		return d->code;
	while (!lex_is(l, '}')) {
		if (lex_is_word(l, "vary")) {
			if (read_vary(r, set, d))
				return d->code;
		} else if (lex_is_word(l, "variant")) {
			if (read_cross_variant(r, set, &variants, d))
				return d->code;
		} else {
			return lex_expected(l, "'vary', 'variant' or '}'", d);
		}
		if (lex_skip_stops(l, d))
			return d->code;
	}
	if (!set->count)
		return lex_expected(l, "'vary' or 'variant'", d);
	if (lex_next(l, d) || lex_end_statement(l, d))
		return d->code;
	return check_cross(r, set, d);
}

static enum err read_alone(struct sweep_reader *r, bool variant, struct diag *d)
{
	struct sweep_set *set = new_set(r, d);
	struct sweep_axis *a;

	if (!set)
		return d->code;
	if (!variant)
		return read_vary(r, set, d);
	a = new_axis(r, set, r->l.now.at, d);
	if (!a || read_variant(r, a, d))
		return d->code;
	a->name = a->choices[0].label;
	return ERR_OK;
}

/*
 * Programs
 */

/* = "TEXT", "TEXT" */
static enum err read_text_list(struct sweep_reader *r, const char ***texts,
			       size_t *count, struct diag *d)
{
	if (!lex_is(&r->l, '='))
		return lex_expected(&r->l, "'='", d);
	do {
		const char **more = sweep_grow(r->l.arena, (void *)*texts,
					       *count, sizeof(*more));

		if (!more)
			return fail(d, ERR_NOMEM, "out of memory");
		*texts = more;
		if (lex_next(&r->l, d) || lex_string(&r->l, &more[*count], d))
			return d->code;
		++*count;
	} while (lex_is(&r->l, ','));
	return ERR_OK;
}

/* Variables of the environment. */
static enum err read_env(struct sweep_reader *r, struct sweep_program *p,
			 struct diag *d)
{
	struct sweep_place at = r->l.now.at;

	if (read_text_list(r, &p->env, &p->env_count, d))
		return d->code;
	for (size_t i = 0; i < p->env_count; i++)
		if (!strchr(p->env[i], '='))
			return lex_bad(&r->l, at, ERR_SYNTAX, d,
				       "env = \"%.60s\": expected "
				       "\"NAME=VALUE\"",
				       p->env[i]);
	return ERR_OK;
}

/* The marked region whose cycles count. */
static enum err read_region(struct sweep_reader *r, struct sweep_program *p,
			    struct diag *d)
{
	double number;

	if (lex_take(&r->l, '=', d))
		return d->code;
	if (lex_is_word(&r->l, "opencl")) {
		p->region = OUTCOME_OPENCL;
		return lex_next(&r->l, d);
	}
	if (lex_count(&r->l, 0, 255, &number, d))
		return d->code;
	p->region = (int)number;
	return ERR_OK;
}

static const char *const program_words[] = {
	[SWEEP_RUN] = "run",
	[SWEEP_EXEC] = "exec",
	[SWEEP_TRACE] = "trace",
	[SWEEP_SYSTEM] = "system",
};

/* run, exec, trace or system */
static enum err read_command(struct sweep_reader *r, struct sweep_program *p,
			     enum sweep_kind kind, struct diag *d)
{
	struct sweep_place at = r->l.now.at;

	if (p->command)
		return lex_bad(&r->l, at, ERR_SYNTAX, d,
			       "a program has only one of run, exec, trace and "
			       "system; this one already has %s",
			       program_words[p->kind]);
	p->kind = kind;
	if (lex_next(&r->l, d) || lex_take(&r->l, '=', d))
		return d->code;
	at = r->l.now.at;
	if (lex_string(&r->l, &p->command, d))
		return d->code;
	if (sweep_command_split(p, r->l.arena, d)) {
		struct diag why = *d;

		return lex_bad(&r->l, at, why.code, d, "%s", why.text);
	}
	return ERR_OK;
}

/* A value of --isa. */
static enum err read_isa(struct sweep_reader *r, struct sweep_program *p,
			 struct diag *d)
{
	struct sweep_place at = r->l.now.at;

	if (lex_string(&r->l, &p->isa, d))
		return d->code;
	if (!strcmp(p->isa, "auto") || !strcmp(p->isa, "sass") ||
	    !strcmp(p->isa, "ptx"))
		return ERR_OK;
	return lex_bad(&r->l, at, ERR_UNKNOWN, d,
		       "isa = \"%.40s\": expected \"auto\", \"sass\" or "
		       "\"ptx\"",
		       p->isa);
}

/* The other properties of a program: WORD = VALUE. */
static enum err read_property(struct sweep_reader *r, struct sweep_program *p,
			      struct diag *d)
{
	static const char *const known[] = {
		"run",  "exec", "trace", "system", "record", "kernels", "input",
		"cold", "isa",  "env",   "region", "root",   "timeout"
	};
	char word[WORD_LONGEST + 1];
	struct nearest near = { .word = word };
	struct lexer *l = &r->l;
	struct sweep_place at = l->now.at;
	const int n = l->now.size < 60 ? (int)l->now.size : 60;

	snprintf(word, sizeof(word), "%.*s", n, l->now.text);
	if (l->now.kind != LEX_WORD)
		return lex_expected(l, "run, exec, trace, system or '}'", d);
	if (lex_next(l, d))
		return d->code;
	if (!strcmp(word, "input"))
		return read_text_list(r, &p->inputs, &p->input_count, d);
	if (!strcmp(word, "env"))
		return read_env(r, p, d);
	if (!strcmp(word, "region"))
		return read_region(r, p, d);
	if (!strcmp(word, "root"))
		return lex_take(l, '=', d) ? d->code :
					     lex_string(l, &p->root, d);
	if (!strcmp(word, "record"))
		return lex_take(l, '=', d) ? d->code :
					     lex_switch(l, &p->record, d);
	if (!strcmp(word, "cold"))
		return lex_take(l, '=', d) ? d->code :
					     lex_switch(l, &p->cold, d);
	if (!strcmp(word, "kernels"))
		return lex_take(l, '=', d) ? d->code :
					     lex_string(l, &p->kernels, d);
	if (!strcmp(word, "isa"))
		return lex_take(l, '=', d) ? d->code : read_isa(r, p, d);
	if (!strcmp(word, "timeout"))
		return lex_take(l, '=', d) ?
			       d->code :
			       lex_count(l, 1, 1e9, &p->timeout, d);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		nearest_offer(&near, known[i]);
	return lex_bad(l, at, ERR_UNKNOWN, d,
		       "unknown property '%s' of a program%s%s%s", word,
		       nearest_best(&near) ? ", did you mean '" : "",
		       nearest_best(&near) ? nearest_best(&near) : "",
		       nearest_best(&near) ? "'?" : "");
}

/* What only programs for systems have, and what they do not. */
static enum err check_system(const struct sweep_reader *r,
			     const struct sweep_program *p, struct diag *d)
{
	const char *theirs = p->env_count             ? "env" :
			     p->root                  ? "root" :
			     p->region != OUTCOME_ALL ? "region" :
							NULL;
	const char *others = p->record ? "record" :
			     p->cold   ? "cold" :
			     p->isa    ? "isa" :
					 NULL;

	if (theirs && p->kind != SWEEP_SYSTEM)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s': '%s' needs 'system'", p->name,
			       theirs);
	if (others && p->kind == SWEEP_SYSTEM)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s': a program on a system has no "
			       "'%s'",
			       p->name, others);
	return ERR_OK;
}

static enum err check_program(const struct sweep_reader *r,
			      const struct sweep_program *p, struct diag *d)
{
	const struct sweep *s = r->s;

	if (!p->command)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s' has none of run, exec, trace "
			       "and system",
			       p->name);
	if (p->kernels && p->kind != SWEEP_EXEC)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s': 'kernels' needs 'exec'",
			       p->name);
	if (p->isa && p->kind == SWEEP_TRACE)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s' is a trace, which holds the "
			       "code that ran; 'isa' needs 'run' or 'exec'",
			       p->name);
	if (p->record && p->kind == SWEEP_TRACE)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s' is a trace; 'record' needs "
			       "'run' or 'exec'",
			       p->name);
	if (p->record && p->kernels)
		return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
			       "program '%.60s': 'kernels' cannot be combined "
			       "with 'record', which times all launches",
			       p->name);
	if (check_system(r, p, d))
		return d->code;
	for (size_t i = 0; i + 1 < s->program_count; i++)
		if (!strcmp(s->programs[i].name, p->name))
			return lex_bad(&r->l, p->at, ERR_SYNTAX, d,
				       "a second program '%.60s'; the first is "
				       "in line %u",
				       p->name, s->programs[i].at.line);
	return ERR_OK;
}

static enum err read_program_block(struct sweep_reader *r, struct diag *d)
{
	struct sweep *s = r->s;
	struct lexer *l = &r->l;
	struct sweep_program *p =
		sweep_grow(l->arena, s->programs, s->program_count, sizeof(*p));

	if (!p)
		return fail(d, ERR_NOMEM, "out of memory");
	s->programs = p;
	p += s->program_count++;
	*p = (struct sweep_program){ .at = l->now.at, .region = OUTCOME_ALL };
	if (lex_next(l, d) || lex_name(l, &p->name, d))
		return d->code;
	if (!lex_is(l, '{'))
		return lex_expected(l, "'{'", d);
	if (lex_next(l, d) || lex_skip_stops(l, d))
		return d->code;
	while (!lex_is(l, '}')) {
		enum err e = ERR_SYNTAX;
		int kind = 0;

		while (kind <= SWEEP_SYSTEM &&
		       !lex_is_word(l, program_words[kind]))
			kind++;
		e = kind <= SWEEP_SYSTEM ?
			    read_command(r, p, (enum sweep_kind)kind, d) :
			    read_property(r, p, d);
		if (e || lex_end_statement(l, d) || lex_skip_stops(l, d))
			return d->code;
	}
	if (check_program(r, p, d) || lex_next(l, d))
		return d->code;
	return lex_end_statement(l, d);
}

/*
 * The file
 */

/* name, title, gpu, engine */
static enum err read_name_value(struct sweep_reader *r, const char **out,
				struct diag *d)
{
	if (*out)
		return lex_bad(&r->l, r->l.now.at, ERR_SYNTAX, d,
			       "'%.*s' is set twice", (int)r->l.now.size,
			       r->l.now.text);
	if (lex_next(&r->l, d) || lex_take(&r->l, '=', d))
		return d->code;
	return lex_name(&r->l, out, d);
}

static enum err read_global_number(struct sweep_reader *r, double min,
				   double max, double *out, struct diag *d)
{
	if (lex_next(&r->l, d) || lex_take(&r->l, '=', d))
		return d->code;
	return lex_count(&r->l, min, max, out, d);
}

static enum err unknown_statement(const struct sweep_reader *r, struct diag *d)
{
	static const char *const known[] = { "name",    "title",   "gpu",
					     "config",  "engine",  "threads",
					     "timeout", "cost",    "program",
					     "vary",    "variant", "cross" };
	const struct lex_token *t = &r->l.now;
	char word[WORD_LONGEST + 1];
	struct nearest near = { .word = word };

	snprintf(word, sizeof(word), "%.*s", t->size < 60 ? (int)t->size : 60,
		 t->text);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		nearest_offer(&near, known[i]);
	return lex_bad(&r->l, t->at, ERR_UNKNOWN, d,
		       "unknown statement '%s'%s%s%s", word,
		       nearest_best(&near) ? ", did you mean '" : "",
		       nearest_best(&near) ? nearest_best(&near) : "",
		       nearest_best(&near) ? "'?" : "");
}

static enum err read_threads(struct sweep_reader *r, struct diag *d)
{
	double v;

	if (read_global_number(r, 1, 1024, &v, d))
		return d->code;
	r->s->threads = (unsigned)v;
	return ERR_OK;
}

/* KEY = VALUE of the whole sweep. */
static enum err read_global(struct sweep_reader *r, struct diag *d)
{
	struct sweep *s = r->s;
	struct lexer *l = &r->l;

	if (memchr(l->now.text, '.', l->now.size))
		return read_setting(r, &s->base, d);
	if (lex_is_word(l, "name"))
		return read_name_value(r, &s->name, d);
	if (lex_is_word(l, "title"))
		return read_name_value(r, &s->title, d);
	if (lex_is_word(l, "engine"))
		return read_name_value(r, &s->engine, d);
	if (lex_is_word(l, "gpu") || lex_is_word(l, "config")) {
		s->gpu_at = l->now.at;
		return read_name_value(r, &s->gpu, d);
	}
	if (lex_is_word(l, "threads"))
		return read_threads(r, d);
	if (lex_is_word(l, "timeout"))
		return read_global_number(r, 1, 1e9, &s->timeout, d);
	if (lex_is_word(l, "cost"))
		return read_cost(r, &s->cost, &s->cost_text, d);
	return unknown_statement(r, d);
}

static enum err read_statement(struct sweep_reader *r, struct diag *d)
{
	struct lexer *l = &r->l;

	if (l->now.kind != LEX_WORD)
		return lex_expected(l, "a statement", d);
	if (lex_is_word(l, "program"))
		return read_program_block(r, d);
	if (lex_is_word(l, "vary"))
		return read_alone(r, false, d);
	if (lex_is_word(l, "variant"))
		return read_alone(r, true, d);
	if (lex_is_word(l, "cross"))
		return read_cross(r, d);
	return read_global(r, d) ? d->code : lex_end_statement(l, d);
}

/* Names the sweep after its file: a/b/l2.sweep is "l2". */
static enum err name_sweep(struct sweep *s, struct diag *d)
{
	const char *slash = strrchr(s->path, '/');
	const char *name = slash ? slash + 1 : s->path;
	const char *dot = strrchr(name, '.');
	size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);

	if (!s->name)
		s->name = arena_strndup(&s->arena, name, n);
	return s->name ? ERR_OK : fail(d, ERR_NOMEM, "out of memory");
}

/* A program that is no system's sees nothing of a variable. */
static enum err check_variables(const struct sweep_reader *r,
				const struct sweep_choice *c, struct diag *d)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->assigns[i].variable && !sweep_is_for_systems(r->s, true))
			return lex_bad(&r->l, c->assigns[i].at, ERR_SYNTAX, d,
				       "%s: only programs with 'system' have "
				       "an environment",
				       c->assigns[i].variable);
	return ERR_OK;
}

static enum err check_all_variables(const struct sweep_reader *r,
				    struct diag *d)
{
	const struct sweep *s = r->s;

	if (check_variables(r, &s->base, d))
		return d->code;
	for (size_t i = 0; i < s->set_count; i++)
		for (size_t k = 0; k < s->sets[i].count; k++) {
			const struct sweep_axis *a = &s->sets[i].axes[k];

			for (size_t n = 0; n < a->count; n++)
				if (check_variables(r, &a->choices[n], d))
					return d->code;
		}
	return ERR_OK;
}

bool sweep_is_for_systems(const struct sweep *s, bool all)
{
	size_t n = 0;

	for (size_t i = 0; i < s->program_count; i++)
		n += s->programs[i].kind == SWEEP_SYSTEM;
	return all ? n == s->program_count : n > 0;
}

static enum err check_sweep(const struct sweep_reader *r, struct diag *d)
{
	const struct sweep *s = r->s;
	struct sweep_place end = r->l.now.at;

	if (!s->gpu)
		return lex_bad(&r->l, end, ERR_SYNTAX, d,
			       "the sweep has no GPU; write gpu = \"c2050\"");
	if (!s->program_count)
		return lex_bad(
			&r->l, end, ERR_SYNTAX, d,
			"the sweep has no program; write program mm { exec "
			"= \"./matmul 256\" }");
	return check_all_variables(r, d);
}

enum err sweep_read(struct sweep *s, const char *path, const char *text,
		    size_t size, struct diag *d)
{
	struct sweep_reader r = { .s = s };

	*s = (struct sweep){ .path = "" };
	if (size > SWEEP_MAX_FILE)
		return fail(d, ERR_RANGE,
			    "%.200s: a sweep file is at most 1 MiB", path);
	s->path = arena_strndup(&s->arena, path, strlen(path));
	if (!s->path)
		return fail(d, ERR_NOMEM, "out of memory");
	r.l = (struct lexer){ .path = s->path,
			      .text = text,
			      .size = size,
			      .line = 1,
			      .more = true,
			      .arena = &s->arena };
	if (lex_next(&r.l, d) || lex_skip_stops(&r.l, d))
		return d->code;
	while (r.l.now.kind != LEX_END)
		if (read_statement(&r, d) || lex_skip_stops(&r.l, d))
			return d->code;
	return check_sweep(&r, d) ? d->code : name_sweep(s, d);
}

void sweep_free(struct sweep *s)
{
	arena_free(&s->arena);
}
