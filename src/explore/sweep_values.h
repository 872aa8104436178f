/*
 * Assignments of a sweep file: what stands after a parameter, and lists that
 * grow in the sweep's arena.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_VALUES_H
#define HEDDLE_EXPLORE_SWEEP_VALUES_H

#include "explore/sweep_lex.h"

/* KEY = VALUE, VALUE... or KEY *= FACTOR, FACTOR...; ranges are spelt out. */
struct sweep_row {
	enum cfg_id id;
	struct sweep_assign *values;
	size_t count;
	struct sweep_place at;
};

/* `single`: one value and no list. */
MUST_USE enum err sweep_row_read(struct sweep_row *row, struct lexer *l,
				 bool single, struct diag *d);

/* Room for one more in an array of `count` in the arena; NULL: out of memory.
 * What is there is moved now and then. */
void *sweep_grow(struct arena *a, void *at, size_t count, size_t size);

#endif
