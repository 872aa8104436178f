/*
 * The return path from the LSU to the registers, lsu.return_width bytes a
 * cycle.
 *
 *   result due in cycle `ready` --> [ cells ] --> cycle in which it has passed
 *
 * There is a cell for each of the next cycles: the bytes that are still free in
 * it. Results become known in another order than they pass, so a result may use
 * cycles before those of an earlier one. Beyond the last cell, results queue.
 *
 * Models:  the width that results share; a result of more than 128 bytes takes
 *          longer by the rest of it.
 * Does not model: ports of register banks, conflicts with other writes.
 * Owner:   the LSU.
 */
#ifndef HEDDLE_SM_BACK_H
#define HEDDLE_SM_BACK_H

#include <stdbool.h>

#include "base/cycle.h"
#include "base/diag.h"

enum {
	BACK_CELLS = 1024,
	BACK_PAST = 64,  /* cells for cycles before the present one */
	BACK_FREE = 128, /* bytes that pass in time for `ready` */
	/* Results begin to pass at most so many cycles before they are
	 * known. */
	BACK_LATE = 32,
	/* Full cells that are not noted as such (back.full_from) before one that
	 * is not full, at most. */
	BACK_NEAR = 2
};

typedef uint16_t back_cell;   /* bytes left, or: */
#define BACK_FRESH UINT16_MAX /* unused: all bytes */
/* Cells in a line of the host's cache. When the cycles of a whole line are
 * past, its cells are reused for future cycles. */
enum { BACK_LINE = 64 / sizeof(back_cell) };

struct back {
	uint32_t width;
	uint32_t lead; /* cycles before `ready` that data starts */
	/* Cells with no bytes left: none, or more than BACK_NEAR. */
	cycle_t full_from, full_to;
	cycle_t turn;            /* when the next line of cells is past */
	cycle_t at;              /* no later cell was used */
	cycle_t over_from, over; /* results beyond the cells */
	_Alignas(64) back_cell cell[BACK_CELLS];
};

void back_init(struct back *b, uint32_t width);

/* back_pass of any result. */
cycle_t back_pass_any(struct back *b, cycle_t now, cycle_t ready,
		      uint32_t bytes);

/* The cell of cycle c. */
static inline back_cell *back_of(struct back *b, cycle_t c)
{
	return &b->cell[c % BACK_CELLS];
}

/* The bytes left in it. If it is unused and stays so, it need not be noted. */
static inline uint32_t back_left(struct back *b, cycle_t c)
{
	back_cell *cell = back_of(b, c);

	if (*cell != BACK_FRESH)
		return *cell;
	if (UNLIKELY(c < b->over && c >= b->over_from))
		return *cell = 0;
	return b->width;
}

/* When the data of a result start to pass, if they can. */
static inline cycle_t back_from(const struct back *b, cycle_t ready)
{
	return ready > b->lead ? ready - b->lead : 0;
}

/* The cycle after the last one that has a cell. */
static inline cycle_t back_end(cycle_t now)
{
	return now + BACK_CELLS - BACK_PAST;
}

/* Whether cycle c is one of those that are known to have no bytes left. */
static inline bool back_is_full(const struct back *b, cycle_t c)
{
	return c < b->full_to && c >= b->full_from;
}

/*
 * Returns the cycle in which a result of `bytes` bytes can be read. If it were
 * alone and had 128 bytes, that would be `ready`, which is not before `now`.
 * `now` never decreases.
 */
static inline cycle_t back_pass(struct back *b, cycle_t now, cycle_t ready,
				uint32_t bytes)
{
	cycle_t from = back_from(b, ready), c = from;

	if (back_is_full(b, from))
		c = b->full_to;
	if (LIKELY(bytes - 1 < b->width && now < b->turn &&
		   c + BACK_NEAR < back_end(now))) {
		uint32_t left = back_left(b, c);
		bool skipped = c != from;

		for (int n = BACK_NEAR; !left && n; n--)
			left = back_left(b, ++c);
		if (LIKELY(left >= bytes)) {
			left -= bytes;
			*back_of(b, c) = (back_cell)left;
			b->at = b->at > c ? b->at : c;
			if (skipped)
				b->full_to = c + !left;
			return c + 1 > ready ? c + 1 : ready;
		}
	}
	return back_pass_any(b, now, ready, bytes);
}

/* Brings the cells of the next cycles into the host's cache. */
void back_prefetch(const struct back *b);

#endif
