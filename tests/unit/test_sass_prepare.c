/*
 * What executors of machine code are told of an instruction.
 */
#include <inttypes.h>
#include <stdio.h>
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

/*
 * What was recorded on an H200 (tests/sass/forms.txt) holds for the other
 * architectures, too, where an instruction is written the same: its executor is
 * told the same, though its bits may lie elsewhere.
 */
struct renamed {
	const char *old, *new; /* names before sm_89, and on sm_90 */
};

static const struct renamed renamed[] = {
	{ "F2FP.PACK_AB", "F2FP.F16.F32.PACK_AB" },
	{ "F2FP.PACK_AB.RZ", "F2FP.F16.F32.PACK_AB.RZ" },
	{ "F2FP.RELU.PACK_AB", "F2FP.RELU.F16.F32.PACK_AB" },
	{ "F2FP.BF16.PACK_AB", "F2FP.BF16.F32.PACK_AB" },
	{ "F2FP.BF16.PACK_AB.RZ", "F2FP.BF16.F32.PACK_AB.RZ" },
	{ "F2FP.MERGE_C", "F2FP.F16.F32.MERGE_C" },
	{ "F2FP.BF16.MERGE_C", "F2FP.BF16.F32.MERGE_C" },
};

/* The text of sm_90 as an older architecture writes it. */
static void old_text(char *out, size_t room, const char *text)
{
	size_t n = strcspn(text, " ");

	snprintf(out, room, "%s", text);
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (strlen(renamed[i].new) == n &&
		    !strncmp(renamed[i].new, text, n))
			snprintf(out, room, "%s%s", renamed[i].old, text + n);
}

static bool same_inst(const struct inst *a, const struct inst *b)
{
	return a->exec == b->exec && a->m == b->m && a->k == b->k &&
	       a->width == b->width && a->count == b->count &&
	       a->offset == b->offset;
}

static struct inst prepared_of(const struct sass_inst *s)
{
	struct inst in = { .exec = sass_exec_table[sass_op_of(s)] };

	sass_prepare(&in, s);
	return in;
}

/* 1: an older architecture has the instruction, in its own encoding or by another
 * name, and is told the same; -1: something else. */
static int compare_form(unsigned sm, const struct sass_inst *new,
			const uint64_t word[2], const char *text)
{
	struct inst want = prepared_of(new), got;
	char old[300];
	struct sass_inst s;
	struct diag d = { 0 };

	if (sass_decode(&s, sm, word) != SASS_DECODED || s.enc != new->enc) {
		old_text(old, sizeof(old), text);
		if (sass_parse(&s, sm, 0, old, &d))
			return 0;
	}
	got = prepared_of(&s);
	if (same_inst(&want, &got))
		return 1;
	fprintf(stderr, "sm_%u: %s\n", sm, text);
	return -1;
}

TEST(sass_prepare, older_architectures_compute_what_was_recorded)
{
	static const struct {
		unsigned sm, least;
	} older[] = { { 70, 2984 },
		      { 75, 4373 },
		      { 80, 4987 },
		      { 86, 5197 },
		      { 89, 5250 } };
	FILE *f = fopen(HEDDLE_SOURCE_DIR "/tests/sass/forms.txt", "r");
	unsigned same[5] = { 0 }, wrong = 0;
	char line[300];

	OK(f);
	while (fgets(line, sizeof(line), f)) {
		struct sass_inst new;
		uint64_t word[2];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		EQ(2, sscanf(line, "%*d %" SCNx64 " %" SCNx64 " %n", &word[0],
			     &word[1], &at));
		EQ(SASS_DECODED, sass_decode(&new, 90, word));
		for (unsigned i = 0; i < 5; i++) {
			int r = compare_form(older[i].sm, &new, word,
					     line + at);

			same[i] += r > 0;
			wrong += r < 0;
		}
	}
	fclose(f);
	EQ(0, wrong);
	for (unsigned i = 0; i < 5; i++)
		OK(same[i] >= older[i].least);
}
