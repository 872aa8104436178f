#include "stat/cpu.h"

#include <inttypes.h>

/* clang-format off */
const struct cpu_stat_row cpu_stat_rows[] = {
#define STAT(name, unit, doc) \
	{ #name, unit, doc, offsetof(struct cpu_stats, name), false },
#define SLOT_USE(name, doc) \
	{ #name, "slot", doc, offsetof(struct cpu_stats, name), true },
#include "stat/cpu.def"
};
const unsigned cpu_stat_count =
	sizeof(cpu_stat_rows) / sizeof(cpu_stat_rows[0]);

static const size_t cpu_slot_places[CPU_SLOT_USES] = {
#define SLOT_USE(name, doc) [CPU_SLOT_##name] = offsetof(struct cpu_stats, name),
#include "stat/cpu.def"
};

struct cpu_stat_law {
	const char *text;
	bool (*holds)(const struct cpu_stats *s);
};

#define CPU_LAW_NAME2(line) cpu_law_##line
#define CPU_LAW_NAME(line) CPU_LAW_NAME2(line)
#define LAW(...) \
	static bool CPU_LAW_NAME(__LINE__)(const struct cpu_stats *s) \
	{ return __VA_ARGS__; }
#include "stat/cpu.def"

static const struct cpu_stat_law cpu_stat_laws[] = {
#define LAW(...) { #__VA_ARGS__, CPU_LAW_NAME(__LINE__) },
#include "stat/cpu.def"
};
/* clang-format on */

static uint64_t *cpu_stat_at(const struct cpu_stats *s, size_t at)
{
	return (uint64_t *)(void *)((char *)(uintptr_t)s + at);
}

uint64_t cpu_stat_value(const struct cpu_stats *s, const struct cpu_stat_row *r)
{
	return *cpu_stat_at(s, r->at);
}

uint64_t *cpu_stat_slot(struct cpu_stats *s, enum cpu_slot_use use)
{
	return cpu_stat_at(s, cpu_slot_places[use]);
}

void cpu_stats_add(struct cpu_stats *sum, const struct cpu_stats *s)
{
	for (unsigned i = 0; i < cpu_stat_count; i++)
		*cpu_stat_at(sum, cpu_stat_rows[i].at) +=
			*cpu_stat_at(s, cpu_stat_rows[i].at);
}

void cpu_stats_subtract(struct cpu_stats *from, const struct cpu_stats *s)
{
	for (unsigned i = 0; i < cpu_stat_count; i++)
		*cpu_stat_at(from, cpu_stat_rows[i].at) -=
			*cpu_stat_at(s, cpu_stat_rows[i].at);
}

bool cpu_stats_broken_law(const struct cpu_stats *s, struct diag *d)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		sum += *cpu_stat_at(s, cpu_slot_places[i]);
	if (sum != s->slots) {
		fail(d, ERR_MISMATCH,
		     "%" PRIu64 " commit slots have a use or a reason, of "
		     "%" PRIu64,
		     sum, s->slots);
		return true;
	}
	for (size_t i = 0; i < sizeof(cpu_stat_laws) / sizeof(cpu_stat_laws[0]);
	     i++)
		if (!cpu_stat_laws[i].holds(s)) {
			fail(d, ERR_MISMATCH, "%s does not hold",
			     cpu_stat_laws[i].text);
			return true;
		}
	return false;
}
