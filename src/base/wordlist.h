/*
 * Lists of words: the arguments of a command line, or what an option that may
 * be repeated was given.
 */
#ifndef HEDDLE_BASE_WORDLIST_H
#define HEDDLE_BASE_WORDLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* A growing list of strings. The strings belong to someone else; a NULL may be
 * added, to end an argv. */
struct words {
	const char **at;
	size_t count, room;
};
MUST_USE enum err words_add(struct words *w, const char *word, struct diag *d);
MUST_USE enum err words_add_all(struct words *w, const char *const *words,
				size_t count, struct diag *d);
void words_free(struct words *w);

/*
 * Copies the word at the start of `line` to `out`, as a shell would read it: it
 * ends at a blank, and '...', "..." and \ quote blanks. `out` needs room for
 * the rest of the line. Returns the end of the word, or NULL if a quote is not
 * closed.
 */
const char *word_unquote(const char *line, char *out);
/* Skips blanks: spaces, tabs and newlines. */
const char *word_start(const char *line);
/* Whether `end` ends a word that is longer: a.ptx ends with .ptx. */
bool word_ends_with(const char *word, const char *end);

/*
 * Splits a command line into its words. They point into *text, which is
 * malloc'ed and to be freed after a failure, too. An open quote and an empty
 * line are ERR_SYNTAX.
 */
MUST_USE enum err words_split(struct words *w, char **text, const char *line,
			      struct diag *d);

#endif
