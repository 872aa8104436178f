/*
 * The lexer: splits PTX text into tokens. It never reads past the current
 * token, so that the parser can read the rest of an opcode, or skip a section,
 * right behind it.
 *
 * The text must be followed by a NUL, which its size does not include.
 */
#ifndef HEDDLE_ISA_PTX_LEX_H
#define HEDDLE_ISA_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/ptx/module.h"

/* A punctuation mark is its own kind: its character. */
enum ptx_tok_kind {
	PTX_TOK_END = 0,
	PTX_TOK_NAME = 256, /* x, $L1, %r5 */
	PTX_TOK_WORD,       /* .global: text is without the dot */
	PTX_TOK_INT,
	PTX_TOK_F32,    /* 0f3F800000 */
	PTX_TOK_F64,    /* 0d..., 1.5 */
	PTX_TOK_STRING, /* text is without the quotes, escapes as written */
	PTX_TOK_SHL,
	PTX_TOK_SHR,
	PTX_TOK_LE,
	PTX_TOK_GE,
	PTX_TOK_EQ,
	PTX_TOK_NE,
	PTX_TOK_AND,
	PTX_TOK_OR,
	PTX_TOK_BAD /* ptx_lex.wrong says why */
};

struct ptx_tok {
	int kind;
	bool is_unsigned; /* 12U, or too large for a signed number */
	struct ptx_loc loc;
	const char *text;
	uint32_t size;
	uint32_t hash; /* of NAME and WORD text */
	uint64_t bits; /* of numbers */
};

enum { PTX_OPCODE_MAX = 160 };

struct ptx_lex {
	const char *at, *end, *line_start;
	uint32_t line;
	struct ptx_loc comment;      /* start of the last comment */
	const char *wrong;           /* why the last token is BAD */
	char opcode[PTX_OPCODE_MAX]; /* an opcode that contains spaces */
};

void ptx_lex_init(struct ptx_lex *l, const char *text, size_t size);
void ptx_lex_next(struct ptx_lex *l, struct ptx_tok *t);
/* Extends *t, the current token and a name, to an opcode with its .words. */
void ptx_lex_opcode(struct ptx_lex *l, struct ptx_tok *t);
/* Skips white space and comments; returns the next character. */
int ptx_lex_peek(struct ptx_lex *l);
/* Skips text up to the brace that closes one already read; false: none does. */
bool ptx_lex_skip_braces(struct ptx_lex *l);
void ptx_lex_skip_line(struct ptx_lex *l);

uint32_t ptx_hash(const char *s, size_t n);

#endif
