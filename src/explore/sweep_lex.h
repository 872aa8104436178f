/*
 * The words of a sweep file, and where they stand. A newline ends a statement
 * as ';' does, but not after a comma, an operator or an opening parenthesis.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_LEX_H
#define HEDDLE_EXPLORE_SWEEP_LEX_H

#include "explore/sweep.h"

enum lex_kind {
	LEX_END,
	LEX_STOP, /* a newline or ';' */
	LEX_WORD, /* starts with a letter: sm.count, vary, lru */
	LEX_NUMBER,
	LEX_STRING, /* `text` is what it says, in the arena */
	LEX_DOTS,   /* .. */
	LEX_TIMES,  /* *= */
	LEX_MARK    /* one of = , { } ( ) + - * / */
};

struct lex_token {
	enum lex_kind kind;
	const char *text; /* not ended by a NUL, but of a string */
	size_t size;
	struct sweep_place at;
};

struct lexer {
	const char *path, *text;
	size_t size, next;
	size_t end; /* of the token before the one that is looked at */
	unsigned line;
	size_t line_start;
	bool more;     /* the last token asks for another on the next line */
	size_t values; /* read so far: a file has a limit */
	struct arena *arena;
	struct lex_token now; /* the token that is looked at */
};

/* Goes to the next token. */
MUST_USE enum err lex_next(struct lexer *l, struct diag *d);
bool lex_is(const struct lexer *l, char mark);
bool lex_is_word(const struct lexer *l, const char *word);
/* A diagnosis with the place in front of it. */
enum err lex_bad(const struct lexer *l, struct sweep_place at, enum err code,
		 struct diag *d, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* "expected WHAT, found ..." of the token that is looked at. */
enum err lex_expected(const struct lexer *l, const char *what, struct diag *d);
/* 12, 0.5, 256K; false: the token is no such number. */
bool lex_number(const struct lex_token *t, double *out);

/*
 * What stands there is read, and the next token is looked at.
 */
MUST_USE enum err lex_skip_stops(struct lexer *l, struct diag *d);
/* The end of the line, ';', and without taking it '}' or the file's end. */
MUST_USE enum err lex_end_statement(struct lexer *l, struct diag *d);
MUST_USE enum err lex_take(struct lexer *l, char mark, struct diag *d);
/* A text in quotes; adjacent ones are one. */
MUST_USE enum err lex_string(struct lexer *l, const char **out, struct diag *d);
/* A word, or a text in quotes that is not empty. */
MUST_USE enum err lex_name(struct lexer *l, const char **out, struct diag *d);
MUST_USE enum err lex_count(struct lexer *l, double least, double most,
			    double *out, struct diag *d);
/* yes or no */
MUST_USE enum err lex_switch(struct lexer *l, bool *out, struct diag *d);

/* cost = EXPRESSION, from the token that is looked at. */
MUST_USE enum err sweep_expr_read(const struct sweep_expr **out,
				  struct lexer *l, struct diag *d);

#endif
