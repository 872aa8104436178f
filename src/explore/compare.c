#include "explore/compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "cfg/param.h"
#include "explore/view.h"

static const char *compare_keep_text(struct compare *c, const char *text)
{
	return arena_strndup(&c->arena, text, strlen(text));
}

struct compare_run *compare_add_empty(struct compare *c, const char *name,
				      struct diag *d)
{
	struct compare_run *to = &c->runs[c->count];

	if (c->count == COMPARE_RUNS) {
		fail(d, ERR_RANGE, "at most %d runs can be compared",
		     COMPARE_RUNS);
		return NULL;
	}
	*to = (struct compare_run){ .name = compare_keep_text(c, name) };
	to->values = arena_new(&c->arena, double, stat_count);
	if (!to->name || !to->values) {
		fail(d, ERR_NOMEM, "out of memory");
		return NULL;
	}
	cfg_defaults(&to->cfg);
	for (unsigned i = 0; i < stat_count; i++)
		to->values[i] = NAN;
	c->count++;
	return to;
}

enum err compare_add(struct compare *c, const struct run_result *r,
		     const char *name, struct diag *d)
{
	struct compare_run *to = compare_add_empty(c, name, d);
	struct arena lines = { 0 };
	struct stats sum = { 0 };
	struct run_view v;

	if (!to)
		return d->code;
	for (size_t i = 0; i < r->device_count; i++) {
		if (view_of(&v, &lines, r, i, NULL, d)) {
			arena_free(&lines);
			return d->code;
		}
		stats_add(&sum, &v.s);
		to->cycles += v.cycles;
		to->seconds += v.seconds;
		to->launches += v.launches;
	}
	arena_free(&lines);
	to->cfg = r->devices[0].cfg;
	to->undivided = r->undivided;
	if (r->traced_sums)
		to->launches = r->traced_count;
	to->program = compare_keep_text(
		c, to->launches == 1 ? r->launches[0].kernel : r->program);
	to->gpu = compare_keep_text(c, r->devices[0].gpu);
	for (unsigned i = 0; i < stat_count; i++)
		if (stat_name(i))
			to->values[i] = stat_real(&stat_table[i], &sum);
	return to->program && to->gpu ? ERR_OK :
					fail(d, ERR_NOMEM, "out of memory");
}

double compare_change(double a, double b)
{
	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	if (isnan(a) || a == 0)
		return INFINITY;
	return isnan(b) ? -1 : b / a - 1;
}

/* Updates the largest change so far: *most is the change as it is printed;
 * row->size sorts, and is the same for up and down, so that halving counts as
 * much as doubling. */
static void compare_weigh(struct compare_row *row, double *most, double a,
			  double b)
{
	double change = compare_change(a, b);

	if (change == 0)
		return;
	if (change <= -1)
		change = INFINITY;
	row->size = fmax(row->size, fabs(log1p(change)));
	*most = fmax(*most, fabs(change));
}

const char *change_text(char text[CHANGE_TEXT], double a, double b)
{
	double change = compare_change(a, b);

	if (change == 0)
		text[0] = '\0';
	else if (isinf(change))
		snprintf(text, CHANGE_TEXT, "new");
	else if (change <= -1)
		snprintf(text, CHANGE_TEXT, "gone");
	else if (change >= 9)
		snprintf(text, CHANGE_TEXT, "x %.3g", change + 1);
	else
		snprintf(text, CHANGE_TEXT, "%+.1f%%", 100 * change);
	return text;
}

const char *compare_text(char text[40], unsigned stat, double v)
{
	if (isnan(v))
		snprintf(text, 40, "-");
	else if (stat_table[stat].kind == STAT_RATE)
		snprintf(text, 40, "%.4g", v);
	else
		grouped(text, (uint64_t)v);
	return text;
}

/* ---- rows ---- */

static bool compare_selects(const char *key, const struct compare_options *o)
{
	for (size_t i = 0; i < o->only_count; i++)
		if (!fnmatch(o->only[i], key, 0))
			return true;
	return !o->only_count;
}

static enum err compare_check_patterns(const struct compare_options *o,
				       struct diag *d)
{
	char key[STAT_KEY_SIZE];

	for (size_t p = 0; p < o->only_count; p++) {
		bool fits = false;

		for (unsigned i = 0; i < stat_count && !fits; i++)
			fits = stat_key(key, i) && !fnmatch(o->only[p], key, 0);
		if (!fits)
			return fail(d, ERR_UNKNOWN,
				    "--only %.80s: no statistic matches; names "
				    "are GROUP.NAME, such as l2.reads",
				    o->only[p]);
	}
	return ERR_OK;
}

/* The maximum over the runs. */
static double compare_largest(const struct compare *c, unsigned stat)
{
	double most = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->runs[i].values[stat] > most)
			most = c->runs[i].values[stat];
	return most;
}

static int compare_by_change(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->most != y->most)
		return x->most > y->most ? -1 : 1;
	return x->stat < y->stat ? -1 : 1;
}

static void compare_find_params(struct compare *c)
{
	char a[CFG_VALUE_SIZE], b[CFG_VALUE_SIZE];

	for (int i = 0; i < CFG_COUNT; i++) {
		bool differs = false;

		/* Names and remarks are shown beside the runs. */
		if (cfg_params[i].type == CFG_TEXT)
			continue;
		cfg_value_print(a, &c->runs[0].cfg, (enum cfg_id)i);
		for (size_t k = 1; k < c->count && !differs; k++) {
			cfg_value_print(b, &c->runs[k].cfg, (enum cfg_id)i);
			differs = strcmp(a, b) != 0;
		}
		if (differs)
			c->params[c->param_count++] = (enum cfg_id)i;
	}
}

enum err compare_rows(struct compare *c, const struct compare_options *o,
		      struct diag *d)
{
	char key[STAT_KEY_SIZE];

	if (compare_check_patterns(o, d))
		return d->code;
	c->rows = arena_new(&c->arena, struct compare_row, stat_count);
	c->params = arena_new(&c->arena, enum cfg_id, CFG_COUNT);
	if (!c->rows || !c->params)
		return fail(d, ERR_NOMEM, "out of memory");
	for (size_t k = 0; k < c->count; k++)
		c->undivided |= c->runs[k].undivided;
	for (unsigned i = 0; i < stat_count; i++) {
		struct compare_row row = { .stat = i,
					   .most = compare_largest(c, i) };
		const double *first = c->runs[0].values;
		double change = 0;

		if (!stat_key(key, i) || !compare_selects(key, o) ||
		    (c->undivided && stat_is_divided(i)))
			continue;
		for (size_t k = 1; k < c->count; k++)
			compare_weigh(&row, &change, first[i],
				      c->runs[k].values[i]);
		if (row.size == 0)
			c->same++;
		else if (change < o->min_change)
			c->small++;
		else
			c->rows[c->row_count++] = row;
	}
	if (c->row_count)
		qsort(c->rows, c->row_count, sizeof(*c->rows),
		      compare_by_change);
	compare_find_params(c);
	return ERR_OK;
}

void compare_free(struct compare *c)
{
	arena_free(&c->arena);
}
