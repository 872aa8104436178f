#include <stdlib.h>
#include <string.h>

#include "door/cli/engines.h"

/* Copies one word without its quotes; returns what follows it, NULL: a quote
 * is not closed. */
static const char *take_word(char **to, const char *p)
{
	char quote = 0;

	for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
		else if (*p == '\\' && quote != '\'' && p[1])
			*(*to)++ = *++p;
		else
			*(*to)++ = *p;
	}
	*(*to)++ = '\0';
	return quote ? NULL : p;
}

enum err words_split(struct words *words, char **text, const char *line,
		     struct diag *d)
{
	const char *p = line + strspn(line, " \t\n");
	char *to = *text = malloc(strlen(line) + 1);

	if (!to)
		return fail(d, ERR_NOMEM, "out of memory");
	while (*p) {
		if (words_add(words, to, d))
			return d->code;
		p = take_word(&to, p);
		if (!p)
			return fail(d, ERR_SYNTAX,
				    "'%.200s': a quote is not closed", line);
		p += strspn(p, " \t\n");
	}
	if (!words->count)
		return fail(d, ERR_SYNTAX, "a program's name is empty");
	return ERR_OK;
}
