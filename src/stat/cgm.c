#include "stat/cgm.h"

#include "base/minmax.h"

/* clang-format off */
const struct cgm_stat_row cgm_stat_rows[] = {
#define STAT(kind, name, unit, doc) \
	{ CGM_KIND_##kind, #name, unit, doc, \
	  offsetof(struct cgm_stat_##kind, name), false },
#define PEAK(kind, name, unit, doc) \
	{ CGM_KIND_##kind, #name, unit, doc, \
	  offsetof(struct cgm_stat_##kind, name), true },
#include "stat/cgm.def"
};
const unsigned cgm_stat_count =
	sizeof(cgm_stat_rows) / sizeof(cgm_stat_rows[0]);

const struct cgm_stat_place cgm_stat_places[CGM_INSTANCES] = {
#define INSTANCE(kind, name, title) \
	{ CGM_KIND_##kind, #name, title, offsetof(struct cgm_stats, name) },
#include "stat/cgm.def"
};

struct cgm_stat_law {
	enum cgm_stat_kind kind;
	const char *text;
	bool (*holds)(const void *s);
};

#define CGM_LAW_NAME2(kind, line) cgm_law_##kind##_##line
#define CGM_LAW_NAME(kind, line) CGM_LAW_NAME2(kind, line)
#define LAW(kind, ...) \
	static bool CGM_LAW_NAME(kind, __LINE__)(const void *p) \
	{ const struct cgm_stat_##kind *s = p; return __VA_ARGS__; }
#include "stat/cgm.def"

static const struct cgm_stat_law cgm_stat_laws[] = {
#define LAW(kind, ...) \
	{ CGM_KIND_##kind, #__VA_ARGS__, CGM_LAW_NAME(kind, __LINE__) },
#include "stat/cgm.def"
};
/* clang-format on */

static uint64_t *cgm_stat_at(const void *base, size_t at)
{
	return (uint64_t *)(void *)((char *)(uintptr_t)base + at);
}

uint64_t cgm_stat_value(const struct cgm_stats *s,
			const struct cgm_stat_place *p,
			const struct cgm_stat_row *r)
{
	return *cgm_stat_at(s, p->at + r->at);
}

void cgm_stats_add(struct cgm_stats *s, enum cgm_stat_instance to,
		   const void *element)
{
	const struct cgm_stat_place *p = &cgm_stat_places[to];

	for (unsigned i = 0; i < cgm_stat_count; i++) {
		const struct cgm_stat_row *r = &cgm_stat_rows[i];
		uint64_t *sum = cgm_stat_at(s, p->at + r->at);
		uint64_t v;

		if (r->kind != p->kind)
			continue;
		v = *cgm_stat_at(element, r->at);
		*sum = r->peak ? max_u64(*sum, v) : *sum + v;
	}
}

void cgm_stats_sum(struct cgm_stats *sum, const struct cgm_stats *s)
{
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		cgm_stats_add(sum, (enum cgm_stat_instance)i,
			      cgm_stat_at(s, cgm_stat_places[i].at));
}

void cgm_stats_subtract(struct cgm_stats *from, const struct cgm_stats *s)
{
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0; k < cgm_stat_count; k++) {
			const struct cgm_stat_row *r = &cgm_stat_rows[k];
			size_t at = cgm_stat_places[i].at + r->at;

			if (r->kind == cgm_stat_places[i].kind && !r->peak)
				*cgm_stat_at(from, at) -= *cgm_stat_at(s, at);
		}
}

bool cgm_stats_broken_law(const struct cgm_stats *s, struct diag *d)
{
	for (unsigned i = 0; i < CGM_INSTANCES; i++)
		for (unsigned k = 0;
		     k < sizeof(cgm_stat_laws) / sizeof(cgm_stat_laws[0]);
		     k++) {
			const struct cgm_stat_law *l = &cgm_stat_laws[k];
			const struct cgm_stat_place *p = &cgm_stat_places[i];

			if (l->kind != p->kind ||
			    l->holds(cgm_stat_at(s, p->at)))
				continue;
			fail(d, ERR_MISMATCH, "%s: %s does not hold", p->name,
			     l->text);
			return true;
		}
	return false;
}
