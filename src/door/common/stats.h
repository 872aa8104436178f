/* Reads statistics by their keys. */
#ifndef HEDDLE_COMMON_STATS_H
#define HEDDLE_COMMON_STATS_H

#include "base/diag.h"
#include "heddle/heddle.h"

/* An unknown key is a bug. */
static inline struct heddle_stat stat_of(const struct heddle_stats *s,
					 const char *key)
{
	struct heddle_stat v;

	if (heddle_stats_find(s, key, &v, NULL))
		BUG("unknown statistic");
	return v;
}

static inline uint64_t stat_count_of(const struct heddle_stats *s,
				     const char *key)
{
	return stat_of(s, key).count;
}

#endif
