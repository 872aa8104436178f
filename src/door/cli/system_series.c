/*
 * heddle system --out: values over time as JSON. Every statistic is an array of
 * what each sample counted; those that are always 0 are left out.
 */
#include "door/cli/memory_json.h"
#include "door/cli/simulate.h"

static void series_slots(struct json *j, const struct cgm_series *q,
			 unsigned first)
{
	unsigned use = 0;

	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot)
			memory_json_column(j, cpu_stat_rows[i].name, q,
					   first + use++);
}

static void series_cores(struct json *j, const struct system_series *q,
			 unsigned cores)
{
	json_open(j, "cpu", '{');
	for (unsigned i = 0; i < cpu_stat_count; i++)
		memory_json_column(j, cpu_stat_rows[i].name, &q->all,
				   q->cpu + i);
	json_close(j, '{');
	json_open(j, "core", '[');
	for (unsigned i = 0; i < cores; i++) {
		unsigned first = q->core + i * q->core_width;

		json_open(j, NULL, '{');
		series_slots(j, &q->all, first);
		memory_json_column(j, "instructions", &q->all,
				   first + CPU_SLOT_USES);
		json_close(j, '{');
	}
	json_close(j, '[');
}

void simulate_json_series(struct json *j, const struct system_series *q,
			  unsigned cores)
{
	json_open(j, "series", '{');
	memory_json_times(j, &q->all);
	series_cores(j, q, cores);
	memory_json_series(j, &q->all);
	json_close(j, '{');
}
