/*
 * The check of hazards: whether an instruction with control bits is issued
 * before the registers that it reads have been written. Programs compute the
 * same all the same, for here results are there at issue; a GPU would compute
 * something else.
 *
 * Models:  fixed latencies, by producer and consumer; results that end at a
 *          counter: the counter has been 0 since, or the result is still on
 *          its way; lanes, so that diverged lanes may use the same register.
 * Does not model: registers that are written in the wrong order, or before an
 *          earlier reader has read them; results between the bound of
 *          KIND_COUNT_WAIT and 0.
 * Owner:   the SM, one for each grid that is checked.
 */
#include <stdlib.h>
#include <string.h>

#include "simt/hazard.h"
#include "sm/core.h"
#include "sm/counters.h"

/* The last write of a register. */
struct written {
	cycle_t at; /* of issue; 0: never */
	uint32_t pc;
	lanes_t lanes;
	uint8_t producer, counter, group; /* counter: its number plus 1, or 0 */
};

/* When counters rose and were seen at 0. */
struct warp_counters {
	cycle_t raised[TIMED_GROUPS][TIMED_COUNTERS];
	cycle_t zero[TIMED_COUNTERS];
	cycle_t done[TIMED_GROUPS]; /* those issued until then are complete */
};

struct hazards {
	uint32_t regs;
	struct written *reg; /* by slot and register */
	struct warp_counters counters[SLOTS];
};

struct hazards *sm_hazards_new(const struct timed_program *timed)
{
	struct hazards *h = calloc(1, sizeof(*h));
	uint32_t regs = 1;

	for (uint32_t i = 0; i < timed->func_count; i++) {
		const struct timed_checks *c = timed->func[i].checks;

		if (c && c->regs > regs)
			regs = c->regs;
	}
	if (!h)
		return NULL;
	h->regs = regs;
	h->reg = calloc((size_t)SLOTS * regs, sizeof(*h->reg));
	if (h->reg)
		return h;
	free(h);
	return NULL;
}

void sm_hazards_free(struct hazards *h)
{
	if (h)
		free(h->reg);
	free(h);
}

void sm_hazards_start(struct hazards *h, int slot)
{
	memset(&h->reg[(size_t)slot * h->regs], 0, h->regs * sizeof(*h->reg));
	memset(&h->counters[slot], 0, sizeof(h->counters[slot]));
}

/* The counter is 0 at t. */
static void counter_is_zero(struct warp_counters *c, unsigned n, cycle_t t)
{
	c->zero[n] = t;
	for (unsigned g = 0; g < TIMED_GROUPS; g++)
		if (c->done[g] < c->raised[g][n])
			c->done[g] = c->raised[g][n];
}

/* Notes the counters that are 0 when the instruction issues: those that it waits
 * for, and those that happen to be. */
static void note_zeros(const struct sm *s, const struct slot *p,
		       struct warp_counters *c, cycle_t t)
{
	const struct counters *known = counters_of(p);

	for (unsigned n = 0; n < TIMED_COUNTERS; n++)
		if (!known->open[n] && s->origin + known->zero[n] <= t)
			counter_is_zero(c, n, t);
}

/* Cycles until the result may be read; HAZARD_UNKNOWN: it is on its way; 0: it
 * may. */
static uint32_t missing(const struct written *w, const struct warp_counters *c,
			const struct timed_checks *checks, uint8_t consumer,
			cycle_t t)
{
	cycle_t ready;

	if (w->producer == TIMED_VARIABLE) {
		if (w->counter && c->zero[w->counter - 1] <= w->at)
			return HAZARD_UNKNOWN;
		if (!w->counter && w->group && c->done[w->group] <= w->at)
			return HAZARD_UNKNOWN;
		return 0;
	}
	ready = w->at +
		checks->latency[w->producer * checks->consumers + consumer];
	return ready > t ? (uint32_t)(ready - t) : 0;
}

static void check_read(const struct slot *p, const struct written *w,
		       const struct warp_counters *c,
		       const struct timed_checks *checks,
		       const struct timed_use *u, cycle_t t)
{
	uint32_t cycles;

	if (!w->at || !(w->lanes & p->warp->mask))
		return;
	cycles = missing(w, c, checks, u->class, t);
	if (cycles)
		hazard_note(p->warp, w->pc, p->pc, cycles);
}

/* The counters of an earlier KIND_COUNT_WAIT count as 0. */
static void note_issue(const struct slot *p, struct warp_counters *c,
		       const struct timed_check *k, cycle_t t)
{
	const struct timed_inst *ti = p->next;

	if (ti->kind == KIND_COUNT_WAIT)
		counter_is_zero(c, ti->bound >> 16, t);
	if (k->group && timed_write_counter(ti))
		c->raised[k->group][timed_write_counter(ti) - 1] = t;
}

void sm_hazards_check(const struct sm *s, int slot, cycle_t t)
{
	const struct slot *p = &s->slot[slot];
	const struct sm_gridstate *g = s->grids[s->block[p->block].grid];
	const struct timed_func *f = &g->grid.timed->func[p->func];
	struct warp_counters *c;
	const struct timed_check *k;
	struct written *reg;

	if (!g->checks || !f->checks)
		return;
	c = &g->checks->counters[slot];
	k = &f->checks->inst[p->next - p->timed];
	reg = &g->checks->reg[(size_t)slot * g->checks->regs];
	note_zeros(s, p, c, t);
	for (uint32_t i = 0; i < k->uses; i++) {
		const struct timed_use *u = &f->checks->use[k->first + i];

		if (!u->writes)
			check_read(p, &reg[u->reg], c, f->checks, u, t);
	}
	for (uint32_t i = 0; i < k->uses; i++) {
		const struct timed_use *u = &f->checks->use[k->first + i];

		if (u->writes && p->warp->mask)
			reg[u->reg] = (struct written){
				.at = t,
				.pc = p->pc,
				.lanes = p->warp->mask,
				.producer = u->class,
				.counter =
					(uint8_t)timed_write_counter(p->next),
				.group = k->group
			};
	}
	note_issue(p, c, k, t);
}
