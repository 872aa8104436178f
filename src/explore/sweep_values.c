#include "explore/sweep_values.h"

#include <string.h>

#define VARIABLE "env."

void *sweep_grow(struct arena *a, void *at, size_t count, size_t size)
{
	void *more;

	/* The array has room up to the next power of two. */
	if (count & (count - 1))
		return at;
	more = arena_alloc(a, count ? 2 * count : 1, size);
	if (more && count)
		memcpy(more, at, count * size);
	return more;
}

static bool is_number_param(enum cfg_id id)
{
	enum cfg_type t = cfg_params[id].type;

	return t == CFG_INT || t == CFG_BYTES || t == CFG_REAL || t == CFG_MHZ;
}

static enum err row_add(struct sweep_row *row, struct lexer *l,
			const struct sweep_assign *v, struct diag *d)
{
	struct sweep_assign *values =
		sweep_grow(l->arena, row->values, row->count, sizeof(*values));

	if (!values)
		return fail(d, ERR_NOMEM, "out of memory");
	if (++l->values > SWEEP_MAX_VALUES)
		return lex_bad(l, v->at, ERR_RANGE, d,
			       "the file has more than %d values; a range can "
			       "have a step: 256K..1M step 256K",
			       SWEEP_MAX_VALUES);
	row->values = values;
	row->values[row->count++] = *v;
	return ERR_OK;
}

/* "step 8" adds, "times 2" multiplies; without either the step is 1. */
static enum err read_range_step(struct lexer *l, double *step, bool *times,
				struct diag *d)
{
	*step = 1;
	*times = lex_is_word(l, "times");
	if (!*times && !lex_is_word(l, "step"))
		return ERR_OK;
	if (lex_next(l, d))
		return d->code;
	if (!lex_number(&l->now, step))
		return lex_expected(l, "a number", d);
	if (*times ? *step <= 1 : *step <= 0)
		return lex_bad(l, l->now.at, ERR_RANGE, d,
			       *times ? "'times' needs a number above 1" :
					"'step' needs a number above 0");
	return lex_next(l, d);
}

/* The rest of FIRST..LAST, from the dots on. */
static enum err read_value_range(struct sweep_row *row, struct lexer *l,
				 struct sweep_assign v, struct diag *d)
{
	double first = v.number, last, step;
	bool times;

	if (lex_next(l, d))
		return d->code;
	if (!lex_number(&l->now, &last))
		return lex_expected(l, "the last number of the range", d);
	if (last < first)
		return lex_bad(
			l, l->now.at, ERR_RANGE, d,
			"a range must ascend: %.*s is less than its first "
			"number",
			l->now.size < 40 ? (int)l->now.size : 40, l->now.text);
	if (lex_next(l, d) || read_range_step(l, &step, &times, d))
		return d->code;
	if (times && first == 0)
		return lex_bad(l, v.at, ERR_RANGE, d,
			       "a range with 'times' cannot start at 0");
	v.text = NULL;
	/* Half a millionth of a step allows for rounding: 0.1..0.3 step 0.1. */
	for (size_t i = 0; v.number <= last + (times ? 0 : 5e-7 * step); i++) {
		if (row_add(row, l, &v, d))
			return d->code;
		v.number = times ? v.number * step :
				   first + (double)(i + 1) * step;
	}
	return ERR_OK;
}

static enum err read_value_number(struct sweep_row *row, struct lexer *l,
				  struct sweep_assign v, bool single,
				  struct diag *d)
{
	if (lex_next(l, d))
		return d->code;
	if (l->now.kind != LEX_DOTS)
		return row_add(row, l, &v, d);
	if (single)
		return lex_bad(l, l->now.at, ERR_SYNTAX, d,
			       "expected one value; a range is for 'vary'");
	return read_value_range(row, l, v, d);
}

/* Checks that the parameter accepts the value. */
static enum err check_value_text(struct lexer *l, enum cfg_id id,
				 const struct sweep_assign *v, struct diag *d)
{
	struct diag why;
	struct cfg c;

	cfg_defaults(&c);
	if (cfg_value_parse(&c, id, v->text, strlen(v->text), &why))
		return lex_bad(l, v->at, why.code, d, "%s", why.text);
	return ERR_OK;
}

/* A value of a variable of the environment: any text, and ranges of numbers. */
static enum err read_variable(struct sweep_row *row, struct lexer *l,
			      bool single, struct diag *d)
{
	struct sweep_assign v = { .variable = row->variable, .at = l->now.at };
	bool number = lex_number(&l->now, &v.number);

	if (l->now.kind == LEX_STRING)
		return lex_string(l, &v.text, d) ? d->code :
						   row_add(row, l, &v, d);
	if (l->now.kind != LEX_WORD && l->now.kind != LEX_NUMBER)
		return lex_expected(l, "a value", d);
	v.text = arena_strndup(l->arena, l->now.text, l->now.size);
	if (!v.text)
		return fail(d, ERR_NOMEM, "out of memory");
	if (number)
		return read_value_number(row, l, v, single, d);
	return lex_next(l, d) ? d->code : row_add(row, l, &v, d);
}

static enum err read_value(struct sweep_row *row, struct lexer *l, bool factor,
			   bool single, struct diag *d)
{
	struct sweep_assign v = { .id = row->id,
				  .factor = factor,
				  .at = l->now.at };
	bool number = lex_number(&l->now, &v.number);

	if (row->variable)
		return read_variable(row, l, single, d);
	if (factor && !number)
		return lex_expected(l, "a factor such as 2 or 0.5", d);
	if (factor)
		return read_value_number(row, l, v, single, d);
	if (l->now.kind != LEX_WORD && l->now.kind != LEX_NUMBER &&
	    l->now.kind != LEX_STRING)
		return lex_expected(l, "a value", d);
	v.text = arena_strndup(l->arena, l->now.text, l->now.size);
	if (!v.text)
		return fail(d, ERR_NOMEM, "out of memory");
	if (check_value_text(l, row->id, &v, d))
		return d->code;
	if (number && is_number_param(row->id))
		return read_value_number(row, l, v, single, d);
	return lex_next(l, d) ? d->code : row_add(row, l, &v, d);
}

/* env.NAME */
static enum err read_variable_key(struct sweep_row *row, struct lexer *l,
				  struct diag *d)
{
	const struct lex_token *t = &l->now;

	*row = (struct sweep_row){ .at = t->at };
	row->variable = arena_strndup(l->arena, t->text, t->size);
	if (!row->variable)
		return fail(d, ERR_NOMEM, "out of memory");
	return lex_next(l, d);
}

static enum err read_param_key(struct sweep_row *row, struct lexer *l,
			       struct diag *d)
{
	const struct lex_token *t = &l->now;
	const char *near;
	int id;

	if (t->kind != LEX_WORD)
		return lex_expected(l, "a parameter such as sm.count", d);
	if (t->size >= strlen(VARIABLE) &&
	    !memcmp(t->text, VARIABLE, strlen(VARIABLE)))
		return read_variable_key(row, l, d);
	id = cfg_find(t->text, t->size);
	near = cfg_nearest(t->text, t->size);
	if (id < 0)
		return lex_bad(l, t->at, ERR_UNKNOWN, d,
			       "no parameter named '%.*s'%s%s%s",
			       t->size < 60 ? (int)t->size : 60, t->text,
			       near ? ", did you mean '" : "", near ? near : "",
			       near ? "'?" : "");
	*row = (struct sweep_row){ .id = (enum cfg_id)id, .at = t->at };
	return lex_next(l, d);
}

enum err sweep_row_read(struct sweep_row *row, struct lexer *l, bool single,
			struct diag *d)
{
	bool factor;

	if (read_param_key(row, l, d))
		return d->code;
	factor = l->now.kind == LEX_TIMES;
	if (!factor && !lex_is(l, '='))
		return lex_expected(l, "'=' or '*='", d);
	if (factor && (row->variable || !is_number_param(row->id)))
		return lex_bad(l, l->now.at, ERR_SYNTAX, d,
			       "%s is not a number and cannot be multiplied",
			       row->variable ? row->variable :
					       cfg_params[row->id].key);
	do {
		if (lex_next(l, d) || read_value(row, l, factor, single, d))
			return d->code;
	} while (lex_is(l, ',') && !single);
	return ERR_OK;
}
