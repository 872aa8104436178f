#include "sm/idle.h"

#include "base/diag.h"
#include "base/minmax.h"

void idle_clear(struct idle_phases *p)
{
	p->count = 0;
}

void idle_grid_starts(struct idle_phases *p, cycle_t at)
{
	if (!p->count || p->at[p->count - 1].end <= at) {
		CHECK(p->count < IDLE_PHASES);
		p->at[p->count++].start = at;
	}
	p->at[p->count - 1].end = CYCLE_NEVER;
}

void idle_all_sent(struct idle_phases *p, cycle_t arrival)
{
	p->at[p->count - 1].end = arrival;
}

uint32_t idle_last(const struct idle_phases *p)
{
	return p->count - 1;
}

/* Ends of phases, as far as the SM may read them. */
static cycle_t known_end(const struct idle_phases *p, const struct idle_time *t,
			 uint32_t i)
{
	return i + 1 < t->known || t->end_known ? p->at[i].end : CYCLE_NEVER;
}

void idle_charge(const struct idle_phases *p, const struct idle_time *t,
		 cycle_t from, cycle_t to, uint64_t reason[REASON_COUNT])
{
	enum reason outside = t->had_block ? REASON_TAIL : REASON_NO_BLOCK;

	for (uint32_t i = 0; i < t->known && p->at[i].start < to; i++) {
		cycle_t end = min_u64(known_end(p, t, i), to);

		if (p->at[i].start > from) {
			reason[outside] += p->at[i].start - from;
			from = p->at[i].start;
		}
		if (p->at[i].start >= t->since)
			outside = REASON_NO_BLOCK;
		if (end > from) {
			reason[REASON_LAUNCH] += end - from;
			from = end;
		}
	}
	if (to > from)
		reason[outside] += to - from;
}
