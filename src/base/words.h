/* How similar two words are, for messages that ask "did you mean". */
#ifndef HEDDLE_BASE_WORDS_H
#define HEDDLE_BASE_WORDS_H

#include <stddef.h>

/* Longer words are not compared. */
#define WORD_LONGEST 64

/*
 * The Levenshtein distance of a, m characters long, and b, n characters long;
 * more than WORD_LONGEST if one of them is longer than that.
 */
size_t word_distance(const char *a, size_t m, const char *b, size_t n);

/* The candidate most similar to a misspelt word. Set `word`, the rest to 0. */
struct nearest {
	const char *word;
	const char *best;
	size_t distance;
};
void nearest_offer(struct nearest *n, const char *candidate);
/* NULL if no candidate is similar enough to have been meant. */
const char *nearest_best(const struct nearest *n);

#endif
