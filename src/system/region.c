/* Marked regions: what happened between their first and last instructions. */
#include "system/impl.h"

static struct system_region *system_region_of(struct system *s, uint32_t number)
{
	for (unsigned i = 0; i < s->regions; i++)
		if (s->region[i].number == number)
			return &s->region[i];
	if (s->regions == SYSTEM_REGIONS)
		return NULL;
	s->region[s->regions].number = number;
	return &s->region[s->regions++];
}

static void system_region_begin(struct system *s, struct system_region *r)
{
	r->open = true;
	r->since = s->now;
	system_cpu_stats(s, &r->cpu_before);
	system_cgm_stats(s, &r->cgm_before);
}

static void system_region_end(struct system *s, struct system_region *r)
{
	struct cpu_stats cpu;
	struct cgm_stats cgm;

	r->open = false;
	r->times++;
	spans_add(&s->spans, (uint32_t)(r - s->region), r->since, s->now);
	r->ns += (double)(s->now - r->since) * 1e6 / (double)s->khz;
	system_cpu_stats(s, &cpu);
	cpu_stats_subtract(&cpu, &r->cpu_before);
	cpu_stats_add(&r->cpu, &cpu);
	system_cgm_stats(s, &cgm);
	cgm_stats_subtract(&cgm, &r->cgm_before);
	cgm_stats_sum(&r->cgm, &cgm);
}

/* A second begin of an open region, and an end of none, mean nothing. */
void system_mark(void *ctx, unsigned core, unsigned context, uint32_t mark,
		 cycle_t cycle)
{
	struct system *s = ctx;
	struct system_region *r =
		system_region_of(s, mark & (GUEST_MARK_END - 1));

	(void)cycle;
	system_set_time(s);
	s->guest.ops->mark(
		s->guest.program,
		s->guest.ops->thread(
			s->guest.program,
			s->context[core * s->each + context].thread));
	if (!r)
		return;
	if (!(mark & GUEST_MARK_END) && !r->open)
		system_region_begin(s, r);
	else if (mark & GUEST_MARK_END && r->open) {
		system_region_end(s, r);
		if (r->number + 1 == s->detail_until)
			for (unsigned i = 0; i < s->cores; i++)
				cpu_core_hurry(s->core[i]);
	}
}

void system_region_spans(const struct system *s, struct spans *out)
{
	cycle_t end = s->ended ? s->end : s->now;

	*out = s->spans;
	for (unsigned i = 0; i < s->regions; i++)
		if (s->region[i].open && s->region[i].since <= end)
			spans_add(out, i, s->region[i].since, end);
}

unsigned system_regions(const struct system *s)
{
	return s->regions;
}

const struct system_region *system_region(const struct system *s, unsigned n)
{
	return &s->region[n];
}
