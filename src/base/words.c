#include "base/words.h"

#include <string.h>

size_t word_distance(const char *a, size_t m, const char *b, size_t n)
{
	size_t row[WORD_LONGEST + 1];

	if (m > WORD_LONGEST || n > WORD_LONGEST)
		return WORD_LONGEST + 1;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; i < m; i++) {
		size_t diagonal = row[0]++;

		for (size_t j = 0; j < n; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > diagonal + 1)
				best = diagonal + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	size_t far = word_distance(n->word, strlen(n->word), candidate,
				   strlen(candidate));

	/* The beginning of a word is taken to mean that word. */
	if (strlen(n->word) > 1 &&
	    !strncmp(n->word, candidate, strlen(n->word)))
		far = 1;
	if (!n->best || far < n->distance) {
		n->best = candidate;
		n->distance = far;
	}
}

const char *nearest_best(const struct nearest *n)
{
	size_t limit = strlen(n->word) / 3 + 1;

	return n->best && n->distance <= limit ? n->best : NULL;
}
