#include "base/words.h"

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
