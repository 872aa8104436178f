/* How alike two words are: for messages that ask "did you mean". */
#ifndef HEDDLE_BASE_WORDS_H
#define HEDDLE_BASE_WORDS_H

#include <stddef.h>

/* Longer words are not alike. */
#define WORD_LONGEST 64

/*
 * Levenshtein's distance of a, m characters, and b, n characters; more than
 * WORD_LONGEST when one of them is longer than that.
 */
size_t word_distance(const char *a, size_t m, const char *b, size_t n);

/* The candidate most like a misspelt word. */
struct nearest {
	const char *word;
	const char *best;
	size_t distance;
};
void nearest_offer(struct nearest *n, const char *candidate);
/* NULL when nothing offered is near enough to have been meant. */
const char *nearest_best(const struct nearest *n);

#endif
