#include "base/wordlist.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

enum err words_add(struct words *w, const char *word, struct diag *d)
{
	if (w->count == w->room) {
		size_t room = w->room ? 2 * w->room : 8;
		const char **at = realloc(w->at, room * sizeof(*at));

		if (!at)
			return fail(d, ERR_NOMEM, "out of memory");
		w->at = at;
		w->room = room;
	}
	w->at[w->count++] = word;
	return ERR_OK;
}

enum err words_add_all(struct words *w, const char *const *words, size_t count,
		       struct diag *d)
{
	for (size_t i = 0; i < count; i++)
		if (words_add(w, words[i], d))
			return d->code;
	return ERR_OK;
}

void words_free(struct words *w)
{
	free(w->at);
	*w = (struct words){ 0 };
}

const char *word_start(const char *line)
{
	return line + strspn(line, BLANKS);
}

bool word_ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);

	return n > m && !strcmp(word + n - m, end);
}

const char *word_unquote(const char *line, char *out)
{
	const char *p = line;
	char quote = 0;

	for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
		if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			*out++ = *++p;
		else
			*out++ = *p;
	}
	*out = '\0';
	return quote ? NULL : p;
}

enum err words_split(struct words *w, char **text, const char *line,
		     struct diag *d)
{
	const char *p = word_start(line);
	char *to = *text = malloc(strlen(line) + 1);

	if (!to)
		return fail(d, ERR_NOMEM, "out of memory");
	while (*p) {
		if (words_add(w, to, d))
			return d->code;
		p = word_unquote(p, to);
		if (!p)
			return fail(d, ERR_SYNTAX,
				    "'%.200s': a quote is not closed", line);
		to += strlen(to) + 1;
		p = word_start(p);
	}
	if (!w->count)
		return fail(d, ERR_SYNTAX, "a program's name is empty");
	return ERR_OK;
}
