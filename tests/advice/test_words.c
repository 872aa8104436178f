/* The words of explore/core_words.def, and the places in texts. */
#include <string.h>

#include "test.h"

#include "explore/advice_case.h"

static struct advice_finding f;

static const char *said(const char *text, bool units)
{
	static char to[ADVICE_TEXT];

	snprintf(to, sizeof(to), "%s", text);
	case_words(to, &f, units);
	return to;
}

TEST(advice, words_of_compute_units)
{
	STREQ("Wavefronts wait; 3.5 of 40 wavefronts on a compute unit.",
	      said("Warps wait; 3.5 of 40 warps on an SM.", true));
	STREQ("16 work-groups for 32 compute units: no_block has 2%.",
	      said("16 blocks for 32 SMs: no_block has 2%.", true));
	STREQ("Use less LDS for a work-group, or keep it in the LDS.",
	      said("Use less shared memory for a block, or keep it in shared "
		   "memory.",
		   true));
	STREQ("Warps wait; 3.5 of 40 warps on an SM.",
	      said("Warps wait; 3.5 of 40 warps on an SM.", false));
}

TEST(advice, words_of_a_place_stay)
{
	f = (struct advice_finding){ .file = "src/warps of threads.cl",
				     .line = 6 };
	case_say_place(&f, "warps, most in ");
	STREQ("wavefronts, most in warps of threads.cl:6",
	      said(f.evidence, true));
	STREQ("warps, most in warps of threads.cl:6", said(f.evidence, false));
	f = (struct advice_finding){ 0 };
	case_say_place(&f, "warps, most in ");
	STREQ("", said(f.evidence, true));
}

/* The longest text keeps its end's place within its room. */
TEST(advice, words_of_a_text_that_is_full)
{
	char text[ADVICE_TEXT];

	memset(text, 0, sizeof(text));
	while (strlen(text) + 6 < sizeof(text))
		case_say(text, "warp ");
	case_words(text, &f, true);
	EQ(ADVICE_TEXT - 1, strlen(text));
	OK(!strncmp(text, "wavefront wavefront ", 20));
}
