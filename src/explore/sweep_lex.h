/*
 * Tokens of a sweep file with their places. A newline ends a statement as ';'
 * does, but not after a comma, an operator or an opening bracket.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_LEX_H
#define HEDDLE_EXPLORE_SWEEP_LEX_H

#include "explore/sweep.h"

enum lex_kind {
	LEX_END,
	LEX_STOP, /* a newline or ';' */
	LEX_WORD, /* starts with a letter: sm.count, vary, lru */
	LEX_NUMBER,
	LEX_STRING, /* `text` is its value, in the arena */
	LEX_DOTS,   /* .. */
	LEX_TIMES,  /* *= */
	LEX_MARK    /* one of = , { } ( ) + - * / */
};

struct lex_token {
	enum lex_kind kind;
	const char *text; /* no NUL at its end, except of a string */
	size_t size;
	struct sweep_place at;
};

struct lexer {
	const char *path, *text;
	size_t size, next;
	size_t end; /* of the token before `now` */
	unsigned line;
	size_t line_start;
	bool more;     /* the statement continues on the next line */
	size_t values; /* read so far; see SWEEP_MAX_VALUES */
	struct arena *arena;
	struct lex_token now; /* the current token */
};

/* Reads the next token into l->now. */
MUST_USE enum err lex_next(struct lexer *l, struct diag *d);
bool lex_is(const struct lexer *l, char mark);
bool lex_is_word(const struct lexer *l, const char *word);
/* A diagnosis that begins with the place. */
enum err lex_bad(const struct lexer *l, struct sweep_place at, enum err code,
		 struct diag *d, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* "expected WHAT, found ..." about the current token. */
enum err lex_expected(const struct lexer *l, const char *what, struct diag *d);
/* 12, 0.5, 256K; false: the token is not such a number. */
bool lex_number(const struct lex_token *t, double *out);

/*
 * These consume what they read: l->now is the token after it.
 */
MUST_USE enum err lex_skip_stops(struct lexer *l, struct diag *d);
/* The end of the line or ';'; also '}' and the end of the file, which stay. */
MUST_USE enum err lex_end_statement(struct lexer *l, struct diag *d);
MUST_USE enum err lex_take(struct lexer *l, char mark, struct diag *d);
/* A text in quotes; adjacent ones are joined. */
MUST_USE enum err lex_string(struct lexer *l, const char **out, struct diag *d);
/* A word, or a text in quotes that is not empty. */
MUST_USE enum err lex_name(struct lexer *l, const char **out, struct diag *d);
MUST_USE enum err lex_count(struct lexer *l, double min, double max,
			    double *out, struct diag *d);
/* yes or no */
MUST_USE enum err lex_switch(struct lexer *l, bool *out, struct diag *d);

/* EXPRESSION of cost = EXPRESSION. */
MUST_USE enum err sweep_expr_read(const struct sweep_expr **out,
				  struct lexer *l, struct diag *d);

#endif
