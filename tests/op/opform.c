#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "opform.h"
#include "opgen.h"

/* The WARP rows that are in scope. */
static const enum ptx_op warp_rows[] = {
	PTX_OP_MOV,
	PTX_OP_CVT_II,
	PTX_OP_CVT_IF,
	PTX_OP_CVT_FI,
	PTX_OP_CVT_FF,
	PTX_OP_CVT_FF_INT,
	PTX_OP_CVT_TF32,
	PTX_OP_CVT_X2_F32,
	PTX_OP_CVT_FP8_F32,
	PTX_OP_CVT_FP8_F16,
	PTX_OP_CVT_F16_FP8,
	PTX_OP_CVT_PACK,
	PTX_OP_SETP_F16X2,
	PTX_OP_SETP_BF16X2,
	PTX_OP_AND_PRED,
	PTX_OP_OR_PRED,
	PTX_OP_XOR_PRED,
	PTX_OP_NOT_PRED,
	PTX_OP_LOP3_BOOL_B32,
	PTX_OP_SHFL,
	PTX_OP_SHFL_SYNC,
	PTX_OP_VOTE,
	PTX_OP_VOTE_BALLOT,
	PTX_OP_VOTE_SYNC,
	PTX_OP_VOTE_SYNC_BALLOT,
	PTX_OP_MATCH_ANY,
	PTX_OP_MATCH_ALL,
	PTX_OP_ACTIVEMASK,
	PTX_OP_REDUX,
	PTX_OP_ELECT,
	PTX_OP_MOVMATRIX,
	PTX_OP_ATOM_ADD,
	PTX_OP_ATOM_EXCH,
	PTX_OP_ATOM_INC,
	PTX_OP_ATOM_DEC,
	PTX_OP_ATOM_MIN,
	PTX_OP_ATOM_MAX,
	PTX_OP_ATOM_AND,
	PTX_OP_ATOM_OR,
	PTX_OP_ATOM_XOR,
	PTX_OP_ATOM_CAS,
	PTX_OP_ATOM_ADD_HALF,
	PTX_OP_ATOM_ADD_VEC,
	PTX_OP_ATOM_ADD_HALVES,
	PTX_OP_ATOM_MIN_HALVES,
	PTX_OP_ATOM_MAX_HALVES,
	PTX_OP_RED_ADD,
	PTX_OP_RED_INC,
	PTX_OP_RED_DEC,
	PTX_OP_RED_MIN,
	PTX_OP_RED_MAX,
	PTX_OP_RED_AND,
	PTX_OP_RED_OR,
	PTX_OP_RED_XOR,
	PTX_OP_RED_ADD_HALF,
	PTX_OP_RED_ADD_VEC,
	PTX_OP_RED_ADD_HALVES,
	PTX_OP_RED_MIN_HALVES,
	PTX_OP_RED_MAX_HALVES,
	PTX_OP_SET_F16X2,
	PTX_OP_SET_BF16X2,
};

/* The operands of mov, which its row does not specify. */
static const char *const mov_forms[] = {
	"mov.b32 d:b32,a2:b16",   "mov.b32 d2:b16,a:b32",
	"mov.b64 d:b64,a2:b32",   "mov.b64 d2:b32,a:b64",
	"mov.b64 d:b64,a4:b16",   "mov.b64 d4:b16,a:b64",
	"mov.b128 d:b128,a2:b64", "mov.b128 d2:b64,a:b128",
};

/* The selectors that are tried on video instructions; ptxas refuses invalid
 * combinations. Packed ones have 2 or 4 elements. */
struct parts {
	const char *d, *a, *b, *c;
};
static const struct parts scalar_parts[] = {
	{ "", "", "", "" },         { "", "/b0", "/h1", "" },
	{ "", "/b3", "/b1", "" },   { "", "/h0", "", "" },
	{ "", "/-", "", "" },       { "", "/h0", "/-b1", "" },
	{ "", "/b2", "/h1", "/-" }, { "/b2", "/h1", "/b0", "" },
	{ "/h1", "", "/b2", "" },   { "/b0", "/b1", "/h0", "" },
	{ "/h0", "/b2", "", "" },   { "/b3", "", "", "" },
};
static const struct parts pair_parts[] = {
	{ "", "", "", "" },
	{ "/h10", "/h10", "/h32", "" },
	{ "/h0", "/h02", "/h13", "" },
	{ "/h1", "/h31", "/h20", "" },
};
static const struct parts quad_parts[] = {
	{ "", "", "", "" },
	{ "/b3210", "/b3210", "/b7654", "" },
	{ "/b0", "/b0246", "/b7531", "" },
	{ "/b31", "/b4567", "/b0123", "" },
	{ "/b210", "/b1100", "/b6677", "" },
};

struct walk {
	enum ptx_op row;
	void (*each)(void *ctx, const char *line);
	void *ctx;
	/* Of the current opcode: */
	const char *opcode;
	const char *type[4];
	size_t type_size[4];
	int types;
	char count[2]; /* of .VEC, or empty */
};

bool op_row_in_scope(enum ptx_op row)
{
	if (ptx_rows[row].class == PTX_ROW_LANE || *ptx_rows[row].form == 'y')
		return true;
	for (size_t i = 0; i < sizeof(warp_rows) / sizeof(warp_rows[0]); i++)
		if (warp_rows[i] == row)
			return true;
	return false;
}

static bool attr_of(enum ptx_attr_class class, const char *s, size_t n)
{
	for (int i = 1; i < PTX_ATTR_COUNT; i++)
		if (ptx_attrs[i].class == class &&
		    strlen(ptx_attrs[i].text) == n &&
		    !memcmp(ptx_attrs[i].text, s, n))
			return true;
	return false;
}

static bool is(const char *s, size_t n, enum ptx_attr attr)
{
	return strlen(ptx_attrs[attr].text) == n &&
	       !memcmp(ptx_attrs[attr].text, s, n);
}

/* Reads the opcode's words. False: the opcode is left out. */
static bool look(struct walk *w, const char *opcode)
{
	bool memory = strchr(ptx_rows[w->row].form, 'm');

	w->opcode = opcode;
	w->types = 0;
	w->count[0] = 0;
	for (const char *s = strchr(opcode, '.'); s; s = strchr(s, '.')) {
		size_t n = strcspn(++s, ".");

		if (memory && (attr_of(PTX_CLASS_SEM, s, n) ||
			       attr_of(PTX_CLASS_SCOPE, s, n) ||
			       attr_of(PTX_CLASS_CACHEHINT, s, n)))
			return false;
		if (memory && attr_of(PTX_CLASS_SS, s, n) &&
		    !is(s, n, PTX_SS_GLOBAL) && !is(s, n, PTX_SS_SHARED))
			return false;
		if (attr_of(PTX_CLASS_VEC, s, n))
			w->count[0] = s[1];
		for (int t = 0; t < PTX_TYPE_COUNT && w->types < 4; t++)
			if (strlen(ptx_types[t].text) == n &&
			    !memcmp(ptx_types[t].text, s, n)) {
				w->type[w->types] = s;
				w->type_size[w->types++] = n;
			}
	}
	return true;
}

static size_t put(char *line, size_t at, const char *s, size_t n)
{
	if (at + n >= OP_LINE)
		return at;
	memcpy(line + at, s, n);
	return at + n;
}

/* T: the name of a type, or t, u, s. */
static size_t put_type(const struct walk *w, char *line, size_t at,
		       const char *s, size_t n)
{
	const char *order = "tus";
	const char *which = n == 1 ? strchr(order, *s) : NULL;

	if (which && which - order < w->types)
		return put(line, at, w->type[which - order],
			   w->type_size[which - order]);
	for (size_t i = 0; i < n; i++) {
		char c = (char)tolower((unsigned char)s[i]);

		at = put(line, at, &c, 1);
	}
	return at;
}

/* One operand of the form, with its type; 0: vectors cannot test it. */
static size_t put_operand(const struct walk *w, char *line, size_t at,
			  const char *s, size_t n)
{
	bool vector = *s == 'v' || *s == 'w' || *s == 'm';

	if (strchr("*xl", *s))
		return 0;
	if (*s == 'v')
		at = put(line, at, "d", 1);
	else if (*s == 'w')
		at = put(line, at, "a", 1);
	else
		at = put(line, at, s, strcspn(s, ":,{}"));
	if (vector)
		at = put(line, at, w->count, strlen(w->count));
	const char *colon = memchr(s, ':', n);
	if (!colon && *s != 'm')
		return at;
	at = put(line, at, ":", 1);
	if (!colon)
		return put_type(w, line, at, "t", 1);
	return put_type(w, line, at, colon + 1, n - (size_t)(colon + 1 - s));
}

/*
 * The operands, with or without those in braces; a pair of predicates, or only
 * the first.
 */
static void each_form(struct walk *w, const char *form, bool optional,
		      bool pair)
{
	char line[OP_LINE];
	size_t at = put(line, 0, w->opcode, strlen(w->opcode));
	bool first = true;

	for (const char *s = form; *s;) {
		size_t n = strcspn(s, ",{}");

		if (!pair && !strncmp(s, "pp", 2))
			s++, n--;
		if (*s == '{' && !optional)
			break;
		if (n == 0) {
			s++;
			continue;
		}
		at = put(line, at, first ? " " : ",", 1);
		at = put_operand(w, line, at, s, n);
		if (!at)
			return;
		first = false;
		s += n;
	}
	line[at] = 0;
	w->each(w->ctx, line);
}

/*
 * Scalar video instructions are sequences of instructions on sm_90. For .sat,
 * the scaling of vmad, a second .min or .max and a merge into .h1, the code of
 * ptxas 13 differs from PTX ISA 9.7.21. Heddle follows the text, and those
 * forms are left out.
 */
static bool is_odd_video(const char *opcode, const struct parts *p)
{
	static const char *const odd[] = { ".sat", ".shr", ".min", ".max" };

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		if (strstr(opcode, odd[i]))
			return true;
	return !strcmp(p->d, "/h1");
}

static void each_video(struct walk *w)
{
	size_t word = strcspn(w->opcode, ".");
	char last = w->opcode[word - 1];
	bool packed = last == '2' || last == '4';
	const struct parts *p = scalar_parts;
	size_t n = sizeof(scalar_parts) / sizeof(*p);
	char line[OP_LINE];

	if (last == '2') {
		p = pair_parts;
		n = sizeof(pair_parts) / sizeof(*p);
	} else if (last == '4') {
		p = quad_parts;
		n = sizeof(quad_parts) / sizeof(*p);
	}
	for (size_t i = 0; i < n; i++) {
		if (!packed && is_odd_video(w->opcode, &p[i]))
			continue;
		snprintf(line, sizeof(line), "%s y:b32%s,z:b32%s,z:b32%s",
			 w->opcode, p[i].d, p[i].a, p[i].b);
		if (!packed)
			w->each(w->ctx, line);
		snprintf(line, sizeof(line),
			 "%s y:b32%s,z:b32%s,z:b32%s,z:b32%s", w->opcode,
			 p[i].d, p[i].a, p[i].b, p[i].c);
		w->each(w->ctx, line);
	}
}

static void each_opcode(void *ctx, const char *opcode)
{
	struct walk *w = ctx;
	const char *form = ptx_rows[w->row].form;

	if (!look(w, opcode))
		return;
	if (*form == 'y') {
		each_video(w);
		return;
	}
	if (w->row == PTX_OP_MOV)
		form = w->type_size[0] == 4 && *w->type[0] == 'p' ? "p,q" :
								    "d:t,a:t";
	for (int optional = 0; optional < 2; optional++) {
		if (optional && !strchr(form, '{'))
			break;
		each_form(w, form, optional, true);
		if (!strncmp(form, "pp", 2))
			each_form(w, form, optional, false);
	}
}

void op_forms(enum ptx_op row, void (*each)(void *ctx, const char *line),
	      void *ctx)
{
	struct walk w = { .row = row, .each = each, .ctx = ctx };

	ptx_expand(&ptx_rows[row], each_opcode, &w);
	if (row != PTX_OP_MOV)
		return;
	for (size_t i = 0; i < sizeof(mov_forms) / sizeof(mov_forms[0]); i++)
		each(ctx, mov_forms[i]);
}
