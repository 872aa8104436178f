/*
 * Assignments of a sweep file, and arrays that grow in the sweep's arena.
 */
#ifndef HEDDLE_EXPLORE_SWEEP_VALUES_H
#define HEDDLE_EXPLORE_SWEEP_VALUES_H

#include "explore/sweep_lex.h"

/* KEY = VALUE, VALUE... or KEY *= FACTOR, FACTOR...; ranges are expanded. */
struct sweep_row {
	enum cfg_id id;
	const char *variable; /* "env.NAME"; NULL: a parameter */
	struct sweep_assign *values;
	size_t count;
	struct sweep_place at;
};

/* single: only one value is allowed. */
MUST_USE enum err sweep_row_read(struct sweep_row *row, struct lexer *l,
				 bool single, struct diag *d);

/* Makes room for one more element in an array in the arena, which may move.
 * NULL: out of memory. */
void *sweep_grow(struct arena *a, void *at, size_t count, size_t size);

#endif
