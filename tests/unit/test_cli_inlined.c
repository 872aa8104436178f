#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/inlined.h"

/*
 * leaf() in lines 1 to 4 of file 1, middle() from line 5 on, the kernel from line
 * 10 on. middle is inlined in line 12, leaf in line 6 of that.
 */
#define CODE                                                     \
	".version 7.2\n.target sm_80, debug\n.address_size 64\n" \
	".entry k()\n{\n"                                        \
	"$B:\n\t.loc\t1 11 3\n\tmov.u32 %r1, 0;\n"               \
	"$T0:\n\t.loc\t1 6 1\n\tmov.u32 %r1, 1;\n"               \
	"$T1:\n\t.loc\t1 2 9\n\tmov.u32 %r1, 2;\n"               \
	"\t.loc\t1 13 1\n\tmov.u32 %r1, 3;\n"                    \
	"\t.loc\t1 2 9\n\tmov.u32 %r1, 4;\n"                     \
	"$T2:\n\t.loc\t1 2 9\n\tmov.u32 %r1, 5;\n"               \
	"$T3:\n\t.loc\t1 14 1\n\tret;\n$E:\n}\n\t.file\t1 \"a.cu\"\n"
/* Codes: 1 the unit, 2 a function with its line, 3 the kernel, 4 a call, 5 a call
 * with others inside. */
#define ABBREV                                                          \
	"\t.section\t.debug_abbrev\n\t{\n"                              \
	".b8 1,17,1,0,0\n"                                              \
	".b8 2,46,0,3,8,58,11,59,11,0,0\n"                              \
	".b8 3,46,1,17,1,18,1,58,11,59,11,0,0\n"                        \
	".b8 4,29,0,49,19,17,1,18,1,88,11,89,11,87,11,0,0\n"            \
	".b8 5\n.b8 29\n.b8 1\n.b8 49\n.b8 19\n.b8 17\n.b8 1\n.b8 18\n" \
	".b8 1,88,11,89,11,87,11,0,0 // the last one\n.b8 0\n\t}\n"
#define INFO                                                       \
	"\t.section\t.debug_info\n\t{\n"                           \
	".b32 0\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n" \
	".b8 2,97,0,1,1\n" /* at 12: a, file 1, line 1 */          \
	".b8 2,98,0,1,5\n" /* at 17: b, file 1, line 5 */          \
	".b8 3\n.b64 $B\n.b64 $E\n.b8 1,10\n"                      \
	".b8 5\n.b32 17\n.b64 $T0\n.b64 $T3\n.b8 1,12,7\n"         \
	".b8 4\n.b32 12\n.b64 $T1\n.b64 $T2\n.b8 1,6,5\n"          \
	".b8 0\n.b8 0\n.b8 0\n\t}\n"
#define DEBUG_LOC "\t.section\t.debug_loc\t{\t}\n"

static char *add_callers(const char *ptx, bool keep)
{
	char *text = strdup(ptx);
	size_t size = strlen(ptx);
	struct diag d = { 0 };

	if (ptx_add_callers(&text, &size, keep, &d))
		STREQ("", d.text);
	EQ(strlen(text), size);
	return text;
}

TEST(cli_inlined, lines_that_were_inlined_name_their_callers)
{
	char *text = add_callers(CODE ABBREV INFO DEBUG_LOC, false);

	STREQ(".version 7.2\n.target sm_80\n.address_size 64\n"
	      ".entry k()\n{\n"
	      "$B:\n\t.loc\t1 11 3\n\tmov.u32 %r1, 0;\n"
	      "$T0:\n\t.loc\t1 12 7\n"
	      "\t.loc\t1 6 1, function_name $L__info_string1, "
	      "inlined_at 1 12 7\n\tmov.u32 %r1, 1;\n"
	      "$T1:\n\t.loc\t1 12 7\n"
	      "\t.loc\t1 6 5, function_name $L__info_string1, "
	      "inlined_at 1 12 7\n"
	      "\t.loc\t1 2 9, function_name $L__info_string0, "
	      "inlined_at 1 6 5\n\tmov.u32 %r1, 2;\n"
	      /* The kernel's own line, though it lies between. */
	      "\t.loc\t1 13 1\n\tmov.u32 %r1, 3;\n"
	      "\t.loc\t1 12 7\n"
	      "\t.loc\t1 6 5, function_name $L__info_string1, "
	      "inlined_at 1 12 7\n"
	      "\t.loc\t1 2 9, function_name $L__info_string0, "
	      "inlined_at 1 6 5\n\tmov.u32 %r1, 4;\n"
	      /* No call of leaf is around it. */
	      "$T2:\n\t.loc\t1 2 9\n\tmov.u32 %r1, 5;\n"
	      "$T3:\n\t.loc\t1 14 1\n\tret;\n$E:\n}\n\t.file\t1 \"a.cu\"\n"
	      "\t.section\t.debug_str\n\t{\n"
	      "$L__info_string0:\n.b8 97,0\n$L__info_string1:\n.b8 98,0\n\t}\n",
	      text);
	free(text);
}

/* The first lines of calls say which function they belong to. */
TEST(cli_inlined, functions_may_lack_their_lines)
{
	static const char abbrev[] = "\t.section\t.debug_abbrev\n\t{\n"
				     ".b8 1,17,1,0,0\n.b8 2,46,0,3,8,0,0\n"
				     ".b8 3,46,1,17,1,18,1,0,0\n"
				     ".b8 4,29,0,49,19,17,1,18,1,88,11,89,11,"
				     "87,11,0,0\n"
				     ".b8 5,29,1,49,19,17,1,18,1,88,11,89,11,"
				     "87,11,0,0\n.b8 0\n\t}\n";
	static const char info[] =
		"\t.section\t.debug_info\n\t{\n"
		".b32 0\n.b8 2\n.b8 0\n.b32 .debug_abbrev\n.b8 8\n.b8 1\n"
		".b8 2,97,0\n.b8 2,98,0\n" /* at 12 and 15 */
		".b8 3\n.b64 $B\n.b64 $E\n"
		".b8 5\n.b32 15\n.b64 $T0\n.b64 $T3\n.b8 1,12,7\n"
		".b8 4\n.b32 12\n.b64 $T1\n.b64 $T2\n.b8 1,6,5\n"
		".b8 0\n.b8 0\n.b8 0\n\t}\n";
	char *want = add_callers(CODE ABBREV INFO DEBUG_LOC, false);
	char ptx[4096], *got;

	snprintf(ptx, sizeof(ptx), "%s%s%s", CODE, abbrev, info);
	got = add_callers(ptx, false);
	STREQ(want, got);
	free(want);
	free(got);
}

TEST(cli_inlined, debugging_information_is_kept_if_wanted)
{
	char *text = add_callers(CODE ABBREV INFO, true);

	OK(strstr(text, ".target sm_80, debug\n") != NULL);
	OK(strstr(text, ".section\t.debug_info\n") != NULL);
	OK(strstr(text, "inlined_at 1 12 7") != NULL);
	free(text);
}

TEST(cli_inlined, a_text_without_such_information_stays_as_it_is)
{
	static const char called[] =
		"\t.loc 1 2 3, function_name $a, inlined_at 1 9 2\n" DEBUG_LOC;
	static const char *const texts[] = {
		"", "\n", ".version 7.2\n.entry k()\n{\n\t.loc\t1 2 3\n}\n",
		called
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *text = add_callers(texts[i], false);

		STREQ(texts[i], text);
		free(text);
	}
}

/* Whatever is cut off or broken, it ends without callers, not in a crash. */
TEST(cli_inlined, broken_information_is_left_out)
{
	static const char whole[] = CODE ABBREV INFO;
	char *cut = strdup(whole), *text;

	for (size_t n = sizeof(CODE); n < sizeof(whole); n++) {
		memcpy(cut, whole, n);
		cut[n] = '\0';
		text = add_callers(cut, false);
		OK(strstr(text, "mov.u32 %r1, 5;") != NULL);
		free(text);
	}
	for (size_t n = sizeof(CODE); n + 1 < sizeof(whole); n++) {
		memcpy(cut, whole, sizeof(whole));
		if (cut[n] < '0' || cut[n] > '9')
			continue;
		cut[n] = cut[n] == '9' ? '0' : '9';
		text = add_callers(cut, false);
		OK(strstr(text, "mov.u32 %r1, 5;") != NULL);
		free(text);
	}
	free(cut);
}
