/*
 * Values over time: rows of everything that a memory system has counted up to a
 * moment. Whoever simulates more than a memory system has columns of its own before
 * them.
 *
 * There are at most CGM_SAMPLES rows, and the last one: when there are so many,
 * neighbours are joined and the interval doubles.
 *
 * Owner:   the arena it was made in.
 */
#ifndef HEDDLE_MEM_CGM_SERIES_H
#define HEDDLE_MEM_CGM_SERIES_H

#include "base/arena.h"
#include "mem/cgm/system.h"

enum { CGM_SAMPLES = 512 };

struct cgm_series {
	uint64_t interval; /* of time */
	unsigned count;
	/* A row's first number is its time, in the owner's cycles; then come the
	 * owner's columns; `memory`: for each of cgm_stat_places its rows of
	 * cgm_stat_rows; `message`: messages by kind; `link`: ticks in which
	 * each link of the ring was busy. */
	unsigned width, memory, message, link, links;
	uint64_t *row;
};

/* own: the owner's columns, the time included. ERR_NOMEM. */
MUST_USE enum err cgm_series_init(struct cgm_series *q, struct arena *a,
				  const struct cgm_system *s, unsigned own,
				  uint64_t interval, struct diag *d);
/* When the next row is due. */
uint64_t cgm_series_due(const struct cgm_series *q);
/* Adds the row of `time`, the memory system's columns filled, and returns it; NULL:
 * it is not due any more, since neighbours have been joined. */
uint64_t *cgm_series_add(struct cgm_series *q, const struct cgm_system *s,
			 uint64_t time);
/* The same with the last row, in the place of one of the same time. */
uint64_t *cgm_series_end(struct cgm_series *q, const struct cgm_system *s,
			 uint64_t time);

#endif
