#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/print.h"

static const char *const unit_names[] = { "int", "fp32" };
static const struct stat_units units = { unit_names, 2 };

/* A text buffer that is long enough. */
struct page {
	char text[65536];
	size_t used;
};

static void put(void *ctx, const char *text, size_t n)
{
	struct page *p = ctx;

	OK(p->used + n < sizeof(p->text));
	memcpy(p->text + p->used, text, n);
	p->used += n;
	p->text[p->used] = '\0';
}

static struct stat_sink sink(struct page *p)
{
	p->used = 0;
	p->text[0] = '\0';
	return (struct stat_sink){ put, p };
}

static const struct stat_info *find(const char *key)
{
	return stat_find(key, strlen(key));
}

/* Gives every counter a different value. */
static void number(struct stats *s, uint64_t from)
{
	uint64_t *v = (uint64_t *)s;

	for (size_t i = 0; i < sizeof(*s) / sizeof(*v); i++)
		v[i] = from + i;
}

TEST(stat, the_table_covers_the_struct_once)
{
	unsigned char seen[sizeof(struct stats) / sizeof(uint64_t)] = { 0 };
	int group = -1;

	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];

		OK((int)t->group >= group); /* group by group */
		group = (int)t->group;
		OK(*t->doc);
		OK(t->kind == STAT_RATE || *t->unit);
		if (t->kind != STAT_RATE)
			seen[t->at / sizeof(uint64_t)]++;
		else
			OK(t->terms != NULL);
	}
	EQ(STAT_GROUP_COUNT - 1, group);
	for (size_t i = 0; i < sizeof(seen); i++)
		EQ(1, seen[i]);
}

TEST(stat, names_are_unique_and_found)
{
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		char key[64];

		if (!t->name)
			continue;
		snprintf(key, sizeof(key), "%s.%s", stat_groups[t->group].name,
			 t->name);
		EQ(t, find(key));
	}
	EQ(NULL, find("l2.read"));
	EQ(NULL, find("l2.readsx"));
	EQ(NULL, find("l2"));
	EQ(NULL, find("unit."));
	EQ(NULL, find(""));
}

TEST(stat, stat_value_reads_the_counter)
{
	struct stats s = { .l2.reads = UINT64_MAX,
			   .l2.queue_most = 7,
			   .reason[REASON_TAIL] = 9 };

	EQ(UINT64_MAX, stat_value(find("l2.reads"), &s));
	EQ(7, stat_value(find("l2.queue_most"), &s));
	EQ(9, stat_value(find("reason.tail"), &s));
	EQ(9.0, stat_real(find("reason.tail"), &s));
	DIES((void)stat_value(find("l2.hit_rate"), &s));
}

TEST(stat, a_ratio_with_a_zero_denominator_is_nan)
{
	struct stats s = { .sm = { .instructions = 30, .cycles = 40 } };

	EQ(0.75, stat_real(find("sm.ipc"), &s));
	OK(isnan(stat_real(find("sm.active_ipc"), &s)));
	s.dram.row_hits = 1;
	s.dram.reads = 1;
	s.dram.writes = 3;
	EQ(0.25, stat_real(find("dram.row_hit_rate"), &s));
}

TEST(stat, adding_sums_counters_and_keeps_the_maximum_of_peaks)
{
	struct stats a, b;

	number(&a, 1000);
	number(&b, 5000);
	a.l2.queue_most = a.engine.late_most = 9000;
	stats_add(&a, &b);
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		uint64_t at = t->at / sizeof(uint64_t);

		if (t->kind == STAT_PEAK)
			EQ(9000, stat_value(t, &a));
		else if (t->kind != STAT_RATE)
			EQ(6000 + 2 * at, stat_value(t, &a));
	}
	b.l2.queue_most = 9001;
	stats_add(&a, &b);
	EQ(9001, a.l2.queue_most);
}

TEST(stat, a_difference_undoes_a_sum)
{
	struct stats a, b, sum;

	number(&a, 1000);
	number(&b, 5000);
	sum = a;
	stats_add(&sum, &b);
	stats_diff(&sum, &sum, &a);
	EQ(0, memcmp(&sum, &b, sizeof(b))); /* b has the higher peak */
}

/* Counts that satisfy every law. */
static void lawful(struct stats *s)
{
	memset(s, 0, sizeof(*s));
	s->sm.cycles = 100;
	s->sm.slots = 400;
	s->sm.instructions = 30;
	s->unit[0] = 10;
	s->unit[15] = 20;
	s->reason[REASON_ISSUED] = 30;
	s->reason[REASON_UNFILLED] = 370;
}

static void breaks(struct stats *s, const char *text)
{
	struct diag d = { ERR_OK, "" };

	OK(stats_broken_law(s, &d));
	EQ(ERR_MISMATCH, d.code);
	STREQ(text, d.text);
	lawful(s);
	OK(!stats_broken_law(s, &d));
}

TEST(stat, a_broken_law_is_named_with_its_values)
{
	struct stats s;

	lawful(&s);
	s.sm.active_cycles = 101;
	breaks(&s, "law of statistics broken: sm: s->active_cycles <= "
		   "s->cycles, sm.active_cycles = 101, sm.cycles = 100");
	s.reason[REASON_ISSUED]++;
	breaks(&s, "law of statistics broken: sum(s->reason, REASON_COUNT) == "
		   "s->sm.slots, sum = 401, sm.slots = 400");
	s.unit[15]--;
	breaks(&s, "law of statistics broken: sum(s->unit, STAT_UNITS) + "
		   "s->sm.served == s->sm.instructions, sum = 29, "
		   "sm.served = 0, sm.instructions = 30");
}

TEST(stat, requests_sent_must_arrive)
{
	struct stats s;
	struct diag d;

	lawful(&s);
	s.lsu.writes_sent = 3;
	OK(stats_broken_law(&s, &d));
	OK(strstr(d.text, "lsu.writes_sent = 3, l2.writes = 0") != NULL);
	s.l2.writes = 3;
	OK(!strstr(stats_broken_law(&s, &d) ? d.text : "", "writes"));
}

TEST(stat, zero_counters_satisfy_every_law)
{
	struct stats s = { 0 };
	struct diag d;

	OK(!stats_broken_law(&s, &d));
}

/* The value of group.name in JSON as Heddle writes it, or NULL. */
static const char *json_value(const char *json, const char *group,
			      const char *name)
{
	char key[64];
	const char *at, *end;

	snprintf(key, sizeof(key), "\n  \"%s\": {", group);
	at = strstr(json, key);
	end = at ? strstr(at, "\n  }") : NULL;
	snprintf(key, sizeof(key), "\n    \"%s\": ", name);
	at = at ? strstr(at, key) : NULL;
	return at && at < end ? at + strlen(key) : NULL;
}

TEST(stat, json_has_every_value_exactly)
{
	static struct page p;
	struct stats s;

	number(&s, UINT64_MAX - 5000);
	stats_json(&s, units, 0, false, sink(&p));
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		const char *v;

		if (t->kind == STAT_UNIT)
			continue;
		v = json_value(p.text, stat_groups[t->group].name, t->name);
		OK(v != NULL);
		if (t->kind == STAT_RATE)
			EQ(stat_real(t, &s), strtod(v, NULL));
		else
			EQ(stat_value(t, &s), strtoull(v, NULL, 10));
	}
	EQ(s.unit[1], strtoull(json_value(p.text, "unit", "fp32"), NULL, 10));
	EQ(NULL, json_value(p.text, "unit", "fp64"));
}

TEST(stat, json_is_well_formed)
{
	static struct page p;
	struct stats s = { 0 };
	size_t n;

	stats_json(&s, units, 0, false, sink(&p));
	n = strlen("{\n  \"gpu\": {\n    \"cycles\": 0,\n");
	EQ(0, strncmp(p.text, "{\n  \"gpu\": {\n    \"cycles\": 0,\n", n));
	STREQ("\n    \"fp32\": 0\n  }\n}",
	      p.text + p.used - strlen("\n    \"fp32\": 0\n  }\n}"));
	OK(strstr(p.text, "\n    \"ipc\": null,\n") != NULL);
	OK(strstr(p.text, ",\n  }") == NULL);
	OK(strstr(p.text, "}\n  \"") == NULL);
	stats_json(&s, units, 4, false, sink(&p));
	OK(strstr(p.text, "\n      \"gpu\": {\n        \"cycles\": 0") != NULL);
	STREQ("\n      }\n    }", p.text + p.used - strlen("\n      }\n    }"));
}

static unsigned columns(const char *line)
{
	unsigned n = 1;

	for (; *line != '\n'; line++)
		n += *line == ',';
	return n;
}

TEST(stat, csv_has_a_value_for_every_name)
{
	static struct page p;
	struct stats s = { .gpu.cycles = 12, .unit[1] = 34 };
	unsigned want = stat_count - STAT_UNITS + units.count;

	stats_csv_header(units, sink(&p));
	EQ(want, columns(p.text));
	EQ(0, strncmp(p.text, "gpu.cycles,gpu.blocks,", 22));
	STREQ(",unit.int,unit.fp32\n", p.text + p.used - 20);
	stats_csv_row(&s, units, false, sink(&p));
	EQ(want, columns(p.text));
	EQ(0, strncmp(p.text, "12,0,", 5));
	STREQ(",0,34\n", p.text + p.used - 6);
	OK(strstr(p.text, ",,") != NULL); /* ratios with a zero denominator */
}

TEST(stat, csv_without_units_ends_in_reasons)
{
	static struct page p;

	stats_csv_header((struct stat_units){ NULL, 0 }, sink(&p));
	STREQ(",reason.no_block\n", p.text + p.used - 17);
}

TEST(stat, text_is_aligned_and_grouped_by_thousands)
{
	static struct page p;
	struct stats s = { .gpu = { .cycles = 1234567, .blocks = 123 },
			   .sm = { .cycles = 3, .instructions = 2 } };
	const char *cycles, *blocks;

	stats_text(&s, units, sink(&p));
	EQ(0, strncmp(p.text, "gpu: the whole GPU\n  cycles ", 28));
	cycles = strstr(p.text, " 1,234,567  cycle ");
	blocks = strstr(p.text, " 123  block ");
	OK(cycles && blocks);
	OK(strstr(p.text, "\n\nsm: multiprocessors\n") != NULL);
	OK(strstr(p.text, " 0.667  ") != NULL);
	OK(strstr(p.text, "  -  ") != NULL);
	/* Both values end in the same column. */
	EQ(strchr(p.text, '\n') + 1 - (cycles + 10),
	   strstr(p.text, "  blocks") - (blocks + 4));
}

TEST(stat, what_launches_share_has_a_name_and_a_reason)
{
	for (unsigned i = 0; i < stat_together_count; i++) {
		const char *key = stat_together[i].key;
		size_t n = strlen(key), found = 0;

		OK(*stat_together[i].why);
		for (unsigned k = 0; k < stat_count; k++) {
			const char *group =
				stat_groups[stat_table[k].group].name;
			size_t g = strlen(group);
			const char *name = stat_table[k].name;

			if (strncmp(key, group, g) != 0 || key[g] != '.' ||
			    (key[n - 1] != '*' &&
			     (!name || strcmp(key + g + 1, name) != 0)))
				continue;
			found++;
			EQ(false, stat_is_own(&stat_table[k]));
		}
		OK(found > 0);
	}
}

TEST(stat, what_launches_share_is_not_kept)
{
	struct stats s;

	memset(&s, 1, sizeof(s));
	stats_keep_own(&s);
	OK(s.l2.reads && s.dram.bytes_read && s.sm.instructions && s.unit[0]);
	EQ(0, s.l2.answers);
	EQ(0, s.front.fetches);
	EQ(0, s.reason[REASON_MEMORY]);
	EQ(0, s.reason[REASON_ISSUED]);
	EQ(0, s.dram.row_hits);
}
