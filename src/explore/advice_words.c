/* The words of advice, and the places in it. */
#include <ctype.h>
#include <string.h>

#include "explore/advice_case.h"

static const struct {
	const char *sm, *cu;
} words[] = {
#define ADVICE_WORD(sm, cu) { sm, cu },
#include "explore/advice_words.def"
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The row that fits at a place of a text; WORDS: none. */
static size_t row_at(const char *text, const char *at)
{
	if (at > text && in_word(at[-1]))
		return WORDS;
	for (size_t i = 0; i < WORDS; i++) {
		size_t n = strlen(words[i].sm);

		if (!strncmp(at, words[i].sm, n) && !in_word(at[n]))
			return i;
	}
	return WORDS;
}

void case_words(char text[ADVICE_TEXT], const struct advice_finding *f,
		bool units)
{
	char was[ADVICE_TEXT], place[ADVICE_TEXT];
	const char *at = was;

	snprintf(was, sizeof(was), "%s", text);
	text[0] = '\0';
	while (*at) {
		size_t row = units ? row_at(was, at) : WORDS;

		if (row < WORDS) {
			case_say(text, "%s", words[row].cu);
			at += strlen(words[row].sm);
		} else if (*at == CASE_PLACE) {
			case_say(text, "%s", advice_place_text(place, f));
			at++;
		} else {
			case_say(text, "%c", *at++);
		}
	}
}
