/* The tables of Nsight Compute. */
#include <stdio.h>
#include <string.h>

#include "explore/csvread.h"
#include "explore/measured.h"

enum {
	NCU_ID,
	NCU_KERNEL,
	NCU_BLOCK,
	NCU_GRID,
	NCU_NAME,
	NCU_UNIT,
	NCU_VALUE,
	NCU_COLUMNS
};

static const char *const ncu_columns[NCU_COLUMNS] = {
	"ID",          "Kernel Name", "Block Size",   "Grid Size",
	"Metric Name", "Metric Unit", "Metric Value",
};

/* Columns of a wide table that are no metrics. */
static const char *const ncu_about[] = {
	"ID",          "Process ID",  "Process Name", "Host Name",
	"Kernel Name", "Kernel Time", "Context",      "Stream",
	"Block Size",  "Grid Size",   "Device",       "CC",
};

bool measured_is_ncu(const struct csv_reader *r)
{
	return csv_find(r, "ID") >= 0 && csv_find(r, "Kernel Name") >= 0;
}

/* "(64, 1, 1)" */
static enum err ncu_size(uint32_t out[3], const struct csv_reader *r,
			 const char *column, const char *text, struct diag *d)
{
	int n = 0;

	if (sscanf(text, " ( %u , %u , %u )%n", &out[0], &out[1], &out[2], &n) <
		    3 ||
	    !n || text[n])
		return measured_bad_field(r, column, text,
					  "a size such as (64, 1, 1)", d);
	return ERR_OK;
}

/* What every row says about its launch. */
static enum err ncu_launch(struct measured *m, struct csv_reader *r,
			   const int at[NCU_COLUMNS], size_t room,
			   struct measured_launch **out, struct diag *d)
{
	struct measured_launch *l;

	if (measured_add(m, r, &l, r->fields[at[NCU_KERNEL]], room, d) ||
	    measured_whole(&l->id, r, ncu_columns[NCU_ID],
			   r->fields[at[NCU_ID]], d))
		return d->code;
	*out = l;
	l->sized = at[NCU_BLOCK] >= 0 && at[NCU_GRID] >= 0;
	if (l->sized && (ncu_size(l->block, r, ncu_columns[NCU_BLOCK],
				  r->fields[at[NCU_BLOCK]], d) ||
			 ncu_size(l->grid, r, ncu_columns[NCU_GRID],
				  r->fields[at[NCU_GRID]], d)))
		return d->code;
	return ERR_OK;
}

/* A row for each metric; those of a launch follow each other. */
static enum err ncu_read_long(struct measured *m, struct csv_reader *r,
			      const int at[NCU_COLUMNS], struct diag *d)
{
	size_t columns = r->count;
	const char *last = NULL;
	enum err e = ERR_OK;

	while (measured_next(r, columns, &e, d)) {
		const char **f = r->fields;
		struct measured_launch *l = NULL;

		if (last && !strcmp(last, f[at[NCU_ID]]))
			l = &m->launches[m->count - 1];
		else if (ncu_launch(m, r, at, 0, &l, d))
			return d->code;
		last = f[at[NCU_ID]];
		/* A rule's advice has no metric. */
		if (!*f[at[NCU_NAME]])
			continue;
		if (measured_grow_values(m, l, d))
			return d->code;
		measured_add_value(l, f[at[NCU_NAME]], f[at[NCU_UNIT]],
				   f[at[NCU_VALUE]], r->row_line);
	}
	return e;
}

static bool ncu_is_metric(const char *column)
{
	for (size_t i = 0; i < sizeof(ncu_about) / sizeof(*ncu_about); i++)
		if (!strcmp(column, ncu_about[i]))
			return false;
	return true;
}

/* A row for each launch, after one of units. */
static enum err ncu_read_wide(struct measured *m, struct csv_reader *r,
			      const int at[NCU_COLUMNS], struct diag *d)
{
	const char **names, **units = NULL;
	size_t columns = r->count;
	enum err e = ERR_OK;

	if (measured_keep_row(&names, r, d))
		return d->code;
	while (measured_next(r, columns, &e, d)) {
		struct measured_launch *l;

		if (!units && !*r->fields[at[NCU_ID]]) {
			if (measured_keep_row(&units, r, d))
				return d->code;
			continue;
		}
		if (ncu_launch(m, r, at, columns, &l, d))
			return d->code;
		for (size_t i = 0; i < columns; i++)
			if (ncu_is_metric(names[i]))
				measured_add_value(l, names[i],
						   units ? units[i] : "",
						   r->fields[i], r->row_line);
	}
	return e;
}

enum err measured_read_ncu(struct measured *m, struct csv_reader *r,
			   struct diag *d)
{
	int at[NCU_COLUMNS];

	for (int i = 0; i < NCU_COLUMNS; i++)
		at[i] = csv_find(r, ncu_columns[i]);
	if (at[NCU_NAME] < 0)
		return ncu_read_wide(m, r, at, d);
	if (at[NCU_UNIT] < 0 || at[NCU_VALUE] < 0)
		return fail(
			d, ERR_SYNTAX,
			"%.200s:%u: the table has a column %s, but not %s",
			r->name, r->row_line, ncu_columns[NCU_NAME],
			ncu_columns[at[NCU_UNIT] < 0 ? NCU_UNIT : NCU_VALUE]);
	return ncu_read_long(m, r, at, d);
}
