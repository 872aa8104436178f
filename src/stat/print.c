#include "stat/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for any counter with its separators, and any double. */
#define NUMBER_SIZE 40

static void stat_print_put(struct stat_sink to, const char *text)
{
	to.put(to.ctx, text, strlen(text));
}

static void put_spaces(struct stat_sink to, size_t n)
{
	while (n--)
		to.put(to.ctx, " ", 1);
}

/* The name of a row; NULL: a unit that the caller does not have. */
static const char *stat_row_name(unsigned i, struct stat_units units)
{
	const struct stat_info *t = &stat_table[i];
	size_t unit;

	if (t->kind != STAT_UNIT)
		return t->name;
	unit = (t->at - offsetof(struct stats, unit)) / sizeof(uint64_t);
	return unit < units.count ? units.name[unit] : NULL;
}

/* The locale of the host program may use a comma. */
static void fix_decimal_point(char *text)
{
	text = strchr(text, ',');
	if (text)
		*text = '.';
}

/* The shortest text that reads back as the same number. */
static void real_text(char text[NUMBER_SIZE], double v)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, NUMBER_SIZE, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	fix_decimal_point(text);
}

static void value_text(char text[NUMBER_SIZE], const struct stat_info *t,
		       const struct stats *s, const char *none)
{
	if (t->kind != STAT_RATE)
		snprintf(text, NUMBER_SIZE, "%" PRIu64, stat_value(t, s));
	else if (isnan(stat_real(t, s)))
		snprintf(text, NUMBER_SIZE, "%s", none);
	else
		real_text(text, stat_real(t, s));
}

static void new_line(struct stat_sink to, size_t indent)
{
	stat_print_put(to, "\n");
	put_spaces(to, indent);
}

void stats_json(const struct stats *s, struct stat_units units, unsigned indent,
		bool own, struct stat_sink to)
{
	char value[NUMBER_SIZE];
	int group = -1;

	stat_print_put(to, "{");
	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		const char *name = stat_row_name(i, units);

		if (!name || (own && !stat_is_own(t)))
			continue;
		if (group != (int)t->group) {
			if (group >= 0) {
				new_line(to, indent + 2);
				stat_print_put(to, "},");
			}
			new_line(to, indent + 2);
			stat_print_put(to, "\"");
			stat_print_put(to, stat_groups[t->group].name);
			stat_print_put(to, "\": {");
		} else {
			stat_print_put(to, ",");
		}
		group = (int)t->group;
		new_line(to, indent + 4);
		value_text(value, t, s, "null");
		stat_print_put(to, "\"");
		stat_print_put(to, name);
		stat_print_put(to, "\": ");
		stat_print_put(to, value);
	}
	new_line(to, indent + 2);
	stat_print_put(to, "}");
	new_line(to, indent);
	stat_print_put(to, "}");
}

void stats_csv_header(struct stat_units units, struct stat_sink to)
{
	for (unsigned i = 0; i < stat_count; i++) {
		const char *name = stat_row_name(i, units);

		if (!name)
			continue;
		if (i)
			stat_print_put(to, ",");
		stat_print_put(to, stat_groups[stat_table[i].group].name);
		stat_print_put(to, ".");
		stat_print_put(to, name);
	}
	stat_print_put(to, "\n");
}

void stats_csv_row(const struct stats *s, struct stat_units units, bool own,
		   struct stat_sink to)
{
	char value[NUMBER_SIZE];

	for (unsigned i = 0; i < stat_count; i++) {
		if (!stat_row_name(i, units))
			continue;
		if (i)
			stat_print_put(to, ",");
		if (own && !stat_is_own(&stat_table[i]))
			continue;
		value_text(value, &stat_table[i], s, "");
		stat_print_put(to, value);
	}
	stat_print_put(to, "\n");
}

/* 1234567 as 1,234,567; ratios with three places. */
static void human_text(char text[NUMBER_SIZE], const struct stat_info *t,
		       const struct stats *s)
{
	char digits[NUMBER_SIZE];
	size_t n, out = 0;

	if (t->kind == STAT_RATE) {
		double v = stat_real(t, s);

		snprintf(text, NUMBER_SIZE, isnan(v) ? "-" : "%.3f", v);
		fix_decimal_point(text);
		return;
	}
	snprintf(digits, sizeof(digits), "%" PRIu64, stat_value(t, s));
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
}

struct stat_widths {
	size_t name, value, unit;
};

static void stat_print_widen(size_t *width, const char *text)
{
	if (*width < strlen(text))
		*width = strlen(text);
}

static struct stat_widths stat_measure(const struct stats *s,
				       struct stat_units units)
{
	struct stat_widths w = { 0 };
	char value[NUMBER_SIZE];

	for (unsigned i = 0; i < stat_count; i++) {
		const char *name = stat_row_name(i, units);

		if (!name)
			continue;
		human_text(value, &stat_table[i], s);
		stat_print_widen(&w.name, name);
		stat_print_widen(&w.value, value);
		stat_print_widen(&w.unit, stat_table[i].unit);
	}
	return w;
}

static void text_row(const struct stat_info *t, const char *name,
		     const struct stats *s, const struct stat_widths *w,
		     struct stat_sink to)
{
	char value[NUMBER_SIZE];

	human_text(value, t, s);
	stat_print_put(to, "  ");
	stat_print_put(to, name);
	put_spaces(to, w->name - strlen(name) + 2 + w->value - strlen(value));
	stat_print_put(to, value);
	stat_print_put(to, "  ");
	stat_print_put(to, t->unit);
	put_spaces(to, w->unit - strlen(t->unit) + 2);
	stat_print_put(to, t->doc);
	stat_print_put(to, "\n");
}

void stats_text(const struct stats *s, struct stat_units units,
		struct stat_sink to)
{
	const struct stat_widths w = stat_measure(s, units);
	int group = -1;

	for (unsigned i = 0; i < stat_count; i++) {
		const struct stat_info *t = &stat_table[i];
		const char *name = stat_row_name(i, units);

		if (!name)
			continue;
		if (group != (int)t->group) {
			stat_print_put(to, group < 0 ? "" : "\n");
			stat_print_put(to, stat_groups[t->group].name);
			stat_print_put(to, ": ");
			stat_print_put(to, stat_groups[t->group].title);
			stat_print_put(to, "\n");
		}
		group = (int)t->group;
		text_row(t, name, s, &w, to);
	}
}
