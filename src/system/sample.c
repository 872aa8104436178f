/*
 * Values over time: at the end of each interval a row of everything that was
 * counted up to then. And the profiles of all cores together.
 */
#include <stdlib.h>
#include <string.h>

#include "system/impl.h"

enum err system_observe(struct system *s, uint64_t interval, struct diag *d)
{
	struct system_series *q = arena_new(&s->arena, struct system_series, 1);

	CHECK(!s->now && !s->series);
	if (!q)
		return fail(d, ERR_NOMEM, "out of memory");
	q->cpu = 1;
	q->core = q->cpu + cpu_stat_count;
	q->core_width = CPU_SLOT_USES + 1;
	if (cgm_series_init(&q->all, &s->arena, s->cgm,
			    q->core + s->cores * q->core_width, interval, d))
		return d->code;
	for (unsigned i = 0; i < s->cores; i++) {
		s->profile[i] = cpu_profile_new(&s->arena);
		if (!s->profile[i])
			return fail(d, ERR_NOMEM, "out of memory");
		cpu_core_profile(s->core[i], s->profile[i]);
	}
	if (cgm_system_watch_blocks(s->cgm, d))
		return d->code;
	s->series = q;
	s->sample = cgm_series_due(&q->all) * s->period;
	return ERR_OK;
}

static void system_sample_cores(const struct system *s,
				const struct system_series *q, uint64_t *row)
{
	struct cpu_stats st;

	system_cpu_stats(s, &st);
	for (unsigned i = 0; i < cpu_stat_count; i++)
		row[q->cpu + i] = cpu_stat_value(&st, &cpu_stat_rows[i]);
	for (unsigned i = 0; i < s->cores; i++) {
		uint64_t *to = row + q->core + i * q->core_width;

		system_core_stats(s, i, &st);
		for (unsigned k = 0; k < CPU_SLOT_USES; k++)
			to[k] = *cpu_stat_slot(&st, (enum cpu_slot_use)k);
		to[CPU_SLOT_USES] = st.instructions;
	}
}

void system_sample(struct system *s)
{
	struct system_series *q = s->series;
	uint64_t *row = cgm_series_add(&q->all, s->cgm, system_cycles(s));

	/* Of a longer interval this may be the middle. */
	if (row)
		system_sample_cores(s, q, row);
	s->sample = cgm_series_due(&q->all) * s->period;
}

const struct system_series *system_series(struct system *s)
{
	struct system_series *q = s->series;

	if (!q)
		return NULL;
	/* What was in flight at the last sample has come to rest since. */
	system_sample_cores(s, q,
			    cgm_series_end(&q->all, s->cgm, system_cycles(s)));
	s->sample = CYCLE_NEVER;
	return q;
}

/*
 * The profile
 */

static int system_hot_order(const void *a, const void *b)
{
	const struct system_hot *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void system_hot_add(const struct system *s, struct system_hot *to,
			   const struct cpu_profile_row *r)
{
	to->at = r->inst ? s->guest.ops->place(r->inst) : 0;
	for (unsigned i = 0; i < CPU_SLOT_USES; i++)
		to->slot[i] = r->slot[i];
	if (r->inst && r->inst->order == GUEST_PAUSE)
		to->pauses = r->slot[CPU_SLOT_committed];
	/* A core without a thread. */
	to->slot[CPU_SLOT_idle] = 0;
}

/* Rows of the same address become one. */
static size_t system_hot_join(struct system_hot *hot, size_t count)
{
	size_t n = 0;

	qsort(hot, count, sizeof(*hot), system_hot_order);
	for (size_t i = 0; i < count; i++) {
		if (!n || hot[n - 1].at != hot[i].at) {
			hot[n++] = hot[i];
			continue;
		}
		hot[n - 1].pauses += hot[i].pauses;
		for (unsigned k = 0; k < CPU_SLOT_USES; k++)
			hot[n - 1].slot[k] += hot[i].slot[k];
	}
	return n;
}

enum err system_profile(struct system *s, struct system_hot **out,
			size_t *count, struct diag *d)
{
	size_t room = s->cores, n = 0;
	struct system_hot *hot;

	CHECK(s->series);
	for (unsigned i = 0; i < s->cores; i++) {
		cpu_core_profile_end(s->core[i], s->now / s->period);
		room += s->profile[i]->used;
	}
	*out = hot = calloc(room, sizeof(*hot));
	if (!hot)
		return fail(d, ERR_NOMEM, "out of memory");
	for (unsigned i = 0; i < s->cores; i++) {
		const struct cpu_profile *p = s->profile[i];

		for (size_t k = 0; k < (size_t)1 << CPU_PROFILE_BITS; k++)
			if (p->row[k].inst)
				system_hot_add(s, &hot[n++], &p->row[k]);
		system_hot_add(s, &hot[n++], &p->rest);
	}
	*count = system_hot_join(hot, n);
	return ERR_OK;
}
