/*
 * Into the host's cache, ahead of time: what is going to be looked at and, but
 * for fetch_shared, written to. Always inline: a compiler may drop the call of a
 * function that does nothing else.
 */
#ifndef HEDDLE_BASE_FETCH_H
#define HEDDLE_BASE_FETCH_H

#include <stddef.h>

enum { FETCH_LINE = 64 }; /* bytes */

/* For now. */
static inline __attribute__((always_inline)) void fetch_soon(const void *from,
							     size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 1);
}

/* For a while later: not into the nearest cache, which is small. */
static inline __attribute__((always_inline)) void fetch_early(const void *from,
							      size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 1, 2);
}

/* For now, only to be looked at: other cores may keep theirs. */
static inline __attribute__((always_inline)) void fetch_shared(const void *from,
							       size_t bytes)
{
	for (size_t i = 0; i < bytes; i += FETCH_LINE)
		__builtin_prefetch((const char *)from + i, 0);
}

#endif
