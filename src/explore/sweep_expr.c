/*
 * Expressions over parameters: + - * /, parentheses, numbers with K, M, G,
 * parameters by name; yes and no are 1 and 0.
 */
#include "explore/sweep_lex.h"

#define MAX_DEPTH 100

struct sweep_expr {
	char op; /* + - * /, 'n': a number, 'p': a parameter, '!': minus */
	double number;
	enum cfg_id id;
	const struct sweep_expr *left, *right;
};

struct expr_reader {
	struct lexer *l;
	struct diag *d;
	unsigned depth;
};

static const struct sweep_expr *expr_sum(struct expr_reader *r);

static struct sweep_expr *expr_node(struct expr_reader *r, char op,
				    const struct sweep_expr *left,
				    const struct sweep_expr *right)
{
	struct sweep_expr *e = arena_new(r->l->arena, struct sweep_expr, 1);

	if (!e) {
		fail(r->d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	e->op = op;
	e->left = left;
	e->right = right;
	return e;
}

static bool expr_next(struct expr_reader *r)
{
	return lex_next(r->l, r->d) == ERR_OK;
}

static const struct sweep_expr *expr_parameter(struct expr_reader *r)
{
	const struct lex_token *t = &r->l->now;
	int id = cfg_find(t->text, t->size);
	const char *near = cfg_nearest(t->text, t->size);
	struct sweep_expr *e;

	if (id < 0) {
		lex_bad(r->l, t->at, ERR_UNKNOWN, r->d,
			"no parameter named '%.*s'%s%s%s",
			t->size < 60 ? (int)t->size : 60, t->text,
			near ? ", did you mean '" : "", near ? near : "",
			near ? "'?" : "");
		return NULL;
	}
	if (cfg_params[id].type == CFG_ENUM ||
	    cfg_params[id].type == CFG_TEXT) {
		lex_bad(r->l, t->at, ERR_SYNTAX, r->d,
			"%s is not a number and cannot be part of a cost",
			cfg_params[id].key);
		return NULL;
	}
	e = expr_node(r, 'p', NULL, NULL);
	if (!e || !expr_next(r))
		return NULL;
	e->id = (enum cfg_id)id;
	return e;
}

static const struct sweep_expr *expr_number(struct expr_reader *r)
{
	struct sweep_expr *e;
	double v;

	if (!lex_number(&r->l->now, &v)) {
		lex_expected(r->l, "a number such as 1.5 or 64K", r->d);
		return NULL;
	}
	e = expr_node(r, 'n', NULL, NULL);
	if (!e || !expr_next(r))
		return NULL;
	e->number = v;
	return e;
}

static const struct sweep_expr *expr_parentheses(struct expr_reader *r)
{
	const struct sweep_expr *e;

	if (!expr_next(r))
		return NULL;
	e = expr_sum(r);
	if (!e)
		return NULL;
	if (!lex_is(r->l, ')')) {
		lex_expected(r->l, "')'", r->d);
		return NULL;
	}
	return expr_next(r) ? e : NULL;
}

static const struct sweep_expr *expr_primary(struct expr_reader *r)
{
	struct lexer *l = r->l;

	if (l->now.kind == LEX_WORD)
		return expr_parameter(r);
	if (l->now.kind == LEX_NUMBER)
		return expr_number(r);
	if (lex_is(l, '('))
		return expr_parentheses(r);
	lex_expected(l, "a number, a parameter or '('", r->d);
	return NULL;
}

static const struct sweep_expr *expr_factor(struct expr_reader *r)
{
	const struct sweep_expr *e;

	if (r->depth == MAX_DEPTH) {
		lex_bad(r->l, r->l->now.at, ERR_RANGE, r->d,
			"the expression has more than %d levels", MAX_DEPTH);
		return NULL;
	}
	r->depth++;
	if (lex_is(r->l, '-')) {
		e = expr_next(r) ? expr_factor(r) : NULL;
		e = e ? expr_node(r, '!', e, NULL) : NULL;
	} else {
		e = expr_primary(r);
	}
	r->depth--;
	return e;
}

/* Operators of one precedence, left-associative; `below` reads an operand. */
static const struct sweep_expr *
expr_chain(struct expr_reader *r, char a, char b,
	   const struct sweep_expr *(*below)(struct expr_reader *r))
{
	const struct sweep_expr *e = below(r);
	unsigned links = 0;

	while (e && (lex_is(r->l, a) || lex_is(r->l, b))) {
		char op = r->l->now.text[0];
		const struct sweep_expr *right;

		/* The tree leans left: its depth is the number of links. */
		if (++links > MAX_DEPTH) {
			lex_bad(r->l, r->l->now.at, ERR_RANGE, r->d,
				"the expression has more than %d levels",
				MAX_DEPTH);
			return NULL;
		}
		right = expr_next(r) ? below(r) : NULL;
		e = right ? expr_node(r, op, e, right) : NULL;
	}
	return e;
}

static const struct sweep_expr *expr_product(struct expr_reader *r)
{
	return expr_chain(r, '*', '/', expr_factor);
}

static const struct sweep_expr *expr_sum(struct expr_reader *r)
{
	return expr_chain(r, '+', '-', expr_product);
}

enum err sweep_expr_read(const struct sweep_expr **out, struct lexer *l,
			 struct diag *d)
{
	struct expr_reader r = { .l = l, .d = d };

	d->code = ERR_OK;
	*out = expr_sum(&r);
	return *out ? ERR_OK : d->code;
}

double sweep_expr_value(const struct sweep_expr *e, const struct cfg *c)
{
	double v;

	switch (e->op) {
	case 'n':
		return e->number;
	case 'p':
		cfg_value_number(c, e->id, &v);
		return v;
	case '!':
		return -sweep_expr_value(e->left, c);
	case '+':
		return sweep_expr_value(e->left, c) +
		       sweep_expr_value(e->right, c);
	case '-':
		return sweep_expr_value(e->left, c) -
		       sweep_expr_value(e->right, c);
	case '*':
		return sweep_expr_value(e->left, c) *
		       sweep_expr_value(e->right, c);
	case '/':
		return sweep_expr_value(e->left, c) /
		       sweep_expr_value(e->right, c);
	default:
		BUG("unknown operator");
	}
}
