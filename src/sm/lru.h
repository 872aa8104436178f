/*
 * The lines of a small cache, least recently used first out: the instruction
 * and constant caches of an SM, which nobody writes.
 *
 * Models:  sets and ways; the victim is the line that was used longest ago, an
 *          empty one first.
 * Does not model: time, sectors, lines in flight: its users do (mem/tags.h has
 *          all of that for data).
 * Owner:   its user. Nothing is allocated after lru_init.
 */
#ifndef HEDDLE_SM_LRU_H
#define HEDDLE_SM_LRU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* No line has this number; also: no place. */
#define LRU_NO_LINE UINT64_MAX
#define LRU_NOWHERE UINT32_MAX

struct lru {
	uint32_t set_mask, ways;
	uint32_t recent; /* the place that was used last */
	uint64_t clock;
	/* By set and way; separate arrays, so that a search reads few of the
	 * host's cache lines. */
	uint64_t *line;
	uint64_t *used; /* clock at its last use; 0: never */
};

/* False: no memory. The number of sets must be a power of two. */
static inline bool lru_init(struct lru *c, struct arena *a, int64_t bytes,
			    int64_t line, int64_t ways)
{
	int64_t sets = bytes / (line * ways);

	CHECK(sets > 0 && !(sets & (sets - 1)));
	c->set_mask = (uint32_t)sets - 1;
	c->ways = (uint32_t)ways;
	c->line = arena_new(a, uint64_t, (size_t)(sets * ways));
	c->used = arena_new(a, uint64_t, (size_t)(sets * ways));
	return c->line && c->used;
}

/* The number of lines that it holds. */
static inline uint32_t lru_lines(const struct lru *c)
{
	return (c->set_mask + 1) * c->ways;
}

static inline void lru_empty(struct lru *c)
{
	for (uint32_t i = 0; c->line && i < lru_lines(c); i++) {
		c->line[i] = LRU_NO_LINE;
		c->used[i] = 0;
	}
	c->clock = 0;
	c->recent = 0;
}

/* The place of a line, below lru_lines, or LRU_NOWHERE. Is no use of it. */
static inline uint32_t lru_find(const struct lru *c, uint64_t line)
{
	uint32_t at = ((uint32_t)line & c->set_mask) * c->ways;

	for (uint32_t end = at + c->ways; at < end; at++)
		if (c->line[at] == line)
			return at;
	return LRU_NOWHERE;
}

/* The same, and the line is used. */
static inline uint32_t lru_use(struct lru *c, uint64_t line)
{
	uint32_t at = c->recent;

	if (LIKELY(c->line[at] == line)) /* then nothing changes */
		return at;
	at = lru_find(c, line);
	if (at != LRU_NOWHERE) {
		c->used[at] = ++c->clock;
		c->recent = at;
	}
	return at;
}

/* Replaces the line of its set that was used longest ago; returns its place. */
static inline uint32_t lru_put(struct lru *c, uint64_t line)
{
	uint32_t at = ((uint32_t)line & c->set_mask) * c->ways, min = at;

	for (uint32_t w = at + 1; w < at + c->ways; w++)
		if (c->used[w] < c->used[min])
			min = w;
	c->line[min] = line;
	c->used[min] = ++c->clock;
	c->recent = min;
	return min;
}

#endif
