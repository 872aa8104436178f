/*
 * Constant expressions (PTX ISA 4.5): C's operators over 64-bit integers and
 * doubles, and addresses with an offset where an initialiser allows them.
 */
#include <string.h>

#include "isa/ptx/parse.h"

static double value_to_double(const struct px_value *v)
{
	double d;
	float f;

	if (v->kind == PX_INT)
		return v->is_unsigned ? (double)v->bits :
					(double)(int64_t)v->bits;
	if (v->kind == PX_F32) {
		uint32_t u = (uint32_t)v->bits;

		memcpy(&f, &u, sizeof(f));
		return f;
	}
	memcpy(&d, &v->bits, sizeof(d));
	return d;
}

static void set_double(struct px_value *v, double d)
{
	v->kind = PX_F64;
	v->is_unsigned = false;
	memcpy(&v->bits, &d, sizeof(d));
}

static void set_int(struct px_value *v, uint64_t bits, bool is_unsigned)
{
	v->kind = PX_INT;
	v->bits = bits;
	v->is_unsigned = is_unsigned;
}

/* The precedence of a binary operator; 0: it is not one. */
static int precedence(int kind)
{
	switch (kind) {
	case PTX_TOK_OR:
		return 1;
	case PTX_TOK_AND:
		return 2;
	case '|':
		return 3;
	case '^':
		return 4;
	case '&':
		return 5;
	case PTX_TOK_EQ:
	case PTX_TOK_NE:
		return 6;
	case '<':
	case '>':
	case PTX_TOK_LE:
	case PTX_TOK_GE:
		return 7;
	case PTX_TOK_SHL:
	case PTX_TOK_SHR:
		return 8;
	case '+':
	case '-':
		return 9;
	case '*':
	case '/':
	case '%':
		return 10;
	}
	return 0;
}

/* -1, 0 or 1; 2 if one is NaN. */
static int compare_values(const struct px_value *a, const struct px_value *b)
{
	if (a->kind != PX_INT || b->kind != PX_INT) {
		double x = value_to_double(a), y = value_to_double(b);

		return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
	}
	if (a->is_unsigned || b->is_unsigned)
		return a->bits < b->bits ? -1 : a->bits > b->bits;
	return (int64_t)a->bits < (int64_t)b->bits ?
		       -1 :
		       (int64_t)a->bits > (int64_t)b->bits;
}

static bool is_true(const struct px_value *v)
{
	return v->kind == PX_INT ? v->bits != 0 : value_to_double(v) != 0;
}

static bool apply_relation(int op, struct px_value *a, const struct px_value *b)
{
	int c = compare_values(a, b);

	switch (op) {
	case PTX_TOK_OR:
		set_int(a, is_true(a) || is_true(b), false);
		return true;
	case PTX_TOK_AND:
		set_int(a, is_true(a) && is_true(b), false);
		return true;
	case PTX_TOK_EQ:
		set_int(a, c == 0, false);
		return true;
	case PTX_TOK_NE:
		set_int(a, c != 0, false);
		return true;
	case '<':
		set_int(a, c == -1, false);
		return true;
	case '>':
		set_int(a, c == 1, false);
		return true;
	case PTX_TOK_LE:
		set_int(a, c == -1 || c == 0, false);
		return true;
	case PTX_TOK_GE:
		set_int(a, c == 1 || c == 0, false);
		return true;
	}
	return false;
}

static bool apply_float_op(struct px_parser *p, int op, struct ptx_loc at,
			   struct px_value *a, const struct px_value *b)
{
	double x = value_to_double(a), y = value_to_double(b);

	switch (op) {
	case '+':
		set_double(a, x + y);
		return true;
	case '-':
		set_double(a, x - y);
		return true;
	case '*':
		set_double(a, x * y);
		return true;
	case '/':
		set_double(a, x / y);
		return true;
	}
	return px_syntax(p, at,
			 "this operator needs integers, "
			 "found a floating-point number");
}

static uint64_t divide_ints(bool rem, bool is_unsigned, uint64_t x, uint64_t y)
{
	if (is_unsigned)
		return rem ? x % y : x / y;
	if (y == UINT64_MAX) /* -1: INT64_MIN / -1 wraps */
		return rem ? 0 : 0 - x;
	return (uint64_t)(rem ? (int64_t)x % (int64_t)y :
				(int64_t)x / (int64_t)y);
}

static uint64_t shift_int(int op, const struct px_value *a, uint64_t n)
{
	bool negative = !a->is_unsigned && (int64_t)a->bits < 0;

	if (op == PTX_TOK_SHL)
		return n > 63 ? 0 : a->bits << n;
	if (n > 63)
		return negative ? UINT64_MAX : 0;
	return negative ? ~(~a->bits >> n) : a->bits >> n;
}

static bool apply_int_op(struct px_parser *p, int op, struct ptx_loc at,
			 struct px_value *a, const struct px_value *b)
{
	uint64_t x = a->bits, y = b->bits;
	bool u = a->is_unsigned || b->is_unsigned;

	switch (op) {
	case '+':
		set_int(a, x + y, u);
		return true;
	case '-':
		set_int(a, x - y, u);
		return true;
	case '*':
		set_int(a, x * y, u);
		return true;
	case '/':
	case '%':
		if (!y)
			return px_syntax(p, at, "division by zero");
		set_int(a, divide_ints(op == '%', u, x, y), u);
		return true;
	case '&':
		set_int(a, x & y, u);
		return true;
	case '|':
		set_int(a, x | y, u);
		return true;
	case '^':
		set_int(a, x ^ y, u);
		return true;
	default:
		a->bits = shift_int(op, a, y);
		return true;
	}
}

/* An address plus or minus an integer; nothing else is allowed. */
static bool apply_address_op(struct px_parser *p, int op, struct ptx_loc at,
			     struct px_value *a, const struct px_value *b)
{
	struct px_value sum = a->kind == PX_ADDR ? *a : *b;
	const struct px_value *n = a->kind == PX_ADDR ? b : a;

	if (n->kind != PX_INT || sum.masked ||
	    !(op == '+' || (op == '-' && a->kind == PX_ADDR)))
		return px_syntax(p, at,
				 "an address allows only + and - "
				 "with an integer");
	sum.bits += op == '-' ? 0 - n->bits : n->bits;
	*a = sum;
	return true;
}

static bool apply_operator(struct px_parser *p, int op, struct ptx_loc at,
			   struct px_value *a, const struct px_value *b)
{
	if (a->kind == PX_ADDR || b->kind == PX_ADDR)
		return apply_address_op(p, op, at, a, b);
	if (apply_relation(op, a, b))
		return true;
	if (a->kind != PX_INT || b->kind != PX_INT)
		return apply_float_op(p, op, at, a, b);
	return apply_int_op(p, op, at, a, b);
}

static bool parse_ternary(struct px_parser *p, struct px_value *v,
			  bool addresses);
static bool parse_unary(struct px_parser *p, struct px_value *v,
			bool addresses);

static bool
parse_expr_nested(struct px_parser *p, struct px_value *v, bool addresses,
		  bool (*rule)(struct px_parser *, struct px_value *, bool))
{
	bool ok;

	if (p->nesting >= PX_MAX_NESTING)
		return px_syntax(p, p->t.loc,
				 "the expression is nested more "
				 "than %d deep",
				 PX_MAX_NESTING);
	p->nesting++;
	ok = rule(p, v, addresses);
	p->nesting--;
	return ok;
}

static bool parse_parenthesised(struct px_parser *p, struct px_value *v,
				bool addresses)
{
	return px_take(p, '(', "'('") &&
	       parse_expr_nested(p, v, addresses, parse_ternary) &&
	       px_take(p, ')', "')'");
}

/* 0xFF00(name): one byte of an address. */
static bool parse_mask(struct px_parser *p, struct px_value *v)
{
	uint64_t bits = v->bits;
	struct ptx_loc at = v->loc;
	uint32_t by = 0;

	while (by < 64 && bits != (uint64_t)0xff << by)
		by += 8;
	if (by == 64)
		return px_syntax(p, at,
				 "a mask of an address must cover one "
				 "byte: 0xFF, 0xFF00, ...");
	if (!parse_parenthesised(p, v, true))
		return false;
	if (v->kind != PX_ADDR || v->masked)
		return px_syntax(p, at, "only an address can be masked");
	v->masked = true;
	v->shift = by;
	return true;
}

static bool parse_address(struct px_parser *p, struct px_value *v)
{
	struct px_atom *atom = p->atom;
	struct ptx_loc at = p->t.loc;
	struct px_sym *s;

	if (!px_next(p))
		return false;
	if (px_is(p, '(') && !strcmp(atom->text, "generic")) {
		if (!parse_parenthesised(p, v, true))
			return false;
		if (v->kind != PX_ADDR || v->masked)
			return px_syntax(p, at,
					 "generic() needs the name of "
					 "a variable");
		v->generic = true;
		return true;
	}
	if (!px_lookup(p, &s, atom, at))
		return false;
	if (!s)
		return px_syntax(p, at, "'%s' is not declared", atom->text);
	if (s->kind != PX_SYM_VAR && s->kind != PX_SYM_FUNC)
		return px_syntax(p, at, "'%s' has no address", atom->text);
	*v = (struct px_value){ .kind = PX_ADDR, .loc = at };
	if (s->kind == PX_SYM_VAR)
		v->var = s->var;
	else
		v->func = s->func;
	return true;
}

static bool parse_primary(struct px_parser *p, struct px_value *v,
			  bool addresses)
{
	*v = (struct px_value){ .loc = p->t.loc, .bits = p->t.bits };
	switch (p->t.kind) {
	case PTX_TOK_INT:
		v->is_unsigned = p->t.is_unsigned;
		if (!px_next(p))
			return false;
		return addresses && px_is(p, '(') ? parse_mask(p, v) : true;
	case PTX_TOK_F32:
		v->kind = PX_F32;
		return px_next(p);
	case PTX_TOK_F64:
		v->kind = PX_F64;
		return px_next(p);
	case PTX_TOK_NAME:
		if (!strcmp(p->atom->text, "WARP_SZ")) {
			set_int(v, 32, false);
			return px_next(p);
		}
		if (addresses)
			return parse_address(p, v);
		break;
	}
	return px_expected(p, "a constant");
}

/* (.s64) x, (.u64) x, or ( x ). */
static bool parse_cast(struct px_parser *p, struct px_value *v, bool addresses)
{
	struct ptx_loc at = p->t.loc;
	int type;

	if (ptx_lex_peek(&p->lex) != '.')
		return parse_parenthesised(p, v, addresses);
	if (!px_next(p))
		return false;
	type = px_is(p, PTX_TOK_WORD) ? p->atom->type - 1 : -1;
	if (type != PTX_S64 && type != PTX_U64)
		return px_expected(p, ".s64 or .u64");
	if (!px_next(p) || !px_take(p, ')', "')'") ||
	    !parse_expr_nested(p, v, addresses, parse_unary))
		return false;
	if (v->kind != PX_INT)
		return px_syntax(p, at, "only an integer can be cast");
	v->is_unsigned = type == PTX_U64;
	return true;
}

static bool negate_value(struct px_value *v)
{
	switch (v->kind) {
	case PX_F32:
		v->bits ^= 1u << 31;
		return true;
	case PX_F64:
		v->bits ^= (uint64_t)1 << 63;
		return true;
	case PX_INT:
		v->bits = 0 - v->bits;
		return true;
	default:
		return false;
	}
}

static bool parse_unary(struct px_parser *p, struct px_value *v, bool addresses)
{
	struct ptx_loc at = p->t.loc;
	int op = p->t.kind;

	if (op == '(')
		return parse_cast(p, v, addresses);
	if (op != '+' && op != '-' && op != '!' && op != '~')
		return parse_primary(p, v, addresses);
	if (!px_next(p) || !parse_expr_nested(p, v, addresses, parse_unary))
		return false;
	if (v->kind == PX_ADDR || (op == '~' && v->kind != PX_INT))
		return px_syntax(p, at, "'%c' does not apply to %s", op,
				 v->kind == PX_ADDR ?
					 "an address" :
					 "a floating-point number");
	if (op == '-')
		negate_value(v);
	else if (op == '!')
		set_int(v, !is_true(v), false);
	else if (op == '~')
		v->bits = ~v->bits;
	return true;
}

static bool parse_binary(struct px_parser *p, struct px_value *v,
			 bool addresses, int min)
{
	if (!parse_unary(p, v, addresses))
		return false;
	for (;;) {
		int op = p->t.kind, level = precedence(op);
		struct ptx_loc at = p->t.loc;
		struct px_value right;

		if (!level || level < min)
			return true;
		if (!px_next(p) ||
		    !parse_binary(p, &right, addresses, level + 1) ||
		    !apply_operator(p, op, at, v, &right))
			return false;
	}
}

static bool parse_ternary(struct px_parser *p, struct px_value *v,
			  bool addresses)
{
	struct px_value yes, no;

	if (!parse_binary(p, v, addresses, 1))
		return false;
	if (!px_is(p, '?'))
		return true;
	if (v->kind != PX_INT)
		return px_expected(p, "an integer before '?'");
	if (!px_next(p) ||
	    !parse_expr_nested(p, &yes, addresses, parse_ternary) ||
	    !px_take(p, ':', "':'") ||
	    !parse_expr_nested(p, &no, addresses, parse_ternary))
		return false;
	*v = v->bits ? yes : no;
	return true;
}

bool px_expr(struct px_parser *p, struct px_value *v, bool addresses)
{
	return parse_ternary(p, v, addresses);
}

bool px_const_int(struct px_parser *p, const char *what, uint64_t min,
		  uint64_t max, uint64_t *out)
{
	struct ptx_loc at = p->t.loc;
	struct px_value v;

	if (!px_expr(p, &v, false))
		return false;
	if (v.kind != PX_INT)
		return px_syntax(p, at, "%s must be an integer", what);
	if (!v.is_unsigned && (int64_t)v.bits < 0)
		return px_syntax(p, at, "%s must not be negative, found %lld",
				 what, (long long)v.bits);
	if (v.bits < min || v.bits > max)
		return px_syntax(p, at, "%s must be %llu to %llu, found %llu",
				 what, (unsigned long long)min,
				 (unsigned long long)max,
				 (unsigned long long)v.bits);
	*out = v.bits;
	return true;
}
