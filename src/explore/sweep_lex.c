#include "explore/sweep_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* More digits are refused, so that sums stay finite. */
#define NUMBER_DIGITS 15

enum err lex_bad(const struct lexer *l, struct sweep_place at, enum err code,
		 struct diag *d, const char *fmt, ...)
{
	struct diag inner;
	va_list ap;

	va_start(ap, fmt);
	vfail(&inner, code, fmt, ap);
	va_end(ap);
	/* A quoted text may hold a tab. */
	for (char *p = inner.text; *p; p++)
		*p = (unsigned char)*p < 0x20 || *p == 0x7f ? ' ' : *p;
	return fail(d, code, "%.160s:%u:%u: %s", l->path, at.line, at.column,
		    inner.text);
}

bool lex_is(const struct lexer *l, char mark)
{
	return l->now.kind == LEX_MARK && l->now.text[0] == mark;
}

bool lex_is_word(const struct lexer *l, const char *word)
{
	return l->now.kind == LEX_WORD && l->now.size == strlen(word) &&
	       !memcmp(l->now.text, word, l->now.size);
}

enum err lex_expected(const struct lexer *l, const char *what, struct diag *d)
{
	const struct lex_token *t = &l->now;
	int n = t->size < 40 ? (int)t->size : 40;

	if (t->kind == LEX_END)
		return lex_bad(l, t->at, ERR_SYNTAX, d,
			       "expected %s, found the end of the file", what);
	if (t->kind == LEX_STOP)
		return lex_bad(l, t->at, ERR_SYNTAX, d,
			       "expected %s, found the end of the statement",
			       what);
	return lex_bad(l, t->at, ERR_SYNTAX, d, "expected %s, found '%.*s'",
		       what, n, t->text);
}

static bool lex_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lex_peek(const struct lexer *l, size_t ahead)
{
	return l->next + ahead < l->size ? l->text[l->next + ahead] : '\0';
}

static struct sweep_place lex_place(const struct lexer *l)
{
	return (struct sweep_place){ l->line,
				     (unsigned)(l->next - l->line_start) + 1 };
}

/* Skips blanks and comments; also newlines where the statement continues. */
static void lex_skip_blanks(struct lexer *l)
{
	for (; l->next < l->size; l->next++) {
		char c = l->text[l->next];

		if (c == '#') {
			while (l->next < l->size && lex_peek(l, 0) != '\n')
				l->next++;
			c = lex_peek(l, 0);
			if (l->next == l->size)
				return;
		}
		if (c == '\n' && l->more) {
			l->line++;
			l->line_start = l->next + 1;
		} else if (c != ' ' && c != '\t' && c != '\r') {
			return;
		}
	}
}

/* Skips a word or a number, but not the dots of a range. */
static void lex_take_name(struct lexer *l)
{
	while (lex_is_letter(lex_peek(l, 0)) || lex_is_digit(lex_peek(l, 0)) ||
	       (lex_peek(l, 0) == '.' && lex_peek(l, 1) != '.' &&
		(lex_is_letter(lex_peek(l, 1)) ||
		 lex_is_digit(lex_peek(l, 1)))))
		l->next++;
}

/* Finds the end of the string that starts here. */
static enum err lex_string_end(const struct lexer *l, size_t *end,
			       struct diag *d)
{
	char quote = l->text[l->next];

	for (size_t i = l->next + 1; i < l->size; i++) {
		char c = l->text[i];

		if (c == '\n')
			break;
		if ((unsigned char)c < 0x20 && c != '\t')
			return lex_bad(l, l->now.at, ERR_SYNTAX, d,
				       "a string holds a control character");
		if (c == quote) {
			*end = i;
			return ERR_OK;
		}
		if (c == '\\' && quote == '"' && i + 1 < l->size &&
		    l->text[i + 1] != '\n')
			i++;
	}
	return lex_bad(l, l->now.at, ERR_SYNTAX, d, "a string is not closed");
}

/* "..." with \" and \\ inside, or '...' without escapes. */
static enum err lex_take_string(struct lexer *l, struct diag *d)
{
	struct lex_token *t = &l->now;
	char quote = l->text[l->next];
	size_t end = l->next, n = 0;
	char *out;

	if (lex_string_end(l, &end, d))
		return d->code;
	out = arena_alloc(l->arena, 1, end - l->next);
	if (!out)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t i = l->next + 1; i < end; i++) {
		if (quote == '"' && l->text[i] == '\\' &&
		    (l->text[i + 1] == '"' || l->text[i + 1] == '\\'))
			i++;
		out[n++] = l->text[i];
	}
	l->next = end + 1;
	t->kind = LEX_STRING;
	t->text = out;
	t->size = n;
	return ERR_OK;
}

static enum err lex_take_mark(struct lexer *l, struct diag *d)
{
	struct lex_token *t = &l->now;
	char c = lex_peek(l, 0);

	t->kind = LEX_MARK;
	t->size = 1;
	if (c == '.' && lex_peek(l, 1) == '.') {
		t->kind = LEX_DOTS;
		t->size = 2;
	} else if (c == '*' && lex_peek(l, 1) == '=') {
		t->kind = LEX_TIMES;
		t->size = 2;
	} else if (c == ';') {
		t->kind = LEX_STOP;
	} else if (!c || !strchr("=,{}()+-*/", c)) {
		bool shown = c > 0x20 && c < 0x7f;

		return lex_bad(
			l, t->at, ERR_SYNTAX, d,
			shown ? "unexpected '%c'" : "unexpected character", c);
	}
	l->next += t->size;
	return ERR_OK;
}

/* Whether the statement continues after the token, even on a new line. */
static bool lex_continues(const struct lex_token *t)
{
	switch (t->kind) {
	case LEX_DOTS:
	case LEX_TIMES:
		return true;
	case LEX_MARK:
		return t->text[0] != '}' && t->text[0] != ')';
	case LEX_STOP: /* skips empty statements */
		return true;
	default:
		return false;
	}
}

enum err lex_next(struct lexer *l, struct diag *d)
{
	struct lex_token *t = &l->now;
	enum err e = ERR_OK;

	l->end = l->next;
	lex_skip_blanks(l);
	*t = (struct lex_token){ .text = l->text + l->next,
				 .at = lex_place(l) };
	if (l->next >= l->size) {
		t->kind = LEX_END;
	} else if (lex_peek(l, 0) == '\n') {
		t->kind = LEX_STOP;
		t->size = 1;
		l->next++;
		l->line++;
		l->line_start = l->next;
	} else if (lex_is_letter(lex_peek(l, 0)) ||
		   lex_is_digit(lex_peek(l, 0))) {
		t->kind = lex_is_letter(lex_peek(l, 0)) ? LEX_WORD : LEX_NUMBER;
		lex_take_name(l);
		t->size = (size_t)(l->text + l->next - t->text);
	} else if (lex_peek(l, 0) == '"' || lex_peek(l, 0) == '\'') {
		e = lex_take_string(l, d);
	} else {
		e = lex_take_mark(l, d);
	}
	l->more = lex_continues(t);
	return e;
}

bool lex_number(const struct lex_token *t, double *out)
{
	static const char suffixes[] = "KMG";
	size_t n = t->size;
	double v = 0, unit = 1, decimals = 1;
	bool point = false;
	unsigned digits = 0;
	const char *suffix;

	if (t->kind != LEX_NUMBER)
		return false;
	suffix = strchr(suffixes, t->text[n - 1]);
	for (const char *s = suffixes; suffix && s <= suffix; s++)
		unit *= 1024;
	n -= suffix != NULL;
	for (size_t i = 0; i < n; i++) {
		char c = t->text[i];

		if (c == '.' && !point) {
			point = true;
		} else if (lex_is_digit(c) && ++digits <= NUMBER_DIGITS) {
			v = 10 * v + (c - '0');
			decimals *= point ? 10 : 1;
		} else {
			return false;
		}
	}
	*out = v / decimals * unit;
	return true;
}

enum err lex_skip_stops(struct lexer *l, struct diag *d)
{
	while (l->now.kind == LEX_STOP)
		if (lex_next(l, d))
			return d->code;
	return ERR_OK;
}

enum err lex_end_statement(struct lexer *l, struct diag *d)
{
	if (l->now.kind == LEX_STOP)
		return lex_next(l, d);
	if (l->now.kind == LEX_END || lex_is(l, '}'))
		return ERR_OK;
	return lex_expected(l, "the end of the statement", d);
}

enum err lex_take(struct lexer *l, char mark, struct diag *d)
{
	char what[] = { '\'', mark, '\'', '\0' };

	if (!lex_is(l, mark))
		return lex_expected(l, what, d);
	return lex_next(l, d);
}

enum err lex_string(struct lexer *l, const char **out, struct diag *d)
{
	char *text = NULL;
	size_t size = 0, room = 0;

	if (l->now.kind != LEX_STRING)
		return lex_expected(l, "a text in quotes", d);
	while (l->now.kind == LEX_STRING) {
		size_t need = size + l->now.size + 1;

		if (need > room) {
			char *more = arena_alloc(l->arena, 2, need);

			if (!more)
				return fail(d, ERR_NOMEM, "out of memory");
			memcpy(more, text ? text : "", size);
			text = more;
			room = 2 * need;
		}
		memcpy(text + size, l->now.text, l->now.size);
		size += l->now.size;
		if (lex_next(l, d))
			return d->code;
	}
	*out = text;
	return ERR_OK;
}

enum err lex_name(struct lexer *l, const char **out, struct diag *d)
{
	if (l->now.kind == LEX_STRING) {
		struct sweep_place at = l->now.at;

		if (lex_string(l, out, d))
			return d->code;
		return **out ? ERR_OK :
			       lex_bad(l, at, ERR_SYNTAX, d,
				       "the name is empty");
	}
	if (l->now.kind != LEX_WORD)
		return lex_expected(l, "a name", d);
	*out = arena_strndup(l->arena, l->now.text, l->now.size);
	return *out ? lex_next(l, d) : fail(d, ERR_NOMEM, "out of memory");
}

enum err lex_count(struct lexer *l, double min, double max, double *out,
		   struct diag *d)
{
	if (!lex_number(&l->now, out))
		return lex_expected(l, "a number", d);
	if (*out < min || *out > max)
		return lex_bad(l, l->now.at, ERR_RANGE, d,
			       "expected a number from %.0f to %.0f", min, max);
	return lex_next(l, d);
}

enum err lex_switch(struct lexer *l, bool *out, struct diag *d)
{
	*out = lex_is_word(l, "yes") || lex_is_word(l, "true");
	if (!*out && !lex_is_word(l, "no") && !lex_is_word(l, "false"))
		return lex_expected(l, "yes or no", d);
	return lex_next(l, d);
}
