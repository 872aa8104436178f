#include "sm/back.h"

#include <string.h>

#include "base/minmax.h"

void back_init(struct back *b, uint32_t width)
{
	b->width = width;
	b->lead = (BACK_FREE + width - 1) / width;
	CHECK(b->lead <= BACK_LATE);
	b->turn = BACK_LATE + BACK_LINE;
	memset(b->cell, 0xff, sizeof(b->cell));
}

/* Lines of cells that the results of a window may use. */
enum { PREFETCH = 8 };

void back_prefetch(const struct back *b)
{
	for (unsigned i = 0; i < PREFETCH; i++)
		__builtin_prefetch(
			&b->cell[(b->at + i * BACK_LINE) % BACK_CELLS], 1, 2);
}

/* Recycles cells that are past. */
static void back_turn(struct back *b, cycle_t now)
{
	cycle_t to = (now - BACK_LATE) / BACK_LINE * BACK_LINE;
	cycle_t at = b->turn - BACK_LATE - BACK_LINE;
	/* Cells after the last one used are as they should be: when the SM was
	 * idle for long, these are nearly all. */
	cycle_t stop = b->at < to ? b->at / BACK_LINE * BACK_LINE + BACK_LINE :
				    to;

	_Static_assert(BACK_LATE + BACK_LINE <= BACK_PAST,
		       "cells of the present and the past do not overlap");
	if (stop > at + BACK_CELLS)
		at = stop - BACK_CELLS;
	for (; at < stop; at += BACK_LINE)
		memset(&b->cell[at % BACK_CELLS], 0xff,
		       BACK_LINE * sizeof(back_cell));
	b->turn = to + BACK_LATE + BACK_LINE;
}

/* Queues a result behind the last cell, from cycle c on; returns its end. */
static cycle_t pass_beyond_cells(struct back *b, cycle_t c, uint32_t bytes)
{
	if (c < b->over)
		c = b->over;
	else
		b->over_from = c;
	b->over = c + (bytes + b->width - 1) / b->width;
	return b->over;
}

/* Whether a result takes two cells, which are unused. */
static inline bool takes_two_fresh(struct back *b, cycle_t now, cycle_t from,
				   uint32_t bytes)
{
	return bytes > b->width && bytes <= 2 * b->width && from >= b->over &&
	       from + 1 < back_end(now) && *back_of(b, from) == BACK_FRESH &&
	       *back_of(b, from + 1) == BACK_FRESH;
}

/* Passes it. */
static inline cycle_t pass_two_fresh(struct back *b, cycle_t from,
				     uint32_t bytes)
{
	*back_of(b, from) = 0;
	*back_of(b, from + 1) = (back_cell)(2 * b->width - bytes);
	b->at = max_u64(b->at, from + 2);
	return from + 2;
}

/* back_pass_any for what does not take two fresh cells. Not inlined: that case
 * needs few registers. */
static __attribute__((noinline)) cycle_t
pass_in_cells(struct back *b, cycle_t now, cycle_t ready, uint32_t bytes)
{
	cycle_t end = back_end(now), from = back_from(b, ready), c = from;
	uint32_t left = 1; /* of the last cell */

	/* Skips the full cells, which a backlog of results would search one by
	 * one. */
	if (back_is_full(b, c)) {
		from = b->full_from;
		c = b->full_to;
	}
	for (; bytes; c++) {
		uint32_t has, take;

		if (UNLIKELY(c >= end)) {
			b->at = b->at > c ? b->at : c;
			c = pass_beyond_cells(b, c, bytes);
			return c > ready ? c : ready;
		}
		has = back_left(b, c);
		take = has < bytes ? has : bytes;
		left = has - take;
		*back_of(b, c) = (back_cell)left;
		bytes -= take;
	}
	b->at = b->at > c ? b->at : c;
	/* All before the last one are full now, and the last one may be. */
	if (c - from > BACK_NEAR + 1 &&
	    (c >= b->full_to || from <= b->full_from)) {
		b->full_from = from;
		b->full_to = left ? c - 1 : c;
	}
	return c > ready ? c : ready;
}

cycle_t back_pass_any(struct back *b, cycle_t now, cycle_t ready,
		      uint32_t bytes)
{
	cycle_t from = back_from(b, ready);

	if (UNLIKELY(now >= b->turn))
		back_turn(b, now);
	if (takes_two_fresh(b, now, from, bytes))
		return max_u64(pass_two_fresh(b, from, bytes), ready);
	return pass_in_cells(b, now, ready, bytes);
}
