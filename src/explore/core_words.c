#include "explore/core_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *sm, *cu;
} words[] = {
#define CORE_WORD(sm, cu) { sm, cu },
#include "explore/core_words.def"
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

const char *core_words(char *to, size_t room, const char *text)
{
	const char *at = text;
	size_t used = 0;

	*to = '\0';
	while (*at && used < room) {
		size_t row = row_at(text, at), n = 1;
		const char *from = at;

		at++;
		if (row < WORDS) {
			n = strlen(words[row].cu);
			from = words[row].cu;
			at += strlen(words[row].sm) - 1;
		}
		used += (size_t)snprintf(to + used, room - used, "%.*s", (int)n,
					 from);
	}
	return to;
}
