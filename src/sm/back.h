/*
 * The way back: the path from the LSU to the registers, lsu.return_width bytes
 * in a cycle.
 *
 *   result known for cycle `ready` --> [ cells ] --> cycle in which it is there
 *
 * A cell says how many bytes of a cycle are free. Results are known in another
 * order than they come in, so a later one may use what an earlier one has left
 * free. Beyond the cells, results queue.
 *
 * Models:  the width that results share; those with more than 128 bytes come
 *          later by the rest of them.
 * Does not model: ports of register banks, conflicts with other writes.
 * Owner:   the LSU.
 */
#ifndef HEDDLE_SM_BACK_H
#define HEDDLE_SM_BACK_H

#include "base/cycle.h"
#include "base/diag.h"

enum {
	BACK_CELLS = 1024,
	BACK_PAST = 64,  /* of the cells, for cycles before the present one */
	BACK_FREE = 128, /* bytes that come in time for `ready` */
	/* Results begin to come at most so long before they are known. */
	BACK_LATE = 32
};

typedef uint16_t back_cell;   /* bytes left, or: */
#define BACK_FRESH UINT16_MAX /* nobody has looked at it */
/* Cells in a line of the host's cache. When the cycles of all of these are
 * past, they become those of cycles to come. */
enum { BACK_LINE = 64 / sizeof(back_cell) };

struct back {
	uint32_t width;
	uint32_t lead;              /* cycles before `ready` that data comes */
	cycle_t full_from, full_to; /* cells with no bytes left */
	cycle_t turn;               /* then a line of cells is past */
	cycle_t at;                 /* the last cell used */
	cycle_t over_from, over;    /* results beyond the cells */
	_Alignas(64) back_cell cell[BACK_CELLS];
};

void back_init(struct back *b, uint32_t width);

/* For back_pass. */
void back_turn(struct back *b, cycle_t now);
cycle_t back_in_parts(struct back *b, cycle_t end, cycle_t ready, cycle_t c,
		      uint32_t bytes);

/* The cell of cycle c. */
static inline back_cell *back_of(struct back *b, cycle_t c)
{
	back_cell *cell = &b->cell[c % BACK_CELLS];

	if (*cell == BACK_FRESH) {
		*cell = (back_cell)b->width;
		if (UNLIKELY(c < b->over && c >= b->over_from))
			*cell = 0;
	}
	return cell;
}

/*
 * The cycle in which a result of so many bytes can be read that could be read
 * in cycle `ready`, which is not before `now`, if it were alone and had 128
 * bytes. `now` never goes back.
 */
static inline cycle_t back_pass(struct back *b, cycle_t now, cycle_t ready,
				uint32_t bytes)
{
	cycle_t c = ready > b->lead ? ready - b->lead : 0;
	cycle_t end = now + BACK_CELLS - BACK_PAST;

	if (UNLIKELY(now >= b->turn))
		back_turn(b, now);
	b->at = c;
	if (LIKELY((c >= b->full_to || c < b->full_from) && bytes && c < end)) {
		back_cell *left = back_of(b, c);

		if (LIKELY(*left >= bytes)) {
			*left -= (back_cell)bytes;
			return c + 1 > ready ? c + 1 : ready;
		}
	}
	return back_in_parts(b, end, ready, c, bytes);
}

/* Brings the cells of the cycles to come into the host's cache. */
void back_prefetch(const struct back *b);

#endif
