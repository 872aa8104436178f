#define _GNU_SOURCE
#include "isa/ptx/lex.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/digit.h"

enum { SPACE = 1, NAME_START = 2, NAME_PART = 4, DIGIT = 8, HEX = 16 };

static const uint8_t class_of[256] = {
	[' '] = SPACE,
	['\t'] = SPACE,
	['\r'] = SPACE,
	['\n'] = SPACE,
	['\v'] = SPACE,
	['\f'] = SPACE,
	['0' ... '9'] = NAME_PART | DIGIT | HEX,
	['a' ... 'f'] = NAME_START | NAME_PART | HEX,
	['g' ... 'z'] = NAME_START | NAME_PART,
	['A' ... 'F'] = NAME_START | NAME_PART | HEX,
	['G' ... 'Z'] = NAME_START | NAME_PART,
	['_'] = NAME_START | NAME_PART,
	['$'] = NAME_START | NAME_PART,
	['%'] = NAME_START,
};

static bool char_is(char c, int what)
{
	return class_of[(unsigned char)c] & what;
}

static const uint32_t hash_seed = 2166136261u;

static uint32_t hash_byte(uint32_t h, char c)
{
	return (h ^ (unsigned char)c) * 16777619u;
}

uint32_t ptx_hash(const char *s, size_t n)
{
	uint32_t h = hash_seed;

	for (size_t i = 0; i < n; i++)
		h = hash_byte(h, s[i]);
	return h;
}

void ptx_lex_init(struct ptx_lex *l, const char *text, size_t size)
{
	l->at = l->line_start = text;
	l->end = text + size;
	l->line = 1;
	l->wrong = NULL;
}

static void lex_count_line(struct ptx_lex *l)
{
	l->line++;
	l->line_start = l->at + 1;
}

void ptx_lex_skip_line(struct ptx_lex *l)
{
	const char *nl = memchr(l->at, '\n', (size_t)(l->end - l->at));

	l->at = nl ? nl : l->end;
}

static struct ptx_loc lex_here(const struct ptx_lex *l)
{
	return (struct ptx_loc){ l->line,
				 (uint32_t)(l->at - l->line_start) + 1 };
}

/* Returns false when a comment has no end. */
static bool lex_skip_space(struct ptx_lex *l)
{
	for (;;) {
		while (char_is(*l->at, SPACE)) {
			if (*l->at == '\n')
				lex_count_line(l);
			l->at++;
		}
		if (*l->at != '/')
			return true;
		if (l->at[1] == '/') {
			ptx_lex_skip_line(l);
			continue;
		}
		if (l->at[1] != '*')
			return true;
		l->comment = lex_here(l);
		for (l->at += 2; l->at < l->end; l->at++) {
			if (*l->at == '\n')
				lex_count_line(l);
			else if (l->at[0] == '*' && l->at[1] == '/')
				break;
		}
		if (l->at >= l->end)
			return false;
		l->at += 2;
	}
}

int ptx_lex_peek(struct ptx_lex *l)
{
	return lex_skip_space(l) ? (unsigned char)*l->at : 0;
}

bool ptx_lex_skip_braces(struct ptx_lex *l)
{
	for (int depth = 1;;) {
		if (!lex_skip_space(l) || l->at >= l->end)
			return false;
		char c = *l->at++;

		if (c == '{')
			depth++;
		else if (c == '}' && --depth == 0)
			return true;
		else if (c == '"')
			while (l->at < l->end && *l->at != '\n' &&
			       *l->at++ != '"')
				;
	}
}

static void lex_bad_token(struct ptx_lex *l, struct ptx_tok *t,
			  const char *wrong)
{
	t->kind = PTX_TOK_BAD;
	l->wrong = wrong;
}

/* 0f and 0d take exactly `digits` hexadecimal digits. */
static void lex_read_hex_float(struct ptx_lex *l, struct ptx_tok *t, int digits)
{
	l->at += 2;
	for (int i = 0; i < digits; i++) {
		if (!char_is(*l->at, HEX)) {
			lex_bad_token(l, t,
				      digits == 8 ?
					      "0f needs 8 hexadecimal digits" :
					      "0d needs 16 hexadecimal digits");
			return;
		}
		t->bits = t->bits << 4 | digit_value(*l->at++);
	}
	t->kind = digits == 8 ? PTX_TOK_F32 : PTX_TOK_F64;
}

static void lex_read_integer(struct ptx_lex *l, struct ptx_tok *t,
			     unsigned base)
{
	const char *start = l->at;
	bool over = false;

	while (char_is(*l->at, HEX) && digit_value(*l->at) < base) {
		over |= __builtin_mul_overflow(t->bits, (uint64_t)base,
					       &t->bits);
		over |= __builtin_add_overflow(
			t->bits, (uint64_t)digit_value(*l->at), &t->bits);
		l->at++;
	}
	if (l->at == start)
		lex_bad_token(l, t, "the number has no digits");
	else if (over)
		lex_bad_token(l, t, "the number does not fit in 64 bits");
	else
		t->kind = PTX_TOK_INT;
	t->is_unsigned = t->bits > INT64_MAX;
	if (*l->at == 'U') {
		t->is_unsigned = true;
		l->at++;
	}
}

/* The user's locale must not decide what a decimal point is. */
static double lex_to_double(const char *s)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double x;

	if (!c)
		return strtod(s, NULL);
	x = strtod_l(s, NULL, c);
	freelocale(c);
	return x;
}

static const char *skip_digits(const char *s)
{
	while (char_is(*s, DIGIT))
		s++;
	return s;
}

/* Where a decimal floating-point number that starts at s ends, or NULL. */
static const char *float_end(const char *s)
{
	const char *e = skip_digits(s);
	bool is_float = false;

	if (*e == '.') {
		e = skip_digits(e + 1);
		is_float = true;
	}
	if (*e == 'e' || *e == 'E') {
		const char *x = e + 1 + (e[1] == '+' || e[1] == '-');

		if (char_is(*x, DIGIT)) {
			e = skip_digits(x);
			is_float = true;
		}
	}
	return is_float ? e : NULL;
}

static void lex_read_decimal(struct ptx_lex *l, struct ptx_tok *t,
			     const char *end)
{
	char buf[400];
	size_t n = (size_t)(end - l->at);
	double x;

	if (n >= sizeof(buf)) {
		lex_bad_token(l, t, "the number has too many digits");
		return;
	}
	memcpy(buf, l->at, n);
	buf[n] = 0;
	x = lex_to_double(buf);
	memcpy(&t->bits, &x, sizeof(x));
	t->kind = PTX_TOK_F64;
	l->at = end;
}

static void lex_read_number(struct ptx_lex *l, struct ptx_tok *t)
{
	char next = (char)(l->at[1] | 32);
	const char *end;

	t->bits = 0;
	if (*l->at == '0' && next == 'f') {
		lex_read_hex_float(l, t, 8);
	} else if (*l->at == '0' && next == 'd') {
		lex_read_hex_float(l, t, 16);
	} else if (*l->at == '0' && next == 'x') {
		l->at += 2;
		lex_read_integer(l, t, 16);
	} else if (*l->at == '0' && next == 'b') {
		l->at += 2;
		lex_read_integer(l, t, 2);
	} else if ((end = float_end(l->at))) {
		lex_read_decimal(l, t, end);
	} else {
		lex_read_integer(l, t, *l->at == '0' ? 8 : 10);
	}
	if (t->kind != PTX_TOK_BAD && char_is(*l->at, NAME_PART))
		lex_bad_token(l, t, "malformed number");
}

static void lex_read_name(struct ptx_lex *l, struct ptx_tok *t)
{
	uint32_t h = hash_byte(hash_seed, *l->at);
	const char *s = l->at + 1;

	for (; char_is(*s, NAME_PART); s++)
		h = hash_byte(h, *s);
	t->kind = PTX_TOK_NAME;
	t->size = (uint32_t)(s - l->at);
	t->hash = h;
	l->at = s;
}

/* Two colons are part of a word (.param::entry), a single colon is not. */
static const char *word_end(const char *s)
{
	while (char_is(*s, NAME_PART) ||
	       (s[0] == ':' && s[1] == ':' && char_is(s[2], NAME_PART) && ++s))
		s++;
	return s;
}

static void lex_read_word(struct ptx_lex *l, struct ptx_tok *t)
{
	const char *end = word_end(l->at + 1);

	t->text = l->at + 1;
	t->size = (uint32_t)(end - t->text);
	t->hash = ptx_hash(t->text, t->size);
	t->kind = PTX_TOK_WORD;
	l->at = end;
	if (!t->size)
		lex_bad_token(l, t, "expected a word after the dot");
}

static void lex_read_string(struct ptx_lex *l, struct ptx_tok *t)
{
	const char *s = ++l->at;

	while (*s && *s != '"' && *s != '\n')
		s += s[0] == '\\' && s[1] && s[1] != '\n' ? 2 : 1;
	t->text = l->at;
	t->kind = PTX_TOK_STRING;
	t->size = (uint32_t)(s - l->at);
	l->at = s;
	if (*s == '"')
		l->at++;
	else
		lex_bad_token(l, t, "the string is not closed on its line");
}

static int two_char_token(char a, char b)
{
	switch (a) {
	case '<':
		return b == '<' ? PTX_TOK_SHL : b == '=' ? PTX_TOK_LE : 0;
	case '>':
		return b == '>' ? PTX_TOK_SHR : b == '=' ? PTX_TOK_GE : 0;
	case '=':
		return b == '=' ? PTX_TOK_EQ : 0;
	case '!':
		return b == '=' ? PTX_TOK_NE : 0;
	case '&':
		return b == '&' ? PTX_TOK_AND : 0;
	case '|':
		return b == '|' ? PTX_TOK_OR : 0;
	}
	return 0;
}

static void lex_read_punctuation(struct ptx_lex *l, struct ptx_tok *t)
{
	t->kind = two_char_token(l->at[0], l->at[1]);
	t->size = t->kind ? 2 : 1;
	if (!t->kind) {
		t->kind = (unsigned char)*l->at;
		if (!*l->at || !strchr("{}()[]<>,;:@!+-*/%&|^~?=", *l->at))
			lex_bad_token(l, t, "PTX does not use this character");
	}
	l->at += t->size;
}

void ptx_lex_next(struct ptx_lex *l, struct ptx_tok *t)
{
	bool closed = lex_skip_space(l);

	t->loc = closed ? lex_here(l) : l->comment;
	t->text = l->at;
	t->size = 0;
	t->is_unsigned = false;
	if (!closed)
		lex_bad_token(l, t, "the comment is not closed");
	else if (l->at >= l->end)
		t->kind = PTX_TOK_END;
	else if (char_is(*l->at, NAME_START) &&
		 (*l->at != '%' || char_is(l->at[1], NAME_START)))
		lex_read_name(l, t);
	else if (char_is(*l->at, DIGIT) ||
		 (*l->at == '.' && char_is(l->at[1], DIGIT)))
		lex_read_number(l, t);
	else if (*l->at == '.')
		lex_read_word(l, t);
	else if (*l->at == '"')
		lex_read_string(l, t);
	else
		lex_read_punctuation(l, t);
	if (t->kind != PTX_TOK_STRING && !t->size)
		t->size = (uint32_t)(l->at - t->text);
}

void ptx_lex_opcode(struct ptx_lex *l, struct ptx_tok *t)
{
	const char *text = t->text, *end = text + t->size;
	size_t n = 0;

	if (*end == '.') {
		while (*end == '.' && word_end(end + 1) > end + 1)
			end = word_end(end + 1);
		l->at = end;
	}
	if (ptx_lex_peek(l) == '.') {
		n = (size_t)(end - text);
		if (n >= PTX_OPCODE_MAX)
			n = PTX_OPCODE_MAX;
		else
			memcpy(l->opcode, text, n);
		text = l->opcode;
		while (n < PTX_OPCODE_MAX && ptx_lex_peek(l) == '.') {
			const char *s = l->at;
			size_t more = (size_t)(word_end(s + 1) - s);

			if (more < 2 || n + more > PTX_OPCODE_MAX) {
				n = PTX_OPCODE_MAX;
				break;
			}
			memcpy(l->opcode + n, s, more);
			l->at = s + more;
			n += more;
		}
		end = text + n;
	}
	if (end - text >= PTX_OPCODE_MAX) {
		lex_bad_token(l, t, "the opcode is too long or ends in a dot");
		return;
	}
	t->text = text;
	t->size = (uint32_t)(end - text);
	t->hash = ptx_hash(t->text, t->size);
}
