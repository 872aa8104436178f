#include "stat/stat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */

#define RATIO(group, name, over, under, doc) \
	static void terms_##group##_##name(const struct stats *all, \
					   uint64_t terms[2]) \
	{ \
		const struct stat_##group *s = &all->group; \
		terms[0] = s->over; \
		terms[1] = s->under; \
	}
#include "stat/stat.def"

const struct stat_group_info stat_groups[STAT_GROUP_COUNT] = {
#define GROUP(group, title) { #group, title },
#include "stat/stat.def"
	{ "reason", "what the issue slots were used for, or lost to" },
	{ "unit", "warp-instructions by functional unit" },
};

#define UNIT(i) \
	{ .group = STAT_GROUP_unit, .kind = STAT_UNIT, .unit = "instruction", \
	  .doc = "warp-instructions of this unit", \
	  .at = offsetof(struct stats, unit[i]) },

const struct stat_info stat_table[] = {
#define STAT(g, n, u, d) \
	{ .name = #n, .group = STAT_GROUP_##g, .kind = STAT_COUNTER, \
	  .unit = u, .doc = d, .at = offsetof(struct stats, g.n) },
#define PEAK(g, n, u, d) \
	{ .name = #n, .group = STAT_GROUP_##g, .kind = STAT_PEAK, \
	  .unit = u, .doc = d, .at = offsetof(struct stats, g.n) },
#define RATIO(g, n, o, u, d) \
	{ .name = #n, .group = STAT_GROUP_##g, .kind = STAT_RATE, .unit = "", \
	  .doc = d, .over = #o, .under = #u, .terms = terms_##g##_##n },
#include "stat/stat.def"
#define REASON(id, n, d) \
	{ .name = n, .group = STAT_GROUP_reason, .kind = STAT_REASON, \
	  .unit = "slot", .doc = d, \
	  .at = offsetof(struct stats, reason[REASON_##id]) },
#include "stat/stat.def"
	UNIT(0) UNIT(1) UNIT(2) UNIT(3) UNIT(4) UNIT(5) UNIT(6) UNIT(7)
	UNIT(8) UNIT(9) UNIT(10) UNIT(11) UNIT(12) UNIT(13) UNIT(14) UNIT(15)
};
_Static_assert(STAT_UNITS == 16, "the table needs a row for each unit");

/* clang-format on */

const unsigned stat_count = sizeof(stat_table) / sizeof(stat_table[0]);

static uint64_t sum(const uint64_t *v, int n)
{
	uint64_t all = 0;

	for (int i = 0; i < n; i++)
		all += v[i];
	return all;
}

/* The function of a law is named after its line: one law per line. */
/* clang-format off */
#define LAW_NAME(line) LAW_PASTE(law_, line)
#define LAW_PASTE(a, b) a##b

#define LAW(group_, ...) \
	static bool LAW_NAME(__LINE__)(const struct stats *all) \
	{ \
		const struct stat_##group_ *s = &all->group_; \
		return __VA_ARGS__; \
	}
#include "stat/stat.def"

#define BETWEEN_LAWS(X) \
	X(lsu_reads,   s->lsu.reads_sent == s->l2.reads + s->l2.combined) \
	X(lsu_writes,  s->lsu.writes_sent == s->l2.writes) \
	X(lsu_atomics, s->lsu.atomics_sent == s->l2.atomics) \
	X(reasons,     sum(s->reason, REASON_COUNT) == s->sm.slots) \
	X(units,       sum(s->unit, STAT_UNITS) + s->sm.served == s->sm.instructions)

#define X(id, ...) \
	static bool between_##id(const struct stats *s) \
	{ \
		return __VA_ARGS__; \
	}
BETWEEN_LAWS(X)
#undef X

const struct stat_law stat_laws[] = {
#define LAW(group, ...) { #group, #__VA_ARGS__, LAW_NAME(__LINE__) },
#include "stat/stat.def"
#define X(id, ...) { NULL, #__VA_ARGS__, between_##id },
	BETWEEN_LAWS(X)
#undef X
};
/* clang-format on */

const unsigned stat_law_count = sizeof(stat_laws) / sizeof(stat_laws[0]);

uint64_t stat_value(const struct stat_info *i, const struct stats *s)
{
	CHECK(i->kind != STAT_RATE);
	return *(const uint64_t *)((const char *)s + i->at);
}

double stat_real(const struct stat_info *i, const struct stats *s)
{
	uint64_t terms[2];

	if (i->kind != STAT_RATE)
		return (double)stat_value(i, s);
	i->terms(s, terms);
	return terms[1] ? (double)terms[0] / (double)terms[1] : NAN;
}

const struct stat_info *stat_find(const char *key, size_t size)
{
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		const char *group = stat_groups[t->group].name;
		size_t n = strlen(group);

		if (t->name && size == n + 1 + strlen(t->name) &&
		    !memcmp(key, group, n) && key[n] == '.' &&
		    !memcmp(key + n + 1, t->name, size - n - 1))
			return t;
	}
	return NULL;
}

static uint64_t *value_at(struct stats *s, const struct stat_info *i)
{
	return (uint64_t *)((char *)s + i->at);
}

void stats_add(struct stats *to, const struct stats *from)
{
	stats_add_equal(to, from, 1);
}

void stats_add_equal(struct stats *to, const struct stats *from, uint64_t n)
{
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		uint64_t *v, more;

		if (t->kind == STAT_RATE)
			continue;
		v = value_at(to, t);
		more = stat_value(t, from);
		if (t->kind != STAT_PEAK)
			*v += n * more;
		else if (*v < more)
			*v = more;
	}
}

void stats_diff(struct stats *out, const struct stats *later,
		const struct stats *earlier)
{
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];

		if (t->kind == STAT_RATE)
			continue;
		*value_at(out, t) =
			stat_value(t, later) -
			(t->kind == STAT_PEAK ? 0 : stat_value(t, earlier));
	}
}

/* Appends to the diagnosis as much as fits. */
static void diag_append(struct diag *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void diag_append(struct diag *d, const char *fmt, ...)
{
	size_t used = strlen(d->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(d->text + used, sizeof(d->text) - used, fmt, ap);
	va_end(ap);
}

/* Appends the value of the counter whose name starts at `at`, after an "s->" in
 * the law's text. Returns the end of the name. */
static const char *diag_append_counter(struct diag *d, const struct stats *s,
				       const char *group, const char *at)
{
	size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789.");
	char key[96];
	const struct stat_info *i;
	int size = snprintf(key, sizeof(key), "%s%s%.*s", group ? group : "",
			    group ? "." : "", (int)n, at);

	i = stat_find(key, (size_t)size);
	if (i)
		diag_append(d, ", %s = %" PRIu64, key, stat_value(i, s));
	else if (!strcmp(key, "reason"))
		diag_append(d, ", sum = %" PRIu64,
			    sum(s->reason, REASON_COUNT));
	else if (!strcmp(key, "unit"))
		diag_append(d, ", sum = %" PRIu64, sum(s->unit, STAT_UNITS));
	return at + n;
}

bool stats_broken_law(const struct stats *s, struct diag *d)
{
	for (unsigned i = 0; i < stat_law_count; i++) {
		const struct stat_law *law = &stat_laws[i];
		const char *at = law->text;

		if (law->holds(s))
			continue;
		(void)fail(d, ERR_MISMATCH, "law of statistics broken: %s%s%s",
			   law->group ? law->group : "", law->group ? ": " : "",
			   law->text);
		while ((at = strstr(at, "s->")))
			at = diag_append_counter(d, s, law->group, at + 3);
		return true;
	}
	return false;
}

const struct stat_together stat_together[] = {
#define TOGETHER(its_key, its_why) { its_key, its_why },
#include "stat/together.def"
};
const unsigned stat_together_count =
	sizeof(stat_together) / sizeof(*stat_together);

bool stat_is_own(const struct stat_info *i)
{
	const char *group = stat_groups[i->group].name;
	size_t n = strlen(group);

	for (unsigned k = 0; k < stat_together_count; k++) {
		const char *key = stat_together[k].key;

		if (strncmp(key, group, n) != 0 || key[n] != '.')
			continue;
		if (key[n + 1] == '*' ||
		    (i->name && !strcmp(key + n + 1, i->name)))
			return false;
	}
	return true;
}

void stats_keep_own(struct stats *s)
{
	const uint64_t none = 0;

	for (unsigned i = 0; i < stat_count; i++)
		if (stat_table[i].kind != STAT_RATE &&
		    !stat_is_own(&stat_table[i]))
			memcpy((char *)s + stat_table[i].at, &none,
			       sizeof(none));
}
