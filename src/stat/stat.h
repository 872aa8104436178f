/*
 * Statistics: the counters of every component of the machine, expanded from
 * stat.def. A component increments its counters by name: st->read_hits++.
 * Everything else is done here, after the run; stat/print.h writes them out.
 */
#ifndef HEDDLE_STAT_STAT_H
#define HEDDLE_STAT_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { STAT_UNITS = 16 };

/* clang-format off */
enum reason {
#define REASON(id, name, doc) REASON_##id,
#include "stat/stat.def"
	REASON_COUNT
};

/* struct stat_l2 { uint64_t reads, ...; }; and so on */
#define GROUP(group, title) struct stat_##group {
#define STAT(group, name, unit, doc) uint64_t name;
#define PEAK(group, name, unit, doc) uint64_t name;
#define END(group) };
#include "stat/stat.def"

/* Everything that is counted in one run. */
struct stats {
#define GROUP(group, title) struct stat_##group group;
#include "stat/stat.def"
	/* Cycles of all schedulers, by enum reason: their sum is sm.slots. */
	uint64_t reason[REASON_COUNT];
	/* Warp-instructions by enum unit_class: their sum is sm.instructions. */
	uint64_t unit[STAT_UNITS];
};

/* In the order in which they are printed. */
enum stat_group {
#define GROUP(group, title) STAT_GROUP_##group,
#include "stat/stat.def"
	STAT_GROUP_reason,
	STAT_GROUP_unit,
	STAT_GROUP_COUNT
};
/* clang-format on */

struct stat_group_info {
	const char *name, *title;
};
extern const struct stat_group_info stat_groups[STAT_GROUP_COUNT];

enum stat_kind {
	STAT_COUNTER, /* a STAT row: summed */
	STAT_PEAK,    /* a PEAK row: the maximum over all components */
	STAT_RATE,    /* a RATIO row: a real number */
	STAT_REASON,
	STAT_UNIT
};

/* The table of statistics as data, group by group. */
struct stat_info {
	const char *name; /* NULL for a STAT_UNIT: see struct stat_units */
	enum stat_group group;
	enum stat_kind kind;
	const char *unit; /* "" if there is none */
	const char *doc;
	size_t at; /* offset in struct stats; unused for a ratio */
	/* A ratio's numerator and denominator: as text, and by value. */
	const char *over, *under;
	void (*terms)(const struct stats *s, uint64_t terms[2]);
};
extern const struct stat_info stat_table[];
extern const unsigned stat_count;

/* The value of a statistic that is not a ratio. */
uint64_t stat_value(const struct stat_info *i, const struct stats *s);
/* The value of any statistic; NaN for a ratio whose denominator is 0. */
double stat_real(const struct stat_info *i, const struct stats *s);
/* The statistic called "l2.reads" or "reason.issued", or NULL. */
const struct stat_info *stat_find(const char *key, size_t size);

/* Statistics that launches share while they run at the same time: the rows of
 * stat/together.def. */
struct stat_together {
	const char *key, *why; /* "l2.answers", or "front.*" */
};
extern const struct stat_together stat_together[];
extern const unsigned stat_together_count;
/* Whether a statistic is counted for each launch, whatever runs beside it. */
bool stat_is_own(const struct stat_info *i);
/* Sets those to 0 that are not. */
void stats_keep_own(struct stats *s);

/* A LAW row, or a law between groups. */
struct stat_law {
	const char *group; /* NULL: between groups */
	const char *text;  /* counters are s->name, or s->group.name */
	bool (*holds)(const struct stats *s);
};
extern const struct stat_law stat_laws[];
extern const unsigned stat_law_count;

/* Adds what one component counted; of peaks, keeps the maximum. */
void stats_add(struct stats *to, const struct stats *from);
/* The same for n components that have all counted that, at least one. */
void stats_add_equal(struct stats *to, const struct stats *from, uint64_t n);
/* Computes what was counted between two snapshots; a peak is that of the later
 * one. out may point to one of them. */
void stats_diff(struct stats *out, const struct stats *later,
		const struct stats *earlier);

/* True if a law does not hold at the end of a run. Then *d names the first
 * broken law and the counters in it, with their values. */
bool stats_broken_law(const struct stats *s, struct diag *d);

#endif
