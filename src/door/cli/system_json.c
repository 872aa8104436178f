/* The results of `heddle system --config` as JSON. */
#include "door/cli/memory_json.h"
#include "door/cli/regions.h"
#include "door/cli/simulate.h"

void simulate_json_slots(struct json *j, const char *key,
			 const uint64_t slot[CPU_SLOT_USES])
{
	unsigned use = 0;

	json_open(j, key, '{');
	for (unsigned i = 0; i < cpu_stat_count; i++) {
		if (!cpu_stat_rows[i].slot)
			continue;
		if (slot[use])
			json_uint(j, cpu_stat_rows[i].name, slot[use]);
		use++;
	}
	json_close(j, '{');
}

static void simulate_json_cpu(struct json *j, const char *key,
			      const struct cpu_stats *st)
{
	json_open(j, key, '{');
	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (!cpu_stat_rows[i].slot)
			json_uint(j, cpu_stat_rows[i].name,
				  cpu_stat_value(st, &cpu_stat_rows[i]));
	json_open(j, "slot", '{');
	for (unsigned i = 0; i < cpu_stat_count; i++)
		if (cpu_stat_rows[i].slot)
			json_uint(j, cpu_stat_rows[i].name,
				  cpu_stat_value(st, &cpu_stat_rows[i]));
	json_close(j, '{');
	json_close(j, '{');
}

static void simulate_json_regions(struct json *j, const struct simulation *s)
{
	json_open(j, "region_stats", '[');
	for (unsigned i = 0; i < system_regions(s->system); i++) {
		const struct system_region *r = system_region(s->system, i);

		json_open(j, NULL, '{');
		json_uint(j, "region", r->number);
		json_uint(j, "times", r->times);
		json_bool(j, "open", r->open);
		json_real(j, "nanoseconds", r->ns);
		json_uint(j, "cycles",
			  r->cpu.cycles / (uint64_t)s->sheet.cfg.cgm.cores);
		simulate_json_cpu(j, "cpu", &r->cpu);
		memory_json(j, &r->cgm);
		json_close(j, '{');
	}
	json_close(j, '[');
}

static void simulate_json_spans(struct json *j, const struct simulation *s)
{
	double ns = 1e6 / (double)cgm_system_khz(system_memory(s->system));
	struct spans spans;

	system_region_spans(s->system, &spans);
	json_open(j, "region_spans", '[');
	for (unsigned i = 0; i < spans.count; i++)
		memory_json_span(
			j, system_region(s->system, spans.at[i].kind)->number,
			(double)spans.at[i].begin * ns,
			(double)spans.at[i].end * ns, spans.at[i].count);
	json_close(j, '[');
}

static void simulate_json_program(struct json *j, const struct simulation *s)
{
	json_string(j, "program", s->name);
	json_open(j, "arguments", '[');
	for (size_t i = 1; i < s->words->count && s->words->at[i]; i++)
		json_string(j, NULL, s->words->at[i]);
	json_close(j, '[');
	json_open(j, "environment", '[');
	for (size_t i = 0; i < s->o->env.count && s->o->env.at[i]; i++)
		json_string(j, NULL, s->o->env.at[i]);
	json_close(j, '[');
	memory_json_config(j, &s->sheet.cfg);
}

static enum err simulate_json_details(struct json *j, struct simulation *s,
				      struct diag *d)
{
	json_real(j, "host_seconds", s->seconds);
	simulate_json_spans(j, s);
	simulate_json_series(j, system_series(s->system),
			     (unsigned)s->sheet.cfg.cgm.cores);
	return simulate_json_profile(j, s, d);
}

enum err simulate_json(struct json *j, struct simulation *s, bool details,
		       struct diag *d)
{
	enum err e = ERR_OK;

	json_open(j, NULL, '{');
	json_string(j, "kind", "system");
	system_json_end(j, s->process, &s->end);
	json_bool(j, "interrupted", s->stopped);
	json_string(j, "config", s->o->config);
	json_string(j, "engine", s->o->engine ? s->o->engine : "serial");
	json_uint(j, "cycles", system_cycles(s->system));
	json_real(j, "clock_mhz", s->sheet.cfg.cgm.cpu_clock);
	json_uint(j, "ticks_khz", cgm_system_khz(system_memory(s->system)));
	json_uint(j, "cores", (uint64_t)s->sheet.cfg.cgm.cores);
	json_uint(j, "threads_per_core", (uint64_t)s->sheet.cfg.cpu.threads);
	simulate_json_cpu(j, "cpu", &s->cpu);
	json_open(j, "core", '[');
	for (unsigned i = 0; i < (unsigned)s->sheet.cfg.cgm.cores; i++) {
		struct cpu_stats one;

		system_core_stats(s->system, i, &one);
		simulate_json_cpu(j, NULL, &one);
	}
	json_close(j, '[');
	memory_json(j, &s->cgm);
	memory_json_links(j, system_memory(s->system));
	regions_write(j, x86_process_regions(s->process), "nanoseconds");
	simulate_json_regions(j, s);
	system_json_opencl(j);
	simulate_json_program(j, s);
	if (details)
		e = simulate_json_details(j, s, d);
	json_close(j, '{');
	return e;
}
