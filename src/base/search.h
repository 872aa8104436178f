/*
 * Binary search. The order is an expression rather than a function that is called
 * for each step, so that places that are searched often are as fast as a loop
 * written out.
 */
#ifndef HEDDLE_BASE_SEARCH_H
#define HEDDLE_BASE_SEARCH_H

#include <stddef.h>

/*
 * Sets `at`, a size_t, to the first of n sorted elements that `before` is false
 * for, or to n if there is none. `before` is an expression of `at`: element `at`
 * comes before the one that is looked for.
 */
#define SEARCH_FIRST(at, n, before)                                         \
	do {                                                                \
		size_t search_low = 0, search_high = (n);                   \
		while (search_low < search_high) {                          \
			(at) = search_low + (search_high - search_low) / 2; \
			if (before)                                         \
				search_low = (at) + 1;                      \
			else                                                \
				search_high = (at);                         \
		}                                                           \
		(at) = search_low;                                          \
	} while (0)

#endif
