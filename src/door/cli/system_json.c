/* The results of `heddle system --config` as JSON. */
#include "cfg/param.h"
#include "door/cli/configs.h"
#include "door/cli/regions.h"
#include "door/cli/simulate.h"
#include "heddle/heddle.h"
#include "mem/cgm/system.h"

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

void system_json_memory(struct json *j, const struct cgm_stats *st)
{
	json_open(j, "memory", '{');
	for (unsigned i = 0; i < CGM_INSTANCES; i++) {
		const struct cgm_stat_place *p = &cgm_stat_places[i];

		json_open(j, p->name, '{');
		for (unsigned k = 0; k < cgm_stat_count; k++)
			if (cgm_stat_rows[k].kind == p->kind)
				json_uint(j, cgm_stat_rows[k].name,
					  cgm_stat_value(st, p,
							 &cgm_stat_rows[k]));
		json_close(j, '{');
	}
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
		system_json_memory(j, &r->cgm);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* Messages by kind, and each link. */
static void simulate_json_links(struct json *j, const struct simulation *s)
{
	const struct cgm_system *cgm = system_memory(s->system);
	uint64_t count[CGM_MESSAGES];

	cgm_system_messages(cgm, count);
	json_open(j, "messages", '{');
	for (unsigned i = 0; i < CGM_MESSAGES; i++)
		if (count[i])
			json_uint(j, cgm_messages[i].name, count[i]);
	json_close(j, '{');
	json_open(j, "links", '[');
	for (unsigned i = 0; i < cgm_system_links(cgm); i++) {
		struct cgm_link l;

		cgm_system_link(cgm, i, &l);
		json_open_line(j, NULL, '{');
		json_string(j, "link", l.name);
		json_bool(j, "ring", l.ring);
		json_uint(j, "messages", l.messages);
		json_uint(j, "bytes", l.bytes);
		json_uint(j, "busy_ticks", l.busy);
		json_uint(j, "waited_ticks", l.waited);
		json_uint(j, "held_ticks", l.held);
		json_uint(j, "peak", l.peak);
		json_uint(j, "room", l.room);
		json_close(j, '{');
	}
	json_close(j, '[');
}

/* [kind, begin, end, how many], times in nanoseconds. */
static void simulate_json_span(struct json *j, uint32_t kind, double begin,
			       double end, uint64_t count)
{
	json_open_line(j, NULL, '[');
	json_uint(j, NULL, kind);
	json_real(j, NULL, begin);
	json_real(j, NULL, end);
	json_uint(j, NULL, count);
	json_close(j, '[');
}

static void simulate_json_spans(struct json *j, const struct simulation *s)
{
	double ns = 1e6 / (double)cgm_system_khz(system_memory(s->system));
	struct spans spans;

	system_region_spans(s->system, &spans);
	json_open(j, "region_spans", '[');
	for (unsigned i = 0; i < spans.count; i++)
		simulate_json_span(
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
	json_string(j, "version", heddle_version());
	json_open(j, "parameters", '{');
	for (int i = 0; i < CFG_COUNT; i++)
		configs_json_value(j, cfg_params[i].key, &s->sheet.cfg,
				   (enum cfg_id)i);
	json_close(j, '{');
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
	system_json_memory(j, &s->cgm);
	simulate_json_links(j, s);
	regions_write(j, x86_process_regions(s->process), "nanoseconds");
	simulate_json_regions(j, s);
	system_json_opencl(j);
	simulate_json_program(j, s);
	if (details)
		e = simulate_json_details(j, s, d);
	json_close(j, '{');
	return e;
}
