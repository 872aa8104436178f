/*
 * The statistics of CGM, expanded from stat/cgm.def: st->hits++ where they are
 * counted, sums and words here.
 */
#ifndef HEDDLE_STAT_CGM_H
#define HEDDLE_STAT_CGM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* clang-format off */
/* struct cgm_stat_l1 { uint64_t accesses, ...; }; and so on */
#define GROUP(kind) struct cgm_stat_##kind {
#define STAT(kind, name, unit, doc) uint64_t name;
#define PEAK(kind, name, unit, doc) uint64_t name;
#define END(kind) };
#include "stat/cgm.def"

struct cgm_stats {
#define INSTANCE(kind, name, title) struct cgm_stat_##kind name;
#include "stat/cgm.def"
};

enum cgm_stat_kind {
#define GROUP(kind) CGM_KIND_##kind,
#include "stat/cgm.def"
	CGM_KINDS
};
enum cgm_stat_instance {
#define INSTANCE(kind, name, title) CGM_STATS_##name,
#include "stat/cgm.def"
	CGM_INSTANCES
};
/* clang-format on */

struct cgm_stat_row {
	enum cgm_stat_kind kind;
	const char *name, *unit, *doc;
	size_t at; /* in the kind's struct */
	bool peak;
};
extern const struct cgm_stat_row cgm_stat_rows[];
extern const unsigned cgm_stat_count;

struct cgm_stat_place {
	enum cgm_stat_kind kind;
	const char *name, *title;
	size_t at; /* in struct cgm_stats */
};
extern const struct cgm_stat_place cgm_stat_places[CGM_INSTANCES];

uint64_t cgm_stat_value(const struct cgm_stats *s,
			const struct cgm_stat_place *p,
			const struct cgm_stat_row *r);
/* Adds what one element counted. */
void cgm_stats_add(struct cgm_stats *s, enum cgm_stat_instance to,
		   const void *element);
/* All of them; a maximum stays what it is (of the whole run). */
void cgm_stats_sum(struct cgm_stats *sum, const struct cgm_stats *s);
void cgm_stats_subtract(struct cgm_stats *from, const struct cgm_stats *s);
/* True if a law does not hold; *d names it. */
bool cgm_stats_broken_law(const struct cgm_stats *s, struct diag *d);

#endif
