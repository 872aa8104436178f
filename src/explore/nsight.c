#include "explore/nsight.h"

#include "cfg/cfg.h"
#include "stat/stat.h"

/* clang-format off */

/* The rows of stat_table, in its order, by name. */
enum stat_row {
#define STAT(group, name, unit, doc) ROW_##group##_##name,
#define PEAK(group, name, unit, doc) ROW_##group##_##name,
#define RATIO(group, name, over, under, doc) ROW_##group##_##name,
#include "stat/stat.def"
#define REASON(id, name, doc) ROW_REASON_##id,
#include "stat/stat.def"
#define UNIT(id, name, lanes, doc) ROW_UNIT_##id,
#include "cfg/param.def"
	ROW_COUNT
};

static const struct nsight_name names[] = {
#define NAMED(group, stat, metric, text) \
	[ROW_##group##_##stat] = { .name = metric, .note = text },
#define NAMED_REASON(id, state, word, text) \
	[ROW_REASON_##id] = { .name = state, .suffix = word, .note = text },
#define NAMED_UNIT(id, metric, text) \
	[ROW_UNIT_##id] = { .name = metric, .note = text },
#include "explore/nsight.def"
};

/* No row is missing: the compiler refuses two rows of one statistic. */
enum nsight_rows {
	NSIGHT_ROWS = 0
#define NAMED(group, stat, metric, text) + 1
#define NAMED_REASON(id, state, word, text) + 1
#define NAMED_UNIT(id, metric, text) + 1
#include "explore/nsight.def"
};
_Static_assert((int)NSIGHT_ROWS == (int)ROW_COUNT,
	       "a statistic has no row in explore/nsight.def");

/* clang-format on */

const struct nsight_name *nsight_of(unsigned stat)
{
	return stat < ROW_COUNT ? &names[stat] : NULL;
}
