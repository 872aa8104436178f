/* How much the instructions of launches differ from run to run on hardware. */
#include "explore/correlate.h"

#include <stdlib.h>
#include <string.h>

#include "explore/csvread.h"

enum { PROGRAM, LAUNCH, MINIMUM, MAXIMUM, SPREAD_COLUMNS };

static const char *const spread_names[SPREAD_COLUMNS] = {
	[PROGRAM] = "program",
	[LAUNCH] = "launch",
	[MINIMUM] = "minimum",
	[MAXIMUM] = "maximum",
};

static enum err spread_number(double *out, const struct csv_reader *r, int at,
			      struct diag *d)
{
	char *end;

	*out = strtod(r->fields[at], &end);
	if (end == r->fields[at] || *end || !(*out >= 0))
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: expected a number: %.60s", r->name,
			    r->row_line, r->fields[at]);
	return ERR_OK;
}

/* Gives the range of a row to its launch, in all sets. */
static void spread_set(struct correlate *c, const char *program, double launch,
		       double low, double high)
{
	for (size_t i = 0; i < c->point_count; i++) {
		struct correlate_point *p = &c->points[i];

		if (p->launches != 1 || (double)p->id != launch ||
		    strcmp(c->pairs[p->pair].program, program) != 0)
			continue;
		p->low = low;
		p->high = high;
	}
}

static enum err spread_row(struct correlate *c, const struct csv_reader *r,
			   const int at[SPREAD_COLUMNS], struct diag *d)
{
	double number[SPREAD_COLUMNS] = { 0 };

	for (int i = 0; i < SPREAD_COLUMNS; i++)
		if ((size_t)at[i] >= r->count)
			return fail(d, ERR_SYNTAX,
				    "%.200s:%u: the line is too short", r->name,
				    r->row_line);
	for (int i = LAUNCH; i < SPREAD_COLUMNS; i++)
		if (spread_number(&number[i], r, at[i], d))
			return d->code;
	if (number[MINIMUM] > number[MAXIMUM])
		return fail(d, ERR_SYNTAX,
			    "%.200s:%u: the minimum is above the maximum",
			    r->name, r->row_line);
	spread_set(c, r->fields[at[PROGRAM]], number[LAUNCH], number[MINIMUM],
		   number[MAXIMUM]);
	return ERR_OK;
}

static enum err spread_rows(struct correlate *c, struct csv_reader *r,
			    struct diag *d)
{
	int at[SPREAD_COLUMNS];

	if (csv_read_row(r, d))
		return d->code;
	for (int i = 0; i < SPREAD_COLUMNS; i++) {
		at[i] = csv_find(r, spread_names[i]);
		if (at[i] < 0)
			return fail(d, ERR_SYNTAX,
				    "%.200s: there is no column '%s'", r->name,
				    spread_names[i]);
	}
	while (!csv_ended(r))
		if (csv_read_row(r, d) || spread_row(c, r, at, d))
			return d->code;
	return ERR_OK;
}

enum err correlate_spread(struct correlate *c, const char *path, struct diag *d)
{
	struct arena a = { 0 };
	struct csv_reader r;
	char *text = NULL;
	size_t size = 0;
	enum err e = measured_load(&text, &size, path, d);

	if (!e)
		e = csv_start(&r, &a, path, text, size, d);
	if (!e)
		e = spread_rows(c, &r, d);
	arena_free(&a);
	free(text);
	return e;
}
