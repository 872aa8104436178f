/* Similarity of words. */
#include "base/words.h"

#include <string.h>

#include "test.h"

static size_t far(const char *a, const char *b)
{
	return word_distance(a, strlen(a), b, strlen(b));
}

TEST(words, the_distance_is_the_fewest_edits)
{
	EQ(0, far("", ""));
	EQ(0, far("warp", "warp"));
	EQ(2, far("warp", "wrap")); /* a swap counts as two */
	EQ(1, far("lane", "lanes"));
	EQ(1, far("lanes", "lane"));
	EQ(3, far("kitten", "sitting"));
	EQ(5, far("", "block"));
}

TEST(words, words_beyond_the_limit_are_not_compared)
{
	char word[WORD_LONGEST + 2];

	memset(word, 'x', sizeof(word));
	EQ(0, word_distance(word, WORD_LONGEST, word, WORD_LONGEST));
	EQ(WORD_LONGEST + 1,
	   word_distance(word, WORD_LONGEST + 1, word, WORD_LONGEST));
}
