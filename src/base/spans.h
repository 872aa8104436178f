/*
 * Spans of time of several kinds, for pictures. However many there are, at most
 * SPANS_MOST are kept: when there is no more room, those of a kind that lie close
 * together become one.
 *
 * Owner:   whoever holds it; all zero is an empty one.
 */
#ifndef HEDDLE_BASE_SPANS_H
#define HEDDLE_BASE_SPANS_H

#include <stdint.h>

enum { SPANS_MOST = 1024, SPANS_KINDS = SPANS_MOST / 4 };

struct span {
	uint64_t begin, end;
	uint32_t kind;
	uint64_t count; /* how many it stands for */
};

struct spans {
	struct span at[SPANS_MOST]; /* those of a kind in order */
	unsigned count;
	uint64_t gap; /* at which two become one */
};

/* kind: below SPANS_KINDS. */
void spans_add(struct spans *s, uint32_t kind, uint64_t begin, uint64_t end);

#endif
