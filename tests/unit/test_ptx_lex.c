/* The lexer: PTX text to tokens. */
#include <string.h>

#include "isa/ptx/lex.h"
#include "test.h"

static struct ptx_lex lex;
static struct ptx_tok tok;

static void start(const char *text)
{
	ptx_lex_init(&lex, text, strlen(text));
}

static int next(void)
{
	ptx_lex_next(&lex, &tok);
	return tok.kind;
}

static bool text_is(const char *want)
{
	return tok.size == strlen(want) && !memcmp(tok.text, want, tok.size);
}

static void reads_int(const char *text, uint64_t bits, bool is_unsigned)
{
	start(text);
	EQ(PTX_TOK_INT, next());
	EQ(bits, tok.bits);
	EQ(is_unsigned, tok.is_unsigned);
	EQ(PTX_TOK_END, next());
}

static void reads_f64(const char *text, double want)
{
	double got;

	start(text);
	EQ(PTX_TOK_F64, next());
	memcpy(&got, &tok.bits, sizeof(got));
	EQ(want, got);
	EQ(PTX_TOK_END, next());
}

static void is_bad(const char *text, const char *why)
{
	start(text);
	EQ(PTX_TOK_BAD, next());
	STREQ(why, lex.wrong);
}

TEST(ptx_lex, names_may_have_dollars_underscores_and_a_percent)
{
	start("x $L_1 %r5 _ _Z3foo");
	EQ(PTX_TOK_NAME, next());
	OK(text_is("x"));
	EQ(PTX_TOK_NAME, next());
	OK(text_is("$L_1"));
	EQ(PTX_TOK_NAME, next());
	OK(text_is("%r5"));
	EQ(PTX_TOK_NAME, next());
	OK(text_is("_"));
	EQ(PTX_TOK_NAME, next());
	OK(text_is("_Z3foo"));
	EQ(PTX_TOK_END, next());
}

TEST(ptx_lex, a_percent_before_a_digit_is_the_operator)
{
	start("7 %4");
	EQ(PTX_TOK_INT, next());
	EQ('%', next());
	EQ(PTX_TOK_INT, next());
}

TEST(ptx_lex, words_come_without_their_dot)
{
	start(".global .param::entry");
	EQ(PTX_TOK_WORD, next());
	OK(text_is("global"));
	EQ(PTX_TOK_WORD, next());
	OK(text_is("param::entry"));
}

TEST(ptx_lex, integers_of_every_base)
{
	reads_int("0", 0, false);
	reads_int("42", 42, false);
	reads_int("052", 42, false);
	reads_int("0x2a", 42, false);
	reads_int("0X2A", 42, false);
	reads_int("0b101010", 42, false);
	reads_int("42U", 42, true);
	reads_int("9223372036854775807", INT64_MAX, false);
	reads_int("9223372036854775808", (uint64_t)INT64_MAX + 1, true);
	reads_int("0xFFFFFFFFFFFFFFFF", UINT64_MAX, true);
}

TEST(ptx_lex, numbers_over_64_bits_are_refused)
{
	is_bad("18446744073709551616", "the number does not fit in 64 bits");
	is_bad("0x10000000000000000", "the number does not fit in 64 bits");
}

TEST(ptx_lex, malformed_numbers_are_refused)
{
	is_bad("0x", "the number has no digits");
	is_bad("0b", "the number has no digits");
	is_bad("0b2", "the number has no digits");
	is_bad("09", "malformed number");
	is_bad("12ab", "malformed number");
	is_bad("0f3F80000", "0f needs 8 hexadecimal digits");
	is_bad("0d3F800000", "0d needs 16 hexadecimal digits");
	is_bad("0f3F8000001", "malformed number");
}

TEST(ptx_lex, floating_point_numbers_by_bits_and_by_value)
{
	start("0f3F800000 0d3FF0000000000000");
	EQ(PTX_TOK_F32, next());
	EQ(0x3f800000u, tok.bits);
	EQ(PTX_TOK_F64, next());
	EQ(0x3ff0000000000000u, tok.bits);
	reads_f64("1.5", 1.5);
	reads_f64("1e3", 1000.0);
	reads_f64("2.5e-1", 0.25);
	reads_f64(".5", 0.5);
	reads_f64("0.1", 0.1);
}

TEST(ptx_lex, operators_of_two_characters)
{
	static const int want[] = { PTX_TOK_SHL, PTX_TOK_SHR, PTX_TOK_LE,
				    PTX_TOK_GE,  PTX_TOK_EQ,  PTX_TOK_NE,
				    PTX_TOK_AND, PTX_TOK_OR,  '<',
				    '>',         '=',         '!',
				    '&',         '|',         PTX_TOK_END };

	start("<< >> <= >= == != && || < > = ! & |");
	for (int i = 0; i < 15; i++)
		EQ(want[i], next());
}

TEST(ptx_lex, comments_and_lines_are_counted)
{
	start("a /* one\n two */ b // c d\n\t e");
	next();
	EQ(1, tok.loc.line);
	EQ(1, tok.loc.col);
	next();
	EQ(2, tok.loc.line);
	EQ(9, tok.loc.col);
	next();
	OK(text_is("e"));
	EQ(3, tok.loc.line);
	EQ(3, tok.loc.col);
}

TEST(ptx_lex, an_open_comment_or_string_is_refused)
{
	is_bad("/* for ever", "the comment is not closed");
	is_bad("\"abc\n\"", "the string is not closed on its line");
	is_bad("\"abc", "the string is not closed on its line");
	is_bad("#", "PTX does not use this character");
	is_bad(". x", "expected a word after the dot");
}

TEST(ptx_lex, strings_keep_their_escapes)
{
	start("\"a\\\"b\"");
	EQ(PTX_TOK_STRING, next());
	OK(text_is("a\\\"b"));
	EQ(PTX_TOK_END, next());
	start("\"\"");
	EQ(PTX_TOK_STRING, next());
	OK(text_is(""));
	EQ(PTX_TOK_END, next());
}

TEST(ptx_lex, an_opcode_is_a_name_with_its_words)
{
	start("ld.param::entry.v4.u32 %r1");
	EQ(PTX_TOK_NAME, next());
	ptx_lex_opcode(&lex, &tok);
	OK(text_is("ld.param::entry.v4.u32"));
	EQ(PTX_TOK_NAME, next());
	OK(text_is("%r1"));
}

TEST(ptx_lex, an_opcode_written_with_spaces_is_joined)
{
	start("tex .2d /* x */ .v4\n.f32.f32 a");
	next();
	ptx_lex_opcode(&lex, &tok);
	OK(text_is("tex.2d.v4.f32.f32"));
	next();
	EQ(2, tok.loc.line);
	OK(text_is("a"));
}

TEST(ptx_lex, an_endless_opcode_is_refused)
{
	char text[1000] = "a";

	for (int i = 0; i < 300; i++)
		strcat(text, ".b");
	start(text);
	next();
	ptx_lex_opcode(&lex, &tok);
	EQ(PTX_TOK_BAD, tok.kind);
}

TEST(ptx_lex, braces_are_skipped_with_what_is_in_them)
{
	start("{ .b8 1 { \"}\" } // }\n /* } */ } x");
	next();
	OK(ptx_lex_skip_braces(&lex));
	next();
	OK(text_is("x"));
	start("{ {");
	next();
	OK(!ptx_lex_skip_braces(&lex));
}

TEST(ptx_lex, a_nul_inside_the_text_is_no_end)
{
	ptx_lex_init(&lex, "a\0b", 3);
	EQ(PTX_TOK_NAME, next());
	EQ(PTX_TOK_BAD, next());
}
