/*
 * heddle system --out: values over time as JSON. Every statistic is an array of
 * what each sample counted; those that are always 0 are left out.
 */
#include <inttypes.h>

#include "door/cli/simulate.h"
#include "mem/cgm/system.h"

/* A column of the series, as what each sample added; false: nothing ever. */
static void series_column(struct json *j, const char *name,
			  const struct system_series *q, unsigned column)
{
	const uint64_t *row = q->row + column;
	uint64_t before = 0;

	if (!q->count || !row[(size_t)(q->count - 1) * q->width])
		return;
	json_key(j, name);
	fputc('[', j->to);
	for (unsigned i = 0; i < q->count; i++) {
		uint64_t now = row[(size_t)i * q->width];

		fprintf(j->to, "%s%" PRIu64, i ? "," : "", now - before);
		before = now;
	}
	fputc(']', j->to);
}

static void series_slots(struct json *j, const struct system_series *q,
			 unsigned first)
{
	unsigned use = 0;

	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot)
			series_column(j, cpu_stat_rows[i].name, q,
				      first + use++);
}

static void series_cores(struct json *j, const struct system_series *q,
			 unsigned cores)
{
	json_open(j, "cpu", '{');
	for (unsigned i = 0; i < cpu_stat_count; i++)
		series_column(j, cpu_stat_rows[i].name, q, q->cpu + i);
	json_close(j, '{');
	json_open(j, "core", '[');
	for (unsigned i = 0; i < cores; i++) {
		unsigned first = q->core + i * q->core_width;

		json_open(j, NULL, '{');
		series_slots(j, q, first);
		series_column(j, "instructions", q, first + CPU_SLOT_USES);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* Maxima are those of the whole run: they have no values over time. */
static void series_memory(struct json *j, const struct system_series *q)
{
	unsigned column = q->memory;

	json_open(j, "memory", '{');
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		json_open(j, cgm_stat_places[i].name, '{');
		for (unsigned k = 0; k < cgm_stat_count; k++) {
			const struct cgm_stat_row *r = &cgm_stat_rows[k];

			if (r->kind != cgm_stat_places[i].kind)
				continue;
			if (!r->peak)
				series_column(j, r->name, q, column);
			column++;
		}
		json_close(j, '{');
	}
	json_close(j, '{');
}

void simulate_json_series(struct json *j, const struct system_series *q,
			  unsigned cores)
{
	json_open(j, "series", '{');
	json_uint(j, "interval", q->interval);
	json_key(j, "cycles");
	fputc('[', j->to);
	for (unsigned i = 0; i < q->count; i++)
		fprintf(j->to, "%s%" PRIu64, i ? "," : "",
			q->row[(size_t)i * q->width]);
	fputc(']', j->to);
	series_cores(j, q, cores);
	series_memory(j, q);
	json_open(j, "messages", '{');
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		series_column(j, cgm_messages[i].name, q, q->message + i);
	json_close(j, '{');
	json_open(j, "links", '[');
	for (unsigned i = 0; i < q->links; i++) {
		json_open(j, NULL, '{');
		series_column(j, "busy_ticks", q, q->link + i);
		json_close(j, '{');
	}
	json_close(j, '[');
	json_close(j, '{');
}
