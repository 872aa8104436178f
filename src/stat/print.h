/*
 * Statistics as text, through a function of the caller's: nothing here prints,
 * allocates or keeps anything.
 *
 * All forms have the groups and statistics in the order of the table, those
 * that are zero too. Counters are exact; a ratio has as many digits as give
 * the same number back, and with nothing under the line there is none.
 */
#ifndef HEDDLE_STAT_PRINT_H
#define HEDDLE_STAT_PRINT_H

#include "stat/stat.h"

struct stat_sink {
	void (*put)(void *ctx, const char *text, size_t n);
	void *ctx;
};

/* What stat.def does not know: the names of stats.unit[0 .. count - 1]. */
struct stat_units {
	const char *const *name;
	unsigned count; /* at most STAT_UNITS */
};

/*
 * {
 *   "l2": {
 *     "reads": 7,
 *     "hit_rate": null
 *   }
 * }
 * with `indent` more spaces before every line but the first, and no newline
 * after the last: the caller may place it inside an object of its own.
 */
void stats_json(const struct stats *s, struct stat_units units, unsigned indent,
		struct stat_sink to);

/* l2.reads,l2.hit_rate: the header, and a row of values. A newline ends
 * each. */
void stats_csv_header(struct stat_units units, struct stat_sink to);
void stats_csv_row(const struct stats *s, struct stat_units units,
		   struct stat_sink to);

/* For a person: aligned columns of name, value, unit and meaning. */
void stats_text(const struct stats *s, struct stat_units units,
		struct stat_sink to);

#endif
