/*
 * The statistics of a CPU's cores, expanded from stat/cpu.def: st->loads++ where
 * they are counted, sums, differences and words here.
 */
#ifndef HEDDLE_STAT_CPU_H
#define HEDDLE_STAT_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* clang-format off */
struct cpu_stats {
#define STAT(name, unit, doc) uint64_t name;
#define SLOT_USE(name, doc) uint64_t name;
#include "stat/cpu.def"
};

/* What a commit slot was used for, or why it was not. */
enum cpu_slot_use {
#define SLOT_USE(name, doc) CPU_SLOT_##name,
#include "stat/cpu.def"
	CPU_SLOT_USES
};
/* clang-format on */

struct cpu_stat_row {
	const char *name, *unit, *doc;
	size_t at; /* in struct cpu_stats */
	bool slot;
};
extern const struct cpu_stat_row cpu_stat_rows[];
extern const unsigned cpu_stat_count;

uint64_t cpu_stat_value(const struct cpu_stats *s,
			const struct cpu_stat_row *r);
/* Where the slots of a use are counted. */
uint64_t *cpu_stat_slot(struct cpu_stats *s, enum cpu_slot_use use);
void cpu_stats_add(struct cpu_stats *sum, const struct cpu_stats *s);
void cpu_stats_subtract(struct cpu_stats *from, const struct cpu_stats *s);
/* True if a law does not hold; *d names it. */
bool cpu_stats_broken_law(const struct cpu_stats *s, struct diag *d);

#endif
