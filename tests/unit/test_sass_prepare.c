/*
 * What executors of machine code are told of an instruction.
 */
#include <string.h>

#include "isa/sass/exec_alu.h"
#include "test.h"

static struct inst prepared(unsigned sm, const char *text)
{
	struct inst in = { 0 };
	struct sass_inst s;
	struct diag d = { 0 };

	if (sass_parse(&s, sm, 0, text, &d))
		STREQ("", d.text);
	in.exec = sass_exec_table[sass_op_of(&s)];
	sass_prepare(&in, &s);
	return in;
}

/* Where the executor finds the part of B that the instruction converts. */
static unsigned shift_of(unsigned sm, const char *text)
{
	return prepared(sm, text).width;
}

TEST(sass_prepare, conversions_read_the_part_that_is_named)
{
	EQ(0, shift_of(90, "F2F.F32.F16 R3, R2"));
	EQ(16, shift_of(90, "F2F.F32.F16 R3, R2.H1"));
	EQ(16, shift_of(90, "F2F.F32.BF16 R3, |R2.H1|"));
	EQ(16, shift_of(80, "F2I.U32.F16.TRUNC.NTZ R3, c[0x0] [0x160].H1"));
	EQ(16, shift_of(90, "MUFU.EX2.F16 R3, R2.H1"));
	EQ(16, shift_of(90, "MUFU.TANH.BF16 R3, R2.H1"));
	EQ(16, shift_of(90, "FRND.F16.FLOOR R3, R2.H1"));
	EQ(16, shift_of(80, "I2F.U16 R3, R2.H1"));
	EQ(24, shift_of(80, "I2F.S8 R3, R2.B3"));
	EQ(0, shift_of(80, "I2F.U8 R3, R2"));
}

TEST(sass_prepare, pairs_are_crossed_over_where_the_text_says_so)
{
	EQ(SASS_H1_H1 | SASS_K_CROSSED,
	   prepared(90, "HFMA2 R11, R5.H1_H1, R6.H0_NH1, R0").k);
	EQ(SASS_H1_H1, prepared(90, "HFMA2 R11, R5.H1_H1, R6, R0").k);
}
