/*
 * Prefetches data into the host's cache: data that will be read and, except
 * with fetch_shared, written. Always inline, because a compiler may drop a call
 * of a function that does nothing else.
 */
#ifndef HEDDLE_BASE_FETCH_H
#define HEDDLE_BASE_FETCH_H

#include <stddef.h>

enum { FETCH_LINE = 64 }; /* bytes */

/* For use at once. */
static inline __attribute__((always_inline)) void fetch_soon(const void *from,
							     size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 1);
}

/* For use a little later: not into the nearest cache, which is small. */
static inline __attribute__((always_inline)) void fetch_early(const void *from,
							      size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 1, 2);
}

/* For use at once, read only: other cores keep their copies. */
static inline __attribute__((always_inline)) void fetch_shared(const void *from,
							       size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 0);
}

#endif
