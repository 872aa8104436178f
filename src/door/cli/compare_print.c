/* Prints runs side by side, as tables whose columns fit their contents. */
#include "door/cli/compare.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cfg/param.h"
#include "door/cli/text.h"

enum { COLUMNS = 1 + 3 * COMPARE_RUNS };

/* Column 0 names the row. The first run has one column, every other has
 * `per_run`: its value, and what changed from the first. */
struct compare_table {
	const struct compare *c;
	const char *title;
	size_t row_count, per_run;
	/* Whether a row is left out; NULL: none is. */
	bool (*folded)(const struct compare *c, size_t row);
	void (*name)(char text[CFG_VALUE_SIZE], const struct compare *c,
		     size_t row);
	void (*cell)(char text[CFG_VALUE_SIZE], const struct compare *c,
		     size_t row, size_t run, size_t part);
};

static void compare_heading(char text[CFG_VALUE_SIZE], size_t run, size_t part)
{
	if (part == 2)
		snprintf(text, CFG_VALUE_SIZE, "cycles");
	else
		snprintf(text, CFG_VALUE_SIZE, "%s%c", part ? "A to " : "",
			 compare_letter(run));
}

/* row: t->row_count is the heading. */
static void compare_cell(char text[CFG_VALUE_SIZE],
			 const struct compare_table *t, size_t row,
			 size_t column)
{
	size_t run = column < 2 ? 0 : 1 + (column - 2) / t->per_run;
	size_t part = column < 2 ? 0 : (column - 2) % t->per_run;
	bool head = row == t->row_count;

	if (!column && head)
		snprintf(text, CFG_VALUE_SIZE, "%s", t->title);
	else if (!column)
		t->name(text, t->c, row);
	else if (head)
		compare_heading(text, run, part);
	else
		t->cell(text, t->c, row, run, part);
}

static size_t compare_columns(const struct compare_table *t)
{
	return 2 + t->per_run * (t->c->count - 1);
}

static void compare_print_line(const struct compare_table *t,
			       const int width[COLUMNS], size_t row)
{
	bool head = row == t->row_count;
	char text[CFG_VALUE_SIZE];
	int blank;

	compare_cell(text, t, row, 0);
	printf("%s%s%s", head ? tint(stdout, TINT_BOLD) : "  ", text,
	       head ? tint(stdout, TINT_OFF) : "");
	blank = width[0] - (int)strlen(text) + (head ? 2 : 0);
	for (size_t k = 1; k < compare_columns(t); k++) {
		compare_cell(text, t, row, k);
		blank += 2 + width[k] - (int)strlen(text);
		/* No line ends in blanks. */
		if (!*text)
			continue;
		printf("%*s%s", blank, "", text);
		blank = 0;
	}
	putchar('\n');
}

static bool compare_skips(const struct compare_table *t, size_t row)
{
	return row < t->row_count && t->folded && t->folded(t->c, row);
}

static void compare_print_table(const struct compare_table *t)
{
	int width[COLUMNS] = { 16 };
	char text[CFG_VALUE_SIZE];

	for (size_t k = 0; k < compare_columns(t); k++)
		for (size_t i = 0; i <= t->row_count; i++) {
			if (compare_skips(t, i))
				continue;
			compare_cell(text, t, i, k);
			if ((int)strlen(text) > width[k])
				width[k] = (int)strlen(text);
		}
	compare_print_line(t, width, t->row_count);
	for (size_t i = 0; i < t->row_count; i++)
		if (!compare_skips(t, i))
			compare_print_line(t, width, i);
}

/* ---- runs and configuration ---- */

static void compare_print_runs(const struct compare *c)
{
	const struct compare_run *first = &c->runs[0];
	char a[GROUPED_TEXT], b[GROUPED_TEXT];

	for (size_t i = 0; i < c->count; i++) {
		const struct compare_run *r = &c->runs[i];

		printf("%s%c%s  %s: %s on %s, %s cycles, %s",
		       tint(stdout, TINT_BOLD), compare_letter(i),
		       tint(stdout, TINT_OFF), r->name, r->program,
		       r->cfg.gpu.name, grouped_real(a, r->cycles),
		       duration(b, r->seconds));
		if (i && r->seconds > 0)
			printf(", %.2f times as fast as A",
			       first->seconds / r->seconds);
		putchar('\n');
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->runs[i].undivided)
			printf("%c %s.\n", compare_letter(i),
			       COMPARE_UNDIVIDED);
}

static void compare_param_name(char text[CFG_VALUE_SIZE],
			       const struct compare *c, size_t row)
{
	snprintf(text, CFG_VALUE_SIZE, "%s", cfg_params[c->params[row]].key);
}

static void compare_param_cell(char text[CFG_VALUE_SIZE],
			       const struct compare *c, size_t row, size_t run,
			       size_t part)
{
	(void)part;
	cfg_value_print(text, &c->runs[run].cfg, c->params[row]);
}

static void compare_print_config(const struct compare *c)
{
	if (!c->param_count) {
		puts("\nThe configurations are the same.");
		return;
	}
	putchar('\n');
	compare_print_table(
		&(struct compare_table){ .c = c,
					 .title = "configuration",
					 .row_count = c->param_count,
					 .per_run = 1,
					 .name = compare_param_name,
					 .cell = compare_param_cell });
}

/* ---- slots ---- */

static bool compare_slots_folded(const struct compare *c, size_t row)
{
	return c->slots[row].folded;
}

static void compare_slots_name(char text[CFG_VALUE_SIZE],
			       const struct compare *c, size_t row)
{
	snprintf(text, CFG_VALUE_SIZE, "%.60s", c->slots[row].name);
}

static void compare_slots_cell(char text[CFG_VALUE_SIZE],
			       const struct compare *c, size_t row, size_t run,
			       size_t part)
{
	const struct compare_slots *s = &c->slots[row];

	if (part == 0)
		grouped_real(text, s->slots[run]);
	else if (part == 1)
		moved_text(text, s->slots[0], s->slots[run]);
	else
		moved_text(text, s->cycles[0], s->cycles[run]);
}

static void compare_print_folded_slots(const struct compare *c)
{
	if (!c->slots_folded)
		return;
	printf("  %zu reason%s moved less than %g%% of the cycles%s",
	       c->slots_folded, c->slots_folded == 1 ? "" : "s",
	       100 * COMPARE_NOISE, c->slots_folded == 1 ? "" : " each");
	for (size_t k = 1; k < c->count; k++) {
		char text[CHANGE_TEXT];
		double a = 0, b = 0;

		for (size_t i = 0; i < c->slot_count; i++)
			if (c->slots[i].folded) {
				a += c->slots[i].cycles[0];
				b += c->slots[i].cycles[k];
			}
		moved_text(text, a, b);
		printf("%s%s in %c", k == 1 ? "; together " : ", ",
		       *text ? text : "0", compare_letter(k));
	}
	puts(".");
}

static void compare_print_slots(const struct compare *c)
{
	char text[800], verdict[VERDICT_TEXT];

	putchar('\n');
	for (size_t k = 1; k < c->count; k++)
		puts(compare_verdict(verdict, c, k));
	if (!c->slot_count)
		return;
	putchar('\n');
	if (c->slots_folded < c->slot_count)
		compare_print_table(
			&(struct compare_table){ .c = c,
						 .title = "issue slots",
						 .row_count = c->slot_count,
						 .per_run = 3,
						 .folded = compare_slots_folded,
						 .name = compare_slots_name,
						 .cell = compare_slots_cell });
	compare_print_folded_slots(c);
	if (compare_others_text(text, sizeof(text), c))
		printf("  %s\n", text);
}

/* ---- statistics ---- */

static bool compare_stat_folded(const struct compare *c, size_t row)
{
	return c->rows[row].folded;
}

static void compare_stat_name(char text[CFG_VALUE_SIZE],
			      const struct compare *c, size_t row)
{
	char key[STAT_KEY_SIZE] = "";

	stat_key(key, c->rows[row].stat);
	snprintf(text, CFG_VALUE_SIZE, "%s", key);
}

static void compare_stat_cell(char text[CFG_VALUE_SIZE],
			      const struct compare *c, size_t row, size_t run,
			      size_t part)
{
	unsigned stat = c->rows[row].stat;
	double v = c->runs[run].values[stat];

	if (part == 0)
		compare_text(text, stat, v);
	else if (part == 1)
		change_text(text, c->runs[0].values[stat], v);
	else
		moved_text(text, 0,
			   compare_effect(&c->runs[0], &c->runs[run], stat));
}

static void compare_print_stats(const struct compare *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->row_count; i++)
		n += !c->rows[i].folded;
	putchar('\n');
	if (n)
		compare_print_table(
			&(struct compare_table){ .c = c,
						 .title = "statistics",
						 .row_count = c->row_count,
						 .per_run = 3,
						 .folded = compare_stat_folded,
						 .name = compare_stat_name,
						 .cell = compare_stat_cell });
	if (c->rows_folded)
		printf("  %zu more ha%s less effect; --all lists them.\n",
		       c->rows_folded, c->rows_folded == 1 ? "s" : "ve");
	printf("%s%zu statistic%s the same", n || c->rows_folded ? "\n" : "",
	       c->same, c->same == 1 ? " is" : "s are");
	if (c->small)
		printf(", %zu changed by less", c->small);
	puts(".");
}

void compare_print(const struct compare *c)
{
	compare_print_runs(c);
	compare_print_config(c);
	compare_print_slots(c);
	compare_print_stats(c);
}
