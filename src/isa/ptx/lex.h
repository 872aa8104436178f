/*
 * PTX text into tokens. One token is current; nothing is read ahead, so that
 * the reader may ask for an opcode's whole dotted text, or skip a section
 * unread, right after the token it stands on.
 *
 * The text must be followed by a NUL that does not count.
 */
#ifndef HEDDLE_ISA_PTX_LEX_H
#define HEDDLE_ISA_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/ptx/module.h"

/* Punctuation is its own character. */
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
	PTX_TOK_BAD /* see ptx_lex.wrong */
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
	struct ptx_loc comment;      /* where the last one started */
	const char *wrong;           /* why the last token is BAD */
	char opcode[PTX_OPCODE_MAX]; /* one that was written with spaces */
};

void ptx_lex_init(struct ptx_lex *l, const char *text, size_t size);
void ptx_lex_next(struct ptx_lex *l, struct ptx_tok *t);
/* Makes of the name in *t, the current token, an opcode with its .words. */
void ptx_lex_opcode(struct ptx_lex *l, struct ptx_tok *t);
/* What comes next but for white space and comments; moves up to it. */
int ptx_lex_peek(struct ptx_lex *l);
/* Skips text up to the brace that closes one already read. */
bool ptx_lex_skip_braces(struct ptx_lex *l);
void ptx_lex_skip_line(struct ptx_lex *l);

uint32_t ptx_hash(const char *s, size_t n);

#endif
