/*
 * Statistics as text, written through the caller's function: nothing here
 * prints, allocates or keeps anything.
 *
 * All formats have the groups and statistics in the order of the table, zeros
 * included. Counters are exact; a ratio has as many digits as it takes to read
 * back the same number. A ratio whose denominator is zero has no value.
 */
#ifndef HEDDLE_STAT_PRINT_H
#define HEDDLE_STAT_PRINT_H

#include "stat/stat.h"

struct stat_sink {
	void (*put)(void *ctx, const char *text, size_t n);
	void *ctx;
};

/* The names of stats.unit[0 .. count - 1], which stat.def does not have. */
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
 * after the last, so that the caller can place it inside its own object. own:
 * only what is counted for each of several launches at once.
 */
void stats_json(const struct stats *s, struct stat_units units, unsigned indent,
		bool own, struct stat_sink to);

/* The header, such as l2.reads,l2.hit_rate, and a row of values. Each ends in a
 * newline. own: what is not counted for each of several launches is empty. */
void stats_csv_header(struct stat_units units, struct stat_sink to);
void stats_csv_row(const struct stats *s, struct stat_units units, bool own,
		   struct stat_sink to);

/* For people: aligned columns of name, value, unit and meaning. */
void stats_text(const struct stats *s, struct stat_units units,
		struct stat_sink to);

#endif
