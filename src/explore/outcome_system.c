/* The outcome of a program on a system. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "explore/outcome.h"
#include "explore/system_run.h"

/* Statistics of CGM by one index, over all instances. */
static bool outcome_cgm_value(struct outcome_value *v,
			      const struct cgm_stats *s, size_t i,
			      const struct cgm_stat_place **place,
			      const struct cgm_stat_row **row)
{
	for (unsigned p = 0; p < CGM_INSTANCES; p++)
		for (unsigned k = 0; k < cgm_stat_count; k++) {
			if (cgm_stat_rows[k].kind != cgm_stat_places[p].kind ||
			    i--)
				continue;
			*place = &cgm_stat_places[p];
			*row = &cgm_stat_rows[k];
			snprintf(v->name, sizeof(v->name), "memory.%s.%s",
				 (*place)->name, (*row)->name);
			v->value = (double)cgm_stat_value(s, *place, *row);
			return true;
		}
	return false;
}

static size_t outcome_cgm_count(void)
{
	size_t n = 0;

	for (unsigned p = 0; p < CGM_INSTANCES; p++)
		for (unsigned k = 0; k < cgm_stat_count; k++)
			n += cgm_stat_rows[k].kind == cgm_stat_places[p].kind;
	return n;
}

bool outcome_system_value(struct outcome_value *v,
			  const struct outcome_system *s, size_t i)
{
	const struct cgm_stat_place *place;
	const struct cgm_stat_row *row;

	if (i < cpu_stat_count) {
		const struct cpu_stat_row *c = &cpu_stat_rows[i];

		snprintf(v->name, sizeof(v->name), "cpu.%s%s",
			 c->slot ? "slot." : "", c->name);
		v->value = (double)cpu_stat_value(&s->cpu, c);
		return true;
	}
	i -= cpu_stat_count;
	if (outcome_cgm_value(v, &s->cgm, i, &place, &row))
		return true;
	i -= outcome_cgm_count();
	if (i >= s->mores)
		return false;
	*v = s->more[i];
	return true;
}

void outcome_system_put(struct outcome_system *s, const struct outcome_value *v)
{
	size_t cgm = outcome_cgm_count();
	const struct cgm_stat_place *place;
	const struct cgm_stat_row *row;
	struct outcome_value one;

	for (size_t i = 0; i < cpu_stat_count; i++)
		if (outcome_system_value(&one, s, i) &&
		    !strcmp(one.name, v->name)) {
			*(uint64_t *)(void *)((char *)&s->cpu +
					      cpu_stat_rows[i].at) =
				(uint64_t)v->value;
			return;
		}
	for (size_t i = 0; i < cgm; i++)
		if (outcome_cgm_value(&one, &s->cgm, i, &place, &row) &&
		    !strcmp(one.name, v->name)) {
			*(uint64_t *)(void *)((char *)&s->cgm + place->at +
					      row->at) = (uint64_t)v->value;
			return;
		}
	if (s->mores < sizeof(s->more) / sizeof(s->more[0]))
		s->more[s->mores++] = *v;
}

static void outcome_more(struct outcome_system *s, const char *name,
			 uint64_t number, const char *what, double value)
{
	struct outcome_value *v = &s->more[s->mores];

	if (s->mores == sizeof(s->more) / sizeof(s->more[0]))
		return;
	if (number == UINT64_MAX)
		snprintf(v->name, sizeof(v->name), "%s.%s", name, what);
	else
		snprintf(v->name, sizeof(v->name), "%s.%" PRIu64 ".%s", name,
			 number, what);
	v->value = value;
	s->mores++;
}

/* Regions and OpenCL. */
static void outcome_add_parts(struct outcome_system *s,
			      const struct system_run *r)
{
	const struct system_opencl *o = &r->opencl;

	for (size_t i = 0; i < r->region_count; i++) {
		const struct system_region_row *g = &r->region_rows[i];

		outcome_more(s, "region", g->number, "cycles", g->cycles);
		outcome_more(s, "region", g->number, "nanoseconds", g->ns);
	}
	if (!(o->region > 0))
		return;
	outcome_more(s, "opencl", UINT64_MAX, "region_ns", o->region);
	outcome_more(s, "opencl", UINT64_MAX, "kernel_ns", o->kernel);
	outcome_more(s, "opencl", UINT64_MAX, "call_ns", o->call);
	outcome_more(s, "opencl", UINT64_MAX, "copy_ns", o->copy);
	outcome_more(s, "opencl", UINT64_MAX, "cpu_ns", o->rest);
}

/* The cycles and the time that count. */
static enum err outcome_time(struct sweep_outcome *o,
			     const struct system_run *r, int region,
			     struct diag *d)
{
	o->cycles = r->cycles;
	o->gpu_seconds = r->ns * 1e-9;
	if (region == OUTCOME_ALL)
		return ERR_OK;
	if (region == OUTCOME_OPENCL && r->opencl.region > 0) {
		o->cycles = r->opencl.region * r->cfg.cgm.cpu_clock * 1e-3;
		o->gpu_seconds = r->opencl.region * 1e-9;
		return ERR_OK;
	}
	if (region == OUTCOME_OPENCL)
		return fail(d, ERR_FAULT, "the program has not used OpenCL");
	for (size_t i = 0; i < r->region_count; i++) {
		const struct system_region_row *g = &r->region_rows[i];

		if (g->number != (uint64_t)region || !g->times)
			continue;
		o->cycles = g->ns * r->cfg.cgm.cpu_clock * 1e-3;
		o->gpu_seconds = g->ns * 1e-9;
		return ERR_OK;
	}
	return fail(d, ERR_FAULT, "the program has not executed region %d",
		    region);
}

enum err outcome_system_read(struct sweep_outcome *o, const char *path,
			     int region, struct diag *d)
{
	struct system_run r;
	enum err e = system_run_read(&r, path, d);

	if (!e)
		e = outcome_time(o, &r, region, d);
	if (!e) {
		o->ok = true;
		o->host_seconds = r.host_seconds;
		o->warp_instructions = r.instructions;
		o->launches = r.opencl.kernels.count;
		snprintf(o->engine, sizeof(o->engine), "%s", r.engine);
		o->system.is = true;
		o->system.cpu = r.cpu;
		o->system.cgm = r.cgm;
		outcome_add_parts(&o->system, &r);
	}
	system_run_free(&r);
	return e;
}
