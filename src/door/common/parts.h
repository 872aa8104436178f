/*
 * What each SM and each slice did over time, for the maps of a page. Bounded:
 * when there are too many intervals, each two neighbours are joined; where there
 * are too many components, neighbours share a row.
 */
#ifndef HEDDLE_COMMON_PARTS_H
#define HEDDLE_COMMON_PARTS_H

#include "base/jsonwrite.h"
#include "heddle/heddle.h"

enum { PARTS_COLUMNS = 96, PARTS_ROWS = 160, PARTS_INTERVAL = 256 };

/* One kind of components. */
struct part_rows {
	uint64_t count[PARTS_ROWS][PARTS_COLUMNS];
	size_t components, rows;
};

struct part_maps {
	struct part_rows sms, slices;
	uint64_t end[PARTS_COLUMNS]; /* of each column, in cycles */
	size_t columns;
	uint64_t stride, in_last; /* intervals of a column, and of the last */
};

/* Adds an interval. */
void parts_add(struct part_maps *p, uint64_t to, const struct heddle_parts *of);
/* Writes the member "parts"; nothing if there were no intervals. */
void parts_json(const struct part_maps *p, struct json *j);

#endif
